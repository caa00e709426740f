// stage.print: printing that a graph repeats each time it runs.
#ifndef DUET_STAGER_STAGE_WRITE_H
#define DUET_STAGER_STAGE_WRITE_H

#include "graph/graph.h"
#include "interp/core/vm.h"

// What a print node says, when it runs: its format with the tensors' texts in
// it, to its stream. False with an error pending (a closed pipe, no memory).
MUST_CHECK bool stage_write_node(Vm *vm, const GraphNode *node,
                                 Tensor *const *inputs);
// The method: self, *args, sep, end, file, style. Outside a trace it prints at
// once, in the same form.
Value stage_write_method(Vm *vm, Value *args);

#endif
