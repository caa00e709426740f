// What the files of a graph's gradient share. See grad.h.
#ifndef DUET_GRAPH_PASSES_GRAD_BACK_H
#define DUET_GRAPH_PASSES_GRAD_BACK_H

#include "graph/clone.h"
#include "graph/passes/grad.h"

typedef VEC(ValueId) IdVec;

// One gradient under way.
typedef struct Back {
    Graph *graph;      // forward and, behind it, backward
    GraphBlock *block; // where nodes are appended
    size_t count;      // values of the forward part
    ValueId *grads;    // by value; VALUE_ID_NONE
    bool *needed;      // by value: something wanted flows into it
    GraphPlace place;  // of the node in hand
} Back;

// Whether gradients flow through the value's type.
bool back_flows(const Graph *graph, ValueId id);
// Whether a forward value takes part in the gradient.
bool back_takes_part(const Back *b, ValueId id);
// One node at the end of the block; its first output, VALUE_ID_NONE on
// failure.
ValueId back_append(Back *b, GraphBlock *block, OpCode op,
                    const ValueId *inputs, uint32_t count,
                    const AttrValue *attrs);
ValueId back_zeros(Back *b, GraphBlock *block, ValueId like);
// A call at the block's end. NULL: failed.
GraphNode *back_call(Back *b, GraphBlock *block, Graph *callee,
                     const IdVec *inputs);
// Adds to the gradient of a forward value; false also for VALUE_ID_NONE.
MUST_CHECK bool back_add(Back *b, ValueId value, ValueId grad);
MUST_CHECK bool back_push(Back *b, IdVec *to, const ValueId *ids, size_t count);
// A loop's way back (grad_loop.c).
MUST_CHECK bool back_loop(Back *b, const GraphNode *node);

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
// Variables of the copy are the original's, by number.
MUST_CHECK bool back_copy_variables(const Graph *from, Graph *to);

#endif
