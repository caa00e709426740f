// How vm_new builds the object world, in this order. Each returns false with
// an error pending; vm_free undoes them in reverse.
#ifndef DUET_INTERP_INIT_H
#define DUET_INTERP_INIT_H

#include "interp/vm.h"

// Names, strings of one character and empty containers come before: the
// caller has interned vm->names. Makes all types, then the error classes.
MUST_CHECK bool types_init(Vm *vm);
// Fills vm->builtins (a dict that types_init has made).
MUST_CHECK bool builtins_init(Vm *vm);
// Makes vm->modules with "builtins" in it, and the standard streams.
MUST_CHECK bool modules_init(Vm *vm);

void modules_free(Vm *vm);
void types_free(Vm *vm);

#endif
