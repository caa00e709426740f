// What the backend's files share: plans, steps, frames.
//
// A plan is an array of steps per block over numbered slots. A frame holds the
// slots of one run; a slot owns one count on its tensor and is NULL outside
// the life of its value. Constants and captures stay in their slots from run
// to run. A step is a function pointer and its operands, so that compiled code
// can take the place of `run`.
#ifndef DUET_BACKEND_STEP_H
#define DUET_BACKEND_STEP_H

#include "backend/exec.h"

typedef struct Step Step;
typedef struct StepBlock StepBlock;
typedef struct PlanFrame PlanFrame;
typedef struct TileProgram TileProgram;
typedef struct TileKernel TileKernel;
typedef struct TileNest TileNest;
typedef struct TileProduct TileProduct;
typedef struct ScalarProgram ScalarProgram;
typedef struct QuickPlan QuickPlan;
typedef struct SizedPlans SizedPlans;
typedef struct Branches Branches;
typedef struct LoopCount LoopCount;

// A loop that stands still on its thread, for a fault, ends those beside it.
#define INTERRUPT_SIDE ((InterruptReason)8)

// What a step can reach while the plan runs: one for each plan_run, on the C
// stack. A callee's run has one of its own.
typedef struct PlanRun {
    Ctx *ctx;
    Plan *plan;
    Tensor **slots;
    const PlanArgs *args;
    PlanFrame *frame;
    bool placed; // the node that failed has been told
    bool side;   // on any thread: nothing but registers may be touched
} PlanRun;

// False with an error pending stops the run. A step must leave each of its
// output slots filled; its inputs are borrowed.
typedef bool (*StepFn)(PlanRun *run, const Step *step);

enum { STEP_TAKES = 32 }; // bits of Step.takes

// One entry of the dispatch loop. Arrays are in the plan's arena.
struct Step {
    StepFn run;
    const GraphNode *node; // for errors and attributes
    uint32_t input_count, output_count, dead_count;
    uint32_t takes;         // bits of the first inputs: those that die here and
                            // are no other input, so that the step may have
                            // them
    const uint32_t *inputs; // slots
    const uint32_t *outputs;
    const uint32_t *dead; // slots whose last use this is
    StepBlock *blocks[OP_MAX_BLOCKS];
    union {
        Plan *callee;          // call
        TileProgram *program;  // a fused chain
        TileNest *nest;        // chains along the same rows
        ScalarProgram *scalar; // a loop over scalars
        TileProduct *product;
        Branches *branches; // the steps behind it
        LoopCount *count;   // a loop that counts; NULL: it does not
    };
};

// What a loop that counts looks at (loop_count.c), in slots: of its state, and
// of what stays the same. While the plan is built, their values.
struct LoopCount {
    uint32_t index, end;
};

// The steps of a block of the graph, and where its params and results are.
struct StepBlock {
    Step *steps;
    uint32_t step_count;
    uint32_t param_count, result_count, dead_count;
    const uint32_t *params; // slots
    const uint32_t *results;
    const bool *last;     // by result: its slot dies here and is no later one's
    const uint32_t *dead; // slots to clear when the block ends
};

// Memory of one run, kept for the next: pinned slots stay filled, all others
// are NULL between runs. A plan that calls itself has a frame for each depth.
struct PlanFrame {
    PlanFrame *next; // waiting frames of the plan
    char *scratch;
    Tensor *slots[];
};

typedef struct Pin { // a tensor that a slot always holds
    uint32_t slot;
    Tensor *tensor; // borrowed from the plan's graph
} Pin;

