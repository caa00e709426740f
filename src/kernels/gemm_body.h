// Matrix products. Included by tier_body.h alone.
//
// Each element of C accumulates a[i][k] * b[k][j] in order of k: floats with
// fma from +0, integers modulo their width. Blocking never splits k, so every
// blocking and every tier gives the same bits.
#ifndef DUET_KERNELS_GEMM_BODY_H
#define DUET_KERNELS_GEMM_BODY_H

#define FMA_f32(a, b, c) fma32(a, b, c)
#define FMA_f64(a, b, c) fma64(a, b, c)
#define FMA_i32(a, b, c)                                                      \
    (int32_t)((uint32_t)(a) * (uint32_t)(b) + (uint32_t)(c))
#define FMA_i64(a, b, c)                                                      \
    (int64_t)((uint64_t)(a) * (uint64_t)(b) + (uint64_t)(c))

#define GEMM(sfx, T)                                                          \
    static void gemm_##sfx(const GemmArgs *g)                                 \
    {                                                                         \
        const T *a = g->a, *b = g->b;                                         \
        T *c = g->c;                                                          \
        for (int64_t i = 0; i < g->m; i++) {                                  \
            T *row = c + i * g->ldc;                                          \
            memset(row, 0, (size_t)g->n * sizeof(T));                         \
            for (int64_t k = 0; k < g->k; k++) {                              \
                T factor = a[i * g->lda + k];                                 \
                const T *from = b + k * g->ldb;                               \
                INDEPENDENT                                                   \
                for (int64_t j = 0; j < g->n; j++) {                          \
                    row[j] = FMA_##sfx(factor, from[j], row[j]);              \
                }                                                             \
            }                                                                 \
        }                                                                     \
    }
GEMM(f32, float)
GEMM(f64, double)
GEMM(i32, int32_t)
GEMM(i64, int64_t)

#endif
