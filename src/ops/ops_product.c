// Products written as other ops: outer, vecdot, tensordot, norm.
//
// Each brings its operands into the shape in which multiply, matmul or a
// reduction does the work, so that graphs and gradients know no more ops.
#include <math.h>

#include "ops/emit_op.h"
#include "ops/infer.h"

#define COMPOSED(text, names, least, most, how)                                \
    .name = (text), .params = (names), .min_inputs = (least),                  \
    .max_inputs = (most), .output_count = 1, .infer = infer_composed,          \
    .compose = (how)

// "outer: dtypes differ: …", from the op that the caller wrote.
static bool same_dtypes(const ComposeCall *call)
{
    DType a = emit_type(call->emit, call->inputs[0]).dtype;
    DType b = emit_type(call->emit, call->inputs[1]).dtype;
    return a == b || ctx_fail(call->emit->ctx, ERR_DTYPE,
                              "%s: dtypes differ: %s and %s; cast one of them",
                              call->op->name, dtype_name(a), dtype_name(b));
}

// The shapes as an error of this op; `text` has "%s" for each.
static EmitValue shapes_differ(const ComposeCall *call, const char *text)
{
    InferCall infer = {.ctx = call->emit->ctx, .op = call->op};
    infer_shape_error2(&infer, text, emit_type(call->emit, call->inputs[0]),
                       emit_type(call->emit, call->inputs[1]));
    return NULL;
}

// ---- outer

// A column times a row, which broadcast; -1 flattens what comes.
static EmitValue compose_outer(const ComposeCall *call)
{
    Emit *emit = call->emit;
    int64_t column[2] = {-1, 1}, row[2] = {1, -1};
    if (!same_dtypes(call)) {
        return NULL;
    }
    return emit_2(emit, OP_MULTIPLY,
                  emit_reshape(emit, call->inputs[0], 2, column),
                  emit_reshape(emit, call->inputs[1], 2, row));
}

// Composed: a graph holds reshapes and a product.
const OpDesc op_outer = {
    COMPOSED("outer", "x1, x2, /", 2, 2, compose_outer),
    .flags = OP_HALVES,
    .doc = "The products of every element of x1 with every one of x2, as a\n"
           "matrix; operands count as vectors.",
};

// ---- vecdot

// Multiply and sum, since the other axes broadcast, which a matmul's batch
// axes would do only after moving the axis last.
static EmitValue compose_vecdot(const ComposeCall *call)
{
    Emit *emit = call->emit;
    TensorType a = emit_type(emit, call->inputs[0]);
    TensorType b = emit_type(emit, call->inputs[1]);
    int64_t axis = attr_int(&call->attrs[0], -1);
    if (!same_dtypes(call)) {
        return NULL;
    }
    if (a.rank < 1 || b.rank < 1 || axis >= 0) {
        return ctx_fail_null(emit->ctx, ERR_OP_INDEX,
                             "vecdot: needs operands of rank 1 or more and "
                             "an axis counted from the end");
    }
    // Counted from the end, the axis is the same in both and in the product.
    int64_t from_a = a.rank + axis, from_b = b.rank + axis;
    if (from_a < 0 || from_b < 0) {
        return shapes_differ(call, "the axes' sizes differ: %s and %s");
    }
    // Broadcasting is for the other axes alone.
    EmitValue x = emit_same_size(emit, "vecdot", call->inputs[0], (int)from_a,
                                 call->inputs[1], (int)from_b);
    int rank = a.rank > b.rank ? a.rank : b.rank;
    return emit_reduce_of(emit, OP_SUM, OP_MULTIPLY, x, call->inputs[1],
                          (uint32_t)1 << (rank + axis), false);
}

// Below 0 always, since the operands may differ in rank.
static const AttrDesc vecdot_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "-1"},
};
const OpDesc op_vecdot = {
    COMPOSED("vecdot", "x1, x2, /", 2, 2, compose_vecdot),
    .doc = "The sum of the products of elements along an axis of both, which\n"
           "is counted from the end; the other axes broadcast.",
    .attrs = vecdot_attrs,
    .attr_count = 1,
};

