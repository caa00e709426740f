// Which values are surely computed without an error: a pass may let what only
// they need be dropped. By values and sizes, and all that they come from; that
// a loop ends is taken as given.
#ifndef DUET_GRAPH_SAFE_H
#define DUET_GRAPH_SAFE_H

#include "graph/graph.h"

typedef struct Safe {
    Graph *graph;
    bool *values; // by value
    size_t count; // as many as there were
} Safe;

// Of the graph as it is; uses the nodes' marks. What rewriting makes of it is
// as safe. False: no memory; safe_free is right then too.
MUST_CHECK bool safe_init(Safe *safe, Graph *graph);
void safe_free(Safe *safe);
// Values made since are known if they are constants.
bool safe_value(const Safe *safe, ValueId value);
// Whether output `i` of a node with blocks can lose its users: the node stays
// for its effects, or nothing in it can fail.
bool safe_output(const Safe *safe, const GraphNode *node, uint32_t i);

#endif
