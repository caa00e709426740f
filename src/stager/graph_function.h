// Graphs as functions of tensors alone, for tapes: a staged call is one entry,
// whose way back is a graph too.
#ifndef DUET_STAGER_GRAPH_FUNCTION_H
#define DUET_STAGER_GRAPH_FUNCTION_H

#include "backend/plan.h"
#include "stager/concrete.h"

// The gradient of a function for certain results and arguments.
typedef struct GraphDerived {
    // Given, by result; wanted, begun, made, made of rows, by argument.
    bool *masks;
    GraphFunction *function; // counted; NULL: nothing flows
} GraphDerived;

// Its arguments are those of graph_gradient: the graph's inputs, captures too,
// the first values of its Variables, and the state of the generator of random
// numbers if it draws some. On a tape Variables themselves stand for their
// values, which follow behind the arguments. Counted; made when a tape first
// sees the graph.
struct GraphFunction {
    Object head;
    Graph *graph;      // counted, its calls inlined
    Plan *plan;        // counted, NULL until it runs outside of a trace
    bool draws;        // random numbers
    bool apart;        // gradients of one value are summed apart
    bool zeros;        // one of what a block does not use is zeros
    TraceOwner *owner; // counted: whose graph it is, NULL: one of gradients
    // The graph that is run in place of the function's where a tape records:
    // its results are followed by what `graph` takes behind its arguments,
    // values that cannot be had again (graph_keep). NULL: there are none.
    Graph *keeping;
    Plan *keeping_plan; // likewise counted, NULL until it runs
    // The same with Variables that are one in a call under one number, and for
    // each Variable that number; NULL: there was no such call.
    struct GraphFunction *merged;
    uint32_t *same;
    VEC(GraphDerived) derived;
};

// Runs a graph outside of traces, on a tensor for each argument and a cell for
// each Variable that has no owner; outputs are owned. *plan is made if it is
// NULL, and is the caller's.
MUST_CHECK bool graph_function_run(Vm *vm, Graph *graph, Plan **plan,
                                   const Value *inputs,
                                   VariableCell *const *cells, Value *outputs);
// What a tape is told of a call of a concrete function: first the arguments,
// read before it runs, then, once it has run, the results. `inputs` is the
// caller's to free with structure_free.
MUST_CHECK bool graph_function_inputs(Vm *vm, Concrete *concrete,
                                      const Signature *signature,
                                      ValueVec *inputs);
// `outputs` are those of graph_function_graph.
MUST_CHECK bool graph_function_record(Vm *vm, Concrete *concrete,
                                      ValueVec *inputs, const Value *outputs);
// The graph that is run where a tape has the concrete function's inputs.
Graph *graph_function_graph(const Concrete *concrete);
// A node with blocks that was just appended to the trace (graph_record.c). It
// may be replaced by one with further outputs.
MUST_CHECK bool graph_function_record_node(Vm *vm, GraphNode **node);

// stage._record(tape, constants, /): tells the tape, which watches something,
// all that the trace holds so far, but what gives one of the constants.
Value graph_record_method(Vm *vm, Value *args);

// What both are made with. A function of the graph, whose count is taken, also
// on failure; NULL gives NULL.
MUST_CHECK GraphFunction *graph_function_new(Vm *vm, Graph *graph);
// Pushes what follows the Variables, of which inputs[first] is the first one:
// the generator's state, and their values.
MUST_CHECK bool graph_function_state(Vm *vm, const GraphFunction *function,
                                     size_t first, ValueVec *inputs);
// Tells tapes that the function gave these of those.
MUST_CHECK bool graph_function_tell(Vm *vm, GraphFunction *function,
                                    const ValueVec *inputs,
                                    const Value *outputs, uint32_t count);

extern const TypeDef graph_function_type_def;

#endif
