// Conversions and mathematical functions as loop bodies. How exp and log of
// float32 work is explained in vmath.h, operation by operation the same; others
// are computed in double, or there by libm, and rounded once. What is computed
// in double stands in loop_math64.c.
#include "kernels/loop_math.h"

#include <math.h>

LoopValue loop_not(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    LoopType type = loop_type(build, x);
    uint64_t ones = type == LT_I32 ? UINT32_MAX : UINT64_MAX;
    return loop_xor(build, x, loop_bits(build, type, ones));
}

// Two halves of the integer, each put into the fraction of a float64 of known
// exponent. Taking the exponents off again is exact; the sum rounds once.
LoopValue loop_float_of_long(LoopBuild *build, LoopValue x)
{
    LoopValue low = loop_and(build, x, loop_bits(build, LT_I64, UINT32_MAX));
    LoopValue high = loop_shr(build, x, loop_bits(build, LT_I64, 32));
    low = loop_or(build, low, loop_bits(build, LT_I64, 0x4330000000000000));
    high = loop_xor(build, high, loop_bits(build, LT_I64, 0x4530000080000000));
    LoopValue bias = loop_bits(build, LT_F64, 0x4530000080100000);
    high = loop_sub(build, loop_twin(build, high), bias);
    return loop_add(build, high, loop_twin(build, low));
}

LoopValue loop_convert(LoopBuild *build, LoopValue x, LoopType to)
{
    static const uint8_t prims[] = {PRIM_TO_F32, PRIM_TO_F64, PRIM_TO_I32,
                                    PRIM_TO_I64};
    if (x == LOOP_NONE) {
        return x;
    }
    LoopType from = loop_type(build, x);
    if (from == to) {
        return x;
    }
    if (to == LT_MASK) {
        return loop_ne(build, x, loop_like(build, x, 0));
    }
    if (from == LT_MASK) {
        return loop_select(build, x, loop_number(build, to, 1),
                           loop_number(build, to, 0));
    }
    if (from == LT_I64 && to == LT_F64) {
        return loop_float_of_long(build, x);
    }
    if (from == LT_F32 && to == LT_I64) {
        x = loop_prim(build, PRIM_TO_F64, x, 0, 0);
    }
    return loop_prim(build, (LoopPrim)prims[to], x, 0, 0);
}

// The bits of a float without its sign, or that alone.
static LoopValue masked(LoopBuild *build, LoopValue x, bool sign)
{
    LoopValue bits = loop_twin(build, x);
    if (bits == LOOP_NONE) {
        return bits;
    }
    LoopType type = loop_type(build, bits);
    uint64_t top = type == LT_I32 ? 0x80000000u : (uint64_t)1 << 63;
    return loop_and(build, bits, loop_bits(build, type, sign ? top : top - 1));
}

LoopValue loop_magnitude(LoopBuild *build, LoopValue x)
{
    return loop_twin(build, masked(build, x, false));
}

LoopValue loop_sign_bit(LoopBuild *build, LoopValue x)
{
    return loop_twin(build, masked(build, x, true));
}

LoopValue loop_copysign(LoopBuild *build, LoopValue x, LoopValue y)
{
    return loop_twin(
        build, loop_or(build, masked(build, x, false), masked(build, y, true)));
}

LoopValue loop_polynomial(LoopBuild *build, LoopValue x, bool fused,
                          const double *factors, int count)
{
    LoopValue sum = loop_like(build, x, factors[0]);
    for (int i = 1; i < count; i++) {
        LoopValue next = loop_like(build, x, factors[i]);
        sum = fused ? loop_fma(build, sum, x, next)
                    : loop_add(build, loop_mul(build, sum, x), next);
    }
    return sum;
}

// 2 to the power of a small int, as a float.
static LoopValue power_of_two(LoopBuild *build, LoopValue k)
{
    LoopValue biased = loop_add(build, k, loop_number(build, LT_I32, 127));
    return loop_twin(build,
                     loop_shl(build, biased, loop_number(build, LT_I32, 23)));
}

LoopValue loop_negative(LoopBuild *build, LoopValue x)
{
    return loop_sub(build, loop_like(build, x, -0.0), x);
}

LoopValue loop_double(LoopBuild *build, LoopPrim op, LoopValue x, LoopValue y)
{
    if (x == LOOP_NONE || y == LOOP_NONE) {
        return LOOP_NONE;
    }
    LoopType type = loop_type(build, x);
    x = loop_convert(build, x, LT_F64);
    y = loop_arity(op) > 1 ? loop_convert(build, y, LT_F64) : 0;
    return loop_convert(build, loop_prim(build, op, x, y, 0), type);
}

