// A Vm that runs texts for a person: scripts, cells, entries of the prompt.
// Reports errors on standard error and turns them into an exit status.
#ifndef DUET_REPL_SESSION_H
#define DUET_REPL_SESSION_H

#include "interp/machine/vm/vm_text.h"
#include "repl/args.h"

typedef enum SessionStatus {
    SESSION_OK = 0,
    SESSION_ERROR = 1,   // an uncaught error, lost output
    SESSION_NO_FILE = 2, // the program cannot be read
    SESSION_LOST = 120,  // output that could not be written at the end
    SESSION_INTERRUPTED = 130
} SessionStatus;

typedef struct Session {
    Vm *vm;           // owned
    Dict *globals;    // of __main__, borrowed
    bool exiting;     // sys.exit was called
    bool interrupted; // an uncaught KeyboardInterrupt ended the program
    int status;       // what the process ends with
    bool prompting;   // the prompt runs: values are kept, long ones shortened
    bool inside;      // what was printed last did not end its line
    bool cells; // a percent script runs: values are wrapped as in notebooks
    bool quiet; // the entry ends in `;`: its value is kept, not shown
    int entry;  // entries of the prompt so far: `<in 3>`
    struct List *inputs; // `In`, counted; NULL before the first entry
    Dict *outputs;       // `Out`, counted; NULL likewise
    int large;      // the entry whose value in `Out` is a large tensor, which
                    // goes with the next value; 0: none
    uint32_t stops; // prompts inside running code, one in the other
    struct Progress *progress; // the line about long work, owned; NULL: none
} Session;

// The session that a Vm belongs to; NULL: none.
static inline Session *session_of(Vm *vm)
{
    return vm->session;
}

// Makes the Vm, sets sys.argv and the switches, and lets Ctrl-C interrupt it.
// `name` is sys.argv[0]. False after a message: no memory.
MUST_CHECK bool session_open(Session *session, const Args *args,
                             const char *name);
// Flushes the streams, frees the Vm; the status for exit().
int session_close(Session *session);

// The same for a text; `first_line` is the number of its first line.
bool session_run_text(Session *session, const char *name, const char *text,
                      size_t length, uint32_t first_line, RunMode mode);
// Shows a value as the prompt does: its repr and a newline; None not at all.
MUST_CHECK bool session_show(Session *session, Value value);
// Reports the pending error (a traceback on standard error) and clears it;
// sets status, and for SystemExit `exiting`.
void session_report(Session *session);
// Takes the frames of lib/duet that stand outside of all others out of an
// exception's traceback.
void session_strip(Session *session, Value exception);
// Flushes sys.stdout; false with an error pending.
MUST_CHECK bool session_flush(Session *session);

#endif
