// The header that every counted object starts with, and its counting.
//
// Objects are reference counted (docs/internals.md, "Memory"); cycles are
// found by trial deletion (interp/core/cycles.h). `birth` is the number of the
// era in which the object was made, 0 outside traces (stager/era.h): that
// is how a store into something older than the running trace is seen
// (interp/hooks/note.h).
#ifndef DUET_BASE_OBJECT_H
#define DUET_BASE_OBJECT_H

#include "base/ctx.h"

typedef struct Type Type; // the object's class: interp/core/type.h

// Concrete layouts, for fast paths in C. A subclass written in Duet keeps the
// kind of the built-in type that it extends, or KIND_INSTANCE.
typedef enum Kind {
#define KIND(id) KIND_##id,
#include "base/kind_list.h"
#undef KIND
    KIND_COUNT
} Kind;

// Bits of Object.flags.
enum {
    OBJECT_WEAKLY_REFERENCED = 1, // has an entry in the Vm's weak table
    OBJECT_TRACKED = 2,           // preceded by GcLinks, seen by the collector
    OBJECT_FINALIZED = 4,         // its __del__ has run
    OBJECT_WATCHED = 8,    // staging knows it: stores and its death are told
    OBJECT_FLAG_KIND = 16, // free for the kind's own use
    OBJECT_CANDIDATE = 32, // in the collection that is going on
    OBJECT_REACHED = 64,   // … and held from outside (interp/core/cycles.c)
    OBJECT_STANDS_IN = 128 // in a trace, for another (value_is)
};

// Sixteen bytes on a 64-bit machine. The count is not atomic: an object
// belongs to one context.
struct Object {
    uint32_t rc;
    uint8_t kind;
    uint8_t flags;
    uint16_t birth;
    Type *type; // borrowed for built-in types, counted for user classes
};

// Gives back its argument, for use in an assignment. NULL is not allowed.
static inline void *object_retain(void *object)
{
    ((Object *)object)->rc++;
    return object;
}

// The context knows who frees: base has no table of kinds.
static inline void object_release(Ctx *ctx, void *object)
{
    Object *o = object;
    if (UNLIKELY(--o->rc == 0)) {
        ctx->dealloc(ctx, o);
    }
}

// For fields that may not be set yet: destructors of half-made objects.
static inline void object_release_null(Ctx *ctx, void *object)
{
    if (object != NULL) {
        object_release(ctx, object);
    }
}

#endif
