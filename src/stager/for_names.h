// What the turns of a staged `for` are called.
#ifndef DUET_STAGER_FOR_NAMES_H
#define DUET_STAGER_FOR_NAMES_H

#include "stager/trace.h"

// Gives the symbolic tensors of an item the names of the loop's target, as the
// line of `place` has them.
MUST_CHECK bool for_names_give(Vm *vm, const GraphPlace *place, Value item);

#endif
