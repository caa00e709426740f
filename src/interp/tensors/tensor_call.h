// Calling an op from C by its name, with attributes by name: for code that is
// not on a fast path (indexing, packing, methods). Fast paths use apply_one.
#ifndef DUET_INTERP_TENSORS_TENSOR_CALL_H
#define DUET_INTERP_TENSORS_TENSOR_CALL_H

#include "interp/tensors/apply.h"
#include "interp/tensors/obj_tensor.h"

// An attribute to set; those not named keep "not given".
typedef struct NamedAttr {
    const char *name;
    AttrValue value;
} NamedAttr;

// The one output of op `name` over operands. VALUE_FAIL; ERR_SYSTEM if the op
// table has no such op or attribute.
Value tensor_call(Vm *vm, const char *name, const Value *inputs,
                  uint32_t input_count, const NamedAttr *attrs,
                  uint32_t attr_count);

// A call of op `code` from Duet: `args` stand in the order of the descriptor's
// parameters, inputs first, then attributes; UNBOUND where not given. The
// result is a tensor, or a tuple of them if the op has several outputs.
Value tensor_call_bound(Vm *vm, OpCode code, const Value *args, uint32_t count);

// bytes, as tensors need them (obj_bytes.c).
const char *bytes_text(Value v);
size_t bytes_length(Value v);
Value bytes_value(Vm *vm, const char *bytes, size_t length);

#endif
