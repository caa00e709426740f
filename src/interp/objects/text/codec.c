// Encodings by their names, and str.encode with Python's error handlers;
// bytes.decode is in codec_decode.c.
//
// A codec writes one code point at a time; what it cannot do goes to the
// handler, which raises, drops or replaces. Invariant: texts are valid UTF-8
// besides lone surrogates, which only utf-8 with "surrogatepass" writes.
#include "interp/objects/text/codec.h"

#include <ctype.h>

#include "base/char_name.h"
#include "base/utf8.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"

// The first row is the default. There are more names; these are the ones that
// programs write.
// Aliases are in the form that codec_find makes of a name: small letters,
// hyphens for underscores and blanks.
static const Codec codecs[] = {
    {"utf-8", "utf-8", CODEC_UTF8},
    {"utf8", "utf-8", CODEC_UTF8},
    {"u8", "utf-8", CODEC_UTF8},
    {"utf-8-sig", "utf-8", CODEC_UTF8_MARK},
    {"ascii", "ascii", CODEC_ASCII},
    {"us-ascii", "ascii", CODEC_ASCII},
    {"646", "ascii", CODEC_ASCII},
    {"latin-1", "latin-1", CODEC_LATIN1},
    {"latin1", "latin-1", CODEC_LATIN1},
    {"l1", "latin-1", CODEC_LATIN1},
    {"iso-8859-1", "latin-1", CODEC_LATIN1},
    {"iso8859-1", "latin-1", CODEC_LATIN1},
    {"8859", "latin-1", CODEC_LATIN1},
    {"cp819", "latin-1", CODEC_LATIN1},
    {"cp1252", "charmap", CODEC_CP1252},
    {"1252", "charmap", CODEC_CP1252},
    {"windows-1252", "charmap", CODEC_CP1252},
    {"iso-8859-15", "charmap", CODEC_LATIN9},
    {"iso8859-15", "charmap", CODEC_LATIN9},
    {"latin9", "charmap", CODEC_LATIN9},
    {"l9", "charmap", CODEC_LATIN9},
    {"unicode-escape", "unicodeescape", CODEC_ESCAPE},
    {"raw-unicode-escape", "rawunicodeescape", CODEC_RAW_ESCAPE},
    {"utf-16", "utf-16", CODEC_UTF16},
    {"utf16", "utf-16", CODEC_UTF16},
    {"utf-16-le", "utf-16-le", CODEC_UTF16_LE},
    {"utf-16le", "utf-16-le", CODEC_UTF16_LE},
    {"utf-16-be", "utf-16-be", CODEC_UTF16_BE},
    {"utf-16be", "utf-16-be", CODEC_UTF16_BE},
    {"utf-32", "utf-32", CODEC_UTF32},
    {"utf32", "utf-32", CODEC_UTF32},
    {"utf-32-le", "utf-32-le", CODEC_UTF32_LE},
    {"utf-32le", "utf-32-le", CODEC_UTF32_LE},
    {"utf-32-be", "utf-32-be", CODEC_UTF32_BE},
    {"utf-32be", "utf-32-be", CODEC_UTF32_BE},
};

// An argument that names something.
// None is no name either: these arguments are left out or they are strs.
static bool is_name(Vm *vm, const char *function, const char *argument, Value v)
{
    return value_unbound(v) || value_is_str(v) ||
           raise_false(vm, ERR_TYPE, "%s() argument '%s' must be str, not %s",
                       function, argument, type_name_given(vm, v));
}

// No name may hold a zero byte.
static bool has_no_zero(Vm *vm, Value v)
{
    return !value_is_str(v) ||
           memchr(value_as_str(v)->text, 0, value_as_str(v)->length) == NULL ||
           raise_false(vm, ERR_VALUE, "embedded null character");
}

bool codec_check_names(Vm *vm, Value encoding, Value errors,
                       const char *function)
{
    return is_name(vm, function, "encoding", encoding) &&
           has_no_zero(vm, encoding) &&
           is_name(vm, function, "errors", errors) && has_no_zero(vm, errors);
}

