// Columns of ints beside each other, each sorted by itself. Included by
// tier_body.h alone.
//
// Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2, M):
// which elements are compared does not depend on what they are, so that a
// column is a lane of the processor's vectors, all the way.
#ifndef DUET_KERNELS_SORT_BODY_H
#define DUET_KERNELS_SORT_BODY_H

#define SORT_COLUMNS(sfx, T)                                                   \
    /* The lesser ones of two runs of `n` rows to the first. */                \
    static inline void exchange_##sfx(T *restrict low, T *restrict high,       \
                                      int64_t n)                               \
    {                                                                          \
        enum { LANES = SORT_BYTES / sizeof(T) };                               \
        for (int64_t i = 0; i < n; i++) {                                      \
            for (int64_t k = i * LANES; k < (i + 1) * LANES; k++) {            \
                T a = low[k], b = high[k];                                     \
                low[k] = a < b ? a : b;                                        \
                high[k] = a < b ? b : a;                                       \
            }                                                                  \
        }                                                                      \
    }                                                                          \
    static void sort_columns_##sfx(void *columns, int64_t n)                   \
    {                                                                          \
        enum { LANES = SORT_BYTES / sizeof(T) };                               \
        T *keys = columns;                                                     \
        int64_t top = 1;                                                       \
        while (top < n - top) {                                                \
            top *= 2;                                                          \
        }                                                                      \
        for (int64_t part = n > 1 ? top : 0; part > 0; part /= 2) {            \
            int64_t apart = part, first = 0;                                   \
            for (int64_t reach = top; reach >= part; reach /= 2) {             \
                for (int64_t i = first; i + apart < n; i += 2 * part) {        \
                    int64_t left = n - apart - i;                              \
                    T *low = keys + i * LANES;                                 \
                    exchange_##sfx(low, low + apart * LANES,                   \
                                   left < part ? left : part);                 \
                }                                                              \
                apart = reach - part;                                          \
                first = part;                                                  \
            }                                                                  \
        }                                                                      \
    }

SORT_COLUMNS(i32, int32_t)
SORT_COLUMNS(i64, int64_t)
#undef SORT_COLUMNS

#endif
