// open().
//
// Invariant: the descriptor is closed on every path on which no File took it.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp/builtins.h"
#include "interp/obj_file.h"
#include "interp/obj_int.h"
#include "interp/protocol.h"

// As Python's open(): the process's umask takes bits away.
enum { NEW_FILE_MODE = 0666 };

// What the letters of open()'s mode mean.
typedef struct OpenMode {
    char kind;   // 'r', 'w', 'a' or 'x'
    bool update; // '+'
    bool binary; // 'b'
} OpenMode;

// False with CPython's ValueError pending. 't' is the default and only checked
// against a second 'b' or 't'.
static bool parse_mode(Vm *vm, const char *text, OpenMode *mode)
{
    *mode = (OpenMode){0};
    // 'b' or 't' was met: the two exclude each other.
    bool told = false;
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr("rwax", *at) != NULL) {
            if (mode->kind != 0) {
                return raise_false(vm, ERR_VALUE,
                                   "must have exactly one of create/read/"
                                   "write/append mode");
            }
            mode->kind = *at;
        } else if (strchr("+bt", *at) == NULL || (told && *at != '+')) {
            return raise_false(vm, ERR_VALUE, "invalid mode: '%s'", text);
        }
        mode->update = mode->update || *at == '+';
        mode->binary = mode->binary || *at == 'b';
        told = told || *at == 'b' || *at == 't';
    }
    if (mode->kind == 0) {
        return raise_false(vm, ERR_VALUE,
                           "Must have exactly one of create/read/write/append "
                           "mode and at most one plus");
    }
    return !mode->binary ||
           raise_false(vm, ERR_VALUE, "binary mode is not part of Duet: '%s'",
                       text);
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

// `translate`: line ends of all systems are read as "\n".
static Value open_file(Vm *vm, Value name, const char *text, bool translate)
{
    OpenMode mode;
    int descriptor;
    if (!parse_mode(vm, text, &mode)) {
        return VALUE_FAIL;
    }
    int error = open_path(value_as_str(name)->text, &mode, &descriptor);
    if (error != 0) {
        return raise_errno(vm, error, value_as_str(name)->text);
    }
    // Owned: closed with the File object, unlike the standard streams.
    uint32_t flags = FILE_OWNED | (translate ? FILE_TRANSLATE : 0u);
    flags |= mode.kind == 'r' || mode.update ? FILE_READ : 0u;
    flags |= mode.kind != 'r' || mode.update ? FILE_WRITE : 0u;
    File *file = file_new(vm, descriptor, value_as_str(name), text, flags);
    if (file == NULL) {
        close(descriptor);
        return VALUE_FAIL;
    }
    return value_from_object(file);
}

// open(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None)
Value builtin_open(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE,
                           "expected str, bytes or os.PathLike object, not %s",
                           type_name(type_of(vm, args[0])));
    }
    if (!value_unbound(args[1]) && !value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "open() argument 'mode' must be str, not %s",
                           type_name(type_of(vm, args[1])));
    }
    const char *mode =
        value_unbound(args[1]) ? "r" : value_as_str(args[1])->text;
    // Any newline argument but None turns translation off. Encoding and errors
    // are accepted and not used: files are UTF-8.
    bool translate = value_unbound(args[5]) || value_is_none(args[5]);
    return open_file(vm, args[0], mode, translate);
}
