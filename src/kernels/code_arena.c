// Executable memory: blocks of powers of two, freed ones in lists by size.
#include "kernels/code_arena.h"

#include <string.h>
#include <sys/mman.h>

enum {
    CODE_ROOM = 16 << 20, // addresses; pages come when they are written
    CODE_LEAST = 8,       // bits of the smallest block's size
    CODE_MOST = 16,       // and of the largest
    CODE_BLOCKS = CODE_ROOM >> CODE_LEAST
};

// Blocks are named by their place in units of the smallest, and 1.
struct CodeArena {
    char *base;
    uint32_t used;                 // units
    uint32_t first[CODE_MOST + 1]; // free blocks by the bits of their size
    uint32_t *next;                // by block: the next free one
};

// The list of free blocks lies behind the code.
enum { LIST_SIZE = CODE_BLOCKS * sizeof(uint32_t) };

CodeArena *code_arena_new(Ctx *ctx)
{
    CodeArena *arena = ctx_alloc_zero(ctx, sizeof *arena);
    if (arena == NULL) {
        return NULL;
    }
    char *base =
        mmap(NULL, CODE_ROOM + LIST_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base != MAP_FAILED) {
        arena->base = base;
        arena->next = (void *)(base + CODE_ROOM);
    }
    return arena;
}

void code_arena_free(Ctx *ctx, CodeArena *arena)
{
    if (arena->base != NULL) {
        munmap(arena->base, CODE_ROOM + LIST_SIZE);
    }
    ctx_free(ctx, arena, sizeof *arena);
}

static int size_bits(size_t size)
{
    int bits = CODE_LEAST;
    while (((size_t)1 << bits) < size) {
        bits++;
    }
    return bits;
}

void *code_add(CodeArena *arena, const void *code, size_t size)
{
    int bits = size_bits(size);
    if (arena->base == NULL || bits > CODE_MOST) {
        return NULL;
    }
    uint32_t units = 1u << (bits - CODE_LEAST), at = arena->first[bits];
    bool is_new = at == 0;
    if (is_new && arena->used + units > CODE_BLOCKS) {
        return NULL;
    }
    at = is_new ? arena->used + 1 : at;
    char *block = arena->base + ((size_t)(at - 1) << CODE_LEAST);
    memcpy(block, code, size);
    if (is_new) {
        arena->used += units;
    } else {
        arena->first[bits] = arena->next[at - 1];
    }
    return block;
}

void code_drop(CodeArena *arena, void *code, size_t size)
{
    int bits = size_bits(size);
    uint32_t at = (uint32_t)(((char *)code - arena->base) >> CODE_LEAST) + 1;
    arena->next[at - 1] = arena->first[bits];
    arena->first[bits] = at;
}
