// Reading and writing at index tuples: gather_nd, scatter_update, scatter_add,
// scatter_min, scatter_max.
//
// The last axis of `indices` holds one index for each of x's first axes; what
// stands there is an element, or a slice along the axes that are left.
#include <inttypes.h>
#include <string.h>

#include "kernels/move.h"
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

enum { SLICES_PART = 256 }; // tuples that are read at a time

// The slices that `count` tuples name, `first` and those behind it: most
// tuples are one number each, a row's. False: raised.
static bool read_slices(Ctx *ctx, const OpDesc *op, const Tensor *x,
                        const Tuples *t, int64_t first, int64_t count,
                        int64_t *slices)
{
    bool outside = t->size != 1;
    if (t->size == 1) {
        tensor_read_ints(t->indices, first, count, slices);
    }
    for (int64_t k = 0; t->size == 1 && k < count; k++) {
        outside |= slices[k] < 0 || slices[k] >= t->dims[0];
    }
    for (int64_t k = 0; outside && k < count; k++) {
        slices[k] = read_tuple(ctx, op, x, t, first + k);
        if (slices[k] < 0) {
            return false;
        }
    }
    return ctx_poll(ctx);
}

static inline int64_t part_of(const Tuples *t, int64_t first)
{
    return t->count - first < SLICES_PART ? t->count - first : SLICES_PART;
}

// Slices are dense, so each is one copy.
// A bad index ends the op half-way; the output is then dropped as a whole by
// the caller.
static bool kernel_gather_nd(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *out = call->outputs[0];
    Tuples t = tuples_of(x, call->inputs[1]);
    int64_t slices[SLICES_PART];
    for (int64_t first = 0; first < t.count; first += SLICES_PART) {
        int64_t count = part_of(&t, first);
        RowPicks picks = {slices, count, t.width, 1, 0, 0};
        if (!read_slices(call->ctx, call->op, x, &t, first, count, slices) ||
            !tensor_pick_rows(call->ctx, out, first * t.width, x, &picks)) {
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

// How updates are joined with what stands there.
typedef struct Joining {
    const LoopKernel *kernel; // NULL: they take its place
    AddRowsFn add;            // the same of many rows; NULL: there is none
} Joining;

// The updates from tuple `first` on go to these slices, in their order.
static bool scatter_part(const KernelCall *call, const Tuples *t,
                         const Joining *join, int64_t first,
                         const int64_t *slices, int64_t count)
{
    Tensor *out = call->outputs[0], *updates = call->inputs[2];
    size_t size = dtype_size((DType)out->dtype);
    char *from = (char *)updates->data + (size_t)(first * t->width) * size;
    if (join->add != NULL && t->width <= PIECE / SLICES_PART) {
        join->add(out->data, from, slices, count, t->width);
        return true;
    }
    if (join->kernel == NULL && tensor_is_narrow(out, t->width)) {
        move_put_rows(out->data, from, (size_t)t->width * size, slices, count);
        return true;
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t at = slices[k] * t->width, start = (first + k) * t->width;
        if (join->kernel != NULL
                ? !join_slice(call, join->kernel, size, at, start, t->width)
                : !update_slice(call, at, start, t->width)) {
            return false;
        }
    }
    return true;
}

// x is copied whole unless it dies here, then slices are put over it in the
// order of the tuples: that is what makes the result the same every time.
static bool scatter(const KernelCall *call, const Joining *join)
{
    Tensor *x = call->inputs[0];
    Tuples t = tuples_of(x, call->inputs[1]);
    int64_t slices[SLICES_PART];
    // x itself stays as it is, unless it is to be overwritten.
    if (call->outputs[0] != x &&
        !tensor_copy(call->ctx, call->outputs[0], 0, x, 0, x->count)) {
        return false;
    }
    for (int64_t first = 0; first < t.count; first += SLICES_PART) {
        int64_t count = part_of(&t, first);
        if (!read_slices(call->ctx, call->op, x, &t, first, count, slices) ||
            !scatter_part(call, &t, join, first, slices, count)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

static bool scatter_by(const KernelCall *call, OpCode op)
{
    DType dtype = (DType)call->outputs[0]->dtype;
    KernelState *state = kernel_state(call->ctx);
    Joining join = {NULL, NULL};
    if (state != NULL) { // NULL: no memory
        join.kernel = op_kernel(call->ctx, op, dtype, dtype, NULL, 0);
        join.add = op == OP_ADD ? state->tier->add_rows[dtype] : NULL;
    }
    return join.kernel != NULL && scatter(call, &join);
}

// Bools have no sum, least and greatest in their own dtype.
static bool of_truths(const KernelCall *call)
{
    return call->outputs[0]->dtype == DT_BOOL;
}

// The ops differ in what they do with a slice, and in nothing else.
static bool kernel_scatter_update(const KernelCall *call)
{
    return scatter(call, &(Joining){NULL, NULL});
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
