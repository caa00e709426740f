// From a graph to steps.
//
// Each value that a needed node defines gets a slot; a slot is cleared after
// the step that uses it last, where a use inside a sub-block counts as one by
// the step that owns the block. Results of a block live to its end, state of a
// loop through the turn. Constants and captures are pinned: they need no step.
#include "backend/branches.h"
#include "backend/profile.h"
#include "backend/tile.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph/clone.h"
#include "graph/graph_check.h"
#include "graph/needed.h"
#include "graph/walk.h"
#include "ops/product.h"

// Sanitizer builds check always.
static bool check_default(void)
{
#ifdef DUET_ASAN
    return true;
#else
    const char *check = getenv("DUET_CHECK");
    return check != NULL && strcmp(check, "1") == 0;
#endif
}

// Reads the environment: DUET_PASSES, DUET_NO_FUSE, DUET_NO_BRANCHES,
// DUET_CHECK.
PlanOptions plan_options_default(void)
{
    return (PlanOptions){
        pass_mask(getenv("DUET_PASSES")), getenv("DUET_NO_FUSE") == NULL,
        getenv("DUET_NO_BRANCHES") == NULL, check_default(), false};
}

// Takes the first value off a list of dying values; its slot.
// Unlinks only: the value's entry in chain_next may be used for another list.
static uint32_t chain_pop(Builder *builder, uint32_t *head)
{
    uint32_t value = *head;
    *head = builder->chain_next[value];
    return builder->slots[value];
}

static uint32_t chain_length(const Builder *builder, uint32_t head)
{
    uint32_t count = 0;
    for (; head != VALUE_ID_NONE; head = builder->chain_next[head]) {
        count++;
    }
    return count;
}

// A list of dying values as an array of their slots, in the plan's arena.
bool builder_dead_list(Builder *builder, uint32_t head, const uint32_t **list,
                       uint32_t *count)
{
    *count = chain_length(builder, head);
    uint32_t *slots = arena_new_array(&builder->plan->arena, uint32_t, *count);
    for (uint32_t i = 0; slots != NULL && i < *count; i++) {
        slots[i] = chain_pop(builder, &head);
    }
    *list = slots;
    return slots != NULL;
}

// The slots of values that have theirs already, in the plan's arena.
static const uint32_t *builder_slots(Builder *builder, const ValueId *values,
                                     uint32_t count)
{
    uint32_t *slots = arena_new_array(&builder->plan->arena, uint32_t, count);
    for (uint32_t i = 0; slots != NULL && i < count; i++) {
        slots[i] = builder->slots[builder_source(builder, values[i])];
    }
    return slots;
}

// Which results die with the block, those on the list, and are no later result.
static const bool *find_last(Builder *builder, const GraphBlock *block,
                             uint32_t chain)
{
    uint32_t *last_use = builder->last_use;
    bool *last =
        arena_new_array(&builder->plan->arena, bool, block->result_count);
    for (uint32_t v = chain; v != VALUE_ID_NONE; v = builder->chain_next[v]) {
        last_use[v] = USE_DYING;
    }
    for (uint32_t i = block->result_count; last != NULL && i-- > 0;) {
        ValueId value = builder_source(builder, block->results[i]);
        last[i] = last_use[value] == USE_DYING;
        last_use[value] = last[i] ? USE_RESULT : last_use[value];
    }
    for (uint32_t v = chain; v != VALUE_ID_NONE; v = builder->chain_next[v]) {
        last_use[v] = USE_RESULT;
    }
    return last;
}

// A slot that holds the tensor in all runs. It has no count of its own: the
// plan's graph holds the tensor.
static bool pin(Builder *builder, ValueId value, Tensor *tensor)
{
    Pin made = {builder->slots[value], tensor};
    return vec_push(builder->ctx, &builder->plan->pins, made);
}

