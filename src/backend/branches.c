// Whether threads pay is measured: the loops' turns are known to nobody before.
// In the first run, and now and then while they are short, the loops run one
// after the other with a clock around them.
#include "backend/branches.h"

#include <string.h>
#include <time.h>

#include "kernels/threads.h"

enum { BRANCHES_MOST = 64, MOST_REST = 64 };
// Nanoseconds that all of them take, below which they stay with the caller; and
// of runs without a clock for each with one, which takes 50.
static const double worth_sharing = 20e3, unmeasured = 5e3;

struct Branches {
    const Step *steps; // the loops' own, behind this one
    uint32_t count;
    uint32_t rest; // runs for which they are known to be short
    double cost;   // what they took in the last measured run
};

// What the threads share: units are loops.
typedef struct Side {
    PlanRun run;
    const Branches *branches;
    uint64_t *regs; // SCALAR_MAX_REGS for each loop
    bool done[BRANCHES_MOST];
    double took[BRANCHES_MOST];
} Side;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void run_loops(void *data, int64_t begin, int64_t end, int thread)
{
    Side *side = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        double start = now();
        side->done[i] = scalar_loop(&side->run, side->branches->steps[i].scalar,
                                    side->regs + (size_t)i * SCALAR_MAX_REGS);
        side->took[i] = now() - start;
    }
}

static bool run_side(PlanRun *run, Branches *b, uint64_t *regs)
{
    Side side = {.run = *run, .branches = b, .regs = regs};
    side.run.side = true;
    for (uint32_t i = 0; i < b->count; i++) {
        scalar_load(run, b->steps[i].scalar, regs + i * SCALAR_MAX_REGS);
    }
    // Nobody polls meanwhile: that would take Ctrl-C from the other loops,
    // which then had no end. Those that it has ended hear of it in their steps.
    Job job = {run_loops, &side, b->count, b->cost / b->count};
    bool ok = threads_run(NULL, &job);
    ctx_interrupt_clear(run->ctx, INTERRUPT_SIDE);
    b->cost = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        b->cost += side.took[i];
        if (ok && side.done[i]) {
            ok = scalar_store(run, &b->steps[i], regs + i * SCALAR_MAX_REGS);
        }
    }
    return ok;
}

// As their own steps would, which then find all done.
static bool run_measured(PlanRun *run, Branches *b)
{
    double start = now();
    for (uint32_t i = 0; i < b->count; i++) {
        if (!ctx_poll(run->ctx) || !b->steps[i].run(run, &b->steps[i])) {
            return step_fail(run, b->steps[i].node);
        }
    }
    b->cost = now() - start;
    double rest = unmeasured / (b->cost + 1);
    b->rest = rest < MOST_REST ? (uint32_t)rest : MOST_REST;
    return true;
}

bool step_branches(PlanRun *run, const Step *step)
{
    Branches *b = step->branches;
    if (b->rest > 0 || ctx_interrupt_bits(run->ctx) || threads_most() == 1) {
        b->rest -= b->rest > 0;
        return true;
    }
    if (b->cost < worth_sharing) {
        return run_measured(run, b);
    }
    size_t size = b->count * SCALAR_MAX_REGS * sizeof(uint64_t);
    uint64_t *regs = ctx_alloc(run->ctx, size);
    if (regs == NULL) {
        return false;
    }
    bool ok = run_side(run, b, regs);
    ctx_free(run->ctx, regs, size);
    return ok;
}

uint32_t branches_count(const Step *step)
{
    return step->branches->count;
}

// ---- finding them

// Blocks of a loop read more than its operands.
static bool reads(const ScalarProgram *loop, const Step *before)
{
    for (uint32_t i = 0; i < loop->input_count; i++) {
        for (uint32_t k = 0; k < before->output_count; k++) {
            if (loop->inputs[i].slot == before->outputs[k]) {
                return true;
            }
        }
    }
    return false;
}

// How many steps from this one on are loops that do not need each other.
static uint32_t count_from(const Step *first, const Step *end)
{
    uint32_t count = 0;
    for (const Step *step = first; step < end && count < BRANCHES_MOST;
         step++) {
        if (step->run != step_scalar) {
            return count;
        }
        for (const Step *before = first; before < step; before++) {
            if (reads(step->scalar, before)) {
                return count;
            }
        }
        count++;
    }
    return count;
}

// The steps from there on move up; the array has room (plan.c).
static bool put_before(Builder *builder, StepBlock *block, uint32_t index,
                       uint32_t count)
{
    Branches *branches = arena_new(&builder->plan->arena, Branches);
    if (branches == NULL) {
        return false;
    }
    Step *step = &block->steps[index];
    *branches = (Branches){.steps = step + 1, .count = count};
    memmove(step + 1, step, (block->step_count - index) * sizeof(Step));
    *step = (Step){
        .run = step_branches, .node = step[1].node, .branches = branches};
    block->step_count++;
    return true;
}

bool branches_find(Builder *builder, StepBlock *block)
{
    for (uint32_t i = 0; builder->options->branches && i < block->step_count;) {
        const Step *end = block->steps + block->step_count;
        uint32_t count = count_from(&block->steps[i], end);
        if (count > 1) {
            if (!put_before(builder, block, i, count)) {
                return false;
            }
            i++;
        }
        i += count > 0 ? count : 1;
    }
    return true;
}
