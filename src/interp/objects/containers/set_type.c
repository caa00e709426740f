// set and frozenset: types and operators.
//
// The hash table itself is in obj_set.c. What walks a table here holds on to
// the key while code of the program may run, since that may change the set.
#include "interp/objects/containers/set_type.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"

static Set *as_set(Value v)
{
    return (Set *)value_object(v);
}

// Owned. The items are hashed one by one, so an unhashable one fails half-way
// and the set is dropped.
Set *set_from(Vm *vm, Value iterable, bool frozen)
{
    Set *set = set_new(vm, frozen);
    if (set != NULL && !set_update(vm, set, iterable)) {
        object_release(&vm->ctx, set);
        return NULL;
    }
    return set;
}

// Slots without a key hold specials, which are not counted, so all slots may be
// released alike.
// There is always a table, of one slot at least.
static void set_destroy(Vm *vm, Object *self)
{
    Set *set = (Set *)self;
    SetEntry *table = set->table;
    size_t mask = set->mask, left = set->count;
    // Nobody can see the set any more: what remains is the keys that it had.
    for (const SetEntry *entry = table; left > 0; entry++) {
        Value key = entry->key;
        left -= !value_unbound(key) && !value_same(key, VALUE_DELETED);
        release(vm, key);
    }
    ctx_free(&vm->ctx, table, (mask + 1) * sizeof *table);
    object_free(vm, self, sizeof *set);
}

// Empty and removed slots hold specials, which values_visit passes over.
// A frozenset can be part of a cycle too, through an object that it holds.
static void set_visit(Object *self, void (*visit)(Object *, void *), void *data)
{
    Set *set = (Set *)self;
    for (size_t i = 0; i <= set->mask; i++) {
        Value key = set->table[i].key;
        if (value_is_object(key)) {
            visit(value_object(key), data);
        }
    }
}

// Breaks cycles: only keys that are objects go. Each leaves VALUE_DELETED, so
// that the probe sequences of the rest stay whole.
static void set_clear_slot(Vm *vm, Object *self)
{
    Set *set = (Set *)self;
    for (size_t i = 0; i <= set->mask; i++) {
        if (value_is_object(set->table[i].key)) {
            set->count--;
            value_replace(&vm->ctx, &set->table[i].key, VALUE_DELETED);
        }
    }
}

// The items as iteration gives them, which is a subclass's matter. A copy: a
// __repr__ may change the set.
// False: an error is pending.
static bool print_keys(Vm *vm, StrBuf *out, Value self)
{
    Tuple *keys = value_to_tuple(vm, self);
    bool ok = keys != NULL;
    for (size_t i = 0; ok && i < keys->count; i++) {
        strbuf_puts(out, i == 0 ? "" : ", ");
        ok = repr_append(vm, out, keys->items[i]);
    }
    object_release_null(&vm->ctx, keys);
    return ok;
}

