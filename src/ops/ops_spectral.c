// Eigenvalues of symmetric matrices and singular values of any: eigh, svd.
//
// Matrices stand in the last two axes, those before are a batch. Both turn
// pairs of columns until all stand at right angles (Jacobi; for svd the
// one-sided form of Hestenes), in double and in one fixed order, and round once
// at the end: slower than what LAPACK does, simple, and accurate for small
// values too. Demmel, "Applied Numerical Linear Algebra" (1997), 5.3.5, 5.4.3.
#include <float.h>
#include <math.h>

#include "ops/grad.h"
#include "ops/infer.h"

enum { SWEEPS = 60 }; // over all pairs; some ten are needed

// One matrix as columns: a column's elements stand beside each other.
typedef struct Columns {
    double *at;
    int64_t count, size;
} Columns;

static double *column(const Columns *m, int64_t i)
{
    return m->at + i * m->size;
}

static double dot(const double *x, const double *y, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

// The tangent of the angle that brings (a, c; c, b) to a diagonal.
static double tangent(double a, double b, double c)
{
    double zeta = (b - a) / (2 * c);
    return (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
}

static void turn(double *x, double *y, int64_t count, int64_t step, double t)
{
    double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
    for (int64_t i = 0; i < count; i++) {
        double left = x[i * step], right = y[i * step];
        x[i * step] = cosine * left - sine * right;
        y[i * step] = sine * left + cosine * right;
    }
}

static void set_unit(const Columns *m)
{
    for (int64_t i = 0; i < m->count * m->size; i++) {
        m->at[i] = i % (m->size + 1) == 0;
    }
}

// `a`, symmetric, becomes diagonal; `v` its eigenvectors. False: interrupted.
static bool diagonalise(Ctx *ctx, const Columns *a, const Columns *v)
{
    int64_t n = a->count;
    bool turned = true;
    set_unit(v);
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int64_t p = 0; p < n; p++) {
            for (int64_t q = p + 1; q < n; q++) {
                double app = column(a, p)[p], aqq = column(a, q)[q];
                double apq = column(a, q)[p];
                if (!ctx_poll(ctx)) {
                    return false;
                }
                // A NaN compares false and ends the work.
                if (!(fabs(apq) > DBL_EPSILON * sqrt(fabs(app * aqq)) &&
                      fabs(apq) > DBL_MIN)) {
                    continue;
                }
                double t = tangent(app, aqq, apq);
                turn(column(a, p), column(a, q), n, 1, t);
                turn(a->at + p, a->at + q, n, n, t);
                turn(column(v, p), column(v, q), n, 1, t);
                turned = true;
            }
        }
    }
    return true;
}

// The columns of `a` are brought to right angles, those of `v` turned along.
// False: interrupted.
static bool orthogonalise(Ctx *ctx, const Columns *a, const Columns *v)
{
    bool turned = true;
    set_unit(v);
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int64_t p = 0; p < a->count; p++) {
            for (int64_t q = p + 1; q < a->count; q++) {
                double *x = column(a, p), *y = column(a, q);
                double xx = dot(x, x, a->size), yy = dot(y, y, a->size);
                double xy = dot(x, y, a->size);
                if (!ctx_poll(ctx)) {
                    return false;
                }
                if (!(fabs(xy) > DBL_EPSILON * sqrt(xx * yy))) {
                    continue;
                }
                double t = tangent(xx, yy, xy);
                turn(x, y, a->size, 1, t);
                turn(column(v, p), column(v, q), v->size, 1, t);
                turned = true;
            }
        }
    }
    return true;
}

// A unit column at right angles to the first `count`: what is left of the unit
// vector that lies in them least.
static void complete(const Columns *m, int64_t count, double *to)
{
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t i = 0; i < m->size; i++) {
        double inside = 0;
        for (int64_t j = 0; j < count; j++) {
            inside += column(m, j)[i] * column(m, j)[i];
        }
        if (inside < least) {
            least = inside;
            best = i;
        }
    }
    for (int64_t i = 0; i < m->size; i++) {
        to[i] = i == best;
    }
    // Twice, for what rounding leaves.
    for (int64_t j = 0; j < 2 * count; j++) {
        double *other = column(m, j % count);
        double part = dot(to, other, m->size);
        for (int64_t i = 0; i < m->size; i++) {
            to[i] -= part * other[i];
        }
    }
    double size = sqrt(dot(to, to, m->size));
    for (int64_t i = 0; i < m->size; i++) {
        to[i] /= size;
    }
}

