// The instructions of primitives: see emit_ops.c.
#ifndef DUET_KERNELS_EMIT_OPS_H
#define DUET_KERNELS_EMIT_OPS_H

#include "kernels/emit_regs.h"

// The instruction `now`, which is neither a constant nor one of BITS.
void emit_ins(Emitter *emitter);
// Those of LOAD and STORE (emit_memory.c).
void emit_load(Emitter *emitter, const LoopIns *ins);
void emit_store(Emitter *emitter, const LoopIns *ins);
// Before the code of the last elements: where and which lanes they are.
void emit_rest(Emitter *emitter);
// Lanes: rdi becomes the number of the first that the step takes; those that
// are pinned, between memory and their registers.
void emit_lane_index(Emitter *emitter);
void emit_lanes(Emitter *emitter, bool store);
// Those that are pinned: what an empty lane holds; the first of an operand to
// memory.
void emit_empty_lanes(Emitter *emitter);
void emit_first_lane(Emitter *emitter, uint16_t operand);
// Of a register's lanes the half from `lanes` on, in front.
void emit_half(Emitter *emitter, int to, int from, int lanes);
// Before the loop: the inverse of a quotient's divisor that is always the same.
void emit_inverse(Emitter *emitter, const LoopIns *ins);
// An operand of one element, repeated in the frame.
void emit_spread(Emitter *emitter, int operand, uint16_t slot);

// Floats rounded to bfloat16, whose low halves are 0 then.
void emit_round_bf16(Emitter *emitter, int to, int x);

// ---- for those that make instructions

static const Vex xor_all = {1, 1, 0, 0xEF}, and_all = {1, 1, 0, 0xDB};
static const Vex widen_f16 = {2, 1, 0, 0x13}, round_f16 = {3, 1, 0, 0x1D};
// By a constant, to the side that stands for the register's number.
static const Vex shift_words = {1, 1, 0, 0x72};
enum { SHIFT_RIGHT = 2, SHIFT_LEFT = 6 };
static const Vex move_vector = {1, 0, 0, 0x10}, store_vector = {1, 0, 0, 0x11};

static inline void put_imm(Emitter *e, Vex op, uint32_t bytes, int reg, int v,
                           CodePlace place, int imm)
{
    code_vector(&e->code, op, bytes, reg, v, place, imm);
}
static inline void put(Emitter *e, Vex op, uint32_t bytes, int reg, int v,
                       CodePlace place)
{
    put_imm(e, op, bytes, reg, v, place, -1);
}
// Of a whole vector.
static inline void put_all(Emitter *e, Vex op, int reg, int v, CodePlace place)
{
    put(e, op, e->code.width, reg, v, place);
}
static inline CodePlace emit_ones(Emitter *e)
{
    return code_constant(&e->code, &(uint8_t){255}, 1);
}
static inline CodePlace emit_result_slot(void)
{
    return (CodePlace){PLACE_STACK, 0, FRAME_RESULT};
}
// AVX2's lanes of a tail, as a mask of so many bytes a lane.
static inline CodePlace emit_tail_lanes(uint32_t lane)
{
    return (CodePlace){PLACE_STACK, 0, lane == 8 ? FRAME_TAIL + 1 : FRAME_TAIL};
}

#endif
