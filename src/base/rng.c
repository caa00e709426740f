// Philox4x32-10: ten rounds of a keyed bijection on a 128-bit counter.
#include "base/rng.h"

#include <string.h>

enum { RNG_ROUNDS = 10 };
#define RNG_MULTIPLIER_0 0xD2511F53u
#define RNG_MULTIPLIER_1 0xCD9E8D57u
#define RNG_WEYL_0 0x9E3779B9u // the golden ratio
#define RNG_WEYL_1 0xBB67AE85u // sqrt(3) - 1

// The same seed gives the same draws on every machine: the state is nothing
// but the key and a counter.
void rng_seed(RngState *rng, uint64_t seed)
{
    rng->key = seed;
    rng->counter = 0;
}

// A pure function of its arguments, so that blocks can be made in any order
// and on any thread. The upper half of the 128-bit counter is 0.
void rng_block(uint64_t key, uint64_t counter, uint32_t out[4])
{
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32);
    uint32_t c2 = 0, c3 = 0;
    // As in the paper's figure: two products, their halves crossed over and
    // mixed with the keys, which step by Weyl constants.
    for (int round = 0; round < RNG_ROUNDS; round++) {
        uint64_t product0 = (uint64_t)RNG_MULTIPLIER_0 * c0;
        uint64_t product1 = (uint64_t)RNG_MULTIPLIER_1 * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)product0;
        key0 += RNG_WEYL_0;
        key1 += RNG_WEYL_1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}
