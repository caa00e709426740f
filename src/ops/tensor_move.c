// Strided copies of tensors. An out string tensor is fresh (all NULL), so that
// after the bytes are copied each string gains one holder. A copy that Ctrl-C
// ends leaves the strings behind it NULL.
#include "ops/tensor_move.h"

#include <string.h>

#include "kernels/move.h"

enum { COPY_STRINGS = 1 << 16 }; // strings copied and held between two polls

// Row-major: the last axis has stride 1. No product can overflow, since the
// count of all elements was checked when the tensor was made.
void tensor_dense_strides(int rank, const int64_t *dims, int64_t *strides)
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
bool tensor_gather(Ctx *ctx, Tensor *out, const Tensor *in, int64_t offset,
                   const int64_t *strides)
{
    return tensor_gather_as(ctx, out, in, offset, out->rank, tensor_dims(out),
                            strides);
}

// A stride of 0 repeats and a negative one reverses: broadcast, flip, slice
// and transpose are all this one loop with other numbers.
bool tensor_gather_as(Ctx *ctx, Tensor *out, const Tensor *in, int64_t offset,
                      int rank, const int64_t *dims, const int64_t *strides)
{
    size_t size = dtype_size((DType)out->dtype);
    const char *from = (const char *)in->data + offset * (int64_t)size;
    if (out->dtype != DT_STRING) {
        return move_gather(ctx, out->data, from, size, rank, dims, strides,
                           NULL) &&
               ctx_poll(ctx);
    }
    int64_t moved;
    bool ok =
        move_gather(ctx, out->data, from, size, rank, dims, strides, &moved);
    hold_strings(out, 0, moved);
    return ok && ctx_poll(ctx);
}

// Piece by piece, so that what was copied is held when Ctrl-C comes between.
static bool copy_strings(Ctx *ctx, Tensor *out, int64_t at, const Tensor *in,
                         int64_t from, int64_t count)
{
    TensorString **to = (TensorString **)out->data + at;
    TensorString *const *strings = (TensorString *const *)in->data + from;
    for (int64_t done = 0; done < count;) {
        int64_t left = count - done;
        int64_t piece = left < COPY_STRINGS ? left : COPY_STRINGS;
        memcpy(to + done, strings + done, (size_t)piece * sizeof *to);
        hold_strings(out, at + done, piece);
        done += piece;
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return ctx_poll(ctx);
}

// Whole runs of bytes. `out` must not hold strings there yet.
bool tensor_copy(Ctx *ctx, Tensor *out, int64_t at, const Tensor *in,
                 int64_t from, int64_t count)
{
    size_t size = dtype_size((DType)out->dtype);
    if (UNLIKELY(out->dtype == DT_STRING)) {
        return copy_strings(ctx, out, at, in, from, count);
    }
    // Short runs look for Ctrl-C too: loops around this need no poll.
    return move_copy(ctx, (char *)out->data + (size_t)at * size,
                     (const char *)in->data + (size_t)from * size,
                     (size_t)count * size);
}

bool tensor_is_narrow(const Tensor *tensor, int64_t width)
{
    return tensor->dtype != DT_STRING &&
           (size_t)width * dtype_size((DType)tensor->dtype) <= MOVE_NARROW;
}

static bool pick_block(Ctx *ctx, Tensor *out, int64_t at, const Tensor *in,
                       int64_t from, const RowPicks *picks)
{
    for (int64_t k = 0; k < picks->count; k++) {
        if (!tensor_copy(ctx, out, at + k * picks->width, in,
                         from + picks->rows[k] * picks->width, picks->width)) {
            return false;
        }
    }
    return true;
}

bool tensor_pick_rows(Ctx *ctx, Tensor *out, int64_t at, const Tensor *in,
                      const RowPicks *picks)
{
    size_t size = dtype_size((DType)in->dtype);
    bool narrow = tensor_is_narrow(in, picks->width);
    for (int64_t i = 0, from = 0; i < picks->blocks; i++) {
        if (narrow) {
            move_pick_rows((char *)out->data + (size_t)at * size,
                           (const char *)in->data + (size_t)from * size,
                           (size_t)picks->width * size, picks->rows,
                           picks->count);
        } else if (!pick_block(ctx, out, at, in, from, picks)) {
            return false;
        }
        at += picks->out_block;
        from += picks->in_block;
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return ctx_poll(ctx);
}

// Strides are permuted with the sizes, and the gather walks the result in its
// own order.
Tensor *tensor_permuted(Ctx *ctx, Tensor *tensor, const int *axes)
{
    int64_t own[SHAPE_MAX_RANK], dims[SHAPE_MAX_RANK];
    int64_t strides[SHAPE_MAX_RANK];
    tensor_dense_strides(tensor->rank, tensor_dims(tensor), own);
    for (int i = 0; i < tensor->rank; i++) {
        dims[i] = tensor_dims(tensor)[axes[i]];
        strides[i] = own[axes[i]];
    }
    Tensor *out = tensor_new(ctx, (DType)tensor->dtype, tensor->rank, dims);
    if (out != NULL && !tensor_gather(ctx, out, tensor, 0, strides)) {
        object_release(ctx, out);
        return NULL;
    }
    return out;
}
