// Reductions of tensors by the kernels of rows and columns, on threads.
#include "ops/reduce.h"

#include "kernels/pool.h"
#include "kernels/threads.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

// Axes of size 1 belong to no part. The strides of the three parts follow
// from their sizes, so no more than these is kept.
// A scattered set of axes (0 and 2 of three) has no such form: false.
bool reduce_layout(const Tensor *tensor, uint32_t mask, ReduceLayout *layout)
{
    const int64_t *dims = tensor_dims(tensor);
    *layout = (ReduceLayout){1, 1, 1};
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

bool reduce_end(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                TensorType in, ReduceEnd *end)
{
    uint32_t mask;
    *end = (ReduceEnd){.rows = 1, .columns = 1};
    if (op->ends == 0 || dtype_is_half(in.dtype) ||
        !shape_is_static(in.rank, in.dims)) {
        return false;
    }
    if (!infer_axes(ctx, op->name, &attrs[0], in.rank, &mask)) {
        ctx_clear(ctx);
        return false;
    }
    bool reduced = false;
    for (int i = 0; i < in.rank; i++) {
        reduced = in.dims[i] == 1 ? reduced : mask >> i & 1;
        if (in.dims[i] > 1 && !reduced && end->columns > 1) {
            return false;
        }
        *(reduced ? &end->columns : &end->rows) *= in.dims[i];
    }
    end->id = (ReduceId)(op->ends == END_MEAN ? REDUCE_SUM : op->ends - 1);
    end->divisor = op->ends == END_MEAN ? (double)end->columns : 0;
    return end->columns > 0 && end->rows > 0;
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

// A reduction at work on dense elements, in units of rows, of parts of one row
// or of columns.
typedef struct Reducing {
    RowReduceFn rows;
    ColumnReduceFn columns;
    const char *in;
    char *out;
    size_t in_size, out_size; // of an element
    int64_t n;                // of a row, or of rows that are folded
    int64_t width, across;    // columns of the whole, units to it
} Reducing;

enum { COLUMNS_A_UNIT = 256 };
// Nanoseconds an element, roughly: threads and polls alone depend on it.
static const double fold_cost = 0.1;

static void run_rows(void *data, int64_t begin, int64_t end, int thread)
{
    const Reducing *r = data;
    (void)thread;
    r->rows(r->out + (size_t)begin * r->out_size,
            r->in + (size_t)(begin * r->n) * r->in_size, end - begin, r->n);
}

static void run_parts(void *data, int64_t begin, int64_t end, int thread)
{
    const Reducing *r = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t left = r->n - i * REDUCE_PART;
        r->rows(r->out + (size_t)i * r->out_size,
                r->in + (size_t)(i * REDUCE_PART) * r->in_size, 1,
                left < REDUCE_PART ? left : REDUCE_PART);
    }
}

static void run_columns(void *data, int64_t begin, int64_t end, int thread)
{
    const Reducing *r = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = i % r->across * COLUMNS_A_UNIT;
        int64_t outer = i / r->across, left = r->width - first;
        r->columns(
            r->out + (size_t)(outer * r->width + first) * r->out_size,
            r->in + (size_t)(outer * r->n * r->width + first) * r->in_size,
            r->n, r->width, left < COLUMNS_A_UNIT ? left : COLUMNS_A_UNIT);
    }
}

// One long row: the parts' results are folded as the row itself would be.
static bool reduce_long_row(Ctx *ctx, Reducing *r, FoldFn fold)
{
    int64_t parts = (r->n + REDUCE_PART - 1) / REDUCE_PART;
    size_t bytes = (size_t)parts * r->out_size;
    char *out = r->out;
    r->out = pool_take(ctx, ctx->kernels->pool, &bytes);
    if (r->out == NULL) {
        r->out = out;
        return false;
    }
    bool ok =
        threads_run(ctx, &(Job){run_parts, r, parts, fold_cost * REDUCE_PART});
    if (ok) {
        fold(out, r->out, parts);
    }
    pool_give(ctx->kernels->pool, r->out, bytes);
    r->out = out;
    return ok;
}

