// An entry of the prompt as text: is it complete, how far is its next line
// indented. Knows the parser, but neither Readline nor the machine.
#ifndef DUET_REPL_ENTRY_H
#define DUET_REPL_ENTRY_H

#include "base/strbuf.h"
#include "parser/parser.h"

// What pressing Enter at the end of `text` would leave: PARSE_INCOMPLETE asks
// for another line. A mistake is PARSE_ERROR; nothing is pending afterwards.
ParseStatus entry_status(Ctx *ctx, const char *text);
// Blanks that the line after `text` starts with: those of its last line, four
// more after a colon or an opening bracket, four less after `return` and its
// like. Nothing is pending afterwards.
int entry_indent(Ctx *ctx, const char *text);
// Blanks that the line of `point` is to have once a colon comes at `point`:
// `else` and its like go back to the line that they belong to; else those
// that it has.
int entry_dedent(const char *text, size_t point);

#endif
