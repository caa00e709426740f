// open().
//
// Invariant: the descriptor is closed on every path on which no File took it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp/hooks/note.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/codec.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/builtins/builtins.h"
#include "modules/files/filelog.h"
#include "modules/files/obj_file.h"

// As Python's open(): the process's umask takes bits away.
enum { NEW_FILE_MODE = 0666 };

typedef struct OpenMode {
    char kind;   // 'r', 'w', 'a' or 'x'
    bool update; // '+'
    bool binary; // 'b'
} OpenMode;

// Each letter once, of those that are known. False with ValueError.
static bool check_letters(Vm *vm, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr("rwaxbt+", *at) == NULL || strchr(at + 1, *at) != NULL) {
            return raise_false(vm, ERR_VALUE, "invalid mode: '%s'", text);
        }
    }
    return true;
}

// False with a ValueError pending. 't' is the default.
static bool parse_mode(Vm *vm, const char *text, OpenMode *mode)
{
    *mode = (OpenMode){0};
    if (!check_letters(vm, text)) {
        return false;
    }
    // Where the letters stand is no matter: "+br" is "rb+".
    mode->update = strchr(text, '+') != NULL;
    mode->binary = strchr(text, 'b') != NULL;
    if (mode->binary && strchr(text, 't') != NULL) {
        return raise_false(vm, ERR_VALUE,
                           "can't have text and binary mode at once");
    }
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr("rwax", *at) == NULL) {
            continue;
        }
        if (mode->kind != 0) {
            return raise_false(vm, ERR_VALUE,
                               "must have exactly one of create/read/"
                               "write/append mode");
        }
        mode->kind = *at;
    }
    return mode->kind != 0 ||
           raise_false(vm, ERR_VALUE,
                       "Must have exactly one of create/read/write/append "
                       "mode and at most one plus");
}

// O_CLOEXEC: a child process must not inherit the descriptor, as in Python
// since 3.4.
static int system_flags(const OpenMode *mode)
{
    int flags = O_CLOEXEC;
    // '+' reads and writes, whatever the kind; the kind still decides on
    // creating and truncating.
    if (mode->update) {
        flags |= O_RDWR;
    } else {
        flags |= mode->kind == 'r' ? O_RDONLY : O_WRONLY;
    }
    switch (mode->kind) {
    case 'w': return flags | O_CREAT | O_TRUNC;
    case 'a': return flags | O_CREAT | O_APPEND;
    case 'x': return flags | O_CREAT | O_EXCL;
    default: return flags;
    }
}

