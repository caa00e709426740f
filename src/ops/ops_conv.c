// Convolution over images and its two gradients.
//
// Images are (batch, height, width, channels), filters (height, width,
// channels, outputs). All three are matrix products over runs of pixels that
// lie where they are: an output element accumulates in order of (filter row,
// filter column, channel), an image's gradient in order of (filter row,
// filter column, output), a filter's in order of (image, row, column), with
// fma from +0. Padding takes no part.
#include <string.h>

#include "kernels/pool.h"
#include "kernels/threads.h"
#include "ops/grad.h"
#include "ops/tensor_move.h"
#include "ops/windows.h"

// The attributes' numbers, in the order of conv_attrs.
enum { CONV_STRIDES, CONV_PADDING, CONV_DILATIONS };

enum {
    NARROW = 48,         // pixels of a row too short for a product of its own
    SHALLOW = 32,        // elements of k below which rows are gathered
    GATHERED = 192,      // pixels that are gathered at a time
    FILTER_CHANNELS = 48 // rows of a filter's gradient that are one unit
};
// Nanoseconds of a multiplication and addition.
static const double step_cost = 0.03;

// ---- shapes

// The shape of the convolution of x with filters, both partly known.
static bool infer_conv(InferCall *call, TensorType x, TensorType filters,
                       int64_t dims[4])
{
    int64_t taps[4];
    const AttrValue *attrs = call->attrs;
    if (!infer_equal_dtypes(call, 0) || !infer_needs_float(call, x.dtype) ||
        !window_check(call, &attrs[CONV_STRIDES], "strides") ||
        !window_check(call, &attrs[CONV_DILATIONS], "dilations")) {
        return false;
    }
    if (filters.rank != 4 && filters.rank != RANK_UNKNOWN) {
        return infer_shape_error(call,
                                 "filters must be (height, width, "
                                 "channels, outputs), not %s",
                                 filters);
    }
    WindowAxis axes[2];
    if (!window_sizes(call, filters, taps) || !window_sizes(call, x, dims) ||
        !window_axes(call->ctx, call->op, dims + 1, taps, &attrs[CONV_STRIDES],
                     &attrs[CONV_DILATIONS], &attrs[CONV_PADDING], axes)) {
        return false;
    }
    if (dims[3] != taps[2] && dims[3] != DIM_UNKNOWN &&
        taps[2] != DIM_UNKNOWN) {
        return infer_shape_error2(
            call, "the channels of images %s and filters %s differ", x,
            filters);
    }
    dims[1] = axes[0].out;
    dims[2] = axes[1].out;
    dims[3] = taps[3];
    return true;
}

static bool infer_conv2d(InferCall *call)
{
    int64_t dims[4];
    return infer_conv(call, call->inputs[0], call->inputs[1], dims) &&
           infer_output(call, 0, call->inputs[0].dtype, 4, dims);
}

// x, filters and the gradient of what they give: the result is as the input
// `like`.
static bool infer_conv_grad(InferCall *call, int like)
{
    int64_t dims[4];
    TensorType grad = call->inputs[2], out = call->inputs[like];
    if (!infer_conv(call, call->inputs[0], call->inputs[1], dims)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        if (grad.rank != RANK_UNKNOWN &&
            (grad.rank != 4 ||
             (dims[i] != grad.dims[i] && dims[i] != DIM_UNKNOWN &&
              grad.dims[i] != DIM_UNKNOWN))) {
            return infer_shape_error2(
                call, "the gradient %s does not fit the result %s", grad,
                (TensorType){grad.dtype, 4, dims});
        }
    }
    if (out.rank == RANK_UNKNOWN) {
        call->out_dtypes[0] = out.dtype;
        call->out_shapes[0].rank = RANK_UNKNOWN;
        return true;
    }
    return infer_output(call, 0, out.dtype, 4, out.dims);
}

static bool infer_input_grad(InferCall *call)
{
    return infer_conv_grad(call, 0);
}

static bool infer_filter_grad(InferCall *call)
{
    return infer_conv_grad(call, 1);
}

// ---- what the three have in common

// One of the three at work.
typedef struct Conv {
    WindowAxis high, wide;
    int64_t images, channels, outputs;
    size_t size;             // of an element
    const char *x, *filters; // NULL where it is what is computed
    const char *grad;        // of the output; NULL forward
    char *out;               // what is computed
    GemmFn gemm;
    GemmArgs args;    // blocks, and the memory of thread 0
    size_t work_step; // bytes from a thread's memory to the next one's
    size_t gathered;  // bytes of it that hold gathered windows
    int64_t rows;     // rows of the output a unit; forward
    bool joined;      // a window's rows are one run of memory each
    int64_t blocks;   // of channels; filter's gradient
} Conv;

