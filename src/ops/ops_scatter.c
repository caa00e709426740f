// Reading and writing at index tuples: gather_nd, scatter_update, scatter_add,
// scatter_min, scatter_max, take_along_axis.
//
// The last axis of `indices` holds one index for each of x's first axes; what
// stands there is an element, or a slice along the axes that are left.
#include <inttypes.h>
#include <string.h>

#include "ops/elementwise.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

// How many of x's axes an index tuple names; -1 where that is not known.
// A size of 0 is allowed: the empty tuple names all of x.
static int tuple_size(const InferCall *call)
{
    TensorType indices = call->inputs[1];
    return indices.rank < 1 || indices.dims[indices.rank - 1] == DIM_UNKNOWN
               ? -1
               : (int)indices.dims[indices.rank - 1];
}

// The shape of what the tuples name: indices.shape[:-1] + x.shape[size:].
// False: raised, or (out->rank unknown) open in a trace.
// gather_nd gives this shape and scatter asks it of its updates; the dtype of x
// plays no part in it.
static bool named_shape(InferCall *call, Shape *out)
{
    TensorType x = call->inputs[0], indices = call->inputs[1];
    int size = tuple_size(call);
    out->rank = RANK_UNKNOWN;
    if (!infer_needs_integer(call, 1) || !infer_needs_rank(call, 1, 1)) {
        return false;
    }
    if (x.rank == RANK_UNKNOWN || size < 0) {
        return true;
    }
    // A tuple cannot name more axes than there are.
    if (size > x.rank || indices.rank - 1 + x.rank - size > SHAPE_MAX_RANK) {
        return infer_shape_error2(
            call, "indices of shape %s do not fit a tensor of shape %s",
            indices, x);
    }
    shape_set(out, indices.rank - 1, indices.dims);
    for (int i = size; i < x.rank; i++) {
        out->dims[out->rank++] = x.dims[i];
    }
    return true;
}

// The rule is shared with scatter, which writes where this reads.
// The dtype is x's, strings among them: nothing is computed.
static bool infer_gather_nd(InferCall *call)
{
    call->out_dtypes[0] = call->inputs[0].dtype;
    return named_shape(call, &call->out_shapes[0]);
}

// The slices that x falls into, and one after the other where tuples point.
// Lives through one kernel call; borrows both tensors' dims.
typedef struct Tuples {
    const Tensor *indices;
    const int64_t *dims; // of x
    int64_t size;        // axes that a tuple names
    int64_t count;       // tuples
    int64_t width;       // elements of a slice
} Tuples;

// Called on real tensors only: infer has seen that the sizes fit.
static Tuples tuples_of(const Tensor *x, const Tensor *indices)
{
    Tuples t = {.indices = indices, .dims = tensor_dims(x), .width = 1};
    t.size = tensor_dims(indices)[indices->rank - 1];
    t.count = 1;
    for (int i = 0; i + 1 < indices->rank; i++) {
        t.count *= tensor_dims(indices)[i];
    }
    for (int i = (int)t.size; i < x->rank; i++) {
        t.width *= t.dims[i];
    }
    return t;
}

// The slice that tuple `number` names, read index by index; -1 with
// "indices[3] = (5, 0) does not index into shape (2, 3)".
// Slices are counted in row-major order of x's first axes; times `width` that
// is the place of its first element.
static int64_t read_tuple(Ctx *ctx, const OpDesc *op, const Tensor *x,
                          const Tuples *t, int64_t number)
{
    // All of the tuple is read, even past a bad index, for the message.
    int64_t slice = 0, tuple[SHAPE_MAX_RANK];
    // Once a tuple is outside, `slice` means nothing any more.
    bool inside = true;
    for (int64_t k = 0; k < t->size; k++) {
        tuple[k] = tensor_int_at(t->indices, number * t->size + k);
        // Below 0 is refused, as in TensorFlow's GatherNd.
        inside &= tuple[k] >= 0 && tuple[k] < t->dims[k];
        slice = inside ? slice * t->dims[k] + tuple[k] : 0;
    }
    if (inside) {
        return slice;
    }
    StrBuf text;
    // The text is made only on the way to an error; where memory runs out for
    // it, that is the error that stands.
    strbuf_init(&text, ctx);
    strbuf_printf(&text, "%s: indices[%" PRId64 "] = ", op->name, number);
    AttrValue shown = {
        .kind = ATTR_INTS, .count = (uint32_t)t->size, .ints = tuple};
    attr_print(&text, &shown);
    strbuf_puts(&text, " does not index into shape ");
    shape_print(&text, x->rank, tensor_dims(x));
    if (strbuf_ok(&text)) {
        ctx_fail(ctx, ERR_OP_INDEX, "%s", strbuf_text(&text));
    }
    strbuf_free(&text);
    return -1;
}

