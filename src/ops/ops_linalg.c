// Matrix products.
#include <string.h>

#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/product.h"
#include "ops/shape_cure.h"

// The two sizes of the product's matrices that must agree, and the result's
// own two (or one, or none: a vector operand gives no dimension).
// Sizes may be DIM_UNKNOWN while a trace infers; in a kernel never.
typedef struct MatmulShape {
    int64_t m, n, k;
    bool left_vector, right_vector;
} MatmulShape;

// A vector on the left is a matrix of one row, on the right of one column, so
// that the kernels know matrices alone.
static MatmulShape matmul_shape(TensorType a, TensorType b)
{
    MatmulShape s = {.left_vector = a.rank == 1, .right_vector = b.rank == 1};
    s.m = s.left_vector ? 1 : a.dims[a.rank - 2];
    s.n = s.right_vector ? 1 : b.dims[b.rank - 1];
    s.k = a.dims[a.rank - 1];
    return s;
}

// What stands before the matrices broadcasts like an elementwise op's shapes:
// the same dims, seen with a rank that is two less.
static bool infer_matmul_dims(InferCall *call, TensorType a, TensorType b)
{
    MatmulShape s = matmul_shape(a, b);
    int64_t other = b.dims[s.right_vector ? 0 : b.rank - 2];
    if (s.k != other && s.k != DIM_UNKNOWN && other != DIM_UNKNOWN) {
        StrBuf cure;
        strbuf_init(&cure, call->ctx);
        shape_cure_matmul(&cure, a, b);
        return infer_shape_cured(call, &cure,
                                 "inner dimensions differ: %s @ %s", a, b);
    }
    Shape *out = &call->out_shapes[0];
    TensorType left = {a.dtype, s.left_vector ? 0 : a.rank - 2, a.dims};
    TensorType right = {b.dtype, s.right_vector ? 0 : b.rank - 2, b.dims};
    if (!shape_broadcast(call->ctx, call->op->name, left, right, out)) {
        return false;
    }
    // Checked with room for both, even where a vector gives none.
    if (out->rank + 2 > SHAPE_MAX_RANK) {
        return infer_shape_error2(call, "rank too high: %s @ %s", a, b);
    }
    if (!s.left_vector) {
        out->dims[out->rank++] = s.m;
    }
    if (!s.right_vector) {
        out->dims[out->rank++] = s.n;
    }
    return true;
}

// What the gemm kernels compute: int32, int64 and floats.
static bool infer_matmul(InferCall *call)
{
    TensorType a = call->inputs[0], b = call->inputs[1];
    if (!infer_equal_dtypes(call, 0)) {
        return false;
    }
    // The portable tier has all kernels that there are: what is refused must
    // not depend on the machine.
    if (a.dtype == DT_STRING ||
        (!dtype_is_half(a.dtype) && tier_portable.gemm[a.dtype] == NULL)) {
        return infer_dtype_refused(call, a.dtype);
    }
    if (a.rank == 0 || b.rank == 0) {
        return infer_shape_error2(
            call,
            "%s @ %s: a scalar has no axis to sum over; * multiplies by "
            "one",
            a, b);
    }
    call->out_dtypes[0] = a.dtype;
    if (a.rank == RANK_UNKNOWN || b.rank == RANK_UNKNOWN) {
        call->out_shapes[0].rank = RANK_UNKNOWN;
        return true;
    }
    return infer_matmul_dims(call, a, b);
}

// Which matrix of a batched operand goes into matrix `index` of the result.
static int64_t batch_index(TensorType type, bool vector, const Shape *batch,
                           int64_t index)
{
    int rank = vector ? 0 : type.rank - 2;
    int64_t at = 0, step = 1;
    for (int i = 1; i <= rank; i++) {
        // From the last batch axis backwards, as the index counts.
        int64_t size = batch->dims[batch->rank - i];
        int64_t own = type.dims[rank - i];
        at += own == 1 ? 0 : index % size * step;
        step *= own;
        index /= size;
    }
    return at;
}

