// Tokens: what the lexer makes of a text and the parser reads.
#ifndef DUET_LEXER_TOKEN_H
#define DUET_LEXER_TOKEN_H

#include "base/ctx.h"
#include "base/vec.h"

// One for each row of token_list.h.
typedef enum TokenKind {
#define TOKEN(id, text, class) TOK_##id,
#include "lexer/token_list.h"
#undef TOKEN
    TOK_COUNT
} TokenKind;

// Small, because a text has many: the spelling stays in the source.
typedef struct Token {
    uint8_t kind;  // TokenKind
    uint8_t level; // brackets open behind it
    Span span;     // of its text; INDENT: the blanks, DEDENT: empty, END:
                   // the last line end
} Token;

// Why the lexer stopped. It is not pending in the context: a mistake that the
// parser finds may come first.
typedef struct LexError {
    ErrorKind kind; // ERR_NONE: it did not stop
    Span span;
    bool incomplete;  // the text ended too early; more of it may help
    bool unclosed;    // what is missing at the end is a closing bracket
    bool string;      // or a closing quote, at the end or in its line
    bool quiet;       // told only by a parser that comes up to it: a fault
                      // that the parser finds before is the better one
    uint8_t form;     // PlaceForm
    char open;        // an open bracket, NUL: none
    uint32_t bracket; // where it stands
    char message[120];
} LexError;

// Owned by its holder: token_list_free. The last token is END, or ERROR if
// the lexer stopped.
typedef struct TokenList {
    Token *items;
    size_t count, capacity;
    LexError error;
} TokenList;

// May be called on an empty list.
void token_list_free(Ctx *ctx, TokenList *tokens);
// "name", "+", "while": the token_list.h text.
const char *token_text(TokenKind kind);
// The keyword spelled like this, or TOK_NAME.
TokenKind token_keyword(const char *text, size_t length);
// The operator that `text` begins with (*length: its own), or TOK_OTHER.
TokenKind token_operator(const char *text, size_t available, size_t *length);

#endif
