// Memory that is freed all at once: tokens, AST, compiler scratch, graphs.
#ifndef DUET_BASE_ARENA_H
#define DUET_BASE_ARENA_H

#include "base/ctx.h"

typedef struct Arena {
    Ctx *ctx;
    void *blocks; // newest first, linked
    char *next, *end;
    size_t total; // bytes handed out, for reports
} Arena;

void arena_init(Arena *arena, Ctx *ctx);
void arena_destroy(Arena *arena);
// 16-byte aligned, cleared. NULL with ERR_MEMORY pending.
MUST_CHECK void *arena_alloc(Arena *arena, size_t size);
// A NUL-terminated copy.
MUST_CHECK char *arena_strndup(Arena *arena, const char *text, size_t length);

#define arena_new(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define arena_new_array(arena, type, count)                                    \
    ((type *)arena_alloc(arena, sizeof(type) * (size_t)(count)))

#endif
