// A graph: what a trace recorded, as data. SSA values, nodes, nested blocks.
//
// A graph knows no interpreter value. It owns an arena; nodes, blocks, names,
// dims and attributes live there and go with it. It holds one count on each
// constant, captured tensor, captured Variable, callee and host object, and is
// itself counted (graph_retain, graph_release).
//
// Order: the nodes of a block stand in program order. Effects (op_has_effect,
// and if, while and call that contain one) keep that order among themselves,
// and so do reads of a Variable with its writes (versions.h); everything else
// is pure and may be moved, merged or dropped. Only what the outputs and the
// effects need is run (non-strict).
//
// Builder functions return NULL, false or VALUE_ID_NONE with an error pending;
// the graph is then still whole, without the node. Arrays, attributes and
// names that they are handed are copied.
#ifndef DUET_GRAPH_GRAPH_H
#define DUET_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "graph/node.h"

// Where the tensor of an input comes from when the graph runs.
typedef enum InputKind {
    INPUT_ARGUMENT, // handed over at each call
    INPUT_CAPTURE,  // a tensor from outside, held by the graph
} InputKind;

// Parameters of the outermost block, in order, are the graph's inputs.
typedef struct GraphInput {
    ValueId value;
    InputKind kind;
    const char *name; // the user's, unique in the graph
    Tensor *capture;  // INPUT_CAPTURE: counted; NULL in a parsed graph
} GraphInput;

// A Variable that the graph reads or writes, by reference. Nodes name it by
// its index. An argument's cell is handed over at each call, a captured one
// is part of the graph.
typedef struct GraphVariable {
    VariableCell *cell; // captured: kept by `owner`; NULL: an argument
    Object *owner;      // captured: the Variable, counted; NULL: an argument
    const char *name;
    TensorType type; // what assignments must keep
    bool argument;   // of this trace or one around it: may be any cell of its
                     // type, a captured one too
} GraphVariable;

// Host code was told sizes of a value while the graph was traced: they must not
// change where the graph is typed anew.
typedef struct GraphTold {
    ValueId value;
    int axis;         // -1: all
    int known;        // sizes that were told
    GraphPlace place; // of the read
} GraphTold;

// Tables grow with the graph; an id or a serial, once given, stays. What nodes
// point at outside of the arena is held here, once for each time that it was
// handed over.
struct Graph {
    uint32_t refs;
    Ctx *ctx;
    Arena arena;
    const char *name;      // the traced function's
    GraphBlock *block;     // its params are the inputs, its results the outputs
    TensorType last_shape; // whose dims were copied last; NULL: none's were
    VEC(GraphValue) values; // by ValueId
    VEC(GraphNode *) nodes; // in order of creation; removed ones too
    VEC(GraphInput) inputs; // arguments and captures, as params
    VEC(GraphVariable) variables;
    VEC(Source *) sources; // counted, distinct: places point there
    VEC(GraphSite) sites;  // places have their numbers
    VEC(Object *) objects; // counted: constants, host objects
    VEC(Graph *) callees;  // counted
    VEC(GraphTold) told;
    size_t shaped;        // how often nodes were built by sizes that are known
    bool exact;           // a signature asks for its inputs' types
    bool widened;         // a copy of a callee, for what a loop calls it with
    const char *left_out; // by graph_of_values: an op with an effect; NULL
    Map captured;         // by address: a tensor's value, a cell's index;
                          // empty while they are few
    uint8_t *access;      // what calls of it do (versions_note); NULL: unknown
    Map names;            // names given so far, see graph_node_name
    size_t named;         // nodes[0 .. named) have their names
    size_t node_count;    // nodes that are in blocks, sub-blocks included
    bool has_blocks;      // some node has blocks, or once had: most have none
    Graph *next_dead;     // links graphs that are being freed
};

// An empty graph with one count, the caller's; the name is copied.
MUST_CHECK Graph *graph_new(Ctx *ctx, const char *name);
// Graphs are counted: plans, callers and Graph objects hold them.
Graph *graph_retain(Graph *graph);
void graph_release(Ctx *ctx, Graph *graph); // NULL is fine

// Inputs. A name that is taken gets "_1", "_2", … appended.
ValueId graph_add_input(Graph *graph, const char *name, TensorType type);
// The same tensor again gives the same value.
ValueId graph_add_capture(Graph *graph, const char *name, Tensor *tensor);
// Adds a Variable: captured (`owner`, which keeps `cell`; the same again gives
// the same index) or an argument (both NULL, always a new index).
MUST_CHECK bool graph_add_variable(Graph *graph, const char *name,
                                   TensorType type, VariableCell *cell,
                                   Object *owner, uint32_t *index);

// Blocks. Make one, add its params and nodes, set its results, then append
// the node that owns it. Nodes in it may use values of the
// enclosing blocks directly.
MUST_CHECK GraphBlock *graph_block_new(Graph *graph, GraphBlock *parent);
// A further param of the block; `name` may be NULL. VALUE_ID_NONE on failure.
ValueId graph_block_param(Graph *graph, GraphBlock *block, const char *name,
                          TensorType type);
// Sets what the block yields.
MUST_CHECK bool graph_block_results(Graph *graph, GraphBlock *block,
                                    const ValueId *results, uint32_t count);
