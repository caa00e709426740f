// Weak references: objects that know another one without keeping it.
//
// The Vm's table has, for each object with OBJECT_WEAKLY_REFERENCED, the chain
// of its WeakRefs, newest first. When the object dies, all of them are cleared
// before its memory goes; callbacks are queued (finalizing.h).
#ifndef DUET_INTERP_CORE_WEAKREF_H
#define DUET_INTERP_CORE_WEAKREF_H

#include "interp/core/vm.h"

struct WeakRef {
    Object head;
    Object *target; // not counted; NULL: dead
    Value callback; // called with the WeakRef when it dies; UNBOUND: none
    WeakRef *next, *previous; // of the same target; cleared: the queue
    uint64_t hash;            // of the target, once asked for
    bool hashed;              // hash is valid
};

// A WeakRef of any object; `callback` (UNBOUND: none) is retained. One without
// a callback is shared. Owned; NULL: failed.
MUST_CHECK WeakRef *weakref_new(Vm *vm, Object *target, Value callback);
// The same of ref's class or one that derives from it.
MUST_CHECK WeakRef *weakref_of_class(Vm *vm, Type *cls, Object *target,
                                     Value callback);
// Takes a reference out of its target's chain; its target lives.
void weakref_unlink(Vm *vm, WeakRef *ref);
bool type_takes_weak(const Type *cls);
// The object, borrowed, or NULL once it is dead.
static inline Object *weakref_target(const WeakRef *ref)
{
    return ref->target;
}
// Clears all references to an object that dies, and queues the callbacks
// except of references that die with it (OBJECT_CANDIDATE).
void weakref_clear(Vm *vm, Object *target);
// How many references an object has; `first`, if given, receives the newest.
size_t weakref_count(Vm *vm, const Object *target, WeakRef **first);
void weakref_table_free(Vm *vm);

#endif
