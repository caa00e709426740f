// itertools: product, permutations and combinations.
//
// state: None, the pool (a tuple), the list of places in it as small ints;
// position: items of a result; expected: 0 at first, then 1.
#include "modules/native/itertools.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"

// Places are immediate ints, so that a list can hold them.
// The list is never handed out, so no program can put anything else in it.
static int64_t place(const List *places, size_t i)
{
    return value_small(places->items[i]);
}

// No reference is lost: what stood there was an immediate int, or None.
static void set_place(List *places, size_t i, int64_t at)
{
    places->items[i] = value_from_small(at);
}

// The items at the first `position` places. NULL: failed.
// iterator_result may give the tuple of the last turn again, if nobody else
// holds it.
static Value chosen(Vm *vm, Iterator *self, const List *places,
                    const Tuple *pool)
{
    Tuple *result = iterator_result(vm, self, self->position);
    for (size_t i = 0; result != NULL && i < self->position; i++) {
        result->items[i] = value_retain(pool->items[place(places, i)]);
    }
    return value_or_fail(result);
}

// An iterator over choices of `length` items. Takes the pool; places begin as
// 0. An `empty` one is at its end.
// `pool` may be NULL, with its error pending; it is taken also on failure.
static Value make_choices(Vm *vm, const char *name, IteratorFn step,
                          Tuple *pool, size_t places, size_t length, bool empty)
{
    List *list = pool == NULL ? NULL : list_new(vm, places);
    Iterator *self =
        list == NULL ? NULL : iterator_new(vm, &iterator_plain_def, name, step);
    if (self == NULL) {
        object_release_null(&vm->ctx, pool);
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < places; i++) {
        set_place(list, i, 0);
    }
    // None serves as the sign that there is more.
    self->state[0] = empty ? VALUE_UNBOUND : VALUE_NONE;
    self->state[1] = value_from_object(pool);
    self->state[2] = value_from_object(list);
    self->position = length;
    return value_from_object(self);
}

// The pool of product is the tuple of its pools. Places count as the wheels of
// a counter, the last one fastest.
// The first row is all zeros, which needs no turning: expected is 0 then.
STEP(product)
{
    if (value_unbound(self->state[0])) {
        self->expected = 1; // it was asked, and has shown that it ended
        return VALUE_STOP;
    }
    const Tuple *pools = value_as_tuple(self->state[1]);
    List *places = value_as_list(self->state[2]);
    // The last wheel that can go on does; those behind it begin anew.
    size_t i = pools->count;
    while (self->expected && i > 0) {
        int64_t next = place(places, i - 1) + 1;
        if ((size_t)next < value_as_tuple(pools->items[i - 1])->count) {
            set_place(places, i - 1, next);
            break;
        }
        set_place(places, i - 1, 0);
        i--;
    }
    if (self->expected && i == 0) {
        return itertools_ended(vm, self);
    }
    self->expected = 1;
    // No pools at all: one empty row.
    Tuple *row = iterator_result(vm, self, pools->count);
    for (size_t k = 0; row != NULL && k < pools->count; k++) {
        const Tuple *pool = value_as_tuple(pools->items[k]);
        row->items[k] = value_retain(pool->items[place(places, k)]);
    }
    return value_or_fail(row);
}

// The pools `repeat` times over.
// A pool without items leaves nothing to choose: the iterator begins at its
// end.
MAKE(product)
{
    const Tuple *iterables = value_as_tuple(args[0]);
    int64_t repeat = 1;
    if (!value_unbound(args[1]) && !value_to_index(vm, args[1], &repeat)) {
        return VALUE_FAIL;
    }
    if (repeat < 0) {
        return raise_error(vm, ERR_VALUE, "repeat argument cannot be negative");
    }
    // A product that long has no memory anyhow.
    if (iterables->count != 0 &&
        (uint64_t)repeat > UINT32_MAX / iterables->count) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    size_t once = iterables->count, all = once * (size_t)repeat;
    bool empty = false;
    Tuple *pools = tuple_new(vm, all);
    for (size_t i = 0; pools != NULL && i < all; i++) {
        if (i >= once) {
            // Each iterable is read once, however often it takes part.
            pools->items[i] = value_retain(pools->items[i - once]);
            continue;
        }
        Tuple *pool = value_to_tuple(vm, iterables->items[i]);
        if (pool == NULL) {
            object_release(&vm->ctx, pools);
            return VALUE_FAIL;
        }
        pools->items[i] = value_from_object(pool);
        empty = empty || pool->count == 0;
    }
    return make_choices(vm, "itertools.product", step_product, pools, all, all,
                        empty);
}

// Places that grow: `gap` 1 for combinations, 0 with repetition.
// In lexicographic order of places; the greatest value of place i is the pool's
// end less what must stand behind it.
static Value step_growing(Vm *vm, Iterator *self, int64_t gap)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    const Tuple *pool = value_as_tuple(self->state[1]);
    List *places = value_as_list(self->state[2]);
    int64_t count = (int64_t)self->position, i = count - 1;
    if (self->expected) {
        // The last place that has not come to its end.
        while (i >= 0 && place(places, (size_t)i) >=
                             (int64_t)pool->count - 1 - (count - 1 - i) * gap) {
            i--;
        }
        if (i < 0) {
            return itertools_ended(vm, self);
        }
        int64_t at = place(places, (size_t)i) + 1;
        for (; i < count; i++, at += gap) {
            set_place(places, (size_t)i, at);
        }
    }
    self->expected = 1;
    return chosen(vm, self, places, pool);
}

