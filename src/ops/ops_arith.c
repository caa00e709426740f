// Elementwise arithmetic.
#include <math.h>

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
GRAD_2(add, g, g)
// Strings have a kernel of their own.
const OpDesc op_add = {
    BINARY("add", TAKES_NUMERIC, RESULT_SAME, 0),
    .body = body_add,
    .doc =
        "The sum x1 + x2, element by element; strings are joined." BROADCASTS,
    .kernel = kernel_string_add,
    .gradient = rule_add,
    .graphdef = "AddV2",
};

BODY(subtract, loop_sub(build, x[0], x[1]))
GRAD_2(subtract, g, grad_neg(e, g))
// Ints wrap, like all integer arithmetic here: no dtype grows by itself.
BINARY_OP(subtract, TAKES_NUMERIC, body_subtract, RESULT_SAME, 0,
          "The difference x1 - x2.", "Sub");

BODY(multiply, loop_mul(build, x[0], x[1]))
GRAD_2(multiply, grad_mul(e, g, x[1]), grad_mul(e, g, x[0]))
BINARY_OP(multiply, TAKES_NUMERIC, body_multiply, RESULT_SAME, 0,
          "The product x1 * x2.", "Mul");

BODY(divide, loop_div(build, as_float(build, x[0]), as_float(build, x[1])))
GRAD_2(divide, grad_div(e, g, x[1]),
       grad_neg(e, grad_div(e, grad_mul(e, g, y), x[1])))
// True division, as Python's `/`: ints become float64 before they are divided,
// as in NumPy.
BINARY_OP(divide, TAKES_NUMERIC, body_divide, RESULT_FLOAT, 0,
          "The quotient x1 / x2; of integers as float64.", "RealDiv");

// An int's divisor: 0 is in error, and 1 stands for it.
static LoopValue divisor(LoopBuild *build, LoopValue y)
{
    LoopValue zero = loop_eq(build, y, loop_like(build, y, 0));
    return loop_fault(build, zero) == LOOP_NONE
               ? LOOP_NONE
               : loop_select(build, zero, loop_like(build, y, 1), y);
}

// Floored, by what `divisor` gives. Of 32 bits half a step above x (or below,
// by a negative y) the product with y's rounded inverse is away from whole
// numbers by more than its error; the lowest value over -1 wraps.
static LoopValue int_quotient(LoopBuild *build, LoopValue x, LoopValue y)
{
    if (y == LOOP_NONE || loop_type(build, y) == LT_I64) {
        return loop_prim(build, PRIM_QUOT, x, y, 0);
    }
    LoopValue by = loop_convert(build, y, LT_F64);
    LoopValue half = loop_copysign(build, loop_like(build, by, 0.5), by);
    LoopValue inverse = loop_div(build, loop_like(build, by, 1), by);
    LoopValue q = loop_add(build, loop_convert(build, x, LT_F64), half);
    q = loop_prim(build, PRIM_FLOOR, loop_mul(build, q, inverse), 0, 0);
    return loop_convert(build, q, LT_I32);
}

// Whether the remainder and the divisor have different signs.
static LoopValue must_floor(LoopBuild *build, LoopValue rest, LoopValue y)
{
    LoopValue zero = loop_like(build, y, 0);
    LoopValue differ =
        loop_xor(build, loop_lt(build, rest, zero), loop_lt(build, y, zero));
    return loop_and(build, loop_ne(build, rest, zero), differ);
}

// Zero with the sign of the other.
static LoopValue zero_like(LoopBuild *build, LoopValue x)
{
    return loop_copysign(build, loop_like(build, x, 0), x);
}

// The exact quotient floored, as Python and NumPy have it.
static LoopValue float_floor_divide(LoopBuild *build, LoopValue x, LoopValue y)
{
    LoopValue zero = loop_like(build, x, 0), one = loop_like(build, x, 1);
    LoopValue rest = loop_fmod(build, x, y), plain = loop_div(build, x, y);
    LoopValue q = loop_div(build, loop_sub(build, x, rest), y);
    q = loop_select(build, must_floor(build, rest, y), loop_sub(build, q, one),
                    q);
    LoopValue whole = loop_prim(build, PRIM_FLOOR, q, 0, 0);
    LoopValue above =
        loop_lt(build, loop_like(build, q, 0.5), loop_sub(build, q, whole));
    whole = loop_select(build, above, loop_add(build, whole, one), whole);
    whole = loop_select(build, loop_eq(build, q, zero), zero_like(build, plain),
                        whole);
    return loop_select(build, loop_eq(build, y, zero), plain, whole);
}

static LoopValue body_floor_divide(LoopBuild *build, const LoopValue *x,
                                   const AttrValue *attrs)
{
    (void)attrs;
    if (loop_is_float(loop_type(build, x[0]))) {
        return float_floor_divide(build, x[0], x[1]);
    }
    return int_quotient(build, x[0], divisor(build, x[1]));
}

