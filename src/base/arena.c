// A bump allocator over blocks of the context.
//
// Invariant: [next, end) is the unused rest of the newest block; every block
// starts with its link and its size, so that destroy can hand it back.
#include "base/arena.h"

#include <string.h>

enum {
    ARENA_ALIGN = 16,
    ARENA_FIRST_BLOCK = 512, // most graphs need little; the heap has it ready
    ARENA_MAX_BLOCK = 256 << 10
};

// Sixteen bytes, so that what follows the head is aligned.
typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t size;
} ArenaBlock;

// Allocates nothing; the first block comes with the first allocation.
void arena_init(Arena *arena, Ctx *ctx)
{
    *arena = (Arena){.ctx = ctx};
}

// The arena can be used again afterwards.
void arena_destroy(Arena *arena)
{
    ArenaBlock *block = arena->blocks;
    while (block != NULL) {
        ArenaBlock *next = block->next;
        ctx_free(arena->ctx, block, block->size);
        block = next;
    }
    *arena = (Arena){.ctx = arena->ctx};
}

// Blocks grow with the arena, so that a large text needs few of them.
// Doubling up to ARENA_MAX_BLOCK, by what was handed out so far. A request
// that is larger gets a block of its own size.
static size_t block_size(const Arena *arena, size_t need)
{
    size_t size = ARENA_FIRST_BLOCK;
    while (size < ARENA_MAX_BLOCK && size < arena->total) {
        size *= 2;
    }
    need += sizeof(ArenaBlock);
    return need > size ? need : size;
}

// The rest of the old block is given up. It is small beside the new one.
static bool add_block(Arena *arena, size_t need)
{
    size_t size = block_size(arena, need);
    ArenaBlock *block = ctx_alloc(arena->ctx, size);
    if (block == NULL) {
        return false;
    }
    block->next = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->next = (char *)(block + 1);
    arena->end = (char *)block + size;
    return true;
}

// Cleared as it is handed out: the unused rest of a block is never touched.
void *arena_alloc(Arena *arena, size_t size)
{
    if (size > PTRDIFF_MAX) {
        return ctx_fail_memory(arena->ctx), NULL;
    }
    // Nothing takes a place too: NULL would read as a failure.
    size = size == 0 ? 1 : size;
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if ((size_t)(arena->end - arena->next) < size && !add_block(arena, size)) {
        return NULL;
    }
    char *memory = arena->next;
    arena->next += size;
    arena->total += size;
    return memset(memory, 0, size);
}

// The NUL comes from the clearing. `text` may be NULL if `length` is 0.
char *arena_strndup(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (copy != NULL && length != 0) {
        memcpy(copy, text, length);
    }
    return copy;
}
