// Copying graphs, blocks and nodes: for the passes and for inlining.
//
// A Clone maps values of the graph that is read to values of the one that is
// written. Attributes, places and names are copied; what is counted is held by
// the target too.
#include "graph/clone.h"

#include <string.h>

// Numbers of sites are those of `from`, moved by what `to` had before.
static bool copy_sites(Clone *clone)
{
    for (size_t i = 0; i < clone->from->sites.count; i++) {
        GraphSite site = clone->from->sites.items[i];
        site.caller =
            site.caller == 0 ? clone->caller : site.caller + clone->sites;
        site.named += site.named == 0 ? 0 : clone->sites;
        if (graph_add_site(clone->to, site) == GRAPH_SITE_FAILED) {
            return false;
        }
    }
    return true;
}

// All values are unmapped at first; the caller maps inputs and what stands
// outside of what is cloned.
bool clone_init(Clone *clone, Graph *from, Graph *to, uint32_t caller)
{
    clone->from = from;
    clone->to = to;
    clone->variables = NULL;
    clone->sites = (uint32_t)to->sites.count;
    clone->caller = caller;
    clone->size = from->values.count * sizeof(ValueId) + 1;
    clone->values = ctx_alloc(to->ctx, clone->size);
    if (clone->values != NULL) {
        // VALUE_ID_NONE is all ones.
        memset(clone->values, 0xff, clone->size);
    }
    return clone->values != NULL && copy_sites(clone);
}

// Also right after a clone_init that failed.
void clone_free(Clone *clone)
{
    if (clone->values != NULL) {
        ctx_free(clone->to->ctx, clone->values, clone->size);
    }
}

// Results are those of the block read, mapped. Directly set:
// graph_block_results would copy them once more.
static bool clone_results(Clone *clone, const GraphBlock *from, GraphBlock *to)
{
    ValueId *results =
        arena_new_array(&clone->to->arena, ValueId, from->result_count);
    if (results == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < from->result_count; i++) {
        results[i] = clone->values[from->results[i]];
    }
    to->results = results;
    to->result_count = from->result_count;
    to->diverges = from->diverges;
    return true;
}

// A sub-block with its params, nodes and results; its owner is set by the
// caller.
static GraphBlock *clone_block(Clone *clone, const GraphBlock *from,
                               GraphBlock *parent)
{
    // Params first, since nodes inside refer to them.
    GraphBlock *block = graph_block_new(clone->to, parent);
    for (uint32_t i = 0; block != NULL && i < from->param_count; i++) {
        const GraphValue *param = graph_value(clone->from, from->params[i]);
        ValueId made =
            graph_block_param(clone->to, block, param->name, param->type);
        if (made == VALUE_ID_NONE) {
            return NULL;
        }
        clone->values[from->params[i]] = made;
    }
    if (block == NULL || !clone_nodes(clone, from, block, NULL) ||
        !clone_results(clone, from, block)) {
        return NULL;
    }
    return block;
}

// Variables are renumbered.
static uint32_t clone_variable(const Clone *clone, uint32_t variable)
{
    return clone->variables != NULL ? clone->variables[variable] : variable;
}

// A callee is shared, not copied: graphs do not change once they have been
// traced.
static bool clone_callee(Clone *clone, const GraphNode *from, GraphNode *node)
{
    Graph *to = clone->to;
    size_t count = from->callee->variables.count;
    node->callee = from->callee;
    node->variables = arena_new_array(&to->arena, uint32_t, count);
    if (node->variables == NULL ||
        !vec_push(to->ctx, &to->callees, node->callee)) {
        return false;
    }
    graph_retain(node->callee);
    for (size_t i = 0; i < count; i++) {
        node->variables[i] = clone_variable(clone, from->variables[i]);
    }
    return true;
}

// What a node points at is held once more by the target graph.
static bool clone_payload(Clone *clone, const GraphNode *from, GraphNode *node)
{
    switch (node_desc(from)->payload) {
    case PAYLOAD_NONE: break;
    case PAYLOAD_TENSOR:
        node->tensor = from->tensor;
        return build_hold(clone->to, from->tensor);
    case PAYLOAD_CALLEE:
    case PAYLOAD_GRADIENT: return clone_callee(clone, from, node);
    case PAYLOAD_HOST:
        node->host = from->host;
        return from->host == NULL || build_hold(clone->to, from->host);
    case PAYLOAD_RESOURCE:
        node->variable = clone_variable(clone, from->variable);
        break;
    }
    return true;
}

