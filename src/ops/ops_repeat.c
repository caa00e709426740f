// Rearranging and repeating elements: flip, roll, tile, repeat, pad, tril,
// triu. None computes; all work on every dtype, strings too (but tril, triu).
#include <inttypes.h>
#include <string.h>

#include "kernels/move.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

// The axes that an attribute names where the rank is known.
static bool check_axes(InferCall *call, const AttrValue *attr)
{
    uint32_t mask;
    int rank = call->inputs[0].rank;
    return rank == RANK_UNKNOWN ||
           infer_axes(call->ctx, call->op->name, attr, rank, &mask);
}

// ---- flip

// The type stays; the axes must exist.
static bool infer_flip(InferCall *call)
{
    return check_axes(call, &call->attrs[0]) && infer_same(call);
}

// Flipped axes are read from their last element with a negative stride.
static bool kernel_flip(const KernelCall *call)
{
    Tensor *in = call->inputs[0];
    int64_t strides[SHAPE_MAX_RANK], offset = 0;
    uint32_t mask;
    if (!infer_axes(call->ctx, call->op->name, &call->attrs[0], in->rank,
                    &mask)) {
        return false;
    }
    // In elements, of a tensor that lies without gaps.
    tensor_dense_strides(in->rank, tensor_dims(in), strides);
    for (int i = 0; i < in->rank; i++) {
        if (mask >> i & 1) {
            // An empty axis would start before the memory; it is never read.
            offset += (tensor_dims(in)[i] - 1) * strides[i];
            strides[i] = -strides[i];
        }
    }
    return in->count == 0 ||
           tensor_gather(call->ctx, call->outputs[0], in, offset, strides);
}

// None means all axes, as in NumPy.
static const AttrDesc flip_attrs[] = {
    {"axis", ATTR_INTS, ATTR_HOST_ONLY, "None"},
};
// Its own inverse.
static bool grad_flip(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(
               call, 0,
               emit_1(call->emit, OP_FLIP, call->output_grads[0], call->attrs));
}

const OpDesc op_flip = {
    .name = "flip",
    .params = "x, /",
    .doc = "The elements in reverse order along the axes, all by default.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_METHOD,
    .attrs = flip_attrs,
    .attr_count = 1,
    .infer = infer_flip,
    .kernel = kernel_flip,
    .gradient = grad_flip,
};

// ---- roll

// One shift for each axis, or one shift for all of them, as in NumPy.
static bool infer_roll(InferCall *call)
{
    const AttrValue *shift = &call->attrs[0], *axis = &call->attrs[1];
    if (attr_given(axis) && shift->count != axis->count && shift->count != 1) {
        return ctx_fail(call->ctx, ERR_OP_VALUE, "roll: %u shifts for %u axes",
                        shift->count, axis->count);
    }
    if (!attr_given(axis) && shift->count != 1) {
        return ctx_fail(call->ctx, ERR_OP_VALUE,
                        "roll: one shift when no axis is given");
    }
    return check_axes(call, axis) && infer_same(call);
}

// Copies `in` to `out`, moved by `shift` places within blocks of `size` runs
// of `inner` elements; what leaves at one end comes in at the other.
static bool roll_axis(Ctx *ctx, Tensor *out, const Tensor *in, int64_t size,
                      int64_t inner, int64_t shift)
{
    // Blocks are apart: nothing moves from one to the next.
    int64_t block = size * inner;
    // The size may be 0, by which nothing can be divided.
    if (in->count == 0) {
        return true;
    }
    // A shift may be negative or go round several times.
    shift %= size;
    int64_t moved = (shift < 0 ? shift + size : shift) * inner;
    for (int64_t at = 0; at < in->count; at += block) {
        if (!tensor_copy(ctx, out, at + moved, in, at, block - moved) ||
            !tensor_copy(ctx, out, at, in, at + block - moved, moved)) {
            return false;
        }
    }
    return true;
}

