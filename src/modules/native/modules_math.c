// math: the C library's functions on floats, with Python's errors.
//
// Invariant: a NaN from operands that are none is "math domain error", an
// infinity from finite operands "math range error".
#include <math.h>

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "modules/builtins/builtins.h"
#include "modules/importing/module.h"
#include "modules/native/math_exact.h"
#include "modules/native/math_gamma.h"

#define MATH_BODY(id) static Value math_##id(Vm *vm, Value *args)

// `finite`: all operands were; `nan`: one was. An infinity out of infinities
// and a NaN out of NaNs are results, not errors. C's functions tell errors by
// their results here, not by errno, which not all of them set.
static Value checked(Vm *vm, double result, bool finite, bool nan)
{
    if (isnan(result) && !nan) {
        return raise_error(vm, ERR_VALUE, "math domain error");
    }
    if (isinf(result) && finite) {
        return raise_error(vm, ERR_OVERFLOW, "math range error");
    }
    return float_new(vm, result);
}

// value_to_double takes ints, bools and objects with __float__ too. The error
// names no function.
static Value apply_unary(Vm *vm, Value arg, double (*function)(double))
{
    double x;
    if (!value_to_double(vm, arg, &x)) {
        return VALUE_FAIL;
    }
    // An operand that is infinite or NaN excuses such a result.
    return checked(vm, function(x), isfinite(x), isnan(x));
}

// As apply_unary; either operand that is infinite excuses an infinite result.
static Value apply_pair(Vm *vm, Value *args, double (*function)(double, double))
{
    double x, y;
    if (!value_to_double(vm, args[0], &x) ||
        !value_to_double(vm, args[1], &y)) {
        return VALUE_FAIL;
    }
    return checked(vm, function(x, y), isfinite(x) && isfinite(y),
                   isnan(x) || isnan(y));
}

// One factor, rounded once. Two roundings would differ in the last digit.
static double degrees_of(double x)
{
    return x * (180.0 / M_PI);
}

static double radians_of(double x)
{
    return x * (M_PI / 180.0);
}

// C gives an infinity at the poles, which would read as a range error; Python
// calls them domain errors. So it is with log1p(-1).
static double atanh_of(double x)
{
    return fabs(x) == 1 ? NAN : atanh(x);
}

static double log1p_of(double x)
{
    return x == -1 ? NAN : log1p(x);
}

// One row a function: its name in Python, the C function, its docstring. The
// rows make both the bodies and the table.
#define UNARY_FUNCTIONS(X)                                                     \
    X(acos, acos, "The arc cosine.")                                           \
    X(acosh, acosh, "The inverse hyperbolic cosine.")                          \
    X(asin, asin, "The arc sine.")                                             \
    X(asinh, asinh, "The inverse hyperbolic sine.")                            \
    X(atan, atan, "The arc tangent.")                                          \
    X(atanh, atanh_of, "The inverse hyperbolic tangent.")                      \
    X(cbrt, cbrt, "The cube root.")                                            \
    X(cos, cos, "The cosine.")                                                 \
    X(cosh, cosh, "The hyperbolic cosine.")                                    \
    X(degrees, degrees_of, "Radians as degrees.")                              \
    X(erf, erf, "The error function.")                                         \
    X(erfc, erfc, "1 - erf(x), exact for large x.")                            \
    X(exp, exp, "e to the power x.")                                           \
    X(exp2, exp2, "2 to the power x.")                                         \
    X(expm1, expm1, "exp(x) - 1, exact near 0.")                               \
    X(fabs, fabs, "The absolute value as a float.")                            \
    X(gamma, math_gamma_value, "The gamma function.")                          \
    X(lgamma, math_gamma_log, "The logarithm of the gamma function.")          \
    X(log1p, log1p_of, "log(1 + x), exact near 0.")                            \
    X(radians, radians_of, "Degrees as radians.")                              \
    X(sin, sin, "The sine.")                                                   \
    X(sinh, sinh, "The hyperbolic sine.")                                      \
    X(sqrt, sqrt, "The square root.")                                          \
    X(tan, tan, "The tangent.")                                                \
    X(tanh, tanh, "The hyperbolic tangent.")

#define PAIR_FUNCTIONS(X)                                                      \
    X(atan2, atan2, "y, x, /", "The angle of the point (x, y).")               \
    X(copysign, copysign, "x, y, /", "x with the sign of y.")                  \
    X(fmod, fmod, "x, y, /", "The remainder, with the sign of x.")             \
    X(nextafter, nextafter, "x, y, /", "The next float from x towards y.")     \
    X(remainder, remainder, "x, y, /", "x - n*y, n the nearest integer.")

