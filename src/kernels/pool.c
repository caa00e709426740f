// Memory of tensors. Invariant: `waiting` is the sum of the sizes of the
// blocks in the lists.
#include "kernels/pool.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    POOL_CLASSES = 4 * 58,   // to 2^63 bytes
    POOL_SMALLEST_SHIFT = 6, // 64 bytes
    POOL_HUGE = 2 << 20      // ask for huge pages from here on
};
// 256 MB: enough for the turns of a loop, little beside what tensors take.
#define POOL_KEEP ((size_t)256 << 20)
// Beyond it blocks wait only on loan, up to this part of the machine's memory.
enum { POOL_LOAN_PART = 8 };
#define POOL_LARGEST ((size_t)1 << 62)

// A waiting block holds the next one's address in its first bytes, so that
// waiting costs no memory beside the heads.
struct Pool {
    void *lists[POOL_CLASSES];
    size_t waiting; // bytes in the lists
    size_t limit;   // of that
    PoolUse use;
};

// Empty lists; blocks come in as tensors are freed.
Pool *pool_new(Ctx *ctx)
{
    Pool *pool = ctx_alloc_zero(ctx, sizeof(Pool));
    if (pool != NULL) {
        size_t machine =
            (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
        pool->limit = machine / POOL_LOAN_PART;
    }
    return pool;
}

// Blocks that tensors still hold are not known here: the context's owner frees
// those first.
void pool_free(Ctx *ctx, Pool *pool)
{
    if (pool == NULL) {
        return;
    }
    for (int i = 0; i < POOL_CLASSES; i++) {
        while (pool->lists[i] != NULL) {
            void *block = pool->lists[i];
            pool->lists[i] = *(void **)block;
            free(block);
        }
    }
    ctx_free(ctx, pool, sizeof(*pool));
}

// The class whose size is the smallest that holds *size; *size becomes that.
static int pool_class(size_t *size)
{
    size_t least = (size_t)1 << POOL_SMALLEST_SHIFT;
    *size = (*size + least - 1) & ~(least - 1);
    if (*size <= least) {
        *size = least;
        return 0;
    }
    // Four steps to a power of two: at most a quarter of a block is wasted.
    int shift = 63 - __builtin_clzll(*size - 1); // 2^shift < size <= 2^(s+1)
    size_t quarter = ((size_t)1 << shift) / 4;
    size_t steps = (*size - ((size_t)1 << shift) + quarter - 1) / quarter;
    *size = ((size_t)1 << shift) + steps * quarter;
    return (shift - POOL_SMALLEST_SHIFT) * 4 + (int)steps;
}

// Memory that no list has, of a class's size.
static void *take_new(Ctx *ctx, size_t size)
{
    size_t alignment = size >= POOL_HUGE ? POOL_HUGE : 64;
    // aligned_alloc asks for a multiple of the alignment.
    size_t rounded = (size + alignment - 1) & ~(alignment - 1);
    void *block = aligned_alloc(alignment, rounded);
    if (block == NULL) {
        return ctx_fail_memory(ctx), NULL;
    }
    if (size >= POOL_HUGE) {
        // A wish: where it fails the block works with small pages.
        (void)madvise(block, rounded, MADV_HUGEPAGE);
    }
    return block;
}

// Last in, first out: the block that was freed last is still in the cache.
void *pool_take(Ctx *ctx, Pool *pool, size_t *size)
{
    if (*size > POOL_LARGEST) {
        return ctx_fail_memory(ctx), NULL;
    }
    int class = pool_class(size);
    void *block = pool->lists[class];
    // Checking builds take fresh memory, so that a use after free is seen.
    if (HEAP_FAST && block != NULL) {
        pool->lists[class] = *(void **)block;
        pool->waiting -= *size;
    } else {
        block = take_new(ctx, *size);
        if (block == NULL) {
            return NULL;
        }
    }
    PoolUse *use = &pool->use;
    use->takes++;
    use->held += *size;
    use->most = use->held > use->most ? use->held : use->most;
    return block;
}

PoolUse *pool_use(Pool *pool)
{
    return &pool->use;
}

// A program that once needed much must not keep it for ever: the system may
// take a block on loan whenever it is short of memory. Until then it is as it
// was, and the next tensor of its size finds pages that need no clearing. The
// first huge page stays, for the list's link.
static bool lend(void *block, size_t size)
{
    return size > POOL_HUGE &&
           madvise((char *)block + POOL_HUGE, size - POOL_HUGE, MADV_FREE) == 0;
}

void pool_give(Pool *pool, void *block, size_t size)
{
    size_t waiting = pool->waiting + size;
    pool->use.held -= size;
    if (!HEAP_FAST || (waiting > POOL_KEEP &&
                       (waiting > pool->limit || !lend(block, size)))) {
        free(block);
        return;
    }
    size_t rounded = size;
    int class = pool_class(&rounded);
    *(void **)block = pool->lists[class];
    pool->lists[class] = block;
    pool->waiting += size;
}
