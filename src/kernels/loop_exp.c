// exp and what is made of it. float64 is computed to more than its precision
// before the last step; float32 has bodies of its own for exp and tanh, and is
// else computed in double.
#include <math.h>

#include "kernels/loop_factors.h"
#include "kernels/loop_pair.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
// Adding it rounds to a whole number, which then stands in the low bits.
#define MAGIC 0x1.8p52

static LoopValue like(LoopBuild *build, LoopValue x, double number)
{
    return loop_like(build, x, number);
}

// 2 to a whole number that a float64's exponent has room for.
static LoopValue power_of_two(LoopBuild *build, LoopValue whole)
{
    LoopValue bits =
        loop_twin(build, loop_add(build, whole, like(build, whole, MAGIC)));
    bits = loop_add(build, bits, loop_bits(build, LT_I64, 1023));
    return loop_twin(build,
                     loop_shl(build, bits, loop_bits(build, LT_I64, 52)));
}

// x times 2 to a whole number: in two steps, so that results that are denormal
// or overflow come out right, which are far beyond float32.
static LoopValue scale(LoopBuild *build, LoopValue x, LoopValue whole)
{
    if (build->rough) {
        return loop_mul(build, x, power_of_two(build, whole));
    }
    LoopValue magic = like(build, whole, MAGIC);
    LoopValue half = loop_fma(build, whole, like(build, whole, 0.5), magic);
    half = loop_sub(build, half, magic);
    x = loop_mul(build, x, power_of_two(build, half));
    return loop_mul(build, x,
                    power_of_two(build, loop_sub(build, whole, half)));
}

// e^x = 2^whole (1 + part).
typedef struct ExpParts {
    LoopPair part;
    LoopValue whole;
} ExpParts;

// x = n ln 2 + r; the series of e^r - 1, whose first term is added last. NaN
// passes the clamps to `least` and `most` as their second operand.
static ExpParts exp_parts(LoopBuild *build, LoopPair x, double least,
                          double most)
{
    if (build->rough) {
        // Further out than float32 reaches, and 2^n has room.
        least = fmax(least, -150);
        most = fmin(most, 150);
    }
    LoopValue magic = like(build, x.high, MAGIC);
    LoopValue c = loop_max(build, like(build, x.high, least), x.high);
    c = loop_min(build, like(build, x.high, most), c);
    LoopValue n = loop_fma(build, c, like(build, c, INV_LN2_HIGH), magic);
    n = loop_sub(build, n, magic);
    LoopPair ln2 = loop_pair_like(build, n, -LN2_HIGH, -LN2_LOW);
    ln2.high = build->rough ? like(build, n, -LN2_HIGH - LN2_LOW) : ln2.high;
    LoopValue r = loop_fma(build, n, ln2.high, c);
    LoopPair rest = loop_pair_sum(build, r, loop_mul(build, n, ln2.low));
    rest = loop_pair_join(build, rest.high, loop_add(build, rest.low, x.low));
    r = rest.high;
    LoopValue low = loop_fma(build, rest.low, r, rest.low);
    LoopValue q = LOOP_SERIES(build, r, exp);
    q = loop_fma(build, loop_mul(build, r, r), q, low);
    return (ExpParts){loop_pair_join(build, r, q), n};
}

// 2^whole (1 + part), in one part.
static LoopValue power_value(LoopBuild *build, ExpParts p)
{
    LoopPair sum = loop_pair_join(build, like(build, p.whole, 1), p.part.high);
    LoopValue low = loop_add(build, sum.low, p.part.low);
    return scale(build, loop_add(build, sum.high, low), p.whole);
}

// e^c - 1 of an exponent that has lost *n ln 2; *t is *n and a number in whose
// low bits it stands.
static LoopValue part_single(LoopBuild *build, LoopValue c, LoopValue *n,
                             LoopValue *t)
{
    static const double factors[] = {0x1.685148p-10, 0x1.123bd8p-7,
                                     0x1.555b98p-5, 0x1.55548ep-3,
                                     0x1.fffff8p-2};
    LoopValue magic = like(build, c, 12582912);
    *t = loop_fma(build, c, like(build, c, 1.44269504f), magic);
    *n = loop_sub(build, *t, magic);
    LoopValue r = loop_fma(build, *n, like(build, c, -0.693359375), c);
    r = loop_fma(build, *n, like(build, c, 2.12194440e-4f), r);
    LoopValue p = loop_polynomial(build, r, true, factors, 5);
    return loop_fma(build, loop_mul(build, p, r), r, r);
}

