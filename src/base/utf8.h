// UTF-8 by code points. Texts inside Duet are valid UTF-8; lone surrogates
// are kept in their three-byte form (as Python's surrogates are).
#ifndef DUET_BASE_UTF8_H
#define DUET_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_MAX_BYTES = 4, UTF8_REPLACEMENT = 0xFFFD };

// Decodes one code point at `text` (length > 0) into *codepoint; the bytes it
// takes, 0 if invalid.
size_t utf8_decode(const char *text, size_t length, uint32_t *codepoint);
// Writes 1 to 4 bytes; the number written.
size_t utf8_encode(uint32_t codepoint, char *out);
// Code points in valid text.
size_t utf8_count(const char *text, size_t length);
// Byte offset of code point `index` in valid text (length if beyond).
size_t utf8_offset(const char *text, size_t length, size_t index);
// True if valid; else *bad is the offset of the first invalid byte. With
// `surrogates`, encoded surrogates count as valid.
bool utf8_validate(const char *text, size_t length, bool surrogates,
                   size_t *bad);
// True if all bytes are below 0x80.
bool utf8_is_ascii(const char *text, size_t length);
// Columns on a terminal: 0 combining, 2 wide, else 1.
int utf8_width(uint32_t codepoint);
// Unicode classes as Python uses them (libutf8proc).
bool utf8_is_identifier_start(uint32_t codepoint);
bool utf8_is_identifier_part(uint32_t codepoint);
bool utf8_is_printable(uint32_t codepoint);

#endif