static void place_matrices(const void *data, int64_t index, GemmArgs *args)
{
    const Matmul *m = data;
    int64_t at_a =
        batch_index(m->left_type, m->left_type.rank == 1, &m->batch, index);
    int64_t at_b =
        batch_index(m->right_type, m->right_type.rank == 1, &m->batch, index);
    args->a = m->left + at_a * m->left_size;
    args->b = m->right + at_b * m->right_size;
    args->c = m->to + index * m->to_size;
}

// All three matrices with dense rows.
static GemmArgs dense_args(int64_t m, int64_t n, int64_t k)
{
    return (GemmArgs){.m = m,
                      .n = n,
                      .k = k,
                      .a_row = k,
                      .a_step = 1,
                      .b_row = n,
                      .b_step = 1,
                      .c_row = n};
}

// The sizes as if what is turned were not.
static void turn_shape(MatmulShape *s, TensorType left, TensorType right,
                       unsigned turned)
{
    if ((turned & PRODUCT_LEFT) != 0) {
        s->m = left.dims[left.rank - 1];
        s->k = left.dims[left.rank - 2];
    }
    if ((turned & PRODUCT_RIGHT) != 0) {
        s->n = right.dims[right.rank - 2];
    }
}

static void turn_args(GemmArgs *args, unsigned turned)
{
    if ((turned & PRODUCT_LEFT) != 0) {
        args->a_row = 1;
        args->a_step = args->m;
    }
    if ((turned & PRODUCT_RIGHT) != 0) {
        args->b_row = 1;
        args->b_step = args->k;
    }
}

void product_bind(Matmul *matmul, const Tensor *left, const Tensor *right)
{
    matmul->left = left->data;
    matmul->right = right->data;
    matmul->left_type = tensor_type(left);
    matmul->right_type = tensor_type(right);
}

// Whether the operand has a matrix of `size` elements for each of the result's,
// or one for all of them. The elements from one to the next.
static bool is_even(int64_t elements, int64_t size, int64_t count,
                    int64_t *next)
{
    *next = elements == size ? 0 : size;
    return elements == size || elements == size * count;
}

// A batch on the left alone is one matrix with as many more rows. The output
// needs no clearing: the kernels overwrite it.
void product_matmul(Matmul *matmul, const Tensor *left, const Tensor *right,
                    unsigned turned, TensorType type, void *to)
{
    TensorType a = tensor_type(left), b = tensor_type(right);
    MatmulShape s = matmul_shape(a, b);
    product_bind(matmul, left, right);
    turn_shape(&s, a, b, turned);
    int64_t size = (int64_t)dtype_size(type.dtype), count = 1;
    shape_set(&matmul->batch, type.rank - !s.left_vector - !s.right_vector,
              type.dims);
    for (int i = 0; i < matmul->batch.rank; i++) {
        count *= matmul->batch.dims[i];
    }
    if (count > 1 && right->count == s.k * s.n && !s.left_vector &&
        (turned & PRODUCT_LEFT) == 0) {
        s.m *= count;
        count = 1;
    }
    matmul->to = to;
    matmul->left_size = s.m * s.k * size;
    matmul->right_size = s.k * s.n * size;
    matmul->to_size = s.m * s.n * size;
    matmul->product = (Product){.dtype = type.dtype,
                                .args = dense_args(s.m, s.n, s.k),
                                .count = count,
                                .place = place_matrices,
                                .batch = matmul,
                                .dot = s.left_vector && s.right_vector &&
                                       s.k > 0 && dtype_is_float(type.dtype)};
    GemmMany *many = &matmul->product.args.many;
    turn_args(&matmul->product.args, turned);
    matmul->product.even = is_even(left->count, s.m * s.k, count, &many->a) &&
                           is_even(right->count, s.k * s.n, count, &many->b);
    many->c = s.m * s.n;
}

static bool kernel_matmul(const KernelCall *call)
{
    Matmul matmul;
    Tensor *out = call->outputs[0];
    product_matmul(&matmul, call->inputs[0], call->inputs[1], 0,
                   tensor_type(out), out->data);
    return product_run(call->ctx, &matmul.product);
}

