// Constant folding: a pure op of small constants becomes a constant.
//
// The op's own kernel computes it, so the bits are those of a run. An op that
// fails is left where it is: if it is needed, it fails when the graph runs.
#include "graph/passes/pass.h"

#include "graph/build.h"
#include "graph/walk.h"

// Of operands and of the result: enough for sizes, axes and small tables.
enum { FOLD_MAX_ELEMENTS = 1024 };

// Small operands and a small result of known shape; a large constant would
// only make the graph fat.
static bool foldable(const Graph *graph, const GraphNode *node)
{
    // A draw of random numbers is an effect here: each run must draw anew.
    if (!graph_infer_applies(node) || graph_has_effects(node) ||
        node_desc(node)->run != NULL || node->output_count != 1) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const Tensor *tensor = graph_constant(graph, node->inputs[i]);
        if (tensor == NULL || tensor->count > FOLD_MAX_ELEMENTS) {
            return false;
        }
    }
    TensorType type = graph_type(graph, node->first_output);
    // The product is bounded at each step, so that it cannot overflow.
    int64_t count = 1;
    for (int i = 0; i < type.rank && count <= FOLD_MAX_ELEMENTS; i++) {
        if (type.dims[i] < 0) {
            return false;
        }
        count *= type.dims[i] < FOLD_MAX_ELEMENTS + 1 ? type.dims[i]
                                                      : FOLD_MAX_ELEMENTS + 1;
    }
    return type.rank != RANK_UNKNOWN && count <= FOLD_MAX_ELEMENTS;
}

// The node becomes the constant, so that its users need no change.
static bool become_const(Graph *graph, GraphNode *node, Tensor *tensor)
{
    if (!build_hold(graph, tensor)) {
        return false;
    }
    node->op = OP_CONST;
    node->tensor = tensor;
    node->input_count = 0;
    // A constant has neither operands nor attributes; its place stays that of
    // the op.
    node->attrs = NULL;
    return build_set_type(graph, node->first_output, tensor_type(tensor));
}

// Only memory and interrupts end the pass; any other error is the node's own
// and comes when it runs.
static bool run_now(Graph *graph, GraphNode *node, Tensor **inputs)
{
    Ctx *ctx = graph->ctx;
    Tensor *outputs[OP_MAX_OUTPUTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = graph_constant(graph, node->inputs[i]);
    }
    if (!op_run(ctx, node->op, inputs, node->input_count, node->attrs, outputs,
                &count)) {
        if (ctx->error.kind == ERR_MEMORY || ctx->error.kind == ERR_INTERRUPT) {
            return false;
        }
        ctx_clear(ctx);
        return true;
    }
    bool ok = become_const(graph, node, outputs[0]);
    object_release(ctx, outputs[0]);
    return ok;
}

// Operands that were folded just now are constants already.
static bool fold_node(Graph *graph, GraphNode *node)
{
    if (!foldable(graph, node)) {
        return true;
    }
    size_t size = (node->input_count + 1) * sizeof(Tensor *);
    Tensor **inputs = ctx_alloc(graph->ctx, size);
    if (inputs == NULL) {
        return false;
    }
    bool ok = run_now(graph, node, inputs);
    ctx_free(graph->ctx, inputs, size);
    return ok;
}

// In program order, so that chains fold in one walk.
bool fold_run(Graph *graph)
{
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        ok = walk.node == NULL || fold_node(graph, walk.node);
    }
    return ok;
}
