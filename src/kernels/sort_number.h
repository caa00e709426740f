// Numbers as ints of their order, and back.
#ifndef DUET_KERNELS_SORT_NUMBER_H
#define DUET_KERNELS_SORT_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A float's key is its bits as an int, those of negative numbers turned, which
// has the numbers' order: zeros are equal, and NaN is the greatest, whichever
// way the order goes.
#define FLOAT_KEYS(sfx, T, K, MOST)                                            \
    static inline K key_##sfx(T number, bool down)                             \
    {                                                                          \
        K bits;                                                                \
        T x = number + 0;                                                      \
        memcpy(&bits, &x, sizeof bits);                                        \
        bits ^= bits >> (8 * sizeof bits - 1) & MOST;                          \
        return x != x ? MOST : down ? ~bits : bits;                            \
    }                                                                          \
    static inline T number_##sfx(K key, bool down)                             \
    {                                                                          \
        K bits = down ? ~key : key;                                            \
        T x;                                                                   \
        bits ^= bits >> (8 * sizeof bits - 1) & MOST;                          \
        memcpy(&x, &bits, sizeof x);                                           \
        return key == MOST ? (T)NAN : x;                                       \
    }
#define INT_KEYS(sfx, T)                                                       \
    static inline T key_##sfx(T x, bool down)                                  \
    {                                                                          \
        return down ? ~x : x;                                                  \
    }                                                                          \
    static inline T number_##sfx(T key, bool down)                             \
    {                                                                          \
        return down ? ~key : key;                                              \
    }
FLOAT_KEYS(f32, float, int32_t, INT32_MAX)
FLOAT_KEYS(f64, double, int64_t, INT64_MAX)
INT_KEYS(i32, int32_t)
INT_KEYS(i64, int64_t)

#endif
