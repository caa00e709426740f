// Every tier gives the same bits: reductions on random data, special values and
// odd lengths included. (What is done element by element: ops/test_bodies.c.)
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kernels/tier.h"

static const size_t elem_sizes[ELEM_COUNT] = {1, 1, 1, 2, 4, 8, 4, 8, 2, 2};

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
                down(a, in, lengths[k], 7, 7);
                tier->column_reduce[id][elem](b, in, lengths[k], 7, 7);
                cr_assert(floats || memcmp(a, b, 64) == 0);
            }
        }
    }
}

// Whether two results are the same bits; NaNs have any.
static bool same_result(Elem elem, size_t size, const char *a, const char *b)
{
    float x, y;
    double wide_x, wide_y;
    if (elem == ELEM_F32) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return (x != x && y != y) || memcmp(a, b, size) == 0;
    }
    if (elem == ELEM_F64) {
        memcpy(&wide_x, a, sizeof wide_x);
        memcpy(&wide_y, b, sizeof wide_y);
        return (wide_x != wide_x && wide_y != wide_y) ||
               memcmp(a, b, size) == 0;
    }
    return memcmp(a, b, size) == 0;
}

// Rows of few elements are reduced many at once.
Test(tiers, rows_beside_others_are_as_alone)
{
    enum { ROWS = 35, LONGEST = 40 };
    static _Alignas(64) char in[ROWS * LONGEST * 8];
    const Tier *tiers[] = {&tier_portable, other_tier(0), other_tier(1)};
    for (int i = 0; i < 3 * REDUCE_COUNT * ELEM_COUNT; i++) {
        const Tier *tier = tiers[i / (REDUCE_COUNT * ELEM_COUNT)];
        int id = i / ELEM_COUNT % REDUCE_COUNT, elem = i % ELEM_COUNT;
        bool adds = id == REDUCE_SUM || id == REDUCE_PROD;
        size_t size = elem_sizes[elem];
        size_t wide = adds && size < 4 ? 4 : size;
        RowReduceFn reduce = tier == NULL ? NULL : tier->row_reduce[id][elem];
        fill(in, (Elem)elem, ROWS * LONGEST, (uint64_t)i);
        for (int n = 1; reduce != NULL && n <= LONGEST; n++) {
            char beside[ROWS * 8], alone[8];
            reduce(beside, in, ROWS, n);
            for (size_t r = 0; r < ROWS; r++) {
                reduce(alone, in + r * (size_t)n * size, 1, n);
                cr_assert(
                    same_result((Elem)elem, wide, beside + r * wide, alone),
                    "tier %d, reduction %d, type %d: row %zu of %d",
                    i / (REDUCE_COUNT * ELEM_COUNT), id, elem, r, n);
            }
        }
    }
}

// A long row cut into parts, as threads cut it, is the row.
Test(tiers, folded_parts_are_the_row)
{
    static const int64_t lengths[] = {1, REDUCE_PART, REDUCE_PART + 1,
                                      3 * REDUCE_PART, 6 * REDUCE_PART + 5001};
    const Tier *tier = tier_choose();
    int64_t most = lengths[4];
    float *in = malloc((size_t)most * sizeof(*in));
    for (int64_t i = 0; i < most; i++) {
        in[i] = sqrtf((float)(i * 7919 % 1013)) - 15;
    }
    for (int i = 0; i < 5; i++) {
        float parts[8], whole, folded;
        int64_t count = 0;
        for (int64_t at = 0; at < lengths[i]; at += REDUCE_PART) {
            int64_t left = lengths[i] - at;
            tier->row_reduce[REDUCE_SUM][ELEM_F32](
                parts + count++, in + at, 1,
                left < REDUCE_PART ? left : REDUCE_PART);
        }
        tier->row_reduce[REDUCE_SUM][ELEM_F32](&whole, in, 1, lengths[i]);
        tier->fold[REDUCE_SUM][ELEM_F32](&folded, parts, count);
        cr_assert(memcmp(&whole, &folded, sizeof(whole)) == 0, "%d", i);
    }
    free(in);
}
