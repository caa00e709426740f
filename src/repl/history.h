// The prompt's history file: $XDG_STATE_HOME/duet/history, mode 600.
//
// One entry a line, so that an append is one write and two sessions keep
// both: a newline inside an entry is written `\n`, a backslash `\\`.
#ifndef DUET_REPL_HISTORY_H
#define DUET_REPL_HISTORY_H

#include "base/strbuf.h"

// Appends the file's path; false (nothing pending) if there is no home. With
// `create`, makes the folders.
MUST_CHECK bool history_path(StrBuf *path, bool create);
// Calls `add` with each entry of the file, oldest first. A file that is
// missing is empty.
void history_load(Ctx *ctx, void (*add)(const char *entry, void *data),
                  void *data);
// Appends an entry to the file. What fails here is no reason to stop.
void history_append(Ctx *ctx, const char *entry);
// The two directions of the escape, for one entry.
void history_escape(StrBuf *out, const char *entry);
// The inverse of history_escape, appended to `out`.
void history_unescape(StrBuf *out, const char *line);

#endif
