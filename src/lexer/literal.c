// The values of literals.
//
// Invariant: what literal_decode appends for a str is UTF-8 in which only
// surrogates written as escapes may stand alone; for bytes it is the bytes.
#include "lexer/literal.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/char_name.h"
#include "base/utf8.h"

// The text is that of a STRING token, so a quote follows and the closing
// quotes are there. `''` is an empty string, `''''''` an empty triple-quoted
// one: the length tells.
StringParts literal_string_parts(const char *text, size_t length)
{
    StringParts parts = {0};
    uint32_t at = 0;
    for (; text[at] != '"' && text[at] != '\''; at++) {
        char letter = (char)(text[at] | 0x20);
        parts.raw |= letter == 'r';
        parts.bytes |= letter == 'b';
        parts.format |= letter == 'f';
    }
    size_t rest = length - at;
    uint32_t quotes = 1;
    // Six quotes at least, or it would be an empty string and a quote.
    if (rest >= 6 && text[at + 1] == text[at] && text[at + 2] == text[at]) {
        quotes = 3;
    }
    parts.body = at + quotes;
    parts.body_length = (uint32_t)length - at - 2 * quotes;
    return parts;
}

// A run through one string's text.
// `fault` is the caller's buffer, written only on failure.
typedef struct StringDecoder {
    StrBuf *out;
    const char *text;
    size_t length, position;
    bool bytes;
    char *fault; // of 120 bytes
} StringDecoder;

// Places are told in a copy where each character beyond ASCII has the ten bytes
// of \UXXXXXXXX.
// Counts by lead bytes, so a character of several bytes counts once.
static size_t told_position(const StringDecoder *d, size_t offset)
{
    size_t position = 0;
    for (size_t i = 0; i < offset; i++) {
        unsigned char byte = (unsigned char)d->text[i];
        position += byte < 0x80 ? 1 : (byte & 0xC0) != 0x80 ? 10 : 0;
    }
    return position;
}

// `last` is inclusive.
static bool fail_escape(const StringDecoder *d, size_t start, size_t end,
                        const char *reason)
{
    size_t first = told_position(d, start);
    size_t last = told_position(d, end) - 1;
    snprintf(d->fault, 120,
             "(unicode error) 'unicodeescape' codec can't decode bytes in "
             "position %zu-%zu: %s",
             first, last, reason);
    return false;
}

