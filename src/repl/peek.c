// Looking at values as a debugger does.
//
// Invariant: nothing here may run Duet code. Attributes are read from the
// dicts of objects and classes; what a class would compute stays unknown.
#include "repl/peek.h"

#include <stdlib.h>
#include <string.h>

#include "interp/machine/vm/vm_text.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_descriptor.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_str.h"
#include "modules/builtins/builtins.h"
#include "modules/builtins/help.h"
#include "modules/importing/module.h"
#include "ops/op.h"

static const Peek unknown = {.value = VALUE_UNBOUND};

// Takes the reference. VALUE_FAIL is unknown, and its error is dropped:
// completion must never show one.
static Peek known(Session *session, Value value)
{
    if (value_failed(value)) {
        raise_clear(session->vm);
        return unknown;
    }
    return value_unbound(value)
               ? unknown
               : (Peek){.value = value, .type = type_of(session->vm, value)};
}

// Only the type is known: of a list display, of an f-string.
static Peek of_kind(Session *session, Kind kind)
{
    return (Peek){.value = VALUE_UNBOUND,
                  .type = type_of_kind(session->vm, kind)};
}

// The type needs no count: the value, or the list of types, holds it.
void peek_free(Session *session, Peek *peek)
{
    release(session->vm, peek->value);
    *peek = unknown;
}

// A global or built-in name, interned for the look-up.
static Peek peek_name(Session *session, const char *text, size_t length)
{
    Vm *vm = session->vm;
    Str *name = str_intern(vm, text, length);
    if (name == NULL) {
        raise_clear(vm);
        return unknown;
    }
    Value value = dict_get_name(session->globals, name);
    value = value_unbound(value) ? dict_get_name(vm->builtins, name) : value;
    object_release(&vm->ctx, name);
    return known(session, value_retain(value));
}

Value peek_plain_part(Value found)
{
    if (value_is_kind(found, KIND_CLASSMETHOD) ||
        value_is_kind(found, KIND_STATICMETHOD)) {
        // Which is what a call of it runs.
        return ((MethodWrap *)value_object(found))->function;
    }
    bool computed = value_is_kind(found, KIND_PROPERTY) ||
                    value_is_kind(found, KIND_MEMBER) ||
                    (value_is_object(found) &&
                     type_of(NULL, found)->slots.get_descriptor != NULL &&
                     !help_is_callable(found));
    return computed ? VALUE_UNBOUND : found;
}

// value.name for any value. As attr_get_generic would find it, without the
// steps that call something.
static Peek attribute_of(Session *session, const Peek *peek, Str *name)
{
    Vm *vm = session->vm;
    if (value_is_kind(peek->value, KIND_MODULE)) {
        Dict *dict = ((Module *)value_object(peek->value))->dict;
        // A module's __getattr__ would run code, so only its dict counts.
        return known(session, value_retain(dict_get_name(dict, name)));
    }
    bool class = value_is_kind(peek->value, KIND_TYPE);
    Type *type = class ? (Type *)value_object(peek->value) : peek->type;
    // Look-ups in dicts of classes run no code.
    Value found = type_lookup(vm, type, name);
    if (!class && value_is_object(peek->value) &&
        // A data descriptor of the class goes before the instance's own dict.
        !attr_is_data_descriptor(found)) {
        Value own = instance_get(vm, value_object(peek->value), name);
        if (!value_unbound(own) && !value_failed(own)) {
            return known(session, value_retain(own));
        }
    }
    if (value_is_kind(found, KIND_MEMBER) && !class &&
        !value_unbound(peek->value)) {
        // Of a built-in type: C code, which has no effects. Or a slot.
        const Member *member = (const Member *)value_object(found);
        if (!type_is_subtype(peek->type, member->owner)) {
            return unknown;
        }
        return known(session, member->def != NULL
                                  ? member->def->get(vm, peek->value)
                                  : value_retain(member_peek(
                                        vm, value_object(peek->value), name)));
    }
    Peek result = known(session, value_retain(peek_plain_part(found)));
    result.bound = !class && help_is_callable(result.value) &&
                   !value_is_kind(found, KIND_STATICMETHOD);
    // A classmethod is bound to the class even when it is read from there.
    result.bound |= value_is_kind(found, KIND_CLASSMETHOD);
    return result;
}

// Takes `peek` over. The name is interned for the look-up, as the machine does
// it. A look-up that fails leaves no error behind.
static Peek peek_attribute(Session *session, Peek *peek, const char *text,
                           size_t length)
{
    Vm *vm = session->vm;
    Peek result = unknown;
    Str *name = peek->type == NULL ? NULL : str_intern(vm, text, length);
    if (name != NULL) {
        result = attribute_of(session, peek, name);
        object_release(&vm->ctx, name);
    }
    raise_clear(vm);
    peek_free(session, peek);
    return result;
}