// Records that `user` uses the value, seen from the value's own block. The
// walk goes from last to first: the first use that is seen is the last.
static void use(Builder *builder, ValueId value, GraphNode *user,
                GraphBlock *block)
{
    // Up to the block that defines the value: there the owner of the inner
    // block is the user, since a loop may run that block many times.
    const GraphValue *info = graph_value(builder->graph, value);
    if (builder->last_use[value] != USE_NONE) {
        return;
    }
    while (block != info->block) {
        user = block->owner;
        block = block->parent;
    }
    // No user at all means that the block itself yields the value.
    builder->last_use[value] = user != NULL ? user->serial : USE_RESULT;
}

// What a block yields.
static void use_results(Builder *builder, GraphBlock *block)
{
    for (uint32_t i = 0; i < block->result_count; i++) {
        use(builder, block->results[i], NULL, block);
    }
}

// Walks backwards, so that the first use that is met is the last one in program
// order.
static void find_uses(Builder *builder)
{
    GraphBlock *top = builder->graph->block;
    use_results(builder, top);
    for (Walk walk = walk_backward(top); walk_next(&walk);) {
        GraphNode *node = walk.node;
        if (node == NULL || !node->mark) {
            continue;
        }
        for (uint32_t i = 0; i < node->input_count; i++) {
            use(builder, builder_source(builder, node->inputs[i]), node,
                walk.block);
        }
        for (int b = 0; b < OP_MAX_BLOCKS; b++) {
            if (node->blocks[b] != NULL) {
                use_results(builder, node->blocks[b]);
            }
        }
    }
}

// Values that a block yields, or that nothing uses, die with the block; the
// others after the step of their last use.
void builder_mourn(Builder *builder, ValueId value, uint32_t *block_chain)
{
    uint32_t last = builder->last_use[value];
    uint32_t *head =
        last >= USE_RESULT ? block_chain : &builder->chain_heads[last];
    builder->chain_next[value] = *head;
    *head = value;
}

// Slots for what the node gives; each is cleared after its last use.
static bool give_outputs(Builder *builder, GraphNode *node, Step *step,
                         uint32_t *block_chain)
{
    uint32_t *outputs =
        arena_new_array(&builder->plan->arena, uint32_t, node->output_count);
    if (outputs == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        ValueId value = node_output(node, i);
        builder->slots[value] = builder->plan->slot_count++;
        outputs[i] = builder->slots[value];
        if (builder->last_use[value] == USE_NONE) {
            builder->last_use[value] = node->serial;
        }
        builder_mourn(builder, value, block_chain);
    }
    step->outputs = outputs;
    return true;
}

// `block` is block number `which` of `owner`, or the outermost one (NULL).
static StepBlock *steps_of(Builder *builder, GraphBlock *block,
                           GraphNode *owner, int which);

// The steps of the node's blocks: a loop over scalars is compiled whole.
static bool build_blocks(Builder *builder, GraphNode *node, Step *step)
{
    ScalarProgram *program = NULL;
    const OpDesc *op = node_desc(node);
    if (op_is_loop(op) && builder->options->fuse &&
        !scalar_build(builder, node, &program)) {
        return false;
    }
    if (program != NULL) {
        // Its blocks stay NULL: nothing of the loop is left to be run step by
        // step.
        step->run = step_scalar;
        step->scalar = program;
        return true;
    }
    LoopCount *count = NULL;
    if (op_is_loop(op) && !loop_count_find(builder, node, &count)) {
        return false;
    }
    for (int b = 0; b < op->block_count; b++) {
        step->blocks[b] = steps_of(builder, node->blocks[b], node, b);
        if (step->blocks[b] == NULL) {
            return false;
        }
    }
    if (count != NULL) {
        count->index = builder->slots[count->index];
        count->end = builder->slots[builder_source(builder, count->end)];
        step->count = count;
    }
    return true;
}

// Whether the step may write over its first operand. As in tile_reuse.c: what a
// step has made, or the state of a loop.
static bool may_overwrite(const Builder *builder, const GraphNode *node,
                          const Step *step)
{
    const GraphValue *value = graph_value(builder->graph, node->inputs[0]);
    bool made = value->node != NULL ? node_tensor(value->node) == NULL
                                    : value->block->owner != NULL;
    return made && (step->takes & 1) != 0;
}

