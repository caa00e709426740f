// Putting tensors together: concat, stack; and apart: split, unstack.
#include <inttypes.h>

#include "ops/infer.h"
#include "ops/move.h"

// Sizes before and after an axis.
static void sizes_around(const Tensor *t, int axis, int64_t *outer,
                         int64_t *inner)
{
    *outer = *inner = 1;
    for (int i = 0; i < t->rank; i++) {
        *outer *= i < axis ? tensor_dims(t)[i] : 1;
        *inner *= i > axis ? tensor_dims(t)[i] : 1;
    }
}

// ---- concat

// Adds the shape of `type` to what is known of the result's.
static bool join_shape(InferCall *call, Shape *out, TensorType type, int axis)
{
    if (type.rank == RANK_UNKNOWN) {
        out->dims[axis] = DIM_UNKNOWN;
        return true;
    }
    bool fits = type.rank == out->rank;
    for (int i = 0; fits && i < type.rank; i++) {
        int64_t a = out->dims[i], b = type.dims[i];
        if (i == axis) {
            bool open = a == DIM_UNKNOWN || b == DIM_UNKNOWN;
            out->dims[i] = open ? DIM_UNKNOWN : a + b;
        } else {
            fits = a == b || a == DIM_UNKNOWN || b == DIM_UNKNOWN;
            out->dims[i] = a == DIM_UNKNOWN ? b : a;
        }
    }
    return fits || infer_shape_error2(
                       call, "shapes differ beside the axis: %s and %s",
                       call->inputs[0], type);
}

static bool infer_concat(InferCall *call)
{
    Shape *out = &call->out_shapes[0];
    int axis;
    if (!infer_equal_dtypes(call, 0) || !infer_same(call) ||
        !infer_needs_rank(call, 0, 1)) {
        return false;
    }
    if (out->rank == RANK_UNKNOWN) {
        return true;
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], out->rank, 0,
                    &axis)) {
        return false;
    }
    for (uint32_t i = 1; i < call->input_count; i++) {
        if (!join_shape(call, out, call->inputs[i], axis)) {
            return false;
        }
    }
    return true;
}

// Interleaves the inputs' runs of `axis` and what lies behind it.
static bool join(const KernelCall *call, int axis)
{
    Tensor *out = call->outputs[0];
    int64_t at = 0, outer = 1;
    for (int i = 0; i < axis; i++) {
        outer *= tensor_dims(out)[i];
    }
    for (int64_t i = 0; i < outer && out->count > 0; i++) {
        for (uint32_t k = 0; k < call->input_count; k++) {
            int64_t run = call->inputs[k]->count / outer;
            tensor_copy(call->ctx, out, at, call->inputs[k], i * run, run);
            at += run;
        }
    }
    return ctx_poll(call->ctx);
}

static bool kernel_concat(const KernelCall *call)
{
    int axis;
    return infer_axis(call->ctx, call->op->name, &call->attrs[0],
                      call->outputs[0]->rank, 0, &axis) &&
           join(call, axis);
}

static const AttrDesc join_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
};
const OpDesc op_concat = {
    .name = "concat",
    .params = "arrays, /",
    .doc = "The tensors of a list one behind the other along an axis.\n"
           "Their dtypes and all other sizes must be equal.",
    .min_inputs = 1,
    .max_inputs = 255,
    .output_count = 1,
    .flags = OP_LIST_INPUT,
    .attrs = join_attrs,
    .attr_count = 1,
    .infer = infer_concat,
    .kernel = kernel_concat,
    .graphdef = "ConcatV2",
};

// ---- stack

static bool infer_stack(InferCall *call)
{
    TensorType first = call->inputs[0];
    Shape *out = &call->out_shapes[0];
    int axis;
    call->out_dtypes[0] = first.dtype;
    out->rank = RANK_UNKNOWN;
    if (!infer_equal_dtypes(call, 0)) {
        return false;
    }
    for (uint32_t i = 1; i < call->input_count; i++) {
        TensorType type = call->inputs[i];
        bool known = shape_is_static(first.rank, first.dims) &&
                     shape_is_static(type.rank, type.dims);
        if (known &&
            !shape_equal(first.rank, first.dims, type.rank, type.dims)) {
            return infer_shape_error2(call, "shapes differ: %s and %s", first,
                                      type);
        }
    }
    if (first.rank == RANK_UNKNOWN) {
        return true;
    }
    if (first.rank == SHAPE_MAX_RANK) {
        return infer_shape_error(call, "rank too high: %s", first);
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0],
                    first.rank + 1, 0, &axis)) {
        return false;
    }
    out->rank = first.rank + 1;
    for (int i = 0; i < out->rank; i++) {
        out->dims[i] = i == axis ? (int64_t)call->input_count
                                 : first.dims[i < axis ? i : i - 1];
    }
    return true;
}

const OpDesc op_stack = {
    .name = "stack",
    .params = "arrays, /",
    .doc = "The tensors of a list, of one shape and dtype, along a new axis.",
    .min_inputs = 1,
    .max_inputs = 255,
    .output_count = 1,
    .flags = OP_LIST_INPUT,
    .attrs = join_attrs,
    .attr_count = 1,
    .infer = infer_stack,
    .kernel = kernel_concat,
    .graphdef = "Pack",
};

// ---- unstack

static bool infer_unstack(InferCall *call)
{
    TensorType type = call->inputs[0];
    int axis;
    if (!infer_needs_rank(call, 0, 1)) {
        return false;
    }
    if (type.rank == RANK_UNKNOWN) {
        return infer_shape_error(call, "the number of parts of %s is unknown",
                                 type);
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], type.rank, 0,
                    &axis)) {
        return false;
    }
    if (type.dims[axis] == DIM_UNKNOWN) {
        return infer_shape_error(call, "the number of parts of %s is unknown",
                                 type);
    }
    call->output_count = (uint32_t)type.dims[axis];
    for (int i = 0; i < OP_MAX_OUTPUTS; i++) {
        Shape *out = &call->out_shapes[i];
        call->out_dtypes[i] = type.dtype;
        out->rank = 0;
        for (int k = 0; k < type.rank; k++) {
            if (k != axis) {
                out->dims[out->rank++] = type.dims[k];
            }
        }
    }
    return true;
}

static bool kernel_unstack(const KernelCall *call)
{
    int64_t outer, inner, parts = call->output_count;
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0],
                    call->inputs[0]->rank, 0, &axis)) {
        return false;
    }
    sizes_around(call->inputs[0], axis, &outer, &inner);
    for (int64_t k = 0; k < parts; k++) {
        for (int64_t i = 0; i < outer && inner > 0; i++) {
            tensor_copy(call->ctx, call->outputs[k], i * inner,
                        call->inputs[0], (i * parts + k) * inner, inner);
        }
    }
    return ctx_poll(call->ctx);
}

const OpDesc op_unstack = {
    .name = "unstack",
    .params = "x, /",
    .doc = "The slices of x along an axis, without that axis.",
    .min_inputs = 1,
    .max_inputs = 1,
    .flags = OP_METHOD,
    .attrs = join_attrs,
    .attr_count = 1,
    .infer = infer_unstack,
    .kernel = kernel_unstack,
    .graphdef = "Unpack",
};
