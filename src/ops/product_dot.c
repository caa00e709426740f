// The product of two vectors of floats: the sum of their products, in sum's
// order (kernels/reduce_body.h), not in that of k, in which each addition would
// wait for the one before.
#include "kernels/emit.h"
#include "kernels/pool.h"
#include "kernels/threads.h"
#include "ops/op.h"
#include "ops/product.h"

typedef struct VectorDot {
    const char *x, *y;
    char *parts; // sums of REDUCE_PART elements each
    int64_t k;   // elements
    size_t size; // bytes of one
    const LoopKernel *multiply;
    RowReduceFn sum;
    FoldFn fold;
} VectorDot;

// Nanoseconds an element: threads and polls alone depend on it.
static const double per_element = 0.15;

// Block by block, whose products stay in the nearest cache.
static void run_parts(void *data, int64_t begin, int64_t end, int thread)
{
    enum { BLOCKS = REDUCE_PART / REDUCE_BLOCK };
    const VectorDot *d = data;
    double products[REDUCE_BLOCK], sums[BLOCKS];
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t at = i * REDUCE_PART, count = 0;
        int64_t stop = d->k - at < REDUCE_PART ? d->k : at + REDUCE_PART;
        for (; at < stop; at += REDUCE_BLOCK, count++) {
            int64_t n = stop - at < REDUCE_BLOCK ? stop - at : REDUCE_BLOCK;
            char *operands[] = {(char *)d->x + (size_t)at * d->size,
                                (char *)d->y + (size_t)at * d->size,
                                (char *)products};
            (void)kernel_run(d->multiply, operands, n);
            d->sum((char *)sums + (size_t)count * d->size, products, 1, n);
        }
        d->fold(d->parts + (size_t)i * d->size, sums, count);
    }
}

bool product_dot(Ctx *ctx, DType dtype, const GemmArgs *args)
{
    const KernelState *state = ctx->kernels;
    VectorDot d = {.x = args->a, .y = args->b, .parts = args->c, .k = args->k};
    int64_t count = (d.k + REDUCE_PART - 1) / REDUCE_PART;
    d.size = dtype_size(dtype);
    d.sum = state->tier->row_reduce[REDUCE_SUM][dtype];
    d.fold = state->tier->fold[REDUCE_SUM][dtype];
    d.multiply = op_kernel(ctx, OP_MULTIPLY, dtype, dtype, NULL, 0);
    if (d.multiply == NULL) {
        return false;
    }
    size_t bytes = (size_t)count * d.size;
    if (count > 1) {
        d.parts = pool_take(ctx, state->pool, &bytes);
        if (d.parts == NULL) {
            return false;
        }
    }
    double cost = (double)(d.k / count) * per_element + 20;
    bool ok = threads_run(ctx, &(Job){run_parts, &d, count, cost});
    if (count > 1) {
        if (ok) {
            d.fold(args->c, d.parts, count);
        }
        pool_give(state->pool, d.parts, bytes);
    }
    return ok;
}
