// Dead code: takes out what neither outputs nor effects need.
//
// An op that only might fail goes too: graphs are non-strict.
#include "graph/passes/pass.h"

#include "graph/build.h"
#include "graph/needed.h"
#include "graph/walk.h"

// Unlinked nodes stay in the arena, with their values.
bool dce_run(Graph *graph)
{
    if (!graph_mark_needed(graph)) {
        return false;
    }
    for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
        if (walk.node != NULL && !walk.node->mark) {
            build_unlink(graph, walk.node);
        }
    }
    return true;
}
