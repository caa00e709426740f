// Characters as patterns see them: classes, case, and how they lie in a text.
#ifndef DUET_REGEX_RX_CHAR_H
#define DUET_REGEX_RX_CHAR_H

#include "regex/regex.h"

// \d \s \w; the bits of RxSet.classes.
typedef enum RxClass {
    RX_CLASS_DIGIT = 1,
    RX_CLASS_SPACE = 2,
    RX_CLASS_WORD = 4,
    RX_CLASS_NOT_DIGIT = 8, // and so on: the positive one times 8
    RX_CLASS_NOT_SPACE = 16,
    RX_CLASS_NOT_WORD = 32
} RxClass;

// How case is disregarded.
typedef enum RxFold { RX_FOLD_NONE, RX_FOLD_ASCII, RX_FOLD_UNICODE } RxFold;

// \d, \s, \w; without `unicode` for ASCII alone.
bool rx_char_is(uint32_t c, RxClass class, bool unicode);
// The lower case by which a character is compared.
uint32_t rx_char_lower(uint32_t c, RxFold fold);
// Other lower-case characters with the upper case of `lower`: how many (at
// most 2), written to `out`.
int rx_char_alike(uint32_t lower, uint32_t out[2]);

// Decodes valid UTF-8 of two bytes or more at `p`; the bytes it takes.
static inline size_t rx_char_wide(const char *p, uint32_t *c)
{
    const unsigned char *b = (const unsigned char *)p;
    if (b[0] < 0xE0) {
        *c = (b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu);
        return 2;
    }
    if (b[0] < 0xF0) {
        *c = (b[0] & 0x0Fu) << 12 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
        return 3;
    }
    *c = (b[0] & 0x07u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 |
         (b[3] & 0x3Fu);
    return 4;
}
// The character at `p`, one byte or several; the bytes it takes.
static inline size_t rx_char_at(const char *p, bool narrow, uint32_t *c)
{
    *c = (unsigned char)*p;
    return narrow || *c < 0x80 ? 1 : rx_char_wide(p, c);
}
// The beginning of the character before `p`, which is not the text's first.
static inline const char *rx_char_before(const char *p, bool narrow)
{
    p--;
    while (!narrow && ((unsigned char)*p & 0xC0) == 0x80) {
        p--;
    }
    return p;
}

#endif
