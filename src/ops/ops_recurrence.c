// What a running sum becomes when it is multiplied on its way: the gradient of
// cumprod, without a quotient, and its own.
#include "ops/grad.h"
#include "ops/infer.h"

static bool infer_recurrence(InferCall *call)
{
    TensorType x = call->inputs[0];
    int axis;
    return infer_needs_float(call, x.dtype) && infer_equal_dtypes(call, 0) &&
           infer_needs_rank(call, 0, 1) &&
           (x.rank == RANK_UNKNOWN ||
            infer_axis(call->ctx, call->op->name, &call->attrs[0], x.rank, 0,
                       &axis)) &&
           infer_output(call, 0, x.dtype, x.rank, x.dims);
}

// One line of `count` elements, `step` apart.
#define RECURRENCE_CASE(id, T)                                                 \
    case id: {                                                                 \
        const T *x = (const T *)call->inputs[0]->data + start;                 \
        const T *by = (const T *)call->inputs[1]->data + start;                \
        T *y = (T *)call->outputs[0]->data + start, kept = 0;                  \
        for (int64_t i = 0; i < count; i++) {                                  \
            int64_t k = (reverse ? count - 1 - i : i) * step;                  \
            y[k] = kept;                                                       \
            kept = x[k] + by[k] * kept;                                        \
            if (!ctx_poll_at(call->ctx, (size_t)i + 1)) {                      \
                return false;                                                  \
            }                                                                  \
        }                                                                      \
        return true;                                                           \
    }

static bool run_line(const KernelCall *call, int64_t start, int64_t count,
                     int64_t step)
{
    bool reverse = attr_bool(&call->attrs[1], false);
    switch ((DType)call->inputs[0]->dtype) {
        RECURRENCE_CASE(DT_FLOAT32, float)
        RECURRENCE_CASE(DT_FLOAT64, double)
    default: return true; // float16 comes as float32; the rule refuses others
    }
}

static bool kernel_recurrence(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *by = call->inputs[1];
    const int64_t *dims = tensor_dims(x);
    int axis;
    if (!shape_equal(x->rank, dims, by->rank, tensor_dims(by))) {
        InferCall check = {.ctx = call->ctx, .op = call->op};
        return infer_shape_error2(&check, "shapes differ: %s and %s",
                                  tensor_type(x), tensor_type(by));
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x->rank, 0,
                    &axis)) {
        return false;
    }
    int64_t step = 1;
    for (int i = axis + 1; i < x->rank; i++) {
        step *= dims[i];
    }
    int64_t lines = x->count == 0 ? 0 : x->count / dims[axis];
    for (int64_t i = 0; i < lines; i++) {
        int64_t start = i / step * dims[axis] * step + i % step;
        if (!run_line(call, start, dims[axis], step) || !ctx_poll(call->ctx)) {
            return false;
        }
    }
    return true;
}

EmitValue grad_recur(Emit *emit, EmitValue x, EmitValue factor,
                     const AttrValue *attrs)
{
    EmitValue inputs[2] = {x, factor};
    return x == NULL || factor == NULL
               ? NULL
               : emit->op(emit, OP_RECURRENCE, inputs, 2, attrs);
}

// An element goes where the next ones are made of it, so its gradient runs the
// other way; a factor meets what stood before it.
static bool grad_recurrence(GradCall *call)
{
    Emit *e = call->emit;
    if (call->output_grads[0] == NULL) {
        return true;
    }
    AttrValue back[2] = {
        call->attrs[0],
        {.kind = ATTR_BOOL, .boolean = !attr_bool(&call->attrs[1], false)}};
    EmitValue g = grad_recur(e, call->output_grads[0], call->inputs[1], back);
    return (!call->wanted[0] || grad_give(call, 0, g)) &&
           (!call->wanted[1] ||
            grad_give(call, 1, grad_mul(e, g, call->outputs[0])));
}

static const AttrDesc recurrence_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
    {"reverse", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};
const OpDesc op_recurrence = {
    .name = "recurrence",
    .params = "x, factor, /",
    .doc = "y with y[0] = 0 and y[k+1] = x[k] + factor[k] * y[k] along the\n"
           "axis; from the end where `reverse`.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_MAY_FAIL,
    .attrs = recurrence_attrs,
    .attr_count = 2,
    .infer = infer_recurrence,
    .kernel = kernel_recurrence,
    .gradient = grad_recurrence,
};
