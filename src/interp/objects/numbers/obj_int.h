// int: immediate to 62 bits, a libtommath number beyond.
#ifndef DUET_INTERP_OBJECTS_NUMBERS_OBJ_INT_H
#define DUET_INTERP_OBJECTS_NUMBERS_OBJ_INT_H

#include <tommath.h>

#include "base/strbuf.h"
#include "interp/core/memory.h"

typedef struct Int { // outside the immediate range, but for subclasses
    Object head;
    mp_int number;     // read-only
    mp_digit digits[]; // those of a short number, which number.dp points to
} Int;

// Owned; VALUE_FAIL for want of memory beyond the range of immediates.
Value int_from_i64(Vm *vm, int64_t i);
Value int_from_u64(Vm *vm, uint64_t u);
// Takes the digits of `number` (clears it); immediate if it fits.
Value int_from_mp(Vm *vm, mp_int *number);
// v is any int, bool or instance of a subclass: the plain int of that value.
Value int_exact(Vm *vm, Value v);
// An instance of `cls`, which extends int, with the value of `v` (borrowed).
Value int_of_class(Vm *vm, Type *cls, Value v);
Value int_from_double(Vm *vm, double d); // truncates; ValueError, OverflowError
// Python's int(v): by __int__, __index__, __trunc__ or its text. Owned.
Value int_of_value(Vm *vm, Value v);
// Python's int(text, base); ERR_VALUE "invalid literal for int() …".
Value int_parse(Vm *vm, const char *text, size_t length, int base);
// int(v, base) of a str or bytes: digits and white space of any script.
Value int_parse_value(Vm *vm, Value v, int base);
bool value_is_integer(Value v); // immediate or boxed; bool is not
// Any int or bool to 64 bits; false without an error if it does not fit.
bool int_to_i64(Value v, int64_t *out);
// Correctly rounded; ERR_OVERFLOW if too large.
MUST_CHECK bool int_to_double(Vm *vm, Value v, double *out);
// Appends digits in `base` (2..36, lower case), with '-'.
void int_print(Vm *vm, StrBuf *out, Value v, int base);
Value int_text(Vm *vm, Value v); // decimal, a Str
// The operators on two ints (bools count); the slow paths of the machine.
Value int_binary(Vm *vm, BinaryOp op, Value a, Value b);
int int_compare(Value a, Value b); // <0, 0, >0
uint64_t int_hash(Value v);        // Python's: modulo 2^61 - 1, -1 becomes -2

// The same for an immediate int below that prime, which is its own hash.
// False: v is none.
static inline bool int_hash_small(Value v, uint64_t *hash)
{
    int64_t n = value_small(v);
    *hash = (uint64_t)(n == -1 ? -2 : n);
    return value_is_int(v) && n < VALUE_INT_MAX && n > -VALUE_INT_MAX;
}

// int(v), float(v), bool(v) of what has no value in a trace; UNBOUND: it is to
// be converted here.
static inline Value number_traced_cast(Vm *vm, Value v, const Type *to)
{
    const TypeSlots *slots =
        LIKELY(vm->trace == NULL) ? NULL : &type_of(vm, v)->slots;
    return slots == NULL || slots->traced_cast == NULL
               ? VALUE_UNBOUND
               : slots->traced_cast(vm, v, to);
}

#endif
