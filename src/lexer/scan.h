// The state that the files of the lexer share.
#ifndef DUET_LEXER_SCAN_H
#define DUET_LEXER_SCAN_H

#include "lexer/lexer.h"

// One that is still open.
typedef struct Bracket {
    uint32_t offset; // of the opening one, for messages
    char open;
} Bracket;

// A run over one text or one part of it; lives on the stack of its caller.
typedef struct Lexer {
    Ctx *ctx;
    const Source *source;
    const char *text;  // the source's
    uint32_t position; // the next byte
    uint32_t end;      // where this lexer stops
    TokenList *tokens;
    Bracket brackets[LEXER_MAX_BRACKETS];
    uint32_t level; // brackets open
    // Columns of the open blocks, counted with tabs to 8 and with tabs as 1:
    // both must order alike, or the layout depends on the width of a tab.
    uint32_t columns[LEXER_MAX_INDENTS], alternates[LEXER_MAX_INDENTS];
    uint32_t depth; // open blocks
} Lexer;

// What a rule answers. STOPPED: the reason is in tokens->error, or pending in
// the context.
typedef enum Scan { SCAN_OK, SCAN_STOPPED } Scan;

// The byte `ahead` of the position, 0 past the end.
static inline char scan_peek(const Lexer *lexer, uint32_t ahead)
{
    uint32_t at = lexer->position + ahead;
    return at < lexer->end ? lexer->text[at] : '\0';
}

// Stops the lexer for the reason given; `span` is where.
Scan scan_stop(Lexer *lexer, ErrorKind kind, Span span, const char *format, ...)
    PRINTF_LIKE(4, 5);
// Behind scan_stop: the parser tells it only where it meets it.
Scan scan_stop_quiet(Lexer *lexer, PlaceForm form);
// The same as scan_stop, at the character before the position.
Scan scan_stop_here(Lexer *lexer, const char *format, ...) PRINTF_LIKE(2, 3);
// Appends a token from `start` to the position.
Scan scan_emit(Lexer *lexer, TokenKind kind, uint32_t start);

// Reads the blanks at the start of a logical line and emits INDENT or DEDENTs
// (indent.c). Blank lines and comments are passed over.
Scan scan_indentation(Lexer *lexer);
// At a backslash: passes it and the line end behind it.
Scan scan_continuation(Lexer *lexer);
// At a digit, or a point with a digit behind it (number.c).
Scan scan_number(Lexer *lexer);

#endif
