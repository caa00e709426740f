// Convolutions as matrix products over runs of pixels that lie where they are.
//
// An output element accumulates in order of (filter row, filter column,
// channel), an image's gradient in order of (filter row, filter column,
// output), a filter's in order of (image, row, column), with fma from +0.
// Padding takes no part. A unit does its part of one group after the other.
#include <string.h>

#include "kernels/pool.h"
#include "kernels/threads.h"
#include "ops/conv.h"
#include "ops/tensor_move.h"

enum {
    NARROW = 48,         // pixels of a row too short for a product of its own
    SHALLOW = 32,        // elements of k below which rows are gathered
    GATHERED = 192,      // pixels that are gathered at a time
    FILTER_CHANNELS = 48 // rows of a filter's gradient that are one unit
};
// Nanoseconds of a multiplication and addition.
static const double step_cost = 0.03;

// One of the three at work.
typedef struct Products {
    Conv conv;
    GemmFn gemm;
    GemmArgs args;    // blocks, and the memory of thread 0
    size_t work_step; // bytes from a thread's memory to the next one's
    size_t gathered;  // bytes of it that hold gathered windows
    int64_t rows;     // rows of the output a unit; forward
    bool joined;      // a window's rows are one run of memory each
    int64_t blocks;   // of channels; filter's gradient
} Products;

// Runs units of `steps` multiplications each, every thread with memory for
// products like `like` and for what is gathered.
static bool run_units(Ctx *ctx, Products *p, const GemmArgs *like,
                      void (*run)(void *, int64_t, int64_t, int), int64_t units,
                      double steps)
{
    size_t size = p->conv.size;
    size_t work = (gemm_work_size(like, size) + 63) & ~(size_t)63;
    p->gathered = (p->gathered + 63) & ~(size_t)63;
    p->work_step = work + p->gathered;
    size_t bytes = p->work_step * (size_t)threads_most();
    if (bytes > 0) {
        p->args.work = pool_take(ctx, ctx->kernels->pool, &bytes);
        if (p->args.work == NULL) {
            return false;
        }
    }
    double cost = steps * step_cost * (double)size / 4 + 100;
    bool ok = threads_run(ctx, &(Job){run, p, units, cost});
    if (bytes > 0) {
        pool_give(ctx->kernels->pool, p->args.work, bytes);
    }
    return ok;
}

static Products products_of(const KernelCall *call, const Conv *conv)
{
    const KernelState *state = call->ctx->kernels;
    const WindowAxis *wide = &conv->wide;
    // No padding to either side, no gaps in the window, all channels.
    return (Products){
        .conv = *conv,
        .gemm = state->tier->gemm[call->inputs[0]->dtype],
        .args = {.blocks = &state->blocks},
        .joined = conv->groups == 1 && wide->dilation == 1 &&
                  wide->before == 0 &&
                  window_at(wide, wide->out - 1, wide->window - 1) < wide->in};
}

// Elements of one product's depth, or rows of a filter's gradient.
static int64_t run_of(const Products *p)
{
    return p->conv.channels * (p->joined ? p->conv.wide.window : 1);
}

// The memory of a thread; gathered windows come first.
static char *work_of(const Products *p, int thread)
{
    return (char *)p->args.work + (size_t)thread * p->work_step;
}

// A group's channels in a pixel of what has the images' shape.
static const char *pixel(const Conv *conv, const char *images, int64_t group,
                         int64_t row, int64_t x)
{
    int64_t at = (row * conv->wide.in + x) * conv->pixel;
    return images + (size_t)(at + group * conv->channels) * conv->size;
}

// The same of what has the output's shape.
static char *place(const Conv *conv, const char *outputs, int64_t group,
                   int64_t row, int64_t column)
{
    int64_t at = (row * conv->wide.out + column) * conv->outputs;
    return (char *)(uintptr_t)outputs +
           (size_t)(at + group * conv->own) * conv->size;
}

// A tap of the filters, or of what has their shape.
static const char *tap(const Conv *conv, const char *filters, int64_t i,
                       int64_t k)
{
    int64_t at = (i * conv->wide.window + k) * conv->channels * conv->outputs;
    return filters + (size_t)at * conv->size;
}

// ---- forward

// The windows under some rows of the output, one a row of `to`; zeros for what
// lies in the padding.
static void gather_windows(const Products *p, int64_t group, char *to,
                           int64_t row, int64_t rows)
{
    const Conv *conv = &p->conv;
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    size_t bytes = (size_t)conv->channels * conv->size;
    for (int64_t r = row; r < row + rows; r++) {
        int64_t top = r / high->out * high->in;
        for (int64_t column = 0; column < wide->out; column++) {
            for (int64_t i = 0; i < high->window; i++) {
                int64_t y = window_at(high, r % high->out, i);
                bool inside = 0 <= y && y < high->in;
                if (inside && p->joined) {
                    memcpy(to,
                           pixel(conv, conv->x, group, top + y,
                                 window_at(wide, column, 0)),
                           bytes * (size_t)wide->window);
                    to += bytes * (size_t)wide->window;
                    continue;
                }
                for (int64_t k = 0; k < wide->window; k++, to += bytes) {
                    int64_t x = window_at(wide, column, k);
                    if (inside && 0 <= x && x < wide->in) {
                        memcpy(to, pixel(conv, conv->x, group, top + y, x),
                               bytes);
                    } else {
                        memset(to, 0, bytes);
                    }
                }
            }
        }
    }
}