// Types are taken over, not inferred: they may be more than the shape rule
// knows.
static bool clone_outputs(Clone *clone, const GraphNode *from, GraphNode *node,
                          GraphBlock *block)
{
    uint32_t count = from->output_count;
    // Dims of the types still belong to the graph that is read; build_finish
    // copies them.
    TensorType few[OP_MAX_OUTPUTS], *types = few;
    if (count > OP_MAX_OUTPUTS) {
        types = arena_new_array(&clone->to->arena, TensorType, count);
        if (types == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        types[i] = graph_type(clone->from, node_output(from, i));
    }
    if (!build_finish(clone->to, block, node, types, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        clone->values[node_output(from, i)] = node_output(node, i);
    }
    return true;
}

static GraphPlace move_place(const Clone *clone, GraphPlace place)
{
    place.site = place.site == 0 ? clone->caller : place.site + clone->sites;
    return place;
}

GraphPlace clone_place(const Clone *clone, const GraphNode *from)
{
    return move_place(clone, from->place);
}

// Inputs are mapped after the copy, so that the array is the target's own.
bool clone_node(Clone *clone, const GraphNode *from, GraphBlock *block)
{
    GraphNode *node =
        build_node(clone->to, from->op, from->inputs, from->input_count,
                   from->attrs, clone_place(clone, from));
    if (node == NULL || !clone_payload(clone, from, node)) {
        return false;
    }
    for (uint32_t i = 0; i < from->input_count; i++) {
        node->inputs[i] = clone->values[from->inputs[i]];
    }
    // The blocks before the outputs: build_link asks them for effects.
    for (int b = 0; b < OP_MAX_BLOCKS; b++) {
        if (from->blocks[b] != NULL) {
            node->blocks[b] = clone_block(clone, from->blocks[b], block);
            if (node->blocks[b] == NULL) {
                return false;
            }
            node->blocks[b]->owner = node;
        }
    }
    return clone_outputs(clone, from, node, block);
}

// With `before` each node is built at the end of the block, as build_finish
// does it, and moved.
bool clone_nodes(Clone *clone, const GraphBlock *from, GraphBlock *block,
                 GraphNode *before)
{
    if (!ctx_enter(clone->to->ctx)) {
        return false;
    }
    bool ok = true;
    for (GraphNode *node = from->first; ok && node != NULL; node = node->next) {
        ok = clone_node(clone, node, block);
        if (ok && before != NULL) {
            GraphNode *made = block->last;
            build_unlink(clone->to, made);
            build_link(clone->to, block, made, before);
        }
    }
    ctx_leave(clone->to->ctx);
    return ok;
}

// Order and kinds stay; a capture that is not bound becomes one in the copy
// too.
static bool copy_inputs(Clone *clone)
{
    Graph *from = clone->from, *to = clone->to;
    for (size_t i = 0; i < from->inputs.count; i++) {
        GraphInput *input = &from->inputs.items[i];
        ValueId made = input->capture != NULL
                           ? graph_add_capture(to, input->name, input->capture)
                           : graph_add_input(to, input->name,
                                             graph_type(from, input->value));
        if (made == VALUE_ID_NONE) {
            return false;
        }
        // graph_add_input makes arguments alone; a capture that is not bound
        // is put right here.
        to->inputs.items[i].kind = input->kind;
        clone->values[input->value] = made;
    }
    for (size_t i = 0; i < from->variables.count; i++) {
        GraphVariable *variable = &from->variables.items[i];
        uint32_t index;
        if (!graph_add_variable(to, variable->name, variable->type,
                                variable->cell, variable->owner, &index)) {
            return false;
        }
        to->variables.items[index].argument = variable->argument;
    }
    return true;
}

bool clone_told(const Clone *clone)
{
    for (size_t i = 0; i < clone->from->told.count; i++) {
        GraphTold told = clone->from->told.items[i];
        told.value = clone->values[told.value];
        told.place = move_place(clone, told.place);
        if (told.value != VALUE_ID_NONE && !graph_tell(clone->to, told)) {
            return false;
        }
    }
    clone->to->shaped = clone->from->shaped;
    return true;
}

// Removed nodes are left behind: a copy is also a way to tidy up.
Graph *clone_graph(Graph *graph)
{
    // Nodes are made in program order, so that serials run in that order
    // again.
    Graph *to = graph_new(graph->ctx, graph->name);
    Clone clone = {0};
    if (to == NULL) {
        return NULL;
    }
    bool ok = clone_init(&clone, graph, to, 0) && copy_inputs(&clone) &&
              clone_nodes(&clone, graph->block, to->block, NULL) &&
              clone_results(&clone, graph->block, to->block) &&
              clone_told(&clone);
    clone_free(&clone);
    if (!ok) {
        graph_release(graph->ctx, to);
        return NULL;
    }
    return to;
}
