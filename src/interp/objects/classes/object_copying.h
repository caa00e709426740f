// Special methods that copying starts from, for the tables of built-in types,
// and calls of what is written in Duet.
#ifndef DUET_INTERP_OBJECTS_CLASSES_OBJECT_COPYING_H
#define DUET_INTERP_OBJECTS_CLASSES_OBJECT_COPYING_H

#include "interp/core/type.h"

// Calls the name `what` of a module of lib/. Owned; VALUE_FAIL on errors.
MUST_CHECK Value library_call(Vm *vm, const char *library, const char *what,
                              const Value *args, uint32_t count);

Value object_reduce_ex(Vm *vm, Value *args);
Value object_reduce(Vm *vm, Value *args);
Value object_getstate(Vm *vm, Value *args);
Value object_getnewargs(Vm *vm, Value *args);
Value object_reduce_set(Vm *vm, Value *args);
Value object_reduce_member(Vm *vm, Value *args);
Value object_reduce_slice(Vm *vm, Value *args);
Value object_reduce_exception(Vm *vm, Value *args);
Value object_set_exception(Vm *vm, Value *args);
Value object_class_getitem(Vm *vm, Value *args);

#define NEWARGS_ROW                                                            \
    {                                                                          \
        "__getnewargs__", "self, /", object_getnewargs,                        \
            "What makes the value again."                                      \
    }
#define CLASS_GETITEM_ROW                                                      \
    {                                                                          \
        "__class_getitem__", "cls, item, /", object_class_getitem,             \
            "The class with its parameters, list[int]."                        \
    }

// The class methods of containers that have no others.
extern const NativeDef generic_class_methods[];

#endif
