// set and frozenset: an open-addressing table with linear probes, whose printed
// order of ints and floats is Python's.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_OBJ_SET_H
#define DUET_INTERP_OBJECTS_CONTAINERS_OBJ_SET_H

#include "interp/core/memory.h"

// The hash is kept, so that growing runs no __hash__.
typedef struct SetEntry {
    Value key; // UNBOUND: never used; VALUE_DELETED: removed
    uint64_t hash;
} SetEntry;

// A table is always there, of at least eight slots; the set owns it and its
// keys.
struct Set {
    Object head;
    SetEntry *table;
    size_t mask;  // slots - 1
    size_t fill;  // used and removed slots
    size_t count; // used slots
    // frozenset: cached, 0: not yet. set: the slot where pop() goes on, so that
    // emptying a set by it takes linear time.
    uint64_t hash;
};

// What a frozenset of these items hashes to; never 0.
uint64_t set_hash_items(const Set *set);
// Empty. NULL: failed.
MUST_CHECK Set *set_new(Vm *vm, bool frozen);
int set_contains(Vm *vm, Set *set, Value key);        // 1, 0, -1
MUST_CHECK bool set_add(Vm *vm, Set *set, Value key); // retains
int set_discard(Vm *vm, Set *set, Value key);         // 1 removed, 0 absent, -1
bool set_next(const Set *set, size_t *position, Value *key); // borrowed
// Adds all items; on failure those before the error stay.
MUST_CHECK bool set_update(Vm *vm, Set *set, Value iterable);

#endif
