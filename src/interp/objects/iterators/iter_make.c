// The iterators behind built-in functions: enumerate, zip, map, filter,
// reversed.
//
// Invariant: that of obj_iter.c; each step function says what it keeps in
// state[].
#include "interp/objects/iterators/iter_make.h"

#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

// Lets the source go, by the invariant.
static Value exhausted(Vm *vm, Iterator *self)
{
    value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
    return VALUE_STOP;
}

// state: the iterator, the next number; the tuple of iterator_result.
static Value enumerate_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    Value item = sequence_next(vm, self->state[0]);
    // It may be asked again: a source can go on behind its end.
    if (value_failed(item) || value_same(item, VALUE_STOP)) {
        return item;
    }
    Value number = self->state[1], next;
    // Past the small ints the number is added to by the protocol.
    if (!value_is_int(number) ||
        !value_add_small(number, value_from_small(1), &next)) {
        next = value_binary(vm, BINARY_ADD, number, value_from_small(1));
    }
    if (value_failed(next)) {
        release(vm, item);
        return VALUE_FAIL;
    }
    // The old number moves into the pair; nothing is counted twice.
    self->state[1] = next;
    return iterator_pair(vm, self, number, item);
}

// `start` is UNBOUND for 0, else anything with __index__: what that gives is
// the first number. Any size of int: the step adds with the protocol.
Value iter_enumerate(Vm *vm, Value iterable, Value start)
{
    Value first =
        value_unbound(start) ? value_from_small(0) : value_index(vm, start);
    if (value_failed(first)) {
        return VALUE_FAIL;
    }
    Value result =
        iterator_over(vm, &iterator_generic_def, "enumerate", enumerate_step,
                      iterable, first, VALUE_UNBOUND);
    release(vm, first);
    return result;
}

// The iterators of all sources, as a Tuple. NULL: failed.
static Tuple *iterators_of(Vm *vm, Tuple *sources)
{
    Tuple *result = tuple_new(vm, sources->count);
    for (size_t i = 0; result != NULL && i < sources->count; i++) {
        // Valid values, should an error end the second loop early.
        result->items[i] = VALUE_NONE;
    }
    for (size_t i = 0; result != NULL && i < sources->count; i++) {
        Value iterator = value_iter(vm, sources->items[i]);
        if (value_failed(iterator)) {
            object_release(&vm->ctx, result);
            return NULL;
        }
        result->items[i] = iterator;
    }
    return result;
}

// One item of each iterator into a new Tuple; NULL with *stop: the number of
// the one that ended (counted from 1), 0: failed.
static Tuple *next_of_all(Vm *vm, Iterator *self, Tuple *iterators,
                          size_t *stop)
{
    *stop = 0;
    Tuple *items = iterator_reuse(vm, self, iterators->count);
    for (size_t i = 0; items != NULL && i < iterators->count; i++) {
        Value item = sequence_next(vm, iterators->items[i]);
        if (value_failed(item) || value_same(item, VALUE_STOP)) {
            *stop = value_failed(item) ? 0 : i + 1;
            object_release(&vm->ctx, items);
            return NULL;
        }
        value_replace(&vm->ctx, &items->items[i], item);
    }
    return items;
}

// zip(strict=True): iterator number `stop` ended; have the others, too?
static Value check_strict(Vm *vm, Tuple *iterators, size_t stop)
{
    const char *many = stop > 2 ? "s 1-" : " ";
    // An earlier iterator had an item left, or it would have ended first.
    if (stop > 1) {
        return raise_error(vm, ERR_VALUE,
                           "zip() argument %zu is shorter than argument%s%zu",
                           stop, many, stop - 1);
    }
    for (size_t i = 1; i < iterators->count; i++) {
        Value item = value_next(vm, iterators->items[i]);
        if (value_failed(item)) {
            return item;
        }
        if (!value_same(item, VALUE_STOP)) {
            release(vm, item);
            many = i > 1 ? "s 1-" : " ";
            return raise_error(
                vm, ERR_VALUE,
                "zip() argument %zu is longer than argument%s%zu", i + 1, many,
                i);
        }
    }
    return VALUE_STOP;
}

// state: the Tuple of iterators; expected: 1 if strict.
static Value zip_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0]) ||
        value_as_tuple(self->state[0])->count == 0) {
        return VALUE_STOP;
    }
    size_t stop;
    Tuple *iterators = value_as_tuple(self->state[0]);
    Tuple *items = next_of_all(vm, self, iterators, &stop);
    if (items != NULL) {
        return value_from_object(items);
    }
    // An error, after which it may be asked again.
    if (stop == 0) {
        return VALUE_FAIL;
    }
    return self->expected ? check_strict(vm, iterators, stop) : VALUE_STOP;
}

// All iterators are made now, so that an argument that has none fails here.
Value iter_zip(Vm *vm, Tuple *iterables, bool strict)
{
    Tuple *iterators = iterators_of(vm, iterables);
    Iterator *self = iterators == NULL ? NULL
                                       : iterator_new(vm, &iterator_plain_def,
                                                      "zip", zip_step);
    if (self == NULL) {
        object_release_null(&vm->ctx, iterators);
        return VALUE_FAIL;
    }
    self->state[0] = value_from_object(iterators);
    self->expected = strict;
    return value_from_object(self);
}

