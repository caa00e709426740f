// The encoding of a program's bytes.
//
// Invariant: only what a comment declares is looked for; bytes that declare
// nothing pass as they are, and source_new() checks that they are UTF-8.
#include "interp/machine/compile/source_bytes.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/codec.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"

enum { NAME_SIZE = 64 };

// Whether a line can only be blank or a comment; *at: where that starts.
static bool is_comment_or_blank(const char *line, size_t length, size_t *at)
{
    *at = 0;
    while (*at < length && strchr(" \t\f", line[*at]) != NULL &&
           line[*at] != '\0') {
        ++*at;
    }
    return *at == length || line[*at] == '#';
}

// The name behind "coding:" or "coding=" in a comment; false: there is none.
static bool find_name(const char *text, size_t length, char name[NAME_SIZE])
{
    for (size_t i = 0; i + 7 <= length; i++) {
        if (memcmp(text + i, "coding", 6) != 0 ||
            (text[i + 6] != ':' && text[i + 6] != '=')) {
            continue;
        }
        size_t at = i + 7, count = 0;
        while (at < length && (text[at] == ' ' || text[at] == '\t')) {
            at++;
        }
        while (at < length && count + 1 < NAME_SIZE &&
               (isalnum((unsigned char)text[at]) ||
                (text[at] != '\0' && strchr("-_.", text[at]) != NULL))) {
            name[count++] = text[at++];
        }
        name[count] = '\0';
        if (count > 0) {
            return true;
        }
    }
    return false;
}

// Whether the name is `base`, or that and more behind a hyphen, in any case and
// with underscores for hyphens; twelve characters count (fixed).
static bool is_named(const char *name, const char *base)
{
    size_t i = 0;
    for (; base[i] != '\0'; i++) {
        char c = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
        if (c != base[i]) {
            return false;
        }
    }
    return name[i] == '\0' || name[i] == '-' || name[i] == '_' || i >= 12;
}

// The two encodings that have many names, by one of them.
static void normalise(char name[NAME_SIZE])
{
    if (is_named(name, "utf-8")) {
        strcpy(name, "utf-8");
    } else if (is_named(name, "latin-1") || is_named(name, "iso-8859-1") ||
               is_named(name, "iso-latin-1")) {
        strcpy(name, "iso-8859-1");
    }
}

// The second line counts if the first one is blank or a comment.
static bool declared(const char *text, size_t length, char name[NAME_SIZE])
{
    for (int line = 0; line < 2; line++) {
        size_t end = 0, at;
        while (end < length && text[end] != '\n' && text[end] != '\r') {
            end++;
        }
        if (!is_comment_or_blank(text, end, &at)) {
            return false;
        }
        if (find_name(text + at, end - at, name)) {
            normalise(name);
            return true;
        }
        end += end + 1 < length && text[end] == '\r' && text[end + 1] == '\n';
        end += end < length;
        text += end;
        length -= end;
    }
    return false;
}

// Of a file that is read no more is told than that it cannot be read. What is
// there whole is told with the file and a line that does not exist. VALUE_FAIL,
// always.
static Value fail(Vm *vm, const char *name, SourceOrigin origin,
                  const Str *message)
{
    if (origin == SOURCE_FILE) {
        return raise_error(vm, ERR_SYNTAX, "%s", message->text);
    }
    Str *file = str_new(vm, name, strlen(name));
    if (file == NULL) {
        return VALUE_FAIL;
    }
    Value place[] = {str_value(file), value_from_small(0), value_from_small(-1),
                     VALUE_NONE};
    Value args[] = {str_value(object_retain((Str *)(uintptr_t)message)),
                    tuple_of_owned(vm, place, 4)};
    Value made =
        value_failed(args[1])
            ? VALUE_FAIL
            : vm_call(vm, value_from_object(vm->error_types[ERR_SYNTAX]), args,
                      2);
    release(vm, args[0]);
    release(vm, args[1]);
    return value_failed(made) ? VALUE_FAIL : raise_object(vm, made);
}

// With printf's arguments made to a str by the caller; takes it.
static Value fail_owned(Vm *vm, const char *name, SourceOrigin origin,
                        Str *message)
{
    if (message == NULL) {
        return VALUE_FAIL;
    }
    Value failed = fail(vm, name, origin, message);
    object_release(&vm->ctx, message);
    return failed;
}

