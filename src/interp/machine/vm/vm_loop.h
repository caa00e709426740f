// What every instruction body of the dispatch loop is written with. For vm.c
// and the vm_ops_*.inc that it includes.
//
// In a body stand: vm; f, the running frame; pc, behind the instruction; R and
// K, its registers and constants; ins, the instruction itself. A body ends in
// NEXT(), or jumps to `error` with an error pending.
#ifndef DUET_INTERP_MACHINE_VM_VM_LOOP_H
#define DUET_INTERP_MACHINE_VM_VM_LOOP_H

#include <stdio.h>
#include <stdlib.h>

#include "interp/machine/vm/vm_fast.h"
#include "interp/objects/iterators/generator_resume.h"
#include "interp/objects/iterators/obj_iter.h"

// The instruction that runs, and its fields. They are read from memory where
// they stand: that costs one machine instruction each instead of a shift and
// a mask. `pc` stands right behind the word.
#define ins (pc[-1])
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
typedef uint16_t __attribute__((may_alias)) InsField;
typedef uint8_t __attribute__((may_alias)) InsByte;
#define FIELD_A (((const InsField *)pc)[-3])
#define FIELD_B (((const InsField *)pc)[-2])
#define FIELD_C (((const InsField *)pc)[-1])
#define FIELD_X (((const InsByte *)pc)[-7])
#else
#define FIELD_A INS_A(ins)
#define FIELD_B INS_B(ins)
#define FIELD_C INS_C(ins)
#define FIELD_X INS_X(ins)
#endif
#define FIELD_BI ((int16_t)FIELD_B)
#define FIELD_CI ((int16_t)FIELD_C)
#define FIELD_J INS_J(ins)

// The operands: registers, and constants by the same fields.
#define RA R[FIELD_A]
#define RB R[FIELD_B]
#define RC R[FIELD_C]
#define KB K[FIELD_B]
#define KC K[FIELD_C]

// Between two instructions no error is pending: one that is there has been
// overlooked by whoever failed, would be lost, or come up where it does not
// belong. Builds that let allocations fail end at once.
#ifdef DUET_INJECT
#define CHECK_CALM(vm)                                                         \
    do {                                                                       \
        if (vm_has_error(vm)) {                                                \
            fprintf(stderr, "code runs with an error pending\n");              \
            abort();                                                           \
        }                                                                      \
    } while (0)
#else
#define CHECK_CALM(vm) ((void)0)
#endif

// On to the next instruction: each body has a jump of its own, which the
// processor predicts by what usually follows it.
#define NEXT()                                                                 \
    do {                                                                       \
        CHECK_CALM(vm);                                                        \
        pc++;                                                                  \
        goto *labels[INS_OP(ins)];                                             \
    } while (0)
// What the instruction let die may have code to run (finalize.h).
#define NEXT_POLL()                                                            \
    do {                                                                       \
        if (UNLIKELY(vm->ctx.interrupt)) {                                     \
            goto interrupted;                                                  \
        }                                                                      \
        NEXT();                                                                \
    } while (0)
// reg = v (taken). The old value is released after the store, so that a
// finaliser sees the new state.
#define SET(reg, v)                                                            \
    do {                                                                       \
        Value *place_ = &(reg);                                                \
        Value new_ = (v), old_ = *place_;                                      \
        *place_ = new_;                                                        \
        if (value_is_object(old_) &&                                           \
            UNLIKELY(--value_object(old_)->rc == 0)) {                         \
            finalize_dealloc(vm, value_object(old_));                          \
        }                                                                      \
    } while (0)
// An entry of the table of chained instructions.
#define CHAIN(ID) [OPCODE_##ID - OPCODE_ADD] = &&CHAIN_##ID
#define LOAD_FRAME()                                                           \
    do {                                                                       \
        f = vm->frame;                                                         \
        pc = f->pc;                                                            \
        R = f->registers;                                                      \
        K = f->code->constants;                                                \
    } while (0)
// An instruction that is all slow path; `cache` words stand behind it.
#define SLOW_THEN(ID, function, cache, end)                                    \
    OP_##ID : f->pc = pc;                                                      \
    if (UNLIKELY(!function(vm, f, ins))) {                                     \
        goto error;                                                            \
    }                                                                          \
    pc += (cache);                                                             \
    end;
#define SLOW(ID, function, cache) SLOW_THEN(ID, function, cache, NEXT())
// The same, for what may let an object die: its finaliser runs right after.
#define SLOW_DROP(ID, function, cache)                                         \
    SLOW_THEN(ID, function, cache, NEXT_POLL())
// The slow half of an instruction with a fast one, without cache words.
#define SLOW_HERE(function)                                                    \
    f->pc = pc;                                                                \
    if (UNLIKELY(!function(vm, f, ins))) {                                     \
        goto error;                                                            \
    }                                                                          \
    NEXT_POLL();
// As SLOW_HERE, where the function may push the frame of a method.
#define SLOW_METHOD(function)                                                  \
    f->pc = pc;                                                                \
    if (UNLIKELY(!function(vm, f, ins))) {                                     \
        goto error;                                                            \
    }                                                                          \
    if (vm->frame != f) {                                                      \
        LOAD_FRAME();                                                          \
    }                                                                          \
    NEXT_POLL();
// Every jump that is taken polls: a loop has at least one.
#define JUMP(distance)                                                         \
    do {                                                                       \
        pc += (distance);                                                      \
        if (UNLIKELY(vm->ctx.interrupt)) {                                     \
            goto interrupted;                                                  \
        }                                                                      \
    } while (0)
// One that decides about a jump by C.
#define SLOW_JUMP(function)                                                    \
    do {                                                                       \
        f->pc = pc;                                                            \
        int jump_ = function(vm, f, ins);                                      \
        if (UNLIKELY(jump_ < 0)) {                                             \
            goto error;                                                        \
        }                                                                      \
        if (vm->frame != f) {                                                  \
            LOAD_FRAME();                                                      \
            NEXT_POLL();                                                       \
        }                                                                      \
        if (jump_) {                                                           \
            JUMP(FIELD_CI);                                                    \
        }                                                                      \
        NEXT();                                                                \
    } while (0)

// The compiler has noted (compile_fuse.c) which operands are temporaries, read
// for the last time: "first" and "second" in the order that it gives.
#define DROP_FIRST(reg)                                                        \
    do {                                                                       \
        if (FIELD_X & INS_DROP_FIRST) {                                        \
            SET(reg, VALUE_UNBOUND);                                           \
        }                                                                      \
    } while (0)
#define DROP_SECOND(reg)                                                       \
    do {                                                                       \
        if (FIELD_X & INS_DROP_SECOND) {                                       \
            SET(reg, VALUE_UNBOUND);                                           \
        }                                                                      \
    } while (0)
// Takes v, the first operand: moved out of a temporary, copied from a local.
#define TAKE_FIRST(v, reg)                                                     \
    do {                                                                       \
        if (FIELD_X & INS_DROP_FIRST) {                                        \
            (reg) = VALUE_UNBOUND;                                             \
        } else {                                                               \
            value_retain(v);                                                   \
        }                                                                      \
    } while (0)

#endif
