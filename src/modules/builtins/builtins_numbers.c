// Built-in functions on numbers and characters.
#include "modules/builtins/builtins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/text/obj_bytes.h"

// Looks the method up in the class, not in the object, as Python does for all
// special methods. Owned; UNBOUND: the class has no such method. Arguments are
// borrowed.
Value builtin_special(Vm *vm, Value v, const char *name, const Value *args,
                      uint32_t count)
{
    // Interned, since classes are searched by address.
    Str *key = str_intern(vm, name, strlen(name));
    if (key == NULL) {
        return VALUE_FAIL;
    }
    // Bound already, hence no self among the arguments.
    Value method = value_find_method(vm, v, key);
    object_release(&vm->ctx, key);
    if (value_failed(method) || value_unbound(method)) {
        return method;
    }
    Value result = vm_call(vm, method, args, count);
    release(vm, method);
    return result;
}

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

// operator.index(v), owned: what bin() and hex() want of an object. A float has
// no __index__ and is refused, however whole it is. A bool becomes an int:
// index(True) is 1.
Value builtin_index(Vm *vm, Value v)
{
    if (value_is_bool(v)) {
        return value_from_small(value_same(v, VALUE_TRUE));
    }
    if (value_is_int(v)) {
        return v;
    }
    // Of a subclass the plain int, without asking its __index__.
    if (value_is_integer(v)) {
        return int_exact(vm, v);
    }
    Type *cls = type_of(vm, v);
    if (cls->slots.index == NULL) {
        return raise_error(vm, ERR_TYPE,
                           "'%s' object cannot be interpreted as an integer",
                           type_name(cls));
    }
    Value index = cls->slots.index(vm, v);
    if (value_failed(index) || value_is_int(index)) {
        return index;
    }
    // Of a bool or a subclass the number alone counts.
    if (is_int(index)) {
        Value exact = int_exact(vm, index);
        release(vm, index);
        return exact;
    }
    // What a user's __index__ gave is not to be trusted.
    (void)raise_error(vm, ERR_TYPE, "__index__ returned non-int (type %s)",
                      type_name(type_of(vm, index)));
    release(vm, index);
    return VALUE_FAIL;
}

