// Machine code of loop bodies: x86-64 with AVX2 and FMA.
//
// A kernel is made at once, without a warm-up, in one walk over the body. What
// cannot be had (another processor, no executable memory, a body that the
// emitter does not know) gives NULL and no error: the caller has another way.
#ifndef DUET_KERNELS_EMIT_H
#define DUET_KERNELS_EMIT_H

#include "kernels/loop.h"

// A body's code and what is needed to call it. It lives in the code arena of
// its context until it is freed, or the context is.
typedef struct LoopKernel {
    void (*code)(char *const *data, int64_t count); // a multiple of lanes
    uint32_t size;                                  // bytes of code
    uint8_t lanes;                                  // elements a step
    uint8_t operand_count;
    LoopOperand operands[LOOP_MAX_OPERANDS];
} LoopKernel;

// False: there is no code, for whatever reason.
MUST_CHECK bool kernel_make(Ctx *ctx, const LoopBuild *body,
                            LoopKernel *kernel);
void kernel_free(Ctx *ctx, LoopKernel *kernel);
// `count` elements; data[k] is operand k's first. An output may be the very
// memory of an operand that no instruction loads after the store.
void kernel_run(const LoopKernel *kernel, char *const *data, int64_t count);

// Kernels of single ops, made when they are first asked for. What a row, its
// element type and its operands of one element (as bits) mean is for the caller
// to say.
enum { KERNEL_ROWS = TILE_COUNT + ELEM_COUNT, KERNEL_KINDS = 8 };
typedef struct KernelTable {
    struct KernelEntry {
        bool tried;
        LoopKernel *kernel; // NULL: there is none
    } entries[KERNEL_ROWS][ELEM_COUNT][KERNEL_KINDS];
} KernelTable;

// NULL with ERR_MEMORY pending.
MUST_CHECK KernelTable *kernel_table(Ctx *ctx);
void kernel_table_free(Ctx *ctx, KernelTable *table);

#endif
