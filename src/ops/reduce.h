// Reductions of tensors over any axes.
//
// The reduced axes are brought to one of two layouts, rows (reduced axes last)
// or columns (reduced axes first), by collapsing. Axes that stand apart are
// reduced one run of neighbours after the other, the last one first, which is
// the order of additions too. Rows, parts of a long row and blocks of columns
// are units of work for threads; the order of additions does not depend on
// them.
#ifndef DUET_OPS_REDUCE_H
#define DUET_OPS_REDUCE_H

#include "ops/op.h"
#include "ops/tensor.h"

// A tensor as [outer, reduced, inner].
typedef struct ReduceLayout {
    int64_t outer, reduced, inner;
} ReduceLayout;
// False: the axes of `mask` are scattered.
bool reduce_layout(const Tensor *tensor, uint32_t mask, ReduceLayout *layout);

// A reduction as the end of a loop over what it reduces, which it sees as rows
// that it reduces to one element each.
typedef struct ReduceEnd {
    ReduceId id;
    int64_t rows, columns;
    double divisor; // of a mean; 0: none
} ReduceEnd;
// False: the op is none, reduces others than the last axes, or of nothing, or
// the shape is not known.
bool reduce_end(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                TensorType in, ReduceEnd *end);

// Reduces the axes of `mask` to `out`, which has the accumulator's dtype. The
// kernel exists for the dtype. False: interrupted, or no memory.
MUST_CHECK bool reduce_into(Ctx *ctx, ReduceId id, Tensor *in, uint32_t mask,
                            Tensor *out);
// The same by a kernel of rows alone; `cost` is an element's in nanoseconds.
MUST_CHECK bool reduce_by_rows(Ctx *ctx, RowReduceFn kernel, Tensor *in,
                               uint32_t mask, Tensor *out, double cost);

// Divides in place, as means are. False: interrupted.
MUST_CHECK bool reduce_divide(Ctx *ctx, Tensor *out, double divisor);

// What elementwise ops of floats give: first(x), or first(x, y), and of that
// `then`, which takes one operand. They have no faults.
typedef struct ReduceFront {
    OpCode first, then; // then: OP_COUNT if there is none
    Tensor *x, *y;      // y: as x, of one element, one a row; or NULL
} ReduceFront;
// The reduction of those, which has x's dtype: what storing them first would
// give. 1: done, 0: not of these operands and axes (nothing happened), -1:
// interrupted, or no memory.
MUST_CHECK int reduce_of(Ctx *ctx, ReduceId id, const ReduceFront *front,
                         uint32_t mask, Tensor *out);

#endif
