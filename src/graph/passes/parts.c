// Parts: ops along rows that are made of others (OpDesc.parts) become these,
// which a plan runs together while a row is in the cache (backend/nest.c).
//
// The parts give the kernel's bits, and their shapes are known. Along other
// axes than the last ones the parts are what the kernel runs. So is the sum of
// what stack puts beside each other: sums of these, which nobody stacks.
#include "graph/passes/pass.h"

#include <string.h>

#include "graph/rewrite.h"
#include "ops/emit_op.h"
#include "ops/infer.h"
#include "ops/reduce.h"

enum {
    PARTS_LEAST = 64, // elements of a row
    STACKED_MOST = 32
};

// The Emit that puts nodes before one.
typedef struct PartsEmit {
    Emit emit;
    Graph *graph;
    GraphNode *before;
} PartsEmit;

static EmitValue as_emit(ValueId id)
{
    return (EmitValue)((uintptr_t)id + 1);
}

static ValueId from_emit(EmitValue value)
{
    return (ValueId)((uintptr_t)value - 1);
}

// What was appended at the end of the block goes before the node.
static EmitValue placed(PartsEmit *parts, GraphNode *node)
{
    if (node == NULL) {
        return NULL;
    }
    build_unlink(parts->graph, node);
    build_link(parts->graph, parts->before->block, node, parts->before);
    return as_emit(node->first_output);
}

static EmitValue parts_op(Emit *emit, OpCode op, const EmitValue *inputs,
                          uint32_t count, const AttrValue *attrs)
{
    PartsEmit *parts = (PartsEmit *)emit;
    ValueId ids[3];
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = from_emit(inputs[i]);
    }
    return placed(parts, graph_append(parts->graph, parts->before->block, op,
                                      ids, count, attrs, parts->before->place));
}

static TensorType parts_type(Emit *emit, EmitValue value)
{
    return graph_type(((PartsEmit *)emit)->graph, from_emit(value));
}

static EmitValue parts_constant(Emit *emit, Tensor *tensor)
{
    PartsEmit *parts = (PartsEmit *)emit;
    if (tensor == NULL) {
        return NULL;
    }
    GraphNode *node = graph_append_const(parts->graph, parts->before->block,
                                         tensor, parts->before->place);
    object_release(emit->ctx, tensor);
    return placed(parts, node);
}

// Whether the node goes along several rows, each long enough, or along other
// axes.
static bool has_rows(const Graph *graph, const GraphNode *node,
                     const AttrValue *attrs)
{
    ReduceEnd end;
    TensorType in = graph_type(graph, node->inputs[0]);
    TensorType out = graph_type(graph, node->first_output);
    if (in.rank < 1 || !shape_is_static(in.rank, in.dims) ||
        !shape_is_static(out.rank, out.dims) || dtype_is_half(in.dtype)) {
        return false;
    }
    for (int i = 0; i < in.rank; i++) {
        if (in.dims[i] == 0) {
            return false;
        }
    }
    return reduce_end(graph->ctx, op_desc(OP_MAX), attrs, in, &end)
               ? end.rows > 1 && end.columns >= PARTS_LEAST
               : true;
}

// The attributes, of which the first is the axis. By default it is the last of
// what keeps its shape, and others reduce all.
static void find_attrs(const Graph *graph, const GraphNode *node,
                       AttrValue *attrs)
{
    memcpy(attrs, node->attrs, node_desc(node)->attr_count * sizeof *attrs);
    if (!attr_given(&attrs[0]) &&
        graph_type_equal(graph_type(graph, node->inputs[0]),
                         graph_type(graph, node->first_output))) {
        attrs[0] = (AttrValue){.kind = ATTR_INT, .integer = -1};
    }
}

// Whether the node adds up what `stack` puts along its axis, and others lie
// behind that: columns, which are added in their order from 0 on, as
// kernels/reduce_body.h has it.
static bool adds_stacked(const Graph *graph, const GraphNode *node,
                         const GraphNode *stack)
{
    uint32_t mask;
    int axis;
    int64_t behind = 1;
    if (node->op != OP_SUM || stack == NULL || stack->op != OP_STACK ||
        stack->input_count > STACKED_MOST) {
        return false;
    }
    TensorType in = graph_type(graph, node->inputs[0]);
    TensorType out = graph_type(graph, node->first_output);
    bool plain = in.dtype == out.dtype && !dtype_is_half(in.dtype) &&
                 in.rank > 1 && shape_is_static(in.rank, in.dims) &&
                 shape_is_static(out.rank, out.dims);
    if (!plain ||
        !infer_axes(graph->ctx, "sum", &node->attrs[0], in.rank, &mask) ||
        !infer_axis(graph->ctx, "stack", &stack->attrs[0], in.rank, 0, &axis)) {
        return false;
    }
    for (int i = axis + 1; i < in.rank; i++) {
        behind *= in.dims[i];
    }
    return mask == 1u << axis && behind > 1;
}

static bool add_stacked(Rewrite *rewrite, GraphNode *node,
                        const GraphNode *stack)
{
    Graph *graph = rewrite->graph;
    TensorType out = graph_type(graph, node->first_output);
    PartsEmit parts = {
        {graph->ctx, parts_op, parts_type, parts_constant}, graph, node};
    EmitValue made = emit_number(&parts.emit, out.dtype, 0);
    for (uint32_t i = 0; made != NULL && i < stack->input_count; i++) {
        made = emit_2(&parts.emit, OP_ADD, made, as_emit(stack->inputs[i]));
    }
    // An axis that is kept.
    if (made != NULL && parts_type(&parts.emit, made).rank != out.rank) {
        made = emit_reshape(&parts.emit, made, out.rank, out.dims);
    }
    return made != NULL &&
           rewrite_value(rewrite, node->first_output, from_emit(made));
}

static bool take_apart(Rewrite *rewrite, GraphNode *node)
{
    Graph *graph = rewrite->graph;
    const OpDesc *op = node_desc(node);
    AttrValue attrs[OP_MAX_ATTRS];
    const GraphNode *inner = node->input_count == 1
                                 ? graph_value(graph, node->inputs[0])->node
                                 : NULL;
    if (adds_stacked(graph, node, inner)) {
        return add_stacked(rewrite, node, inner);
    }
    if (op->parts == NULL) {
        return true;
    }
    find_attrs(graph, node, attrs);
    if (!has_rows(graph, node, attrs)) {
        return true;
    }
    PartsEmit parts = {
        {graph->ctx, parts_op, parts_type, parts_constant}, graph, node};
    EmitValue x = as_emit(node->inputs[0]);
    ComposeCall call = {&parts.emit, op, attrs, &x, 1};
    EmitValue made = op->parts(&call);
    TensorType out = graph_type(graph, node->first_output);
    // They leave the axis as 1.
    if (made != NULL && parts_type(&parts.emit, made).rank != out.rank) {
        made = emit_reshape(&parts.emit, made, out.rank, out.dims);
    }
    return made != NULL &&
           rewrite_value(rewrite, node->first_output, from_emit(made));
}

bool parts_run(Graph *graph)
{
    Rewrite rewrite = {.graph = graph};
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        rewrite_uses(&rewrite, &walk);
        ok = walk.node == NULL || take_apart(&rewrite, walk.node);
    }
    rewrite_free(&rewrite);
    return ok;
}
