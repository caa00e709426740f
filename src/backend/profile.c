// Timing the steps of a plan, for %profile.
#include "backend/profile.h"

#include <time.h>

#include "backend/branches.h"
#include "backend/step.h"
#include "backend/tile.h"
#include "ops/finite.h"

// A call takes some 20 ns, which is part of what is measured.
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Fine for a plan that is not measured.
void plan_profile_stop(Ctx *ctx, Plan *plan)
{
    if (plan->profile != NULL) {
        vec_free(ctx, &plan->profile->times);
        map_free(&plan->profile->places);
        ctx_free(ctx, plan->profile, sizeof *plan->profile);
        plan->profile = NULL;
    }
}

// Rows come with the steps that run: a branch that is not taken has none.
bool plan_profile_start(Ctx *ctx, Plan *plan)
{
    plan_profile_stop(ctx, plan);
    plan->profile = ctx_alloc_zero(ctx, sizeof *plan->profile);
    if (plan->profile == NULL) {
        return false;
    }
    map_init(&plan->profile->places, ctx);
    return true;
}

// Valid until the measuring ends.
const PlanProfile *plan_profile(const Plan *plan)
{
    return plan->profile;
}

// Adds one run of a step to its row.
static bool add_time(Ctx *ctx, PlanProfile *profile, const Step *step,
                     uint64_t nanoseconds)
{
    const char *key = (const char *)&step;
    // Steps stay where they are as long as the plan lives.
    uint64_t *place = map_get(&profile->places, key, sizeof step);
    if (place == NULL) {
        StepTime row = {step, 1, nanoseconds};
        return map_put(&profile->places, key, sizeof step,
                       profile->times.count) &&
               vec_push(ctx, &profile->times, row);
    }
    StepTime *row = &profile->times.items[*place];
    row->runs++;
    row->nanoseconds += nanoseconds;
    return true;
}

// Blocks and callees have told for themselves.
static bool check_numbers(PlanRun *run, const Step *step)
{
    enum { MOST = 8 };
    Tensor *inputs[MOST], *outputs[OP_MAX_OUTPUTS];
    const OpDesc *op = node_desc(step->node);
    if (op->payload == PAYLOAD_CALLEE || op->block_count > 0 ||
        step->input_count > MOST || step->output_count > OP_MAX_OUTPUTS) {
        return true;
    }
    for (uint32_t i = 0; i < step->input_count; i++) {
        inputs[i] = run->slots[step->inputs[i]];
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        outputs[i] = run->slots[step->outputs[i]];
    }
    return finite_check(run->ctx, op->name, inputs, step->input_count, outputs,
                        step->output_count);
}

// As plan_run_block, with a clock around each step. A host_call in a step may
// end the measuring: the profile is asked for anew behind it.
bool profile_block(PlanRun *run, const StepBlock *block)
{
    Plan *plan = run->plan;
    for (uint32_t i = 0; i < block->step_count; i++) {
        const Step *step = &block->steps[i];
        // What runs inside this step adds itself to `inner`, from 0.
        uint64_t outer = plan->profile != NULL ? plan->profile->inner : 0;
        if (plan->profile != NULL) {
            plan->profile->inner = 0;
        }
        uint64_t start = now_ns();
        if (!ctx_poll(run->ctx) || !step->run(run, step) ||
            (plan->options.numbers && !check_numbers(run, step))) {
            return step_fail(run, step->node);
        }
        uint64_t whole = now_ns() - start;
        PlanProfile *profile = plan->profile;
        if (profile != NULL) {
            // The clock is read more often inside than outside.
            uint64_t own = whole > profile->inner ? whole - profile->inner : 0;
            profile->inner = outer + whole;
            if (!add_time(run->ctx, profile, step, own)) {
                return false;
            }
        }
        // Values die where they do in an unmeasured run.
        for (uint32_t k = 0; k < step->dead_count; k++) {
            slot_clear(run, step->dead[k]);
        }
    }
    return true;
}

// The function tells what the step's union holds.
static bool is_tile(const Step *step)
{
    return step->run == step_tile || step->run == step_tile_single;
}

// All ops of a chain, in the order in which they run.
void profile_print_name(StrBuf *out, const Step *step)
{
    // Its instructions are the loop's whole body; their nodes are gone.
    if (step->run == step_scalar) {
        strbuf_puts(out, "loop over scalars");
        return;
    }
    if (step->run == step_branches) {
        strbuf_puts(out, "loops side by side");
        return;
    }
    for (uint32_t i = 0; profile_node(step, i) != NULL; i++) {
        strbuf_printf(out, "%s%s", i > 0 ? ", " : "",
                      op_desc(profile_node(step, i)->op)->name);
    }
}

// Its ops, then the reductions in which it ends; *index is less by those that
// it has.
static const GraphNode *tile_node(const TileProgram *program, uint32_t *index)
{
    if (*index < program->op_count) {
        return program->ops[*index].node;
    }
    *index -= program->op_count;
    if (*index < program->end_count) {
        return program->ends[*index].node;
    }
    *index -= program->end_count;
    return NULL;
}

// A tile program keeps its nodes, any other step is one node's.
const GraphNode *profile_node(const Step *step, uint32_t index)
{
    const GraphNode *node = NULL;
    if (step->run != step_nest) {
        return is_tile(step) ? tile_node(step->program, &index)
               : index == 0  ? step->node
                             : NULL;
    }
    for (uint32_t s = 0; node == NULL && s < step->nest->stage_count; s++) {
        node = tile_node(step->nest->stages[s], &index);
    }
    return node;
}
