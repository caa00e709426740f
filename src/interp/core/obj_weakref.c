// Weak references and the table that finds them. See obj_weakref.h.
//
// Invariant: an object has OBJECT_WEAKLY_REFERENCED exactly if the table has a
// chain for it. The table probes linearly and moves entries back when one
// goes, so that it needs no marks for removed ones.
#include "interp/core/obj_weakref.h"

#include "interp/core/memory.h"
#include "interp/machine/vm/finalize.h"
#include "interp/objects/classes/class_slot_names.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

enum { WEAK_FIRST_CAPACITY = 16 };

// --- the table ---

// Multiplication by an odd constant spreads neighbouring addresses.
static size_t home_slot(const WeakTable *table, const Object *target)
{
    uint64_t bits = (uintptr_t)target >> 4; // objects stand 16 bytes apart
    // The upper bits of the product are the well mixed ones.
    return (size_t)(bits * 0x9E6C63D0876A9A35u >> 20) & (table->capacity - 1);
}

// The target's slot, or the empty one where it would go. Needs capacity.
static WeakRef **find_slot(const WeakTable *table, const Object *target)
{
    size_t i = home_slot(table, target);
    while (table->slots[i] != NULL && table->slots[i]->target != target) {
        // Ends, since a quarter of the slots is empty.
        i = (i + 1) & (table->capacity - 1);
    }
    return &table->slots[i];
}

// The chains move whole: only their heads stand in the table.
static bool grow(Vm *vm)
{
    WeakTable *table = &vm->weak_table, larger = {.count = table->count};
    larger.capacity =
        table->capacity == 0 ? WEAK_FIRST_CAPACITY : 2 * table->capacity;
    larger.slots =
        ctx_alloc_zero(&vm->ctx, larger.capacity * sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i] != NULL) {
            *find_slot(&larger, table->slots[i]->target) = table->slots[i];
        }
    }
    ctx_free(&vm->ctx, table->slots, table->capacity * sizeof *table->slots);
    *table = larger;
    return true;
}

// Empties a slot; entries behind it that probed past it move up.
static void remove_slot(WeakTable *table, WeakRef **slot)
{
    size_t mask = table->capacity - 1, hole = (size_t)(slot - table->slots);
    for (size_t i = (hole + 1) & mask; table->slots[i] != NULL;
         i = (i + 1) & mask) {
        size_t home = home_slot(table, table->slots[i]->target);
        // The entry's home lies at or before the hole, going round the table.
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole] = NULL;
    table->count--;
}

// References that are still there must not look for the table.
void weakref_table_free(Vm *vm)
{
    WeakTable *table = &vm->weak_table;
    ctx_free(&vm->ctx, table->slots, table->capacity * sizeof *table->slots);
    *table = (WeakTable){0};
}

// --- references ---

// CPython's rule: of the built-in kinds those that are used by identity, and
// of classes of the program those that have room for __weakref__.
bool type_takes_weak(const Type *cls)
{
    if (cls->flags & TYPE_HEAP) {
        return (cls->flags & TYPE_WEAK) != 0;
    }
    switch (cls->kind) {
    case KIND_FUNCTION:
    case KIND_NATIVE:
    case KIND_METHOD:
    case KIND_GENERATOR:
    case KIND_TYPE:
    case KIND_MODULE:
    case KIND_SET:
    case KIND_FROZENSET:
    case KIND_FILE:
    case KIND_CODE:
    case KIND_TENSOR:
    case KIND_SYMBOLIC:
    case KIND_VARIABLE:
    case KIND_OPAQUE: return true;
    default: return false;
    }
}

// A reference without callback that is there already, owned, or NULL.
static WeakRef *shared_reference(Vm *vm, Object *target)
{
    WeakRef *ref = NULL;
    (void)weakref_count(vm, target, &ref);
    // Those with a callback are one object for each call,
    // and those of a class of the program are its own.
    while (ref != NULL && (!value_unbound(ref->callback) ||
                           ref->head.type != vm->types[KIND_WEAKREF])) {
        ref = ref->next;
    }
    return ref == NULL ? NULL : object_retain(ref);
}

// The table grows before the reference exists, so that nothing can fail after
// it has been linked.
static WeakRef *new_of_class(Vm *vm, Type *cls, Object *target, Value callback)
{
    WeakTable *table = &vm->weak_table;
    if (!type_takes_weak(target->type)) {
        return raise_null(vm, ERR_TYPE,
                          "cannot create weak reference to '%s' object",
                          type_name(target->type));
    }
    // References without a callback are shared, as in CPython.
    bool plain = cls == vm->types[KIND_WEAKREF];
    WeakRef *ref =
        plain && value_unbound(callback) ? shared_reference(vm, target) : NULL;
    if (ref != NULL) {
        return ref;
    }
    // Grown first: the slot that is found below stays valid.
    if (4 * (table->count + 1) > 3 * table->capacity && !grow(vm)) {
        return NULL;
    }
    ref = object_new(vm, cls, sizeof *ref);
    if (ref == NULL) {
        return NULL;
    }
    // The assignment below would wipe the count and type that object_new set.
    Object head = ref->head;
    WeakRef **slot = find_slot(table, target);
    *ref = (WeakRef){.head = head,
                     .target = target,
                     .callback = value_retain(callback),
                     .next = *slot};
    // The newest stands first, and the head of a chain has no previous one.
    if (*slot != NULL) {
        (*slot)->previous = ref;
    } else {
        table->count++;
    }
    *slot = ref;
    target->flags |= OBJECT_WEAKLY_REFERENCED;
    return ref;
}

