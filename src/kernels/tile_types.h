// The element types of each set in tile_list.h, and what the loop templates
// need to know of a type. Included by tier_body.h alone.
//
// TYPES_<set>(X, name) expands to X(name, suffix, T, U, class) for each type:
// T is the C type, U the type in which + - * are computed (unsigned where
// signed overflow must wrap), class INT or FLOAT or BOOL.
#ifndef DUET_KERNELS_TILE_TYPES_H
#define DUET_KERNELS_TILE_TYPES_H

// Types narrower than int compute in 32 bits, as C promotes them anyway, and
// are cut back when the result is stored.
#define TYPES_BOOL(X, name) X(name, b, uint8_t, uint32_t, BOOL)
#define TYPES_INTEGER(X, name)                                                 \
    X(name, u8, uint8_t, uint32_t, INT)                                        \
    X(name, i8, int8_t, uint32_t, INT)                                         \
    X(name, i16, int16_t, uint32_t, INT)                                       \
    X(name, i32, int32_t, uint32_t, INT)                                       \
    X(name, i64, int64_t, uint64_t, INT)
#define TYPES_FLOAT(X, name)                                                   \
    X(name, f32, float, float, FLOAT)                                          \
    X(name, f64, double, double, FLOAT)
// Sets are made of smaller ones, so that a new type is named once.
#define TYPES_NUMERIC(X, name) TYPES_INTEGER(X, name) TYPES_FLOAT(X, name)
#define TYPES_BITS(X, name) TYPES_BOOL(X, name) TYPES_INTEGER(X, name)
#define TYPES_ALL(X, name) TYPES_BITS(X, name) TYPES_FLOAT(X, name)

// The columns of a table by Elem for each set; F is the function prefix.
#define ROW_INTEGER(F)                                                         \
    [ELEM_U8] = F##_u8, [ELEM_I8] = F##_i8, [ELEM_I16] = F##_i16,              \
    [ELEM_I32] = F##_i32, [ELEM_I64] = F##_i64
#define ROW_FLOAT(F) [ELEM_F32] = F##_f32, [ELEM_F64] = F##_f64
#define ROW_BOOL(F) [ELEM_BOOL] = F##_b
#define ROW_NUMERIC(F) ROW_INTEGER(F), ROW_FLOAT(F)
#define ROW_BITS(F) ROW_BOOL(F), ROW_INTEGER(F)
#define ROW_ALL(F) ROW_BITS(F), ROW_FLOAT(F)

#endif
