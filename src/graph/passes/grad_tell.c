// In what gradients of a graph differ from eager ones, for events. See
// grad_graph.h.
#include "graph/passes/grad_back.h"
#include "graph/walk.h"

// --- sums in another order ---

static bool gives_list(const Graph *graph, const GraphNode *node)
{
    bool found = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        ValueId id = node_output(node, i);
        found = found || (dtype_is_list(graph_type(graph, id).dtype) &&
                          back_flows(graph, id));
    }
    return found;
}

// How often the loop begins with the value.
static uint32_t count_entries(const GraphNode *loop, ValueId id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < loop->input_count; i++) {
        count += loop->inputs[i] == id;
    }
    return count;
}

// Whether a loop around the use of the value begins with it, or the node is a
// loop that begins with it twice.
static bool enters_twice(const Graph *graph, const Walk *walk, ValueId id)
{
    const GraphNode *loop = walk->node;
    uint32_t count = loop != NULL && op_is_loop(node_desc(loop))
                         ? count_entries(loop, id)
                         : 1;
    for (loop = walk->block->owner; loop != NULL; loop = loop->block->owner) {
        count += op_is_loop(node_desc(loop)) ? count_entries(loop, id) : 0;
    }
    return count > 1 && back_flows(graph, id);
}

// Whether a result of a block is what it was given: eager code has one tensor
// there, in whose gradient all its uses meet, where the graph has two.
static bool hands_on(const Graph *graph, const Walk *walk, ValueId id)
{
    const GraphValue *value = graph_value(graph, id);
    return walk->node == NULL &&
           (value->node == NULL || value->block != walk->block) &&
           back_flows(graph, id);
}

static bool in_loop(const GraphBlock *block)
{
    bool found = false;
    for (; block->owner != NULL && !found; block = block->owner->block) {
        found = op_is_loop(node_desc(block->owner));
    }
    return found;
}

// Whether a Variable is read in a loop and elsewhere. `reads` is room for where
// each was read first.
static bool reads_apart(const Graph *graph, const GraphBlock **reads)
{
    bool found = false;
    for (Walk walk = walk_forward(graph->block); !found && walk_next(&walk);) {
        const GraphNode *node = walk.node;
        if (node == NULL || node->op != OP_READ_VARIABLE ||
            !back_flows(graph, node_output(node, 0))) {
            continue;
        }
        const GraphBlock **first = &reads[node->variable];
        found = *first != NULL && *first != walk.block &&
                (in_loop(*first) || in_loop(walk.block));
        *first = *first == NULL ? walk.block : *first;
    }
    return found;
}

bool graph_sums_apart(const Graph *graph, bool *found)
{
    size_t size = (graph->variables.count + 1) * sizeof(GraphBlock *);
    const GraphBlock **reads = ctx_alloc_zero(graph->ctx, size);
    if (reads == NULL) {
        return false;
    }
    *found = reads_apart(graph, reads);
    ctx_free(graph->ctx, reads, size);
    for (Walk walk = walk_forward(graph->block); !*found && walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        *found = walk.node != NULL && gives_list(graph, walk.node);
        for (uint32_t i = 0; i < count && !*found; i++) {
            *found = enters_twice(graph, &walk, uses[i]) ||
                     hands_on(graph, &walk, uses[i]);
        }
    }
    return true;
}

// --- what a block does not use ---
//
// Eager code has no gradient there, the graph has one of zeros, which an
// infinite slope on its way back makes NaN. The walk goes from the results
// back: what comes of a value is seen before the value is.

// How a value, or a Variable, gets a gradient. `side` is the last block right
// below its own that used it, `sides` how many of that node's have.
typedef struct ZeroFlow {
    const GraphBlock *side;
    uint32_t sides;
    bool always; // whichever way is taken
    bool within; // from blocks below its own
} ZeroFlow;

// The walk over all flows: the values' are first, then the Variables'.
typedef struct ZeroFlows {
    const Graph *graph;
    const bool *live; // by value (back_live)
    ZeroFlow *flows;
    size_t count;
} ZeroFlows;

