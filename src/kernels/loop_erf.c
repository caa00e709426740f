// The error function, its complement, and gelu.
#include "kernels/loop_factors.h"
#include "kernels/loop_pair.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static LoopValue like(LoopBuild *build, LoopValue x, double number)
{
    return loop_like(build, x, number);
}

static LoopValue series(LoopBuild *build, LoopValue x, const double *single,
                        int singles, const double *wide, int wides)
{
    return loop_is_single(build, x)
               ? loop_polynomial(build, x, true, single, singles)
               : loop_polynomial(build, x, true, wide, wides);
}

// a (1 + p(a²)), which does for a < 1.
static LoopValue near_erf(LoopBuild *build, LoopValue a)
{
    LoopValue p = series(build, loop_mul(build, a, a), erf_32, COUNT(erf_32),
                         erf_64, COUNT(erf_64));
    return loop_fma(build, a, p, a);
}

// erfc(a) = e^-a² p(t) / (1 + 2 a) for a >= 0, with t = (a - 4) / (a + 4) in
// [-1, 1). a is a pair: of its second part the power alone takes notice.
static LoopValue far_erfc(LoopBuild *build, LoopPair x)
{
    bool single = loop_is_single(build, x.high);
    LoopValue most = like(build, x.high, single ? 10.1 : 27.5);
    LoopValue a = loop_min(build, most, x.high), one = like(build, a, 1);
    LoopValue four = like(build, a, 4);
    LoopPair square = loop_pair_product(build, a, a);
    LoopValue low = loop_select(build, loop_lt(build, most, x.high),
                                like(build, a, 0), x.low);
    square.low = loop_fma(build, loop_add(build, a, a), low, square.low);
    LoopValue e = loop_exp(build, loop_negative(build, square.high));
    e = loop_fma(build, loop_negative(build, square.low), e, e);
    LoopValue t =
        loop_div(build, loop_sub(build, a, four), loop_add(build, a, four));
    LoopValue p =
        series(build, t, tail_32, COUNT(tail_32), tail_64, COUNT(tail_64));
    p = loop_div(build, p, loop_fma(build, like(build, a, 2), a, one));
    return loop_mul(build, e, p);
}

LoopValue loop_erf(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    LoopValue a = loop_magnitude(build, x), one = like(build, a, 1);
    LoopValue y = loop_sub(build, one, far_erfc(build, loop_pair_of(build, a)));
    y = loop_select(build, loop_lt(build, a, one), near_erf(build, a), y);
    return loop_copysign(build, y, x);
}

// x times the share below it, erfc(-x / sqrt(2)) / 2: 1 + erf would cancel for
// x far below 0.
LoopValue loop_gelu(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    LoopValue a = loop_magnitude(build, x), one = like(build, a, 1);
    LoopPair root =
        loop_is_single(build, x)
            ? loop_pair_like(build, a, SQRT_HALF_32_HIGH, SQRT_HALF_32_LOW)
            : loop_pair_like(build, a, SQRT_HALF_HIGH, SQRT_HALF_LOW);
    LoopPair u = loop_pair_product(build, a, root.high);
    u.low = loop_fma(build, a, root.low, u.low);
    LoopValue is_near = loop_lt(build, a, like(build, a, 0.75));
    LoopValue near = near_erf(build, u.high), far = far_erfc(build, u);
    near = loop_copysign(build, near, x);
    LoopValue below = loop_lt(build, x, like(build, x, 0));
    far =
        loop_select(build, below, far, loop_sub(build, like(build, a, 2), far));
    LoopValue share =
        loop_select(build, is_near, loop_add(build, one, near), far);
    return loop_mul(build, loop_mul(build, x, like(build, x, 0.5)), share);
}
