// What the files of set share.
#ifndef DUET_INTERP_SET_TYPE_H
#define DUET_INTERP_SET_TYPE_H

#include "interp/obj_set.h"

// An empty set of a class that derives from set or frozenset.
MUST_CHECK Set *set_new_of(Vm *vm, Type *cls);
// As set_contains and set_add, for a key whose hash another table holds.
int set_contains_hashed(Vm *vm, Set *set, Value key, uint64_t hash);
MUST_CHECK bool set_add_hashed(Vm *vm, Set *set, Value key, uint64_t hash);
MUST_CHECK bool set_merge(Vm *vm, Set *set, Set *other);
MUST_CHECK bool set_clear(Vm *vm, Set *set);
// A new set of the kind of `like`, with the items of `iterable`.
MUST_CHECK Set *set_from(Vm *vm, Value iterable, bool frozen);
static inline bool value_is_any_set(Value v)
{
    return value_is_kind(v, KIND_SET) || value_is_kind(v, KIND_FROZENSET);
}
// a op b for AND, OR, SUB, XOR: a new set of a's kind. NULL: failed.
MUST_CHECK Set *set_combine(Vm *vm, BinaryOp op, Set *a, Set *b);
// All items of a are in b: 1, 0, -1.
int set_is_subset(Vm *vm, Set *a, Set *b);

#endif