// -1 if it is no digit.
static int hex_value(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    char letter = (char)(byte | 0x20);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// \xXX, \uXXXX, \UXXXXXXXX; the letter is at the position.
static bool decode_hex(StringDecoder *d, size_t start)
{
    // The number of digits is fixed; too few of them are a fault.
    char letter = d->text[d->position++];
    int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8, seen = 0;
    uint32_t value = 0;
    while (seen < digits && d->position < d->length &&
           hex_value(d->text[d->position]) >= 0) {
        value = value << 4 | (uint32_t)hex_value(d->text[d->position++]);
        seen++;
    }
    // Bytes have only \x, with words of its own.
    if (seen < digits && d->bytes) {
        snprintf(d->fault, 120,
                 "(value error) invalid \\x escape at position %zu", start);
        return false;
    }
    if (seen < digits) {
        return fail_escape(d, start, d->position,
                           letter == 'x'   ? "truncated \\xXX escape"
                           : letter == 'u' ? "truncated \\uXXXX escape"
                                           : "truncated \\UXXXXXXXX escape");
    }
    // Only eight digits can get here; surrogates are let through.
    if (value > 0x10FFFF) {
        return fail_escape(d, start, d->position, "illegal Unicode character");
    }
    if (d->bytes) {
        strbuf_putc(d->out, (char)value);
    } else {
        strbuf_codepoint(d->out, value);
    }
    return true;
}

// \N{NAME}, of one character: named sequences are for unicodedata.lookup. The
// letter is at the position.
static bool decode_name(StringDecoder *d, size_t start)
{
    static const char malformed[] = "malformed \\N character escape";
    d->position++;
    if (d->position >= d->length || d->text[d->position] != '{') {
        return fail_escape(d, start, d->position, malformed);
    }
    const char *name = d->text + ++d->position;
    const char *end = memchr(name, '}', d->length - d->position);
    size_t length =
        end != NULL ? (size_t)(end - name) : d->length - d->position;
    d->position += length;
    if (end == NULL || length == 0) {
        return fail_escape(d, start, d->position, malformed);
    }
    d->position++;
    uint32_t found[CHAR_SEQUENCE_SIZE];
    if (char_by_name(name, length, false, found) == 0) {
        return fail_escape(d, start, d->position,
                           "unknown Unicode character name");
    }
    strbuf_codepoint(d->out, *found);
    return true;
}

// Up to three octal digits.
// At least one digit is there. Bytes keep the low eight bits of what is above
// \377.
static void decode_octal(StringDecoder *d)
{
    uint32_t value = 0;
    for (int i = 0; i < 3 && d->position < d->length; i++) {
        char byte = d->text[d->position];
        if (byte < '0' || byte > '7') {
            break;
        }
        value = value << 3 | (uint32_t)(byte - '0');
        d->position++;
    }
    if (d->bytes) {
        strbuf_putc(d->out, (char)value);
    } else {
        strbuf_codepoint(d->out, value);
    }
}

// The position is behind the backslash at `start`. An escape that has no
// meaning stays as it is.
// Nothing is decoded twice: an unknown escape leaves its letter to be copied
// with the text behind it.
static bool decode_escape(StringDecoder *d, size_t start)
{
    // Side by side with what they stand for.
    static const char letters[] = "\\'\"abfnrtv";
    static const char values[] = "\\'\"\a\b\f\n\r\t\v";
    char byte = d->text[d->position];
    const char *found = byte != '\0' ? strchr(letters, byte) : NULL;
    if (found != NULL) {
        strbuf_putc(d->out, values[found - letters]);
        d->position++;
        return true;
    }
    // A backslash at a line end joins the lines.
    if (byte == '\n') {
        d->position++;
        return true;
    }
    if (byte >= '0' && byte <= '7') {
        decode_octal(d);
        return true;
    }
    if (byte == 'x' || (!d->bytes && (byte == 'u' || byte == 'U'))) {
        return decode_hex(d, start);
    }
    if (byte == 'N' && !d->bytes) {
        return decode_name(d, start);
    }
    strbuf_putc(d->out, '\\');
    return true;
}

// Text without backslashes is copied in runs. A backslash at the very end can
// only come from a part of an f-string; it stands for itself.
bool literal_decode(StrBuf *out, const char *text, size_t length, bool bytes,
                    char fault[120])
{
    StringDecoder d = {out, text, length, 0, bytes, fault};
    while (d.position < length) {
        const char *rest = text + d.position;
        const char *slash = memchr(rest, '\\', length - d.position);
        size_t plain =
            slash != NULL ? (size_t)(slash - rest) : length - d.position;
        strbuf_add(out, rest, plain);
        d.position += plain;
        if (slash == NULL) {
            break;
        }
        size_t start = d.position++;
        if (d.position >= length) {
            strbuf_putc(out, '\\');
        } else if (!decode_escape(&d, start)) {
            return false;
        }
    }
    return strbuf_ok(out);
}

// The lexer has checked where the underscores stand.
size_t literal_digits(const char *text, size_t length, char *out)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '_') {
            out[count++] = text[i];
        }
    }
    out[count] = '\0';
    return count;
}

// The `e` of a hexadecimal number is a digit. No octal or binary number holds
// one.
bool literal_is_float(const char *text, size_t length)
{
    if (length > 1 && (text[1] | 0x20) == 'x') {
        return false;
    }
    return memchr(text, '.', length) != NULL ||
           memchr(text, 'e', length) != NULL ||
           memchr(text, 'E', length) != NULL;
}

// strtod follows the locale, and a host program may have set one with a
// decimal comma.
double literal_float(const char *digits)
{
    if (strcmp(localeconv()->decimal_point, ".") == 0) {
        return strtod(digits, NULL);
    }
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return strtod(digits, NULL);
    }
    // The thread's locale alone is changed, for the one call.
    locale_t before = uselocale(plain);
    double value = strtod(digits, NULL);
    uselocale(before);
    freelocale(plain);
    return value;
}
