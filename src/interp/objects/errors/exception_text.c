// str() of the error classes that have a form of their own: OSError,
// SyntaxError, ImportError and the Unicode errors, worded.
#include "interp/objects/errors/exception_family.h"
#include "interp/objects/errors/exception_fields.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

// All fields of an exception at once, each owned.
// A field that was never set is unbound, one that could not be read VALUE_FAIL.
typedef struct Fields {
    Value item[EXCEPTION_FIELD_MAX];
} Fields;

// Also of what fields_read has left half-way.
static void fields_drop(Vm *vm, Fields *fields)
{
    for (int i = 0; i < EXCEPTION_FIELD_MAX; i++) {
        release(vm, fields->item[i]);
    }
}

// False: one of them failed; out has them all in any case, for fields_drop.
static bool fields_read(Vm *vm, ErrorKind family, const Exception *self,
                        Fields *out)
{
    bool done = true;
    for (int i = 0; i < EXCEPTION_FIELD_MAX; i++) {
        out->item[i] = exception_family_field(vm, family, self, i);
        done = done && !value_failed(out->item[i]);
    }
    return done;
}

// "[Errno 2] text: 'file' -> 'file2'" NULL without an error where the fields do
// not suffice: then args show.
// Without a file both number and text must be there.
static Str *os_text(Vm *vm, const Fields *fields)
{
    bool file = !value_unbound(fields->item[OS_FILE]);
    bool file2 = file && !value_unbound(fields->item[OS_FILE2]);
    if (!file && (value_unbound(fields->item[OS_ERRNO]) ||
                  value_unbound(fields->item[OS_STRERROR]))) {
        return NULL;
    }
    Str *part[4] = {NULL};
    // str() or repr() may run code and fail: then a part is NULL.
    for (int i = 0; i < 2 + file + file2; i++) {
        Value value = fields->item[i];
        value = value_unbound(value) ? VALUE_NONE : value;
        // Files show with quotes, the text without.
        part[i] = i < OS_FILE ? value_str(vm, value) : value_repr(vm, value);
    }
    Str *text = NULL;
    if (!vm_has_error(vm)) {
        text = str_printf(vm, "[Errno %s] %s%s%s%s%s", part[0]->text,
                          part[1]->text, file ? ": " : "",
                          file ? part[2]->text : "", file2 ? " -> " : "",
                          file2 ? part[3]->text : "");
    }
    for (int i = 0; i < 4; i++) {
        object_release_null(&vm->ctx, part[i]);
    }
    return text;
}

// "invalid syntax (a.py, line 3)" The line or the file may be missing.
// Owned. A line that is no int, or beyond 64 bits, counts as missing.
static Str *syntax_text(Vm *vm, const Fields *fields)
{
    Value message = fields->item[SYNTAX_MSG];
    Str *text = value_str(vm, value_unbound(message) ? VALUE_NONE : message);
    if (text == NULL) {
        return NULL;
    }
    int64_t line = 0;
    bool lined = value_is_int(fields->item[SYNTAX_LINE]) &&
                 int_to_i64(fields->item[SYNTAX_LINE], &line);
    const char *name = NULL;
    if (value_is_str(fields->item[SYNTAX_FILE])) {
        name = value_as_str(fields->item[SYNTAX_FILE])->text;
        const char *slash = strrchr(name, '/');
        name = slash == NULL ? name : slash + 1;
    }
    Str *made = NULL;
    if (lined) {
        made = str_printf(vm, "%s (%s%sline %lld)", text->text,
                          name == NULL ? "" : name, name == NULL ? "" : ", ",
                          (long long)line);
    } else if (name != NULL) {
        made = str_printf(vm, "%s (%s)", text->text, name);
    } else {
        return text;
    }
    object_release(&vm->ctx, text);
    return made;
}