// order[i]: the number of the i-th smallest value. Few values: by insertion.
static void sort_values(const double *values, int64_t count, int64_t *order)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t at = i;
        for (; at > 0 && values[order[at - 1]] > values[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

// A column's sign is chosen so that its largest element is positive.
static double sign_of(const double *x, int64_t count)
{
    double best = 0;
    for (int64_t i = 0; i < count; i++) {
        best = fabs(x[i]) > fabs(best) ? x[i] : best;
    }
    return best < 0 ? -1 : 1;
}

// Working memory for one matrix of the batch, freed by the caller as a whole.
typedef struct Room {
    Columns a, v, u; // u as large as a
    double *values;
    int64_t *order;
    void *block;
    size_t bytes;
} Room;

// `count` columns of `size`. False: no memory.
static bool make_room(Ctx *ctx, int64_t count, int64_t size, Room *room)
{
    int64_t a = count * size, v = count * count;
    room->bytes = (size_t)(2 * a + v + 2 * count + 1) * sizeof(double);
    room->block = ctx_alloc(ctx, room->bytes);
    if (room->block == NULL) {
        return false;
    }
    room->a = (Columns){room->block, count, size};
    room->v = (Columns){room->a.at + a, count, count};
    room->u = (Columns){room->v.at + v, count, size};
    room->values = room->u.at + a;
    room->order = (int64_t *)(room->values + count);
    return true;
}

// Runs `one` on each matrix of the batch, with room for `count` columns of
// `size`. False: no memory, or interrupted.
static bool each_matrix(const KernelCall *call, int64_t count, int64_t size,
                        bool (*one)(const KernelCall *, Room *, int64_t))
{
    Room room;
    const Tensor *x = call->inputs[0];
    int64_t matrices = 1;
    for (int i = 0; i + 2 < x->rank; i++) {
        matrices *= tensor_dims(x)[i];
    }
    if (!make_room(call->ctx, count, size, &room)) {
        return false;
    }
    bool ok = true;
    for (int64_t i = 0; ok && i < matrices; i++) {
        ok = one(call, &room, i);
    }
    ctx_free(call->ctx, room.block, room.bytes);
    return ok;
}

// `count` elements of a row or column of an output.
static void put_line(Tensor *out, int64_t at, int64_t step, double scale,
                     const double *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        tensor_set_float(out, at + i * step, scale * from[i] + 0.0); // no -0
    }
}

static bool eigh_one(const KernelCall *call, Room *room, int64_t index)
{
    const Tensor *x = call->inputs[0];
    Columns *a = &room->a, *v = &room->v;
    int64_t n = a->count;
    for (int64_t i = 0; i < n * n; i++) { // the lower triangle, mirrored
        int64_t row = i / n, col = i % n;
        int64_t from = row >= col ? i : col * n + row;
        a->at[i] = tensor_float_at(x, index * n * n + from);
    }
    if (!diagonalise(call->ctx, a, v)) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        room->values[i] = column(a, i)[i];
    }
    sort_values(room->values, n, room->order);
    for (int64_t i = 0; i < n; i++) {
        double *vector = column(v, room->order[i]), sign = sign_of(vector, n);
        tensor_set_float(call->outputs[0], index * n + i,
                         room->values[room->order[i]]);
        put_line(call->outputs[1], index * n * n + i, n, sign, vector, n);
    }
    return ctx_poll(call->ctx);
}

static bool kernel_eigh(const KernelCall *call)
{
    const Tensor *x = call->inputs[0];
    int64_t n = tensor_dims(x)[x->rank - 1];
    return each_matrix(call, n, n, eigh_one);
}

