// Elementwise mathematical functions; of floats but for rounding and relu. The
// loops are in kernels/tile_list.h.
#include "ops/descriptor.h"

// Rounding leaves integers as they are.
static LoopValue rounded(LoopBuild *build, LoopPrim op, LoopValue x)
{
    return loop_is_float(loop_type(build, x)) ? loop_prim(build, op, x, 0, 0)
                                              : x;
}

BODY(floor, rounded(build, PRIM_FLOOR, x[0]))
// Rounding takes ints too, which come back as they are, with their dtype.
UNARY_OP(floor, TILE_FLOOR, body_floor, RESULT_SAME,
         "The largest whole number that is not above x.", "Floor");

BODY(ceil, rounded(build, PRIM_CEIL, x[0]))
UNARY_OP(ceil, TILE_CEIL, body_ceil, RESULT_SAME,
         "The smallest whole number that is not below x.", "Ceil");

BODY(trunc, rounded(build, PRIM_TRUNC, x[0]))
// Towards zero, where floor and ceil go one way. TensorFlow has no op for it,
// hence no graphdef name; the same holds for others without one below.
UNARY_OP(trunc, TILE_TRUNC, body_trunc, RESULT_SAME, "x without its fraction.",
         NULL);

BODY(round, rounded(build, PRIM_RINT, x[0]))
// Ties to even is IEEE's default and Python's round, not C's round(), which
// goes away from zero.
UNARY_OP(round, TILE_ROUND, body_round, RESULT_SAME,
         "The nearest whole number; ties go to the even one.", "Rint");

BODY(sqrt, loop_sqrt(build, x[0]))
// One of the few functions that IEEE 754 rounds exactly, on every machine.
UNARY_OP(sqrt, TILE_SQRT, body_sqrt, RESULT_SAME,
         "The square root of floats; NaN below 0.", "Sqrt");

BODY(rsqrt, loop_div(build, loop_like(build, x[0], 1), loop_sqrt(build, x[0])))
// A root and a division, each rounded: not the processor's estimate.
UNARY_OP(rsqrt, TILE_RSQRT, body_rsqrt, RESULT_SAME, "1 / sqrt(x), of floats.",
         "Rsqrt");

BODY(exp, loop_exp(build, x[0]))
// Overflow gives infinity without an error, as in NumPy.
UNARY_OP(exp, TILE_EXP, body_exp, RESULT_SAME, "e to the power x.", "Exp");

// Not exp(x) - 1: near 0 the subtraction would cancel every digit.
UNARY_OP(expm1, TILE_EXPM1, NULL, RESULT_SAME, "exp(x) - 1, exact near 0.",
         "Expm1");

BODY(log, loop_log(build, x[0]))
// Of 0 minus infinity, of what is below NaN: values, not errors, since one bad
// element must not stop the others.
UNARY_OP(log, TILE_LOG, body_log, RESULT_SAME, "The natural logarithm.", "Log");

// Not log(1 + x): 1 + x has already rounded a small x away.
UNARY_OP(log1p, TILE_LOG1P, NULL, RESULT_SAME, "log(1 + x), exact near 0.",
         "Log1p");

// Exact for powers of two, which log(x) / log(2) is not.
UNARY_OP(log2, TILE_LOG2, NULL, RESULT_SAME, "The logarithm to base 2.", NULL);

UNARY_OP(log10, TILE_LOG10, NULL, RESULT_SAME, "The logarithm to base 10.",
         NULL);

// float32 is reduced in double, so that arguments of many turns keep their
// accuracy (kernels/vmath.h).
UNARY_OP(sin, TILE_SIN, NULL, RESULT_SAME, "The sine; x in radians.", "Sin");

UNARY_OP(cos, TILE_COS, NULL, RESULT_SAME, "The cosine; x in radians.", "Cos");

UNARY_OP(tan, TILE_TAN, NULL, RESULT_SAME, "The tangent; x in radians.", "Tan");

// NaN outside of [-1, 1], and so for acos.
UNARY_OP(asin, TILE_ASIN, NULL, RESULT_SAME, "The inverse sine, in radians.",
         "Asin");

UNARY_OP(acos, TILE_ACOS, NULL, RESULT_SAME, "The inverse cosine, in radians.",
         "Acos");

UNARY_OP(atan, TILE_ATAN, NULL, RESULT_SAME, "The inverse tangent, in radians.",
         "Atan");

UNARY_OP(sinh, TILE_SINH, NULL, RESULT_SAME, "The hyperbolic sine.", "Sinh");

UNARY_OP(cosh, TILE_COSH, NULL, RESULT_SAME, "The hyperbolic cosine.", "Cosh");

BODY(tanh, loop_tanh(build, x[0]))
UNARY_OP(tanh, TILE_TANH, body_tanh, RESULT_SAME, "The hyperbolic tangent.",
         "Tanh");

UNARY_OP(asinh, TILE_ASINH, NULL, RESULT_SAME, "The inverse hyperbolic sine.",
         "Asinh");

// NaN below 1.
UNARY_OP(acosh, TILE_ACOSH, NULL, RESULT_SAME, "The inverse hyperbolic cosine.",
         "Acosh");

// Infinite at -1 and 1, NaN beyond.
UNARY_OP(atanh, TILE_ATANH, NULL, RESULT_SAME,
         "The inverse hyperbolic tangent.", "Atanh");

BODY(erf, loop_erf(build, x[0]))
UNARY_OP(erf, TILE_ERF, body_erf, RESULT_SAME, "The error function.", "Erf");

BODY(sigmoid, loop_sigmoid(build, x[0]))
// From exp(-|x|): neither end overflows.
UNARY_OP(sigmoid, TILE_SIGMOID, body_sigmoid, RESULT_SAME, "1 / (1 + exp(-x)).",
         "Sigmoid");

BODY(softplus, loop_softplus(build, x[0]))
// As max(x, 0) + log1p(exp(-|x|)), which does not overflow.
UNARY_OP(softplus, TILE_SOFTPLUS, body_softplus, RESULT_SAME,
         "log(1 + exp(x)).", "Softplus");

static LoopValue body_relu(LoopBuild *build, const LoopValue *x,
                           const AttrValue *attrs)
{
    (void)attrs;
    LoopValue zero = loop_like(build, x[0], 0);
    return loop_select(build, loop_le(build, x[0], zero), zero, x[0]);
}
// Takes ints too. NaN passes, where a plain maximum in C would drop it.
UNARY_OP(relu, TILE_RELU, body_relu, RESULT_SAME,
         "x where it is positive, else 0.", "Relu");

// The exact form by the error function, not the approximation by tanh.
UNARY_OP(gelu, TILE_GELU, NULL, RESULT_SAME,
         "x times the normal distribution's share below x.", NULL);

// The ordinate comes first, as in C and NumPy; the signs of both choose the
// quadrant, which a quotient could not tell.
BINARY_OP(atan2, TILE_ATAN2, NULL, RESULT_SAME, 0,
          "The angle of the point (x2, x1), in radians.", "Atan2");

// Without an op in TensorFlow, as logaddexp.
BINARY_OP(hypot, TILE_HYPOT, NULL, RESULT_SAME, 0,
          "sqrt(x1**2 + x2**2) without overflow on the way.", NULL);

BINARY_OP(logaddexp, TILE_LOGADDEXP, NULL, RESULT_SAME, 0,
          "log(exp(x1) + exp(x2)) without overflow on the way.", NULL);
