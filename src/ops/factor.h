// Triangular factors of a square matrix of doubles, by halves: the first half
// of its columns is factored, the others follow by a matrix product, and are
// factored in turn. So most of the work is products.
//
// Elements change in a fixed order, with what kernels/gemm.h says of sums, so
// that the bits are the same on every machine. Who gets false asks the context
// whether Ctrl-C came: else the matrix was not what it must be.
#ifndef DUET_OPS_FACTOR_H
#define DUET_OPS_FACTOR_H

#include "base/ctx.h"

// Elements of a matrix from `at` on, `step` from a row to the next.
typedef struct MatrixPart {
    double *at;
    int64_t step;
} MatrixPart;

// Gauss with the largest pivot of each column; the rows of b are exchanged
// along. `a` becomes U, with what rows were changed by below the diagonal.
// *determinant becomes the product of the pivots, 0 where there is none.
MUST_CHECK bool factor_pivots(Ctx *ctx, MatrixPart a, int64_t n, MatrixPart b,
                              int64_t width, double *determinant);
// b becomes what a x = b gives for x. `a` is spent.
MUST_CHECK bool factor_solve(Ctx *ctx, MatrixPart a, int64_t n, MatrixPart b,
                             int64_t width);
// The lower triangle of `a` becomes L with L L' = a, the upper one anything;
// false if a pivot is not positive.
MUST_CHECK bool factor_root(Ctx *ctx, MatrixPart a, int64_t n);

#endif
