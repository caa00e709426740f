// Letting values stand for others during a walk: what several passes do.
//
//     for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
//         rewrite_uses(&rewrite, &walk);
//         ok = walk.node == NULL || … rewrite_value(&rewrite, …) …;
//     }
//
// What a pass sees of a node in hand is thus the graph as rewritten up to
// there.
#ifndef DUET_GRAPH_REWRITE_H
#define DUET_GRAPH_REWRITE_H

#include "graph/build.h"
#include "graph/walk.h"

// Only `graph` is set by the pass, which calls rewrite_free at the end.
typedef struct Rewrite {
    Graph *graph;
    ValueId *instead; // by value: what stands for it, itself at first
    size_t capacity;  // values that `instead` has room for
} Rewrite;

// From here on `other` stands for `value`; it is defined before all users.
// Works for values made during the walk too.
MUST_CHECK bool rewrite_value(Rewrite *rewrite, ValueId value, ValueId other);
// What stands for the value so far.
ValueId rewrite_now(const Rewrite *rewrite, ValueId value);
// Puts what stands for them in place of what the walk uses here.
void rewrite_uses(const Rewrite *rewrite, const Walk *walk);
void rewrite_free(Rewrite *rewrite);

#endif
