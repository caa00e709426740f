// What the host prints while the body of a staged loop is traced.
//
// A body may be traced again, with more state, and what it has printed must
// then be as if it had not: it waits until the loop is done. Whatever else
// happens outside the trace comes behind it, and keeps the body from being
// traced again.
#ifndef DUET_STAGER_LATE_PRINT_H
#define DUET_STAGER_LATE_PRINT_H

#include "interp/core/vm.h"

// A text that waits.
typedef struct LatePrint {
    Value file; // owned
    Str *text;  // counted
} LatePrint;

// TraceHooks.print.
MUST_CHECK bool late_print(Vm *vm, Value file, Str *text);
// The body is to be traced again: what waits from `count` on is dropped.
void late_print_cut(Vm *vm, Trace *trace, size_t count);
// All that waits in the traces under way is printed.
MUST_CHECK bool late_print_flush(Vm *vm);
// The same where no loop of the trace is under way any more.
MUST_CHECK bool late_print_end(Vm *vm);
// An error has ended the trace: it is printed, come what may.
void late_print_drop(Vm *vm, Trace *trace);

#endif
