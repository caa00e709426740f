// The primitives of loop bodies (kernels/loop.h): PRIM(id, operands, of), and
// what each computes: PRIM_ROW(id, type, result, expression), of x, y, z. A
// PRIM_RARE(id, type, expression) has three operands: the expression's x, what
// it is in most elements, and the mask of those where it is the expression.
//
// `of` says the type of the result: SAME as the operands', MASK, TWIN (the
// bits as the other type of that width), F32, F64, I32, I64. An expression is
// the definition: the constant folder, the interpreter and the tests' oracle
// include it, and machine code gives the same bits (but for those of a NaN).
// Integers wrap; a MASK is all ones or 0. Only FMA contracts. What has no row
// moves bits. What machine code has no instruction for calls the interpreter's
// loop. No include guard; the including file defines all three macros, which
// are undefined at the end.
PRIM(LOAD, 0, SAME)  // b: the operand's number
PRIM(CONST, 0, SAME) // b: the constant's number
PRIM(STORE, 1, SAME) // of x; b: the operand's number
PRIM(FAULT, 1, SAME) // a mask of elements in error; b: the error's bit
PRIM(ADD, 2, SAME)
PRIM(SUB, 2, SAME)
PRIM(MUL, 2, SAME)
PRIM(DIV, 2, SAME)
PRIM(FMA, 3, SAME)
// 2^y (1 + x), which is 0 or infinite beyond the type, where x is not above a
// half, y whole and z = y + 1.5 * 2^23 (of F64: 2^52); see power.h.
PRIM(RAISE, 3, SAME)
PRIM(MIN, 2, SAME) // of two equal ones or a NaN the second, as minps has it
PRIM(MAX, 2, SAME)
PRIM(SQRT, 1, SAME)
PRIM(FLOOR, 1, SAME)
PRIM(CEIL, 1, SAME)
PRIM(TRUNC, 1, SAME)
PRIM(RINT, 1, SAME)
PRIM(AND, 2, SAME)
PRIM(OR, 2, SAME)
PRIM(XOR, 2, SAME)
PRIM(MIX, 3, SAME) // the bits of x where z has ones, else of y
PRIM(SHL, 2, SAME) // shifts by the width and beyond empty the value
PRIM(SHR, 2, SAME)
PRIM(SAR, 2, SAME)
PRIM(EQ, 2, MASK)
PRIM(NE, 2, MASK)
PRIM(LT, 2, MASK)
PRIM(LE, 2, MASK)
PRIM(SELECT, 3, SAME) // x is the mask
PRIM(BITS, 1, TWIN)
PRIM(TO_F32, 1, F32)
PRIM(TO_F64, 1, F64)
PRIM(TO_I32, 1, I32) // of floats towards 0; NaN and out of range: the lowest
PRIM(TO_I64, 1, I64)
PRIM(QUOT, 2, SAME) // of ints, floored; by 0 it is 0, or -1 below 0
PRIM(FMOD, 2, SAME)
PRIM(POW, 2, SAME) // of ints by squaring; the exponent is not negative
PRIM(RARE_SIN, 3, SAME)
PRIM(RARE_COS, 3, SAME)
PRIM(RARE_TAN, 3, SAME)
// b: an Elem of 8 or 16 bits; the low bits, extended as that type has it. Of
// F32 a half: rounded to one.
PRIM(NARROW, 1, SAME)

