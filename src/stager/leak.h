// Symbolic tensors that outlive their trace.
#ifndef DUET_STAGER_LEAK_H
#define DUET_STAGER_LEAK_H

#include "interp/tensors/obj_tensor.h"

// Records which symbolic tensors in `value` (also within small structures)
// outlive their traces by being stored in `container`.
void leak_store(Vm *vm, const Object *container, Value value);
// Whether the value is a symbolic tensor of the running trace, or a small
// structure that holds one.
bool leak_holds(Vm *vm, Value value);
// Hooks.
Value leak_fail(Vm *vm, const char *who, const Symbolic *symbolic);
const char *leak_function(const Symbolic *symbolic);

#endif
