// Conversion: a function's code as it runs inside a trace.
//
// The text is read again, the function is found by its span, lowered
// (lower.h) and compiled with block instructions (compile_staged.c). Converted
// code hangs off the function's own (Code.converted) and takes the same
// parameters and captured cells.
#ifndef DUET_STAGER_CONVERT_H
#define DUET_STAGER_CONVERT_H

#include "interp/objects/classes/obj_function.h"
#include "parser/ast.h"

// Whether code has anything to convert: a condition, a loop, assert, raise.
bool convert_wanted(const Code *code);
// The tree of a source, in `arena`. NULL with an error pending.
MUST_CHECK Node *convert_read(Vm *vm, Source *source, Arena *arena);
// The FUNCTION_DEF or LAMBDA of `code` in the tree; NULL: it is not there.
Node *convert_find(const Code *code, Node *tree);
// The converted form of the function's code, owned. The tree is as before. NULL
// with an error pending.
MUST_CHECK Code *convert_code(Vm *vm, const Function *function, Arena *arena,
                              Node *tree);

#endif
