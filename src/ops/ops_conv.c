// Convolution and pooling over images: conv2d, max_pool2d, avg_pool2d.
//
// Images are (batch, height, width, channels). A convolution gathers, for each
// row of the output, the window under every element into a row of a matrix
// and multiplies that by the filters: so each element accumulates in order of
// (filter row, filter column, channel), as matmul defines.
#include <inttypes.h>
#include <string.h>

#include "kernels/pool.h"
#include "ops/infer.h"
#include "ops/product.h"

// One spatial axis.
// Everything about one axis; height and width go their ways apart.
typedef struct PoolAxis {
    int64_t in, window, stride, out;
    int64_t before; // elements of padding in front
} PoolAxis;

// The two spatial axes' attribute: one int for both, or a pair.
static int64_t side(const AttrValue *attr, int axis, int64_t otherwise)
{
    if (!attr_given(attr) || attr->count == 0) {
        return otherwise;
    }
    return attr->ints[attr->count == 1 ? 0 : axis];
}

// 'VALID': windows inside alone; 'SAME': as many as steps fit the input, with
// zeros around it, the odd one behind. False: raised.
static bool padding_of(Ctx *ctx, const OpDesc *op, const AttrValue *attr,
                       bool *same)
{
    // Case does not matter, as in Keras. The length is compared first, so that
    // the text need not end in NUL.
    *same = attr_given(attr) && attr->count == 4 &&
            strncasecmp(attr->text, "same", 4) == 0;
    bool valid = !attr_given(attr) ||
                 (attr->count == 5 && strncasecmp(attr->text, "valid", 5) == 0);
    return *same || valid ||
           ctx_fail(ctx, ERR_OP_VALUE, "%s: padding must be 'VALID' or 'SAME'",
                    op->name);
}

// The number of places for a window along one axis, unknown if a size is.
// TensorFlow's formulas. With 'SAME' the size of the output depends on the
// stride alone, and the padding follows from it.
static PoolAxis span_of(int64_t in, int64_t window, int64_t stride, bool same)
{
    PoolAxis span = {.in = in, .window = window, .stride = stride};
    if (in == DIM_UNKNOWN || window == DIM_UNKNOWN) {
        span.out = DIM_UNKNOWN;
        return span;
    }
    if (!same) {
        // A window larger than the image fits nowhere: no output, no error.
        span.out = in < window ? 0 : (in - window) / stride + 1;
        return span;
    }
    span.out = (in + stride - 1) / stride;
    // Negative where the stride leaves elements over.
    int64_t padding = (span.out - 1) * stride + window - in;
    span.before = padding > 0 ? padding / 2 : 0;
    return span;
}

// Refuses strides and windows below 1, and attributes of another length.
// Before any division by a stride.
static bool check_sides(InferCall *call, const AttrValue *attr,
                        const char *what)
{
    bool fits = !attr_given(attr) || attr->count == 1 || attr->count == 2;
    for (uint32_t i = 0; fits && attr_given(attr) && i < attr->count; i++) {
        fits = attr->ints[i] > 0;
    }
    return fits || ctx_fail(call->ctx, ERR_OP_VALUE,
                            "%s: %s must be one positive int or two",
                            call->op->name, what);
}

// The output's shape: batch, two spatial sizes, `channels` (0: as the input).
static bool infer_windows(InferCall *call, const int64_t window[2],
                          const int64_t stride[2], const AttrValue *padding,
                          int64_t channels)
{
    TensorType x = call->inputs[0];
    int64_t dims[4];
    bool same;
    if (!padding_of(call->ctx, call->op, padding, &same)) {
        return false;
    }
    if (x.rank != 4 && x.rank != RANK_UNKNOWN) {
        return infer_shape_error(call,
                                 "images must be (batch, height, width, "
                                 "channels), not %s",
                                 x);
    }
    for (int i = 0; i < 4; i++) {
        dims[i] = x.rank == 4 ? x.dims[i] : DIM_UNKNOWN;
    }
    for (int i = 0; i < 2; i++) {
        // Batch and channels stay outside of the windows.
        dims[i + 1] = span_of(dims[i + 1], window[i], stride[i], same).out;
    }
    dims[3] = channels == 0 ? dims[3] : channels;
    return infer_output(call, 0, x.dtype, 4, dims);
}

// ---- conv2d

// The attributes' numbers, in the order of conv_attrs.
enum { CONV_STRIDES, CONV_PADDING };

