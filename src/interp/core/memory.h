// Allocation of objects.
//
// object_new gives a header with count 1, the kind and type of `type`, and
// `birth` of the running trace; tracked types get GcLinks in front and are
// known to the collector. destroy slots end with object_free. Dealloc never
// recurses: objects that reach 0 while another is destroyed wait in a chain.
#ifndef DUET_INTERP_CORE_MEMORY_H
#define DUET_INTERP_CORE_MEMORY_H

#include "interp/core/vm.h"

// Stands before the links of an instance whose class has TYPE_DICT_AHEAD: a
// class that extends a built-in layout (list, str …) has no room behind it,
// since some of those layouts end in an array.
typedef struct AttrPrefix {
    struct Dict *dict; // its attributes; NULL until the first is set
    Value *slots;      // type->slot_count of them; NULL until the first is set
} AttrPrefix;

// What stands in front of an object whose class has TYPE_DICT_AHEAD.
static inline AttrPrefix *object_prefix(Object *object)
{
    return (AttrPrefix *)object_links(object) - 1;
}
// The place of the attribute dict; the class has TYPE_DICT_AHEAD.
static inline struct Dict **object_dict_ahead(Object *object)
{
    return &object_prefix(object)->dict;
}

// `size` bytes in all (the header included, the links not). Uninitialised
// behind the header. NULL with ERR_MEMORY.
MUST_CHECK void *object_new(Vm *vm, Type *type, size_t size);
// The slots visit and clear of a class with TYPE_DICT_AHEAD.
void memory_visit_prefixed(Object *self, void (*visit)(Object *, void *),
                           void *data);
void memory_clear_prefixed(Vm *vm, Object *self);
// Ends a destroy slot: unlinks and frees the memory.
void object_free(Vm *vm, void *object, size_t size);
// The ctx.dealloc of a Vm.
void memory_dealloc(Ctx *ctx, Object *object);

// A dead object's count and birth are free for a list of such objects.
// Addresses have 48 bits: the low 32 go into the count, the rest into birth.
static inline void memory_link(Object *object, Object *next)
{
    uint64_t bits = (uintptr_t)next;
    object->rc = (uint32_t)bits;
    object->birth = (uint16_t)(bits >> 32);
}
// A dead object's count and birth are no longer needed: they hold the link of
// the list of those that wait.
static inline Object *memory_linked(const Object *object)
{
    uint64_t bits = (uint64_t)object->birth << 32 | object->rc;
    return (Object *)(uintptr_t)bits;
}
// A tuple of things that the collector does not know (obj_tuple.c): always of
// the type tuple itself, without weak references.
static inline bool memory_is_plain_tuple(const Object *object)
{
    return object->kind == KIND_TUPLE &&
           !(object->flags & (OBJECT_TRACKED | OBJECT_WATCHED));
}

// VALUE_FAIL and VALUE_UNBOUND are no objects, so that they may be given as
// well.
static inline void release(Vm *vm, Value v)
{
    value_release(&vm->ctx, v);
}

#endif
