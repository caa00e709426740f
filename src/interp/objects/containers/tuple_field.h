// The fields of namedtuples: properties whose getter is a native that is bound
// to the number of an item, so that the machine knows what they read.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_TUPLE_FIELD_H
#define DUET_INTERP_OBJECTS_CONTAINERS_TUPLE_FIELD_H

#include "interp/objects/classes/obj_instance.h"

// The getter: args are the number and the tuple. Owned.
Value tuple_field_get(Vm *vm, Value *args);
// The item that such a property of the class of `self` stands for, borrowed;
// NULL: the name is no field, or the class has a say in look-ups.
const Value *tuple_field_find(Vm *vm, Value self, Str *name);

#endif
