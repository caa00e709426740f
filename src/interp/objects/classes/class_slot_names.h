// The layout of a new class: what its __slots__ list, and whether instances
// have a __dict__ and can be weakly referenced.
#ifndef DUET_INTERP_OBJECTS_CLASSES_CLASS_SLOT_NAMES_H
#define DUET_INTERP_OBJECTS_CLASSES_CLASS_SLOT_NAMES_H

#include "interp/core/type.h"

// Reads the __slots__ in cls->dict, if there are any, as type.__new__ does, and
// sets own_slots, slot_count and the flags of cls. Called once, before it has
// instances. False: TypeError, ValueError, memory.
MUST_CHECK bool class_lay_out(Vm *vm, Type *cls);
// Puts into the class's dict the members of its slots, and those of __dict__
// and __weakref__ where it adds them.
MUST_CHECK bool class_add_members(Vm *vm, Type *cls);
// Instances have a __dict__; classes have one of another kind.
static inline bool type_has_dict(const Type *cls)
{
    return (cls->flags & TYPE_HAS_DICT) != 0 || cls->kind == KIND_TYPE;
}

// The attributes __dict__ and __weakref__ of what has them (obj_object.c).
extern const MemberDef object_dict_member, object_weakref_member;

#endif