// One node, one step: slots, callee, blocks, and what dies after it.
static bool build_step(Builder *builder, GraphNode *node, Step *step,
                       uint32_t *block_chain)
{
    step->node = node;
    step->run = node_desc(node)->run != NULL
                    ? step_call
                    : step_op_for(builder->graph, node);
    step->input_count = node->input_count;
    step->output_count = node->output_count;
    step->inputs = builder_slots(builder, node->inputs, node->input_count);
    if (step->inputs == NULL ||
        (node_desc(node)->payload == PAYLOAD_CALLEE &&
         !builder_callee(builder, step, node)) ||
        !give_outputs(builder, node, step, block_chain) ||
        (builder->options->fuse && builder_is_product(builder->graph, node)
             ? !product_build(builder, node, step)
             : !build_blocks(builder, node, step))) {
        return false;
    }
    if (!builder_dead_list(builder, builder->chain_heads[node->serial],
                           &step->dead, &step->dead_count)) {
        return false;
    }
    step_find_takes(step);
    if ((node_desc(node)->flags & OP_OVERWRITES) != 0 &&
        may_overwrite(builder, node, step)) {
        step->run = step_over;
    }
    return true;
}

// Slots of params: the blocks of a loop share the state's.
static void give_params(Builder *builder, GraphBlock *block, GraphNode *owner,
                        int which, uint32_t *block_chain)
{
    for (uint32_t i = 0; i < block->param_count; i++) {
        ValueId value = block->params[i];
        // The first block was built before: its params have their slots.
        builder->slots[value] =
            which > 0 ? builder->slots[owner->blocks[0]->params[i]]
                      : builder->plan->slot_count++;
        if (owner != NULL) {
            // One that decides leaves the state to the next block, or to what
            // follows; in another it dies as other values do.
            bool decides = node_desc(owner)->blocks[which].decides;
            if (decides || builder->last_use[value] == USE_NONE) {
                builder->last_use[value] = USE_RESULT;
            }
            if (!decides) {
                builder_mourn(builder, value, block_chain);
            }
        }
    }
}

// Arguments get their slots' numbers in the order of the call; captures are
// pinned.
static bool give_inputs(Builder *builder, uint32_t *block_chain)
{
    Graph *graph = builder->graph;
    Plan *plan = builder->plan;
    uint32_t *arguments =
        arena_new_array(&plan->arena, uint32_t, graph->inputs.count);
    if (arguments == NULL) {
        return false;
    }
    for (size_t i = 0; i < graph->inputs.count; i++) {
        GraphInput *input = &graph->inputs.items[i];
        if (input->kind == INPUT_ARGUMENT) {
            arguments[plan->argument_count++] = builder->slots[input->value];
            builder_mourn(builder, input->value, block_chain);
        } else if (input->capture == NULL) {
            // Only a trace has the tensors; other graphs may name captures
            // without them.
            return ctx_fail(builder->ctx, ERR_VALUE,
                            "the capture '%s' is not bound", input->name);
        } else if (!pin(builder, input->value, input->capture)) {
            return false;
        }
    }
    plan->arguments = arguments;
    return true;
}

// Constants take no step: their slot is filled when a frame is made.
bool builder_pin(Builder *builder, GraphNode *node)
{
    builder->slots[node->first_output] = builder->plan->slot_count++;
    return pin(builder, node->first_output, node->tensor);
}

// Needed nodes in order; a tile program stands for all the nodes that it
// covers.
static bool fill_steps(Builder *builder, GraphBlock *block, StepBlock *steps,
                       uint32_t *chain)
{
    for (GraphNode *node = block->first; node != NULL; node = node->next) {
        if (!node->mark) {
            continue;
        }
        if (node_tensor(node) != NULL) {
            if (!builder_pin(builder, node)) {
                return false;
            }
            continue;
        }
        Step *step = &steps->steps[steps->step_count++];
        *step = (Step){0};
        GraphNode *last = NULL;
        if (builder->options->fuse &&
            !tile_fuse(builder, node, steps, chain, &last)) {
            return false;
        }
        if (last != NULL) {
            // What stands between is covered, or a constant that tile_fuse
            // has pinned, or not needed.
            node = last;
        } else if (!build_step(builder, node, step, chain)) {
            return false;
        }
    }
    if (!nest_join(builder, steps)) {
        return false;
    }
    plan_update_find(steps);
    builder->plan->step_count += steps->step_count;
    return true;
}

