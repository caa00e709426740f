// Running a nest: some rows through all its programs, then the next.
//
// A product that a nest begins with is made a block of rows at a time, which
// then go through the programs while they are in the cache; or, where all of it
// stays there anyway, as a whole.
#include <string.h>

#include "backend/product_step.h"
#include "backend/tile_run.h"
#include "kernels/pool.h"
#include "kernels/threads.h"

// Nanoseconds for which Ctrl-C may wait.
static const double longest_unbroken = 50e6;

typedef struct NestRun {
    const TileNest *nest;
    char *scratch; // the first thread's
    size_t size;   // bytes from there to the next one's
    char *product; // all of one that becomes no tensor
    Matmul *matmul;
    ProductBlocks blocks;
    TileRun stages[TILE_MAX_STAGES];
} NestRun;

// Stage by stage, so that a tensor that one takes over was found by those
// before it.
static bool begin_stages(NestRun *at, PlanRun *run)
{
    for (uint32_t s = 0; s < at->nest->stage_count; s++) {
        TileRun *stage = &at->stages[s];
        if (!tile_begin(stage, run, at->nest->stages[s])) {
            return false;
        }
        tile_set_results(stage, NULL, 0);
    }
    return true;
}

static bool finish_stages(NestRun *at)
{
    for (uint32_t s = 0; s < at->nest->stage_count; s++) {
        if (!tile_finish(&at->stages[s])) {
            return false;
        }
    }
    return true;
}

// So many rows through all stages, a few at a time.
static void run_rows(NestRun *at, NestRoom *room, int64_t row, int64_t rows)
{
    const TileNest *nest = at->nest;
    for (int64_t end = row + rows; row < end; row += nest->block) {
        int64_t some = end - row < nest->block ? end - row : nest->block;
        for (uint32_t s = 0; s < nest->stage_count; s++) {
            tile_run_rows(&at->stages[s], room->inner + nest->inner_size, room,
                          row, some);
        }
    }
}

static void run_blocks(void *data, int64_t begin, int64_t end, int thread)
{
    NestRun *at = data;
    const TileNest *nest = at->nest;
    NestRoom room = {at->scratch + (size_t)thread * at->size, at->product, 0};
    int64_t row = begin * nest->block, last = end * nest->block;
    run_rows(at, &room, row, (last < nest->rows ? last : nest->rows) - row);
}

// Blocks of the product's rows. A thread has room for the programs, for a block
// that becomes no tensor, and for what the product needs.
static size_t block_size(const NestRun *at)
{
    const TileProduct *product = at->nest->product;
    size_t size = dtype_size(product->type.dtype);
    size *= (size_t)(at->blocks.rows * at->blocks.product.args.n);
    return product->inside ? (size + 63) & ~(size_t)63 : 0;
}

static void run_product_blocks(void *data, int64_t begin, int64_t end,
                               int thread)
{
    NestRun *at = data;
    char *scratch = at->scratch + (size_t)thread * at->size;
    NestRoom room = {scratch, scratch + at->nest->scratch_size, 0};
    ProductHand hand = {room.product + block_size(at), -1};
    for (int64_t i = begin; i < end; i++) {
        int64_t row, rows = product_block_rows(&at->blocks, i, &row);
        bool inside = at->nest->product->inside;
        product_block(&at->blocks, i, &hand, inside ? room.product : NULL);
        room.element = row * at->blocks.product.args.n;
        run_rows(at, &room, row, rows);
    }
}

// Half a Variable would be left by an interrupt.
static bool updates(const TileNest *nest)
{
    for (uint32_t s = 0; s < nest->stage_count; s++) {
        if (nest->stages[s]->updates) {
            return true;
        }
    }
    return false;
}

static bool run_job(NestRun *at, PlanRun *run, const Job *job)
{
    Ctx *ctx = run->ctx;
    size_t bytes = at->size * (size_t)threads_most();
    at->scratch = pool_take(ctx, ctx->kernels->pool, &bytes);
    if (at->scratch == NULL) {
        return false;
    }
    bool ok = threads_run(updates(at->nest) ? NULL : ctx, job);
    pool_give(ctx->kernels->pool, at->scratch, bytes);
    return ok && finish_stages(at);
}

static bool run_stages(NestRun *at, PlanRun *run)
{
    const TileNest *nest = at->nest;
    int64_t blocks = (nest->rows + nest->block - 1) / nest->block;
    Job job = {run_blocks, at, blocks, nest->cost * (double)nest->block + 1};
    at->size = nest->scratch_size;
    if (nest->elements > TILE_ALONE) {
        return run_job(at, run, &job);
    }
    at->scratch = plan_scratch(run);
    run_blocks(at, 0, blocks, 0);
    return finish_stages(at);
}

// The rows that a thread meets one after the other share its panels.
static bool run_by_blocks(NestRun *at, PlanRun *run)
{
    const TileNest *nest = at->nest;
    double stages = nest->cost * (double)at->blocks.rows;
    Job job = {run_product_blocks, at, at->blocks.count,
               at->blocks.cost + stages};
    at->size = nest->scratch_size + block_size(at) + at->blocks.room;
    return begin_stages(at, run) && run_job(at, run, &job);
}

// What becomes no tensor has memory of its own meanwhile.
static bool run_whole(NestRun *at, PlanRun *run)
{
    const TileProduct *product = at->nest->product;
    Ctx *ctx = run->ctx;
    size_t bytes = (size_t)at->nest->elements * dtype_size(product->type.dtype);
    if (product->inside) {
        at->product = at->matmul->to =
            pool_take(ctx, ctx->kernels->pool, &bytes);
        if (at->product == NULL) {
            return false;
        }
    }
    bool ok = begin_stages(at, run) && product_run(ctx, &at->matmul->product) &&
              run_stages(at, run);
    if (product->inside) {
        pool_give(ctx->kernels->pool, at->product, bytes);
    }
    return ok;
}

// Whether an update by blocks may go on without a look at the interrupt flag.
static bool is_short(const NestRun *at)
{
    double rows = (double)at->blocks.rows;
    double block = at->blocks.cost + at->nest->cost * rows;
    return block * (double)at->blocks.count < longest_unbroken;
}

bool step_nest(PlanRun *run, const Step *step)
{
    NestRun at;
    const TileNest *nest = at.nest = step->nest;
    at.product = NULL;
    if (nest->product == NULL) {
        return begin_stages(&at, run) && run_stages(&at, run);
    }
    at.matmul = product_set(run, nest->product);
    if (at.matmul == NULL || (!nest->product->inside &&
                              !product_make(run, nest->product, at.matmul))) {
        return false;
    }
    return product_blocks(run->ctx, &at.matmul->product, &at.blocks) &&
                   (!updates(nest) || is_short(&at))
               ? run_by_blocks(&at, run)
               : run_whole(&at, run);
}
