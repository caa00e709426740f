// Mathematical functions of one float, as branch-free C that the compiler
// vectorises. Included by tier_body.h alone.
//
// float: polynomials with fma32 (exp, log, tanh, sigmoid, erf) or evaluated
// in double and rounded once (all others). Errors in units of the last place
// are in docs/adding-an-op.md; tests/unit/kernels measures them.
#ifndef DUET_KERNELS_VMATH_H
#define DUET_KERNELS_VMATH_H

#include <math.h>

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
    float c = x < -104.0f ? -104.0f : x;
    c = c > 88.8f ? 88.8f : c;
    float t = fma32(c, 1.44269504f, 12582912.0f);
    float n = t - 12582912.0f;
    int32_t k = bits_of_float(t) - 0x4B400000;
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
    int tiny = x < 1.17549435e-38f;
    float scaled = tiny ? x * 8388608.0f : x;
    float e0 = tiny ? -23.0f : 0.0f;
    int32_t i = bits_of_float(scaled);
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

#define VM_LIBM1(name)                                                        \
    static inline float vm_##name##_f32(float x)                              \
    {                                                                         \
        return (float)name((double)x);                                        \
    }                                                                         \
    VM_LIBM1_64(name)
#define VM_LIBM1_64(name)                                                     \
    static inline double vm_##name##_f64(double x)                            \
    {                                                                         \
        return name(x);                                                       \
    }
#define VM_LIBM2(name)                                                        \
    static inline float vm_##name##_f32(float x, float y)                     \
    {                                                                         \
        return (float)name((double)x, (double)y);                             \
    }                                                                         \
    static inline double vm_##name##_f64(double x, double y)                  \
    {                                                                         \
        return name(x, y);                                                    \
    }
VM_LIBM1_64(exp)
VM_LIBM1_64(log)
VM_LIBM1(expm1)
VM_LIBM1(log1p)
VM_LIBM1(log2)
VM_LIBM1(log10)
VM_LIBM1(sin)
VM_LIBM1(cos)
VM_LIBM1(tan)
VM_LIBM1(asin)
VM_LIBM1(acos)
VM_LIBM1(atan)
VM_LIBM1(sinh)
VM_LIBM1(cosh)
VM_LIBM1(tanh)
VM_LIBM1(asinh)
VM_LIBM1(acosh)
VM_LIBM1(atanh)
VM_LIBM1(erf)
VM_LIBM2(pow)
VM_LIBM2(atan2)
VM_LIBM2(hypot)

// log(exp(x) + exp(y)) and log(1 + exp(x)), from the larger argument.
static inline double vm_logaddexp_f64(double x, double y)
{
    if (x == y) {
        return x + 0.69314718055994530942;
    }
    double high = x > y ? x : y, low = x > y ? y : x;
    return ((x != x) | (y != y)) ? x + y : high + log1p(exp(low - high));
}
static inline float vm_logaddexp_f32(float x, float y)
{
    return (float)vm_logaddexp_f64((double)x, (double)y);
}
static inline double vm_softplus_f64(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-vm_abs_f64(x))) + (x != x ? x : 0);
}
static inline float vm_softplus_f32(float x)
{
    return (float)vm_softplus_f64((double)x);
}
static inline double vm_gelu_f64(double x)
{
    return 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static inline float vm_gelu_f32(float x)
{
    return (float)vm_gelu_f64((double)x);
}

#endif
