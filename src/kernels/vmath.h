// exp and log for softmax, as branch-free C that the compiler vectorises: bit
// for bit what the bodies of the ops compute (loop_exp.c, loop_log.c). Included
// by tier_body.h alone.
#ifndef DUET_KERNELS_VMATH_H
#define DUET_KERNELS_VMATH_H

#include <math.h>

#include "kernels/loop_factors.h"
#include "kernels/power.h"

// exp: x = k ln 2 + r; a polynomial in r, then scaled by 2^k in two steps so
// that denormal results and overflow come out right. NaN passes the clamps.
static inline float vm_exp_f32(float x)
{
    // Beyond the clamps the result is 0 or infinity anyway, and the exponent's
    // arithmetic stays in range. At the lower one both powers of two are 0: an
    // underflow, as of a masked score, would cost a hundred cycles.
    float c = x < -176.0f ? -176.0f : x;
    c = c > 88.8f ? 88.8f : c;
    // Adding 1.5 * 2^23 rounds to a whole number, which then stands in the low
    // bits of t: no conversion instruction, no rounding mode.
    float t = fma32(c, 1.44269504f, 12582912.0f);
    float n = t - 12582912.0f;
    // ln 2 in two parts, of which n times the first is exact.
    float r = fma32(n, -0.693359375f, c);
    r = fma32(n, 2.12194440e-4f, r);
    float p = 0x1.685148p-10f;
    p = fma32(p, r, 0x1.123bd8p-7f);
    p = fma32(p, r, 0x1.555b98p-5f);
    p = fma32(p, r, 0x1.55548ep-3f);
    p = fma32(p, r, 0x1.fffff8p-2f);
    p = fma32(p * r, r, r);
    float y = power32(p, t);
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
    int32_t i = (int32_t)bits_of_float(scaled);
    // The exponent relative to sqrt(1/2), so that m is in [sqrt(1/2), sqrt(2))
    // and the result near x = 1 does not cancel.
    int32_t d = (int32_t)(((uint32_t)i - 0x3f3504f3u) & 0xff800000u);
    float m = float_of_bits((uint32_t)i - (uint32_t)d) - 1.0f;
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

// The same in float64.
static inline double vm_exp_f64(double x)
{
    double c = -1418.0 > x ? -1418.0 : x;
    c = 711.0 < c ? 711.0 : c;
    double t = fma64(c, INV_LN2_HIGH, 0x1.8p52), n = t - 0x1.8p52;
    double r = fma64(n, -LN2_HIGH, c), p = exp_64[0];
    r = fma64(n, -LN2_LOW, r);
    for (size_t i = 1; i < sizeof exp_64 / sizeof *exp_64; i++) {
        p = fma64(p, r, exp_64[i]);
    }
    p = fma64(r * r, p, r);
    double y = power64(p, t);
    return x != x ? x : y;
}

// As loop_log.c has it. Denormal numbers are rare among sums of powers: one
// multiplication serves all.
static inline double vm_log_f64(double x)
{
    int tiny = x < 0x1p-1022;
    double up = x * 0x1p54, scaled = tiny ? up : x, none = 0;
    uint64_t i = bits_of_double(scaled);
    uint64_t d = (i - 0x3fe6a09e667f3bcd) & 0xfff0000000000000;
    double f = double_of_bits(i - d) - 1;
    double e = (double)(int64_t)d * 0x1p-52 + (tiny ? -54.0 : 0.0);
    double sum = 2 + f, sum_low = f - (sum - 2);
    double s = f / sum;
    double rest = fma64(-s, sum_low, fma64(-s, sum, f) + none);
    double s_low = rest / sum, z = s * s;
    rest = log_64[0];
    for (size_t k = 1; k < sizeof log_64 / sizeof *log_64; k++) {
        rest = fma64(rest, z, log_64[k]);
    }
    rest = s * (z * (TWO_THIRDS_HIGH + rest * z));
    double part = 2 * s + rest, part_low = rest - (part - 2 * s);
    part_low += fma64(2, s_low, 0) + none / x;
    double whole = e * LN2_HIGH, all = whole + part, of_part = all - whole;
    double lost = (whole - (all - of_part)) + (part - of_part);
    lost += fma64(e, LN2_LOW, part_low);
    double rounded = all + lost, y = rounded + (lost - (rounded - all));
    y = x == (double)INFINITY ? x : y;
    y = x == 0 ? -(double)INFINITY : y;
    return !(x >= 0) ? (double)NAN : y;
}

#endif
