// The graph side of a running trace: operands to graph values, tensor
// operations to nodes, nodes to symbolic tensors.
//
// Arguments are borrowed, results owned; VALUE_FAIL, VALUE_ID_NONE or false
// with an error pending.
#ifndef DUET_STAGER_TRACE_H
#define DUET_STAGER_TRACE_H

#include "graph/graph.h"
#include "interp/obj_tensor.h"

struct Trace {
    Object *owner;     // what symbolic tensors hold a count on; keeps `graph`
    Graph *graph;      // being built
    GraphBlock *block; // where nodes go now
    Trace *outer;      // the trace that it interrupted, NULL: none
};

// A symbolic tensor for a value of the trace's graph; name may be NULL.
Value trace_symbolic(Vm *vm, Trace *trace, ValueId id, const char *name);
// The graph's value for an operand: a symbolic one of this trace, a read of a
// Variable, or an eager tensor, captured. A symbolic tensor of another trace
// is a LeakError.
ValueId trace_operand(Vm *vm, Trace *trace, Value operand);
// TraceHooks.apply.
MUST_CHECK bool trace_apply(Vm *vm, OpCode op, const Value *inputs,
                            uint32_t input_count, const AttrValue *attrs,
                            Value *outputs, uint32_t *output_count);

#endif
