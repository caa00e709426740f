// Convolution, its gradients and pooling against sums written out, for every
// stride, dilation, padding and group of small images, and one and several
// threads.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/op.h"

static void release(Ctx *ctx, Object *object)
{
    tensor_dealloc(ctx, (Tensor *)object);
}

// Whole numbers, so that sums are exact in any order.
static Tensor *numbers(Ctx *ctx, DType dtype, const int64_t dims[4],
                       int64_t seed)
{
    Tensor *tensor = tensor_new(ctx, dtype, 4, dims);
    cr_assert_not_null(tensor);
    for (int64_t i = 0; i < tensor->count; i++) {
        tensor_set_int(tensor, i, (i * 7919 + seed * 31) % 1009 % 15 - 7);
    }
    return tensor;
}

static double number_at(const Tensor *tensor, int64_t i)
{
    return tensor->dtype == DT_FLOAT32 ? (double)((float *)tensor->data)[i]
                                       : ((double *)tensor->data)[i];
}

typedef struct Case {
    int64_t x[4], filters[4], stride[2], dilation[2];
    bool same;
} Case;

static const Case cases[] = {
    {{1, 5, 5, 1}, {3, 3, 1, 1}, {1, 1}, {1, 1}, false},
    {{2, 6, 7, 3}, {2, 3, 3, 5}, {1, 2}, {1, 1}, false},
    {{2, 6, 7, 3}, {2, 3, 3, 5}, {2, 1}, {1, 1}, true},
    {{1, 9, 8, 2}, {3, 2, 2, 4}, {1, 1}, {2, 3}, false},
    {{1, 9, 8, 2}, {3, 3, 2, 4}, {2, 3}, {2, 2}, true},
    {{1, 3, 60, 40}, {3, 3, 40, 20}, {1, 1}, {1, 1}, false},
    {{1, 3, 60, 40}, {2, 3, 40, 20}, {1, 1}, {1, 1}, true},
    {{1, 4, 130, 33}, {2, 4, 33, 9}, {1, 2}, {1, 2}, true},
    {{3, 10, 10, 4}, {1, 1, 4, 70}, {3, 3}, {1, 1}, false},
    {{1, 2, 2, 3}, {3, 3, 3, 2}, {1, 1}, {1, 1}, false},
    {{1, 4, 4, 60}, {4, 4, 60, 1}, {1, 1}, {1, 1}, true},
    // Groups: of two channels and of three, gathered and where they lie.
    {{2, 6, 7, 6}, {3, 2, 2, 9}, {2, 1}, {1, 2}, true},
    {{1, 5, 60, 70}, {3, 3, 35, 12}, {1, 2}, {1, 1}, true},
    {{1, 5, 60, 70}, {1, 3, 35, 6}, {1, 1}, {1, 1}, false},
    {{1, 3, 9, 130}, {2, 3, 65, 4}, {1, 1}, {2, 1}, true},
    // Each channel alone, with one result and with several.
    {{1, 5, 5, 2}, {3, 3, 1, 2}, {1, 1}, {1, 1}, false},
    {{2, 7, 12, 17}, {3, 3, 1, 17}, {1, 1}, {1, 1}, true},
    {{2, 9, 10, 33}, {3, 5, 1, 66}, {2, 3}, {1, 1}, true},
    {{1, 9, 11, 70}, {3, 2, 1, 70}, {1, 1}, {2, 3}, true},
    {{1, 12, 13, 3}, {4, 3, 1, 9}, {3, 2}, {2, 3}, true},
    {{1, 12, 13, 5}, {4, 3, 1, 10}, {4, 6}, {2, 4}, false},
    {{2, 2, 2, 4}, {3, 5, 1, 4}, {1, 1}, {1, 1}, true},
    {{1, 6, 6, 40}, {1, 1, 1, 80}, {3, 2}, {1, 1}, false},
    {{1, 8, 9, 64}, {7, 7, 1, 64}, {1, 1}, {1, 1}, true},
    {{1, 4, 4, 3}, {2, 2, 1, 0}, {1, 1}, {1, 1}, true},
};

// One axis: places, and padding in front.
static void axis_of(const Case *c, int i, int64_t *out, int64_t *before)
{
    int64_t in = c->x[i + 1], s = c->stride[i];
    int64_t extent = (c->filters[i] - 1) * c->dilation[i] + 1;
    *before = 0;
    *out = in < extent ? 0 : (in - extent) / s + 1;
    if (c->same) {
        *out = (in + s - 1) / s;
        int64_t padding = (*out - 1) * s + extent - in;
        *before = padding > 0 ? padding / 2 : 0;
    }
}

