// abs(), divmod() and round() of the built-in numbers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/number_methods.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

// bool counts as int in Python's number functions. Of any size.
static bool is_int(Value v)
{
    return value_is_bool(v) || value_is_integer(v);
}

// What divmod() of plain numbers is about; a tensor is none.
static bool is_real(Value v)
{
    return is_int(v) || value_is_float(v);
}

// __abs__ of int and float. abs(True) is the int 1.
Value number_abs(Vm *vm, Value v)
{
    if (value_is_float(v)) {
        return float_new(vm, fabs(value_float(v)));
    }
    if (value_is_int(v)) {
        // 62 bits: the least has its negative in an int64.
        int64_t small = value_small(v);
        return int_from_i64(vm, small < 0 ? -small : small);
    }
    // Not by value_unary, which would ask a subclass.
    return int_compare(v, value_from_small(0)) < 0
               ? int_binary(vm, BINARY_SUB, value_from_small(0), v)
               : int_exact(vm, v);
}

// The pair of // and %, which serves tensors and numbers. Floats are tested for
// a zero divisor here because the message differs from that of //. An int too
// large for a float fails before that.
Value number_divmod(Vm *vm, Value a, Value b)
{
    double number, divisor;
    if ((value_is_float(a) || value_is_float(b)) && is_real(a) && is_real(b)) {
        if (!value_to_double(vm, a, &number) ||
            !value_to_double(vm, b, &divisor)) {
            return VALUE_FAIL;
        }
        if (divisor == 0) {
            return raise_error(vm, ERR_ZERO_DIVISION, "float divmod()");
        }
    }
    Value quotient = value_binary(vm, BINARY_FLOORDIV, a, b);
    if (value_failed(quotient)) {
        return quotient;
    }
    Value rest = value_binary(vm, BINARY_MOD, a, b);
    Value pair[2] = {quotient, rest};
    Tuple *made = value_failed(rest) ? NULL : tuple_from(vm, pair, 2);
    release(vm, quotient);
    release(vm, rest);
    return value_or_fail(made);
}

// The half-even multiple of `unit` nearest to v, both ints. Intermediate values
// are owned and released together at the end; the chain stops at the first
// failure.
static Value round_multiple(Vm *vm, Value v, Value unit)
{
    // Floor division: `rest` is not negative, as `unit` is positive.
    Value rest = value_binary(vm, BINARY_MOD, v, unit);
    // The multiple below v.
    Value low =
        value_failed(rest) ? VALUE_FAIL : value_binary(vm, BINARY_SUB, v, rest);
    Value twice = value_failed(low) ? VALUE_FAIL
                                    : value_binary(vm, BINARY_ADD, rest, rest);
    Value quotient = value_failed(twice)
                         ? VALUE_FAIL
                         : value_binary(vm, BINARY_FLOORDIV, v, unit);
    Value odd = value_failed(quotient) ? VALUE_FAIL
                                       : value_binary(vm, BINARY_AND, quotient,
                                                      value_from_small(1));
    Value result = VALUE_FAIL;
    if (!value_failed(odd)) {
        // Which multiple is nearer; in the middle the even quotient wins.
        int side = int_compare(twice, unit);
        bool up = side > 0 || (side == 0 && value_small(odd) == 1);
        result =
            up ? value_binary(vm, BINARY_ADD, low, unit) : value_retain(low);
    }
    release(vm, rest);
    release(vm, low);
    release(vm, twice);
    release(vm, quotient);
    return result;
}

// Digits to the left of the point only; an int needs no rounding otherwise. A
// unit above twice the number rounds to 0 and is not made: it might fill the
// memory. Halves go to the even multiple, as for floats.
static Value round_int(Vm *vm, Value v, int64_t digits)
{
    if (digits >= 0) {
        return int_exact(vm, v);
    }
    // Looks at the number in place, box or none.
    IntView view;
    int_view(&view, v);
    // 10**n > 8**n, and the number is below 2**bits.
    if (digits < -(int64_t)mp_count_bits(view.number) / 3 - 1) {
        return value_from_small(0);
    }
    Value unit = value_binary(vm, BINARY_POW, value_from_small(10),
                              value_from_small(-digits));
    Value result = value_failed(unit) ? unit : round_multiple(vm, v, unit);
    release(vm, unit);
    return result;
}

