// What building a plan shares between its files.
#ifndef DUET_BACKEND_PLAN_BUILD_H
#define DUET_BACKEND_PLAN_BUILD_H

#include "backend/step.h"
#include "graph/passes/pass.h"

#define USE_NONE UINT32_MAX         // nothing uses the value
#define USE_RESULT (UINT32_MAX - 1) // its own block yields it
#define USE_DYING (UINT32_MAX - 2)  // it dies with its block: while one ends

// The state of one plan_build. Tables by value and by node are scratch, gone
// when the plan is laid out.
//
// Lifetimes: last_use says where a value is used last, as seen from its own
// block; a list for each node, linked through chain_next, collects the values
// that die there, and becomes the `dead` slots of the node's step.
typedef struct Builder {
    Ctx *ctx;
    Plan *plan;
    Graph *graph;
    const PlanOptions *options;
    Map *callees;          // by graph: its plan, borrowed; see callee_plan
    uint32_t *slots;       // by value
    uint32_t *last_use;    // by value: a node's serial, or USE_*
    uint32_t *chain_next;  // by value: the next that dies at the same place
    uint32_t *chain_heads; // by node: the values that die after it
    ValueId *turned;       // by value: what it is made of by moving elements,
                           // where all that need it read those; or
                           // VALUE_ID_NONE
    uint8_t *regs;         // by value: its register in the last tile program
                           // that had one for it
    uint32_t groups;       // tile programs tried: their nodes' marks, above 1
} Builder;

// plan_build, with the plans of callees that are known so far.
MUST_CHECK Plan *builder_plan(Ctx *ctx, Graph *graph,
                              const PlanOptions *options, Map *callees);
// Gives the step of a call its callee's plan.
MUST_CHECK bool builder_callee(Builder *builder, Step *step, GraphNode *call);
// A list of dying values as an array of slots.
MUST_CHECK bool builder_dead_list(Builder *builder, uint32_t head,
                                  const uint32_t **list, uint32_t *count);

// Whether the node's op has a body for its operands' types. A node that works
// on strings, or not element by element, is no part of a program.
bool builder_has_body(const Builder *builder, const GraphNode *node);

// Gives a constant a slot that always holds it.
MUST_CHECK bool builder_pin(Builder *builder, GraphNode *node);
// Whether the loop counts, before its blocks are built; *count is NULL if not.
// What counts is no step then. False with an error pending.
MUST_CHECK bool loop_count_find(Builder *builder, GraphNode *loop,
                                LoopCount **count);
// Whether the value is what a loop counts with, while its body runs, from 0 or
// more on and never as far as `limit`.
bool loop_count_below(const Builder *builder, ValueId value, int64_t limit);
// What a step reads for the value.
static inline ValueId builder_source(const Builder *builder, ValueId value)
{
    ValueId source = builder->turned[value];
    return source != VALUE_ID_NONE ? source : value;
}
// Finds the transposes and views that need not be made; their marks go.
MUST_CHECK bool builder_turn(Builder *builder);
// Whether it is a product of operands and a result of known sizes, of what has
// a kernel: others go the eager way.
bool builder_is_product(const Graph *graph, const GraphNode *node);
// Puts a value on the list of what dies after its last use, or with its block.
void builder_mourn(Builder *builder, ValueId value, uint32_t *block_chain);

#endif
