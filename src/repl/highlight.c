// Styles from tokens (tokens.h), which come through the faults that an entry
// has most of the time while it is typed.
//
// Invariant: every token lies inside the text, so a style is never written
// outside of `styles`.
#include "repl/highlight.h"

#include <string.h>

#include "repl/entry_names.h"
#include "repl/tokens.h"

enum { HIGHLIGHT_DEPTH_MAX = 4 }; // f-strings inside f-strings

// One run over a text.
// Lives for one call of highlight. Lists of tokens are used like a stack: what
// a hole adds is gone when it has been painted.
typedef struct Painter {
    Session *session;
    Ctx *ctx;
    Source *source; // of the text with all that is no UTF-8 replaced
    uint8_t *styles;
    size_t length; // of the text; the source may end in one line end more
    size_t cursor;
    TokenList tokens;   // of the whole text, all runs of the lexer joined
    int depth;          // f-strings around
    const Names *names; // of the text around, NULL: none
} Painter;

// From the list, in the order of the enumeration.
const char *highlight_sgr(Style style)
{
    static const char *const sgr[] = {
#define STYLE(id, sgr) sgr,
#include "repl/style_list.h"
#undef STYLE
    };
    return sgr[style];
}

// The source may be one line end longer than the text: nothing is written
// there.
// What is painted later covers what was there.
static void paint(Painter *p, size_t start, size_t end, Style style)
{
    end = end < p->length ? end : p->length;
    if (start < end) {
        memset(p->styles + start, style, end - start);
    }
}

// Comments stand between tokens, where a `#` begins nothing else.
// Blanks and line ends stay plain.
static void paint_gap(Painter *p, size_t start, size_t end)
{
    const char *text = p->source->text;
    while (start < end) {
        if (text[start] != '#') {
            start++;
            continue;
        }
        size_t stop = start;
        while (stop < end && text[stop] != '\n') {
            stop++;
        }
        paint(p, start, stop, STYLE_COMMENT);
        start = stop;
    }
}

static void paint_all(Painter *p, size_t from, size_t end);

// The end of the expression that begins behind the brace at `at`: its closing
// brace, or `end`. Brackets and strings inside are passed over; a colon or
// `!` at the level of the brace ends the expression too (*spec).
static size_t hole_end(const char *text, size_t at, size_t end, bool *spec)
{
    int level = 0;
    char quote = '\0';
    for (*spec = false; at < end; at++) {
        char byte = text[at];
        if (quote != '\0') {
            quote = byte == quote ? '\0' : quote;
        } else if (byte == '"' || byte == '\'') {
            quote = byte;
        } else if (strchr("([{", byte) != NULL) {
            level++;
        } else if (level > 0 && strchr(")]}", byte) != NULL) {
            level--;
        } else if (level == 0 && byte == '}') {
            return at;
        } else if (level == 0 &&
                   (byte == ':' || (byte == '!' && text[at + 1] != '='))) {
            *spec = true;
            return at;
        }
    }
    return end;
}

// The expressions in an f-string (from..end are its bytes without quotes).
// `spec`: inside a format spec, which may hold expressions in turn.
// Returns where it stopped: `end`, or the brace that ends the hole around a
// spec.
static size_t paint_holes(Painter *p, size_t at, size_t end, bool spec)
{
    const char *text = p->source->text;
    while (at < end) {
        // The end of the hole whose spec this is.
        if (text[at] == '}' && spec) {
            return at;
        }
        if (text[at] != '{' || (text[at + 1] == '{' && !spec)) {
            // A doubled brace is text.
            at += text[at] == '{' ? 2 : 1;
            continue;
        }
        bool has_spec;
        size_t stop = hole_end(text, at + 1, end, &has_spec);
        size_t code_end = stop;
        // `{x=}` shows its text: the sign is no part of the expression.
        if (code_end > at + 1 && text[code_end - 1] == '=') {
            code_end--;
        }
        paint(p, at, code_end, STYLE_PLAIN);
        paint_all(p, at + 1, code_end);
        // A spec may have holes, too.
        if (has_spec && p->depth < HIGHLIGHT_DEPTH_MAX) {
            p->depth++;
            stop = paint_holes(p, stop, end, true);
            p->depth--;
        }
        paint(p, stop, stop + (stop < end), STYLE_PLAIN);
        at = stop + 1;
    }
    return at;
}

