// DUET_DUMP=tokens|ast|code: what becomes of each text that is run.
// (graph, plan: backend/plan_print.c.)
#ifndef DUET_INTERP_MACHINE_COMPILE_DUMP_H
#define DUET_INTERP_MACHINE_COMPILE_DUMP_H

#include "interp/core/vm.h"
#include "parser/ast.h"

// Writes the tokens of `source` to stderr if they are asked for. Before the
// parser, so that a text that does not parse shows them too. A failure to
// write, for want of memory, is left aside: a dump never changes a run.
void dump_tokens(Vm *vm, const Source *source);
// The same for the tree, once it is whole.
void dump_tree(Vm *vm, const Node *tree);

// The same for what the compiler made of it.
void dump_code(Vm *vm, const Code *code);

bool dump_any(void);

#endif
