// What building a plan shares between its files.
#ifndef DUET_BACKEND_PLAN_BUILD_H
#define DUET_BACKEND_PLAN_BUILD_H

#include "backend/step.h"
#include "graph/pass.h"

#define USE_NONE UINT32_MAX         // nothing uses the value
#define USE_RESULT (UINT32_MAX - 1) // its own block yields it

typedef struct Builder {
    Ctx *ctx;
    Plan *plan;
    Graph *graph;
    const PlanOptions *options;
    uint32_t *slots;       // by value
    uint32_t *last_use;    // by value: a node's serial, or USE_*
    uint32_t *chain_next;  // by value: the next that dies at the same place
    uint32_t *chain_heads; // by node: the values that die after it
    uint32_t groups;       // tile programs tried: their nodes' marks, above 1
} Builder;

StepBlock *build_steps(Builder *builder, GraphBlock *block, GraphNode *owner,
                       int which);
const uint32_t *builder_slots(Builder *builder, const ValueId *values,
                              uint32_t count);
MUST_CHECK bool builder_dead_list(Builder *builder, uint32_t head,
                                  const uint32_t **list, uint32_t *count);

// Gives a constant a slot that always holds it.
MUST_CHECK bool builder_pin(Builder *builder, GraphNode *node);
// Puts a value on the list of what dies after its last use, or with its block.
void builder_mourn(Builder *builder, ValueId value, uint32_t *block_chain);

#endif
