// Draws of random numbers, from the context's counters (base/rng.h).
//
// An element takes one block of words, in row-major order, so the same seed
// gives the same tensor eagerly and staged. A draw moves the counters even if
// its result is not used: it is an effect that no pass may drop.
#include <math.h>

#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

// The attributes of every draw, in this order.
// For rng.normal LOW and HIGH are the mean and the deviation.
enum { DRAW_SHAPE, DRAW_LOW, DRAW_HIGH, DRAW_DTYPE };

// The shape that was asked for; sizes below 0 are refused where they are known.
static bool infer_draw(InferCall *call, DType dtype)
{
    call->out_dtypes[0] = dtype;
    if (!infer_ints(call, &call->attrs[0], &call->out_shapes[0])) {
        return false;
    }
    Shape *out = &call->out_shapes[0];
    for (int i = 0; call->attrs[0].kind != ATTR_INPUT && i < out->rank; i++) {
        if (out->dims[i] < 0) {
            return infer_shape_error(call, "negative size in shape %s",
                                     (TensorType){dtype, out->rank, out->dims});
        }
    }
    return true;
}

// Python's 1 and 1.0 mean the same limit.
static double number_of(const AttrValue *attr, double otherwise)
{
    return attr->kind == ATTR_FLOAT ? attr->number
           : attr->kind == ATTR_INT ? (double)attr->integer
                                    : otherwise;
}

// Ints need both ends, and at least one number between them.
static bool infer_int_range(const InferCall *call, double low, double high)
{
    if (!attr_given(&call->attrs[DRAW_HIGH])) {
        return ctx_fail(call->ctx, ERR_OP_VALUE,
                        "%s: maxval must be given for ints", call->op->name);
    }
    return low < high ||
           ctx_fail(call->ctx, ERR_OP_VALUE,
                    "%s: needs minval < maxval, got %.17g >= %.17g",
                    call->op->name, low, high);
}

// Of floats, or of ints between two ends.
static bool infer_uniform(InferCall *call)
{
    DType dtype = attr_dtype(&call->attrs[DRAW_DTYPE], DT_FLOAT32);
    if (dtype_is_integer(dtype)) {
        return infer_int_range(call, number_of(&call->attrs[DRAW_LOW], 0),
                               number_of(&call->attrs[DRAW_HIGH], 0)) &&
               infer_draw(call, dtype);
    }
    return infer_needs_float(call, dtype) && infer_draw(call, dtype);
}

// Nothing to check between mean and deviation: any numbers will do.
static bool infer_normal(InferCall *call)
{
    DType dtype = attr_dtype(&call->attrs[DRAW_DTYPE], DT_FLOAT32);
    return infer_needs_float(call, dtype) && infer_draw(call, dtype);
}

// Compared as ints first: as doubles two neighbours above 2**53 would seem
// equal.
static bool infer_integers(InferCall *call)
{
    DType dtype = attr_dtype(&call->attrs[DRAW_DTYPE], DT_INT32);
    if (!dtype_is_integer(dtype)) {
        return infer_dtype_refused(call, dtype);
    }
    int64_t low = attr_int(&call->attrs[DRAW_LOW], 0);
    int64_t high = attr_int(&call->attrs[DRAW_HIGH], 0);
    if (attr_given(&call->attrs[DRAW_HIGH]) && low < high) {
        return infer_draw(call, dtype);
    }
    return infer_int_range(call, (double)low, (double)high) &&
           infer_draw(call, dtype);
}

// The order of the words is fixed, so that machines agree.
static uint64_t next_word64(uint32_t words[4], int half)
{
    return (uint64_t)words[half * 2] << 32 | words[half * 2 + 1];
}

// In [0, 1).
static double unit_of(uint64_t word, DType dtype)
{
    return dtype == DT_BFLOAT16  ? (double)(word >> 56) * 0x1p-8
           : dtype == DT_FLOAT16 ? (double)(word >> 53) * 0x1p-11
           : dtype == DT_FLOAT32 ? (double)(word >> 40) * 0x1p-24
                                 : (double)(word >> 11) * 0x1p-53;
}

// The largest number below one that rounding has reached.
static void step_below(Tensor *out, int64_t index)
{
    double value = tensor_float_at(out, index);
    uint64_t bits = tensor_bits_at(out, index);
    uint64_t sign = (uint64_t)1 << (dtype_size((DType)out->dtype) * 8 - 1);
    tensor_set_bits(out, index,
                    value > 0   ? bits - 1
                    : value < 0 ? bits + 1
                                : sign | 1);
}

