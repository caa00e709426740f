// Where the cursor is decides what is offered: the tokens in front of it say
// so, not the parser, because the text is half typed.
#include "repl/complete.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "modules/importing/module.h"
#include "repl/complete_spot.h"
#include "repl/peek.h"
#include "stager/staged_fn.h"

// Memory that runs out costs the one candidate.
// `head` is what stands in the word in front of the part that `text` completes;
// the value is borrowed and counted by the candidate. `note` is a literal, or
// NULL: the value tells what it is.
void complete_offer(Completion *out, const char *head, const char *text,
                    Value value, const char *note)
{
    size_t skip = head == NULL ? 0 : strlen(head);
    const char *prefix = out->word + skip;
    size_t length = strlen(prefix);
    // A name with an underscore in front is shown to who types one.
    bool hidden = text[0] == '_' && prefix[0] != '_';
    // Readline's setting completion-ignore-case.
    bool begins = out->ignore_case ? strncasecmp(text, prefix, length) == 0
                                   : strncmp(text, prefix, length) == 0;
    if (hidden || !begins) {
        return;
    }
    char *whole = malloc(skip + strlen(text) + 1);
    if (whole == NULL) {
        return;
    }
    memcpy(whole, head == NULL ? "" : head, skip);
    strcpy(whole + skip, text);
    Candidate candidate = {whole, value_retain(value), note};
    if (!vec_push(&out->session->vm->ctx, &out->items, candidate)) {
        release(out->session->vm, value);
        free(whole);
    }
}

// The word begins at `start`: the text from there is replaced.
// False: no memory, and nothing is completed.
bool spot_set_word(Spot *spot, size_t start)
{
    Completion *out = spot->out;
    free(out->word);
    out->start = start;
    out->word = strndup(spot->source->text + start, spot->cursor - start);
    return out->word != NULL;
}

// Keys that are no strings are nobody's names: a program may put them into
// globals().
static void offer_dict(Completion *out, Dict *dict, bool staged)
{
    uint32_t position = 0;
    Value key;
    Value value;
    while (dict_next(dict, &position, &key, &value)) {
        if (value_is_str(key) &&
            (!staged || value_is_staged(out->session->vm, value))) {
            complete_offer(out, NULL, value_as_str(key)->text, value, NULL);
        }
    }
}

// Names that the entry itself binds are on their way to be defined.
// The value is not known: nothing of the entry has run.
static void offer_typed(Spot *spot)
{
    for (size_t i = 0; i + 1 < spot->count; i++) {
        TokenKind kind = spot_kind(spot, i);
        TokenKind next = spot_kind(spot, i + 1);
        // A name behind one of these, or in front of `=`, may be a binding. Too
        // many are offered rather than too few.
        bool named = kind == TOK_DEF || kind == TOK_CLASS || kind == TOK_AS ||
                     kind == TOK_FOR || kind == TOK_LEFT_PAREN ||
                     kind == TOK_COMMA;
        size_t name =
            named && next == TOK_NAME ? i + 1
            : kind == TOK_NAME && (next == TOK_EQUAL || next == TOK_WALRUS)
                ? i
                : SIZE_MAX;
        if (name != SIZE_MAX) {
            Span span = spot->tokens.items[name].span;
            char *text =
                strndup(spot->source->text + span.start, span.end - span.start);
            if (text != NULL) {
                complete_offer(spot->out, NULL, text, VALUE_UNBOUND, "");
            }
            free(text);
        }
    }
}

// `for` and `if` for comprehensions, `else` for a conditional expression.
static bool is_inner_keyword(TokenKind kind)
{
    static const TokenKind kinds[] = {
        TOK_FALSE,    TOK_NONE,    TOK_TRUE, TOK_AND_WORD, TOK_ELSE,
        TOK_FOR,      TOK_IF,      TOK_IN,   TOK_IS,       TOK_LAMBDA,
        TOK_NOT_WORD, TOK_OR_WORD, TOK_YIELD};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i] == kind) {
            return true;
        }
    }
    return false;
}

