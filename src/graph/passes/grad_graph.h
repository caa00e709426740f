// Gradients of graphs: reverse mode as a transformation.
//
// The graph that is made computes what it needs of the forward one anew; in one
// trace the passes merge both. It has no captures, Variables or effects of the
// original, but for draws of random numbers, which it draws again: all that
// came from outside is an input, so that gradients can be taken of it in turn.
#ifndef DUET_GRAPH_PASSES_GRAD_GRAPH_H
#define DUET_GRAPH_PASSES_GRAD_GRAPH_H

#include "graph/graph.h"

// The gradients of a graph's outputs, as a graph. Its inputs are those of
// `graph` in order, captures too; then the first value of each of its
// Variables; then, if it draws random numbers, the state of their generator
// before it ran (OP_RNG_STATE); then, for each argument that has `begun`, the
// gradient that it has so far, and for each output that is `given`, its own.
// Its outputs are the gradients of those arguments that are `wanted`, as far as
// anything flows: made[i] says so; what had begun is added to, so that sums go
// in one order whether the graph's ops are met one by one or as a whole. A read
// of a Variable is the Variable's, whatever was assigned before: an assignment
// ends the way of a gradient, as it does in a program that is not staged. NULL
// with an error pending: an op without a rule (ERR_LOOKUP), something that
// cannot be done twice (ERR_VALUE).
// With `rows`, a gradient may be of some rows alone (grad_give_rows): rows[i]
// then says so, and the row numbers are an output behind it. NULL: none is.
MUST_CHECK Graph *graph_gradient(Graph *graph, const bool *given,
                                 const bool *wanted, const bool *begun,
                                 bool *made, bool *rows);
// The graph as one of values alone: inputs as the gradient's but without any
// gradients, and the outputs. NULL with an error pending, as there.
MUST_CHECK Graph *graph_of_values(Graph *graph);
// Whether an argument's gradient, which is a whole one here, may be one of rows
// in eager code: some use takes rows of it, or of what blocks hand on of it, or
// it is handed on as a result whose gradient was one of rows (`rows`, by result
// that is `given`), and none that runs whenever that does takes it whole. Also
// where memory for the answer fails.
bool graph_loses_rows(Graph *graph, const bool *given, const bool *rows,
                      size_t argument);
// Whether gradients of one value are summed apart which eager code sums in one
// order: those of a list's element and of the tensor that was put there; those
// of what a loop begins with and of the same value in its turns, or of what is
// read of a Variable there and elsewhere; those of what a block hands on as it
// was given, and of the same value elsewhere. False: the allocation failed.
MUST_CHECK bool graph_sums_apart(const Graph *graph, bool *found);
// Whether a value has gradients from blocks alone that need not use it: zeros,
// where eager code has no gradient, and NaN where a slope is infinite on their
// way back. False: the allocation failed.
MUST_CHECK bool graph_zero_gradients(Graph *graph, bool *found);
// Effects that give values (what host code returned, a dataset's element)
// cannot be done again: what they gave is kept when the graph runs. Whether a
// graph, or the blocks of a node, have any, callees included; calls must be
// inlined before the functions below.
bool graph_acts_once(const Graph *graph);
bool graph_node_acts_once(const GraphNode *node);
// Makes a node with blocks give what is kept on lists: *node is then another
// one, behind which the lists stand; their ids are pushed.
MUST_CHECK bool graph_keep_node(Graph *graph, GraphNode **node, IdVec *lists);
// Makes the whole graph give them, as further results.
MUST_CHECK bool graph_keep(Graph *graph);
// Makes of the same graph (the node's: of graph_lift_node's) one that takes
// those lists, of these types, as further inputs, and has no effect that gives
// anything: the one of which gradients are taken.
MUST_CHECK bool graph_read_kept(Graph *graph, const TensorType *types,
                                size_t count);
// How many arguments the gradient of the graph knows: all its inputs but the
// gradients.
size_t graph_gradient_arguments(const Graph *graph);
// Whether it draws random numbers, blocks and callees included.
bool graph_draws(const Graph *graph);
// A node with its blocks as a graph of its own, whose inputs are the node's and
// then the values that its blocks use from outside, which are told in `outside`
// (room for the node's graph's values). Its outputs are the node's.
MUST_CHECK Graph *graph_lift_node(Graph *graph, GraphNode *node,
                                  ValueId *outside, uint32_t *outside_count);

#endif