// Calls `each` for all products: elements of x, filters and result. The
// outputs of a group of channels stand beside each other.
static void all_products(const Case *c, void *data,
                         void (*each)(void *, int64_t, int64_t, int64_t))
{
    int64_t high, wide, top, left;
    axis_of(c, 0, &high, &top);
    axis_of(c, 1, &wide, &left);
    const int64_t *f = c->filters;
    int64_t pixels = c->x[0] * high * wide;
    int64_t own = f[3] / (c->x[3] / f[2]);
    for (int64_t i = 0; i < pixels * f[0] * f[1]; i++) {
        int64_t place = i / (f[0] * f[1]), t = i % (f[0] * f[1]);
        int64_t y = place / wide % high * c->stride[0] +
                    t / f[1] * c->dilation[0] - top;
        int64_t x =
            place % wide * c->stride[1] + t % f[1] * c->dilation[1] - left;
        if (y < 0 || y >= c->x[1] || x < 0 || x >= c->x[2]) {
            continue;
        }
        int64_t at = ((place / wide / high) * c->x[1] + y) * c->x[2] + x;
        for (int64_t k = 0; k < f[2] * f[3]; k++) {
            int64_t channel = k % f[3] / own * f[2] + k / f[3];
            each(data, at * c->x[3] + channel, t * f[2] * f[3] + k,
                 place * f[3] + k % f[3]);
        }
    }
}

typedef struct Sums {
    const Tensor *x, *filters, *grad;
    double *out, *x_grad, *filter_grad;
} Sums;

static void add(void *data, int64_t x, int64_t filter, int64_t out)
{
    Sums *s = data;
    double a = number_at(s->x, x);
    double b = number_at(s->filters, filter);
    double g = number_at(s->grad, out);
    s->out[out] += a * b;
    s->x_grad[x] += g * b;
    s->filter_grad[filter] += g * a;
}

static void same_numbers(const Tensor *tensor, const double *expected,
                         int number)
{
    for (int64_t i = 0; i < tensor->count; i++) {
        double now = number_at(tensor, i);
        cr_assert(now == expected[i], "case %d at %d: %g for %g", number,
                  (int)i, now, expected[i]);
    }
}

// conv2d and its gradients, or the deep ones on filters of those sizes.
static void check_ops(Ctx *ctx, const Case *c, const Sums *s,
                      const int64_t filters[4], const OpCode ops[3], int number)
{
    const char *padding = c->same ? "SAME" : "valid";
    AttrValue attrs[3] = {
        {.kind = ATTR_INTS, .count = 2, .ints = c->stride},
        {.kind = ATTR_STR, .count = (uint32_t)strlen(padding), .text = padding},
        {.kind = ATTR_INTS, .count = 2, .ints = c->dilation}};
    Tensor *f = tensor_new(ctx, (DType)s->x->dtype, 4, filters);
    memcpy(f->data, s->filters->data,
           (size_t)f->count * dtype_size((DType)f->dtype));
    const double *expected[3] = {s->out, s->x_grad, s->filter_grad};
    Tensor *in[3] = {(Tensor *)(uintptr_t)s->x, f,
                     (Tensor *)(uintptr_t)s->grad};
    for (int i = 0; i < 3; i++) {
        Tensor *out;
        uint32_t count;
        cr_assert(op_run(ctx, ops[i], in, i == 0 ? 2 : 3, attrs, &out, &count));
        same_numbers(out, expected[i], number);
        object_release(ctx, (Object *)out);
    }
    object_release(ctx, (Object *)f);
}

