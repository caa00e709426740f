// Methods of int and float that live in number_methods.c, and what they and
// the built-in functions do (number_functions.c).
#ifndef DUET_INTERP_OBJECTS_NUMBERS_NUMBER_METHODS_H
#define DUET_INTERP_OBJECTS_NUMBERS_NUMBER_METHODS_H

#include "interp/core/type.h"

// Of both; a type's own table comes first. Each ends with a NULL name.
extern const NativeDef number_slot_methods[], number_methods[];
extern const NativeDef int_bytes_methods[], int_class_methods[];

// The float that `length` characters at `text` stand for, in ASCII digits.
// UNBOUND: they are no number; VALUE_FAIL: memory is short (float_type.c).
Value float_parse(Vm *vm, const char *text, size_t length);

// What int and float do themselves; v is one of them, or of a subclass whose
// own methods are not asked. `given` may be UNBOUND: no digits.
Value number_abs(Vm *vm, Value v);
Value number_round(Vm *vm, Value v, Value given);
// The pair of // and %; tensors will do.
Value number_divmod(Vm *vm, Value a, Value b);

#endif
