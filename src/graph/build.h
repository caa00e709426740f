// What the builder's files share: raw nodes and values, and inference.
//
// A node is made in steps, so that nothing is half done when memory ends:
// build_node allocates it, the caller fills in what its op holds, build_finish
// gives it its outputs and links it. Passes use the same functions.
#ifndef DUET_GRAPH_BUILD_H
#define DUET_GRAPH_BUILD_H

#include "graph/graph.h"

// A node that is in no block yet: inputs and attributes copied, no outputs.
MUST_CHECK GraphNode *build_node(Graph *graph, OpCode op, const ValueId *inputs,
                                 uint32_t input_count, const AttrValue *attrs,
                                 GraphPlace place);
// Gives the node room for `count` outputs of the types, and puts it last.
MUST_CHECK bool build_finish(Graph *graph, GraphBlock *block, GraphNode *node,
                             const TensorType *types, uint32_t count);
// For results whose type is known better than at first. The shape is copied
// into the graph's arena.
MUST_CHECK bool build_set_type(Graph *graph, ValueId id, TensorType type);
// Puts a finished node before `before` (NULL: last), or takes it out.
void build_link(Graph *graph, GraphBlock *block, GraphNode *node,
                GraphNode *before);
// Takes a node out of its block; its memory stays in the arena.
void build_unlink(Graph *graph, GraphNode *node);
// Holds a count on the object until the graph goes.
MUST_CHECK bool build_hold(Graph *graph, void *object);

// Runs the shape rule of an ordinary op; results are in `call`.
MUST_CHECK bool graph_infer_node(Graph *graph, const GraphNode *node,
                                 InferCall *call);
// Raises: the op takes no lists. False.
bool graph_refuse_list(Ctx *ctx, const OpDesc *op);
// Whether graph_infer_node can: structural ops are typed by other means.
bool graph_infer_applies(const GraphNode *node);
// Types the nodes of a block again, whose operands' types may have become more
// general.
MUST_CHECK bool graph_infer_block(Graph *graph, GraphBlock *block);
// Types all nodes again, as exactly as their operands' types now are, which
// were more general when they were made. Of what a rule refuses by now nothing
// is known: it fails when it is run. False: failed.
MUST_CHECK bool graph_infer_exactly(Graph *graph);
// The same dtype, rank and sizes, with the same of them unknown.
bool graph_type_equal(TensorType a, TensorType b);
// Whether every tensor of type `b` is one of type `a`.
bool graph_type_covers(TensorType a, TensorType b);
// The type that covers both; `dims` is room for it. Dtypes must be equal.
TensorType graph_type_join(TensorType a, TensorType b, Shape *dims);

#endif
