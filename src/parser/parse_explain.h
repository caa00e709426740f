// The second pass: what may have been meant. Private to src/parser.
//
// Each explain function is called where a production has just been read (its
// node) or could not be (NULL), with `first`, the token it began at. It
// returns true if it has nothing to say; the position is as it was then.
#ifndef DUET_PARSER_PARSE_EXPLAIN_H
#define DUET_PARSER_PARSE_EXPLAIN_H

#include "parser/parse.h"

// `a b`, `a if b`, `print a`.
MUST_CHECK bool explain_expression(Parser *p, uint32_t first,
                                   const Node *found);
// `a.b := c`, `a = b` where a condition stands.
MUST_CHECK bool explain_named(Parser *p, uint32_t first, const Node *found);
// A statement's left side, when what follows is '=', ':' or an operator with
// '=' that it cannot stand before.
MUST_CHECK bool explain_assignment(Parser *p, uint32_t first);
// "cannot assign to literal" for the part of `node` that is at fault.
bool explain_target(Parser *p, const Node *node, TargetUse use);
// Behind `first`, the first element in a bracket: `[a, b for …]`, `(*a)`.
MUST_CHECK bool explain_bracket(Parser *p, uint32_t open);
// A positional argument that was just read.
MUST_CHECK bool explain_argument(Parser *p, uint32_t first, const Node *found,
                                 bool alone);

#endif
