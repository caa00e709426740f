// Other shapes for the same elements: reshape, ensure_shape, squeeze,
// expand_dims, permute_dims, matrix_transpose, broadcast_to, shape_of.
#include <string.h>

#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/shape_cure.h"
#include "ops/tensor_move.h"

// A view of input 0 in the shape of `shape`.
// No element moves: tensors are dense, so that another shape of the same count
// is the same memory.
static bool give_view(const KernelCall *call, const Shape *shape)
{
    call->outputs[0] =
        tensor_reshaped(call->ctx, call->inputs[0], shape->rank, shape->dims);
    return call->outputs[0] != NULL;
}

// In a trace sizes may have been unknown, so that the shape that infer gave
// then is not enough; with real types and values it is exact.
bool infer_view(const KernelCall *call)
{
    TensorType types[2];
    InferCall infer = {.ctx = call->ctx, .op = call->op, .attrs = call->attrs};
    for (uint32_t i = 0; i < call->input_count && i < 2; i++) {
        types[i] = tensor_type(call->inputs[i]);
    }
    infer.inputs = types;
    infer.values = call->inputs;
    infer.input_count = call->input_count;
    return op_infer(&infer) && give_view(call, &infer.out_shapes[0]);
}

// Back to the operand's shape.
static bool grad_view(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     grad_reshape_like(call->emit, call->output_grads[0],
                                       call->inputs[0]));
}

// What reshape, squeeze and expand_dims share: other dims, same buffer.
#define VIEW(text, rule)                                                       \
    .name = (text), .params = "x, /", .min_inputs = 1, .output_count = 1,      \
    .flags = OP_METHOD | OP_VIEW, .infer = (rule), .kernel = infer_view,       \
    .gradient = grad_view

// ---- reshape

// A rank that is unknown has no product either.
// Product of the known sizes; DIM_UNKNOWN if one is unknown.
// Only the whole product helps: a part of it says nothing about the rest.
static int64_t known_count(int rank, const int64_t *dims)
{
    int64_t count = 1;
    for (int i = 0; i < rank; i++) {
        if (dims[i] == DIM_UNKNOWN) {
            return DIM_UNKNOWN;
        }
        count = infer_times(count, dims[i]);
    }
    return rank == RANK_UNKNOWN ? DIM_UNKNOWN : count;
}

// The request is shown as it was written, with -1 as None.
static bool reshape_error(InferCall *call, TensorType from, const Shape *to)
{
    StrBuf cure;
    strbuf_init(&cure, call->ctx);
    int64_t count = known_count(from.rank, from.dims);
    if (count != DIM_UNKNOWN) {
        shape_cure_reshape(&cure, count, to);
    }
    return infer_shape_cured(call, &cure,
                             "a tensor of shape %s cannot become %s", from,
                             (TensorType){from.dtype, to->rank, to->dims});
}

// In the request -1 stands for the size that is left; when the request itself
// is not known in a trace, unknown sizes look the same and stay unknown.
// Without an attribute value in a trace the rank may still be known, as the
// length of the shape vector.
static bool infer_reshape(InferCall *call)
{
    TensorType from = call->inputs[0];
    Shape *to = &call->out_shapes[0];
    call->out_dtypes[0] = from.dtype;
    if (!infer_ints(call, &call->attrs[0], to) || to->rank == RANK_UNKNOWN) {
        return !ctx_failed(call->ctx);
    }
    int open = -1, opens = 0;
    // Product of the sizes that are asked for, the open one aside.
    int64_t rest = 1, count = known_count(from.rank, from.dims);
    for (int i = 0; i < to->rank; i++) {
        if (to->dims[i] == DIM_UNKNOWN) {
            open = i;
            opens++;
        } else if (to->dims[i] < 0) {
            return reshape_error(call, from, to);
        } else {
            rest = infer_times(rest, to->dims[i]);
        }
    }
    // An operand without a known value has all sizes unknown: not a request
    // with several -1.
    if (opens > 1 && infer_known(call, &call->attrs[0])) {
        return ctx_fail(call->ctx, ERR_OP_VALUE,
                        "reshape: only one size can be -1");
    }
    // Nothing more can be said in a trace; the run checks.
    // With one -1 the open size stays DIM_UNKNOWN here.
    if (count == DIM_UNKNOWN || opens > 1) {
        return true;
    }
    // With a 0 among the other sizes any size would do, so -1 has no answer.
    if (opens == 1 && rest != 0 && count % rest == 0) {
        to->dims[open] = count / rest;
        return true;
    }
    if (opens > 0 || rest != count) {
        return reshape_error(call, from, to);
    }
    // Beside a size of 0 any other would do.
    return shape_count(call->ctx, to->rank, to->dims, from.dtype, &count);
}

