// The graph checker. Walks blocks in order with a set of the values that are
// defined so far in the block and those around it.
#include "graph/graph_check.h"

#include "graph/build.h"

typedef struct Checker {
    Graph *graph;
    bool *defined; // by value
} Checker;

static bool bad(Checker *checker, GraphNode *node, const char *fault)
{
    const char *name = graph_node_name(checker->graph, node);
    return ctx_fail(checker->graph->ctx, ERR_SYSTEM, "graph: node %s: %s",
                    name != NULL ? name : "?", fault);
}

static void set_defined(Checker *checker, const GraphBlock *block, bool on)
{
    for (uint32_t i = 0; i < block->param_count; i++) {
        checker->defined[block->params[i]] = on;
    }
    for (GraphNode *node = block->first; !on && node != NULL;
         node = node->next) {
        for (uint32_t i = 0; i < node->output_count; i++) {
            checker->defined[node_output(node, i)] = false;
        }
    }
}

static bool check_types(Checker *checker, GraphNode *node)
{
    InferCall call;
    if (!infer_applies(node)) {
        return true;
    }
    if (!infer_node(checker->graph, node, &call)) {
        return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        DType dtype;
        Shape shape;
        op_output_type(&call, i, &dtype, &shape);
        TensorType inferred = {dtype, shape.rank, shape.dims};
        TensorType have = graph_type(checker->graph, node_output(node, i));
        if (!type_covers(have, inferred) && !type_covers(inferred, have)) {
            return bad(checker, node, "its type is not what it computes");
        }
    }
    return true;
}

static bool check_block(Checker *checker, GraphBlock *block);

static bool check_flow(Checker *checker, GraphNode *node)
{
    if (node->op != OP_IF && node->op != OP_WHILE) {
        return true;
    }
    for (int b = 0; b < NODE_MAX_BLOCKS; b++) {
        GraphBlock *block = node->blocks[b];
        if (block == NULL || block->owner != node ||
            block->parent != node->block) {
            return bad(checker, node, "a block is not its own");
        }
        uint32_t yields = node->op == OP_WHILE && b == BLOCK_COND
                              ? 1
                              : node->output_count;
        if (!block->diverges && block->result_count != yields) {
            return bad(checker, node, "a block yields another number");
        }
        if (!check_block(checker, block)) {
            return false;
        }
    }
    return true;
}

static bool check_node(Checker *checker, GraphNode *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!checker->defined[node->inputs[i]]) {
            return bad(checker, node, "an input is not defined before it");
        }
    }
    if (!check_flow(checker, node) || !check_types(checker, node)) {
        return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        const GraphValue *value =
            graph_value(checker->graph, node_output(node, i));
        if (value->node != node || value->block != node->block) {
            return bad(checker, node, "an output is not its own");
        }
        checker->defined[node_output(node, i)] = true;
    }
    return true;
}

static bool check_block(Checker *checker, GraphBlock *block)
{
    if (!ctx_enter(checker->graph->ctx)) {
        return false;
    }
    bool ok = true;
    set_defined(checker, block, true);
    GraphNode *previous = NULL;
    for (GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        ok = node->block == block && node->previous == previous
                 ? check_node(checker, node)
                 : bad(checker, node, "it is not linked to its block");
        previous = node;
    }
    for (uint32_t i = 0; ok && i < block->result_count; i++) {
        ok = checker->defined[block->results[i]] ||
             ctx_fail(checker->graph->ctx, ERR_SYSTEM,
                      "graph: a block yields what is not defined in it");
    }
    set_defined(checker, block, false);
    ctx_leave(checker->graph->ctx);
    return ok;
}

bool graph_check(Graph *graph)
{
    size_t size = graph->values.count + 1;
    bool *defined = ctx_alloc_zero(graph->ctx, size);
    if (defined == NULL) {
        return false;
    }
    Checker checker = {graph, defined};
    bool ok = check_block(&checker, graph->block);
    ctx_free(graph->ctx, defined, size);
    return ok;
}