// At most so many steps will be made of the block: a program has many nodes.
static size_t count_steps(const GraphBlock *block)
{
    size_t count = 0;
    for (GraphNode *node = block->first; node != NULL; node = node->next) {
        count += node->mark && node_tensor(node) == NULL;
    }
    return count;
}

// The steps into the plan's arena, with room for one before each two of them
// (branches.h).
static bool keep_steps(Builder *builder, StepBlock *steps)
{
    size_t count = steps->step_count;
    Step *kept =
        arena_new_array(&builder->plan->arena, Step, count + count / 2);
    if (kept != NULL && count > 0) {
        memcpy(kept, steps->steps, count * sizeof *kept);
    }
    steps->steps = kept;
    return kept != NULL && plan_join_find(builder, steps) &&
           branches_find(builder, steps);
}

// A block's steps, its slots for params and results, and what dies with it.
static StepBlock *steps_of(Builder *builder, GraphBlock *block,
                           GraphNode *owner, int which)
{
    Arena *arena = &builder->plan->arena;
    StepBlock *steps = arena_new(arena, StepBlock);
    uint32_t chain = VALUE_ID_NONE;
    if (steps == NULL || !ctx_enter(builder->ctx)) {
        return NULL;
    }
    size_t size = count_steps(block) * sizeof(Step);
    Step *room = steps->steps = ctx_alloc(builder->ctx, size);
    // Slots of params come first: steps refer to them.
    give_params(builder, block, owner, which, &chain);
    bool ok = room != NULL &&
              // Only the outermost block has arguments.
              (owner != NULL || give_inputs(builder, &chain)) &&
              fill_steps(builder, block, steps, &chain) &&
              keep_steps(builder, steps);
    ctx_free(builder->ctx, room, size);
    ctx_leave(builder->ctx);
    if (!ok) {
        return NULL;
    }
    // What the run needs of the block besides its steps.
    steps->param_count = block->param_count;
    steps->result_count = block->result_count;
    steps->params = builder_slots(builder, block->params, block->param_count);
    steps->results =
        builder_slots(builder, block->results, block->result_count);
    steps->last = find_last(builder, block, chain);
    if (steps->params == NULL || steps->results == NULL ||
        steps->last == NULL ||
        !builder_dead_list(builder, chain, &steps->dead, &steps->dead_count)) {
        return NULL;
    }
    return steps;
}

// Scratch by value and by node: one block of memory, cut in six.
static bool lay_out(Builder *builder)
{
    Graph *graph = builder->graph;
    // One entry more than needed, so that an empty graph asks for some memory.
    size_t values = graph->values.count, nodes = graph->nodes.count;
    size_t size = (4 * values + nodes + 1) * sizeof(uint32_t) + values;
    uint32_t *room = ctx_alloc(builder->ctx, size);
    if (room == NULL) {
        return false;
    }
    memset(room, 0xff, size); // VALUE_ID_NONE and USE_NONE everywhere
    builder->slots = room;
    builder->last_use = room + values;
    builder->chain_next = room + 2 * values;
    builder->turned = room + 3 * values;
    builder->chain_heads = room + 4 * values;
    builder->regs = (uint8_t *)(room + 4 * values + nodes + 1);
    bool ok = graph_mark_needed(graph) &&
              (!builder->options->fuse || builder_turn(builder));
    if (ok) {
        find_uses(builder);
        builder->plan->block = steps_of(builder, graph->block, NULL, 0);
        ok = builder->plan->block != NULL && product_fix(builder);
    }
    // Slots are numbers in the steps by now; the tables are of no use any
    // more.
    ctx_free(builder->ctx, room, size);
    return ok;
}

