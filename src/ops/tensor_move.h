// Strided copies of tensors, strings counted. All look for Ctrl-C, however
// little they copy: false, or NULL, with ERR_INTERRUPT pending, and `out` may
// then be released but not read.
#ifndef DUET_OPS_TENSOR_MOVE_H
#define DUET_OPS_TENSOR_MOVE_H

#include "ops/op.h"

// Strides in elements of a dense tensor of these sizes.
void tensor_dense_strides(int rank, const int64_t *dims, int64_t *strides);
// Fills `out` with the elements of `in` that stand at `offset` + the sum of
// index * stride (in elements) for each index of out's shape.
MUST_CHECK bool tensor_gather(Ctx *ctx, Tensor *out, const Tensor *in,
                              int64_t offset, const int64_t *strides);
// The same, with out's elements numbered by a shape of their own.
MUST_CHECK bool tensor_gather_as(Ctx *ctx, Tensor *out, const Tensor *in,
                                 int64_t offset, int rank, const int64_t *dims,
                                 const int64_t *strides);
// Copies `count` elements between dense places.
MUST_CHECK bool tensor_copy(Ctx *ctx, Tensor *out, int64_t at, const Tensor *in,
                            int64_t from, int64_t count);
// Whether rows of so many elements are few bytes and no strings, so that they
// are moved many at a time (kernels/move.h).
bool tensor_is_narrow(const Tensor *tensor, int64_t width);
// Rows of `width` elements: the same ones of each of `blocks` blocks, which are
// so many elements apart on either side.
typedef struct RowPicks {
    const int64_t *rows;
    int64_t count, width; // at most some thousands of rows
    int64_t blocks, out_block, in_block;
} RowPicks;
// What stands in `out` from `at` on becomes those rows of `in`, one after the
// other.
MUST_CHECK bool tensor_pick_rows(Ctx *ctx, Tensor *out, int64_t at,
                                 const Tensor *in, const RowPicks *picks);
// A copy whose dimension i is dimension axes[i] of `tensor`.
MUST_CHECK Tensor *tensor_permuted(Ctx *ctx, Tensor *tensor, const int *axes);

#endif