// Each place lies behind the one before it.
STEP(combinations)
{
    return step_growing(vm, self, 1);
}

// Each place lies at or behind the one before it.
STEP(combinations_with_replacement)
{
    return step_growing(vm, self, 0);
}

// The pool and r of the three. NULL: failed.
// The iterable is read to its end now: later changes of it do not show. An r
// that may be left out is read behind it, by words of its own.
static Tuple *pool_of(Vm *vm, Value *args, bool optional, int64_t *length)
{
    if (!optional && !value_to_index(vm, args[1], length)) {
        return NULL;
    }
    Tuple *pool = value_to_tuple(vm, args[0]);
    if (pool == NULL) {
        return NULL;
    }
    bool given = optional && !value_unbound(args[1]) && !value_is_none(args[1]);
    if (optional) {
        *length = (int64_t)pool->count;
    }
    bool ok =
        !given || (type_is_subtype(type_of(vm, args[1]), vm->types[KIND_INT])
                       ? value_to_index(vm, args[1], length)
                       : raise_false(vm, ERR_TYPE, "Expected int as r"));
    if (!ok || (*length < 0 &&
                !raise_false(vm, ERR_VALUE, "r must be non-negative"))) {
        object_release(&vm->ctx, pool);
        return NULL;
    }
    return pool;
}

// The first choice is 0, 1, 2 and so on.
MAKE(combinations)
{
    int64_t r;
    Tuple *pool = pool_of(vm, args, false, &r);
    // r is not negative here, or pool would be NULL.
    bool empty = pool != NULL && (size_t)r > pool->count;
    Value made = make_choices(vm, "itertools.combinations", step_combinations,
                              pool, empty ? 0 : (size_t)r, (size_t)r, empty);
    List *places =
        value_failed(made)
            ? NULL
            : value_as_list(((Iterator *)value_object(made))->state[2]);
    for (size_t i = 0; places != NULL && i < places->count; i++) {
        set_place(places, i, (int64_t)i);
    }
    return made;
}

// The first choice is the first item r times.
MAKE(combinations_with_replacement)
{
    int64_t r;
    Tuple *pool = pool_of(vm, args, false, &r);
    bool empty = pool != NULL && r > 0 && pool->count == 0;
    return make_choices(vm, "itertools.combinations_with_replacement",
                        step_combinations_with_replacement, pool,
                        empty ? 0 : (size_t)r, (size_t)r, empty);
}

// The places are a permutation of the pool, of which the first `position` are
// shown; behind them stand as many counters of how far each has to turn.
// The algorithm is fixed, so the order is, too. A full turn of a place restores
// it, and the place in front moves on.
STEP(permutations)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    const Tuple *pool = value_as_tuple(self->state[1]);
    List *places = value_as_list(self->state[2]);
    size_t n = pool->count, i = self->position;
    // From the last shown place: the first whose counter has turns left
    // changes.
    for (; self->expected && i > 0; i--) {
        size_t at = i - 1;
        int64_t turns = place(places, n + at) - 1;
        Value moved = places->items[at];
        if (turns == 0) {
            // This place has seen all: it and those behind turn round.
            memmove(&places->items[at], &places->items[at + 1],
                    (n - at - 1) * sizeof moved);
            places->items[n - 1] = moved;
            set_place(places, n + at, (int64_t)(n - at));
            continue;
        }
        // It swaps with the item that many places from the end.
        set_place(places, n + at, turns);
        places->items[at] = places->items[n - (size_t)turns];
        places->items[n - (size_t)turns] = moved;
        break;
    }
    if (self->expected && i == 0) {
        return itertools_ended(vm, self);
    }
    self->expected = 1;
    return chosen(vm, self, places, pool);
}

// Without r all items are arranged.
// The counters begin at n, n - 1 and so on: as many turns as there are items to
// choose from at each place.
MAKE(permutations)
{
    int64_t r;
    Tuple *pool = pool_of(vm, args, true, &r);
    bool empty = pool != NULL && (size_t)r > pool->count;
    size_t n = pool == NULL ? 0 : pool->count;
    size_t length = empty ? 0 : (size_t)r;
    Value made =
        make_choices(vm, "itertools.permutations", step_permutations, pool,
                     n + length, pool == NULL ? 0 : (size_t)r, empty);
    if (value_failed(made)) {
        return made;
    }
    List *places = value_as_list(((Iterator *)value_object(made))->state[2]);
    for (size_t i = 0; i < n; i++) {
        set_place(places, i, (int64_t)i);
    }
    for (size_t i = 0; i < length; i++) {
        set_place(places, n + i, (int64_t)(n - i));
    }
    return made;
}
