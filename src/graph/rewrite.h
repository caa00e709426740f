// A walk that lets values stand for others: what several passes do.
//
// Nodes are visited in program order, sub-blocks after the visit of their
// owner. Before a node is visited its inputs are replaced by what stands for
// them, so that a visit sees the graph as rewritten up to there; results of
// blocks follow at the block's end.
#ifndef DUET_GRAPH_REWRITE_H
#define DUET_GRAPH_REWRITE_H

#include "graph/build.h"

typedef struct Rewrite Rewrite;

// The pass sets graph, visit and data, all else zero; the walk does the rest
// and frees what it has allocated.
struct Rewrite {
    Graph *graph;
    // Looks at a node, and may make others before it, change it or give it a
    // stand-in. Sets *again to the first node that it made, to have that
    // visited next; else NULL. False with an error pending ends the walk.
    bool (*visit)(Rewrite *rewrite, GraphNode *node, GraphNode **again);
    void *data;       // the pass's own
    ValueId *instead; // by value: what stands for it, itself at first
    size_t capacity;  // values that `instead` has room for
};

// Walks the whole graph.
MUST_CHECK bool rewrite_graph(Rewrite *rewrite);
// From here on `other` stands for `value`; it is defined before all users.
// Works for values made during the walk too.
MUST_CHECK bool rewrite_value(Rewrite *rewrite, ValueId value, ValueId other);

#endif
