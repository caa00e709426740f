// The native halves of the modules heapq and bisect: comparisons by < alone.
//
// A comparison may run code that changes the list, so items are counted while
// they are compared and the length is asked again after each comparison.
#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/importing/module.h"

// a < b: 1, 0, -1. Small ints, the usual priorities, are compared in place.
// Equal items are not before each other, whatever == says of them.
static int before(Vm *vm, Value a, Value b)
{
    if (value_both_ints(a, b)) {
        return value_rank(a) < value_rank(b);
    }
    if (value_both_immediate_floats(a, b)) {
        return value_immediate_float(a) < value_immediate_float(b);
    }
    value_retain(a);
    value_retain(b);
    Value answer = value_compare(vm, COMPARE_LT, a, b);
    int truth = value_failed(answer) ? -1 : value_truth(vm, answer);
    release(vm, answer);
    release(vm, a);
    release(vm, b);
    return truth;
}

// Whether place `a` of a heap goes above place `b`: it is less, or, with the
// largest item on top, `b` is. -1 too if the list changed its size. Places are
// read again after it: the list may have other items.
static int above(Vm *vm, List *heap, bool largest, size_t a, size_t b)
{
    size_t count = heap->count;
    Value x = heap->items[a], y = heap->items[b];
    int answer = largest ? before(vm, y, x) : before(vm, x, y);
    if (answer >= 0 && heap->count != count) {
        return raise_int(vm, ERR_RUNTIME, "list changed size during iteration");
    }
    return answer;
}

// References move with the items: nothing is counted.
static void swap(List *heap, size_t a, size_t b)
{
    Value item = heap->items[a];
    heap->items[a] = heap->items[b];
    heap->items[b] = item;
}

// Moves the item at `at` towards `start` until its parent is not greater. Until
// it fits: everything below `start` is left alone. False: a comparison failed,
// and the heap has all its items.
static bool rise(Vm *vm, List *heap, bool largest, size_t start, size_t at)
{
    while (at > start) {
        size_t parent = (at - 1) >> 1;
        int less = above(vm, heap, largest, at, parent);
        if (less <= 0) {
            return less == 0;
        }
        swap(heap, at, parent);
        at = parent;
    }
    return true;
}

// Lets the smaller child rise all the way down, then the item that came down:
// fewer comparisons than stopping on the way. About as many comparisons as the
// heap has levels, where testing at each level would need twice as many.
static bool sink(Vm *vm, List *heap, bool largest, size_t at)
{
    size_t start = at, end = heap->count;
    for (size_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
        if (child + 1 < end) {
            int less = above(vm, heap, largest, child, child + 1);
            if (less < 0) {
                return false;
            }
            child += !less;
        }
        swap(heap, at, child);
        at = child;
    }
    return rise(vm, heap, largest, start, at);
}

// Borrowed. NULL: it is no list, or the trace refuses the change. `which`
// argument it is. Asked at the beginning of each function, before anything is
// changed.
static List *heap_of(Vm *vm, Value v, const char *which)
{
    if (!value_is_kind(v, KIND_LIST)) {
        return raise_null(vm, ERR_TYPE, "%s must be list, not %s", which,
                          type_name(type_of(vm, v)));
    }
    return note_store(vm, value_object(v), VALUE_UNBOUND) ? value_as_list(v)
                                                          : NULL;
}

// At the end, then up. O(log n); the item stays in the list even if a
// comparison fails.
static Value heap_push(Vm *vm, Value *args)
{
    List *heap = heap_of(vm, args[0], "heappush() argument 1");
    return value_done(heap != NULL && list_append(vm, heap, args[1]) &&
                      rise(vm, heap, false, 0, heap->count - 1));
}

// The last item takes the first one's place and sinks. O(log n). The reference
// of the first item goes to the caller.
static Value take_first(Vm *vm, List *heap, bool largest)
{
    if (heap == NULL) {
        return VALUE_FAIL;
    }
    if (heap->count == 0) {
        return raise_error(vm, ERR_INDEX, "index out of range");
    }
    Value last = heap->items[--heap->count];
    if (heap->count == 0) {
        return last;
    }
    Value first = heap->items[0];
    heap->items[0] = last;
    if (!sink(vm, heap, largest, 0)) {
        release(vm, first);
        return VALUE_FAIL;
    }
    return first;
}

static Value heap_pop(Vm *vm, Value *args)
{
    return take_first(vm, heap_of(vm, args[0], "heappop() argument"), false);
}

static Value heap_pop_max(Vm *vm, Value *args)
{
    return take_first(vm, heap_of(vm, args[0], "_heappop_max() argument"),
                      true);
}

