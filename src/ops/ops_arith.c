// Elementwise arithmetic. The loops are in kernels/tile_list.h.
#include "ops/descriptor.h"
#include "ops/strings.h"

// Integers divide as float64.
static LoopValue as_float(LoopBuild *build, LoopValue x)
{
    return x == LOOP_NONE || loop_is_float(loop_type(build, x))
               ? x
               : loop_convert(build, x, LT_F64);
}

// A NaN in x is given on; in the second operand it is what max and min take.
static LoopValue or_nan(LoopBuild *build, LoopValue x, LoopValue other)
{
    return x == LOOP_NONE || !loop_is_float(loop_type(build, x))
               ? other
               : loop_select(build, loop_ne(build, x, x), x, other);
}

BODY(add, loop_add(build, x[0], x[1]))
// Strings have a kernel of their own.
const OpDesc op_add = {
    BINARY("add", TILE_ADD, RESULT_SAME, 0),
    .body = body_add,
    .doc =
        "The sum x1 + x2, element by element; strings are joined." BROADCASTS,
    .kernel = kernel_string_add,
    .graphdef = "AddV2",
};

BODY(subtract, loop_sub(build, x[0], x[1]))
// Ints wrap, like all integer arithmetic here: no dtype grows by itself.
BINARY_OP(subtract, TILE_SUBTRACT, body_subtract, RESULT_SAME, 0,
          "The difference x1 - x2.", "Sub");

BODY(multiply, loop_mul(build, x[0], x[1]))
BINARY_OP(multiply, TILE_MULTIPLY, body_multiply, RESULT_SAME, 0,
          "The product x1 * x2.", "Mul");

BODY(divide, loop_div(build, as_float(build, x[0]), as_float(build, x[1])))
// True division, as Python's `/`: ints become float64 before they are divided,
// as in NumPy.
BINARY_OP(divide, TILE_DIVIDE, body_divide, RESULT_FLOAT, 0,
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

BODY(maximum, or_nan(build, x[0], loop_max(build, x[0], x[1])))
// Of 0.0 and -0.0, which compare equal, the second operand is taken.
BINARY_OP(maximum, TILE_MAXIMUM, body_maximum, RESULT_SAME, 0,
          "The larger of x1 and x2; NaN if one is NaN.", "Maximum");

BODY(minimum, or_nan(build, x[0], loop_min(build, x[0], x[1])))
BINARY_OP(minimum, TILE_MINIMUM, body_minimum, RESULT_SAME, 0,
          "The smaller of x1 and x2; NaN if one is NaN.", "Minimum");

// From -0.0, so that 0.0 becomes -0.0 and back.
BODY(negative, loop_sub(build, loop_like(build, x[0], -0.0), x[0]))
UNARY_OP(negative, TILE_NEGATIVE, body_negative, RESULT_SAME,
         "The negated value -x.", "Neg");

static LoopValue body_abs(LoopBuild *build, const LoopValue *x,
                          const AttrValue *attrs)
{
    if (loop_is_float(loop_type(build, x[0]))) {
        return loop_magnitude(build, x[0]);
    }
    return loop_max(build, x[0], body_negative(build, x, attrs));
}
// The lowest int has no positive counterpart and stays itself.
UNARY_OP(abs, TILE_ABS, body_abs, RESULT_SAME, "The absolute value.", "Abs");

static LoopValue body_sign(LoopBuild *build, const LoopValue *x,
                           const AttrValue *attrs)
{
    (void)attrs;
    LoopValue zero = loop_like(build, x[0], 0);
    LoopValue none = loop_eq(build, x[0], zero);
    LoopValue y = loop_select(build, none, zero, x[0]);
    y = loop_select(build, loop_lt(build, x[0], zero),
                    loop_like(build, x[0], -1), y);
    return loop_select(build, loop_lt(build, zero, x[0]),
                       loop_like(build, x[0], 1), y);
}
UNARY_OP(sign, TILE_SIGN, body_sign, RESULT_SAME,
         "-1, 0 or 1 by the sign of x; NaN of NaN.", "Sign");

BODY(square, loop_mul(build, x[0], x[0]))
// An op of its own, not multiply(x, x): its loop loads one operand, not two.
UNARY_OP(square, TILE_SQUARE, body_square, RESULT_SAME,
         "The square, x times x.", "Square");

BODY(reciprocal, loop_div(build, loop_like(build, x[0], 1), x[0]))
// Not of ints: nearly every result would be 0.
UNARY_OP(reciprocal, TILE_RECIPROCAL, body_reciprocal, RESULT_SAME,
         "1 / x, of floats.", "Reciprocal");
