// Writing loop bodies: a name for each primitive, and what is made of them.
//
// All give LOOP_NONE where a type lacks what they need, or if an operand is
// LOOP_NONE.
#ifndef DUET_KERNELS_LOOP_MATH_H
#define DUET_KERNELS_LOOP_MATH_H

#include "kernels/loop.h"

#define LOOP_PRIM1(name, id)                                                   \
    static inline LoopValue loop_##name(LoopBuild *build, LoopValue x)         \
    {                                                                          \
        return loop_prim(build, PRIM_##id, x, 0, 0);                           \
    }
#define LOOP_PRIM2(name, id)                                                   \
    static inline LoopValue loop_##name(LoopBuild *build, LoopValue x,         \
                                        LoopValue y)                           \
    {                                                                          \
        return loop_prim(build, PRIM_##id, x, y, 0);                           \
    }
#define LOOP_PRIM3(name, id)                                                   \
    static inline LoopValue loop_##name(LoopBuild *build, LoopValue x,         \
                                        LoopValue y, LoopValue z)              \
    {                                                                          \
        return loop_prim(build, PRIM_##id, x, y, z);                           \
    }
LOOP_PRIM2(add, ADD)
LOOP_PRIM2(sub, SUB)
LOOP_PRIM2(mul, MUL)
LOOP_PRIM2(div, DIV)
LOOP_PRIM3(fma, FMA)
LOOP_PRIM3(raise, RAISE)
LOOP_PRIM2(min, MIN)
LOOP_PRIM2(max, MAX)
LOOP_PRIM1(sqrt, SQRT)
LOOP_PRIM2(and, AND)
LOOP_PRIM2(or, OR)
LOOP_PRIM2(xor, XOR)
LOOP_PRIM3(mix, MIX)
LOOP_PRIM2(shl, SHL)
LOOP_PRIM2(shr, SHR)
LOOP_PRIM2(sar, SAR)
LOOP_PRIM2(eq, EQ)
LOOP_PRIM2(ne, NE)
LOOP_PRIM2(lt, LT)
LOOP_PRIM2(le, LE)
LOOP_PRIM3(select, SELECT)
LOOP_PRIM1(twin, BITS)
LOOP_PRIM2(fmod, FMOD)
#undef LOOP_PRIM1
#undef LOOP_PRIM2
#undef LOOP_PRIM3

// A constant of the value's type.
static inline LoopValue loop_like(LoopBuild *build, LoopValue x, double number)
{
    return x == LOOP_NONE ? x : loop_number(build, loop_type(build, x), number);
}
// Bit operations turn a mask over by this, an int too.
LoopValue loop_not(LoopBuild *build, LoopValue x);
// To a type: ints wrap, floats go towards 0, bools are 0 or 1; to MASK is the
// comparison with 0.
LoopValue loop_convert(LoopBuild *build, LoopValue x, LoopType to);
// Of floats, by their bits: without the sign, and the first's size with the
// second's sign.
LoopValue loop_magnitude(LoopBuild *build, LoopValue x);
LoopValue loop_copysign(LoopBuild *build, LoopValue x, LoopValue y);

// From -0.0, so that 0.0 becomes -0.0 and back.
LoopValue loop_negative(LoopBuild *build, LoopValue x);

// By Horner's rule, highest power first; each step is an fma, or a product and
// a sum.
LoopValue loop_polynomial(LoopBuild *build, LoopValue x, bool fused,
                          const double *factors, int count);
// One of loop_factors.h by its name, for float64 or for what is rough.
#define LOOP_SERIES(build, x, name)                                            \
    ((build)->rough                                                            \
         ? loop_polynomial(build, x, true, name##_rough,                       \
                           (int)(sizeof name##_rough / sizeof(double)))        \
         : loop_polynomial(build, x, true, name##_64,                          \
                           (int)(sizeof name##_64 / sizeof(double))))

static inline bool loop_is_single(const LoopBuild *build, LoopValue x)
{
    return x != LOOP_NONE && loop_type(build, x) == LT_F32;
}
// y, but x where that is 0: it keeps its sign.
LoopValue loop_keep_zero(LoopBuild *build, LoopValue x, LoopValue y);

// Mathematical functions of floats. Their errors are in docs/functions.md.
LoopValue loop_exp(LoopBuild *build, LoopValue x);
LoopValue loop_exp_down(LoopBuild *build, LoopValue x); // of -|x|
LoopValue loop_log(LoopBuild *build, LoopValue x);
LoopValue loop_sigmoid(LoopBuild *build, LoopValue x);
LoopValue loop_softplus(LoopBuild *build, LoopValue x);
LoopValue loop_tanh(LoopBuild *build, LoopValue x);
LoopValue loop_erf(LoopBuild *build, LoopValue x);
LoopValue loop_gelu(LoopBuild *build, LoopValue x);
LoopValue loop_sin(LoopBuild *build, LoopValue x);
LoopValue loop_cos(LoopBuild *build, LoopValue x);
LoopValue loop_tan(LoopBuild *build, LoopValue x);

// Those of float64 alone; by loop_wide float32 is computed there, roughly (to
// 2^-36 or so), and rounded once.
typedef LoopValue (*LoopMath1)(LoopBuild *build, LoopValue x);
typedef LoopValue (*LoopMath2)(LoopBuild *build, LoopValue x, LoopValue y);
LoopValue loop_wide(LoopBuild *build, LoopMath1 function, LoopValue x);
LoopValue loop_wide2(LoopBuild *build, LoopMath2 function, LoopValue x,
                     LoopValue y);
LoopValue loop_expm1(LoopBuild *build, LoopValue x);
LoopValue loop_sinh(LoopBuild *build, LoopValue x);
LoopValue loop_cosh(LoopBuild *build, LoopValue x);
LoopValue loop_pow(LoopBuild *build, LoopValue x, LoopValue y);
LoopValue loop_log1p(LoopBuild *build, LoopValue x);
LoopValue loop_log2(LoopBuild *build, LoopValue x);
LoopValue loop_log10(LoopBuild *build, LoopValue x);
LoopValue loop_asinh(LoopBuild *build, LoopValue x);
LoopValue loop_acosh(LoopBuild *build, LoopValue x);
LoopValue loop_atanh(LoopBuild *build, LoopValue x);
LoopValue loop_logaddexp(LoopBuild *build, LoopValue x, LoopValue y);
LoopValue loop_asin(LoopBuild *build, LoopValue x);
LoopValue loop_acos(LoopBuild *build, LoopValue x);
LoopValue loop_atan(LoopBuild *build, LoopValue x);
LoopValue loop_atan2(LoopBuild *build, LoopValue y, LoopValue x);
LoopValue loop_hypot(LoopBuild *build, LoopValue x, LoopValue y);

#endif
