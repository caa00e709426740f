// Gradients of graphs: reverse mode as a transformation.
//
// The graph that is made computes what it needs of the forward one anew; in one
// trace the passes merge both. It has no captures, Variables or effects of the
// original: all that came from outside is an input, so that gradients can be
// taken of it in turn.
#ifndef DUET_GRAPH_PASSES_GRAD_H
#define DUET_GRAPH_PASSES_GRAD_H

#include "graph/graph.h"

// The gradients of a graph's outputs, as a graph. Its inputs are those of
// `graph` in order, captures too; then the first value of each of its
// Variables; then the gradient of each output that is `given`. Its outputs are
// the gradients of those inputs and Variables that are `wanted`, as far as
// anything flows: made[i] says so. NULL with an error pending: an op without a
// rule (ERR_LOOKUP), something that cannot be done twice (ERR_VALUE).
MUST_CHECK Graph *graph_gradient(Graph *graph, const bool *given,
                                 const bool *wanted, bool *made);
// A node with its blocks as a graph of its own, whose inputs are the node's and
// then the values that its blocks use from outside, which are told in `outside`
// (room for the node's graph's values). Its outputs are the node's.
MUST_CHECK Graph *graph_lift_node(Graph *graph, GraphNode *node,
                                  ValueId *outside, uint32_t *outside_count);

#endif
