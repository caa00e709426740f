// Names by the shape of the text, not by a parse: the entry is half typed,
// and a name too many taken for known costs less than one wrongly blamed.
#include "repl/entry_names.h"

#include <string.h>

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/text/obj_str.h"
#include "repl/highlight.h"
#include "repl/tokens.h"

// The kind of token `i`, END outside of the run. SIZE_MAX, the token in front
// of the first, is outside too.
static TokenKind kind_at(const Names *names, size_t i)
{
    return i >= names->from && i < names->end
               ? (TokenKind)names->tokens->items[i].kind
               : TOK_END;
}

// Brackets behind a value: a call or a subscript, whose inside binds nothing. A
// display has no value in front of it.
static bool is_trailer(const Names *names, size_t i)
{
    TokenKind before = kind_at(names, i - 1);
    return tokens_opens(kind_at(names, i)) &&
           (before == TOK_NAME || before == TOK_STRING ||
            tokens_closes(before));
}

// The end of the statement that begins at token `i`: the first token of the
// next one. Statements end with a line outside of brackets, or with `;`. A
// backslash at the end of a line joins it to the next one.
static size_t statement_end(const Names *names, size_t i)
{
    int level = 0;
    for (size_t at = i; at < names->end; at++) {
        const Token *token = &names->tokens->items[at];
        // Too many closing brackets must not join what follows.
        if (at > i && level <= 0) {
            const Token *before = token - 1;
            const char *gap = names->text + before->span.end;
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
    return names->end;
}

// Names from..end are bound, but for those of attributes, in subscripts and
// in calls.
static void bind_targets(Names *names, size_t from, size_t end)
{
    int inside = 0; // brackets around that bind nothing
    for (size_t i = from; i < end; i++) {
        if (is_trailer(names, i) ||
            (inside > 0 && tokens_opens(kind_at(names, i)))) {
            inside++;
        } else if (inside > 0 && tokens_closes(kind_at(names, i))) {
            inside--;
        } else if (inside == 0 && kind_at(names, i) == TOK_NAME &&
                   kind_at(names, i + 1) != TOK_DOT &&
                   !tokens_opens(kind_at(names, i + 1))) {
            names->bound[i - names->from] = true;
        }
    }
}

// Parameters: the names behind an opening bracket, a comma or a star.
// Annotations and defaults stand behind ':' and '=', and so do not count.
static void bind_parameters(Names *names, size_t from, size_t end)
{
    int level = 0;
    for (size_t i = from; i < end; i++) {
        TokenKind before = kind_at(names, i - 1);
        level +=
            tokens_opens(kind_at(names, i)) - tokens_closes(kind_at(names, i));
        if (kind_at(names, i) == TOK_NAME && level <= 1 &&
            (before == TOK_LEFT_PAREN || before == TOK_COMMA ||
             before == TOK_STAR || before == TOK_POWER ||
             before == TOK_LAMBDA)) {
            names->bound[i - names->from] = true;
        }
    }
}

// The first token of `kind` from `i` on, outside of brackets that open there.
// `end`, where there is none.
static size_t find(const Names *names, size_t i, size_t end, TokenKind kind)
{
    int level = 0;
    for (; i < end; i++) {
        TokenKind here = kind_at(names, i);
        if (level <= 0 && here == kind) {
            return i;
        }
        level += tokens_opens(here) - tokens_closes(here);
    }
    return end;
}

// One past the bracket that closes the one at `i`. Or `end`: the bracket is
// still open while the entry is typed.
static size_t group_end(const Names *names, size_t i, size_t end)
{
    int level = 0;
    for (; i < end; i++) {
        level +=
            tokens_opens(kind_at(names, i)) - tokens_closes(kind_at(names, i));
        if (level == 0) {
            return i + 1;
        }
    }
    return end;
}

// What token `i` says of the names around it, wherever it stands.
// Comprehensions bind their names for all of the entry: that is too much, and
// does no harm.
static void bind_at(Names *names, size_t i, size_t end)
{
    switch (kind_at(names, i)) {
    case TOK_DEF:
        bind_targets(names, i + 1, i + 2);
        if (i + 1 < end) {
            // Of a token, by its place in the entry.
            names->bound[i + 1 - names->from] = true;
            bind_parameters(names, i + 2, group_end(names, i + 2, end));
        }
        break;
    case TOK_CLASS:
    case TOK_AS:
        if (i + 1 < end) {
            names->bound[i + 1 - names->from] = true;
        }
        break;
    case TOK_FOR:
        bind_targets(names, i + 1, find(names, i + 1, end, TOK_IN));
        break;
    case TOK_LAMBDA:
        bind_parameters(names, i + 1, find(names, i + 1, end, TOK_COLON));
        break;
    case TOK_WALRUS:
        if (i > names->from) {
            names->bound[i - 1 - names->from] = true;
        }
        break;
    default: break;
    }
}

// All of a statement: `import` and its like name things of their own; what
// stands in front of the last `=` is bound. Augmented assignment is a token of
// its own, so it binds nothing new.
static void bind_statement(Names *names, size_t from, size_t end)
{
    switch (kind_at(names, from)) {
    case TOK_IMPORT:
    case TOK_FROM:
    case TOK_GLOBAL:
    case TOK_NONLOCAL:
        for (size_t i = from; i < end; i++) {
            names->bound[i - names->from] = kind_at(names, i) == TOK_NAME;
        }
        return;
    default: break;
    }
    for (size_t i = find(names, from, end, TOK_EQUAL); i < end;
         i = find(names, i + 1, end, TOK_EQUAL)) {
        bind_targets(names, from, i);
    }
    for (size_t i = from; i < end; i++) {
        bind_at(names, i, end);
    }
}

// Attributes and keywords of calls are nobody's names. A name that is being
// defined is judged by others.
static bool is_judged(const Names *names, size_t i)
{
    TokenKind before = kind_at(names, i - 1);
    bool keyword = kind_at(names, i + 1) == TOK_EQUAL &&
                   (before == TOK_LEFT_PAREN || before == TOK_COMMA);
    return kind_at(names, i) == TOK_NAME && before != TOK_DOT && !keyword;
}

// Whether the entry binds the name of this token anywhere: a function may use
// what a later line defines.
static bool binds(const Names *names, Span name)
{
    size_t length = name.end - name.start;
    for (size_t i = 0; i < names->first_count; i++) {
        Span other = names->tokens->items[names->first[i]].span;
        if (other.end - other.start == length &&
            memcmp(names->text + other.start, names->text + name.start,
                   length) == 0) {
            return true;
        }
    }
    return names->outer != NULL && binds(names->outer, name);
}

// Each name once: blocks bind few names, but many times. By the first token of
// each name, which has the text.
static void collect_bound(Names *names)
{
    for (size_t i = names->from; i < names->end; i++) {
        if (names->bound[i - names->from] &&
            !binds(names, names->tokens->items[i].span)) {
            names->first[names->first_count++] = (uint32_t)i;
        }
    }
}

// Whether a key of the namespace begins with the text and is longer. What is
// half typed is no fault yet.
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

// So does a keyword: `whil` is on its way to one. The keywords stand side by
// side among the tokens.
static bool begins_keyword(const char *text, size_t length)
{
    for (TokenKind kind = TOK_FALSE; kind < TOK_COUNT; kind++) {
        if (strncmp(token_text(kind), text, length) == 0) {
            return true;
        }
    }
    return false;
}

// The session's names hide built-in ones of the same name, so they are looked
// up first. A lone underscore is bound by the prompt itself. Names that nobody
// knows are shown as such, but not the one that is being typed.
static Style judge(const Names *names, Span span, size_t cursor)
{
    Vm *vm = names->session->vm;
    const char *text = names->text + span.start;
    size_t length = span.end - span.start;
    Str *name = str_intern(vm, text, length);
    if (name == NULL) {
        return STYLE_PLAIN;
    }
    bool ours = !value_unbound(dict_get_name(names->session->globals, name));
    bool built_in = !value_unbound(dict_get_name(vm->builtins, name));
    object_release(&vm->ctx, name);
    if (ours || (length == 1 && *text == '_')) {
        return STYLE_PLAIN;
    }
    // Not hidden by a name of the session.
    if (built_in) {
        return STYLE_BUILTIN;
    }
    // Under way: it may become a name that is known.
    if (cursor == span.end &&
        (begins_known(names->session->globals, text, length) ||
         begins_known(vm->builtins, text, length) ||
         begins_keyword(text, length))) {
        return STYLE_PLAIN;
    }
    return STYLE_UNKNOWN;
}

// What has a style already is the name of a definition. `styles` has a byte for
// each of the text's first `length` bytes; spans beyond it are not shown.
void entry_names_paint(const Names *names, size_t cursor, uint8_t *styles,
                       size_t length)
{
    for (size_t i = names->from; i < names->end; i++) {
        Span span = names->tokens->items[i].span;
        if (is_judged(names, i) && span.end <= length &&
            !names->bound[i - names->from] &&
            styles[span.start] == STYLE_PLAIN && !binds(names, span)) {
            memset(styles + span.start, judge(names, span, cursor),
                   span.end - span.start);
        }
    }
}

// Two passes: what a later line binds counts in an earlier one, because
// functions are called when all of the entry has run. `outer` are the names of
// an entry around, NULL: none. False: memory is short; the pending error is
// dropped, as colours are not worth one.
bool entry_names_open(Names *names, Session *session, const char *text,
                      const TokenList *tokens, size_t from, const Names *outer)
{
    Ctx *ctx = &session->vm->ctx;
    size_t count = tokens->count - from;
    *names = (Names){.session = session,
                     .text = text,
                     .tokens = tokens,
                     .from = from,
                     .end = tokens->count,
                     .outer = outer};
    if (count == 0) {
        return true;
    }
    names->bound = ctx_alloc_zero(ctx, count);
    names->first = ctx_alloc(ctx, count * sizeof *names->first);
    if (names->bound == NULL || names->first == NULL) {
        ctx_clear(ctx);
        return false;
    }
    // Statement by statement; each decides by its first token.
    for (size_t i = from; i < names->end;) {
        size_t end = statement_end(names, i);
        bind_statement(names, i, end);
        i = end > i ? end : i + 1;
    }
    collect_bound(names);
    return true;
}

// Also after entry_names_open has failed half way.
void entry_names_close(Names *names)
{
    Ctx *ctx = &names->session->vm->ctx;
    size_t count = names->end - names->from;
    ctx_free(ctx, names->bound, names->bound == NULL ? 0 : count);
    ctx_free(ctx, names->first,
             names->first == NULL ? 0 : count * sizeof *names->first);
}