// ---- tensordot

// The axes to sum over, resolved: attribute `number` names them.
static bool dot_axes(const ComposeCall *call, int number, int64_t *axes,
                     uint32_t *mask)
{
    TensorType type = emit_type(call->emit, call->inputs[number]);
    const AttrValue *attr = &call->attrs[number];
    *mask = 0;
    for (uint32_t i = 0; i < attr->count; i++) {
        int axis;
        if (!shape_axis(call->emit->ctx, call->op->name, attr->ints[i],
                        type.rank, &axis)) {
            return false;
        }
        axes[i] = axis;
        *mask |= (uint32_t)1 << axis;
    }
    return true;
}

// The sizes of the axes that stay, of both operands.
typedef struct DotShape {
    int rank;
    EmitSize sizes[SHAPE_MAX_RANK];
} DotShape;

// The operand as a matrix, summed axes last (or first), and the sizes of the
// axes that stay, added to `out`. As a vector, if all are summed of both.
static EmitValue dot_matrix(const ComposeCall *call, int number, EmitValue x,
                            const int64_t *summed, uint32_t mask, bool vector,
                            DotShape *out)
{
    Emit *emit = call->emit;
    int rank = emit_type(emit, x).rank;
    int64_t axes[SHAPE_MAX_RANK];
    EmitSize sizes[2] = {emit_number_size(1), emit_number_size(1)};
    int count = 0, summed_count = (int)call->attrs[number].count;
    // The right operand has them in front: (summed, rest).
    for (int i = 0; number == 1 && i < summed_count; i++) {
        axes[count++] = summed[i];
    }
    for (int i = 0; i < rank; i++) {
        bool stays = !(mask >> i & 1);
        EmitSize *group = &sizes[stays ? number : 1 - number];
        EmitSize size = emit_size(emit, x, i);
        *group = emit_times(emit, *group, size);
        if (!stays) {
            continue;
        }
        // An axis that stays is part of the result's shape.
        axes[count++] = i;
        if (out->rank == SHAPE_MAX_RANK) {
            return ctx_fail_null(emit->ctx, ERR_SHAPE,
                                 "tensordot: rank too high");
        }
        out->sizes[out->rank++] = size;
    }
    // The left operand has them behind: (rest, summed).
    for (int i = 0; number == 0 && i < summed_count; i++) {
        axes[count++] = summed[i];
    }
    x = emit_permute(emit, x, rank, axes);
    return vector ? emit_reshape_to(emit, x, 1, &sizes[1 - number])
                  : emit_reshape_to(emit, x, 2, sizes);
}

// Two matrices and one product; the matrix's two axes are then opened up to
// those that stay.
static EmitValue compose_tensordot(const ComposeCall *call)
{
    Emit *emit = call->emit;
    int64_t axes[2][SHAPE_MAX_RANK];
    uint32_t masks[2], count = call->attrs[0].count;
    TensorType types[2];
    for (int i = 0; i < 2; i++) {
        types[i] = emit_type(emit, call->inputs[i]);
        if (types[i].rank == RANK_UNKNOWN) {
            return ctx_fail_null(emit->ctx, ERR_SHAPE,
                                 "tensordot: needs operands of known rank, as "
                                 "spec([None, None], float32) says it");
        }
        if (!dot_axes(call, i, axes[i], &masks[i])) {
            return NULL;
        }
    }
    if (!same_dtypes(call)) {
        return NULL;
    }
    if (count != call->attrs[1].count) {
        return shapes_differ(call, "the summed axes of %s and %s differ");
    }
    EmitValue left = call->inputs[0], right = call->inputs[1];
    for (uint32_t i = 0; i < count; i++) {
        left = emit_same_size(emit, "tensordot", left, (int)axes[0][i], right,
                              (int)axes[1][i]);
    }
    if (left == NULL) {
        return NULL;
    }
    DotShape out = {.rank = 0};
    // In this order: the axes that stay are the left ones first.
    bool all = types[0].rank == (int)count && types[1].rank == (int)count;
    left = dot_matrix(call, 0, left, axes[0], masks[0], all, &out);
    right = dot_matrix(call, 1, right, axes[1], masks[1], all, &out);
    return emit_reshape_to(emit, emit_2(emit, OP_MATMUL, left, right), out.rank,
                           out.sizes);
}