// One axis after the other; all but the last go through a tensor of their own.
static bool roll_axes(const KernelCall *call)
{
    const AttrValue *shift = &call->attrs[0], *axes = &call->attrs[1];
    // Each turn releases `from`, so that the input is held once for it.
    Tensor *from = object_retain(call->inputs[0]);
    const int64_t *dims = tensor_dims(from);
    for (uint32_t k = 0; k < axes->count; k++) {
        int axis;
        int64_t inner = 1;
        // Not in place: a shift reads what it would have overwritten.
        Tensor *to =
            k + 1 == axes->count
                ? object_retain(call->outputs[0])
                : tensor_new(call->ctx, (DType)from->dtype, from->rank, dims);
        // The last turn writes into the output itself, held once more.
        bool ok = to != NULL && shape_axis(call->ctx, "roll", axes->ints[k],
                                           from->rank, &axis);
        if (ok) {
            for (int i = axis + 1; i < from->rank; i++) {
                inner *= dims[i];
            }
            ok = roll_axis(call->ctx, to, from, dims[axis], inner,
                           shift->ints[shift->count == 1 ? 0 : k]);
        }
        object_release(call->ctx, from);
        from = to;
        if (!ok) {
            object_release_null(call->ctx, to);
            return false;
        }
        dims = tensor_dims(from);
    }
    object_release(call->ctx, from);
    return ctx_poll(call->ctx);
}

// Without an axis the tensor counts as one row.
static bool kernel_roll(const KernelCall *call)
{
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    if (attr_given(&call->attrs[1]) && call->attrs[1].count > 0) {
        return roll_axes(call);
    }
    // An empty list of axes moves nothing, unlike None.
    bool flat = !attr_given(&call->attrs[1]);
    return roll_axis(call->ctx, out, in, in->count, 1,
                     flat ? call->attrs[0].ints[0] : 0);
}

// Ints or lists of them; a single int comes as a list of one.
static const AttrDesc roll_attrs[] = {
    {"shift", ATTR_INTS, ATTR_HOST_ONLY, NULL},
    {"axis", ATTR_INTS, ATTR_HOST_ONLY, "None"},
};
// Back by as many places.
static bool grad_roll(GradCall *call)
{
    AttrValue attrs[2] = {call->attrs[0], call->attrs[1]};
    int64_t back[SHAPE_MAX_RANK];
    if (!grad_asked(call, 0)) {
        return true;
    }
    for (uint32_t i = 0; i < attrs[0].count; i++) {
        back[i] = -attrs[0].ints[i];
    }
    attrs[0].ints = back;
    return grad_give(call, 0,
                     emit_1(call->emit, OP_ROLL, call->output_grads[0], attrs));
}

// Not OP_VIEW: the order in memory changes.
const OpDesc op_roll = {
    .name = "roll",
    .params = "x, /",
    .doc = "The elements moved on by `shift` places along the axes; what\n"
           "leaves at one end comes in at the other. Without an axis the\n"
           "elements count as one vector.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_METHOD,
    .attrs = roll_attrs,
    .attr_count = 2,
    .infer = infer_roll,
    .kernel = kernel_roll,
    .gradient = grad_roll,
};

// ---- tile

// Counts from an operand may be unknown; then so are the sizes.
static bool infer_tile(InferCall *call)
{
    TensorType x = call->inputs[0];
    Shape *out = &call->out_shapes[0], times;
    call->out_dtypes[0] = x.dtype;
    out->rank = RANK_UNKNOWN;
    if (!infer_ints(call, &call->attrs[0], &times) || times.rank < 0 ||
        x.rank < 0) {
        return !ctx_failed(call->ctx);
    }
    // Both are taken as if they had ones in front.
    int rank = times.rank > x.rank ? times.rank : x.rank;
    out->rank = rank;
    bool known = infer_known(call, &call->attrs[0]);
    for (int i = 1; i <= rank; i++) {
        // Counted from the last axis, where both are aligned.
        int64_t size = i <= x.rank ? x.dims[x.rank - i] : 1;
        int64_t factor = i <= times.rank ? times.dims[times.rank - i] : 1;
        if (known && factor < 0) {
            return ctx_fail(call->ctx, ERR_OP_VALUE,
                            "tile: negative count %" PRId64, factor);
        }
        bool open = size == DIM_UNKNOWN || factor == DIM_UNKNOWN;
        out->dims[rank - i] = open ? DIM_UNKNOWN : infer_times(size, factor);
    }
    return true;
}

