// Steps that have effects or leave the graph: Variables, host code, calls.
//
// A Variable's tensor is replaced whole, after its value is complete, so that
// a failure or an interrupt leaves the value before it.
#include "backend/step.h"

enum { EFFECT_FEW = 16 };

// An argument's cell comes with the call, a captured one with the graph.
static VariableCell *find_cell(PlanRun *run, uint32_t index)
{
    VariableCell *const *cells = run->args->variables;
    if (cells != NULL && cells[index] != NULL) {
        return cells[index];
    }
    // NULL for an argument that the caller did not give.
    return run->plan->graph->variables.items[index].cell;
}

// The cell of the step's Variable, which must have a value; else the error
// names it.
static VariableCell *need_cell(PlanRun *run, const Step *step)
{
    uint32_t index = step->node->variable;
    VariableCell *cell = find_cell(run, index);
    if (UNLIKELY(cell == NULL || cell->value == NULL)) {
        return ctx_fail_null(run->ctx, ERR_VALUE, "Variable '%s' has no value",
                             run->plan->graph->variables.items[index].name);
    }
    return cell;
}

// A snapshot: a later assignment replaces the cell's tensor and leaves this
// one as it is.
bool step_read(PlanRun *run, const Step *step)
{
    VariableCell *cell = need_cell(run, step);
    if (cell == NULL) {
        return false;
    }
    step_set(run, step->outputs[0], object_retain(cell->value));
    return true;
}

// Ranks and sizes that the trace could not know are compared here, before
// anything is changed.
bool step_assign(PlanRun *run, const Step *step)
{
    VariableCell *cell = need_cell(run, step);
    if (cell == NULL) {
        return false;
    }
    // Value and old tensor may be one: it is retained before it is released.
    Tensor *value = run->slots[step->inputs[0]], *old = cell->value;
    if (UNLIKELY(value->rank != old->rank ||
                 !shape_equal(value->rank, tensor_dims(value), old->rank,
                              tensor_dims(old)))) {
        return ctx_fail(
            run->ctx, ERR_SHAPE,
            "assign: the value does not have the shape of "
            "Variable '%s'",
            run->plan->graph->variables.items[step->node->variable].name);
    }
    cell->value = object_retain(value);
    cell->writes++;
    object_release(run->ctx, old);
    return true;
}

// Gathers the inputs for a callback; big lists get room from the heap.
typedef struct Gathered {
    Tensor *few[EFFECT_FEW];
    Tensor **items;
    size_t size; // bytes from the heap, 0: few
} Gathered;

// Collects the inputs, with room for `extra` outputs behind them.
static bool gather(PlanRun *run, const Step *step, Gathered *list,
                   uint32_t extra)
{
    uint32_t count = step->input_count + extra;
    list->items = list->few;
    list->size = 0;
    if (count > EFFECT_FEW) {
        list->size = count * sizeof(Tensor *);
        list->items = ctx_alloc(run->ctx, list->size);
        if (list->items == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < step->input_count; i++) {
        // Borrowed: the slots hold the tensors through the callback.
        list->items[i] = run->slots[step->inputs[i]];
    }
    return true;
}

// Gives back the room of a long list.
static void gather_free(PlanRun *run, Gathered *list)
{
    if (list->size > 0) {
        ctx_free(run->ctx, list->items, list->size);
    }
}

// A graph that runs without an interpreter has no one to print or to call.
static bool need_host(PlanRun *run, const Step *step)
{
    return run->args->host != NULL ||
           ctx_fail(run->ctx, ERR_RUNTIME,
                    "%s: this graph needs the program that made it",
                    op_desc(step->node->op)->name);
}

// The callback formats and writes; its error stops the run here.
bool step_print(PlanRun *run, const Step *step)
{
    Gathered list;
    if (!need_host(run, step) || !gather(run, step, &list, 0)) {
        return false;
    }
    bool ok = run->args->host->print(run->args->host_data, run->ctx, step->node,
                                     list.items);
    gather_free(run, &list);
    return ok;
}

// The callback's outputs become the step's, which owns them.
bool step_host_call(PlanRun *run, const Step *step)
{
    Gathered list;
    if (!need_host(run, step) ||
        !gather(run, step, &list, step->output_count)) {
        return false;
    }
    Tensor **outputs = list.items + step->input_count;
    // Nothing is taken over from a callback that fails.
    bool ok = run->args->host->call(run->args->host_data, run->ctx, step->node,
                                    list.items, outputs);
    for (uint32_t i = 0; ok && i < step->output_count; i++) {
        step_set(run, step->outputs[i], outputs[i]);
    }
    gather_free(run, &list);
    return ok;
}

// Always fails: the callback words the error, plan_run_block adds the place.
bool step_raise(PlanRun *run, const Step *step)
{
    Gathered list;
    if (!need_host(run, step) || !gather(run, step, &list, 0)) {
        return false;
    }
    // It sets the error and returns, without a result to look at.
    run->args->host->raise(run->args->host_data, run->ctx, step->node,
                           list.items);
    gather_free(run, &list);
    return false;
}

// Costs a load and a compare where the condition holds.
bool step_assert(PlanRun *run, const Step *step)
{
    const Tensor *condition = run->slots[step->inputs[0]];
    if (LIKELY(condition->count == 1 &&
               *(const uint8_t *)condition->data != 0)) {
        return true;
    }
    return step_raise(run, step);
}

// A staged function that was not inlined runs its own plan. The host table
// and the Variables, renumbered, are passed on.
static bool run_callee(PlanRun *run, const Step *step, Gathered *list,
                       VariableCell **cells)
{
    Graph *callee = step->callee->graph;
    for (size_t i = 0; i < callee->variables.count; i++) {
        // The callee numbers its Variables by itself; the node has the
        // mapping.
        cells[i] = find_cell(run, step->node->variables[i]);
    }
    // The host and its data stay the caller's.
    PlanArgs args = *run->args;
    args.inputs = list->items;
    args.variables = cells;
    Tensor **outputs = list->items + step->input_count;
    if (!plan_run(run->ctx, step->callee, &args, outputs)) {
        return false;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        step_set(run, step->outputs[i], outputs[i]);
    }
    return true;
}

// Calls recurse in C as deep as staged functions call each other without being
// inlined, so depth is counted.
bool step_call(PlanRun *run, const Step *step)
{
    Gathered list;
    Ctx *ctx = run->ctx;
    size_t size =
        // One more than needed: no allocation has size 0.
        (step->callee->graph->variables.count + 1) * sizeof(VariableCell *);
    if (!ctx_enter(ctx)) {
        return false;
    }
    VariableCell **cells = ctx_alloc(ctx, size);
    bool ok = cells != NULL && gather(run, step, &list, step->output_count);
    if (ok) {
        ok = run_callee(run, step, &list, cells);
        gather_free(run, &list);
    }
    if (cells != NULL) {
        ctx_free(ctx, cells, size);
    }
    ctx_leave(ctx);
    return ok;
}