// A group of a row of the output: for each tap, or each row of taps, one
// product of pixels where they are. The first that covers the row needs no
// zeros there.
static void conv_row(const Products *p, GemmArgs g, int64_t group, int64_t row)
{
    const Conv *conv = &p->conv;
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    int64_t top = row / high->out * high->in;
    const char *filters =
        conv->filters + (size_t)(group * conv->own) * conv->size;
    for (int64_t i = 0; i < high->window; i++) {
        int64_t y = window_at(high, row % high->out, i);
        for (int64_t k = 0; 0 <= y && y < high->in && k < wide->window; k++) {
            int64_t begin = 0, end = wide->out;
            if (!p->joined) {
                window_places(wide, k, &begin, &end);
            }
            g.m = end - begin;
            g.a =
                pixel(conv, conv->x, group, top + y, window_at(wide, begin, k));
            g.b = tap(conv, filters, i, k);
            g.c = place(conv, conv->out, group, row, begin);
            if (g.m > 0) {
                p->gemm(&g);
            }
            g.resume = true;
            if (p->joined) {
                break;
            }
        }
    }
}

static void conv_rows(const Products *p, GemmArgs g, int64_t row)
{
    const Conv *conv = &p->conv;
    int64_t top = window_at(&conv->high, row % conv->high.out, 0);
    g.resume = !p->joined || top < 0 || top >= conv->high.in;
    if (g.resume) {
        memset(place(conv, conv->out, 0, row, 0), 0,
               (size_t)(conv->wide.out * conv->outputs) * conv->size);
    }
    for (int64_t group = 0; group < conv->groups; group++) {
        conv_row(p, g, group, row);
    }
}

static void run_conv(void *data, int64_t begin, int64_t end, int thread)
{
    const Products *p = data;
    const Conv *conv = &p->conv;
    int64_t all = conv->images * conv->high.out;
    GemmArgs g = p->args;
    char *windows = work_of(p, thread);
    g.work = windows + p->gathered;
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t row = unit * p->rows;
        if (p->gathered == 0) {
            conv_rows(p, g, row);
            continue;
        }
        int64_t rows = all - row < p->rows ? all - row : p->rows;
        for (int64_t group = 0; group < conv->groups; group++) {
            gather_windows(p, group, windows, row, rows);
            g.m = rows * conv->wide.out;
            g.a = windows;
            g.b = conv->filters + (size_t)(group * conv->own) * conv->size;
            g.c = place(conv, conv->out, group, row, 0);
            p->gemm(&g);
        }
    }
}

// Memory for the windows comes from the pool: a training loop takes the same
// block again in each step.
bool conv_products(const KernelCall *call, const Conv *conv)
{
    Products p = products_of(call, conv);
    const WindowAxis *wide = &conv->wide;
    int64_t run = run_of(&p);
    int64_t depth = conv->high.window * wide->window * conv->channels;
    GemmArgs *g = &p.args;
    g->m = wide->out;
    g->n = conv->own;
    g->k = run;
    g->a_row = wide->stride * conv->pixel;
    g->a_step = 1;
    g->b_row = conv->outputs;
    g->b_step = 1;
    g->c_row = conv->outputs;
    p.rows = 1;
    if (wide->out < NARROW || run < SHALLOW) {
        p.rows = (GATHERED + wide->out - 1) / wide->out;
        g->m = p.rows * wide->out;
        g->k = g->a_row = depth;
        p.gathered = (size_t)(g->m * depth) * conv->size;
    }
    int64_t units = (conv->images * conv->high.out + p.rows - 1) / p.rows;
    double steps = (double)p.rows * (double)wide->out * (double)depth *
                   (double)conv->outputs;
    return run_units(call->ctx, &p, g, run_conv, units, steps);
}

// ---- the gradient of the images

// A group of a row of an image: each tap under which it lies adds a product of
// the gradient's pixels and the tap, turned.
static void input_row(const Products *p, GemmArgs g, int64_t group, int64_t row)
{
    const Conv *conv = &p->conv;
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    const char *turned =
        conv->filters +
        (size_t)(group * conv->own * conv->channels) * conv->size;
    for (int64_t i = 0; i < high->window; i++) {
        int64_t from = row % high->in - window_at(high, 0, i);
        if (from < 0 || from % high->stride != 0 ||
            from / high->stride >= high->out) {
            continue;
        }
        int64_t at = row / high->in * high->out + from / high->stride;
        for (int64_t k = 0; k < wide->window; k++) {
            int64_t begin, end;
            window_places(wide, k, &begin, &end);
            g.m = end - begin;
            g.a = place(conv, conv->grad, group, at, begin);
            g.b = tap(conv, turned, i, k);
            g.c = (void *)(uintptr_t)pixel(conv, conv->out, group, row,
                                           window_at(wide, begin, k));
            if (g.m > 0) {
                p->gemm(&g);
            }
        }
    }
}

