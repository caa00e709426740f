// Elementwise mathematical functions; of floats but for rounding and relu.
#include <math.h>

#include "ops/descriptor.h"

// Rounding leaves integers as they are.
static LoopValue rounded(LoopBuild *build, LoopPrim op, LoopValue x)
{
    return loop_is_float(loop_type(build, x)) ? loop_prim(build, op, x, 0, 0)
                                              : x;
}

// Constant between their steps, where nothing flows back.
#define rule_floor grad_none
#define rule_ceil grad_none
#define rule_trunc grad_none
#define rule_round grad_none

BODY(floor, rounded(build, PRIM_FLOOR, x[0]))
// Rounding takes ints too, which come back as they are, with their dtype.
UNARY_OP(floor, TAKES_NUMERIC, body_floor, RESULT_SAME,
         "The largest whole number that is not above x.", "Floor");

BODY(ceil, rounded(build, PRIM_CEIL, x[0]))
UNARY_OP(ceil, TAKES_NUMERIC, body_ceil, RESULT_SAME,
         "The smallest whole number that is not below x.", "Ceil");

BODY(trunc, rounded(build, PRIM_TRUNC, x[0]))
// Towards zero, where floor and ceil go one way. TensorFlow has no op for it,
// hence no graphdef name; the same holds for others without one below.
UNARY_OP(trunc, TAKES_NUMERIC, body_trunc, RESULT_SAME,
         "x without its fraction.", NULL);

BODY(round, rounded(build, PRIM_RINT, x[0]))
// Ties to even is IEEE's default and Python's round, not C's round(), which
// goes away from zero.
UNARY_OP(round, TAKES_NUMERIC, body_round, RESULT_SAME,
         "The nearest whole number; ties go to the even one.", "Rint");

BODY(sqrt, loop_sqrt(build, x[0]))
// What nothing asks for is 0, also where the slope is infinite: a where() that
// keeps roots of 0 out keeps their gradients out. It still is linear in g, of
// which it is the way back.
static EmitValue grad_asked_for(Emit *e, EmitValue g, EmitValue slope)
{
    EmitValue none = emit_with(e, OP_EQUAL, g, 0);
    return emit_2(e, OP_STAND_IN, grad_unless(e, none, slope), slope);
}

GRAD_1(sqrt, grad_asked_for(e, g, grad_div(e, grad_times(e, g, 0.5), y)))
// One of the few functions that IEEE 754 rounds exactly, on every machine.
UNARY_OP(sqrt, TAKES_FLOAT, body_sqrt, RESULT_SAME,
         "The square root of floats; NaN below 0.", "Sqrt");

BODY(rsqrt, loop_div(build, loop_like(build, x[0], 1), loop_sqrt(build, x[0])))
GRAD_1(rsqrt, grad_asked_for(e, g,
                             grad_mul(e, grad_times(e, g, -0.5),
                                      grad_mul(e, y, grad_square(e, y)))))
// A root and a division, each rounded: not the processor's estimate.
UNARY_OP(rsqrt, TAKES_FLOAT, body_rsqrt, RESULT_SAME, "1 / sqrt(x), of floats.",
         "Rsqrt");

BODY(exp, loop_exp(build, x[0]))
GRAD_1(exp, grad_mul(e, g, y))
// Overflow gives infinity without an error, as in NumPy.
MATHS_OP(exp, "e to the power x.", "Exp");

BODY(expm1, loop_wide(build, loop_expm1, x[0]))
GRAD_1(expm1, grad_mul(e, g, grad_plus(e, y, 1)))
// Not exp(x) - 1: near 0 the subtraction would cancel every digit.
MATHS_OP(expm1, "exp(x) - 1, exact near 0.", "Expm1");

BODY(log, loop_log(build, x[0]))
GRAD_1(log, grad_div(e, g, x[0]))
// Of 0 minus infinity, of what is below NaN: values, not errors, since one bad
// element must not stop the others.
MATHS_OP(log, "The natural logarithm.", "Log");

BODY(log1p, loop_wide(build, loop_log1p, x[0]))
GRAD_1(log1p, grad_div(e, g, grad_plus(e, x[0], 1)))
// Not log(1 + x): 1 + x has already rounded a small x away.
MATHS_OP(log1p, "log(1 + x), exact near 0.", "Log1p");