// How many of the node's blocks have to use a value, so that one of those that
// do is run to its end; 0: there need not be a turn.
static uint32_t ways(const Graph *graph, const GraphNode *node)
{
    if (op_is_loop(node_desc(node))) {
        return back_turns_surely(graph, node);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < node_desc(node)->block_count; i++) {
        count += !node->blocks[i]->diverges;
    }
    return count;
}

static void use(const Graph *graph, ZeroFlow *flow, const GraphBlock *own,
                const GraphBlock *where)
{
    if (where == own) {
        flow->always = true;
        return;
    }
    flow->within = true;
    // Farther below, it may be left out on the way there.
    if (where->owner->block != own || flow->side == where) {
        return;
    }
    bool same = flow->side != NULL && flow->side->owner == where->owner;
    flow->sides = same ? flow->sides + 1 : 1;
    flow->side = where;
    flow->always = flow->always || flow->sides == ways(graph, where->owner);
}

// Where the value that a loop begins with is used: by its first turn alone if
// that cannot be missed, or else both by a turn and as the result of none.
static const GraphBlock *starts_in(const ZeroFlows *all, const GraphNode *loop,
                                   uint32_t i)
{
    const GraphBlock *body = loop->blocks[SIDE_BODY];
    bool in_turn = all->live[body->params[i]];
    bool surely = back_turns_surely(all->graph, loop);
    return in_turn && (surely || all->live[node_output(loop, i)]) ? loop->block
                                                                  : body;
}

static void use_value(ZeroFlows *all, ValueId id, const GraphBlock *where)
{
    if (back_flows(all->graph, id) && graph_constant(all->graph, id) == NULL) {
        use(all->graph, &all->flows[id], graph_value(all->graph, id)->block,
            where);
    }
}

// What the node, one of whose outputs is live, is computed of.
static void use_node(ZeroFlows *all, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    for (uint32_t b = 0; b < op->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        for (uint32_t i = 0; i < block->result_count; i++) {
            ValueId id = block->results[i];
            if (!all->live[id] || !back_ends(all->live, block, i)) {
                continue;
            }
            if (op_is_loop(op) && !all->live[block->params[i]] &&
                graph_value(all->graph, id)->block == block) {
                // All turns but the last leave it to nobody.
                all->flows[id].within = true;
            } else {
                use_value(all, id, block);
            }
        }
    }
    for (uint32_t i = 0; i < back_operands(node); i++) {
        if (!op_is_loop(op)) {
            use_value(all, node->inputs[i], node->block);
        } else if (back_starts(all->graph, all->live, node, i)) {
            use_value(all, node->inputs[i], starts_in(all, node, i));
        }
    }
    if (node->op == OP_READ_VARIABLE) {
        use(all->graph, &all->flows[all->graph->values.count + node->variable],
            all->graph->block, node->block);
    }
}

bool graph_zero_gradients(Graph *graph, bool *found)
{
    Ctx *ctx = graph->ctx;
    bool *live = back_live(graph, NULL);
    if (live == NULL) {
        return false;
    }
    ZeroFlows all = {.graph = graph, .live = live};
    all.count = graph->values.count + graph->variables.count + 1;
    size_t size = all.count * sizeof *all.flows;
    all.flows = ctx_alloc_zero(ctx, size);
    if (all.flows == NULL) {
        back_live_free(graph, live);
        return false;
    }
    const GraphBlock *top = graph->block;
    for (uint32_t i = 0; i < top->result_count; i++) {
        use_value(&all, top->results[i], top);
    }
    for (Walk walk = walk_backward(graph->block); walk_next(&walk);) {
        if (walk.node != NULL && back_is_live(all.live, walk.node)) {
            use_node(&all, walk.node);
        }
    }
    *found = false;
    for (size_t i = 0; i < all.count && !*found; i++) {
        *found = all.flows[i].within && !all.flows[i].always;
    }
    ctx_free(ctx, all.flows, size);
    back_live_free(graph, live);
    return true;
}
