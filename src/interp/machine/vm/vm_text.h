// Compiling and running texts, and what else the world above asks of the
// machine as a whole.
#ifndef DUET_INTERP_MACHINE_VM_VM_TEXT_H
#define DUET_INTERP_MACHINE_VM_VM_TEXT_H

#include "interp/core/vm.h"
#include "interp/machine/compile/compile_tree.h"

// Reserves the stacks of registers and frames of a new Vm. False: no memory;
// vm_free_stacks gives back what there is.
MUST_CHECK bool vm_make_stacks(Vm *vm);
void vm_free_stacks(Vm *vm);

// Compiles and runs `source` with these globals (and locals, any mapping;
// UNBOUND: the same).
// The result is owned; VALUE_FAIL with an error pending.
Value vm_run_source(Vm *vm, Source *source, RunMode mode, Dict *globals,
                    Value locals);
// The two halves of it. `names_in_dict`: the names of the text live in a
// namespace that need not be the globals, as code for locals != globals (and
// of compile()) must. NULL, VALUE_FAIL: failed.
MUST_CHECK Code *vm_compile_source(Vm *vm, Source *source, RunMode mode,
                                   bool names_in_dict);
// Runs a module's or expression's code; locals, any mapping, UNBOUND: they are
// the globals. The result is owned.
Value vm_run_code(Vm *vm, Code *code, Dict *globals, Value locals);
// A new module "__main__" and its dict (borrowed), for scripts and prompts.
Dict *vm_main_module(Vm *vm, const char *file);

// How many frames may stand at once; the reserved space bounds it too.
void vm_set_recursion_limit(Vm *vm, uint32_t limit);
// How much of the limit is taken: frames, and levels of C (depth.h).
uint32_t vm_recursion_depth(const Vm *vm);
// Where the running Duet code is: the innermost frame's source and span.
// False when no frame runs.
bool vm_place(Vm *vm, Source **source, Span *span);

#endif
