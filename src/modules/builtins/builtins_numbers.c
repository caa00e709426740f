// Built-in functions on numbers and characters.
#include "modules/builtins/builtins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "interp/hooks/note.h"
#include "interp/hooks/tracing.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/number_methods.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/text/obj_bytes.h"

// bool counts as int in Python's number functions. Of any size.
static bool is_int(Value v)
{
    return value_is_bool(v) || value_is_integer(v);
}

// int and float themselves, for which no method is looked up: a class that is
// derived from them may have its own.
static bool is_plain_number(Vm *vm, Value v)
{
    return (is_int(v) || value_is_float(v)) &&
           !(type_of(vm, v)->flags & TYPE_HEAP);
}

// Of a tensor; what was a bool of the host counts as an int.
static Value of_number(Vm *vm, const char *op, Value v)
{
    Value counted = symbolic_counted(vm, v);
    Value result = value_failed(counted)
                       ? counted
                       : tensor_call(vm, op, &counted, 1, NULL, 0);
    release(vm, counted);
    return result;
}

// Tensors and built-in numbers go first, without a look-up of __abs__.
static Value abs_of(Vm *vm, Value v, Value unused, int how)
{
    (void)unused;
    (void)how;
    if (builtin_is_tensor(v)) {
        return of_number(vm, "abs", v);
    }
    if (is_plain_number(vm, v)) {
        return number_abs(vm, v);
    }
    Value result = value_call_special(vm, v, "__abs__", NULL, 0);
    return value_unbound(result)
               ? raise_error(vm, ERR_TYPE, "bad operand type for abs(): '%s'",
                             type_name(type_of(vm, v)))
               : result;
}

BUILTIN_BODY(abs)
{
    return operate_traced(vm, args[0], VALUE_FALSE, abs_of, 0);
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
    return value_or_fail(str_new_ascii(vm, text + at, sizeof text - at));
}

// The sign stands before the prefix (-0xff), which is why the digits are
// printed apart. An object with __index__ will do, a float will not.
static Value print_base(Vm *vm, Value v, const char *prefix, int base)
{
    if (value_is_int(v)) {
        return print_small_base(vm, value_small(v), prefix, base);
    }
    Value number = value_index(vm, v);
    if (value_failed(number)) {
        return number;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    int_print(vm, &out, number, base);
    release(vm, number);
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
    return value_or_fail(str_from_buf(vm, &whole));
}

BUILTIN_BODY(bin)
{
    return print_base(vm, args[0], "0b", 2);
}

BUILTIN_BODY(oct)
{
    return print_base(vm, args[0], "0o", 8);
}

BUILTIN_BODY(hex)
{
    return print_base(vm, args[0], "0x", 16);
}

// Surrogates are characters to Python, and are made without complaint.
BUILTIN_BODY(chr)
{
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
    return value_or_fail(text);
}

BUILTIN_BODY(ord)
{
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
    return value_or_fail(made);
}

// Whether the right side's __rdivmod__ goes first: its class is derived from
// the left one's and has its own.
static bool reflected_first(Vm *vm, Type *left, Type *right)
{
    Str *name = vm->names[NAME_RDIVMOD];
    return left != right && (right->flags & TYPE_HEAP) != 0 &&
           type_is_subtype(right, left) &&
           !value_same(type_lookup(vm, right, name),
                       type_lookup(vm, left, name));
}

// By both sides' methods, in a fixed order; of two values of one class the left
// one alone is asked. NotImplemented of both is a TypeError that names both
// types.
static Value own_divmod(Vm *vm, Value *args)
{
    static const char *const names[] = {"__divmod__", "__rdivmod__"};
    Type *left = type_of(vm, args[0]), *right = type_of(vm, args[1]);
    bool swapped = reflected_first(vm, left, right);
    for (int i = 0; i < (left == right ? 1 : 2) && !vm_has_error(vm); i++) {
        int side = swapped ? 1 - i : i;
        Value own =
            value_call_special(vm, args[side], names[side], &args[1 - side], 1);
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

BUILTIN_BODY(divmod)
{
    if (!note_question(vm, args[0]) || !note_question(vm, args[1])) {
        return VALUE_FAIL;
    }
    if (value_both_ints(args[0], args[1]) &&
        !value_same(args[1], value_from_small(0))) {
        return divmod_small(vm, args[0], args[1]);
    }
    bool plain = is_plain_number(vm, args[0]) && is_plain_number(vm, args[1]);
    return plain || builtin_is_tensor(args[0]) || builtin_is_tensor(args[1])
               ? number_divmod(vm, args[0], args[1])
               : own_divmod(vm, args);
}

static Value power_of(Vm *vm, Value base, Value exponent, int op)
{
    return value_binary(vm, (BinaryOp)op, base, exponent);
}

BUILTIN_BODY(pow)
{
    return builtin_given(args[2])
               ? value_power(vm, args[0], args[1], args[2])
               : operate_traced(vm, args[0], args[1], power_of, BINARY_POW);
}

static Value round_of(Vm *vm, Value v, Value digits, int whole)
{
    if (builtin_is_tensor(v)) {
        return whole ? of_number(vm, "round", v)
                     : raise_error(vm, ERR_TYPE,
                                   "round: a tensor is rounded to whole "
                                   "numbers; round(x * 100) / 100 keeps two "
                                   "digits");
    }
    if (is_plain_number(vm, v)) {
        return number_round(vm, v, whole ? VALUE_UNBOUND : digits);
    }
    Value result = value_call_special(vm, v, "__round__", &digits, !whole);
    return value_unbound(result)
               ? raise_error(vm, ERR_TYPE,
                             "type %s doesn't define __round__ method",
                             type_name(type_of(vm, v)))
               : result;
}

BUILTIN_BODY(round)
{
    bool whole = !builtin_given(args[1]);
    return operate_traced(vm, args[0], whole ? VALUE_FALSE : args[1], round_of,
                          whole);
}
