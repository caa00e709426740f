// Sorting: by ranks where the keys have them, else a stable merge sort.
//
// The items are taken out of the list while it is sorted, so that a key
// function or comparison that touches the list sees an empty one and is told
// so at the end. Lists of ints, floats or strs alone compare without slots.
#include <math.h>

#include "interp/hooks/note.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/containers/sort_merge.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"

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
    // Of one type they are compared by its slot, which counts no level.
    bool alike = type_of(vm, a) == type_of(vm, b);
    vm->frames_end += alike;
    Value result = value_compare(vm, COMPARE_LT, a, b);
    vm->frames_end -= alike;
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
        if (UNLIKELY((i & 0xFFFF) == 0) && ctx_interrupted(&vm->ctx)) {
            return before_any; // the sort polls first of all
        }
        ints = ints && value_is_int(key);
        floats = floats && value_is_float(key) &&
                 type_of(vm, key) == vm->types[KIND_FLOAT];
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

// The rank of a key, or of the first item of a tuple. False: it has none.
static bool rank_of(const Vm *vm, Value v, uint64_t *rank)
{
    if (value_is_int(v)) {
        *rank = rank_of_int(v);
        return true;
    }
    if (value_is_float(v)) {
        double d = value_float(v);
        *rank = rank_of_double(d);
        return !isnan(d);
    }
    *rank = 0;
    if (!value_is_object(v) || value_object(v)->type != vm->types[KIND_STR]) {
        return false;
    }
    *rank = rank_of_str(value_as_str(v));
    return true;
}

// What must be the same of all keys, so that their ranks have one meaning.
typedef enum RankKind { RANK_NONE, RANK_INT, RANK_FLOAT, RANK_STR } RankKind;

// Bools and None have no rank: their order goes by the protocol.
static RankKind rank_kind(Value v)
{
    return value_is_int(v)     ? RANK_INT
           : value_is_float(v) ? RANK_FLOAT
           : value_is_str(v)   ? RANK_STR
                               : RANK_NONE;
}

// The part of a key that has a rank: the first item of a tuple, else the key.
// None has no rank.
static Value ranked_part(Value key, bool tuples)
{
    if (!tuples) {
        return key;
    }
    const Tuple *tuple = value_as_tuple(key);
    return tuple->count == 0 ? VALUE_NONE : tuple->items[0];
}

// Fills `ranked`. False: not all keys have ranks of one kind.
static bool rank_all(const Vm *vm, const SortItem *items, size_t count,
                     bool tuples, RankedItem *ranked)
{
    RankKind kind = rank_kind(ranked_part(items[0].key, tuples));
    for (size_t i = 0; i < count; i++) {
        Value part = ranked_part(items[i].key, tuples);
        if (UNLIKELY((i & 0xFFFF) == 0) && ctx_interrupted(&vm->ctx)) {
            return false; // the sort by comparisons polls
        }
        if (rank_kind(part) != kind || !rank_of(vm, part, &ranked[i].rank)) {
            return false;
        }
        ranked[i].item = items[i];
    }
    return true;
}

// Whether `count` tuples are of one length, and what follows their first items
// are numbers and texts of one kind in each place: comparing them runs no code
// and cannot fail.
static bool tails_plain(const Vm *vm, const RankedItem *ranked, size_t count)
{
    const Tuple *first = value_as_tuple(ranked[0].item.key);
    for (size_t i = 0; i < count; i++) {
        const Tuple *tuple = value_as_tuple(ranked[i].item.key);
        if (tuple->count != first->count) {
            return false;
        }
        for (size_t at = 1; at < first->count; at++) {
            uint64_t rank;
            RankKind kind = rank_kind(first->items[at]);
            if (kind == RANK_NONE || rank_kind(tuple->items[at]) != kind ||
                !rank_of(vm, tuple->items[at], &rank)) {
                return false;
            }
        }
    }
    return true;
}

// The end of the run of equal ranks that begins at `start`.
static size_t end_of_rank(const RankedItem *ranked, size_t count, size_t start)
{
    size_t end = start + 1;
    while (end < count && ranked[end].rank == ranked[start].rank) {
        end++;
    }
    return end;
}

