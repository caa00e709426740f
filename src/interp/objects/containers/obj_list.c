// list: the object. Its methods are in list_methods.c, slices in list_slice.c,
// the sort in list_sort.c.
//
// Invariant: items[0 .. count) are owned; code that may run Duet code (a
// comparison) counts the item in hand first and reads count again after it.
#include "interp/objects/containers/obj_list.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/iterators/obj_generator.h"
#include "interp/objects/text/obj_str.h"

enum {
    LIST_STRETCH = 1 << 16, // items between two polls
    LIST_FEW = 64           // filled without any
};

// One allocation of exactly `count` slots: most lists of a known length never
// grow. A NULL array goes with capacity 0.
List *list_new(Vm *vm, size_t count)
{
    Value *items = NULL;
    if (count > PTRDIFF_MAX / sizeof(Value)) {
        return ctx_fail_memory(&vm->ctx), NULL;
    }
    if (count != 0) {
        items = ctx_alloc(&vm->ctx, count * sizeof *items);
        if (items == NULL) {
            return NULL;
        }
    }
    List *list = object_new(vm, vm->types[KIND_LIST], sizeof *list);
    if (list == NULL) {
        ctx_free(&vm->ctx, items, count * sizeof *items);
        return NULL;
    }
    list->items = items;
    list->capacity = count;
    list->count = 0;
    if (LIKELY(count <= LIST_FEW)) {
        for (; list->count < count;) {
            items[list->count++] = VALUE_NONE;
        }
        return list;
    }
    // Counted as they come: Ctrl-C may end a fill of gigabytes.
    for (; list->count < count;) {
        size_t left = count - list->count, most = LIST_STRETCH;
        for (size_t i = left < most ? left : most; i > 0; i--) {
            items[list->count++] = VALUE_NONE;
        }
        if (list->count < count && !ctx_poll(&vm->ctx)) {
            object_release(&vm->ctx, list);
            return NULL;
        }
    }
    return list;
}

// Grows by half, so that n appends cost O(n) in all. The bound keeps the sums
// and products of sizes below from overflowing.
bool list_reserve(Vm *vm, List *list, size_t extra)
{
    size_t wanted = list->count + extra;
    if (wanted <= list->capacity) {
        return true;
    }
    if (wanted > PTRDIFF_MAX / sizeof(Value) / 2) {
        return ctx_fail_memory(&vm->ctx);
    }
    // The 4 spares short lists their first growths.
    size_t capacity = list->capacity + list->capacity / 2 + 4;
    capacity = capacity < wanted ? wanted : capacity;
    Value *items =
        ctx_realloc(&vm->ctx, list->items, list->capacity * sizeof *items,
                    capacity * sizeof *items);
    if (items == NULL) {
        return false;
    }
    list->items = items;
    list->capacity = capacity;
    return true;
}

// Room is made before the trace is told, so that nothing can fail after it.
bool list_append_owned(Vm *vm, List *list, Value item)
{
    // Room, and nobody to be told: most of all appends.
    if (LIKELY(list->count < list->capacity && vm->trace == NULL &&
               !(list->head.flags & OBJECT_WATCHED))) {
        list->items[list->count++] = item;
        return true;
    }
    if (!list_reserve(vm, list, 1) || !note_store(vm, list, item)) {
        release(vm, item);
        return false;
    }
    list->items[list->count++] = item;
    return true;
}

// The item is counted first, so list_append_owned may take it in any case.
bool list_append(Vm *vm, List *list, Value item)
{
    return list_append_owned(vm, list, value_retain(item));
}

enum { PIECE = 1 << 16 }; // items that are copied between two polls

