// float: arithmetic, printing, hash. The type and its methods are in
// float_type.c.
//
// The shortest digits are 15, 16 or 17: in 128 bits for ordinary numbers, by
// trying with the C library, whose conversions are exact both ways, for others.
#include "interp/objects/numbers/obj_float.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

Value float_box(Vm *vm, double d)
{
    Float *box = object_new(vm, vm->types[KIND_FLOAT], sizeof *box);
    if (box == NULL) {
        return VALUE_FAIL;
    }
    box->number = d;
    return value_from_object(box);
}

__extension__ typedef unsigned __int128 Wide;

// 10 ** n for 0 <= n <= 21.
static Wide power_of_ten(int n)
{
    Wide power = 1;
    for (; n > 0; n--) {
        power *= 10;
    }
    return power;
}

// The exponent of the first decimal digit of 1e-5 <= d < 1e15.
static int decimal_exponent(double d)
{
    static const double powers[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2,
                                    1e3,  1e4,  1e5,  1e6,  1e7, 1e8, 1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14};
    int count = 0;
    while (count < 19 && d >= powers[count]) {
        count++;
    }
    return count - 5;
}

// The multiple of `unit` (1, 10, 100) nearest to the number whose whole part is
// `whole`; `more` is its fraction, compared with a half: -1, 0, 1, and
// *exact: it has none. Ties go to the even digit.
static uint64_t round_to(uint64_t whole, uint64_t unit, int more, bool exact)
{
    uint64_t quotient = whole / unit, rest = whole % unit;
    int side = unit == 1          ? more
               : rest * 2 != unit ? (rest * 2 > unit ? 1 : -1)
               : exact            ? 0
                                  : 1;
    quotient += side > 0 || (side == 0 && (quotient & 1));
    return quotient * unit;
}

// The shortest digits of an ordinary number by exact arithmetic in 128 bits:
// d = m / 2^shift, and m * 10^places has at most 126 bits. Of 15, 16 and 17
// digits the first that lie within half a unit of m are the ones, since up to
// 15 digits name one double each. False: a number that this cannot do.
static bool shortest_exact(double d, char *digits, int *exponent)
{
    enum { MANTISSA = 53, PLACES = 16, SHIFT_MOST = 70, TEXT = 20 };
    int power;
    if (!(d >= 1e-5 && d < 1e15)) {
        return false;
    }
    // d = m / 2^shift, exactly.
    uint64_t m = (uint64_t)ldexp(frexp(d, &power), MANTISSA);
    int shift = MANTISSA - power;
    // The gap below a power of two is half as wide.
    if (shift < 1 || shift > SHIFT_MOST || m == (uint64_t)1 << (MANTISSA - 1)) {
        return false;
    }
    // So many decimal places that `whole` has 17 digits.
    int places = PLACES - decimal_exponent(d);
    Wide gap = power_of_ten(places), value = m * gap;
    uint64_t whole = (uint64_t)(value >> shift);
    Wide fraction = value & (((Wide)1 << shift) - 1);
    Wide half = (Wide)1 << (shift - 1);
    int more = fraction > half ? 1 : fraction == half ? 0 : -1;
    uint64_t found = 0;
    // A digit less than thought, next to a power of ten.
    if (whole < 10000000000000000u) {
        return false;
    }
    // 15 digits first, then 16 and 17: the first that is nearer to d than to
    // its neighbours.
    for (uint64_t unit = 100; unit != 0; unit /= 10) {
        found = round_to(whole, unit, more, fraction == 0);
        Wide made = (Wide)found << shift;
        Wide away = made > value ? made - value : value - made;
        if (away * 2 < gap || (away * 2 == gap && (m & 1) == 0)) {
            break;
        }
    }
    char text[TEXT];
    int at = TEXT;
    for (; found != 0; found /= 10) {
        text[--at] = (char)('0' + found % 10);
    }
    int count = TEXT - at;
    *exponent = count - 1 - places;
    // Zeros at the end say nothing.
    while (count > 1 && text[at + count - 1] == '0') {
        count--;
    }
    memcpy(digits, text + at, (size_t)count);
    digits[count] = '\0';
    return true;
}

