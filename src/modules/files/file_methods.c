// The methods and attributes of files, text and binary.
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/files/file_read.h"

// The head of a method; the rows at the end name it.
#define FILE_BODY(name) static Value method_##name(Vm *vm, Value *args)

// The file that `args` begins with, open; NULL: failed. The file, not its base:
// a view of another file may have flags of its own.
static File *open_file(Vm *vm, Value *args)
{
    File *file = value_as_file(args[0]);
    return file_check_open(vm, file_base(file)) ? file : NULL;
}

// Some methods say it without a full stop. As open_file otherwise.
static File *open_below(Vm *vm, Value *args)
{
    File *file = value_as_file(args[0]);
    return file_base(file)->descriptor >= 0
               ? file
               : raise_null(vm, ERR_VALUE, "I/O operation on closed file");
}

// A size that may be left out or None; -1 then. Other negative numbers come
// through as they are, and mean the same to the callers.
static bool optional_size(Vm *vm, Value given, int64_t *size)
{
    *size = -1;
    return value_unbound(given) || value_is_none(given) ||
           value_to_index(vm, given, size);
}

// --- reading ---

// A file that can be read; what was written goes out first. NULL with the error
// of the layer that would notice first: binary files name the method, text
// files do not.
static File *readable_file(Vm *vm, Value *args, const char *what)
{
    File *file = value_as_file(args[0]), *base = file_base(file);
    bool binary = (file->flags & FILE_BINARY) != 0;
    if (binary && base->descriptor < 0) {
        return raise_null(vm, ERR_VALUE, "%s of closed file", what);
    }
    // Text files: closed is told before not readable.
    if (!file_check_open(vm, base)) {
        return NULL;
    }
    if (!(base->flags & FILE_READ)) {
        file_unsupported(vm, binary ? what : "not readable");
        return NULL;
    }
    return note_step(vm, file) &&
                   (base->out.length == 0 || file_flush(vm, base))
               ? file
               : NULL;
}

FILE_BODY(read)
{
    File *file = readable_file(vm, args, "read");
    int64_t size;
    if (file == NULL || !optional_size(vm, args[1], &size)) {
        return VALUE_FAIL;
    }
    return file_read(vm, file, size);
}

FILE_BODY(read1)
{
    File *file = readable_file(vm, args, "read");
    int64_t size;
    if (file == NULL || !optional_size(vm, args[1], &size)) {
        return VALUE_FAIL;
    }
    return file_read_some(vm, file, size, false);
}

// At least one byte, if there is any; the place does not move.
FILE_BODY(peek)
{
    File *file = readable_file(vm, args, "peek");
    return file == NULL ? VALUE_FAIL : file_read_some(vm, file, -1, true);
}

// Up to and with the end of the line, which the last one may lack.
FILE_BODY(readline)
{
    File *file = readable_file(vm, args, "readline");
    int64_t size;
    if (file == NULL || !optional_size(vm, args[1], &size)) {
        return VALUE_FAIL;
    }
    return file_next_line(vm, file, size < 0 ? -1 : size);
}

// Stops behind the line with which the hint is passed.
FILE_BODY(readlines)
{
    File *file = readable_file(vm, args, "readlines");
    int64_t hint, seen = 0;
    List *lines = file == NULL || !optional_size(vm, args[1], &hint)
                      ? NULL
                      : list_new(vm, 0);
    while (lines != NULL) {
        Value line = file_next_line(vm, file, -1);
        int64_t length = value_failed(line) ? -1 : value_length(vm, line);
        if (length == 0) {
            release(vm, line);
            return value_from_object(lines);
        }
        // The list takes the line, even on failure.
        if (length < 0 || !list_append_owned(vm, lines, line)) {
            object_release(&vm->ctx, lines);
            return VALUE_FAIL;
        }
        seen += length;
        if (hint > 0 && seen >= hint) {
            return value_from_object(lines);
        }
    }
    return VALUE_FAIL;
}

// --- writing ---

FILE_BODY(write)
{
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE, "write() argument must be str, not %s",
                           type_name_given(vm, args[1]));
    }
    Str *text = value_as_str(args[1]);
    File *file = value_as_file(args[0]);
    return note_effect(vm, EFFECT_CHANGE, "write", args[1]) &&
                   file_write_text(vm, file, text)
               ? int_from_u64(vm, text->count)
               : VALUE_FAIL;
}

