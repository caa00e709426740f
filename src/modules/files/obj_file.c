// Files: text over a descriptor with a buffer each way; open().
//
// Invariant: what was written to standard output reaches the system before
// anything written to standard error, so that the two come in program order
// when they are joined. A closed file has descriptor -1 and empty buffers.
#include "modules/files/obj_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "interp/hooks/program.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/files/file_read.h"
#include "modules/importing/module.h"

enum { FLUSH_AT = 64 << 10 }; // bytes held back at most

static Type *class_of(Vm *vm, uint32_t flags)
{
    if (!(flags & FILE_BINARY)) {
        return type_of_kind(vm, KIND_FILE);
    }
    const char *name = flags & FILE_RAW       ? "FileIO"
                       : !(flags & FILE_READ) ? "BufferedWriter"
                       : flags & FILE_WRITE   ? "BufferedRandom"
                                              : "BufferedReader";
    return type_variant(vm, &binary_file_type_def, name);
}

// `mode` is kept for display only; what is allowed stands in `flags`. A longer
// mode than the array is cut and stays terminated.
File *file_new(Vm *vm, int descriptor, Value name, const char *mode,
               uint32_t flags)
{
    Type *cls = class_of(vm, flags);
    File *self = cls == NULL ? NULL : object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->descriptor = descriptor;
    self->flags = flags;
    self->name = value_retain(name);
    memset(self->mode, 0, sizeof self->mode);
    strncpy(self->mode, mode, sizeof self->mode - 1);
    self->encoding = self->errors = VALUE_UNBOUND;
    memset(self->newline, 0, sizeof self->newline);
    self->newlines = 0;
    strbuf_init(&self->out, &vm->ctx);
    strbuf_init(&self->in, &vm->ctx);
    self->in_start = self->in_valid = 0;
    self->owner = NULL;
    vm->file_count++;
    return self;
}

// The class is the library's.
bool file_unsupported(Vm *vm, const char *text)
{
    // io.UnsupportedOperation is a class of lib/python/io.duet, so the module
    // is asked for it.
    Str *message = str_from(vm, text);
    if (message != NULL) {
        Value argument = str_value(message);
        Value made =
            library_call(vm, "io", "UnsupportedOperation", &argument, 1);
        if (!value_failed(made)) {
            raise_object(vm, made);
        }
    }
    object_release_null(&vm->ctx, message);
    return false;
}

// The number of an error, 0 if all was written. An interrupted write goes on,
// unless it was Ctrl-C.
static int write_all(Ctx *ctx, int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        // May take less than it was given, on a pipe or terminal.
        ssize_t count = write(descriptor, text, length);
        // A partial write is no error: the loop sends the rest.
        // EINTR by another signal: the same bytes are tried again.
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
    // Only the standard streams share the terminal with the program.
    const ProgramHooks *program = file->flags & FILE_OWNED ? NULL : vm->program;
    if (program != NULL) {
        program->before_output(vm);
    }
    int error =
        write_all(&vm->ctx, file->descriptor, file->out.text, file->out.length);
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
    file = file_base(file);
    int error = flush_out(vm, file);
    if (error == EINTR && !ctx_poll(&vm->ctx)) {
        return false;
    }
    return error == 0 || (raise_errno(vm, error, NULL), false);
}

bool file_check_open(Vm *vm, const File *file)
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
        // The next write goes on in this line, without a mark.
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
    file = file_base(file);
    if (!file_check_open(vm, file)) {
        return false;
    }
    if ((file->flags & FILE_WRITE) == 0) {
        return file_unsupported(vm, file->flags & FILE_BINARY ? "write"
                                                              : "not writable");
    }
    // Standard error shows behind what was printed before; what was read ahead
    // is given back.
    if (!flush_stdout_first(vm, file) || !file_forget(vm, file)) {
        return false;
    }
    // A failed allocation, or Ctrl-C in a long text, shows in strbuf_ok: then
    // nothing of the text is written, and the next write begins afresh.
    size_t before = file->out.length;
    if (UNLIKELY(is_marked(vm, file))) {
        add_marked(file, text, length);
    } else {
        strbuf_add(&file->out, text, length);
    }
    if (!strbuf_ok(&file->out)) {
        file->out.failed = false;
        file->out.length = before;
        return false;
    }
    // Otherwise the system is called when the buffer is full.
    // The invariant of standard error asks for it at once.
    bool now = (file->flags & FILE_UNBUFFERED) != 0 ||
               file->out.length >= FLUSH_AT ||
               ((file->flags & FILE_LINES) != 0 && length > 0 &&
                memchr(text, '\n', length) != NULL);
    return !now || file_flush(vm, file);
}

