// The inside of f-strings, by the rules before Python 3.12: an expression holds
// no backslash, no comment and no quote of the string's own kind, and its end
// is found by brackets and quotes alone, before it is read.
//
//     body:  (text | '{{' | '}}' | field)*
//     field: '{' expression ['='] ['!' ('s' | 'r' | 'a')] [':' spec] '}'
//     spec:  (text | field)*           no deeper than one field in a field
#include <string.h>

#include "parser/parse.h"

enum { MAX_LEVEL = 2, MAX_BRACKETS = 200 };

// One f-string literal (one token) on its way through the parser. Positions
// are offsets in the source, so that faults and tokens need no translation.
typedef struct FString {
    Parser *p;
    const char *text; // the source's
    uint32_t position, end;
    bool raw;
    int level;  // 0 in the string, 1 in a format spec
    Span whole; // of the literal
} FString;

// One replacement field as the scan found it, before its expression is read.
typedef struct Field {
    Span expression;
    bool debug;      // `=`
    Span debug_text; // the expression, the '=' and the blanks around it
    char conversion;
} Field;

// Errors are told at the token last read, whatever part of the string is at
// fault; hence no span.
static bool fail(FString *f, const char *message)
{
    return parse_fail_furthest(f->p, ERR_SYNTAX, "f-string: %s", message);
}

// The two characters that cannot stand in an expression before Python 3.12.
static bool fail_part(FString *f, char byte)
{
    return parse_fail_furthest(f->p, ERR_SYNTAX,
                               "f-string expression part cannot include %s",
                               byte == '#' ? "'#'" : "a backslash");
}

// NUL past the end: a source holds no NUL, so it can be nothing else.
static char peek(const FString *f, uint32_t ahead)
{
    uint32_t at = f->position + ahead;
    return at < f->end ? f->text[at] : '\0';
}

// Text up to a brace that means something; doubled ones count as one.
// A backslash takes the next byte along, so that an escaped backslash begins
// no other escape; before a brace it stands for itself.
static bool take_text(FString *f, StrBuf *literal)
{
    uint32_t start = f->position;
    while (f->position < f->end) {
        char byte = peek(f, 0);
        if (byte == '\\' && !f->raw) {
            char next = peek(f, 1);
            // The brace behind a backslash still counts as a brace.
            f->position += next == '{' || next == '}' || next == '\0' ? 1 : 2;
            // The braces of \N{NAME} are no field's.
            if (next == 'N' && peek(f, 0) == '{') {
                while (f->position < f->end && peek(f, 0) != '}') {
                    f->position++;
                }
                f->position += f->position < f->end;
            }
            continue;
        }
        if (byte != '{' && byte != '}') {
            f->position++;
            continue;
        }
        // In a format spec braces are not doubled.
        bool doubled = f->level == 0 && peek(f, 1) == byte;
        Span part = {start, f->position + doubled};
        if (!doubled && byte == '}' && f->level == 0) {
            return fail(f, "single '}' is not allowed");
        }
        // The first of two doubled braces goes along with the text before it.
        if (!parse_decode(f->p, literal, part, f->raw, false)) {
            return false;
        }
        if (!doubled) {
            return true;
        }
        f->position += 2;
        start = f->position;
    }
    Span part = {start, f->position};
    return parse_decode(f->p, literal, part, f->raw, false);
}

// Passes a string inside an expression.
// Needed because brackets and colons inside a string do not count. A backslash
// is refused here too.
static bool skip_quoted(FString *f)
{
    char quote = peek(f, 0);
    bool triple = peek(f, 1) == quote && peek(f, 2) == quote;
    uint32_t quotes = triple ? 3 : 1;
    f->position += quotes;
    for (; f->position < f->end; f->position++) {
        char byte = peek(f, 0);
        if (byte == '\\') {
            return fail_part(f, byte);
        }
        if (byte == quote &&
            (!triple || (peek(f, 1) == quote && peek(f, 2) == quote))) {
            f->position += quotes;
            return true;
        }
    }
    return fail(f, "unterminated string");
}

