// Making tensors from shapes and numbers.
#include <math.h>
#include <string.h>

#include "base/bulk.h"
#include "kernels/move.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/strings.h"

// Writes the element at `from` over all of `out`.
// Bytes, whatever the dtype; `from` may be the first element of `out`.
// False: interrupted. Never of strings: they are counted.
static bool fill_with(Ctx *ctx, Tensor *out, const void *from)
{
    size_t size = dtype_size((DType)out->dtype);
    // A copy: it may be what is overwritten first.
    char element[sizeof(double)];
    memcpy(element, from, size);
    return move_fill(ctx, out->data, element, size, out->count);
}

// Shapes for creation: attribute 0. Negative sizes are refused.
// False: raised. An operand that gives the shape may be unknown while tracing;
// its sizes are open then.
static bool infer_shaped(InferCall *call, DType dtype)
{
    Shape *out = &call->out_shapes[0];
    call->out_dtypes[0] = dtype;
    if (!infer_ints(call, &call->attrs[0], out)) {
        return false;
    }
    // An unknown size is -1 as well, which must not be taken for a request.
    bool known = infer_known(call, &call->attrs[0]);
    for (int i = 0; known && i < out->rank; i++) {
        if (out->dims[i] < 0) {
            TensorType type = {dtype, out->rank, out->dims};
            return infer_shape_error(call, "negative size in shape %s", type);
        }
    }
    return true;
}

// Without a dtype float32, as everywhere.
static bool infer_zeros(InferCall *call)
{
    return infer_shaped(call, attr_dtype(&call->attrs[1], DT_FLOAT32));
}

// The same, but there is no one among strings.
static bool infer_ones(InferCall *call)
{
    return attr_dtype(&call->attrs[1], DT_FLOAT32) == DT_STRING
               ? infer_dtype_refused(call, DT_STRING)
               : infer_zeros(call);
}

// The number is converted once, in the first element, which then serves as the
// pattern for the others.
// 0 or 1, which every dtype of numbers has.
static bool kernel_fill_number(const KernelCall *call, int64_t value)
{
    Tensor *out = call->outputs[0];
    if (out->dtype == DT_STRING) {
        // One empty string, which all elements hold.
        bool ok =
            out->count == 0 || tensor_set_string(call->ctx, out, 0, "", 0);
        for (int64_t i = 1; ok && i < out->count; i++) {
            tensor_share_string(call->ctx, out, i, *(TensorString **)out->data);
            ok = ctx_poll_at(call->ctx, (size_t)i);
        }
        return ok;
    }
    // Without elements there is no first one to write.
    if (out->count > 0) {
        tensor_set_int(out, 0, value);
        return fill_with(call->ctx, out, out->data);
    }
    return true;
}

// Serves zeros_like as well: the output is there, whatever gave its shape.
static bool kernel_zeros(const KernelCall *call)
{
    return kernel_fill_number(call, 0);
}

// Serves ones_like as well.
static bool kernel_ones(const KernelCall *call)
{
    return kernel_fill_number(call, 1);
}

// The shape may be computed in the graph; the dtype may not, for it is part of
// every type that follows from it.
static const AttrDesc shape_dtype_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
};

// No graphdef name: the writer makes a Fill of it.
const OpDesc op_zeros = {
    .name = "zeros",
    .params = "",
    .doc = "A tensor of zeros of the given shape; of strings: empty ones.",
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES,
    .attrs = shape_dtype_attrs,
    .attr_count = 2,
    .infer = infer_zeros,
    .kernel = kernel_zeros,
};

// Apart from zeros for its name alone: rule and attributes are shared.
const OpDesc op_ones = {
    .name = "ones",
    .params = "",
    .doc = "A tensor of ones of the given shape.",
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES,
    .attrs = shape_dtype_attrs,
    .attr_count = 2,
    .infer = infer_ones,
    .kernel = kernel_ones,
};

// The dtype is the value's: a cast before says another.
// A value of unknown rank is taken to be a scalar until the run.
static bool infer_full(InferCall *call)
{
    return (call->inputs[0].rank <= 0 ||
            infer_shape_error(call, "the value must be one element, not %s",
                              call->inputs[0])) &&
           infer_shaped(call, call->inputs[0].dtype);
}

// A string is shared by all elements.
// The value is one element; all of the output then holds it.
static bool kernel_full(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    if (out->dtype != DT_STRING) {
        return fill_with(call->ctx, out, call->inputs[0]->data);
    }
    for (int64_t i = 0; i < out->count; i++) {
        tensor_share_string(call->ctx, out, i,
                            *(TensorString **)call->inputs[0]->data);
    }
    return true;
}

// No dtype here: the prompt's `full` casts the value first.
static const AttrDesc full_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
};
// All copies together.
static bool grad_full(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(
               call, 0,
               grad_sum_to(call->emit, call->output_grads[0], call->inputs[0]));
}

