// Elementwise comparison, logic and bits. The loops are in kernels/tile_list.h.
#include "ops/descriptor.h"
#include "ops/strings.h"

const OpDesc op_equal = {
    BINARY("equal", TILE_EQUAL, RESULT_BOOL, OP_COMMUTATIVE),
    .doc = "True where x1 == x2." BROADCASTS,
    .kernel = kernel_string_equal,
    .graphdef = "Equal",
};

const OpDesc op_not_equal = {
    BINARY("not_equal", TILE_NOT_EQUAL, RESULT_BOOL, OP_COMMUTATIVE),
    .doc = "True where x1 != x2." BROADCASTS,
    .kernel = kernel_string_equal,
    .graphdef = "NotEqual",
};

const OpDesc op_less = {
    BINARY("less", TILE_LESS, RESULT_BOOL, 0),
    .doc = "True where x1 < x2." BROADCASTS,
    .graphdef = "Less",
};

const OpDesc op_less_equal = {
    BINARY("less_equal", TILE_LESS_EQUAL, RESULT_BOOL, 0),
    .doc = "True where x1 <= x2." BROADCASTS,
    .graphdef = "LessEqual",
};

const OpDesc op_greater = {
    BINARY("greater", TILE_GREATER, RESULT_BOOL, 0),
    .doc = "True where x1 > x2." BROADCASTS,
    .graphdef = "Greater",
};

const OpDesc op_greater_equal = {
    BINARY("greater_equal", TILE_GREATER_EQUAL, RESULT_BOOL, 0),
    .doc = "True where x1 >= x2." BROADCASTS,
    .graphdef = "GreaterEqual",
};

const OpDesc op_logical_and = {
    BINARY("logical_and", TILE_LOGICAL_AND, RESULT_SAME, OP_COMMUTATIVE),
    .doc = "True where both bools are." BROADCASTS,
    .graphdef = "LogicalAnd",
};

const OpDesc op_logical_or = {
    BINARY("logical_or", TILE_LOGICAL_OR, RESULT_SAME, OP_COMMUTATIVE),
    .doc = "True where one of the bools is." BROADCASTS,
    .graphdef = "LogicalOr",
};

const OpDesc op_logical_xor = {
    BINARY("logical_xor", TILE_LOGICAL_XOR, RESULT_SAME, OP_COMMUTATIVE),
    .doc = "True where one of the bools is, not both." BROADCASTS,
    .graphdef = "NotEqual",
};

const OpDesc op_logical_not = {
    UNARY("logical_not", TILE_LOGICAL_NOT, RESULT_SAME),
    .doc = "True where the bool is False.",
    .graphdef = "LogicalNot",
};

const OpDesc op_bitwise_and = {
    BINARY("bitwise_and", TILE_BITWISE_AND, RESULT_SAME, OP_COMMUTATIVE),
    .doc = "The bits that both have; of ints or bools." BROADCASTS,
    .graphdef = "BitwiseAnd",
};

const OpDesc op_bitwise_or = {
    BINARY("bitwise_or", TILE_BITWISE_OR, RESULT_SAME, OP_COMMUTATIVE),
    .doc = "The bits that one has; of ints or bools." BROADCASTS,
    .graphdef = "BitwiseOr",
};

const OpDesc op_bitwise_xor = {
    BINARY("bitwise_xor", TILE_BITWISE_XOR, RESULT_SAME, OP_COMMUTATIVE),
    .doc = "The bits that differ; of ints or bools." BROADCASTS,
    .graphdef = "BitwiseXor",
};

const OpDesc op_bitwise_invert = {
    UNARY("bitwise_invert", TILE_BITWISE_INVERT, RESULT_SAME),
    .doc = "All bits turned over; of ints or bools.",
    .graphdef = "Invert",
};

const OpDesc op_bitwise_left_shift = {
    BINARY("bitwise_left_shift", TILE_LEFT_SHIFT, RESULT_SAME, OP_MAY_FAIL),
    .doc = "x1 << x2; 0 from the width on. A negative count is an\n"
           "OpValueError." BROADCASTS,
    .tile_error = ERR_OP_VALUE,
    .tile_text = "negative shift count",
    .graphdef = "LeftShift",
};

const OpDesc op_bitwise_right_shift = {
    BINARY("bitwise_right_shift", TILE_RIGHT_SHIFT, RESULT_SAME, OP_MAY_FAIL),
    .doc = "x1 >> x2; 0 or -1 from the width on. A negative count is an\n"
           "OpValueError." BROADCASTS,
    .tile_error = ERR_OP_VALUE,
    .tile_text = "negative shift count",
    .graphdef = "RightShift",
};

const OpDesc op_isnan = {
    UNARY("isnan", TILE_ISNAN, RESULT_BOOL),
    .doc = "True where x is NaN.",
    .graphdef = "IsNan",
};

const OpDesc op_isinf = {
    UNARY("isinf", TILE_ISINF, RESULT_BOOL),
    .doc = "True where x is infinite.",
    .graphdef = "IsInf",
};

const OpDesc op_isfinite = {
    UNARY("isfinite", TILE_ISFINITE, RESULT_BOOL),
    .doc = "True where x is neither NaN nor infinite.",
    .graphdef = "IsFinite",
};

const OpDesc op_signbit = {
    UNARY("signbit", TILE_SIGNBIT, RESULT_BOOL),
    .doc = "True where the sign bit of a float is set (-0.0 has it).",
};

const OpDesc op_copysign = {
    BINARY("copysign", TILE_COPYSIGN, RESULT_SAME, 0),
    .doc = "The size of x1 with the sign of x2; of floats." BROADCASTS,
};