// Unbuffered files hand everything on at once.
FILE_BODY(write_bytes)
{
    File *base = file_base(value_as_file(args[0]));
    if (!value_is_kind(args[1], KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE,
                           "a bytes-like object is required, not '%s'",
                           type_name(type_of(vm, args[1])));
    }
    if (base->descriptor < 0) {
        return raise_error(vm, ERR_VALUE, "write to closed file");
    }
    if (!(base->flags & FILE_WRITE)) {
        return file_unsupported(vm, "write"), VALUE_FAIL;
    }
    size_t length = bytes_length(args[1]);
    bool done =
        note_effect(vm, EFFECT_CHANGE, "write", args[1]) &&
        file_write(vm, base, bytes_text(args[1]), length) &&
        (!(value_as_file(args[0])->flags & FILE_RAW) || file_flush(vm, base));
    return done ? int_from_u64(vm, length) : VALUE_FAIL;
}

// A bad item stops the writing behind the items before it. No line ends are
// added.
FILE_BODY(writelines)
{
    bool binary = (value_as_file(args[0])->flags & FILE_BINARY) != 0;
    Value lines =
        open_file(vm, args) == NULL ? VALUE_FAIL : value_iter(vm, args[1]);
    if (value_failed(lines)) {
        return VALUE_FAIL;
    }
    Value line = value_next(vm, lines), wrote = VALUE_NONE;
    while (!value_failed(line) && !value_same(line, VALUE_STOP)) {
        Value row[] = {args[0], line};
        wrote = binary ? method_write_bytes(vm, row) : method_write(vm, row);
        release(vm, line);
        line = value_failed(wrote) ? VALUE_FAIL : value_next(vm, lines);
    }
    release(vm, lines);
    return value_failed(line) ? VALUE_FAIL : VALUE_NONE;
}

FILE_BODY(flush)
{
    File *file = open_file(vm, args);
    return value_done(file != NULL && file_flush(vm, file));
}

// --- the file itself ---

// Closing flushes, and what fails there is raised.
FILE_BODY(close)
{
    return value_done(file_close(vm, value_as_file(args[0])));
}

FILE_BODY(enter)
{
    return open_file(vm, args) != NULL ? value_retain(args[0]) : VALUE_FAIL;
}

FILE_BODY(exit)
{
    return method_close(vm, args);
}

// Asks the system each time: a descriptor may be redirected.
FILE_BODY(isatty)
{
    File *file = open_below(vm, args);
    return file == NULL ? VALUE_FAIL
                        : value_from_bool(isatty(file_base(file)->descriptor));
}

// Borrowed by the program: the file goes on owning the descriptor.
FILE_BODY(fileno)
{
    File *file = open_below(vm, args);
    return file == NULL ? VALUE_FAIL
                        : int_from_i64(vm, file_base(file)->descriptor);
}

// A closed file still knows what it was never open for. The flag is that of the
// base, which a view shares.
static Value can(Vm *vm, Value *args, uint32_t flag)
{
    if (!(file_base(value_as_file(args[0]))->flags & flag)) {
        return VALUE_FALSE;
    }
    return open_below(vm, args) == NULL ? VALUE_FAIL : VALUE_TRUE;
}

// By the mode, not by the system's permissions.
FILE_BODY(readable)
{
    return can(vm, args, FILE_READ);
}

FILE_BODY(writable)
{
    return can(vm, args, FILE_WRITE);
}

FILE_BODY(seekable)
{
    File *file = open_below(vm, args);
    return file == NULL ? VALUE_FAIL
                        : value_from_bool(lseek(file_base(file)->descriptor, 0,
                                                SEEK_CUR) >= 0);
}

// What a text file allows: anywhere from the start, else only the place itself.
// Characters of a text have no fixed size, so that a distance in them means
// nothing; 0 from the end is the end.
static bool check_text_seek(Vm *vm, Value offset, int64_t at, int64_t whence)
{
    if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) {
        return raise_false(vm, ERR_VALUE,
                           "invalid whence (%lld, should be 0, 1 or 2)",
                           (long long)whence);
    }
    if (whence == SEEK_CUR && at != 0) {
        return file_unsupported(vm, "can't do nonzero cur-relative seeks");
    }
    if (whence == SEEK_END && at != 0) {
        return file_unsupported(vm, "can't do nonzero end-relative seeks");
    }
    (void)offset;
    return at >= 0 || raise_false(vm, ERR_VALUE, "negative seek position %lld",
                                  (long long)at);
}

