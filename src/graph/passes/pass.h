// Passes: each rewrites a graph in place and changes no result, not by a bit.
//
// A pass is a row of pass_list.h and a function in the file of its name. Passes
// keep effects, their order and the places of errors; an op that only might
// fail and that nothing needs is dropped (graphs are non-strict). Each is
// linear in the number of nodes.
#ifndef DUET_GRAPH_PASSES_PASS_H
#define DUET_GRAPH_PASSES_PASS_H

#include "graph/graph.h"

// The numbers are bits of a mask.
typedef enum PassId {
#define PASS(id, stem, decides) PASS_##id,
#include "graph/passes/pass_list.h"
#undef PASS
    PASS_COUNT
} PassId;

#define PASS(id, stem, decides) MUST_CHECK bool stem##_run(Graph *graph);
#include "graph/passes/pass_list.h"
#undef PASS
// inline for the blocks of one node, in a graph that is being traced.
MUST_CHECK bool inline_node(Graph *graph, GraphNode *node);
// cse for all but nodes that give tensors of floats.
MUST_CHECK bool cse_run_lists(Graph *graph);

#define PASS_ALL ((1u << PASS_COUNT) - 1)

// A row of the table of passes.
typedef struct PassDesc {
    const char *name; // as DUET_PASSES has it
    bool (*run)(Graph *graph);
    bool decides; // takes out blocks that a constant keeps from running
} PassDesc;

// The descriptor of a pass, for listings and for tests of one pass alone.
const PassDesc *pass_desc(PassId id);
// PASS_ALL less what the text switches off: "-cse,-fold", "-all", NULL for
// nothing. Unknown names are ignored.
uint32_t pass_mask(const char *text);

// Runs the passes of `mask` in the order of the list; with `check` the graph
// checker runs after each. False with an error pending.
MUST_CHECK bool pass_run(Graph *graph, uint32_t mask, bool check);
#endif
