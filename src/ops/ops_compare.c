// Elementwise comparison, logic and bits.
#include <math.h>

#include "ops/descriptor.h"
#include "ops/strings.h"

// Of bools: those that do not differ.
static LoopValue body_equal(LoopBuild *build, const LoopValue *x,
                            const AttrValue *attrs)
{
    (void)attrs;
    return loop_type(build, x[0]) == LT_MASK
               ? loop_not(build, loop_xor(build, x[0], x[1]))
               : loop_eq(build, x[0], x[1]);
}
// Strings compare too, byte by byte, by a kernel of their own. The ordered
// comparisons below have none: TensorFlow orders no strings.
const OpDesc op_equal = {
    BINARY("equal", TAKES_ALL, RESULT_BOOL, 0),
    .body = body_equal,
    .doc = "True where x1 == x2." BROADCASTS,
    .kernel = kernel_string_equal,
    .graphdef = "Equal",
};

static LoopValue body_not_equal(LoopBuild *build, const LoopValue *x,
                                const AttrValue *attrs)
{
    (void)attrs;
    return loop_type(build, x[0]) == LT_MASK ? loop_xor(build, x[0], x[1])
                                             : loop_ne(build, x[0], x[1]);
}
const OpDesc op_not_equal = {
    BINARY("not_equal", TAKES_ALL, RESULT_BOOL, 0),
    .body = body_not_equal,
    .doc = "True where x1 != x2." BROADCASTS,
    .kernel = kernel_string_equal,
    .graphdef = "NotEqual",
};

BODY(less, loop_lt(build, x[0], x[1]))
// With a NaN every comparison is False but not_equal.
BINARY_BITS(less, TAKES_NUMERIC, body_less, RESULT_BOOL, 0,
            "True where x1 < x2.", "Less");

BODY(less_equal, loop_le(build, x[0], x[1]))
BINARY_BITS(less_equal, TAKES_NUMERIC, body_less_equal, RESULT_BOOL, 0,
            "True where x1 <= x2.", "LessEqual");

BODY(greater, loop_lt(build, x[1], x[0]))
BINARY_BITS(greater, TAKES_NUMERIC, body_greater, RESULT_BOOL, 0,
            "True where x1 > x2.", "Greater");

BODY(greater_equal, loop_le(build, x[1], x[0]))
BINARY_BITS(greater_equal, TAKES_NUMERIC, body_greater_equal, RESULT_BOOL, 0,
            "True where x1 >= x2.", "GreaterEqual");

BODY(logical_and, loop_and(build, x[0], x[1]))
// The logical ops take bools alone; a number has to be compared first. That
// keeps `logical_and(x, 2)` from meaning something by accident.
BINARY_BITS(logical_and, TAKES_BOOL, body_logical_and, RESULT_SAME, 0,
            "True where both bools are.", "LogicalAnd");

BODY(logical_or, loop_or(build, x[0], x[1]))
BINARY_BITS(logical_or, TAKES_BOOL, body_logical_or, RESULT_SAME, 0,
            "True where one of the bools is.", "LogicalOr");

BODY(logical_xor, loop_xor(build, x[0], x[1]))
// TensorFlow has no LogicalXor op; of bools NotEqual is the same function.
BINARY_BITS(logical_xor, TAKES_BOOL, body_logical_xor, RESULT_SAME, 0,
            "True where one of the bools is, not both.", "NotEqual");

BODY(logical_not, loop_not(build, x[0]))
UNARY_BITS(logical_not, TAKES_BOOL, body_logical_not, RESULT_SAME,
           "True where the bool is False.", "LogicalNot");

// Of bools these are the logical functions; floats have no bits to offer.
BINARY_BITS(bitwise_and, TAKES_BITS, body_logical_and, RESULT_SAME, 0,
            "The bits that both have; of ints or bools.", "BitwiseAnd");

BINARY_BITS(bitwise_or, TAKES_BITS, body_logical_or, RESULT_SAME, 0,
            "The bits that one has; of ints or bools.", "BitwiseOr");

BINARY_BITS(bitwise_xor, TAKES_BITS, body_logical_xor, RESULT_SAME, 0,
            "The bits that differ; of ints or bools.", "BitwiseXor");

UNARY_BITS(bitwise_invert, TAKES_BITS, body_logical_not, RESULT_SAME,
           "All bits turned over; of ints or bools.", "Invert");

