// Arithmetic on ints of a few digits, all on the C stack: what lies between the
// immediates and the numbers for which libtommath pays.
//
// UNBOUND as a result says that an operand or the result is too long, or that
// an error has to be raised: the caller then goes the general way.
#ifndef DUET_INTERP_OBJECTS_NUMBERS_INT_SHORT_H
#define DUET_INTERP_OBJECTS_NUMBERS_INT_SHORT_H

#include "interp/objects/numbers/obj_int.h"

// a <op> b of ints and bools. Owned, UNBOUND, or VALUE_FAIL (memory).
Value int_short_binary(Vm *vm, BinaryOp op, Value a, Value b);
// Python's divmod; both owned. 1: done; 0: too long, or b is 0; -1: failed.
int int_short_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *rest);
// base ** exponent, which is not negative.
Value int_short_power(Vm *vm, Value base, uint64_t exponent);
// |number| in decimal into text[0 .. size), at its end: where it begins. Size
// is at least INT_SHORT_TEXT. 0: it is too long.
size_t int_short_decimal(const mp_int *number, char *text, size_t size);
// The int of these digits, which need no leading zeros cut off.
Value int_short_make(Vm *vm, const mp_digit *digits, int used, bool negative);

enum {
    INT_SHORT_DIGITS = 64, // of 60 bits: numbers that are handled here
    INT_SHORT_TEXT = 1159  // decimal digits of the longest one, and some more
};

#endif
