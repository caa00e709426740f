// Sorting of lists: a stable merge sort.
//
// The items are taken out of the list while it is sorted, so that a key
// function or comparison that touches the list sees an empty one and is told
// so at the end. Lists of ints, floats or strs alone compare without slots.
#include "interp/hooks/note.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/containers/sort_merge.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"

// The three below run no code and cannot fail. All keys were checked before
// (choose), and no code runs between that could change them.
static int before_int(Vm *vm, Value a, Value b)
{
    (void)vm;
    return value_small(a) < value_small(b);
}

// With a NaN no answer is right: the order is then some order of the items.
static int before_float(Vm *vm, Value a, Value b)
{
    (void)vm;
    return value_float(a) < value_float(b);
}

static int before_str(Vm *vm, Value a, Value b)
{
    (void)vm;
    return str_order(value_as_str(a), value_as_str(b)) < 0;
}

static int before_any(Vm *vm, Value a, Value b)
{
    Value result = value_compare(vm, COMPARE_LT, a, b);
    if (value_is_bool(result)) {
        return value_same(result, VALUE_TRUE);
    }
    int truth = value_failed(result) ? -1 : value_truth(vm, result);
    release(vm, result);
    return truth;
}

// Items of two tuples: 1 before, 0 not before, 2 equal, 3 unknown.
static int before_item(const Vm *vm, Value x, Value y)
{
    if (value_same(x, y)) {
        return 2;
    }
    if (value_both_ints(x, y)) {
        return value_rank(x) < value_rank(y);
    }
    if (value_both_immediate_floats(x, y)) {
        double a = value_immediate_float(x), b = value_immediate_float(y);
        return a == b ? 2 : a < b;
    }
    // Of the class str itself: a subclass may compare in its own way.
    const Type *str = vm->types[KIND_STR];
    if (value_is_object(x) && value_object(x)->type == str &&
        value_is_object(y) && value_object(y)->type == str) {
        int order = str_order(value_as_str(x), value_as_str(y));
        return order == 0 ? 2 : order < 0;
    }
    return 3;
}

// All keys are tuples proper: numbers and strs in them compare in place.
static int before_tuple(Vm *vm, Value a, Value b)
{
    const Tuple *x = value_as_tuple(a), *y = value_as_tuple(b);
    size_t count = x->count < y->count ? x->count : y->count;
    for (size_t i = 0; i < count; i++) {
        int order = before_item(vm, x->items[i], y->items[i]);
        if (order < 2) {
            return order;
        }
        // An item that takes the protocol: the whole comparison starts again
        // there.
        if (order == 3) {
            return before_any(vm, a, b);
        }
    }
    return x->count < y->count;
}

// The strictest comparison that all keys allow. Subclasses may define __lt__,
// so types must match exactly. A trace is told of texts that are compared.
static BeforeFn choose(Vm *vm, const SortItem *items, size_t count)
{
    bool ints = true, floats = true;
    bool strs = vm->trace == NULL, tuples = vm->trace == NULL;
    for (size_t i = 0; i < count && (ints || floats || strs || tuples); i++) {
        Value key = items[i].key;
        if (UNLIKELY((i & 0xFFFF) == 0) && ctx_interrupted(&vm->ctx)) {
            return before_any; // the sort polls first of all
        }
        ints = ints && value_is_int(key);
        floats = floats && value_is_float(key) &&
                 type_of(vm, key) == vm->types[KIND_FLOAT];
        strs = strs && value_is_str(key) &&
               value_object(key)->type == vm->types[KIND_STR];
        tuples = tuples && value_is_object(key) &&
                 value_object(key)->type == vm->types[KIND_TUPLE];
    }
    return ints     ? before_int
           : floats ? before_float
           : strs   ? before_str
           : tuples ? before_tuple
                    : before_any;
}

// Computes the keys and sorts. Reversing before and after keeps equal items
// in their order.
static bool sort_by_keys(Vm *vm, SortItem *items, size_t count, Value key,
                         bool reverse, SortItem *spare)
{
    for (size_t i = 0; !value_unbound(key) && i < count; i++) {
        Value result = vm_call(vm, key, &items[i].value, 1);
        // The items keep the keys they have; list_sort puts them back.
        if (value_failed(result) || !ctx_poll(&vm->ctx)) {
            release(vm, result);
            return false;
        }
        value_replace(&vm->ctx, &items[i].key, result);
    }
    if (reverse) {
        sort_reverse(items, count);
    }
    bool ok = sort_merge(vm, items, count, spare, choose(vm, items, count));
    if (reverse) {
        sort_reverse(items, count);
    }
    return ok;
}

// Stable, as Python's. The items are sorted in a copy, so that keys and
// comparisons may look at the list, which is empty meanwhile. The trace is told
// once, as the whole order changes. The list gets its old array back, and its
// capacity with it.
bool list_sort(Vm *vm, List *list, Value key, bool reverse)
{
    size_t count = list->count, size = count * sizeof(SortItem);
    if (count == 0 || !note_store(vm, list, VALUE_UNBOUND)) {
        return count == 0;
    }
    key = value_is_none(key) ? VALUE_UNBOUND : key;
    // One block: the items, and as much again to merge with.
    SortItem *items = ctx_alloc(&vm->ctx, 2 * size);
    if (items == NULL) {
        return false;
    }
    // Items that are their own keys are borrowed from the array, which `taken`
    // keeps; those that a function gives are owned.
    bool own = !value_unbound(key);
    List taken = *list;
    for (size_t i = 0; i < count; i++) {
        items[i] = (SortItem){.key = own ? VALUE_NONE : taken.items[i],
                              .value = taken.items[i]};
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            ctx_free(&vm->ctx, items, 2 * size);
            return false;
        }
    }
    // The list is empty while keys and comparisons run: what they do to it is
    // noticed.
    list->items = NULL;
    list->count = list->capacity = 0;
    bool ok = sort_by_keys(vm, items, count, key, reverse, items + count);
    // Any append leaves an array behind, even if the item was popped again.
    bool changed = list->items != NULL;
    list_clear(vm, list);
    // Whatever happened, all items are there again: after Ctrl-C in their old
    // order, which takes no time.
    list->items = taken.items;
    list->count = count;
    list->capacity = taken.capacity;
    bool interrupted = !ok && vm->ctx.error.kind == ERR_INTERRUPT;
    for (size_t i = 0; !interrupted && i < count; i++) {
        list->items[i] = items[i].value;
    }
    for (size_t i = 0; own && i < count; i++) {
        release(vm, items[i].key);
    }
    ctx_free(&vm->ctx, items, 2 * size);
    return ok && (!changed ||
                  raise_false(vm, ERR_VALUE, "list modified during sort"));
}

Value list_sorted(Vm *vm, Value iterable, Value key, Value reversed)
{
    bool reverse;
    // Read to the end before the list exists: iterating may run code.
    Tuple *items = value_to_tuple(vm, iterable);
    List *list = items == NULL ? NULL : list_new(vm, items->count);
    for (size_t i = 0; list != NULL && i < items->count; i++) {
        list->items[i] = value_retain(items->items[i]);
    }
    object_release_null(&vm->ctx, items);
    if (list == NULL) {
        return VALUE_FAIL;
    }
    if (!value_to_flag(vm, reversed, &reverse) ||
        !list_sort(vm, list, key, reverse)) {
        object_release(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}
