// Sorting by ranks: unsigned 64-bit numbers in the order of the keys.
//
// Where keys have such numbers they are sorted by their bytes, in linear time
// and without a comparison. Stable: equal ranks keep their order.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_SORT_RANK_H
#define DUET_INTERP_OBJECTS_CONTAINERS_SORT_RANK_H

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/text/obj_str.h"

// Below this count sorting by comparisons is faster.
enum { SORT_RANK_LEAST = 64 };

// Keys travel with their values, so that each key is computed once and equal
// ones keep their values' order.
typedef struct SortItem {
    Value key, value; // owned by the sort
} SortItem;

typedef struct RankedItem {
    uint64_t rank;
    SortItem item;
} RankedItem;

// Both give false after an interrupt, with the elements all there in some
// order; `spare` has room for as many. count < 2^32.
MUST_CHECK bool sort_numbers(Ctx *ctx, uint64_t *numbers, uint64_t *spare,
                             size_t count);
// Stable; `spare` has room for as many. False: Ctrl-C.
MUST_CHECK bool sort_ranked(Ctx *ctx, RankedItem *items, RankedItem *spare,
                            size_t count);

// The sign bit turned, negative numbers stand below the others.
static inline uint64_t rank_of_int(Value v)
{
    return (uint64_t)value_rank(v) ^ (uint64_t)1 << 63;
}

// The bits of doubles order as the numbers do, if those of negative ones are
// turned round. Both zeros have one rank. Not for NaN.
static inline uint64_t rank_of_double(double d)
{
    uint64_t bits;
    d = d == 0 ? 0 : d;
    memcpy(&bits, &d, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

// The inverse, but for -0.0.
static inline double double_of_rank(uint64_t rank)
{
    double d;
    uint64_t bits = rank >> 63 ? rank ^ (uint64_t)1 << 63 : ~rank;
    memcpy(&d, &bits, sizeof d);
    return d;
}

// The first eight bytes: texts of different ranks are in the ranks' order.
// Every Str has room for them; what is behind its end counts as 0.
static inline uint64_t rank_of_str(const Str *str)
{
    uint64_t word;
    memcpy(&word, str->text, sizeof word);
    word = __builtin_bswap64(word); // the first byte is the highest
    if (str->length >= sizeof word) {
        return word;
    }
    return str->length == 0
               ? 0
               : word >> (8 - str->length) * 8 << (8 - str->length) * 8;
}

#endif
