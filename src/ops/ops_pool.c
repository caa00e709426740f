// Pooling over images (batch, height, width, channels) and its gradients.
//
// A window gives its largest element, NaN first, or the mean of those that are
// inside of the image, taken in double. Windows are gone through by rows; the
// gradient of a largest element goes to the first of equal ones.
#include <string.h>

#include "kernels/threads.h"
#include "ops/grad.h"
#include "ops/windows.h"

// The attributes' numbers, in the order of pool_attrs.
enum { POOL_SIZE, POOL_STRIDES, POOL_PADDING };
enum { LANES = 64 }; // channels at a time
// Nanoseconds.
static const double element_cost = 0.5, longest_job = 5e6;

// ---- shapes

// Windows stand side by side unless strides are given.
static bool pool_axes(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                      const int64_t *in, WindowAxis axes[2])
{
    int64_t window[2], stride[2];
    for (int i = 0; i < 2; i++) {
        // Keras' default for both: 2 x 2.
        window[i] = window_side(&attrs[POOL_SIZE], i, 2);
        stride[i] = window_side(&attrs[POOL_STRIDES], i, window[i]);
    }
    AttrValue strides = {.kind = ATTR_INTS, .count = 2, .ints = stride};
    return window_axes(ctx, op, in, window, &strides, NULL,
                       &attrs[POOL_PADDING], axes);
}

static bool infer_pool_dims(InferCall *call, int64_t dims[4])
{
    WindowAxis axes[2];
    if (!infer_needs_float(call, call->inputs[0].dtype) ||
        !window_check(call, &call->attrs[POOL_SIZE], "the size") ||
        !window_check(call, &call->attrs[POOL_STRIDES], "strides") ||
        !window_sizes(call, call->inputs[0], dims) ||
        !pool_axes(call->ctx, call->op, call->attrs, dims + 1, axes)) {
        return false;
    }
    dims[1] = axes[0].out;
    dims[2] = axes[1].out;
    return true;
}

static bool infer_pool(InferCall *call)
{
    int64_t dims[4];
    return infer_pool_dims(call, dims) &&
           infer_output(call, 0, call->inputs[0].dtype, 4, dims);
}

// The images and the gradient of what they give.
static bool infer_pool_grad(InferCall *call)
{
    int64_t dims[4];
    return infer_equal_dtypes(call, 0) && infer_pool_dims(call, dims) &&
           infer_gradient_fits(call, call->inputs[1], dims) && infer_same(call);
}

// The images, and what to pick of in their places.
static bool infer_pool_pick(InferCall *call)
{
    TensorType x = call->inputs[0], from = call->inputs[1];
    bool known = x.rank == 4 && from.rank == 4;
    for (int i = 0; known && i < 4; i++) {
        known = x.dims[i] == from.dims[i] || x.dims[i] == DIM_UNKNOWN ||
                from.dims[i] == DIM_UNKNOWN;
    }
    return infer_equal_dtypes(call, 0) &&
           (known || x.rank == RANK_UNKNOWN || from.rank == RANK_UNKNOWN ||
            infer_shape_error2(call, "shapes differ: %s and %s", x, from)) &&
           infer_pool(call);
}

// ---- kernels

// One call at work.
typedef struct Pool2d {
    WindowAxis high, wide;
    int64_t channels;
    const void *x, *grad;
    void *out;
    // Of gradients: blocks of channels, and the windows of this job.
    int64_t blocks, from, to;
} Pool2d;

// The elements of a window that are in the image.
typedef struct Cells {
    int64_t top, bottom, left, right;
} Cells;

static void clip(const WindowAxis *axis, int64_t at, int64_t *begin,
                 int64_t *end)
{
    int64_t first = window_at(axis, at, 0);
    *begin = first < 0 ? 0 : first;
    *end = first + axis->window < axis->in ? first + axis->window : axis->in;
}

static Cells cells_of(const Pool2d *pool, int64_t place)
{
    Cells c;
    clip(&pool->high, place / pool->wide.out, &c.top, &c.bottom);
    clip(&pool->wide, place % pool->wide.out, &c.left, &c.right);
    return c;
}

