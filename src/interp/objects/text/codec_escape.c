// The encodings "unicode_escape" and "raw_unicode_escape": text as it stands in
// a literal of the language, in ASCII or in Latin-1.
#include "interp/objects/text/codec.h"

#include <string.h>

#include "base/char_name.h"

void codec_escape_point(StrBuf *out, bool raw, uint32_t c)
{
    if (raw && c < 0x100) {
        strbuf_putc(out, (char)c);
    } else if (!raw && c == '\\') {
        strbuf_puts(out, "\\\\");
    } else if (!raw && c >= ' ' && c < 127) {
        strbuf_putc(out, (char)c);
    } else {
        strbuf_escape(out, c);
    }
}

// What is being read: `at` stands behind the backslash and the letter.
typedef struct EscapeReader {
    const unsigned char *data;
    size_t start, at, length; // start: the backslash
    StrBuf *out;
    const char *reason; // why it was not read; NULL: it was
} EscapeReader;

static int digit_of(unsigned char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// So many hexadecimal digits; `reason` if there are fewer, `above` if they are
// no code point.
static void read_digits(EscapeReader *r, size_t count, const char *reason,
                        const char *above)
{
    uint32_t c = 0;
    for (size_t i = 0; i < count; i++, r->at++) {
        int digit = r->at < r->length ? digit_of(r->data[r->at]) : -1;
        if (digit < 0) {
            r->reason = reason;
            return;
        }
        c = c * 16 + (uint32_t)digit;
    }
    if (c > 0x10FFFF) {
        r->reason = above;
        return;
    }
    strbuf_codepoint(r->out, c);
}

static void read_octal(EscapeReader *r)
{
    uint32_t c = 0;
    for (int i = 0; i < 3 && r->at < r->length && r->data[r->at] >= '0' &&
                    r->data[r->at] <= '7';
         i++) {
        c = c * 8 + (uint32_t)(r->data[r->at++] - '0');
    }
    strbuf_codepoint(r->out, c);
}

// "{EM DASH}" behind "\\N".
static void read_name(EscapeReader *r)
{
    const unsigned char *name = r->data + r->at + 1;
    size_t rest = r->length - r->at; // then the length of the name
    if (rest > 0 && name[-1] == '{') {
        const unsigned char *close = memchr(name, '}', rest - 1);
        r->at += close == NULL ? rest : (size_t)(close - name) + 1;
        rest = close == NULL ? 0 : (size_t)(close - name);
    } else {
        rest = 0;
    }
    if (rest == 0) {
        r->reason = "malformed \\N character escape";
        return;
    }
    r->at++;
    uint32_t found[CHAR_SEQUENCE_SIZE];
    if (char_by_name((const char *)name, rest, false, found) != 0) {
        strbuf_codepoint(r->out, *found);
    } else {
        r->reason = "unknown Unicode character name";
    }
}

// The escapes that stand for one character each, in pairs.
static bool read_letter(EscapeReader *r, unsigned char letter)
{
    static const char pairs[] = "\\\\''\"\"a\ab\bt\tn\nf\fr\rv\v";
    for (size_t i = 0; i < sizeof pairs - 1; i += 2) {
        if (letter == (unsigned char)pairs[i]) {
            strbuf_putc(r->out, pairs[i + 1]);
            return true;
        }
    }
    return false;
}

// `letter` stood behind the backslash; what is no escape stays as it is.
static void read_escape(EscapeReader *r, bool raw, unsigned char letter)
{
    if (letter == 'u') {
        read_digits(r, 4, "truncated \\uXXXX escape", NULL);
    } else if (letter == 'U') {
        read_digits(r, 8, "truncated \\UXXXXXXXX escape",
                    raw ? "\\Uxxxxxxxx out of range"
                        : "illegal Unicode character");
    } else if (!raw && letter == 'x') {
        read_digits(r, 2, "truncated \\xXX escape", NULL);
    } else if (!raw && letter == 'N') {
        read_name(r);
    } else if (!raw && letter >= '0' && letter <= '7') {
        r->at--;
        read_octal(r);
    } else if (!raw && letter == '\n') {
        return; // the line goes on
    } else if (raw || !read_letter(r, letter)) {
        strbuf_putc(r->out, '\\');
        strbuf_codepoint(r->out, letter);
    }
}

size_t codec_read_escape(StrBuf *out, bool raw, const unsigned char *data,
                         size_t length, size_t at, size_t *bad,
                         const char **reason)
{
    if (data[at] != '\\') {
        strbuf_codepoint(out, data[at]);
        return 1;
    }
    EscapeReader r = {data, at, at + 2, length, out, NULL};
    if (at + 1 >= length && raw) {
        strbuf_putc(out, '\\');
        return 1;
    }
    if (at + 1 >= length) {
        r.at = length;
        r.reason = "\\ at end of string";
    } else {
        read_escape(&r, raw, data[at + 1]);
    }
    *bad = r.at - at;
    *reason = r.reason;
    return r.reason == NULL ? r.at - at : 0;
}
