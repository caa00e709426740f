// bytes.decode with Python's error handlers; str.encode is in codec.c.
//
// One code point is read at a time; bytes that are none go to the handler,
// which raises, drops or replaces. Invariant: `bad` is at least 1 wherever a
// handler is asked, so that every turn moves on.
#include "base/utf8.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/codec.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"

// One call of bytes.decode. Nothing in it is owned but `out`; the bytes stay
// the caller's.
typedef struct Decoder {
    Vm *vm;
    const Codec *codec;
    CodecHandler handler;
    Value errors;
    const unsigned char *data;
    size_t length;
    StrBuf out;
    const char *reason; // why the last unit was not read
    size_t bad;         // and how many bytes it takes
} Decoder;

// How many bytes of an ill-formed UTF-8 sequence belong together, and why it is
// ill-formed (the maximal valid prefix).
// `at` is in the data; `bad` ends between 1 and 3.
static void explain_utf8(Decoder *d, size_t at)
{
    unsigned char first = d->data[at];
    // How many continuation bytes the first one promises; C0, C1 and F5 on
    // begin nothing that is valid.
    int need = first >= 0xC2 && first <= 0xDF   ? 1
               : first >= 0xE0 && first <= 0xEF ? 2
               : first >= 0xF0 && first <= 0xF4 ? 3
                                                : 0;
    // The first byte counts in any case, and each that could go on from it.
    // At least the first byte is skipped.
    d->bad = 1;
    d->reason = "invalid start byte";
    if (need == 0) {
        return;
    }
    for (int i = 1; i <= need; i++) {
        if (at + (size_t)i >= d->length) {
            d->reason = "unexpected end of data";
            return;
        }
        unsigned char c = d->data[at + (size_t)i];
        // The bounds of the second byte shut out overlong forms, surrogates and
        // all beyond U+10FFFF (Unicode, table 3-7).
        unsigned char low = i == 1 && first == 0xE0   ? 0xA0
                            : i == 1 && first == 0xF0 ? 0x90
                                                      : 0x80;
        unsigned char high = i == 1 && first == 0xED   ? 0x9F
                             : i == 1 && first == 0xF4 ? 0x8F
                                                       : 0xBF;
        if (c < low || c > high) {
            d->reason = "invalid continuation byte";
            return;
        }
        d->bad = (size_t)i + 1;
    }
}

// The caller has checked that `size` bytes are there.
// The inverse of put_unit in codec.c.
static uint32_t get_unit(const Decoder *d, size_t at, size_t size, bool big)
{
    uint32_t unit = 0;
    for (size_t i = 0; i < size; i++) {
        size_t shift = 8 * (big ? size - 1 - i : i);
        unit |= (uint32_t)d->data[at + i] << shift;
    }
    return unit;
}

// 0: cannot be read; `reason` and `bad` then say why, and how much to skip.
// They are set ahead of each test that may fail.
// An odd byte at the end is a unit that was cut off.
static size_t read_utf16(Decoder *d, size_t at, bool big, uint32_t *c)
{
    // The fields say what is wrong in case of a failure; a success ignores
    // them.
    d->bad = d->length - at;
    d->reason = "truncated data";
    if (d->length - at < 2) {
        return 0;
    }
    *c = get_unit(d, at, 2, big);
    if (*c < 0xD800 || *c > 0xDFFF) {
        return 2;
    }
    d->reason = "illegal encoding";
    d->bad = 2;
    // A low surrogate that no high one precedes.
    if (*c >= 0xDC00) {
        return 0;
    }
    d->reason = "unexpected end of data";
    if (d->length - at < 4) {
        d->bad = d->length - at;
        return 0;
    }
    // The second half of a pair.
    uint32_t low = get_unit(d, at + 2, 2, big);
    d->reason = "illegal UTF-16 surrogate";
    if (low < 0xDC00 || low > 0xDFFF) {
        return 0;
    }
    *c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
    return 4;
}

// As read_utf16.
// Surrogates are no code points of their own here either.
static size_t read_utf32(Decoder *d, size_t at, bool big, uint32_t *c)
{
    d->bad = d->length - at < 4 ? d->length - at : 4;
    d->reason = "truncated data";
    if (d->length - at < 4) {
        return 0;
    }
    *c = get_unit(d, at, 4, big);
    if (*c >= 0xD800 && *c <= 0xDFFF) {
        d->reason = "code point in surrogate code point range(0xd800, 0xe000)";
        return 0;
    }
    d->reason = "code point not in range(0x110000)";
    return *c <= 0x10FFFF ? 4 : 0;
}

