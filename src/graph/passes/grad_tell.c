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
    Graph *graph;
    bool *live; // by value (back_live)
    ZeroFlow *flows;
    size_t count;
} ZeroFlows;

static void flows_free(ZeroFlows *all)
{
    Ctx *ctx = all->graph->ctx;
    if (all->flows != NULL) {
        ctx_free(ctx, all->flows, all->count * sizeof *all->flows);
    }
    if (all->live != NULL) {
        back_live_free(all->graph, all->live);
    }
}

// `given` as back_live's. False: the allocation failed, and nothing is owned.
static bool flows_init(ZeroFlows *all, Graph *graph, const bool *given)
{
    *all = (ZeroFlows){.graph = graph, .live = back_live(graph, given)};
    all->count = graph->values.count + graph->variables.count + 1;
    all->flows =
        all->live == NULL
            ? NULL
            : ctx_alloc_zero(graph->ctx, all->count * sizeof *all->flows);
    if (all->flows == NULL) {
        flows_free(all);
    }
    return all->flows != NULL;
}

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
    ZeroFlows all;
    if (!flows_init(&all, graph, NULL)) {
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
    flows_free(&all);
    return true;
}

// --- rows that become whole ---
//
// A block's gradient is one of all rows. In eager code the rows that are taken
// of what a block handed on are those of the argument itself.

// Whether the value is what an argument of a gradient holds: an input's, or
// what was read of a Variable.
static bool is_argument(const Graph *graph, ValueId value, size_t argument)
{
    const GraphNode *node = graph_value(graph, value)->node;
    size_t inputs = graph->inputs.count;
    return argument < inputs ? value == graph->inputs.items[argument].value
                             : node != NULL && node->op == OP_READ_VARIABLE &&
                                   node->variable == argument - inputs;
}

// Marks what a loop that begins, or the end of a block, hands on of what is
// marked. Whether some of it is new.
static bool hand_on(const Walk *walk, bool *same)
{
    const GraphNode *node =
        walk->node != NULL ? walk->node : walk->block->owner;
    bool loop = node != NULL && op_is_loop(node_desc(node)), fresh = false;
    uint32_t count;
    const ValueId *from = walk_uses(walk, &count);
    for (uint32_t i = 0; node != NULL && i < count && i < node->output_count;
         i++) {
        if (!same[from[i]] || (walk->node != NULL && !loop)) {
            continue;
        }
        ValueId to = node_output(node, i);
        fresh = fresh || !same[to];
        same[to] = true;
        if (loop) {
            same[node->blocks[SIDE_BODY]->params[i]] = true;
        }
    }
    return fresh;
}

// By value, whether it may be the argument itself.
static void mark_same(const Graph *graph, size_t argument, bool *same)
{
    for (ValueId id = 0; id < graph->values.count; id++) {
        same[id] = is_argument(graph, id, argument);
    }
    for (bool again = true; again;) {
        again = false;
        for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
            again |= hand_on(&walk, same);
        }
    }
}

// Whether operand i of the node is used whole by the node itself.
static bool is_whole(const Graph *graph, const GraphNode *node, uint32_t i)
{
    return i < back_operands(node) && !op_is_loop(node_desc(node)) &&
           (i > 0 || !back_takes_rows(graph, node));
}

// The whole uses of what a node, one of whose outputs is live, is computed of.
static void use_whole(ZeroFlows *all, const GraphNode *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (is_whole(all->graph, node, i)) {
            use_value(all, node->inputs[i], node->block);
        }
    }
    for (uint32_t b = 0; b < node_desc(node)->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        for (uint32_t i = 0; i < block->result_count; i++) {
            if (node->output_count > i &&
                all->flows[node_output(node, i)].always) {
                use_value(all, block->results[i], block);
            }
        }
    }
    if (node->op == OP_READ_VARIABLE &&
        all->flows[node_output(node, 0)].always) {
        use(all->graph, &all->flows[all->graph->values.count + node->variable],
            all->graph->block, node->block);
    }
}

// The same of what a loop begins with; the walk is at its body's beginning.
static void use_start(ZeroFlows *all, const GraphBlock *body)
{
    const GraphNode *loop = body->owner;
    bool surely = back_turns_surely(all->graph, loop);
    for (uint32_t i = 0; i < loop->output_count; i++) {
        if (all->flows[body->params[i]].always &&
            (surely || all->flows[node_output(loop, i)].always)) {
            use_value(all, loop->inputs[i], loop->block);
        }
    }
}

static void use_all_whole(ZeroFlows *all, const bool *given, const bool *rows)
{
    GraphBlock *top = all->graph->block;
    for (uint32_t i = 0; i < top->result_count; i++) {
        if (given[i] && !rows[i]) {
            use_value(all, top->results[i], top);
        }
    }
    for (Walk walk = walk_backward(top); walk_next(&walk);) {
        const GraphNode *owner = walk.block->owner;
        if (walk.node == NULL && owner != NULL &&
            walk.block == owner->blocks[SIDE_BODY] &&
            op_is_loop(node_desc(owner))) {
            use_start(all, walk.block);
        } else if (walk.node != NULL && back_is_live(all->live, walk.node)) {
            use_whole(all, walk.node);
        }
    }
}

// Whether a block around the node uses whole what that takes rows of.
static bool is_whole_around(const ZeroFlows *all, const GraphNode *node,
                            size_t argument)
{
    bool found = false;
    for (const GraphBlock *block = node->block; block->owner != NULL && !found;
         block = block->owner->block) {
        for (const GraphNode *other = block->first; other != NULL;
             other = other->next) {
            for (uint32_t i = 0; i < other->input_count; i++) {
                ValueId id = other->inputs[i];
                found = found || ((id == node->inputs[0] ||
                                   is_argument(all->graph, id, argument)) &&
                                  back_is_live(all->live, other) &&
                                  is_whole(all->graph, other, i));
            }
        }
    }
    return found;
}

// Whether somebody takes rows of what may be the argument.
static bool takes_some(const ZeroFlows *all, const bool *same,
                       const bool *given, const bool *rows, size_t argument)
{
    const Graph *graph = all->graph;
    bool found = false;
    for (uint32_t i = 0; i < graph->block->result_count; i++) {
        found =
            found || (given[i] && rows[i] && same[graph->block->results[i]]);
    }
    for (Walk walk = walk_forward(graph->block); !found && walk_next(&walk);) {
        found = walk.node != NULL && back_takes_rows(graph, walk.node) &&
                same[walk.node->inputs[0]] &&
                back_is_live(all->live, walk.node) &&
                !is_whole_around(all, walk.node, argument);
    }
    return found;
}

bool graph_loses_rows(Graph *graph, const bool *given, const bool *rows,
                      size_t argument)
{
    size_t inputs = graph->inputs.count, size = graph->values.count + 1;
    bool *same = ctx_alloc_zero(graph->ctx, size);
    ZeroFlows all;
    bool ok = same != NULL && flows_init(&all, graph, given), loses = true;
    if (ok) {
        use_all_whole(&all, given, rows);
        mark_same(graph, argument, same);
        size_t flow = argument < inputs
                          ? graph->inputs.items[argument].value
                          : graph->values.count + argument - inputs;
        loses = !all.flows[flow].always &&
                takes_some(&all, same, given, rows, argument);
        flows_free(&all);
    } else {
        ctx_clear(graph->ctx);
    }
    if (same != NULL) {
        ctx_free(graph->ctx, same, size);
    }
    return loses;
}
