// Code that dead objects run: __del__, the `finally` of a dropped generator,
// the callbacks of weak references.
//
// Objects die wherever C code releases them, and that code is not made for
// Duet code to run in its midst. So what dies is kept in a queue, with one
// count, and its code runs at the next point between two instructions
// (finalize_run, vm.h): at once where the machine itself released it. An error
// in such code has nobody to go to: it is told on standard error and forgotten.
#ifndef DUET_INTERP_CORE_FINALIZING_H
#define DUET_INTERP_CORE_FINALIZING_H

#include "interp/core/vm.h"

// Whether the object has code to run before it goes; true once at most.
static inline bool finalizing_wanted(const Object *object)
{
    const TypeSlots *slots = &object->type->slots;
    return slots->finalize != NULL && !(object->flags & OBJECT_FINALIZED) &&
           (slots->finalizes == NULL || slots->finalizes(object));
}
// Queues a tracked object, whose one count is taken.
void finalizing_queue(Vm *vm, Object *object);
// Forgets what is queued, and what its objects would have run.
void finalizing_discard(Vm *vm);

#endif
