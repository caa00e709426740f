// log and what is made of it: see loop_pair.h for the logarithm of float64.
#include <math.h>

#include "kernels/loop_factors.h"
#include "kernels/loop_pair.h"

static LoopValue like(LoopBuild *build, LoopValue x, double number)
{
    return loop_like(build, x, number);
}

static LoopValue bits(LoopBuild *build, uint64_t number)
{
    return loop_bits(build, LT_I64, number);
}

// x = 2^e m with m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1):
// log(m) = 2 s + s³ (2/3 + 2/5 s² + …). What x.low is of x comes to it.
LoopLogarithm loop_logarithm(LoopBuild *build, LoopPair x, bool precise)
{
    LoopValue zero = like(build, x.high, 0), more = zero, taken = x.high;
    // Denormal numbers have no exponent to take apart; a float32 is none.
    if (!build->rough) {
        LoopValue tiny = loop_lt(build, x.high, like(build, zero, 0x1p-1022));
        LoopValue up = loop_mul(build, x.high, like(build, zero, 0x1p54));
        taken = loop_select(build, tiny, up, taken);
        more = loop_select(build, tiny, like(build, zero, -54), zero);
    }
    LoopValue i = loop_twin(build, taken);
    LoopValue d = loop_sub(build, i, bits(build, 0x3fe6a09e667f3bcd));
    d = loop_and(build, d, bits(build, 0xfff0000000000000));
    LoopValue f = loop_twin(build, loop_sub(build, i, d));
    f = loop_sub(build, f, like(build, f, 1));
    LoopValue e =
        loop_convert(build, loop_shr(build, d, bits(build, 32)), LT_I32);
    e = loop_sar(build, e, loop_number(build, LT_I32, 20));
    e = loop_add(build, loop_convert(build, e, LT_F64), more);
    LoopPair s = loop_pair_div(build, loop_pair_of(build, f),
                               loop_pair_join(build, like(build, f, 2), f));
    LoopPair z = precise ? loop_pair_mul(build, s, s)
                         : loop_pair_of(build, loop_mul(build, s.high, s.high));
    LoopValue rest = LOOP_SERIES(build, z.high, log);
    rest = loop_mul(build, rest, z.high);
    LoopPair first = loop_pair_like(build, f, TWO_THIRDS_HIGH, TWO_THIRDS_LOW);
    LoopPair p = loop_pair_join(build, first.high, rest);
    if (precise) {
        p.low = loop_add(build, p.low, first.low);
        p = loop_pair_mul(build, s, loop_pair_mul(build, z, p));
    } else {
        p.high = loop_mul(build, s.high, loop_mul(build, z.high, p.high));
        p.low = like(build, f, 0);
    }
    LoopValue two = like(build, f, 2);
    LoopPair part = loop_pair_join(build, loop_mul(build, two, s.high), p.high);
    LoopValue low = loop_fma(build, two, s.low, p.low);
    low = loop_add(build, low, loop_div(build, x.low, x.high));
    return (LoopLogarithm){{part.high, loop_add(build, part.low, low)}, e};
}

// whole times a constant, of which the first part is exact, and the rest.
static LoopPair with_whole(LoopBuild *build, LoopLogarithm log, double high,
                           double low)
{
    LoopValue e = log.whole;
    if (build->rough) {
        return loop_pair_of(
            build,
            loop_fma(build, e, like(build, e, high + low), log.part.high));
    }
    LoopPair sum = loop_pair_sum(
        build, loop_mul(build, e, like(build, e, high)), log.part.high);
    LoopValue rest = loop_fma(build, e, like(build, e, low), log.part.low);
    return loop_pair_join(build, sum.high, loop_add(build, sum.low, rest));
}

LoopPair loop_logarithm_pair(LoopBuild *build, LoopLogarithm log)
{
    return with_whole(build, log, LN2_HIGH, LN2_LOW);
}

// y, but where x is 0, infinite, below 0 or no number.
static LoopValue edges(LoopBuild *build, LoopValue x, LoopValue y)
{
    LoopValue zero = like(build, x, 0), infinite = like(build, x, INFINITY);
    y = loop_select(build, loop_eq(build, x, infinite), x, y);
    y = loop_select(build, loop_eq(build, x, zero), like(build, x, -INFINITY),
                    y);
    return loop_select(build, loop_le(build, zero, x), y, like(build, x, NAN));
}

