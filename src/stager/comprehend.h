// List comprehensions over items that tensors count, and sums of such lists:
// loops of the graph, as lib/_blocks.duet writes them.
#ifndef DUET_STAGER_COMPREHEND_H
#define DUET_STAGER_COMPREHEND_H

#include "interp/core/vm.h"

// TraceHooks.comprehend and .add_up.
Value comprehend_items(Vm *vm, Value function, Value *items);
Value comprehend_sum(Vm *vm, Value items, Value start);

#endif