// The quotes are part of the string. In an f-string the expressions are
// painted over it afterwards.
// Prefixes are letters in front of the first quote.
static void paint_string(Painter *p, Span span)
{
    const char *text = p->source->text;
    paint(p, span.start, span.end, STYLE_STRING);
    bool format = false;
    size_t at = span.start;
    while (at < span.end && text[at] != '"' && text[at] != '\'') {
        format = format || (text[at] | 0x20) == 'f';
        at++;
    }
    // Six bytes at least: two quotes alone are an empty string.
    size_t quotes = text[at + 1] == text[at] && text[at + 2] == text[at] &&
                            span.end - at >= 6
                        ? 3
                        : 1;
    if (format && p->depth < HIGHLIGHT_DEPTH_MAX) {
        p->depth++;
        (void)paint_holes(p, at + quotes, span.end - quotes, false);
        p->depth--;
    }
}

// What the lexer stopped at. An unclosed string: its quotes are shown as open,
// the rest as a string.
// A string that is open is no mistake while it is typed, and is shown in
// another way than one.
static void paint_fault(Painter *p, const Token *token)
{
    size_t quote;
    size_t quotes;
    if (tokens_is_open_string(p->source, token, &quote, &quotes)) {
        paint(p, token->span.start, token->span.end, STYLE_STRING);
        paint(p, quote, quote + quotes, STYLE_OPEN);
    } else {
        paint(p, token->span.start, token->span.end, STYLE_WRONG);
    }
}

// Names are left plain here, but for those that a definition makes: what
// they mean is judged when all are known.
// From TOK_FALSE on the enumeration has keywords only.
static void paint_token(Painter *p, const Token *token, const Token *before)
{
    uint32_t start = token->span.start;
    if (token->kind == TOK_ERROR) {
        paint_fault(p, token);
    } else if (token->kind >= TOK_FALSE) {
        paint(p, start, token->span.end, STYLE_KEYWORD);
    } else if (token->kind == TOK_NUMBER) {
        paint(p, start, token->span.end, STYLE_NUMBER);
    } else if (token->kind == TOK_STRING) {
        paint_string(p, token->span);
    } else if (token->kind == TOK_OTHER) {
        paint(p, start, token->span.end, STYLE_WRONG);
    } else if (token->kind == TOK_AT &&
               tokens_first_on_line(p->source->text, start)) {
        paint(p, start, token->span.end, STYLE_DECORATOR);
    } else if (token->kind == TOK_NAME && before != NULL &&
               (before->kind == TOK_DEF || before->kind == TOK_CLASS)) {
        paint(p, start, token->span.end, STYLE_DEFINITION);
    }
}

// Only for the three opening brackets.
static TokenKind closing(TokenKind open)
{
    return open == TOK_LEFT_PAREN     ? TOK_RIGHT_PAREN
           : open == TOK_LEFT_BRACKET ? TOK_RIGHT_BRACKET
                                      : TOK_RIGHT_BRACE;
}

// The brackets at `a` and `b` are shown as a pair if the cursor is on one of
// them or right behind it.
// Right behind, because that is where the cursor stands after a bracket was
// typed.
static void paint_pair(Painter *p, size_t a, size_t b)
{
    if (p->cursor == a || p->cursor == b || p->cursor == a + 1 ||
        p->cursor == b + 1) {
        paint(p, a, a + 1, STYLE_MATCH);
        paint(p, b, b + 1, STYLE_MATCH);
    }
}