// The next block of random words; moves the counter on by one.
static uint64_t next_word(Ctx *ctx)
{
    uint32_t words[4];
    rng_block(ctx->rng.key, ctx->rng.counter++, words);
    return next_word64(words, 0);
}

// A number below `span` (2^64 if that is 0): the high half of the 64 by 64 bit
// product, whose bias is below span / 2^64.
static uint64_t below(uint64_t word, uint64_t span)
{
    // Schoolbook multiplication in 32-bit halves; C has no portable 128-bit
    // int.
    uint64_t a = span >> 32, b = span & UINT32_MAX;
    uint64_t c = word >> 32, d = word & UINT32_MAX;
    uint64_t middle = b * c + (b * d >> 32);
    uint64_t other = a * d + (middle & UINT32_MAX);
    return a * c + (middle >> 32) + (other >> 32);
}

// The span is taken in unsigned arithmetic: from the lowest int64 to the
// highest it does not fit a signed one.
static bool fill_integers(const KernelCall *call, int64_t low, int64_t high)
{
    Tensor *out = call->outputs[0];
    uint64_t span = (uint64_t)high - (uint64_t)low;
    for (int64_t i = 0; i < out->count; i++) {
        uint64_t picked = below(next_word(call->ctx), span);
        tensor_set_int(out, i, (int64_t)((uint64_t)low + picked));
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return true;
}

// The limits are ints here and lose nothing, unlike those of uniform.
static bool kernel_integers(const KernelCall *call)
{
    return fill_integers(call, attr_int(&call->attrs[DRAW_LOW], 0),
                         call->attrs[DRAW_HIGH].integer);
}

// Computed in double and rounded once to the dtype.
static bool kernel_uniform(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    DType dtype = (DType)out->dtype;
    double low = number_of(&call->attrs[DRAW_LOW], 0);
    double high = number_of(&call->attrs[DRAW_HIGH], 1);
    if (dtype_is_integer(dtype)) {
        return fill_integers(call, (int64_t)low, (int64_t)high);
    }
    double end = high; // as the dtype has it
    if (out->count > 0) {
        tensor_set_float(out, 0, high);
        end = tensor_float_at(out, 0);
    }
    for (int64_t i = 0; i < out->count; i++) {
        // As many random bits as the dtype's fraction has: every multiple of
        // the last place is equally likely.
        double unit = unit_of(next_word(call->ctx), dtype);
        tensor_set_float(out, i, low + unit * (high - low));
        // Rounding must not reach the upper end.
        if (dtype != DT_FLOAT64 && low < high &&
            tensor_float_at(out, i) >= end) {
            step_below(out, i);
        }
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return true;
}

// Box and Muller, one element a block.
static bool kernel_normal(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    double mean = number_of(&call->attrs[DRAW_LOW], 0);
    double deviation = number_of(&call->attrs[DRAW_HIGH], 1);
    for (int64_t i = 0; i < out->count; i++) {
        uint32_t words[4];
        RngState *rng = &call->ctx->rng;
        rng_block(rng->key, rng->counter++, words);
        // In (0, 1], for the logarithm of 0 would be infinite.
        double u = 1 - unit_of(next_word64(words, 0), DT_FLOAT64);
        double angle =
            6.283185307179586 * unit_of(next_word64(words, 1), DT_FLOAT64);
        tensor_set_float(out, i,
                         mean + deviation * sqrt(-2 * log(u)) * cos(angle));
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return true;
}

// A scalar has no axis to shuffle.
static bool infer_shuffle(InferCall *call)
{
    return infer_needs_rank(call, 0, 1) && infer_same(call);
}

// Fisher and Yates on the row numbers; then the rows are copied once.
static bool kernel_shuffle(const KernelCall *call)
{
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    int64_t rows = tensor_dims(in)[0];
    size_t size = (size_t)rows * sizeof(int64_t);
    // Strings and wide rows are moved once only, at the end.
    int64_t *order = rows > 0 ? ctx_alloc(call->ctx, size) : NULL;
    if (order == NULL) {
        return rows == 0;
    }
    // An interrupt ends all loops: the rows are then not wanted.
    bool ok = true;
    for (int64_t i = 0; ok && i < rows; i++) {
        order[i] = i;
        ok = ctx_poll_at(call->ctx, (size_t)i);
    }
    // Fisher and Yates, from the end.
    for (int64_t i = rows - 1; ok && i > 0; i--) {
        int64_t k = (int64_t)below(next_word(call->ctx), (uint64_t)i + 1);
        int64_t moved = order[k];
        order[k] = order[i];
        order[i] = moved;
        ok = ctx_poll_at(call->ctx, (size_t)i);
    }
    int64_t width = in->count / rows;
    for (int64_t i = 0; ok && i < rows; i++) {
        ok =
            tensor_copy(call->ctx, out, i * width, in, order[i] * width, width);
    }
    ctx_free(call->ctx, order, size);
    return ok && ctx_poll(call->ctx);
}

// Names and defaults are TensorFlow's: random.uniform and the like.
static const AttrDesc uniform_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
    {"minval", ATTR_FLOAT, ATTR_HOST_ONLY, "0.0"},
    {"maxval", ATTR_FLOAT, ATTR_HOST_ONLY, "None"},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
};
// In the places of uniform's limits, so that the rules are shared.
static const AttrDesc normal_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
    {"mean", ATTR_FLOAT, ATTR_HOST_ONLY, "0.0"},
    {"stddev", ATTR_FLOAT, ATTR_HOST_ONLY, "1.0"},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
};
// Ints all along: a limit beyond 2**53 stays exact.
static const AttrDesc integers_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
    {"minval", ATTR_INT, ATTR_HOST_ONLY, "0"},
    {"maxval", ATTR_INT, ATTR_HOST_ONLY, "None"},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "int32"},
};
// A draw that a failure stands before is not made.
#define DRAWS                                                                  \
    {                                                                          \
        [RES_CONTROL] = ACCESS_BORROW, [RES_RNG] = ACCESS_CONSUME              \
    }