// The long side of what `orthogonalise` made, the largest first: unit columns,
// and where a column is zero any that stands at right angles to the others.
static void unit_columns(Room *room)
{
    int64_t n = room->a.count, size = room->a.size;
    for (int64_t i = 0; i < n; i++) { // negative, so that the largest is first
        const double *x = column(&room->a, i);
        room->values[i] = -sqrt(dot(x, x, size));
    }
    sort_values(room->values, n, room->order);
    for (int64_t i = 0; i < n; i++) {
        double length = -room->values[room->order[i]];
        const double *x = column(&room->a, room->order[i]);
        double *unit = column(&room->u, i);
        if (length == 0) {
            complete(&room->u, i, unit);
        }
        for (int64_t j = 0; length != 0 && j < size; j++) {
            unit[j] = x[j] / length;
        }
    }
}

// Taken apart is the matrix, or its transpose if it is wide: u then is the
// right side and v the left.
static bool svd_one(const KernelCall *call, Room *room, int64_t index)
{
    const Tensor *x = call->inputs[0];
    int64_t rows = tensor_dims(x)[x->rank - 2];
    int64_t columns = tensor_dims(x)[x->rank - 1];
    int64_t n = room->a.count, start = index * rows * columns;
    for (int64_t i = 0; i < rows * columns; i++) {
        int64_t place = i % columns * rows + i / columns;
        room->a.at[rows >= columns ? place : i] = tensor_float_at(x, start + i);
    }
    if (!orthogonalise(call->ctx, &room->a, &room->v)) {
        return false;
    }
    unit_columns(room);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = room->order[i];
        bool tall = rows >= columns;
        const double *u = column(&room->u, i), *v = column(&room->v, from);
        const double *left = tall ? u : v, *right = tall ? v : u;
        double sign = sign_of(left, rows);
        put_line(call->outputs[0], index * rows * n + i, n, sign, left, rows);
        tensor_set_float(call->outputs[1], index * n + i, -room->values[from]);
        put_line(call->outputs[2], (index * n + i) * columns, 1, sign, right,
                 columns);
    }
    return ctx_poll(call->ctx);
}

static bool kernel_svd(const KernelCall *call)
{
    const Tensor *x = call->inputs[0];
    int64_t rows = tensor_dims(x)[x->rank - 2];
    int64_t columns = tensor_dims(x)[x->rank - 1];
    return rows < columns ? each_matrix(call, rows, columns, svd_one)
                          : each_matrix(call, columns, rows, svd_one);
}

static bool infer_eigh(InferCall *call)
{
    TensorType x = call->inputs[0];
    call->output_count = 2;
    return infer_needs_square(call) &&
           infer_output(call, 0, x.dtype,
                        x.rank == RANK_UNKNOWN ? x.rank : x.rank - 1, x.dims) &&
           infer_output(call, 1, x.dtype, x.rank, x.dims);
}

static bool infer_svd(InferCall *call)
{
    TensorType x = call->inputs[0];
    call->output_count = 3;
    if (!infer_needs_float(call, x.dtype) || !infer_needs_rank(call, 0, 2)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        infer_output(call, i, x.dtype, x.rank, x.dims);
    }
    if (x.rank == RANK_UNKNOWN) {
        return true;
    }
    int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
    bool open = rows == DIM_UNKNOWN || columns == DIM_UNKNOWN;
    int64_t least = open ? DIM_UNKNOWN : rows < columns ? rows : columns;
    call->out_shapes[0].dims[x.rank - 1] = least;
    call->out_shapes[1].rank = x.rank - 1;
    call->out_shapes[1].dims[x.rank - 2] = least;
    call->out_shapes[2].dims[x.rank - 2] = least;
    return true;
}

// A vector for each matrix as a row, or as a column.
static EmitValue as_row(Emit *e, EmitValue x)
{
    return emit_1(e, OP_EXPAND_DIMS, x,
                  &(AttrValue){.kind = ATTR_INT, .integer = -2});
}

static EmitValue as_column(Emit *e, EmitValue x)
{
    return emit_1(e, OP_EXPAND_DIMS, x,
                  &(AttrValue){.kind = ATTR_INT, .integer = -1});
}

