// Sizes of symbolic tensors that host code has read.
//
// A loop may change a size of its state: then it is unknown in the graph, and
// what host code made of the first turn's would be wrong in the others. That of
// a staged function that the loop calls counts, whenever it was traced.
#ifndef DUET_STAGER_SIZES_H
#define DUET_STAGER_SIZES_H

#include "stager/trace.h"

// TraceHooks.sized.
MUST_CHECK int sizes_read(Vm *vm, Value symbolic, int axis);
// Whether sizes that were told from number `first` on, and in callees from
// `callee` on, are what a loop has left of them. 0: some are unknown now, which
// a second trace could tell, if `again` says that there may be one; -1:
// refused.
int sizes_check(Vm *vm, const Graph *graph, size_t first, size_t callee,
                bool again);

#endif
