// Which nodes must run. One walk from the last node to the first: a value's
// uses all stand after its node, so each node is decided when it is met.
#include "graph/needed.h"

// What a needed block yields is needed.
static void need_results(const GraphBlock *block, bool *need)
{
    for (uint32_t i = 0; i < block->result_count; i++) {
        need[block->results[i]] = true;
    }
}

// An effect is needed for itself, all else for its outputs.
static bool node_needed(const GraphNode *node, const bool *need)
{
    bool needed = graph_has_effects(node);
    for (uint32_t i = 0; !needed && i < node->output_count; i++) {
        needed = need[node_output(node, i)];
    }
    return needed;
}

// Blocks of unneeded nodes keep their old marks: nobody walks into them.
static bool mark_block(Graph *graph, GraphBlock *block, bool *need)
{
    if (!ctx_enter(graph->ctx)) {
        return false;
    }
    bool ok = true;
    need_results(block, need);
    for (GraphNode *node = block->last; ok && node != NULL;
         node = node->previous) {
        node->mark = node_needed(node, need);
        if (!node->mark) {
            continue;
        }
        for (uint32_t i = 0; i < node->input_count; i++) {
            need[node->inputs[i]] = true;
        }
        // Backwards too, though blocks of a node do not use one another's
        // values.
        for (int b = NODE_MAX_BLOCKS - 1; ok && b >= 0; b--) {
            ok = node->blocks[b] == NULL ||
                 mark_block(graph, node->blocks[b], need);
        }
    }
    ctx_leave(graph->ctx);
    return ok;
}

// One byte for each value, one walk.
bool graph_mark_needed(Graph *graph)
{
    size_t size = graph->values.count * sizeof(bool) + 1;
    bool *need = ctx_alloc_zero(graph->ctx, size);
    if (need == NULL) {
        return false;
    }
    bool ok = mark_block(graph, graph->block, need);
    ctx_free(graph->ctx, need, size);
    return ok;
}
