// See factor.h.
#include "ops/factor.h"

#include <math.h>

#include "ops/product.h"

// So many columns or rows are left to plain loops. TRIED: 4 and 16.
enum { LEAST = 8 };

// A matrix under work. Products only add: what must be subtracted is stored
// with its sign turned.
typedef struct Factor {
    Ctx *ctx;
    MatrixPart a, b;
    int64_t n, width;
    bool pivots; // rows are exchanged; else `a` is symmetric
    double determinant;
} Factor;

static MatrixPart block_at(MatrixPart x, int64_t row, int64_t column)
{
    x.at += row * x.step + column;
    return x;
}

// to += x y, of rows x depth and depth x columns.
static bool add_product(Ctx *ctx, MatrixPart to, MatrixPart x, MatrixPart y,
                        int64_t rows, int64_t columns, int64_t depth)
{
    Product product = {.dtype = DT_FLOAT64,
                       .args = {.m = rows,
                                .n = columns,
                                .k = depth,
                                .a = x.at,
                                .a_row = x.step,
                                .a_step = 1,
                                .b = y.at,
                                .b_row = y.step,
                                .b_step = 1,
                                .c = to.at,
                                .c_row = to.step,
                                .resume = true},
                       .count = 1};
    return product_run(ctx, &product);
}

static void add_row(double *to, const double *from, double factor,
                    int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        to[j] += factor * from[j];
    }
}

static void exchange_rows(MatrixPart x, int64_t one, int64_t other,
                          int64_t count)
{
    double *a = x.at + one * x.step, *b = x.at + other * x.step;
    for (int64_t j = 0; j < count; j++) {
        double moved = a[j];
        a[j] = b[j];
        b[j] = moved;
    }
}

// The first half, in whole steps of the plain loops.
static int64_t half_of(int64_t size)
{
    return (size / 2 + LEAST - 1) / LEAST * LEAST;
}

// Columns from k on. Exactly 0 is no pivot alone: nearly singular matrices are
// solved, as in NumPy.
static bool pivot_columns(Factor *f, int64_t k, int64_t columns)
{
    for (int64_t end = k + columns; k < end; k++) {
        double *row = f->a.at + k * f->a.step;
        int64_t pivot = k;
        double most = fabs(row[k]);
        for (int64_t i = k + 1; i < f->n; i++) {
            // A NaN compares false: it is never preferred as a pivot.
            double size = fabs(f->a.at[i * f->a.step + k]);
            if (size > most) {
                pivot = i;
                most = size;
            }
        }
        if (most == 0) {
            f->determinant = 0;
            return false;
        }
        if (pivot != k) {
            exchange_rows(f->a, k, pivot, f->n);
            exchange_rows(f->b, k, pivot, f->width);
        }
        // Each exchange of rows turns the sign.
        f->determinant *= pivot == k ? row[k] : -row[k];
        for (int64_t i = k + 1; i < f->n; i++) {
            double *other = f->a.at + i * f->a.step;
            other[k] = -(other[k] / row[k]);
            add_row(other + k + 1, row + k + 1, other[k], end - k - 1);
        }
    }
    return ctx_poll(f->ctx);
}

// Above the diagonal stands L' with its sign turned, which the columns behind
// are changed by.
static bool root_columns(Factor *f, int64_t k, int64_t columns)
{
    for (int64_t end = k + columns; k < end; k++) {
        double *row = f->a.at + k * f->a.step;
        // Written so that NaN fails too.
        if (!(row[k] > 0)) {
            return false;
        }
        row[k] = sqrt(row[k]);
        for (int64_t i = k + 1; i < f->n; i++) {
            double *other = f->a.at + i * f->a.step;
            other[k] /= row[k];
            row[i] = -other[k];
            add_row(other + k + 1, row + k + 1, other[k],
                    (i < end ? i + 1 : end) - k - 1);
        }
    }
    return ctx_poll(f->ctx);
}

// x = the inverse of L's rows and columns from k on, times x.
static bool forward(const Factor *f, int64_t k, int64_t size, MatrixPart x,
                    int64_t columns)
{
    int64_t half = half_of(size);
    if (size <= LEAST) {
        for (int64_t i = 1; i < size; i++) {
            for (int64_t t = 0; t < i; t++) {
                add_row(x.at + i * x.step, x.at + t * x.step,
                        block_at(f->a, k + i, k + t).at[0], columns);
            }
        }
        return ctx_poll(f->ctx);
    }
    MatrixPart rest = block_at(x, half, 0);
    return forward(f, k, half, x, columns) &&
           add_product(f->ctx, rest, block_at(f->a, k + half, k), x,
                       size - half, columns, half) &&
           forward(f, k + half, size - half, rest, columns);
}

// The same of U, whose sign is turned to the right of the diagonal.
static bool backward(const Factor *f, int64_t k, int64_t size, MatrixPart x,
                     int64_t columns)
{
    int64_t half = half_of(size);
    if (size <= LEAST) {
        for (int64_t i = size - 1; i >= 0; i--) {
            const double *row = block_at(f->a, k + i, k).at;
            double *to = x.at + i * x.step;
            for (int64_t t = i + 1; t < size; t++) {
                add_row(to, x.at + t * x.step, row[t], columns);
            }
            for (int64_t j = 0; j < columns; j++) {
                to[j] /= row[i];
            }
        }
        return ctx_poll(f->ctx);
    }
    MatrixPart rest = block_at(x, half, 0);
    return backward(f, k + half, size - half, rest, columns) &&
           add_product(f->ctx, x, block_at(f->a, k, k + half), rest, half,
                       columns, size - half) &&
           backward(f, k, half, x, columns);
}

static bool factor_columns(Factor *f, int64_t k, int64_t columns)
{
    if (columns <= LEAST) {
        return f->pivots ? pivot_columns(f, k, columns)
                         : root_columns(f, k, columns);
    }
    int64_t half = half_of(columns), next = k + half, rest = columns - half;
    MatrixPart right = block_at(f->a, k, next);
    return factor_columns(f, k, half) &&
           (!f->pivots || forward(f, k, half, right, rest)) &&
           add_product(f->ctx, block_at(f->a, next, next),
                       block_at(f->a, next, k), right, f->n - next, rest,
                       half) &&
           factor_columns(f, next, rest);
}

bool factor_pivots(Ctx *ctx, MatrixPart a, int64_t n, MatrixPart b,
                   int64_t width, double *determinant)
{
    Factor f = {ctx, a, b, n, width, true, 1};
    bool ok = factor_columns(&f, 0, n);
    *determinant = f.determinant;
    return ok;
}

bool factor_solve(Ctx *ctx, MatrixPart a, int64_t n, MatrixPart b,
                  int64_t width)
{
    Factor f = {ctx, a, b, n, width, true, 1};
    // Whatever their product: it may underflow.
    if (!factor_columns(&f, 0, n) || !forward(&f, 0, n, b, width)) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        double *row = a.at + i * a.step;
        for (int64_t j = i + 1; j < n; j++) {
            row[j] = -row[j];
        }
    }
    return backward(&f, 0, n, b, width);
}

bool factor_root(Ctx *ctx, MatrixPart a, int64_t n)
{
    Factor f = {.ctx = ctx, .a = a, .n = n};
    return factor_columns(&f, 0, n);
}
