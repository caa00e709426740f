// Padding, grouping and the placing of signs: the last step of every format.
//
// Invariant: nothing here fails but for want of memory, which the StrBuf keeps.
#include "interp/objects/text/format.h"

#include "base/utf8.h"

// A width may be huge; the loop stops at the first failed allocation.
static void pad(StrBuf *out, const FormatSpec *spec, int64_t count)
{
    // So wide a text is not tried: it would fail all the same, but might fill
    // all the memory there is before.
    if (count > FORMAT_MAX) {
        ctx_fail_memory(out->ctx);
        strbuf_fail(out);
        return;
    }
    if (spec->fill_size == 1) {
        strbuf_pad(out, spec->fill[0], count > 0 ? (size_t)count : 0);
        return;
    }
    for (int64_t i = 0; i < count && strbuf_ok(out); i++) {
        strbuf_add(out, spec->fill, spec->fill_size);
    }
}

// The width counts code points, not bytes. Centring puts the odd one on the
// right.
void format_pad(StrBuf *out, const FormatSpec *spec, const char *text,
                size_t length, char align)
{
    int64_t room = spec->width - (int64_t)utf8_count(text, length);
    // A width of -1, not given, ends up here, too.
    room = room < 0 ? 0 : room;
    align = spec->align != 0 ? spec->align : align;
    int64_t left = align == '<' ? 0 : align == '^' ? room / 2 : room;
    pad(out, spec, left);
    strbuf_add(out, text, length);
    pad(out, spec, room - left);
}

// Digits with separators; `width` > 0: zeros in front fill it up.
static void group_digits(StrBuf *out, const char *digits, size_t count,
                         char separator, int group, int64_t width)
{
    // Digits that are printed, zeros in front included.
    size_t total = count;
    size_t step = (size_t)group;
    // Zeros take separators, too, so their number cannot be computed by one
    // subtraction: each new one may bring a separator along.
    // So many fit at least, whatever the group.
    if (separator != 0 && width > 8 && (size_t)width / (step + 1) > count) {
        total = (size_t)width / (step + 1) * step - step;
    }
    while (separator != 0 && width > 0 &&
           (int64_t)(total + (total - 1) / step) < width) {
        total++;
    }
    for (size_t i = 0; i < total && strbuf_ok(out); i++) {
        if (i > 0 && separator != 0 && (total - i) % step == 0) {
            strbuf_putc(out, separator);
        }
        strbuf_putc(out, i < total - count ? '0' : digits[i - (total - count)]);
    }
}

// Without grouping, and with spaces on the left if any. False: not that.
static bool add_plainly(StrBuf *out, const FormatSpec *spec, const char *sign,
                        const char *digits, size_t length)
{
    bool right = spec->align == 0 || spec->align == '>';
    if (spec->grouping != 0 || !right || spec->fill[0] != ' ') {
        return false;
    }
    int64_t room = spec->width - (int64_t)(strlen(sign) + length);
    pad(out, spec, room);
    strbuf_puts(out, sign);
    strbuf_add(out, digits, length);
    return true;
}

// Only the whole part is grouped: `whole` counts the digits before the point or
// exponent. In groups of 4 (bases 2, 8, 16) letters may be digits.
void format_number(StrBuf *out, const FormatSpec *spec, const char *sign,
                   const char *digits, size_t length, int group)
{
    if (add_plainly(out, spec, sign, digits, length)) {
        return;
    }
    size_t whole = 0;
    bool hex = group == 4;
    while (whole < length && ((digits[whole] >= '0' && digits[whole] <= '9') ||
                              (hex && ((digits[whole] | 32) >= 'a' &&
                                       (digits[whole] | 32) <= 'f')))) {
        whole++;
    }
    // Apart from `out`, as its length decides on the padding.
    StrBuf body;
    strbuf_init(&body, out->ctx);
    // What the zeros share the width with besides the grouped digits.
    int64_t used = (int64_t)(strlen(sign) + length - whole);
    // Only zeros take separators; another fill is plain padding.
    bool zeros = spec->align == '=' && spec->fill[0] == '0';
    if (whole > 0) {
        group_digits(&body, digits, whole, spec->grouping, group,
                     zeros ? spec->width - used : 0);
    }
    strbuf_add(&body, digits + whole, length - whole);
    int64_t room = spec->width - (int64_t)(strlen(sign) + body.length);
    if (spec->align == '=') {
        strbuf_puts(out, sign);
        pad(out, spec, room);
        strbuf_add(out, strbuf_text(&body), body.length);
    } else {
        StrBuf all;
        strbuf_init(&all, out->ctx);
        strbuf_puts(&all, sign);
        strbuf_add(&all, strbuf_text(&body), body.length);
        format_pad(out, spec, strbuf_text(&all), all.length, '>');
        // A failure of the helper buffer must not pass for an empty text.
        if (!strbuf_ok(&all)) {
            strbuf_fail(out);
        }
        strbuf_free(&all);
    }
    if (!strbuf_ok(&body)) {
        strbuf_fail(out);
    }
    strbuf_free(&body);
}