// What was written goes out before the place changes, and what was read ahead
// is dropped, since it belongs to the old place. Offsets count bytes.
FILE_BODY(seek)
{
    File *file = open_file(vm, args);
    int64_t offset, whence = SEEK_SET;
    if (file == NULL || !value_to_index(vm, args[1], &offset) ||
        (!value_unbound(args[2]) && !value_to_index(vm, args[2], &whence))) {
        return VALUE_FAIL;
    }
    if (!(file->flags & FILE_BINARY)) {
        if (!check_text_seek(vm, args[1], offset, whence)) {
            return VALUE_FAIL;
        }
    } else if (whence < 0 || whence > 4) {
        return raise_error(vm, ERR_VALUE, "whence value %lld unsupported",
                           (long long)whence);
    }
    File *base = file_base(file);
    if (!note_step(vm, base) || !file_flush(vm, base) ||
        !file_forget(vm, base)) {
        return VALUE_FAIL;
    }
    off_t place = lseek(base->descriptor, offset, (int)whence);
    if (place < 0) {
        return raise_errno(vm, errno, NULL);
    }
    // A walk over lines begins anew, and tell() is allowed again.
    base->flags &= ~(uint32_t)FILE_WALKED;
    base->newlines = 0;
    return int_from_i64(vm, place);
}

// In bytes. Within a `for` over lines the file has read ahead, and it is
// refused.
FILE_BODY(tell)
{
    File *file = open_file(vm, args);
    if (file == NULL) {
        return VALUE_FAIL;
    }
    if ((file->flags & FILE_WALKED) && !(file->flags & FILE_BINARY)) {
        return raise_error(vm, ERR_OS,
                           "telling position disabled by next() call");
    }
    int64_t place = note_step(vm, file_base(file)) ? file_tell(vm, file) : -1;
    return place < 0 ? VALUE_FAIL : int_from_i64(vm, place);
}

FILE_BODY(truncate)
{
    File *file = open_file(vm, args);
    int64_t size;
    if (file == NULL || !optional_size(vm, args[1], &size)) {
        return VALUE_FAIL;
    }
    File *base = file_base(file);
    if (!(base->flags & FILE_WRITE)) {
        return file_unsupported(vm, "truncate"), VALUE_FAIL;
    }
    if (value_unbound(args[1]) || value_is_none(args[1])) {
        // Where the program is, not where the system has read to.
        size = file_tell(vm, file);
    }
    if (size < 0 && vm_has_error(vm)) {
        return VALUE_FAIL;
    }
    if (!file_flush(vm, base) || !file_forget(vm, base)) {
        return VALUE_FAIL;
    }
    if (ftruncate(base->descriptor, size) != 0) {
        return raise_errno(vm, errno, NULL);
    }
    return int_from_i64(vm, size);
}

// A text or None; *place is retained. None leaves the option as it was.
static bool set_option(Vm *vm, Value given, Value *place)
{
    if (!value_unbound(given) && !value_is_none(given)) {
        value_replace(&vm->ctx, place, value_retain(given));
    }
    return true;
}

// reconfigure(encoding, errors, newline, line_buffering, write_through)
FILE_BODY(reconfigure)
{
    File *file = open_file(vm, args);
    if (file == NULL || !file_flush(vm, file) ||
        !set_option(vm, args[1], &file->encoding) ||
        !set_option(vm, args[2], &file->errors)) {
        return VALUE_FAIL;
    }
    if (!value_unbound(args[1]) || !value_unbound(args[2])) {
        file->flags |= FILE_WHOLE;
    }
    if (!value_unbound(args[4]) && !value_is_none(args[4])) {
        int lines = value_truth(vm, args[4]);
        file->flags = lines > 0 ? file->flags | FILE_LINES
                                : file->flags & ~(uint32_t)FILE_LINES;
    }
    return VALUE_NONE;
}

// --- attributes ---

// The object itself: what was given to open() may be a path, bytes or a number.
static Value get_name(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(value_as_file(self)->name);
}

// A binary file always shows its 'b', even if it was opened by "r+b". The text
// is the file's own, made when it was opened.
static Value get_mode(Vm *vm, Value self)
{
    return str_value_from(vm, value_as_file(self)->mode);
}

// A closed file has the descriptor -1, by the invariant.
static Value get_closed(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool(file_base(value_as_file(self))->descriptor < 0);
}

// As the program spelled it; the default has two spellings, one for files and
// one for the standard streams.
static Value get_encoding(Vm *vm, Value self)
{
    const File *file = value_as_file(self);
    if (!value_unbound(file->encoding)) {
        return value_retain(file->encoding);
    }
    return str_value_from(vm, file->flags & FILE_OWNED ? "UTF-8" : "utf-8");
}

// Standard error escapes what it cannot write, so that no message is lost.
static Value get_errors(Vm *vm, Value self)
{
    const File *file = value_as_file(self);
    if (!value_unbound(file->errors)) {
        return value_retain(file->errors);
    }
    return value_or_fail(str_from(
        vm, file->descriptor == STDERR_FILENO ? "backslashreplace" : "strict"));
}

