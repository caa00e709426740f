// int and bool: types and methods.
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/number_methods.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/text/format.h"
#include "interp/objects/text/obj_bytes.h"

// What the operators below take as an int: bool is a subclass of int in Python,
// but not an integer to value_is_integer.
static bool is_whole(Value v)
{
    return value_is_integer(v) || value_is_bool(v);
}

// Runs only for boxed numbers; an immediate is no object.
// The digits stand inside of the object if they were made in one piece, else
// they are libtommath's own.
static void int_destroy(Vm *vm, Object *self)
{
    Int *box = (Int *)self;
    if (box->number.dp == box->digits) {
        object_free(vm, box,
                    sizeof *box +
                        (size_t)box->number.alloc * sizeof *box->digits);
        return;
    }
    mp_clear(&box->number);
    object_free(vm, box, sizeof *box);
}

// str() of an int is its repr: there is no slot for it.
static Value int_repr(Vm *vm, Value self)
{
    return int_text(vm, self);
}

// Ints below 2^61 - 1 in size are their own hash.
// Larger ones are reduced modulo 2^61 - 1.
static bool int_hash_slot(Vm *vm, Value self, uint64_t *hash)
{
    (void)vm;
    // That of an equal float, so that both find the same key.
    *hash = int_hash(self);
    return true;
}

