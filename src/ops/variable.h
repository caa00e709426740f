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

#endif