// The end of the block is never reached: it raises. It yields nothing.
void graph_block_diverges(GraphBlock *block);

// Notes what host code was told; the graph holds the place.
MUST_CHECK bool graph_tell(Graph *graph, GraphTold told);
// The number of a new site, for places; GRAPH_SITE_FAILED: no memory.
uint32_t graph_add_site(Graph *graph, GraphSite site);

// Nodes. graph_append runs the op's shape rule (on known constants too) and
// gives the node its outputs; errors are the eager op's. `attrs` NULL: none is
// given.
MUST_CHECK GraphNode *graph_append(Graph *graph, GraphBlock *block, OpCode op,
                                   const ValueId *inputs, uint32_t input_count,
                                   const AttrValue *attrs, GraphPlace place);
// A constant; the graph holds a count on the tensor, which nobody may change
// from then on.
MUST_CHECK GraphNode *graph_append_const(Graph *graph, GraphBlock *block,
                                         Tensor *tensor, GraphPlace place);
// A node with the blocks that its op has (op_desc(op)->blocks).
// Branches: outputs have the types that all agree on: dtypes must be equal
// (ERR_DTYPE), differing sizes and ranks become unknown. All yield the same
// number of values but those that diverge.
// A loop: each block has one param for each input, made with its type; one that
// decides yields one bool, the body the next state. State keeps its dtype
// (ERR_DTYPE names the state); a size that the body changes becomes unknown,
// and the blocks are inferred again until nothing changes. Outputs and params
// then have the general types (compare with the inputs to see which).
MUST_CHECK GraphNode *graph_append_blocks(Graph *graph, GraphBlock *block,
                                          OpCode op, const ValueId *inputs,
                                          uint32_t input_count,
                                          GraphBlock *const *blocks,
                                          GraphPlace place);
// A staged function called in a trace. `variables[i]` is this graph's index
// for the callee's Variable i. Output types are the callee's outputs'.
MUST_CHECK GraphNode *graph_append_call(Graph *graph, GraphBlock *block,
                                        Graph *callee, const ValueId *inputs,
                                        uint32_t input_count,
                                        const uint32_t *variables,
                                        GraphPlace place);
// The first `output_count` inputs, whose gradients flow by `gradient`: it takes
// theirs and what the last inputs are, and gives those of the inputs between.
// It has no captures and no Variables. The graph holds a count on it.
MUST_CHECK GraphNode *
graph_append_gradient(Graph *graph, GraphBlock *block, Graph *gradient,
                      const ValueId *inputs, uint32_t input_count,
                      uint32_t output_count, GraphPlace place);
// Reads a Variable as it is at this point of the block, or assigns: refuses
// another dtype (ERR_DTYPE) or a shape that cannot fit (ERR_SHAPE). A read that
// follows sees the new value.
MUST_CHECK GraphNode *graph_append_resource(Graph *graph, GraphBlock *block,
                                            OpCode op, uint32_t variable,
                                            const ValueId *inputs,
                                            uint32_t input_count,
                                            GraphPlace place);
// print, host_call, assert, raise: what the host does at run time with the
// inputs. `host` (counted, may be NULL) is the interpreter's own; `attrs` are
// the op's (ops/ops_structure.c). host_call alone has outputs, of `types`.
// An assert's first input is its condition, one bool.
MUST_CHECK GraphNode *graph_append_host(Graph *graph, GraphBlock *block,
                                        OpCode op, const ValueId *inputs,
                                        uint32_t input_count,
                                        const AttrValue *attrs, Object *host,
                                        const TensorType *types,
                                        uint32_t type_count, GraphPlace place);

// Whether the node must run and keep its place: an effect, or one inside.
bool graph_has_effects(const GraphNode *node);
// Whether it can be run where the program would not have run it: nothing of it
// is seen, and it cannot fail, neither by its values nor, since all its sizes
// are known, by shapes.
bool graph_is_total(const Graph *graph, const GraphNode *node);
// The same once passes have begun: one may have put in place of an operand
// another whose sizes are known, and are none that the op takes.
bool graph_stays_total(Graph *graph, const GraphNode *node);

// What is known of a value; dims live as long as the graph.
static inline const GraphValue *graph_value(const Graph *graph, ValueId id)
{
    return &graph->values.items[id];
}
// Its shape is the graph's: valid as long as that lives.
static inline TensorType graph_type(const Graph *graph, ValueId id)
{
    return graph->values.items[id].type;
}
// The tensor of a constant (borrowed), NULL if the value is not one.
Tensor *graph_constant(const Graph *graph, ValueId id);
// Whether both are one value, or constants with the same bits.
bool graph_same_value(const Graph *graph, ValueId a, ValueId b);
// The one block of a node that runs, where a constant decides that: a side of a
// condition, or what decides of a loop that makes no turn. NULL: unknown.
GraphBlock *graph_only_block(const Graph *graph, const GraphNode *node);
// The node's name, unique in the graph: the op's, "_1", "_2" … appended, in
// order of creation. Given when first asked for. NULL on failure.
const char *graph_node_name(Graph *graph, GraphNode *node);

#endif
