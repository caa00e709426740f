// Names by the shape of the text, not by a parse: the entry is half typed,
// and a name too many taken for known costs less than one wrongly blamed.
#include "repl/names.h"

#include <string.h>

#include "interp/obj_dict.h"
#include "interp/obj_str.h"
#include "repl/highlight.h"
#include "repl/tokens.h"

// What a walk over the tokens knows.
typedef struct Walk {
    Session *session;
    const char *text;
    const TokenList *tokens;
    bool *bound;        // for each token: a name that is bound here
    uint32_t *first;  // of each name that is bound, its first token
    size_t first_count;
} Walk;

// The kind of token `i`, END outside of the list.
static TokenKind kind_at(const Walk *walk, size_t i)
{
    return i < walk->tokens->count ? (TokenKind)walk->tokens->items[i].kind
                                   : TOK_END;
}

// Brackets behind a value: a call or a subscript, whose inside binds nothing.
static bool is_trailer(const Walk *walk, size_t i)
{
    TokenKind before = i == 0 ? TOK_END : kind_at(walk, i - 1);
    return tokens_opens(kind_at(walk, i)) &&
           (before == TOK_NAME || before == TOK_STRING ||
            tokens_closes(before));
}

// The end of the statement that begins at token `i`: the first token of the
// next one. Statements end with a line outside of brackets, or with `;`.
static size_t statement_end(const Walk *walk, size_t i)
{
    int level = 0;
    for (size_t at = i; at < walk->tokens->count; at++) {
        const Token *token = &walk->tokens->items[at];
        if (at > i && level <= 0) {
            const Token *before = token - 1;
            const char *gap = walk->text + before->span.end;
            size_t blank = token->span.start - before->span.end;
            if (before->kind == TOK_SEMICOLON ||
                (memchr(gap, '\n', blank) != NULL &&
                 memchr(gap, '\\', blank) == NULL)) {
                return at;
            }
        }
        level += tokens_opens((TokenKind)token->kind) -
                 tokens_closes((TokenKind)token->kind);
    }
    return walk->tokens->count;
}

// Names from..end are bound, but for those of attributes, in subscripts and
// in calls.
static void bind_targets(Walk *walk, size_t from, size_t end)
{
    int inside = 0; // brackets around that bind nothing
    for (size_t i = from; i < end; i++) {
        if (is_trailer(walk, i) ||
            (inside > 0 && tokens_opens(kind_at(walk, i)))) {
            inside++;
        } else if (inside > 0 && tokens_closes(kind_at(walk, i))) {
            inside--;
        } else if (inside == 0 && kind_at(walk, i) == TOK_NAME &&
                   kind_at(walk, i + 1) != TOK_DOT &&
                   !tokens_opens(kind_at(walk, i + 1))) {
            walk->bound[i] = true;
        }
    }
}

// Parameters: the names behind an opening bracket, a comma or a star.
static void bind_parameters(Walk *walk, size_t from, size_t end)
{
    int level = 0;
    for (size_t i = from; i < end; i++) {
        TokenKind before = kind_at(walk, i - 1);
        level += tokens_opens(kind_at(walk, i)) -
                 tokens_closes(kind_at(walk, i));
        if (kind_at(walk, i) == TOK_NAME && level <= 1 &&
            (before == TOK_LEFT_PAREN || before == TOK_COMMA ||
             before == TOK_STAR || before == TOK_POWER ||
             before == TOK_LAMBDA)) {
            walk->bound[i] = true;
        }
    }
}

// The first token of `kind` from `i` on, outside of brackets that open there.
static size_t find(const Walk *walk, size_t i, size_t end, TokenKind kind)
{
    int level = 0;
    for (; i < end; i++) {
        TokenKind here = kind_at(walk, i);
        if (level <= 0 && here == kind) {
            return i;
        }
        level += tokens_opens(here) - tokens_closes(here);
    }
    return end;
}

// One past the bracket that closes the one at `i`.
static size_t group_end(const Walk *walk, size_t i, size_t end)
{
    int level = 0;
    for (; i < end; i++) {
        level += tokens_opens(kind_at(walk, i)) -
                 tokens_closes(kind_at(walk, i));
        if (level == 0) {
            return i + 1;
        }
    }
    return end;
}

// What token `i` says of the names around it, wherever it stands.
static void bind_at(Walk *walk, size_t i, size_t end)
{
    switch (kind_at(walk, i)) {
    case TOK_DEF:
        bind_targets(walk, i + 1, i + 2);
        if (i + 1 < end) {
            walk->bound[i + 1] = true;
            bind_parameters(walk, i + 2, group_end(walk, i + 2, end));
        }
        break;
    case TOK_CLASS:
    case TOK_AS:
        if (i + 1 < end) {
            walk->bound[i + 1] = true;
        }
        break;
    case TOK_FOR:
        bind_targets(walk, i + 1, find(walk, i + 1, end, TOK_IN));
        break;
    case TOK_LAMBDA:
        bind_parameters(walk, i + 1, find(walk, i + 1, end, TOK_COLON));
        break;
    case TOK_WALRUS:
        if (i > 0) {
            walk->bound[i - 1] = true;
        }
        break;
    default:
        break;
    }
}

