// A walk over the op table, and the first ops against expected numbers.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/op.h"

static void release(Ctx *ctx, Object *object)
{
    tensor_dealloc(ctx, (Tensor *)object);
}

static void start(Ctx *ctx)
{
    memset(ctx, 0, sizeof(*ctx));
    ctx_init(ctx, 0);
    ctx->dealloc = release;
}

static Tensor *counting(Ctx *ctx, DType dtype, int rank, const int64_t *dims)
{
    Tensor *tensor = tensor_new(ctx, dtype, rank, dims);
    cr_assert_not_null(tensor);
    for (int64_t i = 0; i < tensor->count; i++) {
        tensor_set_int(tensor, i, i % 120 + 1);
    }
    return tensor;
}

Test(op_table, every_op_is_described)
{
    for (int i = 0; i < OP_COUNT; i++) {
        const OpDesc *op = op_desc((OpCode)i);
        cr_assert_not_null(op->name);
        cr_assert(op->doc != NULL && strlen(op->doc) > 10, "%s", op->name);
        cr_assert_not_null(op->params, "%s", op->name);
        // A constant takes no step; all else has one way to run.
        bool structural = op->payload != PAYLOAD_NONE || op->block_count > 0;
        bool lists = (op->flags & OP_LISTS) != 0;
        cr_assert_eq(op->infer == NULL, structural, "%s", op->name);
        cr_assert_eq(op->run != NULL,
                     lists || (structural && op->payload != PAYLOAD_TENSOR),
                     "%s", op->name);
        cr_assert_eq(op->kernel != NULL || op->compose != NULL ||
                         (op->flags & OP_ELEMENTWISE) != 0,
                     !structural && !lists, "%s", op->name);
        // Lists are values of graphs alone.
        cr_assert(!lists || (op->flags & OP_INTERNAL), "%s", op->name);
        cr_assert_leq(op->block_count, OP_MAX_BLOCKS);
        for (int b = 0; b < op->block_count; b++) {
            cr_assert_not_null(op->blocks[b].name, "%s", op->name);
            // A loop has params everywhere, or it is none.
            cr_assert_eq(op->blocks[b].params, op_is_loop(op), "%s", op->name);
        }
        cr_assert_eq(op_find(op->name, strlen(op->name)), i, "%s", op->name);
        cr_assert_leq(op->attr_count, OP_MAX_ATTRS);
        cr_assert_leq(op->min_inputs, op->max_inputs);
    }
}

// Ops of the table without a rule, for a reason. All others have one, and one
// that says that nothing flows (grad_none) counts: so a new op whose gradient
// nobody thought of fails here, rather than where a program asks for it.
// Elementwise ops of bools and ints, or with a bool for a result, need none.
static const char *const without_rule[] = {
    // ints, bools and strings come out
    "nonzero", "searchsorted", "shape_of", "argsort", "any", "all", "argmax",
    "argmin", "strings.length", "strings.upper", "strings.lower",
    "strings.join", "strings.split", "strings.to_number",
    // nothing goes in that a gradient flows into
    "zeros", "ones", "eye", "one_hot",
    // an order that is drawn: TensorFlow has none either
    "rng.shuffle",
    // not yet
    "unique_inverse"};

Test(op_table, every_op_has_a_gradient_or_a_reason)
{
    size_t reasons = sizeof without_rule / sizeof *without_rule;
    bool used[sizeof without_rule / sizeof *without_rule] = {false};
    for (int i = 0; i < OP_COUNT; i++) {
        const OpDesc *op = op_desc((OpCode)i);
        bool has =
            op->gradient != NULL || op->compose != NULL ||
            op->payload != PAYLOAD_NONE || op->block_count > 0 ||
            ((op->flags & OP_ELEMENTWISE) != 0 &&
             (op->result == RESULT_BOOL || (op->takes & TAKES_FLOAT) == 0));
        for (size_t k = 0; !has && k < reasons; k++) {
            if (strcmp(without_rule[k], op->name) == 0) {
                has = used[k] = true;
            }
        }
        cr_expect(has, "%s has no gradient and no reason", op->name);
    }
    for (size_t k = 0; k < reasons; k++) {
        cr_expect(used[k], "%s has a gradient now", without_rule[k]);
    }
}

// Ops with a rule that every_op.duet does not hold against differences.
static const char *const checked_elsewhere[] = {
    // nothing flows, or all does (tests/lang/gradients/tape.duet)
    "sign", "floor", "floor_divide", "ceil", "trunc", "round", "stop_gradient",
    "zeros_like", "ones_like", "full_like", "rng.uniform", "rng.normal",
    "rng.integers",
    // drawn again for the way back (tests/lang/gradients/state_and_draws.duet)
    "dropout"};

// The programs call each op by its name, or say it in a case's name.
Test(op_table, every_gradient_is_checked)
{
    char path[8192];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/lang/gradients/every_op.duet",
             srcdir != NULL ? srcdir : "..");
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    char *text = calloc(1, 1 << 16);
    cr_assert_lt(fread(text, 1, (1 << 16) - 1, file), (1 << 16) - 1);
    fclose(file);
    size_t count = sizeof checked_elsewhere / sizeof *checked_elsewhere;
    for (int i = 0; i < OP_COUNT; i++) {
        const OpDesc *op = op_desc((OpCode)i);
        char call[80], named[80];
        snprintf(call, sizeof call, "%s(", op->name);
        snprintf(named, sizeof named, "(\"%s", op->name);
        // Internal ones are what other ops' rules are made of: second orders
        // go through them.
        bool known = (op->gradient == NULL && op->compose == NULL) ||
                     (op->flags & OP_INTERNAL) != 0 ||
                     strstr(text, call) != NULL || strstr(text, named) != NULL;
        for (size_t k = 0; !known && k < count; k++) {
            known = strcmp(checked_elsewhere[k], op->name) == 0;
        }
        cr_expect(known, "the gradient of %s is not checked", op->name);
    }
    free(text);
}