// Exactly the built-in type, whose subscripts run no code of the program. A
// subclass may have a __getitem__ of its own.
static bool is_plain(const Session *session, Value value, Kind kind)
{
    return value_is_kind(value, kind) &&
           type_of(session->vm, value) == type_of_kind(session->vm, kind);
}

// A string or number as the value that it stands for. Text and numbers are read
// by the program's own parser, so that escapes and underscores are right.
static Peek peek_literal(Session *session, const Source *source,
                         const Token *token)
{
    const char *text = source->text + token->span.start;
    size_t length = token->span.end - token->span.start;
    // A prefix in front of the quotes, and a brace within.
    bool format = token->kind == TOK_STRING &&
                  memchr(text, '{', length) != NULL &&
                  (text[0] | 0x20) != '\'' && text[0] != '"';
    if (format) { // its holes would be run
        return of_kind(session, KIND_STR);
    }
    Vm *vm = session->vm;
    Source *part = source_new(&vm->ctx, "<in>", text, length);
    Value value = part == NULL ? VALUE_FAIL
                               : vm_run_source(vm, part, RUN_EXPRESSION,
                                               session->globals, VALUE_UNBOUND);
    source_release(&vm->ctx, part);
    return known(session, value);
}

// container[key], where the key is one token.
static Peek peek_item(Session *session, const Source *source, Peek *peek,
                      const Token *key, size_t count)
{
    Vm *vm = session->vm;
    Peek result = unknown;
    bool list = is_plain(session, peek->value, KIND_LIST) ||
                is_plain(session, peek->value, KIND_TUPLE);
    bool dict = is_plain(session, peek->value, KIND_DICT);
    if (count == 1 && (list || dict)) {
        Peek at = unknown;
        // Only constants and names are looked at: an expression could be
        // anything.
        if (key->kind == TOK_STRING || key->kind == TOK_NUMBER) {
            at = peek_literal(session, source, key);
        } else if (key->kind == TOK_NAME) {
            at = peek_name(session, source->text + key->span.start,
                           key->span.end - key->span.start);
        }
        if (value_is_str(at.value) || value_is_integer(at.value)) {
            // Of a plain container with a plain key: no code of the program
            // runs.
            result = known(session, value_get_item(vm, peek->value, at.value));
        }
        peek_free(session, &at);
    } else if (peek->type == type_of_kind(vm, KIND_STR)) {
        // A character of a text is a text, and so is a slice.
        result = of_kind(session, KIND_STR);
    } else if (count > 1 && list) {
        result = (Peek){.value = VALUE_UNBOUND, .type = peek->type};
    }
    peek_free(session, peek);
    return result;
}

// Whether what a native gives is one tensor: it is an op's, or makes tensors.
static bool gives_tensor(const NativeDef *def)
{
    int op = op_find(def->name, strlen(def->name));
    // The very name of the descriptor: a text has a method `index`, too.
    if (op >= 0 && op_desc((OpCode)op)->name == def->name) {
        return op_desc((OpCode)op)->output_count == 1;
    }
    const NativeDef *row = tensor_functions;
    while (row->name != NULL && row != def) {
        row++;
    }
    return row->name != NULL;
}

// The value of a call is known only as far as a class or an op says it.
// Functions may do anything, so that nothing is said of what they return.
static Peek peek_call(Session *session, Peek *peek)
{
    Peek result = unknown;
    if (value_is_kind(peek->value, KIND_TYPE)) {
        result.type = (Type *)value_object(peek->value);
    } else if (value_is_kind(peek->value, KIND_NATIVE) &&
               gives_tensor(((Native *)value_object(peek->value))->def)) {
        result = of_kind(session, KIND_TENSOR);
    }
    peek_free(session, peek);
    return result;
}

// `[…]`, `{…}` and `(…)` as a value: the type is seen from the outside.
static Peek peek_display(Session *session, const TokenList *tokens, size_t open,
                         size_t close)
{
    int level = 0;
    bool colon = false;
    bool comma = false;
    for (size_t i = open + 1; i < close; i++) {
        TokenKind kind = (TokenKind)tokens->items[i].kind;
        // Colons and commas of what is nested say nothing of the display
        // itself.
        level += tokens_opens(kind) - tokens_closes(kind);
        colon |= level == 0 && (kind == TOK_COLON || kind == TOK_POWER);
        comma |= level == 0 && kind == TOK_COMMA;
    }
    bool empty = close == open + 1;
    switch (tokens->items[open].kind) {
    case TOK_LEFT_BRACKET: return of_kind(session, KIND_LIST);
    case TOK_LEFT_BRACE:
        return of_kind(session, empty || colon ? KIND_DICT : KIND_SET);
    default: return comma || empty ? of_kind(session, KIND_TUPLE) : unknown;
    }
}

