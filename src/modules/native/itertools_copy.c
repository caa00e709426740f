// Copies of itertools' iterators, as CPython 3.11 describes them.
//
// The meaning of state[] stands above each step function; the states that
// __setstate__ takes come from the program and are checked or clipped here.
#include <string.h>

#include "interp/objects/classes/class_new.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/iterators/iter_copy.h"
#include "interp/objects/numbers/obj_int.h"
#include "modules/native/itertools.h"

#define REDUCE(id) Value itertools_reduce_##id(Vm *vm, Iterator *self)
#define STATE(id) bool itertools_state_##id(Vm *vm, Iterator *self, Value state)

// class(a, b), with a state or UNBOUND; all are taken.
static Value reduced(Vm *vm, Iterator *self, Value a, Value b, Value state)
{
    Value args[] = {a, b};
    return iterator_reduced(vm, iterator_class(self), args,
                            value_unbound(b) ? 1 : 2, state);
}

// A tuple of one or two values, which are taken; `b` may be UNBOUND.
static Value group(Vm *vm, Value a, Value b)
{
    Value items[] = {a, b};
    return iterator_tuple(vm, items, value_unbound(b) ? 1 : 2);
}

// A state that is a tuple of `count` items, borrowed; NULL: it is none.
static Tuple *tuple_state(Value state, size_t count)
{
    bool fits = value_is_kind(state, KIND_TUPLE) &&
                value_as_tuple(state)->count == count;
    return fits ? value_as_tuple(state) : NULL;
}

// A value of the state or None, which stands for one that is not there yet.
static Value or_none(Value v)
{
    return value_unbound(v) ? VALUE_NONE : value_retain(v);
}

// The given start of a total that was not shown goes in front of the source.
REDUCE(accumulate)
{
    Value source = iterator_source(vm, self);
    Value function = value_retain(self->state[2]);
    if (!self->expected) {
        return reduced(vm, self, source, function, or_none(self->state[1]));
    }
    Value first = group(vm, value_retain(self->state[1]), VALUE_UNBOUND);
    Value iterables = group(vm, first, source), chained = VALUE_FAIL;
    if (!value_failed(iterables)) {
        chained = itertools_chain(vm, &iterables, 1);
    }
    release(vm, iterables);
    return reduced(vm, self, chained, function, VALUE_NONE);
}

STATE(accumulate)
{
    self->expected = 0;
    value_replace(&vm->ctx, &self->state[1], value_retain(state));
    return true;
}

// No arguments: the source and the present one are the state.
REDUCE(chain)
{
    Value parts[] = {iterator_class(self),
                     value_from_object(object_retain(vm->empty_tuple)),
                     VALUE_UNBOUND};
    if (value_unbound(self->state[0])) {
        return iterator_tuple(vm, parts, 2);
    }
    parts[2] =
        group(vm, value_retain(self->state[0]), value_retain(self->state[1]));
    return iterator_tuple(vm, parts, 3);
}

STATE(chain)
{
    if (!value_is_kind(state, KIND_TUPLE)) {
        return raise_false(vm, ERR_TYPE, "state is not a tuple");
    }
    const Tuple *parts = value_as_tuple(state);
    if (parts->count < 1 || parts->count > 2) {
        return raise_false(
            vm, ERR_TYPE, "function %s %d argument%s (%zu given)",
            parts->count < 1 ? "takes at least" : "takes at most",
            parts->count < 1 ? 1 : 2, parts->count < 1 ? "" : "s",
            parts->count);
    }
    for (size_t i = 0; i < parts->count; i++) {
        if (type_of(vm, parts->items[i])->slots.next == NULL) {
            return raise_false(vm, ERR_TYPE, "Arguments must be iterators.");
        }
    }
    value_replace(&vm->ctx, &self->state[0], value_retain(parts->items[0]));
    value_replace(&vm->ctx, &self->state[1],
                  parts->count == 2 ? value_retain(parts->items[1])
                                    : VALUE_UNBOUND);
    return true;
}

// The data and the selectors.
REDUCE(compress)
{
    return reduced(vm, self, iterator_source(vm, self), or_none(self->state[1]),
                   VALUE_UNBOUND);
}

// A step of one is left out where the number is a small int.
REDUCE(count)
{
    int64_t number;
    bool plain = value_same(self->state[1], value_from_small(1)) &&
                 value_is_integer(self->state[0]) &&
                 int_to_i64(self->state[0], &number);
    return reduced(vm, self, or_none(self->state[0]),
                   plain ? VALUE_UNBOUND : or_none(self->state[1]),
                   VALUE_UNBOUND);
}

