// What a program sets in sys, and what C code then asks for: hooks for errors,
// the limit of tracebacks; and what it registered for the end (atexit).
#ifndef DUET_INTERP_OBJECTS_ERRORS_SYS_HOOKS_H
#define DUET_INTERP_OBJECTS_ERRORS_SYS_HOOKS_H

#include "interp/core/vm.h"

// sys.tracebacklimit: how many entries at most; -1: none is set.
int64_t sys_traceback_limit(Vm *vm);
// Hands the error to the program's sys.excepthook. 1: told; 0: there is no such
// hook; -1: it has failed, and that error is pending.
int sys_tell_error(Vm *vm, Value exception);
// Hands an error that nobody can catch to the program's sys.unraisablehook;
// `object` is what it came from. False: there is no such hook, or it failed,
// which is forgotten.
bool sys_tell_unraisable(Vm *vm, Value exception, Value object);
// Calls what atexit registered, the last first, if the program uses it.
void sys_run_exit(Vm *vm);

#endif
