// The methods of set and frozenset.
//
// Arguments that are no sets become sets first, so that each method is one of
// the set operators of set_type.c. The rows of set and frozenset bind the
// arguments: args[0] is always a set of the right kind.
#include "interp/note.h"
#include "interp/sequence.h"
#include "interp/set_type.h"

static Set *as_set(Value v)
{
    return (Set *)value_object(v);
}

// A set of the argument's items: itself, retained, if it is one.
static Set *operand(Vm *vm, Value v)
{
    return value_is_any_set(v) ? object_retain(value_object(v))
                               : set_from(vm, v, false);
}

// self op (each of the others), as a new set of self's kind.
static Set *fold(Vm *vm, BinaryOp op, Value self, Tuple *others)
{
    Set *result = set_from(vm, self, value_is_kind(self, KIND_FROZENSET));
    for (size_t i = 0; result != NULL && i < others->count; i++) {
        Set *other = operand(vm, others->items[i]);
        // Each step makes a new set: the last one alone is the result.
        Set *next = other == NULL ? NULL
                                  : set_combine(vm, op, result, other);
        object_release_null(&vm->ctx, other);
        object_release(&vm->ctx, result);
        result = next;
    }
    return result;
}

// args[1] is the tuple of *others. With none, the result is a copy.
static Value folded(Vm *vm, BinaryOp op, Value *args)
{
    Set *result = fold(vm, op, args[0], value_as_tuple(args[1]));
    return result == NULL ? VALUE_FAIL : value_from_object(result);
}

// The three that take any number of others are folds over their operator.
static Value method_union(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return folded(vm, BINARY_OR, args);
}

static Value method_intersection(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return folded(vm, BINARY_AND, args);
}

static Value method_difference(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return folded(vm, BINARY_SUB, args);
}

// Exactly one other, as in CPython, unlike its three siblings.
static Value method_symmetric(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Set *other = operand(vm, args[1]);
    Set *result = other == NULL ? NULL
                                : set_combine(vm, BINARY_XOR, as_set(args[0]),
                                              other);
    object_release_null(&vm->ctx, other);
    return result == NULL ? VALUE_FAIL : value_from_object(result);
}

// self op= other by the set's own operator.
static bool update_by(Vm *vm, BinaryOp op, Value self, Value iterable)
{
    Set *other = operand(vm, iterable);
    if (other == NULL) {
        return false;
    }
    Value result = value_inplace(vm, op, self, value_from_object(other));
    object_release(&vm->ctx, other);
    release(vm, result);
    return !value_failed(result);
}

// Only union needs no set of the other's items: they are added as they come.
static Value update_all(Vm *vm, BinaryOp op, Value *args)
{
    Tuple *others = value_as_tuple(args[1]);
    for (size_t i = 0; i < others->count; i++) {
        bool ok = op == BINARY_OR
                      ? set_update(vm, as_set(args[0]), others->items[i])
                      : update_by(vm, op, args[0], others->items[i]);
        if (!ok) {
            return VALUE_FAIL;
        }
    }
    return VALUE_NONE;
}

// update adds the items as they come; the other three go by the in-place
// operators, which exchange the table only when the new one is whole.
static Value method_update(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return update_all(vm, BINARY_OR, args);
}

// With a set of the argument's items first: an iterable can be read only once.
static Value method_intersection_update(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return update_all(vm, BINARY_AND, args);
}

static Value method_difference_update(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return update_all(vm, BINARY_SUB, args);
}

// One other alone, as in method_symmetric.
static Value method_symmetric_update(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return update_by(vm, BINARY_XOR, args[0], args[1]) ? VALUE_NONE
                                                       : VALUE_FAIL;
}

// 1, 0 or -1 as the program's answer.
static Value subset_result(int subset)
{
    return subset < 0 ? VALUE_FAIL : value_from_bool(subset);
}

// Takes any iterable, unlike the operator <=.
static Value method_issubset(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Set *other = operand(vm, args[1]);
    int subset = other == NULL ? -1
                               : set_is_subset(vm, as_set(args[0]), other);
    object_release_null(&vm->ctx, other);
    return subset_result(subset);
}

static Value method_issuperset(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Set *other = operand(vm, args[1]);
    int subset = other == NULL ? -1
                               : set_is_subset(vm, other, as_set(args[0]));
    object_release_null(&vm->ctx, other);
    return subset_result(subset);
}