// None, a text, or a tuple of the line ends that were met.
static Value get_newlines(Vm *vm, Value self)
{
    static const char *const names[] = {"\r", "\n", "\r\n"};
    const File *file = value_as_file(self);
    Value found[3];
    size_t count = 0;
    for (int i = 0; i < 3; i++) {
        if (file->newlines & 1 << i) {
            // The order is fixed, not that in which they were met.
            found[count] = str_value_from(vm, names[i]);
            if (value_failed(found[count])) {
                return VALUE_FAIL;
            }
            count++;
        }
    }
    if (count <= 1) {
        return count == 0 ? VALUE_NONE : found[0];
    }
    Tuple *all = tuple_from(vm, found, count);
    for (size_t i = 0; i < count; i++) {
        release(vm, found[i]);
    }
    return value_or_fail(all);
}

static Value get_line_buffering(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool((value_as_file(self)->flags & FILE_LINES) != 0);
}

// The same file as bytes: a view that holds this one. It has a buffer of its
// own only in name: what it reads and writes goes through the base.
static Value get_buffer(Vm *vm, Value self)
{
    File *file = value_as_file(self);
    char mode[] = {file->mode[0], 'b', file->mode[1] == '+' ? '+' : '\0', '\0'};
    File *view =
        file_new(vm, file->descriptor, file->name, mode,
                 FILE_BINARY | (file->flags & (FILE_READ | FILE_WRITE)));
    if (view == NULL) {
        return VALUE_FAIL;
    }
    // The view keeps the file alive, which closes the descriptor.
    view->owner = object_retain(file);
    return value_from_object(view);
}

const NativeDef file_text_methods[] = {
    {"write", "self, text, /", method_write,
     "Write a str; how many characters."},
    {"reconfigure",
     "self, /, *, encoding=None, errors=None, newline=None, "
     "line_buffering=None, write_through=None",
     method_reconfigure, "Change how text is written."},
    {NULL, NULL, NULL, NULL}};

const NativeDef file_binary_methods[] = {
    {"write", "self, buffer, /", method_write_bytes, "Write bytes; how many."},
    {"read1", "self, size=-1, /", method_read1,
     "Bytes of at most one call of the system."},
    {"peek", "self, size=0, /", method_peek, "Bytes to come, which stay."},
    {NULL, NULL, NULL, NULL}};

const NativeDef file_common_methods[] = {
    {"read", "self, size=-1, /", method_read,
     "So many characters or bytes, or all that is left."},
    {"readline", "self, size=-1, /", method_readline,
     "The next line with its end, '' at the end of the file."},
    {"readlines", "self, hint=-1, /", method_readlines,
     "A list of the lines that are left."},
    {"writelines", "self, lines, /", method_writelines,
     "Write each text of an iterable."},
    {"flush", "self, /", method_flush, "Hand what was written to the system."},
    {"close", "self, /", method_close, "Flush and close."},
    {"__enter__", "self, /", method_enter, "The file itself."},
    {"__exit__", "self, /, *exc_info", method_exit, "Close."},
    {"isatty", "self, /", method_isatty, "Is it a terminal?"},
    {"fileno", "self, /", method_fileno, "The system's number for it."},
    {"readable", "self, /", method_readable, "Was it opened for reading?"},
    {"writable", "self, /", method_writable, "Was it opened for writing?"},
    {"seekable", "self, /", method_seekable, "Does it have places?"},
    {"seek", "self, offset, whence=0, /", method_seek,
     "Go to a place, in bytes."},
    {"tell", "self, /", method_tell, "The place, in bytes."},
    {"truncate", "self, pos=None, /", method_truncate,
     "Cut the file off at this place, or there."},
    {NULL, NULL, NULL, NULL}};

const MemberDef file_text_members[] = {
    {"name", get_name, NULL, "What was opened."},
    {"mode", get_mode, NULL, "How it was opened."},
    {"closed", get_closed, NULL, "Whether close was called."},
    {"encoding", get_encoding, NULL, "What bytes it is written as."},
    {"errors", get_errors, NULL, "What happens to other characters."},
    {"newlines", get_newlines, NULL, "The line ends met so far."},
    {"line_buffering", get_line_buffering, NULL, "Flushed at line ends?"},
    {"buffer", get_buffer, NULL, "The same file, of bytes."},
    {NULL, NULL, NULL, NULL}};

const MemberDef file_binary_members[] = {
    {"name", get_name, NULL, "What was opened."},
    {"mode", get_mode, NULL, "How it was opened."},
    {"closed", get_closed, NULL, "Whether close was called."},
    {NULL, NULL, NULL, NULL}};
