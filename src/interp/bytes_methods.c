// The methods of bytes.
//
// Most are those of str, on a text in which each byte is one character: bytes
// that str would treat otherwise than bytes does (all above 127, and some
// controls) are moved to private code points, which have no case, no class
// and are no white space. Invariant: the move is one to one, so that results
// are moved back without loss.
#include "interp/bytes_methods.h"

#include "base/utf8.h"

#include "interp/protocol.h"
#include "interp/sequence.h"

enum { PRIVATE_BASE = 0xF700 }; // U+F700 + byte

// Borrowed; NULL with a TypeError pending.
Bytes *bytes_argument(Vm *vm, Value v)
{
    return value_is_kind(v, KIND_BYTES)
               ? value_as_bytes(v)
               : raise_null(vm, ERR_TYPE,
                            "a bytes-like object is required, not '%s'",
                            type_name(type_of(vm, v)));
}

// str takes \x1c to \x1f for white space; splitlines of str ends lines at
// \v and \f, too.
static bool is_private(unsigned char byte, bool lines)
{
    return byte >= 128 || (byte >= 0x1C && byte <= 0x1F) ||
           (lines && (byte == '\v' || byte == '\f'));
}

// The text of the same number of characters, moved as the head of the file
// says. `lines`: it is for splitlines. Owned.
static Value to_text(Vm *vm, const Bytes *bytes, bool lines)
{
    bool plain = true;
    for (size_t i = 0; plain && i < bytes->length; i++) {
        plain = !is_private((unsigned char)bytes->data[i], lines);
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            return VALUE_FAIL;
        }
    }
    if (plain) {
        Str *same = str_new_ascii(vm, bytes->data, bytes->length);
        return same == NULL ? VALUE_FAIL : str_value(same);
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t i = 0; i < bytes->length && strbuf_ok(&out); i++) {
        unsigned char byte = (unsigned char)bytes->data[i];
        strbuf_codepoint(&out,
                         is_private(byte, lines) ? PRIVATE_BASE + byte : byte);
    }
    Str *text = str_from_buf(vm, &out);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// The way back: the low 8 bits of a code point are the byte. Owned.
static Value from_text(Vm *vm, const Str *text)
{
    if (text->count == text->length) {
        return bytes_value(vm, text->text, text->length);
    }
    Bytes *bytes = bytes_new(vm, NULL, text->count);
    if (bytes == NULL) {
        return VALUE_FAIL;
    }
    size_t at = 0;
    for (size_t i = 0; i < text->length; at++) {
        // No error can occur: the text is what str made of valid text.
        uint32_t c = 0;
        i += utf8_decode(text->text + i, text->length - i, &c);
        bytes->data[at] = (char)c; // PRIVATE_BASE has no low bits
        if (!ctx_poll_at(&vm->ctx, at + 1)) {
            object_release(&vm->ctx, bytes);
            return VALUE_FAIL;
        }
    }
    return value_from_object(bytes);
}

// An argument as the str method wants it: a byte given as an int stands for
// itself where `number` allows it.
static Value argument_text(Vm *vm, Value v, bool number, bool lines)
{
    if (value_is_kind(v, KIND_BYTES)) {
        return to_text(vm, value_as_bytes(v), lines);
    }
    // None and what was not given mean the same to str and to bytes.
    if (value_is_none(v) || value_unbound(v)) {
        return v;
    }
    int64_t byte;
    if (!number || !value_is_index(vm, v)) {
        return raise_error(vm, ERR_TYPE,
                           number ? "argument should be integer or "
                                    "bytes-like object, not '%s'"
                                  : "a bytes-like object is required, not "
                                    "'%s'",
                           type_name(type_of(vm, v)));
    }
    if (!value_to_index(vm, v, &byte)) {
        if (!raise_matches(vm, ERR_OVERFLOW)) {
            return VALUE_FAIL;
        }
        raise_clear(vm);
        byte = -1; // as much out of range as a small one
    }
    if (byte < 0 || byte > 255) {
        return raise_error(vm, ERR_VALUE, "byte must be in range(0, 256)");
    }
    char data = (char)byte;
    // By way of bytes of length one, so that the same mapping applies.
    Value one = bytes_value(vm, &data, 1);
    Value text = value_failed(one) ? one
                                   : to_text(vm, value_as_bytes(one), lines);
    release(vm, one);
    return text;
}