BODY(log2, loop_wide(build, loop_log2, x[0]))
GRAD_1(log2, grad_div(e, g, grad_times(e, x[0], M_LN2)))
// Exact for powers of two, which log(x) / log(2) is not.
MATHS_OP(log2, "The logarithm to base 2.", NULL);

BODY(log10, loop_wide(build, loop_log10, x[0]))
GRAD_1(log10, grad_div(e, g, grad_times(e, x[0], M_LN10)))
MATHS_OP(log10, "The logarithm to base 10.", NULL);

BODY(sin, loop_sin(build, x[0]))
GRAD_1(sin, grad_mul(e, g, emit_1(e, OP_COS, x[0], NULL)))
// Arguments of many turns keep their accuracy (kernels/loop_angle.c).
MATHS_OP(sin, "The sine; x in radians.", "Sin");

BODY(cos, loop_cos(build, x[0]))
GRAD_1(cos, grad_neg(e, grad_mul(e, g, emit_1(e, OP_SIN, x[0], NULL))))
MATHS_OP(cos, "The cosine; x in radians.", "Cos");

BODY(tan, loop_tan(build, x[0]))
GRAD_1(tan, grad_mul(e, g, grad_plus(e, grad_square(e, y), 1)))
MATHS_OP(tan, "The tangent; x in radians.", "Tan");

BODY(asin, loop_wide(build, loop_asin, x[0]))
GRAD_1(asin, grad_mul(e, g,
                      emit_1(e, OP_RSQRT,
                             grad_minus(e, 1, grad_square(e, x[0])), NULL)))
// NaN outside of [-1, 1], and so for acos.
MATHS_OP(asin, "The inverse sine, in radians.", "Asin");

BODY(acos, loop_wide(build, loop_acos, x[0]))
GRAD_1(acos, grad_neg(e, grad_mul(e, g,
                                  emit_1(e, OP_RSQRT,
                                         grad_minus(e, 1, grad_square(e, x[0])),
                                         NULL))))
MATHS_OP(acos, "The inverse cosine, in radians.", "Acos");

BODY(atan, loop_wide(build, loop_atan, x[0]))
GRAD_1(atan, grad_div(e, g, grad_plus(e, grad_square(e, x[0]), 1)))
MATHS_OP(atan, "The inverse tangent, in radians.", "Atan");

BODY(sinh, loop_wide(build, loop_sinh, x[0]))
GRAD_1(sinh, grad_mul(e, g, emit_1(e, OP_COSH, x[0], NULL)))
MATHS_OP(sinh, "The hyperbolic sine.", "Sinh");

BODY(cosh, loop_wide(build, loop_cosh, x[0]))
GRAD_1(cosh, grad_mul(e, g, emit_1(e, OP_SINH, x[0], NULL)))
MATHS_OP(cosh, "The hyperbolic cosine.", "Cosh");

BODY(tanh, loop_tanh(build, x[0]))
GRAD_1(tanh, grad_mul(e, g, grad_minus(e, 1, grad_square(e, y))))
MATHS_OP(tanh, "The hyperbolic tangent.", "Tanh");

BODY(asinh, loop_wide(build, loop_asinh, x[0]))
GRAD_1(asinh, grad_div(e, g, emit_1(e, OP_COSH, y, NULL)))
MATHS_OP(asinh, "The inverse hyperbolic sine.", "Asinh");

BODY(acosh, loop_wide(build, loop_acosh, x[0]))
GRAD_1(acosh, grad_div(e, g, emit_1(e, OP_SINH, y, NULL)))
// NaN below 1.
MATHS_OP(acosh, "The inverse hyperbolic cosine.", "Acosh");

BODY(atanh, loop_wide(build, loop_atanh, x[0]))
GRAD_1(atanh, grad_div(e, g, grad_minus(e, 1, grad_square(e, x[0]))))
// Infinite at -1 and 1, NaN beyond.
MATHS_OP(atanh, "The inverse hyperbolic tangent.", "Atanh");

