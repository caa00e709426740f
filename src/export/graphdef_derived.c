// Writing ops that TensorFlow computes from others of its own: moments,
// logarithms of sums, lengths and signs of two operands, the unit matrix of
// computed sizes.
#include "export/graphdef_step.h"

#include <math.h>

#include "ops/infer.h"

// A reduction that keeps its axes or not.
static const char *reduced(Form *form, const char *op, const char *x,
                           const char *axes, bool keep)
{
    DType dtype = form_out(form).dtype;
    const char *name = step_open(form, op, 2, x, axes);
    if (name == NULL) {
        return NULL;
    }
    gd_attr_type(form_text(form), "T", dtype);
    gd_attr_type(form_text(form), "Tidx", DT_INT32);
    gd_attr_bool(form_text(form), "keep_dims", keep);
    return step_close(form, name, op, 2);
}

// The sum of squared distances from the mean, over their count less
// `correction`.
bool form_variance(Form *form)
{
    DType dtype = form_out(form).dtype;
    const AttrValue *correction = &form->node->attrs[2];
    StepTypes types = TYPES({"T"}, {dtype});
    bool keep = form_bool(form, 1);
    const char *axes = step_begin(form) ? form_axes(form) : NULL;
    if (axes == NULL) {
        return false;
    }
    const char *x = form->inputs[0];
    const char *far = step_2(form, "SquaredDifference", x,
                             reduced(form, "Mean", x, axes, true), types);
    const char *result = reduced(form, "Mean", far, axes, keep);
    if (attr_given(correction) && correction->number != 0) {
        // The count is the sum of as many ones.
        const char *count = reduced(
            form, "Sum", step_1(form, "OnesLike", x, types), axes, keep);
        const char *less =
            step_number(form, "correction", dtype, correction->number);
        result = step_2(form, "RealDiv", reduced(form, "Sum", far, axes, keep),
                        step_2(form, "Sub", count, less, types), types);
    }
    return step_gives(form, 0,
                      form->node->op == OP_STD
                          ? step_1(form, "Sqrt", result, types)
                          : result);
}

// The largest number is taken out of the exponents, where it is finite.
bool form_logsumexp(Form *form)
{
    DType dtype = form_out(form).dtype;
    StepTypes types = TYPES({"T"}, {dtype});
    bool keep = form_bool(form, 1);
    const char *axes = step_begin(form) ? form_axes(form) : NULL;
    if (axes == NULL) {
        return false;
    }
    const char *x = form->inputs[0];
    const char *top = reduced(form, "Max", x, axes, true);
    const char *inputs[3] = {step_1(form, "IsFinite", top, types), top,
                             step_1(form, "ZerosLike", top, types)};
    top = step_many(form, "SelectV2", inputs, 3, types);
    const char *powers =
        step_1(form, "Exp", step_2(form, "Sub", x, top, types), types);
    const char *sum = reduced(form, "Sum", powers, axes, keep);
    // Over the same axes, each of one element now, so that they go.
    const char *added = keep ? top : reduced(form, "Sum", top, axes, false);
    return step_gives(
        form, 0,
        step_2(form, "AddV2", step_1(form, "Log", sum, types), added, types));
}

// max + log(1 + e ** -|x - y|), and of equal ones, which may be infinite, x +
// log(2).
bool form_logaddexp(Form *form)
{
    DType dtype = form_out(form).dtype;
    StepTypes types = TYPES({"T"}, {dtype});
    if (!step_begin(form)) {
        return false;
    }
    const char *x = form->inputs[0], *y = form->inputs[1];
    const char *gap =
        step_1(form, "Abs", step_2(form, "Sub", x, y, types), types);
    const char *rest = step_1(
        form, "Log1p",
        step_1(form, "Exp", step_1(form, "Neg", gap, types), types), types);
    const char *inputs[3] = {
        step_2(form, "Equal", x, y, types),
        step_2(form, "AddV2", x, step_number(form, "log_2", dtype, log(2)),
               types),
        step_2(form, "AddV2", step_2(form, "Maximum", x, y, types), rest,
               types)};
    return step_gives(form, 0, step_many(form, "SelectV2", inputs, 3, types));
}

