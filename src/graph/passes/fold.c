// Constant folding: a pure op of small constants becomes a constant, and so
// does what a condition gives where both sides, or the one that a constant has
// chosen, give that constant.
//
// The op's own kernel computes it, so the bits are those of a run. An op that
// fails is left where it is: if it is needed, it fails when the graph runs.
#include "graph/passes/pass.h"

#include "graph/rewrite.h"
#include "graph/safe.h"

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

// The shape of an input whose sizes are known. Of other values what makes them
// may fail.
static bool fold_shape(Graph *graph, GraphNode *node)
{
    TensorType type = graph_type(graph, node->inputs[0]);
    TensorType sizes = graph_type(graph, node->first_output);
    const GraphValue *value = graph_value(graph, node->inputs[0]);
    if (value->node != NULL || value->block != graph->block ||
        !shape_is_static(type.rank, type.dims)) {
        return true;
    }
    Tensor *tensor =
        tensor_new(graph->ctx, sizes.dtype, 1, (int64_t[]){type.rank});
    for (int i = 0; tensor != NULL && i < type.rank; i++) {
        tensor_set_int(tensor, i, type.dims[i]);
    }
    bool ok = tensor != NULL && become_const(graph, node, tensor);
    object_release_null(graph->ctx, tensor);
    return ok;
}

// Operands that were folded just now are constants already.
static bool fold_node(Graph *graph, GraphNode *node)
{
    if (node->op == OP_SHAPE_OF) {
        return fold_shape(graph, node);
    }
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

// The constant that output `i` of a condition is; VALUE_ID_NONE: none is known.
// Behind a side that diverges nothing is reached.
static ValueId joined(const Graph *graph, const GraphNode *node, uint32_t i)
{
    const GraphBlock *only = graph_only_block(graph, node);
    ValueId given = VALUE_ID_NONE;
    for (int b = 0; b < node_desc(node)->block_count; b++) {
        const GraphBlock *side = node->blocks[b];
        if (side->diverges || (only != NULL && only != side)) {
            continue;
        }
        ValueId result = side->results[i];
        // Ops behind the node were made for the output's type.
        if (graph_constant(graph, result) == NULL ||
            !graph_type_equal(graph_type(graph, result),
                              graph_type(graph, node_output(node, i))) ||
            (given != VALUE_ID_NONE &&
             !graph_same_value(graph, given, result))) {
            return VALUE_ID_NONE;
        }
        given = result;
    }
    return given;
}

// The constant as a node before the condition: the sides' own are not seen
// behind it.
static bool bring_out(Rewrite *rewrite, GraphNode *node, uint32_t i)
{
    Graph *graph = rewrite->graph;
    const GraphNode *inside = graph_value(graph, joined(graph, node, i))->node;
    GraphNode *constant =
        graph_append_const(graph, node->block, inside->tensor, inside->place);
    if (constant == NULL) {
        return false;
    }
    build_unlink(graph, constant);
    build_link(graph, node->block, constant, node);
    return rewrite_value(rewrite, node_output(node, i), constant->first_output);
}

// Who reads an output keeps the node, and the errors in it.
static bool fold_sides(Rewrite *rewrite, const Safe *safe, GraphNode *node)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ok = !safe_output(safe, node, i) ||
             joined(rewrite->graph, node, i) == VALUE_ID_NONE ||
             bring_out(rewrite, node, i);
    }
    return ok;
}

// In program order, so that chains fold in one walk.
bool fold_run(Graph *graph)
{
    Rewrite rewrite = {.graph = graph};
    Safe safe = {.graph = graph};
    bool ok = !graph->has_blocks || safe_init(&safe, graph);
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        rewrite_uses(&rewrite, &walk);
        GraphNode *owner = walk_leaves(&walk);
        if (walk.node != NULL) {
            ok = fold_node(graph, walk.node);
        } else if (owner != NULL && !op_is_loop(node_desc(owner))) {
            ok = fold_sides(&rewrite, &safe, owner);
        }
    }
    safe_free(&safe);
    rewrite_free(&rewrite);
    return ok;
}
