// Built-in functions that go through items.
//
// Invariant: one tensor as the whole argument is never walked; it goes to the
// op of the same name, so that the result stays a tensor and can be traced.
#include "modules/builtins/builtins.h"

#include "interp/hooks/tracing.h"
#include "interp/objects/iterators/iter_make.h"
#include "interp/objects/iterators/obj_generator.h"

// The attributes axis and keepdims, UNBOUND where not given, as the method
// of the tensor takes them.
static Value reduce_tensor(Vm *vm, const char *name, Value tensor, Value axis,
                           Value keepdims)
{
    Str *method = str_intern(vm, name, strlen(name));
    if (method == NULL) {
        return VALUE_FAIL;
    }
    Value args[2] = {value_unbound(axis) ? VALUE_NONE : axis,
                     value_unbound(keepdims) ? VALUE_FALSE : keepdims};
    Value result = value_call_method(vm, tensor, method, args, 2);
    object_release(&vm->ctx, method);
    return result;
}

// Passes over items that say plainly that they are not what is looked for.
typedef struct TruthSink {
    Sink sink;
    int wanted;
} TruthSink;

// True: the item was dealt with here. What has a truth of its own, or decides
// the question, is left to the general way.
static bool truth_take(Vm *vm, Sink *sink, Value item)
{
    bool plain =
        value_is_bool(item) || value_is_int(item) || value_is_none(item);
    bool truth = value_same(item, VALUE_TRUE) ||
                 (value_is_int(item) && value_small(item) != 0);
    (void)vm;
    return plain && truth != ((TruthSink *)sink)->wanted;
}

// In a trace, of items that are all there: what the graph finds, where tensors
// have the last word. UNBOUND: it is found as ever.
static Value choose_truth(Vm *vm, Value iterable, int wanted)
{
    bool is_list = value_is_kind(iterable, KIND_LIST);
    if (vm->trace == NULL ||
        (!is_list && !value_is_kind(iterable, KIND_TUPLE))) {
        return VALUE_UNBOUND;
    }
    size_t count = is_list ? value_as_list(iterable)->count
                           : value_as_tuple(iterable)->count;
    const Value *items = is_list ? value_as_list(iterable)->items
                                 : value_as_tuple(iterable)->items;
    Value result = VALUE_UNBOUND, answer = value_from_bool(wanted);
    TruthSink others = {{truth_take}, wanted}, ends = {{truth_take}, !wanted};
    for (size_t i = 0; i < count && !value_failed(result); i++) {
        if (truth_take(vm, &others.sink, items[i])) {
            continue;
        }
        Value rest = value_unbound(result) ? value_from_bool(!wanted) : result;
        result = truth_take(vm, &ends.sink, items[i])      ? answer
                 : !value_is_kind(items[i], KIND_SYMBOLIC) ? VALUE_UNBOUND
                 : wanted ? vm->hooks->choose(vm, items[i], answer, rest)
                          : vm->hooks->choose(vm, items[i], rest, answer);
        release(vm, rest);
        if (value_unbound(result) || value_is_bool(result)) {
            break;
        }
    }
    return value_is_kind(result, KIND_SYMBOLIC) ? vm->hooks->number(vm, result)
                                                : result;
}

// The truth of the first item whose truth is `wanted`, else !wanted.
static Value find_truth(Vm *vm, Value iterable, int wanted)
{
    Value chosen = choose_truth(vm, iterable, wanted);
    Value iterator = value_unbound(chosen) ? value_iter(vm, iterable) : chosen;
    if (!value_unbound(chosen) || value_failed(iterator)) {
        return iterator;
    }
    Value result = value_from_bool(!wanted);
    TruthSink sink = {{truth_take}, wanted};
    for (;;) {
        // A generator hands over items without leaving it as long as the sink
        // takes them.
        Value item = generator_feed(vm, iterator, &sink.sink);
        if (value_same(item, VALUE_STOP)) {
            break;
        }
        int truth = value_failed(item) ? -1 : value_truth(vm, item);
        release(vm, item);
        if (truth < 0 || !ctx_poll(&vm->ctx)) {
            result = VALUE_FAIL;
            break;
        }
        // The answer is known: the rest is never asked for.
        if (truth == wanted) {
            result = value_from_bool(wanted);
            break;
        }
    }
    release(vm, iterator);
    return result;
}

BUILTIN_BODY(all)
{
    return builtin_is_tensor(args[0])
               ? reduce_tensor(vm, "all", args[0], args[1], args[2])
               : find_truth(vm, args[0], 0);
}

