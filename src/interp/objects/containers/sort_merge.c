// Sorting by comparisons: timsort with powersort's order of merges.
//
// Invariant: what is compared with what, and in which sequence, is fixed. A
// __lt__ with effects shows it, and so does the result where the comparison is
// no order (NaN). From left to right: take the run that is there, bring a short
// one to a least length by binary insertion, and merge runs as their places in
// a balanced tree of merges say.
#include "interp/objects/containers/sort_merge.h"

#include "base/bulk.h"
#include "interp/hooks/note.h"

enum {
    RUN_LEAST = 64,   // counts below are one run
    GALLOP_LEAST = 7, // items from one side in a row that call for a search
    RUNS_MOST = 85    // powers rise along the stack: more than bits of a size
};

// Sorted items that wait to be merged.
typedef struct Run {
    size_t start, count;
    int power; // depth of the merge with the next run in the tree of merges
} Run;

typedef struct Sort {
    Vm *vm;
    BeforeFn before;
    SortItem *items; // all of them
    SortItem *spare; // room for the shorter side of a merge
    size_t count;
    size_t gallop; // items in a row that call for a search; learnt on the way
    size_t run_count;
    Run runs[RUNS_MOST]; // each begins where the one below ends
} Sort;

// What a merge is told when a side is used up, or something failed.
typedef enum MergeEnd {
    MERGE_ON,     // both sides have items
    MERGE_DONE,   // what is left of the spare side goes to its place
    MERGE_SINGLE, // one item of the spare side is left: it goes last
    MERGE_FAILED  // as MERGE_DONE, so that no item is lost
} MergeEnd;

// The shorter side stands in `spare`; from its end on, items go to where they
// belong. `step` is 1 when the left side is spared and everything goes from
// left to right, -1 when it is the right side and everything goes backwards.
// The two sides, the gap between them and what is merged already always hold
// all items between them; a failure at any point can put the rest back.
typedef struct SortMerge {
    Sort *sort;
    SortItem *to;      // where the next item goes
    SortItem *kept;    // the next item of the spare side
    SortItem *other;   // the next item of the side in place
    size_t kept_count; // items left of each side
    size_t other_count;
    ptrdiff_t step;
} SortMerge;

// 1: a's key stands before b's, 0: it does not, below 0: an error is pending.
static int compare(Sort *sort, const SortItem *a, const SortItem *b)
{
    return sort->before(sort->vm, a->key, b->key);
}

