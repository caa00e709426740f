// Windows that move over images.
#include "ops/windows.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

int64_t window_side(const AttrValue *attr, int axis, int64_t otherwise)
{
    if (!attr_given(attr) || attr->count == 0) {
        return otherwise;
    }
    return attr->ints[attr->count == 1 ? 0 : axis];
}

static bool is_padding(const AttrValue *attr, const char *text)
{
    return attr->kind == ATTR_STR && attr->count == strlen(text) &&
           strncasecmp(attr->text, text, attr->count) == 0;
}

bool window_same(const AttrValue *padding)
{
    return is_padding(padding, "same");
}

// 'VALID': windows inside alone; 'SAME': as many as steps fit the input, with
// zeros around it, the odd one behind. False: raised.
static bool padding_of(Ctx *ctx, const OpDesc *op, const AttrValue *attr,
                       bool *same)
{
    *same = window_same(attr);
    return *same || !attr_given(attr) || is_padding(attr, "valid") ||
           ctx_fail(ctx, ERR_OP_VALUE, "%s: padding must be 'VALID' or 'SAME'",
                    op->name);
}

// From the first element of a window to the last one.
static int64_t extent_of(const WindowAxis *axis)
{
    return infer_plus(infer_times(axis->window - 1, axis->dilation), 1);
}

// With 'SAME' the size of the output depends on the stride alone, and the
// padding follows from it.
static void place_windows(WindowAxis *axis, bool same)
{
    if (axis->in == DIM_UNKNOWN || axis->window == DIM_UNKNOWN) {
        axis->out = DIM_UNKNOWN;
        return;
    }
    int64_t extent = extent_of(axis);
    if (!same) {
        // A window larger than the image fits nowhere: no output.
        axis->out =
            axis->in < extent ? 0 : (axis->in - extent) / axis->stride + 1;
        return;
    }
    axis->out = (axis->in + axis->stride - 1) / axis->stride;
    // Negative where the stride leaves elements over.
    int64_t padding = (axis->out - 1) * axis->stride + extent - axis->in;
    axis->before = padding > 0 ? padding / 2 : 0;
}

bool window_axes(Ctx *ctx, const OpDesc *op, const int64_t *in,
                 const int64_t *window, const AttrValue *strides,
                 const AttrValue *dilations, const AttrValue *padding,
                 WindowAxis axes[2])
{
    bool same;
    if (!padding_of(ctx, op, padding, &same)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        axes[i] = (WindowAxis){
            .in = in[i],
            .window = window[i],
            .stride = window_side(strides, i, 1),
            .dilation = dilations == NULL ? 1 : window_side(dilations, i, 1)};
        place_windows(&axes[i], same);
        int64_t extent = extent_of(&axes[i]);
        // As TensorFlow counts: less than one stride too large is no error.
        if (!same && axes[i].out == 0 &&
            (in[i] - extent) / axes[i].stride < -1) {
            return ctx_fail(ctx, ERR_SHAPE,
                            "%s: a window of %" PRId64 " does not fit into %s "
                            "%" PRId64,
                            op->name, extent, i == 0 ? "height" : "width",
                            in[i]);
        }
    }
    return true;
}

// Before any division by a stride.
bool window_check(const InferCall *call, const AttrValue *attr,
                  const char *what)
{
    bool fits = !attr_given(attr) || attr->count == 1 || attr->count == 2;
    for (uint32_t i = 0; fits && attr_given(attr) && i < attr->count; i++) {
        fits = attr->ints[i] > 0 && attr->ints[i] <= INT32_MAX;
    }
    return fits ||
           ctx_fail(call->ctx, ERR_OP_VALUE,
                    "%s: %s must be one positive int or two, below 2**31",
                    call->op->name, what);
}

bool window_sizes(const InferCall *call, TensorType type, int64_t dims[4])
{
    if (type.rank != 4 && type.rank != RANK_UNKNOWN) {
        return infer_shape_error(call,
                                 "images must be (batch, height, width, "
                                 "channels), not %s",
                                 type);
    }
    for (int i = 0; i < 4; i++) {
        dims[i] = type.rank == 4 ? type.dims[i] : DIM_UNKNOWN;
    }
    return true;
}

void window_places(const WindowAxis *axis, int64_t index, int64_t *begin,
                   int64_t *end)
{
    // The element lies at place * stride + offset.
    int64_t offset = index * axis->dilation - axis->before;
    int64_t last = axis->in - 1 - offset;
    *begin = offset < 0 ? (axis->stride - 1 - offset) / axis->stride : 0;
    *end = last < 0 ? 0 : last / axis->stride + 1;
    *end = *end < axis->out ? *end : axis->out;
    *end = *end < *begin ? *begin : *end;
}
