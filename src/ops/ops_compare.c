// Elementwise comparison, logic and bits. The loops are in kernels/tile_list.h.
#include "ops/descriptor.h"
#include "ops/strings.h"

// Strings compare too, byte by byte, by a kernel of their own. The ordered
// comparisons below have none: TensorFlow orders no strings.
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

// With a NaN every comparison is False but not_equal.
BINARY_OP(less, TILE_LESS, RESULT_BOOL, 0, "True where x1 < x2.", "Less");

BINARY_OP(less_equal, TILE_LESS_EQUAL, RESULT_BOOL, 0, "True where x1 <= x2.",
          "LessEqual");

BINARY_OP(greater, TILE_GREATER, RESULT_BOOL, 0, "True where x1 > x2.",
          "Greater");

BINARY_OP(greater_equal, TILE_GREATER_EQUAL, RESULT_BOOL, 0,
          "True where x1 >= x2.", "GreaterEqual");

// The logical ops take bools alone; a number has to be compared first. That
// keeps `logical_and(x, 2)` from meaning something by accident.
BINARY_OP(logical_and, TILE_LOGICAL_AND, RESULT_SAME, OP_COMMUTATIVE,
          "True where both bools are.", "LogicalAnd");

BINARY_OP(logical_or, TILE_LOGICAL_OR, RESULT_SAME, OP_COMMUTATIVE,
          "True where one of the bools is.", "LogicalOr");

// TensorFlow has no LogicalXor op; of bools NotEqual is the same function.
BINARY_OP(logical_xor, TILE_LOGICAL_XOR, RESULT_SAME, OP_COMMUTATIVE,
          "True where one of the bools is, not both.", "NotEqual");

UNARY_OP(logical_not, TILE_LOGICAL_NOT, RESULT_SAME,
         "True where the bool is False.", "LogicalNot");

// Of bools these are the logical functions; floats have no bits to offer.
BINARY_OP(bitwise_and, TILE_BITWISE_AND, RESULT_SAME, OP_COMMUTATIVE,
          "The bits that both have; of ints or bools.", "BitwiseAnd");

BINARY_OP(bitwise_or, TILE_BITWISE_OR, RESULT_SAME, OP_COMMUTATIVE,
          "The bits that one has; of ints or bools.", "BitwiseOr");

BINARY_OP(bitwise_xor, TILE_BITWISE_XOR, RESULT_SAME, OP_COMMUTATIVE,
          "The bits that differ; of ints or bools.", "BitwiseXor");

UNARY_OP(bitwise_invert, TILE_BITWISE_INVERT, RESULT_SAME,
         "All bits turned over; of ints or bools.", "Invert");

// A count of the width or more is undefined in C and wraps on some machines;
// here it gives what shifting one place at a time would.
const OpDesc op_bitwise_left_shift = {
    BINARY("bitwise_left_shift", TILE_LEFT_SHIFT, RESULT_SAME, OP_MAY_FAIL),
    .doc = "x1 << x2; 0 from the width on. A negative count is an\n"
           "OpValueError." BROADCASTS,
    .tile_error = ERR_OP_VALUE,
    .tile_text = "negative shift count",
    .graphdef = "LeftShift",
};

// Arithmetic for signed ints, so that -1 >> n stays -1, as in Python.
const OpDesc op_bitwise_right_shift = {
    BINARY("bitwise_right_shift", TILE_RIGHT_SHIFT, RESULT_SAME, OP_MAY_FAIL),
    .doc = "x1 >> x2; 0 or -1 from the width on. A negative count is an\n"
           "OpValueError." BROADCASTS,
    .tile_error = ERR_OP_VALUE,
    .tile_text = "negative shift count",
    .graphdef = "RightShift",
};

// Ints are never NaN and always finite; they are taken all the same, so that
// generic code need not ask for the dtype.
UNARY_OP(isnan, TILE_ISNAN, RESULT_BOOL, "True where x is NaN.", "IsNan");

UNARY_OP(isinf, TILE_ISINF, RESULT_BOOL, "True where x is infinite.", "IsInf");

UNARY_OP(isfinite, TILE_ISFINITE, RESULT_BOOL,
         "True where x is neither NaN nor infinite.", "IsFinite");

// Unlike x < 0 this tells -0.0 from 0.0. TensorFlow has no op for it, nor for
// copysign, hence no graphdef name.
UNARY_OP(signbit, TILE_SIGNBIT, RESULT_BOOL,
         "True where the sign bit of a float is set (-0.0 has it).", NULL);

// The sign bit alone is copied: it works with -0.0 and NaN as well.
BINARY_OP(copysign, TILE_COPYSIGN, RESULT_SAME, 0,
          "The size of x1 with the sign of x2; of floats.", NULL);
