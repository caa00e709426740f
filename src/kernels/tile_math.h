// Rounding, classes of numbers and the mathematical functions. Included by
// tier_body.h alone.
#ifndef DUET_KERNELS_TILE_MATH_H
#define DUET_KERNELS_TILE_MATH_H

// Rounding leaves integers as they are; ties go to the even neighbour.
#define ROUNDING(name, fn32, fn64)                                            \
    TYPES_INTEGER(ROUND_INT, name)                                            \
    LOOP1(name, f32, float, float, fn32(x))                                   \
    LOOP1(name, f64, double, double, fn64(x))
#define ROUND_INT(name, sfx, T, U, class) LOOP1(name, sfx, T, T, x)
ROUNDING(floor, __builtin_floorf, __builtin_floor)
ROUNDING(ceil, __builtin_ceilf, __builtin_ceil)
ROUNDING(trunc, __builtin_truncf, __builtin_trunc)
ROUNDING(round, __builtin_rintf, __builtin_rint)

#define CLASS(name, of_int, of_float32, of_float64)                           \
    TYPES_INTEGER(CLASS_INT_##of_int, name)                                   \
    LOOP1(name, f32, float, uint8_t, of_float32)                              \
    LOOP1(name, f64, double, uint8_t, of_float64)
#define CLASS_INT_0(name, sfx, T, U, class)                                   \
    LOOP1(name, sfx, T, uint8_t, ((void)x, 0))
#define CLASS_INT_1(name, sfx, T, U, class)                                   \
    LOOP1(name, sfx, T, uint8_t, ((void)x, 1))
CLASS(isnan, 0, x != x, x != x)
CLASS(isinf, 0, vm_abs_f32(x) == INFINITY, vm_abs_f64(x) == (double)INFINITY)
CLASS(isfinite, 1, vm_abs_f32(x) < INFINITY, vm_abs_f64(x) < (double)INFINITY)

LOOP1(signbit, f32, float, uint8_t, __builtin_signbitf(x) != 0)
LOOP1(signbit, f64, double, uint8_t, __builtin_signbit(x) != 0)
LOOP2(copysign, f32, float, float, 0, __builtin_copysignf(x, y))
LOOP2(copysign, f64, double, double, 0, __builtin_copysign(x, y))
LOOP1(reciprocal, f32, float, float, 1 / x)
LOOP1(reciprocal, f64, double, double, 1 / x)
LOOP1(sqrt, f32, float, float, __builtin_sqrtf(x))
LOOP1(sqrt, f64, double, double, __builtin_sqrt(x))
LOOP1(rsqrt, f32, float, float, 1 / __builtin_sqrtf(x))
LOOP1(rsqrt, f64, double, double, 1 / __builtin_sqrt(x))

#define MATH1(name)                                                           \
    LOOP1(name, f32, float, float, vm_##name##_f32(x))                        \
    LOOP1(name, f64, double, double, vm_##name##_f64(x))
#define MATH2(name)                                                           \
    LOOP2(name, f32, float, float, 0, vm_##name##_f32(x, y))                  \
    LOOP2(name, f64, double, double, 0, vm_##name##_f64(x, y))
MATH1(exp)
MATH1(expm1)
MATH1(log)
MATH1(log1p)
MATH1(log2)
MATH1(log10)
MATH2(logaddexp)
MATH1(sin)
MATH1(cos)
MATH1(tan)
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
