// Files: text over a descriptor with a buffer each way; open().
//
// Invariant: what was written to standard output reaches the system before
// anything written to standard error, so that the two come in program order
// when they are joined. A closed file has descriptor -1 and empty buffers.
#include "interp/obj_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp/file_read.h"
#include "interp/obj_int.h"
#include "interp/obj_list.h"
#include "interp/program.h"
#include "interp/protocol.h"

enum { FLUSH_AT = 64 << 10 }; // bytes held back at most

// `mode` is kept for display only; what is allowed stands in `flags`. A longer
// mode than the array is cut and stays terminated.
File *file_new(Vm *vm, int descriptor, Str *name, const char *mode,
               uint32_t flags)
{
    File *self = object_new(vm, type_of_kind(vm, KIND_FILE), sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->descriptor = descriptor;
    self->flags = flags;
    self->name = object_retain(name);
    memset(self->mode, 0, sizeof self->mode);
    strncpy(self->mode, mode, sizeof self->mode - 1);
    strbuf_init(&self->out, &vm->ctx);
    strbuf_init(&self->in, &vm->ctx);
    self->in_start = 0;
    return self;
}

// The number of an error, 0 if all was written. An interrupted write goes on,
// unless it was Ctrl-C.
static int write_all(Ctx *ctx, int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        // May take less than it was given, on a pipe or terminal.
        ssize_t count = write(descriptor, text, length);
        // A partial write is no error: the loop sends the rest.
        if (count < 0 && (errno != EINTR || ctx_interrupted(ctx))) {
            return errno;
        }
        if (count > 0) {
            text += count;
            length -= (size_t)count;
        }
    }
    return 0;
}

// The buffer is emptied even if the write fails: otherwise the same bytes would
// be tried, and fail, again at the next write and when the file closes.
// What the program draws on the terminal makes room for the standard streams.
static int flush_out(Vm *vm, File *file)
{
    if (file->out.length == 0) {
        return 0;
    }
    const ProgramHooks *program =
        file->flags & FILE_OWNED ? NULL : vm->program;
    if (program != NULL) {
        program->before_output(vm);
    }
    int error = write_all(&vm->ctx, file->descriptor, file->out.text,
                          file->out.length);
    if (program != NULL) {
        program->after_output(vm, file->out.text[file->out.length - 1]);
    }
    file->out.length = 0;
    return error;
}

// Ctrl-C during a write becomes KeyboardInterrupt, raised by ctx_poll, rather
// than an OSError of EINTR.
bool file_flush(Vm *vm, File *file)
{
    int error = flush_out(vm, file);
    if (error == EINTR && !ctx_poll(&vm->ctx)) {
        return false;
    }
    return error == 0 || (raise_errno(vm, error, NULL), false);
}

// Every method asks this first; the text is CPython's.
static bool check_open(Vm *vm, const File *file)
{
    return file->descriptor >= 0 ||
           raise_false(vm, ERR_VALUE, "I/O operation on closed file.");
}

// The other half of the invariant above: whatever is written without a buffer
// (standard error) sends standard output's buffer ahead. The program may have
// put another object in place of stdout_file, hence the check of the kind.
static bool flush_stdout_first(Vm *vm, const File *file)
{
    Value out = vm->stdout_file;
    return (file->flags & FILE_UNBUFFERED) == 0 ||
           !value_is_kind(out, KIND_FILE) || value_as_file(out) == file ||
           file_flush(vm, value_as_file(out));
}

// What is printed while a function is traced comes once, not at each call: a
// mark in front of each line says so.
static void add_marked(File *file, const char *text, size_t length)
{
    static const char mark[] = "trace│ ";
    const char *end = text + length;
    while (text < end) {
        if (!(file->flags & FILE_MID_LINE)) {
            strbuf_puts(&file->out, mark);
        }
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *next = newline == NULL ? end : newline + 1;
        strbuf_add(&file->out, text, (size_t)(next - text));
        file->flags = newline == NULL ? file->flags | FILE_MID_LINE
                                      : file->flags & ~(unsigned)FILE_MID_LINE;
        text = next;
    }
}

// Only the standard streams, and only where the program shows marks.
static bool is_marked(Vm *vm, const File *file)
{
    return vm->trace != NULL && vm->program != NULL &&
           (file->flags & FILE_OWNED) == 0 && vm->program->marks_traces(vm);
}

