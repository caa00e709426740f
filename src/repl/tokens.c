// Tokens of half-typed texts.
//
// The lexer reads the text as a group in brackets, in which line ends and
// indentation mean nothing: half of an entry need not be indented well.
#include "repl/tokens.h"

#include <string.h>

#include "base/utf8.h"

// Same length, so that a place in the source is a place in the text.
Source *tokens_source(Ctx *ctx, const char *text, size_t length)
{
    char *copy = ctx_alloc(ctx, length + 1);
    if (copy == NULL) {
        return NULL;
    }
    size_t at = 0;
    while (at < length) {
        uint32_t codepoint;
        size_t taken = utf8_decode(text + at, length - at, &codepoint);
        // A byte order mark would be dropped at the start, and surrogates are
        // no valid text.
        bool odd = taken == 0 || codepoint == '\r' || codepoint == 0 ||
                   codepoint == 0xFEFF ||
                   (codepoint >= 0xD800 && codepoint < 0xE000);
        taken = taken == 0 ? 1 : taken;
        memcpy(copy + at, text + at, taken);
        if (odd) {
            memset(copy + at, ' ', taken);
        }
        at += taken;
    }
    copy[length] = '\0';
    Source *source = source_new(ctx, "<in>", copy, length);
    ctx_free(ctx, copy, length + 1);
    return source;
}

// For counting levels: a bool adds as 1.
bool tokens_opens(TokenKind kind)
{
    return kind == TOK_LEFT_PAREN || kind == TOK_LEFT_BRACKET ||
           kind == TOK_LEFT_BRACE;
}

bool tokens_closes(TokenKind kind)
{
    return kind == TOK_RIGHT_PAREN || kind == TOK_RIGHT_BRACKET ||
           kind == TOK_RIGHT_BRACE;
}

// Tabs count as blanks, though the prompt never puts them in.
bool tokens_first_on_line(const char *text, size_t at)
{
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) {
        at--;
    }
    return at == 0 || text[at - 1] == '\n';
}

// Adds the tokens of one run, without the parentheses that stand for the
// group and without its end; how far they reach.
static size_t keep(Ctx *ctx, const TokenList *run, size_t from, size_t end,
                   TokenList *tokens)
{
    size_t reached = from;
    for (size_t i = 1; i < run->count; i++) {
        Token token = run->items[i];
        // The last two of a whole run are the group's own.
        if (token.kind == TOK_END || token.kind == TOK_ERROR ||
            token.span.start >= end ||
            (i + 2 == run->count && run->error.kind == ERR_NONE)) {
            break;
        }
        reached = token.span.end;
        if (token.kind != TOK_NEWLINE && !vec_push(ctx, tokens, token)) {
            break;
        }
    }
    return reached;
}

// The ERROR token for what stopped the lexer, whose place was `stop`. An
// unclosed bracket is no fault of its own: the text ends in it.
static void keep_fault(Ctx *ctx, const LexError *error, size_t reached,
                       size_t stop, TokenList *tokens)
{
    size_t start = error->span.start;
    if (error->unclosed) {
        return;
    }
    size_t end = error->string ? stop : error->span.end;
    start = start < reached ? reached : start;
    end = end > stop ? stop : end;
    if (start < end) {
        Token fault = {.kind = TOK_ERROR,
                       .span = {(uint32_t)start, (uint32_t)end}};
        (void)!vec_push(ctx, tokens, fault);
    }
}

// Where the next run begins: behind the fault, or behind the line in which a
// bracket too many closed the group.
static size_t next_start(const TokenList *run, size_t end)
{
    if (run->error.kind != ERR_NONE) {
        return vec_last(run).span.end;
    }
    if (run->count > 2 && run->items[run->count - 3].kind == TOK_NEWLINE) {
        return run->items[run->count - 3].span.end;
    }
    return end;
}

// Ends, because each run begins behind the place where the one before it
// began.
void tokens_read(Ctx *ctx, const Source *source, size_t from, size_t end,
                 TokenList *tokens)
{
    while (from < end) {
        TokenList run = {0};
        Span part = {(uint32_t)from, (uint32_t)end};
        bool read = lexer_run_expression(ctx, source, part, &run);
        if (read) {
            size_t reached = keep(ctx, &run, from, end, tokens);
            size_t next = next_start(&run, end);
            next = next > end ? end : next;
            if (run.error.kind != ERR_NONE) {
                keep_fault(ctx, &run.error, reached, next, tokens);
            }
            from = next > from ? next : from + 1;
        }
        token_list_free(ctx, &run);
        ctx_clear(ctx);
        if (!read) {
            return;
        }
    }
}

// The token begins with the prefix, if the string has one, or with the
// quote.
bool tokens_is_open_string(const Source *source, const Token *token,
                           size_t *quote, size_t *quotes)
{
    const char *text = source->text;
    size_t at = token->span.start;
    // A prefix has at most two letters.
    while (at < token->span.end && at < token->span.start + 2 &&
           text[at] != '"' && text[at] != '\'') {
        at++;
    }
    if (token->kind != TOK_ERROR || at >= token->span.end ||
        (text[at] != '"' && text[at] != '\'')) {
        return false;
    }
    *quote = at;
    *quotes = text[at + 1] == text[at] && text[at + 2] == text[at] ? 3 : 1;
    return true;
}