// The first item that is true ends it: the rest is never asked for.
BUILTIN_BODY(any)
{
    return builtin_is_tensor(args[0])
               ? reduce_tensor(vm, "any", args[0], args[1], args[2])
               : find_truth(vm, args[0], 1);
}

// This and the next are called through their classes (add_function in
// builtins_core.c); iter_make.h has what they make.
BUILTIN_BODY(enumerate)
{
    return iter_enumerate(vm, args[0], args[1]);
}

BUILTIN_BODY(filter)
{
    return iter_filter(vm, args[0], args[1]);
}

BUILTIN_BODY(map)
{
    Tuple *iterables = value_as_tuple(args[1]);
    if (iterables->count == 0) {
        return raise_error(vm, ERR_TYPE,
                           "map() must have at least two arguments.");
    }
    return iter_map(vm, args[0], iterables);
}

// strict is asked for its truth before any iterator is made.
BUILTIN_BODY(zip)
{
    int strict = value_unbound(args[1]) ? 0 : value_truth(vm, args[1]);
    return strict < 0 ? VALUE_FAIL
                      : iter_zip(vm, value_as_tuple(args[0]), strict == 1);
}

// By __reversed__, else from the last index down.
BUILTIN_BODY(reversed)
{
    return iter_reversed(vm, args[0]);
}

// state: the callable, the sentinel.
static Value callable_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    Value item = vm_call(vm, self->state[0], NULL, 0);
    int end = value_failed(item) ? -1 : value_equal(vm, item, self->state[1]);
    if (end == 0) {
        return item;
    }
    release(vm, item);
    if (end < 0) {
        return VALUE_FAIL;
    }
    value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
    return VALUE_STOP;
}

// The second form, iter(callable, sentinel), calls until the sentinel comes.
BUILTIN_BODY(iter)
{
    if (value_unbound(args[1])) {
        return value_iter(vm, args[0]);
    }
    if (!value_is_callable(vm, args[0])) {
        return raise_error(vm, ERR_TYPE, "iter(v, w): v must be callable");
    }
    Iterator *made = iterator_new(vm, &iterator_plain_def, "callable_iterator",
                                  callable_step);
    if (made == NULL) {
        return VALUE_FAIL;
    }
    made->state[0] = value_retain(args[0]);
    made->state[1] = value_retain(args[1]);
    return value_from_object(made);
}

BUILTIN_BODY(next)
{
    if (type_of(vm, args[0])->slots.next == NULL) {
        return raise_error(vm, ERR_TYPE, "'%s' object is not an iterator",
                           type_name(type_of(vm, args[0])));
    }
    bool raises = value_unbound(args[1]);
    Value item =
        raises ? value_next_or_raise(vm, args[0]) : value_next(vm, args[0]);
    return value_same(item, VALUE_STOP) ? value_retain(args[1]) : item;
}

BUILTIN_BODY(sorted)
{
    Value key = builtin_given(args[1]) ? args[1] : VALUE_UNBOUND;
    return list_sorted(vm, args[0], key, args[2]);
}

// Adds up what ints and bools stand at the front of a list or tuple, as long
// as the sum is immediate. How many items that were.
static size_t sum_whole(const Value *items, size_t count, Value *total)
{
    // Stops at the first item that is anything else; sum goes on from there.
    size_t i = 0;
    for (; i < count; i++) {
        Value item = items[i];
        // Bools count as 0 and 1, as the slow way has them.
        if (value_is_bool(item)) {
            item = value_from_small(value_same(item, VALUE_TRUE));
        }
        Value next;
        if (!value_both_ints(*total, item) ||
            !value_add_small(*total, item, &next)) {
            break;
        }
        *total = next;
    }
    return i;
}

// The quick start of sum over an exact list: an iterator behind the items
// that were added. Owned.
static Value sum_start(Vm *vm, Value iterable, Value *total)
{
    Value iterator = value_iter(vm, iterable);
    if (!value_failed(iterator) && value_is_kind(iterator, KIND_ITERATOR) &&
        value_is_object(iterable) && vm->trace == NULL &&
        value_object(iterable)->type == vm->types[KIND_LIST]) {
        // No code of the user runs meanwhile, so the list cannot change.
        const List *list = value_as_list(iterable);
        ((Iterator *)value_object(iterator))->position =
            sum_whole(list->items, list->count, total);
    }
    return iterator;
}

