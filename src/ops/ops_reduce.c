// Reductions: sum prod mean std var max min any all argmax argmin logsumexp.
//
// ops/reduce.h runs the kernels, whose order of additions
// kernels/reduce_body.h defines.
#include <math.h>
#include <string.h>

#include "ops/elementwise.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/reduce.h"

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

// ---- kernels

static const double exp_cost = 0.6; // nanoseconds

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
static double reduced_count(TensorType in, uint32_t mask)
{
    double count = 1;
    for (int i = 0; i < in.rank; i++) {
        count *= mask >> i & 1 ? (double)in.dims[i] : 1;
    }
    return count;
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
    return reduce_divide(call->ctx, call->outputs[0],
                         reduced_count(tensor_type(call->inputs[0]), mask));
}

// With the reduced axes as 1, so that it broadcasts against `in`.
static Tensor *reduced_kept(Ctx *ctx, ReduceId id, Tensor *in, uint32_t mask)
{
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < in->rank; i++) {
        dims[i] = mask >> i & 1 ? 1 : tensor_dims(in)[i];
    }
    Tensor *kept = tensor_new(ctx, (DType)in->dtype, in->rank, dims);
    if (kept != NULL && reduce_into(ctx, id, in, mask, kept)) {
        return kept;
    }
    object_release_null(ctx, kept);
    return NULL;
}

// The sum of the squares of the differences from the mean. Through the eager
// ops, or with their bits: those of a program that writes it out.
static bool sum_squares(Ctx *ctx, Tensor *in, Tensor *mean, uint32_t mask,
                        Tensor *out)
{
    const ReduceFront front = {OP_SUBTRACT, OP_SQUARE, in, mean};
    int done = reduce_of(ctx, REDUCE_SUM, &front, mask, out);
    if (done != 0) {
        return done > 0;
    }
    Tensor *difference = NULL, *square = NULL;
    uint32_t outputs;
    if (!op_run(ctx, OP_SUBTRACT, (Tensor *[]){in, mean}, 2, NULL, &difference,
                &outputs)) {
        return false;
    }
    bool ok = op_run(ctx, OP_SQUARE, &difference, 1, NULL, &square, &outputs);
    object_release(ctx, difference);
    if (ok) {
        ok = reduce_into(ctx, REDUCE_SUM, square, mask, out);
        object_release(ctx, square);
    }
    return ok;
}

// What is taken off the count: 0 by default, 1 for a sample's variance.
static double correction_of(const AttrValue *attrs)
{
    const AttrValue *attr = &attrs[2];
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
    Tensor *mean = reduced_kept(call->ctx, REDUCE_SUM, in, mask);
    bool ok =
        mean != NULL &&
        reduce_divide(call->ctx, mean, reduced_count(tensor_type(in), mask)) &&
        sum_squares(call->ctx, in, mean, mask, call->outputs[0]);
    object_release_null(call->ctx, mean);
    return ok && reduce_divide(call->ctx, call->outputs[0],
                               reduced_count(tensor_type(in), mask) -
                                   correction_of(call->attrs));
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

static EmitValue parts_var(const ComposeCall *call)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0];
    EmitValue mean = emit_reduce_kept(e, OP_MEAN, x, &call->attrs[0]);
    EmitValue squares =
        emit_1(e, OP_SQUARE, emit_2(e, OP_SUBTRACT, x, mean), NULL);
    EmitValue sum = emit_reduce_kept(e, OP_SUM, squares, &call->attrs[0]);
    uint32_t mask;
    TensorType type = emit_type(e, x);
    if (!infer_axes(e->ctx, call->op->name, &call->attrs[0], type.rank,
                    &mask)) {
        return NULL;
    }
    return emit_with(e, OP_DIVIDE, sum,
                     reduced_count(type, mask) - correction_of(call->attrs));
}

static EmitValue parts_std(const ComposeCall *call)
{
    return emit_1(call->emit, OP_SQRT, parts_var(call), NULL);
}

// ---- logsumexp, from the largest element so that nothing overflows

