// A pasted text made fit for an entry: the prompts that were copied with it
// are taken off, and its indentation fits the place where it goes.
#ifndef DUET_REPL_PASTE_H
#define DUET_REPL_PASTE_H

#include "base/strbuf.h"

typedef struct Paste {
    const char *text; // as the terminal sent it, any bytes
    size_t length;
    const char *before; // the entry up to the cursor
    size_t before_length;
    const char *after; // the entry behind the cursor
    size_t dropped;    // out: bytes in front of the cursor that the text
                       // replaces: blanks of its own line
} Paste;

// Appends the text as it is to stand in the entry; sets `dropped`.
// - Line ends of all kinds become '\n'; control characters go.
// - If its first line begins with a prompt (`>>> `, `In [3]: `, our own),
//   prompts are taken off, and lines without one (output) left out.
// - Tabs that indent become blanks, and the lines are moved so that the first
//   fits the place. Lines that begin inside a string stay as they are.
// - Line ends at the end go, but for one that an open block needs.
void paste_clean(Ctx *ctx, StrBuf *out, Paste *paste);

// Whether a text begins with a prompt, as one copied from a session does; the
// text without prompts and without output.
bool paste_is_session(const char *text);
void paste_take_prompts(StrBuf *out, const char *text);

#endif
