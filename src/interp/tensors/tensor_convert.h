// Host values to tensors, and back.
//
// A host bool, int or float takes the dtype that it is asked for, if its kind
// allows it (bool < int < float); without one, bool becomes bool, int int32
// (int64 if it does not fit), float float32, str and bytes string. Nested
// lists and tuples must be regular. An object may have __tensor__(), or
// __tensor_as__(dtype) too, if it can be of the dtype that is needed. Arguments
// are borrowed, results owned.
#ifndef DUET_INTERP_TENSORS_TENSOR_CONVERT_H
#define DUET_INTERP_TENSORS_TENSOR_CONVERT_H

#include "interp/tensors/obj_tensor.h"

// A number, text, list, tuple, or something with __tensor__: what an operator
// takes beside a tensor. Anything else makes it decline.
bool value_is_convertible(Vm *vm, Value v);

// `v` as an operand: operands as they are, all else converted. `dtype`
// DT_NONE: the default; otherwise an operand must have it. `who` opens error
// texts ("add"). ERR_DTYPE, ERR_OP_OVERFLOW, ERR_VALUE (ragged), ERR_TYPE.
Value tensor_from_value(Vm *vm, const char *who, Value v, DType dtype);

// Converts the arguments of one operation together: host values take the
// dtype of the first operand; without one, the widest kind among them decides.
// `outputs` are owned; on failure there are none.
MUST_CHECK bool tensor_unify(Vm *vm, const char *who, const Value *values,
                             uint32_t count, Value *outputs);

// Element `index` as a host value; nested lists of all.
Value tensor_item(Vm *vm, const Tensor *tensor, int64_t index);
// A scalar gives a plain value.
Value tensor_to_list(Vm *vm, const Tensor *tensor);

#endif
