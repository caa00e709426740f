// Any int or bool as a libtommath number, without allocation: for the files
// of int, and maths on big numbers.
#ifndef DUET_INTERP_INT_VIEW_H
#define DUET_INTERP_INT_VIEW_H

#include "interp/obj_int.h"

enum { INT_VIEW_DIGITS = 4 };

typedef struct IntView {
    const mp_int *number; // read-only; valid while the view and the Value are
    mp_int small;         // an immediate's
    mp_digit digits[INT_VIEW_DIGITS];
} IntView;

void int_view(IntView *view, Value v);
// Python's divmod of two ints; both owned. False with an error pending.
MUST_CHECK bool int_divmod(Vm *vm, Value a, Value b, Value *quotient,
                           Value *rest);
// Python's pow(base, exponent, modulus) of three ints.
Value int_power_modulo(Vm *vm, Value base, Value exponent, Value modulus);

#endif
