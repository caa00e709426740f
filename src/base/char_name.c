// Names of characters: tables for most of them, rules for Hangul syllables and
// unified ideographs, whose names are made of their parts and numbers.
//
// Invariant: names are compared in upper case; the tables hold no other.
#include "base/char_name.h"

#include <stdio.h>
#include <string.h>

#include "base/char_name_table.h"

// Hangul syllables: 19 leads, 21 vowels, 28 tails (the first is none), in this
// order from U+AC00 on (Unicode, section 3.12).
enum { HANGUL_FIRST = 0xAC00, LEADS = 19, VOWELS = 21, TAILS = 28 };
static const char hangul_words[] = "HANGUL SYLLABLE ";
static const char leads[LEADS][3] = {"G", "GG", "N", "D",  "DD", "R", "M",
                                     "B", "BB", "S", "SS", "",   "J", "JJ",
                                     "C", "K",  "T", "P",  "H"};
static const char vowels[VOWELS][4] = {
    "A",  "AE", "YA", "YAE", "EO", "E",  "YEO", "YE", "O",  "WA", "WAE",
    "OE", "YO", "U",  "WEO", "WE", "WI", "YU",  "EU", "YI", "I"};
static const char tails[TAILS][3] = {"",   "G",  "GG", "GS", "N",  "NJ", "NH",
                                     "D",  "L",  "LG", "LM", "LB", "LS", "LT",
                                     "LP", "LH", "M",  "B",  "BS", "S",  "SS",
                                     "NG", "J",  "C",  "K",  "T",  "P",  "H"};

// Unified ideographs of Unicode 14, whose names are numbers.
static const char ideograph_words[] = "CJK UNIFIED IDEOGRAPH-";
static const struct {
    uint32_t first, last;
} ideographs[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0x20000, 0x2A6DF},
                  {0x2A700, 0x2B738}, {0x2B740, 0x2B81D}, {0x2B820, 0x2CEA1},
                  {0x2CEB0, 0x2EBE0}, {0x30000, 0x3134A}};

// Eight ranges: a look at each costs less than a search.
static bool is_ideograph(uint32_t codepoint)
{
    for (size_t i = 0; i < sizeof ideographs / sizeof *ideographs; i++) {
        if (codepoint >= ideographs[i].first &&
            codepoint <= ideographs[i].last) {
            return true;
        }
    }
    return false;
}

// True and the name, if one of the two rules covers the character.
static bool name_by_rule(uint32_t codepoint, char out[CHAR_NAME_SIZE])
{
    // Below the first syllable this wraps round to a large number.
    uint32_t at = codepoint - HANGUL_FIRST;
    if (at < LEADS * VOWELS * TAILS) {
        snprintf(out, CHAR_NAME_SIZE, "%s%s%s%s", hangul_words,
                 leads[at / (VOWELS * TAILS)], vowels[at / TAILS % VOWELS],
                 tails[at % TAILS]);
        return true;
    }
    if (!is_ideograph(codepoint)) {
        return false;
    }
    snprintf(out, CHAR_NAME_SIZE, "%s%X", ideograph_words, codepoint);
    return true;
}

// The last of `count` rows of `width` bytes, sorted by the code point at
// `place` in each, that is not behind the code point; NULL: all are.
static const void *last_row(const void *rows, size_t count, size_t width,
                            size_t place, uint32_t codepoint)
{
    // The first row behind the code point; the one wanted is in front of it.
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        uint32_t found;
        memcpy(&found, (const char *)rows + middle * width + place,
               sizeof found);
        if (found <= codepoint) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? NULL : (const char *)rows + (low - 1) * width;
}

// Texts of the tables end at line ends.
static size_t text_length(const unsigned char *text)
{
    size_t length = 0;
    while (text[length] != '\n') {
        length++;
    }
    return length;
}

// Aliases and sequences stand behind the plain names in the same table, which
// is why only the first `char_name_plain` rows are searched.
bool char_name(uint32_t codepoint, char out[CHAR_NAME_SIZE])
{
    if (name_by_rule(codepoint, out)) {
        return true;
    }
    const CharNameRow *row =
        last_row(char_name_rows, char_name_plain, sizeof *row,
                 offsetof(CharNameRow, target), codepoint);
    if (row == NULL || row->target != codepoint) {
        return false;
    }
    const unsigned char *text = char_name_text + row->offset;
    snprintf(out, CHAR_NAME_SIZE, "%.*s", (int)text_length(text),
             (const char *)text);
    return true;
}

// The longest of `count` parts that the text begins with, -1 if there is none.
// Parts may be empty.
static int longest_part(const char *parts, size_t width, int count,
                        const char *text, size_t *length)
{
    // The empty part fits everywhere, so it is beaten by any other that fits.
    int best = -1;
    size_t best_length = 0;
    for (int i = 0; i < count; i++) {
        const char *part = parts + (size_t)i * width;
        size_t size = strlen(part);
        if (strncmp(text, part, size) == 0 &&
            (best < 0 || size > best_length)) {
            best = i;
            best_length = size;
        }
    }
    *length = best_length;
    return best;
}