// Texts inside a result become bytes; takes it.
static Value result_bytes(Vm *vm, Value result)
{
    if (value_is_str(result)) {
        Value bytes = from_text(vm, value_as_str(result));
        release(vm, result);
        return bytes;
    }
    // Lists and tuples are fresh from the method of str, so they are changed in
    // place. Numbers and bools need nothing.
    bool list = value_is_kind(result, KIND_LIST);
    if (!list && !value_is_kind(result, KIND_TUPLE)) {
        return result;
    }
    size_t count = list ? value_as_list(result)->count
                        : value_as_tuple(result)->count;
    Value *items = list ? value_as_list(result)->items
                        : value_as_tuple(result)->items;
    for (size_t i = 0; i < count; i++) {
        Value bytes = ctx_poll(&vm->ctx)
                          ? from_text(vm, value_as_str(items[i]))
                          : VALUE_FAIL;
        if (value_failed(bytes)) {
            release(vm, result);
            return VALUE_FAIL;
        }
        value_replace(&vm->ctx, &items[i], bytes);
    }
    return result;
}

// How a method's arguments are read.
typedef enum TextArgs {
    ARGS_BYTES,  // the first is bytes, the others numbers
    ARGS_NUMBER, // the first may be an int, too
    ARGS_TWO,    // the first two are bytes
    ARGS_FILL,   // the second is bytes
    ARGS_PLAIN   // none is bytes
} TextArgs;

enum { TEXT_MAX_ARGS = 4 };

// `at` counts self as 0.
static bool is_bytes_argument(TextArgs kind, uint32_t at)
{
    switch (kind) {
    case ARGS_BYTES:
    case ARGS_NUMBER: return at == 1;
    case ARGS_TWO: return at == 1 || at == 2;
    case ARGS_FILL: return at == 2;
    default: return false;
    }
}

// The fill of ljust and the like is one byte.
static bool is_fill(Vm *vm, const char *name, Value fill)
{
    return value_unbound(fill) ||
           (value_is_kind(fill, KIND_BYTES) && bytes_length(fill) == 1) ||
           raise_false(vm, ERR_TYPE,
                       "%s() argument 2 must be a byte string of length 1, "
                       "not %s",
                       name, value_is_none(fill)
                                 ? "None"
                                 : type_name(type_of(vm, fill)));
}

// self.name(…) by the method of str.
static Value by_text(Vm *vm, const char *name, TextArgs kind, Value *args,
                     uint32_t count)
{
    bool lines = strcmp(name, "splitlines") == 0;
    Value all[TEXT_MAX_ARGS] = {VALUE_UNBOUND, VALUE_UNBOUND, VALUE_UNBOUND,
                                VALUE_UNBOUND};
    // self counts; it is the object of the call, not an argument.
    uint32_t given = 0;
    bool ready = kind != ARGS_FILL || is_fill(vm, name, args[2]);
    // The first argument that was not given ends the list: the method of str
    // then takes its own defaults.
    for (uint32_t i = 0; ready && i < count && !value_unbound(args[i]); i++) {
        bool text = i == 0 || is_bytes_argument(kind, i);
        all[i] = text ? argument_text(vm, args[i], kind == ARGS_NUMBER, lines)
                      : value_retain(args[i]);
        ready = !value_failed(all[i]);
        given++;
    }
    Value result = VALUE_FAIL;
    Str *method = ready ? str_intern(vm, name, strlen(name)) : NULL;
    if (method != NULL) {
        result = value_call_method(vm, all[0], method, all + 1, given - 1);
    }
    object_release_null(&vm->ctx, method);
    for (uint32_t i = 0; i < TEXT_MAX_ARGS; i++) {
        release(vm, all[i]);
    }
    return value_failed(result) ? result : result_bytes(vm, result);
}