// Open brackets and those that close nothing. A wrong closing bracket does
// not open what is around it.
// Beyond LEXER_MAX_BRACKETS nothing is paired; the lexer refuses such a text
// anyway.
static void paint_brackets(Painter *p, const TokenList *tokens, size_t first)
{
    uint32_t open[LEXER_MAX_BRACKETS];
    size_t count = 0;
    for (size_t i = first; i < tokens->count; i++) {
        const Token *token = &tokens->items[i];
        uint32_t at = token->span.start;
        TokenKind kind = (TokenKind)token->kind;
        if (tokens_opens(kind)) {
            if (count < LEXER_MAX_BRACKETS) {
                open[count++] = (uint32_t)i;
            }
        } else if (tokens_closes(kind)) {
            // Pairs are painted alike; a bracket that closes another kind is
            // wrong.
            const Token *other =
                count == 0 ? NULL : &tokens->items[open[count - 1]];
            if (other != NULL && closing((TokenKind)other->kind) == kind) {
                count--;
                paint_pair(p, other->span.start, at);
            } else {
                paint(p, at, at + 1, STYLE_WRONG);
            }
        }
    }
    // What is left is open still, which is no fault while one types.
    while (count-- > 0) {
        uint32_t at = tokens->items[open[count]].span.start;
        paint(p, at, at + 1, STYLE_OPEN);
    }
}

// The tokens from `first` on and what stands between them.
static void paint_tokens(Painter *p, size_t first, size_t from, size_t end)
{
    size_t last = p->tokens.count;
    for (size_t i = first; i < last; i++) {
        // Holes of f-strings add tokens of theirs: the list may move.
        Token token = p->tokens.items[i];
        Token before = p->tokens.items[i == first ? i : i - 1];
        paint_gap(p, from, token.span.start);
        from = token.span.end;
        paint_token(p, &token, i == first ? NULL : &before);
        p->tokens.count = last;
    }
    paint_gap(p, from, end);
}

// Tokens, names and brackets of the bytes from..end. The tokens stand behind
// those that are there already (of the text around an f-string's hole).
// Runs again for the expression of each hole, with the names of the text around
// it known.
static void paint_all(Painter *p, size_t from, size_t end)
{
    size_t first = p->tokens.count;
    tokens_read(p->ctx, p->source, from, end, &p->tokens);
    Names names;
    bool known = entry_names_open(&names, p->session, p->source->text,
                                  &p->tokens, first, p->names);
    const Names *outer = p->names;
    p->names = known ? &names : outer;
    paint_tokens(p, first, from, end);
    p->names = outer;
    paint_brackets(p, &p->tokens, first);
    if (known) {
        entry_names_paint(&names, p->cursor, p->styles, p->length);
    }
    entry_names_close(&names);
    p->tokens.count = first;
}

// `%time f(x)`: the command's word, then code.
// Returns the bytes that the command's word takes, 0 if there is none.
static size_t paint_command(Painter *p)
{
    const char *text = p->source->text;
    size_t end = 0;
    if (text[0] == '%') {
        end = strcspn(text, " \t\n");
        paint(p, 0, end, STYLE_COMMAND);
    }
    return end;
}

// `x?` and `x??`: the marks are no part of Duet.
// Returns the end of the code in front of the marks.
static size_t paint_question(Painter *p, size_t end)
{
    const char *text = p->source->text;
    size_t stop = end;
    while (stop > 0 && strchr(" \t\n", text[stop - 1]) != NULL) {
        stop--;
    }
    size_t mark = stop;
    while (mark > 0 && text[mark - 1] == '?') {
        mark--;
    }
    paint(p, mark, stop, STYLE_COMMAND);
    return mark < stop ? mark : end;
}

// Runs at every key, over the whole entry: the colour of a line can depend
// on any line above it. A few hundred lines take less than a millisecond.
// Failures leave the text plain, and no error pending: colour is never worth
// one.
void highlight(Session *session, const char *text, size_t length, size_t cursor,
               uint8_t *styles)
{
    Ctx *ctx = &session->vm->ctx;
    memset(styles, STYLE_PLAIN, length);
    Painter p = {.session = session,
                 .ctx = ctx,
                 .styles = styles,
                 .length = length,
                 .cursor = cursor};
    p.source = length == 0 ? NULL : tokens_source(ctx, text, length);
    if (p.source != NULL && p.source->length >= length) {
        size_t from = paint_command(&p);
        size_t end = paint_question(&p, p.source->length);
        paint_all(&p, from, end);
        token_list_free(ctx, &p.tokens);
    }
    source_release(ctx, p.source);
    ctx_clear(ctx);
}
