// The tokens of an entry that is being typed: with faults in it, and wherever
// it ends.
#ifndef DUET_REPL_TOKENS_H
#define DUET_REPL_TOKENS_H

#include "lexer/lexer.h"

// A Source of the same length as `text`, which may be any bytes: what is no
// UTF-8, and what a Source would drop, becomes blanks. NULL: no memory, an
// error is pending.
MUST_CHECK Source *tokens_source(Ctx *ctx, const char *text, size_t length);
// Adds the tokens of the bytes from..end; the lexer is started again behind
// each fault. Layout gives no tokens. What the lexer stops at becomes an ERROR
// token that covers it: all of an unterminated string, a character that cannot
// be. Tokens never overlap. Nothing is pending afterwards.
void tokens_read(Ctx *ctx, const Source *source, size_t from, size_t end,
                 TokenList *tokens);
// Whether an ERROR token is an unterminated string; the offset of its first
// quote and how many quotes open it (1 or 3).
bool tokens_is_open_string(const Source *source, const Token *token,
                           size_t *quote, size_t *quotes);

// Brackets by kind.
bool tokens_opens(TokenKind kind);
bool tokens_closes(TokenKind kind);
// Nothing but blanks between the start of its line and `at`.
bool tokens_first_on_line(const char *text, size_t at);

#endif