// Two matrices, eagerly: no shape rule to run, one product.
// Rank 2 is always inline, so the sizes are read without asking the rank
// again. Products that want working memory are large enough not to notice the
// long way.
static int quick_matmul(Ctx *ctx, Tensor *const *inputs, Tensor **output)
{
    Tensor *a = inputs[0], *b = inputs[1];
    if (a->rank != 2 || b->rank != 2 || a->dtype != b->dtype ||
        a->inline_dims[1] != b->inline_dims[0] || a->dtype == DT_STRING) {
        return 0;
    }
    KernelState *state = kernel_state(ctx);
    int64_t m = a->inline_dims[0], k = a->inline_dims[1];
    int64_t n = b->inline_dims[1];
    if (state == NULL) {
        return -1;
    }
    GemmArgs args = dense_args(m, n, k);
    // The long way words the refusal of a dtype.
    if (state->tier->gemm[a->dtype] == NULL ||
        !product_is_small(ctx, (DType)a->dtype, &args)) {
        return 0;
    }
    int64_t sizes[] = {m, n};
    *output = tensor_new_counted(ctx, (DType)a->dtype, 2, sizes, m * n);
    if (*output == NULL) {
        return -1;
    }
    // k may be 0: the product is then zeros, which the kernel writes.
    args.a = a->data;
    args.b = b->data;
    args.c = (*output)->data;
    state->tier->gemm[a->dtype](&args);
    return 1;
}

// x as a matrix where it is a vector: a row on the left, a column on the right.
static EmitValue as_matrix(Emit *e, EmitValue x, bool left)
{
    AttrValue axis = {.kind = ATTR_INT, .integer = left ? 0 : 1};
    return x != NULL && emit_type(e, x).rank == 1
               ? emit_1(e, OP_EXPAND_DIMS, x, &axis)
               : x;
}

// g @ y' and x' @ g, of matrices; what was a vector becomes one again.
static bool grad_matmul(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0], y = call->inputs[1];
    EmitValue g = call->output_grads[0];
    int left = emit_type(e, x).rank, right = emit_type(e, y).rank;
    if (!infer_knows_rank(e->ctx, "the gradient of matmul", left) ||
        !infer_knows_rank(e->ctx, "the gradient of matmul", right)) {
        return false;
    }
    AttrValue last = {.kind = ATTR_INT, .integer = -1};
    AttrValue row = {.kind = ATTR_INT, .integer = -2};
    g = right == 1 ? emit_1(e, OP_EXPAND_DIMS, g, &last) : g;
    g = left == 1 ? emit_1(e, OP_EXPAND_DIMS, g, &row) : g;
    EmitValue a = as_matrix(e, x, true), b = as_matrix(e, y, false);
    if (call->wanted[0]) {
        EmitValue own = emit_2(e, OP_MATMUL, g, grad_transpose(e, b));
        own = grad_sum_to(e, own, a);
        if (!grad_give(call, 0, left == 1 ? grad_flat(e, own) : own)) {
            return false;
        }
    }
    if (!call->wanted[1]) {
        return true;
    }
    EmitValue own = emit_2(e, OP_MATMUL, grad_transpose(e, a), g);
    own = grad_sum_to(e, own, b);
    return grad_give(call, 1, right == 1 ? grad_flat(e, own) : own);
}

// The order of additions is part of the definition: without it neither threads
// nor tiles could give the same bits.
const OpDesc op_matmul = {
    .name = "matmul",
    .params = "x1, x2, /",
    .doc = "The matrix product x1 @ x2, of int32, int64 and floats.\n"
           "The last two dimensions are matrices, those before broadcast; a\n"
           "vector counts as a row on the left and a column on the right.\n"
           "Elements accumulate in order of k, with fma; of two vectors\n"
           "they are sum(x1 * x2), in its order.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_METHOD,
    .infer = infer_matmul,
    .kernel = kernel_matmul,
    .quick = quick_matmul,
    .gradient = grad_matmul,
    .graphdef = "BatchMatMulV2",
};