void codec_wrap_error(Vm *vm, const Codec *codec, Value encoding,
                      const char *doing)
{
    // The others are known without a look-up.
    bool by_name =
        codec->kind == CODEC_UTF8_MARK || codec->kind == CODEC_UTF16_LE ||
        codec->kind == CODEC_UTF16_BE || codec->kind == CODEC_UTF32_LE ||
        codec->kind == CODEC_UTF32_BE;
    ErrorKind kind = raise_matches(vm, ERR_TYPE)     ? ERR_TYPE
                     : raise_matches(vm, ERR_LOOKUP) ? ERR_LOOKUP
                                                     : ERR_BASE_EXCEPTION;
    if (!by_name || kind == ERR_BASE_EXCEPTION || !value_is_str(encoding)) {
        return;
    }
    Value cause = raise_take(vm);
    Str *text = value_str(vm, cause);
    // Where str() of the error fails, that failure is what is raised from here
    // on.
    if (text != NULL) {
        raise_error(vm, kind, "%s with '%s' codec failed (%s: %s)", doing,
                    value_as_str(encoding)->text, type_name(type_of(vm, cause)),
                    text->text);
        object_release(&vm->ctx, text);
    }
    Value made = raise_take(vm);
    if (value_is_kind(made, KIND_EXCEPTION)) {
        Exception *e = value_as_exception(made);
        value_replace(&vm->ctx, &e->cause, value_retain(cause));
        value_replace(&vm->ctx, &e->context, value_retain(cause));
        e->suppress_context = true;
    }
    release(vm, cause);
    raise_bare(vm, made);
}

// The name is copied to be normalised; one that does not fit is longer than any
// alias.
const Codec *codec_find(Vm *vm, Value encoding, Value errors,
                        const char *function)
{
    if (!codec_check_names(vm, encoding, errors, function)) {
        return NULL;
    }
    if (value_unbound(encoding)) {
        return &codecs[0];
    }
    const Str *given = value_as_str(encoding);
    char name[24];
    size_t length = given->length < sizeof name ? given->length : 0;
    for (size_t i = 0; i < length; i++) {
        char c = given->text[i];
        name[i] = c == '_' || c == ' ' ? '-' : (char)tolower((unsigned char)c);
    }
    name[length] = '\0';
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (strcmp(name, codecs[i].alias) == 0) {
            return &codecs[i];
        }
    }
    return raise_null(vm, ERR_LOOKUP, "unknown encoding: %s", given->text);
}

// An unknown name is no error yet: handlers are looked up when one is needed,
// so that text without faults passes.
CodecHandler codec_handler(Value errors)
{
    static const char *const names[] = {"strict",
                                        "ignore",
                                        "replace",
                                        "backslashreplace",
                                        "xmlcharrefreplace",
                                        "surrogateescape",
                                        "surrogatepass",
                                        "namereplace"};
    if (!value_is_str(errors)) {
        return HANDLER_STRICT;
    }
    // The enumerators are in the order of the names.
    for (int i = 0; i < HANDLER_UNKNOWN; i++) {
        if (str_is(value_as_str(errors), names[i])) {
            return (CodecHandler)i;
        }
    }
    return HANDLER_UNKNOWN;
}

bool codec_unknown_handler(Vm *vm, Value errors)
{
    return raise_false(vm, ERR_LOOKUP, "unknown error handler name '%s'",
                       value_as_str(errors)->text);
}

// "\N{EM DASH}"; a character without a name as strbuf_escape writes it.
static void add_name(StrBuf *out, uint32_t c)
{
    char name[CHAR_NAME_SIZE];
    if (char_name(c, name)) {
        strbuf_printf(out, "\\N{%s}", name);
    } else {
        strbuf_escape(out, c);
    }
}

// One call of str.encode. Nothing in it is owned but `out`.
typedef struct Encoder {
    Vm *vm;
    const Codec *codec;
    CodecHandler handler;
    Value errors;
    Str *text;
    StrBuf out;
} Encoder;

// The code point at byte offset *at, lone surrogates included; moves on.
// Text in a Str is valid besides, so no other case has to be thought of.
static uint32_t next_point(const Str *text, size_t *at)
{
    // Unsigned, as the bits of bytes above 127 are put together.
    const unsigned char *here = (const unsigned char *)text->text + *at;
    uint32_t c = 0;
    size_t size = utf8_decode(text->text + *at, text->length - *at, &c);
    if (size == 0) {
        // utf8_decode refuses surrogates; all that a Str may hold otherwise is
        // a surrogate in three bytes.
        size = 3;
        c = (here[0] & 0xFu) << 12 | (here[1] & 0x3Fu) << 6 | (here[2] & 0x3Fu);
    }
    *at += size;
    return c;
}

