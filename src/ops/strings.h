// What ops of numbers do on string tensors.
#ifndef DUET_OPS_STRINGS_H
#define DUET_OPS_STRINGS_H

#include "ops/op.h"

// add: the bytes one after the other; shapes broadcast.
MUST_CHECK bool kernel_string_add(const KernelCall *call);
// equal and not_equal.
MUST_CHECK bool kernel_string_equal(const KernelCall *call);
// where: picks elements, of strings.
MUST_CHECK bool kernel_string_where(const KernelCall *call);

// Of a broadcast to `out`: the element of a tensor of type `from` that stands
// at element `index` of the output.
int64_t strings_index(TensorType from, TensorType out, int64_t index);

#endif
