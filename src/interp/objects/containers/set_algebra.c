// Union, intersection, difference and symmetric difference of sets, new ones
// and in place.
//
// Which operand each walks, and when it makes, copies and grows its tables, is
// fixed: the order in which a set is printed shows it.
#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/set_type.h"
#include "interp/objects/protocol/protocol.h"

static Set *as_set(Value v)
{
    return (Set *)value_object(v);
}

// What is done with each item of an iterable; the key is borrowed, `hash` is
// known from a table or computed.
typedef bool (*EachKey)(Vm *vm, Set *set, Value key, uint64_t hash, void *data);

// An __eq__ may take keys out of `from`, or make its table anew: each key is
// held while it is looked at.
static bool each_of_set(Vm *vm, Set *set, Set *from, EachKey each, void *data)
{
    for (size_t at = 0; at <= from->mask; at++) {
        SetEntry entry = from->table[at];
        Value key = entry.key;
        if (value_unbound(key) || value_same(key, VALUE_DELETED)) {
            continue;
        }
        value_retain(key);
        bool ok = ctx_poll(&vm->ctx) && each(vm, set, key, entry.hash, data);
        release(vm, key);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool each_of_dict(Vm *vm, Set *set, Dict *from, EachKey each, void *data)
{
    Value key, value;
    for (uint32_t at = 0; dict_next(from, &at, &key, &value);) {
        value_retain(key);
        uint64_t hash = from->entries[at - 1].hash;
        bool ok = ctx_poll(&vm->ctx) && each(vm, set, key, hash, data);
        release(vm, key);
        if (!ok) {
            return false;
        }
    }
    return true;
}

// Items as they come; those before an error have had their effect.
static bool each_of(Vm *vm, Set *set, Value iterable, EachKey each, void *data)
{
    if (value_is_any_set(iterable)) {
        return each_of_set(vm, set, as_set(iterable), each, data);
    }
    Value iterator = value_iter(vm, iterable), item;
    if (value_failed(iterator)) {
        return false;
    }
    bool ok = true;
    while (ok && !value_same(item = value_next(vm, iterator), VALUE_STOP)) {
        uint64_t hash;
        ok = !value_failed(item) && ctx_poll(&vm->ctx) &&
             value_hash(vm, item, &hash) && each(vm, set, item, hash, data);
        release(vm, item);
    }
    release(vm, iterator);
    return ok;
}

// --- intersection ---

static bool add_common(Vm *vm, Set *set, Value key, uint64_t hash, void *data)
{
    int found = set_contains_hashed(vm, data, key, hash);
    return found == 0 || (found > 0 && set_add_hashed(vm, set, key, hash));
}

// The smaller of two sets is walked; an iterable that is no set always. Of a
// set and itself a copy is made, with its order.
Set *set_intersect(Vm *vm, Set *a, Value other)
{
    if (value_is_object(other) && value_object(other) == &a->head) {
        return set_from(vm, other, a->head.kind == KIND_FROZENSET);
    }
    Set *result = set_new(vm, a->head.kind == KIND_FROZENSET);
    if (result == NULL) {
        return NULL;
    }
    bool swap = value_is_any_set(other) && as_set(other)->count > a->count;
    bool ok = swap ? each_of_set(vm, result, a, add_common, as_set(other))
                   : each_of(vm, result, other, add_common, a);
    if (!ok) {
        object_release(&vm->ctx, result);
        return NULL;
    }
    return result;
}

// The tables change hands; the objects, and who refers to them, stay.
void set_swap(Set *a, Set *b)
{
    SetEntry *table = a->table;
    size_t mask = a->mask, fill = a->fill, count = a->count;
    a->table = b->table;
    a->mask = b->mask;
    a->fill = b->fill;
    a->count = b->count;
    b->table = table;
    b->mask = mask;
    b->fill = fill;
    b->count = count;
}

// &=: the new table is whole before the old one goes.
bool set_keep(Vm *vm, Set *set, Value other)
{
    Set *result = set_intersect(vm, set, other);
    bool ok = result != NULL && note_store(vm, set, VALUE_UNBOUND);
    if (ok) {
        set_swap(set, result);
    }
    object_release_null(&vm->ctx, result);
    return ok;
}

// --- difference ---

// A callback of each_of: an item that is not there is no error.
static bool discard(Vm *vm, Set *set, Value key, uint64_t hash, void *data)
{
    (void)data;
    int found = set_discard_hashed(vm, set, key, hash);
    return found > 0 || (found == 0 && note_same(vm, set, VALUE_UNBOUND));
}

// Adds the key to `set` unless the set or dict `data` has it.
static bool add_other(Vm *vm, Set *set, Value key, uint64_t hash, void *data)
{
    Value value;
    int found = value_is_any_set(value_from_object(data))
                    ? set_contains_hashed(vm, data, key, hash)
                    : dict_get_hashed(vm, data, key, hash, &value);
    return found > 0 || (found == 0 && set_add_hashed(vm, set, key, hash));
}

// -=. A set minus itself is empty, and must not be walked while it shrinks.
bool set_subtract(Vm *vm, Set *set, Value other)
{
    if (value_is_object(other) && value_object(other) == &set->head) {
        return note_store(vm, set, VALUE_UNBOUND) && set_clear(vm, set);
    }
    // From a set more than eight times as large only what both have is taken.
    Set *common = NULL;
    if (value_is_any_set(other) && as_set(other)->count >> 3 > set->count) {
        common = set_intersect(vm, set, other);
        if (common == NULL || !note_same(vm, set, VALUE_UNBOUND)) {
            object_release_null(&vm->ctx, common);
            return false;
        }
        other = value_from_object(common);
    }
    bool ok = each_of(vm, set, other, discard, NULL) && set_tidy(vm, set);
    object_release_null(&vm->ctx, common);
    return ok;
}

// A copy from which the items are taken, unless the other is a set or dict so
// large that it is cheaper to add what it has not.
Set *set_difference(Vm *vm, Set *a, Value other)
{
    Set *result = set_new(vm, a->head.kind == KIND_FROZENSET);
    if (result == NULL) {
        return NULL;
    }
    bool is_set = value_is_any_set(other);
    // Both can be asked for an item; a mere iterable has to be walked.
    bool asked = is_set || type_of(vm, other) == vm->types[KIND_DICT];
    int64_t count = 0;
    bool ok = true;
    if (asked) {
        count =
            is_set ? (int64_t)as_set(other)->count : value_length(vm, other);
        ok = count >= 0;
    }
    if (ok && asked && (int64_t)(a->count >> 2) <= count) {
        ok = each_of_set(vm, result, a, add_other, value_object(other));
    } else if (ok) {
        ok = set_merge(vm, result, a) && set_subtract(vm, result, other);
    }
    if (!ok) {
        object_release(&vm->ctx, result);
        return NULL;
    }
    return result;
}

// --- symmetric difference ---

static bool toggle(Vm *vm, Set *set, Value key, uint64_t hash, void *data)
{
    (void)data;
    int removed = set_discard_hashed(vm, set, key, hash);
    return removed > 0 || (removed == 0 && set_add_hashed(vm, set, key, hash));
}

// ^=: what both have goes, the rest comes in.
bool set_toggle(Vm *vm, Set *set, Value other)
{
    if (value_is_object(other) && value_object(other) == &set->head) {
        return note_store(vm, set, VALUE_UNBOUND) && set_clear(vm, set);
    }
    if (value_is_any_set(other)) {
        return each_of_set(vm, set, as_set(other), toggle, NULL);
    }
    // Keys of a dict differ among themselves, and their hashes are known.
    if (type_of(vm, other) == vm->types[KIND_DICT]) {
        return each_of_dict(vm, set, value_as_dict(other), toggle, NULL);
    }
    // An item that comes twice counts once, so a set is made first.
    Set *once = set_from(vm, other, set->head.kind == KIND_FROZENSET);
    bool ok = once != NULL && each_of_set(vm, set, once, toggle, NULL);
    object_release_null(&vm->ctx, once);
    return ok;
}

// In a copy of the other, which the order shows.
Set *set_symmetric(Vm *vm, Set *a, Value other)
{
    Set *result = set_new(vm, a->head.kind == KIND_FROZENSET);
    if (result != NULL && set_update(vm, result, other) &&
        each_of_set(vm, result, a, toggle, NULL)) {
        return result;
    }
    object_release_null(&vm->ctx, result);
    return NULL;
}

// --- operators ---

Set *set_combine(Vm *vm, BinaryOp op, Set *a, Set *b)
{
    Value other = value_from_object(b);
    switch (op) {
    case BINARY_AND: return set_intersect(vm, a, other);
    case BINARY_SUB: return set_difference(vm, a, other);
    case BINARY_XOR: return set_symmetric(vm, a, other);
    default: break;
    }
    Set *result = set_new(vm, a->head.kind == KIND_FROZENSET);
    if (result != NULL && set_merge(vm, result, a) &&
        (a == b || set_merge(vm, result, b))) {
        return result;
    }
    object_release_null(&vm->ctx, result);
    return NULL;
}
