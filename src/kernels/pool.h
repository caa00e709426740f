// Memory of tensors: 64-byte-aligned blocks by size class, kept when freed.
//
// Classes are four to each power of two from 64 bytes on. A freed block waits
// in its class's list for the next tensor of that size. POOL_KEEP bytes may
// wait so; more, up to an eighth of the machine's memory, on loan to the
// system, which takes them when it is short (MADV_FREE); the rest goes back at
// once. From 2 MB on huge pages are asked for. The pool belongs to one context
// and one thread.
#ifndef DUET_KERNELS_POOL_H
#define DUET_KERNELS_POOL_H

#include "base/ctx.h"

typedef struct Pool Pool;

// What is told of a pool: how often memory was asked for, and how many bytes
// are out now, and were at the most since somebody set that to `held`.
typedef struct PoolUse {
    uint64_t takes;
    size_t held, most;
} PoolUse;

MUST_CHECK Pool *pool_new(Ctx *ctx);
// Frees the waiting blocks and the pool; NULL is fine.
void pool_free(Ctx *ctx, Pool *pool);
// A block of at least *size bytes, rounded up to its class in *size. Not
// cleared. NULL with ERR_MEMORY pending.
MUST_CHECK void *pool_take(Ctx *ctx, Pool *pool, size_t *size);
// Gives back what pool_take gave, with the size that it set.
void pool_give(Pool *pool, void *block, size_t size);
PoolUse *pool_use(Pool *pool); // borrowed

#endif
