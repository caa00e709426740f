// Resuming and suspending generators: what the machine and C code share.
// Inline, since it is most of what an item of a generator costs.
//
// Invariant: a generator's registers never move. While it runs, its frame
// works in the object itself; so what it calls cannot begin in its registers,
// and gets a window on the value stack (vm_far.c).
#ifndef DUET_INTERP_OBJECTS_ITERATORS_GENERATOR_RESUME_H
#define DUET_INTERP_OBJECTS_ITERATORS_GENERATOR_RESUME_H

#include <stddef.h>

#include "interp/hooks/note.h"
#include "interp/objects/iterators/obj_generator.h"

ALWAYS_INLINE Generator *generator_of(Value *registers)
{
    return (Generator *)((char *)registers - offsetof(Generator, registers));
}

// Puts a frame with these flags on top, behind the YIELD where the generator
// stands. False: failed, nothing has changed. The exceptions that it handles
// come back onto the Vm's list, so that a bare `raise` and sys.exc_info see
// them.
MUST_CHECK ALWAYS_INLINE bool generator_enter(Vm *vm, Generator *g,
                                              uint32_t flags)
{
    Function *function = g->function;
    Code *code = function->code;
    uint32_t handled = (uint32_t)vm->handled.count;
    // The frames stand in one array; NULL before the first.
    Frame *f = vm->frame == NULL ? vm->frames : vm->frame + 1;
    Value *top = vm_next_window(vm) - 1;
    if (UNLIKELY(f >= vm->frames_end)) {
        return raise_false(vm, ERR_RECURSION,
                           "maximum recursion depth exceeded");
    }
    if (UNLIKELY(g->handled.count > 0) && !generator_take_handled(vm, g)) {
        return false;
    }
    f->pc = code->words + g->word;
    f->registers = g->registers;
    f->code = code;
    f->globals = function->globals;
    f->cells = function->cells;
    f->flags = flags | FRAME_GENERATOR;
    f->handled = handled;
    f->top = top;
    vm->frame = f;
    g->state = GENERATOR_RUNNING;
    return true;
}

// The running frame stands behind the YIELD and becomes empty of all but the
// handled exceptions, which go along. False: failed, and the frame still
// stands.
MUST_CHECK ALWAYS_INLINE bool generator_suspend(Vm *vm, Frame *f)
{
    Generator *g = generator_of(f->registers);
    if (UNLIKELY(vm->handled.count > f->handled) &&
        !generator_keep_handled(vm, g, f->handled)) {
        return false;
    }
    g->word = (uint32_t)(f->pc - f->code->words);
    g->state = GENERATOR_SUSPENDED;
    vm->frame = f == vm->frames ? NULL : f - 1;
    return true;
}

// What is sent (borrowed) becomes the result of the YIELD behind which the
// frame stands; that of a statement wants none.
ALWAYS_INLINE void generator_give(Vm *vm, Frame *f, Value sent)
{
    Ins yield = f->pc[-1];
    if (!(INS_X(yield) & 2)) {
        value_replace(&vm->ctx, &f->registers[INS_B(yield)],
                      value_retain(sent));
    }
}

// For FORLOOP and SEND, in the machine that runs them: 1: the generator's
// frame was pushed; 0: it has nothing to go on with, or is asked what C has to
// refuse; -1: failed. Its R[-1] holds it meanwhile.
ALWAYS_INLINE int generator_resume(Vm *vm, Generator *g, Value sent)
{
    bool sends = g->state == GENERATOR_SUSPENDED;
    if (UNLIKELY(!sends) &&
        (g->state != GENERATOR_NEW || !value_is_none(sent))) {
        return 0;
    }
    if (UNLIKELY(!note_step(vm, g) || !generator_enter(vm, g, 0))) {
        return -1;
    }
    g->owner = value_from_object(object_retain(g));
    if (sends) {
        generator_give(vm, vm->frame, sent);
    }
    return 1;
}

#endif
