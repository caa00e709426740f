// Convolutions of single channels: those of a pixel lie side by side in
// vectors, and so do the elements of a tap.
//
// An output element accumulates in order of (filter row, filter column), an
// image's gradient in order of (result of the channel, filter row, filter
// column), a filter's in order of (image, row, column), with fma from +0.
// Padding takes no part. Where a channel has several results, what holds them
// is taken apart into a plane for each: all channels of its first results,
// then of its second.
#include <string.h>

#include "kernels/threads.h"
#include "ops/conv.h"
#include "ops/tensor_move.h"

enum { BLOCK = 64 }; // channels of a filter's gradient that are one unit
// Nanoseconds of a multiplication and addition.
static const double step_cost = 0.04;

typedef struct Lanes {
    Conv conv;
    LanesFn lanes;
    int64_t each; // results a channel: planes
    // Elements of a plane of filters and of what has the output's shape.
    int64_t taps, places;
    int64_t blocks; // of channels; filter's gradient
} Lanes;

static Lanes lanes_of(const KernelCall *call, const Conv *conv)
{
    int64_t channels = conv->groups;
    return (Lanes){
        .conv = *conv,
        .lanes = call->ctx->kernels->tier->lanes[call->inputs[0]->dtype],
        .each = conv->own,
        .taps = conv->high.window * conv->wide.window * channels,
        .places = conv->images * conv->high.out * conv->wide.out * channels,
        .blocks = (channels + BLOCK - 1) / BLOCK};
}

// ---- planes

// Element (i, c, r) of one is (r, i, c) of the other. Owned: `like` itself,
// where a channel has one result.
static Tensor *apart(Ctx *ctx, const Lanes *p, Tensor *like)
{
    if (p->each == 1) {
        return object_retain(like);
    }
    int64_t channels = p->conv.groups, each = p->each;
    int64_t dims[3] = {each, like->count / (channels * each), channels};
    Tensor *made = tensor_new(ctx, (DType)like->dtype, 3, dims);
    if (made != NULL && !tensor_gather(ctx, made, like, 0,
                                       (int64_t[]){1, channels * each, each})) {
        object_release(ctx, made);
        return NULL;
    }
    return made;
}

// Owned: where planes of results go that `out` is made of.
static Tensor *planes_for(Ctx *ctx, const Lanes *p, Tensor *out)
{
    return p->each == 1 ? object_retain(out)
                        : tensor_new(ctx, (DType)out->dtype, 1, &out->count);
}

static bool together(Ctx *ctx, const Lanes *p, const Tensor *planes,
                     Tensor *out)
{
    int64_t channels = p->conv.groups, each = p->each;
    int64_t pixels = out->count / (channels * each);
    return p->each == 1 ||
           tensor_gather_as(ctx, out, planes, 0, 3,
                            (int64_t[]){pixels, channels, each},
                            (int64_t[]){channels, 1, pixels * channels});
}

// ---- forward, and the gradient of the images

// Along one axis, what some elements of the result are made of: number u, at
// begin + u * step, of the products of tap + t * tap_step and the source's
// from + u * from_step + t * from_tap, where that is inside.
typedef struct Reach {
    int64_t begin, step, count;
    int64_t tap, tap_step, taps;
    int64_t from, from_step, from_tap, limit;
} Reach;

static Reach reach_forward(const WindowAxis *axis)
{
    return (Reach){.step = 1,
                   .count = axis->out,
                   .tap_step = 1,
                   .taps = axis->window,
                   .from = -axis->before,
                   .from_step = axis->stride,
                   .from_tap = axis->dilation,
                   .limit = axis->in};
}

// The elements of an image that are `begin` and then a stride apart: they lie
// under the same taps, each time one place further.
static Reach reach_back(const WindowAxis *axis, int64_t begin)
{
    Reach reach = {.begin = begin,
                   .step = axis->stride,
                   .count =
                       (axis->in - begin + axis->stride - 1) / axis->stride,
                   .tap_step = axis->window,
                   .from_step = 1,
                   .limit = axis->out};
    for (int64_t k = 0; k < axis->window; k++) {
        int64_t ahead = begin - window_at(axis, 0, k);
        if (ahead % axis->stride != 0) {
            continue;
        }
        if (reach.taps == 0) {
            reach.tap = k;
            reach.from = ahead / axis->stride;
        } else if (reach.taps == 1) {
            reach.tap_step = k - reach.tap;
            reach.from_tap = ahead / axis->stride - reach.from;
        }
        reach.taps++;
    }
    return reach;
}

static bool reach_has(const Reach *reach, int64_t u, int64_t t)
{
    int64_t at = reach->from + u * reach->from_step + t * reach->from_tap;
    return 0 <= at && at < reach->limit;
}

static bool reach_full(const Reach *reach, int64_t u)
{
    return reach->taps == 0 ||
           (reach_has(reach, u, 0) && reach_has(reach, u, reach->taps - 1));
}

