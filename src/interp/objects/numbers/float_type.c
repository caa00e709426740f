// float: the type and its methods.
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "interp/hooks/note.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/number_methods.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/format.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/str_methods.h"

static void float_destroy(Vm *vm, Object *self)
{
    object_free(vm, self, sizeof(Float));
}

static Value float_repr(Vm *vm, Value self)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    float_print_repr(&out, value_float(self));
    return value_or_fail(str_from_buf(vm, &out));
}

static Value float_format_slot(Vm *vm, Value self, Str *spec)
{
    return format_float(vm, self, spec);
}

static bool float_hash_slot(Vm *vm, Value self, uint64_t *hash)
{
    (void)vm;
    // NaNs in a set or dict must not all collide.
    double d = value_float(self);
    // Each NaN is itself alone: by identity.
    *hash = isnan(d) ? VALUE_BITS(self) >> 4 | VALUE_BITS(self) << 60
                     : float_hash(d);
    return true;
}

static Value float_unary(Vm *vm, UnaryOp op, Value self)
{
    switch (op) {
    case UNARY_NEG: return float_new(vm, -value_float(self));
    case UNARY_POS: return float_new(vm, value_float(self));
    default: return VALUE_NOT_IMPLEMENTED;
    }
}

static int float_truth(Vm *vm, Value self)
{
    (void)vm;
    return value_float(self) != 0;
}

// float(x) of a subclass's instance gives a plain float, so it is made anew.
static Value float_self(Vm *vm, Value self)
{
    return float_new(vm, value_float(self));
}

// Truncates; NaN is a ValueError and infinity an OverflowError.
static Value float_to_int(Vm *vm, Value self)
{
    return int_from_double(vm, value_float(self));
}

static Value not_a_float(Vm *vm, Value v)
{
    if (value_is_str(v) && !note_text(vm, value_as_str(v))) {
        return VALUE_FAIL;
    }
    Str *text = value_repr(vm, v);
    if (text == NULL) {
        return raise_wordless(vm, ERR_VALUE);
    }
    raise_error(vm, ERR_VALUE, "could not convert string to float: %s",
                text->text);
    object_release(&vm->ctx, text);
    return VALUE_FAIL;
}

// Copies without underscores, which must stand between digits. False: wrong.
static bool clean_number(const char *text, size_t length, char *out)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '_') {
            // Each underscore has a digit on both sides.
            bool digit_before =
                i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9';
            bool digit_after =
                i + 1 < length && text[i + 1] >= '0' && text[i + 1] <= '9';
            if (!digit_before || !digit_after) {
                return false;
            }
            continue;
        }
        // strtod takes hexadecimal and NaN payloads, float() does not.
        if (c == 'x' || c == 'X' || c == '(' || c == '\0') {
            return false;
        }
        out[count++] = c;
    }
    out[count] = '\0';
    return count > 0;
}

// A plain decimal of up to 15 digits and a power of ten up to 22: both are
// doubles exactly, so that one operation on them rounds once. False: another
// form.
static bool parse_plain(const char *at, const char *end, double *d)
{
    enum { DIGITS_MOST = 15, POWER_MOST = 22 };
    static const double powers[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    // The sign is put on at the end, for -0.0.
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    // Up to 15 digits and a power up to 22 are exact in a double: then one
    // operation rounds once, which is the right result.
    int64_t number = 0;
    int digits = 0, behind = 0, power = 0;
    bool point = false;
    for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && !point));
         at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        number = number * 10 + (*at - '0');
        behind += point;
        // Leading zeros are counted as well: the general way is right, only
        // slower.
        if (++digits > DIGITS_MOST) {
            return false;
        }
    }
    if (digits == 0) {
        return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool minus = ++at < end && *at == '-';
        at += at < end && (*at == '-' || *at == '+');
        const char *first = at;
        // Three digits of the exponent at most: more are out of range, which
        // the general way tells.
        for (; at < end && *at >= '0' && *at <= '9' && at - first < 3; at++) {
            power = power * 10 + (*at - '0');
        }
        if (at == first) {
            return false;
        }
        power = minus ? -power : power;
    }
    // Digits behind the point make the power smaller.
    power -= behind;
    if (at != end || power > POWER_MOST || power < -POWER_MOST) {
        return false;
    }
    *d = power < 0 ? (double)number / powers[-power]
                   : (double)number * powers[power];
    *d = negative ? -*d : *d;
    return true;
}

