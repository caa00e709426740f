// property, classmethod and staticmethod.
#ifndef DUET_INTERP_OBJECTS_CLASSES_OBJ_DESCRIPTOR_H
#define DUET_INTERP_OBJECTS_CLASSES_OBJ_DESCRIPTOR_H

#include "interp/core/memory.h"

// All four parts are owned and set once: the methods getter, setter and deleter
// make copies.
typedef struct Property {
    Object head;
    Value get, set, del; // NONE: not given
    Value doc;
    bool doc_of_getter; // nobody gave one: it is the getter's
    Value name;         // under which a class has it, for errors; NONE
} Property;

// One layout for both; the kind in the header tells which of them it is.
typedef struct MethodWrap { // classmethod, staticmethod
    Object head;
    Value function;
    struct Dict *dict; // what it shows of the function, and what programs
                       // set; NULL: nothing
} MethodWrap;

// NULL: failed.
MUST_CHECK MethodWrap *classmethod_new(Vm *vm, Value function);  // retains
MUST_CHECK MethodWrap *staticmethod_new(Vm *vm, Value function); // retains
// The function in a classmethod or staticmethod of exactly this kind, borrowed;
// UNBOUND: it is no such thing, or something else is in it.
Value descriptor_wrapped(const Vm *vm, Value found, Kind kind);
// The getter of the property that the class of an object has under this name,
// borrowed; UNBOUND: it is none, or the class has a say in look-ups.
Value property_plain_getter(Vm *vm, Value object, Str *name);

#endif