// Keywords, the entry's names, the session's and the built-in ones. In
// brackets no statement can begin, so that `f(wi` need not stop at `with`.
static void offer_names(Spot *spot)
{
    Completion *out = spot->out;
    // The argument of a command on staged functions begins.
    if (spot->staged && spot->count == 0) {
        offer_dict(out, spot->session->globals, true);
        return;
    }
    if (out->word[0] != '\0') { // all there is would be too much
        bool inside = spot_open_bracket(spot, spot->count) != SIZE_MAX;
        // The keywords stand together in the list of tokens, from False on.
        for (TokenKind kind = TOK_FALSE; kind < TOK_COUNT; kind++) {
            if (!inside || is_inner_keyword(kind)) {
                complete_offer(out, NULL, token_text(kind), VALUE_UNBOUND,
                               "keyword");
            }
        }
    }
    offer_dict(out, spot->session->globals, false);
    if (out->word[0] != '\0') {
        offer_dict(out, spot->session->vm->builtins, false);
    }
    offer_typed(spot);
}

// In the form that peek_attributes calls; `data` is the Completion.
static void offer_attribute(Str *name, Value value, void *data)
{
    complete_offer(data, NULL, name->text, value, NULL);
}

// What stands in front of the dot is looked at, never computed. What cannot
// be known that way offers nothing, rather than wrong names.
// `bound`: what is listed are attributes of an object, not of a module or a
// class.
static void offer_attributes(Spot *spot, size_t dot)
{
    size_t start;
    Peek peek = peek_expression(spot->session, spot->source, &spot->tokens, dot,
                                &start);
    if (peek.type != NULL) {
        spot->out->bound = !value_is_kind(peek.value, KIND_MODULE) &&
                           !value_is_kind(peek.value, KIND_TYPE);
        peek_attributes(spot->session, &peek, offer_attribute, spot->out);
    }
    peek_free(spot->session, &peek);
}

// Where the code begins in which the cursor of an open f-string is: behind its
// last brace that is open; 0: it is in text. Braces in the code's own strings
// are not told apart, as little as in Python before 3.12.
// The code in an f-string's hole is completed as any other.
static size_t find_field(const Spot *spot, size_t from, size_t quote)
{
    const char *text = spot->source->text;
    size_t field = 0;
    bool fields = false;
    // An f may stand on either side of an r.
    for (size_t i = from; i < quote; i++) {
        fields = fields || text[i] == 'f' || text[i] == 'F';
    }
    for (size_t i = quote; fields && i < spot->cursor; i++) {
        // Two braces are one in the text.
        bool twice = text[i] == '{' && text[i + 1] == '{' && field == 0;
        field = text[i] == '{' && !twice ? i + 1 : text[i] == '}' ? 0 : field;
        i += twice;
    }
    return field;
}

// In a string that is not closed yet: code of an f-string, a dict's key, or a
// file where one is opened or where a path is begun.
// quote: where the string's quotes begin, quotes: how many there are (1 or 3).
static void complete_string(Spot *spot, size_t quote, size_t quotes)
{
    const char *text = spot->source->text;
    size_t field = find_field(spot, vec_last(&spot->tokens).span.start, quote);
    if (field > 0) {
        spot->from = field; // further in than before, so this ends
        spot->tokens.count = 0;
        complete_code(spot);
        return;
    }
    // The word is what stands in the quotes so far.
    if (!spot_set_word(spot, quote + quotes)) {
        return;
    }
    size_t open = spot_open_bracket(spot, spot->count);
    if (open != SIZE_MAX && open + 1 == spot->count &&
        spot_kind(spot, open) == TOK_LEFT_BRACKET &&
        complete_keys(spot, open, text[quote])) {
        return;
    }
    // The first argument of open() is a file, with or without a slash.
    bool opens = false;
    if (open != SIZE_MAX && open > 0 && open + 1 == spot->count) {
        Span name = spot->tokens.items[open - 1].span;
        opens = name.end - name.start == 4 &&
                strncmp(text + name.start, "open", 4) == 0;
    }
    if (opens || strchr(spot->out->word, '/') != NULL) {
        complete_files(spot->out, false, false);
    }
}

// The first token of the statement that the cursor is in.
// The last one for which no bracket is open counts, so a call over several
// lines is one statement.
static size_t statement_start(const Spot *spot)
{
    for (size_t i = spot->count; i-- > 0;) {
        size_t at = spot->tokens.items[i].span.start;
        if (tokens_first_on_line(spot->source->text, at) || i == 0 ||
            spot_kind(spot, i - 1) == TOK_SEMICOLON || at == spot->from) {
            // A line within brackets goes on with the statement above.
            if (spot_open_bracket(spot, i) == SIZE_MAX) {
                return i;
            }
        }
    }
    return 0;
}

