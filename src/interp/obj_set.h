// set and frozenset: CPython's open-addressing table with linear probes, so
// that the printed order of ints and floats is the same.
#ifndef DUET_INTERP_OBJ_SET_H
#define DUET_INTERP_OBJ_SET_H

#include "interp/memory.h"

typedef struct SetEntry {
    Value key; // UNBOUND: never used; VALUE_DELETED: removed
    uint64_t hash;
} SetEntry;

struct Set {
    Object head;
    SetEntry *table;
    size_t mask;  // slots - 1
    size_t fill;  // used and removed slots
    size_t count; // used slots
    uint64_t hash; // frozenset: cached, 0: not yet
};

MUST_CHECK Set *set_new(Vm *vm, bool frozen);
int set_contains(Vm *vm, Set *set, Value key); // 1, 0, -1
MUST_CHECK bool set_add(Vm *vm, Set *set, Value key); // retains
int set_discard(Vm *vm, Set *set, Value key); // 1 removed, 0 absent, -1
bool set_next(const Set *set, size_t *position, Value *key); // borrowed
MUST_CHECK bool set_update(Vm *vm, Set *set, Value iterable);

#endif
