// What a half-typed word may become: keywords, names, attributes.
#ifndef DUET_REPL_COMPLETE_H
#define DUET_REPL_COMPLETE_H

#include "base/vec.h"
#include "repl/session.h"

typedef VEC(char *) TextVec; // each owned by malloc, as Readline wants them

// Adds the candidates for `word` ("ma", "x.sh", "%ti"), whole words each.
// Nothing is pending afterwards; what fails gives fewer candidates.
void complete_word(Session *session, const char *word, TextVec *out);
// Frees the candidates and the list.
void complete_free(Session *session, TextVec *texts);

#endif
