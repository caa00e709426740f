// Format specifications of float, and the digits of a double in each form.
// The digits are printf's or repr's; this file decides which of their forms a
// letter means, and mends what C does otherwise than Python.
#include "interp/objects/text/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/protocol/protocol.h"

// 1e+16 becomes 1.e+16; what has a point already stays. The number begins at
// `start`.
static void point_before_exponent(StrBuf *out, size_t start)
{
    size_t length = out->length - start;
    const char *number = strbuf_text(out) + start;
    const char *exponent = memchr(number, 'e', length);
    if (exponent == NULL || memchr(number, '.', length) != NULL) {
        return;
    }
    size_t at = start + (size_t)(exponent - number);
    strbuf_putc(out, '.');
    if (strbuf_ok(out)) {
        memmove(out->text + at + 1, out->text + at, start + length - at);
        out->text[at] = '.';
    }
}

// %#g, which keeps zeros at the end. Not by printf: some C libraries lose them
// where rounding makes the number a digit longer.
static void general_digits(StrBuf *out, double d, int digits, bool upper)
{
    digits = digits == 0 ? 1 : digits;
    size_t start = out->length;
    strbuf_printf(out, upper ? "%#.*E" : "%#.*e", digits - 1, d);
    const char *exponent = strrchr(strbuf_text(out), upper ? 'E' : 'e');
    int value = exponent == NULL ? 0 : atoi(exponent + 1);
    if (value >= -4 && value < digits && strbuf_ok(out)) {
        out->length = start;
        strbuf_printf(out, "%#.*f", digits - 1 - value, d);
    }
}

// Behind so many digits a double has zeros alone: it has 1074 places at most.
enum { EXACT_DIGITS = 1100 };

// By a form of printf with a precision. What is known to be zeros is not left
// to the C library, which takes memory for it and is deaf to Ctrl-C meanwhile.
static void print_digits(StrBuf *out, const char *form, int digits, double d)
{
    int exact = digits < EXACT_DIGITS ? digits : EXACT_DIGITS;
    size_t start = out->length;
    strbuf_printf(out, form, exact, d);
    // A percentage may be infinite where the number is not.
    if (digits == exact || !strbuf_ok(out) || !isfinite(d)) {
        return;
    }
    // The zeros go before the exponent, if there is one.
    const char *exponent = strpbrk(strbuf_text(out) + start, "eE");
    char tail[8] = "";
    if (exponent != NULL) {
        snprintf(tail, sizeof tail, "%s", exponent);
        out->length -= strlen(tail);
    }
    strbuf_pad(out, '0', (size_t)(digits - exact));
    strbuf_puts(out, tail);
}

// The sign is the caller's, which knows about '+', ' ' and 'z'. '%' is 'f' of a
// hundredfold with its sign behind.
void format_digits(StrBuf *out, double d, char type, int64_t precision,
                   bool alternate)
{
    d = fabs(d);
    bool upper = type == 'E' || type == 'F' || type == 'G';
    if (!isfinite(d)) {
        strbuf_puts(out, isnan(d) ? (upper ? "NAN" : "nan")
                                  : (upper ? "INF" : "inf"));
        strbuf_puts(out, type == '%' ? "%" : "");
        return;
    }
    // No letter and no precision: as repr(), with a point in any case if
    // that is asked for.
    if (type == 'r') {
        size_t start = out->length;
        float_print_repr(out, d);
        if (alternate && strbuf_ok(out)) {
            point_before_exponent(out, start);
        }
        return;
    }
    // 6, the default of C and of Python alike.
    int digits = (int)(precision < 0 ? 6 : precision);
    switch (type) {
    case '%':
        print_digits(out, alternate ? "%#.*f" : "%.*f", digits, d * 100);
        strbuf_putc(out, '%');
        break;
    case 'e': print_digits(out, alternate ? "%#.*e" : "%.*e", digits, d); break;
    case 'E': print_digits(out, alternate ? "%#.*E" : "%.*E", digits, d); break;
    case 'f':
    case 'F':
        // The fast way for what most programs print; printf does the rest.
        if (!alternate && float_print_fixed(out, d, digits)) {
            break;
        }
        print_digits(out, alternate ? "%#.*f" : "%.*f", digits, d);
        break;
    case 'G':
    default:
        if (alternate) {
            general_digits(out, d, digits, upper);
            break;
        }
        digits = digits < EXACT_DIGITS ? digits : EXACT_DIGITS;
        strbuf_printf(out, upper ? "%.*G" : "%.*g", digits, d);
    }
}

