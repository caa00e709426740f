// Inlining: the nodes of a callee in place of the call.
//
// The nodes keep the places in the callee's source, and their sites are called
// by that of the call, so that errors are told as they arise. Callees of
// callees are met in turn, since the walk goes on with the first node that was
// put in. Bounded: what is copied in all is at most a fixed multiple of the
// graph, so that functions that call each other twice over do not double
// without end; calls beyond that stay calls.
#include "graph/passes/pass.h"

#include "graph/clone.h"
#include "graph/rewrite.h"

enum {
    INLINE_FACTOR = 8,   // nodes copied for each node of the graph,
    INLINE_LEAST = 16384 // and that many more
};

// A callee that ends in a raise yields nothing that could stand for the call's
// outputs; one whose captures are not bound could not be run.
static bool can_inline(const Graph *callee, size_t budget)
{
    for (size_t i = 0; i < callee->inputs.count; i++) {
        const GraphInput *input = &callee->inputs.items[i];
        if (input->kind == INPUT_CAPTURE && input->capture == NULL) {
            return false;
        }
    }
    return !callee->block->diverges && callee->node_count <= budget;
}

// Arguments stand for the callee's inputs; its captures become the caller's.
static bool map_inputs(Clone *clone, const GraphNode *node)
{
    uint32_t next = 0;
    for (size_t i = 0; i < clone->from->inputs.count; i++) {
        GraphInput *input = &clone->from->inputs.items[i];
        ValueId value =
            input->kind == INPUT_ARGUMENT
                ? node->inputs[next++]
                : graph_add_capture(clone->to, input->name, input->capture);
        if (value == VALUE_ID_NONE) {
            return false;
        }
        clone->values[input->value] = value;
    }
    return true;
}

// The callee's results stand for the call's outputs.
static bool copy_in(Rewrite *rewrite, GraphNode *node, Clone *clone)
{
    const GraphBlock *body = clone->from->block;
    // The call's list says which of this graph's Variables each one of the
    // callee's is.
    clone->variables = node->variables;
    if (!map_inputs(clone, node) ||
        !clone_nodes(clone, body, node->block, node) || !clone_told(clone)) {
        return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!rewrite_value(rewrite, node_output(node, i),
                           clone->values[body->results[i]])) {
            return false;
        }
    }
    return true;
}

// The walk goes on with the first node of the copy, which may be a call
// itself; behind the call where the callee has no nodes.
static bool inline_call(Rewrite *rewrite, Walk *walk)
{
    GraphNode *node = walk->node;
    Clone clone;
    // The copy begins behind this node, or at the head of the block.
    GraphNode *before = node->previous;
    bool ok =
        clone_init(&clone, node->callee, rewrite->graph, node->place.site) &&
        copy_in(rewrite, node, &clone);
    clone_free(&clone);
    if (ok) {
        build_unlink(rewrite->graph, node);
        walk->next = before != NULL ? before->next : walk->block->first;
    }
    return ok;
}

// The calls in the block. `budget` is what may still be copied.
static bool inline_block(Graph *graph, GraphBlock *block, size_t *budget,
                         bool *any)
{
    Rewrite rewrite = {.graph = graph};
    bool ok = true;
    for (Walk walk = walk_forward(block); ok && walk_next(&walk);) {
        rewrite_uses(&rewrite, &walk);
        const GraphNode *node = walk.node;
        if (node != NULL && node_desc(node)->payload == PAYLOAD_CALLEE &&
            can_inline(node->callee, *budget)) {
            // can_inline has seen that there is as much left.
            *budget -= node->callee->node_count;
            ok = inline_call(&rewrite, &walk);
            *any = true;
        }
    }
    rewrite_free(&rewrite);
    return ok;
}

static size_t full_budget(const Graph *graph)
{
    return graph->node_count * INLINE_FACTOR + INLINE_LEAST;
}

bool inline_node(Graph *graph, GraphNode *node)
{
    size_t budget = full_budget(graph);
    bool ok = true, any = false;
    for (int b = 0; ok && b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        ok = inline_block(graph, node->blocks[b], &budget, &any);
    }
    return ok;
}

// Graphs without callees are left at once.
bool inline_run(Graph *graph)
{
    if (graph->callees.count == 0) {
        return true;
    }
    size_t budget = full_budget(graph);
    bool any = false;
    bool ok = inline_block(graph, graph->block, &budget, &any);
    // A callee may know less of what it takes than its caller.
    return ok && (!any || graph_infer_exactly(graph));
}
