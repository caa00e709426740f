// Values that blocks only hand on: loop state that no turn changes, and what
// both sides of a condition give alike. The value of outside stands for it, in
// the blocks and behind them, so that later passes see what it is.
//
// Who reads an output keeps the node, and the errors in it: outputs of what may
// fail keep their readers. Inner blocks come first: what settles in them may
// settle those around them.
// Uses stand before the end of the block that settles them, hence a second
// walk.
#include "graph/passes/pass.h"

#include "graph/rewrite.h"
#include "graph/safe.h"

typedef struct Settle {
    Rewrite rewrite;
    Safe safe;
} Settle;

// Ops that read `old` were made for its type: one that is better known might be
// none that they take.
static bool same_type(const Graph *graph, ValueId old, ValueId value)
{
    return graph_type_equal(graph_type(graph, old), graph_type(graph, value));
}

// State `i` leaves each turn as it came.
static bool stays(const Graph *graph, const GraphNode *loop,
                  const GraphBlock *body, uint32_t i)
{
    ValueId before = loop->inputs[i], after = body->results[i];
    return (after == body->params[i] ||
            graph_same_value(graph, before, after)) &&
           same_type(graph, body->params[i], before) &&
           same_type(graph, node_output(loop, i), before);
}

static bool settle_loop(Settle *settle, const GraphNode *loop)
{
    Rewrite *rewrite = &settle->rewrite;
    const GraphBlock *body = loop->blocks[SIDE_BODY];
    bool ok = true;
    for (uint32_t i = 0; ok && i < body->result_count; i++) {
        if (!stays(rewrite->graph, loop, body, i)) {
            continue;
        }
        ValueId before = loop->inputs[i];
        ok = !safe_output(&settle->safe, loop, i) ||
             rewrite_value(rewrite, node_output(loop, i), before);
        for (int b = 0; ok && b < node_desc(loop)->block_count; b++) {
            ok = rewrite_value(rewrite, loop->blocks[b]->params[i], before);
        }
    }
    return ok;
}

// What both sides give as one value was there before them.
static bool settle_sides(Settle *settle, const GraphNode *node)
{
    const GraphBlock *side = node->blocks[SIDE_THEN];
    const GraphBlock *other = node->blocks[SIDE_OTHERWISE];
    bool ok = true;
    // A side that diverges gives nothing.
    for (uint32_t i = 0;
         ok && i < side->result_count && i < other->result_count; i++) {
        ValueId output = node_output(node, i), value = side->results[i];
        if (value == other->results[i] &&
            same_type(settle->rewrite.graph, output, value) &&
            safe_output(&settle->safe, node, i)) {
            ok = rewrite_value(&settle->rewrite, output, value);
        }
    }
    return ok;
}

// At the end of a node's last block.
static bool settle_node(Settle *settle, const GraphNode *node)
{
    return op_is_loop(node_desc(node)) ? settle_loop(settle, node)
                                       : settle_sides(settle, node);
}

static bool settle_all(Settle *settle)
{
    Graph *graph = settle->rewrite.graph;
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        rewrite_uses(&settle->rewrite, &walk);
        const GraphNode *owner = walk_leaves(&walk);
        ok = owner == NULL || settle_node(settle, owner);
    }
    for (Walk walk = walk_forward(graph->block);
         ok && settle->rewrite.instead != NULL && walk_next(&walk);) {
        rewrite_uses(&settle->rewrite, &walk);
    }
    return ok;
}

bool settle_run(Graph *graph)
{
    if (!graph->has_blocks) {
        return true;
    }
    Settle settle = {.rewrite = {.graph = graph}};
    bool ok = safe_init(&settle.safe, graph) && settle_all(&settle);
    safe_free(&settle.safe);
    rewrite_free(&settle.rewrite);
    return ok;
}