// Bytes go to the buffer first in every mode; whether they leave it at once
// depends on the flags, the size, and a line's end on a terminal.
bool file_write(Vm *vm, File *file, const char *text, size_t length)
{
    if (!check_open(vm, file)) {
        return false;
    }
    if ((file->flags & FILE_WRITE) == 0) {
        return raise_false(vm, ERR_OS, "not writable");
    }
    if (!flush_stdout_first(vm, file)) {
        return false;
    }
    // A failed allocation shows in strbuf_ok.
    if (UNLIKELY(is_marked(vm, file))) {
        add_marked(file, text, length);
    } else {
        strbuf_add(&file->out, text, length);
    }
    if (!strbuf_ok(&file->out)) {
        return false;
    }
    bool now = (file->flags & FILE_UNBUFFERED) != 0 ||
               file->out.length >= FLUSH_AT ||
               ((file->flags & FILE_LINES) != 0 && length > 0 &&
                memchr(text, '\n', length) != NULL);
    return !now || file_flush(vm, file);
}

// Closing twice is allowed. The descriptor is given up even if the flush or the
// close fails, and the first error is the one that is raised. The standard
// streams are not owned: their descriptors stay open.
static bool close_file(Vm *vm, File *file)
{
    if (file->descriptor < 0) {
        return true;
    }
    bool done = file_flush(vm, file);
    if ((file->flags & FILE_OWNED) != 0 && close(file->descriptor) != 0 &&
        done) {
        raise_errno(vm, errno, NULL);
        done = false;
    }
    // Whatever failed, the descriptor is gone: trying again could close another
    // file that has got its number since.
    file->descriptor = -1;
    strbuf_free(&file->in);
    file->in_start = 0;
    return done;
}

// Nobody is left to hear of an error.
static void file_destroy(Vm *vm, Object *object)
{
    File *self = (File *)object;
    if (self->descriptor >= 0) {
        (void)flush_out(vm, self);
        if ((self->flags & FILE_OWNED) != 0) {
            close(self->descriptor);
        }
    }
    strbuf_free(&self->in);
    strbuf_free(&self->out);
    object_release(&vm->ctx, self->name);
    object_free(vm, self, sizeof *self);
}

// Looks like CPython's repr of a text file, whose encoding here is fixed.
static Value file_repr(Vm *vm, Value self)
{
    const File *file = value_as_file(self);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_puts(&out, "<_io.TextIOWrapper name=");
    str_print_repr(&out, file->name->text, file->name->length);
    strbuf_printf(&out, " mode='%s' encoding='utf-8'>", file->mode);
    Str *text = str_from_buf(vm, &out);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// ERR_OS for io.UnsupportedOperation, which is an OSError in CPython.
static bool check_read(Vm *vm, const File *file)
{
    return check_open(vm, file) &&
           ((file->flags & FILE_READ) != 0 ||
            raise_false(vm, ERR_OS, "not readable"));
}

// Takes the text; NULL carries a pending error over.
static Value str_result(Str *text)
{
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// A file is its own iterator, so several loops share one position.
static Value file_iter(Vm *vm, Value self)
{
    return check_open(vm, value_as_file(self)) ? value_retain(self)
                                               : VALUE_FAIL;
}

// Only the end of a file gives an empty line, since lines keep their "\n".
static Value file_next(Vm *vm, Value self)
{
    File *file = value_as_file(self);
    Str *line = check_read(vm, file) ? file_read_line(vm, file) : NULL;
    if (line == NULL || line->length > 0) {
        return str_result(line);
    }
    object_release(&vm->ctx, line);
    return VALUE_STOP;
}

// The head of a method; the rows of file_methods name it.
#define FILE_BODY(name)                                                       \
    static Value method_##name(Vm *vm, Value *args, uint32_t count)

// Counts characters, not bytes, as CPython's text files do.
FILE_BODY(write)
{
    (void)count;
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "write() argument must be str, not %s",
                           type_name(type_of(vm, args[1])));
    }
    const Str *text = value_as_str(args[1]);
    return file_write(vm, value_as_file(args[0]), text->text, text->length)
               ? int_from_u64(vm, text->count)
               : VALUE_FAIL;
}

// The iterable is read as a whole first; a bad item then stops the writing
// behind the items before it. No line ends are added.
FILE_BODY(writelines)
{
    (void)count;
    Tuple *lines = value_to_tuple(vm, args[1]);
    bool done = lines != NULL;
    for (size_t i = 0; done && i < lines->count; i++) {
        // What write() takes: self and the text.
        Value row[] = {args[0], lines->items[i]};
        done = !value_failed(method_write(vm, row, 2));
    }
    object_release_null(&vm->ctx, lines);
    return done ? VALUE_NONE : VALUE_FAIL;
}

