// itertools: count, repeat, cycle, chain, islice, and what all share.
//
// The invariant of their state is in itertools.h.
#include "modules/native/itertools.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"

// itertools_ended lets go of the iterator, so that it is not asked again.
Value itertools_next(Vm *vm, Iterator *self)
{
    Value item = itertools_ask(vm, self);
    return value_same(item, VALUE_STOP) ? itertools_ended(vm, self) : item;
}

// A source may go on behind its end, and most see that.
Value itertools_ask(Vm *vm, Iterator *self)
{
    return value_unbound(self->state[0]) ? VALUE_STOP
                                         : value_next(vm, self->state[0]);
}

// state: the next number, the step.
// Any type with + will do: fractions and dates count as well.
STEP(count)
{
    Value number = self->state[0];
    // Computed first: if it fails the number stays, and may be asked for again.
    Value next = value_binary(vm, BINARY_ADD, number, self->state[1]);
    if (value_failed(next)) {
        return VALUE_FAIL;
    }
    self->state[0] = next;
    return number; // moved out
}

// Any number will do; anything else is refused before the first step.
// A bool is a number, too, and an unbound one takes the default.
MAKE(count)
{
    for (int i = 0; i < 2; i++) {
        // By its slots: classes of the program with __float__ or __index__ will
        // do.
        if (!value_unbound(args[i]) && !value_is_bool(args[i]) &&
            type_of(vm, args[i])->slots.to_float == NULL &&
            type_of(vm, args[i])->slots.index == NULL &&
            !value_is_integer(args[i])) {
            return raise_error(vm, ERR_TYPE, "a number is required");
        }
    }
    Iterator *self =
        iterator_new(vm, &iterator_plain_def, "itertools.count", step_count);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->state[0] =
        value_unbound(args[0]) ? value_from_small(0) : value_retain(args[0]);
    self->state[1] =
        value_unbound(args[1]) ? value_from_small(1) : value_retain(args[1]);
    // In steps of one a bool or an instance of an int's subclass counts as the
    // int that it is.
    int64_t step;
    if ((value_is_integer(self->state[0]) || value_is_bool(self->state[0])) &&
        (value_is_integer(self->state[1]) || value_is_bool(self->state[1])) &&
        int_to_i64(self->state[1], &step) && step == 1) {
        Value start = int_exact(vm, self->state[0]);
        value_replace(&vm->ctx, &self->state[0], start);
        value_replace(&vm->ctx, &self->state[1], value_from_small(1));
        if (value_failed(start)) {
            object_release(&vm->ctx, self);
            return VALUE_FAIL;
        }
    }
    return value_from_object(self);
}

// "name(a)" or "name(a, b)" of two values; UNBOUND: left out. The reprs of the
// values may run code and fail.
// Owned.
static Value repr_of(Vm *vm, const char *name, Value a, Value b)
{
    Str *first = value_repr(vm, a);
    Str *second = first == NULL || value_unbound(b) ? NULL : value_repr(vm, b);
    Str *text = NULL;
    if (first != NULL && (second != NULL || value_unbound(b))) {
        text = str_printf(vm, "%s(%s%s%s)", name, first->text,
                          second == NULL ? "" : ", ",
                          second == NULL ? "" : second->text);
    }
    object_release_null(&vm->ctx, first);
    object_release_null(&vm->ctx, second);
    return value_or_fail(text);
}

// A step of 1 is not shown.
// By identity with the int 1: a step of 1.0 is shown.
Value itertools_repr_count(Vm *vm, Value v)
{
    Iterator *self = (Iterator *)value_object(v);
    bool one = value_same(self->state[1], value_from_small(1));
    return repr_of(vm, "count", self->state[0],
                   one ? VALUE_UNBOUND : self->state[1]);
}

// state: None, the object; position: how often yet, expected: whether that is
// limited.
// state[0] is only the mark that every iterator of this module has.
STEP(repeat)
{
    (void)vm;
    if (self->expected) {
        if (self->position == 0) {
            return VALUE_STOP;
        }
        self->position--;
    }
    return value_retain(self->state[1]);
}

// A negative number of times is none.
MAKE(repeat)
{
    int64_t times = -1;
    bool limited = !value_unbound(args[1]);
    if (limited && !value_to_index(vm, args[1], &times)) {
        return VALUE_FAIL;
    }
    Iterator *self = iterator_new(vm, &iterator_counted_def, "itertools.repeat",
                                  step_repeat);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->state[0] = VALUE_NONE;
    self->state[1] = value_retain(args[0]);
    self->position = times < 0 ? 0 : (uint64_t)times;
    self->expected = limited;
    self->hint = HINT_REPEAT;
    return value_from_object(self);
}

// The times that are left, not those that were asked for.
Value itertools_repr_repeat(Vm *vm, Value v)
{
    Iterator *self = (Iterator *)value_object(v);
    return repr_of(vm, "repeat", self->state[1],
                   self->expected ? value_from_small((int64_t)self->position)
                                  : VALUE_UNBOUND);
}

