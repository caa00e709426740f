// Every tier gives the same bits: elementwise tiles, casts and reductions on
// random data, special values and odd lengths included.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kernels/tier.h"

enum { LENGTH = 611, BYTES = LENGTH * 8 };

static const size_t elem_sizes[ELEM_COUNT] = {1, 1, 1, 2, 4, 8, 4, 8};

static const Tier *other_tier(int number)
{
    static const char *const names[] = {"avx2", "avx512"};
    return tier_find(names[number]); // NULL: not on this processor
}

// Random elements; every eighth float is one of the special ones, ints are
// small every other time, so that divisions and shifts meet sensible ones.
static void fill(void *to, Elem elem, size_t count, uint64_t seed)
{
    static const double special[] = {0.0,       -0.0, 1.0,    -1.0, INFINITY,
                                     -INFINITY, NAN,  1e-310, 0.5,  88.5};
    RngState rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) {
        uint32_t words[4];
        rng_block(rng.key, rng.counter++, words);
        double number = ((double)words[0] - 0x1p31) * 0x1p-27;
        number = words[1] % 8 == 0 ? special[words[2] % 10] : number;
        int64_t whole = (int64_t)(((uint64_t)words[0] << 32) | words[1]);
        whole = words[2] & 1 ? whole % 64 : whole;
        switch (elem) {
        case ELEM_F32: ((float *)to)[i] = (float)number; break;
        case ELEM_F64: ((double *)to)[i] = number; break;
        case ELEM_BOOL: ((uint8_t *)to)[i] = words[0] & 1; break;
        default:
            memcpy((char *)to + i * elem_sizes[elem], &whole, elem_sizes[elem]);
        }
    }
}

// Bytes of results that are NaN may differ: they are made equal first.
static void settle(void *data, size_t size)
{
    for (size_t i = 0; size == 4 && i < LENGTH; i++) {
        float *x = (float *)data + i;
        *x = *x != *x ? NAN : *x;
    }
    for (size_t i = 0; size == 8 && i < LENGTH; i++) {
        double *x = (double *)data + i;
        *x = *x != *x ? (double)NAN : *x;
    }
}

static void same_tile(TileFn own, TileFn other, const TileArg *args,
                      bool floats, size_t size, const char *what)
{
    static _Alignas(64) char a[BYTES], b[BYTES];
    memset(a, 0, BYTES);
    memset(b, 0, BYTES);
    bool fine = own(a, args, LENGTH);
    cr_assert_eq(fine, other(b, args, LENGTH), "%s", what);
    if (floats) {
        settle(a, size);
        settle(b, size);
    }
    cr_assert(!fine || memcmp(a, b, BYTES) == 0, "%s", what);
}

static const char *const tile_names[] = {
    "none",
#define TILE(id, name, operands, types) #name,
#include "kernels/tile_list.h"
#undef TILE
};

static void check_tile(const Tier *tier, int id, int elem)
{
    static _Alignas(64) char in[3][BYTES];
    TileFn own = tier_portable.tiles[id][elem];
    TileFn other = tier->tiles[id][elem];
    cr_assert_eq(own == NULL, other == NULL, "%s", tile_names[id]);
    for (unsigned steps = 0; own != NULL && steps < 8; steps++) {
        TileArg args[3];
        for (int k = 0; k < 3; k++) {
            bool condition = id == TILE_WHERE && k == 0;
            fill(in[k], condition ? ELEM_BOOL : (Elem)elem, LENGTH,
                 (uint64_t)(id * 64 + elem * 8 + k));
            args[k] = (TileArg){in[k], (steps >> k & 1) ^ 1};
        }
        bool floats = elem == ELEM_F32 || elem == ELEM_F64;
        same_tile(own, other, args, floats, elem_sizes[elem], tile_names[id]);
    }
}

Test(tiers, elementwise_tiles_give_the_same_bits)
{
    for (int t = 0; t < 2; t++) {
        const Tier *tier = other_tier(t);
        for (int id = 1; tier != NULL && id < TILE_COUNT; id++) {
            for (int elem = 0; elem < ELEM_COUNT; elem++) {
                check_tile(tier, id, elem);
            }
        }
    }
}

Test(tiers, casts_give_the_same_bits)
{
    static _Alignas(64) char in[BYTES];
    for (int t = 0; t < 2; t++) {
        const Tier *tier = other_tier(t);
        for (int i = 0; tier != NULL && i < ELEM_COUNT * ELEM_COUNT; i++) {
            int from = i / ELEM_COUNT, to = i % ELEM_COUNT;
            TileArg arg = {in, 1};
            fill(in, (Elem)from, LENGTH, (uint64_t)i);
            same_tile(tier_portable.casts[from][to], tier->casts[from][to],
                      &arg, to >= ELEM_F32, elem_sizes[to], "cast");
        }
    }
}

Test(tiers, reductions_give_the_same_bits)
{
    static const int64_t lengths[] = {0, 1, 5, 127, 128, 129, 2048, 5000};
    static _Alignas(64) char in[40000 * 8];
    for (int t = 0; t < 2; t++) {
        const Tier *tier = other_tier(t);
        for (int i = 0; tier != NULL && i < REDUCE_COUNT * ELEM_COUNT; i++) {
            int id = i / ELEM_COUNT, elem = i % ELEM_COUNT;
            RowReduceFn own = tier_portable.row_reduce[id][elem];
            ColumnReduceFn down = tier_portable.column_reduce[id][elem];
            for (int k = 0; own != NULL && k < 8; k++) {
                char a[64] = {0}, b[64] = {0};
                fill(in, (Elem)elem, (size_t)lengths[k] * 7, (uint64_t)i);
                own(a, in, 7, lengths[k]);
                tier->row_reduce[id][elem](b, in, 7, lengths[k]);
                bool floats = elem >= ELEM_F32; // NaNs have any bits
                cr_assert(floats || memcmp(a, b, 64) == 0);
                for (int r = 0; floats && r < 7; r++) {
                    double x = elem == ELEM_F32 ? (double)((float *)a)[r]
                                                : ((double *)a)[r];
                    double y = elem == ELEM_F32 ? (double)((float *)b)[r]
                                                : ((double *)b)[r];
                    cr_assert((x != x && y != y) || x == y);
                }
                down(a, in, lengths[k], 7);
                tier->column_reduce[id][elem](b, in, lengths[k], 7);
                cr_assert(floats || memcmp(a, b, 64) == 0);
            }
        }
    }
}