// Dense rows of r->n elements each.
static bool reduce_rows(Ctx *ctx, Reducing *r, FoldFn fold, int64_t rows)
{
    if (r->n <= 2 * REDUCE_PART) {
        double cost = 20 + fold_cost * (double)r->n;
        return threads_run(ctx, &(Job){run_rows, r, rows, cost});
    }
    for (int64_t i = 0; i < rows; i++) {
        if (!reduce_long_row(ctx, r, fold)) {
            return false;
        }
        r->in += (size_t)r->n * r->in_size;
        r->out += r->out_size;
    }
    return true;
}

// The last of the runs of neighbouring axes that the mask has.
static uint32_t last_run(const Tensor *tensor, uint32_t mask)
{
    uint32_t run = 0;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        bool reduced = mask >> i & 1;
        if (tensor_dims(tensor)[i] == 1) {
            continue;
        }
        if (run != 0 && !reduced) {
            break;
        }
        run |= reduced ? 1U << i : 0;
    }
    return run;
}

// The last run to a tensor of the accumulator's type, and that to `out`.
static bool reduce_scattered(Ctx *ctx, ReduceId id, Tensor *in, uint32_t mask,
                             Tensor *out)
{
    int64_t dims[SHAPE_MAX_RANK];
    uint32_t run = last_run(in, mask);
    for (int i = 0; i < in->rank; i++) {
        dims[i] = run >> i & 1 ? 1 : tensor_dims(in)[i];
    }
    Tensor *part = tensor_new(ctx, (DType)out->dtype, in->rank, dims);
    bool ok = part != NULL && reduce_into(ctx, id, in, run, part) &&
              reduce_into(ctx, id, part, mask & ~run, out);
    object_release_null(ctx, part);
    return ok;
}

// Reduces to `out`, which has the kernel's accumulator type.
bool reduce_into(Ctx *ctx, ReduceId id, Tensor *in, uint32_t mask, Tensor *out)
{
    ReduceLayout l;
    KernelState *state = kernel_state(ctx);
    if (state == NULL) {
        return false;
    }
    Reducing r = {.rows = state->tier->row_reduce[id][in->dtype],
                  .columns = state->tier->column_reduce[id][in->dtype],
                  .in = in->data,
                  .out = out->data,
                  .in_size = dtype_size((DType)in->dtype),
                  .out_size = dtype_size((DType)out->dtype)};
    FoldFn fold = state->tier->fold[id][in->dtype];
    if (!reduce_layout(in, mask, &l)) {
        return reduce_scattered(ctx, id, in, mask, out);
    }
    r.n = l.reduced;
    if (l.inner == 1) {
        return reduce_rows(ctx, &r, fold, l.outer);
    }
    // Columns: whole rows are added onto one row, so that memory is read in
    // its own order.
    r.width = l.inner;
    r.across = (l.inner + COLUMNS_A_UNIT - 1) / COLUMNS_A_UNIT;
    double cost =
        20 + fold_cost * (double)r.n *
                 (double)(l.inner < COLUMNS_A_UNIT ? l.inner : COLUMNS_A_UNIT);
    return threads_run(ctx, &(Job){run_columns, &r, l.outer * r.across, cost});
}

bool reduce_by_rows(Ctx *ctx, RowReduceFn kernel, Tensor *in, uint32_t mask,
                    Tensor *out, double cost)
{
    ReduceLayout l;
    Tensor *rows = NULL;
    if (!reduce_layout(in, mask, &l) || l.inner != 1) {
        rows = reduced_last(ctx, in, mask);
        if (rows == NULL) {
            return false;
        }
    }
    Reducing r = {.rows = kernel,
                  .in = rows == NULL ? in->data : rows->data,
                  .out = out->data,
                  .in_size = dtype_size((DType)in->dtype),
                  .out_size = dtype_size((DType)out->dtype),
                  .n = out->count == 0 ? 0 : in->count / out->count};
    cost = 20 + cost * (double)r.n;
    bool ok = threads_run(ctx, &(Job){run_rows, &r, out->count, cost});
    object_release_null(ctx, rows);
    return ok;
}

// Once an element, so that no rounding of a reciprocal shows.
bool reduce_divide(Ctx *ctx, Tensor *out, double divisor)
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