// strtod does the rounding; text is copied for it because the digits may have
// underscores and need a NUL behind them.
Value float_parse(Vm *vm, const char *at, size_t length)
{
    const char *end = at + length;
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r'))) {
        at++;
    }
    while (end > at &&
           (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r'))) {
        end--;
    }
    double d = 0;
    if (parse_plain(at, end, &d)) {
        return float_new(vm, d);
    }
    if (end - at == 3 && memcmp(at, "inf", 3) == 0) {
        return float_new(vm, HUGE_VAL);
    }
    size_t room = (size_t)(end - at) + 1;
    char *text = ctx_alloc(&vm->ctx, room);
    if (text == NULL) {
        return VALUE_FAIL;
    }
    char *stop = text;
    bool ok = clean_number(at, (size_t)(end - at), text);
    if (ok) {
        d = strtod(text, &stop);
        // strtod stops at the first character that it cannot use.
        ok = stop != text && *stop == '\0';
    }
    ctx_free(&vm->ctx, text, room);
    return ok ? float_new(vm, d) : VALUE_UNBOUND;
}

static Value float_of_text(Vm *vm, Value v)
{
    Value made;
    if (value_is_kind(v, KIND_BYTES)) {
        made = float_parse(vm, bytes_text(v), bytes_length(v));
    } else if (value_as_str(v)->count == value_as_str(v)->length) {
        made = float_parse(vm, value_as_str(v)->text, value_as_str(v)->length);
    } else {
        StrBuf plain;
        strbuf_init(&plain, &vm->ctx);
        str_plain_number(&plain, value_as_str(v));
        made = strbuf_ok(&plain)
                   ? float_parse(vm, strbuf_text(&plain), plain.length)
                   : VALUE_FAIL;
        strbuf_free(&plain);
    }
    return value_unbound(made) ? not_a_float(vm, v) : made;
}

static Value float_of(Vm *vm, Value v)
{
    Type *type = type_of(vm, v);
    bool number = type->slots.to_float != NULL || type->slots.index != NULL;
    // A subclass of str with __float__ or __index__ is asked by that.
    if (!number && (value_is_kind(v, KIND_BYTES) || value_is_str(v))) {
        return float_of_text(vm, v);
    }
    if (!number) {
        return raise_error(vm, ERR_TYPE,
                           "float() argument must be a string or a real "
                           "number, not '%s'",
                           type_name(type));
    }
    double d;
    return value_ask_double(vm, v, &d) ? float_new(vm, d) : VALUE_FAIL;
}

// The constructor. In a trace float(x) of a symbolic tensor becomes a cast,
// since the number is not known yet; UNBOUND means that it was none.
static Value float_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (!arguments_check(vm, "float", args,
                         arguments_keywords(vm, cls, keywords), 1)) {
        return VALUE_FAIL;
    }
    // A plain float first; a subclass then copies its number.
    // UNBOUND outside of a trace.
    Value made = args->count == 0 ? float_new(vm, 0.0)
                                  : number_traced_cast(vm, args->items[0],
                                                       vm->types[KIND_FLOAT]);
    if (args->count > 0 && !value_unbound(made)) {
        return made;
    }
    made = args->count == 0 ? made : float_of(vm, args->items[0]);
    if (value_failed(made) || cls == vm->types[KIND_FLOAT]) {
        return made;
    }
    // Instances of subclasses are boxes, whatever their number.
    Float *self = object_new(vm, cls, sizeof *self);
    if (self != NULL) {
        self->number = value_float(made);
    }
    release(vm, made);
    return value_or_fail(self);
}

// Infinity equals its own floor but is no integer.
static Value method_is_integer(Vm *vm, Value *args)
{
    (void)vm;
    double d = value_float(args[0]);
    return value_from_bool(isfinite(d) && d == floor(d));
}

