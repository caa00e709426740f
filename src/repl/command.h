// The prompt's commands: `%time f(x)`, `%traces f`, …, and `x?`.
#ifndef DUET_REPL_COMMAND_H
#define DUET_REPL_COMMAND_H

#include "repl/session.h"

// Runs `text` if it is a command (`%…` or a name followed by `?`); false if
// it is not one. Reports its errors. `entry` names the source: "<in 3>".
bool command_run(Session *session, const char *entry, const char *text);
// The name of command number `index`, without %; NULL at the end.
const char *command_name(size_t index);

#endif
