// Writing ops in terms of other ops: helpers for composed ops and gradient
// rules.
//
// Every helper takes NULL for a value that could not be made and then gives
// NULL, so that a chain of calls needs one check at its end. Values belong to
// the Emit.
#ifndef DUET_OPS_EMIT_OP_H
#define DUET_OPS_EMIT_OP_H

#include "ops/op.h"

// One operand, two operands; `attrs` may be NULL.
EmitValue emit_1(Emit *emit, OpCode op, EmitValue x, const AttrValue *attrs);
// As emit_1 for ops of two operands, without attributes.
EmitValue emit_2(Emit *emit, OpCode op, EmitValue x, EmitValue y);
// Of three.
EmitValue emit_3(Emit *emit, OpCode op, EmitValue x, EmitValue y, EmitValue z);
// A scalar constant; an int vector constant.
EmitValue emit_number(Emit *emit, DType dtype, double value);
// x op number, the number in x's dtype.
EmitValue emit_with(Emit *emit, OpCode op, EmitValue x, double number);
EmitValue emit_cast(Emit *emit, EmitValue x, DType dtype);
// At most one size may be -1: what is left.
EmitValue emit_reshape(Emit *emit, EmitValue x, int rank, const int64_t *dims);
EmitValue emit_permute(Emit *emit, EmitValue x, int rank, const int64_t *axes);
// A size: a number, or where that is DIM_UNKNOWN an int32 scalar in the graph.
typedef struct EmitSize {
    int64_t number;
    EmitValue open; // NULL: it could not be made
} EmitSize;
EmitSize emit_number_size(int64_t number);
// Of an axis of x, whose rank is known.
EmitSize emit_size(Emit *emit, EmitValue x, int axis);
EmitSize emit_times(Emit *emit, EmitSize a, EmitSize b);
EmitValue emit_reshape_to(Emit *emit, EmitValue x, int rank,
                          const EmitSize *sizes);
// x, whose axis must be as large as one of `like`: raised at once, or when it
// runs, in the name of `who`. The ranks are known.
EmitValue emit_same_size(Emit *emit, const char *who, EmitValue x, int axis,
                         EmitValue like, int like_axis);
// A reduction (sum, mean, max) over the axes of `mask`; a mask of 0 gives x.
EmitValue emit_reduce(Emit *emit, OpCode op, EmitValue x, uint32_t mask,
                      bool keepdims);
// The same of what an elementwise op without attributes or faults gives of x,
// or of x and y: y is NULL if it takes one operand.
EmitValue emit_reduce_of(Emit *emit, OpCode reduction, OpCode op, EmitValue x,
                         EmitValue y, uint32_t mask, bool keepdims);
// The same over the axes of a reduction's first attribute, which stay as 1.
EmitValue emit_reduce_kept(Emit *emit, OpCode op, EmitValue x,
                           const AttrValue *axes);
// `x` must not be NULL here; the dims are borrowed from the value.
static inline TensorType emit_type(Emit *emit, EmitValue x)
{
    return emit->type(emit, x);
}

// Calls a composed op's function. Halves are widened before and rounded once
// behind it, as for kernels (ops/halves.c), unless it has OP_HALVES.
EmitValue emit_composed(const ComposeCall *call);
// Runs a composed op on real tensors: an Emit whose ops run at once. The
// result is owned; NULL with an error pending.
MUST_CHECK Tensor *emit_run(Ctx *ctx, const OpDesc *op, Tensor *const *inputs,
                            uint32_t input_count, const AttrValue *attrs);
// A kernel of an op that has parts: they are run, and their result is copied to
// the output.
MUST_CHECK bool emit_run_parts(const KernelCall *call);

// What stands in a composed op's descriptor instead of a shape rule.
MUST_CHECK bool infer_composed(InferCall *call);

#endif