// Of a closed file it is an error, as in CPython.
FILE_BODY(flush)
{
    (void)count;
    File *file = value_as_file(args[0]);
    return check_open(vm, file) && file_flush(vm, file) ? VALUE_NONE
                                                        : VALUE_FAIL;
}

// None and negative sizes mean: up to the end.
FILE_BODY(read)
{
    (void)count;
    File *file = value_as_file(args[0]);
    int64_t size = -1;
    if (!check_read(vm, file) ||
        (!value_unbound(args[1]) && !value_is_none(args[1]) &&
         !value_to_index(vm, args[1], &size))) {
        return VALUE_FAIL;
    }
    return str_result(file_read(vm, file, size));
}

// Up to and with the "\n"; the last line may lack it. No size is looked at.
FILE_BODY(readline)
{
    (void)count;
    File *file = value_as_file(args[0]);
    return check_read(vm, file) ? str_result(file_read_line(vm, file))
                                : VALUE_FAIL;
}

// The hint of a size is accepted and not used: all lines are read.
FILE_BODY(readlines)
{
    (void)count;
    List *lines = list_new(vm, 0);
    Value line = lines == NULL ? VALUE_FAIL : file_next(vm, args[0]);
    while (!value_failed(line) && !value_same(line, VALUE_STOP)) {
        // The list takes the line, even on failure.
        line = list_append_owned(vm, lines, line) ? file_next(vm, args[0])
                                                  : VALUE_FAIL;
    }
    if (value_failed(line)) {
        object_release_null(&vm->ctx, lines);
        return line;
    }
    return value_from_object(lines);
}

// Closing flushes, and what fails there is raised.
FILE_BODY(close)
{
    (void)count;
    return close_file(vm, value_as_file(args[0])) ? VALUE_NONE : VALUE_FAIL;
}

// Of a with statement; the file is its own context.
FILE_BODY(enter)
{
    (void)count;
    return check_open(vm, value_as_file(args[0])) ? value_retain(args[0])
                                                  : VALUE_FAIL;
}

// None, so that the error of a with block goes on.
FILE_BODY(exit)
{
    return method_close(vm, args, count);
}

// Asks the system each time: a descriptor may be redirected.
FILE_BODY(isatty)
{
    (void)count;
    const File *file = value_as_file(args[0]);
    return check_open(vm, file) ? value_from_bool(isatty(file->descriptor))
                                : VALUE_FAIL;
}

// Borrowed by the program: the file goes on owning the descriptor.
FILE_BODY(fileno)
{
    (void)count;
    const File *file = value_as_file(args[0]);
    return check_open(vm, file) ? int_from_i64(vm, file->descriptor)
                                : VALUE_FAIL;
}

// Asks for the mode alone: a closed file answers too.
FILE_BODY(readable)
{
    (void)count, (void)vm;
    return value_from_bool((value_as_file(args[0])->flags & FILE_READ) != 0);
}

FILE_BODY(writable)
{
    (void)count, (void)vm;
    return value_from_bool((value_as_file(args[0])->flags & FILE_WRITE) != 0);
}

// What was written goes out before the place changes, and what was read ahead
// is dropped, since it belongs to the old place. Offsets count bytes.
FILE_BODY(seek)
{
    (void)count;
    File *file = value_as_file(args[0]);
    int64_t offset, whence = SEEK_SET;
    if (!check_open(vm, file) || !value_to_index(vm, args[1], &offset) ||
        (!value_unbound(args[2]) && !value_to_index(vm, args[2], &whence)) ||
        !file_flush(vm, file)) {
        return VALUE_FAIL;
    }
    off_t place = lseek(file->descriptor, offset, (int)whence);
    if (place < 0) {
        return raise_errno(vm, errno, NULL);
    }
    strbuf_free(&file->in);
    file->in_start = 0;
    return int_from_i64(vm, place);
}

// The system stands behind what was read ahead; the program does not.
FILE_BODY(tell)
{
    (void)count;
    File *file = value_as_file(args[0]);
    if (!check_open(vm, file) || !file_flush(vm, file)) {
        return VALUE_FAIL;
    }
    off_t place = lseek(file->descriptor, 0, SEEK_CUR);
    size_t ahead = file->in.length - file->in_start;
    return place < 0 ? raise_errno(vm, errno, NULL)
                     : int_from_i64(vm, place - (off_t)ahead);
}

