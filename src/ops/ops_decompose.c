// Solving and taking apart matrices: inv, solve, cholesky, qr, det.
//
// Matrices stand in the last two axes, those before are a batch. All work is
// done in double, in one fixed order, and rounded once at the end.
#include <math.h>
#include <string.h>

#include "base/bulk.h"
#include "ops/factor.h"
#include "ops/grad.h"
#include "ops/infer.h"

// Runs on one matrix: rows x columns doubles in `a`, `b` (solve alone) of
// rows x width, results in `out` and `second`. False: singular, or an error
// (Ctrl-C) is pending: each looks for it once a row or column.
// One working set for all matrices of a batch.
typedef struct Matrix {
    Ctx *ctx; // to poll
    double *a, *b, *out, *second;
    int64_t rows, columns, width;
} Matrix;

// inv and cholesky: the result has the type of x.
// The inverse and the factor are as large as the matrix.
static bool infer_square(InferCall *call)
{
    return infer_needs_square(call) && infer_same(call);
}

static MatrixPart rows_of(double *at, int64_t columns)
{
    return (MatrixPart){at, columns};
}

// a x = b, x over b.
// False: singular, or interrupted, which the context tells. `a` is spent.
static bool solve_one(Matrix *m)
{
    int64_t n = m->rows, width = m->width;
    return factor_solve(m->ctx, rows_of(m->a, n), n, rows_of(m->b, width),
                        width) &&
           bulk_copy(m->ctx, m->out, m->b,
                     (size_t)(n * width) * sizeof(double));
}

// The unit matrix in `b`. False: interrupted.
static bool set_unit(Matrix *m)
{
    int64_t n = m->rows;
    if (!bulk_fill(m->ctx, m->b, 0, (size_t)(n * n) * sizeof(double))) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        m->b[i * n + i] = 1;
    }
    return true;
}

// Solves for the unit matrix.
static bool invert_one(Matrix *m)
{
    return set_unit(m) && solve_one(m);
}

// The product of the pivots; nothing stands on the right.
static bool determinant_one(Matrix *m)
{
    int64_t n = m->rows;
    return factor_pivots(m->ctx, rows_of(m->a, n), n, rows_of(m->b, 0), 0,
                         m->out) ||
           !ctx_failed(m->ctx);
}

// False where a pivot is not positive (or NaN). L is zero above the diagonal.
static bool cholesky_one(Matrix *m)
{
    int64_t n = m->rows;
    if (!factor_root(m->ctx, rows_of(m->a, n), n) ||
        !bulk_copy(m->ctx, m->out, m->a, (size_t)(n * n) * sizeof(double))) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        memset(m->out + i * n + i + 1, 0, (size_t)(n - i - 1) * sizeof(double));
    }
    return true;
}

// Householder: `a` becomes R, `b` (rows x rows) the whole Q.
// Column k below the diagonal becomes zeros (up to rounding); `v` is scratch
// for as many doubles as there are rows. False: interrupted.
static bool reflect_columns(Matrix *m, int64_t k, double *v)
{
    int64_t rows = m->rows, n = m->columns;
    double below = 0;
    v[k] = m->a[k * n + k];
    for (int64_t i = k + 1; i < rows; i++) {
        v[i] = m->a[i * n + k];
        below += v[i] * v[i];
    }
    // Nothing to reflect, which would turn a sign: they are zeros already.
    if (below == 0) {
        return true;
    }
    double size = sqrt(v[k] * v[k] + below);
    // Away from zero, so that nothing cancels.
    v[k] += v[k] >= 0 ? size : -size;
    double square = 0;
    for (int64_t i = k; i < rows; i++) {
        square += v[i] * v[i];
    }
    // The columns of a and those of b behind them, as if they were one matrix.
    for (int64_t j = 0; j < n + rows; j++) {
        double *x = j < n ? m->a + j : m->b + (j - n), dot = 0;
        int64_t step = j < n ? n : rows;
        for (int64_t i = k; i < rows; i++) {
            dot += v[i] * x[i * step];
        }
        for (int64_t i = k; i < rows; i++) {
            x[i * step] -= 2 * dot / square * v[i];
        }
        if (!ctx_poll(m->ctx)) {
            return false;
        }
    }
    return true;
}

