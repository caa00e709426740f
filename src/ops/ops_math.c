// Elementwise mathematical functions; of floats but for rounding and relu. The
// loops are in kernels/tile_list.h.
#include "ops/descriptor.h"

// Rounding takes ints too, which come back as they are, with their dtype.
UNARY_OP(floor, TILE_FLOOR, RESULT_SAME,
         "The largest whole number that is not above x.", "Floor");

UNARY_OP(ceil, TILE_CEIL, RESULT_SAME,
         "The smallest whole number that is not below x.", "Ceil");

// Towards zero, where floor and ceil go one way. TensorFlow has no op for it,
// hence no graphdef name; the same holds for others without one below.
UNARY_OP(trunc, TILE_TRUNC, RESULT_SAME, "x without its fraction.", NULL);

// Ties to even is IEEE's default and Python's round, not C's round(), which
// goes away from zero.
UNARY_OP(round, TILE_ROUND, RESULT_SAME,
         "The nearest whole number; ties go to the even one.", "Rint");

// One of the few functions that IEEE 754 rounds exactly, on every machine.
UNARY_OP(sqrt, TILE_SQRT, RESULT_SAME,
         "The square root of floats; NaN below 0.", "Sqrt");

// A root and a division, each rounded: not the processor's estimate.
UNARY_OP(rsqrt, TILE_RSQRT, RESULT_SAME, "1 / sqrt(x), of floats.", "Rsqrt");

// Overflow gives infinity without an error, as in NumPy.
UNARY_OP(exp, TILE_EXP, RESULT_SAME, "e to the power x.", "Exp");

// Not exp(x) - 1: near 0 the subtraction would cancel every digit.
UNARY_OP(expm1, TILE_EXPM1, RESULT_SAME, "exp(x) - 1, exact near 0.", "Expm1");

// Of 0 minus infinity, of what is below NaN: values, not errors, since one bad
// element must not stop the others.
UNARY_OP(log, TILE_LOG, RESULT_SAME, "The natural logarithm.", "Log");

// Not log(1 + x): 1 + x has already rounded a small x away.
UNARY_OP(log1p, TILE_LOG1P, RESULT_SAME, "log(1 + x), exact near 0.", "Log1p");

// Exact for powers of two, which log(x) / log(2) is not.
UNARY_OP(log2, TILE_LOG2, RESULT_SAME, "The logarithm to base 2.", NULL);

UNARY_OP(log10, TILE_LOG10, RESULT_SAME, "The logarithm to base 10.", NULL);

// float32 is reduced in double, so that arguments of many turns keep their
// accuracy (kernels/vmath.h).
UNARY_OP(sin, TILE_SIN, RESULT_SAME, "The sine; x in radians.", "Sin");

UNARY_OP(cos, TILE_COS, RESULT_SAME, "The cosine; x in radians.", "Cos");

UNARY_OP(tan, TILE_TAN, RESULT_SAME, "The tangent; x in radians.", "Tan");

// NaN outside of [-1, 1], and so for acos.
UNARY_OP(asin, TILE_ASIN, RESULT_SAME, "The inverse sine, in radians.", "Asin");

UNARY_OP(acos, TILE_ACOS, RESULT_SAME, "The inverse cosine, in radians.",
         "Acos");

UNARY_OP(atan, TILE_ATAN, RESULT_SAME, "The inverse tangent, in radians.",
         "Atan");

UNARY_OP(sinh, TILE_SINH, RESULT_SAME, "The hyperbolic sine.", "Sinh");

UNARY_OP(cosh, TILE_COSH, RESULT_SAME, "The hyperbolic cosine.", "Cosh");

UNARY_OP(tanh, TILE_TANH, RESULT_SAME, "The hyperbolic tangent.", "Tanh");

UNARY_OP(asinh, TILE_ASINH, RESULT_SAME, "The inverse hyperbolic sine.",
         "Asinh");

// NaN below 1.
UNARY_OP(acosh, TILE_ACOSH, RESULT_SAME, "The inverse hyperbolic cosine.",
         "Acosh");

// Infinite at -1 and 1, NaN beyond.
UNARY_OP(atanh, TILE_ATANH, RESULT_SAME, "The inverse hyperbolic tangent.",
         "Atanh");

UNARY_OP(erf, TILE_ERF, RESULT_SAME, "The error function.", "Erf");

// From exp(-|x|): neither end overflows.
UNARY_OP(sigmoid, TILE_SIGMOID, RESULT_SAME, "1 / (1 + exp(-x)).", "Sigmoid");

// As max(x, 0) + log1p(exp(-|x|)), which does not overflow.
UNARY_OP(softplus, TILE_SOFTPLUS, RESULT_SAME, "log(1 + exp(x)).", "Softplus");

// Takes ints too. NaN passes, where a plain maximum in C would drop it.
UNARY_OP(relu, TILE_RELU, RESULT_SAME, "x where it is positive, else 0.",
         "Relu");

// The exact form by the error function, not the approximation by tanh.
UNARY_OP(gelu, TILE_GELU, RESULT_SAME,
         "x times the normal distribution's share below x.", NULL);

// The ordinate comes first, as in C and NumPy; the signs of both choose the
// quadrant, which a quotient could not tell.
BINARY_OP(atan2, TILE_ATAN2, RESULT_SAME, 0,
          "The angle of the point (x2, x1), in radians.", "Atan2");

// Without an op in TensorFlow, as logaddexp.
BINARY_OP(hypot, TILE_HYPOT, RESULT_SAME, 0,
          "sqrt(x1**2 + x2**2) without overflow on the way.", NULL);

BINARY_OP(logaddexp, TILE_LOGADDEXP, RESULT_SAME, 0,
          "log(exp(x1) + exp(x2)) without overflow on the way.", NULL);