// The sizes, from x, filters and attributes. False: raised.
static bool conv_start(const KernelCall *call, Conv *conv)
{
    const Tensor *x = call->inputs[0], *filters = call->inputs[1];
    const AttrValue *attrs = call->attrs;
    KernelState *state = kernel_state(call->ctx);
    WindowAxis axes[2];
    if (state == NULL ||
        !window_axes(call->ctx, call->op, tensor_dims(x) + 1,
                     tensor_dims(filters), &attrs[CONV_STRIDES],
                     &attrs[CONV_DILATIONS], &attrs[CONV_PADDING], axes)) {
        return false;
    }
    *conv = (Conv){.high = axes[0],
                   .wide = axes[1],
                   .images = tensor_dims(x)[0],
                   .channels = tensor_dims(x)[3],
                   .outputs = tensor_dims(filters)[3],
                   .size = dtype_size((DType)x->dtype),
                   .x = x->data,
                   .filters = filters->data,
                   .out = call->outputs[0]->data,
                   .gemm = state->tier->gemm[x->dtype],
                   .args = {.blocks = &state->blocks}};
    // No padding to either side, no gaps in the window.
    const WindowAxis *wide = &conv->wide;
    conv->joined = wide->dilation == 1 && wide->before == 0 &&
                   window_at(wide, wide->out - 1, wide->window - 1) < wide->in;
    return true;
}

// Runs units of `steps` multiplications each, every thread with memory for
// products like `like` and for what is gathered.
static bool conv_run(Ctx *ctx, Conv *conv, const GemmArgs *like,
                     void (*run)(void *, int64_t, int64_t, int), int64_t units,
                     double steps)
{
    size_t work = (gemm_work_size(like, conv->size) + 63) & ~(size_t)63;
    conv->gathered = (conv->gathered + 63) & ~(size_t)63;
    conv->work_step = work + conv->gathered;
    size_t bytes = conv->work_step * (size_t)threads_most();
    if (bytes > 0) {
        conv->args.work = pool_take(ctx, ctx->kernels->pool, &bytes);
        if (conv->args.work == NULL) {
            return false;
        }
    }
    double cost = steps * step_cost * (double)conv->size / 4 + 100;
    bool ok = threads_run(ctx, &(Job){run, conv, units, cost});
    if (bytes > 0) {
        pool_give(ctx->kernels->pool, conv->args.work, bytes);
    }
    return ok;
}

// The memory of a thread; gathered windows come first.
static char *work_of(const Conv *conv, int thread)
{
    return (char *)conv->args.work + (size_t)thread * conv->work_step;
}

static const char *pixel(const Conv *conv, const char *images, int64_t image,
                         int64_t y, int64_t x)
{
    int64_t at = (image * conv->high.in + y) * conv->wide.in + x;
    return images + (size_t)(at * conv->channels) * conv->size;
}

// A pixel of what has the output's shape.
static const char *place(const Conv *conv, const char *outputs, int64_t row,
                         int64_t column)
{
    int64_t at = row * conv->wide.out + column;
    return outputs + (size_t)(at * conv->outputs) * conv->size;
}

static const char *tap(const Conv *conv, const char *filters, int64_t i,
                       int64_t k)
{
    int64_t at = (i * conv->wide.window + k) * conv->channels * conv->outputs;
    return filters + (size_t)at * conv->size;
}

// ---- forward

// The windows under some rows of the output, one a row of `to`; zeros for what
// lies in the padding.
static void gather_windows(const Conv *conv, char *to, int64_t row,
                           int64_t rows)
{
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    size_t bytes = (size_t)conv->channels * conv->size;
    for (int64_t r = row; r < row + rows; r++) {
        for (int64_t column = 0; column < wide->out; column++) {
            for (int64_t i = 0; i < high->window; i++) {
                int64_t y = window_at(high, r % high->out, i);
                bool inside = 0 <= y && y < high->in;
                if (inside && conv->joined) {
                    memcpy(to,
                           pixel(conv, conv->x, r / high->out, y,
                                 window_at(wide, column, 0)),
                           bytes * (size_t)wide->window);
                    to += bytes * (size_t)wide->window;
                    continue;
                }
                for (int64_t k = 0; k < wide->window; k++, to += bytes) {
                    int64_t x = window_at(wide, column, k);
                    if (inside && 0 <= x && x < wide->in) {
                        memcpy(to, pixel(conv, conv->x, r / high->out, y, x),
                               bytes);
                    } else {
                        memset(to, 0, bytes);
                    }
                }
            }
        }
    }
}

