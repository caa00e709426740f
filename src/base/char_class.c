// Classes of characters: general categories by libutf8proc, corrected by one
// table (char_list.h).
//
// Invariant: the rows are sorted by class, then by code point, so that one
// binary search serves all classes.
#include "base/char_class.h"

#include <stddef.h>
#include <utf8proc.h>

// A row of the table; the class takes the bits above the code point.
typedef struct CharRange {
    uint32_t first, last;
} CharRange;

enum { CLASS_SHIFT = 24 };

static const CharRange ranges[] = {
#define CHAR_RANGE(kind, first, last)                                          \
    {(uint32_t)CHAR_##kind << CLASS_SHIFT | (first),                           \
     (uint32_t)CHAR_##kind << CLASS_SHIFT | (last)},
#include "base/char_list.h"
#undef CHAR_RANGE
};

// The ranges of all classes stand in one table, ordered by class and then by
// code point; a binary search finds the one that may hold it.
bool char_is(CharClass kind, uint32_t codepoint)
{
    uint32_t key = (uint32_t)kind << CLASS_SHIFT | codepoint;
    size_t low = 0, high = sizeof ranges / sizeof *ranges;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (key > ranges[middle].last) {
            low = middle + 1;
        } else if (key < ranges[middle].first) {
            high = middle;
        } else {
            return true;
        }
    }
    return false;
}

// ASCII, Latin and Greek are older than the rows for what is newer.
int char_category(uint32_t codepoint)
{
    return codepoint >= 0xCF3 && char_is(CHAR_NEWER, codepoint)
               ? UTF8PROC_CATEGORY_CN
               : (int)utf8proc_category((utf8proc_int32_t)codepoint);
}

// The derived property Uppercase: the letters Lu and some marks and numerals of
// other categories.
bool char_is_upper(uint32_t codepoint)
{
    return char_category(codepoint) == UTF8PROC_CATEGORY_LU ||
           char_is(CHAR_UPPER, codepoint);
}

// As char_is_upper, for Lowercase.
bool char_is_lower(uint32_t codepoint)
{
    return char_category(codepoint) == UTF8PROC_CATEGORY_LL ||
           char_is(CHAR_LOWER, codepoint);
}

// ASCII goes by itself: most text that is asked about is ASCII.
bool char_is_cased(uint32_t codepoint)
{
    if (codepoint < 128) {
        return (codepoint | 32) - 'a' < 26;
    }
    return char_is_lower(codepoint) || char_is_upper(codepoint) ||
           char_category(codepoint) == UTF8PROC_CATEGORY_LT;
}

// Unicode's Case_Ignorable: marks, modifiers, format characters, and the
// punctuation of the table.
bool char_is_ignorable(uint32_t codepoint)
{
    switch (char_category(codepoint)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return true;
    default: return char_is(CHAR_IGNORABLE, codepoint);
    }
}

// Decimal digits stand in runs of ten, or of several times ten.
int char_decimal(uint32_t codepoint)
{
    if (codepoint < 128) {
        return codepoint - '0' < 10 ? (int)(codepoint - '0') : -1;
    }
    if (char_category(codepoint) != UTF8PROC_CATEGORY_ND) {
        return -1;
    }
    uint32_t first = codepoint;
    while (char_category(first - 1) == UTF8PROC_CATEGORY_ND) {
        first--;
    }
    return (int)((codepoint - first) % 10);
}