// The items so far, and whether they are all. One that repeats them goes on
// in the middle of them.
REDUCE(cycle)
{
    List *saved = value_as_list(self->state[1]);
    bool whole = self->expected || value_same(self->state[2], VALUE_TRUE);
    Value source;
    if (self->expected || value_unbound(self->state[0])) {
        source = sequence_iter(vm, self->state[1]);
        // Behind the last item it is about to begin anew.
        if (!value_failed(source) && self->position < saved->count) {
            ((Iterator *)value_object(source))->position = self->position;
        }
    } else {
        source = value_retain(self->state[0]);
    }
    Value state = group(vm, value_from_object(object_retain(saved)),
                        value_from_bool(whole));
    return reduced(vm, self, source, VALUE_UNBOUND, state);
}

STATE(cycle)
{
    int64_t whole;
    if (!value_is_kind(state, KIND_TUPLE)) {
        return raise_false(vm, ERR_TYPE, "state is not a tuple");
    }
    const Tuple *parts = value_as_tuple(state);
    if (parts->count != 2 || !value_is_kind(parts->items[0], KIND_LIST)) {
        return raise_false(vm, ERR_TYPE, "a list and a flag are wanted");
    }
    if (!value_to_index(vm, parts->items[1], &whole)) {
        return false;
    }
    value_replace(&vm->ctx, &self->state[1], value_retain(parts->items[0]));
    self->state[2] = value_from_bool(whole != 0);
    self->position = 0;
    return true;
}

// Of takewhile, too: the function, the source, and whether the turn has come.
REDUCE(dropwhile)
{
    return reduced(vm, self, or_none(self->state[1]), iterator_source(vm, self),
                   value_from_small((int64_t)self->expected));
}

STATE(dropwhile)
{
    int turned = value_truth(vm, state);
    self->expected = turned > 0;
    return turned >= 0;
}

// Of filterfalse, too: the function and the source.
REDUCE(starmap)
{
    return reduced(vm, self, or_none(self->state[1]), iterator_source(vm, self),
                   VALUE_UNBOUND);
}

// At its end it has let its source go: a slice of nothing.
REDUCE(islice)
{
    if (value_unbound(self->state[0])) {
        List *empty = list_new(vm, 0);
        Value nothing = empty == NULL
                            ? VALUE_FAIL
                            : sequence_iter(vm, value_from_object(empty));
        object_release_null(&vm->ctx, empty);
        return reduced(vm, self, nothing, value_from_small(0),
                       value_from_small(0));
    }
    Value args[] = {value_retain(self->state[0]),
                    int_from_u64(vm, self->expected),
                    value_retain(self->state[1]), value_retain(self->state[2])};
    return iterator_reduced(vm, iterator_class(self), args, 4,
                            int_from_u64(vm, self->position));
}

STATE(islice)
{
    int64_t read;
    if (!iterator_place(vm, state, 0, INT64_MAX, &read)) {
        return false;
    }
    self->position = (uint64_t)read;
    return true;
}

// Items [from, to) of a list as a tuple, owned.
static Value places_from(Vm *vm, const List *places, size_t from, size_t to)
{
    Tuple *tuple = tuple_from(vm, places->items + from, to - from);
    return tuple == NULL ? VALUE_FAIL : value_from_object(tuple);
}

// combinations(pool, r) of what is at its end and was asked: of nothing.
static Value reduce_choices(Vm *vm, Iterator *self, Value state)
{
    bool ended = value_unbound(self->state[0]) && self->expected;
    if (ended) {
        release(vm, state);
        state = VALUE_UNBOUND;
    }
    return reduced(vm, self,
                   ended ? value_from_object(object_retain(vm->empty_tuple))
                         : value_retain(self->state[1]),
                   int_from_u64(vm, self->position), state);
}

// With the places of the choice that was given last.
REDUCE(combinations)
{
    const List *places = value_as_list(self->state[2]);
    return reduce_choices(vm, self,
                          self->expected
                              ? places_from(vm, places, 0, places->count)
                              : VALUE_UNBOUND);
}

REDUCE(permutations)
{
    const List *places = value_as_list(self->state[2]);
    size_t n = value_as_tuple(self->state[1])->count;
    return reduce_choices(vm, self,
                          self->expected
                              ? group(vm, places_from(vm, places, 0, n),
                                      places_from(vm, places, n, places->count))
                              : VALUE_UNBOUND);
}

static bool invalid_state(Vm *vm)
{
    return raise_false(vm, ERR_VALUE, "invalid arguments");
}

// A place of a list from an item of a state, clipped. False: it is no int.
static bool set_place(Vm *vm, List *places, size_t at, Value item,
                      int64_t least, int64_t most)
{
    int64_t place;
    if (!iterator_place(vm, item, least, most, &place)) {
        return false;
    }
    places->items[at] = value_from_small(place);
    return true;
}