// The larger size times sqrt(1 + ratio ** 2), which does not overflow; infinite
// if one of them is, whatever the other.
bool form_hypot(Form *form)
{
    DType dtype = form_out(form).dtype;
    StepTypes types = TYPES({"T"}, {dtype});
    if (!step_begin(form)) {
        return false;
    }
    const char *x = step_1(form, "Abs", form->inputs[0], types);
    const char *y = step_1(form, "Abs", form->inputs[1], types);
    const char *large = step_2(form, "Maximum", x, y, types);
    const char *ratio = step_2(
        form, "DivNoNan", step_2(form, "Minimum", x, y, types), large, types);
    const char *grown =
        step_2(form, "AddV2", step_1(form, "Square", ratio, types),
               step_number(form, "one", dtype, 1), types);
    const char *infinite =
        step_2(form, "LogicalOr", step_1(form, "IsInf", x, types),
               step_1(form, "IsInf", y, types), TYPES({NULL}, {DT_NONE}));
    const char *inputs[3] = {
        infinite, step_number(form, "infinity", dtype, INFINITY),
        step_2(form, "Mul", large, step_1(form, "Sqrt", grown, types), types)};
    return step_gives(form, 0, step_many(form, "SelectV2", inputs, 3, types));
}

// The sign is the first bit.
static const char *sign_bit(Form *form, const char *x, DType dtype)
{
    DType bits = dtype_size(dtype) == 8   ? DT_INT64
                 : dtype_size(dtype) == 4 ? DT_INT32
                                          : DT_INT16;
    x = step_1(form, "Bitcast", x, TYPES({"T", "type"}, {dtype, bits}));
    return step_2(form, "Less", x, step_number(form, "zero", bits, 0),
                  TYPES({"T"}, {bits}));
}

bool form_signbit(Form *form)
{
    return step_begin(form) &&
           step_gives(form, 0,
                      sign_bit(form, form->inputs[0], form_in(form, 0).dtype));
}

bool form_copysign(Form *form)
{
    DType dtype = form_out(form).dtype;
    StepTypes types = TYPES({"T"}, {dtype});
    if (!step_begin(form)) {
        return false;
    }
    const char *size = step_1(form, "Abs", form->inputs[0], types);
    const char *inputs[3] = {sign_bit(form, form->inputs[1], dtype),
                             step_1(form, "Neg", size, types), size};
    return step_gives(form, 0, step_many(form, "SelectV2", inputs, 3, types));
}

// 0, 1, 2, … along an axis of its own.
static const char *counted(Form *form, uint32_t size, int64_t start,
                           int64_t axis)
{
    const AttrValue *attr = &form->node->attrs[size];
    const char *count =
        attr->kind == ATTR_INPUT
            ? step_cast(form, form->inputs[attr->integer],
                        form_in(form, attr->integer).dtype, DT_INT32)
            : step_int(form, "size", attr->integer);
    const char *first = step_int(form, "start", start);
    const char *inputs[3] = {
        first, step_2(form, "AddV2", first, count, TYPES({"T"}, {DT_INT32})),
        step_int(form, "delta", 1)};
    const char *numbers =
        step_many(form, "Range", inputs, 3, TYPES({"Tidx"}, {DT_INT32}));
    return step_2(form, "ExpandDims", numbers, step_int(form, "dim", axis),
                  TYPES({"T", "Tdim"}, {DT_INT32, DT_INT32}));
}

// What needs no operand is computed here and written as a constant.
static bool write_computed(Form *form)
{
    NodeScope *scope = form->scope;
    Ctx *ctx = scope->writer->ctx;
    Tensor *result = NULL;
    uint32_t count;
    // By the op's own kernel, so that the constant is bit for bit what a run
    // gives.
    if (!op_run(ctx, form->node->op, NULL, 0, form->node->attrs, &result,
                &count)) {
        return false;
    }
    const char *ref = scope_const(scope, op_desc(form->node->op)->name, result);
    scope->refs[form->node->first_output] = ref;
    object_release(ctx, result);
    return ref != NULL;
}

// Ones where the row and k are the column.
bool form_eye(Form *form)
{
    if (form->node->input_count == 0) {
        return write_computed(form);
    }
    uint32_t columns = attr_given(&form->node->attrs[1]) ? 1 : 0;
    if (!step_begin(form)) {
        return false;
    }
    const char *on =
        step_2(form, "Equal", counted(form, 0, form_int(form, 2, 0), 1),
               counted(form, columns, 0, 0), TYPES({"T"}, {DT_INT32}));
    return step_gives(form, 0,
                      step_cast(form, on, DT_BOOL, form_out(form).dtype));
}

bool form_full_like(Form *form)
{
    DType from = form_in(form, 0).dtype, to = form_out(form).dtype;
    if (!step_begin(form)) {
        return false;
    }
    const char *value =
        step_cast(form, form->inputs[1], form_in(form, 1).dtype, to);
    return step_gives(form, 0,
                      step_2(form, "Fill",
                             step_shape(form, form->inputs[0], from), value,
                             TYPES({"T", "index_type"}, {to, DT_INT32})));
}
