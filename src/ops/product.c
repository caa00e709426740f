// Matrix products, cut into strips of C: units of work for threads, between
// which the caller polls.
#include "ops/product.h"

#include <math.h>

#include "kernels/pool.h"
#include "kernels/threads.h"

enum {
    ROWS_STEP = 36,  // a multiple of every tile's rows
    LEAST_ROWS = 72, // of a strip that copies B for itself
    MANY_ROWS = 288, // of one where there are more than threads ask for
    COLUMNS_STEP = 64,
    PANELS_STEP = 192, // where panels are shared: a multiple of every tier's
    STRIPS_A_THREAD = 4,
    FEW = 12, // rows, columns and elements of k that cost little anywhere
    NEAR_BYTES = 512 << 10,     // of a C that caches hold until all is done
    MOST_PANEL_BYTES = 64 << 20 // that are kept
};
// Nanoseconds: below the first one thread does it alone, above the second a
// strip would make Ctrl-C wait.
static const double worth_cutting = 10e3, longest_strip = 20e6;
static const double per_byte = 0.03; // read

typedef struct Strips {
    const Product *product;
    GemmArgs args;         // with blocks and work
    int64_t rows, columns; // of a strip
    int64_t down, across;  // strips of a matrix
    GemmFn kernel;
    size_t size;      // of an element
    size_t work_step; // bytes from a thread's memory to the next one's
    bool many;        // a strip is a matrix, and the kernel takes them together
} Strips;

// Rough: threads and polls alone depend on it.
static double cost_of(const Ctx *ctx, DType dtype, const GemmArgs *args)
{
    static const double per_flop[ELEM_COUNT] = {[ELEM_F32] = 0.012,
                                                [ELEM_F64] = 0.024,
                                                [ELEM_I32] = 0.03,
                                                [ELEM_I64] = 0.1};
    double slower = ctx->kernels->tier == &tier_portable ? 16 : 1;
    double m = (double)args->m, n = (double)args->n, k = (double)(args->k + 1);
    double products = 2.0 * m * n * k * per_flop[dtype] * slower;
    // Of a matrix and a vector memory sets the pace.
    double reads = (m + n) * k * (double)dtype_size(dtype) * per_byte;
    return (products > reads ? products : reads) + 10;
}

// Strips of about size / most, in whole steps.
static int64_t strip_of(int64_t size, int64_t most, int64_t step)
{
    int64_t strip = (size + most - 1) / most;
    strip = (strip + step - 1) / step * step;
    return strip < size ? strip : size;
}

// Rows are cut first: a strip copies its part of B on the way, but has to read
// all of A's rows that it meets. The last strip takes a short rest with it, so
// that all are about even and none copies B for a few rows. Of a product whose
// length asks for more strips than threads do, columns are cut the sooner: all
// of a large B, copied for few rows, would take as long as those.
static void cut(Strips *s, double cost)
{
    int64_t m = s->args.m, n = s->args.n;
    double total = cost * (double)s->product->count;
    double wanted = cost / longest_strip;
    int64_t least = MANY_ROWS;
    if (threads_most() > 1 && total > worth_cutting) {
        double strips = STRIPS_A_THREAD * threads_most();
        strips /= (double)s->product->count;
        least = strips > wanted ? LEAST_ROWS : MANY_ROWS;
        wanted = strips > wanted ? strips : wanted;
    }
    s->rows = m;
    s->columns = n;
    s->down = 1;
    if (wanted > 1) {
        int64_t strips = (int64_t)ceil(wanted), down = m / least;
        down = down < 1 ? 1 : down > strips ? strips : down;
        s->rows = strip_of(m, down, ROWS_STEP);
        s->down = (m + s->rows / 2) / s->rows;
        s->down = s->down < 1 ? 1 : s->down;
        bool own = s->args.panels.columns == 0;
        s->columns = strip_of(n, (strips + s->down - 1) / s->down,
                              own ? COLUMNS_STEP : PANELS_STEP);
    }
    s->across = (n + s->columns - 1) / s->columns;
}

// Those of the last strip are what is left.
static int64_t rows_at(const Strips *s, int64_t row, int64_t m)
{
    return row / s->rows + 1 < s->down ? s->rows : m - row;
}