// The reflections are applied to the unit matrix at the same time, which so
// becomes the transpose of Q. Signs follow from the reflections, as in LAPACK:
// the diagonal of R may be negative.
// R has `least` rows and Q `least` columns: the reduced form.
static bool qr_one(Matrix *m)
{
    int64_t rows = m->rows, n = m->columns;
    int64_t least = rows < n ? rows : n;
    double *v = m->b + rows * rows; // the working memory has this much more
    if (!set_unit(m)) {
        return false;
    }
    for (int64_t k = 0; k < least; k++) {
        if (!reflect_columns(m, k, v)) {
            return false;
        }
    }
    for (int64_t i = 0; i < rows; i++) { // b is Q transposed
        if (!ctx_poll(m->ctx)) {
            return false;
        }
        for (int64_t j = 0; j < least; j++) {
            m->out[i * least + j] = m->b[j * rows + i];
        }
    }
    // Below the diagonal rounding has left small numbers: zeros are written
    // instead.
    for (int64_t i = 0; i < least; i++) {
        for (int64_t j = 0; j < n; j++) {
            m->second[i * n + j] = j < i ? 0 : m->a[i * n + j];
        }
    }
    return true;
}

enum { PIECE = 1 << 16 }; // elements between two polls

// To double, which is exact. False: interrupted.
static bool load(Ctx *ctx, double *to, const Tensor *from, int64_t start,
                 int64_t count)
{
    for (int64_t i = 0, end; i < count; i = end) {
        end = count - i < PIECE ? count : i + PIECE;
        for (int64_t k = i; k < end; k++) {
            to[k] = from->dtype == DT_FLOAT32
                        ? (double)((const float *)from->data)[start + k]
                        : tensor_float_at(from, start + k);
        }
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

// The one rounding back to the tensor's dtype. False: interrupted.
static bool store(Ctx *ctx, Tensor *to, int64_t start, const double *from,
                  int64_t count)
{
    for (int64_t i = 0, end; i < count; i = end) {
        end = count - i < PIECE ? count : i + PIECE;
        for (int64_t k = i; k < end; k++) {
            if (to->dtype == DT_FLOAT32) {
                ((float *)to->data)[start + k] = (float)from[k];
            } else {
                tensor_set_float(to, start + k, from[k]);
            }
        }
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

// Elements that one matrix gives in output `k`.
// 0 for an output that the op does not have.
// `matrices` is above 0.
static int64_t part_of(const KernelCall *call, uint32_t k, int64_t matrices)
{
    return k < call->output_count ? call->outputs[k]->count / matrices : 0;
}

// Runs `one` on every matrix of the batch. `fault` says what a matrix is of
// which it answers false; NULL: it does so of none.
static bool each_matrix(const KernelCall *call, bool (*one)(Matrix *),
                        const char *fault)
{
    const Tensor *a = call->inputs[0];
    Matrix m = {.ctx = call->ctx,
                .rows = tensor_dims(a)[a->rank - 2],
                .columns = tensor_dims(a)[a->rank - 1]};
    int64_t size = m.rows * m.columns, matrices = 1;
    for (int i = 0; i + 2 < a->rank; i++) {
        matrices *= tensor_dims(a)[i];
    }
    // Every output is empty then, too.
    if (matrices == 0) {
        return true;
    }
    const Tensor *b = call->input_count > 1 ? call->inputs[1] : NULL;
    // Without an operand b is room for a square matrix.
    int64_t b_size = b != NULL ? b->count / matrices : m.rows * m.rows;
    m.width = m.rows == 0 ? 0 : b_size / m.rows;
    int64_t outs[2] = {part_of(call, 0, matrices), part_of(call, 1, matrices)};
    // a, b with a row more for qr, and the results.
    // One more, so that empty matrices ask for some memory.
    // One block for all: there is one place where memory can fail, and one to
    // free.
    int64_t doubles = size + b_size + m.rows + outs[0] + outs[1] + 1;
    size_t bytes = (size_t)doubles * sizeof(double);
    m.a = ctx_alloc(call->ctx, bytes);
    if (m.a == NULL) {
        return false;
    }
    double *room = m.a;
    m.b = room + size;
    m.out = m.b + b_size + m.rows;
    m.second = m.out + outs[0];
    // determinant_one changes the width, so it is set again for each matrix.
    int64_t width = m.width;
    bool ok = true;
    for (int64_t i = 0; ok && i < matrices; i++) {
        m.width = width;
        ok = load(m.ctx, m.a, a, i * size, size) &&
             (b == NULL || load(m.ctx, m.b, b, i * b_size, b_size)) &&
             // A false of `one` is either an error that is pending, or the
             // matrix's fault.
             (one(&m) || (!ctx_failed(m.ctx) &&
                          ctx_fail(m.ctx, ERR_OP_VALUE, "%s: the matrix is %s",
                                   call->op->name, fault)));
        for (uint32_t k = 0; ok && k < call->output_count; k++) {
            ok = store(m.ctx, call->outputs[k], i * outs[k],
                       k == 0 ? m.out : m.second, outs[k]);
        }
    }
    ctx_free(call->ctx, room, bytes);
    return ok;
}

// What follows binds each op to its work on one matrix.
static bool kernel_inv(const KernelCall *call)
{
    return each_matrix(call, invert_one, "singular");
}
// x1 and x2 are walked together, a pair of matrices at a time.
static bool kernel_solve(const KernelCall *call)
{
    return each_matrix(call, solve_one, "singular");
}
// OpValueError where one is not positive definite.
static bool kernel_cholesky(const KernelCall *call)
{
    return each_matrix(call, cholesky_one, "not positive definite");
}
// By the pivots of an LU decomposition.
static bool kernel_det(const KernelCall *call)
{
    return each_matrix(call, determinant_one, NULL);
}
// Two outputs for each matrix.
static bool kernel_qr(const KernelCall *call)
{
    return each_matrix(call, qr_one, NULL);
}

// The batch's shape is what stays.
// A rank that is not known stays so.
static bool infer_det(InferCall *call)
{
    TensorType type = call->inputs[0];
    return infer_needs_square(call) &&
           infer_output(call, 0, type.dtype,
                        type.rank < 0 ? type.rank : type.rank - 2, type.dims);
}

// b is a vector where a is one matrix, or has a's batch and rows.
// The result is as x2 is: x has a row for each column of x1, and x1 is square.
static bool infer_solve(InferCall *call)
{
    TensorType a = call->inputs[0], b = call->inputs[1];
    if (!infer_equal_dtypes(call, 0) || !infer_needs_square(call) ||
        !infer_output(call, 0, b.dtype, b.rank, b.dims)) {
        return false;
    }
    if (a.rank == RANK_UNKNOWN || b.rank == RANK_UNKNOWN) {
        return true;
    }
    // No broadcasting of batches: a vector with a batch would be ambiguous, as
    // it was in NumPy before 2.
    bool fits = b.rank == a.rank || (a.rank == 2 && b.rank == 1);
    for (int i = 0; fits && i < a.rank - 1; i++) {
        fits = a.dims[i] == b.dims[i] || a.dims[i] == DIM_UNKNOWN ||
               b.dims[i] == DIM_UNKNOWN;
    }
    return fits ||
           infer_shape_error2(call,
                              "right sides of shape %s do not fit matrices of "
                              "shape %s",
                              b, a);
}

// The reduced form: the smaller of rows and columns is the inner size.
// Q is (rows, least), R is (least, columns), with the batch in front of both.
static bool infer_qr(InferCall *call)
{
    TensorType a = call->inputs[0];
    if (!infer_needs_float(call, a.dtype) || !infer_needs_rank(call, 0, 2)) {
        return false;
    }
    call->output_count = 2;
    for (int i = 0; i < 2; i++) {
        infer_output(call, i, a.dtype, a.rank, a.dims);
    }
    if (a.rank == RANK_UNKNOWN) {
        return true;
    }
    int64_t rows = a.dims[a.rank - 2], columns = a.dims[a.rank - 1];
    bool open = rows == DIM_UNKNOWN || columns == DIM_UNKNOWN;
    int64_t least = open ? DIM_UNKNOWN : rows < columns ? rows : columns;
    call->out_shapes[0].dims[a.rank - 1] = least;
    call->out_shapes[1].dims[a.rank - 2] = least;
    return true;
}

// Without graphdef names: the writer has a form of its own for them.
#define MATRIX_OP(text, names, inputs, outputs, rule, run)                     \
    .name = (text), .params = (names), .min_inputs = (inputs),                 \
    .max_inputs = (inputs), .output_count = (outputs), .infer = (rule),        \
    .kernel = (run)

// ---- gradients, of matrices; batches stand in front

// a @ b
static EmitValue product(Emit *e, EmitValue a, EmitValue b)
{
    return emit_2(e, OP_MATMUL, a, b);
}

static EmitValue lower_half(Emit *e, EmitValue x, int64_t k)
{
    AttrValue attr = {.kind = ATTR_INT, .integer = k};
    return emit_1(e, OP_TRIL, x, &attr);
}

static bool grad_inv(GradCall *call)
{
    Emit *e = call->emit;
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue t = grad_transpose(e, call->outputs[0]);
    EmitValue g = product(e, t, product(e, call->output_grads[0], t));
    return grad_give(call, 0, grad_neg(e, g));
}

// A vector on the right is a column.
static bool grad_solve(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue y = call->outputs[0], g = call->output_grads[0];
    AttrValue last = {.kind = ATTR_INT, .integer = -1};
    EmitValue right =
        emit_2(e, OP_SOLVE, grad_transpose(e, call->inputs[0]), g);
    if (call->wanted[1] &&
        !grad_give(call, 1, grad_sum_to(e, right, call->inputs[1]))) {
        return false;
    }
    if (!call->wanted[0]) {
        return true;
    }
    if (emit_type(e, call->inputs[1]).rank == 1) {
        right = emit_1(e, OP_EXPAND_DIMS, right, &last);
        y = emit_1(e, OP_EXPAND_DIMS, y, &last);
    }
    EmitValue own = grad_neg(e, product(e, right, grad_transpose(e, y)));
    return grad_give(call, 0, grad_sum_to(e, own, call->inputs[0]));
}

// Symmetric, as the operand is. Half of the diagonal counts on either side.
static bool grad_cholesky(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue l = call->outputs[0];
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue t = grad_transpose(e, l);
    EmitValue inner = product(e, t, call->output_grads[0]);
    inner = grad_times(
        e, grad_add(e, lower_half(e, inner, 0), lower_half(e, inner, -1)), 0.5);
    EmitValue own = emit_2(e, OP_SOLVE, t, inner);
    own = grad_transpose(e, emit_2(e, OP_SOLVE, t, grad_transpose(e, own)));
    own = grad_add(e, own, grad_transpose(e, own));
    return grad_give(call, 0, grad_times(e, own, 0.5));
}

static bool grad_det(GradCall *call)
{
    Emit *e = call->emit;
    AttrValue last = {.kind = ATTR_INT, .integer = -1};
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue g = grad_mul(e, call->output_grads[0], call->outputs[0]);
    g = emit_1(e, OP_EXPAND_DIMS, emit_1(e, OP_EXPAND_DIMS, g, &last), &last);
    EmitValue t = grad_transpose(e, emit_1(e, OP_INV, call->inputs[0], NULL));
    return grad_give(call, 0, grad_mul(e, g, t));
}

// x @ inverse(r)', for an upper triangular r.
static EmitValue divided(Emit *e, EmitValue x, EmitValue r)
{
    return grad_transpose(e, emit_2(e, OP_SOLVE, r, grad_transpose(e, x)));
}

// x less its transpose.
static EmitValue skew(Emit *e, EmitValue x)
{
    return grad_sub(e, x, grad_transpose(e, x));
}

// Of matrices with at least as many rows as columns: R must be square.
static bool grad_qr(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue q = call->outputs[0], r = call->outputs[1];
    EmitValue to_q = call->output_grads[0], to_r = call->output_grads[1];
    TensorType type = emit_type(e, call->inputs[0]);
    AttrValue none = {.kind = ATTR_NONE};
    if (!call->wanted[0]) {
        return true;
    }
    if (type.rank == RANK_UNKNOWN ||
        type.dims[type.rank - 2] < type.dims[type.rank - 1]) {
        return ctx_fail(e->ctx, ERR_SHAPE,
                        "qr: has a gradient where there are at least as many "
                        "rows as columns");
    }
    to_q = to_q != NULL ? to_q : emit_1(e, OP_ZEROS_LIKE, q, &none);
    to_r = to_r != NULL ? to_r : emit_1(e, OP_ZEROS_LIKE, r, &none);
    EmitValue inner = product(e, grad_transpose(e, q), to_q);
    EmitValue both = grad_add(e, skew(e, inner),
                              skew(e, product(e, r, grad_transpose(e, to_r))));
    EmitValue own =
        product(e, q, grad_add(e, to_r, divided(e, lower_half(e, both, 0), r)));
    EmitValue rest = grad_sub(e, to_q, product(e, q, inner));
    return grad_give(call, 0, grad_add(e, own, divided(e, rest, r)));
}

const OpDesc op_inv = {
    MATRIX_OP("inv", "x, /", 1, 1, infer_square, kernel_inv),
    .doc = "The inverse of square matrices of floats; OpValueError if one is\n"
           "singular.",
    .flags = OP_MAY_FAIL,
    .gradient = grad_inv,
};
const OpDesc op_solve = {
    MATRIX_OP("solve", "x1, x2, /", 2, 1, infer_solve, kernel_solve),
    .doc = "What x1 @ x = x2 gives for x: x1 square matrices, x2 matrices\n"
           "(or one vector). OpValueError if a matrix is singular.",
    .flags = OP_MAY_FAIL,
    .gradient = grad_solve,
};
// Reads the lower triangle alone, so that symmetry is not checked.
const OpDesc op_cholesky = {
    MATRIX_OP("cholesky", "x, /", 1, 1, infer_square, kernel_cholesky),
    .doc = "The lower triangular L with L @ L.T = x, of symmetric positive\n"
           "definite matrices; OpValueError if one is not.",
    .flags = OP_MAY_FAIL,
    .gradient = grad_cholesky,
};
// Cannot fail: of a singular matrix it is 0.
const OpDesc op_det = {
    MATRIX_OP("det", "x, /", 1, 1, infer_det, kernel_det),
    .doc = "The determinant of square matrices of floats.",
    .gradient = grad_det,
};
const OpDesc op_qr = {
    MATRIX_OP("qr", "x, /", 1, 2, infer_qr, kernel_qr),
    .doc = "An orthonormal Q and an upper triangular R with Q @ R = x,\n"
           "reduced to the smaller of rows and columns.",
    .gradient = grad_qr,
};
