// Machine code that kernels of equal bodies share: a loop that was unrolled, or
// many signatures of one function, have few kinds of them.
//
// Code is found by all that decides what it is: the body's instructions,
// constants and operands, and whether its counts are even. Whoever found or
// added some drops it once.
#ifndef DUET_KERNELS_EMIT_SHARED_H
#define DUET_KERNELS_EMIT_SHARED_H

#include "kernels/loop.h"

typedef struct SharedCode {
    struct SharedCode *next; // with the same last bits of the hash
    uint64_t hash;
    uint32_t users, key_size;
    uint32_t size; // bytes of code, in the context's arena
    bool folds;    // see kernel_folds
    void *code;
    uint8_t key[];
} SharedCode;

// A body as bytes.
typedef struct SharedKey {
    uint64_t hash;
    uint32_t size;
    uint8_t bytes[8 + LOOP_MAX_INS * sizeof(LoopIns) +
                  LOOP_MAX_CONSTS * sizeof(uint64_t) +
                  LOOP_MAX_OPERANDS * sizeof(LoopOperand)];
} SharedKey;
void shared_key(SharedKey *key, const LoopBuild *body, bool even);

// NULL: there is none yet.
SharedCode *shared_find(Ctx *ctx, const SharedKey *key);
// Takes over the code; drops it and returns NULL with ERR_MEMORY pending.
MUST_CHECK SharedCode *shared_add(Ctx *ctx, const SharedKey *key, void *code,
                                  uint32_t size, bool folds);
void shared_drop(Ctx *ctx, SharedCode *shared);
// When all kernels are gone.
void shared_free(Ctx *ctx);

#endif