// Text as the start of a sum is refused, with what serves instead. True: so.
static bool sum_refuses(Vm *vm, Value start)
{
    bool text = value_is_str(start);
    if (!text && !value_is_kind(start, KIND_BYTES)) {
        return false;
    }
    return !raise_false(vm, ERR_TYPE,
                        "sum() can't sum %s [use %s''.join(seq) instead]",
                        text ? "strings" : "bytes", text ? "" : "b");
}

// total += item, where both are ints or floats that need no box. False: not
// so, and the total is unchanged.
static bool add_plain(Value *total, Value item)
{
    if (value_is_bool(item)) {
        item = value_from_small(value_same(item, VALUE_TRUE));
    }
    Value sum = VALUE_UNBOUND;
    bool plain = false;
    if (value_both_ints(*total, item)) {
        plain = value_add_small(*total, item, &sum);
    } else if (value_both_immediate_floats(*total, item)) {
        plain = value_make_float(
            value_immediate_float(*total) + value_immediate_float(item), &sum);
    }
    if (plain) {
        *total = sum;
    }
    return plain;
}

typedef struct SumSink {
    Sink sink;
    Value total; // owned by the loop
} SumSink;

// True: added without a call; the total is exact as long as only plain numbers
// come.
static bool sum_take(Vm *vm, Sink *sink, Value item)
{
    (void)vm;
    return add_plain(&((SumSink *)sink)->total, item);
}

static Value sum_items(Vm *vm, Value iterator, Value start)
{
    SumSink sum = {{sum_take}, start};
    while (!value_failed(sum.total)) {
        Value item = generator_feed(vm, iterator, &sum.sink);
        if (value_same(item, VALUE_STOP)) {
            break;
        }
        if (LIKELY(!vm->ctx.interrupt && add_plain(&sum.total, item))) {
            continue;
        }
        // VALUE_FAIL may be released like any immediate.
        bool failed = value_failed(item) || !ctx_poll(&vm->ctx);
        Value next =
            failed ? VALUE_FAIL : value_binary(vm, BINARY_ADD, sum.total, item);
        release(vm, item);
        release(vm, sum.total);
        sum.total = next;
    }
    return sum.total;
}

// Left to right, by + alone, which also serves tensors among the items. Text is
// refused because repeated + of it takes quadratic time.
BUILTIN_BODY(sum)
{
    if (builtin_is_tensor(args[0]) && value_unbound(args[1])) {
        return reduce_tensor(vm, "sum", args[0], args[2], args[3]);
    }
    Value total =
        value_unbound(args[1]) ? value_from_small(0) : value_retain(args[1]);
    Value sum = vm->trace != NULL ? vm->hooks->add_up(vm, args[0], total)
                                  : VALUE_UNBOUND;
    if (!value_unbound(sum)) {
        release(vm, total);
        return sum;
    }
    // The iterable is looked at before the start.
    Value iterator = sum_start(vm, args[0], &total);
    if (value_failed(iterator) || sum_refuses(vm, args[1])) {
        release(vm, total);
        release(vm, iterator);
        return VALUE_FAIL;
    }
    total = sum_items(vm, iterator, total);
    release(vm, iterator);
    return total;
}

// The best item so far and the key that it is compared by.
typedef struct Best {
    Value item, key; // UNBOUND: none yet
    Value function;  // UNBOUND: items are compared themselves
    CompareOp op;    // a new key that is `op` the old one wins
} Best;

// A tensor decides: the graph chooses. 1: done; 0: it cannot; -1: failed.
static int best_choose(Vm *vm, Best *best, Value answer, Value item, Value key)
{
    if (vm->trace == NULL || !value_is_kind(answer, KIND_SYMBOLIC)) {
        return 0;
    }
    Value made = vm->hooks->choose(vm, answer, item, best->item);
    Value by = value_unbound(made) || value_failed(made) ? made
               : value_unbound(best->function)
                   ? value_retain(made)
                   : vm->hooks->choose(vm, answer, key, best->key);
    if (value_unbound(by) || value_failed(by)) {
        release(vm, made);
        return value_failed(by) ? -1 : 0;
    }
    value_replace(&vm->ctx, &best->item, made);
    value_replace(&vm->ctx, &best->key, by);
    return 1;
}

