// fma32: a * b + c rounded once, the same bits on every tier.
//
// Without the instruction the product is exact in double; the sum is rounded
// to odd there (its last bit says that something was lost), so that rounding
// it to float again gives the singly rounded result.
#ifndef DUET_KERNELS_FMA_H
#define DUET_KERNELS_FMA_H

#include "base/float_bits.h"

#if defined(__FMA__)
static inline float fma32(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
#else
static inline float fma32(float a, float b, float c)
{
    double product = (double)a * (double)b, addend = (double)c;
    double sum = product + addend;
    double part = sum - product;
    double lost = (product - (sum - part)) + (addend - part);
    int64_t bits = (int64_t)bits_of_double(sum);
    // Towards the lost part, if the last bit is even; NaN compares false.
    int64_t inexact = (lost > 0) | (lost < 0);
    int64_t outward = (lost > 0) == (sum > 0);
    int64_t even = ~bits & 1;
    bits += (inexact & even) * (2 * outward - 1);
    return (float)double_of_bits((uint64_t)bits);
}
#endif

static inline double fma64(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

#endif
