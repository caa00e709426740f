// Errors that a graph raises when it runs: `raise` and `assert` that stand
// under a condition on a tensor.
//
// The node holds the exception as it was made in the trace; each run raises a
// copy, with the tensors of that run in the place of symbolic ones.
#ifndef DUET_STAGER_LATE_ERROR_H
#define DUET_STAGER_LATE_ERROR_H

#include "graph/graph.h"
#include "interp/core/vm.h"

// Appends to the trace's block a node that raises `exception` when it is
// reached; or, with a condition (one bool), when that is false.
MUST_CHECK bool late_error_append(Vm *vm, Value exception, ValueId condition,
                                  GraphPlace place);
// Nothing behind this place runs, for on all ways to it the graph raises, the
// last time `exception`. That goes on through the host code, which ends what it
// has under way.
void late_error_end(Vm *vm, Value exception);
// The function that is traced ends with the pending error. Where tensors of the
// graph are in it, the graph raises it with their values, and the error is
// that of late_error_end.
void late_error_close(Vm *vm);
// Whether it is the pending error.
bool late_error_ended(const Vm *vm);
// Raises what the node holds.
void late_error_raise(Vm *vm, const GraphNode *node, Tensor *const *inputs);

#endif
