// Colours of an entry while it is typed: a style for each byte, by the lexer
// that will read it, and by what the session knows.
#ifndef DUET_REPL_HIGHLIGHT_H
#define DUET_REPL_HIGHLIGHT_H

#include "repl/session.h"

// One for each row of style_list.h.
typedef enum Style {
#define STYLE(id, sgr) STYLE_##id,
#include "repl/style_list.h"
#undef STYLE
} Style;

// The parameters of ESC [ … m; "" for the plain style.
const char *highlight_sgr(Style style);

// Fills styles[0 .. length). The text may be half typed, and any bytes at
// all. `cursor` (a byte offset, or `length` + 1: none) has the brackets at it
// marked, and the name that ends at it is not judged while it may become a
// known one. Nothing is pending afterwards; without memory all stays plain.
void highlight(Session *session, const char *text, size_t length, size_t cursor,
               uint8_t *styles);

#endif
