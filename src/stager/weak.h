// Weak numbers: what a host number becomes as a loop's state.
//
// It takes the dtype of a tensor that it meets, as the number itself would.
// Only symbolic tensors can be weak; an eager number is converted before it
// comes here.
#ifndef DUET_STAGER_WEAK_H
#define DUET_STAGER_WEAK_H

#include "stager/trace.h"

// The dtype that the weak ones among the operands take; DT_NONE: they stay as
// they are.
DType weak_target(OpCode op, const Value *inputs, uint32_t input_count);
// The operand's value, of that dtype if it is weak. A weak float that meets
// ints keeps its own, and the op then refuses the pair as it does for an eager
// float. VALUE_ID_NONE: failed.
ValueId weak_operand(Vm *vm, Trace *trace, Value v, DType dtype);
// An error of dtypes that is pending because of such a float reads as for the
// number.
void weak_refuse(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                 DType dtype);
// Whether the result is weak, too: that of weak numbers and literals.
bool weak_result(OpCode op, const Value *inputs, uint32_t input_count);

#endif
