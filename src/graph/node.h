// The parts of a graph: values, nodes and blocks. See graph.h for the rules.
#ifndef DUET_GRAPH_NODE_H
#define DUET_GRAPH_NODE_H

#include "base/source.h"
#include "base/vec.h"
#include "ops/op.h"
#include "ops/variable.h"

typedef struct Graph Graph;
typedef struct GraphNode GraphNode;
typedef struct GraphBlock GraphBlock;

typedef uint32_t ValueId; // an index into Graph.values
#define VALUE_ID_NONE UINT32_MAX

typedef VEC(ValueId) IdVec;

// Where the user wrote it. `source` NULL: unknown, or a parsed graph, whose
// `note` is then the comment's text ("file:7 x = x + b").
typedef struct GraphPlace {
    Source *source; // borrowed by callers; graphs hold a count of their own
    Span span;
    const char *note;
    uint32_t site; // the code that made the node (GraphSite), 0: unknown
} GraphPlace;

// The functions in the middle of which nodes were made, for the traceback of
// a node that fails. A graph numbers them from 1; who calls comes before whom
// it calls.
typedef struct GraphSite {
    Object *code;     // counted
    uint32_t word;    // behind the instruction that ran
    uint32_t caller;  // its site, 0: the graph's own function
    uint32_t named;   // the site that called the library's function that has
                      // the name, 0: none has one
    const char *path; // the name scope and, of what has one, that name below
                      // it; in the graph's arena, NULL: none
} GraphSite;

// In a place: no site could be made, and the error of that is pending. The
// node is not made either.
#define GRAPH_SITE_FAILED UINT32_MAX

// A value: an output of a node, or a param of a block. It is defined once and
// never changes; passes replace its uses, not the value. Values are found by
// id in Graph.values and stay there when their node is removed.
typedef struct GraphValue {
    GraphNode *node;   // what computes it; NULL: a param of `block`
    GraphBlock *block; // where it is defined
    uint32_t index;    // which output, or which param
    TensorType type;   // dims in the graph's arena
    const char *name;  // a param's name, NULL: none
} GraphValue;

// One operation. Nodes of a block are linked in program order, which is the
// order of effects and of errors; among pure nodes only definitions before
// uses matter. A removed node keeps its memory and its values, and has no
// block. Nodes are made by the builder alone (graph.h, build.h), passes link
// and unlink them and may rewrite inputs and op.
struct GraphNode {
    OpCode op;
    uint32_t input_count;
    uint32_t output_count;
    ValueId first_output; // outputs are consecutive values
    ValueId *inputs;      // behind the node
    AttrValue *attrs;     // op_desc(op)->attr_count of them; NULL: none
    GraphBlock *blocks[OP_MAX_BLOCKS]; // the descriptor's block_count
    union { // by the descriptor's payload; borrowed: the graph holds the counts
        Tensor *tensor;
        Graph *callee;
        Object *host;      // may be NULL
        uint32_t variable; // the resource
    };
    uint32_t *variables; // callee: this graph's index for each of its own
    const char *name;    // NULL until graph_node_name gives one
    GraphPlace place;
    GraphNode *previous, *next; // in the block
    GraphBlock *block;          // NULL: removed
    uint32_t serial;            // index in Graph.nodes: order of creation
    uint32_t mark;              // scratch for passes, see their files
};

// A list of nodes with params and results: the whole graph, a branch, or the
// condition or body of a loop. Nodes in it may use values of the blocks around
// it directly, without passing them in; values defined in it are seen nowhere
// else.
struct GraphBlock {
    GraphBlock *parent; // whose values it may use; NULL: the outermost
    GraphNode *owner;   // whose block it is; NULL: the outermost
    GraphNode *first, *last;
    ValueId *params;
    ValueId *results;
    uint32_t param_count, result_count, param_capacity;
    bool diverges; // ends in raise: no results, nothing after it runs
    bool effects;  // some node in it has effects, or once had
};

static inline const OpDesc *node_desc(const GraphNode *node)
{
    return op_desc(node->op);
}
// The tensor of a constant; NULL: the node is none.
static inline Tensor *node_tensor(const GraphNode *node)
{
    return node_desc(node)->payload == PAYLOAD_TENSOR ? node->tensor : NULL;
}
// The value of output `index`, which must be below output_count.
static inline ValueId node_output(const GraphNode *node, uint32_t index)
{
    return node->first_output + index;
}
// Its first; a node that could not be made (NULL) has left an error pending.
static inline ValueId node_first(const GraphNode *node)
{
    return node != NULL ? node_output(node, 0) : VALUE_ID_NONE;
}

#define GRAPH_PLACE_NONE ((GraphPlace){NULL, {0, 0}, NULL, 0})

#endif
