// Loads and appends the history file.
// One entry a line, with the line ends inside of it escaped. Nothing here fails
// aloud: without a history the prompt works as well.
#include "repl/history.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

// For the owner alone: an entry may hold a password.
enum { HISTORY_FILE_MODE = 0600, HISTORY_FOLDER_MODE = 0700 };

enum {
    HISTORY_ENTRY_MAX = 1 << 20, // bytes; a longer line is not read
    HISTORY_TIME_MIN = 9         // of `#1700000000`
};

// mkdir -p for everything before the last slash.
// Cuts the path at each slash for a moment, and puts the slash back. Failures
// show when the file is opened.
static void make_folders(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL;
         slash++) {
        *slash = '\0';
        (void)mkdir(path, HISTORY_FOLDER_MODE);
        *slash = '/';
    }
}

// A relative path is not followed, as the XDG rules ask.
// create: the folders are made as well, for writing. False: neither variable
// gives an absolute path, and no history is kept.
bool history_path(StrBuf *path, bool create)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (state != NULL && state[0] == '/') {
        strbuf_printf(path, "%s/duet/history", state);
    } else if (home != NULL && home[0] == '/') {
        strbuf_printf(path, "%s/.local/state/duet/history", home);
    } else {
        return false;
    }
    if (create && strbuf_ok(path)) {
        make_folders(path->text);
    }
    return strbuf_ok(path);
}

// The backslash needs an escape of its own, or an entry that holds `\n` as two
// characters would come back as two lines.
void history_escape(StrBuf *out, const char *entry)
{
    for (; *entry != '\0'; entry++) {
        if (*entry == '\n') {
            strbuf_puts(out, "\\n");
        } else if (*entry == '\\') {
            strbuf_puts(out, "\\\\");
        } else {
            strbuf_putc(out, *entry);
        }
    }
}

// The whole file, malloc'ed, with a NUL behind it; NULL: there is none, or no
// memory. A file that grows meanwhile is read as far as it was.
// Not a regular file (a pipe, a device) is left alone: reading it might never
// end.
static char *read_file(const char *path, size_t *length)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    bool plain = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    char *text = plain ? malloc((size_t)status.st_size + 1) : NULL;
    *length = 0;
    while (text != NULL && *length < (size_t)status.st_size) {
        ssize_t got =
            read(file, text + *length, (size_t)status.st_size - *length);
        // An error in the middle leaves what was read so far.
        if (got <= 0) {
            break;
        }
        *length += (size_t)got;
    }
    close(file);
    if (text != NULL) {
        text[*length] = '\0';
    }
    return text;
}

// Three digits that make a byte.
// Up to \377, hence the 3.
static bool is_octal(const char *text)
{
    return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' &&
           text[1] <= '7' && text[2] >= '0' && text[2] <= '7';
}

// In place, for the text only becomes shorter; its new length. `octal`: the
// escapes of libedit, to which a blank is \040.
// A backslash in front of any other character stands for that character; one at
// the very end stays.
static size_t unescape_line(char *line, size_t length, bool octal)
{
    char *slash = memchr(line, '\\', length);
    if (slash == NULL) {
        return length;
    }
    char *out = slash;
    const char *end = line + length;
    for (const char *at = slash; at < end; at++) {
        if (*at != '\\' || at + 1 == end) {
            *out++ = *at;
        } else if (octal && end - at > 3 && is_octal(at + 1)) {
            *out++ =
                (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
            at += 3;
        } else {
            at++;
            *out++ = *at == 'n' ? '\n' : *at;
        }
    }
    *out = '\0';
    return (size_t)(out - line);
}

// For one line; its line end, if it has one, is left out.
void history_unescape(StrBuf *out, const char *line)
{
    size_t from = out->length;
    strbuf_add(out, line, strcspn(line, "\n"));
    if (strbuf_ok(out) && out->length > from) {
        out->length =
            from + unescape_line(out->text + from, out->length - from, false);
        out->text[out->length] = '\0';
    }
}

// Lines that no prompt wrote: bytes that are no text, more than a person
// types, the times that Readline and shells put between entries.
// What is left out here stays in the file: it is only not offered.
static bool is_foreign(const char *line, size_t length)
{
    size_t bad;
    bool time = line[0] == '#' && length >= HISTORY_TIME_MIN &&
                strspn(line + 1, "0123456789") == length - 1;
    return length == 0 || length > HISTORY_ENTRY_MAX || time ||
           memchr(line, '\0', length) != NULL ||
           !utf8_validate(line, length, false, &bad);
}

// `entry` is lent for the call. A last line without line end was cut short by
// a crash: it is an entry as far as it goes.
void history_load(Ctx *ctx, void (*add)(const char *entry, void *data),
                  void *data)
{
    StrBuf path;
    strbuf_init(&path, ctx);
    size_t length = 0;
    char *text =
        history_path(&path, false) ? read_file(path.text, &length) : NULL;
    strbuf_free(&path);
    static const char libedit[] = "_HiStOrY_V2_\n";
    // libedit writes this head, and escapes blanks and more by octal numbers.
    bool octal =
        text != NULL && strncmp(text, libedit, sizeof libedit - 1) == 0;
    size_t at = octal ? sizeof libedit - 1 : 0;
    while (text != NULL && at < length) {
        char *line = text + at;
        char *stop = memchr(line, '\n', length - at);
        size_t size = stop == NULL ? length - at : (size_t)(stop - line);
        at += size + 1;
        line[size] = '\0';
        if (!is_foreign(line, size)) {
            line[unescape_line(line, size, octal)] = '\0';
            add(line, data);
        }
    }
    free(text);
}

// What a crash cut short gets its line end, or the next entry would go on in
// its line.
static bool ends_in_line(int file)
{
    char last;
    off_t size = lseek(file, 0, SEEK_END);
    return size <= 0 || pread(file, &last, 1, size - 1) != 1 || last == '\n';
}

// The file is opened for each entry: sessions may come and go while this one
// runs, and what was entered survives a crash.
// Every failure is silent, a full disk too: entering must go on.
void history_append(Ctx *ctx, const char *entry)
{
    StrBuf path;
    StrBuf line;
    strbuf_init(&path, ctx);
    strbuf_init(&line, ctx);
    int file = history_path(&path, true)
                   ? open(path.text, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC,
                          HISTORY_FILE_MODE)
                   : -1;
    if (file >= 0) {
        strbuf_puts(&line, ends_in_line(file) ? "" : "\n");
        history_escape(&line, entry);
        strbuf_putc(&line, '\n');
        if (strbuf_ok(&line)) {
            // One write, so that two sessions' entries do not mix.
            ssize_t written = write(file, line.text, line.length);
            (void)written;
        }
        close(file);
    }
    ctx_clear(ctx);
    strbuf_free(&line);
    strbuf_free(&path);
}