// Other types answer NotImplemented here, so that float and the user's classes
// get their turn with the reflected comparison.
// A bool counts as 0 or 1 on either side.
static Value int_compare_slot(Vm *vm, CompareOp op, Value a, Value b)
{
    (void)vm;
    if (!is_whole(a) || !is_whole(b)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    // Exact for numbers of any size; nothing is converted to float.
    int order = int_compare(a, b);
    return value_from_order(op, order);
}

// Through subtraction, which already knows about immediates that overflow and
// about boxed numbers: -x is 0 - x, and ~x is -1 - x.
// Owned. + of a bool or a subclass is a plain int.
static Value int_unary(Vm *vm, UnaryOp op, Value self)
{
    switch (op) {
    case UNARY_NEG:
        return int_binary(vm, BINARY_SUB, value_from_small(0), self);
    case UNARY_INVERT:
        return int_binary(vm, BINARY_SUB, value_from_small(-1), self);
    default: return int_exact(vm, self);
    }
}

// Mixed operands are declined: float, complex and tensors do them.
// Owned; the operator's own errors (division by zero, negative shift) come from
// int_binary.
static Value int_binary_slot(Vm *vm, BinaryOp op, Value a, Value b)
{
    return is_whole(a) && is_whole(b) ? int_binary(vm, op, a, b)
                                      : VALUE_NOT_IMPLEMENTED;
}

// & | ^ of two bools give a bool; all else is done on ints.
static Value bool_binary_slot(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (value_is_bool(a) && value_is_bool(b)) {
        // Bools are compared by identity, as there is one of each.
        bool x = value_same(a, VALUE_TRUE), y = value_same(b, VALUE_TRUE);
        switch (op) {
        case BINARY_AND: return value_from_bool(x && y);
        case BINARY_OR: return value_from_bool(x || y);
        case BINARY_XOR: return value_from_bool(x != y);
        default: break;
        }
    }
    return int_binary_slot(vm, op, a, b);
}

static int int_truth(Vm *vm, Value self)
{
    (void)vm;
    return int_compare(self, value_from_small(0)) != 0;
}

// Not the object itself: int(True) is 1, and a subclass gives a plain int.
static Value int_self(Vm *vm, Value self)
{
    return int_exact(vm, self);
}

static Value int_to_float(Vm *vm, Value self)
{
    double d;
    return int_to_double(vm, self, &d) ? float_new(vm, d) : VALUE_FAIL;
}

static Value bool_repr(Vm *vm, Value self);

// The spec is read by format.c. Without one a bool is a word, but any
// specification formats the number: f"{True:d}" is 1, f"{True:5}" as wide as 5.
static Value int_format_slot(Vm *vm, Value self, Str *spec)
{
    if (spec->length == 0 && value_is_bool(self)) {
        return bool_repr(vm, self);
    }
    return format_int(vm, self, spec);
}

// What __trunc__ gave, which must be an int or have an __index__; takes it.
static Value of_truncated(Vm *vm, Value made)
{
    if (value_failed(made) || is_whole(made) ||
        type_of(vm, made)->slots.index != NULL) {
        Value whole = value_failed(made) ? made : value_index(vm, made);
        release(vm, made);
        return whole;
    }
    raise_error(vm, ERR_TYPE, "__trunc__ returned non-Integral (type %s)",
                type_name(type_of(vm, made)));
    release(vm, made);
    return VALUE_FAIL;
}

// What __int__ gave, which may be the user's; takes it.
static Value of_own(Vm *vm, Value made)
{
    if (value_failed(made) || is_whole(made)) {
        Value exact = value_failed(made) ? made : int_exact(vm, made);
        release(vm, made);
        return exact;
    }
    raise_error(vm, ERR_TYPE, "__int__ returned non-int (type %s)",
                type_name(type_of(vm, made)));
    release(vm, made);
    return VALUE_FAIL;
}

Value int_of_value(Vm *vm, Value v)
{
    // A subclass may say what its int is.
    Value (*own)(Vm *, Value) = type_of(vm, v)->slots.to_int;
    bool asks = own != NULL && own != vm->types[KIND_INT]->slots.to_int &&
                own != vm->types[KIND_FLOAT]->slots.to_int;
    if (!asks && is_whole(v)) {
        return int_exact(vm, v);
    }
    // Truncates towards zero; NaN and infinity are errors.
    if (!asks && value_is_float(v)) {
        return int_from_double(vm, value_float(v));
    }
    // In this order: __int__, __index__, __trunc__, and text at last.
    if (own != NULL) {
        return of_own(vm, own(vm, v));
    }
    Type *type = type_of(vm, v);
    if (type->slots.index != NULL) {
        return value_index(vm, v);
    }
    Value made = value_call_special(vm, v, "__trunc__", NULL, 0);
    if (!value_unbound(made)) {
        return of_truncated(vm, made);
    }
    if (value_is_str(v) || value_is_kind(v, KIND_BYTES)) {
        return int_parse_value(vm, v, 10);
    }
    // A class with none of them is told what int() takes.
    return raise_error(vm, ERR_TYPE,
                       "int() argument must be a string, a bytes-like object "
                       "or a real number, not '%s'",
                       type_name(type));
}

// int(text, base). The base is read before it is checked, so that any object
// with __index__ will do; 0 takes it from the text's prefix.
// Owned.
static Value int_of_base(Vm *vm, Value v, Value base_value)
{
    int64_t base;
    if (!value_to_index(vm, base_value, &base)) {
        if (!raise_matches(vm, ERR_OVERFLOW)) {
            return VALUE_FAIL;
        }
        raise_clear(vm);
        base = -1;
    }
    if (base != 0 && (base < 2 || base > 36)) {
        return raise_error(vm, ERR_VALUE,
                           "int() base must be >= 2 and <= 36, or 0");
    }
    if (!value_is_str(v) && !value_is_kind(v, KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE,
                           "int() can't convert non-string with explicit "
                           "base");
    }
    return int_parse_value(vm, v, (int)base);
}

// The base given by position or keyword; UNBOUND: none. False: failed.
static bool base_argument(Vm *vm, Tuple *args, Dict *keywords, Value *base)
{
    // Borrowed from the arguments.
    *base = args->count > 1 ? args->items[1] : VALUE_UNBOUND;
    size_t given = args->count + (keywords == NULL ? 0 : keywords->count);
    if (given > 2) {
        return raise_false(
            vm, ERR_TYPE, "int() takes at most 2 arguments (%zu given)", given);
    }
    // Only `base` may be given by name: int(x=1) is an error since Python 3.7.
    Value key, value;
    for (uint32_t at = 0;
         keywords != NULL && dict_next(keywords, &at, &key, &value);) {
        if (!str_is(value_as_str(key), "base")) {
            return raise_false(vm, ERR_TYPE,
                               "'%s' is an invalid keyword argument for int()",
                               value_as_str(key)->text);
        }
        *base = value;
    }
    return true;
}

// The constructor. In a trace int(x) of a symbolic tensor becomes a cast in the
// graph, since the number is not known yet; UNBOUND means that it was none.
// Owned.
static Value int_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    Value base;
    if (!base_argument(vm, args, keywords, &base)) {
        return VALUE_FAIL;
    }
    Value made;
    if (args->count == 0) {
        made = value_unbound(base)
                   ? value_from_small(0)
                   : raise_error(vm, ERR_TYPE, "int() missing string argument");
    } else {
        // In a trace a tensor stays one: the result is symbolic.
        made = number_traced_cast(vm, args->items[0], vm->types[KIND_INT]);
        if (!value_unbound(made)) {
            return made;
        }
        made = value_unbound(base) ? int_of_value(vm, args->items[0])
                                   : int_of_base(vm, args->items[0], base);
    }
    if (value_failed(made) || cls == vm->types[KIND_INT]) {
        return made;
    }
    // Instances of subclasses are always boxed, even for small values.
    Value self = int_of_class(vm, cls, made);
    release(vm, made);
    return self;
}

// The view gives immediates as big numbers, too, so one piece of code counts
// for both. libtommath keeps sign and magnitude: the sign is not in the way.
// 0 has no bits.
static Value method_bit_length(Vm *vm, Value *args)
{
    (void)vm;
    IntView view;
    int_view(&view, args[0]);
    return value_from_small(mp_count_bits(view.number));
}

