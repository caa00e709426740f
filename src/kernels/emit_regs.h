// Where the values of a body are while its code is made: registers, by linear
// scan. AVX2 has sixteen of vectors, which masks are too; AVX-512 has 32 and
// those of masks, a bit a lane. Shared by the emitter's files.
#ifndef DUET_KERNELS_EMIT_REGS_H
#define DUET_KERNELS_EMIT_REGS_H

#include "kernels/emit_code.h"
#include "kernels/loop.h"

// A round of a reduction's lanes takes most copies.
enum { EMIT_COPIES = 4, EMIT_ROUND = 8, EMIT_MAX_INS = 2 * LOOP_MAX_INS };

// Registers by number. Of masks k0 cannot be told from none, and the next one
// is the tail's lanes.
enum {
    VECTOR_REGS = 32,
    TAIL_MASK = VECTOR_REGS + 1,
    FIRST_MASK,
    EMIT_REGS = VECTOR_REGS + 8
};

// Slots of the frame, each a vector.
enum {
    FRAME_FAULTS, // the bits so far, and the caller's rsp
    FRAME_TAIL,   // masks of the tail: four bytes a lane, eight
    FRAME_GENERAL = FRAME_TAIL + 2,        // around a call: general registers,
    FRAME_ARGS = FRAME_GENERAL + 3,        // operands,
    FRAME_RESULT = FRAME_ARGS + 3,         // the result
    FRAME_VECTORS,                         // and vectors that live on
    FRAME_REST = FRAME_VECTORS + EMIT_REGS // what is always the same; spills
};

// A value is in a register, or has a home in memory, or both: constants are in
// the pool, in the frame what was computed before the loop or spilled.
typedef struct Emitter {
    const LoopBuild *body;
    uint16_t ins_count;        // of the body, or of some copies of it
    LoopIns ins[EMIT_MAX_INS]; // c of loads and stores: which copy's
    MachineCode code;
    bool same[EMIT_MAX_INS];     // what is so for all elements
    bool refused;                // the body has what is not known here
    uint8_t lanes;               // elements a step
    uint16_t now;                // the instruction that is being made
    bool tail;                   // the last elements, fewer than `lanes`
    uint16_t slot_count;         // of the frame, at this time
    uint16_t most_slots;         // and at most, until then
    const Tier *tier;            // whose rows are called
    bool around;                 // some operand is lanes
    bool folds;                  // which whole rounds fold
    uint64_t pinned;             // registers that are lanes, as bits,
    uint64_t locked;             // and those of this instruction as well
    uint64_t taken;              // registers that have an owner
    uint16_t owner[EMIT_REGS];   // value, or LOOP_NONE
    uint16_t root[EMIT_MAX_INS]; // the value itself, of BITS its operand
    uint16_t last[EMIT_MAX_INS]; // the instruction that reads it last, 0: none
    uint16_t next[EMIT_MAX_INS]; // that reads it next, from `now` on; 0: none
    // Of each operand of an instruction: what reads the value behind it.
    uint16_t after[EMIT_MAX_INS][3];
    int8_t reg[EMIT_MAX_INS];        // -1: in none
    int16_t slot[EMIT_MAX_INS];      // -1: none
    uint8_t base[LOOP_MAX_OPERANDS]; // general registers
    uint8_t lane[LOOP_MAX_OPERANDS]; // the first one that is pinned; 0: none
} Emitter;

// The body so many times, for elements that follow each other: instruction by
// instruction in turn, since a processor waits less where neighbours do not
// depend on each other. A round of lanes, which is more copies than there are
// registers for, is one copy behind another. Roots and last reads; no value is
// anywhere yet.
void regs_init(Emitter *emitter, uint16_t copies);
// An order of the body's instructions that keeps a processor busy with so many
// copies (emit_order.c). False: too few registers for it, so that much would be
// spilled.
bool emit_order(const LoopBuild *body, uint32_t copies, uint32_t registers,
                uint16_t *to);
// Whether that is how so many copies would be made.
bool regs_fit(const Emitter *emitter, uint16_t copies);
// A register for this instruction alone; regs_temp_mask: of AVX-512's masks.
int regs_temp(Emitter *emitter);
int regs_temp_mask(Emitter *emitter);
// Between a register of either kind and its bytes in memory.
void regs_move(Emitter *emitter, bool store, int reg, CodePlace place);
// The value in a register, which stays until the instruction is done.
int regs_of(Emitter *emitter, LoopValue value);
// The value where it is; in a register it is held there as well.
CodePlace regs_place(Emitter *emitter, LoopValue value);
bool regs_holds(const Emitter *emitter, LoopValue value); // in a register
bool regs_dies(const Emitter *emitter, LoopValue value);
// The instruction's result, in a register of its own, or in one whose value
// dies here: all operands must be read by the instruction that writes it.
int regs_result(Emitter *emitter);
// The same when operands are still read after the result is first written.
int regs_result_apart(Emitter *emitter);
// The register of a value that dies becomes the result's.
int regs_take_over(Emitter *emitter, LoopValue value);
// After each instruction.
void regs_release(Emitter *emitter);
// Whether code is that of AVX-512.
static inline bool regs_has_masks(const Emitter *emitter)
{
    return emitter->code.width == 64;
}
// Bytes of a lane, and of all lanes: those of a vector, or half of them.
static inline uint32_t regs_lane(const Emitter *emitter, LoopType type)
{
    return type == LT_F64 || type == LT_I64 ? 8
           : type == LT_F32 || type == LT_I32
               ? 4
               : (uint32_t)emitter->code.width / emitter->lanes;
}
static inline uint32_t regs_bytes(const Emitter *emitter, LoopType type)
{
    return regs_lane(emitter, type) * emitter->lanes;
}

#endif
