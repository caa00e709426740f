// Sine, cosine and tangent, and their inverses. float32 has its own bodies of
// the first three; inverses of float32 are computed in double.
#include <math.h>

#include "kernels/loop_factors.h"
#include "kernels/loop_pair.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static LoopValue like(LoopBuild *build, LoopValue x, double number)
{
    return loop_like(build, x, number);
}

// x = n pi/2 + r with n whole, and both functions of r.
typedef struct Turned {
    LoopPair sine, cosine;
    LoopValue quarter; // n as an int; its last two bits count
} Turned;

// The first product is taken off exactly, the second is known in two parts.
// That does up to FAR; beyond is for far.h.
#define FAR_64 0x1p20
#define FAR_32 0x1p16

static LoopPair rest_of(LoopBuild *build, LoopValue x, LoopValue *whole)
{
    bool single = loop_is_single(build, x);
    const double *half_pi = single ? half_pi_32 : half_pi_64;
    LoopValue magic = like(build, x, single ? 0x1.8p23 : 0x1.8p52);
    LoopValue t = loop_fma(build, x, like(build, x, 2 / M_PI), magic);
    LoopValue n = loop_sub(build, t, magic);
    LoopValue minus = loop_negative(build, n);
    LoopValue r = loop_fma(build, minus, like(build, x, half_pi[0]), x);
    LoopPair second =
        loop_pair_product(build, minus, like(build, x, half_pi[1]));
    LoopValue low =
        loop_fma(build, minus, like(build, x, half_pi[2]), second.low);
    LoopPair sum = loop_pair_sum(build, r, second.high);
    sum = loop_pair_join(build, sum.high, loop_add(build, sum.low, low));
    *whole = loop_twin(build, t);
    return sum;
}

static Turned turn(LoopBuild *build, LoopValue x)
{
    Turned t;
    bool single = loop_is_single(build, x);
    LoopPair r = rest_of(build, x, &t.quarter);
    LoopValue z = loop_mul(build, r.high, r.high), one = like(build, x, 1);
    LoopValue p =
        single ? loop_polynomial(build, z, true, sine_32, COUNT(sine_32))
               : loop_polynomial(build, z, true, sine_64, COUNT(sine_64));
    LoopValue half = loop_mul(build, z, like(build, z, 0.5));
    LoopPair level = loop_pair_join(build, one, loop_negative(build, half));
    p = loop_mul(build, p, loop_mul(build, r.high, z));
    p = loop_fma(build, r.low, level.high, p);
    t.sine = loop_pair_join(build, r.high, p);
    LoopValue q =
        single ? loop_polynomial(build, z, true, cosine_32, COUNT(cosine_32))
               : loop_polynomial(build, z, true, cosine_64, COUNT(cosine_64));
    q = loop_fma(build, loop_mul(build, z, z), q, level.low);
    q = loop_sub(build, q, loop_mul(build, r.high, r.low));
    t.cosine = loop_pair_join(build, level.high, q);
    return t;
}

// The function of far.h where x is far, or no number.
static LoopValue unless_far(LoopBuild *build, LoopPrim rare, LoopValue x,
                            LoopValue near)
{
    LoopValue most = like(build, x, loop_is_single(build, x) ? FAR_32 : FAR_64);
    LoopValue is_near = loop_le(build, loop_magnitude(build, x), most);
    return loop_prim(build, rare, x, near, loop_not(build, is_near));
}

static LoopValue has_bit(LoopBuild *build, LoopValue n, int bit)
{
    return loop_ne(build, loop_and(build, n, like(build, n, bit)),
                   like(build, n, 0));
}

// The sine after `more` quarter turns, but for the sign of -0.0.
static LoopValue turned_sine(LoopBuild *build, LoopValue x, int more)
{
    Turned t = turn(build, x);
    LoopValue q = loop_add(build, t.quarter, like(build, t.quarter, more));
    LoopValue y =
        loop_select(build, has_bit(build, q, 1), t.cosine.high, t.sine.high);
    return loop_select(build, has_bit(build, q, 2), loop_negative(build, y), y);
}

