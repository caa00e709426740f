// The growing byte string.
//
// Invariant: text is NULL, or capacity > length and text[length] is NUL.
#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>

#include "base/bulk.h"
#include "base/utf8.h"

enum {
    STRBUF_FIRST_CAPACITY = 64,
    STRBUF_POLL_SHIFT = 20 // long texts poll once in a megabyte
};

// Allocates nothing; the text is NULL until something is appended.
void strbuf_init(StrBuf *buf, Ctx *ctx)
{
    *buf = (StrBuf){.ctx = ctx};
}

// Clears the mark of failure too: the buffer can be used again.
void strbuf_free(StrBuf *buf)
{
    ctx_free(buf->ctx, buf->text, buf->capacity);
    *buf = (StrBuf){.ctx = buf->ctx};
}

// For printers that fail for a reason of their own.
void strbuf_fail(StrBuf *buf)
{
    buf->failed = true;
}

// Makes room for `extra` bytes and the NUL after them.
// The only place where an append can fail; all of them go through it.
static bool reserve(StrBuf *buf, size_t extra)
{
    if (buf->failed) {
        return false;
    }
    if (buf->capacity - buf->length > extra) {
        return true;
    }
    size_t need;
    if (__builtin_add_overflow(buf->length + 1, extra, &need)) {
        buf->failed = true;
        return ctx_fail_memory(buf->ctx);
    }
    // By half, so that appending costs amortised constant time.
    size_t wanted = buf->capacity + buf->capacity / 2;
    wanted = wanted < STRBUF_FIRST_CAPACITY ? STRBUF_FIRST_CAPACITY : wanted;
    wanted = wanted < need ? need : wanted;
    char *moved = ctx_realloc(buf->ctx, buf->text, buf->capacity, wanted);
    if (moved == NULL) {
        buf->failed = true;
        return false;
    }
    buf->text = moved;
    buf->capacity = wanted;
    return true;
}

// Ctrl-C ends the building of a long text. Short ones never poll, so that
// messages of errors are made whole.
static inline void poll_long(StrBuf *buf, size_t added)
{
    size_t before = buf->length - added;
    if (UNLIKELY(before >> STRBUF_POLL_SHIFT !=
                 buf->length >> STRBUF_POLL_SHIFT) &&
        !ctx_poll(buf->ctx)) {
        buf->failed = true;
    }
}

// `text` may be NULL if `length` is 0, and may hold NULs. It must not lie in
// the buffer itself, which may move.
void strbuf_add(StrBuf *buf, const char *text, size_t length)
{
    if (reserve(buf, length)) {
        if (!bulk_copy(buf->ctx, buf->text + buf->length, text, length)) {
            buf->failed = true;
            length = 0;
        }
        buf->length += length;
        buf->text[buf->length] = '\0';
        poll_long(buf, length);
    }
}

// For C strings; a text that may hold NULs goes by strbuf_add.
void strbuf_puts(StrBuf *buf, const char *text)
{
    strbuf_add(buf, text, strlen(text));
}

// NUL bytes are bytes like others.
void strbuf_putc(StrBuf *buf, char byte)
{
    strbuf_add(buf, &byte, 1);
}

void strbuf_lower(StrBuf *buf, const char *text)
{
    for (; *text != '\0'; text++) {
        bool capital = *text >= 'A' && *text <= 'Z';
        strbuf_putc(buf, capital ? (char)(*text | 32) : *text);
    }
}

// Room is made for all at once; the bytes come in pieces, as there may be
// gigabytes of them.
void strbuf_pad(StrBuf *buf, char byte, size_t count)
{
    if (!reserve(buf, count)) {
        return;
    }
    while (count > 0 && !buf->failed) {
        size_t piece = count >> STRBUF_POLL_SHIFT != 0
                           ? (size_t)1 << STRBUF_POLL_SHIFT
                           : count;
        memset(buf->text + buf->length, byte, piece);
        buf->length += piece;
        count -= piece;
        poll_long(buf, piece);
    }
    buf->text[buf->length] = '\0';
}

// Surrogates are encoded like any other code point.
void strbuf_codepoint(StrBuf *buf, uint32_t codepoint)
{
    char bytes[UTF8_MAX_BYTES];
    strbuf_add(buf, bytes, utf8_encode(codepoint, bytes));
}

// Measured and printed in two goes, so `args` is copied for the first.
void strbuf_vprintf(StrBuf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length >= 0 && reserve(buf, (size_t)length)) {
        vsnprintf(buf->text + buf->length, (size_t)length + 1, format, args);
        buf->length += (size_t)length;
        poll_long(buf, (size_t)length);
    }
}

// What is too long for the room left is printed a second time, after growing.
void strbuf_printf(StrBuf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vprintf(buf, format, args);
    va_end(args);
}

void strbuf_escape(StrBuf *buf, uint32_t codepoint)
{
    switch (codepoint) {
    case '\n': strbuf_puts(buf, "\\n"); break;
    case '\r': strbuf_puts(buf, "\\r"); break;
    case '\t': strbuf_puts(buf, "\\t"); break;
    default:
        strbuf_printf(buf,
                      codepoint < 0x100     ? "\\x%02x"
                      : codepoint < 0x10000 ? "\\u%04x"
                                            : "\\U%08x",
                      codepoint);
    }
}

bool strbuf_equal(const StrBuf *a, const StrBuf *b)
{
    return a->length == b->length &&
           memcmp(strbuf_text(a), strbuf_text(b), a->length) == 0;
}
