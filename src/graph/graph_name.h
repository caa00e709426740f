// Names in the printed form of graphs.
#ifndef DUET_GRAPH_GRAPH_NAME_H
#define DUET_GRAPH_GRAPH_NAME_H

#include "graph/graph.h"

// How many of the bytes at `text` are one bare name, which needs no quotes:
// words and the paths of the program, as cfg['w'][0] is one.
size_t graph_name_bare(const char *text, size_t length);
// What the program assigns the node's value to, borrowed from its source: `y`
// of `y = x * 2`. NULL: to nothing, or nobody knows.
const char *graph_name_assigned(const GraphNode *node, size_t *length);

#endif
