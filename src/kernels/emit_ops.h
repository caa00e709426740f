// The instructions of primitives: see emit_ops.c.
#ifndef DUET_KERNELS_EMIT_OPS_H
#define DUET_KERNELS_EMIT_OPS_H

#include "kernels/emit_regs.h"

// The instruction `now`, which is neither a constant nor one of BITS.
void emit_ins(Emitter *emitter);
// Before the code of the last elements: where and which lanes they are.
void emit_rest(Emitter *emitter);
// Before the loop: an operand of one element, repeated in the frame.
void emit_spread(Emitter *emitter, int operand, uint16_t slot);

#endif
