// Elementwise mathematical functions; of floats but for rounding and relu. The
// loops are in kernels/tile_list.h.
#include "ops/descriptor.h"

// Rounding takes ints too, which come back as they are, with their dtype.
const OpDesc op_floor = {
    UNARY("floor", TILE_FLOOR, RESULT_SAME),
    .doc = "The largest whole number that is not above x.",
    .graphdef = "Floor",
};

const OpDesc op_ceil = {
    UNARY("ceil", TILE_CEIL, RESULT_SAME),
    .doc = "The smallest whole number that is not below x.",
    .graphdef = "Ceil",
};

// Towards zero, where floor and ceil go one way. TensorFlow has no op for it,
// hence no graphdef name; the same holds for others without one below.
const OpDesc op_trunc = {
    UNARY("trunc", TILE_TRUNC, RESULT_SAME),
    .doc = "x without its fraction.",
};

// Ties to even is IEEE's default and Python's round, not C's round(), which
// goes away from zero.
const OpDesc op_round = {
    UNARY("round", TILE_ROUND, RESULT_SAME),
    .doc = "The nearest whole number; ties go to the even one.",
    .graphdef = "Rint",
};

// One of the few functions that IEEE 754 rounds exactly, on every machine.
const OpDesc op_sqrt = {
    UNARY("sqrt", TILE_SQRT, RESULT_SAME),
    .doc = "The square root of floats; NaN below 0.",
    .graphdef = "Sqrt",
};

// A root and a division, each rounded: not the processor's estimate.
const OpDesc op_rsqrt = {
    UNARY("rsqrt", TILE_RSQRT, RESULT_SAME),
    .doc = "1 / sqrt(x), of floats.",
    .graphdef = "Rsqrt",
};

// Overflow gives infinity without an error, as in NumPy.
const OpDesc op_exp = {
    UNARY("exp", TILE_EXP, RESULT_SAME),
    .doc = "e to the power x.",
    .graphdef = "Exp",
};

// Not exp(x) - 1: near 0 the subtraction would cancel every digit.
const OpDesc op_expm1 = {
    UNARY("expm1", TILE_EXPM1, RESULT_SAME),
    .doc = "exp(x) - 1, exact near 0.",
    .graphdef = "Expm1",
};

// Of 0 minus infinity, of what is below NaN: values, not errors, since one bad
// element must not stop the others.
const OpDesc op_log = {
    UNARY("log", TILE_LOG, RESULT_SAME),
    .doc = "The natural logarithm.",
    .graphdef = "Log",
};

// Not log(1 + x): 1 + x has already rounded a small x away.
const OpDesc op_log1p = {
    UNARY("log1p", TILE_LOG1P, RESULT_SAME),
    .doc = "log(1 + x), exact near 0.",
    .graphdef = "Log1p",
};

// Exact for powers of two, which log(x) / log(2) is not.
const OpDesc op_log2 = {
    UNARY("log2", TILE_LOG2, RESULT_SAME),
    .doc = "The logarithm to base 2.",
};

const OpDesc op_log10 = {
    UNARY("log10", TILE_LOG10, RESULT_SAME),
    .doc = "The logarithm to base 10.",
};

// float32 is reduced in double, so that arguments of many turns keep their
// accuracy (kernels/vmath.h).
const OpDesc op_sin = {
    UNARY("sin", TILE_SIN, RESULT_SAME),
    .doc = "The sine; x in radians.",
    .graphdef = "Sin",
};

const OpDesc op_cos = {
    UNARY("cos", TILE_COS, RESULT_SAME),
    .doc = "The cosine; x in radians.",
    .graphdef = "Cos",
};

const OpDesc op_tan = {
    UNARY("tan", TILE_TAN, RESULT_SAME),
    .doc = "The tangent; x in radians.",
    .graphdef = "Tan",
};