// Keys and values are one item, so they stay together.
void sort_reverse(SortItem *items, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        SortItem item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

// The length of the run at the start, 0 when a comparison failed. A
// descending run is strictly so: it can be turned round without passing equal
// items.
static size_t run_length(Vm *vm, const SortItem *items, size_t count,
                         BeforeFn before, bool *descending)
{
    *descending = false;
    if (count < 2) {
        return count;
    }
    int first = before(vm, items[1].key, items[0].key), less = first;
    size_t length = 2;
    *descending = first > 0;
    while (less >= 0 && length < count) {
        // Only ever asks whether the later item is less; that is what leaves
        // equal items in a run that does not descend.
        less = before(vm, items[length].key, items[length - 1].key);
        less = ctx_poll_at(&vm->ctx, length) ? less : -1;
        if (less != first) {
            break;
        }
        length++;
    }
    return less < 0 ? 0 : length;
}

// Makes a run of `count` items of which the first `sorted` are one already.
// Equal items go behind those before them: stable.
static bool insert_rest(Sort *sort, SortItem *items, size_t count,
                        size_t sorted)
{
    for (size_t at = sorted; at < count; at++) {
        SortItem item = items[at];
        size_t low = 0, high = at;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            int less = compare(sort, &item, &items[middle]);
            if (less < 0) {
                // The item in hand still stands in its place: nothing was moved
                // while comparing, so all items are there.
                return false;
            }
            if (less) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        memmove(items + low + 1, items + low, (at - low) * sizeof *items);
        items[low] = item;
    }
    // Once for all: such a run has at most RUN_LEAST items.
    return ctx_poll(&sort->vm->ctx);
}

// Whether `item` belongs behind `key` when the place of `key` is looked for:
// left of all its equals (`left`), or right of them. -1: failed.
static int is_behind(Sort *sort, const SortItem *key, const SortItem *item,
                     bool left)
{
    if (!left) {
        return compare(sort, key, item);
    }
    int less = compare(sort, item, key);
    return less < 0 ? less : !less;
}

// The place of `key` among `count` sorted items, left or right of its equals,
// looked for from `hint` in steps that double and then between the last two.
// -1: failed.
static ptrdiff_t place_of(Sort *sort, const SortItem *key,
                          const SortItem *items, size_t count, size_t hint,
                          bool left)
{
    int behind = is_behind(sort, key, &items[hint], left);
    if (behind < 0) {
        return -1;
    }
    // Which way to go, and how far that can be.
    // One step beyond the last item that could be asked.
    size_t most = behind ? hint + 1 : count - hint;
    size_t last = 0, offset = 1;
    while (offset < most) {
        const SortItem *item =
            behind ? &items[hint - offset] : &items[hint + offset];
        int beyond = is_behind(sort, key, item, left);
        if (beyond < 0) {
            return -1;
        }
        if (beyond != behind) {
            break;
        }
        last = offset;
        // 1, 3, 7, 15: cannot overflow, for a count of items is far below the
        // largest size.
        offset = offset * 2 + 1;
    }
    offset = offset > most ? most : offset;
    // It is behind items[low - 1] and not behind items[high].
    size_t low = behind ? hint + 1 - offset : hint + last + 1;
    size_t high = behind ? hint - last : hint + offset;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        behind = is_behind(sort, key, &items[middle], left);
        if (behind < 0) {
            return -1;
        }
        if (behind) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return (ptrdiff_t)low;
}

// Moves `count` items of a side to where they belong. The side in place may
// overlap with that; a block keeps its order whichever way the merge goes.
static void move_items(SortMerge *merge, SortItem **from, size_t count)
{
    ptrdiff_t distance = merge->step * (ptrdiff_t)count;
    if (merge->step > 0) {
        memmove(merge->to, *from, count * sizeof **from);
    } else {
        memmove(merge->to + 1 + distance, *from + 1 + distance,
                count * sizeof **from);
    }
    merge->to += distance;
    *from += distance;
}

// Both sides report when they are used up. The last item of the spare side is
// known to belong behind all others.
static MergeEnd take_kept(SortMerge *merge, size_t count)
{
    move_items(merge, &merge->kept, count);
    merge->kept_count -= count;
    return merge->kept_count == 1   ? MERGE_SINGLE
           : merge->kept_count == 0 ? MERGE_DONE
                                    : MERGE_ON;
}

static MergeEnd take_other(SortMerge *merge, size_t count)
{
    move_items(merge, &merge->other, count);
    merge->other_count -= count;
    return merge->other_count == 0 ? MERGE_DONE : MERGE_ON;
}

// Item by item, until one side has won so often that searching pays.
static MergeEnd merge_singly(SortMerge *merge)
{
    Sort *sort = merge->sort;
    bool forward = merge->step > 0;
    size_t kept_wins = 0, other_wins = 0;
    for (;;) {
        // Always asks whether the right item stands before the left one.
        int less = forward ? compare(sort, merge->other, merge->kept)
                           : compare(sort, merge->kept, merge->other);
        if (less < 0 || UNLIKELY(!ctx_poll(&sort->vm->ctx))) {
            return MERGE_FAILED;
        }
        MergeEnd end;
        if (less) {
            end = take_other(merge, 1);
            other_wins++;
            kept_wins = 0;
        } else {
            end = take_kept(merge, 1);
            kept_wins++;
            other_wins = 0;
        }
        if (end != MERGE_ON || kept_wins + other_wins >= sort->gallop) {
            return end;
        }
    }
}

// How many items of a side, in the direction of the merge, go before `key` of
// the other one. -1: failed.
static ptrdiff_t count_before(SortMerge *merge, const SortItem *key,
                              const SortItem *next, size_t count, bool left)
{
    if (merge->step > 0) {
        return place_of(merge->sort, key, next, count, 0, left);
    }
    ptrdiff_t place =
        place_of(merge->sort, key, next + 1 - count, count, count - 1, left);
    return place < 0 ? place : (ptrdiff_t)count - place;
}

// The left side's items go before equal ones of the right side: a key of the
// right side is placed right of its equals, one of the left side left of them.
// Forwards the spare side is the left one and is searched first; backwards it
// is the other way round, so that the left side is always searched first.
static MergeEnd gallop_once(SortMerge *merge, bool *again)
{
    bool forward = merge->step > 0;
    *again = false;
    for (int turn = 0; turn < 2; turn++) {
        bool kept = forward == (turn == 0);
        const SortItem *key = kept ? merge->other : merge->kept;
        ptrdiff_t count = count_before(
            merge, key, kept ? merge->kept : merge->other,
            kept ? merge->kept_count : merge->other_count, turn == 1);
        if (count < 0 || !ctx_poll(&merge->sort->vm->ctx)) {
            return MERGE_FAILED;
        }
        *again = *again || count >= GALLOP_LEAST;
        MergeEnd end = MERGE_ON;
        if (count > 0) {
            end = kept ? take_kept(merge, (size_t)count)
                       : take_other(merge, (size_t)count);
        }
        // Then the key itself, which is known to come next.
        if (end == MERGE_ON) {
            end = kept ? take_other(merge, 1) : take_kept(merge, 1);
        }
        if (end != MERGE_ON) {
            return end;
        }
    }
    return MERGE_ON;
}

// Searches as long as it pays; the longer it does, the sooner it is tried
// again.
static MergeEnd merge_galloping(SortMerge *merge)
{
    Sort *sort = merge->sort;
    bool again = true;
    sort->gallop++;
    while (again) {
        sort->gallop -= sort->gallop > 1;
        MergeEnd end = gallop_once(merge, &again);
        if (end != MERGE_ON) {
            return end;
        }
    }
    sort->gallop++;
    return MERGE_ON;
}

// What is left of the spare side goes to its place, behind or before what is
// left of the other one.
static bool finish(SortMerge *merge, MergeEnd end)
{
    if (end == MERGE_SINGLE) {
        move_items(merge, &merge->other, merge->other_count);
    }
    if (merge->kept_count > 0) {
        move_items(merge, &merge->kept, merge->kept_count);
    }
    return end != MERGE_FAILED;
}

// Merges two neighbours that are both not empty, of which the first item of
// the right one stands before all of the left one, and the last item of the
// left one behind all of the right one.
static bool merge_sides(Sort *sort, SortItem *left, size_t left_count,
                        size_t right_count)
{
    SortItem *right = left + left_count;
    SortMerge merge = {.sort = sort,
                       .step = left_count <= right_count ? 1 : -1};
    if (merge.step > 0) {
        if (!bulk_copy(&sort->vm->ctx, sort->spare, left,
                       left_count * sizeof *left)) {
            return false;
        }
        merge.to = left;
        merge.kept = sort->spare;
        merge.other = right;
        merge.kept_count = left_count;
        merge.other_count = right_count;
    } else {
        if (!bulk_copy(&sort->vm->ctx, sort->spare, right,
                       right_count * sizeof *right)) {
            return false;
        }
        merge.to = right + right_count - 1;
        merge.kept = sort->spare + right_count - 1;
        merge.other = right - 1;
        merge.kept_count = right_count;
        merge.other_count = left_count;
    }
    MergeEnd end = take_other(&merge, 1);
    if (end == MERGE_ON && merge.kept_count == 1) {
        end = MERGE_SINGLE;
    }
    while (end == MERGE_ON) {
        end = merge_singly(&merge);
        if (end == MERGE_ON) {
            end = merge_galloping(&merge);
        }
    }
    return finish(&merge, end);
}

static bool merge_at(Sort *sort, size_t at)
{
    Run *run = &sort->runs[at];
    SortItem *left = sort->items + run->start;
    size_t left_count = run->count, right_count = run[1].count;
    SortItem *right = left + left_count;
    run->count += right_count;
    if (at + 3 == sort->run_count) {
        run[1] = run[2];
    }
    sort->run_count--;
    // What stands in its place at both ends takes no part.
    ptrdiff_t skip = place_of(sort, right, left, left_count, 0, false);
    if (skip < 0) {
        return false;
    }
    left += skip;
    left_count -= (size_t)skip;
    if (left_count == 0) {
        return true;
    }
    ptrdiff_t most =
        place_of(sort, right - 1, right, right_count, right_count - 1, true);
    return most <= 0 ? most == 0
                     : merge_sides(sort, left, left_count, (size_t)most);
}

// Where the middles of two neighbouring runs part in the binary tree over all
// `total` places: the number of the first bit in which they differ, as
// fractions. Munro and Wild, "Nearly-Optimal Mergesorts", 2018.
static int power_between(const Run *run, size_t next_count, size_t total)
{
    size_t a = 2 * run->start + run->count;
    size_t b = a + run->count + next_count;
    int power = 1;
    while (a >= total || b < total) {
        size_t bit = a >= total ? total : 0;
        a = (a - bit) * 2;
        b = (b - bit) * 2;
        power++;
    }
    return power;
}

// Puts a run on the stack, after the merges that lie deeper in the tree than
// the one with it.
static bool push_run(Sort *sort, size_t start, size_t count)
{
    if (sort->run_count > 0) {
        int power =
            power_between(&sort->runs[sort->run_count - 1], count, sort->count);
        while (sort->run_count > 1 &&
               sort->runs[sort->run_count - 2].power > power) {
            if (!merge_at(sort, sort->run_count - 2)) {
                return false;
            }
        }
        sort->runs[sort->run_count - 1].power = power;
    }
    sort->runs[sort->run_count++] = (Run){.start = start, .count = count};
    return true;
}

// The least length of a run: such that the count divided by it is a power of
// two, or little less, so that merges are even.
static size_t least_run(size_t count)
{
    size_t more = 0;
    while (count >= RUN_LEAST) {
        more |= count & 1;
        count >>= 1;
    }
    return count + more;
}

bool sort_merge(Vm *vm, SortItem *items, size_t count, SortItem *spare,
                BeforeFn before)
{
    Sort sort; // not cleared: the stack of runs is large
    sort.vm = vm;
    sort.before = before;
    sort.items = items;
    sort.spare = spare;
    sort.count = count;
    sort.gallop = GALLOP_LEAST;
    sort.run_count = 0;
    size_t least = least_run(count);
    for (size_t start = 0, length; start < count; start += length) {
        bool descending;
        length =
            run_length(vm, items + start, count - start, before, &descending);
        if (length == 0) {
            return false;
        }
        if (descending) {
            sort_reverse(items + start, length);
        }
        size_t wanted = least < count - start ? least : count - start;
        if (length < wanted) {
            if (!insert_rest(&sort, items + start, wanted, length)) {
                return false;
            }
            length = wanted;
        }
        if (!push_run(&sort, start, length)) {
            return false;
        }
    }
    // At the end from the top; a short run below the last two goes first.
    while (sort.run_count > 1) {
        size_t at = sort.run_count - 2;
        at -= at > 0 && sort.runs[at - 1].count < sort.runs[at + 1].count;
        if (!merge_at(&sort, at)) {
            return false;
        }
    }
    return true;
}
