// What structural ops reach of a plan while it runs: slots, blocks, Variables,
// callees, the host. The ops themselves are in ops/ops_structure.c.
#include "backend/step.h"

enum { CALL_FEW = 8, GATHER_FEW = 16 };

// One step in hand, on the C stack.
typedef struct PlanCall {
    StepCall base; // first, so that a StepCall is one of these
    PlanRun *run;
    const Step *step;
} PlanCall;

static PlanCall *own(StepCall *call)
{
    return (PlanCall *)call;
}

void step_find_takes(Step *step)
{
    for (uint32_t i = 0; i < step->input_count && i < STEP_TAKES; i++) {
        uint32_t uses = 0, dies = 0;
        for (uint32_t k = 0; k < step->input_count; k++) {
            uses += step->inputs[k] == step->inputs[i];
        }
        for (uint32_t k = 0; k < step->dead_count; k++) {
            dies |= step->dead[k] == step->inputs[i];
        }
        step->takes |= uses == 1 ? dies << i : 0;
    }
}

static Tensor *call_input(StepCall *call, uint32_t index)
{
    return own(call)->run->slots[own(call)->step->inputs[index]];
}

// A slot whose last use this is need not wait for the step to end.
static Tensor *call_take(StepCall *call, uint32_t index)
{
    const Step *step = own(call)->step;
    Tensor **slot = &own(call)->run->slots[step->inputs[index]];
    Tensor *tensor = *slot;
    if (index < STEP_TAKES && (step->takes >> index & 1) != 0) {
        *slot = NULL;
        return tensor;
    }
    return object_retain(tensor);
}

static uint32_t call_input_count(StepCall *call)
{
    return own(call)->step->input_count;
}

static uint32_t call_output_count(StepCall *call)
{
    return own(call)->step->output_count;
}

static TensorType call_output_type(StepCall *call, uint32_t index)
{
    return graph_type(own(call)->run->plan->graph,
                      node_output(own(call)->step->node, index));
}

static const AttrValue *call_attr(StepCall *call, uint32_t index)
{
    static const AttrValue none = {.kind = ATTR_NONE};
    const AttrValue *attrs = own(call)->step->node->attrs;
    return attrs != NULL ? &attrs[index] : &none;
}

static void call_set_output(StepCall *call, uint32_t index, Tensor *tensor)
{
    step_set(own(call)->run, own(call)->step->outputs[index], tensor);
}

// An argument's cell comes with the call, a captured one with the graph.
VariableCell *step_cell(const PlanRun *run, uint32_t index)
{
    VariableCell *const *cells = run->args->variables;
    if (cells != NULL && cells[index] != NULL) {
        return cells[index];
    }
    // NULL for an argument that the caller did not give.
    return run->plan->graph->variables.items[index].cell;
}

static VariableCell *call_cell(StepCall *call, const char **name)
{
    PlanRun *run = own(call)->run;
    uint32_t index = own(call)->step->node->variable;
    VariableCell *cell = step_cell(run, index);
    *name = run->plan->graph->variables.items[index].name;
    if (UNLIKELY(cell == NULL || cell->value == NULL)) {
        return ctx_fail_null(run->ctx, ERR_VALUE, "Variable '%s' has no value",
                             *name);
    }
    return cell;
}

// The tensor that a value of the graph is known to be in this run: a constant
// or an argument. NULL: it is computed.
static const Tensor *known_tensor(const PlanRun *run, ValueId id)
{
    const Graph *graph = run->plan->graph;
    if (graph_value(graph, id)->node != NULL) {
        return graph_constant(graph, id);
    }
    uint32_t argument = 0;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        const GraphInput *input = &graph->inputs.items[i];
        if (input->value == id) {
            return input->kind == INPUT_ARGUMENT ? run->args->inputs[argument]
                                                 : input->capture;
        }
        argument += input->kind == INPUT_ARGUMENT;
    }
    return NULL;
}

// How many turns a loop makes that goes on while `index < n`, as `for` gives
// it; -1: unknown.
static int64_t turn_count(const PlanRun *run, const GraphBlock *decides)
{
    const Graph *graph = run->plan->graph;
    const GraphNode *test = decides->result_count == 1
                                ? graph_value(graph, decides->results[0])->node
                                : NULL;
    const Tensor *end = test != NULL && test->op == OP_LESS
                            ? known_tensor(run, test->inputs[1])
                            : NULL;
    if (end == NULL || end->count != 1) {
        return -1;
    }
    return end->dtype == DT_INT32   ? *(const int32_t *)end->data
           : end->dtype == DT_INT64 ? *(const int64_t *)end->data
                                    : -1;
}

