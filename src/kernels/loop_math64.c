// Mathematical functions that are computed in double, with fma where the result
// is one: the same bits on every machine. tests/unit/kernels/test_accuracy.c
// bounds the errors.
#include <math.h>

#include "kernels/loop_math.h"

// Adding it rounds to a whole number, which then stands in the low bits.
#define MAGIC 0x1.8p52
// ln 2 in two parts, of which the first times an exponent is exact.
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33

static LoopValue from_bits(LoopBuild *build, uint64_t bits)
{
    return loop_bits(build, LT_I64, bits);
}

// 2 to the power of the whole number n, which MAGIC is added to.
static LoopValue power_of_two(LoopBuild *build, LoopValue n)
{
    LoopValue biased =
        loop_add(build, loop_twin(build, n), from_bits(build, 1023));
    return loop_twin(build, loop_shl(build, biased, from_bits(build, 52)));
}

// x = n ln 2 + r; the series of exp in r, |r| <= ln 2 / 2, scaled by 2^n in two
// steps, so that denormal results and overflow come out right. NaN passes the
// clamps as their second operand.
LoopValue loop_exp64(LoopBuild *build, LoopValue x)
{
    static const double factors[] = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
        1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
        1.0 / 120,        1.0 / 24,        1.0 / 6,        0.5};
    LoopValue magic = loop_like(build, x, MAGIC);
    LoopValue c = loop_max(build, loop_like(build, x, -750), x);
    c = loop_min(build, loop_like(build, x, 711), c);
    LoopValue t =
        loop_fma(build, c, loop_like(build, x, 1.44269504088896340736), magic);
    LoopValue n = loop_sub(build, t, magic);
    LoopValue r = loop_fma(build, n, loop_like(build, x, -LN2_HIGH), c);
    r = loop_fma(build, n, loop_like(build, x, -LN2_LOW), r);
    LoopValue p = loop_polynomial(build, r, true, factors, 12);
    p = loop_fma(build, loop_mul(build, p, r), r, r);
    p = loop_add(build, p, loop_like(build, x, 1));
    LoopValue half = loop_fma(build, n, loop_like(build, x, 0.5), magic);
    LoopValue rest = loop_sub(build, n, loop_sub(build, half, magic));
    p = loop_mul(build, p, power_of_two(build, half));
    rest = loop_add(build, rest, magic);
    return loop_mul(build, p, power_of_two(build, rest));
}

// x = 2^e m with m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f / (2 + f): the
// series log(1 + f) = 2 s + 2 s^3 / 3 + …, where 2 s is taken as f - s f so
// that f, which is exact, comes in last.
LoopValue loop_log64(LoopBuild *build, LoopValue x)
{
    static const double factors[] = {2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17,
                                     2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9,
                                     2.0 / 7,  2.0 / 5,  2.0 / 3};
    LoopValue zero = loop_like(build, x, 0);
    // Denormal numbers have no exponent to take apart.
    LoopValue tiny = loop_lt(build, x, loop_like(build, x, 0x1p-1022));
    LoopValue up = loop_mul(build, x, loop_like(build, x, 0x1p54));
    LoopValue i = loop_twin(build, loop_select(build, tiny, up, x));
    LoopValue d = loop_sub(build, i, from_bits(build, 0x3fe6a09e667f3bcd));
    d = loop_and(build, d, from_bits(build, 0xfff0000000000000));
    LoopValue f = loop_twin(build, loop_sub(build, i, d));
    f = loop_sub(build, f, loop_like(build, x, 1));
    LoopValue e = loop_mul(build, loop_float_of_long(build, d),
                           loop_like(build, x, 0x1p-52));
    e = loop_add(build, e,
                 loop_select(build, tiny, loop_like(build, x, -54), zero));
    LoopValue s =
        loop_div(build, f, loop_add(build, f, loop_like(build, x, 2)));
    LoopValue z = loop_mul(build, s, s);
    LoopValue sum =
        loop_mul(build, z, loop_polynomial(build, z, true, factors, 11));
    LoopValue square =
        loop_mul(build, loop_mul(build, loop_like(build, x, 0.5), f), f);
    sum = loop_mul(build, s, loop_add(build, square, sum));
    sum = loop_fma(build, e, loop_like(build, x, LN2_LOW), sum);
    sum = loop_sub(build, loop_sub(build, square, sum), f);
    LoopValue high = loop_mul(build, e, loop_like(build, x, LN2_HIGH));
    LoopValue r = loop_sub(build, high, sum);
    r = loop_select(build, loop_eq(build, x, loop_like(build, x, INFINITY)), x,
                    r);
    r = loop_select(build, loop_eq(build, x, zero),
                    loop_like(build, x, -INFINITY), r);
    return loop_select(build, loop_le(build, zero, x), r,
                       loop_like(build, x, NAN));
}