// The mantissa is doubled until it is whole, which takes at most 53 steps; as
// each step halves the power of two, the fraction ends up in lowest terms.
static Value method_ratio(Vm *vm, Value *args)
{
    double d = value_float(args[0]);
    if (!isfinite(d)) {
        return raise_error(vm, isnan(d) ? ERR_VALUE : ERR_OVERFLOW,
                           "cannot convert %s to integer ratio",
                           isnan(d) ? "NaN" : "Infinity");
    }
    int exponent;
    double mantissa = frexp(d, &exponent);
    // 53 steps are enough.
    for (int i = 0; i < 300 && mantissa != floor(mantissa); i++) {
        mantissa *= 2;
        exponent--;
    }
    Value number = int_from_double(vm, mantissa);
    Value power = int_binary(vm, BINARY_LSHIFT, value_from_small(1),
                             value_from_small(abs(exponent)));
    // Of number * 2**exponent the power goes to the numerator or, if negative,
    // becomes the denominator.
    Value part[2] = {number, value_from_small(1)};
    if (exponent > 0 && !value_failed(power)) {
        part[0] = int_binary(vm, BINARY_MUL, number, power);
    } else {
        part[1] = power;
    }
    Tuple *pair = value_failed(part[0]) || value_failed(part[1])
                      ? NULL
                      : tuple_from(vm, part, 2);
    release(vm, part[0]);
    release(vm, power);
    // Otherwise part[0] is `number` itself and is released already.
    if (exponent > 0) {
        release(vm, number);
    }
    return value_or_fail(pair);
}

// One digit, then 13 for the 52 bits behind it. Not printf's %a, whose leading
// digit depends on the C library.
static Value method_hex(Vm *vm, Value *args)
{
    double d = value_float(args[0]);
    if (!isfinite(d)) {
        return float_repr(vm, args[0]);
    }
    int exponent;
    double mantissa = frexp(fabs(d), &exponent);
    // Subnormals keep the lowest exponent and start with 0x0.
    bool subnormal = mantissa != 0 && exponent < -1021;
    // frexp's mantissa lies in [0.5, 1), Python's in [1, 2).
    int shown = d == 0 ? 0 : subnormal ? -1022 : exponent - 1;
    // In [1, 2), or below 1 for a subnormal: exact, as only the exponent
    // changes.
    double scaled = ldexp(fabs(d), -shown);
    uint64_t lead = (uint64_t)scaled;
    uint64_t rest = (uint64_t)ldexp(scaled - (double)lead, 52);
    Str *text =
        d == 0 ? str_printf(vm, "%s0x0.0p+0", signbit(d) ? "-" : "")
               : str_printf(vm, "%s0x%d.%013llxp%+d", signbit(d) ? "-" : "",
                            (int)lead, (unsigned long long)rest, shown);
    return value_or_fail(text);
}

static bool is_float_word(const char *at, size_t length)
{
    return (length == 3 && (strncasecmp(at, "inf", 3) == 0 ||
                            strncasecmp(at, "nan", 3) == 0)) ||
           (length == 8 && strncasecmp(at, "infinity", 8) == 0);
}

// strtod reads the hexadecimal form once it has its "0x", which Python lets one
// leave out; "inf" and "nan" are words and get no prefix. The sign is taken off
// first, as it stands before the prefix. False: not a number.
static bool read_hex(Vm *vm, const char *at, const char *end, double *d)
{
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r'))) {
        at++;
    }
    while (end > at &&
           (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r'))) {
        end--;
    }
    // The sign is read here, since strtod would take one behind "0x" too.
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    bool prefixed = end - at > 1 && at[0] == '0' && (at[1] | 32) == 'x';
    bool word = is_float_word(at, (size_t)(end - at));
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    // The prefix may be left out in Python, not in C.
    strbuf_puts(&text, prefixed || word ? "" : "0x");
    strbuf_add(&text, at, (size_t)(end - at));
    if (!strbuf_ok(&text)) {
        strbuf_free(&text);
        return false;
    }
    char *stop = NULL;
    *d = strtod(strbuf_text(&text), &stop);
    // All of it must have been read, and there must have been something.
    bool ok = stop == strbuf_text(&text) + text.length && at < end;
    strbuf_free(&text);
    // "inf" is a value, an overflow is none; that is told before what follows.
    if (isinf(*d) && !word) {
        return raise_false(vm, ERR_OVERFLOW,
                           "hexadecimal value too large to represent as a "
                           "float");
    }
    if (!ok) {
        return raise_false(vm, ERR_VALUE,
                           "invalid hexadecimal floating-point string");
    }
    *d = negative ? -*d : *d;
    return true;
}

