// Writing draws of random numbers, and windows over images.
#include "export/graphdef_step.h"
#include "ops/windows.h"

// --- draws

// In the places of their attributes.
enum { DRAW_SHAPE, DRAW_LOW, DRAW_HIGH };

// A draw is an effect: it keeps its place among the others. TensorFlow draws
// other numbers of the same distribution.
static const char *write_draw(Form *form, const char *op, const char **inputs,
                              uint32_t count, const char *type_key)
{
    DType out = form_out(form).dtype;
    uint32_t given = count;
    scope_after_effect(form->scope, inputs, &count);
    const char *name = form_inner(form, gd_base_name(op), op, inputs, count);
    if (name == NULL) {
        return NULL;
    }
    gd_attr_type(form_text(form), type_key, out);
    if (form->node->op != OP_RANDOM_SHUFFLE) {
        gd_attr_type(form_text(form), "T", DT_INT32);
    }
    const char *ref = step_close(form, name, op, given);
    return ref != NULL && scope_set_effect(form->scope, name) ? ref : NULL;
}

// The shape, an int32 vector.
static const char *draw_shape(Form *form)
{
    const AttrValue *shape = &form->node->attrs[DRAW_SHAPE];
    if (shape->kind == ATTR_INPUT) {
        return step_cast(form, form->inputs[0], form_in(form, 0).dtype,
                         DT_INT32);
    }
    return shape->kind == ATTR_INT
               ? form_const(form, "shape", &shape->integer, 1, 1)
               : form_const(form, "shape", shape->ints, 1, shape->count);
}

static double number(const Form *form, int attr, double otherwise)
{
    const AttrValue *value = &form->node->attrs[attr];
    return value->kind == ATTR_FLOAT ? value->number
           : value->kind == ATTR_INT ? (double)value->integer
                                     : otherwise;
}

// x * times + more.
static const char *write_line(Form *form, const char *x, double times,
                              double more)
{
    DType dtype = form_out(form).dtype;
    if (times != 1) {
        x = step_2(form, "Mul", x, step_number(form, "scale", dtype, times),
                   TYPES({"T"}, {dtype}));
    }
    return more == 0 ? x
                     : step_2(form, "AddV2", x,
                              step_number(form, "offset", dtype, more),
                              TYPES({"T"}, {dtype}));
}

bool form_uniform(Form *form)
{
    double low = number(form, DRAW_LOW, 0), high = number(form, DRAW_HIGH, 1);
    if (!step_begin(form)) {
        return false;
    }
    const char *inputs[2] = {draw_shape(form)};
    if (inputs[0] == NULL) {
        return false;
    }
    const char *x = write_draw(form, "RandomUniform", inputs, 1, "dtype");
    return step_gives(form, 0, write_line(form, x, high - low, low));
}

bool form_normal(Form *form)
{
    if (!step_begin(form)) {
        return false;
    }
    const char *inputs[2] = {draw_shape(form)};
    if (inputs[0] == NULL) {
        return false;
    }
    const char *x =
        write_draw(form, "RandomStandardNormal", inputs, 1, "dtype");
    return step_gives(form, 0,
                      write_line(form, x, number(form, DRAW_HIGH, 1),
                                 number(form, DRAW_LOW, 0)));
}

bool form_integers(Form *form)
{
    DType out = form_out(form).dtype;
    int64_t low = form_int(form, DRAW_LOW, 0);
    int64_t high = form_int(form, DRAW_HIGH, ATTR_INT_NONE);
    if ((out != DT_INT32 && out != DT_INT64) || high == ATTR_INT_NONE) {
        return form_refuse(form, "other than int32 or int64 and two limits");
    }
    if (!step_begin(form)) {
        return false;
    }
    Ctx *ctx = form->scope->writer->ctx;
    const char *inputs[4] = {draw_shape(form)};
    for (int i = 0; i < 2; i++) {
        const char *base = scope_print(form->scope, "%s/%s", form->name,
                                       i == 0 ? "minval" : "maxval");
        // Through no double: a limit beyond 2**53 stays exact.
        Tensor *limit = base != NULL
                            ? tensor_scalar_int(ctx, out, i == 0 ? low : high)
                            : NULL;
        inputs[i + 1] =
            limit != NULL ? scope_const(form->scope, base, limit) : NULL;
        object_release_null(ctx, limit);
    }
    if (inputs[0] == NULL || inputs[1] == NULL || inputs[2] == NULL) {
        return false;
    }
    return step_gives(form, 0,
                      write_draw(form, "RandomUniformInt", inputs, 3, "Tout"));
}

