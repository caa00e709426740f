// Which names of an entry somebody defines: the session, the built-in names,
// or the entry itself.
#ifndef DUET_REPL_NAMES_H
#define DUET_REPL_NAMES_H

#include "lexer/token.h"
#include "repl/session.h"

// Styles names that nothing defines, and built-in ones, over those that are
// plain. The tokens are the whole entry's. A name that ends at `cursor` is
// left alone as long as a known name begins like it.
void names_paint(Session *session, const char *text, const TokenList *tokens,
                 size_t cursor, uint8_t *styles, size_t length);

#endif
