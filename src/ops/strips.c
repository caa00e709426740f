// Long matrix products, done in strips of rows with a poll behind each.
#include "ops/strips.h"

// Products of float32 elements between two polls, times 4 (they are far above
// an int32): some 60 ms on a machine with wide vectors. A strip packs all of B
// anew, so that short ones would cost.
enum { STRIP_WORK = INT32_MAX, STRIP_PORTABLE = 16 };

// Wider elements take longer, ints too, and without vectors all of them do.
static int64_t strip_work(const Ctx *ctx, DType dtype)
{
    int64_t work = STRIP_WORK / (int64_t)dtype_size(dtype) * 16;
    work = dtype_is_float(dtype) ? work : work / 4;
    return ctx->kernels->tier == &tier_portable ? work / STRIP_PORTABLE : work;
}

// Whole blocks, so that no strip is ragged but the last.
bool strips_multiply(Ctx *ctx, DType dtype, GemmArgs args)
{
    int64_t size = (int64_t)dtype_size(dtype), rows = args.m;
    int64_t most = strip_work(ctx, dtype) / (args.k * args.n + 1);
    most = most < GEMM_BLOCK ? GEMM_BLOCK : most - most % GEMM_BLOCK;
    while (rows > 0) {
        args.m = rows < most ? rows : most;
        ctx->kernels->tier->gemm[dtype](&args);
        if (!ctx_poll(ctx)) {
            return false;
        }
        rows -= args.m;
        args.a = (const char *)args.a + args.m * args.lda * size;
        args.c = (char *)args.c + args.m * args.ldc * size;
    }
    return true;
}
