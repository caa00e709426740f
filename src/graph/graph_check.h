// The graph checker: finds what a wrong builder or pass left behind.
#ifndef DUET_GRAPH_GRAPH_CHECK_H
#define DUET_GRAPH_GRAPH_CHECK_H

#include "graph/graph.h"

// Every input is defined before its use in the same or an enclosing block;
// arities fit; types are what inference gives from the inputs, or more
// general; blocks yield what their owners promise; lists and parents agree;
// effects stand in order of creation. ERR_SYSTEM names node and fault.
MUST_CHECK bool graph_check(Graph *graph);

#endif
