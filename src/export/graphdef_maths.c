// Writing ops that TensorFlow has as a few of its own: logarithms and the like,
// gradients of broadcasts, texts.
#include "export/graphdef_step.h"

#include <math.h>

// log2, log10: of e, times a number.
bool form_log(Form *form)
{
    DType dtype = form_out(form).dtype;
    double e = form->node->op == OP_LOG2 ? 1 / log(2) : 1 / log(10);
    if (!step_begin(form)) {
        return false;
    }
    const char *x = step_1(form, "Log", form->inputs[0], TYPES({"T"}, {dtype}));
    return step_gives(form, 0,
                      step_2(form, "Mul", x,
                             step_number(form, "scale", dtype, e),
                             TYPES({"T"}, {dtype})));
}

// sign(x) * floor(|x|), which keeps -0, infinities and NaN.
bool form_trunc(Form *form)
{
    DType dtype = form_out(form).dtype;
    StepTypes types = TYPES({"T"}, {dtype});
    if (!dtype_is_float(dtype)) {
        return form_passed(form); // ints are whole
    }
    if (!step_begin(form)) {
        return false;
    }
    const char *x = form->inputs[0];
    const char *size =
        step_1(form, "Floor", step_1(form, "Abs", x, types), types);
    return step_gives(
        form, 0,
        step_2(form, "Mul", step_1(form, "Sign", x, types), size, types));
}

// x * (1 + erf(x / sqrt(2))) / 2.
bool form_gelu(Form *form)
{
    DType dtype = form_out(form).dtype;
    StepTypes types = TYPES({"T"}, {dtype});
    if (!step_begin(form)) {
        return false;
    }
    const char *x = form->inputs[0];
    const char *y = step_2(form, "Mul", x,
                           step_number(form, "root", dtype, sqrt(0.5)), types);
    y = step_2(form, "AddV2", step_1(form, "Erf", y, types),
               step_number(form, "one", dtype, 1), types);
    x = step_2(form, "Mul", x, step_number(form, "half", dtype, 0.5), types);
    return step_gives(form, 0, step_2(form, "Mul", x, y, types));
}

// The axes along which `like` was broadcast are summed up; those of size 1
// come back by the shape.
bool form_summed(Form *form)
{
    static const char op[] = "BroadcastGradientArgs";
    DType dtype = form_in(form, 0).dtype, like = form_in(form, 1).dtype;
    if (!step_begin(form)) {
        return false;
    }
    const char *from = step_shape(form, form->inputs[0], dtype);
    const char *to = step_shape(form, form->inputs[1], like);
    const char *name = step_open(form, op, 2, from, to);
    if (name == NULL) {
        return false;
    }
    gd_attr_type(form_text(form), "T", DT_INT32);
    if (step_close(form, name, op, 2) == NULL) {
        return false;
    }
    const char *axes = step_result(form, name, op, 2, 1);
    const char *sum = step_2(form, "Sum", form->inputs[0], axes,
                             TYPES({"T", "Tidx"}, {dtype, DT_INT32}));
    return step_gives(form, 0, step_reshape(form, sum, to, dtype));
}

// stop_gradient, and a stand-in, which is its first operand.
bool form_passed(Form *form)
{
    bool stop = form->node->op == OP_STOP_GRADIENT;
    if (!form_begin(form, stop ? "StopGradient" : "Identity")) {
        return false;
    }
    form->count = 1;
    if (!form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", form_in(form, 0).dtype);
    return form_close(form);
}

// Its results alone: a GraphDef has no gradients.
bool form_kept(Form *form)
{
    bool ok = step_begin(form);
    for (uint32_t i = 0; ok && i < form->node->output_count; i++) {
        const char *kept = step_1(form, "StopGradient", form->inputs[i],
                                  TYPES({"T"}, {form_in(form, i).dtype}));
        ok = step_gives(form, i, kept);
    }
    return ok;
}

// The end is among the numbers, as TensorFlow has it.
bool form_linspace(Form *form)
{
    const AttrValue *end = &form->node->attrs[1];
    if (end->kind == ATTR_BOOL && !end->boolean) {
        return form_refuse(form, "endpoint=False");
    }
    if (form_in(form, 0).rank != 0 || form_in(form, 1).rank != 0) {
        return form_refuse(form, "limits that are no single numbers");
    }
    if (!step_begin(form)) {
        return false;
    }
    // Of halves TensorFlow has none.
    DType made = form_out(form).dtype;
    DType out = dtype_is_half(made) ? DT_FLOAT32 : made;
    bool open = form->node->attrs[0].kind == ATTR_INPUT;
    const char *inputs[3] = {
        step_cast(form, form->inputs[0], form_in(form, 0).dtype, out),
        step_cast(form, form->inputs[1], form_in(form, 1).dtype, out),
        open ? form->inputs[2] : step_int(form, "num", form_int(form, 0, 0))};
    DType count = open ? form_in(form, 2).dtype : DT_INT32;
    const char *numbers = step_many(form, "LinSpace", inputs, 3,
                                    TYPES({"T", "Tidx"}, {out, count}));
    return step_gives(form, 0, step_cast(form, numbers, out, made));
}

// The values of a sparse row; no separator is the empty one.
bool form_text_split(Form *form)
{
    static const char op[] = "StringSplitV2";
    const AttrValue *separator = form->node->attrs;
    bool given = separator->kind == ATTR_STR;
    if (!step_begin(form)) {
        return false;
    }
    const char *at = step_text(form, "sep", given ? separator->text : "",
                               given ? separator->count : 0);
    const char *name =
        step_open(form, op, 2, step_flat(form, form->inputs[0], DT_STRING), at);
    return name != NULL && step_close(form, name, op, 2) != NULL &&
           step_gives(form, 0, step_result(form, name, op, 2, 1));
}

// QR, of singular values or of eigenvalues. TensorFlow has V upright and S in
// front; signs are any, as in every implementation.
bool form_factors(Form *form)
{
    TensorType type = form_in(form, 0);
    bool svd = form->node->op == OP_SVD, qr = form->node->op == OP_QR;
    const char *op = svd ? "Svd" : qr ? "Qr" : "SelfAdjointEigV2";
    if (svd && type.rank < 2) {
        return form_refuse(form, "an operand of unknown rank");
    }
    const char *name =
        step_begin(form) ? step_open(form, op, 1, form->inputs[0]) : NULL;
    if (name == NULL) {
        return false;
    }
    gd_attr_type(form_text(form), "T", type.dtype);
    if (!qr) {
        gd_attr_bool(form_text(form), svd ? "compute_uv" : "compute_v", true);
    }
    if (svd || qr) {
        gd_attr_bool(form_text(form), "full_matrices", false);
    }
    static const uint32_t singular[] = {1, 0, 2};
    bool ok = step_close(form, name, op, 1) != NULL;
    for (uint32_t i = 0; ok && i < form->node->output_count; i++) {
        const char *part =
            step_result(form, name, op, 1, svd ? singular[i] : i);
        ok = step_gives(
            form, i,
            svd && i == 2 ? step_swap(form, part, type, type.rank - 2) : part);
    }
    return ok;
}