// The text of a dotted name from token `from` up to `end`; malloc'ed.
// NULL: there is none, or no memory.
static char *dotted(const Spot *spot, size_t from, size_t end)
{
    if (from >= end) {
        return NULL;
    }
    size_t start = spot->tokens.items[from].span.start;
    return strndup(spot->source->text + start,
                   spot->tokens.items[end - 1].span.end - start);
}

// The names of a module, from itself if it was imported, else from its text.
// Both come together: names of a package and modules inside of it.
static void offer_module(Spot *spot, const char *module)
{
    Vm *vm = spot->session->vm;
    Str *name = str_intern(vm, module, strlen(module));
    Value found =
        name == NULL ? VALUE_UNBOUND : dict_get_name(vm->modules, name);
    if (name != NULL && value_unbound(found) && complete_is_library(module)) {
        // Only the library's own modules, whose import has no effects.
        Module *made = module_import(vm, name);
        found = made == NULL ? VALUE_UNBOUND : value_from_object(made);
    }
    object_release_null(&vm->ctx, name);
    Peek peek = {.value = found};
    if (value_is_kind(found, KIND_MODULE)) {
        peek_attributes(spot->session, &peek, offer_attribute, spot->out);
    } else {
        complete_module_names(spot->out, module);
    }
    complete_submodules(spot->out, module);
    // Tab tells no errors.
    raise_clear(vm);
}

// `import a, b.c` and `from a.b import c, d`. False: it is another statement.
// True: nothing but modules and their names can stand here, whether any was
// found or not.
static bool complete_import(Spot *spot)
{
    size_t first = statement_start(spot);
    TokenKind kind = spot_kind(spot, first);
    if (spot->count == 0 || first >= spot->count ||
        (kind != TOK_IMPORT && kind != TOK_FROM)) {
        return false;
    }
    size_t import = first;
    while (import < spot->count && spot_kind(spot, import) != TOK_IMPORT) {
        import++;
    }
    // Behind `from module import`: what that module has.
    if (kind == TOK_FROM && import < spot->count) {
        char *module = dotted(spot, first + 1, import);
        if (module != NULL) {
            offer_module(spot, module);
        }
        free(module);
        return true;
    }
    // The dotted name up to the cursor is the word.
    size_t start = spot->out->start;
    size_t i = spot->count;
    while (i > first + 1 && (spot_kind(spot, i - 1) == TOK_DOT ||
                             (spot_kind(spot, i - 1) == TOK_NAME &&
                              spot_kind(spot, i) == TOK_DOT))) {
        i--;
        start = spot->tokens.items[i].span.start;
    }
    // Behind `as` the name is new, and nothing can be offered.
    if (spot_kind(spot, i - 1) != TOK_AS && spot_set_word(spot, start)) {
        complete_modules(spot->out);
    }
    return true;
}

// A NAME, a keyword or a number that ends at the cursor is the word; it is no
// longer among the tokens in front of it.
// False: no memory.
static bool find_word(Spot *spot)
{
    spot->count = spot->tokens.count;
    size_t start = spot->cursor;
    if (spot->count > 0) {
        Token last = vec_last(&spot->tokens);
        // A keyword too: it may be the start of a longer name.
        bool word = last.kind == TOK_NAME || last.kind == TOK_NUMBER ||
                    last.kind >= TOK_FALSE;
        if (word && last.span.end == spot->cursor) {
            start = last.span.start;
            spot->count--;
        }
    }
    return spot_set_word(spot, start);
}

// The lexer drops comments, so the text between the last token and the cursor
// is looked at.
static bool in_comment(const Spot *spot)
{
    size_t at =
        spot->tokens.count == 0 ? spot->from : vec_last(&spot->tokens).span.end;
    const char *text = spot->source->text;
    bool comment = false;
    for (; at < spot->cursor; at++) {
        comment = text[at] != '\n' && (comment || text[at] == '#');
    }
    return comment;
}

