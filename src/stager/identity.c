// The table of Identities.
//
// Invariant: an Identity whose object lives is in the table, and the object has
// OBJECT_WATCHED, by which its death is told.
#include "stager/identity.h"

#include "interp/core/raise.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/staged_fn.h"

static Identities *table_of(const Vm *vm)
{
    return &((Stager *)vm->stager)->identities;
}

Identity *identity_find(const Vm *vm, const Object *object)
{
    uintptr_t key = (uintptr_t)object;
    const uint64_t *found =
        map_get(&table_of(vm)->by_object, (const char *)&key, sizeof key);
    return found != NULL ? (Identity *)(uintptr_t)*found : NULL;
}

Identity *identity_of(Vm *vm, Object *object)
{
    Identities *table = table_of(vm);
    Identity *self =
        object->flags & OBJECT_WATCHED ? identity_find(vm, object) : NULL;
    if (self != NULL) {
        return self;
    }
    self = object_new(vm, stager_of(vm)->identity_type, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->object = object;
    self->serial = ++table->serial;
    self->kind = (Kind)object->kind;
    self->uses = NULL;
    self->places = NULL;
    uintptr_t key = (uintptr_t)object;
    if (!map_put(&table->by_object, (const char *)&key, sizeof key,
                 (uintptr_t)self)) {
        object_release(&vm->ctx, self);
        return NULL;
    }
    object->flags |= OBJECT_WATCHED;
    return self;
}

Identity *value_identity(const Vm *vm, Value v)
{
    return value_is_object(v) && value_object(v)->type ==
                                     ((const Stager *)vm->stager)->identity_type
               ? (Identity *)value_object(v)
               : NULL;
}

static bool says_all(Value v, int depth)
{
    enum { DEPTH = 4 };
    if (value_is_kind(v, KIND_TUPLE) && depth < DEPTH) {
        const Tuple *tuple = value_as_tuple(v);
        for (size_t i = 0; i < tuple->count; i++) {
            if (!says_all(tuple->items[i], depth + 1)) {
                return false;
            }
        }
        return true;
    }
    return !value_is_object(v) || structure_is_plain(v);
}

bool identity_says_all(Value v)
{
    return says_all(v, 0);
}

Value identity_weaken(Vm *vm, Value v)
{
    if (identity_says_all(v)) {
        return value_retain(v);
    }
    Identity *self = identity_of(vm, value_object(v));
    return self != NULL ? value_retain(value_from_object(self)) : VALUE_FAIL;
}

Value identity_value(const Vm *vm, Value weak)
{
    const Identity *self = value_identity(vm, weak);
    if (self == NULL) {
        return weak;
    }
    return self->object != NULL ? value_from_object(self->object)
                                : VALUE_UNBOUND;
}

Value identity_leaf(Vm *vm, Value weak, void *data)
{
    (void)data;
    Value v = identity_value(vm, weak);
    return value_unbound(v) ? VALUE_NONE : value_retain(v);
}

void identity_link(IdentityUse *use)
{
    use->previous = NULL;
    use->next = use->identity->uses;
    if (use->next != NULL) {
        use->next->previous = use;
    }
    use->identity->uses = use;
}

void identity_unlink(IdentityUse *use)
{
    if (use->next != NULL) {
        use->next->previous = use->previous;
    }
    *(use->previous != NULL ? &use->previous->next : &use->identity->uses) =
        use->next;
}

// Comes from the midst of the release of something else: no code of the
// program runs here, and what is released waits for its turn.
void identity_died(Vm *vm, Object *object)
{
    Identity *self = identity_find(vm, object);
    if (self == NULL) {
        return;
    }
    uintptr_t key = (uintptr_t)object;
    (void)map_remove(&table_of(vm)->by_object, (const char *)&key, sizeof key);
    object->flags &= (uint8_t)~OBJECT_WATCHED;
    frozen_forget(vm, self);
    self->object = NULL;
    // Dropping one trace unlinks all of its uses.
    while (self->uses != NULL) {
        Concrete *trace = self->uses->trace;
        traces_remove(vm, trace->table, trace);
    }
    object_release(&vm->ctx, self);
}

void identities_free(Vm *vm)
{
    Map *map = &table_of(vm)->by_object;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->entries[i].key == NULL) {
            continue;
        }
        Identity *self = (Identity *)(uintptr_t)map->entries[i].value;
        self->object->flags &= (uint8_t)~OBJECT_WATCHED;
        frozen_forget(vm, self);
        self->object = NULL;
        object_release(&vm->ctx, self);
    }
    map_free(map);
}

// As the object prints that it stands for.
static Value identity_repr(Vm *vm, Value value)
{
    Value v = identity_value(vm, value);
    return value_or_fail(value_unbound(v)
                             ? str_from(vm, "<an object that is gone>")
                             : value_repr(vm, v));
}

static void identity_destroy(Vm *vm, Object *self)
{
    object_free(vm, self, sizeof(Identity));
}

// Not tracked: it holds no counts.
const TypeDef identity_type_def = {
    .name = "identity",
    .doc = "Stands for an object that a trace was made with.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Identity),
    .flags = TYPE_FINAL,
    .slots = {.destroy = identity_destroy, .repr = identity_repr},
};