// Where the largest element is endless, which it is: the result.
static void keep_endless(Tensor *out, const Tensor *high)
{
    size_t size = dtype_size((DType)out->dtype);
    for (int64_t i = 0; i < out->count; i++) {
        size_t at = (size_t)i * size;
        if (isinf(tensor_float_at(high, i))) {
            memcpy((char *)out->data + at, (const char *)high->data + at, size);
        }
    }
}

// As the kernel of rows has them, by machine code: faster for long rows, of
// float64 for all but short ones, as compilers find no vectors in its exp.
static bool logsumexp_long(const KernelCall *call, uint32_t mask)
{
    Ctx *ctx = call->ctx;
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    DType dtype = (DType)in->dtype;
    Tensor *high = reduced_kept(ctx, REDUCE_MAX, in, mask);
    if (high == NULL) {
        return false;
    }
    const ReduceFront front = {OP_SUBTRACT, OP_EXP, in, high};
    bool ok = reduce_of(ctx, REDUCE_SUM, &front, mask, out) > 0 &&
              elementwise_dense(ctx, OP_LOG, dtype, 0,
                                (char *[]){out->data, out->data}, out->count) &&
              elementwise_dense(ctx, OP_ADD, dtype, 0,
                                (char *[]){high->data, out->data, out->data},
                                out->count);
    if (ok) {
        keep_endless(out, high);
    }
    object_release(ctx, high);
    return ok;
}

// Rows alone have a kernel; along other axes it is the parts.
static bool kernel_logsumexp(const KernelCall *call)
{
    uint32_t mask;
    ReduceLayout l;
    KernelState *state = kernel_state(call->ctx);
    Tensor *in = call->inputs[0];
    if (state == NULL || !call_axes(call, &mask)) {
        return false;
    }
    bool rows = reduce_layout(in, mask, &l) && l.inner == 1;
    if (rows && in->count > 0 && mask != 0 &&
        l.reduced >= (in->dtype == DT_FLOAT64 ? 32 : 512)) {
        return logsumexp_long(call, mask);
    }
    return in->count > 0 && !rows
               ? emit_run_parts(call)
               : reduce_by_rows(call->ctx, state->tier->logsumexp[in->dtype],
                                in, mask, call->outputs[0], exp_cost);
}

// The same as other ops. Where the largest element is endless it is the result.
static EmitValue parts_logsumexp(const ComposeCall *call)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0];
    EmitValue high = emit_reduce_kept(e, OP_MAX, x, &call->attrs[0]);
    EmitValue powers = emit_1(e, OP_EXP, emit_2(e, OP_SUBTRACT, x, high), NULL);
    EmitValue sum = emit_reduce_kept(e, OP_SUM, powers, &call->attrs[0]);
    EmitValue made = emit_2(e, OP_ADD, high, emit_1(e, OP_LOG, sum, NULL));
    return emit_3(e, OP_WHERE, emit_1(e, OP_ISINF, high, NULL), high, made);
}

// ---- argmax, argmin: the first of equals; the first NaN wins

enum {
    ARG_PIECE = 1 << 20, // elements between two polls
    ARG_NEAR = 1 << 12,  // that are still at hand when their places are sought
    ARG_ROWS = 64,       // at once, or columns
    ARG_SHORT = 32       // elements of a row that are looked through in place
};

// What the searches share. Places count along the reduced axis.
typedef struct PlaceSearch {
    const Tensor *in;
    RowReduceFn most; // the best element of each of some rows, or NaN
    FindFn find;
    int64_t step; // elements from one place to the next
    bool down;    // for the least
} PlaceSearch;

#define ARG_BETTER ((s->down ? now < so_far : now > so_far) || now != now)
// Dense rows give their best elements to the kernel of rows, and are then
// looked through for them.
#define ARG_ROWS_OF(T)                                                         \
    T best[ARG_ROWS];                                                          \
    const T *x = (const T *)s->in->data + start;                               \
    s->most(best, x, rows, n);                                                 \
    for (int64_t r = 0; r < rows; r++, x += n) {                               \
        int64_t i = 0;                                                         \
        if (n > ARG_SHORT) {                                                   \
            i = s->find(x, n, &best[r]);                                       \
        } else {                                                               \
            while (x[i] != best[r] && x[i] == x[i]) {                          \
                i++;                                                           \
            }                                                                  \
        }                                                                      \
        places[r] = i;                                                         \
    }
