// Convolution over images, of all channels, of groups or of each channel, and
// its two gradients: shapes, rules and descriptors. What computes them are
// conv_products.c and conv_lanes.c.
#include "kernels/tier.h"
#include "ops/conv.h"
#include "ops/grad.h"

extern const OpDesc op_depthwise_conv2d, op_depthwise_conv2d_input_grad,
    op_depthwise_conv2d_filter_grad;

// Of the ops that give each channel filters of its own.
static bool is_deep(const OpDesc *op)
{
    return op == &op_depthwise_conv2d ||
           op == &op_depthwise_conv2d_input_grad ||
           op == &op_depthwise_conv2d_filter_grad;
}

// ---- shapes

// Whether images of these channels meet filters (…, channels, outputs), each
// maybe unknown: of conv2d in groups, as many outputs from each.
static bool channels_fit(int64_t channels, const int64_t taps[4], bool deep)
{
    int64_t own = taps[2], outputs = taps[3];
    if (channels == own || channels == DIM_UNKNOWN || own == DIM_UNKNOWN) {
        return true;
    }
    return !deep && own > 0 && channels % own == 0 &&
           (outputs == DIM_UNKNOWN ||
            (channels > 0 && outputs % (channels / own) == 0));
}

// The channels of the output, maybe unknown.
static bool outputs_of(InferCall *call, bool deep, int64_t channels,
                       const int64_t taps[4], int64_t *outputs)
{
    int64_t sizes[2] = {taps[2] == DIM_UNKNOWN ? channels : taps[2], taps[3]};
    *outputs = deep ? DIM_UNKNOWN : taps[3];
    return !deep || sizes[0] == DIM_UNKNOWN || sizes[1] == DIM_UNKNOWN ||
           shape_count(call->ctx, 2, sizes, call->inputs[0].dtype, outputs);
}

// The shape of the convolution of x with filters, both partly known.
static bool infer_conv(InferCall *call, int64_t dims[4])
{
    bool deep = is_deep(call->op);
    TensorType x = call->inputs[0], filters = call->inputs[1];
    int64_t taps[4];
    const AttrValue *attrs = call->attrs;
    if (!infer_equal_dtypes(call, 0) || !infer_needs_float(call, x.dtype) ||
        !window_check(call, &attrs[CONV_STRIDES], "strides") ||
        !window_check(call, &attrs[CONV_DILATIONS], "dilations")) {
        return false;
    }
    if (filters.rank != 4 && filters.rank != RANK_UNKNOWN) {
        return infer_shape_error(call,
                                 deep ? "filters must be (height, width, "
                                        "channels, results a channel), not %s"
                                      : "filters must be (height, width, "
                                        "channels, outputs), not %s",
                                 filters);
    }
    WindowAxis axes[2];
    if (!window_sizes(call, filters, taps) || !window_sizes(call, x, dims) ||
        !window_axes(call->ctx, call->op, dims + 1, taps, &attrs[CONV_STRIDES],
                     &attrs[CONV_DILATIONS], &attrs[CONV_PADDING], axes)) {
        return false;
    }
    if (!channels_fit(dims[3], taps, deep)) {
        return infer_shape_error2(
            call,
            taps[2] > 0 && dims[3] % taps[2] == 0 && !deep
                ? "the channels of images %s are groups for filters %s, whose "
                  "outputs cannot be cut into as many"
                : "the channels of images %s and filters %s differ",
            x, filters);
    }
    dims[1] = axes[0].out;
    dims[2] = axes[1].out;
    return outputs_of(call, deep, dims[3], taps, &dims[3]);
}

static bool infer_made(InferCall *call)
{
    int64_t dims[4];
    return infer_conv(call, dims) &&
           infer_output(call, 0, call->inputs[0].dtype, 4, dims);
}