#define ID_JOIN(name, suffix) name##_##suffix
#define ID_WITH(name, suffix) ID_JOIN(name, suffix)
#define ID(name) ID_WITH(name, SUFFIX)

#define ELEMENT float
#define SUFFIX f32
#include "ops/pool_type.h"
#undef ELEMENT
#undef SUFFIX
#define ELEMENT double
#define SUFFIX f64
#include "ops/pool_type.h"
#undef ELEMENT
#undef SUFFIX

// The loops of one op, by dtype.
typedef struct PoolLoops {
    void (*f32)(void *, int64_t, int64_t, int);
    void (*f64)(void *, int64_t, int64_t, int);
} PoolLoops;

// What `call` works on. False: raised.
static bool pool_start(const KernelCall *call, Pool2d *pool)
{
    const int64_t *dims = tensor_dims(call->inputs[0]);
    WindowAxis axes[2];
    if (!pool_axes(call->ctx, call->op, call->attrs, dims + 1, axes)) {
        return false;
    }
    *pool =
        (Pool2d){.high = axes[0],
                 .wide = axes[1],
                 .channels = dims[3],
                 .x = call->inputs[0]->data,
                 .grad = call->input_count > 1 ? call->inputs[1]->data : NULL,
                 .out = call->outputs[0]->data};
    return true;
}

static double window_cost(const Pool2d *pool, int64_t channels)
{
    return 20 + element_cost * (double)channels *
                    (double)(pool->high.window * pool->wide.window);
}

static bool run_pool(const KernelCall *call, PoolLoops loops)
{
    const Tensor *x = call->inputs[0];
    Pool2d pool;
    if (!pool_start(call, &pool)) {
        return false;
    }
    Job job = {.run = x->dtype == DT_FLOAT32 ? loops.f32 : loops.f64,
               .data = &pool,
               .units = tensor_dims(x)[0] * pool.high.out * pool.wide.out,
               .cost = window_cost(&pool, pool.channels)};
    return threads_run(call->ctx, &job);
}

// A job for some windows of all images, so that Ctrl-C need not wait.
static bool run_pool_grad(const KernelCall *call, PoolLoops loops)
{
    const Tensor *x = call->inputs[0];
    Pool2d pool;
    if (!pool_start(call, &pool)) {
        return false;
    }
    int64_t windows = pool.high.out * pool.wide.out;
    memset(pool.out, 0, (size_t)x->count * dtype_size((DType)x->dtype));
    pool.blocks = (pool.channels + LANES - 1) / LANES;
    Job job = {.run = x->dtype == DT_FLOAT32 ? loops.f32 : loops.f64,
               .data = &pool,
               .units = tensor_dims(x)[0] * pool.blocks};
    double one =
        window_cost(&pool, pool.channels < LANES ? pool.channels : LANES);
    double most = longest_job / (one * (double)(job.units + 1)) + 1;
    int64_t step = most < (double)windows ? (int64_t)most : windows;
    for (pool.from = 0; pool.from < windows; pool.from = pool.to) {
        int64_t left = windows - pool.from;
        pool.to = pool.from + (left < step ? left : step);
        job.cost = one * (double)(pool.to - pool.from);
        if (!threads_run(call->ctx, &job)) {
            return false;
        }
    }
    return true;
}

// Cells outside of the image do not count.
static bool kernel_max_pool2d(const KernelCall *call)
{
    return run_pool(call, (PoolLoops){run_max_f32, run_max_f64});
}

// Divided by the cells inside of the image.
static bool kernel_avg_pool2d(const KernelCall *call)
{
    return run_pool(call, (PoolLoops){run_mean_f32, run_mean_f64});
}

static bool kernel_max_pick(const KernelCall *call)
{
    return run_pool(call, (PoolLoops){run_max_pick_f32, run_max_pick_f64});
}

static bool kernel_max_grad(const KernelCall *call)
{
    return run_pool_grad(call, (PoolLoops){run_max_grad_f32, run_max_grad_f64});
}