// NaN outside of [-1, 1], and so for acos.
const OpDesc op_asin = {
    UNARY("asin", TILE_ASIN, RESULT_SAME),
    .doc = "The inverse sine, in radians.",
    .graphdef = "Asin",
};

const OpDesc op_acos = {
    UNARY("acos", TILE_ACOS, RESULT_SAME),
    .doc = "The inverse cosine, in radians.",
    .graphdef = "Acos",
};

const OpDesc op_atan = {
    UNARY("atan", TILE_ATAN, RESULT_SAME),
    .doc = "The inverse tangent, in radians.",
    .graphdef = "Atan",
};

const OpDesc op_sinh = {
    UNARY("sinh", TILE_SINH, RESULT_SAME),
    .doc = "The hyperbolic sine.",
    .graphdef = "Sinh",
};

const OpDesc op_cosh = {
    UNARY("cosh", TILE_COSH, RESULT_SAME),
    .doc = "The hyperbolic cosine.",
    .graphdef = "Cosh",
};

const OpDesc op_tanh = {
    UNARY("tanh", TILE_TANH, RESULT_SAME),
    .doc = "The hyperbolic tangent.",
    .graphdef = "Tanh",
};

const OpDesc op_asinh = {
    UNARY("asinh", TILE_ASINH, RESULT_SAME),
    .doc = "The inverse hyperbolic sine.",
    .graphdef = "Asinh",
};

// NaN below 1.
const OpDesc op_acosh = {
    UNARY("acosh", TILE_ACOSH, RESULT_SAME),
    .doc = "The inverse hyperbolic cosine.",
    .graphdef = "Acosh",
};

// Infinite at -1 and 1, NaN beyond.
const OpDesc op_atanh = {
    UNARY("atanh", TILE_ATANH, RESULT_SAME),
    .doc = "The inverse hyperbolic tangent.",
    .graphdef = "Atanh",
};

const OpDesc op_erf = {
    UNARY("erf", TILE_ERF, RESULT_SAME),
    .doc = "The error function.",
    .graphdef = "Erf",
};

// From exp(-|x|): neither end overflows.
const OpDesc op_sigmoid = {
    UNARY("sigmoid", TILE_SIGMOID, RESULT_SAME),
    .doc = "1 / (1 + exp(-x)).",
    .graphdef = "Sigmoid",
};

// As max(x, 0) + log1p(exp(-|x|)), which does not overflow.
const OpDesc op_softplus = {
    UNARY("softplus", TILE_SOFTPLUS, RESULT_SAME),
    .doc = "log(1 + exp(x)).",
    .graphdef = "Softplus",
};

// Takes ints too. NaN passes, where a plain maximum in C would drop it.
const OpDesc op_relu = {
    UNARY("relu", TILE_RELU, RESULT_SAME),
    .doc = "x where it is positive, else 0.",
    .graphdef = "Relu",
};

// The exact form by the error function, not the approximation by tanh.
const OpDesc op_gelu = {
    UNARY("gelu", TILE_GELU, RESULT_SAME),
    .doc = "x times the normal distribution's share below x.",
};

// The ordinate comes first, as in C and NumPy; the signs of both choose the
// quadrant, which a quotient could not tell.
const OpDesc op_atan2 = {
    BINARY("atan2", TILE_ATAN2, RESULT_SAME, 0),
    .doc = "The angle of the point (x2, x1), in radians." BROADCASTS,
    .graphdef = "Atan2",
};

// Without an op in TensorFlow, as logaddexp.
const OpDesc op_hypot = {
    BINARY("hypot", TILE_HYPOT, RESULT_SAME, 0),
    .doc = "sqrt(x1**2 + x2**2) without overflow on the way." BROADCASTS,
};

const OpDesc op_logaddexp = {
    BINARY("logaddexp", TILE_LOGADDEXP, RESULT_SAME, 0),
    .doc = "log(exp(x1) + exp(x2)) without overflow on the way." BROADCASTS,
};