// The item for the first one, which is returned. One sinking instead of a rise
// and a sinking. The reference of the first item goes to the caller, `item` is
// retained.
static Value exchange(Vm *vm, List *heap, bool largest, Value item)
{
    if (heap == NULL) {
        return VALUE_FAIL;
    }
    if (heap->count == 0) {
        return raise_error(vm, ERR_INDEX, "index out of range");
    }
    Value first = heap->items[0];
    heap->items[0] = value_retain(item);
    if (!sink(vm, heap, largest, 0)) {
        release(vm, first);
        return VALUE_FAIL;
    }
    return first;
}

static Value heap_replace(Vm *vm, Value *args)
{
    return exchange(vm, heap_of(vm, args[0], "heapreplace() argument 1"), false,
                    args[1]);
}

static Value heap_replace_max(Vm *vm, Value *args)
{
    return exchange(vm, heap_of(vm, args[0], "_heapreplace_max() argument 1"),
                    true, args[1]);
}

// An item that is not greater than the first one goes straight back. The length
// is asked again, as the comparison may have emptied the list.
static Value heap_pushpop(Vm *vm, Value *args)
{
    List *heap = heap_of(vm, args[0], "heappushpop() argument 1");
    if (heap == NULL || heap->count == 0) {
        return heap == NULL ? VALUE_FAIL : value_retain(args[1]);
    }
    int less = before(vm, heap->items[0], args[1]);
    if (less <= 0) {
        return less < 0 ? VALUE_FAIL : value_retain(args[1]);
    }
    return exchange(vm, heap, false, args[1]);
}

// The highest power of two that is not above `n`, which is not 0.
static size_t top_bit(size_t n)
{
    return (size_t)1 << (63 - __builtin_clzll(n));
}

// Sinks places from `from` down to `to`, each with the parents for which it is
// the last child: what was moved just now is then still in the cache.
static bool sink_range(Vm *vm, List *heap, bool largest, size_t from, size_t to)
{
    for (size_t i = from; i-- > to;) {
        for (size_t at = i;; at >>= 1) {
            if (!sink(vm, heap, largest, at) || !ctx_poll(&vm->ctx)) {
                return false;
            }
            if ((at & 1) == 0) {
                break;
            }
        }
    }
    return true;
}

