// Matrix products: what a kernel is handed, and the blocks that it works in.
//
// C = A B with C of m x n, A m x k, B k x n. An element of C accumulates
// a[i][k] * b[k][j] in order of k: floats with fma from +0, integers modulo
// their width. So the bits are the same however the work is cut into blocks,
// strips or threads, and in every tier.
#ifndef DUET_KERNELS_GEMM_H
#define DUET_KERNELS_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What of the operands is at hand while a block is multiplied, by the sizes of
// this machine's caches.
typedef struct GemmBlocks {
    int64_t depth_bytes; // of k, in a row of A
    int64_t b_bytes;     // of B
    int64_t a_bytes;     // of A
} GemmBlocks;
GemmBlocks gemm_blocks(void);

// Room for all of B as tiles read it, for products with the same B: the first
// fills it on the way, the others find it filled.
typedef struct GemmPanels {
    void *data;      // gemm_panels_size bytes, 64-byte aligned
    int64_t columns; // of all of B; 0: there are none
    int64_t first;   // of them that is the product's first, a multiple of 48
    bool filled;
} GemmPanels;

// Products of one size that read B where it is, each so many elements behind
// the one before. Vector tiers alone take them.
typedef struct GemmMany {
    int64_t count; // 0: there is one
    int64_t a, b, c;
} GemmMany;

// Steps are in elements: a transposed operand has them exchanged. C's rows are
// dense; C is overwritten unless the sums resume there. With panels m may be 0:
// they are filled and nothing else is done.
typedef struct GemmArgs {
    int64_t m, n, k;
    const void *a, *b;
    int64_t a_row, a_step; // from a[i][k] to a[i + 1][k], to a[i][k + 1]
    int64_t b_row, b_step; // from b[k][j] to b[k + 1][j], to b[k][j + 1]
    void *c;
    int64_t c_row;
    bool resume; // go on from what C holds, not from 0
    const GemmBlocks *blocks;
    void *work; // gemm_work_size bytes, 64-byte aligned; NULL if those are 0
    GemmPanels panels;
    GemmMany many;
} GemmArgs;
typedef void (*GemmFn)(const GemmArgs *args);

// Working memory of a product of elements of `size` bytes, 0: it reads B where
// it is.
size_t gemm_work_size(const GemmArgs *args, size_t size);
// Of panels for all of B; 0: the product reads B where it is.
size_t gemm_panels_size(const GemmArgs *args, size_t size);

enum {
    GEMM_COPIED_ROWS = 24,  // so many rows of A pay for a copy of B
    GEMM_COPIED_DEPTH = 16, // and so many elements of k
    GEMM_LONG_COLUMN = 4096 // elements of A that pay for turning a product
};

// A product with one column as one with one row, which reads A as the panels
// of a transposed B.
static inline GemmArgs gemm_upright(const GemmArgs *args)
{
    GemmArgs g = *args;
    if (g.n == 1 && g.panels.columns == 0 && g.m * g.k >= GEMM_LONG_COLUMN &&
        g.c_row == 1) {
        g.m = 1;
        g.n = args->m;
        g.a = args->b;
        g.b = args->a;
        g.a_step = args->b_row;
        g.b_row = args->a_step;
        g.b_step = args->a_row;
        g.c_row = args->m;
    }
    return g;
}

// Whether B (of an upright product) is read where it is.
static inline bool gemm_is_direct(const GemmArgs *g)
{
    return g->k == 0 ||
           (g->panels.columns == 0 &&
            (g->n == 1 || (g->b_step == 1 && (g->m < GEMM_COPIED_ROWS ||
                                              g->k < GEMM_COPIED_DEPTH))));
}

// The blocks of one product, in elements.
typedef struct GemmSizes {
    int64_t depth, columns, rows;
    bool tall; // A is copied too
} GemmSizes;
GemmSizes gemm_sizes(const GemmArgs *upright, size_t size);

#endif