// Gathers through strides: each axis is taken as (times, size), the first of
// which has stride 0.
static bool kernel_tile(const KernelCall *call)
{
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    int64_t dims[SHAPE_MAX_RANK], strides[SHAPE_MAX_RANK];
    int64_t own[SHAPE_MAX_RANK];
    int rank = 0;
    tensor_dense_strides(in->rank, tensor_dims(in), own);
    for (int i = 0; i < out->rank; i++) {
        // Below 0: an axis that only the counts have.
        int from = i - (out->rank - in->rank);
        int64_t size = from < 0 ? 1 : tensor_dims(in)[from];
        // Read off the result, whose sizes the rule has computed.
        int64_t times = size == 0 ? 0 : tensor_dims(out)[i] / size;
        // Each axis may become two for the walk.
        if (rank + 2 > SHAPE_MAX_RANK) {
            return ctx_fail(call->ctx, ERR_SHAPE, "tile: rank too high");
        }
        // A stride of 0: the same elements again and again.
        if (times != 1) {
            dims[rank] = times;
            strides[rank++] = 0;
        }
        dims[rank] = size;
        strides[rank++] = from < 0 ? 0 : own[from];
    }
    if (out->count == 0) {
        return true;
    }
    return tensor_gather_as(call->ctx, out, in, 0, rank, dims, strides);
}

// May be computed in the graph, since sizes often are.
static const AttrDesc tile_attrs[] = {
    {"repetitions", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
};
// Not called op_tile: that is the function that finds an inner loop.
const OpDesc op_tile_op = {
    .name = "tile",
    .params = "x, /",
    .doc = "x laid out `repetitions` times along each axis; missing axes and\n"
           "counts in front are 1.",
    .min_inputs = 1,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_HALVES | OP_METHOD,
    .attrs = tile_attrs,
    .attr_count = 1,
    .infer = infer_tile,
    .kernel = kernel_tile,
    .gradient = grad_places,
    .graphdef = "Tile",
};

// ---- repeat

// How many elements come out along the axis; DIM_UNKNOWN, or -2: raised.
static int64_t repeat_size(const InferCall *call, int64_t size)
{
    TensorType times = call->inputs[1];
    // Counts that a trace does not know leave the size open.
    Tensor *value = call->values != NULL ? call->values[1] : NULL;
    if (times.rank > 1 || (times.rank == 1 && times.dims[0] != 1 &&
                           times.dims[0] != DIM_UNKNOWN &&
                           size != DIM_UNKNOWN && times.dims[0] != size)) {
        infer_shape_error2(call,
                           "repeats of shape %s for a tensor of shape "
                           "%s",
                           times, call->inputs[0]);
        return -2;
    }
    // In a trace, or for a tensor whose size is open.
    if (value == NULL || size == DIM_UNKNOWN) {
        return DIM_UNKNOWN;
    }
    // One count may serve all.
    int64_t total = 0, alike = value->count == 1 && size > 0 ? size : 1;
    for (int64_t i = 0; i < size; i += alike) {
        int64_t one = tensor_int_at(value, i);
        if (one < 0) {
            ctx_fail(call->ctx, ERR_OP_VALUE, "repeat: negative count %" PRId64,
                     one);
            return -2;
        }
        total = infer_plus(total, infer_times(one, alike));
    }
    return total;
}

// The size along the axis is the sum of the counts, if a trace knows them.
static bool infer_repeat(InferCall *call)
{
    TensorType x = call->inputs[0];
    Shape *out = &call->out_shapes[0];
    int axis = -1;
    if (!infer_needs_integer(call, 1)) {
        return false;
    }
    call->out_dtypes[0] = x.dtype;
    // Without an axis the result is a vector, whatever x is.
    out->rank = attr_given(&call->attrs[0]) ? RANK_UNKNOWN : 1;
    out->dims[0] = DIM_UNKNOWN;
    if (x.rank == RANK_UNKNOWN) {
        return true;
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x.rank, -1,
                    &axis)) {
        return false;
    }
    // Without an axis x counts as one vector of all its elements.
    int64_t size = axis < 0 ? DIM_UNKNOWN : x.dims[axis];
    if (axis < 0 && shape_is_static(x.rank, x.dims) &&
        !shape_count(call->ctx, x.rank, x.dims, x.dtype, &size)) {
        return false;
    }
    // The sum of the counts, if they are known.
    int64_t total = repeat_size(call, size);
    if (axis >= 0) {
        shape_set(out, x.rank, x.dims);
    }
    out->dims[axis < 0 ? 0 : axis] = total;
    return total != -2;
}