// The fast way for a plain list or tuple. `count` is taken before anything
// grows, so that l.extend(l) ends.
static bool extend_array(Vm *vm, List *list, Object *from)
{
    bool is_list = from->kind == KIND_LIST;
    size_t count = is_list ? ((List *)from)->count : ((Tuple *)from)->count;
    if (!list_reserve(vm, list, count) ||
        !note_store(vm, list, value_from_object(from))) {
        return false;
    }
    // Read after the growth: `from` may be the list itself.
    const Value *items =
        is_list ? ((List *)from)->items : ((Tuple *)from)->items;
    // Counted piece by piece, so that Ctrl-C leaves a valid list.
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < PIECE ? count - done : PIECE;
        Value *out = list->items + list->count;
        for (size_t i = 0; i < piece; i++) {
            out[i] = value_retain(items[done + i]);
        }
        list->count += piece;
        done += piece;
        if (!ctx_poll(&vm->ctx)) {
            return false;
        }
    }
    return true;
}

// The characters of ASCII text, all of which are shared strs.
static bool extend_characters(Vm *vm, List *list, Str *text)
{
    if (!list_reserve(vm, list, text->length) ||
        !note_store(vm, list, value_from_object(text))) {
        return false;
    }
    for (size_t i = 0; i < text->length; i++) {
        Str *one = str_new_ascii(vm, text->text + i, 1);
        if (one == NULL) {
            return false;
        }
        list->items[list->count++] = str_value(one);
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            return false;
        }
    }
    return true;
}

// Makes room for a range at once, whose length is known without running code:
// one that no memory can hold then fails here, and not after hours.
static bool range_room(Vm *vm, List *list, Value iterable)
{
    if (!value_is_kind(iterable, KIND_RANGE)) {
        return true;
    }
    int64_t length = type_of(vm, iterable)->slots.length(vm, iterable);
    return length >= 0 && list_reserve(vm, list, (size_t)length);
}

// A generator's item goes straight to the end of the list.
typedef struct ListSink {
    Sink sink;
    List *list;
} ListSink;

// Only where there is room: the loop outside fails for want of memory.
static bool list_take(Vm *vm, Sink *sink, Value item)
{
    List *list = ((ListSink *)sink)->list;
    (void)vm;
    if (list->count >= list->capacity) {
        return false;
    }
    list->items[list->count++] = item;
    return true;
}

