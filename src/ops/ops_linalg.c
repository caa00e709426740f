// Matrix products.
#include <string.h>

#include "kernels/pool.h"
#include "ops/infer.h"
#include "ops/strips.h"

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
        return infer_shape_error2(call, "inner dimensions differ: %s @ %s", a,
                                  b);
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
    if (a.dtype == DT_STRING || tier_portable.gemm[a.dtype] == NULL) {
        return infer_dtype_refused(call, a.dtype);
    }
    if (!infer_needs_rank(call, 0, 1) || !infer_needs_rank(call, 1, 1)) {
        return false;
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

// Multiplies the matrices of the batch one by one.
static bool multiply_all(const KernelCall *call, GemmArgs *args,
                         const MatmulShape *s)
{
    Tensor *left = call->inputs[0], *right = call->inputs[1];
    Tensor *out = call->outputs[0];
    TensorType a = tensor_type(left), b = tensor_type(right);
    Shape batch;
    shape_set(&batch, out->rank - !s->left_vector - !s->right_vector,
              tensor_dims(out));
    // Without elements m * n may be 0, and there is nothing to multiply.
    int64_t matrices = out->count == 0 ? 0 : out->count / (s->m * s->n);
    int64_t size = (int64_t)dtype_size((DType)out->dtype);
    for (int64_t i = 0; i < matrices; i++) {
        int64_t at_a = batch_index(a, s->left_vector, &batch, i);
        int64_t at_b = batch_index(b, s->right_vector, &batch, i);
        args->a = (const char *)left->data + at_a * s->m * s->k * size;
        args->b = (const char *)right->data + at_b * s->k * s->n * size;
        args->c = (char *)out->data + i * s->m * s->n * size;
        if (!strips_multiply(call->ctx, (DType)out->dtype, *args)) {
            return false;
        }
    }
    return true;
}

// Working memory is taken once for the whole batch.
static bool kernel_matmul(const KernelCall *call)
{
    KernelState *state = kernel_state(call->ctx);
    MatmulShape s = matmul_shape(tensor_type(call->inputs[0]),
                                 tensor_type(call->inputs[1]));
    GemmArgs args = {
        .m = s.m, .n = s.n, .k = s.k, .lda = s.k, .ldb = s.n, .ldc = s.n};
    // The pool rounds it up; the same number gives the block back.
    size_t bytes = GEMM_WORK_SIZE;
    if (state == NULL) {
        return false;
    }
    if (gemm_wants_work(s.m, s.n, s.k)) {
        args.work = pool_take(call->ctx, state->pool, &bytes);
        if (args.work == NULL) {
            return false;
        }
    }
    // The output needs no clearing: gemm overwrites it.
    bool ok = multiply_all(call, &args, &s);
    if (args.work != NULL) {
        pool_give(state->pool, args.work, bytes);
    }
    return ok;
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
    GemmFn gemm = state->tier->gemm[a->dtype];
    // The long way words the refusal of a dtype.
    if (gemm == NULL || gemm_wants_work(m, n, k)) {
        return 0;
    }
    *output = tensor_new(ctx, (DType)a->dtype, 2, (int64_t[]){m, n});
    if (*output == NULL) {
        return -1;
    }
    // k may be 0: the product is then zeros, which gemm writes.
    if (m > 0 && n > 0) {
        gemm(&(GemmArgs){m, n, k, a->data, b->data, k, n, (*output)->data, n,
                         NULL});
    }
    return 1;
}

// The order of additions is part of the definition: without it neither threads
// nor tiles could give the same bits.
const OpDesc op_matmul = {
    .name = "matmul",
    .params = "x1, x2, /",
    .doc = "The matrix product x1 @ x2, of int32, int64 and floats.\n"
           "The last two dimensions are matrices, those before broadcast; a\n"
           "vector counts as a row on the left and a column on the right.\n"
           "Elements accumulate in order of k, with fma.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_METHOD,
    .infer = infer_matmul,
    .kernel = kernel_matmul,
    .quick = quick_matmul,
    .graphdef = "BatchMatMulV2",
};
