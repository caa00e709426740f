// How vm_new builds the object world, in this order. Each returns false with
// an error pending; vm_free undoes them in reverse.
#ifndef DUET_INTERP_CORE_INIT_H
#define DUET_INTERP_CORE_INIT_H

#include "interp/core/vm.h"

// First of all: the Types, with their slots but without names, so that
// strings, tuples and dicts can be made. The caller then makes vm->interned,
// the shared strings and vm->empty_tuple.
MUST_CHECK bool types_create(Vm *vm);
// Interns vm->names; gives the types names, bases and methods; makes the
// error classes.
MUST_CHECK bool types_init(Vm *vm);
// The last but one step of types_init: vm->error_types.
MUST_CHECK bool error_types_init(Vm *vm);
// Makes and fills vm->builtins.
MUST_CHECK bool builtins_init(Vm *vm);
// Makes vm->modules with "builtins" in it, and the standard streams.
MUST_CHECK bool modules_init(Vm *vm);

// In the order of the end: modules first, then the types of what was in them.
void modules_free(Vm *vm);
// Empties the types, so that nothing is left that only they could destroy;
// then frees them, the last objects of all.
void types_strip(Vm *vm);
// Nothing of the program is alive any more.
void types_free(Vm *vm);

#endif
