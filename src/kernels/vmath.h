// exp and log for softmax, as branch-free C that the compiler vectorises: bit
// for bit what the bodies of the ops compute (loop_math.c). Included by
// tier_body.h alone.
#ifndef DUET_KERNELS_VMATH_H
#define DUET_KERNELS_VMATH_H

#include <math.h>

// memcpy, since reading a float through an int pointer is undefined; the
// compiler makes it a move between registers.
static inline float float_of_bits(int32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}
static inline int32_t bits_of_float(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// exp: x = k ln 2 + r; a polynomial in r, then scaled by 2^k in two steps so
// that denormal results and overflow come out right. NaN passes the clamps.
static inline float vm_exp_f32(float x)
{
    // Beyond the clamps the result is 0 or infinity anyway, and the exponent's
    // arithmetic stays in range.
    float c = x < -104.0f ? -104.0f : x;
    c = c > 88.8f ? 88.8f : c;
    // Adding 1.5 * 2^23 rounds to a whole number, which then stands in the low
    // bits of t: no conversion instruction, no rounding mode.
    float t = fma32(c, 1.44269504f, 12582912.0f);
    float n = t - 12582912.0f;
    int32_t k = bits_of_float(t) - 0x4B400000;
    // ln 2 in two parts, of which n times the first is exact.
    float r = fma32(n, -0.693359375f, c);
    r = fma32(n, 2.12194440e-4f, r);
    float p = 0x1.685148p-10f;
    p = fma32(p, r, 0x1.123bd8p-7f);
    p = fma32(p, r, 0x1.555b98p-5f);
    p = fma32(p, r, 0x1.55548ep-3f);
    p = fma32(p, r, 0x1.fffff8p-2f);
    p = fma32(p * r, r, r) + 1.0f;
    int32_t k1 = k >> 1, k2 = k - k1;
    float y = p * float_of_bits((int32_t)((uint32_t)(k1 + 127) << 23)) *
              float_of_bits((int32_t)((uint32_t)(k2 + 127) << 23));
    return x != x ? x : y;
}

// log: x = m 2^e with m near 1; a polynomial in m - 1.
static inline float vm_log_f32(float x)
{
    // Denormal numbers have no exponent to take apart: they are scaled by 2^23
    // first.
    int tiny = x < 1.17549435e-38f;
    float scaled = tiny ? x * 8388608.0f : x;
    float e0 = tiny ? -23.0f : 0.0f;
    int32_t i = bits_of_float(scaled);
    // The exponent relative to sqrt(1/2), so that m is in [sqrt(1/2), sqrt(2))
    // and the result near x = 1 does not cancel.
    int32_t d = (int32_t)(((uint32_t)i - 0x3f3504f3u) & 0xff800000u);
    float m = float_of_bits((int32_t)((uint32_t)i - (uint32_t)d)) - 1.0f;
    float e = e0 + (float)(d >> 23);
    float p = -7.6239757239818572998046875e-2f;
    p = fma32(p, m, 0.1290909349918365478515625f);
    p = fma32(p, m, -0.132445633411407470703125f);
    p = fma32(p, m, 0.1418113410472869873046875f);
    p = fma32(p, m, -0.1660876572132110595703125f);
    p = fma32(p, m, 0.20002003014087677001953125f);
    p = fma32(p, m, -0.2500160038471221923828125f);
    p = fma32(p, m, 0.3333332538604736328125f);
    p = fma32(p, m, -0.49999988079071044921875f);
    float r = fma32(p * m, m, e * -2.12194440e-4f);
    r = fma32(e, 0.693359375f, m + r);
    // Infinity stays, 0 gives minus infinity, below 0 and NaN give NaN.
    r = x > 3.4028235e38f ? x : r;
    r = x == 0 ? -INFINITY : r;
    return !(x >= 0) ? NAN : r;
}

static inline double vm_exp_f64(double x)
{
    return exp(x);
}
static inline double vm_log_f64(double x)
{
    return log(x);
}

#endif
