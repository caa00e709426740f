// One matrix product that Ctrl-C can end.
#ifndef DUET_OPS_STRIPS_H
#define DUET_OPS_STRIPS_H

#include "kernels/tier.h"
#include "ops/dtype.h"

// Runs the kernel of `dtype`, which must exist, as the kernels' state in ctx
// must. An element's sum is the same however the rows are cut. False:
// interrupted.
MUST_CHECK bool strips_multiply(Ctx *ctx, DType dtype, GemmArgs args);

#endif
