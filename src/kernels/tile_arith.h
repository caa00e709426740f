// Arithmetic, comparison, logic and bits. Included by tier_body.h alone.
//
// Integers wrap. Floats follow IEEE 754; maximum and minimum give NaN when an
// operand is NaN. `//` and `%` floor.
#ifndef DUET_KERNELS_TILE_ARITH_H
#define DUET_KERNELS_TILE_ARITH_H

// U is unsigned for ints: signed overflow would be undefined in C.
#define ADD_(name, sfx, T, U, class) LOOP2(name, sfx, T, T, 0, (U)x + (U)y)
TYPES_NUMERIC(ADD_, add)
#define SUBTRACT_(name, sfx, T, U, class) LOOP2(name, sfx, T, T, 0, (U)x - (U)y)
TYPES_NUMERIC(SUBTRACT_, subtract)
#define MULTIPLY_(name, sfx, T, U, class) LOOP2(name, sfx, T, T, 0, (U)x *(U)y)
TYPES_NUMERIC(MULTIPLY_, multiply)

// Integers divide as float64.
// By conversion of both operands, so that an int divided by 0 gives an
// infinity or NaN and no error.
#define DIVIDE_INT(name, sfx, T) LOOP2(name, sfx, T, double, 0, (double)x / y)
#define DIVIDE_FLOAT(name, sfx, T) LOOP2(name, sfx, T, T, 0, x / y)
#define DIVIDE_(name, sfx, T, U, class) DIVIDE_##class(name, sfx, T)
TYPES_NUMERIC(DIVIDE_, divide)

// Floor division and its remainder. -1 is apart, since the lowest value over
// it traps; 0 is reported and must not trap.
#define FLOOR_OF_INTS(T, U, sfx)                                               \
    static inline T floordiv_##sfx(T x, T y)                                   \
    {                                                                          \
        T d = y == 0 ? 1 : y;                                                  \
        if (d == (T)-1 && (T)-1 < 0) {                                         \
            return (T)(0 - (U)x);                                              \
        }                                                                      \
        T quotient = (T)(x / d), rest = (T)(x % d);                            \
        return (T)(quotient - (rest != 0 && (rest < 0) != (d < 0)));           \
    }                                                                          \
    static inline T floormod_##sfx(T x, T y)                                   \
    {                                                                          \
        T d = y == 0 ? 1 : y;                                                  \
        if (d == (T)-1 && (T)-1 < 0) {                                         \
            return 0;                                                          \
        }                                                                      \
        T rest = (T)(x % d);                                                   \
        return (T)(rest != 0 && (rest < 0) != (d < 0) ? rest + d : rest);      \
    }
// As Python's and NumPy's: the remainder has the divisor's sign, and the
// quotient is the exact one floored.
#define FLOOR_OF_FLOATS(T, sfx, FMOD, FLOOR, COPYSIGN)                         \
    static inline T floormod_##sfx(T x, T y)                                   \
    {                                                                          \
        T rest = FMOD(x, y);                                                   \
        if (rest == 0) {                                                       \
            return COPYSIGN(0, y);                                             \
        }                                                                      \
        return (rest < 0) != (y < 0) ? rest + y : rest;                        \
    }                                                                          \
    static inline T floordiv_##sfx(T x, T y)                                   \
    {                                                                          \
        if (y == 0) {                                                          \
            return x / y;                                                      \
        }                                                                      \
        T rest = FMOD(x, y), quotient = (x - rest) / y;                        \
        if (rest != 0 && (rest < 0) != (y < 0)) {                              \
            quotient -= 1;                                                     \
        }                                                                      \
        if (quotient == 0) {                                                   \
            return COPYSIGN(0, x / y);                                         \
        }                                                                      \
        T whole = FLOOR(quotient);                                             \
        return quotient - whole > (T)0.5 ? whole + 1 : whole;                  \
    }