WeakRef *weakref_new(Vm *vm, Object *target, Value callback)
{
    return new_of_class(vm, vm->types[KIND_WEAKREF], target, callback);
}

// Needs no table when the flag is not set.
size_t weakref_count(Vm *vm, const Object *target, WeakRef **first)
{
    size_t count = 0;
    if (target->flags & OBJECT_WEAKLY_REFERENCED) {
        WeakRef *ref = *find_slot(&vm->weak_table, target);
        // NULL: only the number is wanted.
        if (first != NULL) {
            *first = ref;
        }
        for (; ref != NULL; ref = ref->next) {
            count++;
        }
    }
    return count;
}

// The queue holds a count, so the reference lives until it has been called. The
// call itself waits for the next poll, as no Duet code may run in a destroy.
static void queue_callback(Vm *vm, WeakRef *ref)
{
    Finalizing *queue = &vm->finalizing;
    object_retain(ref);
    if (queue->callbacks == NULL) {
        queue->callbacks = ref;
    } else {
        queue->last->next = ref;
    }
    queue->last = ref;
    // The machine looks for chores at its next poll.
    ctx_interrupt(&vm->ctx, INTERRUPT_CHORES);
}

// All references die before any callback can run, so that none of them can
// bring the object back.
void weakref_clear(Vm *vm, Object *target)
{
    WeakTable *table = &vm->weak_table;
    WeakRef **slot = find_slot(table, target);
    WeakRef *ref = *slot, *next;
    // From here on the table knows nothing of the target.
    remove_slot(table, slot);
    target->flags &= (uint8_t)~OBJECT_WEAKLY_REFERENCED;
    for (; ref != NULL; ref = next) {
        next = ref->next;
        ref->target = NULL;
        ref->next = ref->previous = NULL;
        // A reference that dies in the same cycle calls nobody.
        if (!value_unbound(ref->callback) &&
            !(ref->head.flags & OBJECT_CANDIDATE)) {
            queue_callback(vm, ref);
        }
    }
}

// Takes a reference out of its target's chain.
static void unlink_reference(Vm *vm, WeakRef *ref)
{
    WeakTable *table = &vm->weak_table;
    if (ref->next != NULL) {
        ref->next->previous = ref->previous;
    }
    if (ref->previous != NULL) {
        // Not the head: the table does not point here.
        ref->previous->next = ref->next;
        return;
    }
    // The first of its chain: the table points at it.
    WeakRef **slot = find_slot(table, ref->target);
    if (ref->next != NULL) {
        *slot = ref->next;
    } else {
        remove_slot(table, slot);
        ref->target->flags &= (uint8_t)~OBJECT_WEAKLY_REFERENCED;
    }
}

// --- the type ---

// Unchecked: the caller knows the kind.
static WeakRef *as_weakref(Value v)
{
    return (WeakRef *)value_object(v);
}

// A reference that dies before its target never calls back.
static void weakref_destroy(Vm *vm, Object *self)
{
    WeakRef *ref = (WeakRef *)self;
    if (ref->target != NULL) {
        unlink_reference(vm, ref);
    }
    release(vm, ref->callback);
    object_free(vm, self, sizeof *ref);
}

// The target is not reported: it is not owned.
static void weakref_visit(Object *self, void (*visit)(Object *, void *),
                          void *data)
{
    Value callback = ((WeakRef *)self)->callback;
    if (value_is_object(callback)) {
        visit(value_object(callback), data);
    }
}

// A dead cycle's callback is not called: the reference dies with its target.
static void weakref_clear_slot(Vm *vm, Object *self)
{
    value_replace(&vm->ctx, &((WeakRef *)self)->callback, VALUE_UNBOUND);
}

