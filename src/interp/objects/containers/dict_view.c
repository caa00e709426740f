// keys(), values() and items(): live views; keys and items work as sets.
#include "interp/objects/containers/dict_view.h"

#include "interp/objects/classes/obj_proxy.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/containers/set_type.h"

extern const TypeDef dict_view_type_def;
static const TypeDef dict_values_type_def;

// The three kinds share their code; type_variant gives each its name. values()
// is no set and has neither its operators nor ==.
Value dict_view_new(Vm *vm, Dict *dict, char part)
{
    static const char *const names[][2] = {{"dict_keys", "odict_keys"},
                                           {"dict_values", "odict_values"},
                                           {"dict_items", "odict_items"}};
    int row = part == 'k' ? 0 : part == 'v' ? 1 : 2;
    const TypeDef *def =
        part == 'v' ? &dict_values_type_def : &dict_view_type_def;
    // Borrowed; made when the first view of its kind is.
    Type *cls = type_variant(vm, def, names[row][0]);
    if (cls != NULL && dict_is_ordered(dict)) {
        cls = type_variant_of(vm, def, names[row][1], cls);
    }
    DictView *view = cls == NULL || !dict_ask_all(vm, dict)
                         ? NULL
                         : object_new(vm, cls, sizeof *view);
    if (view == NULL) {
        return VALUE_FAIL;
    }
    view->dict = object_retain(dict);
    view->part = part;
    return value_from_object(view);
}

static DictView *as_view(Value v)
{
    return (DictView *)value_object(v);
}

static void view_destroy(Vm *vm, Object *self)
{
    object_release(&vm->ctx, ((DictView *)self)->dict);
    object_free(vm, self, sizeof(DictView));
}

// A dict may hold its own view, so views take part in cycle collection.
// The dict is never let go before the view is destroyed, so there is nothing to
// clear.
static void view_visit(Object *self, void (*visit)(Object *, void *),
                       void *data)
{
    visit((Object *)((DictView *)self)->dict, data);
}

// The iterator holds the dict itself: the view may go while it runs.
// Its errors for a dict that changes its size are those of the dict's own
// iterator.
static Value view_iter(Vm *vm, Value self)
{
    return dict_iterator(vm, as_view(self)->dict, as_view(self)->part, false);
}

static int64_t view_length(Vm *vm, Value self)
{
    (void)vm;
    return as_view(self)->dict->count;
}

// The items are copied to a list first: a __repr__ that changes the dict then
// cannot disturb the walk.
// A dict whose values hold this view shows "..." in its place.
static Value view_repr(Vm *vm, Value self)
{
    const char *name = type_name(type_of(vm, self));
    ReprGuard guard;
    if (!repr_enter(vm, self, &guard)) {
        return value_or_fail(str_new(vm, "...", 3));
    }
    // Its repr is the part in brackets.
    List *list = list_new(vm, 0);
    Str *items = NULL, *text = NULL;
    if (list != NULL && list_extend(vm, list, self)) {
        items = value_repr(vm, value_from_object(list));
    }
    if (items != NULL) {
        text = str_printf(vm, "%s(%s)", name, items->text);
    }
    repr_leave(vm, &guard);
    object_release_null(&vm->ctx, items);
    object_release_null(&vm->ctx, list);
    return value_or_fail(text);
}

// 1, 0, -1. Anything but a pair is simply not in the view. The value is
// retained: __eq__ may take it out of the dict.
// A key that cannot be hashed raises, as it does for the dict.
static int contains_item(Vm *vm, Dict *dict, Value item)
{
    Value value;
    if (!value_is_kind(item, KIND_TUPLE) || value_as_tuple(item)->count != 2) {
        return 0;
    }
    Tuple *pair = value_as_tuple(item);
    // One look-up by key, then one comparison.
    int found = dict_get(vm, dict, pair->items[0], &value);
    if (found > 0) {
        value_retain(value);
        found = value_equal(vm, value, pair->items[1]);
        release(vm, value);
    }
    return found;
}

// 1, 0, -1. Keys and items need one look-up; values are searched in order, by
// identity or equality.
static int view_contains(Vm *vm, Value self, Value item)
{
    Value value;
    Dict *dict = as_view(self)->dict;
    if (as_view(self)->part == 'k') {
        return dict_get(vm, dict, item, &value);
    }
    if (as_view(self)->part == 'i') {
        return contains_item(vm, dict, item);
    }
    // The key is not wanted: `value` receives it first and is overwritten.
    for (uint32_t at = 0; dict_next(dict, &at, &value, &value);) {
        value_retain(value);
        int equal = value_equal(vm, value, item);
        release(vm, value);
        if (equal != 0 || !ctx_poll(&vm->ctx)) {
            return equal != 0 ? equal : -1;
        }
    }
    return 0;
}

