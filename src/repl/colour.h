// Tracebacks in colours, for standard error at a terminal.
#ifndef DUET_REPL_COLOUR_H
#define DUET_REPL_COLOUR_H

#include "base/strbuf.h"

// Appends a printed traceback with its places, carets and the error's class
// coloured. Without the escapes the bytes are those of `text`.
void colour_traceback(StrBuf *out, const char *text);

#endif