// x, filters and the gradient of what they give: the result is as the input
// `like`.
static bool infer_conv_grad(InferCall *call, int like)
{
    int64_t dims[4];
    TensorType grad = call->inputs[2], out = call->inputs[like];
    if (!infer_conv(call, dims) || !infer_gradient_fits(call, grad, dims)) {
        return false;
    }
    if (out.rank == RANK_UNKNOWN) {
        call->out_dtypes[0] = out.dtype;
        call->out_shapes[0].rank = RANK_UNKNOWN;
        return true;
    }
    return infer_output(call, 0, out.dtype, 4, out.dims);
}

static bool infer_input(InferCall *call)
{
    return infer_conv_grad(call, 0);
}

static bool infer_filter(InferCall *call)
{
    return infer_conv_grad(call, 1);
}

// ---- kernels

// The sizes. False: raised.
static bool conv_start(const KernelCall *call, Conv *conv)
{
    bool deep = is_deep(call->op);
    const int64_t *dims = tensor_dims(call->inputs[0]);
    const int64_t *taps = tensor_dims(call->inputs[1]);
    const AttrValue *attrs = call->attrs;
    WindowAxis axes[2];
    if (kernel_state(call->ctx) == NULL ||
        !window_axes(call->ctx, call->op, dims + 1, taps, &attrs[CONV_STRIDES],
                     &attrs[CONV_DILATIONS], &attrs[CONV_PADDING], axes)) {
        return false;
    }
    int64_t channels = deep ? 1 : taps[2];
    int64_t groups = channels > 0 ? dims[3] / channels : 1;
    int64_t outputs = deep ? taps[2] * taps[3] : taps[3];
    *conv = (Conv){.high = axes[0],
                   .wide = axes[1],
                   .images = dims[0],
                   .pixel = dims[3],
                   .groups = groups,
                   .channels = channels,
                   .own = groups > 0 ? outputs / groups : 0,
                   .outputs = outputs,
                   .size = dtype_size((DType)call->inputs[0]->dtype),
                   .x = call->inputs[0]->data,
                   .filters = call->inputs[1]->data,
                   .grad = call->input_count > 2 ? call->inputs[2]->data : NULL,
                   .out = call->outputs[0]->data};
    return true;
}

typedef bool (*ConvWay)(const KernelCall *call, const Conv *conv);

// Channels of their own have their own way.
static bool run(const KernelCall *call, ConvWay products, ConvWay lanes)
{
    Conv conv;
    if (!conv_start(call, &conv) || call->outputs[0]->count == 0) {
        return !ctx_failed(call->ctx);
    }
    bool alone = conv.channels == 1 && conv.groups > 1 && conv.own > 0;
    return (alone ? lanes : products)(call, &conv);
}

static bool kernel_made(const KernelCall *call)
{
    return run(call, conv_products, conv_lanes);
}

static bool kernel_input(const KernelCall *call)
{
    return run(call, conv_products_input, conv_lanes_input);
}

static bool kernel_filter(const KernelCall *call)
{
    return run(call, conv_products_filter, conv_lanes_filter);
}

// ---- gradients

// Forward and its two gradients.
typedef struct Family {
    OpCode made, input, filter;
} Family;
static Family family_of(const GradCall *call)
{
    return is_deep(call->op)
               ? (Family){OP_DEPTHWISE_CONV2D, OP_DEPTHWISE_CONV2D_INPUT_GRAD,
                          OP_DEPTHWISE_CONV2D_FILTER_GRAD}
               : (Family){OP_CONV2D, OP_CONV2D_INPUT_GRAD,
                          OP_CONV2D_FILTER_GRAD};
}

// Each of the three is a product of the others' operands, so that their
// gradients are the three again, whatever the order.
static bool give(GradCall *call, uint32_t input, OpCode op, EmitValue x,
                 EmitValue filters, EmitValue g)
{
    EmitValue inputs[3] = {x, filters, g};
    return !call->wanted[input] ||
           grad_give(call, input,
                     call->emit->op(call->emit, op, inputs, g == NULL ? 2 : 3,
                                    call->attrs));
}