// A set of the iterable's items, owned. NULL: failed, for instance because a
// value of an items view is not hashable.
// A keys view never fails for a missing hash: its items are keys.
static Set *as_set(Vm *vm, Value iterable)
{
    Set *set = set_new(vm, false);
    if (set != NULL && !set_update(vm, set, iterable)) {
        object_release(&vm->ctx, set);
        return NULL;
    }
    return set;
}

static bool is_items(Value v)
{
    return value_is_kind(v, KIND_DICT_VIEW) && as_view(v)->part == 'i';
}

// values() is not: its items may be equal to each other and unhashable.
// A subclass of set counts, too: the kind is inherited.
static bool is_set_like(Value v)
{
    return value_is_kind(v, KIND_SET) || value_is_kind(v, KIND_FROZENSET) ||
           (value_is_kind(v, KIND_DICT_VIEW) && as_view(v)->part != 'v');
}

// What both items views have goes, without a hash of its value: the pairs that
// remain become a set. The order of the steps is fixed: hashes and texts of
// errors show it.
static Set *items_xor(Vm *vm, Dict *a, Dict *b)
{
    // The larger dict is copied and the smaller one walked: one look-up for
    // each pair of the smaller.
    Dict *rest = dict_new(vm);
    Set *result = rest == NULL ? NULL : set_new(vm, false);
    Value key, value, mine;
    bool ok = result != NULL && dict_update(vm, rest, value_from_object(a));
    for (uint32_t at = 0; ok && dict_next(b, &at, &key, &value);) {
        // Counted while code of the program may run: __eq__ can change both
        // dicts.
        Value items[2] = {value_retain(key), value_retain(value)};
        int found = dict_get(vm, rest, key, &mine);
        if (found > 0) {
            value_retain(mine);
            found = value_equal(vm, mine, value);
            release(vm, mine);
        }
        if (found > 0) {
            found = dict_remove(vm, rest, key);
        } else if (found == 0) {
            Tuple *pair = tuple_from(vm, items, 2);
            found = pair != NULL && set_add(vm, result, value_from_object(pair))
                        ? 1
                        : -1;
            object_release_null(&vm->ctx, pair);
        }
        ok = found >= 0 && ctx_poll(&vm->ctx);
        release(vm, items[0]);
        release(vm, items[1]);
    }
    Value view = ok ? dict_view_new(vm, rest, 'i') : VALUE_FAIL;
    ok = !value_failed(view) && set_update(vm, result, view);
    release(vm, view);
    object_release_null(&vm->ctx, rest);
    if (!ok) {
        object_release_null(&vm->ctx, result);
        return NULL;
    }
    return result;
}

// A set of the left side is changed in place by the right one. Owned. `a` may
// be any iterable here, when the view stands on the right.
static Value by_sets(Vm *vm, BinaryOp op, Value a, Value b)
{
    Set *set;
    if (op == BINARY_XOR && is_items(a) && is_items(b)) {
        set = items_xor(vm, as_view(a)->dict, as_view(b)->dict);
    } else {
        set = as_set(vm, a);
        bool ok = set != NULL && (op == BINARY_OR    ? set_update(vm, set, b)
                                  : op == BINARY_SUB ? set_subtract(vm, set, b)
                                                     : set_toggle(vm, set, b));
        if (!ok) {
            object_release_null(&vm->ctx, set);
            set = NULL;
        }
    }
    return value_or_fail(set);
}

// Walks `items` and asks `container` for each. Stops with `stop` at the first
// answer that is `wanted`; `found`, if not NULL, gets those that are there.
// 1, 0, -1: whether it was stopped.
// An iterator without end stops only at a find or at Ctrl-C.
static int walk(Vm *vm, Value items, Value container, int wanted, Set *found)
{
    Value iterator = value_iter(vm, items);
    if (value_failed(iterator)) {
        return -1;
    }
    int stopped = 0;
    Value item = value_next(vm, iterator);
    while (!value_same(item, VALUE_STOP) && stopped == 0) {
        int there =
            value_failed(item) ? -1 : value_contains(vm, container, item);
        if (there > 0 && found != NULL && !set_add(vm, found, item)) {
            there = -1;
        }
        release(vm, item);
        stopped = there < 0 || !ctx_poll(&vm->ctx)
                      ? -1
                      : found == NULL && there == wanted;
        item = stopped != 0 ? VALUE_STOP : value_next(vm, iterator);
    }
    release(vm, iterator);
    return stopped;
}

