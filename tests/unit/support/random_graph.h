// Random graphs for tests: every op, every dtype, control flow, effects.
#ifndef DUET_TESTS_RANDOM_GRAPH_H
#define DUET_TESTS_RANDOM_GRAPH_H

#include "backend/exec.h"

enum {
    RANDOM_INPUTS = 6,    // arguments of a random graph, all given
    RANDOM_VARIABLES = 2, // its Variables
    RANDOM_OUTPUTS = 8
};

typedef struct RandomOptions {
    uint32_t nodes; // to try in the outermost block
    bool effects;   // print, assert, Variables, draws
    bool may_fail;  // ops whose errors depend on values
    Graph *callee;  // called now and then; NULL: none
    bool captures;  // tensors that the graph alone holds, as inputs
} RandomOptions;

// The graph of a seed: the same each time. Its outputs number at most
// RANDOM_OUTPUTS. NULL: out of memory.
Graph *random_graph(Ctx *ctx, uint32_t seed, const RandomOptions *options);
// Arguments for a random graph, owned by the caller.
void random_inputs(Ctx *ctx, uint32_t seed, Tensor **inputs);
// Values for its Variables.
void random_variables(Ctx *ctx, VariableCell *cells);

#endif
