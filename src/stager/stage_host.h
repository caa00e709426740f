// Host code each time a graph runs: stage.host_call, stage.summary; and host
// code outside the graph: stage.once.
#ifndef DUET_STAGER_STAGE_HOST_H
#define DUET_STAGER_STAGE_HOST_H

#include "graph/graph.h"
#include "stager/stager.h"

// HostTable.call: runs the node's function on the inputs, eagerly; `outputs`
// are owned.
MUST_CHECK bool stage_host_run(Vm *vm, const GraphNode *node,
                               Tensor *const *inputs, Tensor **outputs);

// fn(*args) when the graph runs, in a trace; else now. `args` is a tuple or a
// list, `out` a tree of specs or None. The results, owned.
Value stage_host_call(Vm *vm, Value fn, Value args, Value out);

// Methods of `stage`.
Value stage_host_call_method(Vm *vm, Value *args);
// stage.draw(op, function, place, out): as host_call, for the ops of datasets.
Value stage_draw_method(Vm *vm, Value *args);
// stage.hold(object) and stage.held(tensor) (ops/tensor_hold.h).
Value stage_hold_method(Vm *vm, Value *args);
Value stage_held_method(Vm *vm, Value *args);
Value stage_summary_method(Vm *vm, Value *args);
Value stage_once_method(Vm *vm, Value *args);

extern const TypeDef once_type_def;

#endif
