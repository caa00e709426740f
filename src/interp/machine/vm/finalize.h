// Code that dead objects run: __del__, the `finally` of a dropped generator,
// the callbacks of weak references.
//
// Objects die wherever C code releases them, and that code is not made for
// Duet code to run in its midst. So what dies is kept in a queue, with one
// count, and its code runs at the next point between two instructions: at
// once where the machine itself released it. An error in such code has nobody
// to go to: it is told on standard error and forgotten.
#ifndef DUET_INTERP_MACHINE_VM_FINALIZE_H
#define DUET_INTERP_MACHINE_VM_FINALIZE_H

#include "interp/core/vm.h"

// Whether the object has code to run before it goes; true once at most.
bool finalize_wanted(const Object *object);
// Queues a tracked object, whose one count is taken.
void finalize_queue(Vm *vm, Object *object);
// Runs everything that is queued; nothing while an error is pending.
void finalize_run(Vm *vm);
// Forgets what is queued, and what its objects would have run.
void finalize_discard(Vm *vm);
// For the machine: destroys an object whose count fell to 0, and runs the
// code that is due.
void finalize_dealloc(Vm *vm, Object *object);

#endif