// All that a built-in iterator gives, as value_next would get it.
static bool extend_steps(Vm *vm, List *list, Value source)
{
    Iterator *iterator = (Iterator *)value_object(source);
    if (!note_step(vm, iterator) || !ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = true;
    Value item = VALUE_UNBOUND;
    while (ok && !value_same(item = iterator->step(vm, iterator), VALUE_STOP)) {
        ok = !value_failed(item) && list_append_owned(vm, list, item) &&
             ctx_poll(&vm->ctx);
    }
    ctx_leave(&vm->ctx);
    // A StopIteration of the function of map() ends it.
    if (value_failed(item) && raise_matches(vm, ERR_STOP_ITERATION)) {
        raise_clear(vm);
        return true;
    }
    return ok;
}

// Plain lists, tuples and ASCII texts need no iterator, but a subclass may
// define __iter__. Items are appended as they come, so those before an error
// stay; the poll lets Ctrl-C end an endless iterator. The list itself is never
// asked for an iterator, which would have no end.
bool list_extend(Vm *vm, List *list, Value iterable)
{
    if (value_is_object(iterable) &&
        (value_object(iterable) == (Object *)list ||
         value_object(iterable)->type == vm->types[KIND_LIST] ||
         value_object(iterable)->type == vm->types[KIND_TUPLE])) {
        return extend_array(vm, list, value_object(iterable));
    }
    if (value_is_str(iterable) && vm->trace == NULL &&
        value_object(iterable)->type == vm->types[KIND_STR] &&
        value_as_str(iterable)->count == value_as_str(iterable)->length) {
        return extend_characters(vm, list, value_as_str(iterable));
    }
    Value iterator = value_iter(vm, iterable);
    if (value_failed(iterator)) {
        return false;
    }
    if (iterator_is_plain(iterator)) {
        bool drained = range_room(vm, list, iterable) &&
                       value_ask_length(vm, iterable) &&
                       extend_steps(vm, list, iterator);
        release(vm, iterator);
        return drained;
    }
    Value item;
    // A generator's length is not known: its list grows as it comes.
    bool ok = range_room(vm, list, iterable) && value_ask_length(vm, iterable);
    ListSink sink = {{list_take}, list};
    // An error gives VALUE_FAIL, which ends the loop in its body.
    while (ok && !value_same(item = generator_feed(vm, iterator, &sink.sink),
                             VALUE_STOP)) {
        ok = !value_failed(item) && list_append_owned(vm, list, item) &&
             ctx_poll(&vm->ctx);
    }
    release(vm, iterator);
    return ok;
}

// The list is emptied before the first release: a destructor that runs Duet
// code sees an empty list and may even append to it.
void list_clear(Vm *vm, List *list)
{
    Value *items = list->items;
    size_t count = list->count, capacity = list->capacity;
    list->items = NULL;
    list->count = list->capacity = 0;
    // From the last item on.
    for (size_t i = count; i > 0; i--) {
        release(vm, items[i - 1]);
    }
    ctx_free(&vm->ctx, items, capacity * sizeof *items);
}

static void list_destroy(Vm *vm, Object *self)
{
    // Nobody can see the list any more, so that it need not look empty.
    // From the last item on.
    List *list = (List *)self;
    for (size_t i = list->count; i > 0; i--) {
        release(vm, list->items[i - 1]);
    }
    ctx_free(&vm->ctx, list->items, list->capacity * sizeof *list->items);
    object_free(vm, self, sizeof(List));
}

// The collector's clear: breaks cycles by giving up the items, and leaves a
// valid list.
static void list_clear_slot(Vm *vm, Object *self)
{
    list_clear(vm, (List *)self);
}

void values_visit(const Value *items, size_t count,
                  void (*visit)(Object *child, void *data), void *data)
{
    for (size_t i = 0; i < count; i++) {
        if (value_is_object(items[i])) {
            visit(value_object(items[i]), data);
        }
    }
}

// An item may be the list itself.
static void list_visit(Object *self, void (*visit)(Object *, void *),
                       void *data)
{
    values_visit(((List *)self)->items, ((List *)self)->count, visit, data);
}

// sequence_repr guards against a list that contains itself.
static Value list_repr(Vm *vm, Value self)
{
    return sequence_repr(vm, self, "[", "]");
}

// The count of an array in memory always fits.
static int64_t list_length(Vm *vm, Value self)
{
    (void)vm;
    return (int64_t)value_as_list(self)->count;
}

// Identity comes first: a NaN is in the list that holds it. The array and its
// length are read again in each round, since __eq__ may change them.
int sequence_contains(Vm *vm, Value self, Value item)
{
    bool is_list = value_object(self)->kind == KIND_LIST;
    List *list = value_as_list(self);
    Tuple *tuple = value_as_tuple(self);
    for (size_t i = 0; i < (is_list ? list->count : tuple->count); i++) {
        Value at = is_list ? list->items[i] : tuple->items[i];
        if (value_same(at, item)) {
            return 1;
        }
        // __eq__ may take the item out of the list while it runs.
        value_retain(at);
        int equal = value_equal(vm, at, item);
        release(vm, at);
        if (equal != 0 || !ctx_poll(&vm->ctx)) {
            return equal != 0 ? equal : -1;
        }
    }
    return 0;
}

// A small int, by far the commonest key, takes neither type lookup nor call. An
// int beyond 64 bits is an IndexError, not the OverflowError of value_to_index.
bool sequence_index(Vm *vm, const char *what, Value key, const size_t *count,
                    size_t *out)
{
    int64_t index;
    if (value_is_int(key)) {
        index = value_small(key);
    } else {
        // A bool is an int to an index; a float is none, even a whole one.
        if (!value_is_bool(key) && type_of(vm, key)->slots.index == NULL &&
            !value_is_kind(key, KIND_INT)) {
            return raise_false(vm, ERR_TYPE,
                               "%s indices must be integers or slices, not %s",
                               what, type_name(type_of(vm, key)));
        }
        if (!value_to_place(vm, key, &index)) {
            return false;
        }
    }
    index += index < 0 ? (int64_t)*count : 0;
    *out = (size_t)index;
    return index >= 0 && (size_t)index < *count;
}

// Whether a tensor without a value is the index, or a bound of it, and the list
// is one of a graph for that: 1; 0, or -1 with an error pending.
static int held_for(Vm *vm, List *list, Value key)
{
    if (LIKELY(vm->trace == NULL)) {
        return 0;
    }
    bool symbolic = value_is_kind(key, KIND_SYMBOLIC);
    if (value_is_kind(key, KIND_SLICE)) {
        const Slice *slice = (const Slice *)value_object(key);
        symbolic = value_is_kind(slice->start, KIND_SYMBOLIC) ||
                   value_is_kind(slice->stop, KIND_SYMBOLIC);
    }
    return symbolic ? vm->hooks->hold(vm, &list->head) : 0;
}

// sequence_index leaves "out of range" to its callers, whose wording differs.
static Value list_get_item(Vm *vm, Value self, Value key)
{
    List *list = value_as_list(self);
    int held = held_for(vm, list, key);
    if (UNLIKELY(held != 0)) {
        return held < 0 ? VALUE_FAIL : value_get_item(vm, self, key);
    }
    if (value_is_kind(key, KIND_SLICE)) {
        return list_slice_get(vm, list, (Slice *)value_object(key));
    }
    size_t index;
    // No pending error means that the index was one, but out of range.
    if (!sequence_index(vm, "list", key, &list->count, &index)) {
        return vm_has_error(vm)
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_INDEX, "list index out of range");
    }
    return value_retain(list->items[index]);
}

