// Which values are surely computed without an error.
#include "graph/safe.h"

#include "graph/walk.h"

// A node with blocks is as safe as all that is in them and all that they give,
// which may stand outside.
static void note(Safe *safe, GraphNode *node)
{
    GraphNode *owner = node->block->owner;
    for (int b = 0; b < node_desc(node)->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        for (uint32_t i = 0; i < block->result_count; i++) {
            node->mark = node->mark && safe->values[block->results[i]];
        }
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        safe->values[node_output(node, i)] = node->mark;
    }
    if (owner != NULL && !node->mark) {
        owner->mark = false;
    }
}

static void visit(Safe *safe, GraphNode *node)
{
    bool blocks = node->blocks[0] != NULL;
    node->mark = blocks || graph_stays_total(safe->graph, node);
    for (uint32_t i = 0; i < node->input_count; i++) {
        node->mark = node->mark && safe->values[node->inputs[i]];
    }
    for (int b = 0; blocks && b < node_desc(node)->block_count; b++) {
        // State is as safe as what enters, and as the turns.
        for (uint32_t i = 0; i < node->blocks[b]->param_count; i++) {
            safe->values[node->blocks[b]->params[i]] = true;
        }
        node->mark = node->mark && !node->blocks[b]->diverges;
    }
    if (!blocks) {
        note(safe, node);
    }
}

bool safe_init(Safe *safe, Graph *graph)
{
    size_t count = graph->values.count;
    *safe = (Safe){graph, ctx_alloc_zero(graph->ctx, count + 1), count};
    if (safe->values == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->block->param_count; i++) {
        safe->values[graph->block->params[i]] = true;
    }
    for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
        GraphNode *owner = walk_leaves(&walk);
        if (walk.node != NULL) {
            visit(safe, walk.node);
        } else if (owner != NULL) {
            note(safe, owner);
        }
    }
    return true;
}

void safe_free(Safe *safe)
{
    ctx_free(safe->graph->ctx, safe->values, safe->count + 1);
}

bool safe_value(const Safe *safe, ValueId value)
{
    return value < safe->count ? safe->values[value]
                               : graph_constant(safe->graph, value) != NULL;
}

bool safe_output(const Safe *safe, const GraphNode *node, uint32_t i)
{
    return graph_has_effects(node) || safe_value(safe, node_output(node, i));
}