// What is not strict UTF-8 takes a detour over bytes.
static bool write_encoded(Vm *vm, File *file, Str *text)
{
    if ((file->flags & FILE_BOM) && file_at_start(file) &&
        !file_write(vm, file, "\xEF\xBB\xBF", 3)) {
        return false;
    }
    // utf-8-sig is UTF-8 behind its mark.
    Value encoding = file->flags & FILE_BOM ? VALUE_UNBOUND : file->encoding;
    Value bytes =
        bytes_encode(vm, "write", str_value(text), encoding, file->errors);
    if (value_failed(bytes)) {
        return false;
    }
    bool ok = file_write(vm, file, bytes_text(bytes), bytes_length(bytes));
    release(vm, bytes);
    return ok;
}

// "\n" becomes the file's own line end. NULL: failed. Owned.
static Str *with_newlines(Vm *vm, const File *file, Str *text)
{
    if (file->newline[0] == '\0' || strcmp(file->newline, "\n") == 0) {
        return object_retain(text);
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t i = 0; i < text->length; i++) {
        if (text->text[i] == '\n') {
            strbuf_puts(&out, file->newline);
        } else {
            strbuf_putc(&out, text->text[i]);
        }
    }
    return str_from_buf(vm, &out);
}

// Whether a text can be UTF-8, so without lone surrogates. In pieces, and whole
// characters each, with a look for Ctrl-C in between. -1: it came.
static int is_plain(Vm *vm, const Str *text)
{
    enum { PIECE = 1 << 20 };
    for (size_t at = 0, end; at < text->length; at = end) {
        // A piece must not end within a character.
        end = text->length - at > PIECE ? at + PIECE : text->length;
        while (end < text->length && (text->text[end] & 0xC0) == 0x80) {
            end++;
        }
        size_t bad;
        if (!utf8_validate(text->text + at, end - at, false, &bad)) {
            return 0;
        }
        if (!ctx_poll(&vm->ctx)) {
            return -1;
        }
    }
    return 1;
}

// The standard streams take any text; a file refuses lone surrogates.
bool file_write_text(Vm *vm, File *file, Str *text)
{
    // ASCII is plain without a look at it.
    int plain = text->count == text->length || !(file->flags & FILE_OWNED)
                    ? 1
                    : is_plain(vm, text);
    if (plain < 0 || !file_check_open(vm, file)) {
        return false;
    }
    if (plain && file->newline[0] == '\0' && !(file->flags & FILE_WHOLE)) {
        return file_write(vm, file, text->text, text->length);
    }
    Str *ended = with_newlines(vm, file, text);
    bool ok = ended != NULL && write_encoded(vm, file, ended);
    object_release_null(&vm->ctx, ended);
    return ok;
}

// The descriptor is given up even if the flush or the close fails, and the
// first error is the one that is raised. The standard streams are not owned:
// their descriptors stay open.
bool file_close(Vm *vm, File *file)
{
    file = file_base(file);
    if (file->descriptor < 0) {
        return true;
    }
    // Whether that fails or not, the closing goes on.
    bool done = file_flush(vm, file);
    if ((file->flags & FILE_OWNED) != 0 && (file->flags & FILE_BORROWED) == 0 &&
        close(file->descriptor) != 0 && done) {
        raise_errno(vm, errno, NULL);
        done = false;
    }
    // Whatever failed, the descriptor is gone: trying again could close another
    // file that has got its number since.
    file->descriptor = -1;
    strbuf_free(&file->in);
    file->in_start = file->in_valid = 0;
    return done;
}

// Nobody can catch an error any more: it is told on standard error. The text
// is made here, since no object may be made while one dies.
static void tell_lost(const File *file, int error)
{
    char text[512];
    const char *name =
        value_is_str(file->name) ? value_as_str(file->name)->text : "?";
    int length = snprintf(text, sizeof text,
                          "Exception ignored in: <file '%.300s'>\n"
                          "OSError: [Errno %d] %s\n",
                          name, error, strerror(error));
    ssize_t told = write(STDERR_FILENO, text, (size_t)length);
    (void)told;
}

// A dropped file is flushed and closed. A view of a text file's bytes leaves
// that to its owner.
static void file_destroy(Vm *vm, Object *object)
{
    File *self = (File *)object;
    if (self->descriptor >= 0 && self->owner == NULL) {
        int error = flush_out(vm, self);
        bool owned = (self->flags & FILE_OWNED) != 0;
        // A pipe that nobody reads is how `| head` ends, and is no loss.
        if (error != 0 && owned && error != EPIPE) {
            tell_lost(self, error);
            // The program's exit status tells it, too.
            vm->output_lost = true;
        }
        if (owned && (self->flags & FILE_BORROWED) == 0) {
            close(self->descriptor);
        }
    }
    strbuf_free(&self->in);
    strbuf_free(&self->out);
    release(vm, self->name);
    release(vm, self->encoding);
    release(vm, self->errors);
    object_release_null(&vm->ctx, self->owner);
    vm->file_count--;
    object_free(vm, self, sizeof *self);
}