// The order matters: a string and a comment hide all else, an import names
// modules and not variables, and behind a dot only attributes can follow.
// Each way ends in a return: one kind of place is completed, and no other.
void complete_code(Spot *spot)
{
    Ctx *ctx = &spot->session->vm->ctx;
    tokens_read(ctx, spot->source, spot->from, spot->cursor, &spot->tokens);
    size_t quote;
    size_t quotes;
    size_t count = spot->tokens.count;
    if (count > 0 && vec_last(&spot->tokens).span.end >= spot->cursor &&
        tokens_is_open_string(spot->source, &vec_last(&spot->tokens), &quote,
                              &quotes)) {
        spot->count = count - 1;
        complete_string(spot, quote, quotes);
        return;
    }
    if (in_comment(spot) || !find_word(spot)) {
        return;
    }
    if (complete_import(spot)) {
        return;
    }
    size_t before = spot->count - 1; // huge if there is none
    if (spot_kind(spot, before) == TOK_DOT) {
        offer_attributes(spot, before);
        return;
    }
    complete_call(spot);
    bool name = spot->out->word[0] != '\0';
    bool number = name && spot_kind(spot, spot->count) == TOK_NUMBER;
    if (spot_kind(spot, before) == TOK_LEFT_BRACKET && (!name || number) &&
        complete_keys(spot, before, '\0')) {
        return;
    }
    if (number) { // no name goes on with it
        return;
    }
    // Right behind the bracket of a call the keywords say more than all the
    // names would.
    if (name || spot->out->signature == NULL) {
        offer_names(spot);
    }
}

// For qsort. By bytes, which for UTF-8 is the order of code points.
static int by_text(const void *a, const void *b)
{
    return strcmp(((const Candidate *)a)->text, ((const Candidate *)b)->text);
}

static void free_candidate(Completion *completion, const Candidate *item)
{
    release(completion->session->vm, item->value);
    free(item->text);
}

// In order, each text once: of two the one with a value to tell about.
// The same name is found as a keyword, in the entry and in the session; what
// has a value can be described.
static void tidy(Completion *out)
{
    if (out->items.count < 2) {
        return;
    }
    Candidate *items = out->items.items;
    qsort(items, out->items.count, sizeof *items, by_text);
    size_t kept = 0;
    for (size_t i = 1; i < out->items.count; i++) {
        // `kept` is the last of those that stay.
        if (strcmp(items[kept].text, items[i].text) != 0) {
            items[++kept] = items[i];
        } else if (value_unbound(items[kept].value)) {
            free_candidate(out, &items[kept]);
            items[kept] = items[i];
        } else {
            free_candidate(out, &items[i]);
        }
    }
    out->items.count = kept + 1;
}

// The text behind the cursor is not looked at: what is typed there may be
// about to be replaced.
// The caller frees `out` with complete_free in any case.
void complete_at(Session *session, const char *text, size_t cursor,
                 bool ignore_case, Completion *out)
{
    Ctx *ctx = &session->vm->ctx;
    *out = (Completion){
        .session = session, .start = cursor, .ignore_case = ignore_case};
    Spot spot = {.out = out, .session = session, .cursor = cursor};
    spot.source = tokens_source(ctx, text, cursor);
    if (spot.source != NULL && spot.source->length >= cursor) {
        // As at the prompt, a command can stand at the very start only.
        if (text[0] == '%') {
            complete_command(&spot);
        } else {
            complete_code(&spot);
        }
    }
    token_list_free(ctx, &spot.tokens);
    source_release(ctx, spot.source);
    // Looking at values may have raised; the user asked for none of that.
    raise_clear(session->vm);
    tidy(out);
}

// The texts were malloc'ed because some of them change hands to Readline.
void complete_free(Completion *completion)
{
    for (size_t i = 0; i < completion->items.count; i++) {
        free_candidate(completion, &completion->items.items[i]);
    }
    vec_free(&completion->session->vm->ctx, &completion->items);
    free(completion->word);
    free(completion->signature);
    free(completion->doc);
}

// Only for candidates that are shown: a signature for each of 10,000 names
// would be felt.
// Appends one line, or nothing.
void complete_describe(const Completion *completion, size_t index, StrBuf *out)
{
    const Candidate *item = &completion->items.items[index];
    if (item->note != NULL) {
        strbuf_puts(out, item->note);
    } else {
        peek_describe(completion->session, item->value, completion->bound, out);
    }
}
