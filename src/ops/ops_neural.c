// softmax and log_softmax along one axis.
#include "kernels/emit.h"
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
    // Of long rows: machine code is faster than the loops in `rows`.
    RowReduceFn most, sum;
    const LoopKernel *less, *power, *times, *log; // log: or NULL
} RowsJob;

static void run_rows(void *data, int64_t begin, int64_t end, int thread)
{
    const RowsJob *job = data;
    (void)thread;
    job->rows(job->out + (size_t)begin * job->step,
              job->in + (size_t)begin * job->step, end - begin, job->n);
}

// From where on that is so; the loops of float64 are no vectors.
enum { LONG_ROW = 512, LONG_ROW_64 = 32 };

// 1 / *number, in its place.
static void invert(size_t size, void *number)
{
    if (size == sizeof(float)) {
        *(float *)number = 1 / *(float *)number;
    } else {
        *(double *)number = 1 / *(double *)number;
    }
}

// A row as the kernel of rows has it, by the kernels of single ops. The powers
// of a block stay in the nearest cache.
static void run_long_row(const RowsJob *job, char *x, char *y)
{
    size_t size = job->step / (size_t)job->n;
    double most, number; // or floats
    char *high = (char *)&most, *one = (char *)&number;
    job->most(high, x, 1, job->n);
    for (int64_t at = 0; at < job->n; at += REDUCE_BLOCK) {
        int64_t left = job->n - at;
        int64_t n = left < REDUCE_BLOCK ? left : REDUCE_BLOCK;
        char *from = x + (size_t)at * size, *to = y + (size_t)at * size;
        (void)kernel_run(job->less, (char *[]){from, high, to}, n);
        (void)kernel_run(job->power, (char *[]){to, to}, n);
    }
    job->sum(one, y, 1, job->n);
    if (job->log == NULL) {
        invert(size, one);
        (void)kernel_run(job->times, (char *[]){y, one, y}, job->n);
        return;
    }
    (void)kernel_run(job->log, (char *[]){one, one}, 1);
    for (int64_t at = 0; at < job->n; at += REDUCE_BLOCK) {
        int64_t left = job->n - at;
        int64_t n = left < REDUCE_BLOCK ? left : REDUCE_BLOCK;
        char *from = x + (size_t)at * size, *to = y + (size_t)at * size;
        (void)kernel_run(job->less, (char *[]){from, high, to}, n);
        (void)kernel_run(job->less, (char *[]){to, one, to}, n);
    }
}

static void run_long_rows(void *data, int64_t begin, int64_t end, int thread)
{
    const RowsJob *job = data;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        size_t at = (size_t)r * job->step;
        run_long_row(job, (char *)job->in + at, job->out + at);
    }
}

static bool set_kernels(Ctx *ctx, RowsJob *rows, DType dtype, bool logarithm)
{
    const Tier *tier = ctx->kernels->tier;
    rows->most = tier->row_reduce[REDUCE_MAX][dtype];
    rows->sum = tier->row_reduce[REDUCE_SUM][dtype];
    rows->less = op_kernel(ctx, OP_SUBTRACT, dtype, dtype, NULL, 2);
    rows->power = op_kernel(ctx, OP_EXP, dtype, dtype, NULL, 0);
    rows->times = op_kernel(ctx, OP_MULTIPLY, dtype, dtype, NULL, 2);
    rows->log =
        logarithm ? op_kernel(ctx, OP_LOG, dtype, dtype, NULL, 0) : NULL;
    return rows->less != NULL && rows->power != NULL && rows->times != NULL &&
           (!logarithm || rows->log != NULL);
}

// The rows are dense here.
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
    bool apart = n >= (in->dtype == DT_FLOAT64 ? LONG_ROW_64 : LONG_ROW);
    if (apart && !set_kernels(call->ctx, &rows, (DType)in->dtype, logarithm)) {
        return false;
    }
    Job job = {apart ? run_long_rows : run_rows, &rows, in->count / n,
               20 + element_cost * (double)n};
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
