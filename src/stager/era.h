// Eras: how old an object is, as the traces under way see it.
//
// A trace opens an era, and what is made meanwhile carries its number in
// `birth` (base/object.h); 0 is the world outside. An era that closes becomes
// part of the one that it was opened in: what a nested trace made is the outer
// one's own from then on, and what the outermost made is as old as the world.
// Nothing is rewritten for that. When the numbers run out, one walk over the
// tracked objects gives each the era that it belongs to by then, and numbers
// of closed eras are used again. Only tracked objects can be changed, so only
// they are ever asked for their age in earnest; an old tensor that passes for
// one of the trace's own is a constant of its graph instead of a capture.
#ifndef DUET_STAGER_ERA_H
#define DUET_STAGER_ERA_H

#include "base/object.h"
#include "base/vec.h"

typedef struct Vm Vm;

typedef struct Era {
    uint16_t parent; // what it was opened in; once closed, what it is part of
    bool open;
} Era;

// All zero: none was ever opened.
typedef struct Eras {
    VEC(Era) items; // by number; the first stands for the world
    uint32_t next;  // numbers below it have been given away
} Eras;

// Opens an era inside vm->ctx.birth, which becomes its number. False with an
// error pending.
MUST_CHECK bool era_open(Vm *vm);
// Closes vm->ctx.birth, which becomes the era that it was opened in.
void era_close(Vm *vm);
// Whether the object was made in the open era `number` or in one inside it.
bool era_has(Vm *vm, uint16_t number, const Object *object);
void eras_free(Vm *vm);

#endif