static void run_strips(void *data, int64_t begin, int64_t end, int thread)
{
    const Strips *s = data;
    int64_t step = s->many ? end - begin : 1;
    for (int64_t i = begin; i < end; i += step) {
        GemmArgs g = s->args;
        g.many.count = s->many ? step : 0;
        int64_t matrix = i / (s->down * s->across);
        int64_t row = i / s->across % s->down * s->rows;
        int64_t column = i % s->across * s->columns;
        if (s->product->place != NULL) {
            s->product->place(s->product->batch, matrix, &g);
        }
        g.a = (const char *)g.a + (size_t)(row * g.a_row) * s->size;
        g.b = (const char *)g.b + (size_t)(column * g.b_step) * s->size;
        g.panels.first = column;
        g.c = (char *)g.c + (size_t)(row * g.c_row + column) * s->size;
        g.m = rows_at(s, row, g.m);
        g.n = g.n - column < s->columns ? g.n - column : s->columns;
        g.work = g.work == NULL
                     ? NULL
                     : (char *)g.work + (size_t)thread * s->work_step;
        s->kernel(&g);
    }
}

static bool run_cut(Ctx *ctx, const Product *product)
{
    const KernelState *state = ctx->kernels;
    Strips s = {.product = product, .args = product->args};
    s.args.blocks = &state->blocks;
    s.kernel = state->tier->gemm[product->dtype];
    s.size = dtype_size(product->dtype);
    double cost = cost_of(ctx, product->dtype, &s.args);
    cut(&s, cost);
    GemmArgs strip = s.args;
    strip.m = strip.m - (s.down - 1) * s.rows;
    strip.m = strip.m < s.rows ? s.rows : strip.m;
    strip.n = s.columns;
    s.work_step = (gemm_work_size(&strip, s.size) + 63) & ~(size_t)63;
    int64_t units = s.down * s.across * product->count;
    s.many = product->even && units == product->count && s.work_step == 0 &&
             gemm_is_direct(&s.args) && state->tier != &tier_portable;
    size_t bytes = s.work_step * (units == 1 ? 1 : (size_t)threads_most());
    if (bytes > 0) {
        s.args.work = pool_take(ctx, state->pool, &bytes);
        if (s.args.work == NULL) {
            return false;
        }
    }
    Job job = {run_strips, &s, units,
               cost * (double)product->count / (double)units};
    bool ok = threads_run(ctx, &job);
    if (bytes > 0) {
        pool_give(state->pool, s.args.work, bytes);
    }
    return ok;
}

bool product_is_small(Ctx *ctx, DType dtype, GemmArgs *args)
{
    args->blocks = &ctx->kernels->blocks;
    bool direct = args->n > 1 ? gemm_is_direct(args)
                              : gemm_work_size(args, dtype_size(dtype)) == 0;
    bool few = args->m <= FEW && args->n <= FEW && args->k <= FEW;
    return args->m > 0 && args->n > 0 && direct &&
           (few || cost_of(ctx, dtype, args) < worth_cutting);
}

bool product_run(Ctx *ctx, const Product *product)
{
    const KernelState *state = kernel_state(ctx);
    GemmArgs args = product->args;
    if (state == NULL || args.m == 0 || args.n == 0 || product->count == 0) {
        return state != NULL;
    }
    if (product->dot) {
        product->place(product->batch, 0, &args);
        return product_dot(ctx, product->dtype, &args);
    }
    if (product->count > 1 || !product_is_small(ctx, product->dtype, &args)) {
        return run_cut(ctx, product);
    }
    if (product->place != NULL) {
        product->place(product->batch, 0, &args);
    }
    state->tier->gemm[product->dtype](&args);
    return true;
}

// ---- blocks of rows

static size_t rounded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

