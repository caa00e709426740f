// The compiler as others see it.
#ifndef DUET_INTERP_MACHINE_COMPILE_COMPILE_TREE_H
#define DUET_INTERP_MACHINE_COMPILE_COMPILE_TREE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "interp/objects/code/code.h"
#include "parser/ast.h"

typedef enum RunMode {
    RUN_MODULE,      // statements; the result is None
    RUN_EXPRESSION,  // eval: the value
    RUN_INTERACTIVE, // statements; the value of a last expression statement,
                     // UNBOUND if the last statement is not one
    RUN_SINGLE       // as compile(…, "single"): every expression statement
                     // outside of functions and classes shows its value
} RunMode;

// Compiles a MODULE node. `names_in_dict`: names live in the dict that the
// frame gets in R[0] (exec with locals of its own). Owned; NULL: failed.
MUST_CHECK Code *compile_tree(Vm *vm, Source *source, Arena *arena,
                              const Node *tree, RunMode mode,
                              bool names_in_dict);
// Appends the instructions of `code` and of the code in its constants. False
// with an error pending; `out` then has a part of it.
MUST_CHECK bool code_dump(Vm *vm, const Code *code, StrBuf *out);

#endif
