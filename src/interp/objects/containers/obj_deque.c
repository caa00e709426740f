// The ring of deque with what loops call.
//
// lib/python/collections/__init__.duet derives the class that programs see from
// this one and adds what is not urgent. Invariant: capacity is 0 or a power of
// two; item i of `count` stands at (start + i) & (capacity - 1), and no other
// slot holds a reference. `changes` counts what an iteration must notice.
#include "interp/objects/containers/obj_deque.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

enum { DEQUE_FIRST = 8 };

typedef struct Deque {
    Object head;
    Value *items; // NULL with a capacity of 0
    size_t capacity, start, count;
    int64_t most;     // maxlen; -1: none
    uint64_t changes; // bumped when an item comes or goes
} Deque;

// The caller knows that it is one: methods are bound to the class. No check of
// its own for that reason.
static Deque *as_deque(Value v)
{
    return (Deque *)value_object(v);
}

// The place of item i. One behind the last is allowed where there is room. The
// mask instead of a remainder is why the capacity is a power of two.
static inline Value *slot(const Deque *self, size_t i)
{
    return &self->items[(self->start + i) & (self->capacity - 1)];
}

// Room for one more item. The items move to the front of a new ring. It
// doubles, so that n appends cost O(n) in all; the size in bytes is checked
// before it is multiplied.
static bool reserve(Vm *vm, Deque *self)
{
    if (self->count < self->capacity) {
        return true;
    }
    size_t capacity = self->capacity == 0 ? DEQUE_FIRST : self->capacity * 2;
    if (capacity > PTRDIFF_MAX / sizeof(Value)) {
        return ctx_fail_memory(&vm->ctx);
    }
    Value *items = ctx_alloc(&vm->ctx, capacity * sizeof *items);
    if (items == NULL) {
        return false;
    }
    for (size_t i = 0; i < self->count; i++) {
        items[i] = *slot(self, i);
    }
    ctx_free(&vm->ctx, self->items, self->capacity * sizeof *items);
    self->items = items;
    self->capacity = capacity;
    self->start = 0;
    return true;
}

// The first or last item, moved out. There is one. `start` may pass the end of
// the ring, since slot() masks it.
static Value take(Deque *self, bool left)
{
    Value item = *slot(self, left ? 0 : self->count - 1);
    self->start += left;
    self->count--;
    self->changes++;
    return item;
}

// Retains. A full deque drops the item at the other end, released last. The
// note comes first: a trace has to know of the change before anything is
// different.
static bool put(Vm *vm, Deque *self, Value item, bool left)
{
    if (!note_store(vm, self, item)) {
        return false;
    }
    if (self->most == 0) {
        return true;
    }
    Value dropped = VALUE_UNBOUND;
    if (self->most > 0 && self->count >= (size_t)self->most) {
        dropped = take(self, !left);
    } else if (!reserve(vm, self)) {
        return false;
    }
    // The mask takes care of a start below 0.
    self->start -= left;
    *slot(self, left ? 0 : self->count) = value_retain(item);
    self->count++;
    self->changes++;
    // Only now: a destructor may look at this deque.
    release(vm, dropped);
    return true;
}

// The ring is taken out before the first release, as list_clear does it.
static void clear(Vm *vm, Deque *self)
{
    Deque old = *self;
    self->items = NULL;
    self->capacity = self->start = self->count = 0;
    self->changes++;
    for (size_t i = 0; i < old.count; i++) {
        release(vm, *slot(&old, i));
    }
    ctx_free(&vm->ctx, old.items, old.capacity * sizeof *old.items);
}

// A deque that is extended by itself takes what it held at first.
static bool extend(Vm *vm, Deque *self, Value iterable, bool left)
{
    Tuple *held = NULL;
    // The iterator would otherwise find the deque changed, or never end.
    if (value_same(iterable, value_from_object(self))) {
        held = value_to_tuple(vm, iterable);
        if (held == NULL) {
            return false;
        }
        iterable = value_from_object(held);
    }
    Value iterator = value_iter(vm, iterable), item;
    object_release_null(&vm->ctx, held);
    bool ok = !value_failed(iterator);
    while (ok && !value_same(item = value_next(vm, iterator), VALUE_STOP)) {
        // put() has a count of its own, so the one of value_next is given back.
        ok = !value_failed(item) && put(vm, self, item, left) &&
             ctx_poll(&vm->ctx);
        release(vm, item);
    }
    release(vm, iterator);
    return ok;
}

