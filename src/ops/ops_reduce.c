// Reductions: sum prod mean std var max min any all argmax argmin logsumexp.
//
// The reduced axes are brought to one of two layouts, rows (reduced axes last)
// or columns (reduced axes first), by collapsing and, where that does not do,
// by a permuted copy. kernels/reduce_body.h defines the order of additions.
#include <math.h>
#include <string.h>

#include "ops/elementwise.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

enum { REDUCE_PIECE = 1 << 24 }; // elements between two polls

// ---- shapes

// `refuse_empty`: max and the like have no neutral element, so that an empty
// reduced axis is an error, unless the result has no elements either.
static bool infer_reduced(InferCall *call, DType dtype, bool refuse_empty)
{
    TensorType type = call->inputs[0];
    Shape *out = &call->out_shapes[0];
    // A reduced axis that is kept has the size 1 and so still broadcasts.
    bool keep = attr_bool(&call->attrs[1], false);
    uint32_t mask;
    call->out_dtypes[0] = dtype;
    if (type.rank == RANK_UNKNOWN) {
        // Everything reduced away: a scalar, whatever the rank was.
        bool all = !attr_given(&call->attrs[0]) && !keep;
        out->rank = all ? 0 : RANK_UNKNOWN;
        return true;
    }
    if (!infer_axes(call->ctx, call->op->name, &call->attrs[0], type.rank,
                    &mask)) {
        return false;
    }
    out->rank = 0;
    // `empty`: a reduced axis has no elements; `rest`: the result has none.
    bool empty = false, rest = false;
    for (int i = 0; i < type.rank; i++) {
        bool reduced = mask >> i & 1;
        empty |= reduced && type.dims[i] == 0;
        rest |= !reduced && type.dims[i] == 0;
        if (!reduced || keep) {
            out->dims[out->rank++] = reduced ? 1 : type.dims[i];
        }
    }
    if (refuse_empty && empty && !rest) {
        return infer_shape_error(
            call, "nothing to choose from in a tensor of shape %s", type);
    }
    return true;
}

// Sums and products of small ints and bools are int32: they seldom fit less.
// bool sums count, so they need room; float32 stays, its blocks are added
// pairwise to keep the error small.
static DType sum_dtype(DType dtype)
{
    return dtype == DT_INT64 || dtype_is_float(dtype) ? dtype : DT_INT32;
}

// sum and prod: of everything but strings.
static bool infer_sum(InferCall *call)
{
    DType dtype = call->inputs[0].dtype;
    return dtype == DT_STRING ? infer_dtype_refused(call, dtype)
                              : infer_reduced(call, sum_dtype(dtype), false);
}

// What divides or takes roots is of floats; ints must be cast by hand.
static bool infer_mean(InferCall *call)
{
    DType dtype = call->inputs[0].dtype;
    return infer_needs_float(call, dtype) && infer_reduced(call, dtype, false);
}

// max and min: the dtype stays, bools and strings have no order.
static bool infer_max(InferCall *call)
{
    DType dtype = call->inputs[0].dtype;
    return dtype == DT_STRING || dtype == DT_BOOL
               ? infer_dtype_refused(call, dtype)
               : infer_reduced(call, dtype, true);
}

// any and all: of bools alone.
static bool infer_any(InferCall *call)
{
    return infer_needs_dtype(call, 0, DT_BOOL) &&
           infer_reduced(call, DT_BOOL, false);
}

// Places are int64, whatever is compared.
static bool infer_argmax(InferCall *call)
{
    DType dtype = call->inputs[0].dtype;
    return dtype == DT_STRING || dtype == DT_BOOL
               ? infer_dtype_refused(call, dtype)
               : infer_reduced(call, DT_INT64, true);
}

// ---- layouts

// The input as [outer, reduced, inner]; false: the axes are scattered.
typedef struct Layout {
    int64_t outer, reduced, inner;
} Layout;

// Axes of size 1 belong to no part. The strides of the three parts follow
// from their sizes, so no more than these is kept.
// A scattered set of axes (0 and 2 of three) has no such form: false.
static bool layout_of(const Tensor *tensor, uint32_t mask, Layout *layout)
{
    const int64_t *dims = tensor_dims(tensor);
    *layout = (Layout){1, 1, 1};
    int part = 0; // 0: outer, 1: reduced, 2: inner
    for (int i = 0; i < tensor->rank; i++) {
        bool reduced = mask >> i & 1;
        if (dims[i] == 1) {
            continue;
        }
        if (reduced && part == 2) {
            return false;
        }
        part = reduced ? 1 : part == 0 ? 0 : 2;
        int64_t *size = part == 0   ? &layout->outer
                        : part == 1 ? &layout->reduced
                                    : &layout->inner;
        *size *= dims[i];
    }
    return true;
}

