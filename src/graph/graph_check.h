// The graph checker: finds what a wrong builder or pass left behind.
#ifndef DUET_GRAPH_GRAPH_CHECK_H
#define DUET_GRAPH_GRAPH_CHECK_H

#include "graph/graph.h"

// Every input is defined before its use in the same or an enclosing block;
// arities fit; types do not contradict what inference gives from the inputs;
// blocks take and yield what their owners promise; constants, Variables and
// callees are of the types that their nodes have; lists and parents agree;
// blocks know of their effects. ERR_SYSTEM names node and fault.
MUST_CHECK bool graph_check(Graph *graph);

// A hash of the effects in program order, through blocks and callees: which
// ops, with which attributes, on which Variables. A pass keeps it, or it has
// dropped an effect or changed the order of two. With `decided` blocks that a
// constant keeps from running leave nothing, and others no mark of the node.
MUST_CHECK bool graph_effect_trail(Graph *graph, bool decided, uint64_t *hash);

#endif
