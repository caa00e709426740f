// Methods that int and float share (rounding, divmod), and int's way to bytes
// and back.
//
// Invariant: a method declines operands that are no numbers of its own kind
// with NotImplemented.
#include "interp/objects/numbers/number_methods.h"

#include <math.h>

#include "interp/core/raise.h"
#include "interp/objects/numbers/int_large.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"

// The head of a native function; the rows below name it.
#define METHOD(name) static Value method_##name(Vm *vm, Value *args)

// The arithmetic is the built-in function's; this is its form as a method, for
// super() and subclasses.
METHOD(abs)
{
    return number_abs(vm, args[0]);
}

// Half to even. None for the digits of an int is an error.
METHOD(round)
{
    bool none = value_is_none(args[1]) && value_is_float(args[0]);
    return number_round(vm, args[0], none ? VALUE_UNBOUND : args[1]);
}

// trunc, floor and ceil of a float differ in the C function alone.
static Value whole(Vm *vm, Value v, double (*function)(double))
{
    return value_is_float(v) ? int_from_double(vm, function(value_float(v)))
                             : int_exact(vm, v);
}

// The three give ints; a bool becomes 0 or 1.
METHOD(trunc)
{
    return whole(vm, args[0], trunc);
}

METHOD(floor)
{
    return whole(vm, args[0], floor);
}

METHOD(ceil)
{
    return whole(vm, args[0], ceil);
}

// A float is none for int's methods, which leave it to float's.
static bool is_number(Value v, bool float_too)
{
    return value_is_bool(v) || value_is_integer(v) ||
           (float_too && value_is_float(v));
}