// The larger view is asked for the items of the other: values need no hash,
// as the items of neither are put into a set before they are found.
// Which side is walked shows in the order of the calls of __eq__ and __hash__.
static Value view_and(Vm *vm, Value a, Value b)
{
    bool swap = !value_is_kind(a, KIND_DICT_VIEW) || !is_set_like(a);
    Value self = swap ? b : a, other = swap ? a : b;
    int64_t length = view_length(vm, self);
    if (type_of(vm, other) == vm->types[KIND_SET] &&
        length <= value_length(vm, other)) {
        swap = true;
    } else {
        swap = value_is_kind(other, KIND_DICT_VIEW) && is_set_like(other) &&
               view_length(vm, other) > length;
    }
    Set *found = set_new(vm, false);
    if (found == NULL ||
        walk(vm, swap ? self : other, swap ? other : self, 1, found) < 0) {
        object_release_null(&vm->ctx, found);
        return VALUE_FAIL;
    }
    return value_from_object(found);
}

// One side is a keys or items view; the other may be any iterable, which views
// allow and sets do not. The result is a set.
// Neither side a view of keys or items: the operator is left to the other
// operand.
static Value view_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool known = op == BINARY_AND || op == BINARY_OR || op == BINARY_SUB ||
                 op == BINARY_XOR;
    bool left = value_is_kind(a, KIND_DICT_VIEW) && is_set_like(a);
    bool right = value_is_kind(b, KIND_DICT_VIEW) && is_set_like(b);
    if (!known || (!left && !right)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    return op == BINARY_AND ? view_and(vm, a, b) : by_sets(vm, op, a, b);
}

// Subset tests by the number of items, then by asking for each: values that
// have no hash compare all the same. Against anything else == is False and < a
// TypeError, which NotImplemented gives.
// The lengths are read before code of the program runs; a change in between
// gives an answer for one of the two states.
static Value view_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (!is_set_like(a) || !is_set_like(b)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    int64_t x = value_length(vm, a), y = value_length(vm, b);
    bool possible = op == COMPARE_LT   ? x < y
                    : op == COMPARE_LE ? x <= y
                    : op == COMPARE_GT ? x > y
                    : op == COMPARE_GE ? x >= y
                                       : x == y;
    bool all = possible;
    if (possible) {
        bool swap = op == COMPARE_GT || op == COMPARE_GE;
        int missing = walk(vm, swap ? b : a, swap ? a : b, 0, NULL);
        if (missing < 0) {
            return VALUE_FAIL;
        }
        all = !missing;
    }
    return value_from_bool(all != (op == COMPARE_NE));
}

// Entries are in insertion order, so the walk from the end needs no copy.
static Value view_reversed(Vm *vm, Value *args)
{
    DictView *view = as_view(args[0]);
    return dict_iterator(vm, view->dict, view->part, true);
}

// The shorter side is walked if the other can be asked quickly.
// An iterable that is no set has no length and is always walked.
static Value view_isdisjoint(Vm *vm, Value *args)
{
    Value self = args[0], other = args[1];
    if (is_set_like(other) && value_length(vm, other) > view_length(vm, self)) {
        self = args[1];
        other = args[0];
    }
    int common = walk(vm, other, self, 1, NULL);
    return common < 0 ? VALUE_FAIL : value_from_bool(!common);
}

// The dict that it is a view on, which cannot be changed through it.
// Owned: a new proxy each time.
static Value get_mapping(Vm *vm, Value self)
{
    return proxy_new(vm, value_from_object(as_view(self)->dict));
}

static const MemberDef view_members[] = {
    {"mapping", get_mapping, NULL, "The dict, to be read only."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef values_methods[] = {
    {"__reversed__", "self, /", view_reversed, "The items from the end."}, {0}};

static const NativeDef view_methods[] = {
    {"__reversed__", "self, /", view_reversed, "The items from the end."},
    {"isdisjoint", "self, other, /", view_isdisjoint,
     "True if the other has none of these."},
    {0}};

const TypeDef dict_view_type_def = {
    .name = "dict_view",
    .doc = "A live view on the keys, values or items of a dict.",
    .kind = KIND_DICT_VIEW,
    .size = sizeof(DictView),
    .flags = TYPE_TRACKED | TYPE_FINAL | TYPE_UNHASHABLE,
    .operators = "and rand or ror sub rsub xor rxor",
    .slots = {.destroy = view_destroy,
              .visit = view_visit,
              .repr = view_repr,
              .compare = view_compare,
              .binary = view_binary,
              .length = view_length,
              .contains = view_contains,
              .iter = view_iter},
    .methods = view_methods,
    .members = view_members,
};

static const TypeDef dict_values_type_def = {
    .name = "dict_values",
    .doc = "A live view on the values of a dict.",
    .kind = KIND_DICT_VIEW,
    .size = sizeof(DictView),
    .flags = TYPE_TRACKED | TYPE_FINAL,
    .slots = {.destroy = view_destroy,
              .visit = view_visit,
              .repr = view_repr,
              .length = view_length,
              .contains = view_contains,
              .iter = view_iter},
    .methods = values_methods,
    .members = view_members,
};
