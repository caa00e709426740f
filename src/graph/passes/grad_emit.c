// How gradient rules append nodes, and gradients of some rows alone, which wait
// until something wants them whole.
#include "graph/build.h"
#include "graph/passes/grad_back.h"
#include "graph/walk.h"
#include "ops/grad.h"
#include "ops/infer.h"

EmitValue back_as_emit(ValueId id)
{
    return id == VALUE_ID_NONE ? NULL : (EmitValue)((uintptr_t)id + 1);
}

ValueId back_from_emit(EmitValue value)
{
    return value == NULL ? VALUE_ID_NONE : (ValueId)((uintptr_t)value - 1);
}

// One node at the end; its first output, VALUE_ID_NONE on failure.
ValueId back_append(Back *b, GraphBlock *block, OpCode op,
                    const ValueId *inputs, uint32_t count,
                    const AttrValue *attrs)
{
    return node_first(
        graph_append(b->graph, block, op, inputs, count, attrs, b->place));
}

static EmitValue graph_op(Emit *emit, OpCode op, const EmitValue *inputs,
                          uint32_t count, const AttrValue *attrs)
{
    Back *b = ((GraphEmit *)emit)->back;
    size_t size = (count + 1) * sizeof(ValueId);
    ValueId *ids = ctx_alloc(emit->ctx, size);
    if (ids == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = back_from_emit(inputs[i]);
    }
    ValueId made = back_append(b, b->block, op, ids, count, attrs);
    ctx_free(emit->ctx, ids, size);
    return back_as_emit(made);
}

static TensorType graph_emit_type(Emit *emit, EmitValue value)
{
    return graph_type(((GraphEmit *)emit)->back->graph, back_from_emit(value));
}

static EmitValue graph_constant_of(Emit *emit, Tensor *tensor)
{
    Back *b = ((GraphEmit *)emit)->back;
    if (tensor == NULL) {
        return NULL;
    }
    GraphNode *node = graph_append_const(b->graph, b->block, tensor, b->place);
    object_release(emit->ctx, tensor);
    return node != NULL ? back_as_emit(node_output(node, 0)) : NULL;
}

GraphEmit back_emit(Back *b)
{
    return (GraphEmit){
        {b->graph->ctx, graph_op, graph_emit_type, graph_constant_of}, b};
}

// The gradient of some rows becomes one of all.
bool back_fill_rows(Back *b, ValueId value)
{
    if (b->rows[value] == VALUE_ID_NONE) {
        return true;
    }
    GraphEmit emit = back_emit(b);
    EmitValue none = back_as_emit(back_zeros(b, b->block, value));
    EmitValue sum =
        grad_add_rows(&emit.emit, none, back_as_emit(b->rows[value]),
                      back_as_emit(b->row_grads[value]));
    b->grads[value] = back_from_emit(sum);
    b->rows[value] = b->row_grads[value] = VALUE_ID_NONE;
    b->waiting--;
    return sum != NULL;
}

bool back_fill_all(Back *b)
{
    bool ok = true;
    for (ValueId i = 0; ok && b->waiting > 0 && i < b->count; i++) {
        ok = back_fill_rows(b, i);
    }
    return ok;
}

// Rows stand behind rows, or are added to what there is, as on a tape.
bool back_add_rows(Back *b, ValueId value, EmitValue rows, EmitValue grads)
{
    static const AttrValue first = {.kind = ATTR_INT, .integer = 0};
    GraphEmit emit = back_emit(b);
    Emit *e = &emit.emit;
    if (b->grads[value] != VALUE_ID_NONE) {
        b->grads[value] = back_from_emit(
            grad_add_rows(e, back_as_emit(b->grads[value]), rows, grads));
        return b->grads[value] != VALUE_ID_NONE;
    }
    if (b->rows[value] == VALUE_ID_NONE) {
        b->waiting++;
    } else {
        EmitValue numbers[2] = {back_as_emit(b->rows[value]), rows};
        EmitValue values[2] = {back_as_emit(b->row_grads[value]), grads};
        if (emit_type(e, numbers[0]).dtype != emit_type(e, rows).dtype) {
            numbers[0] = emit_cast(e, numbers[0], DT_INT64);
            numbers[1] = emit_cast(e, rows, DT_INT64);
        }
        rows = numbers[0] == NULL || numbers[1] == NULL
                   ? NULL
                   : e->op(e, OP_CONCAT, numbers, 2, &first);
        grads = rows == NULL ? NULL : e->op(e, OP_CONCAT, values, 2, &first);
    }
    b->rows[value] = back_from_emit(rows);
    b->row_grads[value] = back_from_emit(grads);
    return grads != NULL;
}

bool back_takes_rows(const Graph *graph, const GraphNode *node)
{
    if (node->op != OP_GATHER_ND && node->op != OP_TAKE) {
        return false;
    }
    if (node->op == OP_GATHER_ND) {
        TensorType places = graph_type(graph, node->inputs[1]);
        return places.rank == 2 && places.dims[1] == 1;
    }
    int rank = graph_type(graph, node->inputs[0]).rank;
    int64_t axis = node->op == OP_TAKE ? attr_int(&node->attrs[0], 0) : 1;
    return axis == 0 || axis == -rank;
}

// Whether a gradient comes by what the node makes.
static bool gives_back(const Graph *graph, const GraphNode *node)
{
    bool gives = false;
    for (uint32_t i = 0; !gives && i < node->output_count; i++) {
        gives = back_flows(graph, node_output(node, i));
    }
    return gives;
}

bool back_rows_alone(const Graph *graph, GraphBlock *block, ValueId value)
{
    bool rows = false;
    for (Walk walk = walk_forward(block); walk_next(&walk);) {
        const GraphNode *node = walk.node;
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        for (uint32_t i = 0; i < count; i++) {
            if (uses[i] != value ||
                (node != NULL && !gives_back(graph, node))) {
                continue;
            }
            if (node == NULL || i > 0 || !back_takes_rows(graph, node)) {
                return false;
            }
            rows = true;
        }
    }
    return rows;
}