static bool is_single(const LoopBuild *build, LoopValue x)
{
    return x != LOOP_NONE && loop_type(build, x) == LT_F32;
}

LoopValue loop_exp(LoopBuild *build, LoopValue x)
{
    static const double factors[] = {0x1.685148p-10, 0x1.123bd8p-7,
                                     0x1.555b98p-5, 0x1.55548ep-3,
                                     0x1.fffff8p-2};
    if (!is_single(build, x)) {
        return loop_exp64(build, x);
    }
    // A NaN passes both clamps, as their second operand.
    LoopValue c = loop_max(build, loop_like(build, x, -104), x);
    c = loop_min(build, loop_like(build, x, 88.8f), c);
    LoopValue magic = loop_like(build, x, 12582912);
    LoopValue t = loop_fma(build, c, loop_like(build, x, 1.44269504f), magic);
    LoopValue n = loop_sub(build, t, magic);
    LoopValue k = loop_sub(build, loop_twin(build, t),
                           loop_number(build, LT_I32, 0x4B400000));
    LoopValue r = loop_fma(build, n, loop_like(build, x, -0.693359375), c);
    r = loop_fma(build, n, loop_like(build, x, 2.12194440e-4f), r);
    LoopValue p = loop_polynomial(build, r, true, factors, 5);
    p = loop_fma(build, loop_mul(build, p, r), r, r);
    p = loop_add(build, p, loop_like(build, x, 1));
    LoopValue half = loop_sar(build, k, loop_number(build, LT_I32, 1));
    LoopValue rest = loop_sub(build, k, half);
    p = loop_mul(build, p, power_of_two(build, half));
    return loop_mul(build, p, power_of_two(build, rest));
}

LoopValue loop_log(LoopBuild *build, LoopValue x)
{
    static const double factors[] = {
        -7.6239757239818572998046875e-2, 0.1290909349918365478515625,
        -0.132445633411407470703125,     0.1418113410472869873046875,
        -0.1660876572132110595703125,    0.20002003014087677001953125,
        -0.2500160038471221923828125,    0.3333332538604736328125,
        -0.49999988079071044921875};
    if (!is_single(build, x)) {
        return loop_log64(build, x);
    }
    LoopValue zero = loop_like(build, x, 0);
    LoopValue tiny = loop_lt(build, x, loop_like(build, x, 0x1p-126));
    LoopValue up = loop_mul(build, x, loop_like(build, x, 8388608));
    LoopValue i = loop_twin(build, loop_select(build, tiny, up, x));
    LoopValue d = loop_sub(build, i, loop_bits(build, LT_I32, 0x3f3504f3));
    d = loop_and(build, d, loop_bits(build, LT_I32, 0xff800000));
    LoopValue m = loop_twin(build, loop_sub(build, i, d));
    m = loop_sub(build, m, loop_like(build, x, 1));
    LoopValue e = loop_sar(build, d, loop_number(build, LT_I32, 23));
    e = loop_add(build,
                 loop_select(build, tiny, loop_like(build, x, -23), zero),
                 loop_convert(build, e, LT_F32));
    LoopValue p = loop_polynomial(build, m, true, factors, 9);
    LoopValue low = loop_mul(build, e, loop_like(build, x, -2.12194440e-4f));
    LoopValue r = loop_fma(build, loop_mul(build, p, m), m, low);
    r = loop_fma(build, e, loop_like(build, x, 0.693359375),
                 loop_add(build, m, r));
    LoopValue infinite = loop_like(build, x, INFINITY);
    r = loop_select(build, loop_eq(build, x, infinite), x, r);
    r = loop_select(build, loop_eq(build, x, zero),
                    loop_like(build, x, -INFINITY), r);
    return loop_select(build, loop_le(build, zero, x), r,
                       loop_like(build, x, NAN));
}

// exp(-|x|): the sign is set, whatever it was.
static LoopValue exp_down(LoopBuild *build, LoopValue x)
{
    LoopValue minus = loop_like(build, x, -0.0);
    return loop_exp(build, loop_copysign(build, x, minus));
}

LoopValue loop_sigmoid(LoopBuild *build, LoopValue x)
{
    LoopValue z = exp_down(build, x), one = loop_like(build, x, 1);
    LoopValue below = loop_lt(build, x, loop_like(build, x, 0));
    return loop_div(build, loop_select(build, below, z, one),
                    loop_add(build, one, z));
}

