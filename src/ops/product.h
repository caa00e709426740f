// Matrix products on all threads, which Ctrl-C can end.
#ifndef DUET_OPS_PRODUCT_H
#define DUET_OPS_PRODUCT_H

#include "kernels/tier.h"
#include "ops/dtype.h"

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

// Whether the kernel is best called at once: a short product that needs no
// working memory. Sets `blocks`. The kernels' state in ctx must exist.
bool product_is_small(Ctx *ctx, DType dtype, GemmArgs *args);

#endif