// Somebody asks the machine to look up from its work: may be to see how far
// the loop is.
static void tell_turn(PlanRun *run, const GraphBlock *decides, int64_t done)
{
    const HostTable *host = run->args->host;
    if (run->plan->loops == 1 && host != NULL && host->turn != NULL) {
        host->turn(run->args->host_data, run->ctx, done,
                   turn_count(run, decides));
    }
}

// What has so many results to give: a graph's text may call a block unreachable
// that is run to its end.
static bool gives(PlanRun *run, const StepBlock *block, uint32_t count)
{
    return LIKELY(block->result_count == count) ||
           ctx_fail(run->ctx, ERR_VALUE,
                    "the end of a block that is 'unreachable' was reached");
}

// What the block yields is taken before its end, which lets go of all else.
static bool call_branch(StepCall *base, int b)
{
    PlanRun *run = own(base)->run;
    const Step *step = own(base)->step;
    const StepBlock *block = step->blocks[b];
    if (!plan_run_block(run, block) || !gives(run, block, step->output_count)) {
        return false;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        step_set(run, step->outputs[i], run_block_result(run, block, i));
    }
    run_block_end(run, block);
    return true;
}

// The next state, once all of it is known: results may be params.
static void next_state(PlanRun *run, const StepBlock *block, Tensor **state)
{
    for (uint32_t i = 0; i < block->result_count; i++) {
        state[i] = run_block_result(run, block, i);
    }
    run_block_end(run, block);
    for (uint32_t i = 0; i < block->result_count; i++) {
        step_set(run, block->params[i], state[i]);
    }
}

// One turn; *again turns false where a block decides so. The condition is read
// before its block ends, which lets go of it.
static bool run_turn(PlanRun *run, const Step *step, const OpDesc *op,
                     Tensor **state, bool *again)
{
    for (int b = 0; *again && b < op->block_count; b++) {
        const StepBlock *block = step->blocks[b];
        bool decides = op->blocks[b].decides;
        if (!plan_run_block(run, block) ||
            !(decides || gives(run, block, step->output_count))) {
            return false;
        }
        if (!decides) {
            next_state(run, block, state);
            continue;
        }
        if (!structural_truth(run->ctx, run->slots[block->results[0]], again)) {
            return false;
        }
        run_block_end(run, block);
    }
    // A loop whose blocks have no steps must be interruptible too.
    return ctx_poll(run->ctx);
}

// The index goes on in its tensor, unless somebody else holds that.
static bool count_on(PlanRun *run, uint32_t slot, int64_t next)
{
    Tensor *index = run->slots[slot];
    if (LIKELY(tensor_reusable(index))) {
        tensor_set_int(index, 0, next);
        return true;
    }
    Tensor *own = tensor_scalar_int(run->ctx, (DType)index->dtype, next);
    if (own == NULL) {
        return false;
    }
    slot_clear(run, slot);
    step_set(run, slot, own);
    return true;
}

// One turn of a loop that counts.
static bool count_turn(PlanRun *run, const Step *step, Tensor **state,
                       bool *again)
{
    const LoopCount *count = step->count;
    const StepBlock *body = step->blocks[SIDE_BODY];
    int64_t index = tensor_int_at(run->slots[count->index], 0);
    *again = index < tensor_int_at(run->slots[count->end], 0);
    if (!*again) {
        return true;
    }
    if (!plan_run_block(run, body)) {
        return false;
    }
    next_state(run, body, state);
    return count_on(run, count->index, index + 1) && ctx_poll(run->ctx);
}

// The state lives in the params' slots, which the blocks share; `state` is room
// for a turn's results while they change places.
static bool run_loop(PlanRun *run, const Step *step, Tensor **state)
{
    const OpDesc *op = node_desc(step->node);
    bool again = true;
    for (int64_t done = 0; again; done++) {
        if (UNLIKELY(ctx_interrupt_bits(run->ctx))) {
            tell_turn(run, step->node->blocks[0], done);
        }
        if (!(op_is_loop(op) && step->count != NULL
                  ? count_turn(run, step, state, &again)
                  : run_turn(run, step, op, state, &again))) {
            return false;
        }
    }
    return true;
}

// After the last turn the state is handed over without a change of counts: it
// may be large, and its memory can be reused.
static bool call_loop(StepCall *base)
{
    PlanRun *run = own(base)->run;
    const Step *step = own(base)->step;
    Tensor *few[CALL_FEW], **state = few;
    size_t size = step->input_count * sizeof *state;
    if (step->input_count > CALL_FEW) {
        state = ctx_alloc(run->ctx, size);
        if (state == NULL) {
            return false;
        }
    }
    const uint32_t *params = step->blocks[0]->params;
    for (uint32_t i = 0; i < step->input_count; i++) {
        step_set(run, params[i], object_retain(run->slots[step->inputs[i]]));
    }
    run->plan->loops++;
    bool ok = run_loop(run, step, state);
    run->plan->loops--;
    for (uint32_t i = 0; ok && i < step->input_count; i++) {
        step_set(run, step->outputs[i], run->slots[params[i]]);
        run->slots[params[i]] = NULL;
    }
    if (state != few) {
        ctx_free(run->ctx, state, size);
    }
    return ok;
}

