// Draws of random numbers, from the context's counters (base/rng.h).
//
// An element takes a fixed number of words, in row-major order, so the same
// seed gives the same tensor eagerly and staged.
#include <math.h>

#include "ops/infer.h"

// attrs: shape, dtype, then the op's own.
static bool infer_draw(InferCall *call, DType dtype)
{
    call->out_dtypes[0] = dtype;
    if (!infer_ints(call, &call->attrs[0], &call->out_shapes[0])) {
        return false;
    }
    Shape *out = &call->out_shapes[0];
    for (int i = 0; call->attrs[0].kind != ATTR_INPUT && i < out->rank; i++) {
        if (out->dims[i] < 0) {
            return infer_shape_error(
                call, "negative size in shape %s",
                (TensorType){dtype, out->rank, out->dims});
        }
    }
    return true;
}

static bool infer_uniform(InferCall *call)
{
    DType dtype = attr_dtype(&call->attrs[1], DT_FLOAT32);
    return infer_needs_float(call, dtype) && infer_draw(call, dtype);
}

static bool infer_integers(InferCall *call)
{
    DType dtype = attr_dtype(&call->attrs[1], DT_INT32);
    if (!dtype_is_integer(dtype)) {
        return infer_dtype_refused(call, dtype);
    }
    int64_t low = attr_int(&call->attrs[2], 0), high = call->attrs[3].integer;
    if (low >= high) {
        return ctx_fail(call->ctx, ERR_OP_VALUE,
                        "integers: minval must be less than maxval");
    }
    return infer_draw(call, dtype);
}

static double number_of(const AttrValue *attr, double otherwise)
{
    return attr->kind == ATTR_FLOAT ? attr->number
           : attr->kind == ATTR_INT ? (double)attr->integer
                                    : otherwise;
}

static uint64_t next_word64(uint32_t words[4], int half)
{
    return (uint64_t)words[half * 2] << 32 | words[half * 2 + 1];
}

// In [0, 1): 24 or 53 bits.
static double unit_of(uint64_t word, DType dtype)
{
    return dtype == DT_FLOAT32 ? (double)(word >> 40) * 0x1p-24
                               : (double)(word >> 11) * 0x1p-53;
}

static bool kernel_uniform(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    DType dtype = (DType)out->dtype;
    double low = number_of(&call->attrs[2], 0);
    double high = number_of(&call->attrs[3], 1);
    for (int64_t i = 0; i < out->count; i++) {
        uint32_t words[4];
        RngState *rng = &call->ctx->rng;
        rng_block(rng->key, rng->counter++, words);
        double unit = unit_of(next_word64(words, 0), dtype);
        double value = low + unit * (high - low);
        tensor_set_float(out, i, value);
        // Rounding to float32 must not reach the upper end.
        if (dtype == DT_FLOAT32 && ((float *)out->data)[i] >= (float)high &&
            low < high) {
            ((float *)out->data)[i] = nextafterf((float)high, (float)low);
        }
    }
    return ctx_poll(call->ctx);
}

// Box and Muller, one element a block.
static bool kernel_normal(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    double mean = number_of(&call->attrs[2], 0);
    double deviation = number_of(&call->attrs[3], 1);
    for (int64_t i = 0; i < out->count; i++) {
        uint32_t words[4];
        RngState *rng = &call->ctx->rng;
        rng_block(rng->key, rng->counter++, words);
        double u = 1 - unit_of(next_word64(words, 0), DT_FLOAT64);
        double angle = 6.283185307179586 * unit_of(next_word64(words, 1),
                                                   DT_FLOAT64);
        tensor_set_float(out, i,
                         mean + deviation * sqrt(-2 * log(u)) * cos(angle));
    }
    return ctx_poll(call->ctx);
}

static bool kernel_integers(const KernelCall *call)
{
    Tensor *out = call->outputs[0];
    int64_t low = attr_int(&call->attrs[2], 0), high = call->attrs[3].integer;
    uint64_t span = (uint64_t)high - (uint64_t)low;
    for (int64_t i = 0; i < out->count; i++) {
        uint32_t words[4];
        RngState *rng = &call->ctx->rng;
        rng_block(rng->key, rng->counter++, words);
        uint64_t word = next_word64(words, 0);
        // The high half of a 64 by 64 bit product.
        uint64_t a = span >> 32, b = span & UINT32_MAX;
        uint64_t c = word >> 32, d = word & UINT32_MAX;
        uint64_t middle = b * c + (b * d >> 32);
        uint64_t other = a * d + (middle & UINT32_MAX);
        uint64_t picked = a * c + (middle >> 32) + (other >> 32);
        tensor_set_int(out, i, (int64_t)((uint64_t)low + picked));
    }
    return ctx_poll(call->ctx);
}

static const AttrDesc uniform_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
    {"minval", ATTR_FLOAT, ATTR_HOST_ONLY, "0.0"},
    {"maxval", ATTR_FLOAT, ATTR_HOST_ONLY, "1.0"},
};
static const AttrDesc normal_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
    {"mean", ATTR_FLOAT, ATTR_HOST_ONLY, "0.0"},
    {"stddev", ATTR_FLOAT, ATTR_HOST_ONLY, "1.0"},
};
static const AttrDesc integers_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_OR_TENSOR, NULL},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "int32"},
    {"minval", ATTR_INT, ATTR_HOST_ONLY, "0"},
    {"maxval", ATTR_INT, ATTR_HOST_ONLY, NULL},
};
#define DRAW(text, rule, run, own)                                            \
    .name = (text), .params = "", .max_inputs = 1, .output_count = 1,         \
    .flags = OP_INTERNAL | OP_EFFECT | OP_RANDOM, .attrs = (own),             \
    .attr_count = 4, .infer = (rule), .kernel = (run)

const OpDesc op_random_uniform = {
    DRAW("random_uniform", infer_uniform, kernel_uniform, uniform_attrs),
    .doc = "Floats drawn evenly from [minval, maxval): rng.uniform.",
};
const OpDesc op_random_normal = {
    DRAW("random_normal", infer_uniform, kernel_normal, normal_attrs),
    .doc = "Floats drawn from the normal distribution: rng.normal.",
};
const OpDesc op_random_integers = {
    DRAW("random_integers", infer_integers, kernel_integers, integers_attrs),
    .doc = "Ints drawn evenly from [minval, maxval): rng.integers.",
};