// None for the callback is none. Immediate values have no lifetime to watch.
static Value weakref_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)keywords;
    if (args->count < 1 || args->count > 2) {
        return raise_error(vm, ERR_TYPE,
                           "__new__ expected at %s argument%s, got %zu",
                           args->count < 1 ? "least 1" : "most 2",
                           args->count < 1 ? "" : "s", args->count);
    }
    // ref(x, None) is ref(x), and shared as that is.
    bool called = args->count == 2 && !value_is_none(args->items[1]);
    if (!value_is_object(args->items[0])) {
        return raise_error(vm, ERR_TYPE,
                           "cannot create weak reference to '%s' object",
                           type_name(type_of(vm, args->items[0])));
    }
    WeakRef *ref = new_of_class(vm, cls, value_object(args->items[0]),
                                called ? args->items[1] : VALUE_UNBOUND);
    return ref == NULL ? VALUE_FAIL : value_from_object(ref);
}

// The arguments were for weakref_make, which leaves keywords to a class of the
// program.
static bool weakref_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    (void)self;
    if (keywords != NULL && keywords->count > 0) {
        return raise_false(vm, ERR_TYPE, "ref() takes no keyword arguments");
    }
    return (args->count >= 1 && args->count <= 2) ||
           raise_false(vm, ERR_TYPE,
                       "__init__ expected at %s argument%s, got %zu",
                       args->count < 1 ? "least 1" : "most 2",
                       args->count < 1 ? "" : "s", args->count);
}

// Does not ask the target for its repr, which may be large or fail.
static Value weakref_repr(Vm *vm, Value self)
{
    WeakRef *ref = as_weakref(self);
    Object *target = ref->target;
    if (target == NULL) {
        Str *dead = str_printf(vm, "<weakref at %p; dead>", (void *)ref);
        return dead == NULL ? VALUE_FAIL : value_from_object(dead);
    }
    // What has a name is told by it; looking for it may run code.
    Value held = value_from_object(object_retain(target));
    Value name = value_find_attr(vm, held, vm->names[NAME_NAME]);
    bool named = value_is_str(name);
    Str *text = value_failed(name)
                    ? NULL
                    : str_printf(vm, "<weakref at %p; to '%s' at %p%s%s%s>",
                                 (const void *)ref, type_name(target->type),
                                 (const void *)target, named ? " (" : "",
                                 named ? value_as_str(name)->text : "",
                                 named ? ")" : "");
    release(vm, name);
    release(vm, held);
    return text == NULL ? VALUE_FAIL : value_from_object(text);
}

// The target's hash, kept for when it is dead.
static bool weakref_hash(Vm *vm, Value self, uint64_t *hash)
{
    WeakRef *ref = as_weakref(self);
    if (!ref->hashed) {
        if (ref->target == NULL) {
            return raise_false(vm, ERR_TYPE, "weak object has gone away");
        }
        if (!value_hash(vm, value_from_object(ref->target), &ref->hash)) {
            return false;
        }
        // Kept, so that a dictionary finds the reference when its target is
        // dead.
        ref->hashed = true;
    }
    *hash = ref->hash;
    return true;
}

// Equal while both live and are equal; dead ones are what they are.
static Value weakref_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) ||
        !value_is_kind(a, KIND_WEAKREF) || !value_is_kind(b, KIND_WEAKREF)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Object *left = as_weakref(a)->target, *right = as_weakref(b)->target;
    if (left == NULL || right == NULL) {
        // By identity, so that a dead one can still be found and removed.
        return value_from_bool(value_same(a, b) == (op == COMPARE_EQ));
    }
    return value_compare(vm, op, value_from_object(left),
                         value_from_object(right));
}

// Owned, so the target lives at least as long as the caller looks at it.
static Value weakref_call(Vm *vm, Value self, const Value *args, uint32_t count,
                          Tuple *keyword_names)
{
    (void)args, (void)keyword_names;
    if (count != 0) {
        return raise_error(vm, ERR_TYPE,
                           "weakref.__call__() takes no arguments");
    }
    Object *target = as_weakref(self)->target;
    return target == NULL ? VALUE_NONE
                          : value_from_object(object_retain(target));
}

// None also when it has been called already.
static Value get_callback(Vm *vm, Value self)
{
    (void)vm;
    Value callback = as_weakref(self)->callback;
    return value_unbound(callback) ? VALUE_NONE : value_retain(callback);
}

static const MemberDef weakref_members[] = {
    {"__callback__", get_callback, NULL, "Called when the object dies."},
    {NULL, NULL, NULL, NULL}};

// Tracked for the callback, which often holds what holds the reference.
const TypeDef weakref_type_def = {
    .name = "ReferenceType",
    .module = "weakref",
    .doc = "A reference that does not keep its object: call it to get that,\n"
           "or None once it is dead.",
    .params = "object, callback=None, /",
    .kind = KIND_WEAKREF,
    .size = sizeof(WeakRef),
    .flags = TYPE_TRACKED,
    .slots = {.destroy = weakref_destroy,
              .visit = weakref_visit,
              .clear = weakref_clear_slot,
              .make = weakref_make,
              .init = weakref_init,
              .repr = weakref_repr,
              .hash = weakref_hash,
              .compare = weakref_compare,
              .call = weakref_call},
    .members = weakref_members};