bool deque_is(Value v)
{
    return value_is_kind(v, KIND_OPAQUE) &&
           value_object(v)->type->def == &deque_type_def;
}

size_t deque_count(Value deque)
{
    return as_deque(deque)->count;
}

Value deque_item(Value deque, size_t i)
{
    return *slot(as_deque(deque), i);
}

int64_t deque_most(Value deque)
{
    return as_deque(deque)->most;
}

bool deque_extend(Vm *vm, Value deque, Value iterable)
{
    return extend(vm, as_deque(deque), iterable, false);
}

// The trace is told first; clear() cannot fail.
bool deque_empty(Vm *vm, Value deque)
{
    if (!note_store(vm, as_deque(deque), VALUE_UNBOUND)) {
        return false;
    }
    clear(vm, as_deque(deque));
    return true;
}

// --- methods ---

// The methods bind their arguments by the rows at the end of the file, so that
// args[0] is a deque and args[1] is there.
static Value method_append(Vm *vm, Value *args)
{
    return value_done(put(vm, as_deque(args[0]), args[1], false));
}

// With a maxlen the last item goes instead, as put() drops at the other end.
static Value method_appendleft(Vm *vm, Value *args)
{
    return value_done(put(vm, as_deque(args[0]), args[1], true));
}

// Items go in as they come, so those before an error stay.
static Value method_extend(Vm *vm, Value *args)
{
    return value_done(extend(vm, as_deque(args[0]), args[1], false));
}

// The order is turned round, as each item goes in front of the one before.
static Value method_extendleft(Vm *vm, Value *args)
{
    return value_done(extend(vm, as_deque(args[0]), args[1], true));
}

// The item moves to the caller: nothing is counted. The trace is told before
// the item leaves, for a trace may refuse.
static Value pop_from(Vm *vm, Deque *self, bool left)
{
    if (self->count == 0) {
        return raise_error(vm, ERR_INDEX, "pop from an empty deque");
    }
    return note_store(vm, self, VALUE_UNBOUND) ? take(self, left) : VALUE_FAIL;
}

// An IndexError names no end.
static Value method_pop(Vm *vm, Value *args)
{
    return pop_from(vm, as_deque(args[0]), false);
}

static Value method_popleft(Vm *vm, Value *args)
{
    return pop_from(vm, as_deque(args[0]), true);
}

static Value method_clear(Vm *vm, Value *args)
{
    return value_done(deque_empty(vm, args[0]));
}