// The one character or byte that a Unicode error is about, as it shows it.
// False if [start, end) is not a single one of the object. One character is
// shown by itself, and of several only where they are.
// `byte`: it was decoding, and the object is bytes. The text goes to out[0 ..
// size).
static bool single(Vm *vm, Value object, int64_t start, int64_t end, bool byte,
                   char *out, size_t size)
{
    if (end != start + 1 || start < 0 ||
        !value_is_kind(object, byte ? KIND_BYTES : KIND_STR)) {
        return false;
    }
    Value item = value_get_item(vm, object, value_from_small(start));
    // Programs may set any place.
    if (value_failed(item)) {
        raise_clear(vm);
        return false;
    }
    int64_t number = 0;
    // The item of bytes is an int, that of a str a str of one character.
    if (byte) {
        (void)int_to_i64(item, &number);
        snprintf(out, size, "byte 0x%02x", (unsigned)number);
    } else {
        uint32_t c = str_first_point(value_as_str(item));
        snprintf(out, size,
                 c > 0xFFFF ? "character '\\U%08x'"
                 : c > 0xFF ? "character '\\u%04x'"
                            : "character '\\x%02x'",
                 (unsigned)c);
    }
    release(vm, item);
    return true;
}

// "'utf-8' codec can't decode byte 0xff in position 2: invalid start byte", an
// empty text for an error that was never initialised. Owned. Programs may set
// the fields to anything after the error was made, so each is looked at again.
static Str *unicode_text(Vm *vm, ErrorKind family, const Fields *fields)
{
    bool translate = family == ERR_UNICODE_TRANSLATE;
    bool decode = family == ERR_UNICODE_DECODE;
    Value object = fields->item[UNICODE_OBJECT];
    int64_t start = 0, end = 0;
    // What is no int is 0, as where it was never set.
    if ((value_unbound(object) || value_is_none(object)) ||
        (value_is_int(fields->item[UNICODE_START]) &&
         !int_to_i64(fields->item[UNICODE_START], &start)) ||
        (value_is_int(fields->item[UNICODE_END]) &&
         !int_to_i64(fields->item[UNICODE_END], &end))) {
        return object_retain(vm->empty_str);
    }
    Str *reason = value_str(vm, fields->item[UNICODE_REASON]);
    // Translating needs no codec, so it is not named.
    Str *encoding = reason == NULL ? NULL
                    : translate    ? object_retain(vm->empty_str)
                                : value_str(vm, fields->item[UNICODE_ENCODING]);
    char what[80];
    if (!single(vm, object, start, end, decode, what, sizeof what)) {
        snprintf(what, sizeof what, decode ? "bytes" : "characters");
        // The end is behind the last one; people read the last.
        snprintf(what + strlen(what), sizeof what - strlen(what),
                 " in position %lld-%lld", (long long)start,
                 (long long)end - 1);
    } else {
        snprintf(what + strlen(what), sizeof what - strlen(what),
                 " in position %lld", (long long)start);
    }
    Str *text =
        encoding == NULL
            ? NULL
            : str_printf(vm, "%s%s%scan't %s %s: %s", translate ? "" : "'",
                         encoding->text, translate ? "" : "' codec ",
                         translate ? "translate"
                         : decode  ? "decode"
                                   : "encode",
                         what, reason->text);
    object_release_null(&vm->ctx, encoding);
    object_release_null(&vm->ctx, reason);
    return text;
}

// Fields are read once, whatever the class needs of them.
Str *exception_fields_text(Vm *vm, const Exception *self)
{
    ErrorKind family = exception_family(vm, self);
    Fields fields;
    Str *text = NULL;
    if (family == ERR_NONE || family == ERR_NAME || family == ERR_ATTRIBUTE ||
        family == ERR_STOP_ITERATION || family == ERR_SYSTEM_EXIT) {
        return NULL;
    }
    if (fields_read(vm, family, self, &fields)) {
        switch (family) {
        case ERR_OS: text = os_text(vm, &fields); break;
        case ERR_SYNTAX: text = syntax_text(vm, &fields); break;
        case ERR_IMPORT:
            // Any other msg than a text shows the arguments.
            text = value_is_str(fields.item[IMPORT_MSG])
                       ? object_retain(value_as_str(fields.item[IMPORT_MSG]))
                       : NULL;
            break;
        default: text = unicode_text(vm, family, &fields); break;
        }
    }
    fields_drop(vm, &fields);
    return text;
}
