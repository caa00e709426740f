// Sums of products side by side (kernels/lanes.h), for all tiers. Included by
// tier_body.h alone, behind the matrix products, whose vectors it uses.
#ifndef DUET_KERNELS_LANES_BODY_H
#define DUET_KERNELS_LANES_BODY_H

#include "kernels/lanes.h"

#if defined(__AVX2__) && defined(__FMA__)

// Rows by vectors of sums stay in registers, which hides how long an fma takes.
enum { LANES_ROWS = 6, LANES_VECTORS = 2 };

// A tile of one vector masks it.
#define LANES(sfx, T)                                                          \
    VECTOR V_##sfx lanes_load_##sfx(const T *p, bool whole, M_##sfx some)      \
    {                                                                          \
        return whole ? load_##sfx(p) : load_some_##sfx(p, some);               \
    }                                                                          \
    VECTOR void lanes_tile_##sfx(const int rows, const int vectors,            \
                                 const LanesArgs *g, int64_t i, int64_t j)     \
    {                                                                          \
        enum { W = sizeof(V_##sfx) / sizeof(T) };                              \
        const T *a = (const T *)g->a + i * g->a_row + j;                       \
        const T *b = (const T *)g->b + j;                                      \
        T *c = (T *)g->c + i * g->c_row + j;                                   \
        const bool whole = vectors > 1;                                        \
        const M_##sfx some = mask_##sfx(g->n - j < W ? g->n - j : W);          \
        V_##sfx sums[LANES_ROWS][LANES_VECTORS];                               \
        EACH(rows, r)                                                          \
        EACH(vectors, v)                                                       \
        {                                                                      \
            const T *from = c + r * g->c_row + v * W;                          \
            sums[r][v] = g->resume ? lanes_load_##sfx(from, whole, some)       \
                                   : zero_##sfx();                             \
        }                                                                      \
        for (int64_t turn = 0; turn < g->turns; turn++) {                      \
            const T *p = a + turn * g->a_turn, *q = b + turn * g->b_turn;      \
            for (int64_t t = 0; t < g->k; t++) {                               \
                EACH(vectors, v)                                               \
                {                                                              \
                    V_##sfx factor = lanes_load_##sfx(q + v * W, whole, some); \
                    EACH(rows, r)                                              \
                    {                                                          \
                        V_##sfx other = lanes_load_##sfx(                      \
                            p + r * g->a_row + v * W, whole, some);            \
                        sums[r][v] = madd_##sfx(other, factor, sums[r][v]);    \
                    }                                                          \
                }                                                              \
                p += g->a_step;                                                \
                q += g->b_step;                                                \
            }                                                                  \
        }                                                                      \
        EACH(rows, r)                                                          \
        EACH(vectors, v)                                                       \
        {                                                                      \
            T *to = c + r * g->c_row + v * W;                                  \
            if (whole) {                                                       \
                store_##sfx(to, sums[r][v]);                                   \
            } else {                                                           \
                store_some_##sfx(to, some, sums[r][v]);                        \
            }                                                                  \
        }                                                                      \
    }                                                                          \
    VECTOR void lanes_rows_##sfx(const int rows, const LanesArgs *g,           \
                                 int64_t i)                                    \
    {                                                                          \
        enum { W = sizeof(V_##sfx) / sizeof(T) };                              \
        int64_t j = 0;                                                         \
        for (; j + LANES_VECTORS * W <= g->n; j += LANES_VECTORS * W) {        \
            lanes_tile_##sfx(rows, LANES_VECTORS, g, i, j);                    \
        }                                                                      \
        for (; j < g->n; j += W) {                                             \
            lanes_tile_##sfx(rows, 1, g, i, j);                                \
        }                                                                      \
    }                                                                          \
    static void lanes_##sfx(const LanesArgs *g)                                \
    {                                                                          \
        int64_t i = 0;                                                         \
        for (; i + LANES_ROWS <= g->m; i += LANES_ROWS) {                      \
            lanes_rows_##sfx(LANES_ROWS, g, i);                                \
        }                                                                      \
        switch (g->m - i) {                                                    \
        case 5: lanes_rows_##sfx(5, g, i); break;                              \
        case 4: lanes_rows_##sfx(4, g, i); break;                              \
        case 3: lanes_rows_##sfx(3, g, i); break;                              \
        case 2: lanes_rows_##sfx(2, g, i); break;                              \
        case 1: lanes_rows_##sfx(1, g, i); break;                              \
        default: break;                                                        \
        }                                                                      \
    }

#else

#define LANES(sfx, T)                                                          \
    static void lanes_##sfx(const LanesArgs *g)                                \
    {                                                                          \
        for (int64_t i = 0; i < g->m; i++) {                                   \
            T *c = (T *)g->c + i * g->c_row;                                   \
            if (!g->resume) {                                                  \
                memset(c, 0, (size_t)g->n * sizeof(T));                        \
            }                                                                  \
            for (int64_t t = 0; t < g->turns * g->k; t++) {                    \
                int64_t turn = t / g->k, step = t % g->k;                      \
                const T *a = (const T *)g->a + i * g->a_row +                  \
                             turn * g->a_turn + step * g->a_step;              \
                const T *b =                                                   \
                    (const T *)g->b + turn * g->b_turn + step * g->b_step;     \
                for (int64_t j = 0; j < g->n; j++) {                           \
                    c[j] = FMA_##sfx(a[j], b[j], c[j]);                        \
                }                                                              \
            }                                                                  \
        }                                                                      \
    }

#endif

LANES(f32, float)
LANES(f64, double)
#undef LANES

#endif
