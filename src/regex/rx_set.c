// Sets of characters. See rx_set.h.
#include "regex/rx_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

// Ranges above this are taken as they stand, even without regard to case: the
// cased characters up there are few, and walking a million of them is slow.
enum { FOLD_LIMIT = 0xFFFF };

// Overlaps are joined afterwards, so the lower end alone decides.
// For qsort; as a difference of unsigned numbers it could wrap.
static int compare_items(const void *a, const void *b)
{
    const RxItem *left = a, *right = b;
    return (left->low > right->low) - (left->low < right->low);
}

// Sorts and joins what touches, so that a search can halve.
// Ranges that only touch become one, too.
static void join_ranges(RxItems *ranges)
{
    if (ranges->count == 0) {
        return;
    }
    // Items come as they are written, and folding scatters them.
    qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_items);
    size_t last = 0;
    for (size_t i = 1; i < ranges->count; i++) {
        RxItem *end = &ranges->items[last];
        if (ranges->items[i].low <= end->high + 1) {
            end->high = ranges->items[i].high > end->high
                            ? ranges->items[i].high
                            : end->high;
        } else {
            ranges->items[++last] = ranges->items[i];
        }
    }
    ranges->count = last + 1;
}

// Not in order yet: join_ranges puts them so.
// False: no memory.
static bool add_range(Ctx *ctx, RxItems *ranges, uint32_t low, uint32_t high)
{
    // Neighbours come one after the other when a range is folded.
    if (ranges->count > 0 && vec_last(ranges).high + 1 == low) {
        vec_last(ranges).high = high;
        return true;
    }
    return vec_push(ctx, ranges, ((RxItem){.low = low, .high = high}));
}

// The lower cases of all characters in a range, and what is like them.
// The text's characters are put into lower case before they are looked up, so
// only lower cases need be in the set.
static bool add_folded(Ctx *ctx, RxItems *ranges, const RxItem *item,
                       RxFold fold)
{
    // One character after the other: the lower cases of a range are no range.
    uint32_t low = item->low;
    for (; low <= item->high && low <= FOLD_LIMIT; low++) {
        uint32_t lower = rx_char_lower(low, fold), alike[2];
        if (!add_range(ctx, ranges, lower, lower)) {
            return false;
        }
        int count = fold == RX_FOLD_UNICODE ? rx_char_alike(lower, alike) : 0;
        for (int i = 0; i < count; i++) {
            if (!add_range(ctx, ranges, alike[i], alike[i])) {
                return false;
            }
        }
    }
    if (low > item->high) {
        return true;
    }
    // The single characters of a small range above still have a lower case.
    if (item->high - low < 256) {
        for (uint32_t c = low; c <= item->high; c++) {
            uint32_t lower = rx_char_lower(c, fold);
            if (!add_range(ctx, ranges, lower, lower)) {
                return false;
            }
        }
    }
    return add_range(ctx, ranges, low, item->high);
}

// By halving; most sets have no more than a handful of ranges.
// Sorted and disjoint, by join_ranges.
static bool in_ranges(const RxSet *set, uint32_t c)
{
    size_t low = 0, high = set->range_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c > set->ranges[middle].high) {
            low = middle + 1;
        } else if (c < set->ranges[middle].low) {
            high = middle;
        } else {
            return true;
        }
    }
    return false;
}

// Classes are asked last: they cost a look into Unicode's tables.
// Each bit of `classes` is one class; the highest one ends the loop.
bool rx_set_has_wide(const RxSet *set, uint32_t c)
{
    // The ranges hold lower case in this case.
    c = rx_char_lower(c, (RxFold)set->fold);
    bool found = in_ranges(set, c);
    for (uint32_t class = 1; !found && class <= set->classes; class <<= 1) {
        found = (set->classes & class) != 0 &&
                rx_char_is(c, (RxClass) class, set->unicode);
    }
    return found != set->negated;
}

// A text's bits from 0x80 on: which bytes can lead a member. Exact knowledge
// pays for plain ranges only.
// A bit that is set only says "may be": the matcher then decodes and asks.
static void set_lead_bits(RxSet *set)
{
    bool any = set->negated || set->fold != RX_FOLD_NONE ||
               (set->classes & 7u * RX_CLASS_NOT_DIGIT) != 0 ||
               (set->classes != 0 && set->unicode);
    if (any) {
        set->bits[2] = set->bits[3] = UINT64_MAX;
        return;
    }
    for (size_t i = 0; i < set->range_count; i++) {
        char low[UTF8_MAX_BYTES], high[UTF8_MAX_BYTES];
        uint32_t from = set->ranges[i].low < 0x80 ? 0x80 : set->ranges[i].low;
        if (set->ranges[i].high < 0x80) {
            continue;
        }
        (void)utf8_encode(from, low);
        (void)utf8_encode(set->ranges[i].high, high);
        for (unsigned b = (unsigned char)low[0]; b <= (unsigned char)high[0];
             b++) {
            rx_set_add_bit(set->bits, (unsigned char)b);
        }
    }
}

// Folding can reach outside of ASCII from inside (K and the Kelvin sign), so
// the bits are asked one by one rather than derived.
// False: no memory. The set is to be freed in any case. For bytes all 256 bits
// are exact, for text those below 0x80.
bool rx_set_make(Ctx *ctx, RxSet *set, const RxItem *items, size_t count,
                 bool negated, RxSetMode mode)
{
    *set = (RxSet){.fold = (uint8_t)mode.fold,
                   .unicode = mode.unicode,
                   .negated = negated,
                   .is_text = mode.is_text};
    // Classes are kept as such: \w alone has 700 ranges.
    RxItems ranges = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        if (items[i].class != 0) {
            set->classes |= items[i].class;
        } else if (mode.fold == RX_FOLD_NONE) {
            ok = add_range(ctx, &ranges, items[i].low, items[i].high);
        } else {
            ok = add_folded(ctx, &ranges, &items[i], mode.fold);
        }
    }
    join_ranges(&ranges);
    // The ranges keep their capacity as size: shrink to what is used.
    if (ok && ranges.count > 0) {
        set->ranges = ctx_alloc(ctx, ranges.count * sizeof *set->ranges);
        ok = set->ranges != NULL;
        if (ok) {
            memcpy(set->ranges, ranges.items,
                   ranges.count * sizeof *set->ranges);
            set->range_count = ranges.count;
        }
    }
    vec_free(ctx, &ranges);
    // Asked once here, so that matching ASCII costs one bit.
    for (unsigned c = 0; ok && c < (mode.is_text ? 0x80u : 0x100u); c++) {
        if (rx_set_has_wide(set, c)) {
            rx_set_add_bit(set->bits, (unsigned char)c);
        }
    }
    if (ok && mode.is_text) {
        set_lead_bits(set);
    }
    return ok;
}

// A set that was never filled has no ranges.
void rx_set_free(Ctx *ctx, RxSet *set)
{
    ctx_free(ctx, set->ranges, set->range_count * sizeof *set->ranges);
}
