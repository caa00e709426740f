// Gradients of what one way through a block does not use: eager code has none
// there, the graph has one of zeros, which an infinite slope on its way back
// makes NaN. See grad_graph.h. The walk goes from the results back: what comes
// of a value is seen before the value is.
#include "graph/passes/grad_back.h"
#include "graph/walk.h"

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