// The methods that str has, too: TEXT_METHOD(name, parameters behind self,
// how arguments are read, doc).
#define TEXT_METHODS                                                          \
    TEXT_METHOD(find, "sub, start=0, end=None, /", ARGS_NUMBER,               \
                "The first place of sub, or -1.")                             \
    TEXT_METHOD(rfind, "sub, start=0, end=None, /", ARGS_NUMBER,              \
                "The last place of sub, or -1.")                              \
    TEXT_METHOD(count, "sub, start=0, end=None, /", ARGS_NUMBER,              \
                "How often sub occurs.")                                      \
    TEXT_METHOD(replace, "old, new, count=-1, /", ARGS_TWO,                   \
                "With new for old.")                                          \
    TEXT_METHOD(strip, "bytes=None, /", ARGS_BYTES, "Without its ends.")      \
    TEXT_METHOD(lstrip, "bytes=None, /", ARGS_BYTES, "Without its start.")    \
    TEXT_METHOD(rstrip, "bytes=None, /", ARGS_BYTES, "Without its end.")      \
    TEXT_METHOD(removeprefix, "prefix, /", ARGS_BYTES,                        \
                "Without the prefix.")                                        \
    TEXT_METHOD(removesuffix, "suffix, /", ARGS_BYTES,                        \
                "Without the suffix.")                                        \
    TEXT_METHOD(ljust, "width, fillchar=b' ', /", ARGS_FILL,                  \
                "Filled at the end.")                                         \
    TEXT_METHOD(rjust, "width, fillchar=b' ', /", ARGS_FILL,                  \
                "Filled at the start.")                                       \
    TEXT_METHOD(center, "width, fillchar=b' ', /", ARGS_FILL,                 \
                "Filled at both sides.")                                      \
    TEXT_METHOD(zfill, "width, /", ARGS_PLAIN, "Filled with zeros.")          \
    TEXT_METHOD(expandtabs, "tabsize=8", ARGS_PLAIN, "Tabs as spaces.")       \
    TEXT_METHOD(split, "/, sep=None, maxsplit=-1", ARGS_BYTES,                \
                "The parts between separators.")                              \
    TEXT_METHOD(rsplit, "/, sep=None, maxsplit=-1", ARGS_BYTES,               \
                "The parts, split from the end.")                             \
    TEXT_METHOD(splitlines, "/, keepends=False", ARGS_PLAIN, "Its lines.")    \
    TEXT_METHOD(partition, "sep, /", ARGS_BYTES, "Before, sep and behind.")   \
    TEXT_METHOD(rpartition, "sep, /", ARGS_BYTES,                             \
                "Before, the last sep and behind.")                           \
    TEXT_METHOD(lower, "/", ARGS_PLAIN, "In lower case.")                     \
    TEXT_METHOD(upper, "/", ARGS_PLAIN, "In upper case.")                     \
    TEXT_METHOD(title, "/", ARGS_PLAIN, "Each Word Like This.")               \
    TEXT_METHOD(capitalize, "/", ARGS_PLAIN, "First letter upper.")           \
    TEXT_METHOD(swapcase, "/", ARGS_PLAIN, "Upper and lower swapped.")        \
    TEXT_METHOD(isalpha, "/", ARGS_PLAIN, "All are letters.")                 \
    TEXT_METHOD(isdigit, "/", ARGS_PLAIN, "All are digits.")                  \
    TEXT_METHOD(isalnum, "/", ARGS_PLAIN, "All are letters or digits.")       \
    TEXT_METHOD(isspace, "/", ARGS_PLAIN, "All are white space.")             \
    TEXT_METHOD(isupper, "/", ARGS_PLAIN, "No letter is lower case.")         \
    TEXT_METHOD(islower, "/", ARGS_PLAIN, "No letter is upper case.")         \
    TEXT_METHOD(istitle, "/", ARGS_PLAIN, "Words Are Like This.")

