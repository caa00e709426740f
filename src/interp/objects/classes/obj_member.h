// Members: what computes or keeps one attribute of the instances of a class. A
// built-in type has one for each row of its MemberDefs, a class of the program
// one for each name in __slots__, and for the __dict__ and __weakref__ that it
// adds.
#ifndef DUET_INTERP_OBJECTS_CLASSES_OBJ_MEMBER_H
#define DUET_INTERP_OBJECTS_CLASSES_OBJ_MEMBER_H

#include "interp/objects/classes/obj_instance.h"

typedef struct Member {
    Object head;
    const MemberDef *def; // NULL: a slot of __slots__
    Type *owner;    // a class of the program is owned, a built-in type borrowed
    Str *name;      // of a slot, as it is stored; NULL: that of def
    uint32_t index; // of a slot: its place in instances (instance_fixed)
} Member;

// Owned; NULL: failed.
MUST_CHECK Member *member_new(Vm *vm, const MemberDef *def, Type *owner);
// The member of slot `index`. Retains the name; owned; NULL: failed.
MUST_CHECK Member *member_new_slot(Vm *vm, Str *name, uint32_t index,
                                   Type *owner);
// The slot that `found`, what the class of an instance has under a name, stands
// for in it. -1: it is no slot, or one of another class.
int32_t member_slot(Value found, const Type *cls);
// The name of a slot, as a str; borrowed. UNBOUND: no class has named it.
Value member_slot_name(Vm *vm, const Type *cls, uint32_t index);
// What is under `name` in the object itself: a slot of its class, or one of its
// attributes; no code runs. Borrowed, UNBOUND: nothing.
Value member_peek(Vm *vm, Object *self, Str *name);

#endif
