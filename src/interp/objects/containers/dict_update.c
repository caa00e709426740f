// dict.update: all items of another dict, of a mapping, or of pairs.
//
// Invariant: what is read from `other` is counted while it is stored, since
// storing can run code that changes `other`.
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"

// From another dict, by its own entries and hashes. False: an __eq__ failed, or
// memory.
static bool update_dict(Vm *vm, Dict *dict, Dict *other)
{
    uint32_t position = 0;
    Value key, value;
    // Nothing to do, and the walk would see its own changes.
    if (dict == other) {
        return true;
    }
    if (!dict_ask_all(vm, other)) {
        return false;
    }
    int filled = dict_fill(vm, dict, other);
    if (filled != 0) {
        return filled > 0;
    }
    // Half of them may be new: a guess that costs little room.
    if (!dict_reserve(vm, dict, other->count / 2)) {
        return false;
    }
    while (dict_next(other, &position, &key, &value)) {
        // A replaced value's destructor or an __eq__ may remove this entry.
        value_retain(key);
        value_retain(value);
        uint64_t hash = other->entries[position - 1].hash;
        uint32_t used = other->used;
        bool ok =
            ctx_poll(&vm->ctx) && dict_set_hashed(vm, dict, key, hash, value);
        release(vm, key);
        release(vm, value);
        if (ok && other->used != used) {
            ok = raise_false(vm, ERR_RUNTIME, "dict mutated during update");
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

// One element of an iterable of pairs.
// Any iterable of two items counts as a pair, a text of two characters too.
// `number` is for the messages.
static bool update_pair(Vm *vm, Dict *dict, Value element, int64_t number)
{
    // A tuple of its own, whatever kind of iterable the element is.
    Tuple *pair = value_to_items(vm, element, "");
    if (pair == NULL) {
        // Any TypeError until its end is told so.
        return raise_is_type_error(vm) &&
               raise_false(vm, ERR_TYPE,
                           "cannot convert dictionary update sequence element "
                           "#%lld to a sequence",
                           (long long)number);
    }
    bool ok = pair->count == 2
                  ? dict_set(vm, dict, pair->items[0], pair->items[1])
                  : raise_false(vm, ERR_VALUE,
                                "dictionary update sequence element #%lld has "
                                "length %zu; 2 is required",
                                (long long)number, pair->count);
    object_release(&vm->ctx, pair);
    return ok;
}

// From an iterable of pairs, or of keys of `mapping` (UNBOUND: pairs).
static bool update_items(Vm *vm, Dict *dict, Value iterable, Value mapping)
{
    Value iterator = value_iter(vm, iterable), item;
    if (value_failed(iterator)) {
        return false;
    }
    bool ok = true;
    for (int64_t i = 0; ok; i++) {
        item = value_next(vm, iterator);
        if (value_same(item, VALUE_STOP) || value_failed(item)) {
            ok = !value_failed(item);
            break;
        }
        // Without a mapping the items are pairs; with one they are its keys.
        if (value_unbound(mapping)) {
            ok = ctx_poll(&vm->ctx) && update_pair(vm, dict, item, i);
        } else {
            Value value = ctx_poll(&vm->ctx) ? value_get_item(vm, mapping, item)
                                             : VALUE_FAIL;
            ok = !value_failed(value) && dict_set(vm, dict, item, value);
            release(vm, value);
        }
        release(vm, item);
    }
    release(vm, iterator);
    return ok;
}

// What has a method `keys` is a mapping, all else holds pairs. A dict is read
// directly, also of a subclass unless that iterates otherwise.
bool dict_update(Vm *vm, Dict *dict, Value other)
{
    if (value_is_kind(other, KIND_DICT) &&
        type_of(vm, other)->slots.iter ==
            type_of_kind(vm, KIND_DICT)->slots.iter) {
        return update_dict(vm, dict, value_as_dict(other));
    }
    Value method = value_find_attr(vm, other, vm->names[NAME_KEYS]);
    if (value_failed(method)) {
        return false;
    }
    if (value_unbound(method)) {
        return update_items(vm, dict, other, VALUE_UNBOUND);
    }
    // The values are asked one by one with mapping[key].
    Value keys = vm_call(vm, method, NULL, 0);
    release(vm, method);
    bool ok = !value_failed(keys) && update_items(vm, dict, keys, other);
    release(vm, keys);
    return ok;
}