// x[i, j] / (w[j] - w[i]), with 0 on the diagonal; equal values have no
// gradient and give infinities, as elsewhere.
static EmitValue over_gaps(Emit *e, EmitValue x, EmitValue w)
{
    EmitValue gaps = grad_sub(e, as_row(e, w), as_column(e, w));
    // The unit matrix: 1 where a place's row and column are one.
    AttrValue none = {.kind = ATTR_NONE};
    AttrValue zero = {.kind = ATTR_INT, .integer = 0};
    EmitValue ones = emit_1(e, OP_ONES_LIKE, gaps, &none);
    EmitValue unit = emit_1(e, OP_TRIU, emit_1(e, OP_TRIL, ones, &zero), &zero);
    return grad_mul(
        e, x, grad_div(e, grad_minus(e, 1, unit), grad_add(e, gaps, unit)));
}

// What the first gradient that there is begins; false where one failed.
static bool add_to(Emit *e, EmitValue *sum, EmitValue more)
{
    *sum = *sum == NULL ? more : grad_add(e, *sum, more);
    return *sum != NULL;
}

#define TIMES(a, b) emit_2(e, OP_MATMUL, a, b)

// v (diag(g_w) + F v'g_v) v', with F of over_gaps.
static bool grad_eigh(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue w = call->outputs[0], v = call->outputs[1];
    EmitValue to_w = call->output_grads[0], to_v = call->output_grads[1];
    if (!call->wanted[0] || (to_w == NULL && to_v == NULL)) {
        return true;
    }
    EmitValue t = grad_transpose(e, v), left = NULL;
    return (to_v == NULL ||
            add_to(e, &left, TIMES(v, over_gaps(e, TIMES(t, to_v), w)))) &&
           (to_w == NULL ||
            add_to(e, &left, grad_mul(e, v, as_row(e, to_w)))) &&
           grad_give(call, 0, TIMES(left, t));
}

// What a gradient g of u gives x = u diag(s) t, but for t: what turns within
// the room that u spans, and what leads out of it,
// u F (u'g - g'u) diag(s) + (1 - uu') g / s, with F of over_gaps for s * s.
static EmitValue svd_side(Emit *e, EmitValue u, EmitValue g, EmitValue s)
{
    EmitValue own = TIMES(grad_transpose(e, u), g), row = as_row(e, s);
    EmitValue turn = over_gaps(e, grad_sub(e, own, grad_transpose(e, own)),
                               grad_square(e, s));
    return grad_add(e, grad_mul(e, TIMES(u, turn), row),
                    grad_div(e, grad_sub(e, g, TIMES(u, own)), row));
}

// That of t is that of u when all is transposed.
static bool grad_svd(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue u = call->outputs[0], s = call->outputs[1], t = call->outputs[2];
    EmitValue to_u = call->output_grads[0], to_s = call->output_grads[1];
    EmitValue to_t = call->output_grads[2], left = NULL, all = NULL;
    if (!call->wanted[0] || (to_u == NULL && to_s == NULL && to_t == NULL)) {
        return true;
    }
    return (to_u == NULL || add_to(e, &left, svd_side(e, u, to_u, s))) &&
           (to_s == NULL ||
            add_to(e, &left, grad_mul(e, u, as_row(e, to_s)))) &&
           (left == NULL || add_to(e, &all, TIMES(left, t))) &&
           (to_t == NULL ||
            add_to(e, &all,
                   TIMES(u, grad_transpose(e, svd_side(e, grad_transpose(e, t),
                                                       grad_transpose(e, to_t),
                                                       s))))) &&
           grad_give(call, 0, all);
}

const OpDesc op_eigh = {
    .name = "eigh",
    .params = "x, /",
    .doc = "(eigenvalues from the smallest on, a matrix of eigenvectors as\n"
           "columns) of symmetric matrices of floats, of which the lower\n"
           "triangle is read. The largest element of a vector is positive.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 2,
    .infer = infer_eigh,
    .kernel = kernel_eigh,
    .gradient = grad_eigh,
};
const OpDesc op_svd = {
    .name = "svd",
    .params = "x, /",
    .doc = "(U, S, V) with U @ diag(S) @ V = x, of matrices of floats: the\n"
           "singular values from the largest on, reduced to the smaller of\n"
           "rows and columns. The largest element of a column of U is\n"
           "positive.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 3,
    .infer = infer_svd,
    .kernel = kernel_svd,
    .gradient = grad_svd,
};
