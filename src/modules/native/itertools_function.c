// itertools: what asks a function, and what reads several iterators at once.
//
// The invariant of their state is in itertools.h.
#include "modules/native/itertools.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"

// The truth of what the function says, which None is not. 1, 0, or -1 with an
// error pending. Takes nothing.
static int asks(Vm *vm, Value function, Value item)
{
    Value answer = vm_call(vm, function, &item, 1);
    int truth = value_failed(answer) ? -1 : value_truth(vm, answer);
    release(vm, answer);
    return truth;
}

// The truth of function(item): 1, 0, -1. None asks the item itself. bool()
// would do the same and cost a call.
static int test(Vm *vm, Value function, Value item)
{
    if (value_is_none(function)) {
        return value_truth(vm, item);
    }
    return asks(vm, function, item);
}

// state: the iterator, the total or UNBOUND, the function or None; expected:
// the total was given and is still to be shown.
STEP(accumulate)
{
    if (self->expected) {
        self->expected = 0;
        return value_retain(self->state[1]);
    }
    Value item = itertools_ask(vm, self);
    if (!itertools_is_item(item)) {
        return item;
    }
    // No total yet: the first item is the first total, and the function is not
    // asked.
    Value pair[2] = {value_retain(self->state[1]), item}, total;
    if (value_unbound(pair[0])) {
        total = value_retain(item);
    } else if (value_is_none(self->state[2])) {
        total = value_binary(vm, BINARY_ADD, pair[0], pair[1]);
    } else {
        total = vm_call(vm, self->state[2], pair, 2);
    }
    release(vm, pair[0]);
    release(vm, item);
    if (!value_failed(total)) {
        // One reference for the state, one for who asked.
        value_replace(&vm->ctx, &self->state[1], value_retain(total));
    }
    return total;
}

MAKE(accumulate)
{
    bool given = !value_unbound(args[2]) && !value_is_none(args[2]);
    Value function = value_unbound(args[1]) ? VALUE_NONE : args[1];
    Value made = iterator_over(vm, &iterator_plain_def, "itertools.accumulate",
                               step_accumulate, args[0],
                               given ? args[2] : VALUE_UNBOUND, function);
    if (!value_failed(made)) {
        ((Iterator *)value_object(made))->expected = given;
    }
    return made;
}

// state: the iterator, the predicate; expected: an item failed.
STEP(takewhile)
{
    if (self->expected) {
        return VALUE_STOP;
    }
    Value item = itertools_ask(vm, self);
    if (!itertools_is_item(item)) {
        return item;
    }
    // The item that failed is lost: what reads on from the source begins behind
    // it.
    int keep = asks(vm, self->state[1], item);
    if (keep > 0) {
        return item;
    }
    release(vm, item);
    self->expected = keep == 0;
    return keep < 0 ? VALUE_FAIL : VALUE_STOP;
}

