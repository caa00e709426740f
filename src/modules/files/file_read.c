// Reading: blocks come in, are checked as UTF-8, and go out as characters with
// line ends translated.
//
// Invariant: in[in_start ..) is what was read and not yet given out, byte for
// byte as the file has it, so that the place of the program is known; of text,
// in[.. in_valid) is UTF-8. With FILE_WHOLE it is all of the file, decoded.
#include "modules/files/file_read.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "interp/core/raise.h"
#include "interp/hooks/program.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/text/obj_bytes.h"

// The size is fixed: a fault in a block is placed by its offset there.
enum { READ_SIZE = 8 << 10 };

// --- blocks ---

// The front of the buffer is used up: move the rest there.
// Only before more is read, so that a line is not moved for each that is taken.
static void drop_used(File *file)
{
    size_t left = file->in.length - file->in_start;
    if (file->in_start > 0) {
        memmove(file->in.text, file->in.text + file->in_start, left);
        file->in.length = left;
        file->in_valid -=
            file->in_valid < file->in_start ? file->in_valid : file->in_start;
        file->in_start = 0;
    }
}

// One read: a terminal or pipe gives what it has, and that is enough. While a
// person is waited for, nothing of the program's is drawn.
// As read(): errno tells of a failure.
static ssize_t read_block(Vm *vm, const File *file, char *block, size_t size)
{
    bool person = file->descriptor == STDIN_FILENO && vm->program != NULL;
    if (person) {
        vm->program->waiting(vm, true);
    }
    ssize_t count = read(file->descriptor, block, size);
    int error = errno;
    if (person) {
        vm->program->waiting(vm, false);
    }
    errno = error;
    return count;
}

// False: the last addition to the buffer failed, with its error pending. The
// buffer keeps what came and can be read on: Ctrl-C in a long read does not
// end the file.
static bool add_done(File *file)
{
    bool done = strbuf_ok(&file->in);
    file->in.failed = false;
    return done;
}

// 1: more bytes came; 0: the end; -1: failed. They are not looked at.
// EINTR is no error to a program (PEP 475).
static int fill_raw(Vm *vm, File *file)
{
    char block[READ_SIZE];
    for (;;) {
        // Ctrl-C ends a read that waits: EINTR comes back to this poll.
        if (!ctx_poll(&vm->ctx)) {
            return -1;
        }
        ssize_t count = read_block(vm, file, block, sizeof block);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            raise_errno(vm, errno, NULL);
            return -1;
        }
        strbuf_add(&file->in, block, (size_t)count);
        return !add_done(file) ? -1 : count > 0;
    }
}

// The bytes from `from` on could go on as a character in the next block.
// At most three bytes can be waiting so.
static bool is_cut_short(const File *file, size_t from)
{
    const unsigned char *text = (const unsigned char *)file->in.text + from;
    size_t left = file->in.length - from;
    size_t needed = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if (text[0] < 0xC2 || text[0] > 0xF4 || left >= needed) {
        return false;
    }
    for (size_t i = 1; i < left; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return false;
        }
    }
    return true;
}

// Checks what has come; `ended`: nothing can follow. A fault costs the block.
// False: an error is pending.
static bool check_block(Vm *vm, File *file, bool ended)
{
    size_t start = file->in_valid, bad;
    size_t length = file->in.length - start;
    if (utf8_validate(file->in.text + start, length, false, &bad)) {
        file->in_valid = file->in.length;
        return true;
    }
    if (!ended && is_cut_short(file, start + bad)) {
        file->in_valid = start + bad;
        return true;
    }
    // The decoder words the error.
    Value bytes = bytes_value(vm, file->in.text + start, length);
    file->in.length = start;
    if (!value_failed(bytes)) {
        Value text =
            bytes_decode(vm, "decode", bytes, VALUE_UNBOUND, VALUE_UNBOUND);
        release(vm, bytes);
        release(vm, text);
    }
    return false;
}

