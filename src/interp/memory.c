// Allocation and destruction of objects.
//
// Invariant: at most one destroy slot is active; what reaches 0 meanwhile
// waits in vm->zombies. A dead object's count and birth are free: together
// they hold the 48 bits of the link, and nothing else of it is touched.
#include "interp/memory.h"

void *object_new(Vm *vm, Type *type, size_t size)
{
    bool tracked = type->flags & TYPE_TRACKED;
    size_t links = tracked ? sizeof(GcLinks) : 0;
    if (type->flags & TYPE_DICT_AHEAD) {
        links += sizeof(AttrPrefix);
    }
    char *block = ctx_alloc(&vm->ctx, size + links);
    if (block == NULL) {
        return NULL;
    }
    Object *object = (Object *)(block + links);
    *object = (Object){.rc = 1,
                       .kind = type->kind,
                       .flags = 0,
                       .birth = vm->ctx.birth,
                       .type = type};
    if (tracked) {
        object->flags = OBJECT_TRACKED;
        GcLinks *own = object_links(object);
        own->next = own->previous = own;
    }
    if (type->flags & TYPE_DICT_AHEAD) {
        *object_dict_ahead(object) = NULL;
    }
    if (type->flags & TYPE_HEAP) {
        type->head.rc++;
    }
    return object;
}

void object_free(Vm *vm, void *object, size_t size)
{
    Object *o = object;
    Type *type = o->type;
    char *block = object;
    if (type->flags & TYPE_DICT_AHEAD) {
        object_release_null(&vm->ctx, *object_dict_ahead(o));
        block -= sizeof(AttrPrefix);
        size += sizeof(AttrPrefix);
    }
    if (o->flags & OBJECT_TRACKED) {
        GcLinks *own = object_links(o);
        own->next->previous = own->previous;
        own->previous->next = own->next;
        block -= sizeof(GcLinks);
        size += sizeof(GcLinks);
    }
    ctx_free(&vm->ctx, block, size);
    if (type->flags & TYPE_HEAP) {
        object_release(&vm->ctx, type);
    }
}

static void link_set(Object *object, Object *next)
{
    uint64_t bits = (uintptr_t)next;
    object->rc = (uint32_t)bits;
    object->birth = (uint16_t)(bits >> 32);
}

static Object *link_get(const Object *object)
{
    uint64_t bits = (uint64_t)object->birth << 32 | object->rc;
    return (Object *)(uintptr_t)bits;
}

void memory_dealloc(Ctx *ctx, Object *object)
{
    Vm *vm = (Vm *)ctx; // the Ctx is the Vm's first member
    if (vm->destroying) {
        link_set(object, vm->zombies);
        vm->zombies = object;
        return;
    }
    vm->destroying = true;
    while (object != NULL) {
        object->type->slots.destroy(vm, object);
        object = vm->zombies;
        if (object != NULL) {
            vm->zombies = link_get(object);
            object->rc = 0;
        }
    }
    vm->destroying = false;
}