// expected: an item has been let through.
STEP(dropwhile)
{
    for (;;) {
        Value item = itertools_ask(vm, self);
        if (self->expected || !itertools_is_item(item)) {
            return item;
        }
        int drop = asks(vm, self->state[1], item);
        if (drop == 0) {
            self->expected = 1;
            return item;
        }
        release(vm, item);
        // A source without end, all of it dropped, must heed Ctrl-C.
        if (drop < 0 || !ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
}

// The contrary of filter; None asks the items themselves.
STEP(filterfalse)
{
    for (;;) {
        Value item = itertools_ask(vm, self);
        if (!itertools_is_item(item)) {
            return item;
        }
        int drop = test(vm, self->state[1], item);
        if (drop == 0) {
            return item;
        }
        release(vm, item);
        // Here too the source may have no end.
        if (drop < 0 || !ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
}

STEP(starmap)
{
    Value item = itertools_ask(vm, self);
    if (!itertools_is_item(item)) {
        return item;
    }
    // A tuple is taken as it is, so that the usual case copies nothing.
    Tuple *arguments = value_to_tuple(vm, item);
    release(vm, item);
    if (arguments == NULL) {
        return VALUE_FAIL;
    }
    Value result = vm_call(vm, self->state[1], arguments->items,
                           (uint32_t)arguments->count);
    object_release(&vm->ctx, arguments);
    return result;
}

#define MAKE_BY_FUNCTION(id)                                                   \
    MAKE(id)                                                                   \
    {                                                                          \
        return iterator_over(vm, &iterator_plain_def, "itertools." #id,        \
                             step_##id, args[1], args[0], VALUE_UNBOUND);      \
    }
MAKE_BY_FUNCTION(takewhile)
MAKE_BY_FUNCTION(dropwhile)
MAKE_BY_FUNCTION(filterfalse)
MAKE_BY_FUNCTION(starmap)

// --- several at once ---

// state: the data, the selectors.
STEP(compress)
{
    for (;;) {
        Value item = itertools_ask(vm, self);
        if (!itertools_is_item(item)) {
            return item;
        }
        // The item is read first, where an item more than there are selectors
        // is lost.
        Value selector = value_next(vm, self->state[1]);
        int keep = itertools_is_item(selector) ? value_truth(vm, selector) : -1;
        // Told before the release, which leaves the value itself unreadable.
        bool stop = value_same(selector, VALUE_STOP);
        release(vm, selector);
        if (keep > 0) {
            return item;
        }
        release(vm, item);
        if (stop) {
            return VALUE_STOP;
        }
        if (keep < 0 || !ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
}

// The selectors' iterator is made first, so that it fails before the data is
// touched.
MAKE(compress)
{
    Value selectors = value_iter(vm, args[1]);
    if (value_failed(selectors)) {
        return selectors;
    }
    Value made =
        iterator_over(vm, &iterator_plain_def, "itertools.compress",
                      step_compress, args[0], selectors, VALUE_UNBOUND);
    release(vm, selectors);
    return made;
}

// state: the iterator, the item before. The source may ask for pairs itself,
// which moves the state on: the item before is held here meanwhile.
STEP(pairwise)
{
    if (value_unbound(self->state[1])) {
        Value first = itertools_next(vm, self);
        if (!itertools_is_item(first)) {
            return first;
        }
        value_replace(&vm->ctx, &self->state[1], first);
    }
    Value before = value_retain(self->state[1]);
    Value item = itertools_next(vm, self);
    if (!itertools_is_item(item)) {
        release(vm, before);
        // The last item need not live as long as the iterator that ended.
        value_replace(&vm->ctx, &self->state[1], VALUE_UNBOUND);
        return item;
    }
    Tuple *pair = iterator_result(vm, self, 2);
    if (pair == NULL) {
        release(vm, before);
        release(vm, item);
        return VALUE_FAIL;
    }
    pair->items[0] = before;
    pair->items[1] = item;
    value_replace(&vm->ctx, &self->state[1], value_retain(item));
    return value_from_object(pair);
}

MAKE(pairwise)
{
    return iterator_over(vm, &iterator_plain_def, "itertools.pairwise",
                         step_pairwise, args[0], VALUE_UNBOUND, VALUE_UNBOUND);
}

// state: the list of iterators, None in the places of those that ended; the
// filler; position: how many are left.
STEP(zip_longest)
{
    if (value_unbound(self->state[0]) || self->position == 0) {
        return VALUE_STOP;
    }
    // The tuple of the last row is filled again if nobody else holds it.
    List *sources = value_as_list(self->state[0]);
    Tuple *row = iterator_result(vm, self, sources->count);
    for (size_t i = 0; row != NULL && i < sources->count; i++) {
        Value source = sources->items[i];
        Value item =
            value_is_none(source) ? VALUE_STOP : value_next(vm, source);
        if (value_same(item, VALUE_STOP)) {
            // The last one that had items has ended: the row begun is no row.
            if (!value_is_none(source) && --self->position == 0) {
                object_release(&vm->ctx, row);
                return VALUE_STOP;
            }
            // It is not asked again, and its memory goes now.
            value_replace(&vm->ctx, &sources->items[i], VALUE_NONE);
            item = value_retain(self->state[1]);
        }
        if (value_failed(item)) {
            self->position = 0;
            object_release(&vm->ctx, row);
            return VALUE_FAIL;
        }
        row->items[i] = item;
    }
    return value_or_fail(row);
}

// All iterators are made now: an argument that has none fails here.
MAKE(zip_longest)
{
    const Tuple *iterables = value_as_tuple(args[0]);
    // Of None, until each is made.
    List *sources = list_new(vm, iterables->count);
    for (size_t i = 0; sources != NULL && i < iterables->count; i++) {
        sources->items[i] = value_iter(vm, iterables->items[i]);
        if (value_failed(sources->items[i])) {
            object_release(&vm->ctx, sources);
            return VALUE_FAIL;
        }
    }
    Iterator *self = sources == NULL ? NULL
                                     : iterator_new(vm, &iterator_plain_def,
                                                    "itertools.zip_longest",
                                                    step_zip_longest);
    if (self == NULL) {
        object_release_null(&vm->ctx, sources);
        return VALUE_FAIL;
    }
    self->state[0] = value_from_object(sources);
    self->state[1] =
        value_unbound(args[1]) ? VALUE_NONE : value_retain(args[1]);
    self->position = iterables->count;
    return value_from_object(self);
}

// Reads the source for the link at the end of the chain. True stands in the
// link's place for the next one meanwhile: the source may ask a copy again,
// which would read into the same link. 1, 0: no more, -1: failed.
static int tee_read(Vm *vm, Iterator *self, List *link)
{
    if (value_same(link->items[1], VALUE_TRUE)) {
        return raise_int(vm, ERR_RUNTIME, "cannot re-enter the tee iterator");
    }
    link->items[1] = VALUE_TRUE;
    Value item = value_next(vm, self->state[0]);
    link->items[1] = VALUE_NONE;
    if (!itertools_is_item(item)) {
        return value_failed(item) ? -1 : 0;
    }
    List *next = list_new(vm, 2); // of None
    if (next == NULL) {
        release(vm, item);
        return -1;
    }
    value_replace(&vm->ctx, &link->items[0], item);
    link->items[1] = value_from_object(next);
    return 1;
}

// All copies walk one chain of links [item, next]; the last one is [None,
// None], and who comes to it reads on. state: the iterator, the link.
STEP(tee)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    List *link = value_as_list(self->state[1]);
    // At the chain's end: this copy is the furthest, and reads for the others.
    if (!value_is_kind(link->items[1], KIND_LIST)) {
        int found = tee_read(vm, self, link);
        if (found <= 0) {
            return found < 0 ? VALUE_FAIL : VALUE_STOP;
        }
    }
    Value item = value_retain(link->items[0]);
    // This may free the link behind, which no slower copy holds.
    value_replace(&vm->ctx, &self->state[1], value_retain(link->items[1]));
    return item;
}

// The source is read once for all; what no copy needs any more goes with its
// link.
MAKE(tee)
{
    int64_t copies = 2;
    if (!value_unbound(args[1]) && !value_to_index(vm, args[1], &copies)) {
        return VALUE_FAIL;
    }
    if (copies < 0) {
        return raise_error(vm, ERR_VALUE, "n must be >= 0");
    }
    Value source = value_iter(vm, args[0]);
    List *link = value_failed(source) ? NULL : list_new(vm, 2);
    Tuple *result = link == NULL ? NULL : tuple_new(vm, (size_t)copies);
    for (int64_t i = 0; result != NULL && i < copies; i++) {
        Iterator *self =
            iterator_new(vm, &iterator_plain_def, "itertools._tee", step_tee);
        if (self == NULL) {
            object_release(&vm->ctx, result);
            result = NULL;
            break;
        }
        self->state[0] = value_retain(source);
        self->state[1] = value_from_object(object_retain(link));
        result->items[i] = value_from_object(self);
    }
    release(vm, source);
    object_release_null(&vm->ctx, link);
    return value_or_fail(result);
}
