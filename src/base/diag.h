// How errors point at source: the line and the carets. The exception's own line
// is the caller's.
#ifndef DUET_BASE_DIAG_H
#define DUET_BASE_DIAG_H

#include "base/strbuf.h"

// Appends the source line at `span` with its indentation replaced by `indent`
// blanks and, when `carets`, a line of `^` under the span's part on that line
// (left out when the span covers the whole line, as in tracebacks, unless
// `always`). Nothing is appended if the line is blank.
void diag_source_line(StrBuf *out, const Source *source, Span span, int indent,
                      bool carets, bool always);
// `  File "a.py", line 3` (without newline).
void diag_file_line(StrBuf *out, const Source *source, Span span);

// The operands of the binary operator that carets would mark in this text, as
// places in it. False: they would mark something else.
bool diag_operands(const char *text, size_t length, Span *left, Span *right);

// Edit distance for "Did you mean", with costs of its own (2 for a move, 1 for
// a change of case); larger than `limit` returns limit + 1.
int diag_distance(const char *a, const char *b, int limit);
// The best of `count` candidates or NULL.
const char *diag_suggest(const char *name, const char *const *candidates,
                         size_t count);

#endif
