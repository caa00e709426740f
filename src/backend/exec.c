// Running a plan: frames, blocks and ordinary ops.
//
// A failing step leaves its error pending; plan_run then adds the node's place
// and clears every slot. Outputs are handed over only when all has run.
#include "backend/profile.h"
#include "backend/step.h"

#include <string.h>

enum { STEP_FEW_INPUTS = 8, STEP_FEW_OUTPUTS = 8 };

// The blocks around the node fail next, and then the calls of its graph, each
// in a run of its own.
bool step_fail(PlanRun *run, const GraphNode *node)
{
    if (run->placed) {
        return false;
    }
    run->placed = true;
    Error *error = &run->ctx->error;
    // An interrupt belongs to no node.
    if (error->source == NULL && error->kind != ERR_INTERRUPT) {
        error->source = node->place.source;
        error->span = node->place.span;
    }
    const HostTable *host = run->args->host;
    if (host != NULL && host->failed != NULL) {
        host->failed(run->args->host_data, run->ctx, run->plan->graph, node);
    }
    return false;
}

bool step_fail_part(PlanRun *run, const GraphNode *node)
{
    (void)op_fault(run->ctx, op_desc(node->op));
    return step_fail(run, node);
}

// The dispatch loop. Values die right after the step that uses them last, so
// that their memory serves the steps behind it; the interrupt flag is looked
// at between any two steps.
bool plan_run_block(PlanRun *run, const StepBlock *block)
{
    if (UNLIKELY(run->plan->profile != NULL || run->plan->options.numbers)) {
        return profile_block(run, block);
    }
    const Step *step = block->steps;
    const Step *end = step + block->step_count;
    for (; step < end; step++) {
        if (UNLIKELY(!ctx_poll(run->ctx) || !step->run(run, step))) {
            return step_fail(run, step->node);
        }
        for (uint32_t i = 0; i < step->dead_count; i++) {
            slot_clear(run, step->dead[i]);
        }
    }
    return true;
}

// Runs an ordinary op by the eager way, which infers shapes from the tensors
// that came: for nodes whose types are not known in full.
static bool run_op(PlanRun *run, const Step *step, Tensor **inputs,
                   Tensor **outputs)
{
    for (uint32_t i = 0; i < step->input_count; i++) {
        inputs[i] = run->slots[step->inputs[i]];
    }
    // The trace has fixed how many outputs there are: count says the same.
    uint32_t count = 0;
    if (!op_run(run->ctx, step->node->op, inputs, step->input_count,
                step->node->attrs, outputs, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        step_set(run, step->outputs[i], outputs[i]);
    }
    return true;
}

// Most ops have few operands and results, whose pointers fit on the C stack;
// concat of many does not.
static bool step_op(PlanRun *run, const Step *step)
{
    if (LIKELY(step->input_count <= STEP_FEW_INPUTS &&
               step->output_count <= STEP_FEW_OUTPUTS)) {
        Tensor *inputs[STEP_FEW_INPUTS], *outputs[STEP_FEW_OUTPUTS];
        return run_op(run, step, inputs, outputs);
    }
    size_t size =
        (step->input_count + step->output_count + 1) * sizeof(Tensor *);
    Tensor **room = ctx_alloc(run->ctx, size);
    if (room == NULL) {
        return false;
    }
    bool ok = run_op(run, step, room, room + step->input_count);
    ctx_free(run->ctx, room, size);
    return ok;
}

// An op whose operands and one result have known shapes: nothing is left to
// infer.
static bool run_kernel(PlanRun *run, const Step *step, Tensor **inputs)
{
    const GraphNode *node = step->node;
    const OpDesc *op = op_desc(node->op);
    // Of static shape: step_op_for saw to it.
    TensorType type = graph_type(run->plan->graph, node->first_output);
    bool view = (op->flags & OP_VIEW) != 0;
    // Views make their own output.
    Tensor *output =
        view ? NULL : tensor_new(run->ctx, type.dtype, type.rank, type.dims);
    if (UNLIKELY(output == NULL && !view)) {
        return false;
    }
    for (uint32_t i = 0; i < step->input_count; i++) {
        inputs[i] = run->slots[step->inputs[i]];
    }
    KernelCall call = {run->ctx,          op, node->attrs, inputs,
                       step->input_count, 1,  &output};
    if (UNLIKELY(!op_compute(&call))) {
        object_release_null(run->ctx, output);
        return false;
    }
    step_set(run, step->outputs[0], output);
    return true;
}

static bool step_kernel(PlanRun *run, const Step *step)
{
    Tensor *few[STEP_FEW_INPUTS];
    if (LIKELY(step->input_count <= STEP_FEW_INPUTS)) {
        return run_kernel(run, step, few);
    }
    size_t size = step->input_count * sizeof(Tensor *);
    Tensor **inputs = ctx_alloc(run->ctx, size);
    bool ok = inputs != NULL && run_kernel(run, step, inputs);
    ctx_free(run->ctx, inputs, size);
    return ok;
}

// Ops that overwrite have few inputs.
bool step_over(PlanRun *run, const Step *step)
{
    Tensor *inputs[STEP_FEW_INPUTS];
    Tensor **first = &run->slots[step->inputs[0]];
    if (!tensor_reusable(*first)) {
        return step_op(run, step);
    }
    for (uint32_t i = 0; i < step->input_count; i++) {
        inputs[i] = run->slots[step->inputs[i]];
    }
    if (!op_run_over(run->ctx, step->node->op, inputs, step->input_count,
                     step->node->attrs)) {
        return false;
    }
    step_set(run, step->outputs[0], *first);
    *first = NULL; // clearing it later does nothing
    return true;
}

// What is known in full in the plan need not be inferred in each run.
// Elementwise ops are left to tile programs, or to the eager way.
StepFn step_op_for(const Graph *graph, const GraphNode *node)
{
    const OpDesc *op = op_desc(node->op);
    bool fixed = node->output_count == 1 && op->kernel != NULL &&
                 // Of ops of dynamic shape the rule says too little.
                 !(op->flags & (OP_ELEMENTWISE | OP_DYNAMIC_SHAPE));
    // An unknown input size would have to be checked by the shape rule.
    for (uint32_t i = 0; fixed && i < node->input_count; i++) {
        TensorType type = graph_type(graph, node->inputs[i]);
        fixed = shape_is_static(type.rank, type.dims);
    }
    TensorType out = fixed ? graph_type(graph, node->first_output)
                           : (TensorType){DT_BOOL, RANK_UNKNOWN, NULL};
    return shape_is_static(out.rank, out.dims) ? step_kernel : step_op;
}

// Frames. One is kept for each depth at which the plan was running.
static PlanFrame *frame_new(Ctx *ctx, Plan *plan)
{
    size_t size = sizeof(PlanFrame) + (plan->slot_count + 1) * sizeof(Tensor *);
    PlanFrame *frame = ctx_alloc_zero(ctx, size);
    if (frame == NULL) {
        return NULL;
    }
    if (plan->scratch_size > 0) {
        frame->scratch = ctx_alloc(ctx, plan->scratch_size + 64);
        if (frame->scratch == NULL) {
            ctx_free(ctx, frame, size);
            return NULL;
        }
    }
    for (size_t i = 0; i < plan->pins.count; i++) {
        Pin pin = plan->pins.items[i];
        // Borrowed: the plan's graph outlives its frames.
        frame->slots[pin.slot] = pin.tensor;
    }
    return frame;
}

// Frames hold nothing between runs but the pins, which are not counted.
void plan_frames_free(Ctx *ctx, Plan *plan)
{
    while (plan->frames != NULL) {
        PlanFrame *frame = plan->frames;
        plan->frames = frame->next;
        ctx_free(ctx, frame->scratch, plan->scratch_size + 64);
        ctx_free(ctx, frame,
                 sizeof *frame + (plan->slot_count + 1) * sizeof(Tensor *));
    }
}

// Frames wait in a list: a plan that runs once at a time needs one, and makes
// it in its first run.
static PlanFrame *frame_take(Ctx *ctx, Plan *plan)
{
    PlanFrame *frame = plan->frames;
    if (LIKELY(frame != NULL)) {
        // While the frame is in use a call of the same plan finds none, and
        // makes one of its own: so recursion has a frame for each depth.
        plan->frames = frame->next;
        return frame;
    }
    return frame_new(ctx, plan);
}

// Clears what a failed run left, all but the pins.
static void frame_clear(PlanRun *run)
{
    Plan *plan = run->plan;
    for (size_t i = 0; i < plan->pins.count; i++) {
        // Taken out for the clearing: pins have no count to release.
        run->slots[plan->pins.items[i].slot] = NULL;
    }
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        slot_clear(run, i);
    }
    for (size_t i = 0; i < plan->pins.count; i++) {
        run->slots[plan->pins.items[i].slot] = plan->pins.items[i].tensor;
    }
}