// `self` decides whose method it is; a and b come in the order of the division.
static Value divmod_of(Vm *vm, Value self, Value a, Value b)
{
    bool floats = value_is_float(self);
    if (!is_number(a, floats) || !is_number(b, floats)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    return number_divmod(vm, a, b);
}

// NotImplemented for other operands, so that the reflected method is asked.
METHOD(divmod)
{
    return divmod_of(vm, args[0], args[0], args[1]);
}

METHOD(rdivmod)
{
    return divmod_of(vm, args[0], args[1], args[0]);
}

// --- bytes ---

// 'b' or 'l'; 0 with an error pending.
static char byte_order(Vm *vm, const char *name, Value order)
{
    if (value_unbound(order)) {
        return 'b';
    }
    if (!value_is_str(order)) {
        raise_error(vm, ERR_TYPE,
                    "%s() argument 'byteorder' must be str, not %s", name,
                    type_name_given(vm, order));
        return 0;
    }
    const Str *text = value_as_str(order);
    if (str_is(text, "big") || str_is(text, "little")) {
        return text->text[0];
    }
    raise_error(vm, ERR_VALUE, "byteorder must be either 'little' or 'big'");
    return 0;
}

// Numbers are packed from big-endian bytes; little-endian ones are turned.
static void reverse(char *data, size_t length)
{
    for (size_t i = 0; i < length / 2; i++) {
        char byte = data[i];
        data[i] = data[length - 1 - i];
        data[length - 1 - i] = byte;
    }
}

// Two's complement of big-endian bytes.
static void negate(char *data, size_t length)
{
    unsigned carry = 1;
    for (size_t i = length; i-- > 0;) {
        // Complement, and one more from the last byte on.
        unsigned byte = (unsigned char)~data[i] + carry;
        data[i] = (char)byte;
        carry = byte >> 8;
    }
}

static bool fits(const mp_int *number, size_t length, bool is_signed)
{
    size_t bits = (size_t)mp_count_bits(number);
    // So many bytes hold any number, and 8 * length would run over.
    if (length > SIZE_MAX / 8) {
        return true;
    }
    if (!is_signed) {
        return bits <= 8 * length;
    }
    if (length == 0) {
        return bits == 0;
    }
    // The lowest negative number needs a bit less: it is a power of two.
    bool lowest = mp_isneg(number) && bits == 8 * length &&
                  (size_t)mp_cnt_lsb(number) == bits - 1;
    return bits < 8 * length || lowest;
}

// args: self, length, byteorder, signed. The magnitude is written big-endian,
// then negated and turned round as needed.
METHOD(to_bytes)
{
    int64_t length = 1;
    if (!value_unbound(args[1]) && !value_to_index(vm, args[1], &length)) {
        return VALUE_FAIL;
    }
    int is_signed = value_unbound(args[3]) ? 0 : value_truth(vm, args[3]);
    char order = is_signed < 0 ? '\0' : byte_order(vm, "to_bytes", args[2]);
    if (order == '\0') {
        return VALUE_FAIL;
    }
    if (length < 0) {
        return raise_error(vm, ERR_VALUE,
                           "length argument must be non-negative");
    }
    IntView view;
    int_view(&view, args[0]);
    bool negative = mp_isneg(view.number);
    if (negative && !is_signed) {
        return raise_error(vm, ERR_OVERFLOW,
                           "can't convert negative int to unsigned");
    }
    // -1 is all sign, and has no byte either.
    bool nothing = length == 0 && negative && mp_count_bits(view.number) == 1;
    if (!nothing && !fits(view.number, (size_t)length, is_signed == 1)) {
        return raise_error(vm, ERR_OVERFLOW, "int too big to convert");
    }
    Bytes *bytes = bytes_new(vm, NULL, (size_t)length);
    if (bytes == NULL) {
        return VALUE_FAIL;
    }
    if (!int_unpack(&vm->ctx, view.number, (unsigned char *)bytes->data,
                    (size_t)length, 8)) {
        object_release(&vm->ctx, bytes);
        return VALUE_FAIL;
    }
    // The magnitude was written; fits() has left room for the sign bit.
    if (negative) {
        negate(bytes->data, (size_t)length);
    }
    if (order == 'l') {
        reverse(bytes->data, (size_t)length);
    }
    return value_from_object(bytes);
}

// The number of big-endian bytes, which it may overwrite.
static Value number_of(Vm *vm, char *data, size_t length, bool is_signed)
{
    // The top bit of the first byte is the sign.
    bool negative = is_signed && length > 0 && (data[0] & 0x80) != 0;
    if (negative) {
        negate(data, length);
    }
    mp_int number;
    if (mp_init(&number) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    if (int_pack(&vm->ctx, &number, (unsigned char *)data, length, 8) !=
            MP_OKAY ||
        (negative && mp_neg(&number, &number) != MP_OKAY)) {
        mp_clear(&number);
        return int_raise(&vm->ctx), VALUE_FAIL;
    }
    return int_from_mp(vm, &number);
}

// args: cls, bytes, byteorder, signed. Always big-endian inside, as mp_int is.
METHOD(from_bytes)
{
    int is_signed = value_unbound(args[3]) ? 0 : value_truth(vm, args[3]);
    char order = is_signed < 0 ? '\0' : byte_order(vm, "from_bytes", args[2]);
    if (order == '\0') {
        return VALUE_FAIL;
    }
    // What bytes() takes, but for an int and a str.
    Value source = bytes_from_method(vm, args[1]);
    if (value_unbound(source)) {
        source = value_is_str(args[1])
                     ? raise_error(vm, ERR_TYPE,
                                   "cannot convert '%s' object to bytes",
                                   type_name(type_of(vm, args[1])))
                     : bytes_from_items(vm, args[1]);
    }
    if (value_failed(source)) {
        return source;
    }
    // The object may be shared, and number_of overwrites its input.
    Value copy = bytes_value(vm, bytes_text(source), bytes_length(source));
    release(vm, source);
    if (value_failed(copy)) {
        return copy;
    }
    // `copy` is this function's own, so it may be written to.
    size_t length = bytes_length(copy);
    char *data = value_as_bytes(copy)->data;
    if (order == 'l') {
        reverse(data, length);
    }
    Value number = number_of(vm, data, length, is_signed == 1);
    release(vm, copy);
    if (value_failed(number) ||
        value_object(args[0]) == (Object *)vm->types[KIND_INT]) {
        return number;
    }
    Value made = vm_call(vm, args[0], &number, 1);
    release(vm, number);
    return made;
}

// The same bodies serve int and float: they look at the kind of self.
const NativeDef number_slot_methods[] = {
    {"__abs__", "self, /", method_abs, "Return abs(self)."},
    {"__divmod__", "self, value, /", method_divmod,
     "Return divmod(self, value)."},
    {"__rdivmod__", "self, value, /", method_rdivmod,
     "Return divmod(value, self)."},
    {NULL, NULL, NULL, NULL}};

const NativeDef number_methods[] = {
    {"__round__", "self, ndigits=None, /", method_round,
     "The nearest number of so many decimals."},
    {"__trunc__", "self, /", method_trunc, "Rounded towards zero."},
    {"__floor__", "self, /", method_floor, "Rounded down."},
    {"__ceil__", "self, /", method_ceil, "Rounded up."},
    {NULL, NULL, NULL, NULL}};

const NativeDef int_bytes_methods[] = {
    {"to_bytes", "self, /, length=1, byteorder='big', *, signed=False",
     method_to_bytes, "The number as so many bytes."},
    {NULL, NULL, NULL, NULL}};

const NativeDef int_class_methods[] = {
    {"from_bytes", "cls, /, bytes, byteorder='big', *, signed=False",
     method_from_bytes, "The number that the bytes are."},
    {NULL, NULL, NULL, NULL}};