// The taps of element u that meet the source.
static void reach_taps(const Reach *reach, int64_t u, int64_t *begin,
                       int64_t *end)
{
    *begin = 0;
    *end = reach->taps;
    while (*begin < *end && !reach_has(reach, u, *begin)) {
        ++*begin;
    }
    while (*end > *begin && !reach_has(reach, u, *end - 1)) {
        --*end;
    }
}

// A row of the result and its operands.
typedef struct Strip {
    const char *from, *filters;
    char *to;
    bool resume;
} Strip;

// Elements [begin, end) of a row, which lie under the same taps.
static void strip_part(const Lanes *p, const Strip *strip, const Reach *high,
                       int64_t u, const Reach *wide, int64_t begin, int64_t end)
{
    int64_t n = p->conv.groups, window = p->conv.wide.window;
    int64_t i, rows, k, columns;
    reach_taps(high, u, &i, &rows);
    reach_taps(wide, begin, &k, &columns);
    int64_t y = high->from + u * high->from_step + i * high->from_tap;
    int64_t x = wide->from + begin * wide->from_step + k * wide->from_tap;
    int64_t tap = (high->tap + i * high->tap_step) * window + wide->tap +
                  k * wide->tap_step;
    int64_t to = wide->begin + begin * wide->step;
    int64_t size = (int64_t)p->conv.size * n;
    p->lanes(&(LanesArgs){.m = end - begin,
                          .n = n,
                          .turns = rows - i,
                          .k = columns - k,
                          .a = strip->from + (y * wide->limit + x) * size,
                          .b = strip->filters + tap * size,
                          .a_row = wide->from_step * n,
                          .a_turn = high->from_tap * wide->limit * n,
                          .a_step = wide->from_tap * n,
                          .b_turn = high->tap_step * window * n,
                          .b_step = wide->tap_step * n,
                          .c = strip->to + to * size,
                          .c_row = wide->step * n,
                          .resume = strip->resume});
}

// Those in the middle lie under all taps and are done at once.
static void strip_run(const Lanes *p, const Strip *strip, const Reach *high,
                      int64_t u, const Reach *wide)
{
    int64_t begin = 0, end = wide->count;
    for (; begin < end && !reach_full(wide, begin); begin++) {
        strip_part(p, strip, high, u, wide, begin, begin + 1);
    }
    for (; end > begin && !reach_full(wide, end - 1); end--) {
        strip_part(p, strip, high, u, wide, end - 1, end);
    }
    if (begin < end) {
        strip_part(p, strip, high, u, wide, begin, end);
    }
}

// A unit is a row of one plane of the output.
static void run_forward(void *data, int64_t begin, int64_t end, int thread)
{
    const Lanes *p = data;
    const Conv *conv = &p->conv;
    Reach high = reach_forward(&conv->high), wide = reach_forward(&conv->wide);
    size_t pixel = (size_t)conv->groups * conv->size;
    (void)thread;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t plane = unit / (conv->images * high.count);
        int64_t image = unit / high.count % conv->images;
        size_t pixels = (size_t)(image * high.limit * wide.limit);
        Strip strip = {.from = conv->x + pixels * pixel,
                       .filters = conv->filters +
                                  (size_t)(plane * p->taps) * conv->size,
                       .to = conv->out + (size_t)(unit * wide.count) * pixel};
        strip_run(p, &strip, &high, unit % high.count, &wide);
    }
}

bool conv_lanes(const KernelCall *call, const Conv *conv)
{
    Ctx *ctx = call->ctx;
    Lanes p = lanes_of(call, conv);
    Tensor *filters = apart(ctx, &p, call->inputs[1]);
    Tensor *out =
        filters == NULL ? NULL : planes_for(ctx, &p, call->outputs[0]);
    bool ok = out != NULL;
    if (ok) {
        p.conv.filters = filters->data;
        p.conv.out = out->data;
        double cost = step_cost * (double)(p.taps * conv->wide.out);
        ok = threads_run(ctx, &(Job){run_forward, &p,
                                     p.each * conv->images * conv->high.out,
                                     cost + 100}) &&
             together(ctx, &p, out, call->outputs[0]);
    }
    object_release_null(ctx, filters);
    object_release_null(ctx, out);
    return ok;
}

// A unit is a row of an image.
static void run_back(void *data, int64_t begin, int64_t end, int thread)
{
    const Lanes *p = data;
    const Conv *conv = &p->conv;
    size_t pixel = (size_t)conv->groups * conv->size;
    int64_t places = conv->high.out * conv->wide.out;
    (void)thread;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t image = unit / conv->high.in, y = unit % conv->high.in;
        Reach high = reach_back(&conv->high, y % conv->high.stride);
        char *to = conv->out + (size_t)(unit * conv->wide.in) * pixel;
        for (int64_t plane = 0; plane < p->each; plane++) {
            Strip strip = {
                conv->grad + (size_t)(plane * p->places) * conv->size +
                    (size_t)(image * places) * pixel,
                conv->filters + (size_t)(plane * p->taps) * conv->size, to,
                plane > 0};
            for (int64_t x = 0; x < conv->wide.stride; x++) {
                Reach wide = reach_back(&conv->wide, x);
                strip_run(p, &strip, &high, y / conv->high.stride, &wide);
            }
        }
    }
}

