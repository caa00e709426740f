// arange and linspace.
#include <math.h>

#include "ops/grad.h"
#include "ops/infer.h"

// How many steps of operand 2 lead from operand 0 up to operand 1, without it;
// -1: not known, -2: raised.
// The rule's answer and the kernel's size are the same number, since op_run
// infers with all values known.
static int64_t range_count(const InferCall *call)
{
    if (call->values == NULL) {
        return DIM_UNKNOWN;
    }
    Tensor *const *v = call->values;
    // One unknown bound is enough to leave the count open.
    if (v[0] == NULL || v[1] == NULL || v[2] == NULL) {
        return DIM_UNKNOWN;
    }
    if (tensor_float_at(v[2], 0) == 0) {
        ctx_fail(call->ctx, ERR_OP_VALUE, "arange: the step must not be 0");
        return -2;
    }
    if (dtype_is_float(call->inputs[0].dtype)) {
        double span = tensor_float_at(v[1], 0) - tensor_float_at(v[0], 0);
        // NumPy's formula, its pitfall with it: rounding may add an element.
        double count = ceil(span / tensor_float_at(v[2], 0));
        return count >= 0x1p62 ? INT64_MAX : count > 0 ? (int64_t)count : 0;
    }
    int64_t start = tensor_int_at(v[0], 0), stop = tensor_int_at(v[1], 0);
    int64_t step = tensor_int_at(v[2], 0);
    // A step that leads away from stop gives no elements, as in Python.
    bool up = step > 0;
    if (up ? start >= stop : start <= stop) {
        return 0;
    }
    // Unsigned, since the distance between two int64 may not fit one.
    uint64_t span = up ? (uint64_t)stop - (uint64_t)start
                       : (uint64_t)start - (uint64_t)stop;
    uint64_t size = up ? (uint64_t)step : 0 - (uint64_t)step;
    uint64_t count = (span - 1) / size + 1;
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

// The count is known only where all three values are.
static bool infer_arange(InferCall *call)
{
    DType dtype = call->inputs[0].dtype;
    if (!infer_equal_dtypes(call, 0)) {
        return false;
    }
    if (dtype == DT_BOOL || dtype == DT_STRING) {
        return infer_dtype_refused(call, dtype);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (call->inputs[i].rank > 0) {
            return infer_shape_error(call, "bounds are single numbers, not %s",
                                     call->inputs[i]);
        }
    }
    int64_t count = range_count(call);
    return count != -2 && infer_output(call, 0, dtype, 1, &count);
}

// start + i * step for each element, as NumPy: adding step again and again
// would let rounding errors grow. Ints go by unsigned arithmetic, in which the
// last product may wrap without harm.
static bool kernel_arange(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    const Tensor *start = call->inputs[0], *step = call->inputs[2];
    bool is_float = dtype_is_float((DType)out->dtype);
    for (int64_t i = 0; i < out->count; i++) {
        if (is_float) {
            tensor_set_float(out, i,
                             tensor_float_at(start, 0) +
                                 (double)i * tensor_float_at(step, 0));
        } else {
            uint64_t far = (uint64_t)i * (uint64_t)tensor_int_at(step, 0);
            tensor_set_int(out, i,
                           (int64_t)((uint64_t)tensor_int_at(start, 0) + far));
        }
        if (!ctx_poll_at(call->ctx, (size_t)i + 1)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

// Three operands always: the prompt fills in start and step.
const OpDesc op_arange = {
    .name = "arange",
    .params = "start, stop, step, /",
    .doc = "Numbers from start up to stop, without it, step apart.\n"
           "Three single numbers of one dtype; OpValueError if step is 0.",
    .min_inputs = 3,
    .max_inputs = 3,
    .output_count = 1,
    .infer = infer_arange,
    .kernel = kernel_arange,
    .flags = OP_MAY_FAIL | OP_NO_FUNCTION, // see tensor_functions.c
    .gradient = grad_none,
    .graphdef = "Range",
};

// What TensorFlow asks of the bounds of its ranges, in its words.
static bool check_bounds(const InferCall *call)
{
    Tensor *const *v = call->values;
    if (v == NULL || v[0] == NULL || v[1] == NULL || v[2] == NULL) {
        return true;
    }
    double start = tensor_float_at(v[0], 0), limit = tensor_float_at(v[1], 0);
    double delta = tensor_float_at(v[2], 0);
    if (delta == 0) {
        return ctx_fail(call->ctx, ERR_OP_VALUE, "Requires delta != 0: 0");
    }
    return (delta > 0 ? start <= limit : start >= limit) ||
           ctx_fail(call->ctx, ERR_OP_VALUE,
                    "Requires start %s limit when delta %s 0: %.*g/%.*g",
                    delta > 0 ? "<=" : ">=", delta > 0 ? ">" : "<", 17, start,
                    17, limit);
}

static bool infer_arange_within(InferCall *call)
{
    return check_bounds(call) && infer_arange(call);
}

const OpDesc op_arange_within = {
    .name = "arange_within",
    .params = "start, stop, step, /",
    .doc = "As arange; OpValueError if the stop is on the wrong side.",
    .min_inputs = 3,
    .max_inputs = 3,
    .output_count = 1,
    .infer = infer_arange_within,
    .kernel = kernel_arange,
    .flags = OP_MAY_FAIL | OP_INTERNAL,
    .gradient = grad_none,
    .graphdef = "Range",
};

// Floats only: evenly spaced ints would have to round.
static bool infer_linspace(InferCall *call)
{
    int64_t count;
    if (!infer_equal_dtypes(call, 0) ||
        !infer_needs_float(call, call->inputs[0].dtype) ||
        !infer_size(call, &call->attrs[0], ERR_OP_VALUE, "count", &count)) {
        return false;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (call->inputs[i].rank > 0) {
            return infer_shape_error(call, "bounds are single numbers, not %s",
                                     call->inputs[i]);
        }
    }
    return infer_output(call, 0, call->inputs[0].dtype, 1, &count);
}

// With the end included the last element is `stop` itself: computed, it could
// miss by a rounding. A single element is `start`, and nothing is divided by
// `parts`, which is 0 then.
static bool kernel_linspace(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    double start = tensor_float_at(call->inputs[0], 0);
    double stop = tensor_float_at(call->inputs[1], 0);
    // Without the end the stop itself is the first number left out.
    bool with_end = attr_bool(&call->attrs[1], true);
    double parts = (double)(with_end ? out->count - 1 : out->count);
    for (int64_t i = 0; i < out->count; i++) {
        bool last = with_end && i > 0 && i == out->count - 1;
        double part = i == 0 ? 0 : (stop - start) * (double)i / parts;
        tensor_set_float(out, i, last ? stop : start + part);
        if (!ctx_poll_at(call->ctx, (size_t)i + 1)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

static const AttrDesc linspace_attrs[] = {
    {"num", ATTR_INT, ATTR_HOST_OR_TENSOR, NULL},
    {"endpoint", ATTR_BOOL, ATTR_HOST_ONLY, "True"},
};
// Each number is start + t * (stop - start).
static bool grad_linspace(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue g = call->output_grads[0];
    DType dtype = emit_type(e, call->inputs[0]).dtype;
    EmitValue ends[3] = {emit_number(e, dtype, 0), emit_number(e, dtype, 1)};
    AttrValue whole[2] = {{.kind = ATTR_NONE}, {.kind = ATTR_NONE}};
    if (ends[0] == NULL || ends[1] == NULL) {
        return false;
    }
    if (call->input_count > 2) {
        ends[2] = call->inputs[2];
    }
    EmitValue t = e->op(e, OP_LINSPACE, ends, call->input_count, call->attrs);
    for (uint32_t i = 0; i < 2; i++) {
        EmitValue share = i == 1 ? t : grad_minus(e, 1, t);
        if (grad_asked(call, i) &&
            !grad_give(call, i,
                       grad_reshape_like(
                           e, emit_1(e, OP_SUM, grad_mul(e, g, share), whole),
                           call->inputs[i]))) {
            return false;
        }
    }
    return true;
}

// No graphdef name: the number of elements is an attribute here, an operand in
// TensorFlow.
const OpDesc op_linspace = {
    .name = "linspace",
    .params = "start, stop, /",
    .doc = "`num` floats from start to stop, evenly apart, stop included\n"
           "unless endpoint is False.",
    .min_inputs = 2,
    .max_inputs = 3,
    .apart = 1 << 2,
    .output_count = 1,
    .flags = OP_NO_FUNCTION, // see tensor_functions.c
    .attrs = linspace_attrs,
    .attr_count = 2,
    .infer = infer_linspace,
    .kernel = kernel_linspace,
    .gradient = grad_linspace,
};