static LoopValue log_of_pair(LoopBuild *build, LoopPair x)
{
    return loop_pair_round(
        build, loop_logarithm_pair(build, loop_logarithm(build, x, false)));
}

// vmath.h says how, operation by operation the same.
static LoopValue log_single(LoopBuild *build, LoopValue x)
{
    static const double factors[] = {
        -7.6239757239818572998046875e-2, 0.1290909349918365478515625,
        -0.132445633411407470703125,     0.1418113410472869873046875,
        -0.1660876572132110595703125,    0.20002003014087677001953125,
        -0.2500160038471221923828125,    0.3333332538604736328125,
        -0.49999988079071044921875};
    LoopValue tiny = loop_lt(build, x, like(build, x, 0x1p-126));
    LoopValue up = loop_mul(build, x, like(build, x, 8388608));
    LoopValue i = loop_twin(build, loop_select(build, tiny, up, x));
    LoopValue d = loop_sub(build, i, loop_bits(build, LT_I32, 0x3f3504f3));
    d = loop_and(build, d, loop_bits(build, LT_I32, 0xff800000));
    LoopValue m = loop_twin(build, loop_sub(build, i, d));
    m = loop_sub(build, m, like(build, x, 1));
    LoopValue e = loop_sar(build, d, loop_number(build, LT_I32, 23));
    e = loop_add(
        build, loop_select(build, tiny, like(build, x, -23), like(build, x, 0)),
        loop_convert(build, e, LT_F32));
    LoopValue p = loop_polynomial(build, m, true, factors, 9);
    LoopValue low = loop_mul(build, e, like(build, x, -2.12194440e-4f));
    LoopValue r = loop_fma(build, loop_mul(build, p, m), m, low);
    return loop_fma(build, e, like(build, x, 0.693359375),
                    loop_add(build, m, r));
}

LoopValue loop_log(LoopBuild *build, LoopValue x)
{
    return edges(build, x,
                 loop_is_single(build, x)
                     ? log_single(build, x)
                     : log_of_pair(build, loop_pair_of(build, x)));
}

// Of 1 + x as a pair. 0 keeps its sign. Without its low part the sum forgets
// what is small, whose logarithm is x - x² / 2 to 2^-40.
LoopValue loop_log1p(LoopBuild *build, LoopValue x)
{
    LoopPair u = loop_pair_sum(build, like(build, x, 1), x);
    LoopValue y = edges(build, u.high, log_of_pair(build, u));
    if (build->rough) {
        LoopValue near = loop_mul(build, x, like(build, x, -0.5));
        near = loop_fma(build, near, x, x);
        LoopValue small =
            loop_lt(build, loop_magnitude(build, x), like(build, x, 0x1p-19));
        return loop_select(build, small, near, y);
    }
    return loop_keep_zero(build, x, y);
}

// Powers of the base come out whole: their part is 0, or what is lacking is
// beyond the last place.
static LoopValue log_to_base(LoopBuild *build, LoopValue x, LoopPair one,
                             double high, double low)
{
    LoopLogarithm log = loop_logarithm(build, loop_pair_of(build, x), false);
    log.part = loop_pair_mul(build, log.part, one);
    return edges(build, x,
                 loop_pair_round(build, with_whole(build, log, high, low)));
}

LoopValue loop_log2(LoopBuild *build, LoopValue x)
{
    return log_to_base(
        build, x, loop_pair_like(build, x, INV_LN2_HIGH, INV_LN2_LOW), 1, 0);
}

LoopValue loop_log10(LoopBuild *build, LoopValue x)
{
    return log_to_base(build, x,
                       loop_pair_like(build, x, LOG10_E_HIGH, LOG10_E_LOW),
                       LOG10_2_HIGH, LOG10_2_LOW);
}

// log(x + sqrt(x² + more)); beyond 2^60, where squares may overflow, log(2 x).
static LoopValue inverse_hyperbolic(LoopBuild *build, LoopValue x, double more)
{
    LoopValue far = loop_lt(build, like(build, x, 0x1p60), x);
    LoopPair square = loop_pair_product(build, x, x);
    square =
        loop_pair_add(build, square, loop_pair_of(build, like(build, x, more)));
    LoopPair sum = loop_pair_add(build, loop_pair_sqrt(build, square),
                                 loop_pair_of(build, x));
    LoopLogarithm log = loop_logarithm(
        build, loop_pair_select(build, far, loop_pair_of(build, x), sum),
        false);
    LoopValue one = like(build, x, 1);
    log.whole = loop_add(build, log.whole,
                         loop_select(build, far, one, like(build, x, 0)));
    return loop_pair_round(build, loop_logarithm_pair(build, log));
}