// Inputs in a row, with room for the outputs behind them; big lists get room
// from the heap.
typedef struct Gathered {
    Tensor *few[GATHER_FEW];
    Tensor **items;
    size_t size; // bytes from the heap, 0: few
} Gathered;

static bool gather(const PlanCall *call, Gathered *list)
{
    const Step *step = call->step;
    uint32_t count = step->input_count + step->output_count;
    list->items = list->few;
    list->size = 0;
    if (count > GATHER_FEW) {
        list->size = count * sizeof(Tensor *);
        list->items = ctx_alloc(call->run->ctx, list->size);
        if (list->items == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < step->input_count; i++) {
        // Borrowed: the slots hold the tensors meanwhile.
        list->items[i] = call->run->slots[step->inputs[i]];
    }
    return true;
}

// Hands over the outputs, of which there are none after a failure, and gives
// back the room of a long list.
static bool scatter(const PlanCall *call, Gathered *list, bool ok)
{
    const Step *step = call->step;
    for (uint32_t i = 0; ok && i < step->output_count; i++) {
        step_set(call->run, step->outputs[i],
                 list->items[step->input_count + i]);
    }
    if (list->size > 0) {
        ctx_free(call->run->ctx, list->items, list->size);
    }
    return ok;
}

// A graph that runs without an interpreter has no one to print or to call.
static bool call_host(StepCall *base, HostAction action)
{
    PlanCall *call = own(base);
    const GraphNode *node = call->step->node;
    const HostTable *host = call->run->args->host;
    void *data = call->run->args->host_data;
    Gathered list;
    if (host == NULL) {
        return ctx_fail(base->ctx, ERR_RUNTIME,
                        "%s: this graph needs the program that made it",
                        op_desc(node->op)->name);
    }
    if (!gather(call, &list)) {
        return false;
    }
    bool ok = false;
    switch (action) {
    case HOST_PRINT: ok = host->print(data, base->ctx, node, list.items); break;
    case HOST_CALL:
        ok = host->call(data, base->ctx, node, list.items,
                        list.items + node->input_count);
        break;
    case HOST_RAISE:
        // It words the error, plan_run_block adds the place.
        host->raise(data, base->ctx, node, list.items);
        break;
    }
    return scatter(call, &list, ok);
}

// A staged function that was not inlined runs its own plan. The host table
// and the Variables, renumbered, are passed on.
static bool run_callee(const PlanCall *call, Gathered *list,
                       VariableCell **cells)
{
    const Step *step = call->step;
    for (size_t i = 0; i < step->callee->graph->variables.count; i++) {
        // The callee numbers its Variables by itself; the node has the
        // mapping.
        cells[i] = step_cell(call->run, step->node->variables[i]);
    }
    PlanArgs args = *call->run->args;
    args.inputs = list->items;
    args.variables = cells;
    return plan_run(call->run->ctx, step->callee, &args,
                    list->items + step->input_count);
}

// Calls recurse in C as deep as staged functions call each other without being
// inlined, so depth is counted.
static bool call_run_callee(StepCall *base)
{
    PlanCall *call = own(base);
    Ctx *ctx = base->ctx;
    Gathered list;
    size_t size =
        // One more than needed: no allocation has size 0.
        (call->step->callee->graph->variables.count + 1) *
        sizeof(VariableCell *);
    if (!ctx_enter(ctx)) {
        return false;
    }
    VariableCell **cells = ctx_alloc(ctx, size);
    bool ok = cells != NULL && gather(call, &list) &&
              scatter(call, &list, run_callee(call, &list, cells));
    ctx_free(ctx, cells, size);
    ctx_leave(ctx);
    return ok;
}

static const StepTable step_table = {
    .input = call_input,
    .take = call_take,
    .input_count = call_input_count,
    .output_count = call_output_count,
    .output_type = call_output_type,
    .attr = call_attr,
    .set_output = call_set_output,
    .cell = call_cell,
    .branch = call_branch,
    .loop = call_loop,
    .run_callee = call_run_callee,
    .host = call_host,
};

bool step_call(PlanRun *run, const Step *step)
{
    PlanCall call = {{run->ctx, &step_table}, run, step};
    return node_desc(step->node)->run(&call.base);
}