bool form_shuffle(Form *form)
{
    if (!step_begin(form)) {
        return false;
    }
    const char *inputs[2] = {form->inputs[0]};
    return step_gives(form, 0,
                      write_draw(form, "RandomShuffle", inputs, 1, "T"));
}

// --- windows

// One int for both axes, or two; 1 stands for batch and channels.
static void window_ints(Form *form, const char *key, const AttrValue *attr,
                        const AttrValue *otherwise, int64_t last)
{
    int64_t both[2] = {last, last};
    attr = attr->kind == ATTR_NONE && otherwise != NULL ? otherwise : attr;
    if (attr->kind == ATTR_INT) {
        both[0] = both[1] = attr->integer;
    } else if (attr->kind == ATTR_INTS) {
        both[0] = attr->ints[0];
        both[1] = attr->ints[attr->count - 1];
    }
    int64_t all[4] = {1, both[0], both[1], 1};
    gd_attr_ints(form_text(form), key, all, 4);
}

static void window_padding(Form *form, const AttrValue *padding)
{
    bool same = window_same(padding);
    gd_attr_text(form_text(form), "padding", same ? "SAME" : "VALID",
                 same ? 4 : 5);
}

static const char *convolution_op(OpCode code)
{
    switch (code) {
    case OP_CONV2D: return "Conv2D";
    case OP_CONV2D_INPUT_GRAD: return "Conv2DBackpropInput";
    case OP_CONV2D_FILTER_GRAD: return "Conv2DBackpropFilter";
    case OP_DEPTHWISE_CONV2D: return "DepthwiseConv2dNative";
    case OP_DEPTHWISE_CONV2D_INPUT_GRAD:
        return "DepthwiseConv2dNativeBackpropInput";
    default: return "DepthwiseConv2dNativeBackpropFilter";
    }
}

// Convolutions and their gradients, by their ops; for a gradient the shape of
// what it is the gradient of takes that one's place.
bool form_convolution(Form *form)
{
    const AttrValue *attrs = form->node->attrs;
    OpCode code = form->node->op;
    DType dtype = form_out(form).dtype;
    if (!form_begin(form, convolution_op(code))) {
        return false;
    }
    if (code != OP_CONV2D && code != OP_DEPTHWISE_CONV2D) {
        uint32_t of = code == OP_CONV2D_FILTER_GRAD ||
                      code == OP_DEPTHWISE_CONV2D_FILTER_GRAD;
        form->inputs[of] = step_shape(form, form->inputs[of], dtype);
        if (form->inputs[of] == NULL) {
            return false;
        }
    }
    if (!form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", dtype);
    window_ints(form, "strides", &attrs[0], NULL, 1);
    window_padding(form, &attrs[1]);
    window_ints(form, "dilations", &attrs[2], NULL, 1);
    return form_close(form);
}

// Window, strides and padding of a pool or its gradient.
static void pool_attrs(Form *form)
{
    const AttrValue *attrs = form->node->attrs;
    gd_attr_type(form_text(form), "T", form_out(form).dtype);
    window_ints(form, "ksize", &attrs[0], NULL, 2);
    window_ints(form, "strides", &attrs[1], &attrs[0], 2);
    window_padding(form, &attrs[2]);
}

// The gradients want, beside the images, their shape or what the pool gave.
bool form_pool(Form *form)
{
    OpCode code = form->node->op;
    bool plain = code == OP_MAX_POOL2D || code == OP_AVG_POOL2D;
    bool mean = code == OP_AVG_POOL2D || code == OP_AVG_POOL2D_GRAD;
    const char *op = plain  ? (mean ? "AvgPool" : "MaxPool")
                     : mean ? "AvgPoolGrad"
                            : (code == OP_MAX_POOL2D_PICK ? "MaxPoolGradGrad"
                                                          : "MaxPoolGrad");
    if (!form_begin(form, op)) {
        return false;
    }
    if (mean && !plain) {
        form->inputs[0] =
            step_shape(form, form->inputs[0], form_in(form, 0).dtype);
    } else if (!plain) {
        const char *name = step_open(form, "MaxPool", 1, form->inputs[0]);
        if (name == NULL) {
            return false;
        }
        pool_attrs(form);
        form->inputs[2] = form->inputs[1];
        form->inputs[1] = step_close(form, name, "MaxPool", 1);
        form->count = 3;
    }
    if (form->inputs[0] == NULL || (!plain && form->inputs[1] == NULL) ||
        !form_open(form)) {
        return false;
    }
    pool_attrs(form);
    return form_close(form);
}