// A long row, a piece at a time. A NaN stays.
#define ARG_PIECE_OF(T)                                                        \
    const T *x = (const T *)s->in->data + start;                               \
    T now, so_far = x[*places];                                                \
    s->most(&now, x + from, 1, n - from);                                      \
    if (so_far == so_far && ARG_BETTER) {                                      \
        *places = from + s->find(x + from, n - from, &now);                    \
    }
// Columns beside each other, in the order in which they lie in memory.
#define ARG_COLUMNS_OF(T)                                                      \
    T best[ARG_ROWS];                                                          \
    const T *x = (const T *)s->in->data + start;                               \
    for (int64_t j = 0; j < rows; j++) {                                       \
        best[j] = x[places[j] * s->step + j];                                  \
    }                                                                          \
    for (int64_t i = from; i < n; i++) {                                       \
        for (int64_t j = 0; j < rows; j++) {                                   \
            T now = x[i * s->step + j], so_far = best[j];                      \
            if (ARG_BETTER && so_far == so_far) {                              \
                best[j] = now;                                                 \
                places[j] = i;                                                 \
            }                                                                  \
        }                                                                      \
    }
#define ARG_CASE(id, T)                                                        \
    case id: {                                                                 \
        if (s->step > 1) {                                                     \
            ARG_COLUMNS_OF(T)                                                  \
        } else if (n <= ARG_PIECE) {                                           \
            ARG_ROWS_OF(T)                                                     \
        } else {                                                               \
            ARG_PIECE_OF(T)                                                    \
        }                                                                      \
        break;                                                                 \
    }