// Arguments are held for the run, so that an effect that drops the caller's
// last reference does no harm. The plan holds itself: a host_call may drop the
// function that it belongs to.
static __attribute__((noinline)) bool
run_steps(Ctx *ctx, Plan *plan, const PlanArgs *args, Tensor **outputs)
{
    PlanFrame *frame = frame_take(ctx, plan);
    if (frame == NULL) {
        return false;
    }
    // A frame of its own for each run, so that a plan may be run within its own
    // run.
    PlanRun run = {ctx, plan, frame->slots, args, frame, false, false};
    for (uint32_t i = 0; i < plan->argument_count; i++) {
        frame->slots[plan->arguments[i]] = object_retain(args->inputs[i]);
    }
    // A host function may drop the trace whose plan this is.
    plan->refs++;
    const StepBlock *block = plan->block;
    bool ok = plan_run_block(&run, block);
    for (uint32_t i = 0; ok && i < block->result_count; i++) {
        outputs[i] = run_block_result(&run, block, i);
    }
    if (LIKELY(ok)) {
        run_block_end(&run, block);
    } else {
        // A failure leaves slots set that no step will clear.
        frame_clear(&run);
    }
    // Back on the list before the plan lets go of itself, which may free both.
    frame->next = plan->frames;
    plan->frames = frame;
    plan_release(ctx, plan);
    return ok;
}

bool plan_run_quick(Ctx *ctx, const Plan *plan, Tensor *const *inputs,
                    Tensor **outputs)
{
    return plan->quick != NULL && LIKELY(!ctx_interrupt_bits(ctx)) &&
           LIKELY(plan->profile == NULL && !plan->options.numbers) &&
           plan_quick_run(ctx, plan->quick, inputs, outputs);
}

bool plan_run(Ctx *ctx, Plan *plan, const PlanArgs *args, Tensor **outputs)
{
    if (UNLIKELY(plan->sized != NULL)) {
        plan = plan_sized(ctx, plan, args->inputs);
    }
    return plan_run_quick(ctx, plan, args->inputs, outputs) ||
           run_steps(ctx, plan, args, outputs);
}
