// Allocation and destruction of objects.
//
// Invariant: at most one destroy slot is active; what reaches 0 meanwhile
// waits in vm->zombies. A dead object's count and birth are free: together
// they hold the 48 bits of the link, and nothing else of it is touched.
#include "interp/core/memory.h"

#include "interp/core/finalizing.h"
#include "interp/core/object_layout.h"
#include "interp/core/weakref.h"

// In front of the header stand the prefix for a dict, if the type has one, and
// the links, if it is tracked; the result points at the header. An instance
// keeps its class alive.
//
// Written for flags that the compiler knows: object_new tells the common ones
// apart, so that each kind of object runs only through what concerns it.
ALWAYS_INLINE void *make_object(Vm *vm, Type *type, size_t size, uint32_t flags)
{
    bool tracked = flags & TYPE_TRACKED;
    size_t links = tracked ? sizeof(GcLinks) : 0;
    if (flags & TYPE_DICT_AHEAD) {
        // The instance's dict stands in front of the object as well.
        links += sizeof(AttrPrefix);
    }
    char *block = ctx_alloc(&vm->ctx, size + links);
    if (block == NULL) {
        return NULL;
    }
    Object *object = (Object *)(block + links);
    *object = (Object){.rc = 1,
                       .kind = type->kind,
                       .flags = tracked ? OBJECT_TRACKED : 0,
                       .birth = vm->ctx.birth,
                       .type = type};
    // Tracked before its fields are set: a collection starts only between two
    // instructions, when they are.
    if (tracked) {
        links_append(&vm->gc.young, object_links(object));
        if (UNLIKELY(--vm->gc.room <= 0)) {
            cycles_request(vm);
        }
    }
    if (flags & TYPE_DICT_AHEAD) {
        *object_prefix(object) = (AttrPrefix){0};
    }
    // Classes of the program may die: their instances hold them.
    if (flags & TYPE_HEAP) {
        type->head.rc++;
    }
    return object;
}

// Instances of what extends a built-in layout, and other rare ones.
static __attribute__((noinline)) void *make_rare(Vm *vm, Type *type,
                                                 size_t size)
{
    return make_object(vm, type, size, type->flags);
}

void *object_new(Vm *vm, Type *type, size_t size)
{
    switch (type->flags & (TYPE_TRACKED | TYPE_DICT_AHEAD | TYPE_HEAP)) {
    case TYPE_TRACKED: return make_object(vm, type, size, TYPE_TRACKED);
    case TYPE_TRACKED | TYPE_HEAP:
        return make_object(vm, type, size, TYPE_TRACKED | TYPE_HEAP);
    case 0: return make_object(vm, type, size, 0);
    default: return make_rare(vm, type, size);
    }
}

// The dict and the slots in front of an instance that dies.
static void free_prefix(Vm *vm, Object *object)
{
    AttrPrefix *prefix = object_prefix(object);
    object_release_null(&vm->ctx, prefix->dict);
    uint32_t count = prefix->slots == NULL ? 0 : object->type->slot_count;
    for (uint32_t i = 0; i < count; i++) {
        release(vm, prefix->slots[i]);
    }
    ctx_free(&vm->ctx, prefix->slots, count * sizeof(Value));
}

// What an instance with an AttrPrefix holds: its dict, its slots and its
// layout's own. The collector sees all, else a cycle through an attribute would
// never be found.
void memory_visit_prefixed(Object *self, void (*visit)(Object *, void *),
                           void *data)
{
    const AttrPrefix *prefix = object_prefix(self);
    if (prefix->dict != NULL) {
        visit((Object *)prefix->dict, data);
    }
    uint32_t count = prefix->slots == NULL ? 0 : self->type->slot_count;
    for (uint32_t i = 0; i < count; i++) {
        if (value_is_object(prefix->slots[i])) {
            visit(value_object(prefix->slots[i]), data);
        }
    }
    const TypeSlots *layout = &self->type->def->slots;
    if (layout->visit != NULL) {
        layout->visit(self, visit, data);
    }
}

// The place is emptied first: what goes with the dict may look here again. For
// the collector: breaks cycles, and leaves an object that may still be used.
void memory_clear_prefixed(Vm *vm, Object *self)
{
    AttrPrefix *prefix = object_prefix(self);
    Dict *dict = prefix->dict;
    prefix->dict = NULL;
    object_release_null(&vm->ctx, dict);
    uint32_t count = prefix->slots == NULL ? 0 : self->type->slot_count;
    for (uint32_t i = 0; i < count; i++) {
        value_replace(&vm->ctx, &prefix->slots[i], VALUE_UNBOUND);
    }
    const TypeSlots *layout = &self->type->def->slots;
    if (layout->clear != NULL) {
        layout->clear(vm, self);
    }
}

