// Texts that are stored in less room: those of the library (tools/embed.c packs
// them when the program is built, in the form that stands here).
//
// A packed text is a row of pieces. A first byte t below PACK_MATCH: t + 1
// bytes follow as they are. Else t - PACK_MATCH + PACK_LEAST bytes stand again
// that stood so far back as the next two bytes say, the low one first; a match
// may reach into what it makes.
#ifndef DUET_BASE_PACK_H
#define DUET_BASE_PACK_H

#include <stddef.h>

enum {
    PACK_MATCH = 128,               // and above: a match
    PACK_LEAST = 4,                 // bytes of the shortest one
    PACK_MOST = 127 + PACK_LEAST,   // bytes of the longest one
    PACK_PLAIN_MOST = PACK_MATCH,   // bytes that stand as they are
    PACK_BACK_MOST = (1 << 16) - 1, // how far back a match may stand
};

// Writes the `length` bytes that `packed` stands for. It is trusted: no program
// can bring its own.
void pack_expand(const unsigned char *packed, char *out, size_t length);

#endif
