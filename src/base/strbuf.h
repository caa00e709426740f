// A growing byte string for building text. After a failed append the buffer is
// marked failed and swallows the rest, so that a long piece of printing needs
// one check at its end: strbuf_ok.
#ifndef DUET_BASE_STRBUF_H
#define DUET_BASE_STRBUF_H

#include "base/ctx.h"

typedef struct StrBuf {
    Ctx *ctx;
    char *text; // NUL-terminated once anything was appended, else NULL
    size_t length, capacity;
    bool failed; // an append failed; its error is pending in ctx
} StrBuf;

// Empty and without memory; strbuf_free is due in any case, unless the text is
// taken.
void strbuf_init(StrBuf *buf, Ctx *ctx);
// May be called again, and on a buffer that has failed.
void strbuf_free(StrBuf *buf);
// Failure is sticky: after it nothing is added, and strbuf_ok says so at the
// end.
void strbuf_add(StrBuf *buf, const char *text, size_t length);
void strbuf_puts(StrBuf *buf, const char *text);
void strbuf_putc(StrBuf *buf, char byte);
void strbuf_lower(StrBuf *buf, const char *text); // ASCII's capitals as small
void strbuf_pad(StrBuf *buf, char byte, size_t count); // `byte`, count times
// As UTF-8, surrogates included.
void strbuf_codepoint(StrBuf *buf, uint32_t codepoint);
// As repr() escapes it: \n, \r, \t, else \x.., \u...., \U........: the first
// that holds it.
void strbuf_escape(StrBuf *buf, uint32_t codepoint);
void strbuf_printf(StrBuf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
void strbuf_vprintf(StrBuf *buf, const char *format, va_list args);
// Marks the buffer failed; the caller has set the error in ctx.
void strbuf_fail(StrBuf *buf);
MUST_CHECK static inline bool strbuf_ok(const StrBuf *buf)
{
    return !buf->failed;
}
// The text so far, "" if there is none. Valid until the next append.
static inline const char *strbuf_text(const StrBuf *buf)
{
    return buf->text != NULL ? buf->text : "";
}
// Whether both hold the same bytes.
bool strbuf_equal(const StrBuf *a, const StrBuf *b);

#endif
