// Matrix products in registers. Included by tier_body.h alone, for AVX2 and
// AVX-512; gemm_plain.h does for other machines.
//
// Each element of C accumulates a[i][k] * b[k][j] in order of k: floats with
// fma from +0, integers modulo their width. A block of k goes on from what C
// holds, so every blocking and every tier gives the same bits.
//
// A tile of GEMM_ROWS x 2 vectors of C stays in registers while k runs. Small
// products read A and B in place; large ones copy a block of B (as deep as
// GEMM_DEPTH_BYTES, GEMM_COLUMNS wide) into panels in the order of use and
// take GEMM_BLOCK rows of A at a time. TRIED: copying A too (5 to 12 % slower
// at 256 and 512, the scattered writes cost more than they save).
#ifndef DUET_KERNELS_GEMM_BODY_H
#define DUET_KERNELS_GEMM_BODY_H

#include "kernels/gemm_vector.h"

// The loops over a tile must vanish, or the sums would live in memory and not
// in registers.
#if defined(__clang__)
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

enum { GEMM_WIDE = 8 }; // vectors of a tile of one row

// One tile: `rows` x `vectors`, both constants; the last vector is masked.
// `resume`: go on from what C holds.
#define GEMM_TILE(sfx, T)                                                      \
    VECTOR void tile_gemm_##sfx(const int rows, const int vectors,             \
                                int64_t depth, const T *a, int64_t a_row,      \
                                int64_t a_step, const T *b, int64_t b_step,    \
                                T *c, int64_t ldc, bool resume, M_##sfx last)  \
    {                                                                          \
        enum { W = GEMM_VECTOR_BYTES / sizeof(T) };                            \
        V_##sfx sums[GEMM_ROWS][GEMM_WIDE];                                    \
        UNROLLED for (int r = 0; r < rows; r++)                                \
        {                                                                      \
            UNROLLED for (int v = 0; v < vectors; v++)                         \
            {                                                                  \
                const T *from = c + r * ldc + v * W;                           \
                sums[r][v] = !resume           ? zero_##sfx()                  \
                             : v + 1 < vectors ? load_##sfx(from)              \
                                               : load_some_##sfx(from, last);  \
            }                                                                  \
        }                                                                      \
        for (int64_t k = 0; k < depth; k++, a += a_step, b += b_step) {        \
            V_##sfx column[GEMM_WIDE];                                         \
            UNROLLED for (int v = 0; v < vectors; v++)                         \
            {                                                                  \
                column[v] = v + 1 < vectors                                    \
                                ? load_##sfx(b + v * W)                        \
                                : load_some_##sfx(b + v * W, last);            \
            }                                                                  \
            UNROLLED for (int r = 0; r < rows; r++)                            \
            {                                                                  \
                V_##sfx factor = spread_##sfx(a[r * a_row]);                   \
                UNROLLED for (int v = 0; v < vectors; v++)                     \
                {                                                              \
                    sums[r][v] = madd_##sfx(factor, column[v], sums[r][v]);    \
                }                                                              \
            }                                                                  \
        }                                                                      \
        UNROLLED for (int r = 0; r < rows; r++)                                \
        {                                                                      \
            UNROLLED for (int v = 0; v < vectors; v++)                         \
            {                                                                  \
                T *to = c + r * ldc + v * W;                                   \
                if (v + 1 < vectors) {                                         \
                    store_##sfx(to, sums[r][v]);                               \
                } else {                                                       \
                    store_some_##sfx(to, last, sums[r][v]);                    \
                }                                                              \
            }                                                                  \
        }                                                                      \
    }

// A tile of constant size as a function of its own.
#define GEMM_FUNCTION(sfx, T, R, N)                                            \
    static __attribute__((noinline)) void gemm_##sfx##_##R##_##N(              \
        int64_t depth, const T *a, int64_t a_row, int64_t a_step, const T *b,  \
        int64_t b_step, T *c, int64_t ldc, bool resume, M_##sfx last)          \
    {                                                                          \
        tile_gemm_##sfx(R, N, depth, a, a_row, a_step, b, b_step, c, ldc,      \
                        resume, last);                                         \
    }
