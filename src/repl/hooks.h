// What the program offers to its Vm: the hooks of interp/hooks/program.h.
#ifndef DUET_REPL_HOOKS_H
#define DUET_REPL_HOOKS_H

#include "interp/hooks/program.h"
#include "repl/session.h"

extern const ProgramHooks session_hooks;

// The native half of the module duet (mod_duet.c).
extern const ModuleDef duet_module;

// Shows a text for reading: through the pager if it is longer than the screen
// and there is a terminal. False with an error pending.
MUST_CHECK bool hooks_page(Vm *vm, Str *text);

#endif
