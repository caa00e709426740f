// Any int or bool as a libtommath number, without allocation: for the files
// of int, and maths on big numbers.
#ifndef DUET_INTERP_OBJECTS_NUMBERS_INT_VIEW_H
#define DUET_INTERP_OBJECTS_NUMBERS_INT_VIEW_H

#include "interp/objects/numbers/obj_int.h"

enum { INT_VIEW_DIGITS = 4 };

typedef struct IntView {
    const mp_int *number; // read-only; valid while the view and the Value are
    mp_int small;         // an immediate's
    mp_digit digits[INT_VIEW_DIGITS];
} IntView;

void int_view(IntView *view, Value v);
// Python's divmod on libtommath's numbers; the results may be operands. A
// failure is what int_raise (interp/objects/numbers/int_large.h) takes it for.
MUST_CHECK mp_err int_floor_divide(Ctx *ctx, const mp_int *a, const mp_int *b,
                                   mp_int *quotient, mp_int *rest);
// a ** b: an int, or a float if b is negative.
Value int_power(Vm *vm, Value a, Value b);
// Python's pow(base, exponent, modulus) of three ints.
Value int_power_modulo(Vm *vm, Value base, Value exponent, Value modulus);

#endif