// One or two vectors wide: the last strip of C may be narrow.
#define GEMM_PAIR(sfx, T, R)                                                   \
    GEMM_FUNCTION(sfx, T, R, 1) GEMM_FUNCTION(sfx, T, R, 2)
#define GEMM_ENTRY(sfx, R)                                                     \
    {                                                                          \
        gemm_##sfx##_##R##_1, gemm_##sfx##_##R##_2                             \
    }
#if defined(__AVX512F__)
// AVX-512 has registers for taller tiles.
#define GEMM_MORE(sfx, T) GEMM_PAIR(sfx, T, 7) GEMM_PAIR(sfx, T, 14)
#define GEMM_MORE_ENTRIES(sfx)                                                 \
    [7] = GEMM_ENTRY(sfx, 7), [14] = GEMM_ENTRY(sfx, 14),
#else
#define GEMM_MORE(sfx, T)
#define GEMM_MORE_ENTRIES(sfx)
#endif

// `rows` rows of C (any number) by up to two vectors of columns.
// A rest of rows between the two sizes of tile is halved, not left as one
// large and one tiny tile.
#define GEMM_STRIP(sfx, T)                                                     \
    typedef void (*GemmTile_##sfx)(int64_t, const T *, int64_t, int64_t,       \
                                   const T *, int64_t, T *, int64_t, bool,     \
                                   M_##sfx);                                   \
    GEMM_PAIR(sfx, T, 1)                                                       \
    GEMM_PAIR(sfx, T, 2)                                                       \
    GEMM_PAIR(sfx, T, 3)                                                       \
    GEMM_PAIR(sfx, T, 4)                                                       \
    GEMM_PAIR(sfx, T, 5)                                                       \
    GEMM_PAIR(sfx, T, 6)                                                       \
    GEMM_MORE(sfx, T)                                                          \
    GEMM_FUNCTION(sfx, T, 1, 8)                                                \
    static const GemmTile_##sfx gemm_tiles_##sfx[GEMM_ROWS + 1][2] = {         \
        [1] = GEMM_ENTRY(sfx, 1), [2] = GEMM_ENTRY(sfx, 2),                    \
        [3] = GEMM_ENTRY(sfx, 3), [4] = GEMM_ENTRY(sfx, 4),                    \
        [5] = GEMM_ENTRY(sfx, 5), [6] = GEMM_ENTRY(sfx, 6),                    \
        GEMM_MORE_ENTRIES(sfx)};                                               \
    static void gemm_strip_##sfx(int64_t rows, int64_t width, int64_t depth,   \
                                 const T *a, int64_t a_row, int64_t a_step,    \
                                 const T *b, int64_t b_step, T *c,             \
                                 int64_t ldc, bool resume)                     \
    {                                                                          \
        enum { W = GEMM_VECTOR_BYTES / sizeof(T) };                            \
        int two = width > W;                                                   \
        M_##sfx last = mask_##sfx(width - (two ? W : 0));                      \
        while (rows > 0) {                                                     \
            int64_t now = rows;                                                \
            if (rows >= GEMM_ROWS) {                                           \
                now = GEMM_ROWS;                                               \
            } else if (rows > GEMM_SMALL_ROWS) {                               \
                now = (rows + 1) / 2;                                          \
            }                                                                  \
            gemm_tiles_##sfx[now][two](depth, a, a_row, a_step, b, b_step, c,  \
                                       ldc, resume, last);                     \
            rows -= now;                                                       \
            a += now * a_row;                                                  \
            c += now * ldc;                                                    \
        }                                                                      \
    }

// Without copies; one row takes wide tiles, which read B line by line.
#define GEMM_DIRECT(sfx, T)                                                    \
    static void gemm_direct_##sfx(const GemmArgs *g)                           \
    {                                                                          \
        enum { W = GEMM_VECTOR_BYTES / sizeof(T) };                            \
        int64_t j = 0;                                                         \
        for (; g->m == 1 && j + GEMM_WIDE * W <= g->n; j += GEMM_WIDE * W) {   \
            gemm_##sfx##_1_8(g->k, g->a, 0, 1, (const T *)g->b + j, g->ldb,    \
                             (T *)g->c + j, g->ldc, false, mask_##sfx(W));     \
        }                                                                      \
        for (; j < g->n; j += 2 * W) {                                         \
            int64_t width = g->n - j < 2 * W ? g->n - j : 2 * W;               \
            gemm_strip_##sfx(g->m, width, g->k, g->a, g->lda, 1,               \
                             (const T *)g->b + j, g->ldb, (T *)g->c + j,       \
                             g->ldc, false);                                   \
        }                                                                      \
    }

