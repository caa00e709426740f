// An Emit over values of the language: every op goes through apply(), so that
// composed ops and gradient rules run eagerly, append to a trace and are seen
// by an enclosing Tape, whichever holds.
#ifndef DUET_INTERP_TENSORS_TENSOR_EMIT_H
#define DUET_INTERP_TENSORS_TENSOR_EMIT_H

#include "base/vec.h"
#include "interp/tensors/obj_tensor.h"

typedef struct HostEmit {
    Emit emit; // first: an Emit * is a HostEmit *
    Vm *vm;
    VEC(Value) owned; // what the ops gave, released at the end
} HostEmit;

// An Emit whose ops run, or are traced, at once.
void tensor_emit_init(HostEmit *emit, Vm *vm);
// Releases what the ops gave: the caller retains what is to stay.
void tensor_emit_free(HostEmit *emit);
// A value as the Emit's, borrowed from the caller; and back, borrowed.
static inline EmitValue emit_from_value(Value operand)
{
    return value_object(operand);
}
// A host Emit's values are objects.
static inline Value value_from_emit(EmitValue value)
{
    return value_from_object(value);
}

// apply() of a composed op: its ops are applied one by one. VALUE_FAIL.
Value tensor_emit_composed(Vm *vm, const OpDesc *op, const Value *inputs,
                           uint32_t input_count, const AttrValue *attrs);

#endif