#define X(id, function, doc)                                                   \
    MATH_BODY(id)                                                              \
    {                                                                          \
        return apply_unary(vm, args[0], function);                             \
    }
UNARY_FUNCTIONS(X)
#undef X
#define X(id, function, params, doc)                                           \
    MATH_BODY(id)                                                              \
    {                                                                          \
        return apply_pair(vm, args, function);                                 \
    }
PAIR_FUNCTIONS(X)
#undef X

// C gives an infinity for 0 to a negative power; Python a domain error.
MATH_BODY(pow)
{
    double x, y;
    if (!value_to_double(vm, args[0], &x) ||
        !value_to_double(vm, args[1], &y)) {
        return VALUE_FAIL;
    }
    if (x == 0 && y < 0 && isfinite(y)) {
        return raise_error(vm, ERR_VALUE, "math domain error");
    }
    return checked(vm, pow(x, y), isfinite(x) && isfinite(y),
                   isnan(x) || isnan(y));
}

// The logarithm of any positive int, those beyond doubles included: the bits
// above the top 64 only shift it. `two` is the logarithm of 2 in the base at
// hand. False: not positive, or no number.
static bool log_of(Vm *vm, Value arg, double (*function)(double), double two,
                   double *out)
{
    double x;
    int bits = 0;
    if (value_is_kind(arg, KIND_INT)) {
        mp_int *number = &((Int *)value_object(arg))->number;
        bits = mp_count_bits(number);
        // A double holds ints of up to 1024 bits, if they do not round up;
        // larger ones keep their top 900.
        bits = bits >= 1024 && !mp_isneg(number) ? bits - 900 : 0;
    }
    if (bits > 0 && int_to_double(vm, arg, &x)) {
        bits = 0;
    } else if (bits > 0) {
        raise_clear(vm);
    }
    if (bits > 0) {
        // Owned; the bits cut off are below a double's precision.
        Value shifted =
            int_binary(vm, BINARY_RSHIFT, arg, value_from_small(bits));
        bool done = !value_failed(shifted) && int_to_double(vm, shifted, &x);
        value_release(&vm->ctx, shifted);
        if (!done) {
            return false;
        }
    } else if (value_is_integer(arg) ? !int_to_double(vm, arg, &x)
                                     : !value_to_double(vm, arg, &x)) {
        // An int is never asked for a __float__ of its class.
        return false;
    }
    // Also -inf; a NaN passes, and gives NaN.
    if (x <= 0) {
        return raise_false(vm, ERR_VALUE, "math domain error");
    }
    // The mantissa in [0.5, 1) has the logarithm, the exponent adds the rest.
    // Only for large ints: of the others C's function is exact enough.
    int exponent = 0;
    if (bits > 0) {
        x = frexp(x, &exponent);
    }
    *out = function(x) + (exponent + bits) * two;
    return true;
}

// log(x, base) is a quotient of two logarithms, so that it can miss the exact
// power by a rounding error: log2 and log10 do not.
MATH_BODY(log)
{
    double x, base;
    if (!log_of(vm, args[0], log, M_LN2, &x)) {
        return VALUE_FAIL;
    }
    if (value_unbound(args[1])) {
        return float_new(vm, x);
    }
    if (!log_of(vm, args[1], log, M_LN2, &base)) {
        return VALUE_FAIL;
    }
    // log(1) is 0: the base 1 divides by zero.
    return base == 0
               ? raise_error(vm, ERR_ZERO_DIVISION, "float division by zero")
               : float_new(vm, x / base);
}

// Exact for powers of two of any size: each bit shifted out counts 1.
MATH_BODY(log2)
{
    double x;
    return log_of(vm, args[0], log2, 1.0, &x) ? float_new(vm, x) : VALUE_FAIL;
}

// The last argument is log10(2), by which each bit shifted out counts.
MATH_BODY(log10)
{
    double x;
    return log_of(vm, args[0], log10, log10(2.0), &x) ? float_new(vm, x)
                                                      : VALUE_FAIL;
}

