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
// A copy whose dimension i is dimension axes[i] of `tensor`.
MUST_CHECK Tensor *tensor_permuted(Ctx *ctx, Tensor *tensor, const int *axes);

#endif
