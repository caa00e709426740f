// Trial deletion over the tracked containers. See cycles.h.
//
// Invariant: between collections no object has OBJECT_CANDIDATE or
// OBJECT_REACHED, and both lists are proper circular lists. While one runs,
// the candidates hang together by `next` alone until `part` relinks them.
#include "interp/core/cycles.h"

#include <stdlib.h>

#include "interp/core/finalizing.h"
#include "interp/core/memory.h"
#include "interp/core/weakref.h"

// An empty ring: the head is its own neighbour.
static void list_init(GcLinks *head)
{
    head->next = head->previous = head;
}

// Appends all of `from` to `to`, and empties it.
static void list_move(GcLinks *from, GcLinks *to)
{
    if (from->next == from) {
        return;
    }
    GcLinks *first = from->next, *last = from->previous;
    first->previous = to->previous;
    to->previous->next = first;
    last->next = to;
    to->previous = last;
    list_init(from);
}

// The heads are circular from the start, so that no list is ever NULL.
void cycles_init(Vm *vm)
{
    Collector *gc = &vm->gc;
    list_init(&gc->young);
    list_init(&gc->old);
    list_init(&gc->lasting);
    list_init(&vm->finalizing.objects);
    gc->threshold = gc->room = GC_THRESHOLD;
    gc->enabled = true;
}

// Their references count as held from outside, like those of any object that
// is no candidate.
void cycles_settle(Vm *vm)
{
    list_move(&vm->gc.young, &vm->gc.lasting);
    list_move(&vm->gc.old, &vm->gc.lasting);
    vm->gc.room = vm->gc.threshold;
}

void cycles_unsettle(Vm *vm)
{
    list_move(&vm->gc.lasting, &vm->gc.old);
}

// `see` makes and frees no object.
void cycles_each(Vm *vm, void (*see)(Vm *vm, Object *object))
{
    GcLinks *heads[] = {&vm->gc.young, &vm->gc.old, &vm->gc.lasting,
                        &vm->finalizing.objects};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        for (GcLinks *links = heads[i]->next; links != heads[i];
             links = links->next) {
            see(vm, links_object(links));
        }
    }
}

// Only asks: in the midst of C code counts and references need not agree.
void cycles_request(Vm *vm)
{
    if (vm->gc.enabled && vm->gc.threshold > 0) {
        ctx_interrupt(&vm->ctx, INTERRUPT_CHORES);
    }
}

// --- the trial ---

// The count borrows the place of `previous`, so a collection needs no memory.
static uintptr_t trial_count(const GcLinks *links)
{
    return (uintptr_t)links->previous;
}

static void set_trial_count(GcLinks *links, uintptr_t count)
{
    links->previous = (GcLinks *)count;
}

// Other objects hold candidates from outside, or are of no interest.
static bool is_candidate(const Object *object)
{
    return (object->flags & OBJECT_CANDIDATE) != 0;
}

// Calls `visit` for what the object owns, its class included: instances of
// classes written in Duet count theirs (object_new).
static void visit_object(Object *object,
                         void (*visit)(Object *child, void *data), void *data)
{
    // The slot reports what the layout holds; the class is counted apart.
    Type *type = object->type;
    if (type->slots.visit != NULL) {
        type->slots.visit(object, visit, data);
    }
    if (type->flags & TYPE_HEAP) {
        visit(&type->head, data);
    }
}

// A visit slot's callback: one reference from within takes one off.
static void subtract_one(Object *child, void *data)
{
    (void)data;
    if (is_candidate(child)) {
        GcLinks *links = object_links(child);
#ifdef DUET_ASAN
        if (trial_count(links) == 0) {
            abort(); // some visit slot reports what its object does not own
        }
#endif
        set_trial_count(links, trial_count(links) - 1);
    }
}

// Pushes a child that is not known to be held yet; *data is the stack.
static void reach(Object *child, void *data)
{
    if (is_candidate(child) && !(child->flags & OBJECT_REACHED)) {
        GcLinks **stack = data, *links = object_links(child);
        child->flags |= OBJECT_REACHED;
        links->previous = *stack;
        *stack = links;
    }
}

// Marks everything that a candidate held from outside reaches. The pushed
// ones need their trial count no more: its place links the stack.
static void mark_reached(GcLinks *head)
{
    GcLinks *stack = NULL;
    for (GcLinks *at = head->next; at != head; at = at->next) {
        Object *object = links_object(at);
        if ((object->flags & OBJECT_REACHED) || trial_count(at) == 0) {
            continue;
        }
        // An explicit stack: long chains of objects must not nest C calls.
        reach(object, &stack);
        while (stack != NULL) {
            Object *top = links_object(stack);
            stack = stack->previous;
            visit_object(top, reach, &stack);
        }
    }
}

// Deals the candidates out to two lists and takes the marks off. Returns how
// many were reached.
static size_t part(GcLinks *candidates, GcLinks *reached, GcLinks *garbage)
{
    size_t count = 0;
    GcLinks *next;
    for (GcLinks *at = candidates->next; at != candidates; at = next) {
        Object *object = links_object(at);
        bool alive = (object->flags & OBJECT_REACHED) != 0;
        // links_append changes `next`, so it is read before.
        next = at->next;
        object->flags &= (uint8_t) ~(OBJECT_REACHED | OBJECT_CANDIDATE);
        links_append(alive ? reached : garbage, at);
        count += alive;
    }
    list_init(candidates);
    return count;
}