// What the argument's class makes of it by the method `name`, that of int among
// them; a float, and what has no such method, by the function of C. An infinity
// or NaN fails in int_from_double. Owned.
static Value rounded(Vm *vm, Value arg, const char *name,
                     double (*function)(double))
{
    double x;
    Value made =
        value_is_float(arg) && type_of(vm, arg) == vm->types[KIND_FLOAT]
            ? VALUE_UNBOUND
            : value_call_special(vm, arg, name, NULL, 0);
    if (!value_unbound(made)) {
        return made;
    }
    return value_to_double(vm, arg, &x) ? int_from_double(vm, function(x))
                                        : VALUE_FAIL;
}

// Ints, unlike C's: Python's floor, ceil and trunc of a float are whole.
MATH_BODY(floor)
{
    return rounded(vm, args[0], "__floor__", floor);
}

MATH_BODY(ceil)
{
    return rounded(vm, args[0], "__ceil__", ceil);
}

// Towards zero, and by __trunc__ alone: a __float__ will not do.
MATH_BODY(trunc)
{
    Value made = value_call_special(vm, args[0], "__trunc__", NULL, 0);
    return !value_unbound(made)
               ? made
               : raise_error(vm, ERR_TYPE,
                             "type %s doesn't define __trunc__ method",
                             type_name(type_of(vm, args[0])));
}

// isnan and its kind are macros in C, so that no pointer to them exists.
#define TEST_BODY(id, test)                                                    \
    MATH_BODY(id)                                                              \
    {                                                                          \
        double x;                                                              \
        return value_to_double(vm, args[0], &x) ? value_from_bool(test(x))     \
                                                : VALUE_FAIL;                  \
    }
TEST_BODY(isnan, isnan)
TEST_BODY(isinf, isinf)
TEST_BODY(isfinite, isfinite)

// Takes both values, even if one of them is VALUE_FAIL. For results of two
// parts. VALUE_FAIL: one of them failed, and its error is pending.
static Value pair_of(Vm *vm, Value first, Value second)
{
    Value items[] = {first, second};
    // tuple_from retains, so that both are released below in any case.
    Tuple *pair = value_failed(first) || value_failed(second)
                      ? NULL
                      : tuple_from(vm, items, 2);
    value_release(&vm->ctx, first);
    value_release(&vm->ctx, second);
    return value_or_fail(pair);
}

MATH_BODY(modf)
{
    double x, whole;
    if (!value_to_double(vm, args[0], &x)) {
        return VALUE_FAIL;
    }
    double fraction = modf(x, &whole);
    return pair_of(vm, float_new(vm, fraction), float_new(vm, whole));
}

// C leaves the exponent of infinities and NaNs open; Python makes it 0.
MATH_BODY(frexp)
{
    double x;
    int exponent = 0;
    if (!value_to_double(vm, args[0], &x)) {
        return VALUE_FAIL;
    }
    double mantissa = isfinite(x) ? frexp(x, &exponent) : x;
    return pair_of(vm, float_new(vm, mantissa), value_from_small(exponent));
}

// A sum of squares to twice the precision of a double: what is rounded away
// goes into `lost`. Starts at 1, so that no term is larger than the sum.
typedef struct Squares {
    double sum, lost[3];
} Squares;

// Kahan's way: what rounding loses of each sum is kept in a sum of its own.
static void squares_add(Squares *s, double term, int part)
{
    double before = s->sum;
    s->sum += term;
    s->lost[part] += (before - s->sum) + term;
}

// Adds sign * x * x: x is split into halves of 26 bits (Dekker, Veltkamp),
// whose products are exact. `low_too`: the last product is summed with care.
static void squares_split(Squares *s, double x, double sign, bool low_too)
{
    double t = x * 134217729.0; // 2**27 + 1
    double high = t - (t - x), low = x - high;
    squares_add(s, sign * high * high, 0);
    squares_add(s, sign * 2.0 * high * low, 1);
    if (low_too) {
        squares_add(s, sign * low * low, 2);
    } else {
        s->lost[2] += low * low;
    }
}

// The sum without the 1 that it began with, with all that was lost.
static double squares_rest(const Squares *s)
{
    return s->sum - 1.0 + (s->lost[0] + s->lost[1] + s->lost[2]);
}