// state: the Tuple of iterators, the function.
static Value map_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    Tuple *iterators = value_as_tuple(self->state[0]);
    // The common case needs no tuple of arguments.
    if (iterators->count == 1) {
        Value item = sequence_next(vm, iterators->items[0]);
        if (value_failed(item) || value_same(item, VALUE_STOP)) {
            return item;
        }
        // The item is released behind the call: the function may keep it.
        Value result = vm_call(vm, self->state[1], &item, 1);
        release(vm, item);
        return result;
    }
    size_t stop;
    Tuple *items = next_of_all(vm, self, iterators, &stop);
    if (items == NULL) {
        return stop == 0 ? VALUE_FAIL : VALUE_STOP;
    }
    // The tuple is held during the call, whose arguments are borrowed.
    Value result =
        vm_call(vm, self->state[1], items->items, (uint32_t)items->count);
    object_release(&vm->ctx, items);
    return result;
}

// The function is not checked, the first call fails.
Value iter_map(Vm *vm, Value function, Tuple *iterables)
{
    if (iterables->count == 0) {
        return raise_error(vm, ERR_TYPE,
                           "map() must have at least two arguments.");
    }
    Tuple *iterators = iterators_of(vm, iterables);
    // Nothing is called until the first item is asked for.
    Iterator *self = iterators == NULL ? NULL
                                       : iterator_new(vm, &iterator_plain_def,
                                                      "map", map_step);
    if (self == NULL) {
        object_release_null(&vm->ctx, iterators);
        return VALUE_FAIL;
    }
    self->state[0] = value_from_object(iterators);
    self->state[1] = value_retain(function);
    return value_from_object(self);
}

// Whether filter keeps the item: 1, 0, -1.
static int filter_keeps(Vm *vm, Value function, Value item)
{
    if (value_is_none(function)) {
        return value_truth(vm, item);
    }
    Value result = vm_call(vm, function, &item, 1);
    // The result may be any object.
    int truth = value_failed(result) ? -1 : value_truth(vm, result);
    release(vm, result);
    return truth;
}

// state: the iterator, the function or None.
static Value filter_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    for (;;) {
        Value item = sequence_next(vm, self->state[0]);
        if (value_failed(item) || value_same(item, VALUE_STOP)) {
            return item;
        }
        int keep = filter_keeps(vm, self->state[1], item);
        if (keep > 0) {
            return item;
        }
        release(vm, item);
        if (keep < 0 || !ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
}

Value iter_filter(Vm *vm, Value function, Value iterable)
{
    return iterator_over(vm, &iterator_plain_def, "filter", filter_step,
                         iterable, function, VALUE_UNBOUND);
}

// position: how many items are left.
static Value reversed_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0]) || self->position == 0) {
        return exhausted(vm, self);
    }
    // A list may have become shorter.
    if (value_is_kind(self->state[0], KIND_LIST) &&
        self->position > value_as_list(self->state[0])->count) {
        return exhausted(vm, self);
    }
    self->position--;
    Value source = self->state[0];
    if (value_is_kind(source, KIND_LIST) ||
        (value_is_object(source) &&
         value_object(source)->type == vm->types[KIND_TUPLE])) {
        // Of any list and of a tuple itself, without the protocol.
        const Value *items = value_object(source)->kind == KIND_LIST
                                 ? value_as_list(source)->items
                                 : value_as_tuple(source)->items;
        return value_retain(items[self->position]);
    }
    // Through the protocol: any sequence can stand here, and end early.
    Value item =
        value_get_item(vm, source, value_from_small((int64_t)self->position));
    if (!value_failed(item) || !(raise_matches(vm, ERR_INDEX) ||
                                 raise_matches(vm, ERR_STOP_ITERATION))) {
        return item;
    }
    raise_clear(vm);
    return exhausted(vm, self);
}

// From the last item to the first, by length and items alone.
Value iter_reversed_plain(Vm *vm, Value sequence)
{
    Type *type = type_of(vm, sequence);
    // The error is that of len().
    if (type->slots.get_item != NULL && type->slots.length == NULL) {
        return value_length(vm, sequence) < 0 ? VALUE_FAIL : VALUE_NONE;
    }
    if (type->slots.get_item == NULL || value_is_kind(sequence, KIND_DICT)) {
        return raise_error(vm, ERR_TYPE, "'%s' object is not reversible",
                           type_name(type));
    }
    // Taken once: items added later are not seen.
    int64_t length = value_is_kind(sequence, KIND_LIST)
                         ? (int64_t)value_as_list(sequence)->count
                         : value_length(vm, sequence);
    bool list = value_is_kind(sequence, KIND_LIST);
    Iterator *self =
        length < 0 ? NULL
                   : iterator_new(vm, &iterator_counted_def,
                                  list ? "list_reverseiterator" : "reversed",
                                  reversed_step);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->state[0] = value_retain(sequence);
    self->position = (uint64_t)length;
    self->hint = list ? HINT_DOWN : HINT_DOWN | HINT_ASKS;
    return value_from_object(self);
}

// __reversed__ first, then the protocol of sequences: length and items by
// index. A dict has both, but its items are not by position.
Value iter_reversed(Vm *vm, Value sequence)
{
    if (type_of(vm, sequence) == vm->types[KIND_LIST]) {
        return iter_reversed_plain(vm, sequence);
    }
    Value method = value_find_method(vm, sequence, vm->names[NAME_REVERSED]);
    if (value_failed(method)) {
        return VALUE_FAIL;
    }
    if (value_unbound(method)) {
        return iter_reversed_plain(vm, sequence);
    }
    // None says that a class is not to be reversed, whatever it has.
    Value result =
        value_is_none(method)
            ? raise_error(vm, ERR_TYPE, "'%s' object is not reversible",
                          type_name(type_of(vm, sequence)))
            : vm_call(vm, method, NULL, 0);
    release(vm, method);
    return result;
}
