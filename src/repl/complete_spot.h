// The place where something is completed: what the files of the completer
// share. Nothing else includes it.
#ifndef DUET_REPL_COMPLETE_SPOT_H
#define DUET_REPL_COMPLETE_SPOT_H

#include "repl/complete.h"
#include "repl/tokens.h"

// The text in front of the cursor, taken apart.
typedef struct Spot {
    Completion *out;
    Session *session;
    Source *source;
    TokenList tokens;
    size_t from; // where the code begins (behind `%time `)
    size_t cursor;
    size_t count; // tokens in front of the word
    bool staged;  // names of staged functions alone
} Spot;

// The kind of a token, END where there is none.
static inline TokenKind spot_kind(const Spot *spot, size_t index)
{
    return index < spot->tokens.count
               ? (TokenKind)spot->tokens.items[index].kind
               : TOK_END;
}

// The innermost bracket that is open in front of token `end`; SIZE_MAX: none.
size_t spot_open_bracket(const Spot *spot, size_t end);

// The word that is completed begins here. False: no memory.
bool spot_set_word(Spot *spot, size_t start);
// Code from `spot->from` on.
void complete_code(Spot *spot);
// complete_command.c: an entry that begins with %.
void complete_command(Spot *spot);
// complete_call.c: the signature of the call around the cursor, and its
// keywords where an argument may begin.
void complete_call(Spot *spot);
// The keys of the dict in front of the bracket `open`, in quotes that are open
// already (NUL: none are). False: it is no dict.
bool complete_keys(Spot *spot, size_t open, char quote);

#endif