// state: the iterator, the items read so far, True if it is the copy of one
// that had come round, whose items are all there; expected: they are repeated.
// The source is let go of at its end; the list serves from then on.
STEP(cycle)
{
    List *saved = value_as_list(self->state[1]);
    if (!self->expected) {
        Value item = itertools_next(vm, self);
        if (itertools_is_item(item) &&
            !value_same(self->state[2], VALUE_TRUE) &&
            !list_append(vm, saved, item)) {
            release(vm, item);
            return VALUE_FAIL;
        }
        if (!value_same(item, VALUE_STOP)) {
            return item;
        }
        self->expected = 1;
    }
    if (saved->count == 0) {
        return VALUE_STOP;
    }
    self->position = self->position < saved->count ? self->position : 0;
    return value_retain(saved->items[self->position++]);
}

// The list begins empty and takes each item as it is handed out.
MAKE(cycle)
{
    List *saved = list_new(vm, 0);
    if (saved == NULL) {
        return VALUE_FAIL;
    }
    Value made =
        iterator_over(vm, &iterator_plain_def, "itertools.cycle", step_cycle,
                      args[0], value_from_object(saved), VALUE_NONE);
    object_release(&vm->ctx, saved);
    return made;
}

// --- chain, islice ---

// state: the iterator over the iterables, that of the present one.
// Each iterable is asked for its iterator when its turn comes, not before.
STEP(chain)
{
    for (;;) {
        if (!value_unbound(self->state[1])) {
            Value item = value_next(vm, self->state[1]);
            if (!value_same(item, VALUE_STOP)) {
                return item;
            }
            value_replace(&vm->ctx, &self->state[1], VALUE_UNBOUND);
        }
        Value iterable = itertools_next(vm, self);
        if (!itertools_is_item(iterable)) {
            return iterable;
        }
        Value items = value_iter(vm, iterable);
        release(vm, iterable);
        if (value_failed(items)) {
            return itertools_ended(vm, self), VALUE_FAIL;
        }
        value_replace(&vm->ctx, &self->state[1], items);
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
}

// `*iterables` arrive as a tuple, from_iterable's argument as any iterable:
// both are walked in the same way.
MAKE(chain)
{
    return iterator_over(vm, &iterator_generic_def, "itertools.chain",
                         step_chain, args[0], VALUE_UNBOUND, VALUE_UNBOUND);
}

// The order of the steps is fixed: `position` items have been read, number
// `expected` is wanted next; state[1] is the stop or None, state[2] the step.
// What lies before the stop is consumed at the end.
// Owned.
STEP(islice)
{
    bool limited = !value_is_none(self->state[1]);
    // Without a stop: a number that is never reached.
    uint64_t stop =
        limited ? (uint64_t)value_small(self->state[1]) : UINT64_MAX;
    while (self->position < self->expected) {
        Value skipped = itertools_next(vm, self);
        if (!itertools_is_item(skipped)) {
            return skipped;
        }
        release(vm, skipped);
        self->position++;
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
    if (self->position >= stop) {
        return itertools_ended(vm, self);
    }
    Value item = itertools_next(vm, self);
    if (itertools_is_item(item)) {
        self->position++;
        self->expected += (uint64_t)value_small(self->state[2]);
        // No further than the stop, as no item behind it is read.
        self->expected = self->expected > stop ? stop : self->expected;
    }
    return item;
}

// A bound of islice: None gives `otherwise`. False: no such number. Errors of
// __index__ are dropped: all have the same words.
// `otherwise` stays in *out for None; a number below 0 is out of range and is
// left there.
static bool slice_bound(Vm *vm, Value v, int64_t otherwise, int64_t *out)
{
    *out = otherwise;
    if (value_unbound(v) || value_is_none(v)) {
        return true;
    }
    if (!value_is_index(vm, v) || !value_to_index(vm, v, out)) {
        if (vm_has_error(vm)) {
            raise_clear(vm);
        }
        // Which of the two texts the caller takes hangs on that.
        *out = -1;
        return false;
    }
    return *out >= 0;
}

// args: the tuple of the iterable and of what a slice takes.
// The order of the checks (stop, start, step) is fixed.
MAKE(islice)
{
    size_t given = value_as_tuple(args[0])->count;
    if (given < 2 || given > 4) {
        return raise_error(
            vm, ERR_TYPE, "islice expected at %s %d arguments, got %zu",
            given < 2 ? "least" : "most", given < 2 ? 2 : 4, given);
    }
    const Value *items = value_as_tuple(args[0])->items;
    // islice(it, stop), else start, stop and step.
    bool one = given == 2;
    Value none = VALUE_NONE;
    int64_t start = 0, stop = -1, step = 1;
    // -1 stands for "no number".
    if (!slice_bound(vm, items[one ? 1 : 2], -1, &stop)) {
        return raise_error(vm, ERR_VALUE,
                           "%s for islice() must be None or an "
                           "integer: 0 <= x <= sys.maxsize.",
                           stop < -1 ? "Indices" : "Stop argument");
    }
    if (!one && !slice_bound(vm, items[1], 0, &start)) {
        return raise_error(vm, ERR_VALUE,
                           "Indices for islice() must be None or an integer: "
                           "0 <= x <= sys.maxsize.");
    }
    if (!slice_bound(vm, given == 4 ? items[3] : none, 1, &step) || step < 1) {
        return raise_error(vm, ERR_VALUE,
                           "Step for islice() must be a "
                           "positive integer or None.");
    }
    Value made = iterator_over(
        vm, &iterator_plain_def, "itertools.islice", step_islice, items[0],
        stop < 0 ? none : value_from_small(stop), value_from_small(step));
    if (!value_failed(made)) {
        Iterator *self = (Iterator *)value_object(made);
        self->expected = (uint64_t)start;
    }
    return made;
}