static bool grad_made(GradCall *call)
{
    Family of = family_of(call);
    EmitValue x = call->inputs[0], filters = call->inputs[1];
    EmitValue g = call->output_grads[0];
    return give(call, 0, of.input, x, filters, g) &&
           give(call, 1, of.filter, x, filters, g);
}

// Of the images the sizes alone count.
static bool grad_input(GradCall *call)
{
    Family of = family_of(call);
    EmitValue filters = call->inputs[1], g = call->output_grads[0];
    return give(call, 1, of.filter, g, filters, call->inputs[2]) &&
           give(call, 2, of.made, g, filters, NULL);
}

// Of the filters the sizes alone count.
static bool grad_filter(GradCall *call)
{
    Family of = family_of(call);
    EmitValue x = call->inputs[0], g = call->output_grads[0];
    return give(call, 0, of.input, x, g, call->inputs[2]) &&
           give(call, 2, of.made, x, g, NULL);
}

// ---- descriptors

// One int for both axes, or a pair; the text in either case.
static const AttrDesc conv_attrs[] = {
    {"strides", ATTR_INTS, ATTR_HOST_ONLY, "1"},
    {"padding", ATTR_STR, ATTR_HOST_ONLY, "'VALID'"},
    {"dilations", ATTR_INTS, ATTR_HOST_ONLY, "1"},
};
#define CONVOLUTION(text, names, count, of)                                    \
    .name = (text), .params = (names), .min_inputs = (count),                  \
    .max_inputs = (count), .output_count = 1, .attrs = conv_attrs,             \
    .attr_count = 3, .infer = infer_##of, .kernel = kernel_##of,               \
    .gradient = grad_##of

// Images have channels last, as TensorFlow's default: a window's row is then
// one run of memory.
const OpDesc op_conv2d = {
    CONVOLUTION("conv2d", "x, filters, /", 2, made),
    .doc = "Images (batch, height, width, channels) under filters (height,\n"
           "width, channels, outputs): the sums of products at every place.\n"
           "padding 'SAME' puts zeros around the images; dilations leave\n"
           "gaps between the elements of the filters. Filters of fewer\n"
           "channels see a group of them each, as many in a group.",
};
// Of x the shape alone is read.
const OpDesc op_conv2d_input_grad = {
    CONVOLUTION("conv2d_input_grad", "x, filters, grad", 3, input),
    .flags = OP_INTERNAL,
    .doc = "The gradient of the images x of conv2d(x, filters), whose result\n"
           "has the gradient grad.",
};
// Of the filters the shape alone is read.
const OpDesc op_conv2d_filter_grad = {
    CONVOLUTION("conv2d_filter_grad", "x, filters, grad", 3, filter),
    .flags = OP_INTERNAL,
    .doc = "The gradient of the filters of conv2d(x, filters), whose result\n"
           "has the gradient grad.",
};
const OpDesc op_depthwise_conv2d = {
    CONVOLUTION("depthwise_conv2d", "x, filters, /", 2, made),
    .doc = "Images (batch, height, width, channels), each channel under\n"
           "filters of its own (height, width, channels, results a channel);\n"
           "otherwise as conv2d.",
};
const OpDesc op_depthwise_conv2d_input_grad = {
    CONVOLUTION("depthwise_conv2d_input_grad", "x, filters, grad", 3, input),
    .flags = OP_INTERNAL,
    .doc = "The gradient of the images x of depthwise_conv2d(x, filters),\n"
           "whose result has the gradient grad.",
};
const OpDesc op_depthwise_conv2d_filter_grad = {
    CONVOLUTION("depthwise_conv2d_filter_grad", "x, filters, grad", 3, filter),
    .flags = OP_INTERNAL,
    .doc = "The gradient of the filters of depthwise_conv2d(x, filters),\n"
           "whose result has the gradient grad.",
};
