// Functions of math that are exact whatever the sizes: rows are in
// modules_math.c, each is a NativeFn.
#ifndef DUET_INTERP_MATH_EXACT_H
#define DUET_INTERP_MATH_EXACT_H

#include "interp/type.h"

// The sum of floats, rounded once: OverflowError, and ValueError for
// -inf + inf.
Value math_fsum(Vm *vm, Value *args, uint32_t count);
// The whole part of the root of an int; ValueError below 0.
Value math_isqrt(Vm *vm, Value *args, uint32_t count);

#endif
