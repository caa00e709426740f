// Where the time of a plan's runs goes, step by step.
//
// A plan is measured only while it has a PlanProfile; plan_run_block then times
// each step. What runs inside a step's blocks is the inner steps' time alone.
// Plans of callees are measured as part of the call that runs them.
#ifndef DUET_BACKEND_PROFILE_H
#define DUET_BACKEND_PROFILE_H

#include "backend/exec.h"
#include "base/map.h"

typedef struct Step Step;
typedef struct StepBlock StepBlock;
typedef struct PlanRun PlanRun;

// What one step took in all runs so far.
typedef struct StepTime {
    const Step *step; // the plan's
    uint64_t runs;
    uint64_t nanoseconds; // its own, inner steps left out
} StepTime;

typedef struct PlanProfile {
    VEC(StepTime) times; // in the order in which steps ran first
    Map places;          // index into `times` by the step's address
    uint64_t inner;      // nanoseconds of steps inside the one that runs
} PlanProfile;

// Begins anew, from nothing. False: no memory.
MUST_CHECK bool plan_profile_start(Ctx *ctx, Plan *plan);
// Ends it and forgets what was measured; plan_release does so too.
void plan_profile_stop(Ctx *ctx, Plan *plan);
// What was measured, borrowed; NULL: the plan is not measured.
const PlanProfile *plan_profile(const Plan *plan);

// For people: the step's op, or the ops of a fused chain, "add, exp, sum";
// and the nodes that it stands for: node `index`, NULL behind the last.
void profile_print_name(StrBuf *out, const Step *step);
const GraphNode *profile_node(const Step *step, uint32_t index);

// plan_run_block of a plan that is measured (exec.c).
MUST_CHECK bool profile_block(PlanRun *run, const StepBlock *block);

#endif