// A subset of io.TextIOWrapper's; lib/io.duet has the other kinds of files.
static const NativeDef file_methods[] = {
    {"write", "self, text, /", method_write, "Write; how many characters."},
    {"writelines", "self, lines, /", method_writelines, "Write each text."},
    {"flush", "self, /", method_flush, "Hand what was written on."},
    {"read", "self, size=-1, /", method_read, "size characters, or all."},
    {"readline", "self, size=-1, /", method_readline,
     "One line with its end, '' at the end of the file."},
    {"readlines", "self, hint=-1, /", method_readlines, "A list of lines."},
    {"close", "self, /", method_close, "Flush and give the file back."},
    {"isatty", "self, /", method_isatty, "Whether it is a terminal."},
    {"fileno", "self, /", method_fileno, "The system's number of the file."},
    {"readable", "self, /", method_readable, "Whether it can be read."},
    {"writable", "self, /", method_writable, "Whether it can be written."},
    {"seek", "self, offset, whence=0, /", method_seek, "Go to a byte."},
    {"tell", "self, /", method_tell, "The byte where the file stands."},
    {"__enter__", "self, /", method_enter, NULL},
    {"__exit__", "self, /, *args", method_exit, NULL},
    {NULL, NULL, NULL, NULL}};

// As open() was given it, or "<stdout>" and the like.
static Value get_name(Vm *vm, Value self)
{
    (void)vm;
    return value_from_object(object_retain(value_as_file(self)->name));
}

static Value get_mode(Vm *vm, Value self)
{
    return str_result(str_from(vm, value_as_file(self)->mode));
}

// A closed file has the descriptor -1, by the invariant.
static Value get_closed(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool(value_as_file(self)->descriptor < 0);
}

// Duet reads and writes nothing but UTF-8.
static Value get_encoding(Vm *vm, Value self)
{
    (void)self;
    return str_result(str_from(vm, "utf-8"));
}

// Read-only: a file cannot be given another name or mode.
static const MemberDef file_members[] = {
    {"name", get_name, NULL, "What was opened."},
    {"mode", get_mode, NULL, "How it was opened."},
    {"closed", get_closed, NULL, "Whether close was called."},
    {"encoding", get_encoding, NULL, "Always 'utf-8'."},
    {NULL, NULL, NULL, NULL}};

// open() and the three standard streams make all of them.
const TypeDef file_type_def = {.name = "TextIOWrapper",
                               .module = "_io",
                               .doc = "A text file: open() makes one.",
                               .kind = KIND_FILE,
                               .size = sizeof(File),
                               .flags = TYPE_FINAL,
                               .slots = {.destroy = file_destroy,
                                         .repr = file_repr,
                                         .iter = file_iter,
                                         .next = file_next},
                               .methods = file_methods,
                               .members = file_members};

// A standard stream. Output to a terminal is flushed at every line, so that a
// prompt's answer stands below what was printed before it.
static Value make_stream(Vm *vm, int descriptor, const char *text,
                         const char *mode, uint32_t flags)
{
    // file_new retains it.
    Str *name = str_from(vm, text);
    if (name == NULL) {
        return VALUE_FAIL;
    }
    if ((flags & FILE_WRITE) != 0 && isatty(descriptor)) {
        flags |= FILE_LINES;
    }
    File *file = file_new(vm, descriptor, name, mode, flags);
    object_release(&vm->ctx, name);
    return file == NULL ? VALUE_FAIL : value_from_object(file);
}

// All three are set in any case, so that files_free need not know which failed.
bool files_init(Vm *vm)
{
    Value in = make_stream(vm, STDIN_FILENO, "<stdin>", "r",
                           FILE_READ | FILE_TRANSLATE);
    Value out = make_stream(vm, STDOUT_FILENO, "<stdout>", "w", FILE_WRITE);
    Value err = make_stream(vm, STDERR_FILENO, "<stderr>", "w",
                            FILE_WRITE | FILE_UNBUFFERED);
    vm->stdin_file = value_failed(in) ? VALUE_UNBOUND : in;
    vm->stdout_file = value_failed(out) ? VALUE_UNBOUND : out;
    vm->stderr_file = value_failed(err) ? VALUE_UNBOUND : err;
    return !value_failed(in) && !value_failed(out) && !value_failed(err);
}

// The last reference flushes a stream (file_destroy). Standard output goes
// before standard error.
void files_free(Vm *vm)
{
    value_replace(&vm->ctx, &vm->stdin_file, VALUE_UNBOUND);
    value_replace(&vm->ctx, &vm->stdout_file, VALUE_UNBOUND);
    value_replace(&vm->ctx, &vm->stderr_file, VALUE_UNBOUND);
}
