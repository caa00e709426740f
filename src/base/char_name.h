// Names of characters as Unicode 14 has them, and those properties that
// libutf8proc lacks. Everything is looked up in constant tables.
#ifndef DUET_BASE_CHAR_NAME_H
#define DUET_BASE_CHAR_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHAR_NAME_SIZE = 128,   // room for any name and its NUL
    CHAR_SEQUENCE_SIZE = 32 // room for any named sequence
};

// Writes the name, NUL-terminated. False: the character has none.
bool char_name(uint32_t codepoint, char out[CHAR_NAME_SIZE]);
// The characters of this name or alias, in any case; with `sequences`, of a
// named sequence too. Returns how many were written, 0 if nothing is called so.
size_t char_by_name(const char *name, size_t length, bool sequences,
                    uint32_t out[CHAR_SEQUENCE_SIZE]);
// East_Asian_Width by its short name: "W", "Na" and the like.
const char *char_east_asian_width(uint32_t codepoint);
// Numeric_Value, of fractions and ideographs too. False: it is no number.
bool char_number(uint32_t codepoint, double *value);
// What it decomposes into, as Unicode's own file writes it ("<compat> 0020
// 0308"), not NUL-terminated. NULL: nothing, or a Hangul syllable.
const char *char_decomposition(uint32_t codepoint, size_t *length);

#endif
