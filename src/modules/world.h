// A whole Duet: the machine, every built-in type, the built-in names, the
// library. What embeds Duet begins here.
#ifndef DUET_MODULES_WORLD_H
#define DUET_MODULES_WORLD_H

#include "interp/machine/vm/vm_text.h"

// A complete Vm with built-ins and modules, NULL when memory is short.
// `stack_size` as for ctx_init.
Vm *vm_new(size_t stack_size);
// The end of the program: forgets all modules and runs the finalisers of what
// they held. Output may still be written. vm_free does it too.
void vm_finish(Vm *vm);
// After vm_finish: nothing that is left has output to write, so that a process
// that ends now may leave the memory to the system. Never so in builds that
// look for leaks.
bool vm_is_spent(const Vm *vm);
// Runs finalisers, frees everything. No error may be pending. False: a file
// that the program dropped could not write its last output, which standard
// error has been told.
bool vm_free(Vm *vm);

#endif
