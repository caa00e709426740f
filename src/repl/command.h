// The prompt's commands: `%time f(x)`, `%traces f`, …, and `x?`.
//
// The names stand in command_list.h; what they do is written in Duet
// (lib/duet), so that a command and its function form are one thing.
#ifndef DUET_REPL_COMMAND_H
#define DUET_REPL_COMMAND_H

#include "repl/session.h"

// What stands behind a command's name, for completion.
typedef enum CommandArgument {
    COMMAND_ARGUMENT_NONE,
    COMMAND_ARGUMENT_CODE,       // any expression or statement
    COMMAND_ARGUMENT_NAME,       // a name of the session
    COMMAND_ARGUMENT_STAGED,     // a staged function, or a call of one
    COMMAND_ARGUMENT_FILE,       // a file
    COMMAND_ARGUMENT_FOLDER,     // a folder
    COMMAND_ARGUMENT_SWITCH,     // on or off
    COMMAND_ARGUMENT_DIFFERENCE, // D101, a code of %compare
    COMMAND_ARGUMENT_LESSON      // its number
} CommandArgument;

// A row of the list, for completion and for help.
typedef struct CommandRow {
    const char *name;   // without %
    const char *params; // "[-n N] CODE", may be empty
    const char *doc;    // a line
    CommandArgument argument;
} CommandRow;

// Runs `text` if it is a command (`%…`, or what ends in a question mark);
// false if it is neither. Reports its errors.
bool command_run(Session *session, const char *text);
// Whether `text` is `exit` or `quit` alone and the session (in a stop: the
// frame) has no such name of its own: the prompt is to be left.
bool command_leaves(const Session *session, const char *text);
// What was typed, as a str; bytes that are no UTF-8 are replaced. NULL with an
// error pending.
MUST_CHECK Str *command_text(Vm *vm, const char *text, size_t length);
// Row number `index` of the list; NULL at the end.
const CommandRow *command_row(size_t index);

#endif
