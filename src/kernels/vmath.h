// Mathematical functions of one float, as branch-free C that the compiler
// vectorises. Included by tier_body.h alone.
//
// float: polynomials with fma32 (exp, log, sigmoid, softplus), own ones in
// double (tanh, erf, sin, cos, tan), or libm's in double, rounded once (all
// others). tests/unit/kernels bounds the errors in units of the last place.
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

// The sign bit is cleared: NaN stays NaN, -0.0 becomes 0.0.
static inline float vm_abs_f32(float x)
{
    return __builtin_fabsf(x);
}
static inline double vm_abs_f64(double x)
{
    return __builtin_fabs(x);
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

// 1 / (1 + exp(-x)), from exp(-|x|) so that nothing overflows.
static inline float vm_sigmoid_f32(float x)
{
    float z = vm_exp_f32(-vm_abs_f32(x));
    return (x < 0 ? z : 1.0f) / (1.0f + z);
}
static inline double vm_sigmoid_f64(double x)
{
    double z = exp(-vm_abs_f64(x));
    return (x < 0 ? z : 1.0) / (1.0 + z);
}

// tanh and erf: x p(x²) / q(x²) up to where the result rounds to 1, in double
// and rounded once. Odd, so that the sign is put back at the end; NaN passes
// the clamps.
static inline float vm_tanh_f32(float x)
{
    float a = vm_abs_f32(x);
    double c = a > 9.1f ? 9.1 : (double)a, t = c * c;
    double p = 1.4080999477528167e-08;
    p = p * t + 2.1121508325450122e-05;
    p = p * t + 0.0035263567697256804;
    p = p * t + 0.13406839966773987;
    p = p * t + 1.0;
    double q = 8.07009030268091e-07;
    q = q * t + 0.00033361910027451813;
    q = q * t + 0.02599373832345009;
    q = q * t + 0.4674016237258911;
    q = q * t + 1.0;
    double y = c * p / q;
    y = y > 1 ? 1 : y;
    return __builtin_copysignf((float)y, x);
}
static inline float vm_erf_f32(float x)
{
    float a = vm_abs_f32(x);
    double c = a > 3.93f ? 3.93 : (double)a, t = c * c;
    double p = 2.0499862785072764e-06;
    p = p * t + 0.00028482420020736754;
    p = p * t + 0.003764139488339424;
    p = p * t + 0.052744027227163315;
    p = p * t + 0.19037561118602753;
    p = p * t + 1.1283791065216064;
    double q = 3.80876190320123e-05;
    q = q * t + 0.0011621310841292143;
    q = q * t + 0.014966258779168129;
    q = q * t + 0.11409580707550049;
    q = q * t + 0.5020487308502197;
    q = q * t + 1.0;
    double y = c * p / q;
    y = y > 1 ? 1 : y;
    return __builtin_copysignf((float)y, x);
}

// sin, cos and tan of floats, in double: x = n pi/2 + r with n whole, pi/2 in
// three parts whose products with n are exact, and the series of sin and cos
// in r, |r| <= pi/4. Good for |x| <= VM_TURNS; the loops take libm beyond.
#define VM_TURNS 1e6f

typedef struct Turned {
    double sine, cosine; // of r
    int64_t quarter;     // n; its last two bits count
} Turned;

static inline Turned vm_turn(double x)
{
    // The same trick as in exp, in double: n stands in t's low bits.
    double t = x * 0.63661977236758134308 + 0x1.8p52;
    double n = t - 0x1.8p52;
    int64_t bits;
    memcpy(&bits, &t, sizeof(bits));
    double r = x - n * 0x1.921fb544p0;
    r = r - n * 0x1.0b4611a6p-34;
    r = r - n * 0x1.3198a2e037073p-69;
    double s = r * r;
    // Taylor's coefficients: with |r| <= pi/4 and a float result they are
    // enough.
    double odd = -1.0 / 39916800;
    odd = odd * s + 1.0 / 362880;
    odd = odd * s - 1.0 / 5040;
    odd = odd * s + 1.0 / 120;
    odd = odd * s - 1.0 / 6;
    double even = 1.0 / 479001600;
    even = even * s - 1.0 / 3628800;
    even = even * s + 1.0 / 40320;
    even = even * s - 1.0 / 720;
    even = even * s + 1.0 / 24;
    even = even * s - 0.5;
    return (Turned){odd * s * r + r, even * s + 1.0, bits};
}

// The sine after `quarter` more quarter turns.
static inline double vm_turned_sine(Turned t, int64_t quarter)
{
    // Odd quarters exchange sine and cosine, the second bit turns the sign.
    int64_t q = t.quarter + quarter;
    double y = q & 1 ? t.cosine : t.sine;
    return q & 2 ? -y : y;
}
static inline float vm_sin_f32(float x)
{
    float y = (float)vm_turned_sine(vm_turn((double)x), 0);
    return x == 0 ? x : y; // keeps -0.0
}
static inline float vm_cos_f32(float x)
{
    return (float)vm_turned_sine(vm_turn((double)x), 1);
}
// cos(r) and sin(r) are never both near 0, so the quotient keeps its accuracy
// up to the poles.
static inline float vm_tan_f32(float x)
{
    Turned t = vm_turn((double)x);
    float y = (float)(vm_turned_sine(t, 0) / vm_turned_sine(t, 1));
    return x == 0 ? x : y;
}

// In double and rounded to float: nearly always the correctly rounded value,
// and the same on every machine whose libm is good to a float's precision.
#define VM_LIBM1(name)                                                         \
    static inline float vm_##name##_f32(float x)                               \
    {                                                                          \
        return (float)name((double)x);                                         \
    }                                                                          \
    VM_LIBM1_64(name)
#define VM_LIBM1_64(name)                                                      \
    static inline double vm_##name##_f64(double x)                             \
    {                                                                          \
        return name(x);                                                        \
    }
// The same for two arguments.
#define VM_LIBM2(name)                                                         \
    static inline float vm_##name##_f32(float x, float y)                      \
    {                                                                          \
        return (float)name((double)x, (double)y);                              \
    }                                                                          \
    static inline double vm_##name##_f64(double x, double y)                   \
    {                                                                          \
        return name(x, y);                                                     \
    }
VM_LIBM1_64(exp)
VM_LIBM1_64(log)
VM_LIBM1(expm1)
VM_LIBM1(log1p)
VM_LIBM1(log2)
VM_LIBM1(log10)
VM_LIBM1_64(sin)
VM_LIBM1_64(cos)
VM_LIBM1_64(tan)
VM_LIBM1(asin)
VM_LIBM1(acos)
VM_LIBM1(atan)
VM_LIBM1(sinh)
VM_LIBM1(cosh)
VM_LIBM1_64(tanh)
VM_LIBM1(asinh)
VM_LIBM1(acosh)
VM_LIBM1(atanh)
VM_LIBM1_64(erf)
VM_LIBM2(pow)
VM_LIBM2(atan2)
VM_LIBM2(hypot)

// log(exp(x) + exp(y)) and log(1 + exp(x)), from the larger argument.
static inline double vm_logaddexp_f64(double x, double y)
{
    // Also where both are the same infinity, whose difference would be NaN.
    if (x == y) {
        return x + 0.69314718055994530942;
    }
    double high = x > y ? x : y, low = x > y ? y : x;
    return ((x != x) | (y != y)) ? x + y : high + log1p(exp(low - high));
}
// Through double: the rounding errors of two steps vanish in the last one.
static inline float vm_logaddexp_f32(float x, float y)
{
    return (float)vm_logaddexp_f64((double)x, (double)y);
}
// From |x|, so that exp never overflows; the last term lets NaN through, which
// the comparison would turn into 0.
static inline double vm_softplus_f64(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-vm_abs_f64(x))) + (x != x ? x : 0);
}
// log(1 + z) as log(u) z / (u - 1), u = 1 + z rounded: the error of rounding
// divides out.
static inline float vm_softplus_f32(float x)
{
    float z = vm_exp_f32(-vm_abs_f32(x)), u = 1.0f + z, d = u - 1.0f;
    float y = vm_log_f32(u) * (z / (d == 0 ? 1.0f : d));
    y = d == 0 ? z : y;
    return (x > 0 ? x : 0) + y + (x != x ? x : 0);
}
// erfc instead of 1 + erf: for x far below 0 the sum would cancel.
static inline double vm_gelu_f64(double x)
{
    return 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static inline float vm_gelu_f32(float x)
{
    return (float)vm_gelu_f64((double)x);
}

#endif
