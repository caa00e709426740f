// Classes and case of characters, by libutf8proc. See rx_char.h.
#include "regex/rx_char.h"

#include <utf8proc.h>

static bool is_decimal(uint32_t c)
{
    return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_ND;
}

// White space as str.isspace has it: the separators FS, GS, RS and US too.
// Beyond ASCII only: is_class has the others.
static bool is_space(uint32_t c)
{
    switch (c) {
    case 0x85:
    case 0x2028:
    case 0x2029: return true;
    default:
        return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_ZS;
    }
}

// Letters and numbers of every kind: what str.isalnum accepts.
static bool is_word(uint32_t c)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return true;
    default: return false;
    }
}

// The positive classes. The four separators count as space in Unicode only.
// Without `unicode` no character beyond ASCII is in any class.
static bool is_class(uint32_t c, RxClass class, bool unicode)
{
    switch (class) {
    case RX_CLASS_DIGIT:
        return c < 0x80 || !unicode ? c >= '0' && c <= '9' : is_decimal(c);
    case RX_CLASS_SPACE:
        if (c < 0x80) {
            return c == ' ' || (c >= '\t' && c <= '\r') ||
                   (unicode && c >= 0x1C && c <= 0x1F);
        }
        return unicode && is_space(c);
    default:
        if (c < 0x80) {
            return c == '_' || (c >= '0' && c <= '9') ||
                   ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        }
        return unicode && is_word(c);
    }
}

// The negative classes are all that the positive ones are not.
// Each negative class is the positive one's bit moved up by three, hence the
// division.
bool rx_char_is(uint32_t c, RxClass class, bool unicode)
{
    return class >= RX_CLASS_NOT_DIGIT
               ? !is_class(c, (RxClass)(class / RX_CLASS_NOT_DIGIT), unicode)
               : is_class(c, class, unicode);
}

// The simple mapping, one character to one.
// Full mappings (of ß, say) give several characters, which a match of one by
// one cannot use.
uint32_t rx_char_lower(uint32_t c, RxFold fold)
{
    if (c < 0x80 || fold == RX_FOLD_ASCII) {
        return fold != RX_FOLD_NONE && c >= 'A' && c <= 'Z' ? c + 32 : c;
    }
    return fold == RX_FOLD_NONE
               ? c
               : (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
}

// Few rows, and asked for while a pattern is compiled only: no search tree.
// How many were put into `out`. A row holds characters with one lower or upper
// case in common; a 0 fills a row of two.
int rx_char_alike(uint32_t lower, uint32_t out[2])
{
    static const uint32_t rows[][3] = {
#define FOLD(a, b, c) {a, b, c},
#include "regex/fold_list.h"
#undef FOLD
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t *row = rows[i];
        if (row[0] != lower && row[1] != lower &&
            (row[2] != lower || lower == 0)) {
            continue;
        }
        int count = 0;
        for (int k = 0; k < 3; k++) {
            if (row[k] != 0 && row[k] != lower) {
                out[count++] = row[k];
            }
        }
        return count;
    }
    return 0;
}
