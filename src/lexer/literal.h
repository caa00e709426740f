// The values of literals: escapes in strings, digits of numbers.
#ifndef DUET_LEXER_LITERAL_H
#define DUET_LEXER_LITERAL_H

#include "base/strbuf.h"

// The parts of a string token.
typedef struct StringParts {
    bool raw, bytes, format; // what its prefix says
    uint32_t body;           // offset of the first byte behind the quotes
    uint32_t body_length;
} StringParts;

StringParts literal_string_parts(const char *text, size_t length);

// Appends the text with its escapes replaced. On a bad escape returns false
// with words in `fault` and nothing pending; also false with ERR_MEMORY
// pending.
bool literal_decode(StrBuf *out, const char *text, size_t length, bool bytes,
                    char fault[120]);
// Digits without underscores, NUL-terminated, into `out` (length + 1 bytes).
// Returns their number.
size_t literal_digits(const char *text, size_t length, char *out);
// True if the number is no int: it has a point or an exponent.
bool literal_is_float(const char *text, size_t length);
// Correctly rounded, in any locale.
double literal_float(const char *digits);

#endif