// Of ints, or an int tensor, for sizes that are computed in the graph.
static const AttrDesc reshape_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
};
// Always a view: tensors are dense, so that row-major order is memory order.
const OpDesc op_reshape = {
    VIEW("reshape", infer_reshape),
    .max_inputs = 2,
    .doc = "The same elements in another shape; one size may be -1: what is\n"
           "left. ShapeError if the counts differ.",
    .attrs = reshape_attrs,
    .attr_count = 1,
    .graphdef = "Reshape",
};

// ---- ensure_shape

// What each knows of the shape is known of the result; what is known of
// neither the run checks, on real sizes.
static bool infer_ensure_shape(InferCall *call)
{
    TensorType from = call->inputs[0];
    Shape *out = &call->out_shapes[0], asked;
    call->out_dtypes[0] = from.dtype;
    shape_set(out, from.rank, from.dims);
    if (!attr_given(&call->attrs[0])) {
        return true;
    }
    if (!infer_ints(call, &call->attrs[0], &asked)) {
        return false;
    }
    bool fits = from.rank == RANK_UNKNOWN || from.rank == asked.rank;
    for (int i = 0; fits && i < asked.rank; i++) {
        bool known = from.rank != RANK_UNKNOWN && from.dims[i] != DIM_UNKNOWN;
        fits = asked.dims[i] >= DIM_UNKNOWN &&
               (!known || asked.dims[i] == DIM_UNKNOWN ||
                asked.dims[i] == from.dims[i]);
        out->dims[i] = known ? from.dims[i] : asked.dims[i];
    }
    out->rank = asked.rank;
    return fits || infer_shape_error2(
                       call, "a tensor of shape %s is not one of %s", from,
                       (TensorType){.rank = asked.rank, .dims = asked.dims});
}

static const AttrDesc ensure_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_ONLY, "None"},
};
const OpDesc op_ensure_shape = {
    VIEW("ensure_shape", infer_ensure_shape),
    .max_inputs = 1,
    .doc = "x itself, of whose shape more is known: None is any size, or any\n"
           "rank. ShapeError if it is another, when it runs.",
    .attrs = ensure_attrs,
    .attr_count = 1,
    .graphdef = "EnsureShape",
};

// ---- squeeze, expand_dims

// Without axes the rank depends on which sizes are 1, so that one unknown size
// makes the rank unknown.
static bool infer_squeeze(InferCall *call)
{
    TensorType type = call->inputs[0];
    Shape *out = &call->out_shapes[0];
    const AttrValue *axis = &call->attrs[0];
    // One bit an axis; SHAPE_MAX_RANK is below 32.
    uint32_t mask = 0;
    call->out_dtypes[0] = type.dtype;
    out->rank = RANK_UNKNOWN;
    // Named axes still leave a known rank when sizes are unknown; without names
    // only a static shape tells which sizes are 1.
    if (type.rank == RANK_UNKNOWN ||
        (!attr_given(axis) && !shape_is_static(type.rank, type.dims))) {
        return true;
    }
    if (attr_given(axis) &&
        !infer_axes(call->ctx, call->op->name, axis, type.rank, &mask)) {
        return false;
    }
    out->rank = 0;
    for (int i = 0; i < type.rank; i++) {
        // An axis of unknown size that is named is taken to be 1; the run
        // checks.
        bool named = mask >> i & 1;
        if (named && type.dims[i] != 1 && type.dims[i] != DIM_UNKNOWN) {
            return infer_shape_error(call, "an axis of %s is not 1", type);
        }
        if (!(named || (!attr_given(axis) && type.dims[i] == 1))) {
            out->dims[out->rank++] = type.dims[i];
        }
    }
    return true;
}

