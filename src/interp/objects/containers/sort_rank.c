// Sorting by the bytes of 64-bit ranks, the lowest byte first.
//
// Each pass spreads the elements over 256 places by one byte and keeps their
// order within each, so that after the last pass all bytes are in order. Bytes
// that are the same in all ranks, most of them as a rule, take no pass.
// Ctrl-C ends a pass between two pieces of it; what then stands in both arrays
// is of no use, and callers go on with what they had before.
#include "interp/objects/containers/sort_rank.h"

#include "base/bulk.h"

enum { RANK_BYTES = 8, BYTE_VALUES = 256 };

// How often each value of each byte occurs.
typedef struct Histogram {
    uint32_t counts[RANK_BYTES][BYTE_VALUES];
} Histogram;

// All passes of the radix sort are counted in one walk.
static inline void count_rank(Histogram *histogram, uint64_t rank)
{
    for (int byte = 0; byte < RANK_BYTES; byte++) {
        histogram->counts[byte][rank >> byte * 8 & 255]++;
    }
}

// Counts become the first places. False: one value has them all.
static bool prepare_pass(uint32_t *counts, uint64_t rank, int byte,
                         size_t count)
{
    if (counts[rank >> byte * 8 & 255] == count) {
        return false;
    }
    uint32_t place = 0;
    for (int value = 0; value < BYTE_VALUES; value++) {
        uint32_t here = counts[value];
        counts[value] = place;
        place += here;
    }
    return true;
}

// The two sorts differ in what is moved. RANK names an element's rank.
#define DEFINE_SORT(name, Element, RANK)                                       \
    bool name(Ctx *ctx, Element *items, Element *spare, size_t count)          \
    {                                                                          \
        Histogram histogram;                                                   \
        memset(&histogram, 0, sizeof histogram);                               \
        Element *from = items, *to = spare;                                    \
        bool ok = true;                                                        \
        for (size_t i = 0; i < count && ok; i++) {                             \
            count_rank(&histogram, RANK(from[i]));                             \
            ok = ctx_poll_at(ctx, i + 1);                                      \
        }                                                                      \
        for (int byte = 0; ok && byte < RANK_BYTES; byte++) {                  \
            uint32_t *places = histogram.counts[byte];                         \
            if (!prepare_pass(places, RANK(from[0]), byte, count)) {           \
                continue;                                                      \
            }                                                                  \
            for (size_t i = 0; i < count && ok; i++) {                         \
                to[places[RANK(from[i]) >> byte * 8 & 255]++] = from[i];       \
                ok = ctx_poll_at(ctx, i + 1);                                  \
            }                                                                  \
            Element *swap = from;                                              \
            from = to;                                                         \
            to = swap;                                                         \
        }                                                                      \
        return ok && (from == items ||                                         \
                      bulk_copy(ctx, items, from, count * sizeof *items));     \
    }
#define NUMBER(element) (element)
#define ITEM(element) ((element).rank)
DEFINE_SORT(sort_numbers, uint64_t, NUMBER)
DEFINE_SORT(sort_ranked, RankedItem, ITEM)
