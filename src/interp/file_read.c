// Reading: blocks come in, line ends are translated, characters go out.
//
// Invariant: in[in_start ..) is what was read and not yet given out, with
// line ends already translated; it is checked as UTF-8 when it is given out.
#include "interp/file_read.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "interp/program.h"
#include "interp/raise.h"

enum { BLOCK_SIZE = 16 << 10 };

// "\r\n" and "\r" become "\n". FILE_AFTER_CR remembers a "\r" at the end of a
// block, so that a "\n" at the start of the next one is dropped.
static void add_translated(File *file, const char *text, size_t length)
{
    size_t start = 0;
    for (size_t i = 0; i < length; i++) {
        // Holds for one byte only, so it is taken off at once.
        bool after = (file->flags & FILE_AFTER_CR) != 0;
        file->flags &= ~(uint32_t)FILE_AFTER_CR;
        if (text[i] == '\r') {
            strbuf_add(&file->in, text + start, i - start);
            strbuf_putc(&file->in, '\n');
            file->flags |= FILE_AFTER_CR;
            start = i + 1;
        } else if (text[i] == '\n' && after) {
            start = i + 1;
        }
    }
    strbuf_add(&file->in, text + start, length - start);
}

// The front of the buffer is used up: move the rest there.
static void drop_used(File *file)
{
    if (file->in_start > 0) {
        size_t left = file->in.length - file->in_start;
        memmove(file->in.text, file->in.text + file->in_start, left);
        file->in.length = left;
        file->in_start = 0;
    }
}

// One read: a terminal or pipe gives what it has, and that is enough. While a
// person is waited for, nothing of the program's is drawn.
static ssize_t read_block(Vm *vm, const File *file, char *block, size_t size)
{
    bool person =
        file->descriptor == STDIN_FILENO && vm->program != NULL;
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

// 1: more bytes came; 0: the end; -1: failed.
static int fill(Vm *vm, File *file)
{
    char block[BLOCK_SIZE];
    drop_used(file);
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
        if (count > 0 && (file->flags & FILE_TRANSLATE) != 0) {
            add_translated(file, block, (size_t)count);
        } else if (count > 0) {
            strbuf_add(&file->in, block, (size_t)count);
        }
        // A block of one "\n" behind a "\r" adds nothing, yet is not the end.
        return !strbuf_ok(&file->in) ? -1 : count > 0;
    }
}

// Gives out the next `length` bytes.
// NULL with an error pending; the bytes then stay in the buffer. The position
// in the error counts from their start.
static Str *take(Vm *vm, File *file, size_t length)
{
    const char *text = strbuf_text(&file->in) + file->in_start;
    size_t bad;
    if (!utf8_validate(text, length, false, &bad)) {
        unsigned byte = (unsigned char)text[bad];
        return raise_null(vm, ERR_UNICODE_DECODE,
                          "'utf-8' codec can't decode byte 0x%02x in position "
                          "%zu: invalid %s byte",
                          byte, bad, byte >= 0xC2 && byte < 0xF5
                                         ? "continuation" : "start");
    }
    Str *taken = str_new(vm, text, length);
    if (taken != NULL) {
        file->in_start += length;
    }
    return taken;
}

// Until the end of the file, in blocks.
static Str *read_rest(Vm *vm, File *file)
{
    // `take` then checks all of it at once.
    int more;
    do {
        more = fill(vm, file);
    } while (more == 1);
    return more < 0 ? NULL : take(vm, file, file->in.length - file->in_start);
}

// Bytes of the first `count` characters; SIZE_MAX if they are not all there.
// Counts lead bytes only; whether the bytes are UTF-8 is checked by `take`.
static size_t character_bytes(const File *file, int64_t count)
{
    size_t at = file->in_start;
    for (; count > 0; count--) {
        if (at >= file->in.length) {
            return SIZE_MAX;
        }
        do {
            at++;
        } while (at < file->in.length &&
                 (file->in.text[at] & 0xC0) == 0x80);
        // The last character may go on in the next block.
        if (at == file->in.length && (file->in.text[at - 1] & 0x80) != 0) {
            return SIZE_MAX;
        }
    }
    return at - file->in_start;
}

Str *file_read(Vm *vm, File *file, int64_t count)
{
    if (count < 0) {
        return read_rest(vm, file);
    }
    size_t length;
    while ((length = character_bytes(file, count)) == SIZE_MAX) {
        int more = fill(vm, file);
        if (more < 0) {
            return NULL;
        }
        if (more == 0) {
            // What is left is at most `count` characters.
            return take(vm, file, file->in.length - file->in_start);
        }
    }
    return take(vm, file, length);
}

Str *file_read_line(Vm *vm, File *file)
{
    // What is known to have no line end is not searched again after each block.
    size_t searched = 0;
    for (;;) {
        const char *start = strbuf_text(&file->in) + file->in_start;
        size_t length = file->in.length - file->in_start;
        const char *end = length == searched
                              ? NULL
                              : memchr(start + searched, '\n',
                                       length - searched);
        if (end != NULL) {
            return take(vm, file, (size_t)(end - start) + 1);
        }
        searched = length;
        int more = fill(vm, file);
        if (more < 0) {
            return NULL;
        }
        if (more == 0) {
            return take(vm, file, file->in.length - file->in_start);
        }
    }
}
