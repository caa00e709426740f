// Matrix products in portable C, for machines without AVX2: the definition
// that gemm_body.h must give the same bits as. Included by tier_body.h alone.
#ifndef DUET_KERNELS_GEMM_PLAIN_H
#define DUET_KERNELS_GEMM_PLAIN_H

// One fma for each product, as the vector tiers have it: a multiplication and
// an addition would round twice.
#define FMA_f32(a, b, c) fma32(a, b, c)
#define FMA_f64(a, b, c) fma64(a, b, c)
// A row of C is the innermost loop, so that B is read in its own order and
// each element still accumulates in order of k.
#define GEMM(sfx, T)                                                           \
    static void gemm_##sfx(const GemmArgs *g)                                  \
    {                                                                          \
        const T *a = g->a, *b = g->b;                                          \
        T *c = g->c;                                                           \
        for (int64_t i = 0; i < g->m; i++) {                                   \
            T *row = c + i * g->c_row;                                         \
            if (!g->resume) {                                                  \
                memset(row, 0, (size_t)g->n * sizeof(T));                      \
            }                                                                  \
            for (int64_t k = 0; k < g->k; k++) {                               \
                T factor = a[i * g->a_row + k * g->a_step];                    \
                const T *from = b + k * g->b_row;                              \
                INDEPENDENT                                                    \
                for (int64_t j = 0; j < g->n; j++) {                           \
                    row[j] = FMA_##sfx(factor, from[j * g->b_step], row[j]);   \
                }                                                              \
            }                                                                  \
        }                                                                      \
    }
GEMM(f32, float)
GEMM(f64, double)

// Integers: panels of one 64-byte vector of columns, copied and padded with
// zeros, against GEMM_ROWS rows at a time in registers.
enum { GEMM_DEPTH = 256, GEMM_ROWS = 5 };

// Integers may add in any order without a change, so they need no rule.
#define GEMM_INT(sfx, T, U)                                                    \
    typedef U vector_##sfx __attribute__((vector_size(64)));                   \
    static inline void gemm_rows_##sfx(                                        \
        const GemmArgs *g, int64_t row, int64_t rows, int64_t k0,              \
        int64_t depth, int64_t column, size_t bytes,                           \
        const vector_##sfx *panel)                                             \
    {                                                                          \
        vector_##sfx sums[GEMM_ROWS] = {{0}};                                  \
        const T *a[GEMM_ROWS];                                                 \
        T *c = (T *)g->c + row * g->c_row + column;                            \
        for (int64_t r = 0; r < GEMM_ROWS; r++) {                              \
            int64_t own = r < rows ? r : 0;                                    \
            a[r] = (const T *)g->a + (row + own) * g->a_row + k0 * g->a_step;  \
            if (g->resume || k0 > 0) {                                         \
                memcpy(&sums[r], c + own * g->c_row, bytes);                   \
            }                                                                  \
        }                                                                      \
        for (int64_t k = 0; k < depth; k++) {                                  \
            vector_##sfx b = panel[k];                                         \
            for (int64_t r = 0; r < GEMM_ROWS; r++) {                          \
                sums[r] += b * (U)a[r][k * g->a_step];                         \
            }                                                                  \
        }                                                                      \
        for (int64_t r = 0; r < rows; r++) {                                   \
            memcpy(c + r * g->c_row, &sums[r], bytes);                         \
        }                                                                      \
    }                                                                          \
    static void gemm_##sfx(const GemmArgs *g)                                  \
    {                                                                          \
        enum { WIDTH = 64 / sizeof(T) };                                       \
        vector_##sfx panel[GEMM_DEPTH];                                        \
        for (int64_t j = 0; j < g->n; j += WIDTH) {                            \
            int64_t width = g->n - j < WIDTH ? g->n - j : WIDTH;               \
            size_t bytes = (size_t)width * sizeof(T);                          \
            int64_t k0 = 0;                                                    \
            do {                                                               \
                int64_t depth = g->k - k0;                                     \
                depth = depth < GEMM_DEPTH ? depth : GEMM_DEPTH;               \
                for (int64_t k = 0; k < depth; k++) {                          \
                    panel[k] = (vector_##sfx){0};                              \
                    const T *from =                                            \
                        (const T *)g->b + (k0 + k) * g->b_row + j * g->b_step; \
                    for (int64_t v = 0; v < width; v++) {                      \
                        panel[k][v] = (U)from[v * g->b_step];                  \
                    }                                                          \
                }                                                              \
                for (int64_t i = 0; i < g->m; i += GEMM_ROWS) {                \
                    int64_t rows = g->m - i;                                   \
                    rows = rows < GEMM_ROWS ? rows : GEMM_ROWS;                \
                    gemm_rows_##sfx(g, i, rows, k0, depth, j, bytes, panel);   \
                }                                                              \
                k0 += depth;                                                   \
            } while (k0 < g->k);                                               \
        }                                                                      \
    }
// Unsigned lanes wrap; signed ones would be undefined on overflow.
GEMM_INT(i32, int32_t, uint32_t)
GEMM_INT(i64, int64_t, uint64_t)

#endif