// Unsigned types never meet -1: the test is constant and dropped.
FLOOR_OF_INTS(uint8_t, uint32_t, u8)
FLOOR_OF_INTS(int8_t, uint32_t, i8)
FLOOR_OF_INTS(int16_t, uint32_t, i16)
FLOOR_OF_INTS(int32_t, uint32_t, i32)
FLOOR_OF_INTS(int64_t, uint64_t, i64)
FLOOR_OF_FLOATS(float, f32, fmodf, floorf, copysignf)
FLOOR_OF_FLOATS(double, f64, fmod, floor, copysign)
// Floats divide by 0 without an error, as IEEE 754 and NumPy have it.
#define BAD_INT y == 0
#define BAD_FLOAT 0
#define FLOOR_DIVIDE_(name, sfx, T, U, class)                                  \
    LOOP2(name, sfx, T, T, BAD_##class, floordiv_##sfx(x, y))
TYPES_NUMERIC(FLOOR_DIVIDE_, floor_divide)
#define REMAINDER_(name, sfx, T, U, class)                                     \
    LOOP2(name, sfx, T, T, BAD_##class, floormod_##sfx(x, y))
TYPES_NUMERIC(REMAINDER_, remainder)

// Integer powers by squaring, modulo the width.
static inline uint64_t power_of_int(uint64_t base, int64_t exponent)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1) {
        result *= exponent & 1 ? base : 1;
        base *= base;
    }
    return result;
}
// 0 to the power 0 is 1, as in Python. A negative exponent is in error.
#define POW_INT(name, sfx, T)                                                  \
    LOOP2(name, sfx, T, T, (int64_t)y < 0,                                     \
          power_of_int((uint64_t)x, (int64_t)y))
#define POW_FLOAT(name, sfx, T) LOOP2(name, sfx, T, T, 0, vm_pow_##sfx(x, y))
#define POW_(name, sfx, T, U, class) POW_##class(name, sfx, T)
TYPES_NUMERIC(POW_, pow)

// A NaN in x is caught by x != x; with one in y no comparison holds, and y is
// taken.
#define MAXIMUM_(name, sfx, T, U, class)                                       \
    LOOP2(name, sfx, T, T, 0, ((x > y) | (x != x)) ? x : y)
TYPES_NUMERIC(MAXIMUM_, maximum)
#define MINIMUM_(name, sfx, T, U, class)                                       \
    LOOP2(name, sfx, T, T, 0, ((x < y) | (x != x)) ? x : y)
