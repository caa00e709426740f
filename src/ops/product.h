// Matrix products on all threads, which Ctrl-C can end.
#ifndef DUET_OPS_PRODUCT_H
#define DUET_OPS_PRODUCT_H

#include "kernels/tier.h"
#include "ops/tensor.h"

// One product, or one for each matrix of a batch. `blocks` and `work` of the
// arguments are filled in here.
typedef struct Product {
    DType dtype; // one that has a kernel
    GemmArgs args;
    int64_t count;
    // Sets a, b and c of matrix `index`; called by any thread. NULL: one
    // matrix, which `args` has.
    void (*place)(const void *batch, int64_t index, GemmArgs *args);
    const void *batch;
} Product;

// An element's sum is the same however the work is cut. False: interrupted, or
// no memory.
MUST_CHECK bool product_run(Ctx *ctx, const Product *product);

// out = left @ right, as matmul has it. An operand that is turned, of rank 2 or
// more, is the transpose of what is meant: it is read by its columns.
enum { PRODUCT_LEFT = 1, PRODUCT_RIGHT = 2 };
MUST_CHECK bool product_of(Ctx *ctx, Tensor *left, Tensor *right,
                           unsigned turned, Tensor *out);

// Whether the kernel is best called at once: a short product that needs no
// working memory. Sets `blocks`. The kernels' state in ctx must exist.
bool product_is_small(Ctx *ctx, DType dtype, GemmArgs *args);

#endif
