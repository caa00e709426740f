// The recursion limit. A frame is a level, and so is each level of C that walks
// nested values: repr(), str(), comparisons, isinstance, json.
//
// Frames are not counted: vm->frames_end is where none may stand any more, and
// a level of C moves that end down by a frame until it is left.
// Invariant: every depth_enter that succeeded is left on every way out.
#ifndef DUET_INTERP_CORE_DEPTH_H
#define DUET_INTERP_CORE_DEPTH_H

#include "interp/core/raise.h"

#define DEPTH_COMPARE " in comparison"
#define DEPTH_REPR " while getting the repr of an object"
#define DEPTH_STR " while getting the str of an object"

// Takes a level, and guards the C stack as ctx_enter_for does. False:
// RecursionError, whose text `what` ends.
MUST_CHECK static inline bool depth_enter(Vm *vm, const char *what)
{
    const Frame *next = vm->frame == NULL ? vm->frames : vm->frame + 1;
    if (UNLIKELY(next >= vm->frames_end)) {
        return raise_false(vm, ERR_RECURSION,
                           "maximum recursion depth exceeded%s", what);
    }
    if (!ctx_enter_for(&vm->ctx, what)) {
        return false;
    }
    vm->frames_end--;
    return true;
}
// Due after each depth_enter that succeeded.
static inline void depth_leave(Vm *vm)
{
    vm->frames_end++;
    ctx_leave(&vm->ctx);
}

#endif
