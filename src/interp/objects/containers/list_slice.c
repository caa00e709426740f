// Slices of a list: reading, assigning and deleting them.
//
// Invariant: what leaves the list is released when the list is whole again,
// since a release may run code of the program that looks at it.
#include "base/bulk.h"
#include "interp/hooks/note.h"
#include "interp/objects/containers/sequence.h"

// What a slice names of the list as it is then: an __index__ of its bounds may
// change the length, and is asked again where it did. The number of items comes
// out too: a step may pass over some, and an empty range is no error.
static bool list_range(Vm *vm, const List *list, Slice *slice, int64_t *start,
                       int64_t *step, int64_t *count)
{
    size_t length;
    do {
        length = list->count;
        if (!slice_indices(vm, slice, (int64_t)length, start, step, count)) {
            return false;
        }
    } while (list->count != length);
    return true;
}

enum { SLICE_QUICK = 1 << 16 }; // longer copies poll

// A plain list, also for a subclass; the items are shared. A negative step
// gives the items in the reverse order.
Value list_slice_get(Vm *vm, List *list, Slice *slice)
{
    int64_t start, step, count;
    if (!list_range(vm, list, slice, &start, &step, &count)) {
        return VALUE_FAIL;
    }
    // All room at once; the slots hold None until they are filled.
    List *result = list_new(vm, (size_t)count);
    if (result == NULL) {
        return VALUE_FAIL;
    }
    // The whole or a part of it: no product for each item.
    if (step == 1 && count < SLICE_QUICK) {
        const Value *from = list->items + start;
        for (int64_t i = 0; i < count; i++) {
            result->items[i] = value_retain(from[i]);
        }
        return value_from_object(result);
    }
    // The step may be negative; start + i * step stays inside.
    for (int64_t i = 0; i < count; i++) {
        result->items[i] = value_retain(list->items[start + i * step]);
        if (!ctx_poll_at(&vm->ctx, (size_t)i + 1)) {
            object_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
    }
    return value_from_object(result);
}

enum { SPLICE_FEW = 16 }; // items that go are kept on the C stack

// On failure the list is unchanged. A trace was told by the caller, who knows
// what is stored.
bool list_splice(Vm *vm, List *list, size_t start, size_t removed,
                 const Value *items, size_t count)
{
    // New room is touched while the list is whole: page faults take the time.
    if (count > removed && (!list_reserve(vm, list, count - removed) ||
                            !bulk_fill(&vm->ctx, list->items + list->count, 0,
                                       (count - removed) * sizeof *items))) {
        return false;
    }
    // What goes is kept aside until the list is whole again.
    Value few[SPLICE_FEW], *old = few;
    if (removed > SPLICE_FEW) {
        old = ctx_alloc(&vm->ctx, removed * sizeof *old);
        if (old == NULL) {
            return false;
        }
    }
    if (removed != 0 &&
        !bulk_copy(&vm->ctx, old, list->items + start, removed * sizeof *old)) {
        ctx_free(&vm->ctx, old, removed * sizeof *old);
        return false;
    }
    // An empty list has no array, and memmove takes no NULL.
    if (list->items != NULL) {
        memmove(list->items + start + count, list->items + start + removed,
                (list->count - start - removed) * sizeof *list->items);
    }
    for (size_t i = 0; i < count; i++) {
        list->items[start + i] = value_retain(items[i]);
    }
    list->count += count - removed;
    // Only now, with the list whole, may destructors run: from the last item
    // on, where a slice with a step goes the other way.
    for (size_t i = removed; i > 0; i--) {
        release(vm, old[i - 1]);
    }
    if (old != few) {
        ctx_free(&vm->ctx, old, removed * sizeof *old);
    }
    return true;
}

// del list[start::step], `count` items, in one pass.
static bool delete_slice(Vm *vm, List *list, int64_t start, int64_t step,
                         int64_t count)
{
    if (count <= 0) {
        return true;
    }
    // A descending slice names the same items as an ascending one from its end.
    if (step < 0) {
        start += (count - 1) * step;
        step = -step;
    }
    if (step == 1) {
        return list_splice(vm, list, (size_t)start, (size_t)count, NULL, 0);
    }
    Value *old = ctx_alloc(&vm->ctx, (size_t)count * sizeof *old);
    if (old == NULL) {
        return false;
    }
    // From here on the work must be finished, so the room is touched first.
    if (!bulk_fill(&vm->ctx, old, 0, (size_t)count * sizeof *old)) {
        ctx_free(&vm->ctx, old, (size_t)count * sizeof *old);
        return false;
    }
    // Survivors move down over the gaps; what goes waits in `old` until the
    // list is whole, since a release may run Duet code.
    size_t to = (size_t)start, taken = 0;
    for (size_t i = (size_t)start; i < list->count; i++) {
        // Every step-th item from the start on goes, until as many as the slice
        // names are taken.
        if (taken < (size_t)count && (i - (size_t)start) % (size_t)step == 0) {
            old[taken++] = list->items[i];
        } else {
            list->items[to++] = list->items[i];
        }
    }
    list->count = to;
    for (size_t i = 0; i < taken; i++) {
        release(vm, old[i]);
    }
    ctx_free(&vm->ctx, old, (size_t)count * sizeof *old);
    return true;
}

// Which items of a list a slice names: `count` of them, `step` apart.
typedef struct Stretch {
    int64_t start, step, count;
} Stretch;

// Only a slice of step 1 may change the length; an extended one wants exactly
// as many items as it names. The two cases of a wrong count have the same
// words, whatever the step. What gave the items may have changed the list, so
// the place is clipped to what is left of it.
static bool assign_slice(Vm *vm, List *list, Stretch at, const Value *items,
                         size_t item_count)
{
    int64_t length = (int64_t)list->count;
    if (at.step == 1) {
        int64_t start = at.start < length ? at.start : length;
        int64_t count = at.count < length - start ? at.count : length - start;
        return list_splice(vm, list, (size_t)start, (size_t)count, items,
                           item_count);
    }
    if ((size_t)at.count != item_count) {
        return raise_false(vm, ERR_VALUE,
                           "attempt to assign sequence of size %zu to "
                           "extended slice of size %lld",
                           item_count, (long long)at.count);
    }
    // `items` are not the list's own, so that a[::-1] = a is safe.
    for (int64_t i = 0; i < at.count; i++) {
        // Item by item: what a release runs may see a part of the new items,
        // and make the list shorter.
        int64_t place = at.start + i * at.step;
        if (place < (int64_t)list->count) {
            value_replace(&vm->ctx, &list->items[place],
                          value_retain(items[i]));
        }
    }
    return true;
}

// Another list proper in place of items in a row can be read where it stands:
// a splice takes what it needs before anything dies.
static bool reads_in_place(const Vm *vm, const List *list, Stretch at,
                           Value value)
{
    return at.step == 1 && value_is_object(value) &&
           value_object(value)->type == vm->types[KIND_LIST] &&
           value_as_list(value) != list;
}

// Deletion comes as UNBOUND. The place is found before the right side is read.
// That becomes a tuple of its own first: it may be the list itself, and an
// iterator may run code that changes it.
bool list_slice_set(Vm *vm, List *list, Slice *slice, Value value)
{
    Stretch at;
    if (!list_range(vm, list, slice, &at.start, &at.step, &at.count)) {
        return false;
    }
    if (value_unbound(value)) {
        return note_store(vm, list, value) &&
               delete_slice(vm, list, at.start, at.step, at.count);
    }
    if (reads_in_place(vm, list, at, value)) {
        // What dies meanwhile may be the last to hold the other list.
        List *from = object_retain(value_object(value));
        bool done = note_store(vm, list, value) &&
                    assign_slice(vm, list, at, from->items, from->count);
        object_release(&vm->ctx, from);
        return done;
    }
    Tuple *items =
        value_to_items(vm, value,
                       at.step == 1 ? "can only assign an iterable"
                                    : "must assign iterable to extended slice");
    if (items == NULL) {
        return false;
    }
    bool ok = note_store(vm, list, value) &&
              assign_slice(vm, list, at, items->items, items->count);
    object_release(&vm->ctx, items);
    return ok;
}