// All that is left of a file in another encoding, as UTF-8 in the buffer.
// 1: there is text; 0: the file has ended; -1: failed. Such files are read
// whole, since a codec's state is not kept between blocks.
static int fill_whole(Vm *vm, File *file)
{
    size_t start = file->in.length;
    int more;
    do {
        more = fill_raw(vm, file);
    } while (more == 1);
    if (more < 0 || file->in.length == start) {
        return more;
    }
    const char *raw = file->in.text + start;
    size_t length = file->in.length - start;
    // The byte-order mark belongs to the file, not to the text.
    bool marked = (file->flags & FILE_BOM) && length >= 3 &&
                  memcmp(raw, "\xEF\xBB\xBF", 3) == 0;
    Value bytes = bytes_value(vm, raw + 3 * marked, length - 3 * marked);
    // The raw bytes make way for the text.
    file->in.length = start;
    Value encoding = file->flags & FILE_BOM ? VALUE_UNBOUND : file->encoding;
    Value text = value_failed(bytes) ? VALUE_FAIL
                                     : bytes_decode(vm, "decode", bytes,
                                                    encoding, file->errors);
    release(vm, bytes);
    if (value_failed(text)) {
        return -1;
    }
    strbuf_add(&file->in, value_as_str(text)->text, value_as_str(text)->length);
    release(vm, text);
    file->in_valid = file->in.length;
    return add_done(file) ? 1 : -1;
}

// 1: there is more to give out; 0: the end; -1: failed.
static int fill(Vm *vm, File *file, bool binary)
{
    drop_used(file);
    if (!binary && (file->flags & FILE_WHOLE)) {
        return fill_whole(vm, file);
    }
    int more = fill_raw(vm, file);
    if (binary || more < 0) {
        return more;
    }
    // What was cut short at the end of the file is a fault.
    return check_block(vm, file, more == 0) ? more : -1;
}

// Needed before the place changes or something is written: the system's place
// is ahead of the program's by what the buffer still holds.
bool file_forget(Vm *vm, File *file)
{
    size_t left = file->in.length - file->in_start;
    if (left > 0 && !(file->flags & FILE_WHOLE)) {
        // A pipe cannot go back; what it gave is kept then.
        if (lseek(file->descriptor, -(off_t)left, SEEK_CUR) < 0) {
            return errno == ESPIPE || (raise_errno(vm, errno, NULL), false);
        }
    }
    file->in.length = file->in_start = file->in_valid = 0;
    return true;
}

// Exact, since the buffer holds bytes as they stand in the file.
// -1: an error is pending. What waits to be written goes out first, as it moves
// the place.
int64_t file_tell(Vm *vm, File *file)
{
    file = file_base(file);
    if (!file_flush(vm, file)) {
        return -1;
    }
    off_t place = lseek(file->descriptor, 0, SEEK_CUR);
    if (place < 0) {
        raise_errno(vm, errno, NULL);
        return -1;
    }
    size_t left =
        file->flags & FILE_WHOLE ? 0 : file->in.length - file->in_start;
    return (int64_t)place - (int64_t)left;
}

// Decides on the byte-order mark; a pipe has no start and gets none.
// What was written and not flushed counts as written.
bool file_at_start(const File *file)
{
    return file->out.length == 0 && lseek(file->descriptor, 0, SEEK_CUR) == 0;
}

// --- giving out ---

// `length` bytes of text, of which the last `ending` are a line's end, given
// out as "\n" if the file says so.
// Owned. Line ends are rewritten in place: those bytes leave the buffer anyway.
static Value take_line(Vm *vm, File *file, size_t length, size_t ending)
{
    char *text = file->in.text + file->in_start;
    size_t shown = length;
    if (ending > 0 && (file->flags & FILE_TRANSLATE)) {
        shown = length - ending + 1;
        text[shown - 1] = '\n';
    }
    Str *line = str_new(vm, length == 0 ? "" : text, shown);
    if (line == NULL) {
        return VALUE_FAIL;
    }
    file->in_start += length;
    return str_value(line);
}

// The bytes stay in the buffer if no object could be made of them.
static Value take_bytes(Vm *vm, File *file, size_t length)
{
    Value taken =
        bytes_value(vm, strbuf_text(&file->in) + file->in_start, length);
    if (!value_failed(taken)) {
        file->in_start += length;
    }
    return taken;
}