// Rows that fit the second cache beside a panel, enough blocks for all threads,
// and none that would make Ctrl-C wait.
static int64_t rows_of(const ProductBlocks *blocks, double row_cost)
{
    const GemmArgs *g = &blocks->product.args;
    int64_t rows = gemm_sizes(g, dtype_size(blocks->product.dtype)).rows;
    int64_t all = g->m * blocks->product.count;
    int64_t part = all / (STRIPS_A_THREAD * threads_most());
    if (threads_most() > 1 && part < rows) {
        rows = part < LEAST_ROWS ? LEAST_ROWS : part;
    }
    if ((double)rows * row_cost > longest_strip) {
        rows = (int64_t)(longest_strip / row_cost);
    }
    rows = rows / ROWS_STEP * ROWS_STEP;
    rows = rows < ROWS_STEP ? ROWS_STEP : rows;
    return rows < g->m ? rows : g->m;
}

// Panels that come filled are everybody's.
bool product_blocks(Ctx *ctx, const Product *product, ProductBlocks *blocks)
{
    const KernelState *state = ctx->kernels;
    size_t size = dtype_size(product->dtype);
    GemmArgs *g = &blocks->product.args;
    const GemmArgs *args = &product->args;
    int64_t count = args->m * args->n * product->count;
    if ((size_t)count * size <= NEAR_BYTES || gemm_is_direct(args) ||
        args->n == 1) {
        return false;
    }
    blocks->product = *product;
    g->blocks = &state->blocks;
    // Each block meets all panels: more of them than the caches hold would come
    // from memory for few rows at a time. TRIED: 16 MB of them (15 % slower
    // than the whole and a pass behind it, 40 % where a thread fills its own).
    size_t panels = (size_t)(g->k * g->n) * size;
    if (panels > (size_t)state->blocks.b_bytes) {
        return false;
    }
    blocks->panels = g->panels.filled ? 0 : gemm_panels_size(g, size);
    g->panels.columns = g->n;
    double cost = cost_of(ctx, product->dtype, g);
    blocks->rows = rows_of(blocks, cost / (double)g->m);
    blocks->each = (g->m + blocks->rows - 1) / blocks->rows;
    blocks->count = blocks->each * product->count;
    blocks->cost = cost * (double)product->count / (double)blocks->count;
    blocks->kernel = state->tier->gemm[product->dtype];
    blocks->panels = rounded(blocks->panels);
    blocks->room = blocks->panels + rounded(gemm_work_size(g, size));
    return true;
}

int64_t product_block_rows(const ProductBlocks *blocks, int64_t index,
                           int64_t *first)
{
    int64_t m = blocks->product.args.m;
    int64_t row = index % blocks->each * blocks->rows;
    *first = index / blocks->each * m + row;
    return m - row < blocks->rows ? m - row : blocks->rows;
}

void product_block(const ProductBlocks *blocks, int64_t index,
                   ProductHand *hand, void *to)
{
    const Product *product = &blocks->product;
    GemmArgs g = product->args;
    size_t size = dtype_size(product->dtype);
    int64_t matrix = index / blocks->each, first;
    int64_t row = index % blocks->each * blocks->rows;
    product->place(product->batch, matrix, &g);
    g.m = product_block_rows(blocks, index, &first);
    g.a = (const char *)g.a + (size_t)(row * g.a_row) * size;
    g.c = to != NULL ? to : (char *)g.c + (size_t)(row * g.c_row) * size;
    if (!g.panels.filled) {
        g.panels.data = hand->room;
        g.panels.filled = hand->matrix == matrix;
        hand->matrix = matrix;
    }
    g.work = (char *)hand->room + blocks->panels;
    blocks->kernel(&g);
}

// ---- panels that are kept

size_t product_panels_size(Ctx *ctx, const Product *product)
{
    const GemmArgs *g = &product->args;
    bool reads = ctx->kernels->tier != &tier_portable && product->count == 1;
    size_t bytes = reads ? gemm_panels_size(g, dtype_size(product->dtype)) : 0;
    return bytes <= MOST_PANEL_BYTES ? bytes : 0;
}

void product_fill(Ctx *ctx, Product *product, void *panels)
{
    const KernelState *state = ctx->kernels;
    GemmArgs g = product->args;
    g.blocks = &state->blocks;
    g.panels = (GemmPanels){panels, g.n, 0, false};
    product->place(product->batch, 0, &g);
    g.m = 0;
    state->tier->gemm[product->dtype](&g);
    product->args.panels = g.panels;
    product->args.panels.filled = true;
}