// The type is read first and released last: it may die with its instance.
void object_free(Vm *vm, void *object, size_t size)
{
    Object *o = object;
    Type *type = o->type;
    // Most objects are of a built-in type and have no dict in front.
    if (LIKELY(!(type->flags & (TYPE_DICT_AHEAD | TYPE_HEAP)))) {
        if (!(o->flags & OBJECT_TRACKED)) {
            ctx_free(&vm->ctx, o, size);
            return;
        }
        links_remove(object_links(o));
        // What goes makes room, as far as it was counted.
        vm->gc.room += vm->gc.room < vm->gc.threshold;
        ctx_free(&vm->ctx, object_links(o), size + sizeof(GcLinks));
        return;
    }
    bool counted = (type->flags & TYPE_HEAP) != 0; // `type` may free itself
    char *block = object;
    if (type->flags & TYPE_DICT_AHEAD) {
        free_prefix(vm, o);
        block -= sizeof(AttrPrefix);
        size += sizeof(AttrPrefix);
    }
    if (o->flags & OBJECT_TRACKED) {
        links_remove(object_links(o));
        // What goes makes room, as far as it was counted.
        vm->gc.room += vm->gc.room < vm->gc.threshold;
        block -= sizeof(GcLinks);
        size += sizeof(GcLinks);
    }
    ctx_free(&vm->ctx, block, size);
    if (counted) {
        object_release(&vm->ctx, type);
    }
}

// What is due before the object is destroyed. False: it lives on, in the
// queue of finalizing.c.
static bool prepare_death(Vm *vm, Object *object)
{
    if (finalizing_wanted(object)) {
        // The queue holds it until its own code has run.
        object->rc = 1;
        finalizing_queue(vm, object);
        return false;
    }
    if (object->flags & OBJECT_WEAKLY_REFERENCED) {
        weakref_clear(vm, object);
    }
    if (object->flags & OBJECT_WATCHED) {
        vm->forget(vm, object);
    }
    return true;
}

// The end of most strs, without the ways that other objects take: nothing to
// forget, nothing that it holds, a class that is not counted.
static bool destroy_plain_str(Vm *vm, Object *self)
{
    Str *str = (Str *)self;
    if (self->flags != 0 || self->type != vm->types[KIND_STR] ||
        str->index != NULL) {
        return false;
    }
    ctx_free(&vm->ctx, str, str_size(str->capacity));
    return true;
}

// One after the other, linked by their own headers, however deep they nest;
// what else dies waits for its turn, as vm->destroying says.
static void destroy_plain_tuple(Vm *vm, Tuple *tuple)
{
    Object *waiting = NULL;
    for (;;) {
        size_t count = tuple->count;
        for (size_t i = count; i > 0; i--) {
            Value item = tuple->items[i - 1];
            if (!value_is_object(item) || --value_object(item)->rc > 0) {
                continue;
            }
            Object *dead = value_object(item);
            // Nested tuples wait in a list, so that deep nesting needs no C
            // stack.
            if (memory_is_plain_tuple(dead)) {
                memory_link(dead, waiting);
                waiting = dead;
            } else {
                memory_dealloc(&vm->ctx, dead);
            }
        }
        ctx_free(&vm->ctx, tuple, sizeof *tuple + count * sizeof(Value));
        if (waiting == NULL) {
            return;
        }
        tuple = (Tuple *)waiting;
        waiting = memory_linked(waiting);
    }
}

// Called when a count reaches 0. Destroy slots release children, which come
// back here and wait, so that long chains need no C stack.
void memory_dealloc(Ctx *ctx, Object *object)
{
    Vm *vm = (Vm *)ctx; // the Ctx is the Vm's first member
    // Nothing is released with a str, so it need not wait for its turn.
    if (object->kind == KIND_STR && destroy_plain_str(vm, object)) {
        return;
    }
    // Weak references and __del__ come first; either may bring the object back.
    if (((object->flags & (OBJECT_WEAKLY_REFERENCED | OBJECT_WATCHED)) ||
         object->type->slots.finalize != NULL) &&
        !prepare_death(vm, object)) {
        return;
    }
    // A child of the object that is being destroyed right now.
    if (vm->destroying) {
        memory_link(object, vm->zombies);
        vm->zombies = object;
        return;
    }
    vm->destroying = true;
    // Its children come one after the other, not one within the other: no stack
    // is used, however deep they nest.
    while (object != NULL) {
        if (memory_is_plain_tuple(object)) {
            destroy_plain_tuple(vm, (Tuple *)object);
        } else {
            object->type->slots.destroy(vm, object);
        }
        object = vm->zombies;
        if (object != NULL) {
            vm->zombies = memory_linked(object);
            object->rc = 0;
        }
    }
    vm->destroying = false;
}
