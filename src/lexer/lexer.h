// Source text to tokens.
//
// The whole text is read at once; where the lexer must stop, the list ends in
// an ERROR token and its LexError says why, so that a mistake that the parser
// meets earlier can be told first.
#ifndef DUET_LEXER_LEXER_H
#define DUET_LEXER_LEXER_H

#include "base/source.h"
#include "base/strbuf.h"
#include "lexer/token.h"

enum {
    LEXER_MAX_BRACKETS = 200, // nested
    LEXER_MAX_INDENTS = 100   // likewise
};

// Fills `tokens` (zeroed by the caller, who frees it in any case). False only
// with ERR_MEMORY or ERR_INTERRUPT pending.
MUST_CHECK bool lexer_run(Ctx *ctx, const Source *source, TokenList *tokens);
// The same for the part of the text inside the braces of an f-string. The
// braces come out as parentheses: line ends are blanks there, indentation
// means nothing.
MUST_CHECK bool lexer_run_expression(Ctx *ctx, const Source *source, Span part,
                                     TokenList *tokens);
// Appends one line for each token: place, kind, text (DUET_DUMP=tokens).
void lexer_dump(StrBuf *out, const Source *source, const TokenList *tokens);

#endif