LoopValue loop_sin(LoopBuild *build, LoopValue x)
{
    return x == LOOP_NONE
               ? x
               : loop_keep_zero(build, x,
                                unless_far(build, PRIM_RARE_SIN, x,
                                           turned_sine(build, x, 0)));
}

LoopValue loop_cos(LoopBuild *build, LoopValue x)
{
    return x == LOOP_NONE
               ? x
               : unless_far(build, PRIM_RARE_COS, x, turned_sine(build, x, 1));
}

// sin / cos, or -cos / sin. They are never both near 0: the quotient keeps its
// accuracy up to the poles.
LoopValue loop_tan(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    Turned t = turn(build, x);
    LoopValue odd = has_bit(build, t.quarter, 1);
    LoopPair y = loop_pair_div(
        build,
        loop_pair_select(build, odd, loop_pair_negative(build, t.cosine),
                         t.sine),
        loop_pair_select(build, odd, t.sine, t.cosine));
    return loop_keep_zero(
        build, x,
        unless_far(build, PRIM_RARE_TAN, x, loop_pair_round(build, y)));
}

// The angle whose tangent is up / along, with 0 <= up <= along. From 0.41 on
// it is taken from pi/4, by the tangent of the difference.
static LoopPair angle_of(LoopBuild *build, LoopPair up, LoopPair along)
{
    LoopValue zero = like(build, up.high, 0);
    LoopValue steep = loop_lt(
        build, loop_mul(build, along.high, like(build, zero, 0.41)), up.high);
    LoopPair none = {zero, zero};
    LoopPair less = loop_pair_select(build, steep, along, none);
    LoopPair more = loop_pair_select(build, steep, up, none);
    LoopPair t = loop_pair_div(
        build, loop_pair_add(build, up, loop_pair_negative(build, less)),
        loop_pair_add(build, along, more));
    LoopValue z = loop_mul(build, t.high, t.high);
    LoopValue p = LOOP_SERIES(build, z, atan);
    p = loop_fma(build, loop_mul(build, t.high, z), p,
                 loop_fma(build, loop_negative(build, z), t.low, t.low));
    LoopPair base = loop_pair_select(
        build, steep, loop_pair_like(build, zero, PI_HIGH / 4, PI_LOW / 4),
        none);
    LoopPair sum = loop_pair_join(build, base.high, t.high);
    p = loop_add(build, p, base.low);
    return loop_pair_join(build, sum.high, loop_add(build, sum.low, p));
}

// A part of pi less the angle, where the mask says so.
static LoopPair turned(LoopBuild *build, LoopValue mask, double part,
                       LoopPair angle)
{
    LoopPair whole =
        loop_pair_like(build, angle.high, PI_HIGH * part, PI_LOW * part);
    LoopPair rest =
        loop_pair_join(build, whole.high, loop_negative(build, angle.high));
    rest.low = loop_add(build, rest.low, loop_sub(build, whole.low, angle.low));
    return loop_pair_select(build, mask, rest, angle);
}

// Of a point with y, x >= 0, in [0, pi/2].
static LoopPair first_quadrant(LoopBuild *build, LoopPair y, LoopPair x)
{
    LoopValue swap = loop_lt(build, x.high, y.high);
    LoopPair angle = angle_of(build, loop_pair_select(build, swap, x, y),
                              loop_pair_select(build, swap, y, x));
    return turned(build, swap, 0.5, angle);
}

// Beyond 2^60 it is that of 2^60, which keeps infinity out.
LoopValue loop_atan(LoopBuild *build, LoopValue x)
{
    LoopValue a = loop_magnitude(build, x);
    LoopValue c = loop_min(build, like(build, a, 0x1p60), a);
    LoopPair angle = first_quadrant(build, loop_pair_of(build, c),
                                    loop_pair_of(build, like(build, c, 1)));
    LoopValue y = loop_pair_round(build, angle);
    return loop_copysign(build, y, x);
}