// clang-format off
#define PRIM_FLOAT(T, S)                                                      \
    PRIM_ROW(ADD, T, T, x + y)                                                \
    PRIM_ROW(SUB, T, T, x - y)                                                \
    PRIM_ROW(MUL, T, T, x * y)                                                \
    PRIM_ROW(DIV, T, T, x / y)                                                \
    PRIM_ROW(SQRT, T, T, __builtin_sqrt##S(x))                                \
    PRIM_ROW(FLOOR, T, T, __builtin_floor##S(x))                              \
    PRIM_ROW(CEIL, T, T, __builtin_ceil##S(x))                                \
    PRIM_ROW(TRUNC, T, T, __builtin_trunc##S(x))                              \
    PRIM_ROW(RINT, T, T, __builtin_rint##S(x))
PRIM_FLOAT(F32, f)
PRIM_FLOAT(F64, )
PRIM_ROW(FMA, F32, F32, fma32(x, y, z))
PRIM_ROW(FMA, F64, F64, fma64(x, y, z))
PRIM_ROW(RAISE, F32, F32, power32(x, z))
PRIM_ROW(RAISE, F64, F64, power64(x, z))
#define PRIM_INT(T, U, bits)                                                  \
    PRIM_ROW(ADD, T, T, (U)x + (U)y)                                          \
    PRIM_ROW(SUB, T, T, (U)x - (U)y)                                          \
    PRIM_ROW(MUL, T, T, (U)x * (U)y)                                          \
    PRIM_ROW(SHL, T, T, (U)y < bits ? (U)x << (U)y : 0)                       \
    PRIM_ROW(SHR, T, T, (U)y < bits ? (U)x >> (U)y : 0)                       \
    PRIM_ROW(SAR, T, T, x >> ((U)y < bits ? (U)y : bits - 1))
PRIM_INT(I32, uint32_t, 32)
PRIM_INT(I64, uint64_t, 64)
#define PRIM_BITWISE(T)                                                       \
    PRIM_ROW(AND, T, T, x & y)                                                \
    PRIM_ROW(OR, T, T, x | y)                                                 \
    PRIM_ROW(XOR, T, T, x ^ y)
PRIM_BITWISE(I32)
PRIM_BITWISE(I64)
PRIM_BITWISE(MASK)
PRIM_ROW(MIX, I32, I32, (x & z) | (y & ~z))
PRIM_ROW(MIX, I64, I64, (x & z) | (y & ~z))
#define PRIM_ORDER(T)                                                         \
    PRIM_ROW(MIN, T, T, x < y ? x : y)                                        \
    PRIM_ROW(MAX, T, T, x > y ? x : y)                                        \
    PRIM_ROW(EQ, T, MASK, -(x == y))                                          \
    PRIM_ROW(NE, T, MASK, -(x != y))                                          \
    PRIM_ROW(LT, T, MASK, -(x < y))                                           \
    PRIM_ROW(LE, T, MASK, -(x <= y))
PRIM_ORDER(F32)
PRIM_ORDER(F64)
PRIM_ORDER(I32)
PRIM_ORDER(I64)
PRIM_ROW(FMOD, F32, F32, fmodf(x, y))
PRIM_ROW(FMOD, F64, F64, fmod(x, y))
PRIM_ROW(QUOT, I64, I64, long_quotient(x, y))
PRIM_ROW(POW, I64, I64, long_power(x, y))
PRIM_RARE(RARE_SIN, F32, (float)far_sin((double)x))
PRIM_RARE(RARE_COS, F32, (float)far_cos((double)x))
PRIM_RARE(RARE_TAN, F32, (float)far_tan((double)x))
PRIM_RARE(RARE_SIN, F64, far_sin(x))
PRIM_RARE(RARE_COS, F64, far_cos(x))
PRIM_RARE(RARE_TAN, F64, far_tan(x))
PRIM_ROW(TO_F64, F32, F64, (double)x)
PRIM_ROW(TO_F32, F64, F32, (float)x)
PRIM_ROW(TO_F32, I32, F32, (float)x)
PRIM_ROW(TO_F64, I32, F64, (double)x)
PRIM_ROW(TO_I32, F32, I32,
         x >= -0x1p31f && x < 0x1p31f ? (int32_t)x : INT32_MIN)
PRIM_ROW(TO_I32, F64, I32,
         x > -0x1.00000002p31 && x < 0x1p31 ? (int32_t)x : INT32_MIN)
PRIM_ROW(TO_I64, I32, I64, x)
PRIM_ROW(TO_F32, I64, F32, (float)x)
PRIM_ROW(TO_I64, F64, I64, x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN)
PRIM_ROW(TO_I32, I64, I32, (int32_t)(uint32_t)x)
// clang-format on

#undef PRIM
#undef PRIM_ROW
#undef PRIM_RARE
#undef PRIM_FLOAT
#undef PRIM_INT
#undef PRIM_BITWISE
#undef PRIM_ORDER
