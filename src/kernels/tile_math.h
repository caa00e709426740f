// Rounding, classes of numbers and the mathematical functions. Included by
// tier_body.h alone.
#ifndef DUET_KERNELS_TILE_MATH_H
#define DUET_KERNELS_TILE_MATH_H

// Rounding leaves integers as they are; ties go to the even neighbour.
#define ROUNDING(name, fn32, fn64)                                             \
    TYPES_INTEGER(ROUND_INT, name)                                             \
    LOOP1(name, f32, float, float, fn32(x))                                    \
    LOOP1(name, f64, double, double, fn64(x))
#define ROUND_INT(name, sfx, T, U, class) LOOP1(name, sfx, T, T, x)
ROUNDING(floor, __builtin_floorf, __builtin_floor)
ROUNDING(ceil, __builtin_ceilf, __builtin_ceil)
ROUNDING(trunc, __builtin_truncf, __builtin_trunc)
ROUNDING(round, __builtin_rintf, __builtin_rint)

// For ints the answer is a constant, so that isnan and the like take every
// numeric dtype, as NumPy's do. Floats are told by comparisons, without
// library calls, so that the loops vectorise.
#define CLASS(name, of_int, of_float32, of_float64)                            \
    TYPES_INTEGER(CLASS_INT_##of_int, name)                                    \
    LOOP1(name, f32, float, uint8_t, of_float32)                               \
    LOOP1(name, f64, double, uint8_t, of_float64)
// x is named so that compilers do not call it unused.
#define CLASS_INT_0(name, sfx, T, U, class)                                    \
    LOOP1(name, sfx, T, uint8_t, ((void)x, 0))
#define CLASS_INT_1(name, sfx, T, U, class)                                    \
    LOOP1(name, sfx, T, uint8_t, ((void)x, 1))
CLASS(isnan, 0, x != x, x != x)
CLASS(isinf, 0, vm_abs_f32(x) == INFINITY, vm_abs_f64(x) == (double)INFINITY)
CLASS(isfinite, 1, vm_abs_f32(x) < INFINITY, vm_abs_f64(x) < (double)INFINITY)

// Not x < 0, which is False for -0.0. A NaN counts as positive: which sign it
// has depends on the order in which a processor met its operands.
LOOP1(signbit, f32, float, uint8_t, (x == x) & (__builtin_signbitf(x) != 0))
LOOP1(signbit, f64, double, uint8_t, (x == x) & (__builtin_signbit(x) != 0))
LOOP2(copysign, f32, float, float, 0, __builtin_copysignf(x, y == y ? y : 0.0f))
LOOP2(copysign, f64, double, double, 0, __builtin_copysign(x, y == y ? y : 0.0))
// Division and root are exact operations of IEEE 754: the same bits on every
// machine. rsqrt is two of them, not the fast approximation that processors
// have, which differs between makers.
LOOP1(reciprocal, f32, float, float, 1 / x)
LOOP1(reciprocal, f64, double, double, 1 / x)
LOOP1(sqrt, f32, float, float, __builtin_sqrtf(x))
LOOP1(sqrt, f64, double, double, __builtin_sqrt(x))
LOOP1(rsqrt, f32, float, float, 1 / __builtin_sqrtf(x))
LOOP1(rsqrt, f64, double, double, 1 / __builtin_sqrt(x))

// One function of vmath.h in both float types.
#define MATH1(name)                                                            \
    LOOP1(name, f32, float, float, vm_##name##_f32(x))                         \
    LOOP1(name, f64, double, double, vm_##name##_f64(x))
// The same for two operands; none of these can be in error.
#define MATH2(name)                                                            \
    LOOP2(name, f32, float, float, 0, vm_##name##_f32(x, y))                   \
    LOOP2(name, f64, double, double, 0, vm_##name##_f64(x, y))
// sin, cos, tan: the vectorised loop, then libm for what lies too far out.
#define MATH_TURN(name)                                                        \
    LOOP1(near_##name, f32, float, float, vm_##name##_f32(x))                  \
    static bool tile_##name##_f32(void *out, const TileArg *args, size_t n)    \
    {                                                                          \
        _Alignas(64) float copy[TURN_COUNT];                                   \
        float *o = out;                                                        \
        for (size_t i = 0; i < n; i += TURN_COUNT) {                           \
            size_t count = n - i < TURN_COUNT ? n - i : TURN_COUNT;            \
            const float *x = (const float *)args[0].data + i * args[0].step;   \
            spread_or_copy(copy, x, args[0].step, count);                      \
            TileArg near = {copy, 1};                                          \
            (void)tile_near_##name##_f32(o + i, &near, count);                 \
            if (any_far(copy, count)) {                                        \
                for (size_t k = 0; k < count; k++) {                           \
                    if (!(vm_abs_f32(copy[k]) <= VM_TURNS)) {                  \
                        o[i + k] = (float)name((double)copy[k]);               \
                    }                                                          \
                }                                                              \
            }                                                                  \
        }                                                                      \
        return true;                                                           \
    }                                                                          \
    LOOP1(name, f64, double, double, vm_##name##_f64(x))

// The copy keeps the arguments for the second look, when `out` has overwritten
// them.
enum { TURN_COUNT = 512 }; // elements at a time: `out` may be the input

// A step of 0 repeats the one element.
static void spread_or_copy(float *to, const float *from, size_t step,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i * step];
    }
}

// True if an element is too far from 0 for vm_turn, or NaN.
// No early end: a loop without a branch vectorises, and far arguments are
// rare.
static bool any_far(const float *x, size_t count)
{
    int far = 0;
    for (size_t i = 0; i < count; i++) {
        far |= !(vm_abs_f32(x[i]) <= VM_TURNS);
    }
    return far != 0;
}

MATH1(exp)
MATH1(expm1)
MATH1(log)
MATH1(log1p)
MATH1(log2)
MATH1(log10)
MATH2(logaddexp)
MATH_TURN(sin)
MATH_TURN(cos)
MATH_TURN(tan)
MATH1(asin)
MATH1(acos)
MATH1(atan)
MATH2(atan2)
MATH2(hypot)
MATH1(sinh)
MATH1(cosh)
MATH1(tanh)
MATH1(asinh)
MATH1(acosh)
MATH1(atanh)
MATH1(erf)
MATH1(sigmoid)
MATH1(softplus)
MATH1(gelu)

#endif