// The Unicode encodings have all but surrogates.
static bool can_encode(CodecKind kind, uint32_t c)
{
    switch (kind) {
    case CODEC_ASCII: return c < 128;
    case CODEC_LATIN1: return c < 256;
    case CODEC_CP1252:
    case CODEC_LATIN9: return codec_map_point(kind, c) >= 0;
    case CODEC_ESCAPE:
    case CODEC_RAW_ESCAPE: return true;
    default: return c < 0xD800 || c > 0xDFFF;
    }
}

// Byte by byte, so that the machine's own order does not matter.
// `size` is 2 or 4; `big` puts the highest byte first.
static void put_unit(StrBuf *out, uint32_t unit, int size, bool big)
{
    for (int i = 0; i < size; i++) {
        // The same formula as in get_unit, which reads what this wrote.
        int shift = 8 * (big ? size - 1 - i : i);
        strbuf_putc(out, (char)(unit >> shift));
    }
}

// The caller has checked can_encode, or wants a surrogate as it is
// (surrogatepass). Beyond 0xFFFF UTF-16 takes a pair of surrogates.
static void put_point(Encoder *e, uint32_t c)
{
    switch (e->codec->kind) {
    case CODEC_UTF8:
    case CODEC_UTF8_MARK: {
        char bytes[UTF8_MAX_BYTES];
        strbuf_add(&e->out, bytes, utf8_encode(c, bytes));
        break;
    }
    case CODEC_ASCII:
    case CODEC_LATIN1: strbuf_putc(&e->out, (char)c); break;
    case CODEC_CP1252:
    case CODEC_LATIN9:
        strbuf_putc(&e->out, (char)codec_map_point(e->codec->kind, c));
        break;
    case CODEC_ESCAPE:
    case CODEC_RAW_ESCAPE:
        codec_escape_point(&e->out, e->codec->kind == CODEC_RAW_ESCAPE, c);
        break;
    case CODEC_UTF16:
    case CODEC_UTF16_LE:
    case CODEC_UTF16_BE: {
        // "utf-16" without a suffix writes little-endian behind its mark.
        bool big = e->codec->kind == CODEC_UTF16_BE;
        // Beyond the basic plane: a pair of surrogates.
        if (c >= 0x10000) {
            put_unit(&e->out, 0xD800 + ((c - 0x10000) >> 10), 2, big);
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        put_unit(&e->out, c, 2, big);
        break;
    }
    default: put_unit(&e->out, c, 4, e->codec->kind == CODEC_UTF32_BE); break;
    }
}

// Raises for the run of characters [first, end) that cannot be encoded.
// For the return statement: false, always. Numbers count characters, as
// programs see them.
static bool encode_failed(Encoder *e, size_t first, size_t end)
{
    const char *reason =
        e->codec->kind == CODEC_ASCII    ? "ordinal not in range(128)"
        : e->codec->kind == CODEC_LATIN1 ? "ordinal not in range(256)"
        : e->codec->kind >= CODEC_CP1252 ? "character maps to <undefined>"
                                         : "surrogates not allowed";
    // The text itself goes along: a program may ask for e.object.
    (void)raise_unicode(e->vm, ERR_UNICODE_ENCODE, e->codec->name,
                        str_value((Str *)(uintptr_t)e->text), first, end,
                        reason);
    return false;
}

// One character that the codec has not got, at byte offset `from`.
// `number` is the character's place in the text; *at already points behind its
// bytes. It moves further only on the way to an error.
static bool encode_handle(Encoder *e, uint32_t c, size_t number, size_t *at)
{
    switch (e->handler) {
    case HANDLER_IGNORE: return true;
    // Every encoding has the question mark, in as many bytes as its unit.
    case HANDLER_REPLACE: put_point(e, '?'); return true;
    case HANDLER_BACKSLASH: strbuf_escape(&e->out, c); return true;
    case HANDLER_NAME: add_name(&e->out, c); return true;
    case HANDLER_XML: strbuf_printf(&e->out, "&#%u;", c); return true;
    // U+DC80 to U+DCFF stand for the bytes that decoding could not read.
    case HANDLER_SURROGATES:
        if (c >= 0xDC80 && c <= 0xDCFF) {
            strbuf_putc(&e->out, (char)(c - 0xDC00));
            return true;
        }
        break;
    // Only surrogates are let through; other characters are errors still.
    case HANDLER_PASS:
        if (c >= 0xD800 && c <= 0xDFFF) {
            put_point(e, c);
            return true;
        }
        break;
    case HANDLER_UNKNOWN: return codec_unknown_handler(e->vm, e->errors);
    default: break;
    }
    // The whole run of characters that fail is reported, so it is measured.
    size_t end = number + 1;
    while (*at < e->text->length) {
        size_t next = *at;
        if (can_encode(e->codec->kind, next_point(e->text, &next))) {
            break;
        }
        *at = next;
        end++;
    }
    return encode_failed(e, number, end);
}

// `number` counts characters, for errors; `at` counts bytes. U+FEFF is the
// byte-order mark.
static bool encode_all(Encoder *e)
{
    if (e->codec->kind == CODEC_UTF16 || e->codec->kind == CODEC_UTF32 ||
        e->codec->kind == CODEC_UTF8_MARK) {
        put_point(e, 0xFEFF);
    }
    for (size_t at = 0, number = 0; at < e->text->length; number++) {
        uint32_t c = next_point(e->text, &at);
        // Looked at before each character, so memory that ran out ends the walk
        // soon.
        if (!strbuf_ok(&e->out)) {
            return false;
        }
        if (can_encode(e->codec->kind, c)) {
            put_point(e, c);
        } else if (!encode_handle(e, c, number, &at)) {
            return false;
        }
    }
    return strbuf_ok(&e->out);
}

Value bytes_encode(Vm *vm, const char *function, Value v, Value encoding,
                   Value errors)
{
    const Codec *codec = codec_find(vm, encoding, errors, function);
    if (codec == NULL) {
        return VALUE_FAIL;
    }
    Str *str = value_as_str(v);
    // ASCII text is the same bytes in all three, which is most of what is
    // encoded.
    bool narrow = codec->kind <= CODEC_LATIN1;
    if (narrow && str->count == str->length) {
        return bytes_value(vm, str->text, str->length);
    }
    // All but surrogates, whose first byte is this one, is UTF-8 as it stands.
    if (codec->kind == CODEC_UTF8 &&
        memchr(str->text, 0xED, str->length) == NULL) {
        return bytes_value(vm, str->text, str->length);
    }
    Encoder e = {.vm = vm,
                 .codec = codec,
                 .handler = codec_handler(errors),
                 .errors = errors,
                 .text = str};
    strbuf_init(&e.out, &vm->ctx);
    bool done = encode_all(&e);
    Value result =
        done ? bytes_value(vm, strbuf_text(&e.out), e.out.length) : VALUE_FAIL;
    strbuf_free(&e.out);
    if (!done) {
        codec_wrap_error(vm, codec, encoding, "encoding");
    }
    return result;
}

// Almost all is UTF-8 and is taken as it stands.
// Names from the system (files, arguments, environment) need not be UTF-8: each
// byte that is none becomes a surrogate from U+DC80 on, as "surrogateescape"
// does it, so that codec_to_system gives the same bytes back. Owned.
Str *codec_from_system(Vm *vm, const char *text, size_t length)
{
    size_t bad;
    if (utf8_validate(text, length, false, &bad)) {
        return str_new(vm, text, length);
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t at = 0; at < length;) {
        uint32_t c;
        size_t size = utf8_decode(text + at, length - at, &c);
        // A surrogate in UTF-8 is no UTF-8, so each of its bytes counts.
        if (size == 0 || (c >= 0xD800 && c <= 0xDFFF)) {
            c = 0xDC00u + (unsigned char)text[at];
            size = 1;
        }
        strbuf_codepoint(&out, c);
        at += size;
    }
    return str_from_buf(vm, &out);
}

// Those characters are the bytes ED B2 80 to ED B3 BF.
// A path without them is returned itself; one with them becomes bytes, for a
// Str cannot hold what the system wants. Owned.
Value codec_to_system(Vm *vm, Value path)
{
    if (!value_is_str(path)) {
        return value_retain(path);
    }
    const Str *str = value_as_str(path);
    // None of them in it, as nearly always.
    if (memchr(str->text, 0xED, str->length) == NULL) {
        return value_retain(path);
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t at = 0; at < str->length;) {
        uint32_t c = 0;
        size_t size = utf8_decode(str->text + at, str->length - at, &c);
        if (c >= 0xDC80 && c <= 0xDCFF) {
            strbuf_putc(&out, (char)(c & 0xFF));
        } else {
            strbuf_add(&out, str->text + at, size);
        }
        at += size == 0 ? 1 : size;
    }
    Value bytes = strbuf_ok(&out)
                      ? bytes_value(vm, strbuf_text(&out), out.length)
                      : VALUE_FAIL;
    strbuf_free(&out);
    return bytes;
}
