// What the files of a graph's gradient share. See grad_graph.h.
#ifndef DUET_GRAPH_PASSES_GRAD_BACK_H
#define DUET_GRAPH_PASSES_GRAD_BACK_H

#include "graph/clone.h"
#include "graph/passes/grad_graph.h"

// One gradient under way.
typedef struct Back {
    Graph *graph;      // forward and, behind it, backward
    GraphBlock *block; // where nodes are appended
    size_t count;      // values of the forward part
    ValueId *grads;    // by value; VALUE_ID_NONE
    // By value, VALUE_ID_NONE: a gradient of some rows alone, which is not in
    // `grads` yet, and their numbers. `waiting` says how many have one.
    ValueId *row_grads, *rows;
    size_t waiting;
    bool *needed;     // by value: something wanted flows into it
    GraphPlace place; // of the node in hand
} Back;

// An Emit that appends nodes (grad_emit.c); its values are ids plus one.
typedef struct GraphEmit {
    Emit emit; // first: an Emit * is a GraphEmit *
    Back *back;
} GraphEmit;
GraphEmit back_emit(Back *b);
EmitValue back_as_emit(ValueId id);
ValueId back_from_emit(EmitValue value);
// Rows of a forward value's gradient: they stand behind rows, or are added to
// what there is, as on a tape; then, that one or all that wait are made whole.
MUST_CHECK bool back_add_rows(Back *b, ValueId value, EmitValue rows,
                              EmitValue grads);
MUST_CHECK bool back_fill_rows(Back *b, ValueId value);
MUST_CHECK bool back_fill_all(Back *b);
// Whether the node's first operand gets a gradient of rows.
bool back_takes_rows(const Graph *graph, const GraphNode *node);
// Whether gradients of rows are all that comes back to it from the block.
bool back_rows_alone(const Graph *graph, GraphBlock *block, ValueId value);

// Whether gradients flow through the value's type.
bool back_flows(const Graph *graph, ValueId id);
// By value, to what gradients flow back from those results that are `given`
// (NULL: all): more at most than what rules give gradients to (grad_live.c).
// NULL: the allocation failed.
MUST_CHECK bool *back_live(Graph *graph, const bool *given);
void back_live_free(Graph *graph, bool *live);
// Marks further results that are given; whether one of them is new.
bool back_live_more(Graph *graph, bool *live, const bool *given);
// Whether one flows to what the loop's state i begins with: a turn uses it, or
// there need not be one.
bool back_starts(const Graph *graph, const bool *live, const GraphNode *loop,
                 uint32_t i);
// Whether one flows to result i of a node's block: from the node's output, or a
// loop's next turn.
bool back_ends(const bool *live, const GraphBlock *block, uint32_t i);
// How many of the inputs may get one: an op whose rule is none gives none.
uint32_t back_operands(const GraphNode *node);
bool back_is_live(const bool *live, const GraphNode *node);
// Whether the loop counts from a known number to a known one, with a turn.
bool back_turns_surely(const Graph *graph, const GraphNode *loop);
// Whether a forward value takes part in the gradient.
bool back_takes_part(const Back *b, ValueId id);
// One node at the end of the block; its first output, VALUE_ID_NONE on
// failure.
ValueId back_append(Back *b, GraphBlock *block, OpCode op,
                    const ValueId *inputs, uint32_t count,
                    const AttrValue *attrs);
ValueId back_zeros(Back *b, GraphBlock *block, ValueId like);
// What a value has so far, zeros if that is nothing.
ValueId back_so_far(Back *b, GraphBlock *block, ValueId value);
// The state of the generator where the node stands, as a value before it.
ValueId back_generator(Back *b, GraphNode *node);
// Moves what stands behind `last` (NULL: all) before the node.
void back_move(Back *b, GraphNode *last, GraphNode *node);
// A call at the block's end. NULL: failed.
GraphNode *back_call(Back *b, GraphBlock *block, Graph *callee,
                     const IdVec *inputs);
// Adds to the gradient of a forward value; false also for VALUE_ID_NONE.
MUST_CHECK bool back_add(Back *b, ValueId value, ValueId grad);
MUST_CHECK bool back_push(Back *b, IdVec *to, const ValueId *ids, size_t count);
// The forward part (grad_forward.c): in `to`, which is empty, and without
// Variables. `inputs` gets the arguments' values there.
MUST_CHECK bool back_copy_forward(Graph *graph, Graph *to, ValueId *inputs);
// Whether random numbers are drawn, and nothing else is done, which can be done
// again; in the block.
bool back_is_draw(const OpDesc *op);
bool back_draws(GraphBlock *block);
// What is kept of a graph (grad_kept.c). Whether an effect gives something that
// cannot be had again.
bool back_gives_once(const GraphNode *node);
// Whether the node, beside such a one, is kept, and not in the gradient's
// graph.
bool back_is_kept(const GraphNode *node);
// Whether an operand of it is one there all the same: a float, of which no
// gradient is known.
bool back_stays_operand(const Graph *graph, const GraphNode *node, uint32_t i);
// By value, whether that graph asks for it.
void back_mark_used(const Graph *graph, GraphBlock *block, bool *used);
// Whether the turns of the node, a loop, are counted: what decides is kept.
bool back_is_counted(const GraphNode *node);
// How many lists get a value each time that the node has run, by itself.
uint32_t back_own_lists(const bool *used, const GraphNode *node);
// A node that gives an empty list for values of the type. NULL: failed.
GraphNode *back_new_list(Graph *graph, GraphBlock *block, TensorType type,
                         GraphPlace place);
// One turn of a loop there and back, as two graphs.
typedef struct BackTurn {
    size_t states;    // of the loop: the first inputs
    size_t arguments; // all inputs of the body's gradient that are no gradients
    bool *kept;       // by state: the way back takes it as it was before the
                      // turn; to be kept anyhow where that is set before
    Graph *grad;      // the body's gradient, then its way back alone, which
                      // takes the states that are kept, the other arguments,
                      // what is handed on, and the gradients
    Graph *ahead;     // of the arguments: the body's values, then what is
                      // handed on
} BackTurn;
// Makes the two of the gradient, whose last results are `values` of the body
// (grad_split.c); 0: nothing is handed on but what is read from the lists among
// the states.
MUST_CHECK bool back_split(BackTurn *turn, uint32_t values);
// As graph_gradient, which has it without `values`: with them, the results of
// the forward part are results behind the gradients.
MUST_CHECK Graph *back_gradient(Graph *graph, const bool *given,
                                const bool *wanted, const bool *begun,
                                bool *made, bool *rows, bool values);
// An if's way back (grad_branch.c).
MUST_CHECK bool back_branches(Back *b, GraphNode *node);
// A loop's way back (grad_loop.c). The node is replaced.
MUST_CHECK bool back_loop(Back *b, GraphNode *node);

// Blocks as graphs (grad_lift.c). The values that the block uses from outside,
// each once, behind those that are listed already.
MUST_CHECK bool back_outside(Graph *graph, GraphBlock *top, IdVec *outside);
// The block as a graph: its params are the first inputs, the outside values the
// others.
MUST_CHECK Graph *back_lift(Graph *graph, GraphBlock *block,
                            const IdVec *outside);
// An input of the copy for each of the values.
MUST_CHECK bool back_map_inputs(Clone *clone, const ValueId *values,
                                size_t count);

#endif