// Assignment, or deletion if `value` is UNBOUND. The new value is retained
// before the old one goes (value_replace), which matters for l[i] = l[i].
static bool list_set_item(Vm *vm, Value self, Value key, Value value)
{
    List *list = value_as_list(self);
    int held = held_for(vm, list, key);
    if (UNLIKELY(held != 0)) {
        return held > 0 && value_set_item(vm, self, key, value);
    }
    if (value_is_kind(key, KIND_SLICE)) {
        return list_slice_set(vm, list, (Slice *)value_object(key), value);
    }
    size_t index;
    if (!sequence_index(vm, "list", key, &list->count, &index)) {
        return vm_has_error(vm)
                   ? false
                   : raise_false(vm, ERR_INDEX, "%s",
                                 "list assignment index out of range");
    }
    // Before anything moves: a trace may refuse the change.
    if (!note_store(vm, list, value)) {
        return false;
    }
    if (value_unbound(value)) {
        Value old = list->items[index];
        list->count--;
        memmove(list->items + index, list->items + index + 1,
                (list->count - index) * sizeof *list->items);
        release(vm, old);
    } else {
        value_replace(&vm->ctx, &list->items[index], value_retain(value));
    }
    return true;
}

// The sum of two lists is a plain list even if they are of subclasses. The room
// for both is made at once.
static Value list_concat(Vm *vm, List *a, List *b)
{
    List *result = list_new(vm, a->count + b->count);
    if (result == NULL) {
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < result->count; i++) {
        result->items[i] =
            value_retain(i < a->count ? a->items[i] : b->items[i - a->count]);
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            object_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
    }
    return value_from_object(result);
}

// Too long a result is a MemoryError before anything is allocated; the poll
// lets Ctrl-C end a long fill.
static Value list_repeat(Vm *vm, List *list, Value times)
{
    int64_t count;
    if (!value_to_count(vm, times, &count)) {
        return VALUE_FAIL;
    }
    count = count < 0 ? 0 : count;
    if (list->count != 0 && (uint64_t)count > UINT32_MAX / list->count) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    List *result = list_new(vm, list->count * (size_t)count);
    if (result == NULL) {
        return VALUE_FAIL;
    }
    for (size_t i = 0, j = 0; i < result->count; i++) {
        result->items[i] = value_retain(list->items[j]);
        // Goes round in the source without a division for each item.
        j = j + 1 == list->count ? 0 : j + 1;
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            object_release(&vm->ctx, result);
            return VALUE_FAIL;
        }
    }
    return value_from_object(result);
}