#define DRAW(text, rule, run, own)                                             \
    .name = (text), .params = "", .max_inputs = 1, .output_count = 1,          \
    .flags = OP_HALVES, .access = DRAWS, .attrs = (own), .attr_count = 4,      \
    .infer = (rule), .kernel = (run), .gradient = grad_none

const OpDesc op_random_uniform = {
    DRAW("rng.uniform", infer_uniform, kernel_uniform, uniform_attrs),
    .doc = "Numbers drawn evenly from [minval, maxval), [0, 1) by default.\n"
           "Of floats; of an int dtype, with maxval given.",
};
// Unbounded: of float64 no draw is further out than about 8.6 deviations,
// because u is never below 2^-53.
const OpDesc op_random_normal = {
    DRAW("rng.normal", infer_normal, kernel_normal, normal_attrs),
    .doc = "Floats drawn from the normal distribution.",
};
const OpDesc op_random_integers = {
    DRAW("rng.integers", infer_integers, kernel_integers, integers_attrs),
    .doc = "Ints drawn evenly from [minval, maxval).",
};
const OpDesc op_random_shuffle = {
    .name = "rng.shuffle",
    .params = "x, /",
    .doc = "The slices of x along its first axis in a random order.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_HALVES,
    .access = DRAWS,
    .infer = infer_shuffle,
    .kernel = kernel_shuffle,
};

// ---- the generator's state

static bool infer_rng_state(InferCall *call)
{
    static const int64_t two = 2;
    if (call->input_count > 0) {
        TensorType next = call->inputs[0];
        if (!infer_needs_dtype(call, 0, DT_INT64)) {
            return false;
        }
        if (!shape_equal(next.rank, next.dims, 1, &two)) {
            return infer_shape_error(call, "a state is two int64, not %s",
                                     next);
        }
    }
    return infer_output(call, 0, DT_INT64, 1, &two);
}

// Key and counter, before it is set.
static bool kernel_rng_state(const KernelCall *call)
{
    RngState *rng = &call->ctx->rng, old = *rng;
    if (call->input_count > 0) {
        const uint64_t *next = call->inputs[0]->data;
        *rng = (RngState){.key = next[0], .counter = next[1]};
    }
    uint64_t *out = call->outputs[0]->data;
    out[0] = old.key;
    out[1] = old.counter;
    return true;
}

// For gradients, which draw once more what was drawn.
const OpDesc op_rng_state = {
    .name = "rng_state",
    .params = "*next",
    .doc = "The state of the generator of random numbers, two int64, which is "
           "then\nset to another where one is given.",
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_INTERNAL,
    .access = DRAWS,
    .infer = infer_rng_state,
    .kernel = kernel_rng_state,
    .gradient = grad_none,
};
