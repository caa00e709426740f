// The names that __slots__ lists: checked when a class is made, asked for when
// an attribute is stored. Instances keep such attributes as all others; what
// __slots__ does is to refuse the names that it does not have.
#ifndef DUET_INTERP_CLASS_SLOT_NAMES_H
#define DUET_INTERP_CLASS_SLOT_NAMES_H

#include "interp/type.h"

// Checks the __slots__ in cls->dict, if there are any, as type.__new__ does,
// and sets TYPE_SLOTTED if instances take no other names. A name must not be
// one of the class's own variables. False: TypeError or ValueError.
MUST_CHECK bool class_check_slots(Vm *vm, Type *cls);
// Whether a class of the MRO of `cls`, which is slotted, lists `name` (as it
// is stored: private names are mangled).
bool class_takes_name(Vm *vm, const Type *cls, const Str *name);

#endif
