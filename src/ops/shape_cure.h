// What would make shapes fit that do not: the end of an error's message, with
// the shape to reshape to, or the sizes at fault. Nothing is added where
// unknown sizes leave nothing to say.
#ifndef DUET_OPS_SHAPE_CURE_H
#define DUET_OPS_SHAPE_CURE_H

#include "ops/shape.h"

void shape_cure_broadcast(StrBuf *out, TensorType a, TensorType b);
// Of the sizes that a product sums over; both have an axis.
void shape_cure_matmul(StrBuf *out, TensorType a, TensorType b);
void shape_cure_concat(StrBuf *out, TensorType a, TensorType b, int axis);
void shape_cure_stack(StrBuf *out, TensorType a, TensorType b);
// `from` has `count` elements, the shape that was asked for others.
void shape_cure_reshape(StrBuf *out, int64_t count, const Shape *asked);

#endif