// By the intersection, which walks the smaller of the two.
static Value method_isdisjoint(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Set *other = operand(vm, args[1]);
    Set *common = other == NULL ? NULL
                                : set_combine(vm, BINARY_AND, as_set(args[0]),
                                              other);
    object_release_null(&vm->ctx, other);
    if (common == NULL) {
        return VALUE_FAIL;
    }
    Value result = value_from_bool(common->count == 0);
    object_release(&vm->ctx, common);
    return result;
}

// A frozenset cannot change, so it is its own copy.
static Value method_copy(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (value_is_kind(args[0], KIND_FROZENSET)) {
        return value_retain(args[0]);
    }
    Set *copy = set_from(vm, args[0], false);
    return copy == NULL ? VALUE_FAIL : value_from_object(copy);
}

static Value method_add(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return set_add(vm, as_set(args[0]), args[1]) ? VALUE_NONE : VALUE_FAIL;
}

// That the item is absent is no error; that it cannot be hashed is one.
static Value method_discard(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return set_discard(vm, as_set(args[0]), args[1]) < 0 ? VALUE_FAIL
                                                         : VALUE_NONE;
}

// The KeyError has the item itself as its argument, not its text.
static Value method_remove(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    int found = set_discard(vm, as_set(args[0]), args[1]);
    return found > 0    ? VALUE_NONE
           : found == 0 ? raise_with(vm, ERR_KEY, args[1])
                        : VALUE_FAIL;
}

// The first item in the table. Its count moves from the table to the caller, so
// it is neither retained nor released here.
static Value method_pop(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Set *set = as_set(args[0]);
    size_t at = 0;
    Value key;
    if (!set_next(set, &at, &key)) {
        // KeyError takes an argument, not a text: its str() quotes it, as in
        // CPython.
        Str *text = str_from(vm, "pop from an empty set");
        if (text != NULL) {
            (void)raise_with(vm, ERR_KEY, str_value(text));
            object_release(&vm->ctx, text);
        }
        return VALUE_FAIL;
    }
    // A trace must know of the change before it happens; it may refuse it.
    if (!note_store(vm, set, VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    // set_next has moved `at` behind the slot.
    set->table[at - 1] = (SetEntry){.key = VALUE_DELETED};
    set->count--;
    return key;
}

// A set that is being iterated over notices by its count.
static Value method_clear(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Set *set = as_set(args[0]);
    return note_store(vm, set, VALUE_UNBOUND) && set_clear(vm, set)
               ? VALUE_NONE
               : VALUE_FAIL;
}

#define SHARED_METHODS                                                        \
    {"union", "self, *others", method_union,                                  \
     "The items of this and all others."},                                    \
    {"intersection", "self, *others", method_intersection,                    \
     "The items that all have."},                                             \
    {"difference", "self, *others", method_difference,                        \
     "The items that no other has."},                                         \
    {"symmetric_difference", "self, other, /", method_symmetric,              \
     "The items that exactly one of both has."},                              \
    {"issubset", "self, other, /", method_issubset,                           \
     "True if other has all items of this."},                                 \
    {"issuperset", "self, other, /", method_issuperset,                       \
     "True if this has all items of other."},                                 \
    {"isdisjoint", "self, other, /", method_isdisjoint,                       \
     "True if no item is in both."},                                          \
    {"copy", "self, /", method_copy, "A shallow copy."}

const NativeDef set_methods[] = {
    SHARED_METHODS,
    {"add", "self, item, /", method_add, "Adds an item."},
    {"discard", "self, item, /", method_discard, "Removes it if present."},
    {"remove", "self, item, /", method_remove, "Removes it, or KeyError."},
    {"pop", "self, /", method_pop, "Removes and returns any item."},
    {"clear", "self, /", method_clear, "Removes all items."},
    {"update", "self, *others", method_update, "Adds all items."},
    {"intersection_update", "self, *others", method_intersection_update,
     "Keeps what all have."},
    {"difference_update", "self, *others", method_difference_update,
     "Removes what others have."},
    {"symmetric_difference_update", "self, other, /",
     method_symmetric_update, "Keeps what exactly one of both has."},
    {0}};

const NativeDef frozenset_methods[] = {SHARED_METHODS, {0}};
