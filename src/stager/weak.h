// Weak numbers: what a host number becomes as a loop's state.
//
// It takes the dtype of a tensor that it meets, as the number itself would.
// Only symbolic tensors can be weak; an eager number is converted before it
// comes here.
#ifndef DUET_STAGER_WEAK_H
#define DUET_STAGER_WEAK_H

#include "stager/trace.h"

// The first operand that has its dtype in common with those behind it.
uint32_t weak_first(OpCode op, uint32_t input_count);
// The dtype that the weak ones among these take; DT_NONE: they stay as they
// are.
DType weak_target(OpCode op, const Value *inputs, uint32_t input_count);
// The operand's value, of that dtype if it is weak. A weak float that meets
// ints keeps its own, and the op then refuses the pair as it does for an eager
// float. VALUE_ID_NONE: failed.
ValueId weak_operand(Vm *vm, Trace *trace, Value v, DType dtype);
// An error of dtypes that is pending because of such a float reads as for the
// number.
void weak_refuse(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                 DType dtype);
// Whether it is a number of the host, also when it has become a tensor: a dtype
// that it meets later decides (trace.c).
bool weak_is_number(Value v);
// The dtype of two tensors: a weak number takes the other's, if it may. False:
// they have none in common.
bool weak_common(Value a, Value b, DType *dtype);
// Whether it is a number or text of the host, or was one on some way.
bool weak_is_host(Value v);
// TraceHooks.number.
Value weak_number(Vm *vm, Value scalar);
// A value that is made of these two, as by the sides of an `if`, is a number or
// a text of the host if both are. Not symbolic: nothing is done. Of a number
// and a tensor it is a tensor, which is told: eager code may have the number.
void weak_join(Vm *vm, Value made, Value a, Value b);
// Whether the result is weak, too: that of weak numbers and literals.
bool weak_result(OpCode op, const Value *inputs, uint32_t input_count);
// Whether it is a host value in eager code on some way: that of such ones and
// literals.
bool weak_host_result(OpCode op, const Value *inputs, uint32_t input_count);

#endif