// Digits of the magnitude hold fewer than 64 bits each; unused bits are 0.
// Python counts the ones of the absolute value, not of the two's complement.
static Value method_bit_count(Vm *vm, Value *args)
{
    (void)vm;
    IntView view;
    int_view(&view, args[0]);
    int64_t total = 0;
    for (int i = 0; i < view.number->used; i++) {
        total += __builtin_popcountll(view.number->dp[i]);
    }
    return value_from_small(total);
}

static Value method_conjugate(Vm *vm, Value *args)
{
    return int_exact(vm, args[0]);
}

// (number, 1): floats and fractions have the same method.
static Value method_ratio(Vm *vm, Value *args)
{
    Tuple *pair = tuple_new(vm, 2);
    if (pair == NULL) {
        return VALUE_FAIL;
    }
    pair->items[0] = int_exact(vm, args[0]);
    pair->items[1] = value_from_small(1);
    return value_from_object(pair);
}

// What int has alone; number_methods and int_bytes_methods bring the rest.
static const NativeDef int_methods[] = {
    NEWARGS_ROW,
    {"bit_length", "self, /", method_bit_length,
     "Bits needed for the absolute value."},
    {"bit_count", "self, /", method_bit_count,
     "Ones in the absolute value's bits."},
    {"conjugate", "self, /", method_conjugate, "The number itself."},
    {"as_integer_ratio", "self, /", method_ratio, "(self, 1)."},
    {0}};

// imag and denominator are there because int takes part in numbers.Complex and
// numbers.Rational.
// A number without an imaginary part.
static Value get_zero(Vm *vm, Value self)
{
    (void)vm;
    (void)self;
    return value_from_small(0);
}

static Value get_one(Vm *vm, Value self)
{
    (void)vm;
    (void)self;
    return value_from_small(1);
}

static const MemberDef int_members[] = {
    {"real", int_self, NULL, "The number itself."},
    {"imag", get_zero, NULL, "0."},
    {"numerator", int_self, NULL, "The number itself."},
    {"denominator", get_one, NULL, "1."},
    {0}};

// `operators` leaves out the in-place ones, as ints never change.
const TypeDef int_type_def = {
    .name = "int",
    .doc = "A whole number of any size: int(x=0), int(text, base=10).",
    .params = "x=0, /, base=10",
    .kind = KIND_INT,
    .size = sizeof(Int),
    .operators = "add radd sub rsub mul rmul truediv rtruediv "
                 "floordiv rfloordiv mod rmod pow rpow and rand or "
                 "ror xor rxor lshift rlshift rshift rrshift neg pos "
                 "invert",
    .slots = {.destroy = int_destroy,
              .make = int_make,
              .repr = int_repr,
              .format = int_format_slot,
              .hash = int_hash_slot,
              .compare = int_compare_slot,
              .unary = int_unary,
              .binary = int_binary_slot,
              .truth = int_truth,
              .index = int_self,
              .to_int = int_self,
              .to_float = int_to_float},
    .methods = int_methods,
    .slot_methods = number_slot_methods,
    .more_methods = {number_methods, int_bytes_methods},
    .class_methods = int_class_methods,
    .members = int_members,
};

// bool has its own repr; its hash, comparison and arithmetic are those of int,
// which makes True == 1 and {1: ...}[True] work.
static Value bool_repr(Vm *vm, Value self)
{
    return str_value_from(vm, value_same(self, VALUE_TRUE) ? "True" : "False");
}

// Never makes an object: a bool is one of two immediates, and the class is
// final. In a trace bool(x) of a symbolic tensor is a cast.
static Value bool_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls;
    if (!arguments_check(vm, "bool", args, keywords, 1)) {
        return VALUE_FAIL;
    }
    Value cast = args->count == 0
                     ? VALUE_UNBOUND
                     : number_traced_cast(vm, args->items[0], vm->bool_type);
    if (!value_unbound(cast)) {
        return cast;
    }
    int truth = args->count == 0 ? 0 : value_truth(vm, args->items[0]);
    return truth < 0 ? VALUE_FAIL : value_from_bool(truth);
}

// No destroy slot: there are two bools, and neither is an object. What is not
// here is int's, and does not show in vars(bool).
const TypeDef bool_type_def = {
    .name = "bool",
    .doc = "True or False: bool(x=False).",
    .params = "x=False, /",
    .kind = KIND_INT,
    .size = sizeof(Int),
    .flags = TYPE_FINAL,
    .operators = "and rand or ror xor rxor",
    .slots = {.make = bool_make, .repr = bool_repr, .binary = bool_binary_slot},
};