// Copies B into panels of a tile's columns, the rest zeros.
#define GEMM_PACK(sfx, T)                                                      \
    static void pack_b_##sfx(const GemmArgs *g, int64_t k0, int64_t depth,     \
                             int64_t j0, int64_t columns, T *to)               \
    {                                                                          \
        enum { W = GEMM_VECTOR_BYTES / sizeof(T) };                            \
        for (int64_t j = 0; j < columns; j += 2 * W) {                         \
            int64_t width = columns - j < 2 * W ? columns - j : 2 * W;         \
            const T *from = (const T *)g->b + k0 * g->ldb + j0 + j;            \
            for (int64_t k = 0; k < depth; k++) {                              \
                if (width == 2 * W) {                                          \
                    store_##sfx(to, load_##sfx(from));                         \
                    store_##sfx(to + W, load_##sfx(from + W));                 \
                } else {                                                       \
                    memset(to, 0, 2 * GEMM_VECTOR_BYTES);                      \
                    memcpy(to, from, (size_t)width * sizeof(T));               \
                }                                                              \
                to += 2 * W;                                                   \
                from += g->ldb;                                                \
            }                                                                  \
        }                                                                      \
    }

// Some rows of A times a block of B, the latter in panels.
#define GEMM_BLOCKED(sfx, T)                                                   \
    static void gemm_block_##sfx(const GemmArgs *g, const T *a, const T *b,    \
                                 int64_t rows, int64_t columns, int64_t depth, \
                                 T *c, bool resume)                            \
    {                                                                          \
        enum { W = GEMM_VECTOR_BYTES / sizeof(T) };                            \
        for (int64_t j = 0; j < columns; j += 2 * W) {                         \
            int64_t width = columns - j < 2 * W ? columns - j : 2 * W;         \
            gemm_strip_##sfx(rows, width, depth, a, g->lda, 1, b + j * depth,  \
                             2 * W, c + j, g->ldc, resume);                    \
        }                                                                      \
    }                                                                          \
    static void gemm_##sfx(const GemmArgs *g)                                  \
    {                                                                          \
        enum { DEPTH = GEMM_DEPTH_BYTES / sizeof(T) };                         \
        if (!gemm_wants_work(g->m, g->n, g->k)) {                              \
            gemm_direct_##sfx(g);                                              \
            return;                                                            \
        }                                                                      \
        T *b = g->work;                                                        \
        for (int64_t j = 0; j < g->n; j += GEMM_COLUMNS) {                     \
            int64_t columns = g->n - j;                                        \
            columns = columns < GEMM_COLUMNS ? columns : GEMM_COLUMNS;         \
            for (int64_t k = 0; k < g->k; k += DEPTH) {                        \
                int64_t depth = g->k - k < DEPTH ? g->k - k : DEPTH;           \
                pack_b_##sfx(g, k, depth, j, columns, b);                      \
                for (int64_t i = 0; i < g->m; i += GEMM_BLOCK) {               \
                    int64_t rows = g->m - i;                                   \
                    rows = rows < GEMM_BLOCK ? rows : GEMM_BLOCK;              \
                    gemm_block_##sfx(g, (const T *)g->a + i * g->lda + k, b,   \
                                     rows, columns, depth,                     \
                                     (T *)g->c + i * g->ldc + j, k > 0);       \
                }                                                              \
            }                                                                  \
        }                                                                      \
    }

// The parts of one type, each built on those before.
#define GEMM(sfx, T)                                                           \
    GEMM_TILE(sfx, T)                                                          \
    GEMM_STRIP(sfx, T)                                                         \
    GEMM_DIRECT(sfx, T)                                                        \
    GEMM_PACK(sfx, T)                                                          \
    GEMM_BLOCKED(sfx, T)
GEMM(f32, float)
GEMM(f64, double)
GEMM(i32, int32_t)
GEMM(i64, int64_t)

#endif
