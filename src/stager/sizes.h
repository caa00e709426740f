// Sizes of symbolic tensors that host code has read.
//
// A loop may change a size of its state: then it is unknown in the graph, and
// what host code made of the first turn's would be wrong in the others.
#ifndef DUET_STAGER_SIZES_H
#define DUET_STAGER_SIZES_H

#include "stager/trace.h"

// TraceHooks.sized.
MUST_CHECK bool sizes_read(Vm *vm, Value symbolic, int axis);
// Refuses sizes, read from number `first` on, that a loop has made unknown.
MUST_CHECK bool sizes_check(Vm *vm, size_t first);

#endif