// Notes the line ends that a universal reader passes.
static void note_end(File *file, const char *end, size_t size)
{
    if (file->flags & FILE_UNIVERSAL) {
        file->newlines |= size == 2      ? NEWLINE_CRLF
                          : *end == '\r' ? NEWLINE_CR
                          : *end == '\n' ? NEWLINE_LF
                                         : 0;
    }
}

// Text with line ends translated where the file says so.
static Value take_text(Vm *vm, File *file, size_t length)
{
    const char *text = strbuf_text(&file->in) + file->in_start;
    const char *end = text + length;
    if (!(file->flags & FILE_UNIVERSAL) || memchr(text, '\r', length) == NULL) {
        if ((file->flags & FILE_UNIVERSAL) &&
            memchr(text, '\n', length) != NULL) {
            file->newlines |= NEWLINE_LF;
        }
        return take_line(vm, file, length, 0);
    }
    // Some line end has to be noted or rewritten, so the text is copied end by
    // end.
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    while (text < end) {
        size_t size =
            *text == '\r' && text + 1 < end && text[1] == '\n' ? 2 : 1;
        note_end(file, text, size);
        if (*text == '\r' && (file->flags & FILE_TRANSLATE)) {
            strbuf_putc(&out, '\n');
        } else {
            strbuf_add(&out, text, size);
        }
        text += size;
    }
    file->in_start += length;
    return value_or_fail(str_from_buf(vm, &out));
}

// --- reading by size ---

// To the end of the file. A pipe is read until it is closed.
static Value read_rest(Vm *vm, File *file, bool binary)
{
    int more;
    bool whole = !binary && (file->flags & FILE_WHOLE) != 0;
    drop_used(file);
    do {
        more = whole ? fill_whole(vm, file) : fill_raw(vm, file);
    } while (more == 1);
    // All that is left is checked at once: faults are placed from here.
    if (more == 0 && !binary && !whole && !check_block(vm, file, true)) {
        return VALUE_FAIL;
    }
    size_t left = file->in.length - file->in_start;
    return more < 0 ? VALUE_FAIL
           : binary ? take_bytes(vm, file, left)
                    : take_text(vm, file, left);
}

// Bytes of the first `count` characters; SIZE_MAX if they are not all there,
// or might be one with what follows.
// A "\r" at the very end may be half of a line end: then more must be read.
static size_t character_bytes(const File *file, int64_t count)
{
    size_t at = file->in_start;
    bool joins = (file->flags & FILE_TRANSLATE) != 0;
    for (; count > 0; count--) {
        if (at >= file->in_valid) {
            return SIZE_MAX;
        }
        bool returned = joins && file->in.text[at] == '\r';
        do {
            at++;
        } while (at < file->in_valid && (file->in.text[at] & 0xC0) == 0x80);
        if (returned && at >= file->in_valid) {
            return SIZE_MAX;
        }
        at += returned && file->in.text[at] == '\n';
    }
    return at - file->in_start;
}

// Waits until so many are there, unlike file_read_some.
static Value read_bytes(Vm *vm, File *file, size_t count)
{
    while (file->in.length - file->in_start < count) {
        int more = fill(vm, file, true);
        if (more < 0) {
            return VALUE_FAIL;
        }
        if (more == 0) {
            count = file->in.length - file->in_start;
        }
    }
    return take_bytes(vm, file, count);
}

// A text file counts characters, and a translated line end as one of them.
// Owned. count below 0: all that is left.
Value file_read(Vm *vm, File *file, int64_t count)
{
    bool binary = (file->flags & FILE_BINARY) != 0;
    file = file_base(file);
    if (count < 0) {
        return read_rest(vm, file, binary);
    }
    if (binary) {
        return read_bytes(vm, file, (size_t)count);
    }
    size_t length;
    while ((length = character_bytes(file, count)) == SIZE_MAX) {
        int more = fill(vm, file, false);
        if (more < 0) {
            return VALUE_FAIL;
        }
        if (more == 0) {
            length = file->in.length - file->in_start;
            break;
        }
    }
    return take_text(vm, file, length);
}

