// The rows of bytes' methods, and those that str has not got or that are about
// other types. What both have is in bytes_text.c and bytes_case.c.
#include "interp/objects/text/bytes_methods.h"

#include "interp/objects/classes/object_copying.h"

#include "base/utf8.h"

#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/bytes_text.h"

// For arguments that must be bytes and nothing that can be made into them.
Bytes *bytes_argument(Vm *vm, Value v)
{
    return value_is_kind(v, KIND_BYTES)
               ? value_as_bytes(v)
               : raise_null(vm, ERR_TYPE,
                            "a bytes-like object is required, not '%s'",
                            type_name(type_of(vm, v)));
}

static Value method_isascii(Vm *vm, Value *args)
{
    (void)vm;
    return value_from_bool(
        utf8_is_ascii(bytes_text(args[0]), bytes_length(args[0])));
}

static Value method_bytes(Vm *vm, Value *args)
{
    return bytes_value(vm, bytes_text(args[0]), bytes_length(args[0]));
}

static Value method_decode(Vm *vm, Value *args)
{
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

// startswith and endswith: any part of a tuple that fits will do.
static Value affix(Vm *vm, Value *args, bool at_end)
{
    const Bytes *self = value_as_bytes(args[0]);
    size_t from, to;
    if (!sequence_range(vm, args[2], args[3], self->length, &from, &to)) {
        return VALUE_FAIL;
    }
    // The type is checked part by part, in order, so a match in front hides a
    // wrong type behind it.
    bool many = value_is_kind(args[1], KIND_TUPLE);
    const Tuple *parts = many ? value_as_tuple(args[1]) : NULL;
    // A single prefix is looked at as a tuple of one would be.
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

// A prefix, or a tuple of them.
// An empty prefix fits as long as the range is not behind the end.
static Value method_startswith(Vm *vm, Value *args)
{
    return affix(vm, args, false);
}

// The range counts from the start all the same.
static Value method_endswith(Vm *vm, Value *args)
{
    return affix(vm, args, true);
}

// `at` is the item's number, for the message.
// False: a TypeError is pending. Memory that runs out is seen by the caller, in
// the buffer.
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
static Value method_join(Vm *vm, Value *args)
{
    Tuple *items = value_to_items(vm, args[1], "can only join an iterable");
    if (items == NULL) {
        return VALUE_FAIL;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    // add_item tells a wrong item by its number.
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
static Value method_translate(Vm *vm, Value *args)
{
    const Bytes *table = NULL, *omit = NULL;
    if (!value_is_none(args[1])) {
        table = bytes_argument(vm, args[1]);
        if (table == NULL) {
            return VALUE_FAIL;
        }
        // One byte for each value: the message says characters.
        if (table->length != 256) {
            return raise_error(vm, ERR_VALUE,
                               "translation table must be 256 characters "
                               "long");
        }
    }
    // No `delete` was given; an empty one has nothing to look up either.
    if (!value_unbound(args[2])) {
        omit = bytes_argument(vm, args[2]);
        if (omit == NULL) {
            return VALUE_FAIL;
        }
    }
    const Bytes *self = value_as_bytes(args[0]);
    // Written in place: nobody else can see it yet.
    Bytes *out = bytes_new(vm, NULL, self->length);
    // Never more than the input; the copy below cuts it.
    size_t used = 0;
    for (size_t i = 0; out != NULL && i < self->length; i++) {
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            object_release(&vm->ctx, out);
            return VALUE_FAIL;
        }
        // What is to be deleted is looked up before it is translated.
        char byte = self->data[i];
        if (omit == NULL || memchr(omit->data, byte, omit->length) == NULL) {
            out->data[used++] =
                table == NULL ? byte : table->data[(unsigned char)byte];
        }
    }
    // A bytes is freed by its length, so it is not cut in place but copied.
    Value result = out == NULL ? VALUE_FAIL : bytes_value(vm, out->data, used);
    object_release_null(&vm->ctx, out);
    return result;
}

// A static method: args[0] is an argument, not self. Where `from` has a byte
// twice the last one counts.
static Value method_maketrans(Vm *vm, Value *args)
{
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
    NEWARGS_ROW,
#define BYTES_METHOD(name, params, doc)                                        \
    {#name, "self, " params, bytes_method_##name, doc},
#include "interp/objects/text/bytes_method_list.h"
#undef BYTES_METHOD
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

const NativeDef bytes_class_methods[] = {{"fromhex", "cls, string, /",
                                          bytes_method_fromhex,
                                          "The bytes of hexadecimal digits."},
                                         {0}};

const NativeDef bytes_static_methods[] = {
    {"maketrans", "frm, to, /", method_maketrans, "A table for translate."},
    {0}};
