// The one interception point for tensor operations.
//
// Outside a trace apply() runs the op's kernel. Inside one it appends a node
// to the graph being traced and returns symbolic tensors. Nothing else in
// interp knows which.
#ifndef DUET_INTERP_TENSORS_APPLY_H
#define DUET_INTERP_TENSORS_APPLY_H

#include "interp/hooks/tracing.h"

// Applies an op to tensors: each input is a Tensor, a Symbolic or a Variable,
// borrowed. Host values have been converted by the caller (tensor_convert.h).
// Results are owned and written to `outputs`; *output_count says how many they
// have room for (OP_MAX_OUTPUTS, or as many as the attributes of split and
// unstack give) and is set to how many there are. False with an error pending.
// In a trace, read_variable and assign_variable come here too, with the
// Variable as the first input; outside one obj_variable.c does them itself.
MUST_CHECK bool apply(Vm *vm, OpCode op, const Value *inputs,
                      uint32_t input_count, const AttrValue *attrs,
                      Value *outputs, uint32_t *output_count);
// The common case of one output: the value, or VALUE_FAIL.
Value apply_one(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                const AttrValue *attrs);

#endif