TYPES_NUMERIC(MINIMUM_, minimum)
// The lowest int is its own negative: it wraps like everything else.
#define NEGATIVE_INT(U) (U)0 - (U)x
#define NEGATIVE_FLOAT(U) -x
#define NEGATIVE_(name, sfx, T, U, class)                                      \
    LOOP1(name, sfx, T, T, NEGATIVE_##class(U))
TYPES_NUMERIC(NEGATIVE_, negative)
// In U, for the lowest int has no positive counterpart in T.
#define ABS_INT(U, sfx) x < 0 ? (U)0 - (U)x : (U)x
#define ABS_FLOAT(U, sfx) vm_abs_##sfx(x)
#define ABS_(name, sfx, T, U, class) LOOP1(name, sfx, T, T, ABS_##class(U, sfx))
TYPES_NUMERIC(ABS_, abs)
// The sign of NaN is NaN.
#define SIGN_INT (x > 0) - (x < 0)
#define SIGN_FLOAT x > 0 ? 1 : (x < 0 ? -1 : (x == 0 ? 0 : x))
#define SIGN_(name, sfx, T, U, class) LOOP1(name, sfx, T, T, SIGN_##class)
TYPES_NUMERIC(SIGN_, sign)
// The same bits as multiply with both operands equal.
#define SQUARE_(name, sfx, T, U, class) LOOP1(name, sfx, T, T, (U)x *(U)x)
TYPES_NUMERIC(SQUARE_, square)
// NaN stays NaN.
#define RELU_(name, sfx, T, U, class)                                          \
    LOOP1(name, sfx, T, T, ((x > 0) | (x != x)) ? x : (T)0)
TYPES_NUMERIC(RELU_, relu)
// Where min is above max the result is max, as NumPy gives.
#define CLIP_(name, sfx, T, U, class)                                          \
    LOOP3(name, sfx, T, T,                                                     \
          (x != x) ? x : (x < y ? (y > z ? z : y) : (x > z ? z : x)))
TYPES_NUMERIC(CLIP_, clip)

// Bools are compared for equality alone: they have no order.
#define COMPARE(name, TYPES, OP) TYPES(COMPARE_##OP, name)
// Results are bytes, 0 or 1, whatever the operands' width.
#define COMPARE_EQ(name, sfx, T, U, class)                                     \
    LOOP2(name, sfx, T, uint8_t, 0, x == y)
#define COMPARE_NE(name, sfx, T, U, class)                                     \
    LOOP2(name, sfx, T, uint8_t, 0, x != y)
#define COMPARE_LT(name, sfx, T, U, class)                                     \
    LOOP2(name, sfx, T, uint8_t, 0, x < y)
#define COMPARE_LE(name, sfx, T, U, class)                                     \
    LOOP2(name, sfx, T, uint8_t, 0, x <= y)
#define COMPARE_GT(name, sfx, T, U, class)                                     \
    LOOP2(name, sfx, T, uint8_t, 0, x > y)
#define COMPARE_GE(name, sfx, T, U, class)                                     \
    LOOP2(name, sfx, T, uint8_t, 0, x >= y)
COMPARE(equal, TYPES_ALL, EQ)
COMPARE(not_equal, TYPES_ALL, NE)
COMPARE(less, TYPES_NUMERIC, LT)
COMPARE(less_equal, TYPES_NUMERIC, LE)
COMPARE(greater, TYPES_NUMERIC, GT)
COMPARE(greater_equal, TYPES_NUMERIC, GE)

// Both sides are read and one is chosen, without a branch.
#define WHERE_(name, sfx, T, U, class) LOOP3(name, sfx, uint8_t, T, x ? y : z)
TYPES_ALL(WHERE_, where)

// Bools are 0 or 1 in a byte, so bit operations do for logic.
LOOP2(logical_and, b, uint8_t, uint8_t, 0, x &y)
LOOP2(logical_or, b, uint8_t, uint8_t, 0, x | y)
LOOP2(logical_xor, b, uint8_t, uint8_t, 0, x ^ y)
LOOP1(logical_not, b, uint8_t, uint8_t, x ^ 1)
// The sets BITS and INTEGER differ by bool, which has no shifts.
#define AND_(name, sfx, T, U, class) LOOP2(name, sfx, T, T, 0, x &y)
TYPES_BITS(AND_, bitwise_and)
#define OR_(name, sfx, T, U, class) LOOP2(name, sfx, T, T, 0, x | y)
TYPES_BITS(OR_, bitwise_or)
#define XOR_(name, sfx, T, U, class) LOOP2(name, sfx, T, T, 0, x ^ y)
TYPES_BITS(XOR_, bitwise_xor)
// ~ of a bool byte would give 254 or 255, which is no bool.
#define INVERT_INT ~x
#define INVERT_BOOL x ^ 1
#define INVERT_(name, sfx, T, U, class) LOOP1(name, sfx, T, T, INVERT_##class)
TYPES_BITS(INVERT_, bitwise_invert)
// A shift at or beyond the width gives 0, or -1 for a negative value shifted
// right; a negative count is in error.
#define LEFT_SHIFT_(name, sfx, T, U, class)                                    \
    LOOP2(name, sfx, T, T, y < 0,                                              \
          (uint64_t)y >= sizeof(T) * 8 ? (U)0                                  \
                                       : (U)x << ((U)y & (sizeof(U) * 8 - 1)))
TYPES_INTEGER(LEFT_SHIFT_, left_shift)
// The count is held below the width; one more place empties what is left.
#define RIGHT_SHIFT_(name, sfx, T, U, class)                                   \
    LOOP2(name, sfx, T, T, y < 0,                                              \
          (uint64_t)y >= sizeof(T) * 8 ? (x < 0 ? -1 : 0)                      \
                                       : x >> ((U)y & (sizeof(T) * 8 - 1)))
TYPES_INTEGER(RIGHT_SHIFT_, right_shift)

#endif
