// The methods of set and frozenset.
//
// Arguments that are no sets become sets first, so that each method is one of
// the set operators of set_type.c. The rows of set and frozenset bind the
// arguments: args[0] is always a set of the right kind.
#include "interp/hooks/note.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/containers/set_type.h"

static Set *as_set(Value v)
{
    return (Set *)value_object(v);
}

// What an algebra method does for one of its others.
// A new set, owned, or NULL with an error pending.
typedef Set *(*MakeSet)(Vm *vm, Set *a, Value other);
// False: an error is pending, and the set may be changed in part.
typedef bool (*ChangeSet)(Vm *vm, Set *set, Value other);

// A copy of the plain type. A frozenset proper is its own.
static Set *plain_copy(Vm *vm, Value self)
{
    return value_object(self)->type == vm->types[KIND_FROZENSET]
               ? object_retain(value_object(self))
               : set_from(vm, self, value_is_kind(self, KIND_FROZENSET));
}

// self made by the first other, the rest by `next` from what came before.
// Owned. Between two steps only the last result is held.
static Value folded(Vm *vm, Value *args, MakeSet first, MakeSet next)
{
    Tuple *others = value_as_tuple(args[1]);
    if (others->count == 0) {
        return value_or_fail(plain_copy(vm, args[0]));
    }
    Set *result = first(vm, as_set(args[0]), others->items[0]);
    for (size_t i = 1; result != NULL && i < others->count; i++) {
        Set *before = result;
        result = next(vm, before, others->items[i]);
        object_release(&vm->ctx, before);
    }
    return value_or_fail(result);
}

// In place, with one other after the other.
// What came before a failure stays done.
static Value each_other(Vm *vm, Value *args, ChangeSet change)
{
    Tuple *others = value_as_tuple(args[1]);
    for (size_t i = 0; i < others->count; i++) {
        if (!change(vm, as_set(args[0]), others->items[i])) {
            return VALUE_FAIL;
        }
    }
    return VALUE_NONE;
}