static void run_input(void *data, int64_t begin, int64_t end, int thread)
{
    const Products *p = data;
    const Conv *conv = &p->conv;
    size_t bytes = (size_t)(conv->wide.in * conv->pixel) * conv->size;
    GemmArgs g = p->args;
    g.work = work_of(p, thread);
    for (int64_t row = begin; row < end; row++) {
        memset(conv->out + (size_t)row * bytes, 0, bytes);
        for (int64_t group = 0; group < conv->groups; group++) {
            input_row(p, g, group, row);
        }
    }
}

bool conv_products_input(const KernelCall *call, const Conv *conv)
{
    static const int axes[4] = {0, 1, 3, 2};
    Products p = products_of(call, conv);
    Tensor *turned = tensor_permuted(call->ctx, call->inputs[1], axes);
    if (turned == NULL) {
        return false;
    }
    p.conv.filters = turned->data;
    p.args = (GemmArgs){.m = conv->wide.out,
                        .n = conv->channels,
                        .k = conv->own,
                        .a_row = conv->outputs,
                        .a_step = 1,
                        .b_row = conv->channels,
                        .b_step = 1,
                        .c_row = conv->wide.stride * conv->pixel,
                        .blocks = p.args.blocks,
                        .resume = true};
    double steps = (double)(conv->wide.out * conv->outputs * conv->channels) *
                   (double)(conv->high.window * conv->wide.window);
    bool ok = run_units(call->ctx, &p, &p.args, run_input,
                        conv->images * conv->high.in,
                        steps / (double)conv->high.stride);
    object_release(call->ctx, turned);
    return ok;
}

// ---- the gradient of the filters

// Some channels of one tap, or of one row of taps: each row of the gradient
// adds a product of an image's pixels, turned, and its own.
static void filter_block(const Products *p, GemmArgs g, int64_t group,
                         int64_t i, int64_t k, int64_t channel)
{
    const Conv *conv = &p->conv;
    const WindowAxis *high = &conv->high, *wide = &conv->wide;
    int64_t top, bottom, begin = 0, end = wide->out;
    size_t skip = (size_t)channel * conv->size;
    g.c = (void *)(uintptr_t)(tap(conv, conv->out, i, k) +
                              skip * (size_t)conv->outputs +
                              (size_t)(group * conv->own) * conv->size);
    window_places(high, i, &top, &bottom);
    if (!p->joined) {
        window_places(wide, k, &begin, &end);
    }
    g.k = end - begin;
    for (int64_t image = 0; image < conv->images && g.k > 0; image++) {
        for (int64_t row = top; row < bottom; row++) {
            g.a = skip + pixel(conv, conv->x, group,
                               image * high->in + window_at(high, row, i),
                               window_at(wide, begin, k));
            g.b =
                place(conv, conv->grad, group, image * high->out + row, begin);
            p->gemm(&g);
        }
    }
}

static void run_filter(void *data, int64_t begin, int64_t end, int thread)
{
    const Products *p = data;
    const Conv *conv = &p->conv;
    GemmArgs g = p->args;
    g.work = work_of(p, thread);
    int64_t columns = p->joined ? 1 : conv->wide.window;
    int64_t run = run_of(p);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t channel = unit % p->blocks * FILTER_CHANNELS;
        int64_t at = unit / p->blocks, i = at / columns, k = at % columns;
        g.m = run - channel;
        g.m = g.m < FILTER_CHANNELS ? g.m : FILTER_CHANNELS;
        size_t row = (size_t)conv->outputs * conv->size;
        memset((void *)(uintptr_t)(tap(conv, conv->out, i, k) +
                                   (size_t)channel * row),
               0, (size_t)g.m * row);
        for (int64_t group = 0; group < conv->groups; group++) {
            filter_block(p, g, group, i, k, channel);
        }
    }
}

bool conv_products_filter(const KernelCall *call, const Conv *conv)
{
    Products p = products_of(call, conv);
    const WindowAxis *wide = &conv->wide;
    p.blocks = (run_of(&p) + FILTER_CHANNELS - 1) / FILTER_CHANNELS;
    GemmArgs *g = &p.args;
    g->m = FILTER_CHANNELS;
    g->n = conv->own;
    g->k = wide->out;
    g->a_row = 1;
    g->a_step = wide->stride * conv->pixel;
    g->b_row = conv->outputs;
    g->b_step = 1;
    g->c_row = conv->outputs;
    g->resume = true;
    int64_t taps = conv->high.window * (p.joined ? 1 : wide->window);
    double steps = (double)FILTER_CHANNELS * (double)conv->outputs *
                   (double)(conv->images * conv->high.out) * (double)wide->out;
    return run_units(call->ctx, &p, g, run_filter, taps * p.blocks, steps);
}