// Takes the item.
static bool best_offer(Vm *vm, Best *best, Value item)
{
    Value key = value_unbound(best->function)
                    ? value_retain(item)
                    : vm_call(vm, best->function, &item, 1);
    int better = value_failed(key) ? -1 : 1;
    if (better == 1 && !value_unbound(best->item)) {
        Value answer = value_compare(vm, best->op, key, best->key);
        int chosen = value_failed(answer)
                         ? -1
                         : best_choose(vm, best, answer, item, key);
        better = chosen == 0 ? value_truth(vm, answer) : chosen < 0 ? -1 : 0;
        release(vm, answer);
    }
    // The references of item and key move into `best`.
    if (better == 1) {
        value_replace(&vm->ctx, &best->item, item);
        value_replace(&vm->ctx, &best->key, key);
    } else {
        release(vm, item);
        release(vm, key);
    }
    return better >= 0 && ctx_poll(&vm->ctx);
}

typedef struct BestSink {
    Sink sink;
    Best *best;
} BestSink;

// Numbers without a box that are compared themselves, but for the first item.
static bool best_take(Vm *vm, Sink *sink, Value item)
{
    Best *best = ((BestSink *)sink)->best;
    bool ints = value_both_ints(best->item, item);
    (void)vm;
    if (!value_unbound(best->function) ||
        !(ints || value_both_immediate_floats(best->item, item))) {
        return false;
    }
    bool less =
        ints ? value_rank(item) < value_rank(best->item)
             : value_immediate_float(item) < value_immediate_float(best->item);
    bool greater =
        ints ? value_rank(item) > value_rank(best->item)
             : value_immediate_float(item) > value_immediate_float(best->item);
    if (best->op == COMPARE_LT ? less : greater) {
        best->item = best->key = item;
    }
    return true;
}

// False: failed. A key of one item is computed once and kept with it.
static bool best_search(Vm *vm, Best *best, Value iterable)
{
    Value iterator = value_iter(vm, iterable);
    bool done = !value_failed(iterator);
    BestSink sink = {{best_take}, best};
    while (done) {
        Value item = generator_feed(vm, iterator, &sink.sink);
        if (value_same(item, VALUE_STOP)) {
            break;
        }
        done = best_take(vm, &sink.sink, item)
                   ? ctx_poll(&vm->ctx)
                   : !value_failed(item) && best_offer(vm, best, item);
    }
    release(vm, iterator);
    return done;
}

// The best of several ints or floats without a box; UNBOUND: something else is
// among them.
static Value best_of_plain(Vm *vm, const Tuple *values, CompareOp op)
{
    Best best = {values->items[0], VALUE_UNBOUND, VALUE_UNBOUND, op};
    BestSink sink = {{best_take}, &best};
    size_t i = 1;
    while (i < values->count && best_take(vm, &sink.sink, values->items[i])) {
        i++;
    }
    return i == values->count ? best.item : VALUE_UNBOUND;
}

// args: the values, key, default, axis, keepdims.
static Value extreme(Vm *vm, const char *name, CompareOp op, const Value *args)
{
    const Tuple *values = value_as_tuple(args[0]);
    bool many = values->count > 1;
    if (values->count == 0) {
        return raise_error(vm, ERR_TYPE,
                           "%s expected at least 1 argument, got 0", name);
    }
    if (many && !value_unbound(args[2])) {
        return raise_error(vm, ERR_TYPE,
                           "Cannot specify a default for %s() with multiple "
                           "positional arguments",
                           name);
    }
    // Of a tensor it is the reduction of that name.
    if (!many && builtin_is_tensor(values->items[0]) &&
        value_unbound(args[1])) {
        return reduce_tensor(vm, name, values->items[0], args[3], args[4]);
    }
    // Ints and floats that stand side by side need no calls.
    Value plain = many && !builtin_given(args[1])
                      ? best_of_plain(vm, values, op)
                      : VALUE_UNBOUND;
    if (!value_unbound(plain)) {
        return plain;
    }
    // Among equals the first wins, since only a strictly better key replaces.
    Best best = {VALUE_UNBOUND, VALUE_UNBOUND,
                 builtin_given(args[1]) ? args[1] : VALUE_UNBOUND, op};
    bool done = best_search(vm, &best, many ? args[0] : values->items[0]);
    release(vm, best.key);
    if (!done) {
        release(vm, best.item);
        return VALUE_FAIL;
    }
    // UNBOUND: the iterable was empty.
    if (!value_unbound(best.item)) {
        return best.item;
    }
    return value_unbound(args[2])
               ? raise_error(vm, ERR_VALUE, "%s() arg is an empty sequence",
                             name)
               : value_retain(args[2]);
}

// max and min of several arguments, or of the items of one.
BUILTIN_BODY(max)
{
    return extreme(vm, "max", COMPARE_GT, args);
}

// The first of equal items, by < alone.
BUILTIN_BODY(min)
{
    return extreme(vm, "min", COMPARE_LT, args);
}
