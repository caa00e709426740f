// AutoGraph: which code a function runs inside a trace.
#ifndef DUET_STAGER_AUTOGRAPH_H
#define DUET_STAGER_AUTOGRAPH_H

#include "interp/objects/classes/obj_function.h"
#include "stager/stager.h"

// TraceHooks.convert: the function's converted code, made at its first call
// in a trace; its own code if there is nothing to convert, if it is marked
// plain, or if its text cannot be read again. Borrowed from the function.
// NULL with an error pending.
Code *autograph_convert(Vm *vm, Function *function);
// Whether the running trace stages the blocks of this code.
bool autograph_wanted(const Vm *vm, const Code *code);
// The trees of sources that were read again.
void autograph_free(Vm *vm);

#endif
