// Reductions of what elementwise ops give, which is not stored: of a block at
// a time it stays in the nearest cache.
#include "kernels/emit.h"
#include "kernels/pool.h"
#include "kernels/threads.h"
#include "ops/reduce.h"

// At work on dense rows.
typedef struct ReducingOf {
    const LoopKernel *first, *then; // then: of one operand, or NULL
    const char *x, *y;              // y: NULL if `first` takes one operand
    int64_t y_row, y_step;          // elements of it to a row, to an element
    char *out;
    int64_t n, parts; // of a row
    size_t size;      // bytes of an element
    RowReduceFn rows;
    FoldFn fold;
} ReducingOf;

// Nanoseconds an element, roughly: threads and polls alone depend on it.
static const double of_cost = 0.2;

// `n` elements of a row, from `at` on, to `out`.
static void run_body(const ReducingOf *r, int64_t row, int64_t at, int64_t n,
                     char *out)
{
    char *x = (char *)r->x + (size_t)(row * r->n + at) * r->size;
    if (r->y == NULL) {
        (void)kernel_run(r->first, (char *[]){x, out}, n);
    } else {
        char *y =
            (char *)r->y + (size_t)(row * r->y_row + at * r->y_step) * r->size;
        (void)kernel_run(r->first, (char *[]){x, y, out}, n);
    }
}

// The results in `block` of `rows` rows of `n` elements: to one of each.
static void reduce_block(const ReducingOf *r, char *out, double *block,
                         int64_t rows, int64_t n)
{
    char *in = (char *)block;
    if (r->then != NULL) {
        (void)kernel_run(r->then, (char *[]){in, in}, rows * n);
    }
    r->rows(out, in, rows, n);
}

// Units are parts of rows of more than a block.
static void run_parts(void *data, int64_t begin, int64_t end, int thread)
{
    enum { BLOCKS = REDUCE_PART / REDUCE_BLOCK };
    const ReducingOf *r = data;
    double block[REDUCE_BLOCK], blocks[BLOCKS];
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        int64_t at = i % r->parts * REDUCE_PART, count = 0;
        int64_t stop = r->n - at < REDUCE_PART ? r->n : at + REDUCE_PART;
        for (; at < stop; at += REDUCE_BLOCK, count++) {
            int64_t n = stop - at < REDUCE_BLOCK ? stop - at : REDUCE_BLOCK;
            run_body(r, i / r->parts, at, n, (char *)block);
            reduce_block(r, (char *)blocks + (size_t)count * r->size, block, 1,
                         n);
        }
        r->fold(r->out + (size_t)i * r->size, blocks, count);
    }
}

// Units are rows; as many as a block holds are reduced together.
static void run_rows(void *data, int64_t begin, int64_t end, int thread)
{
    const ReducingOf *r = data;
    double block[REDUCE_BLOCK];
    bool apart = r->y != NULL && r->y_step == 0 && r->y_row != 0;
    int64_t most = REDUCE_BLOCK / r->n;
    (void)thread;
    for (int64_t row = begin; row < end; row += most) {
        int64_t rows = end - row < most ? end - row : most;
        int64_t turns = apart ? rows : 1, n = rows / turns * r->n;
        for (int64_t i = 0; i < turns; i++) {
            run_body(r, row + i, 0, n,
                     (char *)block + (size_t)(i * n) * r->size);
        }
        reduce_block(r, r->out + (size_t)row * r->size, block, rows, r->n);
    }
}

static bool reduce_parts(Ctx *ctx, ReducingOf *r, int64_t rows)
{
    size_t bytes = (size_t)(rows * r->parts) * r->size;
    Pool *pool = ctx->kernels->pool;
    char *out = r->out;
    double cost = of_cost * (double)(r->n / r->parts);
    if (r->parts > 1) {
        r->out = pool_take(ctx, pool, &bytes);
        if (r->out == NULL) {
            return false;
        }
    }
    bool ok = threads_run(ctx, &(Job){run_parts, r, rows * r->parts, cost});
    for (int64_t i = 0; ok && r->parts > 1 && i < rows; i++) {
        r->fold(out + (size_t)i * r->size,
                r->out + (size_t)(i * r->parts) * r->size, r->parts);
    }
    if (r->parts > 1) {
        pool_give(pool, r->out, bytes);
    }
    return ok;
}

// Whether y is as x, of one element, or one of each row.
static bool place_second(ReducingOf *r, const Tensor *x, const Tensor *y,
                         uint32_t mask)
{
    bool same = y->rank == x->rank, rows = same;
    for (int i = 0; i < x->rank && y->rank == x->rank; i++) {
        int64_t size = tensor_dims(x)[i], other = tensor_dims(y)[i];
        same = same && other == size;
        rows = rows && other == (mask >> i & 1 ? 1 : size);
    }
    r->y = y->data;
    r->y_row = same ? r->n : rows ? 1 : 0;
    r->y_step = same;
    return same || rows || (y->count == 1 && y->rank <= x->rank);
}

int reduce_of(Ctx *ctx, ReduceId id, const ReduceFront *front, uint32_t mask,
              Tensor *out)
{
    Tensor *x = front->x, *y = front->y;
    DType dtype = (DType)x->dtype;
    const KernelState *state = kernel_state(ctx);
    ReduceLayout l;
    if (state == NULL) {
        return -1;
    }
    if (!dtype_is_float(dtype) || dtype_is_half(dtype) || x->count == 0 ||
        mask == 0 || !reduce_layout(x, mask, &l) || l.inner != 1) {
        return 0;
    }
    ReducingOf r = {.x = x->data,
                    .out = out->data,
                    .n = l.reduced,
                    .parts = (l.reduced + REDUCE_PART - 1) / REDUCE_PART,
                    .size = dtype_size(dtype),
                    .rows = state->tier->row_reduce[id][dtype],
                    .fold = state->tier->fold[id][dtype]};
    if (y != NULL && (y->dtype != dtype || !place_second(&r, x, y, mask))) {
        return 0;
    }
    unsigned ones = y != NULL && r.y_step == 0 ? 2 : 0;
    r.first = op_kernel(ctx, front->first, dtype, dtype, NULL, ones);
    if (r.first != NULL && front->then != OP_COUNT) {
        r.then = op_kernel(ctx, front->then, dtype, dtype, NULL, 0);
    }
    if (r.first == NULL || (front->then != OP_COUNT && r.then == NULL)) {
        return -1;
    }
    Job job = {run_rows, &r, l.outer, 20 + of_cost * (double)r.n};
    bool ok = r.n > REDUCE_BLOCK ? reduce_parts(ctx, &r, l.outer)
                                 : threads_run(ctx, &job);
    return ok ? 1 : -1;
}