static size_t try_deletion(GcLinks *candidates, GcLinks *reached,
                           GcLinks *garbage)
{
    for (GcLinks *at = candidates->next; at != candidates; at = at->next) {
        Object *object = links_object(at);
        object->flags |= OBJECT_CANDIDATE;
        set_trial_count(at, object->rc);
    }
    for (GcLinks *at = candidates->next; at != candidates; at = at->next) {
        visit_object(links_object(at), subtract_one, NULL);
    }
    mark_reached(candidates);
    return part(candidates, reached, garbage);
}

// --- what is unreachable ---

// Weak references go first, so that no finaliser can get at a dead object
// through one. Those that are garbage themselves are not called back.
static void clear_weak_references(Vm *vm, GcLinks *garbage)
{
    GcLinks *at;
    for (at = garbage->next; at != garbage; at = at->next) {
        links_object(at)->flags |= OBJECT_CANDIDATE;
    }
    for (at = garbage->next; at != garbage; at = at->next) {
        if (links_object(at)->flags & OBJECT_WEAKLY_REFERENCED) {
            weakref_clear(vm, links_object(at));
        }
    }
    for (at = garbage->next; at != garbage; at = at->next) {
        links_object(at)->flags &= (uint8_t)~OBJECT_CANDIDATE;
    }
}

// Queues the objects that have code of their own to run. They are taken out
// of `garbage` until it has run. Whether there was any.
static bool queue_finalizers(Vm *vm, GcLinks *garbage)
{
    bool any = false;
    GcLinks *next;
    for (GcLinks *at = garbage->next; at != garbage; at = next) {
        Object *object = links_object(at);
        next = at->next;
        if (finalizing_wanted(object)) {
            // The queue's count (finalizing.h).
            object_retain(object);
            finalizing_queue(vm, object);
            any = true;
        }
    }
    return any;
}

// Breaks every cycle. The first object of the list is held while it is
// cleared; what dies leaves the list by itself, what does not is old again.
static void clear_garbage(Vm *vm, GcLinks *garbage)
{
    while (garbage->next != garbage) {
        GcLinks *links = garbage->next;
        Object *object = object_retain(links_object(links));
        links_remove(links);
        links_append(&vm->gc.old, links);
        if (object->type->slots.clear != NULL) {
            object->type->slots.clear(vm, object);
        }
        object_release(&vm->ctx, object);
    }
}

// Counted just before they go: how many the collection found.
static size_t list_count(const GcLinks *head)
{
    size_t count = 0;
    for (const GcLinks *at = head->next; at != head; at = at->next) {
        count++;
    }
    return count;
}

// Finalisers may have made garbage reachable again: it is tried once more,
// and what is still dead goes. The code runs while the rest waits in a list
// of its own, out of reach of a collection that it may ask for. Returns how
// many objects were dead in the end.
static size_t dispose(Vm *vm, GcLinks *garbage)
{
    clear_weak_references(vm, garbage);
    if (!vm->gc.closing && queue_finalizers(vm, garbage)) {
        GcLinks dead;
        list_init(&dead);
        finalize_run(vm);
        // Those that ran their code are in the young list again.
        list_move(&vm->gc.young, garbage);
        (void)try_deletion(garbage, &vm->gc.old, &dead);
        list_move(&dead, garbage);
    }
    size_t found = list_count(garbage);
    clear_garbage(vm, garbage);
    finalize_run(vm);
    return found;
}

// A young collection leaves old objects alone: what they refer to counts as
// held, since their references are never subtracted.
size_t cycles_collect(Vm *vm, bool all)
{
    Collector *gc = &vm->gc;
    // A finaliser that calls gc.collect() gets nothing.
    if (gc->running) {
        return 0;
    }
    gc->running = true;
    GcLinks candidates, garbage;
    list_init(&candidates);
    list_init(&garbage);
    list_move(&gc->young, &candidates);
    if (all) {
        list_move(&gc->old, &candidates);
    }
    size_t alive = try_deletion(&candidates, &gc->old, &garbage);
    // These decide when the next full collection is due (finalize_poll).
    gc->old_count = all ? alive : gc->old_count;
    gc->survivors = all ? 0 : gc->survivors + alive;
    size_t found = garbage.next != &garbage ? dispose(vm, &garbage) : 0;
    gc->room = gc->threshold;
    gc->running = false;
    return found;
}

// By `all` as a work list: clearing one object may free any other, which then
// has left the list by itself.
void cycles_break(Vm *vm, Kind kind)
{
    GcLinks all;
    list_init(&all);
    list_move(&vm->gc.young, &all);
    list_move(&vm->gc.old, &all);
    while (all.next != &all) {
        GcLinks *links = all.next;
        // Held, as `clear` may give up the last reference to it.
        Object *object = object_retain(links_object(links));
        links_remove(links);
        links_append(&vm->gc.old, links);
        if (object->kind == kind && object->type->slots.clear != NULL) {
            object->type->slots.clear(vm, object);
        }
        object_release(&vm->ctx, object);
    }
}