// A row of the output: for each tap, or each row of taps, one product of
// pixels where they are. The first that covers the row needs no zeros there.
static void conv_row(const Conv *conv, GemmArgs g, int64_t row)
{
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    int64_t top = window_at(high, row % high->out, 0);
    g.resume = !conv->joined || top < 0 || top >= high->in;
    if (g.resume) {
        memset((void *)(uintptr_t)place(conv, conv->out, row, 0), 0,
               (size_t)(wide->out * conv->outputs) * conv->size);
    }
    for (int64_t i = 0; i < high->window; i++) {
        int64_t y = window_at(high, row % high->out, i);
        for (int64_t k = 0; 0 <= y && y < high->in && k < wide->window; k++) {
            int64_t begin = 0, end = wide->out;
            if (!conv->joined) {
                window_places(wide, k, &begin, &end);
            }
            g.m = end - begin;
            g.a = pixel(conv, conv->x, row / high->out, y,
                        window_at(wide, begin, k));
            g.b = tap(conv, conv->filters, i, k);
            g.c = (void *)(uintptr_t)place(conv, conv->out, row, begin);
            if (g.m > 0) {
                conv->gemm(&g);
            }
            g.resume = true;
            if (conv->joined) {
                break;
            }
        }
    }
}

static void run_conv(void *data, int64_t begin, int64_t end, int thread)
{
    const Conv *conv = data;
    int64_t all = conv->images * conv->high.out;
    GemmArgs g = conv->args;
    char *windows = work_of(conv, thread);
    g.work = windows + conv->gathered;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t row = unit * conv->rows;
        if (conv->gathered == 0) {
            conv_row(conv, g, row);
            continue;
        }
        int64_t rows = all - row < conv->rows ? all - row : conv->rows;
        gather_windows(conv, windows, row, rows);
        g.m = rows * conv->wide.out;
        g.a = windows;
        g.b = conv->filters;
        g.c = (void *)(uintptr_t)place(conv, conv->out, row, 0);
        conv->gemm(&g);
    }
}

// Memory for the windows comes from the pool: a training loop takes the same
// block again in each step.
static bool kernel_conv2d(const KernelCall *call)
{
    Conv conv;
    if (!conv_start(call, &conv) || call->outputs[0]->count == 0) {
        return !ctx_failed(call->ctx);
    }
    const WindowAxis *wide = &conv.wide;
    int64_t run = conv.channels * (conv.joined ? wide->window : 1);
    int64_t depth = conv.high.window * wide->window * conv.channels;
    GemmArgs *g = &conv.args;
    g->m = wide->out;
    g->n = conv.outputs;
    g->k = run;
    g->a_row = wide->stride * conv.channels;
    g->a_step = 1;
    g->b_row = conv.outputs;
    g->b_step = 1;
    g->c_row = conv.outputs;
    conv.rows = 1;
    if (wide->out < NARROW || run < SHALLOW) {
        conv.rows = (GATHERED + wide->out - 1) / wide->out;
        g->m = conv.rows * wide->out;
        g->k = g->a_row = depth;
        conv.gathered = (size_t)(g->m * depth) * conv.size;
    }
    int64_t units = (conv.images * conv.high.out + conv.rows - 1) / conv.rows;
    double steps = (double)conv.rows * (double)wide->out * (double)depth *
                   (double)conv.outputs;
    return conv_run(call->ctx, &conv, g, run_conv, units, steps);
}

// ---- the gradient of the images

// A row of an image: each tap under which it lies adds a product of the
// gradient's pixels and the tap, turned.
static void input_row(const Conv *conv, GemmArgs g, int64_t image, int64_t y)
{
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    memset((void *)(uintptr_t)pixel(conv, conv->out, image, y, 0), 0,
           (size_t)(wide->in * conv->channels) * conv->size);
    for (int64_t i = 0; i < high->window; i++) {
        int64_t from = y - window_at(high, 0, i);
        if (from < 0 || from % high->stride != 0 ||
            from / high->stride >= high->out) {
            continue;
        }
        int64_t row = image * high->out + from / high->stride;
        for (int64_t k = 0; k < wide->window; k++) {
            int64_t begin, end;
            window_places(wide, k, &begin, &end);
            g.m = end - begin;
            g.a = place(conv, conv->grad, row, begin);
            g.b = tap(conv, conv->filters, i, k);
            g.c = (void *)(uintptr_t)pixel(conv, conv->out, image, y,
                                           window_at(wide, begin, k));
            if (g.m > 0) {
                conv->gemm(&g);
            }
        }
    }
}