// Item by item from one end to the other, by the shorter way. In a full ring
// the start alone moves.
static Value method_rotate(Vm *vm, Value *args)
{
    Deque *self = as_deque(args[0]);
    int64_t steps = 1;
    if ((!value_unbound(args[1]) && !value_to_index(vm, args[1], &steps)) ||
        !note_store(vm, self, VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    // Counted last: the __index__ of the argument may have changed the deque.
    int64_t length = (int64_t)self->count;
    if (length < 2) {
        return VALUE_NONE;
    }
    // At most half a turn: the sign says which end gives.
    steps %= length;
    steps += steps > length / 2 ? -length : steps < -length / 2 ? length : 0;
    for (; steps > 0; steps--) {
        // The last item becomes the first: the ring turns by moving its start.
        Value item = *slot(self, self->count - 1);
        self->start--;
        *slot(self, 0) = item;
    }
    for (; steps < 0; steps++) {
        Value item = *slot(self, 0);
        self->start++;
        *slot(self, self->count - 1) = item;
    }
    self->changes++;
    return VALUE_NONE;
}

// In place, by exchanges from both ends. No item is counted, since each only
// changes its place.
static Value method_reverse(Vm *vm, Value *args)
{
    Deque *self = as_deque(args[0]);
    if (!note_store(vm, self, VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < self->count / 2; i++) {
        Value *a = slot(self, i), *b = slot(self, self->count - 1 - i);
        Value item = *a;
        *a = *b;
        *b = item;
    }
    self->changes++;
    return VALUE_NONE;
}

// --- iteration ---

// state: the deque; position: items passed; expected: its changes.
static Value step(Vm *vm, Iterator *self, bool left)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    const Deque *deque = as_deque(self->state[0]);
    // A number that is never reached: later steps fail as well.
    if (deque->changes != self->expected) {
        self->expected = UINT64_MAX;
        return raise_error(vm, ERR_RUNTIME, "deque mutated during iteration");
    }
    if (self->position >= deque->count) {
        // At the end the deque is let go, so that a finished iterator holds
        // nothing.
        value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
        return VALUE_STOP;
    }
    // Counted from the end that the walk began at.
    size_t at = self->position++;
    return value_retain(*slot(deque, left ? at : deque->count - 1 - at));
}

// The direction is in the function, so that an iterator needs no field for it.
static Value step_forwards(Vm *vm, Iterator *self)
{
    return step(vm, self, true);
}

static Value step_backwards(Vm *vm, Iterator *self)
{
    return step(vm, self, false);
}

// The iterator holds the deque and the number of its changes so far. `name` is
// what type() of the iterator shows.
static Value iterate(Vm *vm, Value self, const char *name, IteratorFn by)
{
    Iterator *iterator = iterator_new(vm, &iterator_counted_def, name, by);
    if (iterator == NULL) {
        return VALUE_FAIL;
    }
    iterator->state[0] = value_retain(self);
    iterator->expected = as_deque(self)->changes;
    return value_from_object(iterator);
}

// The name has its private module.
static Value deque_iter(Vm *vm, Value self)
{
    return iterate(vm, self, "_collections._deque_iterator", step_forwards);
}

// Named, since programs see the type.
static Value method_reversed(Vm *vm, Value *args)
{
    return iterate(vm, args[0], "_collections._deque_reverse_iterator",
                   step_backwards);
}

// --- slots ---

// The object dies, so it need not look empty to destructors.
static void deque_destroy(Vm *vm, Object *object)
{
    Deque *self = (Deque *)object;
    for (size_t i = 0; i < self->count; i++) {
        release(vm, *slot(self, i));
    }
    ctx_free(&vm->ctx, self->items, self->capacity * sizeof *self->items);
    object_free(vm, self, sizeof *self);
}

// One item at a time: they need not lie side by side.
static void deque_visit(Object *object, void (*visit)(Object *, void *),
                        void *data)
{
    const Deque *self = (const Deque *)object;
    for (size_t i = 0; i < self->count; i++) {
        values_visit(slot(self, i), 1, visit, data);
    }
}

static void deque_clear(Vm *vm, Object *object)
{
    clear(vm, (Deque *)object);
}

// Without a ring until the first item.
Value deque_alike(Vm *vm, Type *cls, int64_t most)
{
    Deque *self = object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->items = NULL;
    self->capacity = self->start = self->count = 0;
    self->most = most;
    self->changes = 0;
    return value_from_object(self);
}

// __new__ ignores what __init__ reads, so that a subclass may have its own.
static Value deque_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args;
    (void)keywords;
    return deque_alike(vm, cls, -1);
}

// deque(iterable=(), maxlen=None); called again it begins anew.
static bool deque_init(Vm *vm, Value v, Tuple *args, Dict *keywords)
{
    static const char *const params[] = {"iterable", "maxlen"};
    Deque *self = as_deque(v);
    Value given[2];
    if (!arguments_spread(vm, "deque", args, keywords, params, 2, 0, given)) {
        return false;
    }
    int64_t most = -1;
    if (!value_unbound(given[1]) && !value_is_none(given[1])) {
        // An __index__ is not enough here.
        if (!value_is_integer(given[1]) && !value_is_bool(given[1])) {
            return raise_false(vm, ERR_TYPE, "an integer is required");
        }
        if (!value_to_index(vm, given[1], &most)) {
            return false;
        }
        if (most < 0) {
            return raise_false(vm, ERR_VALUE, "maxlen must be non-negative");
        }
    }
    self->most = most;
    // After the arguments were checked: a wrong call leaves the deque as it
    // was.
    clear(vm, self);
    return value_unbound(given[0]) || extend(vm, self, given[0], false);
}

// "deque([1, 2], maxlen=3)"; a deque within itself shows as "[...]".
static Value deque_repr(Vm *vm, Value self)
{
    ReprGuard guard;
    Str *items = NULL, *text = NULL;
    if (!repr_enter(vm, self, &guard)) {
        text = str_printf(vm, "[...]");
        return value_or_fail(text);
    }
    // The items are printed by list, whose rules for nesting they follow.
    List *list = list_new(vm, 0);
    if (list != NULL && list_extend(vm, list, self)) {
        items = value_repr(vm, value_from_object(list));
    }
    repr_leave(vm, &guard);
    const char *name = type_of(vm, self)->name->text;
    int64_t most = as_deque(self)->most;
    if (items != NULL && most < 0) {
        text = str_printf(vm, "%s(%s)", name, items->text);
    } else if (items != NULL) {
        text = str_printf(vm, "%s(%s, maxlen=%lld)", name, items->text,
                          (long long)most);
    }
    object_release_null(&vm->ctx, list);
    object_release_null(&vm->ctx, items);
    return value_or_fail(text);
}

static int64_t deque_length(Vm *vm, Value self)
{
    (void)vm;
    return (int64_t)as_deque(self)->count;
}

// NULL: no index, or out of range. Negative indices count from the end, as in a
// list; slices are refused.
static Value *deque_at(Vm *vm, Value self, Value key)
{
    Deque *deque = as_deque(self);
    int64_t at;
    if (!value_is_index(vm, key)) {
        return raise_null(vm, ERR_TYPE,
                          "sequence index must be integer, not '%s'",
                          type_name(type_of(vm, key)));
    }
    if (!value_to_place(vm, key, &at)) {
        return NULL;
    }
    at += at < 0 ? (int64_t)deque->count : 0;
    return at < 0 || (size_t)at >= deque->count
               ? raise_null(vm, ERR_INDEX, "deque index out of range")
               : slot(deque, (size_t)at);
}

static Value deque_get_item(Vm *vm, Value self, Value key)
{
    const Value *place = deque_at(vm, self, key);
    return place == NULL ? VALUE_FAIL : value_retain(*place);
}

static bool deque_set_item(Vm *vm, Value v, Value key, Value value)
{
    Deque *self = as_deque(v);
    Value *place = deque_at(vm, v, key);
    if (place == NULL || !note_store(vm, self, value)) {
        return false;
    }
    Value old = *place;
    if (!value_unbound(value)) {
        *place = value_retain(value);
    } else {
        size_t at = 0;
        while (slot(self, at) != place) {
            at++;
        }
        for (; at + 1 < self->count; at++) {
            *slot(self, at) = *slot(self, at + 1);
        }
        self->count--;
        self->changes++;
    }
    release(vm, old);
    return true;
}

// By identity or equality; an __eq__ must not change the deque.
static int deque_contains(Vm *vm, Value v, Value item)
{
    const Deque *self = as_deque(v);
    uint64_t changes = self->changes;
    for (size_t i = 0; i < self->count; i++) {
        // Its __eq__ might drop it from the deque.
        Value held = value_retain(*slot(self, i));
        int equal = value_equal(vm, held, item);
        release(vm, held);
        if (equal != 0) {
            return equal;
        }
        if (self->changes != changes) {
            return raise_int(vm, ERR_RUNTIME, "deque mutated during iteration");
        }
    }
    return 0;
}

static Value get_maxlen(Vm *vm, Value self)
{
    (void)vm;
    int64_t most = as_deque(self)->most;
    return most < 0 ? VALUE_NONE : value_from_small(most);
}

static const NativeDef deque_methods[] = {
    {"append", "self, x, /", method_append, "Add at the right end."},
    {"appendleft", "self, x, /", method_appendleft, "Add at the left end."},
    {"extend", "self, iterable, /", method_extend, "Add all at the right end."},
    {"extendleft", "self, iterable, /", method_extendleft,
     "Add all at the left end, one by one."},
    {"pop", "self, /", method_pop, "Take from the right end."},
    {"popleft", "self, /", method_popleft, "Take from the left end."},
    {"clear", "self, /", method_clear, "Remove all."},
    {"rotate", "self, n=1, /", method_rotate,
     "Move n items from the right end to the left one."},
    {"reverse", "self, /", method_reverse, "Turn the order round."},
    {"__reversed__", "self, /", method_reversed, "The items from the end."},
    {NULL, NULL, NULL, NULL}};

static const MemberDef deque_members[] = {
    {"maxlen", get_maxlen, NULL, "The most items that it keeps, or None."},
    {NULL, NULL, NULL, NULL}};

const TypeDef deque_type_def = {
    .name = "deque",
    .module = "collections",
    .doc = "A queue with two ends: the native part of deque.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Deque),
    .flags = TYPE_TRACKED | TYPE_UNHASHABLE | TYPE_JOINS | TYPE_BY_PLACE,
    .operators = "add mul rmul iadd imul",
    .slots = {.destroy = deque_destroy,
              .visit = deque_visit,
              .clear = deque_clear,
              .make = deque_make,
              .init = deque_init,
              .repr = deque_repr,
              .binary = deque_binary,
              .inplace = deque_inplace,
              .length = deque_length,
              .get_item = deque_get_item,
              .set_item = deque_set_item,
              .contains = deque_contains,
              .iter = deque_iter},
    .methods = deque_methods,
    .members = deque_members,
};
