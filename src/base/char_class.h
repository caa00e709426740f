// Classes of characters that general categories alone do not give.
#ifndef DUET_BASE_CHAR_CLASS_H
#define DUET_BASE_CHAR_CLASS_H

#include <stdbool.h>
#include <stdint.h>

// In the order of the rows in char_list.h, which explains them.
typedef enum CharClass {
    CHAR_NEWER,
    CHAR_UPPER,
    CHAR_LOWER,
    CHAR_DIGIT,
    CHAR_NUMERAL,
    CHAR_NO_NAME_START,
    CHAR_NO_NAME_PART,
    CHAR_IGNORABLE
} CharClass;

// Whether a row of this class holds the code point.
bool char_is(CharClass kind, uint32_t codepoint);
// libutf8proc's general category (a utf8proc_category_t), but that of an
// unassigned character for what is newer than Unicode 14.
int char_category(uint32_t codepoint);
// Str.isupper, str.islower of the one character.
bool char_is_upper(uint32_t codepoint);
bool char_is_lower(uint32_t codepoint);
// Upper, lower or title case.
bool char_is_cased(uint32_t codepoint);
// What the final sigma's rule looks through.
bool char_is_ignorable(uint32_t codepoint);
// The value of a decimal digit of any script, or -1.
int char_decimal(uint32_t codepoint);

#endif
