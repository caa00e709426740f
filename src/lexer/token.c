// The tables of token kinds, made from token_list.h.
#include "lexer/token.h"

#include <string.h>

typedef enum TokenClass { SPECIAL, OPERATOR, KEYWORD } TokenClass;

// Indexed by TokenKind. The rows keep the list's order, in which longer
// operators precede their beginnings.
static const struct {
    const char *text;
    uint8_t length;
    uint8_t class; // TokenClass
} token_table[] = {
#define TOKEN(id, text, class) [TOK_##id] = {text, sizeof text - 1, class},
#include "lexer/token_list.h"
#undef TOKEN
};

// Also for a list that was never filled.
void token_list_free(Ctx *ctx, TokenList *tokens)
{
    if (tokens->items != NULL) {
        vec_free(ctx, tokens);
    }
}

// For messages and dumps; SPECIAL kinds have a word in place of a spelling.
const char *token_text(TokenKind kind)
{
    return token_table[kind].text;
}

// The keywords stand together, at the end of the list. A linear search: the
// first letters differ in most rows, so few are compared.
TokenKind token_keyword(const char *text, size_t length)
{
    for (int kind = TOK_FALSE; kind < TOK_COUNT; kind++) {
        if (token_table[kind].text[0] == text[0] &&
            token_table[kind].length == length &&
            token_table[kind].class == KEYWORD &&
            memcmp(token_table[kind].text, text, length) == 0) {
            return (TokenKind)kind;
        }
    }
    return TOK_NAME;
}

// `text` is not empty. The first row that fits wins, which is the longest.
TokenKind token_operator(const char *text, size_t available, size_t *length)
{
    for (int kind = TOK_POWER_EQUAL; kind < TOK_FALSE; kind++) {
        if (token_table[kind].text[0] == text[0] &&
            token_table[kind].class == OPERATOR &&
            token_table[kind].length <= available &&
            memcmp(token_table[kind].text, text, token_table[kind].length) ==
                0) {
            *length = token_table[kind].length;
            return (TokenKind)kind;
        }
    }
    *length = 1;
    return TOK_OTHER;
}
