// A Code of its own for each function, class body, comprehension and text: an
// inner compiler is opened, emits, and is closed into a constant of the outer
// one. Used by compile_def.c, compile_class.c and compile_comp.c.
#ifndef DUET_INTERP_MACHINE_COMPILE_COMPILE_CODE_H
#define DUET_INTERP_MACHINE_COMPILE_COMPILE_CODE_H

#include "interp/machine/compile/compile.h"

// Starts `c` on the code of `scope`; temporaries begin above its locals. With a
// scope of NULL `c` has failed. compiler_close or compiler_free ends it.
void compiler_open(Compiler *c, Compiler *outer, Scope *scope);
// Parameters and locals that inner functions share move into cells.
void compiler_cells(Compiler *c);
void compiler_name(Compiler *c, const char *name);
// What is known of `code` besides its words: names, captures, flags, counts.
void compiler_fill(Compiler *c, Code *code, const Node *node, const char *name,
                   uint32_t flags);
// Ends `c` and takes `code`, NULL after a failure: gives the number of the
// constant of the outer compiler that it becomes.
uint32_t compiler_close(Compiler *c, Code *code);
void compile_return_none(Compiler *c);

// Decorators are evaluated top down, before defaults and bases, into registers
// from the one that is given back, and called innermost first.
Reg compile_decorators_before(Compiler *c, NodeList decorators);
void compile_decorators_after(Compiler *c, NodeList decorators, Reg first);

#endif