// The bytes of the code point at `at`, 0 if it cannot be read.
// The number of bytes otherwise. Latin-1 can read every byte.
static size_t read_point(Decoder *d, size_t at, uint32_t *c)
{
    *c = d->data[at];
    // How many bytes are at fault, unless told otherwise below.
    d->bad = 1;
    switch (d->codec->kind) {
    case CODEC_LATIN1: return 1;
    case CODEC_CP1252:
    case CODEC_LATIN9:
        d->reason = "character maps to <undefined>";
        *c = codec_map_byte(d->codec->kind, d->data[at]);
        return *c != 0 || d->data[at] == 0;
    case CODEC_ASCII: d->reason = "ordinal not in range(128)"; return *c < 128;
    case CODEC_UTF8:
    case CODEC_UTF8_MARK: {
        size_t size =
            utf8_decode((const char *)d->data + at, d->length - at, c);
        if (size == 0 || (*c >= 0xD800 && *c <= 0xDFFF)) {
            explain_utf8(d, at);
            return 0;
        }
        return size;
    }
    case CODEC_UTF16:
    case CODEC_UTF16_LE: return read_utf16(d, at, false, c);
    case CODEC_UTF16_BE: return read_utf16(d, at, true, c);
    case CODEC_UTF32_BE: return read_utf32(d, at, true, c);
    default: return read_utf32(d, at, false, c);
    }
}

// The error holds a copy of what was decoded: its bytes may belong to a file.
// False, always. A failure to make the object leaves that error instead.
static bool decode_failed(Decoder *d, size_t at)
{
    Bytes *object = bytes_new(d->vm, (const char *)d->data, d->length);
    if (object != NULL) {
        (void)raise_unicode(d->vm, ERR_UNICODE_DECODE, d->codec->name,
                            value_from_object(object), at, at + d->bad,
                            d->reason);
        object_release(&d->vm->ctx, object);
    }
    return false;
}

// It is asked only where the ordinary reading has failed.
// surrogatepass: the surrogate that stands at `at` as this encoding would write
// it, which then takes `bad` bytes. False: there is none.
static bool pass_surrogate(Decoder *d, size_t at)
{
    CodecKind kind = d->codec->kind;
    size_t left = d->length - at;
    uint32_t c = 0;
    if (kind == CODEC_UTF8 || kind == CODEC_UTF8_MARK) {
        const unsigned char *data = d->data + at;
        d->bad = 3;
        if (left >= 3 && data[0] == 0xED && data[1] >= 0xA0 &&
            data[1] <= 0xBF && (data[2] & 0xC0) == 0x80) {
            // The three bytes that UTF-8 forbids, read as if it did not.
            c = 0xD000u | (data[1] & 0x3Fu) << 6 | (data[2] & 0x3Fu);
        }
    } else if (kind != CODEC_ASCII) {
        bool wide = kind == CODEC_UTF32 || kind == CODEC_UTF32_LE ||
                    kind == CODEC_UTF32_BE;
        d->bad = wide ? 4 : 2;
        c = left < d->bad
                ? 0
                : get_unit(d, at, d->bad,
                           kind == CODEC_UTF16_BE || kind == CODEC_UTF32_BE);
    }
    if (c < 0xD800 || c > 0xDFFF) {
        return false;
    }
    strbuf_codepoint(&d->out, c);
    return true;
}

// surrogateescape: as many of the bytes as are beyond ASCII. False: none is.
// ASCII bytes of a broken sequence stay what they are and are read again: `bad`
// ends in front of them.
static bool escape_bytes(Decoder *d, size_t at)
{
    size_t done = 0;
    while (done < d->bad && d->data[at + done] >= 0x80) {
        strbuf_codepoint(&d->out, 0xDC00u + d->data[at + done++]);
    }
    d->bad = done > 0 ? done : d->bad;
    return done > 0;
}

// False: failed. Each handler answers for all `bad` bytes at once, so one
// replacement character stands for a whole broken sequence.
static bool decode_handle(Decoder *d, size_t at)
{
    switch (d->handler) {
    case HANDLER_IGNORE: return true;
    case HANDLER_REPLACE:
        strbuf_codepoint(&d->out, UTF8_REPLACEMENT);
        return true;
    case HANDLER_BACKSLASH:
        for (size_t i = 0; i < d->bad; i++) {
            strbuf_printf(&d->out, "\\x%02x", d->data[at + i]);
        }
        return true;
    case HANDLER_SURROGATES: return escape_bytes(d, at) || decode_failed(d, at);
    // "surrogatepass": other faults stay faults, of the length that they had.
    case HANDLER_PASS: {
        size_t bad = d->bad;
        if (pass_surrogate(d, at)) {
            return true;
        }
        d->bad = bad;
        return decode_failed(d, at);
    }
    case HANDLER_NAME:
    case HANDLER_XML:
        return raise_false(d->vm, ERR_TYPE,
                           "don't know how to handle UnicodeDecodeError in "
                           "error callback");
    case HANDLER_UNKNOWN: return codec_unknown_handler(d->vm, d->errors);
    default: return decode_failed(d, at);
    }
}

