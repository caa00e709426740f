// What any value is as a number of C, or as an int.
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

// An int of any size, or a bool, which counts as one.
static bool is_whole(Value v)
{
    return value_is_integer(v) || value_is_bool(v);
}

// A bool becomes an int: index(True) is 1.
Value value_index(Vm *vm, Value v)
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
    if (is_whole(index)) {
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

// v as an index: 1, or 0 where it is an int beyond 64 bits, which the callers
// tell in words of their own; -1: an error is pending, perhaps one that an
// __index__ raised. What __index__ gives must be an int: it is not asked for an
// __index__ in turn.
static int as_index(Vm *vm, Value v, int64_t *out)
{
    if (is_whole(v)) {
        return int_to_i64(v, out);
    }
    // __index__ of anything else; a float has none.
    Type *type = type_of(vm, v);
    if (type->slots.index == NULL) {
        return raise_int(vm, ERR_TYPE,
                         "'%s' object cannot be interpreted as an integer",
                         type_name(type));
    }
    Value index = type->slots.index(vm, v);
    if (value_failed(index)) {
        return -1;
    }
    int known =
        is_whole(index)
            ? int_to_i64(index, out)
            : raise_int(vm, ERR_TYPE, "__index__ returned non-int (type %s)",
                        type_name(type_of(vm, index)));
    release(vm, index);
    return known;
}

// The texts are fixed, hence the ssize_t.
// False: an error is pending. It never clips.
bool value_to_index(Vm *vm, Value v, int64_t *out)
{
    int known = as_index(vm, v, out);
    return known > 0 ||
           (known == 0 &&
            raise_false(vm, ERR_OVERFLOW,
                        "Python int too large to convert to C ssize_t"));
}

bool value_to_c_int(Vm *vm, Value v, int *out)
{
    int64_t number = INT64_MAX;
    if (as_index(vm, v, &number) < 0) {
        return false;
    }
    *out = (int)number;
    return *out == number ||
           raise_false(vm, ERR_OVERFLOW,
                       "Python int too large to convert to C int");
}

// True and False, by far the most frequent, go without a conversion.
bool value_to_flag(Vm *vm, Value v, bool *out)
{
    int number = value_same(v, VALUE_TRUE);
    if (!value_is_bool(v) && !value_unbound(v) &&
        !value_to_c_int(vm, v, &number)) {
        return false;
    }
    *out = number != 0;
    return true;
}

// What no memory can hold is told by the type of what was given.
static bool fitting(Vm *vm, Value v, ErrorKind kind, int64_t *out)
{
    int known = as_index(vm, v, out);
    return known > 0 ||
           (known == 0 &&
            raise_false(vm, kind, "cannot fit '%s' into an index-sized integer",
                        type_name(type_of(vm, v))));
}

// For repetition and lengths. False: an error is pending.
bool value_to_count(Vm *vm, Value v, int64_t *out)
{
    return fitting(vm, v, ERR_OVERFLOW, out);
}

// For keys of sequences. False: an error is pending.
bool value_to_place(Vm *vm, Value v, int64_t *out)
{
    return fitting(vm, v, ERR_INDEX, out);
}

// By __float__, which must give a float, or else by __index__: what float(v)
// asks even of a subclass of float. False: an error is pending.
bool value_ask_double(Vm *vm, Value v, double *out)
{
    Type *type = type_of(vm, v);
    bool asks = type->slots.to_float != NULL;
    if (!asks && type->slots.index == NULL) {
        return raise_false(vm, ERR_TYPE, "must be real number, not %s",
                           type_name(type));
    }
    Value number = asks ? type->slots.to_float(vm, v) : value_index(vm, v);
    if (value_failed(number)) {
        return false;
    }
    bool ok = true;
    if (value_is_float(number)) {
        *out = value_float(number);
    } else {
        ok = asks ? raise_false(vm, ERR_TYPE,
                                "%s.__float__ returned non-float (type %s)",
                                type_name(type), type_name(type_of(vm, number)))
                  : int_to_double(vm, number, out);
    }
    release(vm, number);
    return ok;
}

// __float__ goes before __index__; a float is its own number, of whatever
// class, but a subclass of int is asked. An int beyond a double's range is an
// OverflowError.
bool value_to_double(Vm *vm, Value v, double *out)
{
    if (value_is_float(v)) {
        *out = value_float(v);
        return true;
    }
    return value_is_int(v) || value_is_bool(v) ? int_to_double(vm, v, out)
                                               : value_ask_double(vm, v, out);
}
