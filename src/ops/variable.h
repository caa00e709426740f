// The state of a Variable, as the layers below the interpreter see it.
#ifndef DUET_OPS_VARIABLE_H
#define DUET_OPS_VARIABLE_H

#include "ops/tensor.h"

// Embedded in the interpreter's Variable object. `value` is counted, never
// NULL, and only ever replaced whole, so that an effect that fails half way
// leaves the value before it. Its dtype and shape are the Variable's: an
// assignment must keep both.
typedef struct VariableCell {
    Tensor *value;
} VariableCell;

// value[rows[i]] += values[i], in place where nobody else holds the tensor;
// otherwise a new one takes its place. False: nothing was changed. `name` is
// the Variable's, for messages (ops_rows.c).
MUST_CHECK bool variable_add_rows(Ctx *ctx, VariableCell *cell,
                                  const char *name, Tensor *rows,
                                  Tensor *values);

#endif