enum { STORE_BYTES = 16 }; // of a vector that every machine has

// A call for so few bytes would take longer. From 16 on by vectors, the last of
// which ends where the bytes do.
static inline void copy_short(char *to, const char *from, size_t bytes)
{
    if (bytes < STORE_BYTES) {
        for (size_t i = 0; i < bytes; i++) {
            to[i] = from[i];
        }
        return;
    }
    for (size_t i = 0; i + STORE_BYTES < bytes; i += STORE_BYTES) {
        memcpy(to + i, from + i, STORE_BYTES);
    }
    memcpy(to + bytes - STORE_BYTES, from + bytes - STORE_BYTES, STORE_BYTES);
}

// Elements, each as often as its count says: whole vectors are stored, of which
// the next element's overwrite what is too much.
#define REPEAT(T)                                                              \
    for (int64_t i = 0; i < runs; i++) {                                       \
        typedef T Many __attribute__((vector_size(STORE_BYTES)));              \
        T x = ((const T *)(const void *)from)[i];                              \
        Many many = (Many){0} + x;                                             \
        char *next = to + counts[i] * (int64_t)sizeof(T);                      \
        while (to < next && end - to >= STORE_BYTES) {                         \
            memcpy(to, &many, STORE_BYTES);                                    \
            to += STORE_BYTES;                                                 \
        }                                                                      \
        for (; to < next; to += sizeof(T)) {                                   \
            memcpy(to, &x, sizeof(T));                                         \
        }                                                                      \
        to = next;                                                             \
    }
// Runs of few bytes; the tensor has room up to `end`. Where it goes on.
static char *repeat_runs(char *to, const char *end, const char *from,
                         size_t bytes, int64_t runs, const int64_t *counts)
{
    switch (bytes) {
    case 1: REPEAT(uint8_t) break;
    case 2: REPEAT(uint16_t) break;
    case 4: REPEAT(uint32_t) break;
    case 8: REPEAT(uint64_t) break;
    default:
        for (int64_t i = 0; i < runs; i++, from += bytes) {
            for (int64_t k = 0; k < counts[i]; k++, to += bytes) {
                copy_short(to, from, bytes);
            }
        }
    }
    return to;
}

enum {
    SMALL_RUN = 64, // bytes: a call for each would take longer
    RUNS_AT_ONCE = 256,
    RUNS_A_POLL = 1 << 16 // that are written
};

// The counts of runs from `first` on, few enough of them for one poll, or one
// alone that is not. How many those are.
static int64_t read_counts(const Tensor *times, int64_t size, int64_t first,
                           int64_t left, int64_t *counts)
{
    bool one = times->count == 1; // for all
    int64_t at = one ? 0 : first % size, count = tensor_int_at(times, at);
    int64_t most = left < RUNS_AT_ONCE ? left : RUNS_AT_ONCE;
    int64_t runs = 0, written = 0;
    do {
        counts[runs++] = count;
        written += count;
        if (!one) {
            at = at + 1 < size ? at + 1 : 0;
            count = tensor_int_at(times, at);
        }
    } while (runs < most && written < RUNS_A_POLL && count < RUNS_A_POLL);
    return runs;
}

// Runs of `inner` elements, each copied as often as its count says.
static bool kernel_repeat(const KernelCall *call)
{
    Tensor *in = call->inputs[0], *times = call->inputs[1];
    Tensor *out = call->outputs[0];
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], in->rank, -1,
                    &axis)) {
        return false;
    }
    int64_t size = axis < 0 ? in->count : tensor_dims(in)[axis], inner = 1;
    for (int i = axis + 1; axis >= 0 && i < in->rank; i++) {
        inner *= tensor_dims(in)[i];
    }
    size_t element = dtype_size((DType)in->dtype);
    size_t bytes = element * (size_t)inner;
    const char *from = in->data;
    char *to = out->data, *end = to + (size_t)out->count * element;
    bool small = in->dtype != DT_STRING && bytes < SMALL_RUN;
    // One run for each place along the axis, of each row before it. Negative
    // counts were refused by the rule, which had the values.
    int64_t at = 0, runs = inner == 0 ? 0 : in->count / inner, now;
    int64_t counts[RUNS_AT_ONCE];
    for (int64_t i = 0; i < runs; i += now) {
        now = read_counts(times, size, i, small ? runs - i : 1, counts);
        if (small && counts[0] >= RUNS_A_POLL) {
            if (!move_fill(call->ctx, to, from + (size_t)i * bytes, bytes,
                           counts[0])) {
                return false;
            }
            to += (size_t)counts[0] * bytes;
        } else if (small) {
            to = repeat_runs(to, end, from + (size_t)i * bytes, bytes, now,
                             counts);
        }
        for (int64_t k = 0; !small && k < counts[0]; k++) {
            if (!tensor_copy(call->ctx, out, at, in, i * inner, inner)) {
                return false;
            }
            at += inner;
        }
        if (!ctx_poll(call->ctx)) {
            return false;
        }
    }
    return true;
}

