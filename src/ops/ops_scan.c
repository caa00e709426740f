// Running sums and products: cumsum, cumprod.
//
// Elements are added in order along the axis, in the result's dtype: the
// definition that every tier and number of threads shares.
#include <string.h>

#include "ops/grad.h"
#include "ops/infer.h"

// Small ints and bools run in int32, as sum and prod do.
static DType scan_dtype(DType dtype)
{
    return dtype == DT_INT64 || dtype_is_float(dtype) ? dtype : DT_INT32;
}

// Without an axis the elements count as one vector.
static bool infer_scan(InferCall *call)
{
    TensorType type = call->inputs[0];
    int axis;
    if (type.dtype == DT_STRING) {
        return infer_dtype_refused(call, type.dtype);
    }
    DType dtype = scan_dtype(type.dtype);
    if (attr_given(&call->attrs[0])) {
        return (type.rank == RANK_UNKNOWN ||
                infer_axis(call->ctx, call->op->name, &call->attrs[0],
                           type.rank, 0, &axis)) &&
               infer_output(call, 0, dtype, type.rank, type.dims);
    }
    int64_t count = DIM_UNKNOWN;
    return (!shape_is_static(type.rank, type.dims) ||
            shape_count(call->ctx, type.rank, type.dims, dtype, &count)) &&
           infer_output(call, 0, dtype, 1, &count);
}

// Rows that lie within each other: element k of row j is number `start` +
// k * rows + j of the tensor.
typedef struct ScanRow {
    Ctx *ctx; // polled within long rows
    int64_t start, rows, count;
    bool exclusive, reverse;
} ScanRow;

// T is read, A is what runs and is written, U what A is computed in. The sum
// before an element and with it are both at hand, so that `exclusive` costs
// nothing. Of several rows each place goes on from the one before.
#define SCAN_ONE(T, A, U, JOIN)                                                \
    for (int64_t i = 0; i < row->count; i++) {                                 \
        int64_t k = row->reverse ? row->count - 1 - i : i;                     \
        A r = (A)x[k], joined = (A)((U)l JOIN(U) r);                           \
        y[k] = row->exclusive ? l : joined;                                    \
        l = joined;                                                            \
        if (!ctx_poll_at(row->ctx, (size_t)i + 1)) {                           \
            return false;                                                      \
        }                                                                      \
    }
#define SCAN_MANY(T, A, U, JOIN)                                               \
    for (int64_t i = 0; i < row->count; i++) {                                 \
        int64_t step = row->reverse ? -row->rows : row->rows;                  \
        int64_t k = (row->reverse ? row->count - 1 - i : i) * row->rows;       \
        const T *from = x + (row->exclusive && i > 0 ? k - step : k);          \
        const A *before = y + (i > 0 ? k - step : k);                          \
        for (int64_t j = 0; j < row->rows; j++) {                              \
            A so_far = i > 0 ? before[j] : l, r = (A)from[j];                  \
            y[k + j] =                                                         \
                i == 0 && row->exclusive ? l : (A)((U)so_far JOIN(U) r);       \
            if (!ctx_poll_at(row->ctx, (size_t)j + 1)) {                       \
                return false;                                                  \
            }                                                                  \
        }                                                                      \
        if (!ctx_poll(row->ctx)) {                                             \
            return false;                                                      \
        }                                                                      \
    }
#define SCAN_CASE(id, T, A, U, JOIN)                                           \
    case id: {                                                                 \
        const T *x = (const T *)in->data + row->start;                         \
        A *y = (A *)out->data + row->start, l = first;                         \
        if (row->rows == 1) {                                                  \
            SCAN_ONE(T, A, U, JOIN)                                            \
        } else {                                                               \
            SCAN_MANY(T, A, U, JOIN)                                           \
        }                                                                      \
        break;                                                                 \
    }
// No strings: the rule refuses them.
#define SCAN_CASES(JOIN)                                                       \
    switch ((DType)in->dtype) {                                                \
        SCAN_CASE(DT_BOOL, uint8_t, int32_t, uint32_t, JOIN)                   \
        SCAN_CASE(DT_UINT8, uint8_t, int32_t, uint32_t, JOIN)                  \
        SCAN_CASE(DT_INT8, int8_t, int32_t, uint32_t, JOIN)                    \
        SCAN_CASE(DT_INT16, int16_t, int32_t, uint32_t, JOIN)                  \
        SCAN_CASE(DT_INT32, int32_t, int32_t, uint32_t, JOIN)                  \
        SCAN_CASE(DT_INT64, int64_t, int64_t, uint64_t, JOIN)                  \
        SCAN_CASE(DT_FLOAT32, float, float, float, JOIN)                       \
        SCAN_CASE(DT_FLOAT64, double, double, double, JOIN)                    \
    case DT_FLOAT16: /* comes as float32 */                                    \
    case DT_BFLOAT16:                                                          \
    case DT_STRING:                                                            \
    case DT_NONE: break;                                                       \
    }

