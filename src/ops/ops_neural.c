// softmax and log_softmax along one axis.
#include "kernels/threads.h"
#include "ops/grad.h"
#include "ops/infer.h"

// Nanoseconds, roughly.
static const double element_cost = 0.8;

// The type stays; floats only, since the results lie between 0 and 1.
static bool infer_softmax(InferCall *call)
{
    TensorType type = call->inputs[0];
    int axis;
    return infer_needs_float(call, type.dtype) &&
           infer_needs_rank(call, 0, 1) &&
           (type.rank == RANK_UNKNOWN ||
            infer_axis(call->ctx, call->op->name, &call->attrs[0], type.rank,
                       type.rank - 1, &axis)) &&
           infer_same(call);
}

// Rows at work.
typedef struct RowsJob {
    RowReduceFn rows;
    const char *in;
    char *out;
    size_t step; // bytes of a row
    int64_t n;   // elements of it
} RowsJob;

static void run_rows(void *data, int64_t begin, int64_t end, int thread)
{
    const RowsJob *job = data;
    (void)thread;
    job->rows(job->out + (size_t)begin * job->step,
              job->in + (size_t)begin * job->step, end - begin, job->n);
}

// The rows are dense here; `out` may be `in`.
static bool rows_of(const KernelCall *call, bool logarithm, Tensor *in,
                    Tensor *out)
{
    KernelState *state = kernel_state(call->ctx);
    if (state == NULL || in->count == 0) {
        return state != NULL;
    }
    int64_t n = tensor_dims(in)[in->rank - 1];
    RowsJob rows = {.rows = logarithm ? state->tier->log_softmax[in->dtype]
                                      : state->tier->softmax[in->dtype],
                    .in = in->data,
                    .out = out->data,
                    .step = (size_t)n * dtype_size((DType)in->dtype),
                    .n = n};
    Job job = {run_rows, &rows, in->count / n, 20 + element_cost * (double)n};
    return threads_run(call->ctx, &job);
}

// The kernels of rows want the axis last. Along another one it is the parts,
// whose loops go along the elements.
static bool softmax_along(const KernelCall *call, bool logarithm)
{
    Tensor *in = call->inputs[0];
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], in->rank,
                    in->rank - 1, &axis)) {
        return false;
    }
    return axis == in->rank - 1 ? rows_of(call, logarithm, in, call->outputs[0])
                                : emit_run_parts(call);
}

// Along one axis; the largest element is taken off first, so that nothing
// overflows.
static bool kernel_softmax(const KernelCall *call)
{
    return softmax_along(call, false);
}

// The logarithm without the division, which would lose small shares.
static bool kernel_log_softmax(const KernelCall *call)
{
    return softmax_along(call, true);
}

// The sum along the axis, which stays as 1.
static EmitValue axis_sum(GradCall *call, EmitValue x)
{
    AttrValue axis = {.kind = ATTR_INT,
                      .integer = attr_int(&call->attrs[0], -1)};
    return emit_reduce_kept(call->emit, OP_SUM, x, &axis);
}

// What the kernels compute (kernels/reduce_body.h): x less the largest of the
// row, and the sum of its powers of e.
static EmitValue lowered(const ComposeCall *call)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0];
    return emit_2(e, OP_SUBTRACT, x,
                  emit_reduce_kept(e, OP_MAX, x, &call->attrs[0]));
}

static EmitValue parts_softmax(const ComposeCall *call)
{
    Emit *e = call->emit;
    DType dtype = emit_type(e, call->inputs[0]).dtype;
    EmitValue powers = emit_1(e, OP_EXP, lowered(call), NULL);
    EmitValue sum = emit_reduce_kept(e, OP_SUM, powers, &call->attrs[0]);
    EmitValue share = emit_2(e, OP_DIVIDE, emit_number(e, dtype, 1), sum);
    return emit_2(e, OP_MULTIPLY, powers, share);
}

static EmitValue parts_log_softmax(const ComposeCall *call)
{
    Emit *e = call->emit;
    EmitValue low = lowered(call), powers = emit_1(e, OP_EXP, low, NULL);
    EmitValue sum = emit_reduce_kept(e, OP_SUM, powers, &call->attrs[0]);
    return emit_2(e, OP_SUBTRACT, low, emit_1(e, OP_LOG, sum, NULL));
}

static bool grad_softmax(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue y = call->outputs[0], g = call->output_grads[0];
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     grad_mul(e,
                              grad_sub(e, g, axis_sum(call, grad_mul(e, g, y))),
                              y));
}

static bool grad_log_softmax(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue y = call->outputs[0], g = call->output_grads[0];
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     grad_sub(e, g,
                              grad_mul(e, emit_1(e, OP_EXP, y, NULL),
                                       axis_sum(call, g))));
}

// The last axis by default, as in TensorFlow.
static const AttrDesc softmax_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "-1"},
};
// One rule and one set of attributes for both.
#define SOFTMAX(text, run, others)                                             \
    .name = (text), .params = "x, /", .min_inputs = 1, .max_inputs = 1,        \
    .output_count = 1, .attrs = softmax_attrs, .attr_count = 1,                \
    .infer = infer_softmax, .kernel = (run), .parts = (others)

const OpDesc op_softmax = {
    SOFTMAX("softmax", kernel_softmax, parts_softmax),
    .doc = "exp(x) divided by its sum along the axis, without overflow.",
    .gradient = grad_softmax,
    .graphdef = "Softmax",
};
const OpDesc op_log_softmax = {
    SOFTMAX("log_softmax", kernel_log_softmax, parts_log_softmax),
    .doc = "The logarithm of softmax along the axis.",
    .gradient = grad_log_softmax,
    .graphdef = "LogSoftmax",
};