// None flattens, as in NumPy.
static const AttrDesc repeat_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "None"},
};
// OP_MAY_FAIL: the counts are an operand, and may be negative.
const OpDesc op_repeat = {
    .name = "repeat",
    .params = "x, repeats, /",
    .doc = "Each element (or slice along the axis) `repeats` times: one\n"
           "count, or one for each. Without an axis x counts as one\n"
           "vector.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_METHOD | OP_MAY_FAIL,
    .attrs = repeat_attrs,
    .attr_count = 1,
    .infer = infer_repeat,
    .kernel = kernel_repeat,
    .gradient = grad_places,
};

// ---- tril, triu

// The last two axes are the matrices; what stands before is a batch. There is
// no zero among strings.
static bool infer_triangle(InferCall *call)
{
    DType dtype = call->inputs[0].dtype;
    return dtype == DT_STRING
               ? infer_dtype_refused(call, dtype)
               : infer_needs_rank(call, 0, 2) && infer_same(call);
}

// Copies rows, clearing columns [from, to) of row i: those above the diagonal
// for tril, those below for triu.
static bool triangle(const KernelCall *call, bool upper)
{
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    int64_t k = attr_int(&call->attrs[0], 0);
    // `r` counts the rows of all matrices of the batch.
    int64_t rows = tensor_dims(in)[in->rank - 2];
    int64_t columns = tensor_dims(in)[in->rank - 1];
    // Rows are copied and cleared as bytes: zero bits are 0 in every dtype.
    size_t size = dtype_size((DType)in->dtype);
    for (int64_t r = 0; columns > 0 && r < in->count / columns; r++) {
        size_t start = (size_t)(r * columns) * size;
        memcpy((char *)out->data + start, (const char *)in->data + start,
               (size_t)columns * size);
        if (!ctx_poll(call->ctx)) {
            return false;
        }
        // The first column above the diagonal, or the one on it, held within
        // the row.
        int64_t past = r % rows + (upper ? 0 : 1);
        int64_t edge = k < -past ? 0 : k > columns - past ? columns : past + k;
        int64_t from = upper ? 0 : edge, to = upper ? edge : columns;
        memset((char *)out->data + (size_t)(r * columns + from) * size, 0,
               (size_t)(to - from) * size);
    }
    return ctx_poll(call->ctx);
}

// Below the diagonal and on it; the rest becomes 0.
static bool kernel_tril(const KernelCall *call)
{
    return triangle(call, false);
}

// Above the diagonal and on it.
static bool kernel_triu(const KernelCall *call)
{
    return triangle(call, true);
}

// The same half of the gradient.
static bool grad_triangle(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     emit_1(call->emit, call->code, call->output_grads[0],
                            call->attrs));
}

// 0 is the main diagonal, which both keep.
static const AttrDesc triangle_attrs[] = {
    {"k", ATTR_INT, ATTR_HOST_ONLY, "0"},
};
#define TRIANGLE(text, run)                                                    \
    .name = (text), .params = "x, /", .min_inputs = 1, .max_inputs = 1,        \
    .output_count = 1, .flags = OP_HALVES, .attrs = triangle_attrs,            \
    .attr_count = 1, .infer = infer_triangle, .kernel = (run),                 \
    .gradient = grad_triangle

const OpDesc op_tril = {
    TRIANGLE("tril", kernel_tril),
    .doc = "Matrices with zeros above the k-th diagonal (above 0: to the\n"
           "right).",
};
const OpDesc op_triu = {
    TRIANGLE("triu", kernel_triu),
    .doc = "Matrices with zeros below the k-th diagonal (above 0: to the\n"
           "right).",
};