// The bracket that the one at `close` closes; SIZE_MAX: none. Walks back;
// brackets of different kinds are counted alike, since a text under the cursor
// is often half-typed.
static size_t opening(const TokenList *tokens, size_t close)
{
    int level = 0;
    for (size_t i = close + 1; i-- > 0;) {
        TokenKind kind = (TokenKind)tokens->items[i].kind;
        level += tokens_closes(kind) - tokens_opens(kind);
        if (level == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

// Something that a `.`, `(` or `[` behind it belongs to.
static bool ends_value(const Token *token)
{
    return token->kind == TOK_NAME || token->kind == TOK_STRING ||
           tokens_closes((TokenKind)token->kind);
}

// The first token of the expression that ends in front of `end`; SIZE_MAX:
// there is none. Names, dots, brackets and literals belong to it; any operator
// ends it.
static size_t find_start(const TokenList *tokens, size_t end)
{
    while (end > 0) {
        size_t i = end - 1;
        const Token *token = &tokens->items[i];
        if (tokens_closes((TokenKind)token->kind)) {
            i = opening(tokens, i);
            if (i == SIZE_MAX || i == 0 ||
                // A brace is a display and belongs to nothing in front of it.
                tokens->items[i].kind == TOK_LEFT_BRACE ||
                !ends_value(&tokens->items[i - 1])) {
                return i;
            }
            // A call or a subscript: what is called stands in front.
            end = i;
        } else if (token->kind == TOK_NAME && i > 0 &&
                   tokens->items[i - 1].kind == TOK_DOT) {
            end = i - 1;
        } else {
            bool value = ends_value(token) || token->kind == TOK_NUMBER ||
                         token->kind == TOK_TRUE || token->kind == TOK_FALSE;
            return value ? i : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

// One past the bracket that closes the one at `open`. Or `end`, where it is not
// closed yet.
static size_t closing_end(const TokenList *tokens, size_t open, size_t end)
{
    int level = 0;
    for (size_t i = open; i < end; i++) {
        TokenKind kind = (TokenKind)tokens->items[i].kind;
        level += tokens_opens(kind) - tokens_closes(kind);
        if (level == 0) {
            return i + 1;
        }
    }
    return end;
}

// The first part of an expression; *i goes behind it. True stands for both
// bools: only the type matters.
static Peek peek_primary(Session *session, const Source *source,
                         const TokenList *tokens, size_t *i, size_t end)
{
    const Token *token = &tokens->items[*i];
    size_t length = token->span.end - token->span.start;
    size_t open = *i;
    // A literal or a name is one token.
    ++*i;
    switch (token->kind) {
    case TOK_NAME:
        return peek_name(session, source->text + token->span.start, length);
    case TOK_STRING:
    case TOK_NUMBER: return peek_literal(session, source, token);
    case TOK_TRUE:
    case TOK_FALSE: return known(session, VALUE_TRUE);
    default: break;
    }
    if (!tokens_opens((TokenKind)token->kind)) {
        return unknown;
    }
    *i = closing_end(tokens, open, end);
    // Parentheses around one token change nothing.
    if (token->kind == TOK_LEFT_PAREN && *i == open + 3) { // (x)
        size_t inner = open + 1;
        return peek_primary(session, source, tokens, &inner, end);
    }
    return peek_display(session, tokens, open, *i - 1);
}

// From left to right. As soon as a step is unknown all that follows is, and
// the loop ends.
Peek peek_expression(Session *session, const Source *source,
                     const TokenList *tokens, size_t end, size_t *start)
{
    size_t i = find_start(tokens, end);
    if (i == SIZE_MAX) {
        return unknown;
    }
    *start = i;
    Peek peek = peek_primary(session, source, tokens, &i, end);
    while (i < end && peek.type != NULL) {
        const Token *token = &tokens->items[i];
        size_t stop = closing_end(tokens, i, end);
        if (token->kind == TOK_DOT && i + 1 < end) {
            // The name behind the dot, whatever kind of token it is.
            Span name = tokens->items[i + 1].span;
            peek = peek_attribute(session, &peek, source->text + name.start,
                                  name.end - name.start);
            i += 2;
        } else if (token->kind == TOK_LEFT_BRACKET) {
            peek = peek_item(session, source, &peek, token + 1, stop - i - 2);
            i = stop;
        } else if (token->kind == TOK_LEFT_PAREN) {
            peek = peek_call(session, &peek);
            i = stop;
        } else {
            peek_free(session, &peek);
        }
    }
    return peek;
}
