// What stands in brackets behind a value: the arguments of a call, the keys of
// a dict.
//
// Keywords come from the text of a signature, because that is the one form in
// which functions, natives and classes all say how they are called.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "repl/complete_spot.h"
#include "repl/peek.h"

// The innermost bracket that is open in front of token `end`; SIZE_MAX: none.
// Walks backwards, so that brackets which are closed again cancel out; kinds
// are not matched, since an unfinished text may well mix them.
size_t spot_open_bracket(const Spot *spot, size_t end)
{
    int level = 0;
    for (size_t i = end; i-- > 0;) {
        if (tokens_closes(spot_kind(spot, i))) {
            level++;
        } else if (tokens_opens(spot_kind(spot, i)) && level-- == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

// Whether the call that begins at `open` has the keyword already.
// Nested calls in between are looked at too: a keyword of theirs is missing
// from the list then, which costs less than following every bracket.
static bool has_keyword(const Spot *spot, size_t open, const char *name,
                        size_t length)
{
    for (size_t i = open + 1; i + 1 < spot->count; i++) {
        Span span = spot->tokens.items[i].span;
        if (spot_kind(spot, i) == TOK_NAME &&
            spot_kind(spot, i + 1) == TOK_EQUAL &&
            span.end - span.start == length &&
            strncmp(spot->source->text + span.start, name, length) == 0) {
            return true;
        }
    }
    return false;
}

// The end of a parameter in a signature's text: a comma at its own level.
// Defaults are shown as their repr and may hold commas in brackets or quotes.
// Points to the comma, the closing bracket or the NUL.
static const char *param_end(const char *at)
{
    int level = 0;
    char quote = '\0';
    for (; *at != '\0'; at++) {
        if (quote != '\0') {
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '\'' || *at == '"') {
            quote = *at;
        } else if (strchr("([{", *at) != NULL) {
            level++;
        } else if (strchr(")]}", *at) != NULL && level-- == 0) {
            return at;
        } else if (*at == ',' && level == 0) {
            return at;
        }
    }
    return at;
}

// Parameters of "f(a, /, b=1, *args, c)" that can be given by name.
static void offer_keywords(Spot *spot, size_t open, const char *signature)
{
    // A slash in the middle ends the positional-only ones: the walk starts
    // behind it.
    const char *slash = strstr(signature, "/, ");
    const char *slash_end = strstr(signature, "/)");
    const char *at = strchr(signature, '(');
    if (at == NULL || slash_end != NULL) {
        return;
    }
    for (at = slash != NULL ? slash + 1 : at; *at == '(' || *at == ',';) {
        // An entry that starts with * has no name of this form and gives a
        // length of 0.
        at += 1 + strspn(at + 1, " ");
        const char *end = param_end(at);
        size_t length = 0;
        while (at + length < end &&
               (isalnum((unsigned char)at[length]) || at[length] == '_')) {
            length++;
        }
        if (length > 0 && !has_keyword(spot, open, at, length)) {
            char *text = malloc(length + 2);
            if (text != NULL) {
                // With its sign, so that a value can be typed at once.
                memcpy(text, at, length);
                strcpy(text + length, "=");
                complete_offer(spot->out, NULL, text, VALUE_UNBOUND,
                               "parameter");
            }
            free(text);
        }
        at = end;
    }
}

// The call around the cursor: its signature, and keywords where an argument
// may begin.
void complete_call(Spot *spot)
{
    size_t open = spot_open_bracket(spot, spot->count);
    if (open == SIZE_MAX || open == 0 ||
        spot_kind(spot, open) != TOK_LEFT_PAREN) {
        return;
    }
    size_t start;
    // What is called, as far as it is known without running anything.
    // Owned: freed at the end by peek_free, on every way.
    Peek peek = peek_expression(spot->session, spot->source, &spot->tokens,
                                open, &start);
    StrBuf text;
    strbuf_init(&text, &spot->session->vm->ctx);
    const char *doc;
    // `def f(` and `class C(` call nothing.
    bool defines = peek.type != NULL && start > 0 &&
                   (spot_kind(spot, start - 1) == TOK_DEF ||
                    spot_kind(spot, start - 1) == TOK_CLASS);
    if (peek.type != NULL && !defines &&
        peek_signature(spot->session, &peek, &text, &doc)) {
        // The completion owns both texts; NULL where there was no memory only
        // means that nothing is shown.
        spot->out->signature = strdup(strbuf_text(&text));
        if (doc != NULL) {
            // The first line that has words, without the rest.
            doc += strspn(doc, " \n");
            spot->out->doc = strndup(doc, strcspn(doc, "\n"));
        }
        // Only where an argument can begin.
        TokenKind before = spot_kind(spot, spot->count - 1);
        if (before == TOK_LEFT_PAREN || before == TOK_COMMA) {
            offer_keywords(spot, open, strbuf_text(&text));
        }
    }
    strbuf_free(&text);
    peek_free(spot->session, &peek);
}

// Whether the key's repr can be typed, and runs no code of the program.
// `inner`: inside a tuple, which is looked into one level deep.
static bool is_plain_key(Value key, bool inner)
{
    if (value_is_kind(key, KIND_TUPLE) && !inner) {
        const Tuple *tuple = value_as_tuple(key);
        for (uint32_t i = 0; i < tuple->count; i++) {
            if (!is_plain_key(tuple->items[i], true)) {
                return false;
            }
        }
        return true;
    }
    return value_is_str(key) || value_is_integer(key) || value_is_none(key) ||
           value_is_bool(key) || value_is_float(key) ||
           value_is_kind(key, KIND_BYTES);
}

// A key as it is written: in the quotes that are open, or by its repr.
static void offer_key(Spot *spot, Value key, Value value, char quote)
{
    Vm *vm = spot->session->vm;
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    // Without a quote the key is offered as it would be written.
    if (quote == '\0') {
        Str *shown = is_plain_key(key, false) ? value_repr(vm, key) : NULL;
        strbuf_puts(&text, shown == NULL ? "" : shown->text);
        object_release_null(&vm->ctx, shown);
    } else if (value_is_str(key)) {
        // Escaped as in a literal with these quotes; other control characters
        // go as they are.
        for (const char *at = value_as_str(key)->text; *at != '\0'; at++) {
            strbuf_puts(&text, *at == quote || *at == '\\' ? "\\" : "");
            strbuf_puts(&text, *at == '\n' ? "\\" : "");
            strbuf_putc(&text, *at == '\n' ? 'n' : *at);
        }
        strbuf_putc(&text, quote);
    }
    if (text.length > 0) {
        strbuf_putc(&text, ']');
        char head[] = {'\0'};
        // Keys may begin with an underscore: nothing is hidden here.
        bool hidden = text.text[0] == '_' && spot->out->word[0] != '_';
        if (strbuf_ok(&text) && !hidden) {
            complete_offer(spot->out, head, text.text, value, NULL);
        }
    }
    strbuf_free(&text);
    // A repr that failed leaves out one key, not the list.
    raise_clear(vm);
}

// The dict in front of the bracket `open`. False: it is none.
// The dict is read as it is, in its own order: a __getitem__ of a subclass is
// not asked.
bool complete_keys(Spot *spot, size_t open, char quote)
{
    size_t start;
    Peek peek = peek_expression(spot->session, spot->source, &spot->tokens,
                                open, &start);
    bool dict = value_is_kind(peek.value, KIND_DICT);
    uint32_t position = 0;
    Value key;
    Value value;
    while (dict &&
           dict_next(value_as_dict(peek.value), &position, &key, &value)) {
        offer_key(spot, key, value, quote);
    }
    peek_free(spot->session, &peek);
    return dict;
}
