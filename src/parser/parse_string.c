// String literals: one or more string tokens in a row make one constant, or
// one f-string if any of them is one.
#include <string.h>

#include "lexer/literal.h"
#include "parser/parse.h"

// `raw` text is copied as it is. A bad escape is told at the last token,
// without a span of its own.
bool parse_decode(Parser *p, StrBuf *out, Span part, bool raw, bool bytes)
{
    const char *text = p->source->text + part.start;
    char fault[120];
    if (raw) {
        strbuf_add(out, text, part.end - part.start);
        return strbuf_ok(out);
    }
    return literal_decode(out, text, part.end - part.start, bytes, fault) ||
           (!ctx_failed(p->ctx) &&
            parse_fail_furthest(p, ERR_SYNTAX, "%s", fault));
}

// The span is that of the whole literal, also when the text is only a part of
// it.
static Node *new_text(Parser *p, ConstantType type, const StrBuf *text,
                      Span span)
{
    Node *node = parse_node(p, AST_CONSTANT, span.start);
    if (node == NULL) {
        return NULL;
    }
    node->span = span;
    node->constant.type = type;
    node->constant.text.length = text->length;
    node->constant.text.text =
        arena_strndup(p->arena, strbuf_text(text), text->length);
    return node->constant.text.text != NULL ? node : NULL;
}

// The buffer is emptied, to gather what follows the next field. No constant is
// made for an empty text.
bool parse_flush_literal(Parser *p, StrBuf *literal, Span whole)
{
    if (literal->length == 0) {
        return true;
    }
    Node *node = new_text(p, CONSTANT_STR, literal, whole);
    literal->length = 0;
    return parse_list_add(p, node);
}

typedef struct Strings {
    uint32_t first, count; // tokens
    bool bytes;            // of the first
    bool format;           // of any
    Span whole;
} Strings;

// Taken from the text whenever it is needed, which is cheaper than to keep it
// for every token.
static StringParts parts_of(const Parser *p, uint32_t token)
{
    Span span = p->tokens[token].span;
    return literal_string_parts(p->source->text + span.start,
                                span.end - span.start);
}

// Bytes literals are ASCII; what lies beyond is written by escapes.
static bool check_bytes(Parser *p, uint32_t token, const StringParts *parts)
{
    Span span = p->tokens[token].span;
    // `parts->body` counts from the start of the token.
    const char *body = p->source->text + span.start + parts->body;
    for (uint32_t i = 0; parts->bytes && i < parts->body_length; i++) {
        if ((unsigned char)body[i] >= 0x80) {
            return parse_fail_furthest(p, ERR_SYNTAX,
                                       "bytes can only contain ASCII literal "
                                       "characters");
        }
    }
    return true;
}

// Takes the tokens and checks that they go together.
// All prefixes are looked at before any text is decoded.
static bool take_strings(Parser *p, Strings *strings)
{
    strings->first = p->position;
    while (parse_accept(p, TOK_STRING)) {
        strings->count++;
    }
    strings->whole = (Span){p->tokens[strings->first].span.start,
                            p->tokens[p->position - 1].span.end};
    // The first token sets the sort, the others must agree.
    strings->bytes = parts_of(p, strings->first).bytes;
    for (uint32_t i = 0; i < strings->count; i++) {
        StringParts parts = parts_of(p, strings->first + i);
        strings->format |= parts.format;
        if (!check_bytes(p, strings->first + i, &parts)) {
            return false;
        }
        if (parts.bytes != strings->bytes) {
            return parse_fail_furthest(p, ERR_SYNTAX,
                                       "cannot mix bytes and nonbytes "
                                       "literals");
        }
    }
    return true;
}

// Text of neighbouring tokens runs together in `literal`, also from a plain
// string into an f-string.
static bool add_token(Parser *p, StrBuf *literal, uint32_t token, Span whole)
{
    StringParts parts = parts_of(p, token);
    uint32_t start = p->tokens[token].span.start + parts.body;
    Span body = {start, start + parts.body_length};
    // Raw and format go together; bytes and format do not, by the lexer's
    // prefixes.
    if (parts.format) {
        return parse_fstring(p, literal, body, parts.raw, whole);
    }
    return parse_decode(p, literal, body, parts.raw, parts.bytes);
}

// `literal` is the caller's, who frees it in any case.
static Node *build(Parser *p, const Strings *strings, StrBuf *literal)
{
    size_t mark = parse_list_begin(p);
    for (uint32_t i = 0; i < strings->count; i++) {
        if (!add_token(p, literal, strings->first + i, strings->whole)) {
            return NULL;
        }
    }
    // Also for no text at all: an empty literal is a constant.
    if (!strings->format) {
        return new_text(p, strings->bytes ? CONSTANT_BYTES : CONSTANT_STR,
                        literal, strings->whole);
    }
    Node *node = parse_flush_literal(p, literal, strings->whole)
                     ? parse_node(p, AST_JOINED_STR, strings->whole.start)
                     : NULL;
    if (node == NULL || !parse_list_end(p, mark, &node->joined_str.values)) {
        return NULL;
    }
    return node;
}

// strings: STRING+
// The span is that of all tokens together, also for the parts of an f-string.
Node *parse_strings(Parser *p)
{
    Strings strings = {0};
    if (!take_strings(p, &strings)) {
        return NULL;
    }
    StrBuf literal;
    strbuf_init(&literal, p->ctx);
    Node *node = build(p, &strings, &literal);
    strbuf_free(&literal);
    return node;
}
