// tuple: immutable; the hash is fixed, so that sets of tuples print alike.
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_str.h"

// The empty tuple is one shared object; during the start of a Vm, before it
// exists, an empty tuple is made like any other.
// Owned, filled with VALUE_UNBOUND; NULL with an error pending.
Tuple *tuple_new(Vm *vm, size_t count)
{
    if (count == 0 && vm->empty_tuple != NULL) {
        return object_retain(vm->empty_tuple);
    }
    // The size in bytes, header included, must not overflow.
    if (count > PTRDIFF_MAX / sizeof(Value) - 8) {
        return ctx_fail_memory(&vm->ctx), NULL;
    }
    size_t size = sizeof(Tuple) + count * sizeof(Value);
    Tuple *tuple = object_new(vm, vm->types[KIND_TUPLE], size);
    if (tuple == NULL) {
        return NULL;
    }
    tuple->count = count;
    for (size_t i = 0; i < count; i++) {
        // So that the collector may visit the tuple while it is being filled.
        tuple->items[i] = VALUE_UNBOUND;
        // Freed, not released: items that are not there yet hold anything.
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            object_free(vm, tuple, size);
            return NULL;
        }
    }
    return tuple;
}

// Nothing that the collector knows is among the items: no cycle can go through
// a tuple of them, ever, since a tuple does not change.
// One object of any other kind is enough for a cycle, through itself.
static bool all_untracked(const Value *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (value_is_object(items[i]) &&
            (value_object(items[i])->flags & OBJECT_TRACKED)) {
            return false;
        }
    }
    return true;
}

enum { PLAIN_MOST = 32 }; // longer ones are made by tuple_new, which polls

// Room for a tuple of these items, which the caller puts in at once.
// The items are only looked at, not counted; NULL with an error pending. The
// head is set as object_new does it, but for the list of the collector.
static inline Tuple *new_for(Vm *vm, const Value *items, size_t count)
{
    Type *type = vm->types[KIND_TUPLE];
    size_t size = sizeof(Tuple) + count * sizeof(Value);
    if (UNLIKELY(count > PLAIN_MOST)) {
        return tuple_new(vm, count);
    }
    Tuple *tuple;
    // The usual tuple of numbers and strings is spared the collector's list.
    if (all_untracked(items, count)) {
        tuple = ctx_alloc(&vm->ctx, size);
        if (LIKELY(tuple != NULL)) {
            tuple->head = (Object){.rc = 1,
                                   .kind = KIND_TUPLE,
                                   .flags = 0,
                                   .birth = vm->ctx.birth,
                                   .type = type};
        }
    } else {
        tuple = object_new(vm, type, size);
    }
    if (LIKELY(tuple != NULL)) {
        tuple->count = count;
    }
    return tuple;
}

// Retains the items. For count 0 `items` is not read.
Tuple *tuple_from(Vm *vm, const Value *items, size_t count)
{
    Tuple *tuple = count == 0 ? tuple_new(vm, 0) : new_for(vm, items, count);
    for (size_t i = 0; tuple != NULL && i < count; i++) {
        tuple->items[i] = value_retain(items[i]);
    }
    return tuple;
}

// For displays and arguments, where a count more would be taken back at once.
Tuple *tuple_take(Vm *vm, const Value *items, size_t count)
{
    Tuple *tuple = new_for(vm, items, count);
    for (size_t i = 0; tuple != NULL && i < count; i++) {
        tuple->items[i] = items[i];
    }
    return tuple;
}

Value tuple_of_owned(Vm *vm, Value *items, size_t count)
{
    bool ok = true;
    // All of them are looked at, as those behind a failure have to be released.
    for (size_t i = 0; i < count; i++) {
        ok = ok && !value_failed(items[i]);
    }
    Tuple *tuple = ok ? tuple_from(vm, items, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        release(vm, items[i]);
    }
    return value_or_fail(tuple);
}

// The items may be UNBOUND if filling the tuple failed halfway.
static void tuple_destroy(Vm *vm, Object *self)
{
    Tuple *tuple = (Tuple *)self;
    // The empty tuple of the Vm comes here too, at its end.
    // From the last item on.
    size_t count = tuple->count;
    for (size_t i = count; i > 0; i--) {
        release(vm, tuple->items[i - 1]);
    }
    object_free(vm, self, sizeof *tuple + count * sizeof(Value));
}