// Counts the digits of "d.ddde+xx" up by one in the last place; false: all of
// them are 9.
static bool digits_up(char *text)
{
    for (char *at = strchr(text, 'e'); at-- > text;) {
        if (*at >= '0' && *at < '9') {
            ++*at;
            return true;
        }
        *at = *at == '9' ? '0' : *at;
    }
    return false;
}

// Whether these digits read back as d, the nearest ones or, for a power of
// two, the next ones above: its neighbour above is twice as far away as the
// one below, so that these may do where the nearest, below it, do not.
static bool reads_back(double d, char *text)
{
    int exponent;
    return strtod(text, NULL) == d ||
           (frexp(d, &exponent) == 0.5 && digits_up(text) &&
            strtod(text, NULL) == d);
}

// Gives the digits without point or zeros at the end; the result is the decimal
// exponent of the first one. `d` is finite; its sign is not looked at.
static int float_shortest(double d, char *digits)
{
    char text[40];
    int exponent = 0;
    if (d == 0) {
        memcpy(digits, "0", 2);
        return 0;
    }
    if (shortest_exact(fabs(d), digits, &exponent)) {
        return exponent;
    }
    // A subnormal number may need fewer than 15.
    int first = fabs(d) < 0x1p-1022 ? 0 : 14;
    for (int precision = first; precision <= 16; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, fabs(d));
        // 17 digits always suffice for a double.
        if (precision == 16 || reads_back(fabs(d), text)) {
            break;
        }
    }
    // From "d.ddde+xx": the digits without the point, and the exponent.
    int count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at != '.') {
            digits[count++] = *at;
        }
    }
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    digits[count] = '\0';
    return atoi(at + 1);
}