static Value method_fromhex(Vm *vm, Value *args)
{
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "bad argument type for built-in operation");
    }
    const Str *str = value_as_str(args[1]);
    double d;
    if (!read_hex(vm, str->text, str->text + str->length, &d)) {
        return VALUE_FAIL;
    }
    Value number = float_new(vm, d);
    if (value_failed(number) ||
        value_object(args[0]) == (Object *)vm->types[KIND_FLOAT]) {
        return number;
    }
    Value made = vm_call(vm, args[0], &number, 1);
    release(vm, number);
    return made;
}

// The number itself, never of a subclass.
static Value method_conjugate(Vm *vm, Value *args)
{
    return float_self(vm, args[0]);
}

// What float has alone; number_methods brings the rest.
static const NativeDef float_methods[] = {
    NEWARGS_ROW,
    {"is_integer", "self, /", method_is_integer,
     "True if there is no fractional part."},
    {"as_integer_ratio", "self, /", method_ratio,
     "Two ints whose quotient is exactly this."},
    {"hex", "self, /", method_hex, "Hexadecimal text, exact."},
    {"conjugate", "self, /", method_conjugate, "The number itself."},
    {0}};

// Duet runs where floats are IEEE's; big-endian machines say so.
static Value method_getformat(Vm *vm, Value *args)
{
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "__getformat__() argument must be str, not %s",
                           type_name_given(vm, args[1]));
    }
    if (!str_is(value_as_str(args[1]), "double") &&
        !str_is(value_as_str(args[1]), "float")) {
        return raise_error(vm, ERR_VALUE,
                           "__getformat__() argument 1 must be "
                           "'double' or 'float'");
    }
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    Str *text =
        str_from(vm, little ? "IEEE, little-endian" : "IEEE, big-endian");
    return value_or_fail(text);
}

// A class method, so that a subclass may be asked; the result is a float.
static const NativeDef float_class_methods[] = {
    {"fromhex", "cls, string, /", method_fromhex,
     "The float that float.hex() wrote."},
    {"__getformat__", "cls, typestr, /", method_getformat,
     "How the machine stores 'double' or 'float'."},
    {0}};

// imag, for code that takes any number as a complex one.
static Value get_zero(Vm *vm, Value self)
{
    (void)self;
    return float_new(vm, 0.0);
}

static const MemberDef float_members[] = {
    {"real", float_self, NULL, "The number itself."},
    {"imag", get_zero, NULL, "0.0."},
    {0}};

// No bit operators and no index slot: a float is never taken for an int.
const TypeDef float_type_def = {
    .name = "float",
    .doc = "A 64-bit floating-point number: float(x=0.0).",
    .params = "x=0, /",
    .kind = KIND_FLOAT,
    .size = sizeof(Float),
    .operators = "add radd sub rsub mul rmul truediv rtruediv "
                 "floordiv rfloordiv mod rmod pow rpow neg pos",
    .slots = {.destroy = float_destroy,
              .make = float_make,
              .repr = float_repr,
              .format = float_format_slot,
              .hash = float_hash_slot,
              .compare = float_compare,
              .unary = float_unary,
              .binary = float_binary,
              .truth = float_truth,
              .to_int = float_to_int,
              .to_float = float_self},
    .methods = float_methods,
    .slot_methods = number_slot_methods,
    .more_methods = {number_methods},
    .class_methods = float_class_methods,
    .members = float_members,
};
