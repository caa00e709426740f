// Lowering: a function's body without jumps, for conversion (design.md 3).
//
// `break`, `continue` and a conditional `return` become flags: variables that
// are set where the jump stood and tested by what comes after. What is left
// has one entry and one exit per block, so that a block can be traced on both
// sides. On host values the flags are host bools and cost a plain jump each.
#ifndef DUET_INTERP_MACHINE_COMPILE_LOWER_H
#define DUET_INTERP_MACHINE_COMPILE_LOWER_H

#include "base/map.h"
#include "base/vec.h"
#include "parser/ast.h"

typedef struct Lowered {
    NodeList body;   // of the function, in the tree's arena
    Map stops;       // the bytes of a FOR Node * to the condition (Node *) on
                     // which its turns end early
    bool printed;    // names are made for people (stage.code)
    Text result;     // the variable that holds the result; text NULL: none
    Text returned;   // the flag that says so; text NULL: none
    VEC(Text) flags; // all variables that were made, these too; the arena's
} Lowered;

// Lowers the body of a FUNCTION_DEF; shares the nodes that do not change.
// `printed`: the flags get names such as `do_return` that the source does not
// have; otherwise names that no program can write, with a dot in front. False
// with an error pending; lowered_free is right then too.
MUST_CHECK bool lower_function(Ctx *ctx, Arena *arena, const Source *source,
                               const Node *function, bool printed,
                               Lowered *out);
// Its tree is the arena's; only the tables go.
void lowered_free(Lowered *lowered);
// The condition that ends a loop's turns early, NULL: none.
const Node *lowered_stop(const Lowered *lowered, const Node *loop);

#endif
