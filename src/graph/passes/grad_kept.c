// What of a graph is kept for its gradient: effects that give something, and,
// where there are any, reads of Variables and draws. See grad_once.c.
#include "graph/passes/grad_back.h"
#include "graph/walk.h"

bool back_gives_once(const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    return op->block_count == 0 && node->output_count > 0 &&
           op_has_effect(op) && !back_is_draw(op);
}

static bool block_acts_once(GraphBlock *block)
{
    bool found = false;
    for (Walk walk = walk_forward(block); !found && walk_next(&walk);) {
        const GraphNode *node = walk.node;
        found = node != NULL && (back_gives_once(node) ||
                                 (node_desc(node)->payload == PAYLOAD_CALLEE &&
                                  block_acts_once(node->callee->block)));
    }
    return found;
}

bool graph_acts_once(const Graph *graph)
{
    return block_acts_once(graph->block);
}

bool graph_node_acts_once(const GraphNode *node)
{
    bool found = false;
    for (int b = 0; b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        found = found || block_acts_once(node->blocks[b]);
    }
    return found;
}

bool back_is_kept(const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    return op->block_count == 0 && node->output_count > 0 &&
           (op_has_effect(op) || op->payload == PAYLOAD_RESOURCE);
}

bool back_stays_operand(const Graph *graph, const GraphNode *node, uint32_t i)
{
    return back_flows(graph, node->inputs[i]) &&
           back_flows(graph, node_output(node, 0));
}

void back_mark_used(const Graph *graph, GraphBlock *block, bool *used)
{
    for (Walk walk = walk_forward(block); walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        bool left_out = walk.node != NULL && back_is_kept(walk.node);
        for (uint32_t i = 0; i < count; i++) {
            used[uses[i]] = used[uses[i]] || !left_out ||
                            back_stays_operand(graph, walk.node, i);
        }
    }
}

bool back_is_counted(const GraphNode *node)
{
    bool counted = false;
    if (op_is_loop(node_desc(node))) {
        for (Walk walk = walk_forward(node->blocks[SIDE_COND]);
             !counted && walk_next(&walk);) {
            counted = walk.node != NULL && back_is_kept(walk.node);
        }
    }
    return counted;
}

uint32_t back_own_lists(const bool *used, const GraphNode *node)
{
    uint32_t count = node->blocks[0] != NULL && back_is_counted(node);
    for (uint32_t i = 0; back_is_kept(node) && i < node->output_count; i++) {
        count += used[node_output(node, i)];
    }
    return count;
}
