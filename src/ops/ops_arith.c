// Elementwise arithmetic. The loops are in kernels/tile_list.h.
#include "ops/descriptor.h"
#include "ops/strings.h"

// Of numbers alone it is commutative: strings are joined in the order of the
// operands.
const OpDesc op_add = {
    BINARY("add", TILE_ADD, RESULT_SAME, OP_COMMUTATIVE),
    .doc =
        "The sum x1 + x2, element by element; strings are joined." BROADCASTS,
    .kernel = kernel_string_add,
    .graphdef = "AddV2",
};

// Ints wrap, like all integer arithmetic here: no dtype grows by itself.
BINARY_OP(subtract, TILE_SUBTRACT, RESULT_SAME, 0, "The difference x1 - x2.",
          "Sub");

BINARY_OP(multiply, TILE_MULTIPLY, RESULT_SAME, OP_COMMUTATIVE,
          "The product x1 * x2.", "Mul");

// True division, as Python's `/`: ints become float64 before they are divided,
// as in NumPy.
BINARY_OP(divide, TILE_DIVIDE, RESULT_FLOAT, 0,
          "The quotient x1 / x2; of integers as float64.", "RealDiv");

// Python's `//`: towards minus infinity, where C goes towards zero. Floats do
// not fail, they give an infinity or NaN.
const OpDesc op_floor_divide = {
    BINARY("floor_divide", TILE_FLOOR_DIVIDE, RESULT_SAME, OP_MAY_FAIL),
    .doc = "The quotient x1 // x2, floored. An integer divided by 0 is an\n"
           "OpDivisionError." BROADCASTS,
    .tile_error = ERR_OP_DIVISION,
    .tile_text = "division by zero",
    .graphdef = "FloorDiv",
};

// Python's `%`: for ints x1 == x1 // x2 * x2 + x1 % x2 holds.
const OpDesc op_remainder = {
    BINARY("remainder", TILE_REMAINDER, RESULT_SAME, OP_MAY_FAIL),
    .doc = "The remainder x1 % x2, with the sign of x2. An integer divided\n"
           "by 0 is an OpDivisionError." BROADCASTS,
    .tile_error = ERR_OP_DIVISION,
    .tile_text = "division by zero",
    .graphdef = "FloorMod",
};

// Ints stay ints, so a negative exponent has no value in the dtype; NumPy
// refuses it in the same way.
const OpDesc op_pow = {
    BINARY("pow", TILE_POW, RESULT_SAME, OP_MAY_FAIL),
    .doc = "The power x1 ** x2. A negative integer exponent is an\n"
           "OpValueError." BROADCASTS,
    .tile_error = ERR_OP_VALUE,
    .tile_text = "integers have no negative powers",
    .graphdef = "Pow",
};

// Not marked commutative, because the flag promises equal bits: of 0.0 and
// -0.0, which compare equal, the second operand is taken.
BINARY_OP(maximum, TILE_MAXIMUM, RESULT_SAME, 0,
          "The larger of x1 and x2; NaN if one is NaN.", "Maximum");

BINARY_OP(minimum, TILE_MINIMUM, RESULT_SAME, 0,
          "The smaller of x1 and x2; NaN if one is NaN.", "Minimum");

UNARY_OP(negative, TILE_NEGATIVE, RESULT_SAME, "The negated value -x.", "Neg");

// The lowest int has no positive counterpart and stays itself.
UNARY_OP(abs, TILE_ABS, RESULT_SAME, "The absolute value.", "Abs");

UNARY_OP(sign, TILE_SIGN, RESULT_SAME,
         "-1, 0 or 1 by the sign of x; NaN of NaN.", "Sign");

// An op of its own, not multiply(x, x): its loop loads one operand, not two.
UNARY_OP(square, TILE_SQUARE, RESULT_SAME, "The square, x times x.", "Square");

// Not of ints: nearly every result would be 0.
UNARY_OP(reciprocal, TILE_RECIPROCAL, RESULT_SAME, "1 / x, of floats.",
         "Reciprocal");