// In linear time: from the last parent to the first, or, in a large heap, in a
// fixed order, which shows in the comparisons.
static Value make_heap(Vm *vm, List *heap, bool largest)
{
    enum { HEAP_LARGE = 2500 };
    if (heap == NULL) {
        return VALUE_FAIL;
    }
    size_t parents = heap->count / 2;
    if (heap->count > HEAP_LARGE) {
        // Where the deepest level of parents begins; those before it that have
        // no child there are last children of nothing in it.
        size_t leftmost = top_bit(parents + 1) - 1;
        return value_done(
            sink_range(vm, heap, largest, leftmost, parents / 2) &&
            sink_range(vm, heap, largest, parents, leftmost));
    }
    for (size_t at = parents; at-- > 0;) {
        if (!sink(vm, heap, largest, at) || !ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
    return VALUE_NONE;
}

static Value heap_make(Vm *vm, Value *args)
{
    return make_heap(vm, heap_of(vm, args[0], "heapify() argument"), false);
}

static Value heap_make_max(Vm *vm, Value *args)
{
    return make_heap(vm, heap_of(vm, args[0], "_heapify_max() argument"), true);
}

static const NativeDef heapq_functions[] = {
    {"heappush", "heap, item, /", heap_push, "Add an item."},
    {"heappop", "heap, /", heap_pop, "Take the smallest item."},
    {"heapreplace", "heap, item, /", heap_replace,
     "Take the smallest item, then add one."},
    {"heappushpop", "heap, item, /", heap_pushpop,
     "Add an item, then take the smallest."},
    {"heapify", "heap, /", heap_make,
     "Put a list in heap order, in linear time."},
    {"_heappop_max", "heap, /", heap_pop_max, "Take the largest item."},
    {"_heapreplace_max", "heap, item, /", heap_replace_max,
     "Take the largest item, then add one."},
    {"_heapify_max", "heap, /", heap_make_max,
     "Put a list in heap order, the largest item first."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef heapq_module = {.name = "heapq",
                                .doc = "A list as a priority queue.",
                                .functions = heapq_functions};

// --- bisect ---

// The item of `a` that is compared: itself, or key(item). Owned. A list proper
// is read directly; anything else by its __getitem__.
static Value item_at(Vm *vm, Value a, int64_t at, Value key)
{
    Value item = VALUE_FAIL;
    if (value_is_object(a) && value_object(a)->type == vm->types[KIND_LIST] &&
        (size_t)at < value_as_list(a)->count) {
        item = value_retain(value_as_list(a)->items[at]);
    } else if (type_of(vm, a)->slots.get_item == NULL) {
        return raise_error(vm, ERR_TYPE,
                           "'%s' object does not support indexing",
                           type_name(type_of(vm, a)));
    } else {
        item = value_get_item(vm, a, value_from_small(at));
    }
    if (value_unbound(key) || value_is_none(key) || value_failed(item)) {
        return item;
    }
    Value result = vm_call(vm, key, &item, 1);
    release(vm, item);
    return result;
}

// args: a, x, lo, hi, key. The first place from lo on whose item is not less
// than x (`right`: is greater than it). -1: failed. Halving: about log2(hi -
// lo) comparisons, by < alone. The key, if there is one, is asked of the items
// only.
static int64_t search(Vm *vm, const Value *args, bool right)
{
    int64_t low = 0, high;
    if (!value_unbound(args[2]) && !value_to_index(vm, args[2], &low)) {
        return -1;
    }
    if (low < 0) {
        return raise_int(vm, ERR_VALUE, "lo must be non-negative");
    }
    if (value_unbound(args[3]) || value_is_none(args[3])) {
        // A subclass of dict is a sequence for this.
        high = type_of(vm, args[0]) == vm->types[KIND_DICT]
                   ? raise_int(vm, ERR_TYPE, "%s is not a sequence",
                               type_name(type_of(vm, args[0])))
                   : value_length(vm, args[0]);
        if (high < 0) {
            return -1;
        }
    } else if (!value_to_index(vm, args[3], &high)) {
        return -1;
    }
    while (low < high) {
        // Written so that the sum cannot overflow.
        int64_t middle = low + (high - low) / 2;
        Value item = item_at(vm, args[0], middle, args[4]);
        if (value_failed(item)) {
            return -1;
        }
        int less =
            right ? before(vm, args[1], item) : before(vm, item, args[1]);
        release(vm, item);
        if (less < 0) {
            return -1;
        }
        // bisect_right: x < item moves the end; bisect_left: item < x moves the
        // start.
        if ((less != 0) == right) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static Value bisect_by(Vm *vm, const Value *args, bool right)
{
    int64_t at = search(vm, args, right);
    return at < 0 ? VALUE_FAIL : value_from_small(at);
}

static Value bisect_left(Vm *vm, Value *args)
{
    return bisect_by(vm, args, false);
}

// Behind equal items; `bisect` is another name of it.
static Value bisect_right(Vm *vm, Value *args)
{
    return bisect_by(vm, args, true);
}

// The key is asked of x once, unlike of the items. A sequence of another class
// is asked to insert by its own method. `insert` is looked up as a method, so
// that a subclass may do more.
static Value insort_by(Vm *vm, const Value *args, bool right)
{
    Value x = args[1], key = args[4];
    bool keyed = !value_unbound(key) && !value_is_none(key);
    Value by = keyed ? vm_call(vm, key, &x, 1) : value_retain(x);
    if (value_failed(by)) {
        return by;
    }
    Value all[5] = {args[0], by, args[2], args[3], key};
    int64_t at = search(vm, all, right);
    release(vm, by);
    if (at < 0) {
        return VALUE_FAIL;
    }
    Value given[2] = {value_from_small(at), x};
    Value result =
        value_call_method(vm, args[0], vm->names[NAME_INSERT], given, 2);
    if (value_failed(result)) {
        return result;
    }
    release(vm, result);
    return VALUE_NONE;
}

// The place first, then one insertion, which takes linear time.
static Value insort_left(Vm *vm, Value *args)
{
    return insort_by(vm, args, false);
}

// `insort` is another name of it.
static Value insort_right(Vm *vm, Value *args)
{
    return insort_by(vm, args, true);
}

static const NativeDef bisect_functions[] = {
    {"bisect_left", "a, x, lo=0, hi=None, *, key=None", bisect_left,
     "Where to insert x before all items that are not less."},
    {"bisect_right", "a, x, lo=0, hi=None, *, key=None", bisect_right,
     "Where to insert x behind all items that are not greater."},
    {"insort_left", "a, x, lo=0, hi=None, *, key=None", insort_left,
     "Insert x, before its equals."},
    {"insort_right", "a, x, lo=0, hi=None, *, key=None", insort_right,
     "Insert x, behind its equals."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef bisect_module = {.name = "bisect",
                                 .doc = "Places in sorted lists, by halving.",
                                 .functions = bisect_functions};
