// Casts between all numeric types and bool. Included by tier_body.h alone.
//
// To bool: not equal to 0. Between integers: modulo the width. Float to
// integer: towards 0; NaN and what is out of range give the lowest value on
// every machine (C leaves that undefined, so it is written out).
#ifndef DUET_KERNELS_TILE_CAST_H
#define DUET_KERNELS_TILE_CAST_H

#define LOWEST_u8 0
#define LOWEST_i8 INT8_MIN
#define LOWEST_i16 INT16_MIN
#define LOWEST_i32 INT32_MIN
#define LOWEST_i64 INT64_MIN
// The bounds are exact in both float types: -2^(w-1) <= trunc(x) < 2^(w-1).
#define LOW_u8 -1
#define LOW_i8 -129
#define LOW_i16 -32769
#define LOW_i32 -2147483649.0
#define LOW_i64 -9223372036854777856.0
#define HIGH_u8 256
#define HIGH_i8 128
#define HIGH_i16 32768
#define HIGH_i32 2147483648.0
#define HIGH_i64 9223372036854775808.0
#define FITS(x, to) (((double)(x) > LOW_##to) & ((double)(x) < HIGH_##to))
// The inner test keeps the conversion itself in range, since both sides may be
// computed; the outer one chooses.
#define INT_OF_FLOAT(x, to, R)                                                 \
    FITS(x, to) ? (R)(FITS(x, to) ? (x) : 0) : LOWEST_##to

#define CAST_INT(from, F, to, R) LOOP1(cast_##from, to, F, R, x)
#define CAST_FLOAT(from, F, to, R)                                             \
    LOOP1(cast_##from, to, F, R, INT_OF_FLOAT(x, to, R))
// From one type to all.
#define CASTS_(name, from, F, U, class)                                        \
    LOOP1(cast_##from, b, F, uint8_t, x != 0)                                  \
    CAST_##class(from, F, u8, uint8_t) CAST_##class(from, F, i8, int8_t)       \
        CAST_##class(from, F, i16, int16_t)                                    \
            CAST_##class(from, F, i32, int32_t)                                \
                CAST_##class(from, F, i64, int64_t)                            \
                    LOOP1(cast_##from, f32, F, float, x)                       \
                        LOOP1(cast_##from, f64, F, double, x)
#define CAST_BOOL CAST_INT
TYPES_ALL(CASTS_, cast)

#endif