static void print_name(Vm *vm, StrBuf *out, Value name)
{
    Str *text = value_repr(vm, name);
    if (text == NULL) {
        strbuf_fail(out);
        return;
    }
    strbuf_add(out, text->text, text->length);
    object_release(&vm->ctx, text);
}

static Value file_repr(Vm *vm, Value self)
{
    const File *file = value_as_file(self);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "<%s name=", type_name(file->head.type));
    print_name(vm, &out, file->name);
    if (file->flags & FILE_RAW) {
        strbuf_printf(&out, " mode='%s' closefd=%s", file->mode,
                      file->flags & FILE_BORROWED ? "False" : "True");
    } else if (!(file->flags & FILE_BINARY)) {
        const char *encoding = !value_unbound(file->encoding)
                                   ? value_as_str(file->encoding)->text
                               : file->flags & FILE_OWNED ? "UTF-8"
                                                          : "utf-8";
        strbuf_printf(&out, " mode='%s' encoding='%s'", file->mode, encoding);
    }
    strbuf_putc(&out, '>');
    return value_or_fail(str_from_buf(vm, &out));
}

static Value file_iter(Vm *vm, Value self)
{
    return file_check_open(vm, file_base(value_as_file(self)))
               ? value_retain(self)
               : VALUE_FAIL;
}

// Only the end of a file gives an empty line, since lines keep their ends.
static Value file_next(Vm *vm, Value self)
{
    File *file = value_as_file(self);
    // tell() is refused from here on, until the end.
    file->flags |= FILE_WALKED;
    Value line = file_next_line(vm, file, -1);
    if (value_failed(line)) {
        return line;
    }
    bool ended = file->flags & FILE_BINARY ? bytes_length(line) == 0
                                           : value_as_str(line)->length == 0;
    if (!ended) {
        return line;
    }
    file->flags &= ~(uint32_t)FILE_WALKED;
    release(vm, line);
    return VALUE_STOP;
}

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
                               .methods = file_text_methods,
                               .more_methods = {file_common_methods},
                               .members = file_text_members};

// One descriptor for the classes of binary files (class_of).
const TypeDef binary_file_type_def = {.name = "BufferedReader",
                                      .module = "_io",
                                      .doc =
                                          "A file of bytes: open() makes one.",
                                      .kind = KIND_FILE,
                                      .size = sizeof(File),
                                      .flags = TYPE_FINAL,
                                      .slots = {.destroy = file_destroy,
                                                .repr = file_repr,
                                                .iter = file_iter,
                                                .next = file_next},
                                      .methods = file_binary_methods,
                                      .more_methods = {file_common_methods},
                                      .members = file_binary_members};

// A descriptor that the program was started without. Something is put in its
// place: otherwise the first file that is opened would take the number, and get
// what the process itself says to standard error.
static bool is_missing(int descriptor)
{
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) {
        return false;
    }
    // The lowest free number: those below are open or were taken before.
    (void)!open("/dev/null", O_RDWR | O_CLOEXEC);
    return true;
}

// A standard stream; None without its descriptor. Output to a terminal is
// flushed at every line, so that a prompt's answer stands below what was
// printed before it.
static Value make_stream(Vm *vm, int descriptor, const char *text,
                         const char *mode, uint32_t flags)
{
    if (is_missing(descriptor)) {
        return VALUE_NONE;
    }
    // file_new retains it.
    Str *name = str_from(vm, text);
    if (name == NULL) {
        return VALUE_FAIL;
    }
    if ((flags & FILE_WRITE) != 0 && isatty(descriptor)) {
        flags |= FILE_LINES;
    }
    File *file = file_new(vm, descriptor, str_value(name), mode, flags);
    object_release(&vm->ctx, name);
    return value_or_fail(file);
}

// All three are set in any case, so that file_streams_free need not know which
// failed.
bool file_streams_init(Vm *vm)
{
    Value in = make_stream(vm, STDIN_FILENO, "<stdin>", "r",
                           FILE_READ | FILE_UNIVERSAL | FILE_TRANSLATE);
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
void file_streams_free(Vm *vm)
{
    value_replace(&vm->ctx, &vm->stdin_file, VALUE_UNBOUND);
    value_replace(&vm->ctx, &vm->stdout_file, VALUE_UNBOUND);
    value_replace(&vm->ctx, &vm->stderr_file, VALUE_UNBOUND);
}