// The value is the first operand, a shape that is a tensor the second.
const OpDesc op_full = {
    .name = "full",
    .params = "fill_value",
    .doc = "A tensor of the given shape with one value in every place.",
    .min_inputs = 1,
    .max_inputs = 2,
    .output_count = 1,
    .flags =
        OP_HALVES | OP_NO_FUNCTION, // tensor_functions.c has the usual order
    .attrs = full_attrs,
    .attr_count = 1,
    .infer = infer_full,
    .kernel = kernel_full,
    .gradient = grad_full,
    .graphdef = "Fill",
};

// An unknown shape in a trace stays unknown: the kernel runs with a real one.
// Only the type of x counts, never its elements.
static bool infer_like(InferCall *call)
{
    TensorType type = call->inputs[0];
    DType dtype = attr_dtype(&call->attrs[0], type.dtype);
    return infer_output(call, 0, dtype, type.rank, type.dims);
}

// None keeps the dtype of x.
static const AttrDesc like_attrs[] = {
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "None"},
};
const OpDesc op_zeros_like = {
    .name = "zeros_like",
    .params = "x, /",
    .doc = "Zeros in the shape of x, of its dtype unless another is given.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES,
    .attrs = like_attrs,
    .attr_count = 1,
    .infer = infer_like,
    .kernel = kernel_zeros,
    .gradient = grad_none,
    .graphdef = "ZerosLike",
};

const OpDesc op_ones_like = {
    .name = "ones_like",
    .params = "x, /",
    .doc = "Ones in the shape of x, of its dtype unless another is given.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES,
    .attrs = like_attrs,
    .attr_count = 1,
    .infer = infer_like,
    .kernel = kernel_ones,
    .gradient = grad_none,
    .graphdef = "OnesLike",
};

// The dtype comes from the value, the shape from x.
static bool infer_full_like(InferCall *call)
{
    if (call->inputs[1].rank > 0) {
        return infer_shape_error(call, "the value must be one element, not %s",
                                 call->inputs[1]);
    }
    TensorType type = call->inputs[0];
    return infer_output(call, 0, call->inputs[1].dtype, type.rank, type.dims);
}

// The operand that gives the shape is skipped; the rest is `full`.
// kernel_full looks at input 0 alone, and that is the value here.
static bool kernel_full_like(const KernelCall *call)
{
    KernelCall other = *call;
    other.inputs = call->inputs + 1;
    return kernel_full(&other);
}

static bool grad_full_like(GradCall *call)
{
    return !grad_asked(call, 1) ||
           grad_give(
               call, 1,
               grad_sum_to(call->emit, call->output_grads[0], call->inputs[1]));
}

// The dtype is the value's, like that of `full`.
const OpDesc op_full_like = {
    .name = "full_like",
    .params = "x, fill_value, /",
    .doc = "One value in every place, in the shape of x.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_HALVES,
    .infer = infer_full_like,
    .kernel = kernel_full_like,
    .gradient = grad_full_like,
};

// None for columns means square.
static bool infer_eye(InferCall *call)
{
    int64_t dims[2];
    for (int i = 0; i < 2; i++) {
        // n_cols without a value is n_rows.
        bool given = i == 0 || attr_given(&call->attrs[1]);
        if (!infer_size(call, &call->attrs[given ? i : 0], ERR_SHAPE, "size",
                        &dims[i])) {
            return false;
        }
    }
    DType dtype = attr_dtype(&call->attrs[3], DT_FLOAT32);
    return dtype == DT_STRING ? infer_dtype_refused(call, dtype)
                              : infer_output(call, 0, dtype, 2, dims);
}

// At most one element of each row is on the diagonal.
// Zeros of every dtype are zero bytes.
static bool kernel_eye(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    const int64_t *dims = tensor_dims(out);
    // Below 0 the diagonal lies under the main one.
    int64_t above = attr_int(&call->attrs[2], 0);
    if (!bulk_fill(call->ctx, out->data, 0,
                   (size_t)out->count * dtype_size((DType)out->dtype))) {
        return false;
    }
    for (int64_t i = 0; i < dims[0]; i++) {
        // Outside of the matrix where the diagonal has left it.
        if (above >= -i && above < dims[1] - i) {
            tensor_set_int(out, i * dims[1] + i + above, 1);
        }
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return true;
}

// Names as in the array API.
static const AttrDesc eye_attrs[] = {
    {"n_rows", ATTR_INT, ATTR_HOST_OR_TENSOR, NULL},
    {"n_cols", ATTR_INT, ATTR_HOST_OR_TENSOR, "None"},
    {"k", ATTR_INT, ATTR_HOST_ONLY, "0"},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
};
const OpDesc op_eye = {
    .name = "eye",
    .params = "",
    .doc = "A matrix with ones on its k-th diagonal (above 0: to the right),\n"
           "zeros elsewhere; square unless n_cols is given.",
    .max_inputs = 2,
    .apart = 3,
    .output_count = 1,
    .flags = OP_HALVES,
    .attrs = eye_attrs,
    .attr_count = 4,
    .infer = infer_eye,
    .kernel = kernel_eye,
};