// Ints add in unsigned arithmetic, so that overflow wraps and is defined.
static bool scan_sum(const Tensor *in, Tensor *out, const ScanRow *row)
{
    const int first = 0;
    SCAN_CASES(+)
    return true;
}

// The neutral element differs, and the operator; the rest is shared.
static bool scan_product(const Tensor *in, Tensor *out, const ScanRow *row)
{
    const int first = 1;
    SCAN_CASES(*)
    return true;
}

// Runs over every row along the axis; without one the tensor is one row.
static bool scan(const KernelCall *call,
                 bool (*run)(const Tensor *, Tensor *, const ScanRow *))
{
    Tensor *in = call->inputs[0];
    int axis = 0;
    ScanRow row = {.ctx = call->ctx,
                   .rows = 1,
                   .count = in->count,
                   .exclusive = attr_bool(&call->attrs[1], false),
                   .reverse = attr_bool(&call->attrs[2], false)};
    // Without an axis the whole tensor is one row.
    if (attr_given(&call->attrs[0])) {
        if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], in->rank, 0,
                        &axis)) {
            return false;
        }
        row.count = tensor_dims(in)[axis];
        for (int i = axis + 1; i < in->rank; i++) {
            row.rows *= tensor_dims(in)[i];
        }
    }
    int64_t block = row.count * row.rows;
    for (; block > 0 && row.start < in->count; row.start += block) {
        if (!run(in, call->outputs[0], &row) || !ctx_poll(call->ctx)) {
            return false;
        }
    }
    return true;
}

// From the first element on, in order: no pairwise sums, whose rounding would
// differ.
static bool kernel_cumsum(const KernelCall *call)
{
    return scan(call, scan_sum);
}

// As kernel_cumsum.
static bool kernel_cumprod(const KernelCall *call)
{
    return scan(call, scan_product);
}

// `exclusive` and `reverse` are TensorFlow's; NumPy has the axis alone.
static const AttrDesc scan_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "None"},
    {"exclusive", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
    {"reverse", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};
// The sums of what came after each element, where sums came before it; in the
// operand's shape, for without an axis the result is flat.
static EmitValue summed_back(GradCall *call, EmitValue g)
{
    AttrValue attrs[3] = {call->attrs[0], call->attrs[1], call->attrs[2]};
    attrs[2] =
        (AttrValue){.kind = ATTR_BOOL, .boolean = !attr_bool(&attrs[2], false)};
    return grad_reshape_like(
        call->emit, emit_1(call->emit, OP_CUMSUM, g, attrs), call->inputs[0]);
}

static bool grad_cumsum(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0, summed_back(call, call->output_grads[0]));
}

// The product before an element, times what follows it: the gradients of the
// products that hold it, each times the elements between. No quotient, so that
// an element may be 0.
static bool grad_cumprod(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0], g = call->output_grads[0];
    AttrValue attrs[3] = {call->attrs[0], call->attrs[1], call->attrs[2]};
    bool exclusive = attr_bool(&attrs[1], false);
    if (!grad_asked(call, 0)) {
        return true;
    }
    if (!attr_given(&attrs[0])) {
        attrs[0] = (AttrValue){.kind = ATTR_INT, .integer = 0};
        x = grad_flat(e, x);
    }
    AttrValue back[2] = {
        attrs[0], {.kind = ATTR_BOOL, .boolean = !attr_bool(&attrs[2], false)}};
    EmitValue before = call->outputs[0];
    if (!exclusive) {
        attrs[1] = (AttrValue){.kind = ATTR_BOOL, .boolean = true};
        before = emit_1(e, OP_CUMPROD, x, attrs);
        g = grad_add(e, g, grad_recur(e, grad_mul(e, g, x), x, back));
    } else {
        g = grad_recur(e, g, x, back);
    }
    return grad_give(
        call, 0, grad_reshape_like(e, grad_mul(e, before, g), call->inputs[0]));
}

// One rule and one set of attributes for both.
#define SCAN(text, run_it)                                                     \
    .name = (text), .params = "x, /", .min_inputs = 1, .max_inputs = 1,        \
    .output_count = 1, .flags = OP_METHOD, .attrs = scan_attrs,                \
    .attr_count = 3, .infer = infer_scan, .kernel = (run_it)

const OpDesc op_cumsum = {
    SCAN("cumsum", kernel_cumsum),
    .doc = "The sums of the elements up to each one along the axis; without\n"
           "an axis of all, flattened. `exclusive` leaves the element itself\n"
           "out, `reverse` goes from the end. Small ints add up in int32.",
    .gradient = grad_cumsum,
    .graphdef = "Cumsum",
};
const OpDesc op_cumprod = {
    SCAN("cumprod", kernel_cumprod),
    .doc = "The products of the elements up to each one along the axis;\n"
           "options and dtypes as for cumsum.",
    .gradient = grad_cumprod,
    .graphdef = "Cumprod",
};
