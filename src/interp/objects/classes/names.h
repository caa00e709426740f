// The names of attributes, as dir() lists them.
#ifndef DUET_INTERP_OBJECTS_CLASSES_NAMES_H
#define DUET_INTERP_OBJECTS_CLASSES_NAMES_H

#include "interp/core/value.h"

typedef struct Vm Vm;

// What object.__dir__ answers of v: the sorted list of its names and those of
// its class. Owned; VALUE_FAIL.
Value names_of(Vm *vm, Value v);
// A sorted list of the items; takes `iterable`, which may be VALUE_FAIL.
Value names_sorted(Vm *vm, Value iterable);

#endif
