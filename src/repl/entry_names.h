// Which names of an entry somebody defines: the session, the built-in names,
// or the entry itself.
#ifndef DUET_REPL_ENTRY_NAMES_H
#define DUET_REPL_ENTRY_NAMES_H

#include "lexer/token.h"
#include "repl/session.h"

// Which names a run of tokens binds, and which run is around it (that of an
// entry around the expression in an f-string).
typedef struct Names {
    Session *session;
    const char *text;
    const TokenList *tokens;   // may grow behind the run
    size_t from, end;          // the run
    const struct Names *outer; // NULL: none
    bool *bound;     // for each token of the run: a name that is bound here
    uint32_t *first; // of each name that is bound, its first token
    size_t first_count;
} Names;

// Finds out what the tokens from..end bind. False without memory (nothing is
// pending); entry_names_close in any case.
MUST_CHECK bool entry_names_open(Names *names, Session *session,
                                 const char *text, const TokenList *tokens,
                                 size_t from, const Names *outer);
// Frees the tables; the values are the session's.
void entry_names_close(Names *names);
// Styles the names of the run that nothing defines, and built-in ones, over
// those that are plain. A name that ends at `cursor` is left alone as long as
// a known name begins like it.
void entry_names_paint(const Names *names, size_t cursor, uint8_t *styles,
                       size_t length);

#endif
