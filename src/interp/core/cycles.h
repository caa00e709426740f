// The cycle collector: finds containers that only hold each other.
//
// Every object of a TYPE_TRACKED type has GcLinks in front of its header and
// stands in one of two lists: young, since the last collection, or old. When
// enough has been allocated, the next poll point between two instructions
// collects the young ones; what survives is old. Once the survivors since the
// last full collection exceed a quarter of what that one left, all are
// collected, so the work stays proportional to allocation.
//
// Trial deletion: the references that the candidates hold to one another are
// subtracted from their counts; what still has a count is held from outside
// (a register, a C variable, an older object) and keeps what it reaches. No
// roots need to be known. A collection allocates nothing and does not recurse.
//
// Invariant: whenever Duet code may run, each container's count equals the
// references that exist, and its visit slot reports each one that it owns
// exactly once. C code that moves items aside (list_sort) empties the
// container first.
#ifndef DUET_INTERP_CORE_CYCLES_H
#define DUET_INTERP_CORE_CYCLES_H

#include "base/object.h"

typedef struct Vm Vm;
typedef struct WeakRef WeakRef;

// In front of a tracked header. While its object is being collected,
// `previous` holds the trial count, or the stack of those to be scanned.
typedef struct GcLinks {
    struct GcLinks *next, *previous;
} GcLinks;

enum { GC_THRESHOLD = 10000 }; // allocations between young collections

typedef struct Collector {
    GcLinks young, old; // heads of circular lists
    GcLinks lasting;    // the same, of what lives as long as the Vm: no
                        // collection looks at these (cycles_settle)
    int64_t room;       // tracked objects until a collection is due
    int64_t threshold;  // what room starts from; 0: never by itself
    uint64_t old_count; // left by the last full collection
    uint64_t survivors; // that became old since then
    bool enabled;       // gc.disable() was not called
    bool running;       // a collection is going on: no second one
    bool closing;       // the Vm ends: no code of dead objects runs any more
} Collector;

// Dead objects whose own code has yet to run (finalizing.h).
typedef struct Finalizing {
    GcLinks objects;    // each holds one count; head of a circular list
    WeakRef *callbacks; // cleared references whose callback is due, oldest
    WeakRef *last;      // first; each holds one count
    uint32_t depth;     // of runs within the code that they run
} Finalizing;

// Weak references by target: a hash table of chains, open addressing.
typedef struct WeakTable {
    WeakRef **slots;        // NULL: empty
    size_t count, capacity; // capacity is 0 or a power of two
} WeakTable;

// The links stand in front of a tracked object.
static inline GcLinks *object_links(Object *object)
{
    return (GcLinks *)object - 1;
}
static inline Object *links_object(GcLinks *links)
{
    return (Object *)(links + 1);
}
static inline void links_remove(GcLinks *links)
{
    links->next->previous = links->previous;
    links->previous->next = links->next;
}
// At the end: the list is in the order of making.
static inline void links_append(GcLinks *head, GcLinks *links)
{
    GcLinks *last = head->previous;
    links->next = head;
    links->previous = last;
    last->next = links;
    head->previous = links;
}

// Shows each tracked object, those included whose own code has yet to run.
void cycles_each(Vm *vm, void (*see)(Vm *vm, Object *object));
// Empties the lists of a new Vm; comes before the first object.
void cycles_init(Vm *vm);
// What is there by now stays until the end: the built-in world, which would be
// most of what a collection of a small program walks.
void cycles_settle(Vm *vm);
// The end has come: collections take all there is into account.
void cycles_unsettle(Vm *vm);
// Asks for a collection at the next poll point; object_new calls it.
void cycles_request(Vm *vm);
// Collects now: all, or the young ones. Finalisers and callbacks of weak
// references have run when it returns. How many objects were unreachable.
// No error may be pending.
size_t cycles_collect(Vm *vm, bool all);
// At the end of a Vm: clears all objects of a kind, garbage or not. For those
// whose references no visit slot can show (graphs that hold functions).
void cycles_break(Vm *vm, Kind kind);

#endif