// The same: most tuples are one number each, a row's.
static inline int64_t tuple_slice(Ctx *ctx, const OpDesc *op, const Tensor *x,
                                  const Tuples *t, int64_t number)
{
    DType dtype = (DType)t->indices->dtype;
    const void *data = t->indices->data;
    int64_t row = t->size != 1        ? -1
                  : dtype == DT_INT32 ? ((const int32_t *)data)[number]
                  : dtype == DT_INT64 ? ((const int64_t *)data)[number]
                                      : -1;
    return LIKELY(row >= 0 && row < t->dims[0])
               ? row
               : read_tuple(ctx, op, x, t, number);
}

// Slices are dense, so each is one copy.
// A bad index ends the op half-way; the output is then dropped as a whole by
// the caller.
static bool kernel_gather_nd(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *out = call->outputs[0];
    Tuples t = tuples_of(x, call->inputs[1]);
    for (int64_t i = 0; i < t.count; i++) {
        int64_t slice = tuple_slice(call->ctx, call->op, x, &t, i);
        if (slice < 0 || !ctx_poll(call->ctx)) {
            return false;
        }
        if (!tensor_copy(call->ctx, out, i * t.width, x, slice * t.width,
                         t.width)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

static bool grad_gather_nd(GradCall *call)
{
    Emit *e = call->emit;
    AttrValue same = {.kind = ATTR_NONE};
    TensorType indices = emit_type(e, call->inputs[1]);
    int64_t all = -1;
    if (!grad_asked(call, 0)) {
        return true;
    }
    // Tuples of one are rows.
    return indices.rank == 2 && indices.dims[1] == 1
               ? grad_give_rows(call, 0,
                                emit_reshape(e, call->inputs[1], 1, &all),
                                call->output_grads[0])
               : grad_give(
                     call, 0,
                     emit_3(e, OP_SCATTER_ADD,
                            emit_1(e, OP_ZEROS_LIKE, call->inputs[0], &same),
                            call->inputs[1], call->output_grads[0]));
}

const OpDesc op_gather_nd = {
    .name = "gather_nd",
    .params = "x, indices, /",
    .doc = "The elements (or slices) of x that the tuples along the last\n"
           "axis of the int tensor `indices` name. OpIndexError out of\n"
           "range.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_MAY_FAIL,
    .infer = infer_gather_nd,
    .kernel = kernel_gather_nd,
    .gradient = grad_gather_nd,
    .graphdef = "GatherNd",
};

// ---- scatter_update, scatter_add, scatter_min, scatter_max

// Declared ahead, for the rule below tells the ops apart by it.
extern const OpDesc op_scatter_update; // the one that takes strings

// The updates stand where gather_nd would read.
// x and updates are of one dtype, cast by nobody: a silent cast here would lose
// digits without a trace.
static bool infer_scatter(InferCall *call)
{
    TensorType x = call->inputs[0], updates = call->inputs[2];
    Shape wanted;
    if (x.dtype != updates.dtype) {
        return ctx_fail(call->ctx, ERR_DTYPE,
                        "%s: dtypes differ: %s and %s; cast one of them",
                        call->op->name, dtype_name(x.dtype),
                        dtype_name(updates.dtype));
    }
    if (call->op != &op_scatter_update && x.dtype == DT_STRING) {
        return infer_dtype_refused(call, x.dtype);
    }
    // The result is like x in shape and dtype.
    if (!named_shape(call, &wanted) || !infer_same(call)) {
        return false;
    }
    // What a trace does not know is taken to fit.
    bool open = wanted.rank == RANK_UNKNOWN || updates.rank == RANK_UNKNOWN;
    bool fits = open || wanted.rank == updates.rank;
    for (int i = 0; fits && !open && i < wanted.rank; i++) {
        int64_t a = wanted.dims[i], b = updates.dims[i];
        fits = a == b || a == DIM_UNKNOWN || b == DIM_UNKNOWN;
    }
    return fits ||
           infer_shape_error2(call, "updates must have the shape %s, not %s",
                              (TensorType){x.dtype, wanted.rank, wanted.dims},
                              updates);
}

enum { PIECE = 1 << 18 }; // elements between two polls

// out[at ..] = out[at ..] joined with from[start ..], `count` elements. False:
// interrupted.
static inline bool join_slice(const KernelCall *call, const LoopKernel *kernel,
                              size_t size, int64_t at, int64_t start,
                              int64_t count)
{
    char *to = (char *)call->outputs[0]->data + (size_t)at * size;
    char *from = (char *)call->inputs[2]->data + (size_t)start * size;
    for (;;) {
        // In place: the first operand is what the result overwrites. Sums and
        // the like have no faults.
        char *const data[] = {to, from, to};
        (void)kernel_run(kernel, data, count < PIECE ? count : PIECE);
        count -= PIECE;
        if (LIKELY(count <= 0)) {
            return ctx_poll(call->ctx);
        }
        to += PIECE * size;
        from += PIECE * size;
        if (!ctx_poll(call->ctx)) {
            return false;
        }
    }
}

// A string output has been filled with x's by now, so plain copies, which
// expect NULL, would lose references.
static bool update_slice(const KernelCall *call, int64_t at, int64_t start,
                         int64_t count)
{
    Tensor *out = call->outputs[0];
    if (out->dtype != DT_STRING) {
        return ctx_poll(call->ctx) &&
               tensor_copy(call->ctx, out, at, call->inputs[2], start, count);
    }
    // `at` and `start` count elements, as everywhere in kernels.
    for (int64_t i = 0; i < count; i++) { // what stood there loses a holder
        tensor_share_string(
            call->ctx, out, at + i,
            ((TensorString **)call->inputs[2]->data)[start + i]);
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return true;
}

// x is copied whole unless it dies here, then slices are put over it in the
// order of the tuples: that is what makes the result the same every time.
// `kernel` joins what stands there with them; NULL: they take its place.
static bool scatter(const KernelCall *call, const LoopKernel *kernel)
{
    Tensor *x = call->inputs[0];
    Tuples t = tuples_of(x, call->inputs[1]);
    size_t size = dtype_size((DType)x->dtype);
    // x itself stays as it is, unless it is to be overwritten.
    if (call->outputs[0] != x &&
        !tensor_copy(call->ctx, call->outputs[0], 0, x, 0, x->count)) {
        return false;
    }
    for (int64_t i = 0; i < t.count; i++) {
        int64_t slice = tuple_slice(call->ctx, call->op, x, &t, i);
        if (slice < 0) {
            return false;
        }
        int64_t at = slice * t.width, from = i * t.width;
        if (kernel != NULL ? !join_slice(call, kernel, size, at, from, t.width)
                           : !update_slice(call, at, from, t.width)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

static bool scatter_by(const KernelCall *call, OpCode op)
{
    DType dtype = (DType)call->outputs[0]->dtype;
    // NULL: no memory.
    const LoopKernel *kernel =
        kernel_state(call->ctx) == NULL
            ? NULL
            : op_kernel(call->ctx, op, dtype, dtype, NULL, 0);
    return kernel != NULL && scatter(call, kernel);
}

// Bools have no sum, least and greatest in their own dtype.
static bool of_truths(const KernelCall *call)
{
    return call->outputs[0]->dtype == DT_BOOL;
}

// The ops differ in what they do with a slice, and in nothing else.
static bool kernel_scatter_update(const KernelCall *call)
{
    return scatter(call, NULL);
}

// Places that occur twice get both values.
static bool kernel_scatter_add(const KernelCall *call)
{
    return scatter_by(call, of_truths(call) ? OP_LOGICAL_OR : OP_ADD);
}

static bool kernel_scatter_min(const KernelCall *call)
{
    return scatter_by(call, of_truths(call) ? OP_LOGICAL_AND : OP_MINIMUM);
}

static bool kernel_scatter_max(const KernelCall *call)
{
    return scatter_by(call, of_truths(call) ? OP_LOGICAL_OR : OP_MAXIMUM);
}

// The updates have the gradient of their places; x what they left of it.
static bool grad_scatter_of(GradCall *call, bool add)
{
    Emit *e = call->emit;
    EmitValue g = call->output_grads[0], updates = call->inputs[2];
    AttrValue same = {.kind = ATTR_NONE};
    if (grad_asked(call, 0)) {
        EmitValue left = add ? g
                             : emit_3(e, OP_SCATTER_UPDATE, g, call->inputs[1],
                                      emit_1(e, OP_ZEROS_LIKE, updates, &same));
        if (!grad_give(call, 0, left)) {
            return false;
        }
    }
    return !grad_asked(call, 2) ||
           grad_give(call, 2, emit_2(e, OP_GATHER_ND, g, call->inputs[1]));
}

static bool grad_scatter_update(GradCall *call)
{
    return grad_scatter_of(call, false);
}

static bool grad_scatter_add(GradCall *call)
{
    return grad_scatter_of(call, true);
}

// Of scatter_min and scatter_max: all that are what came out at a place share
// its gradient alike.
static bool grad_scatter_best(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue indices = call->inputs[1], out = call->outputs[0];
    EmitValue g = call->output_grads[0];
    if (g == NULL) {
        return true;
    }
    DType dtype = emit_type(e, g).dtype;
    EmitValue kept =
        emit_cast(e, emit_2(e, OP_EQUAL, call->inputs[0], out), dtype);
    EmitValue there = emit_2(e, OP_GATHER_ND, out, indices);
    EmitValue put =
        emit_cast(e, emit_2(e, OP_EQUAL, call->inputs[2], there), dtype);
    EmitValue share =
        grad_div(e, g, emit_3(e, OP_SCATTER_ADD, kept, indices, put));
    return (!grad_asked(call, 0) ||
            grad_give(call, 0, grad_mul(e, kept, share))) &&
           (!grad_asked(call, 2) ||
            grad_give(
                call, 2,
                grad_mul(e, put, emit_2(e, OP_GATHER_ND, share, indices))));
}

// Descriptors of all; TensorFlow's names differ.
#define SCATTER(text, run)                                                     \
    .name = (text), .params = "x, indices, updates, /", .min_inputs = 3,       \
    .max_inputs = 3, .output_count = 1, .apart = 1 << 1,                       \
    .flags = OP_MAY_FAIL | OP_OVERWRITES, .infer = infer_scatter,              \
    .kernel = (run)

const OpDesc op_scatter_update = {
    SCATTER("scatter_update", kernel_scatter_update),
    .doc = "x with the elements (or slices) that the tuples along the last\n"
           "axis of `indices` name replaced by `updates`; of two at one\n"
           "place the last one stays. OpIndexError out of range.",
    .gradient = grad_scatter_update,
    .graphdef = "TensorScatterUpdate",
};
const OpDesc op_scatter_add = {
    SCATTER("scatter_add", kernel_scatter_add),
    .doc = "x with `updates` added at the elements (or slices) that the\n"
           "tuples along the last axis of `indices` name, in their order.\n"
           "OpIndexError out of range.",
    .gradient = grad_scatter_add,
    .graphdef = "TensorScatterAdd",
};
const OpDesc op_scatter_min = {
    SCATTER("scatter_min", kernel_scatter_min),
    .doc = "x with the smaller of what stands there and `updates` at the\n"
           "elements (or slices) that the tuples along the last axis of\n"
           "`indices` name. OpIndexError out of range.",
    .gradient = grad_scatter_best,
    .graphdef = "TensorScatterMin",
};
const OpDesc op_scatter_max = {
    SCATTER("scatter_max", kernel_scatter_max),
    .doc = "x with the larger of what stands there and `updates` at the\n"
           "elements (or slices) that the tuples along the last axis of\n"
           "`indices` name. OpIndexError out of range.",
    .gradient = grad_scatter_best,
    .graphdef = "TensorScatterMax",
};

// ---- take_along_axis

// The result has the shape of `indices`: equal to x's beside the axis.
// No broadcasting between x and indices, unlike NumPy: sizes beside the axis
// must be equal.
static bool infer_take_along(InferCall *call)
{
    TensorType x = call->inputs[0], indices = call->inputs[1];
    int axis;
    if (!infer_needs_integer(call, 1) || !infer_needs_rank(call, 0, 1)) {
        return false;
    }
    call->out_dtypes[0] = x.dtype;
    // Holds for unknown ranks too.
    shape_set(&call->out_shapes[0], indices.rank, indices.dims);
    if (x.rank == RANK_UNKNOWN || indices.rank == RANK_UNKNOWN) {
        return true;
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x.rank,
                    x.rank - 1, &axis)) {
        return false;
    }
    // The axis itself may have any size in `indices`.
    bool fits = x.rank == indices.rank;
    for (int i = 0; fits && i < x.rank; i++) {
        int64_t a = x.dims[i], b = indices.dims[i];
        fits = i == axis || a == b || a == DIM_UNKNOWN || b == DIM_UNKNOWN;
    }
    return fits ||
           infer_shape_error2(call,
                              "indices of shape %s do not fit a tensor of "
                              "shape %s beside the axis",
                              indices, x);
}

// Element by element: neighbours may come from anywhere along the axis.
// The loop walks `indices` in row-major order, which is the order of the
// output.
static bool kernel_take_along(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *indices = call->inputs[1];
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x->rank,
                    x->rank - 1, &axis)) {
        return false;
    }
    // `inner` elements lie between two neighbours along the axis; the blocks in
    // front of it are as many in x as in indices.
    int64_t size = tensor_dims(x)[axis], inner = 1;
    int64_t wanted = tensor_dims(indices)[axis];
    bool strict = attr_bool(&call->attrs[1], false);
    for (int i = axis + 1; i < x->rank; i++) {
        inner *= tensor_dims(x)[i];
    }
    for (int64_t i = 0; i < indices->count; i++) {
        int64_t index = tensor_int_at(indices, i);
        if (strict && (index < 0 || index >= size)) {
            return ctx_fail(call->ctx, ERR_OP_INDEX,
                            "cross_entropy: label %" PRId64 " is not in "
                            "[0, %" PRId64 "), the classes that have a "
                            "prediction",
                            index, size);
        }
        if (index < -size || index >= size) {
            return ctx_fail(call->ctx, ERR_OP_INDEX,
                            "take_along_axis: index %" PRId64 " is out of "
                            "range for axis %d of size %" PRId64,
                            index, axis, size);
        }
        // NumPy's op, so that NumPy's rule for negative indices holds.
        index += index < 0 ? size : 0;
        // The block before the axis, the place along it, the place behind it.
        int64_t from =
            (i / (wanted * inner) * size + index) * inner + i % inner;
        if (!tensor_copy(call->ctx, call->outputs[0], i, x, from, 1)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

// The array API's default: the last axis.
static const AttrDesc take_along_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "-1"},
    {"strict", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};
const OpDesc op_take_along_axis = {
    .name = "take_along_axis",
    .params = "x, indices, /",
    .doc = "For each row along the axis the elements that the row of int\n"
           "`indices` names; below 0 from the end, but not with `strict`.\n"
           "OpIndexError out of range.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_MAY_FAIL,
    .attrs = take_along_attrs,
    .attr_count = 2,
    .infer = infer_take_along,
    .kernel = kernel_take_along,
    .gradient = grad_places,
};