// The length of a vector whose greatest magnitude is `most`, finite and not 0:
// scaled by a power of two, then one step of correction after the root. The
// bits are those of Python's math.hypot.
static double vector_length(const double *x, size_t count, double most)
{
    Squares s = {.sum = 1.0};
    int exponent;
    (void)frexp(most, &exponent);
    if (exponent < -1023) {
        // The scale would overflow, so the greatest number is divided by.
        for (size_t i = 0; i < count; i++) {
            squares_add(&s, x[i] / most * (x[i] / most), 0);
        }
        return most * sqrt(s.sum - 1.0 + s.lost[0]);
    }
    double scale = ldexp(1.0, -exponent);
    for (size_t i = 0; i < count; i++) {
        squares_split(&s, x[i] * scale, 1.0, false);
    }
    double root = sqrt(squares_rest(&s));
    squares_split(&s, root, -1.0, true);
    return (root + squares_rest(&s) / (2.0 * root)) / scale;
}

// args[0] is the tuple of *coordinates. An infinity counts more than a NaN.
MATH_BODY(hypot)
{
    Tuple *items = value_as_tuple(args[0]);
    size_t size = (items->count + 1) * sizeof(double);
    double *x = ctx_alloc(&vm->ctx, size), most = 0;
    bool ok = x != NULL, nan = false;
    for (size_t i = 0; ok && i < items->count; i++) {
        ok = value_to_double(vm, items->items[i], &x[i]);
        if (ok) {
            x[i] = fabs(x[i]);
            nan = nan || isnan(x[i]);
            most = x[i] > most ? x[i] : most;
        }
    }
    double total = isinf(most)                      ? most
                   : nan                            ? NAN
                   : most == 0 || items->count <= 1 ? most
                   : ok ? vector_length(x, items->count, most)
                        : 0;
    if (x != NULL) {
        ctx_free(&vm->ctx, x, size);
    }
    return ok ? float_new(vm, total) : VALUE_FAIL;
}

// In the order of the names, after the rows that the lists make.
static const NativeDef functions[] = {
// clang-format off
#define X(id, function, doc) {#id, "x, /", math_##id, doc},
    UNARY_FUNCTIONS(X)
#undef X
#define X(id, function, params, doc) {#id, params, math_##id, doc},
    PAIR_FUNCTIONS(X)
#undef X
    // clang-format on
    {"_product", "low, count, /", math_product,
     "low * (low + 1) * ... of so many factors."},
    {"ceil", "x, /", math_ceil, "The smallest int >= x."},
    {"factorial", "n, /", math_factorial, "1 * 2 * ... * n."},
    {"floor", "x, /", math_floor, "The largest int <= x."},
    {"frexp", "x, /", math_frexp, "(m, e) with x = m * 2**e."},
    {"fsum", "seq, /", math_fsum, "The sum of floats, rounded once."},
    {"gcd", "*integers", math_gcd, "The greatest common divisor."},
    {"hypot", "*coordinates", math_hypot, "The distance from the origin."},
    {"isfinite", "x, /", math_isfinite, "Neither infinite nor NaN."},
    {"isinf", "x, /", math_isinf, "An infinity."},
    {"isnan", "x, /", math_isnan, "Not a number."},
    {"isqrt", "n, /", math_isqrt, "The whole part of the square root, exact."},
    {"log", "x, base=math.e, /", math_log, "The logarithm."},
    {"log10", "x, /", math_log10, "The logarithm to base 10."},
    {"log2", "x, /", math_log2, "The logarithm to base 2."},
    {"modf", "x, /", math_modf, "(fraction, whole part), both floats."},
    {"pow", "x, y, /", math_pow, "x to the power y, as floats."},
    {"trunc", "x, /", math_trunc, "x without its fraction, an int."},
    {NULL, NULL, NULL, NULL},
};

// As `math` shows them; stored under interned names, which look-ups expect.
// False: memory is short.
static bool add_constants(Vm *vm, Dict *dict)
{
    static const struct {
        const char *name;
        double value;
    } rows[] = {{"pi", M_PI},
                {"e", M_E},
                {"tau", 2 * M_PI},
                {"inf", INFINITY},
                {"nan", NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Str *name = str_intern(vm, rows[i].name, strlen(rows[i].name));
        Value value = name != NULL ? float_new(vm, rows[i].value) : VALUE_FAIL;
        // The dict retains; what was made here is released on either way.
        bool done =
            !value_failed(value) && dict_set_name(vm, dict, name, value);
        value_release(&vm->ctx, value);
        object_release_null(&vm->ctx, name);
        if (!done) {
            return false;
        }
    }
    return true;
}

const ModuleDef math_module = {
    .name = "math",
    .doc = "Functions on numbers, as the C library defines them.",
    .functions = functions,
    .init = add_constants,
};
