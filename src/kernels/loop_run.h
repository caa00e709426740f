// The portable way to run a loop's body: its primitives over arrays, a tile of
// elements at a time.
#ifndef DUET_KERNELS_LOOP_RUN_H
#define DUET_KERNELS_LOOP_RUN_H

#include "kernels/loop.h"

typedef struct LoopProgram LoopProgram;

// NULL with ERR_MEMORY pending. The rows are those of the context's tier.
MUST_CHECK LoopProgram *loop_program(Ctx *ctx, const LoopBuild *body);
void loop_program_free(Ctx *ctx, LoopProgram *program);
// As kernel_run (kernels/emit.h).
uint32_t loop_program_run(const LoopProgram *program, char *const *data,
                          int64_t count);

#endif