// Every elementwise op on every dtype: the shape rule and the driver agree,
// the quick way and the broadcasting way give the same bits, and so do the
// tiers.
static void check_elementwise(Ctx *ctx, OpCode code, DType dtype)
{
    const OpDesc *op = op_desc(code);
    int64_t dims[2] = {3, 70};
    Tensor *in[3], *out, *again;
    uint32_t count;
    for (uint32_t k = 0; k < op->min_inputs; k++) {
        bool condition = op_chooses(op) && k == 0;
        in[k] = counting(ctx, condition ? DT_BOOL : dtype, 2, dims);
    }
    if (op_run(ctx, code, in, op->min_inputs, NULL, &out, &count)) {
        cr_assert(shape_equal(out->rank, tensor_dims(out), 2, dims));
        const char *const tiers[] = {"loop", "avx2", "avx512"};
        for (int i = 0; i < 3; i++) {
            const Tier *tier = tier_find(tiers[i]);
            if (tier != NULL) {
                ctx->kernels->tier = tier;
                cr_assert(op_run(ctx, code, in, op->min_inputs, NULL, &again,
                                 &count));
                cr_assert(tensor_identical(out, again), "%s %s %s", op->name,
                          dtype_name(dtype), tiers[i]);
                object_release(ctx, again);
            }
        }
        object_release(ctx, out);
    } else {
        cr_assert_eq(ctx->error.kind, ERR_DTYPE, "%s: %s", op->name,
                     ctx->error.text);
        ctx_clear(ctx);
    }
    for (uint32_t k = 0; k < op->min_inputs; k++) {
        object_release(ctx, in[k]);
    }
}

Test(op_table, elementwise_ops_agree_on_every_tier)
{
    Ctx ctx;
    start(&ctx);
    for (int i = 0; i < OP_COUNT; i++) {
        const OpDesc *op = op_desc((OpCode)i);
        if ((op->flags & OP_ELEMENTWISE) && op->attr_count == 0) {
            for (int dtype = 0; dtype < DT_STRING; dtype++) {
                check_elementwise(&ctx, (OpCode)i, (DType)dtype);
            }
        }
    }
    ctx_destroy(&ctx);
}

Test(op_table, integer_division_by_zero_is_an_error)
{
    Ctx ctx;
    uint32_t count;
    start(&ctx);
    Tensor *in[2] = {tensor_scalar_int(&ctx, DT_INT32, 7),
                     tensor_scalar_int(&ctx, DT_INT32, 0)};
    Tensor *out;
    cr_assert(!op_run(&ctx, OP_FLOOR_DIVIDE, in, 2, NULL, &out, &count));
    cr_assert_eq(ctx.error.kind, ERR_OP_DIVISION);
    cr_assert_str_eq(ctx.error.text, "floor_divide: division by zero");
    object_release(&ctx, in[0]);
    object_release(&ctx, in[1]);
    ctx_destroy(&ctx);
}

// Against a product written out, with depths and widths past every block.
Test(op_table, int_matmul_is_exact)
{
    Ctx ctx;
    uint32_t count;
    start(&ctx);
    int64_t sizes[][3] = {{10, 10, 10}, {1, 1, 1}, {7, 300, 19}, {6, 0, 3}};
    for (int s = 0; s < 4; s++) {
        int64_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
        Tensor *in[2] = {counting(&ctx, DT_INT32, 2, (int64_t[]){m, k}),
                         counting(&ctx, DT_INT32, 2, (int64_t[]){k, n})};
        Tensor *out;
        cr_assert(op_run(&ctx, OP_MATMUL, in, 2, NULL, &out, &count));
        for (int64_t i = 0; i < m * n; i++) {
            int64_t sum = 0;
            for (int64_t j = 0; j < k; j++) {
                sum += tensor_int_at(in[0], i / n * k + j) *
                       tensor_int_at(in[1], j * n + i % n);
            }
            cr_assert_eq(tensor_int_at(out, i), (int32_t)sum);
        }
        object_release(&ctx, out);
        object_release(&ctx, in[0]);
        object_release(&ctx, in[1]);
    }
    ctx_destroy(&ctx);
}

Test(op_table, tensors_print_as_numpy_prints_them)
{
    Ctx ctx;
    StrBuf text;
    start(&ctx);
    strbuf_init(&text, &ctx);
    Tensor *tensor = tensor_new(&ctx, DT_FLOAT32, 2, (int64_t[]){2, 2});
    for (int i = 0; i < 4; i++) {
        tensor_set_float(tensor, i, i + 1);
    }
    tensor_print_repr(&text, tensor);
    cr_assert_str_eq(strbuf_text(&text), "tensor([[1., 2.],\n"
                                         "        [3., 4.]], dtype=float32)");
    strbuf_free(&text);
    object_release(&ctx, tensor);
    ctx_destroy(&ctx);
}