// Tuples of one rank are compared further. Where that may run code, it has to
// run in the sequence of a sort of all items.
static bool ties_plain(const Vm *vm, const RankedItem *ranked, size_t count)
{
    for (size_t start = 0, end; start < count; start = end) {
        end = end_of_rank(ranked, count, start);
        if (end - start > 1 && !tails_plain(vm, ranked + start, end - start)) {
            return false;
        }
    }
    return true;
}

// Equal ranks of texts and tuples say little: their keys are compared.
static bool sort_ties(Vm *vm, SortItem *items, const RankedItem *ranked,
                      size_t count, SortItem *spare, BeforeFn before)
{
    for (size_t start = 0, end; start < count; start = end) {
        end = end_of_rank(ranked, count, start);
        if ((end - start > 1 &&
             !sort_merge(vm, items + start, end - start, spare, before)) ||
            !ctx_poll(&vm->ctx)) {
            return false;
        }
    }
    return true;
}

// Sorts `ranked`, whose ranks are known, and the items in its order. 0: ties
// are no matter of ranks, and no item was moved; -1: failed.
static int sort_known(Vm *vm, SortItem *items, RankedItem *ranked, size_t count,
                      SortItem *spare, BeforeFn before)
{
    // After an interrupt the items stand as they did.
    if (!sort_ranked(&vm->ctx, ranked, ranked + count, count)) {
        return -1;
    }
    if (before == before_tuple && !ties_plain(vm, ranked, count)) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = ranked[i].item;
    }
    // A rank that says everything of an item needs no comparison afterwards.
    bool whole = before == before_int || before == before_float;
    return (whole || sort_ties(vm, items, ranked, count, spare, before)) ? 1
                                                                         : -1;
}

// 1: sorted; 0: there are no ranks, or no memory for them; -1: failed. The
// items are all there in any case.
static int sort_by_ranks(Vm *vm, SortItem *items, size_t count, SortItem *spare,
                         BeforeFn before)
{
    if (count < SORT_RANK_LEAST || count > UINT32_MAX || before == before_any) {
        return 0;
    }
    // What is in order already takes less time. Tuples may run code when they
    // are compared, which must not happen twice.
    int run = before == before_tuple ? 0 : sort_run(vm, items, count, before);
    if (run != 0) {
        return run;
    }
    size_t size = 2 * count * sizeof(RankedItem);
    RankedItem *ranked = ctx_alloc(&vm->ctx, size);
    if (ranked == NULL) {
        return ctx_clear(&vm->ctx), 0;
    }
    int done = 0;
    if (rank_all(vm, items, count, before == before_tuple, ranked)) {
        done = sort_known(vm, items, ranked, count, spare, before);
    }
    ctx_free(&vm->ctx, ranked, size);
    return done;
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
        sort_reverse(items, count);
    }
    BeforeFn before = choose(vm, items, count);
    int ranked = sort_by_ranks(vm, items, count, spare, before);
    bool ok =
        ranked != 0 ? ranked > 0 : sort_merge(vm, items, count, spare, before);
    if (reverse) {
        sort_reverse(items, count);
    }
    return ok;
}

// Whether all items are immediate ints, or immediate floats but for -0.0,
// which is equal to 0.0 and yet another item.
static RankKind number_kind(const List *list)
{
    Value minus_zero = value_try_float(-0.0);
    bool ints = true, floats = true;
    for (size_t i = 0; i < list->count && (ints || floats); i++) {
        Value v = list->items[i];
        ints = ints && value_is_int(v);
        floats =
            floats && value_is_immediate_float(v) && !value_same(v, minus_zero);
    }
    return ints ? RANK_INT : floats ? RANK_FLOAT : RANK_NONE;
}

// Whether no item stands behind one that it must not: of numbers, those equal
// are the same. `reverse`: the other way round.
static bool in_order(const uint64_t *ranks, size_t count, bool reverse)
{
    size_t i = 1;
    while (i < count &&
           (reverse ? ranks[i] <= ranks[i - 1] : ranks[i] >= ranks[i - 1])) {
        i++;
    }
    return i >= count;
}

