// Running a plan.
#ifndef DUET_BACKEND_EXEC_H
#define DUET_BACKEND_EXEC_H

#include "backend/plan.h"

// What needs host values, handed in by the interpreter. Each is called in
// program order with the node (its attributes, its `host` object, its place)
// and the node's inputs, borrowed. False or NULL with an error pending stops
// the run; effects that are done stay done.
typedef struct HostTable {
    bool (*print)(void *data, Ctx *ctx, const GraphNode *node,
                  Tensor *const *inputs);
    // Sets `outputs`, owned, of the types that the node declares (the caller
    // has cast them; the plan checks).
    bool (*call)(void *data, Ctx *ctx, const GraphNode *node,
                 Tensor *const *inputs, Tensor **outputs);
    // A failed assert, or a raise: words and sets the pending error. The
    // place is added by the plan where the error has none.
    void (*raise)(void *data, Ctx *ctx, const GraphNode *node,
                  Tensor *const *inputs);
    // An outermost loop has done so many turns of `total` (-1: unknown). Called
    // while some bit of ctx->interrupt is set, which it may clear; NULL: nobody
    // wants to know.
    void (*turn)(void *data, Ctx *ctx, int64_t done, int64_t total);
    // A node of the plan's graph has failed, or the callee of one: adds where
    // it was made to the pending error.
    void (*failed)(void *data, Ctx *ctx, const Graph *graph,
                   const GraphNode *node);
} HostTable;

typedef struct PlanArgs {
    Tensor *const *inputs; // the graph's arguments in order, without captures;
                           // borrowed, of the dtypes and shapes of the graph
                           // (the caller's signature has checked them)
    VariableCell *const *variables; // by index; NULL entries, or NULL: the
                                    // graph's own
    const HostTable *host;          // NULL: a host effect is an error
    void *host_data;
} PlanArgs;

// Runs the graph once. `outputs` has room for the graph's outputs; they are
// owned by the caller. On failure there are none, the error carries the place
// of the node that failed (error.source, error.span; the text is the eager
// op's), and Variables are as the completed effects left them. May be called
// again while it runs (a host_call that calls the same function).
MUST_CHECK bool plan_run(Ctx *ctx, Plan *plan, const PlanArgs *args,
                         Tensor **outputs);
// The same for a plan of one small kernel, which needs no host, no Variables
// and calls nobody. False, without an error: plan_run has to do it.
MUST_CHECK bool plan_run_quick(Ctx *ctx, const Plan *plan,
                               Tensor *const *inputs, Tensor **outputs);

// Runs a graph node by node without passes, fusion or a plan: the yardstick of
// tests, and what stage.eager's graphs mean. Same contract as plan_run.
MUST_CHECK bool graph_run(Ctx *ctx, Graph *graph, const PlanArgs *args,
                          Tensor **outputs);

#endif