static LoopValue shifted(LoopBuild *build, LoopPrim op, const LoopValue *x)
{
    LoopValue below = loop_lt(build, x[1], loop_like(build, x[1], 0));
    return loop_fault(build, below) == LOOP_NONE
               ? LOOP_NONE
               : loop_prim(build, op, x[0], x[1], 0);
}

BODY(left_shift, shifted(build, PRIM_SHL, x))
BODY(right_shift, shifted(build, PRIM_SAR, x))
// A count of the width or more is undefined in C and wraps on some machines;
// here it gives what shifting one place at a time would.
const OpDesc op_bitwise_left_shift = {
    BINARY("bitwise_left_shift", TAKES_INTEGER, RESULT_SAME, OP_MAY_FAIL),
    .body = body_left_shift,
    .doc = "x1 << x2; 0 from the width on. A negative count is an\n"
           "OpValueError." BROADCASTS,
    .fault = ERR_OP_VALUE,
    .fault_text = "negative shift count",
    .graphdef = "LeftShift",
};

// Arithmetic for signed ints, so that -1 >> n stays -1, as in Python.
const OpDesc op_bitwise_right_shift = {
    BINARY("bitwise_right_shift", TAKES_INTEGER, RESULT_SAME, OP_MAY_FAIL),
    .body = body_right_shift,
    .doc = "x1 >> x2; 0 or -1 from the width on. A negative count is an\n"
           "OpValueError." BROADCASTS,
    .fault = ERR_OP_VALUE,
    .fault_text = "negative shift count",
    .graphdef = "RightShift",
};

BODY(isnan, loop_ne(build, x[0], x[0]))
// Ints are never NaN and always finite; they are taken all the same, so that
// generic code need not ask for the dtype.
UNARY_BITS(isnan, TAKES_NUMERIC, body_isnan, RESULT_BOOL,
           "True where x is NaN.", "IsNan");

static LoopValue body_isinf(LoopBuild *build, const LoopValue *x,
                            const AttrValue *attrs)
{
    (void)attrs;
    return loop_is_float(loop_type(build, x[0]))
               ? loop_eq(build, loop_magnitude(build, x[0]),
                         loop_like(build, x[0], INFINITY))
               : loop_number(build, LT_MASK, 0);
}
UNARY_BITS(isinf, TAKES_NUMERIC, body_isinf, RESULT_BOOL,
           "True where x is infinite.", "IsInf");

static LoopValue body_isfinite(LoopBuild *build, const LoopValue *x,
                               const AttrValue *attrs)
{
    (void)attrs;
    return loop_is_float(loop_type(build, x[0]))
               ? loop_lt(build, loop_magnitude(build, x[0]),
                         loop_like(build, x[0], INFINITY))
               : loop_number(build, LT_MASK, 1);
}
UNARY_BITS(isfinite, TAKES_NUMERIC, body_isfinite, RESULT_BOOL,
           "True where x is neither NaN nor infinite.", "IsFinite");

static LoopValue body_signbit(LoopBuild *build, const LoopValue *x,
                              const AttrValue *attrs)
{
    (void)attrs;
    LoopValue bits = loop_twin(build, x[0]);
    return loop_and(build, loop_eq(build, x[0], x[0]),
                    loop_lt(build, bits, loop_like(build, bits, 0)));
}
// Unlike x < 0 this tells -0.0 from 0.0. TensorFlow has no op for it, nor for
// copysign, hence no graphdef name.
UNARY_BITS(signbit, TAKES_FLOAT, body_signbit, RESULT_BOOL,
           "True where the sign bit of a float is set (-0.0 has it).", NULL);

static LoopValue body_copysign(LoopBuild *build, const LoopValue *x,
                               const AttrValue *attrs)
{
    (void)attrs;
    return loop_select(build, loop_eq(build, x[1], x[1]),
                       loop_copysign(build, x[0], x[1]),
                       loop_magnitude(build, x[0]));
}
GRAD_2(copysign,
       emit_3(e, OP_WHERE,
              emit_2(e, OP_EQUAL, emit_1(e, OP_SIGNBIT, x[0], NULL),
                     emit_1(e, OP_SIGNBIT, y, NULL)),
              g, grad_neg(e, g)),
       emit_1(e, OP_ZEROS_LIKE, g, &(AttrValue){0}))
// The sign bit alone is copied: it works with -0.0 and NaN as well.
BINARY_OP(copysign, TAKES_FLOAT, body_copysign, RESULT_SAME, 0,
          "The size of x1 with the sign of x2; of floats.", NULL);
