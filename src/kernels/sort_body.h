// Keys of numbers, and ints that are sorted. Included by tier_body.h alone.
#ifndef DUET_KERNELS_SORT_BODY_H
#define DUET_KERNELS_SORT_BODY_H

#include "kernels/sort_number.h"

// Runs of which neither has steps are vectors.
#define SORT_MOVES(name, sfx, To, From, function)                              \
    static inline void name##_run_##sfx(                                       \
        To *restrict to, int64_t to_step, const From *restrict from,           \
        int64_t from_step, int64_t n, bool down)                               \
    {                                                                          \
        for (int64_t i = 0; i < n; i++) {                                      \
            to[i * to_step] = function(from[i * from_step], down);             \
        }                                                                      \
    }                                                                          \
    static void name##_##sfx(void *to, int64_t to_step, const void *from,      \
                             int64_t from_step, int64_t n, bool down)          \
    {                                                                          \
        if (to_step == 1 && from_step == 1) {                                  \
            name##_run_##sfx(to, 1, from, 1, n, down);                         \
        } else {                                                               \
            name##_run_##sfx(to, to_step, from, from_step, n, down);           \
        }                                                                      \
    }
#define SORT_KEYS(sfx, T, K)                                                   \
    SORT_MOVES(keys, sfx, K, T, key_##sfx)                                     \
    SORT_MOVES(numbers, sfx, T, K, number_##sfx)
SORT_KEYS(f32, float, int32_t)
SORT_KEYS(f64, double, int64_t)
SORT_KEYS(i32, int32_t, int32_t)
SORT_KEYS(i64, int64_t, int64_t)

// Columns of ints beside each other, each sorted by itself.
//
// Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2, M):
// which elements are compared does not depend on what they are, so that a
// column is a lane of the processor's vectors, all the way.
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

#if defined(__AVX512F__)
#define SORT_MOST_i32 INT32_MAX
#define SORT_MOST_i64 INT64_MAX
enum {
    SORT_FEW = 32,         // vectors that are left to a network
    SORT_POLLED = 1 << 18, // elements divided between two looks for Ctrl-C
    SORT_GOOD = 64         // divisions by sampled pivots, one within the other
};
#define ID(name) ID_WITH(name, SUFFIX)
#define ELEMENT int32_t
#define SUFFIX i32
#define EPI epi32
#define LANE_NUMBERS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#include "kernels/sort_vector.h"
#undef ELEMENT
#undef SUFFIX
#undef EPI
#undef LANE_NUMBERS
#define ELEMENT int64_t
#define SUFFIX i64
#define EPI epi64
#define LANE_NUMBERS 0, 1, 2, 3, 4, 5, 6, 7
#include "kernels/sort_vector.h"
#undef ELEMENT
#undef SUFFIX
#undef EPI
#undef LANE_NUMBERS
#undef ID
#endif

#endif