// The places of `rows` rows or columns, the first of which begins at element
// `start`: among their places below `n`, where those below `from` were sought.
static void find_places(const PlaceSearch *s, int64_t start, int64_t rows,
                        int64_t from, int64_t n, int64_t *places)
{
    switch ((DType)s->in->dtype) {
        ARG_CASE(DT_UINT8, uint8_t)
        ARG_CASE(DT_INT8, int8_t)
        ARG_CASE(DT_INT16, int16_t)
        ARG_CASE(DT_INT32, int32_t)
        ARG_CASE(DT_INT64, int64_t)
        ARG_CASE(DT_FLOAT32, float)
        ARG_CASE(DT_FLOAT64, double)
    case DT_BOOL:
    case DT_FLOAT16: // comes as float32
    case DT_BFLOAT16:
    case DT_STRING:
    case DT_NONE: break;
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Some rows or columns at once, and long ones in pieces.
static bool kernel_arg(const KernelCall *call, bool down)
{
    int64_t since = 0; // elements since the last poll
    uint32_t mask;
    ReduceLayout l;
    KernelState *state = kernel_state(call->ctx);
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    if (state == NULL || !call_axes(call, &mask)) {
        return false;
    }
    (void)reduce_layout(in, mask, &l); // one axis or all: never scattered
    ReduceId id = down ? REDUCE_MIN : REDUCE_MAX;
    PlaceSearch search = {in, state->tier->row_reduce[id][in->dtype],
                          state->tier->find[in->dtype], l.inner, down};
    int64_t *places = out->data, now;
    for (int64_t i = 0; i < out->count; i += now) {
        int64_t column = i % l.inner;
        int64_t most = l.inner > 1 ? l.inner - column : ARG_NEAR / l.reduced;
        now = least(least(most < 1 ? 1 : most, ARG_ROWS), out->count - i);
        memset(&places[i], 0, (size_t)now * sizeof *places);
        int64_t start = (i - column) * l.reduced + column;
        int64_t step = l.inner > 1 ? ARG_PIECE / now : ARG_PIECE;
        for (int64_t from = 0; from < l.reduced; from += step) {
            int64_t n = least(l.reduced, from + step);
            find_places(&search, start, now, from, n, &places[i]);
            since += (n - from) * now;
            if (since >= ARG_PIECE) {
                since = 0;
                if (!ctx_poll(call->ctx)) {
                    return false;
                }
            }
        }
    }
    return ctx_poll(call->ctx);
}

// int64, whatever the dtype of x.
static bool kernel_argmax(const KernelCall *call)
{
    return kernel_arg(call, false);
}
// As kernel_argmax.
static bool kernel_argmin(const KernelCall *call)
{
    return kernel_arg(call, true);
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
// has none; `end` is OpDesc.ends, `others` its parts. All are methods of
// tensors too, with the same arguments.
#define COMPOSITE(id, rule, run, own, n, slope, end, text, writes, others)     \
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
                            .ends = (end),                                     \
                            .parts = (others),                                 \
                            .doc = (text),                                     \
                            .graphdef = (writes)}
#define REDUCTION(id, rule, run, own, n, slope, end, text, writes)             \
    COMPOSITE(id, rule, run, own, n, slope, end, text, writes, NULL)

REDUCTION(sum, infer_sum, kernel_sum, reduce_attrs, 2, grad_sum, 1 + REDUCE_SUM,
          "The sum over the axes, all by default.\n"
          "bool and small ints add up in int32; of nothing it is 0.",
          "Sum");
REDUCTION(prod, infer_sum, kernel_prod, reduce_attrs, 2, grad_prod,
          1 + REDUCE_PROD,
          "The product over the axes, all by default.\n"
          "bool and small ints multiply in int32; of nothing it is 1.",
          "Prod");
// Of floats only, where NumPy would turn ints into float64 unasked.
REDUCTION(mean, infer_mean, kernel_mean, reduce_attrs, 2, grad_mean, END_MEAN,
          "The mean over the axes, all by default; of floats.", "Mean");
// No graphdef name: TensorFlow composes it from other ops.
COMPOSITE(var, infer_mean, kernel_var, reduce_attrs, 3, grad_var, 0,
          "The variance over the axes, all by default; of floats.\n"
          "The sum of squares is divided by the count less correction.",
          NULL, parts_var);
COMPOSITE(std, infer_mean, kernel_std, reduce_attrs, 3, grad_std, 0,
          "The standard deviation over the axes, all by default: the root\n"
          "of var.",
          NULL, parts_std);
// No neutral element, so that of nothing there is no largest.
REDUCTION(max, infer_max, kernel_max, reduce_attrs, 2, grad_extreme,
          1 + REDUCE_MAX,
          "The largest element over the axes, all by default; NaN wins.\n"
          "Of nothing: ShapeError.",
          "Max");
REDUCTION(min, infer_max, kernel_min, reduce_attrs, 2, grad_extreme,
          1 + REDUCE_MIN,
          "The smallest element over the axes, all by default; NaN wins.\n"
          "Of nothing: ShapeError.",
          "Min");
// False of nothing, and `all` is True of nothing: the neutral elements.
REDUCTION(any, infer_any, kernel_any, reduce_attrs, 2, NULL, 1 + REDUCE_ANY,
          "True if one bool over the axes is, all by default.", "Any");
REDUCTION(all, infer_any, kernel_all, reduce_attrs, 2, NULL, 1 + REDUCE_ALL,
          "True if all bools over the axes are, all axes by default.", "All");
COMPOSITE(logsumexp, infer_mean, kernel_logsumexp, reduce_attrs, 2,
          grad_logsumexp, 0,
          "log(sum(exp(x))) over the axes, all by default, without overflow.",
          NULL, parts_logsumexp);
REDUCTION(argmax, infer_argmax, kernel_argmax, arg_attrs, 2, NULL, 0,
          "The index (int64) of the first largest element along the axis,\n"
          "or in the whole tensor, flattened; the first NaN wins.",
          "ArgMax");
REDUCTION(argmin, infer_argmax, kernel_argmin, arg_attrs, 2, NULL, 0,
          "The index (int64) of the first smallest element along the axis,\n"
          "or in the whole tensor, flattened; the first NaN wins.",
          "ArgMin");
