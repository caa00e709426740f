// Dead code: takes out what neither outputs nor effects need.
//
// An op that only might fail goes too: graphs are non-strict.
#include "graph/passes/pass.h"

#include "graph/build.h"
#include "graph/needed.h"

// Unlinked nodes stay in the arena, with their values.
static bool sweep(Graph *graph, GraphBlock *block)
{
    if (!ctx_enter(graph->ctx)) {
        return false;
    }
    bool ok = true;
    for (GraphNode *node = block->first, *next; ok && node != NULL;
         node = next) {
        next = node->next;
        if (!node->mark) {
            build_unlink(graph, node);
            continue;
        }
        for (int b = 0; ok && b < NODE_MAX_BLOCKS; b++) {
            ok = node->blocks[b] == NULL || sweep(graph, node->blocks[b]);
        }
    }
    ctx_leave(graph->ctx);
    return ok;
}

// Marks, then sweeps.
bool dce_run(Graph *graph)
{
    return graph_mark_needed(graph) && sweep(graph, graph->block);
}
