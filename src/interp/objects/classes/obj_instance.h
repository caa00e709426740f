// Instances of classes written in Duet, and the shapes that describe them.
//
// A shape says which attribute stands in which slot; instances that got the
// same attributes in the same order share one. Shapes form a tree per class
// and live as long as the class. Asking for __dict__ (or having more than
// SHAPE_MAX_SLOTS attributes) turns an instance into dict mode: shape NULL,
// attributes in `dict`. Subclasses of built-in types keep that type's layout;
// their attribute dict stands in front of it (memory.h, AttrPrefix).
//
// What __slots__ names has a place of fixed number, in front of all attributes:
// the shapes of a class begin with these, and its members (obj_member.h) know
// the numbers. A slot that is not set holds UNBOUND.
#ifndef DUET_INTERP_OBJECTS_CLASSES_OBJ_INSTANCE_H
#define DUET_INTERP_OBJECTS_CLASSES_OBJ_INSTANCE_H

#include "interp/objects/containers/obj_dict.h"

enum { INSTANCE_INLINE_SLOTS = 3, SHAPE_MAX_SLOTS = 64 };

typedef struct ObjectShape {
    Type *cls;                  // borrowed
    struct ObjectShape *parent; // without the last attribute; NULL: the root
    Str *name;      // the last attribute, interned; NULL in the root
    uint32_t count; // slots and attributes
    bool fixed;     // the root, or `name` is one of __slots__: by that
                    // name nothing is found here
    uint32_t child_count, child_capacity;
    struct ObjectShape **children;
} ObjectShape;

typedef struct Instance {
    Object head;
    ObjectShape *shape; // NULL: dict mode
    Value *slots; // inline_slots or a block of slot_capacity; in dict mode a
                  // block of what __slots__ names, NULL: nothing
    union {
        Value inline_slots[INSTANCE_INLINE_SLOTS];
        Dict *dict; // dict mode
    };
    uint32_t slot_capacity;
} Instance;

// Without attributes; __init__ is not called.
MUST_CHECK Instance *instance_new(Vm *vm, Type *cls);
// The slot of an interned name, -1 if absent.
int32_t object_shape_find(const ObjectShape *shape, Str *name);
// Attributes of the instance alone (no class look-up). Get: borrowed, UNBOUND
// if absent; works for any object that can have attributes.
Value instance_get(Vm *vm, Object *self, Str *name);
// In the instance itself: no class is asked. UNBOUND deletes.
MUST_CHECK bool instance_set(Vm *vm, Object *self, Str *name, Value value);
// The place of slot `index` of __slots__ in an object whose class has it. NULL:
// none is set yet.
Value *instance_fixed(Object *self, uint32_t index);
// The same for a store; NULL: no memory.
MUST_CHECK Value *instance_fixed_place(Vm *vm, Object *self, uint32_t index);
// The shape of a new instance; NULL: failed.
MUST_CHECK ObjectShape *instance_first_shape(Vm *vm, Type *cls);
// Where an object that is no Instance keeps its attribute dict (NULL in it:
// none yet): a field of its kind, or the prefix of an instance whose class
// extends a built-in layout. NULL: it takes no attributes.
Dict **instance_dict_place(Object *self);
// Frees the shapes of a class that dies; `shape` is that of its new instances.
void object_shape_free_tree(Vm *vm, ObjectShape *shape);
// __dict__, making it (an Instance goes to dict mode). Borrowed; NULL: failed.
Dict *instance_dict(Vm *vm, Object *self);

#endif