// The channels of images and filters are summed over, so they must agree;
// groups and dilation there are none.
static bool infer_conv2d(InferCall *call)
{
    TensorType x = call->inputs[0], filters = call->inputs[1];
    const AttrValue *strides = &call->attrs[CONV_STRIDES];
    if (!infer_equal_dtypes(call, 0) || !infer_needs_float(call, x.dtype) ||
        !check_sides(call, strides, "strides")) {
        return false;
    }
    if (filters.rank != 4 && filters.rank != RANK_UNKNOWN) {
        return infer_shape_error(call,
                                 "filters must be (height, width, "
                                 "channels, outputs), not %s",
                                 filters);
    }
    // Else any sizes: the kernel checks them at the run.
    bool known = filters.rank == 4;
    int64_t window[2] = {known ? filters.dims[0] : DIM_UNKNOWN,
                         known ? filters.dims[1] : DIM_UNKNOWN};
    int64_t stride[2] = {side(strides, 0, 1), side(strides, 1, 1)};
    if (known && x.rank == 4 && x.dims[3] != filters.dims[2] &&
        x.dims[3] != DIM_UNKNOWN && filters.dims[2] != DIM_UNKNOWN) {
        return infer_shape_error2(
            call, "the channels of images %s and filters %s differ", x,
            filters);
    }
    return infer_windows(call, window, stride, &call->attrs[CONV_PADDING],
                         known ? filters.dims[3] : DIM_UNKNOWN);
}

// The windows under one row of the output, one a row of `to`. False:
// interrupted.
static bool gather_windows(Ctx *ctx, char *to, const Tensor *x, int64_t image,
                           int64_t row, const PoolAxis *high,
                           const PoolAxis *wide, size_t pixel)
{
    for (int64_t column = 0; column < wide->out; column++) {
        for (int64_t i = 0; i < high->window; i++) {
            int64_t y = row * high->stride + i - high->before;
            for (int64_t k = 0; k < wide->window; k++, to += pixel) {
                int64_t at = column * wide->stride + k - wide->before;
                // What lies in the padding counts as zeros, which add nothing.
                bool inside =
                    y >= 0 && y < high->in && at >= 0 && at < wide->in;
                int64_t from = (image * high->in + y) * wide->in + at;
                if (inside) {
                    memcpy(to, (const char *)x->data + (size_t)from * pixel,
                           pixel);
                } else {
                    memset(to, 0, pixel);
                }
            }
            if (!ctx_poll(ctx)) {
                return false;
            }
        }
    }
    return true;
}

// One product for each row of each image, which bounds the working memory.
static bool conv_images(const KernelCall *call, const PoolAxis *high,
                        const PoolAxis *wide, char *windows)
{
    Tensor *x = call->inputs[0], *filters = call->inputs[1];
    Tensor *out = call->outputs[0];
    size_t size = dtype_size((DType)x->dtype);
    int64_t channels = tensor_dims(x)[3], outputs = tensor_dims(out)[3];
    int64_t depth = high->window * wide->window * channels;
    // Filters (height, width, channels, outputs) are, in memory, the matrix of
    // depth x outputs already.
    Product product = {.dtype = (DType)x->dtype,
                       .count = 1,
                       .args = {.m = wide->out,
                                .n = outputs,
                                .k = depth,
                                .a = windows,
                                .a_row = depth,
                                .a_step = 1,
                                .b = filters->data,
                                .b_row = outputs,
                                .b_step = 1,
                                .c_row = outputs}};
    for (int64_t r = 0; r < tensor_dims(x)[0] * high->out; r++) {
        if (!gather_windows(call->ctx, windows, x, r / high->out, r % high->out,
                            high, wide, (size_t)channels * size)) {
            return false;
        }
        product.args.c =
            (char *)out->data + (size_t)(r * wide->out * outputs) * size;
        if (!product_run(call->ctx, &product)) {
            return false;
        }
    }
    return true;
}

// Memory for the windows comes from the pool: a training loop takes the same
// block again in each step.
static bool kernel_conv2d(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *out = call->outputs[0];
    const int64_t *dims = tensor_dims(x);
    const int64_t *window = tensor_dims(call->inputs[1]);
    const AttrValue *strides = &call->attrs[CONV_STRIDES];
    bool same;
    if (!padding_of(call->ctx, call->op, &call->attrs[CONV_PADDING], &same)) {
        return false;
    }
    // Rows and columns are treated alike, each by itself.
    PoolAxis high = span_of(dims[1], window[0], side(strides, 0, 1), same);
    PoolAxis wide = span_of(dims[2], window[1], side(strides, 1, 1), same);
    KernelState *state = kernel_state(call->ctx);
    if (state == NULL || out->count == 0) {
        return state != NULL;
    }
    size_t bytes = (size_t)(wide.out * window[0] * window[1] * dims[3]) *
                   dtype_size((DType)x->dtype);
    char *room = pool_take(call->ctx, state->pool, &bytes);
    if (room == NULL) {
        return false;
    }
    bool ok = conv_images(call, &high, &wide, room);
    pool_give(state->pool, room, bytes);
    return ok;
}

// One int for both axes, or a pair; the text in either case.
static const AttrDesc conv_attrs[] = {
    {"strides", ATTR_INTS, ATTR_HOST_ONLY, "1"},
    {"padding", ATTR_STR, ATTR_HOST_ONLY, "'VALID'"},
};
// Images have channels last, as TensorFlow's default: a window's row is then
// one run of memory.
const OpDesc op_conv2d = {
    .name = "conv2d",
    .params = "x, filters, /",
    .doc = "Images (batch, height, width, channels) under filters (height,\n"
           "width, channels, outputs): the sums of products at every place.\n"
           "padding 'SAME' puts zeros around the images.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .attrs = conv_attrs,
    .attr_count = 2,
    .infer = infer_conv2d,
    .kernel = kernel_conv2d,
};

