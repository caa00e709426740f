// Running an elementwise op over real tensors.
#ifndef DUET_OPS_ELEMENTWISE_H
#define DUET_OPS_ELEMENTWISE_H

#include "ops/op.h"

// The driver behind every elementwise op of numbers: broadcasts, cuts into
// dense runs and hands them to the op's kernel. The output exists.
MUST_CHECK bool elementwise_run(const KernelCall *call, OpCode code);

// The op within another one's kernel, where all has one dtype: dense operands,
// but for those that are bits of `ones`, and the output, which may be one of
// them. Needs kernel_state(ctx) to exist.
MUST_CHECK bool elementwise_dense(Ctx *ctx, OpCode code, DType dtype,
                                  unsigned ones, char *const *data,
                                  int64_t count);

// The quick way of an eager op: operands of one dtype, each of the output's
// shape or a single element of no higher rank. 1: done, 0: take the long way
// (nothing happened), -1: failed. Operands that are bits of `last` may be
// overwritten if nobody else holds them; such a one is the output then.
MUST_CHECK int elementwise_quick(Ctx *ctx, OpCode code, Tensor *const *inputs,
                                 uint32_t count, unsigned last,
                                 Tensor **output);

#endif
