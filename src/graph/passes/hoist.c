// Loop-invariant motion: what a loop computes anew each turn from values that
// stay the same is computed once, before it.
//
// A loop may make no turn, and its effects come before a later failure, so
// only pure ops that cannot fail are moved: no run-time error of their own,
// and shapes that are known, so that no shape can turn out wrong. Inner loops
// come first: what leaves them may leave the outer one too. A read of a
// Variable leaves a loop that does not write it.
#include "graph/passes/pass.h"

#include "graph/build.h"
#include "graph/needed.h"
#include "graph/versions.h"
#include "graph/walk.h"

// Pure, needed and without errors at run time.
static bool movable(Graph *graph, const GraphNode *node)
{
    bool reads = node_desc(node)->payload == PAYLOAD_RESOURCE;
    bool pure = graph_infer_applies(node) || reads;
    // Constants go even if nothing needs them: they cost nothing and cannot
    // fail.
    return node_tensor(node) != NULL ||
           (node->mark && pure && graph_stays_total(graph, node));
}

// Whether the loop leaves what the node borrows as it was.
static bool keeps(const Versions *versions, const GraphNode *loop,
                  const GraphNode *node)
{
    uint32_t count, own_count;
    const VersionUse *uses = versions_of(versions, loop, &count);
    const VersionUse *own = versions_of(versions, node, &own_count);
    for (uint32_t i = 0, k = 0; i < own_count; i++) {
        // Both lists are in the order of chains, and the loop's has them all.
        while (uses[k].chain != own[i].chain) {
            k++;
        }
        if (uses[k].before != uses[k].after) {
            return false;
        }
    }
    return true;
}

// Whether all that the node reads stands outside of its block.
static bool invariant(const Graph *graph, const GraphNode *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        // Params of the block are state, and count as inside.
        if (graph_value(graph, node->inputs[i])->block == node->block) {
            return false;
        }
    }
    return true;
}

// In program order, so that what is moved makes its users invariant.
static void hoist_from(Graph *graph, const Versions *versions, GraphNode *loop,
                       GraphBlock *block)
{
    for (GraphNode *node = block->first, *next; node != NULL; node = next) {
        next = node->next;
        if (movable(graph, node) && invariant(graph, node) &&
            keeps(versions, loop, node)) {
            build_unlink(graph, node);
            // Just before the loop, in the order in which they come.
            build_link(graph, loop->block, node, loop);
        }
    }
}

// A block ends after those inside it: what they hand to it goes on from there.
// Unneeded nodes are not moved: they would be run where they were not.
bool hoist_run(Graph *graph)
{
    if (!graph->has_blocks) {
        return true;
    }
    if (!graph_mark_needed(graph)) {
        return false;
    }
    Versions versions = {.graph = graph};
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        GraphNode *owner = walk.node == NULL ? walk.block->owner : NULL;
        if (owner != NULL && op_is_loop(node_desc(owner))) {
            ok = versions.ranges != NULL || versions_init(&versions, graph);
            if (ok) {
                hoist_from(graph, &versions, owner, walk.block);
            }
        }
    }
    versions_free(&versions);
    return ok;
}
