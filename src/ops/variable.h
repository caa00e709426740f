// The state of a Variable, as the layers below the interpreter see it.
#ifndef DUET_OPS_VARIABLE_H
#define DUET_OPS_VARIABLE_H

#include "ops/tensor.h"

// Embedded in the interpreter's Variable object. `value` is counted, never
// NULL, and only ever replaced whole, so that an effect that fails half way
// leaves the value before it.
typedef struct VariableCell {
    Tensor *value;
    // What an assignment must keep, the object's; NULL, for nearly all: the
    // dtype and shape of the value.
    const TensorType *declared;
} VariableCell;

// What each value is of: all that a trace may count on.
static inline TensorType cell_type(const VariableCell *cell)
{
    return cell->declared != NULL ? *cell->declared : tensor_type(cell->value);
}
// Whether a tensor whose sizes or rank may not be known, `given`, may be of a
// type that leaves some open, too. Dtypes are not compared.
bool tensor_type_may_be(TensorType asked, TensorType given);

// value[rows[i]] += values[i], in place where nobody else holds the tensor;
// otherwise a new one takes its place. False: nothing was changed. `name` is
// the Variable's, for messages (ops_rows.c).
MUST_CHECK bool variable_add_rows(Ctx *ctx, VariableCell *cell,
                                  const char *name, Tensor *rows,
                                  Tensor *values);

#endif
