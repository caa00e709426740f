// The recursion limit, counted as CPython counts it.
//
// A frame is a level, and so is each call of C that CPython guards: of most C
// functions, of classes, of __call__, of repr(), str() and comparisons. Frames
// are not counted at all: vm->frames_end is where none may stand any more, and
// a level of C moves that end down by a frame until it is left. So frames pay
// nothing for what C counts.
//
// Invariant: every depth_enter that succeeded, and every frame with
// FRAME_COUNTED, gives its level back on every way out. Where C code of ours
// takes a level that CPython does not, it moves the end up around the call.
#ifndef DUET_INTERP_CORE_DEPTH_H
#define DUET_INTERP_CORE_DEPTH_H

#include "interp/core/raise.h"

#define DEPTH_CALL " while calling a Python object"
#define DEPTH_COMPARE " in comparison"
#define DEPTH_REPR " while getting the repr of an object"
#define DEPTH_STR " while getting the str of an object"

// Raises RecursionError; `what` ends its text. False.
bool depth_fail(Vm *vm, const char *what);

// Whether one level more is left.
static inline bool depth_left(const Vm *vm)
{
    const Frame *next = vm->frame == NULL ? vm->frames : vm->frame + 1;
    return LIKELY(next < vm->frames_end);
}
// For what takes a level and calls nothing back: it need not be counted. False:
// RecursionError.
MUST_CHECK static inline bool depth_check(Vm *vm, const char *what)
{
    return depth_left(vm) || depth_fail(vm, what);
}
// For a frame that is about to be pushed with FRAME_COUNTED, which gives the
// level back: depth_take, then depth_settle with what came of it (1: the frame
// was pushed; else there is none).
MUST_CHECK static inline bool depth_take(Vm *vm, const char *what)
{
    if (!depth_check(vm, what)) {
        return false;
    }
    vm->frames_end--;
    return true;
}
static inline int depth_settle(Vm *vm, int entered)
{
    vm->frames_end += entered <= 0;
    return entered;
}
// Takes a level, and guards the C stack as ctx_enter_for does. False:
// RecursionError.
MUST_CHECK static inline bool depth_enter(Vm *vm, const char *what)
{
    if (!depth_check(vm, what) || !ctx_enter_for(&vm->ctx, what)) {
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
