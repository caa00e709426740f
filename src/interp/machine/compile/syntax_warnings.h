// Warnings about valid text that cannot mean what it says: `x is 1`, `(1)(2)`,
// `assert (x, "m")`.
#ifndef DUET_INTERP_MACHINE_COMPILE_SYNTAX_WARNINGS_H
#define DUET_INTERP_MACHINE_COMPILE_SYNTAX_WARNINGS_H

#include "base/source.h"
#include "interp/core/vm.h"
#include "parser/ast.h"

// Tells the SyntaxWarnings (fixed) for a tree that is to be compiled, in the
// order of the text: to standard error, or by the module warnings if the
// program has imported that. Texts of the library have none. False: an error is
// pending (a filter made one of the warning, or memory is short).
MUST_CHECK bool syntax_warnings(Vm *vm, const Source *source, const Node *tree);
// Those that come before a SyntaxError: about what the lexer sees.
MUST_CHECK bool syntax_warnings_of_tokens(Vm *vm, const Source *source);

#endif
