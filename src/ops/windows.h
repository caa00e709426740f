// Windows that move over images (batch, height, width, channels): what
// convolutions and pooling have in common.
#ifndef DUET_OPS_WINDOWS_H
#define DUET_OPS_WINDOWS_H

#include "ops/infer.h"

// One spatial axis; height and width go their ways apart.
typedef struct WindowAxis {
    int64_t in, window, stride;
    int64_t dilation; // elements from one of the window's to the next
    int64_t out;      // places of the window
    int64_t before;   // elements of padding in front
} WindowAxis;

// The attribute of an axis (0: height, 1: width): one int for both, or a pair.
int64_t window_side(const AttrValue *attr, int axis, int64_t otherwise);
// Whether the padding is 'SAME', in letters of any case, as in Keras.
bool window_same(const AttrValue *padding);
// Both axes; of sizes that are unknown `out` is too. TensorFlow's formulas.
// False: raised, the padding is neither 'VALID' nor 'SAME'.
MUST_CHECK bool window_axes(Ctx *ctx, const OpDesc *op, const int64_t *in,
                            const int64_t *window, const AttrValue *strides,
                            const AttrValue *dilations,
                            const AttrValue *padding, WindowAxis axes[2]);
// Refuses an attribute that is not one positive int or two.
MUST_CHECK bool window_check(const InferCall *call, const AttrValue *attr,
                             const char *what);
// The height and width of `type`, unknown where its rank is; refuses any but
// rank 4.
MUST_CHECK bool window_sizes(const InferCall *call, TensorType type,
                             int64_t dims[4]);
// Where element `index` of the window lies when it is at `place`; may be in
// the padding.
static inline int64_t window_at(const WindowAxis *axis, int64_t place,
                                int64_t index)
{
    return place * axis->stride + index * axis->dilation - axis->before;
}
// The places at which element `index` of the window is inside of the image.
void window_places(const WindowAxis *axis, int64_t index, int64_t *begin,
                   int64_t *end);

#endif