static void run_input_grad(void *data, int64_t begin, int64_t end, int thread)
{
    const Conv *conv = data;
    GemmArgs g = conv->args;
    g.work = work_of(conv, thread);
    for (int64_t unit = begin; unit < end; unit++) {
        input_row(conv, g, unit / conv->high.in, unit % conv->high.in);
    }
}

static bool kernel_input_grad(const KernelCall *call)
{
    static const int axes[4] = {0, 1, 3, 2};
    Conv conv;
    if (!conv_start(call, &conv) || call->outputs[0]->count == 0) {
        return !ctx_failed(call->ctx);
    }
    Tensor *turned = tensor_permuted(call->ctx, call->inputs[1], axes);
    if (turned == NULL) {
        return false;
    }
    conv.grad = call->inputs[2]->data;
    conv.filters = turned->data;
    conv.args = (GemmArgs){.m = conv.wide.out,
                           .n = conv.channels,
                           .k = conv.outputs,
                           .a_row = conv.outputs,
                           .a_step = 1,
                           .b_row = conv.channels,
                           .b_step = 1,
                           .c_row = conv.wide.stride * conv.channels,
                           .blocks = conv.args.blocks,
                           .resume = true};
    double steps = (double)(conv.wide.out * conv.outputs * conv.channels) *
                   (double)(conv.high.window * conv.wide.window);
    bool ok =
        conv_run(call->ctx, &conv, &conv.args, run_input_grad,
                 conv.images * conv.high.in, steps / (double)conv.high.stride);
    object_release(call->ctx, turned);
    return ok;
}

// ---- the gradient of the filters

// Some channels of one tap, or of one row of taps: each row of the gradient
// adds a product of an image's pixels, turned, and its own.
static void filter_block(const Conv *conv, GemmArgs g, int64_t i, int64_t k,
                         int64_t channel)
{
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    int64_t top, bottom, begin = 0, end = wide->out;
    size_t skip = (size_t)channel * conv->size;
    g.c = (void *)(uintptr_t)(tap(conv, conv->out, i, k) +
                              skip * (size_t)conv->outputs);
    memset(g.c, 0, (size_t)(g.m * conv->outputs) * conv->size);
    window_places(high, i, &top, &bottom);
    if (!conv->joined) {
        window_places(wide, k, &begin, &end);
    }
    g.k = end - begin;
    for (int64_t image = 0; image < conv->images && g.k > 0; image++) {
        for (int64_t row = top; row < bottom; row++) {
            g.a = skip + pixel(conv, conv->x, image, window_at(high, row, i),
                               window_at(wide, begin, k));
            g.b = place(conv, conv->grad, image * high->out + row, begin);
            conv->gemm(&g);
        }
    }
}

static void run_filter_grad(void *data, int64_t begin, int64_t end, int thread)
{
    const Conv *conv = data;
    GemmArgs g = conv->args;
    g.work = work_of(conv, thread);
    int64_t columns = conv->joined ? 1 : conv->wide.window;
    int64_t run = conv->channels * (conv->joined ? conv->wide.window : 1);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t channel = unit % conv->blocks * FILTER_CHANNELS;
        int64_t at = unit / conv->blocks;
        g.m = run - channel;
        g.m = g.m < FILTER_CHANNELS ? g.m : FILTER_CHANNELS;
        filter_block(conv, g, at / columns, at % columns, channel);
    }
}

static bool kernel_filter_grad(const KernelCall *call)
{
    Conv conv;
    if (!conv_start(call, &conv) || call->outputs[0]->count == 0) {
        return !ctx_failed(call->ctx);
    }
    const WindowAxis *wide = &conv.wide;
    int64_t run = conv.channels * (conv.joined ? wide->window : 1);
    conv.grad = call->inputs[2]->data;
    conv.blocks = (run + FILTER_CHANNELS - 1) / FILTER_CHANNELS;
    GemmArgs *g = &conv.args;
    g->m = FILTER_CHANNELS;
    g->n = conv.outputs;
    g->k = wide->out;
    g->a_row = 1;
    g->a_step = wide->stride * conv.channels;
    g->b_row = conv.outputs;
    g->b_step = 1;
    g->c_row = conv.outputs;
    g->resume = true;
    int64_t taps = conv.high.window * (conv.joined ? 1 : wide->window);
    double steps = (double)FILTER_CHANNELS * (double)conv.outputs *
                   (double)(conv.images * conv.high.out) * (double)wide->out;
    return conv_run(call->ctx, &conv, g, run_filter_grad, taps * conv.blocks,
                    steps);
}