static bool kernel_avg_grad(const KernelCall *call)
{
    return run_pool_grad(call,
                         (PoolLoops){run_mean_grad_f32, run_mean_grad_f64});
}

// ---- descriptors

static bool grad_pool(GradCall *call, OpCode back)
{
    EmitValue inputs[2] = {call->inputs[0], call->output_grads[0]};
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     call->emit->op(call->emit, back, inputs, 2, call->attrs));
}

static bool grad_max_pool(GradCall *call)
{
    return grad_pool(call, OP_MAX_POOL2D_GRAD);
}

static bool grad_avg_pool(GradCall *call)
{
    return grad_pool(call, OP_AVG_POOL2D_GRAD);
}

// Where the largest elements stand does not change: the gradient's own way back
// is linear.
static bool grad_max_pool_other(GradCall *call, OpCode other)
{
    EmitValue inputs[2] = {call->inputs[0], call->output_grads[0]};
    return !grad_asked(call, 1) ||
           grad_give(call, 1,
                     call->emit->op(call->emit, other, inputs, 2, call->attrs));
}

static bool grad_max_pool_grad(GradCall *call)
{
    return grad_max_pool_other(call, OP_MAX_POOL2D_PICK);
}

static bool grad_max_pool_pick(GradCall *call)
{
    return grad_max_pool_other(call, OP_MAX_POOL2D_GRAD);
}

// The mean of a window is linear: of the images the sizes alone count.
static bool grad_avg_pool_grad(GradCall *call)
{
    return !grad_asked(call, 1) ||
           grad_give(call, 1,
                     emit_1(call->emit, OP_AVG_POOL2D, call->output_grads[0],
                            call->attrs));
}

// `strides` None: as the size, so that windows do not overlap.
static const AttrDesc pool_attrs[] = {
    {"size", ATTR_INTS, ATTR_HOST_ONLY, "2"},
    {"strides", ATTR_INTS, ATTR_HOST_ONLY, "None"},
    {"padding", ATTR_STR, ATTR_HOST_ONLY, "'VALID'"},
};
#define POOLING(text, names, count, rule, run)                                 \
    .name = (text), .params = (names), .min_inputs = (count),                  \
    .max_inputs = (count), .output_count = 1, .attrs = pool_attrs,             \
    .attr_count = 3, .infer = (rule), .kernel = (run)

const OpDesc op_max_pool2d = {
    POOLING("max_pool2d", "x, /", 1, infer_pool, kernel_max_pool2d),
    .doc = "The largest element under each window of images (batch, height,\n"
           "width, channels); the windows stand `strides` apart, their size\n"
           "by default.",
    .gradient = grad_max_pool,
};
const OpDesc op_avg_pool2d = {
    POOLING("avg_pool2d", "x, /", 1, infer_pool, kernel_avg_pool2d),
    .doc = "The mean of the elements under each window of images (batch,\n"
           "height, width, channels), padding not counted.",
    .gradient = grad_avg_pool,
};
const OpDesc op_max_pool2d_grad = {
    POOLING("max_pool2d_grad", "x, grad", 2, infer_pool_grad, kernel_max_grad),
    .flags = OP_INTERNAL,
    .doc = "The gradient of the images x of max_pool2d(x), whose result has\n"
           "the gradient grad: it goes to the first of equal elements.",
    .gradient = grad_max_pool_grad,
};
const OpDesc op_max_pool2d_pick = {
    POOLING("max_pool2d_pick", "x, other", 2, infer_pool_pick, kernel_max_pick),
    .flags = OP_INTERNAL,
    .doc = "The elements of other, of the images' shape, that stand where\n"
           "max_pool2d(x) has its own from.",
    .gradient = grad_max_pool_pick,
};
// Of x the shape alone is read.
const OpDesc op_avg_pool2d_grad = {
    POOLING("avg_pool2d_grad", "x, grad", 2, infer_pool_grad, kernel_avg_grad),
    .flags = OP_INTERNAL,
    .doc = "The gradient of the images x of avg_pool2d(x), whose result has\n"
           "the gradient grad.",
    .gradient = grad_avg_pool_grad,
};