// False without an error for anything else, None and floats among them.
bool value_is_index(Vm *vm, Value v)
{
    return value_is_int(v) || value_is_bool(v) ||
           (value_is_object(v) && type_of(vm, v)->slots.index != NULL);
}

// The list stands on either side: 2 * [x] arrives here too. Nothing but list +
// list is a sum; NOT_IMPLEMENTED lets the other operand try.
static Value list_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool left = value_is_kind(a, KIND_LIST);
    if (op == BINARY_ADD && left && value_is_kind(b, KIND_LIST)) {
        return list_concat(vm, value_as_list(a), value_as_list(b));
    }
    if (op == BINARY_MUL && value_is_index(vm, left ? b : a)) {
        return list_repeat(vm, value_as_list(left ? a : b), left ? b : a);
    }
    return VALUE_NOT_IMPLEMENTED;
}

// += takes any iterable, unlike +, and keeps the list's identity. The result is
// the list again, counted for the caller.
static Value list_inplace(Vm *vm, BinaryOp op, Value a, Value b)
{
    List *list = value_as_list(a);
    if (op == BINARY_ADD) {
        return list_extend(vm, list, b) ? value_retain(a) : VALUE_FAIL;
    }
    if (op != BINARY_MUL || !value_is_index(vm, b)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Value repeated = list_repeat(vm, list, b);
    if (value_failed(repeated) || !note_store(vm, list, VALUE_UNBOUND)) {
        return value_failed(repeated) ? repeated
                                      : (release(vm, repeated), VALUE_FAIL);
    }
    // Swaps the arrays, so that the old items die with the temporary list.
    List *other = value_as_list(repeated), old = *list;
    list->items = other->items;
    list->count = other->count;
    list->capacity = other->capacity;
    // The identity of the list is that of its header, which stays.
    other->items = old.items;
    other->count = old.count;
    other->capacity = old.capacity;
    release(vm, repeated);
    return value_retain(a);
}

// An empty list of any class with list's layout; the items come in __init__, so
// that a subclass may take other arguments.
static Value list_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args;
    (void)keywords;
    List *list = object_new(vm, cls, cls->def->size);
    if (list == NULL) {
        return VALUE_FAIL;
    }
    list->items = NULL;
    list->count = list->capacity = 0;
    return value_from_object(list);
}

// Called again on a list in use, it replaces what the list held.
static bool list_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    List *list = value_as_list(self);
    // Keywords may be meant for a __new__ of the class.
    bool own_new = type_of(vm, self)->slots.make != list_make;
    if (!arguments_check(vm, "list", args, own_new ? NULL : keywords, 1)) {
        return false;
    }
    if (list->count > 0 && !note_store(vm, list, VALUE_UNBOUND)) {
        return false;
    }
    list_clear(vm, list);
    return args->count == 0 || list_extend(vm, list, args->items[0]);
}

// `init` fills what `make` left empty; compare, contains and iter are shared
// with tuple (sequence.h).
const TypeDef list_type_def = {
    .name = "list",
    .doc = "A mutable sequence: list(iterable=()).",
    .params = "iterable=(), /",
    .kind = KIND_LIST,
    .size = sizeof(List),
    .flags = TYPE_TRACKED | TYPE_UNHASHABLE | TYPE_GENERIC | TYPE_JOINS,
    .operators = "add mul rmul iadd imul",
    .plain = "getitem",
    .slots = {.destroy = list_destroy,
              .visit = list_visit,
              .clear = list_clear_slot,
              .make = list_make,
              .init = list_init,
              .repr = list_repr,
              .compare = sequence_compare,
              .binary = list_binary,
              .inplace = list_inplace,
              .length = list_length,
              .get_item = list_get_item,
              .set_item = list_set_item,
              .contains = sequence_contains,
              .iter = sequence_iter},
    .methods = list_methods,
    .class_methods = generic_class_methods,
};