#define TEXT_METHOD(name, params, kind, doc)                                  \
    static Value text_##name(Vm *vm, Value *args, uint32_t count)             \
    {                                                                         \
        return by_text(vm, #name, kind, args, count);                         \
    }
TEXT_METHODS
#undef TEXT_METHOD

// index and rindex are find with an error, whose text is not that of str.
static Value search(Vm *vm, const char *name, Value *args, uint32_t count)
{
    Value at = by_text(vm, name, ARGS_NUMBER, args, count);
    return value_same(at, value_from_small(-1))
               ? raise_error(vm, ERR_VALUE, "subsection not found")
               : at;
}

static Value method_index(Vm *vm, Value *args, uint32_t count)
{
    return search(vm, "find", args, count);
}

static Value method_rindex(Vm *vm, Value *args, uint32_t count)
{
    return search(vm, "rfind", args, count);
}

// Not by text: moved bytes would need a test of their own.
static Value method_isascii(Vm *vm, Value *args, uint32_t count)
{
    (void)vm, (void)count;
    return value_from_bool(
        utf8_is_ascii(bytes_text(args[0]), bytes_length(args[0])));
}

// An instance of a subclass gives plain bytes.
static Value method_bytes(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return bytes_value(vm, bytes_text(args[0]), bytes_length(args[0]));
}

static Value method_decode(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return bytes_decode(vm, "decode", args[0], args[1], args[2]);
}

// from > to: the start was given behind the end, and not even b"" fits.
static bool has_affix(const Bytes *self, const Bytes *part, size_t from,
                      size_t to, bool at_end)
{
    if (from > to || part->length > to - from) {
        return false;
    }
    const char *at = self->data + (at_end ? to - part->length : from);
    return memcmp(at, part->data, part->length) == 0;
}

// startswith and endswith. On the bytes themselves, as a tuple of parts is not
// what by_text handles. Any part that fits will do.
static Value affix(Vm *vm, Value *args, bool at_end)
{
    const Bytes *self = value_as_bytes(args[0]);
    size_t from, to;
    if (!sequence_range(vm, args[2], args[3], self->length, &from, &to)) {
        return VALUE_FAIL;
    }
    // The type is checked part by part, in order, so a match in front hides a
    // wrong type behind it, as in CPython.
    bool many = value_is_kind(args[1], KIND_TUPLE);
    const Tuple *parts = many ? value_as_tuple(args[1]) : NULL;
    for (size_t i = 0; i < (many ? parts->count : 1); i++) {
        Value part = many ? parts->items[i] : args[1];
        if (!value_is_kind(part, KIND_BYTES)) {
            return many ? (bytes_argument(vm, part), VALUE_FAIL)
                        : raise_error(vm, ERR_TYPE,
                                      "%s first arg must be bytes or a tuple "
                                      "of bytes, not %s",
                                      at_end ? "endswith" : "startswith",
                                      type_name(type_of(vm, part)));
        }
        if (has_affix(self, value_as_bytes(part), from, to, at_end)) {
            return VALUE_TRUE;
        }
    }
    return VALUE_FALSE;
}

static Value method_startswith(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return affix(vm, args, false);
}

static Value method_endswith(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return affix(vm, args, true);
}

// `at` is the item's number, for the message.
static bool add_item(Vm *vm, StrBuf *out, Value item, size_t at)
{
    if (!value_is_kind(item, KIND_BYTES)) {
        return raise_false(vm, ERR_TYPE,
                           "sequence item %zu: expected a bytes-like object, "
                           "%s found",
                           at, type_name(type_of(vm, item)));
    }
    strbuf_add(out, bytes_text(item), bytes_length(item));
    return true;
}

// The iterable is read to its end first: it may run code, and bytes.join
// reports a wrong item by its number.
static Value method_join(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (type_of(vm, args[1])->slots.iter == NULL) {
        return raise_error(vm, ERR_TYPE, "can only join an iterable");
    }
    Tuple *items = value_to_tuple(vm, args[1]);
    if (items == NULL) {
        return VALUE_FAIL;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool done = true;
    for (size_t i = 0; done && i < items->count && strbuf_ok(&out); i++) {
        if (i > 0) {
            strbuf_add(&out, bytes_text(args[0]), bytes_length(args[0]));
        }
        done = add_item(vm, &out, items->items[i], i);
    }
    object_release(&vm->ctx, items);
    Value result = done && strbuf_ok(&out)
                       ? bytes_value(vm, strbuf_text(&out), out.length)
                       : VALUE_FAIL;
    strbuf_free(&out);
    return result;
}

// translate(table, delete): table is None or 256 bytes.
static Value method_translate(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    // None for the table: only delete.
    const Bytes *table = NULL, *omit = NULL;
    if (!value_is_none(args[1])) {
        table = bytes_argument(vm, args[1]);
        if (table == NULL) {
            return VALUE_FAIL;
        }
        if (table->length != 256) {
            return raise_error(vm, ERR_VALUE,
                               "translation table must be 256 characters "
                               "long");
        }
    }
    if (!value_unbound(args[2])) {
        omit = bytes_argument(vm, args[2]);
        if (omit == NULL) {
            return VALUE_FAIL;
        }
    }
    const Bytes *self = value_as_bytes(args[0]);
    Bytes *out = bytes_new(vm, NULL, self->length);
    // Never more than the input; the copy below cuts it.
    size_t used = 0;
    for (size_t i = 0; out != NULL && i < self->length; i++) {
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            object_release(&vm->ctx, out);
            return VALUE_FAIL;
        }
        char byte = self->data[i];
        if (omit == NULL || memchr(omit->data, byte, omit->length) == NULL) {
            out->data[used++] =
                table == NULL ? byte : table->data[(unsigned char)byte];
        }
    }
    Value result =
        out == NULL ? VALUE_FAIL : bytes_value(vm, out->data, used);
    object_release_null(&vm->ctx, out);
    return result;
}

// A static method: args[0] is an argument, not self. Where `from` has a byte
// twice the last one counts.
static Value method_maketrans(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    const Bytes *from = bytes_argument(vm, args[0]);
    const Bytes *to = from == NULL ? NULL : bytes_argument(vm, args[1]);
    if (to == NULL) {
        return VALUE_FAIL;
    }
    if (from->length != to->length) {
        return raise_error(vm, ERR_VALUE,
                           "maketrans arguments must have same length");
    }
    char table[256];
    for (int i = 0; i < 256; i++) {
        table[i] = (char)i;
    }
    for (size_t i = 0; i < from->length; i++) {
        table[(unsigned char)from->data[i]] = to->data[i];
    }
    return bytes_value(vm, table, sizeof table);
}

const NativeDef bytes_methods[] = {
#define TEXT_METHOD(name, params, kind, doc)                                  \
    {#name, "self, " params, text_##name, doc},
    TEXT_METHODS
#undef TEXT_METHOD
    {"index", "self, sub, start=0, end=None, /", method_index,
     "The first place of sub; ValueError if there is none."},
    {"rindex", "self, sub, start=0, end=None, /", method_rindex,
     "The last place of sub; ValueError if there is none."},
    {"isascii", "self, /", method_isascii, "All are below 128."},
    {"__bytes__", "self, /", method_bytes, "The same as plain bytes."},
    {"decode", "self, /, encoding='utf-8', errors='strict'", method_decode,
     "The text that these bytes encode."},
    {"hex", "self, /, sep=None, bytes_per_sep=1", bytes_method_hex,
     "Two hexadecimal digits for each byte."},
    {"startswith", "self, prefix, start=0, end=None, /", method_startswith,
     "True if it starts with prefix."},
    {"endswith", "self, suffix, start=0, end=None, /", method_endswith,
     "True if it ends with suffix."},
    {"join", "self, iterable_of_bytes, /", method_join,
     "The items with these bytes between them."},
    {"translate", "self, table, /, delete=b''", method_translate,
     "Each byte replaced by that of the table."},
    {0}};

const NativeDef bytes_class_methods[] = {
    {"fromhex", "cls, string, /", bytes_method_fromhex,
     "The bytes of hexadecimal digits."},
    {0}};

const NativeDef bytes_static_methods[] = {
    {"maketrans", "frm, to, /", method_maketrans, "A table for translate."},
    {0}};
