// where, clip and cast: elementwise, with operands or attributes of their own.
#include "kernels/loop_math.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/strings.h"

static LoopValue body_where(LoopBuild *build, const LoopValue *x,
                            const AttrValue *attrs)
{
    (void)attrs;
    return loop_select(build, x[0], x[1], x[2]);
}

GRAD_SLOPE(left_where, grad_if(e, x[0], g))
GRAD_SLOPE(right_where, grad_unless(e, x[0], g))
static bool grad_where(GradCall *call)
{
    return grad_elementwise(call,
                            (const SlopeFn[]){NULL, left_where, right_where});
}

// Both branches are values, computed in full: a choice between them guards no
// division by zero. For that there is `if`.
const OpDesc op_where = {
    .name = "where",
    .params = "condition, x1, x2, /",
    .doc = "x1 where the bool condition is True, else x2.\n"
           "All three broadcast; x1 and x2 have one dtype.",
    .min_inputs = 3,
    .max_inputs = 3,
    .apart = 1 << 0,
    .output_count = 1,
    .flags = OP_ELEMENTWISE,
    .infer = infer_elementwise,
    .kernel = kernel_string_where,
    .takes = TAKES_ALL,
    .body = body_where,
    .result = RESULT_SAME,
    .gradient = grad_where,
    .graphdef = "SelectV2",
};

static LoopValue body_clip(LoopBuild *build, const LoopValue *x,
                           const AttrValue *attrs)
{
    (void)attrs;
    LoopValue y = loop_select(build, loop_lt(build, x[0], x[1]), x[1], x[0]);
    y = loop_select(build, loop_lt(build, x[2], y), x[2], y);
    return loop_select(build, loop_ne(build, x[0], x[0]), x[0], y);
}

// A bound has the gradient of what lies beyond it, not on it.
GRAD_SLOPE(low_clip, grad_if(e, emit_2(e, OP_LESS, x[0], x[1]), g))
GRAD_SLOPE(high_clip, grad_if(e, emit_2(e, OP_GREATER, x[0], x[2]), g))
GRAD_SLOPE(inner_clip,
           grad_unless(e, emit_2(e, OP_LESS, x[0], x[1]),
                       grad_unless(e, emit_2(e, OP_GREATER, x[0], x[2]), g)))
static bool grad_clip(GradCall *call)
{
    return grad_elementwise(call,
                            (const SlopeFn[]){inner_clip, low_clip, high_clip});
}

// One op, not a minimum of a maximum: it is a single loop.
const OpDesc op_clip = {
    .name = "clip",
    .params = "x, min, max, /",
    .doc = "x held between min and max; NaN stays NaN.\n"
           "Shapes broadcast; dtypes must be equal.",
    .min_inputs = 3,
    .max_inputs = 3,
    .output_count = 1,
    .flags = OP_ELEMENTWISE | OP_METHOD,
    .infer = infer_elementwise,
    .takes = TAKES_NUMERIC,
    .body = body_clip,
    .result = RESULT_SAME,
    .gradient = grad_clip,
    .graphdef = "ClipByValue",
};

// Text and numbers do not convert by cast, as in TensorFlow: a failure would
// depend on the values, and there are ops in `strings` for it.
static bool infer_cast(InferCall *call)
{
    DType from = call->inputs[0].dtype, to = call->attrs[0].dtype;
    if ((from == DT_STRING) != (to == DT_STRING)) {
        return ctx_fail(call->ctx, ERR_DTYPE,
                        "cast: %s does not convert to %s%s", dtype_name(from),
                        dtype_name(to),
                        from == DT_STRING ? "; see strings.to_number" : "");
    }
    return infer_elementwise(call);
}

// Strings to strings: the same elements.
static bool kernel_cast_strings(const KernelCall *call)
{
    Tensor *from = call->inputs[0];
    for (int64_t i = 0; i < from->count; i++) {
        tensor_share_string(call->ctx, call->outputs[0], i,
                            ((TensorString **)from->data)[i]);
    }
    return true;
}

// A float that an int of 8 or 16 bits cannot hold gives the lowest value, as
// the conversion to 32 bits does by itself.
static LoopValue within(LoopBuild *build, LoopValue x, LoopValue whole,
                        double low, double high, double lowest)
{
    LoopValue fits =
        loop_and(build, loop_lt(build, loop_like(build, x, low), x),
                 loop_lt(build, x, loop_like(build, x, high)));
    return loop_select(build, fits, whole, loop_like(build, whole, lowest));
}

static LoopValue body_cast(LoopBuild *build, const LoopValue *x,
                           const AttrValue *attrs)
{
    DType to = attrs[0].dtype;
    LoopValue y = loop_convert(build, x[0], loop_type_of((Elem)to));
    if (!loop_is_float(loop_type(build, x[0]))) {
        return y;
    }
    switch (to) {
    case DT_UINT8: return within(build, x[0], y, -1, 256, 0);
    case DT_INT8: return within(build, x[0], y, -129, 128, -128);
    case DT_INT16: return within(build, x[0], y, -32769, 32768, -32768);
    default: return y;
    }
}

static bool grad_cast(GradCall *call)
{
    DType from = emit_type(call->emit, call->inputs[0]).dtype;
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     emit_cast(call->emit, call->output_grads[0], from));
}

// The host names the dtype: a trace must know it.
static const AttrDesc cast_attrs[] = {
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, NULL},
};
// Not OP_METHOD: tensors have `astype` for it.
const OpDesc op_cast = {
    .name = "cast",
    .params = "x, /",
    .doc = "x with its elements converted to another dtype.\n"
           "Floats lose their fraction on the way to ints; NaN and what is\n"
           "out of range give the lowest int. Ints wrap. Everything but 0 is\n"
           "True.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_ELEMENTWISE,
    .attrs = cast_attrs,
    .attr_count = 1,
    .infer = infer_cast,
    .kernel = kernel_cast_strings,
    .takes = TAKES_ALL,
    .body = body_cast,
    .result = RESULT_CAST,
    .gradient = grad_cast,
    .graphdef = "Cast",
};
