// To which values gradients flow back. See grad_back.h.
#include "graph/passes/grad_back.h"
#include "graph/walk.h"
#include "ops/grad.h"

// A number that is known wherever the loop is lifted to.
static const Tensor *number(const Graph *graph, const GraphNode *loop,
                            ValueId id)
{
    const Tensor *known = graph_constant(graph, id);
    const GraphBlock *block = graph_value(graph, id)->block;
    bool here = block == loop->block || block == loop->blocks[SIDE_COND];
    return here && known != NULL && known->count == 1 ? known : NULL;
}

bool back_turns_surely(const Graph *graph, const GraphNode *loop)
{
    const GraphBlock *asks = loop->blocks[SIDE_COND];
    const GraphNode *less = graph_value(graph, asks->results[0])->node;
    if (less == NULL || less->op != OP_LESS) {
        return false;
    }
    const Tensor *from = NULL, *to = number(graph, loop, less->inputs[1]);
    for (uint32_t i = 0; i < asks->param_count; i++) {
        if (asks->params[i] == less->inputs[0]) {
            from = number(graph, loop, loop->inputs[i]);
        }
    }
    return from != NULL && to != NULL &&
           tensor_float_at(from, 0) < tensor_float_at(to, 0);
}

bool back_starts(const Graph *graph, const bool *live, const GraphNode *loop,
                 uint32_t i)
{
    return live[loop->blocks[SIDE_BODY]->params[i]] ||
           (live[node_output(loop, i)] && !back_turns_surely(graph, loop));
}

bool back_ends(const bool *live, const GraphBlock *block, uint32_t i)
{
    const GraphNode *node = block->owner;
    return live[node_output(node, i)] ||
           (op_is_loop(node_desc(node)) && live[block->params[i]]);
}

uint32_t back_operands(const GraphNode *node)
{
    return node_desc(node)->gradient == grad_none ? 0 : node->input_count;
}

bool back_is_live(const bool *live, const GraphNode *node)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < node->output_count; i++) {
        found = live[node_output(node, i)];
    }
    return found;
}

// Whether the value was not marked before.
static bool mark(const Graph *graph, bool *live, ValueId id)
{
    bool fresh = !live[id] && back_flows(graph, id);
    live[id] = live[id] || fresh;
    return fresh;
}

// Marks what the outputs, some of which are marked, are made of.
static bool mark_operands(const Graph *graph, bool *live, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    bool fresh = false;
    for (uint32_t b = 0; b < op->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        for (uint32_t i = 0; i < block->result_count; i++) {
            fresh |= back_ends(live, block, i) &&
                     mark(graph, live, block->results[i]);
        }
    }
    for (uint32_t i = 0; i < back_operands(node); i++) {
        fresh |= (!op_is_loop(op) || back_starts(graph, live, node, i)) &&
                 mark(graph, live, node->inputs[i]);
    }
    return fresh;
}

bool back_live_more(Graph *graph, bool *live, const bool *given)
{
    const GraphBlock *top = graph->block;
    bool fresh = false;
    for (uint32_t i = 0; i < top->result_count; i++) {
        fresh |=
            (given == NULL || given[i]) && mark(graph, live, top->results[i]);
    }
    // A state that one turn uses is live in the turns before it.
    for (bool again = fresh; again;) {
        again = false;
        for (Walk walk = walk_backward(graph->block); walk_next(&walk);) {
            again |= walk.node != NULL && back_is_live(live, walk.node) &&
                     mark_operands(graph, live, walk.node);
        }
    }
    return fresh;
}

bool *back_live(Graph *graph, const bool *given)
{
    bool *live = ctx_alloc_zero(graph->ctx, graph->values.count + 1);
    if (live != NULL) {
        (void)back_live_more(graph, live, given);
    }
    return live;
}

void back_live_free(Graph *graph, bool *live)
{
    ctx_free(graph->ctx, live, graph->values.count + 1);
}