static LoopValue body_remainder(LoopBuild *build, const LoopValue *x,
                                const AttrValue *attrs)
{
    (void)attrs;
    if (!loop_is_float(loop_type(build, x[0]))) {
        LoopValue y = divisor(build, x[1]);
        LoopValue q = int_quotient(build, x[0], y);
        return loop_sub(build, x[0], loop_mul(build, q, y));
    }
    LoopValue y = x[1], rest = loop_fmod(build, x[0], y);
    LoopValue result = loop_select(build, must_floor(build, rest, y),
                                   loop_add(build, rest, y), rest);
    return loop_select(build, loop_eq(build, rest, loop_like(build, rest, 0)),
                       zero_like(build, y), result);
}

// x³, of floats rounded once: x² in two parts times x. Beyond the largest
// number there is no lower part.
static LoopValue cube(LoopBuild *build, LoopValue x)
{
    LoopValue square = loop_mul(build, x, x), y = loop_mul(build, square, x);
    if (!loop_is_float(loop_type(build, x))) {
        return y;
    }
    LoopValue low = loop_fma(build, x, x, loop_negative(build, square));
    LoopValue finite =
        loop_lt(build, loop_magnitude(build, y), loop_like(build, x, INFINITY));
    low = loop_select(build, finite, loop_mul(build, low, x),
                      loop_like(build, x, 0));
    return loop_fma(build, square, x, low);
}

// The power 0.5 of -0.0 is 0.0, and that of -inf is inf; their roots are not.
static LoopValue root(LoopBuild *build, LoopValue x)
{
    LoopValue y = loop_add(build, loop_sqrt(build, x), loop_like(build, x, 0));
    return loop_select(build, loop_eq(build, x, loop_like(build, x, -INFINITY)),
                       loop_like(build, x, INFINITY), y);
}

// Exponents whose powers take a few operations. They have these bits, no matter
// how the exponent is given.
static const double exponents[] = {1, 2, 3, 0.5};
enum { EXPONENTS = sizeof exponents / sizeof *exponents };

// x to the power of one of them.
static LoopValue short_power(LoopBuild *build, LoopValue x, double exponent)
{
    return exponent == 1   ? x
           : exponent == 2 ? loop_mul(build, x, x)
           : exponent == 3 ? cube(build, x)
                           : root(build, x);
}

static LoopValue float_pow(LoopBuild *build, LoopValue x, LoopValue y)
{
    LoopValue power = loop_wide2(build, loop_pow, x, y);
    double known;
    for (int i = 0; i < EXPONENTS && !loop_known(build, y, &known); i++) {
        LoopValue is = loop_eq(build, y, loop_like(build, y, exponents[i]));
        power =
            loop_select(build, is, short_power(build, x, exponents[i]), power);
    }
    return power;
}

// Ints modulo the width; 0 to the power 0 is 1, as in Python.
static LoopValue body_pow(LoopBuild *build, const LoopValue *x,
                          const AttrValue *attrs)
{
    (void)attrs;
    bool floats = loop_is_float(loop_type(build, x[0]));
    double known;
    if (loop_known(build, x[1], &known)) {
        for (int i = 0; i < EXPONENTS; i++) {
            if (known == exponents[i]) {
                return short_power(build, x[0], known);
            }
        }
    }
    if (floats) {
        return float_pow(build, x[0], x[1]);
    }
    LoopType type = loop_type(build, x[0]);
    LoopValue below = loop_lt(build, x[1], loop_like(build, x[1], 0));
    LoopValue y = loop_prim(build, PRIM_POW, loop_convert(build, x[0], LT_I64),
                            loop_convert(build, x[1], LT_I64), 0);
    return loop_fault(build, below) == LOOP_NONE ? LOOP_NONE
                                                 : loop_convert(build, y, type);
}

// Python's `//`: towards minus infinity, where C goes towards zero. Floats do
// not fail, they give an infinity or NaN.
const OpDesc op_floor_divide = {
    BINARY("floor_divide", TAKES_NUMERIC, RESULT_SAME, OP_MAY_FAIL),
    .body = body_floor_divide,
    .doc = "The quotient x1 // x2, floored. An integer divided by 0 is an\n"
           "OpDivisionError." BROADCASTS,
    .fault = ERR_OP_DIVISION,
    .fault_text = "division by zero",
    .gradient = grad_none,
    .graphdef = "FloorDiv",
};

GRAD_2(remainder, g,
       grad_neg(e, grad_mul(e, g, emit_2(e, OP_FLOOR_DIVIDE, x[0], x[1]))))