// Items may be UNBOUND while the tuple is being filled.
static void tuple_visit(Object *self, void (*visit)(Object *, void *),
                        void *data)
{
    values_visit(((Tuple *)self)->items, ((Tuple *)self)->count, visit, data);
}

static Value tuple_repr(Vm *vm, Value self)
{
    return sequence_repr(vm, self, "(", ")");
}

// The mixing steps of xxHash over the items' hashes.
// False: an item cannot be hashed, or Ctrl-C came.
static bool tuple_hash(Vm *vm, Value self, uint64_t *hash)
{
    const uint64_t prime1 = 11400714785074694791u;
    const uint64_t prime2 = 14029467366897019727u;
    const uint64_t prime5 = 2870177450012600261u;
    Tuple *tuple = value_as_tuple(self);
    uint64_t total = prime5;
    for (size_t i = 0; i < tuple->count; i++) {
        uint64_t item;
        Value v = tuple->items[i];
        // Most items are small ints, or strs whose hash is at hand.
        if (!int_hash_small(v, &item) &&
            (!value_hash(vm, v, &item) || !ctx_poll(&vm->ctx))) {
            return false;
        }
        total += item * prime2;
        total = total << 31 | total >> 33;
        total *= prime1;
    }
    total += tuple->count ^ (prime5 ^ 3527539u);
    // No hash is -1: this number stands in its place.
    *hash = total == UINT64_MAX ? 1546275796 : total;
    return true;
}

// 1, 0, -1: items of other kinds.
// An identical item is an equal one, without asking it: NaN in a tuple is found
// again.
static int equal_simple(const Type *str, Value x, Value y)
{
    if (value_same(x, y)) {
        return 1;
    }
    if (value_both_ints(x, y)) {
        return 0;
    }
    if (value_is_object(x) && value_object(x)->type == str &&
        value_is_object(y) && value_object(y)->type == str) {
        return str_equal(value_as_str(x), value_as_str(y));
    }
    return -1;
}

// Stops at the first pair that differs, or that it cannot compare.
// -1 sends the caller the general way, which runs methods and tells a trace.
int tuple_equal_simple(const Vm *vm, Value a, Value b)
{
    const Type *cls = vm->types[KIND_TUPLE];
    if (!value_is_object(a) || value_object(a)->type != cls ||
        !value_is_object(b) || value_object(b)->type != cls ||
        vm->trace != NULL) {
        return -1;
    }
    // Both are tuples of no subclass, so no method of a program decides.
    const Tuple *x = value_as_tuple(a), *y = value_as_tuple(b);
    int equal = x->count == y->count;
    for (size_t i = 0; equal > 0 && i < x->count; i++) {
        equal = equal_simple(vm->types[KIND_STR], x->items[i], y->items[i]);
    }
    return equal;
}

// The count of an object in memory always fits.
static int64_t tuple_length(Vm *vm, Value self)
{
    (void)vm;
    return (int64_t)value_as_tuple(self)->count;
}

// Whether it is no instance of a subclass, so that it may stand for a copy of
// itself.
static bool is_plain(Vm *vm, const Tuple *tuple)
{
    return tuple->head.type == vm->types[KIND_TUPLE];
}

// Always a plain tuple. A full slice is a copy too, which no program can tell
// from the same object except by identity.
static Value tuple_get_slice(Vm *vm, Tuple *tuple, Slice *slice)
{
    int64_t start, step, count;
    if (!slice_indices(vm, slice, (int64_t)tuple->count, &start, &step,
                       &count)) {
        return VALUE_FAIL;
    }
    // The whole of a plain tuple is itself.
    if (step == 1 && (size_t)count == tuple->count && is_plain(vm, tuple)) {
        return value_from_object(object_retain(tuple));
    }
    Tuple *result = tuple_new(vm, (size_t)count);
    if (result == NULL) {
        return VALUE_FAIL;
    }
    for (int64_t i = 0; i < count; i++) {
        result->items[i] = value_retain(tuple->items[start + i * step]);
        if (!ctx_poll_at(&vm->ctx, (size_t)i + 1)) {
            object_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
    }
    return value_from_object(result);
}

// sequence_index leaves "out of range" to its callers, whose wording differs.
// Owned.
static Value tuple_get_item(Vm *vm, Value self, Value key)
{
    Tuple *tuple = value_as_tuple(self);
    if (value_is_kind(key, KIND_SLICE)) {
        return tuple_get_slice(vm, tuple, (Slice *)value_object(key));
    }
    size_t index;
    if (!sequence_index(vm, "tuple", key, &tuple->count, &index)) {
        return vm_has_error(vm)
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_INDEX, "tuple index out of range");
    }
    return value_retain(tuple->items[index]);
}

