// Built-in functions on numbers and characters.
#include "interp/builtins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "interp/int_view.h"
#include "interp/obj_bytes.h"
#include "interp/obj_float.h"

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

// operator.index(v), owned: what bin() and hex() want of an object. A float has
// no __index__ and is refused, however whole it is. A bool becomes an int:
// index(True) is 1.
Value builtin_index(Vm *vm, Value v)
{
    if (value_is_bool(v)) {
        return value_from_small(value_same(v, VALUE_TRUE));
    }
    if (value_is_integer(v)) {
        return value_retain(v);
    }
    Type *cls = type_of(vm, v);
    if (cls->slots.index == NULL) {
        return raise_error(vm, ERR_TYPE,
                           "'%s' object cannot be interpreted as an integer",
                           type_name(cls));
    }
    Value index = cls->slots.index(vm, v);
    if (value_failed(index) || value_is_integer(index)) {
        return index;
    }
    // What a user's __index__ gave is not to be trusted.
    (void)raise_error(vm, ERR_TYPE, "__index__ returned non-int (type %s)",
                      type_name(type_of(vm, index)));
    release(vm, index);
    return VALUE_FAIL;
}

// Tensors and built-in numbers go first, without a look-up of __abs__.
// abs(True) is the int 1.
BUILTIN_BODY(abs)
{
    (void)count;
    Value v = args[0];
    if (builtin_is_tensor(v)) {
        return tensor_call(vm, "abs", &v, 1, NULL, 0);
    }
    if (value_is_float(v)) {
        return float_new(vm, fabs(value_float(v)));
    }
    // builtin_index makes an int of a bool and keeps an int.
    if (is_int(v)) {
        if (value_is_int(v)) {
            // 62 bits: the least has its negative in an int64.
            int64_t small = value_small(v);
            return int_from_i64(vm, small < 0 ? -small : small);
        }
        return int_compare(v, value_from_small(0)) < 0
                   ? value_unary(vm, UNARY_NEG, v)
                   : builtin_index(vm, v);
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
    int64_t code;
    if (!value_to_index(vm, args[0], &code)) {
        if (!raise_matches(vm, ERR_OVERFLOW)) {
            return VALUE_FAIL;
        }
        raise_clear(vm);
        // Too large for an int64: told as what C's int could not hold.
        code = INT64_MAX;
    }
    if (code > INT32_MAX || code < INT32_MIN) {
        return raise_error(vm, ERR_OVERFLOW,
                           "Python int too large to convert to C int");
    }
    if (code < 0 || code > 0x10FFFF) {
        return raise_error(vm, ERR_VALUE,
                           "chr() arg not in range(0x110000)");
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_codepoint(&out, (uint32_t)code);
    Str *text = out.failed ? NULL
                           : str_new(vm, strbuf_text(&out), out.length);
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

// __divmod__ of the left side, then __rdivmod__ of the right one.
// NotImplemented of both is a TypeError that names both types.
static Value own_divmod(Vm *vm, Value *args)
{
    Value own = builtin_special(vm, args[0], "__divmod__", &args[1], 1);
    // NotImplemented is an immediate value, which needs no release.
    if (value_unbound(own) || value_same(own, VALUE_NOT_IMPLEMENTED)) {
        own = builtin_special(vm, args[1], "__rdivmod__", &args[0], 1);
    }
    if (!value_unbound(own) && !value_same(own, VALUE_NOT_IMPLEMENTED)) {
        return own;
    }
    return raise_error(vm, ERR_TYPE,
                       "unsupported operand type(s) for divmod(): '%s' and "
                       "'%s'",
                       type_name(type_of(vm, args[0])),
                       type_name(type_of(vm, args[1])));
}

// What divmod() does by // and % itself, without asking for __divmod__.
// Subclasses included: their own __divmod__ is not asked.
static bool is_plain_number(Value v)
{
    return is_int(v) || value_is_float(v);
}

// The pair of // and %, which also serves tensors. Floats are tested for a zero
// divisor here because the message differs from that of //.
BUILTIN_BODY(divmod)
{
    (void)count;
    bool plain = is_plain_number(args[0]) && is_plain_number(args[1]);
    if (value_both_ints(args[0], args[1]) &&
        !value_same(args[1], value_from_small(0))) {
        // Two small ints: no look-up, and the tuple takes the results.
        Tuple *small = tuple_new(vm, 2);
        if (small == NULL) {
            return VALUE_FAIL;
        }
        small->items[0] =
            int_binary(vm, BINARY_FLOORDIV, args[0], args[1]);
        small->items[1] = int_binary(vm, BINARY_MOD, args[0], args[1]);
        Value pair = value_from_object(small);
        if (value_failed(small->items[0]) || value_failed(small->items[1])) {
            release(vm, pair);
            return VALUE_FAIL;
        }
        return pair;
    }
    if (!plain && !builtin_is_tensor(args[0]) &&
        !builtin_is_tensor(args[1])) {
        return own_divmod(vm, args);
    }
    if (value_is_float(args[0]) || value_is_float(args[1])) {
        // Only of plain numbers: a tensor's zeros are its own affair.
        double divisor;
        if ((is_int(args[1]) || value_is_float(args[1])) &&
            (is_int(args[0]) || value_is_float(args[0])) &&
            value_to_double(vm, args[1], &divisor) && divisor == 0) {
            return raise_error(vm, ERR_ZERO_DIVISION, "float divmod()");
        }
    }
    Value quotient = value_binary(vm, BINARY_FLOORDIV, args[0], args[1]);
    if (value_failed(quotient)) {
        return quotient;
    }
    Value rest = value_binary(vm, BINARY_MOD, args[0], args[1]);
    Value pair[2] = {quotient, rest};
    Tuple *made = value_failed(rest) ? NULL : tuple_from(vm, pair, 2);
    release(vm, quotient);
    release(vm, rest);
    return made == NULL ? VALUE_FAIL : value_from_object(made);
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
    Value low = value_failed(rest) ? VALUE_FAIL
                                   : value_binary(vm, BINARY_SUB, v, rest);
    Value twice = value_failed(low) ? VALUE_FAIL
                                    : value_binary(vm, BINARY_ADD, rest, rest);
    Value quotient = value_failed(twice)
                         ? VALUE_FAIL
                         : value_binary(vm, BINARY_FLOORDIV, v, unit);
    Value odd = value_failed(quotient)
                    ? VALUE_FAIL
                    : value_binary(vm, BINARY_AND, quotient,
                                   value_from_small(1));
    Value result = VALUE_FAIL;
    if (!value_failed(odd)) {
        // Which multiple is nearer; in the middle the even quotient wins.
        int side = int_compare(twice, unit);
        bool up = side > 0 || (side == 0 && value_small(odd) == 1);
        result = up ? value_binary(vm, BINARY_ADD, low, unit)
                    : value_retain(low);
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
        return builtin_index(vm, v);
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

// printf gives the exact decimal value rounded once, which reading back keeps.
// Python's correctly rounded result: 2.675 to two digits is 2.67, for the
// double is below the half.
static double round_decimals(double d, int64_t digits)
{
    if (digits > 323 || !isfinite(d)) {
        return d;
    }
    // Beyond 308 digits the unit is no double any more, and all rounds to zero.
    if (digits < 0) {
        // To the left of the point the unit is a whole number.
        double unit = digits < -308 ? INFINITY : pow(10, (double)-digits);
        return isinf(unit) ? copysign(0, d) : nearbyint(d / unit) * unit;
    }
    // Room for 309 digits before the point and 323 behind it.
    char text[700];
    snprintf(text, sizeof text, "%.*f", (int)digits, d);
    return strtod(text, NULL);
}

// Halves go to the even neighbour, as nearbyint does in the default mode.
// Without digits the result is an int; round(x, None) is the same.
BUILTIN_BODY(round)
{
    (void)count;
    Value v = args[0];
    // round(x, None) is round(x).
    bool whole = !builtin_given(args[1]);
    if (builtin_is_tensor(v) && whole) {
        return tensor_call(vm, "round", &v, 1, NULL, 0);
    }
    int64_t digits = 0;
    if (is_int(v) || value_is_float(v)) {
        // Digits beyond what any double has change nothing.
        if (!whole && !value_to_index(vm, args[1], &digits)) {
            // An int beyond any size of digits; of other types the error
            // stands.
            bool clipped = value_is_float(v) && is_int(args[1]) &&
                           raise_matches(vm, ERR_OVERFLOW);
            if (!clipped) {
                return VALUE_FAIL;
            }
            raise_clear(vm);
            bool less = int_compare(args[1], value_from_small(0)) < 0;
            digits = less ? INT32_MIN : INT32_MAX;
        }
        if (is_int(v)) {
            return round_int(vm, v, digits);
        }
        double d = value_float(v);
        return whole ? int_from_double(vm, nearbyint(d))
                     : float_new(vm, round_decimals(d, digits));
    }
    Value result = builtin_special(vm, v, "__round__", &args[1], !whole);
    return value_unbound(result)
               ? raise_error(vm, ERR_TYPE,
                             "type %s doesn't define __round__ method",
                             type_name(type_of(vm, v)))
               : result;
}