// Python's `%`: for ints x1 == x1 // x2 * x2 + x1 % x2 holds.
const OpDesc op_remainder = {
    BINARY("remainder", TAKES_NUMERIC, RESULT_SAME, OP_MAY_FAIL),
    .body = body_remainder,
    .doc = "The remainder x1 % x2, with the sign of x2. An integer divided\n"
           "by 0 is an OpDivisionError." BROADCASTS,
    .fault = ERR_OP_DIVISION,
    .fault_text = "division by zero",
    .gradient = rule_remainder,
    .graphdef = "FloorMod",
};

// The logarithm of a base that is not positive counts as 0, so that the others
// keep their gradients.
static EmitValue log_of_base(Emit *e, EmitValue base)
{
    EmitValue positive = emit_with(e, OP_GREATER, base, 0);
    EmitValue one =
        base == NULL ? NULL : emit_number(e, emit_type(e, base).dtype, 1);
    EmitValue safe = emit_3(e, OP_WHERE, positive, base, one);
    return emit_1(e, OP_LOG, safe, NULL);
}

GRAD_2(pow,
       grad_mul(e, g,
                grad_mul(e, x[1],
                         emit_2(e, OP_POW, x[0],
                                emit_with(e, OP_SUBTRACT, x[1], 1)))),
       grad_mul(e, g, grad_mul(e, y, log_of_base(e, x[0]))))
// Ints stay ints, so a negative exponent has no value in the dtype; NumPy
// refuses it in the same way.
const OpDesc op_pow = {
    BINARY("pow", TAKES_NUMERIC, RESULT_SAME, OP_MAY_FAIL | OP_MATHS),
    .body = body_pow,
    .known = exponents,
    .known_count = EXPONENTS,
    .doc = "The power x1 ** x2. A negative integer exponent is an\n"
           "OpValueError." BROADCASTS,
    .fault = ERR_OP_VALUE,
    .fault_text = "integers have no negative powers; cast one to a float",
    .gradient = rule_pow,
    .graphdef = "Pow",
};

BODY(maximum, or_nan(build, x[0], loop_max(build, x[0], x[1])))
// Of equal elements the first operand has the gradient.
GRAD_2(maximum, grad_if(e, emit_2(e, OP_GREATER_EQUAL, x[0], x[1]), g),
       grad_unless(e, emit_2(e, OP_GREATER_EQUAL, x[0], x[1]), g))
// Of 0.0 and -0.0, which compare equal, the second operand is taken.
BINARY_OP(maximum, TAKES_NUMERIC, body_maximum, RESULT_SAME, 0,
          "The larger of x1 and x2; NaN if one is NaN.", "Maximum");

BODY(minimum, or_nan(build, x[0], loop_min(build, x[0], x[1])))
GRAD_2(minimum, grad_if(e, emit_2(e, OP_LESS_EQUAL, x[0], x[1]), g),
       grad_unless(e, emit_2(e, OP_LESS_EQUAL, x[0], x[1]), g))
BINARY_OP(minimum, TAKES_NUMERIC, body_minimum, RESULT_SAME, 0,
          "The smaller of x1 and x2; NaN if one is NaN.", "Minimum");

BODY(negative, loop_negative(build, x[0]))
GRAD_1(negative, grad_neg(e, g))
UNARY_OP(negative, TAKES_NUMERIC, body_negative, RESULT_SAME,
         "The negated value -x.", "Neg");

static LoopValue body_abs(LoopBuild *build, const LoopValue *x,
                          const AttrValue *attrs)
{
    if (loop_is_float(loop_type(build, x[0]))) {
        return loop_magnitude(build, x[0]);
    }
    return loop_max(build, x[0], body_negative(build, x, attrs));
}
GRAD_1(abs, grad_mul(e, g, emit_1(e, OP_SIGN, x[0], NULL)))
// The lowest int has no positive counterpart and stays itself.
UNARY_OP(abs, TAKES_NUMERIC, body_abs, RESULT_SAME, "The absolute value.",
         "Abs");

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
GRAD_1(sign, emit_1(e, OP_ZEROS_LIKE, g, &(AttrValue){0}))
UNARY_OP(sign, TAKES_NUMERIC, body_sign, RESULT_SAME,
         "-1, 0 or 1 by the sign of x; NaN of NaN.", "Sign");

BODY(square, loop_mul(build, x[0], x[0]))
GRAD_1(square, grad_mul(e, g, grad_times(e, x[0], 2)))
// An op of its own, not multiply(x, x): its loop loads one operand, not two.
UNARY_OP(square, TAKES_NUMERIC, body_square, RESULT_SAME,
         "The square, x times x.", "Square");

BODY(reciprocal, loop_div(build, loop_like(build, x[0], 1), x[0]))
GRAD_1(reciprocal, grad_neg(e, grad_mul(e, g, grad_square(e, y))))
// Not of ints: nearly every result would be 0.
UNARY_OP(reciprocal, TAKES_FLOAT, body_reciprocal, RESULT_SAME,
         "1 / x, of floats.", "Reciprocal");
