// Instructions of scalar programs that need no kernel:
// SCALAR(op, dtype, operand type, result type, expression), where `a` and `b`
// are the operands of the operand type. Ints wrap: they are computed unsigned.
// What is not here runs the op's kernel on one element. The bits are those of
// the kernels either way. No include guard.
// clang-format off
#define SCALAR_COMPARE(dtype, T)                                              \
    SCALAR(EQUAL, dtype, T, uint8_t, a == b)                                  \
    SCALAR(NOT_EQUAL, dtype, T, uint8_t, a != b)                              \
    SCALAR(LESS, dtype, T, uint8_t, a < b)                                    \
    SCALAR(LESS_EQUAL, dtype, T, uint8_t, a <= b)                             \
    SCALAR(GREATER, dtype, T, uint8_t, a > b)                                 \
    SCALAR(GREATER_EQUAL, dtype, T, uint8_t, a >= b)
#define SCALAR_ARITH(dtype, T)                                                \
    SCALAR(ADD, dtype, T, T, a + b)                                           \
    SCALAR(SUBTRACT, dtype, T, T, a - b)                                      \
    SCALAR(MULTIPLY, dtype, T, T, a * b)
SCALAR_ARITH(INT32, uint32_t)
SCALAR_ARITH(INT64, uint64_t)
SCALAR_ARITH(FLOAT32, float)
SCALAR_ARITH(FLOAT64, double)
SCALAR(DIVIDE, FLOAT32, float, float, a / b)
SCALAR(DIVIDE, FLOAT64, double, double, a / b)
// Of a and b the same: the processor's instruction has two operands.
SCALAR(SQRT, FLOAT32, float, float, sqrtf(b))
SCALAR(SQRT, FLOAT64, double, double, sqrt(b))
SCALAR_COMPARE(INT32, int32_t)
SCALAR_COMPARE(INT64, int64_t)
SCALAR_COMPARE(FLOAT32, float)
SCALAR_COMPARE(FLOAT64, double)
SCALAR(LOGICAL_AND, BOOL, uint8_t, uint8_t, a & b)
SCALAR(LOGICAL_OR, BOOL, uint8_t, uint8_t, a | b)
SCALAR(LOGICAL_NOT, BOOL, uint8_t, uint8_t, (uint8_t)!a)
#undef SCALAR_ARITH
#undef SCALAR_COMPARE
