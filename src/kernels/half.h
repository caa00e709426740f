// float16 and bfloat16: two bytes in memory, float32 wherever anything is
// computed. To a half it is rounded to nearest even; of a NaN float16 keeps
// the high bits, as processors do, bfloat16 the sign, as TensorFlow does.
#ifndef DUET_KERNELS_HALF_H
#define DUET_KERNELS_HALF_H

#include "base/float_bits.h"

// Without branches, so that loops of it become vectors.
static inline float f16_widen(uint16_t half)
{
    uint32_t rest = half & 0x7FFFu;
    // Exponents are 112 further on; infinity's and NaN's twice as far.
    uint32_t normal = (rest << 13) + (112u << 23);
    normal += rest >= 0x7C00 ? 112u << 23 : 0;
    normal |= rest > 0x7C00 ? 1u << 22 : 0;
    uint32_t small = bits_of_float((float)(int32_t)rest * 0x1p-24f);
    return float_of_bits((half & 0x8000u) << 16 |
                         (rest < 0x400 ? small : normal));
}
static inline uint16_t f16_round(float x)
{
    uint32_t bits = bits_of_float(x), size = bits & 0x7FFFFFFF;
    uint32_t normal = (size + 0xFFF + (size >> 13 & 1)) >> 13;
    normal -= 112u << 10;
    // Below the normal ones the last place is that of 0.5.
    uint32_t small =
        bits_of_float(float_of_bits(size) + 0.5f) - bits_of_float(0.5f);
    uint32_t half = size < 0x38800000 ? small : normal;
    half = size >= 0x47800000 ? 0x7C00 : half;
    half = size > 0x7F800000 ? 0x7E00 | (size >> 13 & 0x3FF) : half;
    return (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)half;
}
// Rounded once, as NumPy does it: by way of a float32 that is cut, and odd if
// anything was cut off.
static inline uint16_t f16_of_double(double x)
{
    float single = (float)x;
    double back = (double)single;
    uint32_t bits = bits_of_float(single);
    if (back < x || back > x) {
        // Rounded away from 0: the one before.
        bits -= (back > x) == (x > 0);
        bits |= 1;
    }
    return f16_round(float_of_bits(bits));
}
static inline float bf16_widen(uint16_t half)
{
    return float_of_bits((uint32_t)half << 16);
}
static inline uint16_t bf16_round(float x)
{
    uint32_t bits = bits_of_float(x);
    uint32_t half = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    uint32_t nan = (bits >> 16 & 0x8000) | 0x7FC0;
    return (uint16_t)((bits & 0x7FFFFFFF) > 0x7F800000 ? nan : half);
}

#endif