// To the left of the point: of the exact digits as many as are left, rounded
// once, half to even.
static double round_whole(double d, int64_t digits)
{
    // A double has no more digits in front of the point; what it has behind it
    // only tells whether it lies above a half.
    char text[400];
    snprintf(text, sizeof text, "%.350e", fabs(d));
    int64_t kept = atoi(strchr(text, 'e') + 1) + digits;
    if (kept >= 0) {
        snprintf(text, sizeof text, "%.*e", (int)kept, d);
        return strtod(text, NULL);
    }
    // Nothing is left: 0, or one unit if it is nearer; a half goes to 0.
    bool above = strspn(text + 2, "0") < strcspn(text + 2, "e");
    if (kept == -1 && (text[0] > '5' || (text[0] == '5' && above))) {
        snprintf(text, sizeof text, "1e%d", (int)-digits);
        return copysign(strtod(text, NULL), d);
    }
    return copysign(0, d);
}

// A few digits of a number of ordinary size, without printing it: n units of
// 10**-digits are the nearest unless d is about half-way between two, and n and
// the power are doubles exactly, so that their quotient is rounded once. False:
// it takes more to know.
static bool round_quickly(double d, int64_t digits, double *rounded)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
                                    1e6, 1e7, 1e8, 1e9, 1e10};
    if (digits >= (int64_t)(sizeof powers / sizeof *powers)) {
        return false;
    }
    double units = d * powers[digits], whole = nearbyint(units);
    double beside = fabs(fabs(units - whole) - 0.5);
    // The product is off by half its last bit at most.
    if (!(fabs(units) < 0x1p51) || beside <= fabs(units) * 0x1p-51) {
        return false;
    }
    *rounded = whole / powers[digits];
    return true;
}

// printf gives the exact decimal value rounded once, which reading back keeps.
// Python's correctly rounded result: 2.675 to two digits is 2.67, for the
// double is below the half.
static double round_decimals(double d, int64_t digits)
{
    if (digits > 323 || !isfinite(d) || d == 0) {
        return d;
    }
    // Beyond 308 digits the unit is no double any more, and all rounds to zero.
    if (digits < 0) {
        return digits < -308 ? copysign(0, d) : round_whole(d, digits);
    }
    double rounded;
    if (round_quickly(d, digits, &rounded)) {
        return rounded;
    }
    // Room for 309 digits before the point and 323 behind it.
    char text[700];
    snprintf(text, sizeof text, "%.*f", (int)digits, d);
    return strtod(text, NULL);
}

// The digits that round() was given. Beyond 64 bits the sign alone counts, as
// neither an int nor a double has so many.
static bool round_digits(Vm *vm, Value given, int64_t *digits)
{
    Value index = value_index(vm, given);
    if (value_failed(index)) {
        return false;
    }
    if (!int_to_i64(index, digits)) {
        bool less = int_compare(index, value_from_small(0)) < 0;
        *digits = less ? INT64_MIN / 2 : INT64_MAX;
    }
    release(vm, index);
    return true;
}

// Halves go to the even neighbour, as nearbyint does in the default mode.
// Without digits the result is an int.
Value number_round(Vm *vm, Value v, Value given)
{
    int64_t digits = 0;
    if (!value_unbound(given) && !round_digits(vm, given, &digits)) {
        return VALUE_FAIL;
    }
    if (is_int(v)) {
        return round_int(vm, v, digits);
    }
    double d = value_float(v);
    if (value_unbound(given)) {
        return int_from_double(vm, nearbyint(d));
    }
    double rounded = round_decimals(d, digits);
    return isinf(rounded) && !isinf(d)
               ? raise_error(vm, ERR_OVERFLOW,
                             "rounded value too large to represent")
               : float_new(vm, rounded);
}
