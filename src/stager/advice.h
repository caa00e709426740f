// What host code is told that asks a symbolic tensor for a value: what asked,
// which tensor, as the program spells both, and what to write instead.
#ifndef DUET_STAGER_ADVICE_H
#define DUET_STAGER_ADVICE_H

#include "interp/hooks/tracing.h"
#include "interp/tensors/obj_tensor.h"

// Room for a spelling.
#define ADVICE_ROOM 64

// The tensor as the program has it: the running code's local that holds it, or
// the text of the expression that made it. In `room`, or borrowed.
const char *advice_spell(const Vm *vm, const Symbolic *symbolic,
                         char room[ADVICE_ROOM]);
// The text of the instruction at work in the program, which is no string of
// C's; of length 0 where it is long.
const char *advice_text(Vm *vm, int *length);
// TraceHooks.refuse.
void advice_refuse(Vm *vm, HostNeed need, Value symbolic);

#endif
