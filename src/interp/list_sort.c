// Sorting: a stable merge sort on keys.
//
// The items are taken out of the list while it is sorted, so that a key
// function or comparison that touches the list sees an empty one and is told
// so at the end. Lists of ints, floats or strs alone compare without slots.
#include <math.h>

#include "interp/note.h"
#include "interp/obj_float.h"
#include "interp/obj_int.h"
#include "interp/sequence.h"

// Short runs are faster to sort by insertion than to merge.
enum { RUN_LENGTH = 8 };

// Keys travel with their values, so that each key is computed once and equal
// ones keep their values' order.
typedef struct SortItem {
    Value key, value; // owned by the sort
} SortItem;

// 1: a stands before b; 0: not; -1: failed.
typedef int (*BeforeFn)(Vm *vm, Value a, Value b);

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

// By code points; str_order runs no code.
static int before_str(Vm *vm, Value a, Value b)
{
    (void)vm;
    return str_order(value_as_str(a), value_as_str(b)) < 0;
}

// Asks < alone, as CPython's sort does.
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
// so types must match exactly.
static BeforeFn choose(Vm *vm, const SortItem *items, size_t count)
{
    bool ints = true, floats = true, strs = true, tuples = true;
    for (size_t i = 0; i < count && (ints || floats || strs || tuples); i++) {
        Value key = items[i].key;
        ints = ints && value_is_int(key);
        floats = floats && value_is_float(key);
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

// Stable: an item passes only those that it stands before. False: a comparison
// failed; the items are all there.
static bool insertion_sort(Vm *vm, SortItem *items, size_t count,
                           BeforeFn before)
{
    for (size_t i = 1; i < count; i++) {
        SortItem item = items[i];
        size_t at = i;
        int less = 1;
        while (at > 0 && (less = before(vm, item.key, items[at - 1].key)) > 0) {
            items[at] = items[at - 1];
            at--;
        }
        // Put back before the error is reported: no item may be lost.
        items[at] = item;
        if (less < 0) {
            return false;
        }
    }
    return true;
}

// Merges [0, middle) and [middle, count) of items; `spare` has room for the
// first half. On failure all items are still there.
static bool merge(Vm *vm, SortItem *items, size_t middle, size_t count,
                  SortItem *spare, BeforeFn before)
{
    int less = before(vm, items[middle].key, items[middle - 1].key);
    if (less <= 0) {
        return less == 0;
    }
    // Unless the halves are in order already. Equal keys take the left one:
    // stable.
    memcpy(spare, items, middle * sizeof *items);
    size_t left = 0, right = middle, to = 0;
    while (left < middle && right < count && less >= 0) {
        less = before(vm, items[right].key, spare[left].key);
        items[to++] = less > 0 ? items[right++] : spare[left++];
        if (UNLIKELY(!ctx_poll(&vm->ctx))) {
            less = -1;
        }
    }
    // What is left of the right half stands in place already.
    memcpy(items + to, spare + left, (middle - left) * sizeof *items);
    return less >= 0;
}

// Already in order, or strictly descending (then turned round): 1; no: 0.
static int sort_run(Vm *vm, SortItem *items, size_t count, BeforeFn before)
{
    size_t i = 1;
    int less = before(vm, items[1].key, items[0].key), first = less;
    while (less >= 0 && ++i < count) {
        less = before(vm, items[i].key, items[i - 1].key);
        less = ctx_poll_at(&vm->ctx, i) ? less : -1;
        if (less != first) {
            return less < 0 ? -1 : 0;
        }
    }
    // Strictly descending, so no equal keys change places.
    if (first > 0) {
        for (size_t a = 0, b = count - 1; a < b; a++, b--) {
            SortItem item = items[a];
            items[a] = items[b];
            items[b] = item;
        }
    }
    return less < 0 ? -1 : 1;
}

// Bottom-up: runs of RUN_LENGTH by insertion, then merges of doubling width.
static bool sort_items(Vm *vm, SortItem *items, size_t count,
                       SortItem *spare, BeforeFn before)
{
    if (count < 2) {
        return true;
    }
    // Data that is in order, either way, takes n - 1 comparisons.
    int run = sort_run(vm, items, count, before);
    if (run != 0) {
        return run > 0;
    }
    for (size_t i = 0; i < count; i += RUN_LENGTH) {
        size_t length = count - i < RUN_LENGTH ? count - i : RUN_LENGTH;
        if (!insertion_sort(vm, items + i, length, before) ||
            !ctx_poll(&vm->ctx)) {
            return false;
        }
    }
    for (size_t width = RUN_LENGTH; width < count; width *= 2) {
        for (size_t i = 0; i + width < count; i += 2 * width) {
            size_t length = count - i < 2 * width ? count - i : 2 * width;
            if (!merge(vm, items + i, width, length, spare, before) ||
                !ctx_poll(&vm->ctx)) {
                return false;
            }
        }
    }
    return true;
}

static void reverse_items(SortItem *items, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        SortItem item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
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
        reverse_items(items, count);
    }
    bool ok = sort_items(vm, items, count, spare, choose(vm, items, count));
    if (reverse) {
        reverse_items(items, count);
    }
    return ok;
}

// The trace is told once, as the whole order changes. The list gets its old
// array back, and its capacity with it.
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
    List taken = *list;
    for (size_t i = 0; i < count; i++) {
        items[i] = (SortItem){.key = value_unbound(key)
                                         ? value_retain(taken.items[i])
                                         : VALUE_NONE,
                              .value = taken.items[i]};
    }
    list->items = NULL;
    list->count = list->capacity = 0;
    bool ok = sort_by_keys(vm, items, count, key, reverse, items + count);
    // Any append leaves an array behind, even if the item was popped again.
    bool changed = list->items != NULL;
    list_clear(vm, list);
    list->items = taken.items;
    list->count = count;
    list->capacity = taken.capacity;
    for (size_t i = 0; i < count; i++) {
        list->items[i] = items[i].value;
    }
    for (size_t i = 0; i < count; i++) {
        release(vm, items[i].key);
    }
    ctx_free(&vm->ctx, items, 2 * size);
    return ok && (!changed || raise_false(vm, ERR_VALUE,
                                          "list modified during sort"));
}
