// A plan: how a graph runs. Built once per trace, run any number of times.
//
// plan_build copies the graph, runs the passes (graph/passes/pass.h), and lays
// the rest out as an array of steps over numbered slots, with the memory of
// dead values reused. A plan does not refer to the graph that it was built
// from; it holds counts of its own on constants, captures, Variables, callees'
// plans. backend/exec.h runs it. A plan is counted.
#ifndef DUET_BACKEND_PLAN_H
#define DUET_BACKEND_PLAN_H

#include "graph/graph.h"

typedef struct Plan Plan;

typedef struct PlanOptions {
    uint32_t passes; // bits by PassId (graph/passes/pass.h); PASS_ALL
    bool fuse;       // elementwise chains as tile programs
    bool branches;   // independent loops side by side (branches.h)
    bool check;      // run the graph checker after each pass
    bool numbers;    // a step that makes NaN or infinity fails
} PlanOptions;

// All passes, less what DUET_PASSES switches off ("-cse,-fold"; "-all"),
// checked when DUET_CHECK=1. Read once by the caller that makes a Vm.
PlanOptions plan_options_default(void);

// The same for a plan that finds where NaN and infinity are made: each node is
// a step that runs as it was traced.
PlanOptions plan_options_numbers(const PlanOptions *options);

// Copies the graph, runs its passes on the copy and lays out the steps; the
// graph itself stays as it is. NULL with an error pending.
MUST_CHECK Plan *plan_build(Ctx *ctx, Graph *graph, const PlanOptions *options);
void plan_release(Ctx *ctx, Plan *plan); // NULL is fine; not while it runs

// The graph after the passes, borrowed: what %graph --opt shows.
Graph *plan_graph(const Plan *plan);
// Of all blocks together: what tests and profiles count.
size_t plan_step_count(const Plan *plan);
// Nanoseconds that plan_build spent on the passes, and on all the rest.
void plan_times(const Plan *plan, uint64_t *optimise, uint64_t *compile);
// One line a step, as DUET_DUMP=plan shows it.
void plan_print(StrBuf *out, const Plan *plan);

#endif