// Of one part, which is enough for less than one unit of the last place.
static LoopValue part_double(LoopBuild *build, LoopValue c, LoopValue *n,
                             LoopValue *t)
{
    LoopValue magic = like(build, c, MAGIC);
    *t = loop_fma(build, c, like(build, c, INV_LN2_HIGH), magic);
    *n = loop_sub(build, *t, magic);
    LoopValue r = loop_fma(build, *n, like(build, c, -LN2_HIGH), c);
    r = loop_fma(build, *n, like(build, c, -LN2_LOW), r);
    LoopValue p = LOOP_SERIES(build, r, exp);
    return loop_fma(build, loop_mul(build, r, r), p, r);
}

static LoopValue part_of(LoopBuild *build, LoopValue c, LoopValue *n,
                         LoopValue *t)
{
    return loop_is_single(build, c) ? part_single(build, c, n, t)
                                    : part_double(build, c, n, t);
}

// vmath.h says how, operation by operation the same; float64's is there too.
LoopValue loop_exp(LoopBuild *build, LoopValue x)
{
    bool single = loop_is_single(build, x);
    LoopValue n, t;
    LoopValue c = loop_max(build, like(build, x, single ? -176 : -1418), x);
    c = loop_min(build, like(build, x, single ? 88.8f : 711), c);
    LoopValue p = part_of(build, c, &n, &t);
    return loop_raise(build, p, n, t);
}

// The same where x is above 0, and of no more than 40: 2^n is a number.
static LoopValue exp_of_few(LoopBuild *build, LoopValue x)
{
    bool single = loop_is_single(build, x);
    LoopType type = single ? LT_I32 : LT_I64;
    LoopValue n, t, c = loop_min(build, like(build, x, 40), x);
    LoopValue p = part_of(build, c, &n, &t);
    LoopValue place = loop_bits(build, type, single ? 23 : 52);
    LoopValue bias =
        loop_shl(build, loop_bits(build, type, single ? 127 : 1023), place);
    LoopValue power = loop_shl(build, loop_twin(build, t), place);
    power = loop_twin(build, loop_add(build, power, bias));
    return loop_fma(build, p, power, power);
}

// 2^n (1 + s) - 1, of halves, since 2^1024 is none. Below -40 it is -1.
LoopValue loop_expm1(LoopBuild *build, LoopValue x)
{
    ExpParts p = exp_parts(build, loop_pair_of(build, x), -40, 710);
    LoopValue half =
        power_of_two(build, loop_sub(build, p.whole, like(build, p.whole, 1)));
    LoopPair less = loop_pair_sum(build, half, like(build, half, -0.5));
    LoopPair sum =
        loop_pair_sum(build, less.high, loop_mul(build, half, p.part.high));
    LoopValue low =
        loop_fma(build, half, p.part.low, loop_add(build, sum.low, less.low));
    LoopValue y = loop_add(build, sum.high, low);
    // The sum's lost part is no number where it overflows.
    y = loop_select(build, loop_lt(build, like(build, x, 709.79), x),
                    like(build, x, INFINITY), loop_add(build, y, y));
    LoopValue tiny =
        loop_lt(build, loop_magnitude(build, x), like(build, x, 0x1p-54));
    return loop_select(build, tiny, x, y);
}

// x + x z p, where p is a series of z = x².
static LoopValue odd_series(LoopBuild *build, LoopValue x, LoopValue z,
                            LoopValue p)
{
    return loop_fma(build, loop_mul(build, x, z), p, x);
}

// e^|x| / 2 + e^-|x| / 2, or less that. `odd`: the difference.
static LoopValue half_sum(LoopBuild *build, LoopValue x, bool odd)
{
    LoopValue a = loop_magnitude(build, x), one = like(build, a, 1);
    ExpParts p = exp_parts(build, loop_pair_of(build, a), 0, 711);
    LoopValue whole = loop_sub(build, p.whole, one);
    LoopPair sum = loop_pair_join(build, one, p.part.high);
    LoopValue low = loop_add(build, sum.low, p.part.low);
    LoopValue high = scale(build, sum.high, whole);
    LoopValue other = loop_div(build, like(build, high, 0.25), high);
    low = scale(build, low, whole);
    low = odd ? loop_sub(build, low, other) : loop_add(build, low, other);
    return loop_add(build, high, low);
}

LoopValue loop_cosh(LoopBuild *build, LoopValue x)
{
    return half_sum(build, x, false);
}

