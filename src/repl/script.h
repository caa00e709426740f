// Running whole programs: a file, standard input, the code of -c, cells.
#ifndef DUET_REPL_SCRIPT_H
#define DUET_REPL_SCRIPT_H

#include "repl/session.h"

// Runs what `args` names (FILE, STDIN, CODE or CELLS); reports errors. False
// if it failed; session->status is set.
bool script_run(Session *session, const Args *args);

// Runs each cell of a percent script: a cell starts at a line that begins
// with `# %%`. The value of a cell's last expression is shown; an error is
// reported and ends the cell. False if one failed.
bool cells_run(Session *session, const char *name, const char *text,
               size_t length);

#endif