// One call of the system at most: what a terminal or pipe has by now.
// Owned. `keep`: a look ahead, the bytes stay.
Value file_read_some(Vm *vm, File *file, int64_t count, bool keep)
{
    file = file_base(file);
    if (file->in.length == file->in_start && fill(vm, file, true) < 0) {
        return VALUE_FAIL;
    }
    size_t left = file->in.length - file->in_start;
    if (keep) {
        return bytes_value(vm, strbuf_text(&file->in) + file->in_start, left);
    }
    return take_bytes(vm, file,
                      count < 0 || (size_t)count > left ? left : (size_t)count);
}

// --- lines ---

// Where the line that begins at `text` ends: the bytes up to and with its end,
// and *ending, those of the end. 0: it is not there yet.
// `searched` bytes are known to have no end. `last`: nothing can follow any
// more.
static size_t find_end(const File *file, const char *text, size_t length,
                       size_t searched, bool binary, bool last, size_t *ending)
{
    if (length == 0) {
        return 0;
    }
    const char *from = text + searched, *end = text + length;
    // newline='\r' or '\r\n' was given: nothing else ends a line.
    if (!binary && file->newline[0] == '\r') {
        const char *found = memmem(from, (size_t)(end - from), file->newline,
                                   strlen(file->newline));
        *ending = strlen(file->newline);
        return found == NULL ? 0 : (size_t)(found - text) + *ending;
    }
    const char *line = memchr(from, '\n', (size_t)(end - from));
    // A '\r' behind the first '\n' is of no interest.
    const char *stop = line == NULL ? end : line;
    const char *back = binary || !(file->flags & FILE_UNIVERSAL)
                           ? NULL
                           : memchr(from, '\r', (size_t)(stop - from));
    *ending = 1;
    if (back == NULL) {
        return line == NULL ? 0 : (size_t)(line - text) + 1;
    }
    // A "\n" may follow in the next block.
    if (back + 1 == end && !last) {
        return 0;
    }
    *ending = back + 1 < end && back[1] == '\n' ? 2 : 1;
    return (size_t)(back - text) + *ending;
}

static Value give_line(Vm *vm, File *file, size_t length, size_t ending,
                       int64_t limit, bool binary)
{
    if (binary) {
        return take_bytes(vm, file,
                          limit >= 0 && (size_t)limit < length ? (size_t)limit
                                                               : length);
    }
    if (limit >= 0) {
        size_t most = character_bytes(file, limit);
        if (most < length) {
            return take_text(vm, file, most);
        }
    }
    if (ending > 0) {
        note_end(file, file->in.text + file->in_start + length - ending,
                 ending);
    }
    return take_line(vm, file, length, ending);
}

// Reads on until a line's end is there. After the last block, what is left is
// the line.
// Owned; the empty text at the end of the file. limit below 0: none.
Value file_next_line(Vm *vm, File *file, int64_t limit)
{
    bool binary = (file->flags & FILE_BINARY) != 0, last = false;
    file = file_base(file);
    if (!file_check_open(vm, file)) {
        return VALUE_FAIL;
    }
    if (!(file->flags & FILE_READ)) {
        file_unsupported(vm, binary ? "readline" : "not readable");
        return VALUE_FAIL;
    }
    // Reading has to see what was written before.
    if (file->out.length > 0 && !file_flush(vm, file)) {
        return VALUE_FAIL;
    }
    // What is known to have no line end is not searched again after each block.
    size_t searched = 0, ending = 0;
    for (;;) {
        const char *start = strbuf_text(&file->in) + file->in_start;
        size_t valid = binary ? file->in.length : file->in_valid;
        size_t length = valid - file->in_start;
        size_t end =
            find_end(file, start, length, searched, binary, last, &ending);
        if (end != 0) {
            return give_line(vm, file, end, ending, limit, binary);
        }
        // The rest of the file, which may lack its end, or nothing at all.
        if (last || limit == 0) {
            return give_line(vm, file, limit == 0 ? 0 : length, 0, limit,
                             binary);
        }
        // The last byte is looked at again: it may be the first half of an end.
        searched = length == 0 ? 0 : length - 1;
        int more = fill(vm, file, binary);
        if (more < 0) {
            return VALUE_FAIL;
        }
        last = more == 0;
    }
}