// Two lists of axes: the prompt's `axes` number is resolved before.
static const AttrDesc tensordot_attrs[] = {
    {"axes1", ATTR_INTS, ATTR_HOST_ONLY, NULL},
    {"axes2", ATTR_INTS, ATTR_HOST_ONLY, NULL},
};
const OpDesc op_tensordot = {
    COMPOSED("tensordot", "x1, x2, /", 2, 2, compose_tensordot),
    .doc = "The sum of products over pairs of axes of x1 and x2; the axes\n"
           "that stay are x1's, then x2's.",
    // tensor_functions.c takes `axes` apart.
    .flags = OP_NO_FUNCTION | OP_HALVES,
    .attrs = tensordot_attrs,
    .attr_count = 2,
};

// ---- norm

// (sum |x|^p)^(1/p), with the largest and smallest size at the infinities.
static EmitValue norm_of(Emit *emit, EmitValue x, double order, uint32_t mask,
                         bool keep)
{
    // The common orders by themselves: they are cheaper than powers, and round
    // less.
    if (isinf(order)) {
        return emit_reduce_of(emit, order > 0 ? OP_MAX : OP_MIN, OP_ABS, x,
                              NULL, mask, keep);
    }
    if (order == 2) {
        return emit_1(
            emit, OP_SQRT,
            emit_reduce_of(emit, OP_SUM, OP_SQUARE, x, NULL, mask, keep), NULL);
    }
    if (order == 1) {
        return emit_reduce_of(emit, OP_SUM, OP_ABS, x, NULL, mask, keep);
    }
    if (order == 0) {
        DType dtype = emit_type(emit, x).dtype;
        EmitValue some = emit_with(emit, OP_NOT_EQUAL, x, 0);
        return emit_reduce(emit, OP_SUM, emit_cast(emit, some, dtype), mask,
                           keep);
    }
    EmitValue size = emit_1(emit, OP_ABS, x, NULL);
    EmitValue powers = emit_with(emit, OP_POW, size, order);
    return emit_with(emit, OP_POW,
                     emit_reduce(emit, OP_SUM, powers, mask, keep), 1 / order);
}

// Of vectors alone: with two axes the elements count as one long vector
// (Frobenius for order 2), never a matrix norm.
static EmitValue compose_norm(const ComposeCall *call)
{
    Emit *emit = call->emit;
    TensorType type = emit_type(emit, call->inputs[0]);
    const AttrValue *order = &call->attrs[0];
    uint32_t mask;
    InferCall check = {.ctx = emit->ctx, .op = call->op};
    if (!infer_needs_float(&check, type.dtype)) {
        return NULL;
    }
    if (!infer_knows_rank(emit->ctx, "norm", type.rank) ||
        !infer_axes(emit->ctx, "norm", &call->attrs[1], type.rank, &mask)) {
        return NULL;
    }
    return norm_of(emit, call->inputs[0], attr_given(order) ? order->number : 2,
                   mask, attr_bool(&call->attrs[2], false));
}

// `ord` is a host number: it decides which ops are emitted.
static const AttrDesc norm_attrs[] = {
    {"ord", ATTR_FLOAT, ATTR_HOST_ONLY, "2"},
    {"axis", ATTR_INTS, ATTR_HOST_ONLY, "None"},
    {"keepdims", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};
const OpDesc op_norm = {
    COMPOSED("norm", "x, /", 1, 1, compose_norm),
    .doc = "The vector norm of order `ord` over the axes, all by default;\n"
           "2 is the root of the sum of squares, inf the largest size.",
    .attrs = norm_attrs,
    .attr_count = 3,
};
