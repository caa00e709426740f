// Functions of math that are exact whatever the sizes: rows are in
// modules_math.c, each is a NativeFn.
#ifndef DUET_MODULES_NATIVE_MATH_EXACT_H
#define DUET_MODULES_NATIVE_MATH_EXACT_H

#include "interp/core/type.h"

// The sum of floats, rounded once: OverflowError, and ValueError for
// -inf + inf.
Value math_fsum(Vm *vm, Value *args);
// The whole part of the root of an int; ValueError below 0.
Value math_isqrt(Vm *vm, Value *args);
// gcd(*integers), of ints of any size: args[0] is their tuple.
Value math_gcd(Vm *vm, Value *args);
// low * (low + 1) * ... of args[1] factors, for comb() and perm().
Value math_product(Vm *vm, Value *args);
// ValueError below 0.
Value math_factorial(Vm *vm, Value *args);

#endif