// log(u) z / (u - 1), where u is 1 + z rounded: the error of rounding divides
// out.
static LoopValue log1p_single(LoopBuild *build, LoopValue z)
{
    LoopValue one = loop_like(build, z, 1), zero = loop_like(build, z, 0);
    LoopValue u = loop_add(build, one, z), d = loop_sub(build, u, one);
    LoopValue none = loop_eq(build, d, zero);
    LoopValue share = loop_div(build, z, loop_select(build, none, one, d));
    LoopValue y = loop_mul(build, loop_log(build, u), share);
    return loop_select(build, none, z, y);
}

LoopValue loop_softplus(LoopBuild *build, LoopValue x)
{
    LoopValue z = exp_down(build, x), zero = loop_like(build, x, 0);
    LoopValue y = is_single(build, x) ? log1p_single(build, z)
                                      : loop_double(build, PRIM_LOG1P, z, z);
    LoopValue above = loop_max(build, x, zero);
    LoopValue nan = loop_ne(build, x, x);
    return loop_add(build, loop_add(build, above, y),
                    loop_select(build, nan, x, zero));
}

// x p(x²) / q(x²) of |x| up to `most`, in double, with the sign of x.
static LoopValue odd_quotient(LoopBuild *build, LoopValue x, double limit,
                              double most, const double *p, int p_count,
                              const double *q, int q_count)
{
    LoopValue a = loop_convert(build, loop_magnitude(build, x), LT_F64);
    LoopValue beyond = loop_lt(build, loop_like(build, a, limit), a);
    LoopValue c = loop_select(build, beyond, loop_like(build, a, most), a);
    LoopValue t = loop_mul(build, c, c);
    LoopValue above = loop_polynomial(build, t, false, p, p_count);
    LoopValue y = loop_div(build, loop_mul(build, c, above),
                           loop_polynomial(build, t, false, q, q_count));
    // A NaN passes, as the second operand.
    y = loop_min(build, loop_like(build, y, 1), y);
    return loop_copysign(build, loop_convert(build, y, LT_F32), x);
}

LoopValue loop_tanh(LoopBuild *build, LoopValue x)
{
    static const double p[] = {1.4080999477528167e-08, 2.1121508325450122e-05,
                               0.0035263567697256804, 0.13406839966773987, 1};
    static const double q[] = {8.07009030268091e-07, 0.00033361910027451813,
                               0.02599373832345009, 0.4674016237258911, 1};
    if (!is_single(build, x)) {
        return loop_double(build, PRIM_TANH, x, x);
    }
    return odd_quotient(build, x, (double)9.1f, 9.1, p, 5, q, 5);
}

LoopValue loop_erf(LoopBuild *build, LoopValue x)
{
    static const double p[] = {2.0499862785072764e-06, 0.00028482420020736754,
                               0.003764139488339424,   0.052744027227163315,
                               0.19037561118602753,    1.1283791065216064};
    static const double q[] = {3.80876190320123e-05, 0.0011621310841292143,
                               0.014966258779168129, 0.11409580707550049,
                               0.5020487308502197,   1};
    if (!is_single(build, x)) {
        return loop_double(build, PRIM_ERF, x, x);
    }
    return odd_quotient(build, x, (double)3.93f, 3.93, p, 6, q, 6);
}

// erfc instead of 1 + erf: for x far below 0 the sum would cancel.
LoopValue loop_gelu(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    LoopValue wide = loop_convert(build, x, LT_F64);
    LoopValue share = loop_mul(build, loop_negative(build, wide),
                               loop_like(build, wide, 0.70710678118654752440));
    share = loop_double(build, PRIM_ERFC, share, share);
    LoopValue half = loop_mul(build, loop_like(build, wide, 0.5), wide);
    return loop_convert(build, loop_mul(build, half, share),
                        loop_type(build, x));
}

// From the larger operand. Two equal ones may be infinities, whose difference
// is NaN.
LoopValue loop_logaddexp(LoopBuild *build, LoopValue x, LoopValue y)
{
    if (x == LOOP_NONE || y == LOOP_NONE) {
        return LOOP_NONE;
    }
    LoopType type = loop_type(build, x);
    x = loop_convert(build, x, LT_F64);
    y = loop_convert(build, y, LT_F64);
    LoopValue same = loop_eq(build, x, y), above = loop_lt(build, y, x);
    LoopValue high = loop_select(build, above, x, y);
    LoopValue low = loop_select(build, above, y, x);
    LoopValue z = loop_exp64(build, loop_sub(build, low, high));
    z = loop_add(build, high, loop_double(build, PRIM_LOG1P, z, z));
    LoopValue nan = loop_or(build, loop_ne(build, x, x), loop_ne(build, y, y));
    z = loop_select(build, nan, loop_add(build, x, y), z);
    LoopValue twice =
        loop_add(build, x, loop_like(build, x, 0.69314718055994530942));
    return loop_convert(build, loop_select(build, same, twice, z), type);
}
