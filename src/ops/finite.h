// Where numbers that are none come from: the search for NaN and infinity in
// what an op has made.
#ifndef DUET_OPS_FINITE_H
#define DUET_OPS_FINITE_H

#include "ops/tensor.h"

// False, with ERR_OP_VALUE that names the op, the element and the operands, if
// a result holds NaN or infinity and no operand does. NULL counts as none.
MUST_CHECK bool finite_check(Ctx *ctx, const char *op, Tensor *const *inputs,
                             uint32_t input_count, Tensor *const *outputs,
                             uint32_t output_count);

#endif
