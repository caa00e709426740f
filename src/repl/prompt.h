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
// Frees what the prompt keeps between entries; before the session is closed.
void prompt_close(void);

// Lets $VISUAL, $EDITOR or vi edit `text` (`suffix` names the kind of file,
// ".duet") and replaces it by what was saved. False after a message on
// standard error; the text is then as before. Not for use while the prompt
// waits for keys: C-x C-e does its own.
MUST_CHECK bool editor_run(StrBuf *text, const char *suffix);

#endif
