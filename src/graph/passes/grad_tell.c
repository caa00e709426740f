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

// Whether a Variable is read in a loop and elsewhere. By the rest of its
// number, which may take two Variables for one where there are many.
static bool reads_apart(const Graph *graph)
{
    const GraphBlock *reads[64] = {NULL};
    bool found = false;
    for (Walk walk = walk_forward(graph->block); !found && walk_next(&walk);) {
        const GraphNode *node = walk.node;
        if (node == NULL || node->op != OP_READ_VARIABLE ||
            !back_flows(graph, node_output(node, 0))) {
            continue;
        }
        const GraphBlock **first = &reads[node->variable % 64];
        found = *first != NULL && *first != walk.block &&
                (in_loop(*first) || in_loop(walk.block));
        *first = *first == NULL ? walk.block : *first;
    }
    return found;
}

bool graph_sums_apart(const Graph *graph)
{
    bool found = reads_apart(graph);
    for (Walk walk = walk_forward(graph->block); !found && walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        found = walk.node != NULL && gives_list(graph, walk.node);
        for (uint32_t i = 0; i < count && !found; i++) {
            found = enters_twice(graph, &walk, uses[i]) ||
                    hands_on(graph, &walk, uses[i]);
        }
    }
    return found;
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
    bool live;   // some result is computed of it
    bool always; // whichever way is taken
    bool within; // from blocks below its own
} ZeroFlow;

static const Tensor *number(const Graph *graph, ValueId id)
{
    const Tensor *known = graph_constant(graph, id);
    return known != NULL && known->count == 1 ? known : NULL;
}

// A loop that counts from a known number to a known one has a turn.
static bool turns_surely(const Graph *graph, const GraphNode *loop)
{
    const GraphBlock *asks = loop->blocks[SIDE_COND];
    const GraphNode *less = graph_value(graph, asks->results[0])->node;
    if (less == NULL || less->op != OP_LESS) {
        return false;
    }
    const Tensor *from = NULL, *to = number(graph, less->inputs[1]);
    for (uint32_t i = 0; i < asks->param_count; i++) {
        if (asks->params[i] == less->inputs[0]) {
            from = number(graph, loop->inputs[i]);
        }
    }
    return from != NULL && to != NULL &&
           tensor_float_at(from, 0) < tensor_float_at(to, 0);
}

// How many of the node's blocks have to use a value, so that one of those that
// do is run to its end; 0: there need not be a turn.
static uint32_t ways(const Graph *graph, const GraphNode *node)
{
    if (op_is_loop(node_desc(node))) {
        return turns_surely(graph, node);
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

static void use_values(const Graph *graph, ZeroFlow *flows, const ValueId *ids,
                       uint32_t count, const GraphBlock *where)
{
    for (uint32_t i = 0; i < count; i++) {
        if (back_flows(graph, ids[i])) {
            flows[ids[i]].live = true;
            use(graph, &flows[ids[i]], graph_value(graph, ids[i])->block,
                where);
        }
    }
}

// What the node, one of whose outputs is live, is computed of. `variables` are
// the flows of the graph's Variables.
static void use_node(const Graph *graph, ZeroFlow *flows, ZeroFlow *variables,
                     const GraphNode *node)
{
    use_values(graph, flows, node->inputs, node->input_count, node->block);
    for (uint32_t i = 0; i < node_desc(node)->block_count; i++) {
        const GraphBlock *block = node->blocks[i];
        use_values(graph, flows, block->results, block->result_count, block);
    }
    if (node->op == OP_READ_VARIABLE) {
        use(graph, &variables[node->variable], graph->block, node->block);
    }
}

static bool is_live(const ZeroFlow *flows, const GraphNode *node)
{
    bool live = false;
    for (uint32_t i = 0; !live && i < node->output_count; i++) {
        live = flows[node_output(node, i)].live;
    }
    return live;
}

bool graph_zero_gradients(Graph *graph, bool *found)
{
    size_t values = graph->values.count;
    size_t count = values + graph->variables.count;
    size_t size = (count + 1) * sizeof(ZeroFlow);
    ZeroFlow *flows = ctx_alloc_zero(graph->ctx, size);
    *found = false;
    if (flows == NULL) {
        return false;
    }
    const GraphBlock *all = graph->block;
    use_values(graph, flows, all->results, all->result_count, all);
    for (Walk walk = walk_backward(graph->block); walk_next(&walk);) {
        if (walk.node != NULL && is_live(flows, walk.node)) {
            use_node(graph, flows, flows + values, walk.node);
        }
    }
    for (size_t i = 0; i < count && !*found; i++) {
        *found = flows[i].within && !flows[i].always;
    }
    ctx_free(graph->ctx, flows, size);
    return true;
}