// None takes all axes of size 1, as far as they are known.
static const AttrDesc squeeze_attrs[] = {
    {"axis", ATTR_INTS, ATTR_HOST_ONLY, "None"},
};
// A named axis that is not 1 is an error, not passed over.
const OpDesc op_squeeze = {
    VIEW("squeeze", infer_squeeze),
    .max_inputs = 1,
    .doc = "x without its axes of size 1, or without those named.",
    .attrs = squeeze_attrs,
    .attr_count = 1,
    .graphdef = "Squeeze",
};

// The new axis counts in the result, so that -1 puts it last.
// It may be named from -(rank + 1) to rank.
static bool infer_expand_dims(InferCall *call)
{
    TensorType type = call->inputs[0];
    Shape *out = &call->out_shapes[0];
    int axis;
    call->out_dtypes[0] = type.dtype;
    out->rank = RANK_UNKNOWN;
    if (type.rank == RANK_UNKNOWN) {
        return true;
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], type.rank + 1,
                    0, &axis)) {
        return false;
    }
    if (type.rank == SHAPE_MAX_RANK) {
        return infer_shape_error(call, "rank too high: %s", type);
    }
    out->rank = type.rank + 1;
    for (int i = 0; i < out->rank; i++) {
        out->dims[i] = i == axis ? 1 : type.dims[i < axis ? i : i - 1];
    }
    return true;
}

// In front by default, which makes a batch of one.
static const AttrDesc expand_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
};
const OpDesc op_expand_dims = {
    VIEW("expand_dims", infer_expand_dims),
    .max_inputs = 1,
    .doc = "x with an axis of size 1 put in at `axis`.",
    .attrs = expand_attrs,
    .attr_count = 1,
    .graphdef = "ExpandDims",
};

// ---- permute_dims, matrix_transpose

// The permutation; None reverses.
// Also run by the kernel: it is cheap, and an attribute stays as it was written
// in the graph. False: raised.
static bool permutation(Ctx *ctx, const char *op, const AttrValue *attr,
                        int rank, int *axes)
{
    // One bit an axis: each must come exactly once.
    uint32_t seen = 0;
    if (attr_given(attr) && (int)attr->count != rank) {
        return ctx_fail(ctx, ERR_SHAPE,
                        "%s: %u axes given for a tensor of rank %d", op,
                        attr->count, rank);
    }
    for (int i = 0; i < rank; i++) {
        // Negative axes are fine: shape_axis resolves them.
        int64_t axis = attr_given(attr) ? attr->ints[i] : rank - 1 - i;
        if (!shape_axis(ctx, op, axis, rank, &axes[i])) {
            return false;
        }
        if (seen >> axes[i] & 1) {
            return ctx_fail(ctx, ERR_OP_VALUE, "%s: axis %d is given twice", op,
                            axes[i]);
        }
        seen |= (uint32_t)1 << axes[i];
    }
    return true;
}

