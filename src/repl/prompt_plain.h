// Entries read line by line, where no line can be edited.
#ifndef DUET_REPL_PROMPT_PLAIN_H
#define DUET_REPL_PROMPT_PLAIN_H

#include "repl/session.h"

// The next entry behind the prompt `text`, `more` in front of its later lines;
// owned (free). NULL at the end of the input, and without memory.
char *prompt_plain_read(Session *session, const char *text, const char *more);

#endif