static Plan *plan_new(Ctx *ctx)
{
    Plan *plan = ctx_alloc_zero(ctx, sizeof *plan);
    if (plan != NULL) {
        plan->refs = 1;
        arena_init(&plan->arena, ctx);
    }
    return plan;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// What building it took, in nanoseconds.
void plan_times(const Plan *plan, uint64_t *optimise, uint64_t *compile)
{
    *optimise = plan->optimise_ns;
    *compile = plan->compile_ns;
}

PlanOptions plan_options_numbers(const PlanOptions *options)
{
    return (PlanOptions){.passes = 1u << PASS_DCE | 1u << PASS_INLINE,
                         .check = options->check,
                         .numbers = true};
}

// Without passes the graph itself is laid out; else a copy, since passes
// rewrite in place and the trace's graph stays as the user sees it.
Plan *builder_plan(Ctx *ctx, Graph *graph, const PlanOptions *options,
                   Map *callees)
{
    Plan *plan = plan_new(ctx);
    if (plan == NULL) {
        return NULL;
    }
    plan->options = *options;
    plan->graph =
        options->passes != 0 ? clone_graph(graph) : graph_retain(graph);
    Builder builder = {.ctx = ctx,
                       .plan = plan,
                       .graph = plan->graph,
                       // Marks of tile programs start behind 1, which means
                       // needed.
                       .options = options,
                       .callees = callees,
                       .groups = 1};
    uint64_t start = now_ns(), middle = start;
    bool ok = plan->graph != NULL &&
              // The original is checked: a fault there must not be blamed on a
              // pass.
              (!options->check || graph_check(graph)) &&
              pass_run(plan->graph, options->passes, options->check);
    if (ok) {
        middle = now_ns();
        ok = lay_out(&builder) && plan_quick(plan) && plan_sizes(ctx, plan);
    }
    if (!ok) {
        plan_release(ctx, plan);
        return NULL;
    }
    plan->optimise_ns = middle - start;
    plan->compile_ns = now_ns() - middle;
    // After success alone: a plan that failed has blocks missing.
    plan_dump(ctx, plan);
    return plan;
}

// The plans in the map are held by those that call them; after a failure nobody
// looks into it again.
Plan *plan_build(Ctx *ctx, Graph *graph, const PlanOptions *options)
{
    Map callees;
    map_init(&callees, ctx);
    Plan *plan = builder_plan(ctx, graph, options, &callees);
    map_free(&callees);
    return plan;
}

// Callees' plans recurse: as deep as staged functions call each other, which
// building them has bounded.
void plan_release(Ctx *ctx, Plan *plan)
{
    if (plan == NULL || --plan->refs > 0) {
        return;
    }
    plan_frames_free(ctx, plan);
    plan_sizes_free(ctx, plan);
    plan_profile_stop(ctx, plan);
    for (size_t i = 0; i < plan->callees.count; i++) {
        plan_release(ctx, plan->callees.items[i]);
    }
    tile_release(ctx, plan);
    product_release(ctx, plan);
    scalar_release(ctx, plan);
    vec_free(ctx, &plan->callees);
    vec_free(ctx, &plan->pins);
    graph_release(ctx, plan->graph);
    arena_destroy(&plan->arena);
    ctx_free(ctx, plan, sizeof *plan);
}

// For printing and for tests: what the steps' nodes belong to.
Graph *plan_graph(const Plan *plan)
{
    return plan->graph;
}

// Steps of all blocks, without those of callees.
size_t plan_step_count(const Plan *plan)
{
    return plan->step_count;
}

// Built for one run and thrown away: no copy, no pass, no fusion.
bool graph_run(Ctx *ctx, Graph *graph, const PlanArgs *args, Tensor **outputs)
{
    PlanOptions plain = {0};
    Plan *plan = plan_build(ctx, graph, &plain);
    if (plan == NULL) {
        return false;
    }
    bool ok = plan_run(ctx, plan, args, outputs);
    plan_release(ctx, plan);
    return ok;
}