// The places grow: each has an end of its own, but for those that may be
// equal.
STATE(combinations)
{
    const Tuple *pool = value_as_tuple(self->state[1]);
    List *places = value_as_list(self->state[2]);
    size_t n = pool->count, r = (size_t)self->position;
    const Tuple *given = tuple_state(state, r);
    if (given == NULL) {
        return invalid_state(vm);
    }
    bool grows = strcmp(type_name(type_native(self->head.type)),
                        "itertools.combinations") == 0;
    for (size_t i = 0; i < places->count; i++) {
        int64_t most = (int64_t)(grows ? i + n - r : n - 1);
        if (!set_place(vm, places, i, given->items[i], 0, most)) {
            return false;
        }
    }
    self->expected = 1;
    return true;
}

// The two tuples of a state. False: they are none.
static bool two_tuples(Vm *vm, Value state)
{
    if (!value_is_kind(state, KIND_TUPLE)) {
        return raise_false(vm, ERR_TYPE, "state is not a tuple");
    }
    const Tuple *both = value_as_tuple(state);
    if (both->count != 2) {
        return raise_false(vm, ERR_TYPE,
                           "function takes exactly 2 arguments (%zu given)",
                           both->count);
    }
    for (int i = 0; i < 2; i++) {
        if (!value_is_kind(both->items[i], KIND_TUPLE)) {
            return raise_false(vm, ERR_TYPE,
                               "argument %d must be tuple, not %s", i + 1,
                               type_name_given(vm, both->items[i]));
        }
    }
    return true;
}

STATE(permutations)
{
    if (!two_tuples(vm, state)) {
        return false;
    }
    List *places = value_as_list(self->state[2]);
    size_t n = value_as_tuple(self->state[1])->count;
    size_t r = (size_t)self->position;
    const Tuple *order = tuple_state(value_as_tuple(state)->items[0], n);
    const Tuple *turns = tuple_state(value_as_tuple(state)->items[1], r);
    if (order == NULL || turns == NULL) {
        return invalid_state(vm);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        ok = set_place(vm, places, i, order->items[i], 0, (int64_t)n - 1);
    }
    // Of more places than there are items none are kept: it is at its end.
    for (size_t i = 0; ok && n + i < places->count; i++) {
        ok = set_place(vm, places, n + i, turns->items[i], 1, (int64_t)(n - i));
    }
    self->expected = ok;
    return ok;
}

// class(*pools); the places are the state. At its end: of one empty pool.
REDUCE(product)
{
    const List *places = value_as_list(self->state[2]);
    if (value_unbound(self->state[0]) && self->expected) {
        return reduced(vm, self,
                       value_from_object(object_retain(vm->empty_tuple)),
                       VALUE_UNBOUND, VALUE_UNBOUND);
    }
    Value parts[] = {iterator_class(self), value_retain(self->state[1]),
                     self->expected ? places_from(vm, places, 0, places->count)
                                    : VALUE_UNBOUND};
    return iterator_tuple(vm, parts, self->expected ? 3 : 2);
}

STATE(product)
{
    const Tuple *pools = value_as_tuple(self->state[1]);
    List *places = value_as_list(self->state[2]);
    const Tuple *given = tuple_state(state, pools->count);
    if (given == NULL) {
        return invalid_state(vm);
    }
    for (size_t i = 0; i < pools->count; i++) {
        size_t n = value_as_tuple(pools->items[i])->count;
        if (n == 0) {
            (void)itertools_ended(vm, self);
            return true;
        }
        if (!set_place(vm, places, i, given->items[i], 0, (int64_t)n - 1)) {
            return false;
        }
    }
    self->expected = 1;
    return true;
}

// The times that are left, where they are limited.
REDUCE(repeat)
{
    return reduced(vm, self, or_none(self->state[1]),
                   self->expected ? int_from_u64(vm, self->position)
                                  : VALUE_UNBOUND,
                   VALUE_UNBOUND);
}

// An empty tuple stands for each source that has ended; the filler is the
// state.
REDUCE(zip_longest)
{
    bool gone = value_unbound(self->state[0]);
    const List *sources = gone ? NULL : value_as_list(self->state[0]);
    Tuple *args = tuple_new(vm, gone ? 0 : sources->count);
    for (size_t i = 0; args != NULL && !gone && i < sources->count; i++) {
        Value source = sources->items[i];
        args->items[i] = value_is_none(source)
                             ? value_from_object(object_retain(vm->empty_tuple))
                             : value_retain(source);
    }
    Value parts[] = {iterator_class(self),
                     args == NULL ? VALUE_FAIL : value_from_object(args),
                     or_none(self->state[1])};
    return iterator_tuple(vm, parts, 3);
}

STATE(zip_longest)
{
    value_replace(&vm->ctx, &self->state[1], value_retain(state));
    return true;
}
