// Sets of characters: what `[a-z\d]`, `\w` and a letter without regard to case
// come to.
//
// Invariant: `bits` answers for every byte of a bytes pattern and for ASCII in
// a text; there, the bits from 0x80 on say which bytes can lead a member, so
// that they may be set too often but never too rarely.
#ifndef DUET_REGEX_RX_SET_H
#define DUET_REGEX_RX_SET_H

#include "base/vec.h"
#include "regex/rx_char.h"

// One piece of a set as it is written.
typedef struct RxItem {
    uint32_t low, high; // the characters from low to high …
    RxClass class;      // … or, if not 0, this class
} RxItem;

typedef VEC(RxItem) RxItems;

typedef struct RxSet {
    uint64_t bits[4];
    RxItem *ranges; // ascending and apart; of lower case if `fold` says so
    size_t range_count;
    uint32_t classes; // bits of RxClass
    uint8_t fold;     // RxFold: members are compared by their lower case
    bool unicode;     // the classes are Unicode's
    bool negated;
    bool is_text;
} RxSet;

// How the flags of a pattern at this place make sets.
typedef struct RxSetMode {
    RxFold fold;
    bool unicode, is_text;
} RxSetMode;

// The set of items (not changed). The ranges are allocated: rx_set_free.
MUST_CHECK bool rx_set_make(Ctx *ctx, RxSet *set, const RxItem *items,
                            size_t count, bool negated, RxSetMode mode);
void rx_set_free(Ctx *ctx, RxSet *set);
// Any character, by the long way.
bool rx_set_has_wide(const RxSet *set, uint32_t c);

// One bit for each byte: sets of narrow texts are four words.
static inline bool rx_set_bit(const uint64_t *bits, unsigned char byte)
{
    return (bits[byte >> 6] >> (byte & 63) & 1) != 0;
}
// The words are the caller's.
static inline void rx_set_add_bit(uint64_t *bits, unsigned char byte)
{
    bits[byte >> 6] |= (uint64_t)1 << (byte & 63);
}

#endif