BODY(erf, loop_erf(build, x[0]))
GRAD_1(erf,
       grad_mul(e, grad_times(e, g, M_2_SQRTPI),
                emit_1(e, OP_EXP, grad_neg(e, grad_square(e, x[0])), NULL)))
MATHS_OP(erf, "The error function.", "Erf");

BODY(sigmoid, loop_sigmoid(build, x[0]))
GRAD_1(sigmoid, grad_mul(e, g, grad_mul(e, y, grad_minus(e, 1, y))))
// From exp(-|x|): neither end overflows.
MATHS_OP(sigmoid, "1 / (1 + exp(-x)).", "Sigmoid");

BODY(softplus, loop_softplus(build, x[0]))
GRAD_1(softplus, grad_mul(e, g, emit_1(e, OP_SIGMOID, x[0], NULL)))
// As max(x, 0) + log1p(exp(-|x|)), which does not overflow.
MATHS_OP(softplus, "log(1 + exp(x)).", "Softplus");

static LoopValue body_relu(LoopBuild *build, const LoopValue *x,
                           const AttrValue *attrs)
{
    (void)attrs;
    LoopValue zero = loop_like(build, x[0], 0);
    return loop_select(build, loop_le(build, x[0], zero), zero, x[0]);
}
GRAD_1(relu, grad_if(e, emit_with(e, OP_GREATER, y, 0), g))
// Takes ints too. NaN passes, where a plain maximum in C would drop it.
UNARY_OP(relu, TAKES_NUMERIC, body_relu, RESULT_SAME,
         "x where it is positive, else 0.", "Relu");

BODY(gelu, loop_gelu(build, x[0]))
// The share below x, by the error function, and x times its density.
static EmitValue gelu_slope(Emit *e, EmitValue x)
{
    EmitValue turned = emit_1(e, OP_ERF, grad_times(e, x, M_SQRT1_2), NULL);
    EmitValue below = grad_times(e, grad_plus(e, turned, 1), 0.5);
    EmitValue bell =
        emit_1(e, OP_EXP, grad_times(e, grad_square(e, x), -0.5), NULL);
    EmitValue density = grad_times(e, bell, M_2_SQRTPI * M_SQRT1_2 / 2);
    return grad_add(e, below, grad_mul(e, x, density));
}

GRAD_1(gelu, grad_mul(e, g, gelu_slope(e, x[0])))
// The exact form by the error function, not the approximation by tanh.
MATHS_OP(gelu, "x times the normal distribution's share below x.", NULL);

BODY(atan2, loop_wide2(build, loop_atan2, x[0], x[1]))
static EmitValue squares(Emit *e, const EmitValue *x)
{
    return grad_add(e, grad_square(e, x[0]), grad_square(e, x[1]));
}

GRAD_2(atan2, grad_div(e, grad_mul(e, g, x[1]), squares(e, x)),
       grad_neg(e, grad_div(e, grad_mul(e, g, x[0]), squares(e, x))))
// The ordinate comes first, as in C and NumPy; the signs of both choose the
// quadrant, which a quotient could not tell.
BINARY_OP(atan2, TAKES_FLOAT, body_atan2, RESULT_SAME, OP_MATHS,
          "The angle of the point (x2, x1), in radians.", "Atan2");

BODY(hypot, loop_wide2(build, loop_hypot, x[0], x[1]))
GRAD_2(hypot, grad_mul(e, g, grad_div(e, x[0], y)),
       grad_mul(e, g, grad_div(e, x[1], y)))
// Without an op in TensorFlow, as logaddexp.
BINARY_OP(hypot, TAKES_FLOAT, body_hypot, RESULT_SAME, OP_MATHS,
          "sqrt(x1**2 + x2**2) without overflow on the way.", NULL);

BODY(logaddexp, loop_wide2(build, loop_logaddexp, x[0], x[1]))
GRAD_2(logaddexp, grad_mul(e, g, emit_1(e, OP_EXP, grad_sub(e, x[0], y), NULL)),
       grad_mul(e, g, emit_1(e, OP_EXP, grad_sub(e, x[1], y), NULL)))
BINARY_OP(logaddexp, TAKES_FLOAT, body_logaddexp, RESULT_SAME, OP_MATHS,
          "log(exp(x1) + exp(x2)) without overflow on the way.", NULL);
