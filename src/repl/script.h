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

// A part of a cell: code, or a command of the prompt. Borrows from the cell.
typedef struct CellPart {
    const char *text;
    size_t length;
    uint32_t lines; // line ends in it
    bool command;
} CellPart;

// The part that begins at `text`; false at the end of the cell, or with an
// error pending.
bool cells_next_part(Ctx *ctx, const char *text, const char *end,
                     CellPart *part);

#endif
