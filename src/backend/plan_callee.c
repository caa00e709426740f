// The plans of staged functions that a graph calls and that were not inlined.
//
// A callee's plan is a part of the caller's and is built with the same options.
#include "backend/plan_build.h"
#include "graph/clone.h"

// Puts a constant in place of the results that nobody uses, so that a call
// does not run, and cannot fail by, what an inlined callee would not run.
static bool drop_results(Builder *builder, Graph *callee, const GraphNode *call)
{
    // Any constant will do: nobody reads it.
    Tensor *nothing = tensor_scalar_int(builder->ctx, DT_BOOL, 0);
    GraphNode *node = nothing != NULL
                          ? graph_append_const(callee, callee->block, nothing,
                                               GRAPH_PLACE_NONE)
                          : NULL;
    object_release_null(builder->ctx, nothing);
    for (uint32_t i = 0; node != NULL && i < call->output_count; i++) {
        // A block that diverges never reaches its results.
        if (builder->last_use[node_output(call, i)] == USE_NONE &&
            !callee->block->diverges) {
            callee->block->results[i] = node->first_output;
        }
    }
    return node != NULL;
}

// Whether each result of the call has a use.
static bool uses_all(const Builder *builder, const GraphNode *call)
{
    bool all = true;
    for (uint32_t i = 0; i < call->output_count; i++) {
        all = all && builder->last_use[node_output(call, i)] != USE_NONE;
    }
    return all;
}

// The callee less what this call does not use.
static Graph *needed_callee(Builder *builder, const GraphNode *call)
{
    Graph *copy = clone_graph(call->callee);
    if (copy != NULL && !drop_results(builder, copy, call)) {
        graph_release(builder->ctx, copy);
        copy = NULL;
    }
    return copy;
}

// The callee's plan as this call needs it, counted. Most calls use all results;
// they share one plan, however many they are and wherever they stand, so that
// calls of calls do not double.
static Plan *callee_plan(Builder *builder, const GraphNode *call)
{
    Ctx *ctx = builder->ctx;
    const char *key = (const char *)&call->callee;
    bool all = uses_all(builder, call);
    const uint64_t *known =
        all ? map_get(builder->callees, key, sizeof call->callee) : NULL;
    if (known != NULL) {
        Plan *shared = (Plan *)(uintptr_t)*known;
        shared->refs++;
        return shared;
    }
    Graph *callee =
        all ? graph_retain(call->callee) : needed_callee(builder, call);
    Plan *plan = callee != NULL ? builder_plan(ctx, callee, builder->options,
                                               builder->callees)
                                : NULL;
    // The callee's plan has its own hold on the graph.
    graph_release(ctx, callee);
    if (plan != NULL && all &&
        !map_put(builder->callees, key, sizeof call->callee,
                 (uint64_t)(uintptr_t)plan)) {
        plan_release(ctx, plan);
        plan = NULL;
    }
    return plan;
}

bool builder_callee(Builder *builder, Step *step, GraphNode *call)
{
    Ctx *ctx = builder->ctx;
    // Room first, so that a callee's plan cannot be lost once it is built.
    if (!vec_reserve(ctx, &builder->plan->callees, 1) || !ctx_enter(ctx)) {
        return false;
    }
    step->callee = callee_plan(builder, call);
    ctx_leave(ctx);
    if (step->callee == NULL) {
        return false;
    }
    builder->plan->callees.items[builder->plan->callees.count++] = step->callee;
    return true;
}
