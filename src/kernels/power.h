// 2^n (1 + p): the last step of exp, whose bits are the same on every tier.
#ifndef DUET_KERNELS_POWER_H
#define DUET_KERNELS_POWER_H

#include "base/float_bits.h"
#include "kernels/fma.h"

// t is n and 1.5 * 2^23, so that its low bits are n: shifted to the exponent's
// place they have lost the rest. In two steps, so that only the last one rounds
// denormal results, and overflows. p is of [-1/2, 1/2] and n of [-254, 254],
// or both are NaN.
static inline float power32(float p, float t)
{
    enum { PLACE = 23, BIAS = 127 };
    uint32_t n = bits_of_float(t), bias = (uint32_t)BIAS << PLACE;
    uint32_t half = n >> 1 << PLACE, rest = (n << PLACE) - half;
    float by = float_of_bits(rest + bias);
    return fma32(p, by, by) * float_of_bits(half + bias);
}

// t: with 1.5 * 2^52; n of [-2046, 2046].
static inline double power64(double p, double t)
{
    enum { PLACE = 52, BIAS = 1023 };
    uint64_t n = bits_of_double(t), bias = (uint64_t)BIAS << PLACE;
    uint64_t half = n >> 1 << PLACE, rest = (n << PLACE) - half;
    double by = double_of_bits(rest + bias);
    return fma64(p, by, by) * double_of_bits(half + bias);
}

#endif