bool conv_lanes_input(const KernelCall *call, const Conv *conv)
{
    Ctx *ctx = call->ctx;
    Lanes p = lanes_of(call, conv);
    Tensor *filters = apart(ctx, &p, call->inputs[1]);
    Tensor *grad = filters == NULL ? NULL : apart(ctx, &p, call->inputs[2]);
    bool ok = grad != NULL;
    if (ok) {
        p.conv.filters = filters->data;
        p.conv.grad = grad->data;
        double cost = step_cost * (double)(p.taps * p.each * conv->wide.out) /
                      (double)conv->high.stride;
        ok = threads_run(ctx, &(Job){run_back, &p, conv->images * conv->high.in,
                                     cost + 100});
    }
    object_release_null(ctx, filters);
    object_release_null(ctx, grad);
    return ok;
}

// ---- the gradient of the filters

// The gradient's columns [begin, end) of a row for `taps` taps from k on.
static void add_columns(const Lanes *p, LanesArgs g, int64_t k, int64_t taps,
                        int64_t begin, int64_t end)
{
    const WindowAxis *wide = &p->conv.wide;
    int64_t size = (int64_t)p->conv.size * p->conv.groups;
    g.m = taps;
    g.k = end - begin;
    g.a = (const char *)g.a + window_at(wide, begin, k) * size;
    g.b = (const char *)g.b + begin * size;
    g.c = (char *)g.c + k * size;
    if (g.k > 0) {
        p->lanes(&g);
    }
}

// A row of an image and of the gradient. Columns that lie under all taps are
// done at once, those before and behind tap by tap.
static void add_row(const Lanes *p, const LanesArgs *g)
{
    const WindowAxis *wide = &p->conv.wide;
    int64_t left, right, begin, end, other;
    window_places(wide, 0, &left, &other);
    window_places(wide, wide->window - 1, &other, &right);
    right = right > left ? right : left;
    for (int64_t k = 0; k < wide->window; k++) {
        window_places(wide, k, &begin, &end);
        add_columns(p, *g, k, 1, begin, end < left ? end : left);
    }
    add_columns(p, *g, 0, wide->window, left, right);
    for (int64_t k = 0; k < wide->window; k++) {
        window_places(wide, k, &begin, &end);
        add_columns(p, *g, k, 1, begin > right ? begin : right, end);
    }
}

// A unit is some channels of a row of taps of one plane.
static void run_filter(void *data, int64_t begin, int64_t end, int thread)
{
    const Lanes *p = data;
    const Conv *conv = &p->conv;
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    int64_t n = conv->groups;
    (void)thread;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t channel = unit % p->blocks * BLOCK, at = unit / p->blocks;
        int64_t plane = at / high->window, i = at % high->window;
        int64_t top, bottom;
        size_t skip = (size_t)channel * conv->size;
        LanesArgs g = {.n = n - channel < BLOCK ? n - channel : BLOCK,
                       .turns = 1,
                       .a_row = wide->dilation * n,
                       .a_step = wide->stride * n,
                       .b_step = n,
                       .c_row = n,
                       .resume = true};
        g.c = conv->out + skip + (size_t)(at * wide->window * n) * conv->size;
        for (int64_t k = 0; k < wide->window; k++) {
            memset((char *)g.c + (size_t)(k * n) * conv->size, 0,
                   (size_t)g.n * conv->size);
        }
        window_places(high, i, &top, &bottom);
        for (int64_t image = 0; image < conv->images; image++) {
            for (int64_t row = top; row < bottom; row++) {
                int64_t y = image * high->in + window_at(high, row, i);
                int64_t r = image * high->out + row;
                g.a = conv->x + skip + (size_t)(y * wide->in * n) * conv->size;
                g.b = conv->grad + skip +
                      (size_t)(plane * p->places + r * wide->out * n) *
                          conv->size;
                add_row(p, &g);
            }
        }
    }
}

bool conv_lanes_filter(const KernelCall *call, const Conv *conv)
{
    Ctx *ctx = call->ctx;
    Lanes p = lanes_of(call, conv);
    Tensor *grad = apart(ctx, &p, call->inputs[2]);
    Tensor *out = grad == NULL ? NULL : planes_for(ctx, &p, call->outputs[0]);
    bool ok = out != NULL;
    if (ok) {
        p.conv.grad = grad->data;
        p.conv.out = out->data;
        double cost = step_cost * (double)(p.places * conv->wide.window) /
                      (double)p.blocks;
        ok = threads_run(ctx, &(Job){run_filter, &p,
                                     p.each * conv->high.window * p.blocks,
                                     cost + 100}) &&
             together(ctx, &p, out, call->outputs[0]);
    }
    object_release_null(ctx, grad);
    object_release_null(ctx, out);
    return ok;
}
