// Symbolic tensors in results that are no structures.
//
// A list, a tuple, a dict, a dataclass is rebuilt with the tensors of each
// run; any other object is handed out as the trace made it, so that nothing of
// the trace may be in it.
#ifndef DUET_STAGER_HIDDEN_H
#define DUET_STAGER_HIDDEN_H

#include "stager/trace.h"

// Refuses a result of `function` that holds a symbolic tensor, with the path
// to it, or something undecided (poison.h), with what both sides left.
MUST_CHECK bool hidden_check(Vm *vm, const char *function, Value result);
// Whether such a thing is in it; -1: an error is pending.
int hidden_holds(Vm *vm, Value result);

#endif
