// Putting a generator's registers on the stack and back: what FORLOOP and C
// code share. Inline, since it is most of what an item of a generator costs.
//
// Invariant: registers move, they are not copied: no counts change, and those
// on the stack hold no object once the generator is suspended again. Both
// blocks have room for an even number of registers, so that two move at once.
#ifndef DUET_INTERP_VM_RESUME_H
#define DUET_INTERP_VM_RESUME_H

#include "interp/obj_generator.h"
#include "interp/vm_run.h"

// Two registers, as the processor moves them.
typedef uint64_t RegisterPair __attribute__((vector_size(16)));

// How many registers a generator's block has room for.
static inline uint32_t resume_room(const Code *code)
{
    return (code->register_count + 1) & ~1u;
}

// Puts its registers at `window` on a frame with these flags; the caller keeps
// the generator alive. False: failed, nothing has changed. The exceptions that
// it handles come back onto the Vm's list, so that a bare `raise` and
// sys.exc_info see them.
MUST_CHECK ALWAYS_INLINE bool generator_enter(Vm *vm, Generator *g,
                                              Value *window, uint32_t flags)
{
    Function *function = g->function;
    Code *code = function->code;
    uint32_t handled = (uint32_t)vm->handled.count;
    if (UNLIKELY(!vm_can_push(vm, code, window))) {
        return false;
    }
    if (UNLIKELY(g->handled.count > 0) && !generator_take_handled(vm, g)) {
        return false;
    }
    // The window has 8 registers more than the frame needs.
    const Value *from = g->registers;
    for (uint32_t i = 0, count = code->register_count; i < count; i += 2) {
        RegisterPair pair;
        memcpy(&pair, &from[i], sizeof pair);
        memcpy(&window[i], &pair, sizeof pair);
    }
    // The frames stand in one array; NULL before the first.
    Frame *f = vm->frame == NULL ? vm->frames : vm->frame + 1;
    f->pc = code->words + g->word;
    f->registers = window;
    f->code = code;
    f->globals = function->globals;
    f->cells = function->cells;
    f->flags = flags | FRAME_GENERATOR;
    f->handled = handled;
    vm->frame = f;
    g->state = GENERATOR_RUNNING;
    return true;
}

// Its frame stands behind a YIELD: back into the object. False: failed, and
// the frame still stands.
MUST_CHECK ALWAYS_INLINE bool generator_suspend(Vm *vm, Generator *g)
{
    const RegisterPair empty = {VALUE_BITS(VALUE_UNBOUND),
                                VALUE_BITS(VALUE_UNBOUND)};
    Frame *f = vm->frame;
    if (UNLIKELY(vm->handled.count > f->handled) &&
        !generator_keep_handled(vm, g, f->handled)) {
        return false;
    }
    Value *from = f->registers, *to = g->registers;
    for (uint32_t i = 0, count = f->code->register_count; i < count; i += 2) {
        RegisterPair pair;
        memcpy(&pair, &from[i], sizeof pair);
        memcpy(&to[i], &pair, sizeof pair);
        memcpy(&from[i], &empty, sizeof empty);
    }
    // Behind the YIELD, where it goes on.
    g->word = (uint32_t)(f->pc - f->code->words);
    g->state = GENERATOR_SUSPENDED;
    vm->frame = f == vm->frames ? NULL : f - 1;
    return true;
}

#endif