// An unknown rank becomes the number of axes that are named.
static bool infer_permute(InferCall *call)
{
    TensorType type = call->inputs[0];
    Shape *out = &call->out_shapes[0];
    const AttrValue *attr = &call->attrs[0];
    int axes[SHAPE_MAX_RANK];
    call->out_dtypes[0] = type.dtype;
    out->rank = type.rank;
    if (type.rank == RANK_UNKNOWN) {
        // Nothing is said of its sizes: which axis comes from where is of no
        // use while all are unknown.
        out->rank = attr_given(attr) ? (int)attr->count : RANK_UNKNOWN;
        for (int i = 0; i < out->rank; i++) {
            out->dims[i] = DIM_UNKNOWN;
        }
        return true;
    }
    if (!permutation(call->ctx, call->op->name, attr, type.rank, axes)) {
        return false;
    }
    for (int i = 0; i < type.rank; i++) {
        out->dims[i] = type.dims[axes[i]];
    }
    return true;
}

// Axis i of the output walks with the input's stride of axis axes[i].
static bool view_permute(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                         TensorType in, TensorType out, OpView *view)
{
    int64_t own[SHAPE_MAX_RANK];
    int axes[SHAPE_MAX_RANK];
    if (!permutation(ctx, op->name, &attrs[0], in.rank, axes)) {
        return false;
    }
    tensor_dense_strides(in.rank, in.dims, own);
    view->start = 0;
    for (int i = 0; i < out.rank; i++) {
        view->steps[i] = own[axes[i]];
    }
    return true;
}

// Of an op that has a view: a copy, since tensors have no strides.
static bool kernel_view(const KernelCall *call)
{
    OpView view;
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    return call->op->view(call->ctx, call->op, call->attrs, tensor_type(in),
                          tensor_type(out), &view) &&
           tensor_gather(call->ctx, out, in, view.start, view.steps);
}

// None reverses all axes, as NumPy's transpose.
static const AttrDesc permute_attrs[] = {
    {"axes", ATTR_INTS, ATTR_HOST_ONLY, "None"},
};
// The inverse permutation; without axes it is its own.
static bool grad_permute(GradCall *call)
{
    int axes[SHAPE_MAX_RANK];
    int64_t back[SHAPE_MAX_RANK];
    AttrValue attr = call->attrs[0];
    if (!grad_asked(call, 0)) {
        return true;
    }
    if (attr_given(&attr)) {
        int rank = (int)attr.count;
        if (!permutation(call->emit->ctx, call->op->name, &attr, rank, axes)) {
            return false;
        }
        for (int i = 0; i < rank; i++) {
            back[axes[i]] = i;
        }
        attr.ints = back;
    }
    return grad_give(
        call, 0,
        emit_1(call->emit, OP_PERMUTE_DIMS, call->output_grads[0], &attr));
}

// The array API's name; TensorFlow and NumPy say transpose.
const OpDesc op_permute_dims = {
    .name = "permute_dims",
    .params = "x, /",
    .doc = "x with its axes in another order, reversed by default.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_METHOD,
    .attrs = permute_attrs,
    .attr_count = 1,
    .infer = infer_permute,
    .kernel = kernel_view,
    .view = view_permute,
    .gradient = grad_permute,
    .graphdef = "Transpose",
};

// Batch axes stay where they are.
static bool infer_matrix_transpose(InferCall *call)
{
    Shape *out = &call->out_shapes[0];
    if (!infer_needs_rank(call, 0, 2) || !infer_same(call)) {
        return false;
    }
    if (out->rank != RANK_UNKNOWN) {
        // Swapped in place: infer_same has copied x's dims.
        int64_t rows = out->dims[out->rank - 2];
        out->dims[out->rank - 2] = out->dims[out->rank - 1];
        out->dims[out->rank - 1] = rows;
    }
    return true;
}

static bool view_transpose(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                           TensorType in, TensorType out, OpView *view)
{
    int last = in.rank - 1;
    (void)ctx, (void)op, (void)attrs, (void)out;
    view->start = 0;
    tensor_dense_strides(in.rank, in.dims, view->steps);
    int64_t step = view->steps[last];
    view->steps[last] = view->steps[last - 1];
    view->steps[last - 1] = step;
    return true;
}