// The number of an error, 0: *descriptor is open and no folder.
static int open_path(const char *path, const OpenMode *mode, int *descriptor)
{
    *descriptor = open(path, system_flags(mode), NEW_FILE_MODE);
    if (*descriptor < 0) {
        return errno;
    }
    // open() of a folder succeeds for reading; Python refuses it.
    struct stat status;
    if (fstat(*descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(*descriptor);
        return EISDIR;
    }
    return 0;
}

enum {
    ARG_FILE,
    ARG_MODE,
    ARG_BUFFERING,
    ARG_ENCODING,
    ARG_ERRORS,
    ARG_NEWLINE,
    ARG_CLOSEFD,
    ARG_OPENER
};

// A text, None or nothing; *given is whether it is a text.
static bool check_text(Vm *vm, Value v, const char *name, bool *given)
{
    *given = builtin_given(v);
    return !*given || value_is_str(v) ||
           raise_false(vm, ERR_TYPE,
                       "open() argument '%s' must be str or None, not %s", name,
                       type_name(type_of(vm, v)));
}

// What a binary file does not take, and whether the codec and the line end are
// known. The codec's name is tried on an empty text.
static bool check_options(Vm *vm, Value *args, const OpenMode *mode,
                          int64_t buffering)
{
    bool encoding, errors, newline;
    if (!check_text(vm, args[ARG_ENCODING], "encoding", &encoding) ||
        !check_text(vm, args[ARG_ERRORS], "errors", &errors) ||
        !check_text(vm, args[ARG_NEWLINE], "newline", &newline)) {
        return false;
    }
    if (mode->binary) {
        const char *name = encoding  ? "an encoding"
                           : errors  ? "an errors"
                           : newline ? "a newline"
                                     : NULL;
        return name == NULL ||
               raise_false(vm, ERR_VALUE,
                           "binary mode doesn't take %s argument", name);
    }
    // Text needs a buffer, as characters may be cut by a read.
    if (buffering == 0) {
        return raise_false(vm, ERR_VALUE, "can't have unbuffered text I/O");
    }
    if (newline) {
        // '' and None are allowed too, and mean what set_text_options makes of
        // them.
        const Str *end = value_as_str(args[ARG_NEWLINE]);
        if (end->length > 0 && !str_is(end, "\n") && !str_is(end, "\r") &&
            !str_is(end, "\r\n")) {
            return raise_false(vm, ERR_VALUE, "illegal newline value: %s",
                               end->text);
        }
    }
    return true;
}

// utf-8-sig, in the spellings that people use.
static bool has_bom(const Str *encoding)
{
    return strcasecmp(encoding->text, "utf-8-sig") == 0 ||
           strcasecmp(encoding->text, "utf_8_sig") == 0;
}

// How text goes in and out. Strict UTF-8 needs no codec.
static bool set_text_options(Vm *vm, File *file, Value *args)
{
    file->flags |= FILE_UNIVERSAL | FILE_TRANSLATE;
    if (builtin_given(args[ARG_NEWLINE])) {
        const Str *end = value_as_str(args[ARG_NEWLINE]);
        file->flags &= ~(uint32_t)FILE_TRANSLATE;
        // newline='' splits at all three, but leaves them as they are.
        if (end->length > 0) {
            file->flags &= ~(uint32_t)FILE_UNIVERSAL;
            // Two bytes at most, as check_options has seen to.
            memcpy(file->newline, end->text, end->length);
        }
    }
    if (builtin_given(args[ARG_ERRORS])) {
        file->errors = value_retain(args[ARG_ERRORS]);
        file->flags |= str_is(value_as_str(file->errors), "strict")
                           ? 0u
                           : (uint32_t)FILE_WHOLE;
    }
    if (!builtin_given(args[ARG_ENCODING])) {
        return true;
    }
    const Str *encoding = value_as_str(args[ARG_ENCODING]);
    file->encoding = value_retain(args[ARG_ENCODING]);
    if (has_bom(encoding)) {
        file->flags |= FILE_BOM | FILE_WHOLE;
        return true;
    }
    // Encoding nothing tells whether the codec is known.
    Value bytes = bytes_encode(vm, "open", str_value(vm->empty_str),
                               file->encoding, VALUE_UNBOUND);
    if (value_failed(bytes)) {
        return false;
    }
    release(vm, bytes);
    // Other encodings cannot be decoded in pieces here: the file is read as a
    // whole.
    if (strcasecmp(encoding->text, "utf-8") != 0 &&
        strcasecmp(encoding->text, "utf8") != 0) {
        file->flags |= FILE_WHOLE;
    }
    return true;
}

// os.fspath(): a str or bytes, owned; an int stays one.
static Value path_of(Vm *vm, Value file)
{
    if (value_is_str(file) || value_is_kind(file, KIND_BYTES) ||
        value_is_integer(file)) {
        return value_retain(file);
    }
    // What __fspath__ gave is looked at by those who use it.
    Value path = value_call_special(vm, file, "__fspath__", NULL, 0);
    if (value_unbound(path)) {
        return raise_error(vm, ERR_TYPE,
                           "expected str, bytes or os.PathLike object, not %s",
                           type_name(type_of(vm, file)));
    }
    return path;
}

// The text of a path without zero bytes; NULL: failed.
static const char *path_text(Vm *vm, Value path)
{
    bool is_str = value_is_str(path);
    const char *text = is_str ? value_as_str(path)->text : bytes_text(path);
    size_t length = is_str ? value_as_str(path)->length : bytes_length(path);
    return strlen(text) == length
               ? text
               : raise_null(vm, ERR_VALUE, "embedded null byte");
}

// What opener(path, flags) gives, a descriptor.
static bool open_by(Vm *vm, Value opener, Value path, const OpenMode *mode,
                    int *descriptor)
{
    Value args[] = {path, value_from_small(system_flags(mode))};
    Value made = vm_call(vm, opener, args, 2);
    int64_t number = -1;
    bool ok = !value_failed(made) && value_to_index(vm, made, &number);
    release(vm, made);
    *descriptor = (int)number;
    return ok &&
           (number >= 0 || raise_false(vm, ERR_VALUE, "opener returned %lld",
                                       (long long)number));
}

static bool get_descriptor(Vm *vm, Value *args, Value path,
                           const OpenMode *mode, int *descriptor)
{
    bool keeps = !value_unbound(args[ARG_CLOSEFD]) &&
                 value_truth(vm, args[ARG_CLOSEFD]) == 0;
    if (!value_is_str(path) && !value_is_kind(path, KIND_BYTES)) {
        int64_t number;
        struct stat status;
        if (!value_to_index(vm, path, &number)) {
            return false;
        }
        if (number < 0) {
            return raise_false(vm, ERR_VALUE, "negative file descriptor");
        }
        *descriptor = (int)number;
        // A number that is no open file is told now, not at the first read.
        return fstat(*descriptor, &status) == 0 ||
               (raise_errno(vm, errno, NULL), false);
    }
    if (keeps) {
        return raise_false(vm, ERR_VALUE,
                           "Cannot use closefd=False with file name");
    }
    if (builtin_given(args[ARG_OPENER])) {
        return open_by(vm, args[ARG_OPENER], path, mode, descriptor);
    }
    // What stands in the file another call may find otherwise.
    bool reads = (system_flags(mode) & O_ACCMODE) == O_RDONLY;
    if (!note_effect(vm, reads ? EFFECT_DRAW : EFFECT_CHANGE, "open",
                     VALUE_UNBOUND)) {
        return false;
    }
    Value named = codec_to_system(vm, path);
    const char *text = value_failed(named) ? NULL : path_text(vm, named);
    bool ready = text != NULL && filelog_open(vm, text, system_flags(mode));
    int error = ready ? open_path(text, mode, descriptor) : 0;
    if (error != 0) {
        raise_errno(vm, error, text);
    }
    bool opened = ready && error == 0;
    release(vm, named);
    return opened;
}

static void binary_mode(const OpenMode *mode, char out[5])
{
    snprintf(out, 5, "%cb%s",
             mode->kind == 'w' && mode->update ? 'r' : mode->kind,
             mode->update ? "+" : "");
}

// The file of an open descriptor, which is closed on failure.
static Value make_file(Vm *vm, Value *args, Value path, const char *text,
                       const OpenMode *mode, int64_t buffering, int descriptor)
{
    char shown[5];
    // Owned: closed with the File object, unlike the standard streams.
    uint32_t flags = FILE_OWNED | (mode->binary ? FILE_BINARY : 0u);
    flags |= mode->kind == 'r' || mode->update ? FILE_READ : 0u;
    flags |= mode->kind != 'r' || mode->update ? FILE_WRITE : 0u;
    // buffering=0 is for bytes, buffering=1 for lines of text.
    flags |= mode->binary && buffering == 0 ? FILE_RAW : 0u;
    flags |= !mode->binary && buffering == 1 ? FILE_LINES : 0u;
    if (!value_unbound(args[ARG_CLOSEFD]) &&
        value_truth(vm, args[ARG_CLOSEFD]) == 0) {
        flags |= FILE_BORROWED;
    }
    if (mode->binary) {
        binary_mode(mode, shown);
        text = shown;
    }
    File *file = file_new(vm, descriptor, path, text, flags);
    if (file == NULL) {
        close(descriptor);
        return VALUE_FAIL;
    }
    if (mode->kind == 'a') {
        // tell() is to say so even before the first write.
        lseek(descriptor, 0, SEEK_END);
    }
    // The file closes its descriptor when it dies.
    if (!mode->binary && !set_text_options(vm, file, args)) {
        object_release(&vm->ctx, file);
        return VALUE_FAIL;
    }
    return value_from_object(file);
}

// open(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None,
// closefd=True, opener=None)
Value builtin_open(Vm *vm, Value *args)
{
    OpenMode mode;
    int64_t buffering = -1;
    int descriptor = -1;
    Value path = path_of(vm, args[ARG_FILE]);
    if (value_failed(path)) {
        return VALUE_FAIL;
    }
    Value given = args[ARG_MODE];
    const char *text = value_is_str(given) ? value_as_str(given)->text : "r";
    bool ok =
        value_unbound(given) || value_is_str(given) ||
        raise_false(vm, ERR_TYPE, "open() argument 'mode' must be str, not %s",
                    type_name_given(vm, given));
    // The order is fixed: the first fault is the one that is told.
    // The descriptor comes last, so that no fault leaves one open.
    ok = ok &&
         (value_unbound(args[ARG_BUFFERING]) ||
          value_to_index(vm, args[ARG_BUFFERING], &buffering)) &&
         parse_mode(vm, text, &mode) &&
         check_options(vm, args, &mode, buffering) &&
         get_descriptor(vm, args, path, &mode, &descriptor);
    Value file =
        ok ? make_file(vm, args, path, text, &mode, buffering, descriptor)
           : VALUE_FAIL;
    release(vm, path);
    return file;
}