// d is m * 2^-shift with m below 2^53, so that m * 10^precision fits 128 bits
// and the rounded quotient is exact.
bool float_print_fixed(StrBuf *out, double d, int precision)
{
    enum { MANTISSA = 53, PRECISION_MOST = 15, WIDE = 128, DIGITS = 24 };
    int exponent;
    double fraction = frexp(d, &exponent);
    int shift = MANTISSA - exponent;
    if (precision > PRECISION_MOST || !(d >= 0 && d < 1e15) || shift <= 0 ||
        shift >= WIDE - 1) {
        return false;
    }
    // 10^15 at most, which fits.
    uint64_t scale = 1;
    for (int i = 0; i < precision; i++) {
        scale *= 10;
    }
    Wide scaled = (Wide)(uint64_t)ldexp(fraction, MANTISSA) * scale;
    Wide half = (Wide)1 << (shift - 1);
    Wide rest = scaled & (half * 2 - 1);
    Wide quotient = scaled >> shift;
    // Ties go to the even digit, as C's printf and Python do.
    quotient += rest > half || (rest == half && (quotient & 1));
    if (quotient >> 63 != 0) {
        return false;
    }
    uint64_t number = (uint64_t)quotient;
    char text[DIGITS];
    size_t at = DIGITS;
    for (int i = 0; i < precision; i++, number /= 10) {
        text[--at] = (char)('0' + number % 10);
    }
    if (precision > 0) {
        text[--at] = '.';
    }
    do {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    strbuf_add(out, text + at, DIGITS - at);
    return true;
}

void float_print_repr(StrBuf *out, double d)
{
    if (!isfinite(d)) {
        strbuf_puts(out, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    // Not d < 0: -0.0 has its sign too.
    if (signbit(d)) {
        strbuf_putc(out, '-');
    }
    char digits[24];
    int exponent = float_shortest(d, digits), count = (int)strlen(digits);
    // Python's bounds for writing an exponent.
    if (exponent < -4 || exponent >= 16) {
        strbuf_putc(out, digits[0]);
        if (count > 1) {
            strbuf_putc(out, '.');
            strbuf_puts(out, digits + 1);
        }
        strbuf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    } else if (exponent < 0) {
        strbuf_puts(out, "0.");
        strbuf_pad(out, '0', (size_t)(-exponent - 1));
        strbuf_puts(out, digits);
    } else if (count <= exponent + 1) {
        strbuf_puts(out, digits);
        strbuf_pad(out, '0', (size_t)(exponent + 1 - count));
        strbuf_puts(out, ".0");
    } else {
        strbuf_add(out, digits, (size_t)exponent + 1);
        strbuf_putc(out, '.');
        strbuf_puts(out, digits + exponent + 1);
    }
}

// The value modulo 2^61 - 1, as for ints: 28 bits of the mantissa at a time.
uint64_t float_hash(double d)
{
    const uint64_t prime = ((uint64_t)1 << 61) - 1;
    if (isinf(d)) {
        return d > 0 ? 314159 : (uint64_t)-314159;
    }
    int exponent;
    double mantissa = frexp(fabs(d), &exponent);
    uint64_t hash = 0;
    while (mantissa != 0) {
        hash = ((hash << 28) & prime) | hash >> 33;
        mantissa *= 268435456.0;
        exponent -= 28;
        uint64_t part = (uint64_t)mantissa;
        mantissa -= (double)part;
        hash += part;
        hash = hash >= prime ? hash - prime : hash;
    }
    // 2^61 is 1 modulo the prime, so exponents count modulo 61.
    exponent = exponent >= 0 ? exponent % 61 : 60 - (-1 - exponent) % 61;
    hash = ((hash << exponent) & prime) | hash >> (61 - exponent);
    hash = d < 0 ? 0 - hash : hash;
    return hash == UINT64_MAX ? UINT64_MAX - 1 : hash;
}

// Python's floored remainder, with the sign of the divisor.
static double float_modulo(double a, double b)
{
    double rest = fmod(a, b);
    if (rest != 0) {
        return (b < 0) != (rest < 0) ? rest + b : rest;
    }
    // A zero has the sign of the divisor too: 4.0 % -2.0 is -0.0.
    return copysign(0.0, b);
}

// The quotient comes from the exact remainder, since floor(a / b) is wrong
// where a / b rounds up to a whole number.
static double float_floor_divide(double a, double b, double *rest)
{
    double modulo = fmod(a, b);
    double quotient = (a - modulo) / b;
    if (modulo != 0 && (b < 0) != (modulo < 0)) {
        quotient -= 1.0;
    }
    *rest = float_modulo(a, b);
    if (quotient == 0) {
        return copysign(0.0, a / b);
    }
    // The division may have rounded a hair below the whole number that is
    // meant.
    double floored = floor(quotient);
    return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

// C's pow gives infinities and NaNs where Python raises. A negative base with a
// fractional exponent would be complex in Python, which Duet does not have.
static Value float_power(Vm *vm, double a, double b)
{
    if (a == 0 && b < 0 && isfinite(b)) {
        return raise_error(vm, ERR_ZERO_DIVISION,
                           "0.0 cannot be raised to a negative power");
    }
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b)) {
        return raise_error(vm, ERR_VALUE,
                           "negative number cannot be raised to a fractional "
                           "power");
    }
    double d = pow(a, b);
    if (isinf(d) && isfinite(a) && isfinite(b)) {
        return raise_error(vm, ERR_OVERFLOW,
                           "(34, 'Numerical result out of range')");
    }
    return float_new(vm, d);
}

// The three share the check for zero; each has words of its own for it.
static Value float_division(Vm *vm, BinaryOp op, double a, double b)
{
    if (b == 0) {
        return raise_error(vm, ERR_ZERO_DIVISION, "%s",
                           op == BINARY_TRUEDIV    ? "float division by zero"
                           : op == BINARY_FLOORDIV ? "float floor division by "
                                                     "zero"
                                                   : "float modulo");
    }
    double rest;
    switch (op) {
    case BINARY_TRUEDIV: return float_new(vm, a / b);
    case BINARY_MOD: return float_new(vm, float_modulo(a, b));
    default: return float_new(vm, float_floor_divide(a, b, &rest));
    }
}

// 1: *out is the number; 0: not a number of ours; -1: failed.
static int operand(Vm *vm, Value v, double *out)
{
    if (value_is_float(v)) {
        *out = value_float(v);
        return 1;
    }
    if (value_is_integer(v)) {
        return int_to_double(vm, v, out) ? 1 : -1;
    }
    *out = value_same(v, VALUE_TRUE);
    return value_is_bool(v);
}

// Whether floats have this operator: | and its kind decline before an operand
// is converted.
static bool is_float_operator(BinaryOp op)
{
    switch (op) {
    case BINARY_ADD:
    case BINARY_SUB:
    case BINARY_MUL:
    case BINARY_TRUEDIV:
    case BINARY_FLOORDIV:
    case BINARY_MOD:
    case BINARY_POW: return true;
    default: return false;
    }
}

// One operand is a float, the other any number. An int too large for a double
// fails; what is no number is left to its own type.
Value float_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (!is_float_operator(op)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    double x, y;
    int left = operand(vm, a, &x), right = left > 0 ? operand(vm, b, &y) : 0;
    if (left <= 0 || right <= 0) {
        return left < 0 || right < 0 ? VALUE_FAIL : VALUE_NOT_IMPLEMENTED;
    }
    switch (op) {
    case BINARY_ADD: return float_new(vm, x + y);
    case BINARY_SUB: return float_new(vm, x - y);
    case BINARY_MUL: return float_new(vm, x * y);
    case BINARY_TRUEDIV:
    case BINARY_FLOORDIV:
    case BINARY_MOD: return float_division(vm, op, x, y);
    case BINARY_POW: return float_power(vm, x, y);
    default: return VALUE_NOT_IMPLEMENTED;
    }
}

// An int against a float, exactly: by the float's whole part first.
static int compare_int_float(Vm *vm, Value a, double y, int *order)
{
    // Beyond every int.
    if (isinf(y)) {
        *order = y > 0 ? -1 : 1;
        return 1;
    }
    double whole = trunc(y);
    Value b = int_from_double(vm, whole);
    if (value_failed(b)) {
        return -1;
    }
    *order = int_compare(a, b);
    if (*order == 0) {
        // Equal whole parts: the float's fraction decides.
        *order = (whole > y) - (whole < y);
    }
    release(vm, b);
    return 1;
}

// Orders two numbers, one a float. 1: *order set; 0: unordered or no number
// (*order 2 for NaN, 3 for no number); -1 failed.
static int float_order(Vm *vm, Value a, Value b, int *order)
{
    bool left = value_is_float(a), right = value_is_float(b);
    bool known = (left || value_is_integer(a) || value_is_bool(a)) &&
                 (right || value_is_integer(b) || value_is_bool(b));
    *order = 3;
    if (!known) {
        return 0;
    }
    double x = left ? value_float(a) : 0, y = right ? value_float(b) : 0;
    if (isnan(x) || isnan(y)) {
        *order = 2;
        return 0;
    }
    if (left && right) {
        *order = (x > y) - (x < y);
        return 1;
    }
    // An int against a float is asked in this order only; the answer is turned.
    int result = left ? compare_int_float(vm, b, x, order)
                      : compare_int_float(vm, a, y, order);
    *order = left ? -*order : *order;
    return result;
}

// Exact for ints too: 2**53 + 1 is greater than 2.0**53. A NaN is unequal to
// everything and in no order with it.
Value float_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    int order, found = float_order(vm, a, b, &order);
    if (found < 0) {
        return VALUE_FAIL;
    }
    if (found == 0) {
        return order == 3 ? VALUE_NOT_IMPLEMENTED
                          : value_from_bool(op == COMPARE_NE);
    }
    return value_from_order(op, order);
}
