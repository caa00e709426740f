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
// Whether a loop that is closed may stay as it was traced. 0: it has `grown`,
// so that sizes are unknown now, and is to be traced anew, which `again`
// allows; -1: it is not allowed, and the old sizes were told or built into the
// body.
int sizes_check(Vm *vm, const struct StagedBlock *block, bool grown,
                bool again);

#endif