// `open` is NUL if no bracket is open.
static bool fail_bracket(FString *f, char close, char open)
{
    if (open == '\0') {
        return parse_fail_furthest(f->p, ERR_SYNTAX, "f-string: unmatched '%c'",
                                   close);
    }
    return parse_fail_furthest(f->p, ERR_SYNTAX,
                               "f-string: closing parenthesis '%c' does not "
                               "match opening parenthesis '%c'",
                               close, open);
}

// The brackets open in an expression, kept for the message when one is closed
// by another kind.
typedef struct Nesting {
    char open[MAX_BRACKETS];
    uint32_t depth;
} Nesting;

// The limit and its wording are fixed.
static bool take_bracket(FString *f, Nesting *nesting)
{
    char byte = peek(f, 0);
    if (byte == '(' || byte == '[' || byte == '{') {
        if (nesting->depth >= MAX_BRACKETS) {
            return fail(f, "too many nested parenthesis");
        }
        nesting->open[nesting->depth++] = byte;
    } else {
        char open = nesting->depth > 0 ? nesting->open[--nesting->depth] : '\0';
        char wanted = byte == ')' ? '(' : byte == ']' ? '[' : '{';
        if (open != wanted) {
            return fail_bracket(f, byte, open);
        }
    }
    f->position++;
    return true;
}

// At depth 0: does the expression end here? Comparison operators do not end
// it; they are passed.
// `!=`, `==`, `<=` and `>=` are operators, `:` and `!` and `=` alone are not.
static bool at_end(FString *f)
{
    char byte = peek(f, 0);
    if (byte == '\0' || strchr("!:}=<>", byte) == NULL) {
        return false;
    }
    if (byte != ':' && byte != '}' && peek(f, 1) == '=') {
        f->position++; // its '=' goes as any other character
        return false;
    }
    return byte != '<' && byte != '>';
}

// Finds where the expression ends.
// By characters and not by tokens; what it passes is read by the lexer
// afterwards.
static bool scan_expression(FString *f)
{
    Nesting nesting = {.depth = 0};
    while (f->position < f->end) {
        char byte = peek(f, 0);
        if (byte == '\\' || byte == '#') {
            return fail_part(f, byte);
        }
        if (byte == '\'' || byte == '"') {
            if (!skip_quoted(f)) {
                return false;
            }
            continue;
        }
        // at_end may move past the first character of an operator, so the byte
        // is read again below.
        if (nesting.depth == 0 && at_end(f)) {
            return true;
        }
        if (strchr("()[]{}", peek(f, 0)) == NULL) {
            f->position++;
        } else if (!take_bracket(f, &nesting)) {
            return false;
        }
    }
    if (nesting.depth > 0) {
        return fail_bracket(f, nesting.open[nesting.depth - 1], '\0');
    }
    return fail(f, "expecting '}'");
}

// What is empty, which is told before the expression is read.
static bool is_blank(const FString *f, Span span)
{
    for (uint32_t at = span.start; at < span.end; at++) {
        if (strchr(" \t\n\f\r", f->text[at]) == NULL) {
            return false;
        }
    }
    return true;
}

// The text of `{a = }` is shown as written, blanks included.
static bool take_debug(FString *f, Field *field)
{
    if (peek(f, 0) != '=') {
        return true;
    }
    f->position++;
    while (f->position < f->end && strchr(" \t\n\f\r", peek(f, 0)) != NULL) {
        f->position++;
    }
    field->debug = true;
    field->debug_text = (Span){field->expression.start, f->position};
    return true;
}

// `!}` is an invalid conversion and not a missing one.
static bool take_conversion(FString *f, Field *field)
{
    if (peek(f, 0) != '!') {
        return true;
    }
    if (f->position + 1 >= f->end) {
        return fail(f, "expecting '}'");
    }
    field->conversion = peek(f, 1);
    if (strchr("sra", field->conversion) == NULL) {
        return fail(f, "invalid conversion character: expected 's', 'r', or "
                       "'a'");
    }
    f->position += 2;
    return true;
}

