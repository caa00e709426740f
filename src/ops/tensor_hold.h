// Tensors that stand for an object of the host's: how a graph's values can be
// datasets and their iterators, which are passed, kept and let go of like any
// tensor.
//
// Such a tensor is one int64 of rank 0, which says nothing to a program; copies
// of the number hold nothing.
#ifndef DUET_OPS_TENSOR_HOLD_H
#define DUET_OPS_TENSOR_HOLD_H

#include "ops/tensor.h"

// A new tensor that holds a count on the object. NULL with an error pending.
MUST_CHECK Tensor *tensor_hold(Ctx *ctx, Object *object);
// The object, borrowed; NULL: the tensor holds none.
Object *tensor_held(const Tensor *tensor);

#endif
