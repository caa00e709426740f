// The prompt: entries of one or more lines, edited and recalled whole.
#ifndef DUET_REPL_PROMPT_H
#define DUET_REPL_PROMPT_H

#include "repl/session.h"

// Reads and runs entries until Ctrl-D, %quit or sys.exit. Where Readline
// cannot be loaded, lines are read plainly.
void prompt_run(Session *session);

// One entry behind another prompt, inside running code; owned (free), NULL at
// the end of input.
char *prompt_ask(Session *session, const char *text);

#endif
