// Executable memory of a context.
//
// Private pages that are writable and executable at once (docs/decisions.md
// says why).
#ifndef DUET_KERNELS_CODE_ARENA_H
#define DUET_KERNELS_CODE_ARENA_H

#include "base/ctx.h"

typedef struct CodeArena CodeArena;

// NULL with ERR_MEMORY pending; where the system gives no executable memory
// the arena has no room.
MUST_CHECK CodeArena *code_arena_new(Ctx *ctx);
void code_arena_free(Ctx *ctx, CodeArena *arena);
// A copy of the code; NULL if there is no room, which is no error.
void *code_add(CodeArena *arena, const void *code, size_t size);
// `size` as it was given.
void code_drop(CodeArena *arena, void *code, size_t size);

#endif
