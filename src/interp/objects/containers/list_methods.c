// The methods of list and tuple.
#include "interp/hooks/note.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/iterators/iter_make.h"

// args[0] is a list or of a subclass: the binding of methods has checked it.
static List *self_of(Value *args)
{
    return value_as_list(args[0]);
}

// The bodies follow one pattern: checks first, then note_store, so that a trace
// can refuse the change before anything is changed, and the change last.
// list_append and list_extend do all three.
Value list_method_append(Vm *vm, Value *args)
{
    return value_done(list_append(vm, self_of(args), args[1]));
}

// The list itself is a valid argument: l.extend(l) doubles it.
static Value method_extend(Vm *vm, Value *args)
{
    return value_done(list_extend(vm, self_of(args), args[1]));
}

// An index beyond either end is clipped, never an error. The length is read
// after value_to_index, whose __index__ may change the list.
static Value method_insert(Vm *vm, Value *args)
{
    List *list = self_of(args);
    int64_t at;
    if (!value_to_index(vm, args[1], &at)) {
        return VALUE_FAIL;
    }
    int64_t length = (int64_t)list->count;
    // Negative indices count from the end, before they are clipped.
    at += at < 0 ? length : 0;
    at = at < 0 ? 0 : at > length ? length : at;
    if (!note_store(vm, list, args[2]) ||
        !list_splice(vm, list, (size_t)at, 0, &args[2], 1)) {
        return VALUE_FAIL;
    }
    return VALUE_NONE;
}