LoopValue loop_sinh(LoopBuild *build, LoopValue x)
{
    LoopValue far = half_sum(build, x, true), a = loop_magnitude(build, x);
    LoopValue z = loop_mul(build, a, a);
    LoopValue near = odd_series(build, a, z, LOOP_SERIES(build, z, sinh));
    LoopValue is_near = loop_lt(build, a, like(build, a, 1));
    return loop_copysign(build, loop_select(build, is_near, near, far), x);
}

// 1 - 2 / (e^2|x| + 1), which keeps its accuracy down to where the series ends,
// and is 1 from 20 on.
LoopValue loop_tanh(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    bool single = loop_is_single(build, x);
    LoopValue a = loop_magnitude(build, x), one = like(build, a, 1);
    LoopValue z = loop_mul(build, a, a);
    LoopValue p =
        single ? loop_polynomial(build, z, true, tanh_32, COUNT(tanh_32))
               : loop_polynomial(build, z, true, tanh_64, COUNT(tanh_64));
    LoopValue near = odd_series(build, a, z, p);
    LoopValue y = exp_of_few(build, loop_add(build, a, a));
    y = loop_div(build, like(build, a, 2), loop_add(build, y, one));
    y = loop_sub(build, one, y);
    LoopValue is_near = loop_lt(build, a, like(build, a, 0.625));
    return loop_copysign(build, loop_select(build, is_near, near, y), x);
}

// exp(-|x|): the sign is set, whatever it was.
LoopValue loop_exp_down(LoopBuild *build, LoopValue x)
{
    LoopValue bits = loop_twin(build, x);
    LoopValue sign = loop_twin(build, like(build, x, -0.0));
    return loop_exp(build, loop_twin(build, loop_or(build, bits, sign)));
}

LoopValue loop_sigmoid(LoopBuild *build, LoopValue x)
{
    LoopValue z = loop_exp_down(build, x), one = like(build, x, 1);
    LoopValue below = loop_lt(build, x, like(build, x, 0));
    return loop_div(build, loop_select(build, below, z, one),
                    loop_add(build, one, z));
}

// Whether y is whole, and odd.
static void look_at_exponent(LoopBuild *build, LoopValue y, LoopValue *whole,
                             LoopValue *odd)
{
    LoopValue half = loop_mul(build, y, like(build, y, 0.5));
    *whole = loop_eq(build, y, loop_prim(build, PRIM_RINT, y, 0, 0));
    *odd =
        loop_and(build, *whole,
                 loop_ne(build, half, loop_prim(build, PRIM_RINT, half, 0, 0)));
}

// e^(y log |x|), the product in two parts, so that the exponent is known to
// 2^-56. Beyond 800 it has no low part, and may be infinite.
LoopValue loop_pow(LoopBuild *build, LoopValue x, LoopValue y)
{
    if (x == LOOP_NONE || y == LOOP_NONE) {
        return LOOP_NONE;
    }
    LoopValue zero = like(build, x, 0), one = like(build, x, 1), whole, odd;
    LoopValue a = loop_magnitude(build, x), infinite = like(build, a, INFINITY);
    LoopPair log = loop_logarithm_pair(
        build, loop_logarithm(build, loop_pair_of(build, a), true));
    LoopValue none = loop_eq(build, a, zero);
    LoopValue high =
        loop_select(build, none, like(build, a, -INFINITY), log.high);
    // Infinity and NaN have no exponent to take apart.
    high = loop_select(build, loop_lt(build, a, infinite), high, a);
    LoopPair e = loop_pair_product(build, y, high);
    e.low = loop_fma(build, y, log.low, e.low);
    LoopValue far =
        loop_lt(build, like(build, a, 800), loop_magnitude(build, e.high));
    e.low = loop_select(build, far, zero, e.low);
    LoopValue r = power_value(build, exp_parts(build, e, -750, 711));
    look_at_exponent(build, y, &whole, &odd);
    // A negative number has powers to whole numbers alone.
    LoopValue below =
        loop_and(build, loop_lt(build, x, zero), loop_ne(build, a, infinite));
    r = loop_select(build, loop_and(build, below, loop_not(build, whole)),
                    like(build, r, NAN), r);
    r = loop_select(
        build, loop_eq(build, a, one),
        loop_select(build, below, loop_select(build, whole, one, r), one), r);
    r = loop_select(build, odd, loop_copysign(build, r, x), r);
    r = loop_select(build, loop_eq(build, x, one), one, r);
    return loop_select(build, loop_eq(build, y, zero), one, r);
}
