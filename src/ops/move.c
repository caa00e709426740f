// Strided copies of tensors. An out string tensor is fresh (all NULL), so that
// after the bytes are copied each string gains one holder.
#include "ops/move.h"

#include <string.h>

#include "kernels/move.h"

// Row-major: the last axis has stride 1. No product can overflow, since the
// count of all elements was checked when the tensor was made.
void dense_strides(int rank, const int64_t *dims, int64_t *strides)
{
    int64_t step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= dims[i];
    }
}

// After a copy of pointers each string has one holder more. Nothing is
// released: what stood in `out` before was NULL.
static void hold_strings(Tensor *out, int64_t at, int64_t count)
{
    TensorString **strings = (TensorString **)out->data + at;
    for (int64_t i = 0; i < count; i++) {
        strings[i]->refs++;
    }
}

// The usual case: out's elements are numbered by its own shape.
void tensor_gather(Ctx *ctx, Tensor *out, const Tensor *in, int64_t offset,
                   const int64_t *strides)
{
    tensor_gather_as(ctx, out, in, offset, out->rank, tensor_dims(out),
                     strides);
}

// A stride of 0 repeats and a negative one reverses: broadcast, flip, slice
// and transpose are all this one loop with other numbers.
void tensor_gather_as(Ctx *ctx, Tensor *out, const Tensor *in, int64_t offset,
                      int rank, const int64_t *dims, const int64_t *strides)
{
    size_t size = dtype_size((DType)out->dtype);
    (void)ctx;
    move_gather(out->data, (const char *)in->data + offset * (int64_t)size,
                size, rank, dims, strides);
    if (out->dtype == DT_STRING) {
        hold_strings(out, 0, out->count);
    }
}

// Whole runs of bytes. `out` must not hold strings there yet.
void tensor_copy(Ctx *ctx, Tensor *out, int64_t at, const Tensor *in,
                 int64_t from, int64_t count)
{
    size_t size = dtype_size((DType)out->dtype);
    (void)ctx;
    memcpy((char *)out->data + (size_t)at * size,
           (const char *)in->data + (size_t)from * size, (size_t)count * size);
    if (out->dtype == DT_STRING) {
        hold_strings(out, at, count);
    }
}

// Strides are permuted with the sizes, and the gather walks the result in its
// own order.
Tensor *tensor_permuted(Ctx *ctx, Tensor *tensor, const int *axes)
{
    int64_t own[SHAPE_MAX_RANK], dims[SHAPE_MAX_RANK];
    int64_t strides[SHAPE_MAX_RANK];
    dense_strides(tensor->rank, tensor_dims(tensor), own);
    for (int i = 0; i < tensor->rank; i++) {
        dims[i] = tensor_dims(tensor)[axes[i]];
        strides[i] = own[axes[i]];
    }
    Tensor *out = tensor_new(ctx, (DType)tensor->dtype, tensor->rank, dims);
    if (out != NULL) {
        tensor_gather(ctx, out, tensor, 0, strides);
    }
    return out;
}
