// Elementwise arithmetic. The loops are in kernels/tile_list.h.
#include "ops/infer.h"
#include "ops/strings.h"

#define BINARY(text, loops, gives, bits)                                      \
    .name = (text), .min_inputs = 2, .max_inputs = 2, .output_count = 1,      \
    .params = "x1, x2, /", .flags = OP_ELEMENTWISE | (bits),                  \
    .infer = infer_elementwise, .tile = (loops), .result = (gives)

#define UNARY(text, loops, gives)                                             \
    .name = (text), .min_inputs = 1, .max_inputs = 1, .output_count = 1,      \
    .params = "x, /", .flags = OP_ELEMENTWISE | OP_METHOD,                    \
    .infer = infer_elementwise, .tile = (loops), .result = (gives)

const OpDesc op_add = {
    BINARY("add", TILE_ADD, RESULT_SAME, OP_COMMUTATIVE),
    .doc = "The sum x1 + x2, element by element; strings are joined.\n"
           "Shapes broadcast; dtypes must be equal.",
    .kernel = kernel_string_add,
    .graphdef = "AddV2",
};

const OpDesc op_subtract = {
    BINARY("subtract", TILE_SUBTRACT, RESULT_SAME, 0),
    .doc = "The difference x1 - x2.\n"
           "Shapes broadcast; dtypes must be equal.",
    .graphdef = "Sub",
};

const OpDesc op_multiply = {
    BINARY("multiply", TILE_MULTIPLY, RESULT_SAME, OP_COMMUTATIVE),
    .doc = "The product x1 * x2.\n"
           "Shapes broadcast; dtypes must be equal.",
    .graphdef = "Mul",
};

const OpDesc op_divide = {
    BINARY("divide", TILE_DIVIDE, RESULT_FLOAT, 0),
    .doc = "The quotient x1 / x2; of integers as float64.\n"
           "Shapes broadcast; dtypes must be equal.",
    .graphdef = "RealDiv",
};

const OpDesc op_floor_divide = {
    BINARY("floor_divide", TILE_FLOOR_DIVIDE, RESULT_SAME, OP_MAY_FAIL),
    .doc = "The quotient x1 // x2, floored. An integer divided by 0 is an\n"
           "OpDivisionError.\n"
           "Shapes broadcast; dtypes must be equal.",
    .tile_error = ERR_OP_DIVISION,
    .tile_text = "division by zero",
    .graphdef = "FloorDiv",
};

const OpDesc op_remainder = {
    BINARY("remainder", TILE_REMAINDER, RESULT_SAME, OP_MAY_FAIL),
    .doc = "The remainder x1 % x2, with the sign of x2. An integer divided by 0 is\n"
           "an OpDivisionError.\n"
           "Shapes broadcast; dtypes must be equal.",
    .tile_error = ERR_OP_DIVISION,
    .tile_text = "division by zero",
    .graphdef = "FloorMod",
};

const OpDesc op_pow = {
    BINARY("pow", TILE_POW, RESULT_SAME, OP_MAY_FAIL),
    .doc = "The power x1 ** x2. A negative integer exponent is an OpValueError.\n"
           "Shapes broadcast; dtypes must be equal.",
    .tile_error = ERR_OP_VALUE,
    .tile_text = "integers have no negative powers",
    .graphdef = "Pow",
};

const OpDesc op_maximum = {
    BINARY("maximum", TILE_MAXIMUM, RESULT_SAME, 0),
    .doc = "The larger of x1 and x2; NaN if one is NaN.\n"
           "Shapes broadcast; dtypes must be equal.",
    .graphdef = "Maximum",
};

const OpDesc op_minimum = {
    BINARY("minimum", TILE_MINIMUM, RESULT_SAME, 0),
    .doc = "The smaller of x1 and x2; NaN if one is NaN.\n"
           "Shapes broadcast; dtypes must be equal.",
    .graphdef = "Minimum",
};

const OpDesc op_negative = {
    UNARY("negative", TILE_NEGATIVE, RESULT_SAME),
    .doc = "The negated value -x.",
    .graphdef = "Neg",
};

const OpDesc op_abs = {
    UNARY("abs", TILE_ABS, RESULT_SAME),
    .doc = "The absolute value.",
    .graphdef = "Abs",
};

const OpDesc op_sign = {
    UNARY("sign", TILE_SIGN, RESULT_SAME),
    .doc = "-1, 0 or 1 by the sign of x; NaN of NaN.",
    .graphdef = "Sign",
};

const OpDesc op_square = {
    UNARY("square", TILE_SQUARE, RESULT_SAME),
    .doc = "The square, x times x.",
    .graphdef = "Square",
};

const OpDesc op_reciprocal = {
    UNARY("reciprocal", TILE_RECIPROCAL, RESULT_SAME),
    .doc = "1 / x, of floats.",
    .graphdef = "Reciprocal",
};