// The pending error of a codec, told as the program's.
static Value fail_decoding(Vm *vm, const char *name, SourceOrigin origin,
                           const char *encoding)
{
    if (!raise_matches(vm, ERR_LOOKUP) && !raise_matches(vm, ERR_VALUE)) {
        return VALUE_FAIL;
    }
    Value error = raise_take(vm);
    Str *message = origin == SOURCE_FILE
                       ? str_printf(vm, "encoding problem: %s", encoding)
                       : value_str(vm, error);
    release(vm, error);
    return fail_owned(vm, name, origin, message);
}

static bool is_wide(const char *encoding)
{
    return strncasecmp(encoding, "utf-16", 6) == 0 ||
           strncasecmp(encoding, "utf-32", 6) == 0 ||
           strncasecmp(encoding, "utf16", 5) == 0 ||
           strncasecmp(encoding, "utf32", 5) == 0;
}

static Value decode_by(Vm *vm, const char *name, SourceOrigin origin,
                       const char *bytes, size_t length, const char *encoding)
{
    if (origin == SOURCE_FILE && is_wide(encoding)) {
        return raise_error(vm, ERR_SYNTAX, "encoding problem: %s", encoding);
    }
    Str *codec = str_new(vm, encoding, strlen(encoding));
    Bytes *data = codec == NULL ? NULL : bytes_new(vm, bytes, length);
    Value text = data == NULL
                     ? VALUE_FAIL
                     : bytes_decode(vm, "decode", value_from_object(data),
                                    str_value(codec), VALUE_UNBOUND);
    object_release_null(&vm->ctx, data);
    object_release_null(&vm->ctx, codec);
    return value_failed(text) ? fail_decoding(vm, name, origin, encoding)
                              : text;
}

// UNBOUND: the bytes are the text, behind the *skip first ones. *coded: whether
// the encoding was told at all.
static Value decode_declared(Vm *vm, const char *name, SourceOrigin origin,
                             const char *bytes, size_t length, size_t *skip,
                             bool *coded)
{
    char encoding[NAME_SIZE];
    bool marked = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    *skip = marked ? 3 : 0;
    bool told = origin != SOURCE_TYPED &&
                declared(bytes + *skip, length - *skip, encoding);
    *coded = marked || told;
    if (!told || strcmp(encoding, "utf-8") == 0) {
        return VALUE_UNBOUND;
    }
    if (marked) {
        return fail_owned(
            vm, name, origin,
            str_printf(vm, "encoding problem: %s with BOM", encoding));
    }
    return decode_by(vm, name, origin, bytes, length, encoding);
}

// NUL and bad UTF-8 are left for the caller to find.
Value source_decode(Vm *vm, const char *name, SourceOrigin origin,
                    const char *bytes, size_t length)
{
    size_t skip;
    bool coded;
    Value text =
        decode_declared(vm, name, origin, bytes, length, &skip, &coded);
    if (!value_unbound(text)) {
        return text;
    }
    Bytes *data = bytes_new(vm, bytes + skip, length - skip);
    if (data == NULL) {
        return VALUE_FAIL;
    }
    text = bytes_decode(vm, "decode", value_from_object(data), VALUE_UNBOUND,
                        VALUE_UNBOUND);
    object_release(&vm->ctx, data);
    return text;
}

// Most programs declare nothing and are not copied twice. A module is read
// whole before it is compiled, as texts are, and may hold no NUL in the same
// words; source_new() has those of a script.
Source *source_of_bytes(Vm *vm, const char *name, SourceOrigin origin,
                        const char *bytes, size_t length)
{
    size_t skip;
    bool coded;
    Value text =
        decode_declared(vm, name, origin, bytes, length, &skip, &coded);
    if (value_failed(text)) {
        return NULL;
    }
    if (!value_unbound(text)) {
        bytes = value_as_str(text)->text;
        length = value_as_str(text)->length;
    }
    bool zero = origin == SOURCE_MODULE && memchr(bytes, 0, length) != NULL;
    Source *source =
        zero ? raise_null(vm, ERR_VALUE,
                          "source code string cannot contain null bytes")
             : source_new(&vm->ctx, name, bytes, length);
    release(vm, text);
    if (source != NULL) {
        source->origin = (uint8_t)origin;
        source->coded = coded;
    }
    return source;
}
