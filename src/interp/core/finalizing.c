// The queue of dead objects that have code to run. See finalizing.h.
//
// Invariant: a queued object has OBJECT_FINALIZED, so that it is queued once,
// holds one count that belongs to the queue, and is in no list of the
// collector.
#include "interp/core/finalizing.h"

#include "interp/core/weakref.h"

// Never runs code itself: it may be called in the midst of C that changes a
// container. The chores interrupt makes the machine look at the queue.
void finalizing_queue(Vm *vm, Object *object)
{
    // Out of the collector's list: a collection must not free what is queued.
    GcLinks *links = object_links(object);
    object->flags |= OBJECT_FINALIZED;
    links_remove(links);
    links_append(&vm->finalizing.objects, links);
    ctx_interrupt(&vm->ctx, INTERRUPT_CHORES);
}

void finalizing_discard(Vm *vm)
{
    Finalizing *queue = &vm->finalizing;
    while (queue->objects.next != &queue->objects) {
        GcLinks *links = queue->objects.next;
        links_remove(links);
        links_append(&vm->gc.young, links);
        object_release(&vm->ctx, links_object(links));
    }
    while (queue->callbacks != NULL) {
        WeakRef *ref = queue->callbacks;
        queue->callbacks = ref->next;
        ref->next = NULL;
        object_release(&vm->ctx, ref);
    }
}