// A byte-order mark decides between the two orders and is left out.
// Returns the bytes to skip. The codec may be exchanged for one of a fixed
// order.
static size_t skip_mark(Decoder *d)
{
    // No aliases: these rows are not looked up.
    static const Codec little16 = {NULL, "utf-16-le", CODEC_UTF16_LE};
    static const Codec little32 = {NULL, "utf-32-le", CODEC_UTF32_LE};
    static const Codec big16 = {NULL, "utf-16-be", CODEC_UTF16_BE};
    static const Codec big32 = {NULL, "utf-32-be", CODEC_UTF32_BE};
    size_t size = d->codec->kind == CODEC_UTF16   ? 2
                  : d->codec->kind == CODEC_UTF32 ? 4
                                                  : 0;
    if (d->codec->kind == CODEC_UTF8_MARK) {
        return d->length >= 3 && memcmp(d->data, "\xEF\xBB\xBF", 3) == 0 ? 3
                                                                         : 0;
    }
    if (size == 0) {
        return 0;
    }
    // Errors name the order that is read.
    const Codec *given = d->codec;
    // Without a mark little-endian is taken, as on this machine.
    d->codec = size == 2 ? &little16 : &little32;
    // Too short for a mark, and for one unit of this width.
    if (d->length < size) {
        d->codec = d->length == 0 ? given : d->codec;
        return 0;
    }
    if (get_unit(d, 0, size, false) == 0xFEFF) {
        return size;
    }
    if (get_unit(d, 0, size, true) == 0xFEFF) {
        d->codec = size == 2 ? &big16 : &big32;
        return size;
    }
    return 0;
}

// Appends by itself what it reads, as that may be nothing, or two characters.
static size_t read_escape(Decoder *d, size_t at)
{
    return codec_read_escape(&d->out, d->codec->kind == CODEC_RAW_ESCAPE,
                             d->data, d->length, at, &d->bad, &d->reason);
}

// `bad` is at least 1, so that each turn moves on.
// False: an error is pending.
static bool decode_all(Decoder *d)
{
    for (size_t at = skip_mark(d); at < d->length && strbuf_ok(&d->out);) {
        // Set by read_point where it gives a size.
        uint32_t c;
        bool escapes = d->codec->kind >= CODEC_ESCAPE;
        size_t size = escapes ? read_escape(d, at) : read_point(d, at, &c);
        if (size != 0) {
            if (!escapes) {
                strbuf_codepoint(&d->out, c);
            }
            at += size;
        } else if (decode_handle(d, at)) {
            at += d->bad;
        } else {
            return false;
        }
    }
    return true;
}

// As bytes_encode, the other way: a str, owned.
// `function` is named in errors about the arguments. VALUE_FAIL with an error
// pending.
Value bytes_decode(Vm *vm, const char *function, Value v, Value encoding,
                   Value errors)
{
    // Of no bytes no text is made by any codec: none is looked up.
    if (bytes_length(v) == 0 && value_is_str(encoding)) {
        return codec_check_names(vm, encoding, errors, function)
                   ? value_retain(str_value(vm->empty_str))
                   : VALUE_FAIL;
    }
    const Codec *codec = codec_find(vm, encoding, errors, function);
    if (codec == NULL) {
        return VALUE_FAIL;
    }
    // ASCII is the same text in all three, and needs no errors handled.
    if (codec->kind <= CODEC_LATIN1 &&
        utf8_is_ascii(bytes_text(v), bytes_length(v))) {
        return value_or_fail(str_new_ascii(vm, bytes_text(v), bytes_length(v)));
    }
    Decoder d = {.vm = vm,
                 .codec = codec,
                 .handler = codec_handler(errors),
                 .errors = errors,
                 .data = (const unsigned char *)bytes_text(v),
                 .length = bytes_length(v)};
    strbuf_init(&d.out, &vm->ctx);
    if (!decode_all(&d)) {
        strbuf_free(&d.out);
        codec_wrap_error(vm, codec, encoding, "decoding");
        return VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &d.out));
}
