// Loads and appends the history file.
#include "repl/history.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// For the owner alone: an entry may hold a password.
enum { HISTORY_FILE_MODE = 0600, HISTORY_FOLDER_MODE = 0700 };

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

// Any other character behind a backslash stands for itself, so a file that was
// edited by hand can be read.
void history_unescape(StrBuf *out, const char *line)
{
    for (; *line != '\0' && *line != '\n'; line++) {
        if (line[0] == '\\' && line[1] != '\0') {
            line++;
            strbuf_putc(out, *line == 'n' ? '\n' : *line);
        } else {
            strbuf_putc(out, *line);
        }
    }
}

// `entry` is lent for the call. Entries for which there is no memory are left
// out.
void history_load(Ctx *ctx, void (*add)(const char *entry, void *data),
                  void *data)
{
    StrBuf path;
    strbuf_init(&path, ctx);
    FILE *file = history_path(&path, false) ? fopen(path.text, "re") : NULL;
    strbuf_free(&path);
    if (file == NULL) {
        return;
    }
    // getline's buffer is malloc's and grows with the longest line.
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) >= 0) {
        StrBuf entry;
        strbuf_init(&entry, ctx);
        history_unescape(&entry, line);
        if (strbuf_ok(&entry) && entry.length != 0) {
            add(entry.text, data);
        }
        strbuf_free(&entry);
    }
    free(line);
    fclose(file);
}

// The file is opened for each entry: sessions may come and go while this one
// runs, and what was entered survives a crash.
void history_append(Ctx *ctx, const char *entry)
{
    StrBuf path;
    StrBuf line;
    strbuf_init(&path, ctx);
    strbuf_init(&line, ctx);
    history_escape(&line, entry);
    strbuf_putc(&line, '\n');
    if (history_path(&path, true) && strbuf_ok(&line)) {
        int file = open(path.text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
                        HISTORY_FILE_MODE);
        if (file >= 0) {
            // One write, so that two sessions' entries do not mix.
            ssize_t written = write(file, line.text, line.length);
            (void)written;
            close(file);
        }
    }
    strbuf_free(&line);
    strbuf_free(&path);
}