// A list of numbers without key: ranks are sorted and become the items again.
// Equal items are the same, so that their order and `reverse` do not matter.
// 1, 0 not such a list, -1: interrupted.
static int sort_immediates(Vm *vm, List *list, bool reverse)
{
    size_t count = list->count, size = 2 * count * sizeof(uint64_t);
    RankKind kind = count < SORT_RANK_LEAST || count > UINT32_MAX
                        ? RANK_NONE
                        : number_kind(list);
    // Without memory for ranks the general way is tried.
    uint64_t *ranks = kind == RANK_NONE ? NULL : ctx_alloc(&vm->ctx, size);
    if (ranks == NULL) {
        ctx_clear(&vm->ctx);
        return 0;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        Value v = list->items[i];
        // No reference is held by immediate values, so items may be lost and
        // made again.
        ranks[i] = kind == RANK_INT ? rank_of_int(v)
                                    : rank_of_double(value_immediate_float(v));
        ok = ctx_poll_at(&vm->ctx, i + 1);
    }
    bool ready = ok && in_order(ranks, count, reverse);
    ok = ok && (ready || sort_numbers(&vm->ctx, ranks, ranks + count, count));
    // After an interrupt the list is as it was.
    for (size_t i = 0; ok && !ready && i < count; i++) {
        uint64_t rank = ranks[i];
        Value v =
            kind == RANK_INT
                ? value_from_small((int64_t)(rank ^ (uint64_t)1 << 63) / 4)
                : value_try_float(double_of_rank(rank));
        // Equal numbers are the same, so reversing keeps the order of equal
        // ones.
        list->items[reverse ? count - 1 - i : i] = v;
    }
    ctx_free(&vm->ctx, ranks, size);
    return ok ? 1 : -1;
}

// Stable, as Python's. The items are sorted in a copy, so that keys and
// comparisons may look at the list, which is empty meanwhile. The trace is told
// once, as the whole order changes. The list gets its old array back, and its
// capacity with it.
bool list_sort(Vm *vm, List *list, Value key, bool reverse)
{
    size_t count = list->count, size = count * sizeof(SortItem);
    if (count == 0 || !note_store(vm, list, VALUE_UNBOUND)) {
        return count == 0;
    }
    key = value_is_none(key) ? VALUE_UNBOUND : key;
    int sorted = value_unbound(key) ? sort_immediates(vm, list, reverse) : 0;
    if (sorted != 0) {
        return sorted > 0;
    }
    // One block: the items, and as much again to merge with.
    SortItem *items = ctx_alloc(&vm->ctx, 2 * size);
    if (items == NULL) {
        return false;
    }
    // Items that are their own keys are borrowed from the array, which `taken`
    // keeps; those that a function gives are owned.
    bool own = !value_unbound(key);
    List taken = *list;
    for (size_t i = 0; i < count; i++) {
        items[i] = (SortItem){.key = own ? VALUE_NONE : taken.items[i],
                              .value = taken.items[i]};
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            ctx_free(&vm->ctx, items, 2 * size);
            return false;
        }
    }
    // The list is empty while keys and comparisons run: what they do to it is
    // noticed.
    list->items = NULL;
    list->count = list->capacity = 0;
    bool ok = sort_by_keys(vm, items, count, key, reverse, items + count);
    // Any append leaves an array behind, even if the item was popped again.
    bool changed = list->items != NULL;
    list_clear(vm, list);
    // Whatever happened, all items are there again: after Ctrl-C in their old
    // order, which takes no time.
    list->items = taken.items;
    list->count = count;
    list->capacity = taken.capacity;
    bool interrupted = !ok && vm->ctx.error.kind == ERR_INTERRUPT;
    for (size_t i = 0; !interrupted && i < count; i++) {
        list->items[i] = items[i].value;
    }
    for (size_t i = 0; own && i < count; i++) {
        release(vm, items[i].key);
    }
    ctx_free(&vm->ctx, items, 2 * size);
    return ok && (!changed ||
                  raise_false(vm, ERR_VALUE, "list modified during sort"));
}
