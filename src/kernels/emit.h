// Kernels: loop bodies that can be run.
//
// A kernel is machine code (x86-64 with AVX2 and FMA, or AVX-512), made at
// once, without a warm-up, in one walk over the body. Where that cannot be had
// (another processor, no executable memory, a body too long) it is a program of
// the interpreter, silently: the bits are the same.
#ifndef DUET_KERNELS_EMIT_H
#define DUET_KERNELS_EMIT_H

#include "kernels/loop_run.h"

// What is needed to run a body. Code lives in the code arena of its context
// until it is freed, or the context is.
typedef struct LoopKernel {
    uint32_t (*code)(char *const *data, int64_t count);
    LoopProgram *program;      // where there is no code
    struct SharedCode *shared; // whose code it is (emit_shared.h)
    bool folds;                // see kernel_folds
    uint8_t operand_count;
    LoopOperand operands[LOOP_MAX_OPERANDS];
} LoopKernel;

// `even`: it is run on multiples of KERNEL_STEP elements alone, which is less
// code. False with ERR_MEMORY pending. Needs kernel_state(ctx) to exist.
enum { KERNEL_STEP = 32 };
MUST_CHECK bool kernel_make(Ctx *ctx, const LoopBuild *body, bool even,
                            LoopKernel *kernel);
void kernel_free(Ctx *ctx, LoopKernel *kernel);
// `count` elements; data[k] is operand k's first. An output may be the very
// memory of an operand that no instruction loads after the store. Returns the
// bits of what was in error, of which the lowest comes first in the program;
// outputs are then of no use.
static inline uint32_t kernel_run(const LoopKernel *kernel, char *const *data,
                                  int64_t count)
{
    return LIKELY(kernel->code != NULL)
               ? kernel->code(data, count)
               : loop_program_run(kernel->program, data, count);
}

// Whether so many elements' lanes begin as empty ones, whatever they hold, and
// are folded to the first of them; the others keep what they hold.
static inline bool kernel_folds(const LoopKernel *kernel, int64_t count)
{
    return kernel->folds && count % LOOP_LANES == 0 && count > 0;
}

// Kernels of single ops, made when they are first asked for. What a row, its
// element type and its operands of one element (as bits) mean is for the caller
// to say.
enum { KERNEL_KINDS = 8 };
typedef struct KernelTable {
    size_t count;
    LoopKernel *entries[]; // NULL: not yet
} KernelTable;

// The context's; NULL with ERR_MEMORY pending.
MUST_CHECK KernelTable *kernel_table(Ctx *ctx, size_t rows);
static inline LoopKernel **kernel_entry(KernelTable *table, size_t row,
                                        Elem elem, unsigned ones)
{
    return &table->entries[(row * ELEM_COUNT + elem) * KERNEL_KINDS + ones];
}
void kernel_table_free(Ctx *ctx, KernelTable *table);

#endif