// In exponent form, without zeros at the mantissa's end, and without the point
// if nothing is behind it.
static void mantissa_digits(StrBuf *out, double d, int64_t precision)
{
    StrBuf body;
    strbuf_init(&body, out->ctx);
    format_digits(&body, d, 'e', precision - 1, false);
    const char *text = strbuf_text(&body);
    const char *end = strchr(text, 'e'), *last = end;
    if (end != NULL && memchr(text, '.', (size_t)(end - text)) != NULL) {
        while (last[-1] == '0') {
            last--;
        }
        last -= last[-1] == '.';
    }
    if (end != NULL) {
        strbuf_add(out, text, (size_t)(last - text));
        strbuf_puts(out, end);
    } else {
        strbuf_fail(out);
    }
    strbuf_free(&body);
}

// No type but a precision: as 'g', with at least one digit past the point and
// exponents one step earlier.
static void untyped_digits(StrBuf *out, double d, int64_t precision,
                           bool alternate)
{
    // As %g does: no significant digit at all makes no sense.
    precision = precision == 0 ? 1 : precision;
    char text[64];
    // The exponent after rounding decides on the form, so it is read from
    // printf's text: log10 would be wrong next to a power of ten.
    int shown = (int)(precision > 40 ? 40 : precision) - 1;
    snprintf(text, sizeof text, "%.*e", shown, fabs(d));
    const char *exponent = strchr(text, 'e');
    int value = exponent == NULL ? 0 : atoi(exponent + 1);
    bool scientific = value < -4 || value >= precision - 1;
    if (alternate) {
        format_digits(out, d, scientific ? 'e' : 'g',
                      scientific ? precision - 1 : precision, true);
        return;
    }
    if (scientific) {
        mantissa_digits(out, d, precision);
        return;
    }
    // What is in `out` already is not looked at.
    size_t start = out->length;
    format_digits(out, d, 'g', precision, false);
    if (memchr(strbuf_text(out) + start, '.', out->length - start) == NULL) {
        strbuf_puts(out, ".0");
    }
}

// For 'z': whether the rounded text, not the number, is zero.
static bool all_zero(const char *text)
{
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            return false;
        }
    }
    return true;
}

// ".2f" and its like, without reading the specification in full. UNBOUND:
// something else.
static Value format_fixed(Vm *vm, Value v, const Str *spec)
{
    const char *text = spec->text;
    if (spec->length != 3 || text[0] != '.' || text[1] < '0' || text[1] > '9' ||
        text[2] != 'f' || !value_is_immediate_float(v)) {
        return VALUE_UNBOUND;
    }
    double d = value_immediate_float(v);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    if (signbit(d)) {
        strbuf_putc(&out, '-');
    }
    if (float_print_fixed(&out, fabs(d), text[1] - '0')) {
        return format_finish(vm, &out);
    }
    strbuf_free(&out);
    return VALUE_UNBOUND;
}

// Also ints with a float's type letter, hence value_to_double.
Value format_float(Vm *vm, Value v, Str *text)
{
    FormatSpec spec;
    double d;
    if (text->length == 0) {
        return format_plainly(vm, v);
    }
    Value fixed = format_fixed(vm, v, text);
    if (!value_unbound(fixed)) {
        return fixed;
    }
    if (!value_to_double(vm, v, &d) || !format_parse(vm, v, 0, text, &spec)) {
        return VALUE_FAIL;
    }
    if (spec.type != 0 && strchr("eEfFgGn%", spec.type) == NULL) {
        return format_unknown_code(vm, (unsigned char)spec.type, v), VALUE_FAIL;
    }
    if (spec.precision > FORMAT_MAX) {
        return raise_error(vm, ERR_VALUE, "precision too big");
    }
    StrBuf digits, out;
    strbuf_init(&digits, &vm->ctx);
    strbuf_init(&out, &vm->ctx);
    // A precision without a letter is neither 'g' nor repr(): one digit stands
    // behind the point at least.
    if (spec.type == 0 && spec.precision >= 0 && isfinite(d)) {
        untyped_digits(&digits, d, spec.precision, spec.alternate);
    } else {
        format_digits(&digits, d, spec.type == 0 ? 'r' : spec.type,
                      spec.precision, spec.alternate);
    }
    // NaN has a sign bit that Python never shows.
    bool negative = signbit(d) && !isnan(d);
    // The option z: what rounds to zero shows no sign.
    if (spec.no_minus_zero && isfinite(d) && all_zero(strbuf_text(&digits))) {
        negative = false;
    }
    char sign[2] = {negative                               ? '-'
                    : spec.sign == '+' || spec.sign == ' ' ? spec.sign
                                                           : '\0',
                    '\0'};
    format_number(&out, &spec, sign, strbuf_text(&digits), digits.length, 3);
    if (!strbuf_ok(&digits)) {
        strbuf_fail(&out);
    }
    strbuf_free(&digits);
    return format_finish(vm, &out);
}
