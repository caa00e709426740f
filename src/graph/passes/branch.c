// Dead branches: where a constant decides which block of a node runs, its nodes
// take the node's place. So does what decides of a loop that makes no turn.
//
// A side that always raises yields nothing that could stand for the outputs,
// and stays; so does one where types are not those of the outputs, which ops
// behind it were made for, or where what may fail would lose its last reader.
#include "graph/passes/pass.h"

#include "graph/needed.h"
#include "graph/rewrite.h"
#include "graph/safe.h"

typedef struct Branch {
    Rewrite rewrite;
    Safe safe;
    bool *needed; // by value
} Branch;

// What stands for the node's outputs once the block has taken its place.
static const ValueId *given(const GraphNode *node, const GraphBlock *block)
{
    return op_is_loop(node_desc(node)) ? node->inputs : block->results;
}

// Whether the block can take the node's place.
static bool fits(const Branch *branch, const GraphNode *node,
                 const GraphBlock *block)
{
    const Graph *graph = branch->rewrite.graph;
    bool ok = !block->diverges;
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ValueId output = node_output(node, i), value = given(node, block)[i];
        ok = graph_type_equal(graph_type(graph, output),
                              graph_type(graph, value)) &&
             (branch->needed[output] || safe_value(&branch->safe, value));
    }
    for (uint32_t i = 0; ok && i < block->param_count; i++) {
        ok = graph_type_equal(graph_type(graph, block->params[i]),
                              graph_type(graph, node->inputs[i]));
    }
    return ok;
}

// Whether all that the block reads from outside is safe, or comes from blocks
// that do not run either, as what it gives itself.
static bool reads_safe(Branch *branch, GraphBlock *block)
{
    bool *safe = branch->safe.values;
    bool ok = true;
    for (Walk walk = walk_forward(block); ok && walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        for (uint32_t i = 0; ok && i < count; i++) {
            ok = safe_value(&branch->safe, uses[i]);
        }
        for (uint32_t i = 0; walk.node != NULL && i < walk.node->output_count;
             i++) {
            safe[node_output(walk.node, i)] = true;
        }
    }
    return ok;
}

// Whether the others of the node's blocks can go.
static bool can_drop(Branch *branch, const GraphNode *node,
                     const GraphBlock *only)
{
    bool ok = true;
    for (int b = 0; ok && b < node_desc(node)->block_count; b++) {
        ok = node->blocks[b] == only || reads_safe(branch, node->blocks[b]);
    }
    return ok;
}

// Moves the block's nodes to where its owner stands, before it.
static void move_out(Graph *graph, GraphBlock *block)
{
    GraphNode *owner = block->owner;
    for (GraphNode *node = block->first, *next; node != NULL; node = next) {
        next = node->next;
        build_unlink(graph, node);
        build_link(graph, owner->block, node, owner);
        for (int b = 0; b < node_desc(node)->block_count; b++) {
            node->blocks[b]->parent = owner->block;
        }
    }
}

// What enters a loop stands for the state that its condition sees, too.
static bool hand_on(Rewrite *rewrite, const GraphNode *node,
                    const GraphBlock *block)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < block->param_count; i++) {
        ok = rewrite_value(rewrite, block->params[i], node->inputs[i]);
    }
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ok =
            rewrite_value(rewrite, node_output(node, i), given(node, block)[i]);
    }
    return ok;
}

// The walk goes on with the first of the nodes.
static bool take_block(Rewrite *rewrite, Walk *walk, GraphBlock *block)
{
    GraphNode *node = walk->node, *before = node->previous;
    move_out(rewrite->graph, block);
    build_unlink(rewrite->graph, node);
    walk->next = before != NULL ? before->next : walk->block->first;
    return hand_on(rewrite, node, block);
}

// A condition is known before what it decides. The results of a side are
// rewritten late, by way of the outputs that they stand for.
static bool take_all(Branch *branch)
{
    Graph *graph = branch->rewrite.graph;
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        rewrite_uses(&branch->rewrite, &walk);
        GraphBlock *only =
            walk.node != NULL ? graph_only_block(graph, walk.node) : NULL;
        if (only != NULL && fits(branch, walk.node, only) &&
            can_drop(branch, walk.node, only)) {
            ok = take_block(&branch->rewrite, &walk, only);
        }
    }
    return ok;
}

// Most graphs have no blocks.
bool branch_run(Graph *graph)
{
    if (!graph->has_blocks) {
        return true;
    }
    size_t size = graph->values.count + 1;
    Branch branch = {.rewrite = {.graph = graph}, .safe = {.graph = graph}};
    branch.needed = graph_needed_values(graph);
    bool ok = branch.needed != NULL && safe_init(&branch.safe, graph) &&
              take_all(&branch);
    ctx_free(graph->ctx, branch.needed, size);
    safe_free(&branch.safe);
    rewrite_free(&branch.rewrite);
    return ok;
}
