// Places that traces have read, and the stores that mark their readers.
//
// Invariant: a place with readers is in the stager's table and in the list of
// its container, whose object has OBJECT_WATCHED; once the container is dead it
// is in neither.
#include "interp/core/memory.h"
#include "stager/staged_fn.h"
#include "stager/trace.h"

static Map *places_of(const Vm *vm)
{
    return &((Stager *)vm->stager)->places.by_key;
}

static void forget_stores(Vm *vm)
{
    memset(stager_of(vm)->places.stores, 0,
           sizeof stager_of(vm)->places.stores);
}

static FrozenPlace *find_place(const Vm *vm, const Object *container, Value key)
{
    PlaceKey text = {(uintptr_t)container, VALUE_BITS(key)};
    const uint64_t *found =
        map_get(places_of(vm), (const char *)&text, sizeof text);
    return found != NULL ? (FrozenPlace *)(uintptr_t)*found : NULL;
}

FrozenPlace *frozen_place_take(Vm *vm, Object *container, Value key)
{
    FrozenPlace *place = container->flags & OBJECT_WATCHED
                             ? find_place(vm, container, key)
                             : NULL;
    if (place != NULL) {
        place->reads++;
        return place;
    }
    Identity *identity = identity_of(vm, container);
    place = identity != NULL ? ctx_alloc(&vm->ctx, sizeof *place) : NULL;
    if (place == NULL) {
        return NULL;
    }
    PlaceKey text = {(uintptr_t)container, VALUE_BITS(key)};
    if (!map_put(places_of(vm), (const char *)&text, sizeof text,
                 (uintptr_t)place)) {
        ctx_free(&vm->ctx, place, sizeof *place);
        return NULL;
    }
    *place = (FrozenPlace){.container = object_retain(identity),
                           .key = value_retain(key),
                           .next = identity->places,
                           .reads = 1};
    if (place->next != NULL) {
        place->next->previous = place;
    }
    identity->places = place;
    forget_stores(vm);
    return place;
}

// Out of the table and of its container's list.
static void unlink_place(Vm *vm, FrozenPlace *place, const Object *object)
{
    PlaceKey text = {(uintptr_t)object, VALUE_BITS(place->key)};
    (void)map_remove(places_of(vm), (const char *)&text, sizeof text);
    forget_stores(vm);
    if (place->next != NULL) {
        place->next->previous = place->previous;
    }
    *(place->previous != NULL ? &place->previous->next
                              : &place->container->places) = place->next;
    place->next = place->previous = NULL;
}

void frozen_place_drop(Vm *vm, FrozenPlace *place)
{
    if (--place->reads > 0) {
        return;
    }
    if (place->container->object != NULL) {
        unlink_place(vm, place, place->container->object);
    }
    object_release(&vm->ctx, place->container);
    release(vm, place->key);
    ctx_free(&vm->ctx, place, sizeof *place);
}

void frozen_forget(Vm *vm, Identity *container)
{
    while (container->places != NULL) {
        unlink_place(vm, container->places, container->object);
    }
}

// --- stores ---

// Whether a trace of the function that `concrete` is of is being made.
static bool is_own(const Vm *vm, const Concrete *concrete)
{
    for (const Trace *trace = vm->trace; trace != NULL; trace = trace->outer) {
        if (&trace->request->staged->table == concrete->table) {
            return true;
        }
    }
    return false;
}

// Marks all who read the place. A trace of the same function that stores there
// is no change from outside.
static void mark(const Vm *vm, FrozenPlace *place)
{
    if (place->dirty) {
        return;
    }
    place->dirty = vm->trace == NULL;
    for (FrozenRead *read = place->readers; read != NULL; read = read->next) {
        bool own = is_own(vm, read->trace);
        read->own |= own;
        read->marked |= !own;
        read->trace->frozen.stale = true;
    }
}

void frozen_stored(Vm *vm, Object *container, Value key)
{
    bool named =
        value_is_str(key) && value_as_str(key)->head.flags & STR_INTERNED;
    if (!named) {
        const Identity *identity = identity_find(vm, container);
        FrozenPlace *place = identity != NULL ? identity->places : NULL;
        for (; place != NULL; place = place->next) {
            mark(vm, place);
        }
        return;
    }
    size_t at =
        ((uintptr_t)container / 16 + VALUE_BITS(key) / 16) % STORE_ENTRIES;
    StoreEntry *entry = &stager_of(vm)->places.stores[at];
    if (entry->container != container || !value_same(entry->key, key)) {
        *entry = (StoreEntry){container, key, find_place(vm, container, key),
                              find_place(vm, container, VALUE_UNBOUND)};
    }
    if (entry->place != NULL) {
        mark(vm, entry->place);
    }
    if (entry->whole != NULL) {
        mark(vm, entry->whole);
    }
}
