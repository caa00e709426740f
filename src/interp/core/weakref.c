// Weak references and the table that finds them. See weakref.h.
//
// Invariant: an object has OBJECT_WEAKLY_REFERENCED exactly if the table has a
// chain for it. The table probes linearly and moves entries back when one
// goes, so that it needs no marks for removed ones.
#include "interp/core/weakref.h"

#include "interp/core/memory.h"
#include "interp/core/raise.h"

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

// Of the built-in kinds those that are used by identity, and of classes of the
// program those that have room for __weakref__.
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
WeakRef *weakref_of_class(Vm *vm, Type *cls, Object *target, Value callback)
{
    WeakTable *table = &vm->weak_table;
    if (!type_takes_weak(target->type)) {
        return raise_null(vm, ERR_TYPE,
                          "cannot create weak reference to '%s' object",
                          type_name(target->type));
    }
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
    return weakref_of_class(vm, vm->types[KIND_WEAKREF], target, callback);
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

void weakref_unlink(Vm *vm, WeakRef *ref)
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