static bool grad_matrix_transpose(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     grad_transpose(call->emit, call->output_grads[0]));
}

// The array API's `x.mT`: batches keep their axes.
const OpDesc op_matrix_transpose = {
    .name = "matrix_transpose",
    .params = "x, /",
    .doc = "x with its last two axes swapped.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_METHOD,
    .infer = infer_matrix_transpose,
    .kernel = kernel_view,
    .view = view_transpose,
    .gradient = grad_matrix_transpose,
};

// ---- broadcast_to, shape_of

// One way only, unlike the broadcast of two operands: x may grow, the request
// may not.
static bool infer_broadcast_to(InferCall *call)
{
    TensorType from = call->inputs[0];
    Shape to;
    Shape *out = &call->out_shapes[0];
    call->out_dtypes[0] = from.dtype;
    if (!infer_ints(call, &call->attrs[0], &to)) {
        return false;
    }
    shape_set(out, to.rank, to.dims);
    bool fits = from.rank == RANK_UNKNOWN || to.rank == RANK_UNKNOWN ||
                from.rank <= to.rank;
    for (int i = 1; fits && to.rank >= 0 && i <= from.rank; i++) {
        // Axes are compared from the last one; new leading ones always fit.
        int64_t own = from.dims[from.rank - i], wanted = to.dims[to.rank - i];
        fits = own == 1 || own == wanted || own == DIM_UNKNOWN ||
               wanted == DIM_UNKNOWN;
    }
    // Too low a rank is told in the same words as a wrong size.
    return fits || infer_shape_error2(
                       call, "a tensor of shape %s does not broadcast to %s",
                       from, (TensorType){from.dtype, to.rank, to.dims});
}

// Repeated axes are read again and again.
static bool view_broadcast(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                           TensorType in, TensorType out, OpView *view)
{
    int64_t own[SHAPE_MAX_RANK];
    (void)ctx, (void)op, (void)attrs;
    tensor_dense_strides(in.rank, in.dims, own);
    view->start = 0;
    for (int i = 0; i < out.rank; i++) {
        // The axis of `in` that meets axis i, below 0 for a new leading one.
        int from = in.rank - out.rank + i;
        view->steps[i] = from < 0 || in.dims[from] == 1 ? 0 : own[from];
    }
    return true;
}

static bool grad_broadcast_to(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(
               call, 0,
               grad_sum_to(call->emit, call->output_grads[0], call->inputs[0]));
}

// Copies, where NumPy gives a view with strides of 0.
const OpDesc op_broadcast_to = {
    .name = "broadcast_to",
    .params = "x, /",
    .doc = "x repeated along axes of size 1 and new leading ones.",
    .min_inputs = 1,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_HALVES,
    .attrs = reshape_attrs,
    .attr_count = 1,
    .infer = infer_broadcast_to,
    .kernel = kernel_view,
    .view = view_broadcast,
    .gradient = grad_broadcast_to,
    .graphdef = "BroadcastTo",
};

// The length is the rank: known or not, the result is a vector.
static bool infer_shape_of(InferCall *call)
{
    int64_t rank = call->inputs[0].rank;
    return infer_output(call, 0, DT_INT32, 1, &rank);
}

// int32 as TensorFlow's Shape gives by default.
static bool kernel_shape_of(const KernelCall *call)
{
    const Tensor *in = call->inputs[0];
    for (int i = 0; i < in->rank; i++) {
        tensor_set_int(call->outputs[0], i, tensor_dims(in)[i]);
    }
    return true;
}

// What is unknown in a trace is a value at run time: this op reads it.
const OpDesc op_shape_of = {
    .name = "shape_of",
    .params = "x, /",
    .doc = "The sizes of x as an int32 vector, known when it runs.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES,
    .infer = infer_shape_of,
    .kernel = kernel_shape_of,
    .graphdef = "Shape",
};