// A syllable from the text behind its words: each part is as long as it can
// be, which is never wrong, as vowels and consonants share no letters. 0: none.
static uint32_t hangul_by_parts(const char *text)
{
    size_t size;
    int lead = longest_part(leads[0], sizeof *leads, LEADS, text, &size);
    text += size;
    int vowel = longest_part(vowels[0], sizeof *vowels, VOWELS, text, &size);
    text += size;
    int tail = longest_part(tails[0], sizeof *tails, TAILS, text, &size);
    if (lead < 0 || vowel < 0 || tail < 0 || text[size] != '\0') {
        return 0;
    }
    return (uint32_t)(HANGUL_FIRST + (lead * VOWELS + vowel) * TAILS + tail);
}

// An ideograph from its four or five upper-case digits. 0: there is none.
static uint32_t ideograph_by_digits(const char *text)
{
    uint32_t value = 0;
    size_t length = strlen(text);
    if (length != 4 && length != 5) {
        return 0;
    }
    for (; *text != '\0'; text++) {
        const char *found = strchr("0123456789ABCDEF", *text);
        if (found == NULL) {
            return 0;
        }
        value = value << 4 | (uint32_t)(found - "0123456789ABCDEF");
    }
    return is_ideograph(value) ? value : 0;
}

// < 0, 0, > 0, as the name stands to that of a row.
static int compare_row(const char *name, size_t length, const CharNameRow *row)
{
    const unsigned char *text = char_name_text + row->offset;
    for (size_t i = 0; i < length; i++) {
        // A line end is less than any character of a name.
        if ((unsigned char)name[i] != text[i]) {
            return (unsigned char)name[i] < text[i] ? -1 : 1;
        }
    }
    return text[length] == '\n' ? 0 : -1;
}

// NULL: no row has this name.
static const CharNameRow *find_row(const char *name, size_t length)
{
    size_t low = 0, high = char_name_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const CharNameRow *row = &char_name_rows[char_name_order[middle]];
        int order = compare_row(name, length, row);
        if (order == 0) {
            return row;
        }
        if (order > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

// 1 and the character, 0: no rule makes this name. These names are told apart
// by case.
static size_t by_rule(const char *name, uint32_t *out)
{
    size_t hangul = sizeof hangul_words - 1;
    size_t number = sizeof ideograph_words - 1;
    *out = strncmp(name, hangul_words, hangul) == 0
               ? hangul_by_parts(name + hangul)
           : strncmp(name, ideograph_words, number) == 0
               ? ideograph_by_digits(name + number)
               : 0;
    return *out != 0;
}

// Rules are asked first: their names stand in no table. A sequence keeps its
// count and its place among the points in one word.
size_t char_by_name(const char *name, size_t length, bool sequences,
                    uint32_t out[CHAR_SEQUENCE_SIZE])
{
    char text[CHAR_NAME_SIZE];
    if (length == 0 || length >= CHAR_NAME_SIZE ||
        memchr(name, '\0', length) != NULL) {
        return 0;
    }
    memcpy(text, name, length);
    text[length] = '\0';
    if (by_rule(text, out) != 0) {
        return 1;
    }
    for (char *at = text; *at != '\0'; at++) {
        *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    }
    const CharNameRow *row = find_row(text, length);
    if (row == NULL || (!sequences && row->target >= CHAR_NAME_SEQUENCE)) {
        return 0;
    }
    if (row->target < CHAR_NAME_SEQUENCE) {
        *out = row->target;
        return 1;
    }
    size_t count = row->target >> 16 & 31;
    memcpy(out, char_name_points + (row->target & 0xFFFF), count * sizeof *out);
    return count;
}

// Rows are beginnings of ranges here; the first begins at 0.
const char *char_east_asian_width(uint32_t codepoint)
{
    const CharWidthRow *row =
        last_row(char_width_rows, char_width_count, sizeof *row,
                 offsetof(CharWidthRow, first), codepoint);
    return row->width;
}

// Only characters with a number have a row, so the row found must be the very
// one.
bool char_number(uint32_t codepoint, double *value)
{
    const CharNumberRow *row =
        last_row(char_number_rows, char_number_count, sizeof *row,
                 offsetof(CharNumberRow, codepoint), codepoint);
    if (row == NULL || row->codepoint != codepoint) {
        return false;
    }
    *value = row->value;
    return true;
}

// The text is the table's own, not ended by a NUL.
const char *char_decomposition(uint32_t codepoint, size_t *length)
{
    const CharPartRow *row =
        last_row(char_part_rows, char_part_count, sizeof *row,
                 offsetof(CharPartRow, codepoint), codepoint);
    if (row == NULL || row->codepoint != codepoint) {
        return NULL;
    }
    const unsigned char *text = char_part_text + row->offset;
    *length = text_length(text);
    return (const char *)text;
}