// sin, cos and tan: x = n pi/2 + r with n whole, pi/2 in three parts whose
// products with n are exact up to FAR, and the series of sin and cos in r,
// |r| <= pi/4, of so many terms as a float32 or a float64 needs.
#define FAR 1e6

typedef struct Turned {
    bool single;            // for a float32
    LoopValue wide;         // x
    LoopValue sine, cosine; // of r
    LoopValue quarter;      // n; its last two bits count
} Turned;

static LoopValue times_plus(LoopBuild *build, const Turned *t, LoopValue x,
                            LoopValue y, LoopValue z)
{
    return t->single ? loop_add(build, loop_mul(build, x, y), z)
                     : loop_fma(build, x, y, z);
}

static Turned turn(LoopBuild *build, LoopValue x)
{
    static const double odd[] = {1.0 / 355687428096000,
                                 -1.0 / 1307674368000,
                                 1.0 / 6227020800,
                                 -1.0 / 39916800,
                                 1.0 / 362880,
                                 -1.0 / 5040,
                                 1.0 / 120,
                                 -1.0 / 6};
    static const double even[] = {-1.0 / 6402373705728000,
                                  1.0 / 20922789888000,
                                  -1.0 / 87178291200,
                                  1.0 / 479001600,
                                  -1.0 / 3628800,
                                  1.0 / 40320,
                                  -1.0 / 720,
                                  1.0 / 24,
                                  -0.5};
    static const double parts[] = {0x1.921fb544p0, 0x1.0b4611a6p-34,
                                   0x1.3198a2e037073p-69};
    Turned t = {.single = loop_type(build, x) == LT_F32,
                .wide = loop_convert(build, x, LT_F64)};
    LoopValue r = t.wide, magic = loop_like(build, r, MAGIC);
    LoopValue n =
        loop_mul(build, r, loop_like(build, r, 0.63661977236758134308));
    n = loop_add(build, n, magic);
    t.quarter = loop_twin(build, n);
    n = loop_sub(build, n, magic);
    for (int i = 0; i < 3; i++) {
        LoopValue part = loop_mul(build, n, loop_like(build, r, parts[i]));
        r = loop_sub(build, r, part);
    }
    int less = t.single ? 3 : 0;
    LoopValue s = loop_mul(build, r, r);
    LoopValue p = loop_polynomial(build, s, !t.single, odd + less, 8 - less);
    t.sine = times_plus(build, &t, loop_mul(build, p, s), r, r);
    p = loop_polynomial(build, s, !t.single, even + less, 9 - less);
    t.cosine = times_plus(build, &t, p, s, loop_like(build, s, 1));
    return t;
}

static LoopValue has_bit(LoopBuild *build, LoopValue n, uint64_t bit)
{
    return loop_ne(build, loop_and(build, n, from_bits(build, bit)),
                   from_bits(build, 0));
}

// The sine after `more` quarter turns.
static LoopValue turned_sine(LoopBuild *build, Turned t, uint64_t more)
{
    LoopValue q = loop_add(build, t.quarter, from_bits(build, more));
    LoopValue y = loop_select(build, has_bit(build, q, 1), t.cosine, t.sine);
    return loop_select(build, has_bit(build, q, 2), loop_negative(build, y), y);
}

// libm's function where x is far, or no number.
static LoopValue unless_far(LoopBuild *build, LoopPrim rare, Turned t,
                            LoopValue near)
{
    LoopValue most = loop_like(build, t.wide, FAR);
    LoopValue far =
        loop_not(build, loop_le(build, loop_magnitude(build, t.wide), most));
    LoopValue y = loop_prim(build, rare, t.wide, near, far);
    return t.single ? loop_convert(build, y, LT_F32) : y;
}

// -0.0 stays.
static LoopValue keep_zero(LoopBuild *build, LoopValue x, LoopValue y)
{
    return loop_select(build, loop_eq(build, x, loop_like(build, x, 0)), x, y);
}

LoopValue loop_sin(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    Turned t = turn(build, x);
    LoopValue y = turned_sine(build, t, 0);
    return keep_zero(build, x, unless_far(build, PRIM_RARE_SIN, t, y));
}

LoopValue loop_cos(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    Turned t = turn(build, x);
    return unless_far(build, PRIM_RARE_COS, t, turned_sine(build, t, 1));
}

// cos(r) and sin(r) are never both near 0: the quotient keeps its accuracy up
// to the poles.
LoopValue loop_tan(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    Turned t = turn(build, x);
    LoopValue y =
        loop_div(build, turned_sine(build, t, 0), turned_sine(build, t, 1));
    return keep_zero(build, x, unless_far(build, PRIM_RARE_TAN, t, y));
}
