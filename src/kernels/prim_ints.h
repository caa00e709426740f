// Integer primitives that are more than an expression (prim_list.h).
#ifndef DUET_KERNELS_PRIM_INTS_H
#define DUET_KERNELS_PRIM_INTS_H

#include <stdint.h>

// Floored. C leaves division by 0 undefined, and that of the lowest value by
// -1.
static inline int64_t long_quotient(int64_t x, int64_t y)
{
    return y == 0    ? x >> 63
           : y == -1 ? (int64_t)(0 - (uint64_t)x)
                     : x / y - (x % y != 0 && (x < 0) != (y < 0));
}

// By squaring, modulo the width.
static inline int64_t long_power(int64_t x, int64_t y)
{
    uint64_t base = (uint64_t)x, result = 1;
    for (; y > 0; y >>= 1) {
        result *= y & 1 ? base : 1;
        base *= base;
    }
    return (int64_t)result;
}

#endif
