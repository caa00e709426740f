// What every instruction body of the dispatch loop is written with. For vm.c
// and the vm_ops_*.h that it includes.
//
// In a body stand: vm; f, the running frame; pc, behind the instruction; R and
// K, its registers and constants; ins, the instruction itself. A body ends in
// NEXT(), or jumps to `error` with an error pending.
#ifndef DUET_INTERP_VM_LOOP_H
#define DUET_INTERP_VM_LOOP_H

#include "interp/vm_fast.h"

// The operands: registers, and constants by the same fields.
#define RA R[INS_A(ins)]
#define RB R[INS_B(ins)]
#define RC R[INS_C(ins)]
#define KB K[INS_B(ins)]
#define KC K[INS_C(ins)]

// On to the next instruction: each body has a jump of its own, which the
// processor predicts by what usually follows it.
#define NEXT()                                                                \
    do {                                                                      \
        ins = *pc++;                                                          \
        goto *labels[INS_OP(ins)];                                            \
    } while (0)
// What the instruction let die may have code to run (finalize.h).
#define NEXT_POLL()                                                           \
    do {                                                                      \
        if (UNLIKELY(vm->ctx.interrupt)) {                                    \
            goto interrupted;                                                 \
        }                                                                     \
        NEXT();                                                               \
    } while (0)
// reg = v (taken). The old value is released after the store, so that a
// finaliser sees the new state.
#define SET(reg, v)                                                           \
    do {                                                                      \
        Value *place_ = &(reg);                                               \
        Value new_ = (v), old_ = *place_;                                     \
        *place_ = new_;                                                       \
        if (value_is_object(old_) &&                                          \
            UNLIKELY(--value_object(old_)->rc == 0)) {                        \
            finalize_dealloc(vm, value_object(old_));                         \
        }                                                                     \
    } while (0)
// After another frame has become the running one.
#define LOAD_FRAME()                                                          \
    do {                                                                      \
        f = vm->frame;                                                        \
        pc = f->pc;                                                           \
        R = f->registers;                                                     \
        K = f->code->constants;                                               \
    } while (0)
// An instruction that is all slow path; `cache` words stand behind it.
#define SLOW_THEN(ID, function, cache, end)                                   \
    OP_##ID : f->pc = pc;                                                      \
    if (UNLIKELY(!function(vm, f, ins))) {                                    \
        goto error;                                                           \
    }                                                                         \
    pc += (cache);                                                            \
    end;
#define SLOW(ID, function, cache) SLOW_THEN(ID, function, cache, NEXT())
// The same, for what may let an object die: its finaliser runs right after.
#define SLOW_DROP(ID, function, cache)                                        \
    SLOW_THEN(ID, function, cache, NEXT_POLL())
// The slow half of an instruction with a fast one, without cache words.
#define SLOW_HERE(function)                                                   \
    f->pc = pc;                                                               \
    if (UNLIKELY(!function(vm, f, ins))) {                                    \
        goto error;                                                           \
    }                                                                         \
    NEXT_POLL();
// As SLOW_HERE, where the function may push the frame of a method.
#define SLOW_METHOD(function)                                                 \
    f->pc = pc;                                                               \
    if (UNLIKELY(!function(vm, f, ins))) {                                    \
        goto error;                                                           \
    }                                                                         \
    if (vm->frame != f) {                                                     \
        LOAD_FRAME();                                                         \
    }                                                                         \
    NEXT();
// Every jump that is taken polls: a loop has at least one.
#define JUMP(distance)                                                        \
    do {                                                                      \
        pc += (distance);                                                     \
        if (UNLIKELY(vm->ctx.interrupt)) {                                    \
            goto interrupted;                                                 \
        }                                                                     \
    } while (0)
// One that decides about a jump by C.
#define SLOW_JUMP(function)                                                   \
    do {                                                                      \
        f->pc = pc;                                                           \
        int jump_ = function(vm, f, ins);                                     \
        if (UNLIKELY(jump_ < 0)) {                                            \
            goto error;                                                       \
        }                                                                     \
        if (jump_) {                                                          \
            JUMP(INS_CI(ins));                                                \
        }                                                                     \
        NEXT();                                                               \
    } while (0)

// R[reg] was read for the last time if it is a temporary.
#define IS_TEMPORARY(reg) ((reg) >= f->code->local_count)
#define DROP_TEMPORARY(reg, kept)                                             \
    do {                                                                      \
        uint32_t dropped = (reg);                                             \
        if (dropped != (kept) && IS_TEMPORARY(dropped)) {                     \
            SET(R[dropped], VALUE_UNBOUND);                                   \
        }                                                                     \
    } while (0)
// Takes R[reg]: moved out of a temporary, copied from a local.
#define TAKE(v, reg)                                                          \
    do {                                                                      \
        if (IS_TEMPORARY(reg)) {                                              \
            R[reg] = VALUE_UNBOUND;                                           \
        } else {                                                              \
            value_retain(v);                                                  \
        }                                                                     \
    } while (0)

#endif