// '{' expression ['='] ['!' conversion], up to the ':' or '}'.
// Leaves the position at what ends the field or begins its spec.
static bool take_field(FString *f, Field *field)
{
    if (f->level >= MAX_LEVEL) {
        return fail(f, "expressions nested too deeply");
    }
    f->position++;
    field->expression.start = f->position;
    if (!scan_expression(f)) {
        return false;
    }
    field->expression.end = f->position;
    // `{}` and `{ }` have a message of their own.
    if (is_blank(f, field->expression)) {
        return fail(f, peek(f, 0) == '!'   ? "expression required before '!'"
                       : peek(f, 0) == ':' ? "expression required before ':'"
                       : peek(f, 0) == '=' ? "expression required before '='"
                                           : "empty expression not allowed");
    }
    return take_debug(f, field) && take_conversion(f, field);
}

// The part of the source gets tokens of its own, in place of the source's,
// whose f-string is one token. They are freed here; nodes copy what they keep.
static Node *parse_field_expression(FString *f, Span part)
{
    Parser *p = f->p;
    TokenList tokens = {0};
    Node *node = NULL;
    if (lexer_run_expression(p->ctx, p->source, part, &tokens)) {
        node = parse_nested(p, &tokens, part);
    }
    token_list_free(p->ctx, &tokens);
    return node;
}

static bool parse_parts(FString *f, StrBuf *literal);

// spec: what stands between the ':' and the '}' of a field.
// A spec is an f-string of its own: text and fields, one level in.
static Node *parse_spec(FString *f)
{
    StrBuf literal;
    Parser *p = f->p;
    size_t mark = parse_list_begin(p);
    strbuf_init(&literal, p->ctx);
    f->position++;
    // Depth of fields, which take_field checks against MAX_LEVEL.
    f->level++;
    bool parsed =
        parse_parts(f, &literal) && parse_flush_literal(p, &literal, f->whole);
    f->level--;
    strbuf_free(&literal);
    Node *node = parsed ? parse_node(p, AST_JOINED_STR, f->whole.start) : NULL;
    if (node == NULL || !parse_list_end(p, mark, &node->joined_str.values)) {
        return NULL;
    }
    return node;
}

// The debug text goes to the literal in front of the field. With it, and with
// neither conversion nor spec, the value is formatted by repr.
static bool add_field(FString *f, StrBuf *literal, const Field *field,
                      Node *value, Node *spec)
{
    Parser *p = f->p;
    if (field->debug) {
        Span text = field->debug_text;
        strbuf_add(literal, f->text + text.start, text.end - text.start);
        if (!strbuf_ok(literal)) {
            return false;
        }
    }
    if (!parse_flush_literal(p, literal, f->whole)) {
        return false;
    }
    Node *node = parse_node(p, AST_FORMATTED_VALUE, f->whole.start);
    if (node == NULL) {
        return false;
    }
    // `=` alone shows the repr; with a spec or a conversion it does not.
    bool plain = field->debug && spec == NULL && field->conversion == 0;
    node->formatted.value = value;
    node->formatted.conversion = plain ? 'r' : field->conversion;
    node->formatted.format_spec = spec;
    return parse_list_add(p, node);
}

// The format spec is read after the expression, so a fault in the expression
// is told first.
static bool parse_field(FString *f, StrBuf *literal)
{
    Field field = {.debug = false};
    if (!take_field(f, &field)) {
        return false;
    }
    Node *value = parse_field_expression(f, field.expression);
    Node *spec = NULL;
    if (value == NULL ||
        (peek(f, 0) == ':' && (spec = parse_spec(f)) == NULL)) {
        return false;
    }
    if (peek(f, 0) != '}') {
        return fail(f, "expecting '}'");
    }
    f->position++;
    return add_field(f, literal, &field, value, spec);
}

// Text and fields to the end of the string, or of the format spec.
// The text in `literal` may go on from the token before.
static bool parse_parts(FString *f, StrBuf *literal)
{
    for (;;) {
        if (!take_text(f, literal)) {
            return false;
        }
        if (f->position >= f->end || peek(f, 0) == '}') {
            return true;
        }
        if (!parse_field(f, literal)) {
            return false;
        }
    }
}

// Ends at the end of the body: a '}' that ends it early is a fault that
// take_text has raised at level 0.
bool parse_fstring(Parser *p, StrBuf *literal, Span body, bool raw, Span whole)
{
    FString f = {p, p->source->text, body.start, body.end, raw, 0, whole};
    return parse_parts(&f, literal);
}
