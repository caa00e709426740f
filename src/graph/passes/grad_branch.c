// The way back through an `if`: an `if` on the same condition, whose sides are
// calls of the sides' gradients. See grad_back.h.
#include "graph/passes/grad_back.h"

#include <string.h>

// An `if` on its way back.
typedef struct IfBack {
    GraphNode *node;
    IdVec outside;     // what its sides use
    Graph *lifted[2];  // the sides, as graphs of that; NULL: it diverges
    bool *wanted;      // of those outside: a gradient flows there
    bool *begun;       // which of those have a gradient so far
    bool *given;       // which outputs have one
    IdVec grads;       // what has begun, what is given
    ValueId generator; // its state, if a side draws
    size_t size;       // of the masks
} IfBack;

// Wanted is to what a gradient flows in the side.
static bool mark_wanted(Back *b, IfBack *branches, Graph *side)
{
    bool *live = back_live(side, branches->given);
    if (live == NULL) {
        return false;
    }
    for (size_t i = 0; i < branches->outside.count; i++) {
        branches->wanted[i] |= live[side->block->params[i]] &&
                               back_takes_part(b, branches->outside.items[i]);
    }
    back_live_free(side, live);
    return true;
}

// One side: a block that yields the gradients of the wanted values.
static GraphBlock *side_back(Back *b, const IfBack *branches, int side)
{
    const IdVec *outside = &branches->outside;
    const bool *wanted = branches->wanted;
    Ctx *ctx = b->graph->ctx;
    Graph *lifted = branches->lifted[side];
    GraphBlock *block = graph_block_new(b->graph, b->block);
    // One more for a generator.
    bool *made = ctx_alloc_zero(ctx, outside->count + 2);
    Graph *grad = NULL;
    IdVec results = {0}, inputs = {0};
    bool ok = block != NULL && made != NULL;
    GraphNode *call = NULL;
    if (ok && lifted != NULL) {
        grad = graph_gradient(lifted, branches->given, wanted, branches->begun,
                              made, NULL);
        ok =
            grad != NULL &&
            back_push(b, &inputs, outside->items, outside->count) &&
            back_push(b, &inputs, &branches->generator, graph_draws(lifted)) &&
            back_push(b, &inputs, branches->grads.items, branches->grads.count);
        call = ok ? back_call(b, block, grad, &inputs) : NULL;
        ok = call != NULL;
    }
    uint32_t next = 0;
    for (size_t i = 0; ok && i < outside->count; i++) {
        if (wanted[i]) {
            ValueId id = made[i] ? node_output(call, next++)
                                 : back_so_far(b, block, outside->items[i]);
            ok = id != VALUE_ID_NONE && vec_push(ctx, &results, id);
        }
    }
    ok = ok && graph_block_results(b->graph, block, results.items,
                                   (uint32_t)results.count);
    vec_free(ctx, &results);
    vec_free(ctx, &inputs);
    graph_release(ctx, grad);
    ctx_free(ctx, made, outside->count + 2);
    return ok ? block : NULL;
}

static bool append_back(Back *b, IfBack *branches)
{
    GraphNode *node = branches->node;
    const IdVec *outside = &branches->outside;
    GraphBlock *sides[2] = {NULL, NULL};
    bool ok = true;
    if (back_draws(node->blocks[0]) || back_draws(node->blocks[1])) {
        branches->generator = back_generator(b, node);
        ok = branches->generator != VALUE_ID_NONE;
    }
    for (int side = 0; ok && side < 2; side++) {
        sides[side] = side_back(b, branches, side);
        ok = sides[side] != NULL;
    }
    GraphNode *made = ok ? graph_append_blocks(b->graph, b->block, node->op,
                                               node->inputs, 1, sides, b->place)
                         : NULL;
    uint32_t next = 0;
    for (size_t i = 0; made != NULL && i < outside->count; i++) {
        if (branches->wanted[i]) {
            b->grads[outside->items[i]] = node_output(made, next++);
        }
    }
    return made != NULL;
}

// Which outputs have gradients, which outside values want some and have some.
static bool mark_all(Back *b, IfBack *branches)
{
    const GraphNode *node = branches->node;
    const IdVec *outside = &branches->outside;
    bool ok = true;
    for (uint32_t i = 0; i < node->output_count; i++) {
        branches->given[i] = b->grads[node_output(node, i)] != VALUE_ID_NONE;
    }
    for (int side = 0; ok && side < 2; side++) {
        ok = node->blocks[side]->diverges ||
             ((branches->lifted[side] =
                   back_lift(b->graph, node->blocks[side], outside)) != NULL &&
              mark_wanted(b, branches, branches->lifted[side]));
    }
    for (size_t i = 0; ok && i < outside->count; i++) {
        ValueId grad = b->grads[outside->items[i]];
        branches->begun[i] = branches->wanted[i] && grad != VALUE_ID_NONE;
        ok = back_push(b, &branches->grads, &grad, branches->begun[i]);
    }
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ok = back_push(b, &branches->grads, &b->grads[node_output(node, i)],
                       branches->given[i]);
    }
    return ok;
}

bool back_branches(Back *b, GraphNode *node)
{
    Ctx *ctx = b->graph->ctx;
    IfBack branches = {.node = node};
    IdVec *outside = &branches.outside;
    bool ok = back_outside(b->graph, node->blocks[0], outside) &&
              back_outside(b->graph, node->blocks[1], outside);
    // A generator is an argument too.
    size_t count = outside->count + 1;
    branches.size = 2 * count + node->output_count;
    branches.wanted = ok ? ctx_alloc_zero(ctx, branches.size) : NULL;
    if (branches.wanted != NULL) {
        branches.begun = branches.wanted + count;
        branches.given = branches.begun + count;
        ok = mark_all(b, &branches);
        bool any = memchr(branches.wanted, true, count) != NULL;
        ok = ok && (!any || append_back(b, &branches));
        ctx_free(ctx, branches.wanted, branches.size);
    }
    for (int side = 0; side < 2; side++) {
        graph_release(ctx, branches.lifted[side]);
    }
    vec_free(ctx, outside);
    vec_free(ctx, &branches.grads);
    return ok && branches.wanted != NULL;
}