// Only an exact set has bare braces; a frozenset or a subclass has its name
// around them. The empty set is set(), because {} is a dict, and a set within
// itself is name(...).
// Owned. The order is that of the table.
static Value set_repr(Vm *vm, Value self)
{
    Set *set = as_set(self);
    const char *name = type_name(type_of(vm, self));
    bool plain = set->head.type == vm->types[KIND_SET];
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    ReprGuard guard;
    bool ok = true;
    // A set cannot hold itself, but a frozenset within an object may come back.
    if (!repr_enter(vm, self, &guard)) {
        strbuf_printf(&out, "%s(...)", name);
    } else if (set->count == 0) {
        strbuf_printf(&out, "%s()", name);
        repr_leave(vm, &guard);
    } else {
        strbuf_printf(&out, plain ? "{" : "%s({", name);
        ok = print_keys(vm, &out, self);
        strbuf_puts(&out, plain ? "}" : "})");
        repr_leave(vm, &guard);
    }
    if (!ok) {
        strbuf_free(&out);
        return VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// The key is retained because an __eq__ that the lookup calls may remove it
// from `a`. The hashes that `a` keeps are used.
int set_is_subset(Vm *vm, Set *a, Set *b)
{
    // Too many to be all in b: nothing is hashed or compared.
    if (a->count > b->count) {
        return 0;
    }
    Value key;
    for (size_t at = 0; set_next(a, &at, &key);) {
        value_retain(key);
        // The entry that was just passed holds the hash.
        uint64_t hash = a->table[at - 1].hash;
        int found =
            ctx_poll(&vm->ctx) ? set_contains_hashed(vm, b, key, hash) : -1;
        release(vm, key);
        if (found <= 0) {
            return found;
        }
    }
    return 1;
}

// Inclusion is a partial order: of two sets, neither need be less. The counts
// decide first (equality wants equal ones, a strict test unequal ones), so that
// one subset test settles the rest.
// A set and a frozenset of the same items are equal.
static Value set_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (!value_is_any_set(a) || !value_is_any_set(b)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Set *x = as_set(a), *y = as_set(b);
    bool equality = op == COMPARE_EQ || op == COMPARE_NE;
    bool strict = op == COMPARE_LT || op == COMPARE_GT;
    bool wrong_count =
        equality ? x->count != y->count : strict && x->count == y->count;
    bool swap = op == COMPARE_GT || op == COMPARE_GE;
    int subset =
        wrong_count ? 0 : set_is_subset(vm, swap ? y : x, swap ? x : y);
    return subset < 0 ? VALUE_FAIL
                      : value_from_bool(subset == (op != COMPARE_NE));
}

// The operators that set algebra has; all others are declined.
static bool is_set_op(BinaryOp op)
{
    return op == BINARY_OR || op == BINARY_AND || op == BINARY_SUB ||
           op == BINARY_XOR;
}

// Both sides must be sets: the operators refuse the iterables that the methods
// (union and the like) take.
// The result has the kind of the left side, and never its subclass.
static Value set_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (!is_set_op(op) || !value_is_any_set(a) || !value_is_any_set(b)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    return value_or_fail(set_combine(vm, op, as_set(a), as_set(b)));
}

// a op= b.
// A frozenset has no such slot: there a |= b makes a new one. An iterable that
// is no set is declined.
static Value set_inplace(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (!is_set_op(op) || !value_is_any_set(b)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Set *set = as_set(a);
    if (op == BINARY_OR) {
        return set_merge(vm, set, as_set(b)) ? value_retain(a) : VALUE_FAIL;
    }
    bool ok = op == BINARY_AND   ? set_keep(vm, set, b)
              : op == BINARY_SUB ? set_subtract(vm, set, b)
                                 : set_toggle(vm, set, b);
    return ok ? value_retain(a) : VALUE_FAIL;
}

// Removed slots do not count.
static int64_t set_length(Vm *vm, Value self)
{
    (void)vm;
    return (int64_t)as_set(self)->count;
}

// An unhashable item is a TypeError here, not an absent one.
static int set_contains_slot(Vm *vm, Value self, Value item)
{
    return set_contains(vm, as_set(self), item);
}

// Kept, since it cannot change; 0 stands for "not asked yet".
// It depends on the items and not on their order, with a fixed mixing, so that
// sets of frozensets print alike.
static bool frozenset_hash(Vm *vm, Value self, uint64_t *out)
{
    (void)vm;
    Set *set = as_set(self);
    set->hash = set->hash == 0 ? set_hash_items(set) : set->hash;
    *out = set->hash;
    return true;
}

// A changed count is noticed, an exchanged item is not. The error is sticky: no
// set has UINT64_MAX items, so each later step fails too. As in iterators over
// dicts the low half of `expected` is the number of items, the high half how
// many of them were given.
// Owned. position is a slot of the table.
static Value set_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    Set *set = as_set(self->state[0]);
    if (set->count != (uint32_t)self->expected) {
        self->expected = UINT64_MAX;
        return raise_error(vm, ERR_RUNTIME,
                           "Set changed size during iteration");
    }
    while (self->position <= set->mask) {
        Value key = set->table[self->position++].key;
        if (!value_unbound(key) && !value_same(key, VALUE_DELETED)) {
            self->expected += (uint64_t)1 << 32;
            return value_retain(key);
        }
    }
    // Ended for good, also if items are added later.
    value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
    return VALUE_STOP;
}

// The iterator owns its set until it is exhausted, not until it is released.
// expected is the count at the start, for set_step to compare.
static Value set_iter(Vm *vm, Value self)
{
    Iterator *iterator =
        iterator_new(vm, &iterator_counted_def, "set_iterator", set_step);
    if (iterator == NULL) {
        return VALUE_FAIL;
    }
    iterator->state[0] = value_retain(self);
    iterator->expected = as_set(self)->count;
    return value_from_object(iterator);
}

// Keywords are refused in the built-in type's name, a second argument in the
// class's.
static bool check_arguments(Vm *vm, const char *name, const Type *cls,
                            Tuple *args, Dict *keywords)
{
    return arguments_check(
        vm, keywords == NULL || keywords->count == 0 ? type_name(cls) : name,
        args, keywords, 1);
}

// __new__ ignores the arguments: __init__ reads them, and a subclass may have
// an __init__ that takes others.
// An empty set, owned.
static Value set_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args;
    (void)keywords;
    return value_or_fail(set_new_of(vm, cls));
}

// A second __init__ on the same set replaces the items.
// False: an error is pending.
static bool set_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    return check_arguments(vm, "set", type_of(vm, self), args, keywords) &&
           set_clear(vm, as_set(self)) &&
           (args->count == 0 || set_update(vm, as_set(self), args->items[0]));
}