// All of a statement: `import` and its like name things of their own; what
// stands in front of the last `=` is bound.
static void bind_statement(Walk *walk, size_t from, size_t end)
{
    switch (kind_at(walk, from)) {
    case TOK_IMPORT:
    case TOK_FROM:
    case TOK_GLOBAL:
    case TOK_NONLOCAL:
        for (size_t i = from; i < end; i++) {
            walk->bound[i] = kind_at(walk, i) == TOK_NAME;
        }
        return;
    default:
        break;
    }
    for (size_t i = find(walk, from, end, TOK_EQUAL); i < end;
         i = find(walk, i + 1, end, TOK_EQUAL)) {
        bind_targets(walk, from, i);
    }
    for (size_t i = from; i < end; i++) {
        bind_at(walk, i, end);
    }
}

// Attributes and keywords of calls are nobody's names.
static bool is_judged(const Walk *walk, size_t i)
{
    TokenKind before = i == 0 ? TOK_END : kind_at(walk, i - 1);
    bool keyword = kind_at(walk, i + 1) == TOK_EQUAL &&
                   (before == TOK_LEFT_PAREN || before == TOK_COMMA);
    return kind_at(walk, i) == TOK_NAME && before != TOK_DOT && !keyword;
}

// Whether the entry binds the name of this token anywhere: a function may use
// what a later line defines.
static bool binds(const Walk *walk, Span name)
{
    size_t length = name.end - name.start;
    for (size_t i = 0; i < walk->first_count; i++) {
        Span other = walk->tokens->items[walk->first[i]].span;
        if (other.end - other.start == length &&
            memcmp(walk->text + other.start, walk->text + name.start,
                   length) == 0) {
            return true;
        }
    }
    return false;
}

// Each name once: blocks bind few names, but many times.
static void collect_bound(Walk *walk)
{
    for (size_t i = 0; i < walk->tokens->count; i++) {
        if (walk->bound[i] && !binds(walk, walk->tokens->items[i].span)) {
            walk->first[walk->first_count++] = (uint32_t)i;
        }
    }
}

// Whether a key of the namespace begins with the text and is longer.
static bool begins_known(Dict *dict, const char *text, size_t length)
{
    uint32_t position = 0;
    Value key;
    Value value;
    while (dict_next(dict, &position, &key, &value)) {
        if (value_is_str(key) &&
            strncmp(value_as_str(key)->text, text, length) == 0) {
            return true;
        }
    }
    return false;
}

// So does a keyword: `whil` is on its way to one.
static bool begins_keyword(const char *text, size_t length)
{
    for (TokenKind kind = TOK_FALSE; kind < TOK_COUNT; kind++) {
        if (strncmp(token_text(kind), text, length) == 0) {
            return true;
        }
    }
    return false;
}

static Style judge(const Walk *walk, Span span, size_t cursor)
{
    Vm *vm = walk->session->vm;
    const char *text = walk->text + span.start;
    size_t length = span.end - span.start;
    Str *name = str_intern(vm, text, length);
    if (name == NULL) {
        return STYLE_PLAIN;
    }
    bool ours = !value_unbound(dict_get_name(walk->session->globals, name));
    bool built_in = !value_unbound(dict_get_name(vm->builtins, name));
    object_release(&vm->ctx, name);
    if (ours || (length == 1 && *text == '_')) {
        return STYLE_PLAIN;
    }
    if (built_in) {
        return STYLE_BUILTIN;
    }
    if (cursor == span.end &&
        (begins_known(walk->session->globals, text, length) ||
         begins_known(vm->builtins, text, length) ||
         begins_keyword(text, length))) {
        return STYLE_PLAIN;
    }
    return STYLE_UNKNOWN;
}

// Names that nothing binds get a style. What has one already is the name of
// a definition.
static void paint_names(const Walk *walk, size_t cursor, uint8_t *styles,
                        size_t length)
{
    for (size_t i = 0; i < walk->tokens->count; i++) {
        Span span = walk->tokens->items[i].span;
        if (is_judged(walk, i) && span.end <= length && !walk->bound[i] &&
            styles[span.start] == STYLE_PLAIN && !binds(walk, span)) {
            memset(styles + span.start, judge(walk, span, cursor),
                   span.end - span.start);
        }
    }
}

void names_paint(Session *session, const char *text, const TokenList *tokens,
                 size_t cursor, uint8_t *styles, size_t length)
{
    Ctx *ctx = &session->vm->ctx;
    size_t count = tokens->count;
    if (count == 0) {
        return;
    }
    Walk walk = {.session = session,
                 .text = text,
                 .tokens = tokens,
                 .bound = ctx_alloc_zero(ctx, count),
                 .first = ctx_alloc(ctx, count * sizeof *walk.first)};
    if (walk.bound != NULL && walk.first != NULL) {
        for (size_t i = 0; i < count;) {
            size_t end = statement_end(&walk, i);
            bind_statement(&walk, i, end);
            i = end > i ? end : i + 1;
        }
        collect_bound(&walk);
        paint_names(&walk, cursor, styles, length);
    }
    ctx_free(ctx, walk.bound, count);
    ctx_free(ctx, walk.first, count * sizeof *walk.first);
}