// ---- descriptors

// Each of the three is a product of the others' operands, so that their
// gradients are the three again, whatever the order.
static EmitValue product_of(GradCall *call, OpCode op, EmitValue x,
                            EmitValue filters, EmitValue g)
{
    EmitValue inputs[3] = {x, filters, g};
    return call->emit->op(call->emit, op, inputs, g == NULL ? 2 : 3,
                          call->attrs);
}

static bool grad_conv2d(GradCall *call)
{
    EmitValue x = call->inputs[0], filters = call->inputs[1];
    EmitValue g = call->output_grads[0];
    return (!call->wanted[0] ||
            grad_give(call, 0,
                      product_of(call, OP_CONV2D_INPUT_GRAD, x, filters, g))) &&
           (!call->wanted[1] ||
            grad_give(call, 1,
                      product_of(call, OP_CONV2D_FILTER_GRAD, x, filters, g)));
}

// Of the images the sizes alone count.
static bool grad_input_grad(GradCall *call)
{
    EmitValue filters = call->inputs[1], g = call->output_grads[0];
    return (!call->wanted[1] ||
            grad_give(call, 1,
                      product_of(call, OP_CONV2D_FILTER_GRAD, g, filters,
                                 call->inputs[2]))) &&
           (!call->wanted[2] ||
            grad_give(call, 2, product_of(call, OP_CONV2D, g, filters, NULL)));
}

// Of the filters the sizes alone count.
static bool grad_filter_grad(GradCall *call)
{
    EmitValue x = call->inputs[0], g = call->output_grads[0];
    return (!call->wanted[0] || grad_give(call, 0,
                                          product_of(call, OP_CONV2D_INPUT_GRAD,
                                                     x, g, call->inputs[2]))) &&
           (!call->wanted[2] ||
            grad_give(call, 2, product_of(call, OP_CONV2D, x, g, NULL)));
}

// One int for both axes, or a pair; the text in either case.
static const AttrDesc conv_attrs[] = {
    {"strides", ATTR_INTS, ATTR_HOST_ONLY, "1"},
    {"padding", ATTR_STR, ATTR_HOST_ONLY, "'VALID'"},
    {"dilations", ATTR_INTS, ATTR_HOST_ONLY, "1"},
};
#define CONVOLUTION(text, names, count, rule, run)                             \
    .name = (text), .params = (names), .min_inputs = (count),                  \
    .max_inputs = (count), .output_count = 1, .attrs = conv_attrs,             \
    .attr_count = 3, .infer = (rule), .kernel = (run)

// Images have channels last, as TensorFlow's default: a window's row is then
// one run of memory.
const OpDesc op_conv2d = {
    CONVOLUTION("conv2d", "x, filters, /", 2, infer_conv2d, kernel_conv2d),
    .doc = "Images (batch, height, width, channels) under filters (height,\n"
           "width, channels, outputs): the sums of products at every place.\n"
           "padding 'SAME' puts zeros around the images; dilations leave\n"
           "gaps between the elements of the filters.",
    .gradient = grad_conv2d,
};
// Of x the shape alone is read.
const OpDesc op_conv2d_input_grad = {
    CONVOLUTION("conv2d_input_grad", "x, filters, grad", 3, infer_input_grad,
                kernel_input_grad),
    .flags = OP_INTERNAL,
    .doc = "The gradient of the images x of conv2d(x, filters), whose result\n"
           "has the gradient grad.",
    .gradient = grad_input_grad,
};
// Of the filters the shape alone is read.
const OpDesc op_conv2d_filter_grad = {
    CONVOLUTION("conv2d_filter_grad", "x, filters, grad", 3, infer_filter_grad,
                kernel_filter_grad),
    .flags = OP_INTERNAL,
    .doc = "The gradient of the filters of conv2d(x, filters), whose result\n"
           "has the gradient grad.",
    .gradient = grad_filter_grad,
};