// ---- pooling

// The attributes' numbers, in the order of pool_attrs.
enum { POOL_SIZE, POOL_STRIDES, POOL_PADDING };

// Windows stand side by side unless strides are given.
static bool infer_pool(InferCall *call)
{
    const AttrValue *size = &call->attrs[POOL_SIZE];
    const AttrValue *strides = &call->attrs[POOL_STRIDES];
    if (!infer_needs_float(call, call->inputs[0].dtype) ||
        !check_sides(call, size, "the size") ||
        !check_sides(call, strides, "strides")) {
        return false;
    }
    int64_t window[2], stride[2];
    for (int i = 0; i < 2; i++) {
        // Keras' default for both: 2 x 2.
        window[i] = side(size, i, 2);
        stride[i] = side(strides, i, window[i]);
    }
    return infer_windows(call, window, stride, &call->attrs[POOL_PADDING], 0);
}

// What a window gives: the largest element (NaN wins), or the mean of those
// that are inside the image. After Ctrl-C it gives anything: the caller polls.
static double pool_window(const Ctx *ctx, const Tensor *x, int64_t image,
                          int64_t y, int64_t c, const PoolAxis *high,
                          const PoolAxis *wide, int64_t at, bool largest)
{
    int64_t channels = tensor_dims(x)[3], count = 0;
    double result = 0;
    for (int64_t i = 0; i < high->window && !ctx_interrupted(ctx); i++) {
        for (int64_t k = 0; k < wide->window; k++) {
            int64_t row = y + i, column = at + k;
            // Padding has no cells.
            if (row < 0 || row >= high->in || column < 0 ||
                column >= wide->in) {
                continue;
            }
            int64_t from = (image * high->in + row) * wide->in + column;
            double now = tensor_float_at(x, from * channels + c);
            if (!largest) {
                result += now;
            } else if (count == 0 || now > result || now != now) {
                result = now;
            }
            count++;
            // NaN wins, and nothing can change that any more.
            if (largest && result != result) {
                return result;
            }
        }
    }
    return largest ? result : result / (double)count;
}

// Plain loops over single elements: pooling is small beside the convolutions
// around it.
static bool pool_images(const KernelCall *call, bool largest)
{
    const Tensor *x = call->inputs[0];
    Tensor *out = call->outputs[0];
    const AttrValue *size = &call->attrs[POOL_SIZE];
    const AttrValue *strides = &call->attrs[POOL_STRIDES];
    const int64_t *dims = tensor_dims(x);
    PoolAxis spans[2];
    bool same;
    if (!padding_of(call->ctx, call->op, &call->attrs[POOL_PADDING], &same)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        int64_t window = side(size, i, 2);
        spans[i] = span_of(dims[i + 1], window, side(strides, i, window), same);
    }
    int64_t channels = dims[3];
    for (int64_t i = 0; i < out->count; i++) {
        // The output's number taken apart, channels fastest.
        int64_t c = i % channels, rest = i / channels;
        int64_t column = rest % spans[1].out;
        int64_t row = rest / spans[1].out % spans[0].out;
        int64_t image = rest / spans[1].out / spans[0].out;
        double value = pool_window(
            call->ctx, x, image, row * spans[0].stride - spans[0].before, c,
            &spans[0], &spans[1], column * spans[1].stride - spans[1].before,
            largest);
        tensor_set_float(out, i, value);
        if (!ctx_poll(call->ctx)) {
            return false;
        }
    }
    return true;
}

// Cells outside of the image do not count.
static bool kernel_max_pool2d(const KernelCall *call)
{
    return pool_images(call, true);
}

// Divided by the cells inside of the image.
static bool kernel_avg_pool2d(const KernelCall *call)
{
    return pool_images(call, false);
}

// `strides` None: as the size, so that windows do not overlap.
static const AttrDesc pool_attrs[] = {
    {"size", ATTR_INTS, ATTR_HOST_ONLY, "2"},
    {"strides", ATTR_INTS, ATTR_HOST_ONLY, "None"},
    {"padding", ATTR_STR, ATTR_HOST_ONLY, "'VALID'"},
};
#define POOLING(text, run)                                                     \
    .name = (text), .params = "x, /", .min_inputs = 1, .max_inputs = 1,        \
    .output_count = 1, .attrs = pool_attrs, .attr_count = 3,                   \
    .infer = infer_pool, .kernel = (run)

const OpDesc op_max_pool2d = {
    POOLING("max_pool2d", kernel_max_pool2d),
    .doc = "The largest element under each window of images (batch, height,\n"
           "width, channels); the windows stand `strides` apart, their size\n"
           "by default.",
};
const OpDesc op_avg_pool2d = {
    POOLING("avg_pool2d", kernel_avg_pool2d),
    .doc = "The mean of the elements under each window of images (batch,\n"
           "height, width, channels), padding not counted.",
};
