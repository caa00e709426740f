// The tables that tools/char-names.pl writes at build time: names of
// characters, widths and numbers. Constants, which cost nothing until they are
// read. Only char_name.c includes this.
#ifndef DUET_BASE_CHAR_NAME_TABLE_H
#define DUET_BASE_CHAR_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

// In `target` of a row: a named sequence, its length in bits 16 to 20 and the
// place of its code points in char_name_points below them.
enum { CHAR_NAME_SEQUENCE = 1 << 21 };

typedef struct CharNameRow {
    uint32_t offset; // of the text, which ends at a line end
    uint32_t target; // the code point, or a CHAR_NAME_SEQUENCE
} CharNameRow;

// From `first` up to the next row.
typedef struct CharWidthRow {
    uint32_t first;
    char width[4]; // "N", "Na", "W", "F", "H", "A"
} CharWidthRow;

typedef struct CharNumberRow {
    uint32_t codepoint;
    double value;
} CharNumberRow;

// What the character is made of.
typedef struct CharPartRow {
    uint32_t codepoint;
    uint32_t offset; // of the text, which ends at a line end
} CharPartRow;

extern const unsigned char char_name_text[];
// The first char_name_plain rows are proper names, sorted by code point;
// behind them stand aliases, then sequences.
extern const size_t char_name_plain, char_name_count;
extern const CharNameRow char_name_rows[];
// All rows, in the order of their texts.
extern const uint16_t char_name_order[];
extern const uint32_t char_name_points[];
extern const size_t char_width_count;
extern const CharWidthRow char_width_rows[];
extern const size_t char_number_count;
extern const CharNumberRow char_number_rows[];
extern const size_t char_part_count;
extern const CharPartRow char_part_rows[];
extern const unsigned char char_part_text[];

#endif
