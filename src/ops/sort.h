// What sort, argsort and topk share: rows, their keys, and what becomes of
// them.
#ifndef DUET_OPS_SORT_H
#define DUET_OPS_SORT_H

#include <string.h>

#include "kernels/tier.h"
#include "ops/op.h"
#include "ops/tensor.h"

// What a sort gives: the sorted row, the places, or both; at most `kept`.
typedef struct SortResult {
    Tensor *values, *places; // NULL: not wanted
    int64_t kept;
} SortResult;

// One strided row.
typedef struct SortRow {
    const Tensor *in;
    int64_t start, step, n;
    int64_t to; // where the result's row begins
    bool down;
} SortRow;

// All rows along an axis.
typedef struct SortRows {
    const Tensor *in;
    int64_t n, inner; // elements of a row; rows that lie within each other
    int64_t count, kept;
    bool down;
} SortRows;

static inline SortRow sort_row_at(const SortRows *rows, int64_t i)
{
    // Row i starts at place `within` of a block of n * inner elements.
    int64_t block = i / rows->inner, within = i % rows->inner;
    return (SortRow){
        rows->in, block * rows->n * rows->inner + within,    rows->inner,
        rows->n,  block * rows->kept * rows->inner + within, rows->down};
}

static inline bool sort_has_long_keys(const Tensor *in)
{
    return in->dtype == DT_INT64 || in->dtype == DT_FLOAT64;
}
// Keys have the order of the sort. Zeros are equal, whatever their sign.
uint64_t sort_long_key(const SortRow *row, int64_t i);
uint32_t sort_short_key(const SortRow *row, int64_t i);

// Between two looks for Ctrl-C so many elements of a row are moved, each of
// which may have to come from memory.
enum { SORT_RANGE = 1 << 18 };

// A key above its place in the row.
static inline uint64_t sort_word(uint64_t key, int64_t place)
{
    return key << 32 | (uint64_t)place;
}
// A row's words, `step` apart, as vectors compare them, which is signed; of a
// dtype whose keys are short. `keys` is room for those. False: interrupted.
MUST_CHECK bool sort_fill_words(Ctx *ctx, const SortRow *row, int64_t *words,
                                int64_t step, int32_t *keys);
// What the words name, in their order: a row of the result. False: interrupted.
MUST_CHECK bool sort_put_row(Ctx *ctx, const SortResult *to, const SortRow *row,
                             const uint64_t *words);

// Whether rows are sorted by their keys alone, one after another, and that.
bool sort_fits_keys(const Tier *tier, const SortRows *rows,
                    const SortResult *to);
MUST_CHECK bool sort_keys(Ctx *ctx, const SortRows *rows, Tensor *to);
// Whether many rows are sorted side by side, and that.
bool sort_fits_beside(const SortRows *rows, const SortResult *to);
MUST_CHECK bool sort_beside(Ctx *ctx, const SortRows *rows,
                            const SortResult *to);

#endif
