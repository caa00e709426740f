// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", 2011).
//
// A draw of n words takes ceil(n / 4) counters, so that what a draw gives does
// not depend on how it is split over threads or steps, and eager and staged
// code consume the same counters.
#ifndef DUET_BASE_RNG_H
#define DUET_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct RngState {
    uint64_t key;     // the seed
    uint64_t counter; // the next block of four words
} RngState;

void rng_seed(RngState *rng, uint64_t seed); // counters start again at 0
// The four words of block `counter` under `key`.
void rng_block(uint64_t key, uint64_t counter, uint32_t out[4]);

#endif