// int and float themselves, for which no method is looked up: a class that is
// derived from them may have its own.
static bool is_plain_number(Vm *vm, Value v)
{
    return (is_int(v) || value_is_float(v)) &&
           !(type_of(vm, v)->flags & TYPE_HEAP);
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

// Tensors and built-in numbers go first, without a look-up of __abs__.
BUILTIN_BODY(abs)
{
    (void)count;
    Value v = args[0];
    if (builtin_is_tensor(v)) {
        return tensor_call(vm, "abs", &v, 1, NULL, 0);
    }
    if (is_plain_number(vm, v)) {
        return number_abs(vm, v);
    }
    Value result = builtin_special(vm, v, "__abs__", NULL, 0);
    return value_unbound(result)
               ? raise_error(vm, ERR_TYPE, "bad operand type for abs(): '%s'",
                             type_name(type_of(vm, v)))
               : result;
}

// An immediate int in base 2, 8 or 16, without a buffer. Written from the end;
// the base is a power of two, but that is not used.
static Value print_small_base(Vm *vm, int64_t number, const char *prefix,
                              int base)
{
    char text[72]; // a sign, the prefix and 62 digits
    size_t at = sizeof text;
    // Unsigned, for which every negation is defined.
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do {
        text[--at] = "0123456789abcdef"[rest % (unsigned)base];
        rest /= (unsigned)base;
    } while (rest != 0);
    text[--at] = prefix[1];
    text[--at] = prefix[0];
    if (number < 0) {
        text[--at] = '-';
    }
    Str *str = str_new_ascii(vm, text + at, sizeof text - at);
    return str == NULL ? VALUE_FAIL : str_value(str);
}

// The sign stands before the prefix (-0xff), which is why the digits are
// printed apart. An object with __index__ will do, a float will not.
static Value print_base(Vm *vm, Value v, const char *prefix, int base)
{
    if (value_is_int(v)) {
        return print_small_base(vm, value_small(v), prefix, base);
    }
    Value number = builtin_index(vm, v);
    if (value_failed(number)) {
        return number;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    int_print(vm, &out, number, base);
    release(vm, number);
    // int_print writes the sign first, if there is one.
    const char *digits = strbuf_text(&out);
    bool negative = *digits == '-';
    StrBuf whole;
    strbuf_init(&whole, &vm->ctx);
    // By strbuf_add: printing a text as long as an int can be is not polled.
    if (strbuf_ok(&out)) {
        strbuf_puts(&whole, negative ? "-" : "");
        strbuf_puts(&whole, prefix);
        strbuf_add(&whole, digits + negative, out.length - negative);
    } else {
        strbuf_fail(&whole);
    }
    strbuf_free(&out);
    Str *text = str_from_buf(vm, &whole);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// With "0b", and a sign in front of it.
BUILTIN_BODY(bin)
{
    (void)count;
    return print_base(vm, args[0], "0b", 2);
}

// "0o", which a literal has as well.
BUILTIN_BODY(oct)
{
    (void)count;
    return print_base(vm, args[0], "0o", 8);
}

// In small letters, as Python writes them.
BUILTIN_BODY(hex)
{
    (void)count;
    return print_base(vm, args[0], "0x", 16);
}

// Surrogates are characters to Python, and are made without complaint.
BUILTIN_BODY(chr)
{
    (void)count;
    int code;
    if (!value_to_c_int(vm, args[0], &code)) {
        return VALUE_FAIL;
    }
    if (code < 0 || code > 0x10FFFF) {
        return raise_error(vm, ERR_VALUE, "chr() arg not in range(0x110000)");
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_codepoint(&out, (uint32_t)code);
    Str *text = out.failed ? NULL : str_new(vm, strbuf_text(&out), out.length);
    strbuf_free(&out);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// `count` is in code points, `length` in bytes.
BUILTIN_BODY(ord)
{
    (void)count;
    bool bytes = value_is_kind(args[0], KIND_BYTES);
    if (bytes && bytes_length(args[0]) == 1) {
        return value_from_small((unsigned char)*bytes_text(args[0]));
    }
    if (bytes) {
        return raise_error(vm, ERR_TYPE,
                           "ord() expected a character, but string of length "
                           "%zu found",
                           bytes_length(args[0]));
    }
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE,
                           "ord() expected string of length 1, but %s found",
                           type_name(type_of(vm, args[0])));
    }
    Str *text = value_as_str(args[0]);
    if (text->count != 1) {
        return raise_error(vm, ERR_TYPE,
                           "ord() expected a character, but string of length "
                           "%zu found",
                           text->count);
    }
    // One character of up to four bytes.
    return value_from_small(str_first_point(text));
}

// divmod of two small ints, the divisor not zero: no look-up.
static Value divmod_small(Vm *vm, Value a, Value b)
{
    Value pair[2] = {int_binary(vm, BINARY_FLOORDIV, a, b),
                     int_binary(vm, BINARY_MOD, a, b)};
    // Of immediates the results are immediate, but for one quotient.
    Tuple *made = value_failed(pair[0]) ? NULL : tuple_from(vm, pair, 2);
    release(vm, pair[0]);
    return made == NULL ? VALUE_FAIL : value_from_object(made);
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
    return made == NULL ? VALUE_FAIL : value_from_object(made);
}

// Whether the right side's __rdivmod__ goes first: its class is derived from
// the left one's and has its own.
static bool reflected_first(Vm *vm, Type *left, Type *right)
{
    Str *name = vm->names[NAME_RDIVMOD];
    return left != right && type_is_subtype(right, left) &&
           !value_same(type_lookup(vm, right, name),
                       type_lookup(vm, left, name));
}

// By both sides' methods, in CPython's sequence; of two values of one class the
// left one alone is asked. NotImplemented of both is a TypeError that names
// both types.
static Value own_divmod(Vm *vm, Value *args)
{
    static const char *const names[] = {"__divmod__", "__rdivmod__"};
    Type *left = type_of(vm, args[0]), *right = type_of(vm, args[1]);
    bool swapped = reflected_first(vm, left, right);
    for (int i = 0; i < (left == right ? 1 : 2) && !vm_has_error(vm); i++) {
        int side = swapped ? 1 - i : i;
        Value own =
            builtin_special(vm, args[side], names[side], &args[1 - side], 1);
        // NotImplemented is an immediate value, which needs no release.
        if (!value_unbound(own) && !value_same(own, VALUE_NOT_IMPLEMENTED)) {
            return own;
        }
    }
    return vm_has_error(vm)
               ? VALUE_FAIL
               : raise_error(vm, ERR_TYPE,
                             "unsupported operand type(s) for divmod(): '%s' "
                             "and '%s'",
                             type_name(left), type_name(right));
}

// Numbers and tensors go by // and %, without asking for __divmod__.
BUILTIN_BODY(divmod)
{
    (void)count;
    if (value_both_ints(args[0], args[1]) &&
        !value_same(args[1], value_from_small(0))) {
        return divmod_small(vm, args[0], args[1]);
    }
    bool plain = is_plain_number(vm, args[0]) && is_plain_number(vm, args[1]);
    return plain || builtin_is_tensor(args[0]) || builtin_is_tensor(args[1])
               ? number_divmod(vm, args[0], args[1])
               : own_divmod(vm, args);
}

// None for the modulus is as none at all.
BUILTIN_BODY(pow)
{
    (void)count;
    return builtin_given(args[2])
               ? value_power(vm, args[0], args[1], args[2])
               : value_binary(vm, BINARY_POW, args[0], args[1]);
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
    Value index = builtin_index(vm, given);
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

// round(x, None) is round(x).
BUILTIN_BODY(round)
{
    (void)count;
    Value v = args[0];
    bool whole = !builtin_given(args[1]);
    if (builtin_is_tensor(v) && whole) {
        return tensor_call(vm, "round", &v, 1, NULL, 0);
    }
    if (is_plain_number(vm, v)) {
        return number_round(vm, v, whole ? VALUE_UNBOUND : args[1]);
    }
    Value result = builtin_special(vm, v, "__round__", &args[1], !whole);
    return value_unbound(result)
               ? raise_error(vm, ERR_TYPE,
                             "type %s doesn't define __round__ method",
                             type_name(type_of(vm, v)))
               : result;
}