// x + factor x³: what does not count beside 1, or to 2^-38 in what is rough.
static LoopValue beside_one(LoopBuild *build, LoopValue x, double factor)
{
    LoopValue cube = loop_mul(build, loop_mul(build, x, x), x);
    return loop_fma(build, cube, like(build, x, factor), x);
}

LoopValue loop_asinh(LoopBuild *build, LoopValue x)
{
    LoopValue a = loop_magnitude(build, x);
    LoopValue y = inverse_hyperbolic(build, a, 1);
    LoopValue small =
        loop_lt(build, a, like(build, a, build->rough ? 0x1p-9 : 0x1p-28));
    y = loop_select(build, small, beside_one(build, a, -1.0 / 6), y);
    LoopValue finite = loop_lt(build, a, like(build, a, INFINITY));
    return loop_copysign(build, loop_select(build, finite, y, a), x);
}

LoopValue loop_acosh(LoopBuild *build, LoopValue x)
{
    LoopValue y = inverse_hyperbolic(build, x, -1);
    LoopValue infinite = like(build, x, INFINITY);
    y = loop_select(build, loop_eq(build, x, infinite), x, y);
    return loop_select(build, loop_le(build, like(build, x, 1), x), y,
                       like(build, x, NAN));
}

// log(1 + 2 a / (1 - a)) / 2.
LoopValue loop_atanh(LoopBuild *build, LoopValue x)
{
    LoopValue a = loop_magnitude(build, x), one = like(build, a, 1);
    LoopPair q =
        loop_pair_div(build, loop_pair_of(build, loop_add(build, a, a)),
                      loop_pair_join(build, one, loop_negative(build, a)));
    LoopPair u = loop_pair_add(build, loop_pair_of(build, one), q);
    LoopValue y = loop_mul(build, log_of_pair(build, u), like(build, a, 0.5));
    LoopValue small =
        loop_lt(build, a, like(build, a, build->rough ? 0x1p-9 : 0x1p-28));
    y = loop_select(build, small, beside_one(build, a, 1.0 / 3), y);
    y = loop_select(build, loop_eq(build, a, one), like(build, a, INFINITY), y);
    y = loop_select(build, loop_le(build, a, one), y, like(build, a, NAN));
    return loop_copysign(build, y, x);
}

// log(u) z / (u - 1), where u is 1 + z rounded: the error of rounding divides
// out.
static LoopValue log1p_single(LoopBuild *build, LoopValue z)
{
    LoopValue one = like(build, z, 1), zero = like(build, z, 0);
    LoopValue u = loop_add(build, one, z), d = loop_sub(build, u, one);
    LoopValue none = loop_eq(build, d, zero);
    LoopValue share = loop_div(build, z, loop_select(build, none, one, d));
    LoopValue y = loop_mul(build, loop_log(build, u), share);
    return loop_select(build, none, z, y);
}

LoopValue loop_softplus(LoopBuild *build, LoopValue x)
{
    LoopValue z = loop_exp_down(build, x), zero = like(build, x, 0);
    LoopValue y = loop_is_single(build, x) ? log1p_single(build, z)
                                           : loop_log1p(build, z);
    LoopValue above = loop_max(build, x, zero);
    LoopValue nan = loop_ne(build, x, x);
    return loop_add(build, loop_add(build, above, y),
                    loop_select(build, nan, x, zero));
}

// From the larger operand. Two equal ones may be infinities, whose difference
// is NaN.
LoopValue loop_logaddexp(LoopBuild *build, LoopValue x, LoopValue y)
{
    LoopValue same = loop_eq(build, x, y), above = loop_lt(build, y, x);
    LoopValue high = loop_select(build, above, x, y);
    LoopValue low = loop_select(build, above, y, x);
    LoopValue z = loop_exp(build, loop_sub(build, low, high));
    z = loop_add(build, high, loop_log1p(build, z));
    LoopValue nan = loop_or(build, loop_ne(build, x, x), loop_ne(build, y, y));
    z = loop_select(build, nan, loop_add(build, x, y), z);
    LoopValue twice = loop_add(build, x, like(build, x, LN2_HIGH + LN2_LOW));
    return loop_select(build, same, twice, z);
}
