// softmax and log_softmax along one axis.
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

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

// Swaps the axis with the last one.
// A swap is its own inverse: the same call brings the axis back.
static Tensor *swapped(Ctx *ctx, Tensor *tensor, int axis)
{
    int axes[SHAPE_MAX_RANK];
    for (int i = 0; i < tensor->rank; i++) {
        axes[i] = i;
    }
    // Only these two change places; a rotation would need its inverse to go
    // back.
    axes[axis] = tensor->rank - 1;
    axes[tensor->rank - 1] = axis;
    return tensor_permuted(ctx, tensor, axes);
}

enum { ROWS_PIECE = 1 << 20 }; // elements between two polls

// The rows are dense here; `out` may be `in`.
static bool rows_of(const KernelCall *call, bool logarithm, Tensor *in,
                    Tensor *out)
{
    KernelState *state = kernel_state(call->ctx);
    if (state == NULL) {
        return false;
    }
    // Rows of n elements, of which the kernel takes as many as there are.
    int64_t n = tensor_dims(in)[in->rank - 1];
    const RowReduceFn *rows =
        logarithm ? state->tier->log_softmax : state->tier->softmax;
    int64_t most = ROWS_PIECE / (n + 1) + 1;
    size_t size = dtype_size((DType)in->dtype);
    // Without elements n may be 0.
    for (int64_t row = 0; in->count > 0 && row < in->count / n; row += most) {
        int64_t left = in->count / n - row;
        size_t start = (size_t)(row * n) * size;
        rows[in->dtype]((char *)out->data + start,
                        (const char *)in->data + start,
                        left < most ? left : most, n);
        if (!ctx_poll(call->ctx)) {
            return false;
        }
    }
    return true;
}

// The row kernels want the axis last. For another one a copy is moved there,
// worked on in place, and moved back: two passes more, but one kernel.
static bool softmax_along(const KernelCall *call, bool logarithm)
{
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], in->rank,
                    in->rank - 1, &axis)) {
        return false;
    }
    if (axis == in->rank - 1) {
        return rows_of(call, logarithm, in, out);
    }
    // Owned here, and so is `back`: both are released on every way out.
    // Another axis changes places with the last, and back: rows are contiguous
    // in the work itself.
    Tensor *moved = swapped(call->ctx, in, axis);
    if (moved == NULL) {
        return false;
    }
    Tensor *back = NULL;
    if (rows_of(call, logarithm, moved, moved)) {
        back = swapped(call->ctx, moved, axis);
    }
    bool ok =
        back != NULL && tensor_copy(call->ctx, out, 0, back, 0, out->count);
    object_release_null(call->ctx, back);
    object_release(call->ctx, moved);
    return ok;
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
    int64_t axis = attr_int(&call->attrs[0], -1);
    AttrValue attrs[2] = {{.kind = ATTR_INTS, .count = 1, .ints = &axis},
                          {.kind = ATTR_BOOL, .boolean = true}};
    return emit_1(call->emit, OP_SUM, x, attrs);
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
#define SOFTMAX(text, run)                                                     \
    .name = (text), .params = "x, /", .min_inputs = 1, .max_inputs = 1,        \
    .output_count = 1, .attrs = softmax_attrs, .attr_count = 1,                \
    .infer = infer_softmax, .kernel = (run)

const OpDesc op_softmax = {
    SOFTMAX("softmax", kernel_softmax),
    .doc = "exp(x) divided by its sum along the axis, without overflow.",
    .gradient = grad_softmax,
    .graphdef = "Softmax",
};
const OpDesc op_log_softmax = {
    SOFTMAX("log_softmax", kernel_log_softmax),
    .doc = "The logarithm of softmax along the axis.",
    .gradient = grad_log_softmax,
    .graphdef = "LogSoftmax",
};
