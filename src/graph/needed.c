// Which nodes must run. One walk from the last node to the first: a value's
// uses all stand after its node, so each node is decided when it is met. What
// is in the blocks of an unneeded node is unneeded too: nobody asks for what
// they yield, and an effect in them would make their owner one.
#include "graph/needed.h"

#include "graph/walk.h"

static void need_all(const ValueId *values, uint32_t count, bool *need)
{
    for (uint32_t i = 0; i < count; i++) {
        need[values[i]] = true;
    }
}

// An effect is needed for itself, all else for its outputs, which most are.
static bool node_needed(const GraphNode *node, const bool *need)
{
    bool needed = false;
    for (uint32_t i = 0; !needed && i < node->output_count; i++) {
        needed = need[node_output(node, i)];
    }
    return needed || graph_has_effects(node);
}

// Marks the node; what a needed one reads, and what its blocks yield, is
// needed.
static void mark_node(GraphNode *node, bool *need)
{
    node->mark = node_needed(node, need);
    if (!node->mark) {
        return;
    }
    need_all(node->inputs, node->input_count, need);
    for (int b = 0; b < OP_MAX_BLOCKS; b++) {
        const GraphBlock *block = node->blocks[b];
        if (block != NULL) {
            need_all(block->results, block->result_count, need);
        }
    }
}

// One byte for each value, one walk.
bool *graph_needed_values(Graph *graph)
{
    bool *need = ctx_alloc_zero(graph->ctx, graph->values.count + 1);
    if (need == NULL) {
        return NULL;
    }
    need_all(graph->block->results, graph->block->result_count, need);
    for (Walk walk = walk_backward(graph->block); walk_next(&walk);) {
        if (walk.node != NULL) {
            mark_node(walk.node, need);
        }
    }
    return need;
}

bool graph_mark_needed(Graph *graph)
{
    bool *need = graph_needed_values(graph);
    ctx_free(graph->ctx, need, graph->values.count + 1);
    return need != NULL;
}
