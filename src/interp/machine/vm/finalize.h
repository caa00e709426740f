// Running what finalizing.h has queued, and what else is due between two
// instructions.
#ifndef DUET_INTERP_MACHINE_VM_FINALIZE_H
#define DUET_INTERP_MACHINE_VM_FINALIZE_H

#include "interp/core/vm.h"

// For the machine: destroys an object whose count fell to 0, and runs the
// code that is due.
void finalize_dealloc(Vm *vm, Object *object);
// What the Vm does between two instructions when ctx.interrupt is set: runs
// finalisers, collects if that is due. False with ERR_INTERRUPT pending.
MUST_CHECK bool finalize_poll(Vm *vm);

#endif