// The reference that the list held goes to the caller, so nothing is counted.
// An empty list is told apart from a bad index.
// The list keeps its capacity.
static Value method_pop(Vm *vm, Value *args)
{
    List *list = self_of(args);
    int64_t at = -1;
    if (!value_unbound(args[1]) && !value_to_index(vm, args[1], &at)) {
        return VALUE_FAIL;
    }
    if (list->count == 0) {
        return raise_error(vm, ERR_INDEX, "pop from empty list");
    }
    at += at < 0 ? (int64_t)list->count : 0;
    if (at < 0 || at >= (int64_t)list->count) {
        return raise_error(vm, ERR_INDEX, "pop index out of range");
    }
    // After all checks: a refused change must leave the list alone.
    if (!note_store(vm, list, VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    Value item = list->items[at];
    list->count--;
    memmove(list->items + at, list->items + at + 1,
            (list->count - (size_t)at) * sizeof *list->items);
    return item;
}

// Where `item` stands in [from, to): the index, -1 absent, -2 failed.
// Identical items are equal without being asked (value_equal).
static int64_t find_item(Vm *vm, Value self, Value item, size_t from, size_t to)
{
    bool is_list = value_is_kind(self, KIND_LIST);
    for (size_t i = from; i < to; i++) {
        // An __eq__ may shorten the list, so the length is read in every round.
        size_t length =
            is_list ? value_as_list(self)->count : value_as_tuple(self)->count;
        if (i >= length) {
            break;
        }
        Value at = is_list ? value_as_list(self)->items[i]
                           : value_as_tuple(self)->items[i];
        // Counted while it is compared: an __eq__ may take it out of the list.
        value_retain(at);
        int equal = value_equal(vm, at, item);
        release(vm, at);
        if (equal != 0) {
            return equal < 0 ? -2 : (int64_t)i;
        }
        if (!ctx_poll(&vm->ctx)) {
            return -2;
        }
    }
    return -1;
}

// The bodies of index and count serve both types.
// Of the moment: an __eq__ may change it.
static size_t length_of(Value self)
{
    return value_is_kind(self, KIND_LIST) ? value_as_list(self)->count
                                          : value_as_tuple(self)->count;
}

// The message names the value for a list and not for a tuple. Nothing is raised
// again for -2: the comparison's error is pending.
static Value method_index(Vm *vm, Value *args)
{
    size_t from = 0, to = 0, unused;
    // The start is converted before the stop is looked at.
    for (int i = 2; i < 4; i++) {
        if (!value_unbound(args[i]) && !value_is_index(vm, args[i])) {
            return raise_error(vm, ERR_TYPE,
                               "slice indices must be integers or have an "
                               "__index__ method");
        }
        Value start = i == 2 ? args[2] : VALUE_UNBOUND;
        Value stop = i == 3 ? args[3] : VALUE_UNBOUND;
        if (!sequence_range(vm, start, stop, length_of(args[0]),
                            i == 2 ? &from : &unused, i == 3 ? &to : &unused)) {
            return VALUE_FAIL;
        }
    }
    int64_t at = find_item(vm, args[0], args[1], from, to);
    if (at >= 0) {
        return value_from_small(at);
    }
    if (at == -1 && value_is_kind(args[0], KIND_LIST)) {
        // The repr may fail, whose error then stands in place of this one.
        Str *text = value_repr(vm, args[1]);
        if (text != NULL) {
            raise_error(vm, ERR_VALUE, "%s is not in list", text->text);
            object_release(&vm->ctx, text);
        }
    } else if (at == -1) {
        raise_error(vm, ERR_VALUE, "tuple.index(x): x not in tuple");
    }
    return VALUE_FAIL;
}

// Searches on behind each hit; -1 ends it, -2 carries an error of a comparison.
// A list that grows while it is counted is counted on.
static Value method_count(Vm *vm, Value *args)
{
    // `at` is where the last hit stood; the search goes on behind it.
    int64_t total = 0, at = -1;
    while ((at = find_item(vm, args[0], args[1], (size_t)(at + 1),
                           length_of(args[0]))) >= 0) {
        total++;
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
    return at == -2 ? VALUE_FAIL : value_from_small(total);
}

// Removes the first equal item only. UNBOUND tells the trace of a removal.
// Which item goes if an __eq__ has changed the list is as arbitrary.
static Value method_remove(Vm *vm, Value *args)
{
    List *list = self_of(args);
    int64_t at = find_item(vm, args[0], args[1], 0, SIZE_MAX);
    if (at == -1) {
        return raise_error(vm, ERR_VALUE, "list.remove(x): x not in list");
    }
    if (at < 0 || !note_store(vm, list, VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    // The __eq__ that found it may have emptied the list.
    if ((size_t)at < list->count &&
        !list_splice(vm, list, (size_t)at, 1, NULL, 0)) {
        return VALUE_FAIL;
    }
    return VALUE_NONE;
}

// list_clear empties the list before it releases an item, so a destructor finds
// a valid, empty list.
static Value method_clear(Vm *vm, Value *args)
{
    if (!note_store(vm, self_of(args), VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    list_clear(vm, self_of(args));
    return VALUE_NONE;
}

// Always a plain list, for a subclass too.
static Value method_copy(Vm *vm, Value *args)
{
    // Of the items, whatever __iter__ a subclass has.
    const List *self = value_as_list(args[0]);
    List *copy = list_new(vm, self->count);
    for (size_t i = 0; copy != NULL && i < self->count; i++) {
        copy->items[i] = value_retain(self->items[i]);
    }
    return value_or_fail(copy);
}

// Order alone changes and no count does, but a trace that has read an item by
// its index must hear of it.
static Value method_reverse(Vm *vm, Value *args)
{
    List *list = self_of(args);
    if (!note_store(vm, list, VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < list->count / 2; i++) {
        Value item = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = item;
    }
    return VALUE_NONE;
}

// list.__reversed__, by length and items: reversed() would come back here.
static Value method_reversed(Vm *vm, Value *args)
{
    return iter_reversed_plain(vm, args[0]);
}

// list_sort treats a None key as
// none and checks the list for changes made by the key function.
static Value method_sort(Vm *vm, Value *args)
{
    bool reverse;
    if (!value_to_flag(vm, args[2], &reverse) ||
        !list_sort(vm, self_of(args), args[1], reverse)) {
        return VALUE_FAIL;
    }
    return VALUE_NONE;
}

// The second column is the signature as inspect shows it; the call machinery
// fills args from it, with UNBOUND for a default that was not given.
const NativeDef list_methods[] = {
    {"append", "self, object, /", list_method_append,
     "Adds an item at the end."},
    {"extend", "self, iterable, /", method_extend, "Adds all items."},
    {"insert", "self, index, object, /", method_insert,
     "Puts an item in front of the one at index."},
    {"pop", "self, index=-1, /", method_pop, "Removes and returns an item."},
    {"index", "self, value, start=0, stop=None, /", method_index,
     "Where value stands first."},
    {"count", "self, value, /", method_count, "How often value occurs."},
    {"remove", "self, value, /", method_remove,
     "Removes the first item equal to value."},
    {"clear", "self, /", method_clear, "Removes all items."},
    {"copy", "self, /", method_copy, "A shallow copy."},
    {"__reversed__", "self, /", method_reversed, "The items from the end."},
    {"reverse", "self, /", method_reverse, "Turns the order round in place."},
    {"sort", "self, /, *, key=None, reverse=False", method_sort,
     "Sorts in place; equal items keep their order."},
    {0}};

const NativeDef tuple_methods[] = {
    NEWARGS_ROW,
    {"index", "self, value, start=0, stop=None, /", method_index,
     "Where value stands first."},
    {"count", "self, value, /", method_count, "How often value occurs."},
    {0}};
