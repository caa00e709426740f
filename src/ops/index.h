// What others ask of an index (ops_index.c).
#ifndef DUET_OPS_INDEX_H
#define DUET_OPS_INDEX_H

#include "ops/op.h"

// Where x[i, …] stands, whose i is the only operand: as x[0, …], and for each
// of i so many elements on. False: the index is not of this form.
MUST_CHECK bool index_view_by(Ctx *ctx, const AttrValue *spec, TensorType x,
                              OpView *view, int64_t *apart);

#endif
