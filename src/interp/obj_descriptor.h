// property, classmethod, staticmethod, and the computed attributes of
// built-in types (member).
#ifndef DUET_INTERP_OBJ_DESCRIPTOR_H
#define DUET_INTERP_OBJ_DESCRIPTOR_H

#include "interp/memory.h"

typedef struct Property {
    Object head;
    Value get, set, del; // NONE: not given
    Value doc;
} Property;

typedef struct MethodWrap { // classmethod, staticmethod
    Object head;
    Value function;
} MethodWrap;

typedef struct Member {
    Object head;
    const MemberDef *def;
    Type *owner; // borrowed: the type's dict holds the member
} Member;

MUST_CHECK MethodWrap *classmethod_new(Vm *vm, Value function);  // retains
MUST_CHECK MethodWrap *staticmethod_new(Vm *vm, Value function); // retains
MUST_CHECK Member *member_new(Vm *vm, const MemberDef *def, Type *owner);

#endif