static void check(Ctx *ctx, const Case *c, DType dtype, int number)
{
    static const OpCode plain[3] = {OP_CONV2D, OP_CONV2D_INPUT_GRAD,
                                    OP_CONV2D_FILTER_GRAD};
    static const OpCode deep[3] = {OP_DEPTHWISE_CONV2D,
                                   OP_DEPTHWISE_CONV2D_INPUT_GRAD,
                                   OP_DEPTHWISE_CONV2D_FILTER_GRAD};
    const int64_t *f = c->filters;
    int64_t dims[4] = {c->x[0], 0, 0, f[3]}, before;
    axis_of(c, 0, &dims[1], &before);
    axis_of(c, 1, &dims[2], &before);
    Tensor *x = numbers(ctx, dtype, c->x, 1);
    Tensor *filters = numbers(ctx, dtype, f, 2);
    Tensor *grad = numbers(ctx, dtype, dims, 3);
    Sums s = {.x = x, .filters = filters, .grad = grad};
    s.out = calloc((size_t)grad->count + 1, sizeof(double));
    s.x_grad = calloc((size_t)x->count, sizeof(double));
    s.filter_grad = calloc((size_t)filters->count, sizeof(double));
    all_products(c, &s, add);
    check_ops(ctx, c, &s, f, plain, number);
    if (f[2] == 1) {
        int64_t each[4] = {f[0], f[1], c->x[3], f[3] / c->x[3]};
        check_ops(ctx, c, &s, each, deep, number);
    }
    object_release(ctx, (Object *)x);
    object_release(ctx, (Object *)filters);
    object_release(ctx, (Object *)grad);
    free(s.out);
    free(s.x_grad);
    free(s.filter_grad);
}

static void check_all(const char *threads, const char *tier)
{
    setenv("DUET_THREADS", threads, 1);
    setenv("DUET_ISA", tier, 1);
    Ctx ctx = {0};
    ctx_init(&ctx, 0);
    ctx.dealloc = release;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check(&ctx, &cases[i], DT_FLOAT32, (int)i);
        check(&ctx, &cases[i], DT_FLOAT64, (int)i);
    }
    ctx_destroy(&ctx);
}

Test(conv, one_thread)
{
    check_all("1", "loop");
    check_all("1", "avx2");
    check_all("1", "avx512");
}

Test(conv, three_threads)
{
    check_all("3", "avx512");
}

// ---- pooling

static void pool(Ctx *ctx, OpCode op, Tensor *const *inputs, uint32_t count,
                 const AttrValue *attrs, const float *expected, int64_t n)
{
    Tensor *out;
    uint32_t outputs;
    cr_assert(op_run(ctx, op, inputs, count, attrs, &out, &outputs));
    cr_assert(out->count == n);
    for (int64_t i = 0; i < n; i++) {
        float value = ((float *)out->data)[i];
        cr_assert(value == expected[i] ||
                      (value != value && expected[i] != expected[i]),
                  "op %d at %d: %g for %g", (int)op, (int)i, (double)value,
                  (double)expected[i]);
    }
    object_release(ctx, (Object *)out);
}

// Overlapping windows with padding; equal elements and a NaN.
Test(conv, pooling_and_its_gradients)
{
    static const float in[9] = {1, 5, 5, 2, 5, 0, 7, 1, NAN};
    static const float g[4] = {1, 10, 100, 1000};
    static const float max[4] = {5, 5, 7, NAN};
    static const float max_grad[9] = {0, 11, 0, 0, 0, 0, 100, 0, 1000};
    static const float avg[4] = {13.0F / 4, 15.0F / 4, 15.0F / 4, NAN};
    static const float avg_grad[9] = {0.25F,  2.75F, 2.5F, 25.25F, 277.75F,
                                      252.5F, 25,    275,  250};
    Ctx ctx = {0};
    ctx_init(&ctx, 0);
    ctx.dealloc = release;
    Tensor *x = tensor_new(&ctx, DT_FLOAT32, 4, (int64_t[]){1, 3, 3, 1});
    Tensor *grad = tensor_new(&ctx, DT_FLOAT32, 4, (int64_t[]){1, 2, 2, 1});
    memcpy(x->data, in, sizeof in);
    memcpy(grad->data, g, sizeof g);
    const int64_t two = 2, one = 1;
    AttrValue attrs[3] = {{.kind = ATTR_INTS, .count = 1, .ints = &two},
                          {.kind = ATTR_INTS, .count = 1, .ints = &one},
                          {.kind = ATTR_NONE}};
    Tensor *inputs[2] = {x, grad};
    pool(&ctx, OP_MAX_POOL2D, inputs, 1, attrs, max, 4);
    pool(&ctx, OP_MAX_POOL2D_GRAD, inputs, 2, attrs, max_grad, 9);
    pool(&ctx, OP_AVG_POOL2D, inputs, 1, attrs, avg, 4);
    pool(&ctx, OP_AVG_POOL2D_GRAD, inputs, 2, attrs, avg_grad, 9);
    object_release(&ctx, (Object *)x);
    object_release(&ctx, (Object *)grad);
    ctx_destroy(&ctx);
}
