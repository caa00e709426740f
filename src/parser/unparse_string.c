// Constants and f-strings as source text.
//
// Invariant: an f-string's expressions hold no backslash and no quote of the
// string's own kind; what cannot be written so in one string is cut into
// several that stand side by side.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "parser/unparse.h"

// One character of a string between `quote`s; the bytes it took.
// Bytes are taken one by one. A NUL as `quote` escapes neither kind of quote,
// which choose_quotes makes use of.
static size_t put_character(StrBuf *out, const char *text, size_t rest,
                            char quote, bool bytes)
{
    uint32_t codepoint = (unsigned char)*text;
    size_t taken = bytes ? 1 : utf8_decode(text, rest, &codepoint);
    // A lone surrogate cannot stand in a source, which is valid UTF-8.
    bool surrogate = codepoint >= 0xD800 && codepoint <= 0xDFFF;
    // Not UTF-8, which no constant should be: go on by a byte.
    if (taken == 0) {
        taken = 1;
    }
    if (codepoint == (unsigned char)quote || codepoint == '\\') {
        strbuf_putc(out, '\\');
        strbuf_putc(out, (char)codepoint);
    } else if ((bytes && codepoint >= 0x7F) || surrogate ||
               !utf8_is_printable(codepoint)) {
        strbuf_escape(out, codepoint);
    } else {
        strbuf_add(out, text, taken);
    }
    return taken;
}

// The quotes that repr chooses: double ones only if the text has single ones
// and no double ones.
static void put_string(StrBuf *out, Text text, bool bytes)
{
    bool single = memchr(text.text, '\'', text.length) != NULL;
    bool twice = memchr(text.text, '"', text.length) != NULL;
    char quote = single && !twice ? '"' : '\'';
    if (bytes) {
        strbuf_putc(out, 'b');
    }
    strbuf_putc(out, quote);
    for (size_t at = 0; at < text.length;) {
        at +=
            put_character(out, text.text + at, text.length - at, quote, bytes);
    }
    strbuf_putc(out, quote);
}

// The shortest digits that read back as the same number.
static void put_float(StrBuf *out, double number)
{
    char digits[32];
    // There is no literal for infinity; a number too large reads back as it,
    // as in ast.unparse.
    if (isinf(number)) {
        strbuf_puts(out, "1e309");
        return;
    }
    int precision = 0;
    do {
        snprintf(digits, sizeof digits, "%.*e", precision, number);
    } while (strtod(digits, NULL) != number && ++precision < 17);
    // As repr: without an exponent where the number is neither large nor small.
    int exponent = atoi(strchr(digits, 'e') + 1);
    if (exponent >= -4 && exponent < 16) {
        int decimals = precision > exponent ? precision - exponent : 0;
        snprintf(digits, sizeof digits, "%.*f", decimals, number);
    } else {
        snprintf(digits, sizeof digits, "%.*g", precision + 1, number);
    }
    strbuf_puts(out, digits);
    // Without it an int would be read back.
    if (strpbrk(digits, ".e") == NULL) {
        strbuf_puts(out, ".0");
    }
}

void unparse_constant(Unparser *u, const Node *node)
{
    switch (node->constant.type) {
    case CONSTANT_NONE: strbuf_puts(u->out, "None"); break;
    case CONSTANT_FALSE: strbuf_puts(u->out, "False"); break;
    case CONSTANT_TRUE: strbuf_puts(u->out, "True"); break;
    case CONSTANT_ELLIPSIS: strbuf_puts(u->out, "..."); break;
    case CONSTANT_INT:
        strbuf_add(u->out, node->constant.text.text,
                   node->constant.text.length);
        break;
    case CONSTANT_FLOAT: put_float(u->out, node->constant.number); break;
    default:
        put_string(u->out, node->constant.text,
                   node->constant.type == CONSTANT_BYTES);
    }
}

// Text between an f-string's quotes: braces are doubled, but not in a spec.
// Escapes hold no braces, so doubling is safe byte by byte.
static void put_literal(StrBuf *out, Text text, char quote, bool spec)
{
    for (size_t at = 0; at < text.length;) {
        char byte = text.text[at];
        if (!spec && (byte == '{' || byte == '}')) {
            strbuf_putc(out, byte);
        }
        at +=
            put_character(out, text.text + at, text.length - at, quote, false);
    }
}

static void put_parts(Unparser *u, StrBuf *out, const NodeList *parts,
                      char quote, bool spec);

// '{' expression ['!' conversion] [':' spec] '}'
// The expression is printed by a run of its own into a buffer, because its
// first character and its quotes must be looked at.
static void put_field(Unparser *u, StrBuf *out, const Node *field, char quote)
{
    StrBuf inside;
    strbuf_init(&inside, out->ctx);
    // Printed apart, to see what it begins with.
    ast_unparse(&inside, field->formatted.value, 0);
    const char *text = strbuf_text(&inside);
    u->failed |= !strbuf_ok(&inside);
    strbuf_putc(out, '{');
    if (text[0] == '{') {
        strbuf_putc(out, ' '); // not a doubled brace
    }
    // The colon of a lambda would begin the format spec.
    bool bracket = strncmp(text, "lambda", 6) == 0;
    strbuf_puts(out, bracket ? "(" : "");
    strbuf_puts(out, text);
    strbuf_puts(out, bracket ? ")" : "");
    strbuf_free(&inside);
    if (field->formatted.conversion != 0) {
        strbuf_putc(out, '!');
        strbuf_putc(out, field->formatted.conversion);
    }
    if (field->formatted.format_spec != NULL) {
        const Node *spec = field->formatted.format_spec;
        strbuf_putc(out, ':');
        put_parts(u, out, &spec->joined_str.values, quote, true);
    }
    strbuf_putc(out, '}');
}

// Recurses for the format spec of a field; the parser bounds how deep those
// nest.
static void put_parts(Unparser *u, StrBuf *out, const NodeList *parts,
                      char quote, bool spec)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        const Node *part = parts->items[i];
        if (part->kind == AST_CONSTANT) {
            put_literal(out, part->constant.text, quote, spec);
        } else {
            put_field(u, out, part, quote);
        }
    }
}

// The quotes that none of the expressions uses: each part is printed, and the
// strings in it are looked at.
// The fields alone are looked at: quotes in the text can be escaped.
static const char *choose_quotes(Unparser *u, const Node *node)
{
    StrBuf fields;
    strbuf_init(&fields, u->out->ctx);
    const NodeList *parts = &node->joined_str.values;
    for (uint32_t i = 0; i < parts->count; i++) {
        if (parts->items[i]->kind == AST_FORMATTED_VALUE) {
            put_field(u, &fields, parts->items[i], '\0');
        }
    }
    const char *text = strbuf_text(&fields);
    const char *quotes = strchr(text, '\'') == NULL    ? "'"
                         : strchr(text, '"') == NULL   ? "\""
                         : strstr(text, "'''") == NULL ? "'''"
                                                       : "\"\"\"";
    u->failed |= !strbuf_ok(&fields);
    strbuf_free(&fields);
    return quotes;
}

// An f-string in a field of another is printed through ast_unparse, so this
// recurses and is counted.
void unparse_joined(Unparser *u, const Node *node)
{
    if (!ctx_enter(u->out->ctx)) {
        u->failed = true;
        return;
    }
    const char *quotes = choose_quotes(u, node);
    strbuf_putc(u->out, 'f');
    strbuf_puts(u->out, quotes);
    put_parts(u, u->out, &node->joined_str.values, quotes[0], false);
    strbuf_puts(u->out, quotes);
    ctx_leave(u->out->ctx);
}
