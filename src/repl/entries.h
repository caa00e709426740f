// The entries of a prompt: numbered, kept as `In`, their values as `Out`.
#ifndef DUET_REPL_ENTRIES_H
#define DUET_REPL_ENTRIES_H

#include "repl/session.h"

enum {
    ENTRIES_KEPT = 100,     // values in `Out`
    ENTRIES_LARGE = 1 << 20 // bytes of a tensor that is kept only while it
                            // is the last value
};

// Runs one entry: a command, a question or code. Errors are reported. A blank
// entry does nothing and has no number.
void entries_run(Session *session, const char *text);
// Keeps what the present entry gave: `_`, and a place in `Out`. False with an
// error pending.
MUST_CHECK bool entries_keep(Session *session, Value value);
// Releases what is kept.
void entries_free(Session *session);

#endif
