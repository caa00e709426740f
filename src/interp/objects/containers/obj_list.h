// list and tuple.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_OBJ_LIST_H
#define DUET_INTERP_OBJECTS_CONTAINERS_OBJ_LIST_H

#include "interp/core/memory.h"
#include "interp/core/object_layout.h"

typedef struct List {
    Object head;
    Value *items; // owned references
    size_t count, capacity;
} List;

// Items are VALUE_NONE until the caller has set them.
MUST_CHECK List *list_new(Vm *vm, size_t count);
// Appends all items of the iterable (which may be the list itself).
MUST_CHECK bool list_extend(Vm *vm, List *list, Value iterable);
MUST_CHECK bool list_append(Vm *vm, List *list, Value item); // retains
// list.append itself, a NativeFn: the machine knows it by its address.
Value list_method_append(Vm *vm, Value *args);
MUST_CHECK bool list_append_owned(Vm *vm, List *list, Value item); // takes,
    // even on failure
// Elements are UNBOUND until set: set them before anyone sees the tuple.
MUST_CHECK Tuple *tuple_new(Vm *vm, size_t count);
MUST_CHECK Tuple *tuple_from(Vm *vm, const Value *items, size_t count);
// Takes the items: what `items` names is the tuple's then, though NULL leaves
// it as it was. At least one.
MUST_CHECK Tuple *tuple_take(Vm *vm, const Value *items, size_t count);
// A tuple of owned values, which are taken; one that failed fails the whole.
Value tuple_of_owned(Vm *vm, Value *items, size_t count);
// Stable merge sort with `key` (UNBOUND: none). False: failed; the list then
// holds some order of the same items.
MUST_CHECK bool list_sort(Vm *vm, List *list, Value key, bool reverse);
// sorted(): a new list of the items; key UNBOUND: none; reversed: anything that
// is true or false, UNBOUND is false. VALUE_FAIL: failed.
Value list_sorted(Vm *vm, Value iterable, Value key, Value reversed);

// Whether two tuples proper of numbers and strs are equal: 1, 0; -1: they are
// not such tuples, and it takes the protocol to know. Runs no code.
int tuple_equal_simple(const Vm *vm, Value a, Value b);

// Of any class with list's layout.
static inline List *value_as_list(Value v)
{
    return (List *)value_object(v);
}
// Of any class with tuple's layout.
static inline Tuple *value_as_tuple(Value v)
{
    return (Tuple *)value_object(v);
}

#endif