// All is done in __new__, since nothing may change later. An exact frozenset is
// its own copy.
// Owned. There is no one shared empty frozenset.
static Value frozenset_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (!check_arguments(vm, "frozenset", cls, args,
                         arguments_keywords(vm, cls, keywords))) {
        return VALUE_FAIL;
    }
    if (args->count == 1 && cls == vm->types[KIND_FROZENSET] &&
        value_is_object(args->items[0]) &&
        value_object(args->items[0])->type == cls) {
        return value_retain(args->items[0]);
    }
    // Nobody has seen it yet, so it may still be filled.
    Set *set = set_new_of(vm, cls);
    if (set != NULL && args->count == 1 &&
        !set_update(vm, set, args->items[0])) {
        object_release(&vm->ctx, set);
        set = NULL;
    }
    return value_or_fail(set);
}

const TypeDef set_type_def = {
    .name = "set",
    .doc = "An unordered collection without duplicates: set(iterable=()).",
    .params = "iterable=(), /",
    .kind = KIND_SET,
    .size = sizeof(Set),
    .flags = TYPE_TRACKED | TYPE_UNHASHABLE | TYPE_GENERIC,
    .operators = "and rand or ror sub rsub xor rxor iand ior isub ixor",
    .plain = "contains",
    .slots = {.destroy = set_destroy,
              .visit = set_visit,
              .clear = set_clear_slot,
              .make = set_make,
              .init = set_init,
              .repr = set_repr,
              .compare = set_compare,
              .binary = set_binary,
              .inplace = set_inplace,
              .length = set_length,
              .contains = set_contains_slot,
              .iter = set_iter},
    .methods = set_methods,
    .class_methods = generic_class_methods,
};

const TypeDef frozenset_type_def = {
    .name = "frozenset",
    .doc = "An immutable set: frozenset(iterable=()).",
    .params = "iterable=(), /",
    .kind = KIND_FROZENSET,
    .size = sizeof(Set),
    .flags = TYPE_TRACKED | TYPE_GENERIC,
    .operators = "and rand or ror sub rsub xor rxor",
    .plain = "contains",
    .slots = {.destroy = set_destroy,
              .visit = set_visit,
              .clear = set_clear_slot,
              .make = frozenset_make,
              .repr = set_repr,
              .hash = frozenset_hash,
              .compare = set_compare,
              .binary = set_binary,
              .length = set_length,
              .contains = set_contains_slot,
              .iter = set_iter},
    .methods = frozenset_methods,
    .class_methods = generic_class_methods,
};