// Everything that running needs, once built: nothing is looked up by name or
// inferred again, but where the trace could not know a shape.
struct Plan {
    uint32_t refs;
    uint32_t slot_count;
    Graph *graph; // after the passes, counted
    Arena arena;  // steps and their arrays
    StepBlock *block;
    QuickPlan *quick;  // NULL: it takes steps
    SizedPlans *sized; // for sizes that it leaves open; NULL: none
    VEC(Pin) pins;
    VEC(Plan *) callees;
    uint32_t argument_count;
    const uint32_t *arguments; // slots, in the order of PlanArgs.inputs
    PlanFrame *frames;         // not in use
    TileKernel *kernels;       // of its tile programs
    TileProduct *products;     // its matrix products
    ScalarProgram *scalars;    // that have code of their own
    size_t scratch_size;       // bytes that the widest tile program needs
    size_t step_count;
    uint64_t optimise_ns, compile_ns; // what plan_build took: passes, the rest
    uint32_t loops;                   // that run now, one in the other
    PlanOptions options;
    struct PlanProfile *profile; // owned; NULL: not measured (profile.h)
};

// Gives the plan its quick way, if it is one small kernel (plan_quick.c).
MUST_CHECK bool plan_quick(Plan *plan);
// False: nothing has happened, and the ordinary way is to be taken.
MUST_CHECK bool plan_quick_run(Ctx *ctx, const QuickPlan *quick,
                               Tensor *const *inputs, Tensor **outputs);
// Gives the plan room for others, if sizes of its arguments are open
// (plan_sizes.c).
MUST_CHECK bool plan_sizes(Ctx *ctx, Plan *plan);
void plan_sizes_free(Ctx *ctx, Plan *plan);
// The plan that is to run for these arguments: one for their sizes, or `plan`.
Plan *plan_sized(Ctx *ctx, Plan *plan, Tensor *const *inputs);
// Frees the plan's frames, none of which is in use.
void plan_frames_free(Ctx *ctx, Plan *plan);
// The quickest step that can run an ordinary op.
StepFn step_op_for(const Graph *graph, const GraphNode *node);
// Of one that overwrites, whose first operand, made in the run, dies here.
bool step_over(PlanRun *run, const Step *step);
// Sets `takes`, once it is known what dies (step_call.c).
void step_find_takes(Step *step);
// A structural op, by its descriptor's `run` (step_call.c).
bool step_call(PlanRun *run, const Step *step);
// The place of the graph's Variable of this number in the run.
VariableCell *step_cell(const PlanRun *run, uint32_t index);
// Writes to stderr what DUET_DUMP=graph or plan asks for.
void plan_dump(Ctx *ctx, const Plan *plan);
// All steps of a block in order. False: a step has failed, its error is
// pending.
bool plan_run_block(PlanRun *run, const StepBlock *block);
// Gives a pending error the place of the innermost node that failed; false.
bool step_fail(PlanRun *run, const GraphNode *node);
// Likewise for a node that is a part of a step, with its op's own error.
bool step_fail_part(PlanRun *run, const GraphNode *node);

// The frame's scratch, from its first address that suits a vector.
static inline char *plan_scratch(const PlanRun *run)
{
    uintptr_t scratch = (uintptr_t)run->frame->scratch;
    return (char *)((scratch + 63) & ~(uintptr_t)63);
}
// Puts an owned tensor into an output's slot, which is empty.
static inline void step_set(PlanRun *run, uint32_t slot, Tensor *tensor)
{
    run->slots[slot] = tensor;
}
// Lets go of what a slot holds. An empty one is fine: a step that reuses
// memory has taken the tensor over.
static inline void slot_clear(PlanRun *run, uint32_t slot)
{
    Tensor *tensor = run->slots[slot];
    run->slots[slot] = NULL;
    object_release_null(run->ctx, tensor);
}
// A result of a block, owned. Of all, in order, before the block ends.
static inline Tensor *run_block_result(PlanRun *run, const StepBlock *block,
                                       uint32_t index)
{
    Tensor **slot = &run->slots[block->results[index]], *tensor = *slot;
    if (block->last[index]) {
        *slot = NULL;
        return tensor;
    }
    return object_retain(tensor);
}
// What lives to the end of a block goes: its results were handed on, its
// params are of no use any more.
static inline void run_block_end(PlanRun *run, const StepBlock *block)
{
    for (uint32_t i = 0; i < block->dead_count; i++) {
        slot_clear(run, block->dead[i]);
    }
}

#endif