// sqrt(1 - a²).
static LoopPair other_side(LoopBuild *build, LoopValue a)
{
    LoopPair square = loop_pair_product(build, a, a);
    return loop_pair_sqrt(
        build, loop_pair_add(build, loop_pair_of(build, like(build, a, 1)),
                             loop_pair_negative(build, square)));
}

LoopValue loop_asin(LoopBuild *build, LoopValue x)
{
    LoopValue a = loop_magnitude(build, x);
    LoopPair angle =
        first_quadrant(build, loop_pair_of(build, a), other_side(build, a));
    return loop_copysign(build, loop_pair_round(build, angle), x);
}

LoopValue loop_acos(LoopBuild *build, LoopValue x)
{
    LoopValue a = loop_magnitude(build, x);
    LoopPair angle =
        first_quadrant(build, other_side(build, a), loop_pair_of(build, a));
    LoopValue below = loop_lt(build, x, like(build, x, 0));
    return loop_pair_round(build, turned(build, below, 1, angle));
}

// A power of two by which both are multiplied, so that nothing on the way
// overflows or is denormal, as nothing of float32 is.
static LoopValue moderate(LoopBuild *build, LoopValue most)
{
    if (build->rough) {
        return like(build, most, 1);
    }
    LoopValue large = loop_lt(build, like(build, most, 0x1p500), most);
    LoopValue small = loop_lt(build, most, like(build, most, 0x1p-500));
    LoopValue by = loop_select(build, small, like(build, most, 0x1p600),
                               like(build, most, 1));
    return loop_select(build, large, like(build, most, 0x1p-600), by);
}

// Infinities and zeros choose among the eight directions, by points that are
// neither.
LoopValue loop_atan2(LoopBuild *build, LoopValue y, LoopValue x)
{
    if (x == LOOP_NONE || y == LOOP_NONE) {
        return LOOP_NONE;
    }
    LoopValue a = loop_magnitude(build, y), b = loop_magnitude(build, x);
    LoopValue one = like(build, x, 1), zero = like(build, x, 0);
    LoopValue infinite = like(build, x, INFINITY);
    LoopValue most = loop_max(build, a, b);
    LoopValue far = loop_eq(build, most, infinite);
    LoopValue none = loop_eq(build, most, zero);
    LoopValue by = moderate(build, most);
    LoopValue sides[] = {a, b};
    for (int i = 0; i < 2; i++) {
        LoopValue whole = loop_eq(build, sides[i], infinite);
        whole = loop_select(build, whole, one, zero);
        sides[i] = loop_mul(build, sides[i], by);
        sides[i] = loop_select(build, far, whole, sides[i]);
    }
    sides[1] = loop_select(build, none, one, sides[1]);
    LoopPair angle = first_quadrant(build, loop_pair_of(build, sides[0]),
                                    loop_pair_of(build, sides[1]));
    LoopValue left = loop_lt(build, loop_copysign(build, one, x), zero);
    angle = turned(build, left, 1, angle);
    LoopValue r = loop_copysign(build, loop_pair_round(build, angle), y);
    LoopValue nan = loop_or(build, loop_ne(build, x, x), loop_ne(build, y, y));
    return loop_select(build, nan, loop_add(build, x, y), r);
}

// Infinite if a side is, whatever the other.
LoopValue loop_hypot(LoopBuild *build, LoopValue x, LoopValue y)
{
    if (x == LOOP_NONE || y == LOOP_NONE) {
        return LOOP_NONE;
    }
    LoopValue a = loop_magnitude(build, x), b = loop_magnitude(build, y);
    LoopValue infinite = like(build, x, INFINITY);
    LoopValue by = moderate(build, loop_max(build, a, b));
    LoopValue u = loop_mul(build, a, by), v = loop_mul(build, b, by);
    LoopPair sum = loop_pair_add(build, loop_pair_product(build, u, u),
                                 loop_pair_product(build, v, v));
    LoopValue r = loop_pair_round(build, loop_pair_sqrt(build, sum));
    r = loop_div(build, r, by);
    LoopValue far = loop_or(build, loop_eq(build, a, infinite),
                            loop_eq(build, b, infinite));
    return loop_select(build, far, infinite, r);
}
