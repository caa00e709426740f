// What people are told of tracing: at a prompt short remarks, each cause once;
// under --trace every trace and its cause.
//
// At a prompt the program around the Vm shows the text
// (interp/hooks/program.h); under --trace, and without a program, it goes to
// standard error.
#ifndef DUET_STAGER_TELL_H
#define DUET_STAGER_TELL_H

#include "stager/staged_fn.h"

// A trace of the function was made: why, what of it will not be repeated, and
// loops that it unrolled.
MUST_CHECK bool tell_traced(Vm *vm, const StagedFunction *self,
                            const Concrete *made);
// What the trace read is not what is there now, and the trace is used all the
// same. `place` names it, `change` is what it was and is.
MUST_CHECK bool tell_frozen(Vm *vm, const StagedFunction *self,
                            const Concrete *found, const FrozenRead *read,
                            const Str *place, const Str *change);
// Whether anybody wants to hear of traces at all.
bool tell_is_heard(Vm *vm);
// A trace that is under way unrolls a loop, which has turned so often by now.
void tell_unrolling(Vm *vm, const Str *name, uint32_t line, uint32_t turns);
// The table is full: this trace goes.
void tell_dropped(Vm *vm, const Concrete *concrete, size_t limit);

#endif
