// An entry as rows of a terminal: wrapped at the right edge, each line behind
// its prompt, wide and combining characters by their width, colours put in.
#ifndef DUET_REPL_LAYOUT_H
#define DUET_REPL_LAYOUT_H

#include "base/strbuf.h"
#include "base/vec.h"

// One row: a piece of Layout.text.
typedef struct Row {
    size_t start, length; // bytes, escapes included
    int width;            // columns in use
    bool wraps;           // its line goes on in the next row
} Row;

// Owned by its holder: layout_free.
typedef struct Layout {
    StrBuf text; // what is sent for the rows, one behind the other
    VEC(Row) rows;
    int cursor_row, cursor_col; // -1: not met yet
} Layout;

// What is laid out.
typedef struct LayoutInput {
    const char *text;
    size_t length;
    const uint8_t *styles; // for each byte; NULL: without colours
    size_t cursor;         // byte offset
    int cols;
    const char *prompt; // of the first line, plain text
    const char *more;   // of the others
} LayoutInput;

void layout_init(Layout *layout, Ctx *ctx);
void layout_free(Layout *layout);
// Appends the entry's rows. False without memory (nothing is pending).
MUST_CHECK bool layout_entry(Layout *layout, const LayoutInput *input);
// Appends a row of text that is no part of the entry, cut at `cols`. Escapes
// of colours may be in it.
MUST_CHECK bool layout_note(Layout *layout, const char *text, int cols);
// Columns of `text` on a terminal; escapes of colours have none.
int layout_width(const char *text, size_t length);

#endif
