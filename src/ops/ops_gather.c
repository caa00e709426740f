// Picking by index tensors: take (TensorFlow's gather), take_along_axis,
// one_hot.
#include <inttypes.h>
#include <string.h>

#include "ops/infer.h"
#include "ops/move.h"

// ---- take

static bool infer_take(InferCall *call)
{
    TensorType x = call->inputs[0], indices = call->inputs[1];
    Shape *out = &call->out_shapes[0];
    int axis;
    call->out_dtypes[0] = x.dtype;
    out->rank = RANK_UNKNOWN;
    if (!infer_needs_integer(call, 1) || !infer_needs_rank(call, 0, 1)) {
        return false;
    }
    if (x.rank == RANK_UNKNOWN || indices.rank == RANK_UNKNOWN) {
        return true;
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x.rank, 0,
                    &axis)) {
        return false;
    }
    if (x.rank - 1 + indices.rank > SHAPE_MAX_RANK) {
        return infer_shape_error2(call, "rank too high: %s by %s", x, indices);
    }
    out->rank = 0;
    for (int i = 0; i < x.rank; i++) {
        if (i != axis) {
            out->dims[out->rank++] = x.dims[i];
            continue;
        }
        for (int k = 0; k < indices.rank; k++) {
            out->dims[out->rank++] = indices.dims[k];
        }
    }
    return true;
}

// "indices[0] = 1 is not in [0, 1)", with all the indices' coordinates.
static bool take_error(Ctx *ctx, const Tensor *indices, int64_t at,
                       int64_t size)
{
    StrBuf text;
    int64_t coordinates[SHAPE_MAX_RANK], rest = at;
    strbuf_init(&text, ctx);
    for (int i = indices->rank - 1; i >= 0; i--) {
        coordinates[i] = rest % tensor_dims(indices)[i];
        rest /= tensor_dims(indices)[i];
    }
    strbuf_puts(&text, "indices");
    for (int i = 0; i < indices->rank; i++) {
        strbuf_printf(&text, "%s%" PRId64, i == 0 ? "[" : ",",
                      coordinates[i]);
    }
    strbuf_puts(&text, indices->rank > 0 ? "]" : "");
    strbuf_printf(&text, " = %" PRId64 " is not in [0, %" PRId64 ")",
                  tensor_int_at(indices, at), size);
    if (strbuf_ok(&text)) {
        ctx_fail(ctx, ERR_OP_INDEX, "%s", strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

static bool kernel_take(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *indices = call->inputs[1];
    Tensor *out = call->outputs[0];
    const int64_t *dims = tensor_dims(x);
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x->rank, 0,
                    &axis)) {
        return false;
    }
    int64_t outer = 1, inner = 1, size = dims[axis];
    for (int i = 0; i < x->rank; i++) {
        outer *= i < axis ? dims[i] : 1;
        inner *= i > axis ? dims[i] : 1;
    }
    for (int64_t k = 0; k < indices->count; k++) {
        int64_t index = tensor_int_at(indices, k);
        if (index < 0 || index >= size) {
            return take_error(call->ctx, indices, k, size);
        }
        for (int64_t i = 0; i < outer && inner > 0; i++) {
            tensor_copy(call->ctx, out, (i * indices->count + k) * inner, x,
                        (i * size + index) * inner, inner);
        }
    }
    return ctx_poll(call->ctx);
}

static const AttrDesc take_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
};
const OpDesc op_take = {
    .name = "take",
    .params = "x, indices, /",
    .doc = "The slices of x along `axis` that the int tensor `indices` names.\n"
           "OpIndexError if one is not in [0, size).",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_MAY_FAIL,
    .attrs = take_attrs,
    .attr_count = 1,
    .infer = infer_take,
    .kernel = kernel_take,
    .graphdef = "GatherV2",
};

// ---- one_hot

static bool infer_one_hot(InferCall *call)
{
    TensorType indices = call->inputs[0];
    int64_t depth = call->attrs[0].integer;
    Shape *out = &call->out_shapes[0];
    if (!infer_needs_integer(call, 0)) {
        return false;
    }
    if (depth < 0) {
        return ctx_fail(call->ctx, ERR_OP_VALUE, "one_hot: negative depth");
    }
    call->out_dtypes[0] = attr_dtype(&call->attrs[1], DT_FLOAT32);
    if (call->out_dtypes[0] == DT_STRING) {
        return infer_dtype_refused(call, DT_STRING);
    }
    shape_set(out, indices.rank, indices.dims);
    if (out->rank == SHAPE_MAX_RANK) {
        return infer_shape_error(call, "rank too high: %s", indices);
    }
    if (out->rank != RANK_UNKNOWN) {
        out->dims[out->rank++] = depth;
    }
    return true;
}

static bool kernel_one_hot(const KernelCall *call)
{
    const Tensor *indices = call->inputs[0];
    Tensor *out = call->outputs[0];
    int64_t depth = call->attrs[0].integer;
    memset(out->data, 0, (size_t)out->count * dtype_size((DType)out->dtype));
    for (int64_t i = 0; i < indices->count; i++) {
        int64_t index = tensor_int_at(indices, i);
        if (index >= 0 && index < depth) {
            tensor_set_int(out, i * depth + index, 1);
        }
    }
    return ctx_poll(call->ctx);
}

static const AttrDesc one_hot_attrs[] = {
    {"depth", ATTR_INT, ATTR_HOST_ONLY, NULL},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
};
const OpDesc op_one_hot = {
    .name = "one_hot",
    .params = "indices, /",
    .doc = "Rows of `depth` zeros with a one at each index; an index out of\n"
           "range gives zeros alone.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .attrs = one_hot_attrs,
    .attr_count = 2,
    .infer = infer_one_hot,
    .kernel = kernel_one_hot,
};
