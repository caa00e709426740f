// What an expression of a half-typed entry stands for, found out without
// running any code of the program: no properties, no __getattr__, no calls.
#ifndef DUET_REPL_PEEK_H
#define DUET_REPL_PEEK_H

#include "repl/session.h"
#include "repl/tokens.h"

// What is known of an expression. All is released by peek_free.
typedef struct Peek {
    Value value; // owned; UNBOUND: not known
    Type *type;  // of its value, borrowed; NULL: not known either
    bool bound;  // a function reached through an instance: without `self`
} Peek;

// The expression that ends in front of token `end`: names, attributes,
// subscripts of plain containers, literals, calls of classes. *start is its
// first token.
Peek peek_expression(Session *session, const Source *source,
                     const TokenList *tokens, size_t end, size_t *start);
void peek_free(Session *session, Peek *peek);
// What a class has under a name, as an instance or the class would see it;
// UNBOUND if it would have to be computed. Borrowed.
Value peek_plain_part(Value found);

// Calls `visit` for each attribute: its name and what the object or its class
// has there (borrowed, never computed). Names may come twice, the nearer one
// first.
void peek_attributes(Session *session, const Peek *peek,
                     void (*visit)(Str *name, Value value, void *data),
                     void *data);
// Appends how it is called, "f(x, y=1)"; false: not callable, or unknown. *doc
// is its documentation, borrowed; NULL: none. Nothing is pending afterwards.
bool peek_signature(Session *session, const Peek *peek, StrBuf *out,
                    const char **doc);
// Appends one line about a value: a signature, the first line of its doc, a
// short repr of plain values. `bound`: it is reached through an instance.
void peek_describe(Session *session, Value value, bool bound, StrBuf *out);

#endif