// A copy with the reduced axes moved behind the others.
// The order within both groups stays, so that the order of additions does.
static Tensor *reduced_last(Ctx *ctx, Tensor *tensor, uint32_t mask)
{
    int axes[SHAPE_MAX_RANK], count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < tensor->rank; i++) {
            if ((int)(mask >> i & 1) == pass) {
                axes[count++] = i;
            }
        }
    }
    return tensor_permuted(ctx, tensor, axes);
}

// Dense rows of n elements each; as many as Ctrl-C may wait for are handed
// over in one call. The kernels' state exists.
static bool reduce_rows(Ctx *ctx, ReduceId id, const Tensor *in, int64_t rows,
                        int64_t n, Tensor *out)
{
    size_t in_step = (size_t)n * dtype_size((DType)in->dtype);
    size_t out_step = dtype_size((DType)out->dtype);
    int64_t most = REDUCE_PIECE / (n + 1) + 1;
    for (int64_t row = 0; row < rows; row += most) {
        ctx->kernels->tier->row_reduce[id][in->dtype](
            (char *)out->data + (size_t)row * out_step,
            (const char *)in->data + (size_t)row * in_step,
            rows - row < most ? rows - row : most, n);
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

// Reduces to `out`, which has the kernel's accumulator type.
static bool reduce_into(Ctx *ctx, ReduceId id, Tensor *in, uint32_t mask,
                        Tensor *out)
{
    Layout l;
    KernelState *state = kernel_state(ctx);
    if (state == NULL) {
        return false;
    }
    // Copy first: both forms of kernel then see dense rows.
    if (!layout_of(in, mask, &l)) {
        Tensor *moved = reduced_last(ctx, in, mask);
        if (moved == NULL) {
            return false;
        }
        int64_t rows = out->count;
        int64_t n = rows == 0 ? 0 : moved->count / rows;
        bool ok = reduce_rows(ctx, id, moved, rows, n, out);
        object_release(ctx, moved);
        return ok;
    }
    if (l.inner == 1) {
        return reduce_rows(ctx, id, in, l.outer, l.reduced, out);
    }
    size_t in_step =
        (size_t)(l.reduced * l.inner) * dtype_size((DType)in->dtype);
    size_t out_step = (size_t)l.inner * dtype_size((DType)out->dtype);
    for (int64_t i = 0; i < l.outer; i++) {
        state->tier->column_reduce[id][in->dtype](
            // Columns: whole rows are added onto one row, so that memory is
            // read in its own order.
            (char *)out->data + (size_t)i * out_step,
            (const char *)in->data + (size_t)i * in_step, l.reduced, l.inner);
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

// The mask of the axes of a call that infer has accepted.
static bool call_axes(const KernelCall *call, uint32_t *mask)
{
    return infer_axes(call->ctx, call->op->name, &call->attrs[0],
                      call->inputs[0]->rank, mask);
}

// The outputs' dtype is what the kernel accumulates in; infer saw to it.
static bool kernel_reduce(const KernelCall *call, ReduceId id)
{
    uint32_t mask;
    return call_axes(call, &mask) &&
           reduce_into(call->ctx, id, call->inputs[0], mask, call->outputs[0]);
}

// What follows binds each op to its kernels; mean and others come below.
static bool kernel_sum(const KernelCall *call)
{
    return kernel_reduce(call, REDUCE_SUM);
}
// Of nothing it is 1.
static bool kernel_prod(const KernelCall *call)
{
    return kernel_reduce(call, REDUCE_PROD);
}
// NaN wins.
static bool kernel_max(const KernelCall *call)
{
    return kernel_reduce(call, REDUCE_MAX);
}
// As kernel_max.
static bool kernel_min(const KernelCall *call)
{
    return kernel_reduce(call, REDUCE_MIN);
}
// Of bools alone.
static bool kernel_any(const KernelCall *call)
{
    return kernel_reduce(call, REDUCE_ANY);
}
// Of bools alone.
static bool kernel_all(const KernelCall *call)
{
    return kernel_reduce(call, REDUCE_ALL);
}

// ---- mean, var, std

// A double: mean and var divide by it, and 0 then gives NaN as in NumPy.
static double reduced_count(const Tensor *in, uint32_t mask)
{
    double count = 1;
    for (int i = 0; i < in->rank; i++) {
        count *= mask >> i & 1 ? (double)tensor_dims(in)[i] : 1;
    }
    return count;
}

// In place; once an element, so that no rounding of a reciprocal shows. False:
// interrupted.
static bool divide_by(Ctx *ctx, Tensor *out, double divisor)
{
    for (int64_t i = 0; i < out->count; i++) {
        if (out->dtype == DT_FLOAT32) {
            ((float *)out->data)[i] /= (float)divisor;
        } else {
            ((double *)out->data)[i] /= divisor;
        }
        if (!ctx_poll_at(ctx, (size_t)i)) {
            return false;
        }
    }
    return true;
}

// The sum first, one division after: never a mean of means, which would weigh
// blocks of unequal size wrongly.
static bool kernel_mean(const KernelCall *call)
{
    uint32_t mask;
    if (!call_axes(call, &mask) ||
        !reduce_into(call->ctx, REDUCE_SUM, call->inputs[0], mask,
                     call->outputs[0])) {
        return false;
    }
    return divide_by(call->ctx, call->outputs[0],
                     reduced_count(call->inputs[0], mask));
}

// The squares of the differences from the mean along the reduced axes.
// The mean keeps the reduced axes as 1, so that it broadcasts against `in`.
static Tensor *squared_differences(Ctx *ctx, Tensor *in, uint32_t mask)
{
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < in->rank; i++) {
        dims[i] = mask >> i & 1 ? 1 : tensor_dims(in)[i];
    }
    Tensor *mean = tensor_new(ctx, (DType)in->dtype, in->rank, dims);
    if (mean == NULL) {
        return NULL;
    }
    Tensor *difference = NULL, *square = NULL;
    uint32_t outputs;
    if (reduce_into(ctx, REDUCE_SUM, in, mask, mean) &&
        divide_by(ctx, mean, reduced_count(in, mask)) &&
        op_run(ctx, OP_SUBTRACT, (Tensor *[]){in, mean}, 2, NULL, &difference,
               &outputs)) {
        // Through the eager ops: the same bits as a program that writes it
        // out.
        if (!op_run(ctx, OP_SQUARE, &difference, 1, NULL, &square, &outputs)) {
            square = NULL;
        }
        object_release(ctx, difference);
    }
    object_release(ctx, mean);
    return square;
}

// What is taken off the count: 0 by default, 1 for a sample's variance.
static double correction_of(const KernelCall *call)
{
    const AttrValue *attr = &call->attrs[2];
    return attr->kind == ATTR_FLOAT ? attr->number : (double)attr_int(attr, 0);
}

// Two passes, differences from the mean first: the mean of squares less the
// square of the mean would cancel.
static bool kernel_var(const KernelCall *call)
{
    uint32_t mask;
    if (!call_axes(call, &mask)) {
        return false;
    }
    Tensor *in = call->inputs[0];
    Tensor *squares = squared_differences(call->ctx, in, mask);
    if (squares == NULL) {
        return false;
    }
    bool ok =
        reduce_into(call->ctx, REDUCE_SUM, squares, mask, call->outputs[0]);
    object_release(call->ctx, squares);
    return ok && divide_by(call->ctx, call->outputs[0],
                           reduced_count(in, mask) - correction_of(call));
}

// The root is taken in place.
static bool kernel_std(const KernelCall *call)
{
    if (!kernel_var(call)) {
        return false;
    }
    Tensor *out = call->outputs[0];
    return elementwise_dense(call->ctx, OP_SQRT, (DType)out->dtype, 0,
                             (char *[]){out->data, out->data}, out->count);
}

// ---- logsumexp, from the largest element so that nothing overflows

// Destroys the row. By the kernels of the ops, so that exp and log have their
// bits.
static bool logsumexp_row(Ctx *ctx, Tensor *in, int64_t row, int64_t n,
                          Tensor *out)
{
    const Tier *tier = ctx->kernels->tier;
    DType dtype = (DType)in->dtype;
    size_t size = dtype_size((DType)in->dtype);
    char *from = (char *)in->data + (size_t)(row * n) * size;
    // Scratch for a single element of either dtype.
    double high_value, total_value;
    _Alignas(8) char high[8], total[8];
    tier->row_reduce[REDUCE_MAX][in->dtype](high, from, 1, n);
    high_value = in->dtype == DT_FLOAT32 ? (double)*(float *)(void *)high
                                         : *(double *)(void *)high;
    // A NaN goes on below and stays NaN.
    if (isinf(high_value)) { // all -inf, or an inf: subtracting would be NaN
        tensor_set_float(out, row, high_value);
        return true;
    }
    char *const less[] = {from, high, from}, *const sum[] = {total, total};
    if (!elementwise_dense(ctx, OP_SUBTRACT, dtype, 1 << 1, less, n) ||
        !elementwise_dense(ctx, OP_EXP, dtype, 0, (char *[]){from, from}, n)) {
        return false;
    }
    tier->row_reduce[REDUCE_SUM][in->dtype](total, from, 1, n);
    if (!elementwise_dense(ctx, OP_LOG, dtype, 0, sum, 1)) {
        return false;
    }
    total_value = in->dtype == DT_FLOAT32 ? (double)*(float *)(void *)total
                                          : *(double *)(void *)total;
    tensor_set_float(out, row, high_value + total_value);
    return true;
}

// Row by row: the largest element is subtracted before exp is taken.
static bool kernel_logsumexp(const KernelCall *call)
{
    uint32_t mask;
    if (!call_axes(call, &mask) || kernel_state(call->ctx) == NULL) {
        return false;
    }
    // A copy, whose rows serve as working memory.
    // Even where no axis has to move: the input itself must not be written to.
    Tensor *rows = reduced_last(call->ctx, call->inputs[0], mask);
    if (rows == NULL) {
        return false;
    }
    Tensor *out = call->outputs[0];
    int64_t n = out->count == 0 ? 0 : rows->count / out->count;
    bool ok = true;
    for (int64_t i = 0; ok && i < out->count; i++) {
        ok = logsumexp_row(call->ctx, rows, i, n, out) && ctx_poll(call->ctx);
    }
    object_release(call->ctx, rows);
    return ok;
}

// ---- argmax, argmin: the first of equals; the first NaN wins

// `x != x` is never true of ints: compilers drop the test there.
#define ARG_CASE(id, T, WORSE)                                                 \
    case id: {                                                                 \
        const T *x = (const T *)in->data + start;                              \
        for (int64_t i = from; i < n; i++) {                                   \
            T now = x[i * step], so_far = x[best * step];                      \
            if (so_far != so_far) {                                            \
                break;                                                         \
            }                                                                  \
            best = (WORSE) || now != now ? i : best;                           \
        }                                                                      \
        break;                                                                 \
    }
// WORSE says of `so_far` that `now` beats it.
#define ARG_CASES(WORSE)                                                       \
    switch ((DType)in->dtype) {                                                \
        ARG_CASE(DT_UINT8, uint8_t, WORSE)                                     \
        ARG_CASE(DT_INT8, int8_t, WORSE)                                       \
        ARG_CASE(DT_INT16, int16_t, WORSE)                                     \
        ARG_CASE(DT_INT32, int32_t, WORSE)                                     \
        ARG_CASE(DT_INT64, int64_t, WORSE)                                     \
        ARG_CASE(DT_FLOAT32, float, WORSE)                                     \
        ARG_CASE(DT_FLOAT64, double, WORSE)                                    \
    case DT_BOOL:                                                              \
    case DT_STRING:                                                            \
    case DT_NONE: break;                                                       \
    }

// The places [from, n) of a row against its place `best`, the best one so far.
// The loops stop at a NaN: nothing later can beat the first one.
static int64_t index_of_max(const Tensor *in, int64_t start, int64_t step,
                            int64_t n, int64_t from, int64_t best)
{
    ARG_CASES(now > so_far)
    return best;
}

// The first of equal ones; a NaN ends the search.
static int64_t index_of_min(const Tensor *in, int64_t start, int64_t step,
                            int64_t n, int64_t from, int64_t best)
{
    ARG_CASES(now < so_far)
    return best;
}

enum { ARG_PIECE = 1 << 20 }; // elements between two polls

// One search an element of the result, over a strided row.
// `find` is the whole search, so that the dtype is asked once a row.
static bool kernel_arg(const KernelCall *call,
                       int64_t (*find)(const Tensor *, int64_t, int64_t,
                                       int64_t, int64_t, int64_t))
{
    int64_t since = 0; // elements since the last poll
    uint32_t mask;
    Layout l;
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    if (!call_axes(call, &mask)) {
        return false;
    }
    (void)layout_of(in, mask, &l); // one axis or all: never scattered
    for (int64_t i = 0; i < out->count; i++) {
        int64_t start = i / l.inner * l.reduced * l.inner + i % l.inner;
        int64_t best = 0;
        for (int64_t from = 0; from < l.reduced; from += ARG_PIECE) {
            int64_t left = l.reduced - from;
            int64_t n = from + (left < ARG_PIECE ? left : ARG_PIECE);
            best = find(in, start, l.inner, n, from, best);
            since += n - from;
            if (since >= ARG_PIECE) {
                since = 0;
                if (!ctx_poll(call->ctx)) {
                    return false;
                }
            }
        }
        ((int64_t *)out->data)[i] = best;
    }
    return ctx_poll(call->ctx);
}

// int64, whatever the dtype of x.
static bool kernel_argmax(const KernelCall *call)
{
    return kernel_arg(call, index_of_max);
}
// As kernel_argmax.
static bool kernel_argmin(const KernelCall *call)
{
    return kernel_arg(call, index_of_min);
}

// ---- descriptors

// The two that every reduction has, and the third of var and std.
static const AttrDesc reduce_attrs[] = {
    {"axis", ATTR_INTS, ATTR_HOST_ONLY, "None"},
    {"keepdims", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
    {"correction", ATTR_FLOAT, ATTR_HOST_ONLY, "0"},
};
// One axis or all: several would leave open what an index counts.
static const AttrDesc arg_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "None"},
    {"keepdims", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};
// A whole op: its id is its name too; `own` are the attributes, `n` of them,
// var and std take a third one; `writes` is its name in a GraphDef, NULL: it
// has none. All are methods of tensors too, with the same arguments.
#define REDUCTION(id, rule, run, own, n, slope, text, writes)                  \
    const OpDesc op_##id = {.name = #id,                                       \
                            .params = "x, /",                                  \
                            .min_inputs = 1,                                   \
                            .max_inputs = 1,                                   \
                            .output_count = 1,                                 \
                            .flags = OP_METHOD,                                \
                            .infer = (rule),                                   \
                            .kernel = (run),                                   \
                            .attrs = (own),                                    \
                            .attr_count = (n),                                 \
                            .gradient = (slope),                               \
                            .doc = (text),                                     \
                            .graphdef = (writes)}

REDUCTION(sum, infer_sum, kernel_sum, reduce_attrs, 2, grad_sum,
          "The sum over the axes, all by default.\n"
          "bool and small ints add up in int32; of nothing it is 0.",
          "Sum");
REDUCTION(prod, infer_sum, kernel_prod, reduce_attrs, 2, grad_prod,
          "The product over the axes, all by default.\n"
          "bool and small ints multiply in int32; of nothing it is 1.",
          "Prod");
// Of floats only, where NumPy would turn ints into float64 unasked.
REDUCTION(mean, infer_mean, kernel_mean, reduce_attrs, 2, grad_mean,
          "The mean over the axes, all by default; of floats.", "Mean");
// No graphdef name: TensorFlow composes it from other ops.
REDUCTION(var, infer_mean, kernel_var, reduce_attrs, 3, grad_var,
          "The variance over the axes, all by default; of floats.\n"
          "The sum of squares is divided by the count less correction.",
          NULL);
REDUCTION(std, infer_mean, kernel_std, reduce_attrs, 3, grad_std,
          "The standard deviation over the axes, all by default: the root\n"
          "of var.",
          NULL);
// No neutral element, so that of nothing there is no largest.
REDUCTION(max, infer_max, kernel_max, reduce_attrs, 2, grad_extreme,
          "The largest element over the axes, all by default; NaN wins.\n"
          "Of nothing: ShapeError.",
          "Max");
REDUCTION(min, infer_max, kernel_min, reduce_attrs, 2, grad_extreme,
          "The smallest element over the axes, all by default; NaN wins.\n"
          "Of nothing: ShapeError.",
          "Min");
// False of nothing, and `all` is True of nothing: the neutral elements.
REDUCTION(any, infer_any, kernel_any, reduce_attrs, 2, NULL,
          "True if one bool over the axes is, all by default.", "Any");
REDUCTION(all, infer_any, kernel_all, reduce_attrs, 2, NULL,
          "True if all bools over the axes are, all axes by default.", "All");
REDUCTION(logsumexp, infer_mean, kernel_logsumexp, reduce_attrs, 2,
          grad_logsumexp,
          "log(sum(exp(x))) over the axes, all by default, without overflow.",
          NULL);
REDUCTION(argmax, infer_argmax, kernel_argmax, arg_attrs, 2, NULL,
          "The index (int64) of the first largest element along the axis,\n"
          "or in the whole tensor, flattened; the first NaN wins.",
          "ArgMax");
REDUCTION(argmin, infer_argmax, kernel_argmin, arg_attrs, 2, NULL,
          "The index (int64) of the first smallest element along the axis,\n"
          "or in the whole tensor, flattened; the first NaN wins.",
          "ArgMin");