// A set of its own, into which the items go as they come.
// A frozenset is filled before anyone else can see it.
static Value method_union(Vm *vm, Value *args)
{
    Set *result = set_from(vm, args[0], value_is_kind(args[0], KIND_FROZENSET));
    Tuple *others = value_as_tuple(args[1]);
    for (size_t i = 0; result != NULL && i < others->count; i++) {
        if (!value_same(others->items[i], args[0]) &&
            !set_update(vm, result, others->items[i])) {
            object_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(result);
}

static Value method_intersection(Vm *vm, Value *args)
{
    return folded(vm, args, set_intersect, set_intersect);
}

// A later other is taken out of the copy that the first one made.
static Set *subtract_next(Vm *vm, Set *set, Value other)
{
    return set_subtract(vm, set, other) ? object_retain(set) : NULL;
}

// From the second on the result is a set of its own, which may be changed.
// The others may be any iterables; only sets are asked by their tables.
static Value method_difference(Vm *vm, Value *args)
{
    return folded(vm, args, set_difference, subtract_next);
}

// Exactly one other, unlike its three siblings.
static Value method_symmetric(Vm *vm, Value *args)
{
    return value_or_fail(set_symmetric(vm, as_set(args[0]), args[1]));
}

static Value method_update(Vm *vm, Value *args)
{
    return each_other(vm, args, set_update);
}

// All others are seen before the set changes.
static Value method_intersection_update(Vm *vm, Value *args)
{
    Value result = method_intersection(vm, args);
    if (value_failed(result)) {
        return result;
    }
    // Asked only once the result is there: the set is left as it was if
    // anything failed.
    bool ok = note_store(vm, as_set(args[0]), VALUE_UNBOUND);
    if (ok) {
        set_swap(as_set(args[0]), as_set(result));
    }
    release(vm, result);
    return value_done(ok);
}

// Others that are the set itself empty it.
// set_subtract knows of this case.
static Value method_difference_update(Vm *vm, Value *args)
{
    return each_other(vm, args, set_subtract);
}

static Value method_symmetric_update(Vm *vm, Value *args)
{
    return value_done(set_toggle(vm, as_set(args[0]), args[1]));
}

static Value subset_result(int subset)
{
    return subset < 0 ? VALUE_FAIL : value_from_bool(subset);
}

// Takes any iterable, unlike the operator <=: all of self must be in both.
// An iterable is read to its end, since later items may still be missing ones.
static Value method_issubset(Vm *vm, Value *args)
{
    Set *self = as_set(args[0]);
    if (value_is_any_set(args[1])) {
        return subset_result(set_is_subset(vm, self, as_set(args[1])));
    }
    Set *common = set_intersect(vm, self, args[1]);
    int subset = common == NULL ? -1 : common->count == self->count;
    object_release_null(&vm->ctx, common);
    return subset_result(subset);
}

// Is the membership in `set` of each item `wanted`? The first one for which it
// is not ends the walk. 1, 0 or -1.
// An item that cannot be hashed is an error and not an absent one.
static int each_item_is(Vm *vm, Set *set, Value iterable, int wanted)
{
    Value iterator = value_iter(vm, iterable), item;
    if (value_failed(iterator)) {
        return -1;
    }
    int found = wanted;
    while (found == wanted &&
           !value_same(item = value_next(vm, iterator), VALUE_STOP)) {
        uint64_t hash;
        found = value_failed(item) || !ctx_poll(&vm->ctx) ||
                        !value_hash(vm, item, &hash)
                    ? -1
                    : set_contains_hashed(vm, set, item, hash);
        release(vm, item);
    }
    release(vm, iterator);
    return found < 0 ? -1 : found == wanted;
}

// An iterable is walked; it needs no set of its own.
static Value method_issuperset(Vm *vm, Value *args)
{
    Set *self = as_set(args[0]);
    return subset_result(value_is_any_set(args[1])
                             ? set_is_subset(vm, as_set(args[1]), self)
                             : each_item_is(vm, self, args[1], 1));
}

// Of two sets the smaller one is walked.
// Order shows in calls of __hash__ and __eq__, so which one is walked is fixed.
static Value method_isdisjoint(Vm *vm, Value *args)
{
    Set *self = as_set(args[0]);
    // A subclass is walked as its __iter__ says.
    const Type *type = type_of(vm, args[1]);
    bool swap =
        (type == vm->types[KIND_SET] || type == vm->types[KIND_FROZENSET]) &&
        as_set(args[1])->count > self->count;
    return subset_result(swap ? each_item_is(vm, as_set(args[1]), args[0], 0)
                              : each_item_is(vm, self, args[1], 0));
}

static Value method_copy(Vm *vm, Value *args)
{
    return value_or_fail(plain_copy(vm, args[0]));
}

static Value method_add(Vm *vm, Value *args)
{
    return value_done(set_add(vm, as_set(args[0]), args[1]));
}

// That the item is absent is no error; that it cannot be hashed is one.
// A set as the item is looked for as a frozenset of the same items.
static Value method_discard(Vm *vm, Value *args)
{
    Set *set = as_set(args[0]);
    int found = set_discard(vm, set, args[1]);
    return value_done(found > 0 ||
                      (found == 0 && note_same(vm, set, VALUE_UNBOUND)));
}

// The KeyError has the item itself as its argument, not its text.
static Value method_remove(Vm *vm, Value *args)
{
    int found = set_discard(vm, as_set(args[0]), args[1]);
    return found > 0    ? VALUE_NONE
           : found == 0 ? raise_with(vm, ERR_KEY, args[1])
                        : VALUE_FAIL;
}

// The next item of the table. Its count moves from the table to the caller, so
// it is neither retained nor released here.
// `hash` of a set, which has none, keeps the place where the last pop ended:
// emptying a set by pop then takes linear time.
static Value method_pop(Vm *vm, Value *args)
{
    Set *set = as_set(args[0]);
    size_t at = (size_t)set->hash & set->mask;
    Value key;
    // From where the last one stopped, round the end of the table.
    bool found = set_next(set, &at, &key);
    at = found ? at : 0;
    if (!found && !set_next(set, &at, &key)) {
        // KeyError takes an argument, not a text: its str() quotes it.
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
    set->hash = at;
    return key;
}

// A set that is being iterated over notices by its count.
// A trace is asked first; it may refuse a change of what is not its own.
static Value method_clear(Vm *vm, Value *args)
{
    Set *set = as_set(args[0]);
    return value_done(note_store(vm, set, VALUE_UNBOUND) && set_clear(vm, set));
}

#define SHARED_METHODS                                                         \
    {"__reduce__", "self, /", object_reduce_set, "How it is made again."},     \
        {"union", "self, *others", method_union,                               \
         "The items of this and all others."},                                 \
        {"intersection", "self, *others", method_intersection,                 \
         "The items that all have."},                                          \
        {"difference", "self, *others", method_difference,                     \
         "The items that no other has."},                                      \
        {"symmetric_difference", "self, other, /", method_symmetric,           \
         "The items that exactly one of both has."},                           \
        {"issubset", "self, other, /", method_issubset,                        \
         "True if other has all items of this."},                              \
        {"issuperset", "self, other, /", method_issuperset,                    \
         "True if this has all items of other."},                              \
        {"isdisjoint", "self, other, /", method_isdisjoint,                    \
         "True if no item is in both."},                                       \
    {                                                                          \
        "copy", "self, /", method_copy, "A shallow copy."                      \
    }

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
    {"symmetric_difference_update", "self, other, /", method_symmetric_update,
     "Keeps what exactly one of both has."},
    {0}};

const NativeDef frozenset_methods[] = {SHARED_METHODS, {0}};
