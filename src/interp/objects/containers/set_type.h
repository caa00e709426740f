// What the files of set share.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_SET_TYPE_H
#define DUET_INTERP_OBJECTS_CONTAINERS_SET_TYPE_H

#include "interp/objects/containers/obj_set.h"

// An empty set of a class that derives from set or frozenset.
MUST_CHECK Set *set_new_of(Vm *vm, Type *cls);
// As set_contains and set_add, for a key whose hash another table holds.
int set_contains_hashed(Vm *vm, Set *set, Value key, uint64_t hash);
// With the hash of a key that came out of another table.
MUST_CHECK bool set_add_hashed(Vm *vm, Set *set, Value key, uint64_t hash);
// Adds all items of `other`.
MUST_CHECK bool set_merge(Vm *vm, Set *set, Set *other);
MUST_CHECK bool set_clear(Vm *vm, Set *set);
// A new set of the kind of `like`, with the items of `iterable`.
MUST_CHECK Set *set_from(Vm *vm, Value iterable, bool frozen);
static inline bool value_is_any_set(Value v)
{
    return value_is_kind(v, KIND_SET) || value_is_kind(v, KIND_FROZENSET);
}
// Takes out a key whose hash is known: 1 removed, 0 absent, -1.
int set_discard_hashed(Vm *vm, Set *set, Value key, uint64_t hash);
// Makes the table anew if more than a quarter of its slots are removed ones.
MUST_CHECK bool set_tidy(Vm *vm, Set *set);

// set_algebra.c. `other` is any iterable; a result is a new set of the kind of
// `a`, NULL: failed.
MUST_CHECK Set *set_intersect(Vm *vm, Set *a, Value other);
MUST_CHECK Set *set_difference(Vm *vm, Set *a, Value other);
MUST_CHECK Set *set_symmetric(Vm *vm, Set *a, Value other);
// The same in place. Items before an error have had their effect, but for
// set_keep, which exchanges the table when the new one is whole.
MUST_CHECK bool set_keep(Vm *vm, Set *set, Value other);
MUST_CHECK bool set_subtract(Vm *vm, Set *set, Value other);
MUST_CHECK bool set_toggle(Vm *vm, Set *set, Value other);
void set_swap(Set *a, Set *b);
// a op b for AND, OR, SUB, XOR: a new set of a's kind. NULL: failed.
MUST_CHECK Set *set_combine(Vm *vm, BinaryOp op, Set *a, Set *b);
// All items of a are in b: 1, 0, -1.
int set_is_subset(Vm *vm, Set *a, Set *b);

#endif