// The bound keeps the product of sizes from overflowing; too long a result is a
// MemoryError before anything is allocated.
// Owned. A plain tuple taken once is itself.
static Value tuple_repeat(Vm *vm, Tuple *tuple, Value times)
{
    int64_t count;
    if (!value_to_count(vm, times, &count)) {
        return VALUE_FAIL;
    }
    count = count < 0 ? 0 : count;
    if (count == 1 && is_plain(vm, tuple)) {
        return value_from_object(object_retain(tuple));
    }
    if (tuple->count != 0 && (uint64_t)count > UINT32_MAX / tuple->count) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    Tuple *result = tuple_new(vm, tuple->count * (size_t)count);
    if (result == NULL) {
        return VALUE_FAIL;
    }
    // j walks the tuple again and again, without a division.
    for (size_t i = 0, j = 0; i < result->count; i++) {
        result->items[i] = value_retain(tuple->items[j]);
        j = j + 1 == tuple->count ? 0 : j + 1;
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            object_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
    }
    return value_from_object(result);
}

// The tuple stands on either side of *; for a sum both sides must be tuples,
// and the result is a plain tuple even for subclasses.
static Value tuple_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool left = value_is_kind(a, KIND_TUPLE);
    if (op == BINARY_ADD && left && value_is_kind(b, KIND_TUPLE)) {
        Tuple *x = value_as_tuple(a), *y = value_as_tuple(b);
        if (x->count == 0 && is_plain(vm, y)) {
            return value_retain(b);
        }
        if (y->count == 0 && is_plain(vm, x)) {
            return value_retain(a);
        }
        Tuple *result = tuple_new(vm, x->count + y->count);
        if (result == NULL) {
            return VALUE_FAIL;
        }
        for (size_t i = 0; i < x->count; i++) {
            result->items[i] = value_retain(x->items[i]);
        }
        for (size_t i = 0; i < y->count; i++) {
            result->items[x->count + i] = value_retain(y->items[i]);
        }
        return value_from_object(result);
    }
    // What is no index declines, so that the other side may answer.
    if (op == BINARY_MUL && value_is_index(vm, left ? b : a)) {
        return tuple_repeat(vm, value_as_tuple(left ? a : b), left ? b : a);
    }
    return VALUE_NOT_IMPLEMENTED;
}

// A subclass gets a copy in an object of its own class, since the items stand
// inside the object, whose size is fixed when it is allocated.
// Owned. A subclass may take keywords in its own __init__, which
// arguments_keywords looks for.
static Value tuple_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (!arguments_check(vm, "tuple", args,
                         arguments_keywords(vm, cls, keywords), 1)) {
        return VALUE_FAIL;
    }
    Tuple *items = args->count == 0 ? tuple_new(vm, 0)
                                    : value_to_tuple(vm, args->items[0]);
    if (items == NULL || cls == vm->types[KIND_TUPLE]) {
        return value_or_fail(items);
    }
    Tuple *self =
        object_new(vm, cls, sizeof *self + items->count * sizeof(Value));
    if (self != NULL) {
        self->count = items->count;
        for (size_t i = 0; i < items->count; i++) {
            self->items[i] = value_retain(items->items[i]);
        }
    }
    object_release(&vm->ctx, items);
    return value_or_fail(self);
}

const TypeDef tuple_type_def = {
    .name = "tuple",
    .doc = "An immutable sequence: tuple(iterable=()).",
    .params = "iterable=(), /",
    .kind = KIND_TUPLE,
    .size = sizeof(Tuple),
    .flags = TYPE_TRACKED | TYPE_GENERIC | TYPE_JOINS,
    .operators = "add mul rmul",
    .slots = {.destroy = tuple_destroy,
              .visit = tuple_visit,
              // No clear: a cycle through a tuple has a part that changes, and
              // a class relies on the tuples of its bases while it dies.
              .make = tuple_make,
              .repr = tuple_repr,
              .hash = tuple_hash,
              .compare = sequence_compare,
              .binary = tuple_binary,
              .length = tuple_length,
              .get_item = tuple_get_item,
              .contains = sequence_contains,
              .iter = sequence_iter},
    .methods = tuple_methods,
    .class_methods = generic_class_methods,
};
