// Blocks and nodes as graphs of their own, for gradients.
#include "graph/passes/grad_back.h"
#include "graph/walk.h"

// Whether the value is defined in the block or in one inside it.
static bool defined_in(const Graph *graph, ValueId id, const GraphBlock *top)
{
    const GraphBlock *block = graph_value(graph, id)->block;
    while (block != NULL && block != top) {
        block = block->parent;
    }
    return block != NULL;
}

// The values that the block uses from outside, each once, behind those that
// are listed already.
bool back_outside(Graph *graph, GraphBlock *top, IdVec *outside)
{
    for (Walk walk = walk_forward(top); walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        for (uint32_t i = 0; i < count; i++) {
            bool known = defined_in(graph, uses[i], top);
            for (size_t k = 0; !known && k < outside->count; k++) {
                known = outside->items[k] == uses[i];
            }
            if (!known && !vec_push(graph->ctx, outside, uses[i])) {
                return false;
            }
        }
    }
    return true;
}

// An input of `to` for each of the values.
bool back_map_inputs(Clone *clone, const ValueId *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const GraphValue *value = graph_value(clone->from, values[i]);
        clone->values[values[i]] = graph_add_input(
            clone->to, value->name != NULL ? value->name : "x", value->type);
        if (clone->values[values[i]] == VALUE_ID_NONE) {
            return false;
        }
    }
    return true;
}

// Variables of the copy are the original's, by number.
static bool copy_variables(const Graph *from, Graph *to)
{
    for (size_t i = 0; i < from->variables.count; i++) {
        const GraphVariable *variable = &from->variables.items[i];
        uint32_t index;
        if (!graph_add_variable(to, variable->name, variable->type, NULL, NULL,
                                &index)) {
            return false;
        }
    }
    return true;
}

// A block as a graph: its params are the first inputs, what it uses from
// outside the others.
Graph *back_lift(Graph *graph, GraphBlock *block, const IdVec *outside)
{
    Graph *to = graph_new(graph->ctx, graph->name);
    Clone clone = {0};
    if (to == NULL) {
        return NULL;
    }
    IdVec results = {0};
    bool ok = clone_init(&clone, graph, to, 0) &&
              back_map_inputs(&clone, block->params, block->param_count) &&
              back_map_inputs(&clone, outside->items, outside->count) &&
              copy_variables(graph, to) &&
              clone_nodes(&clone, block, to->block, NULL);
    for (uint32_t i = 0; ok && i < block->result_count; i++) {
        ok = vec_push(graph->ctx, &results, clone.values[block->results[i]]);
    }
    ok = ok && graph_block_results(to, to->block, results.items,
                                   (uint32_t)results.count);
    vec_free(graph->ctx, &results);
    clone_free(&clone);
    if (!ok) {
        graph_release(graph->ctx, to);
        return NULL;
    }
    return to;
}

Graph *graph_lift_node(Graph *graph, GraphNode *node, ValueId *outside,
                       uint32_t *outside_count)
{
    // A block around the node alone, which no other node knows.
    GraphBlock around = {.first = node, .last = node};
    IdVec values = {0};
    GraphNode *next = node->next;
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ok = vec_push(graph->ctx, &values, node->inputs[i]);
    }
    for (int b = 0; ok && b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        // Both blocks' params are no values from outside.
        ok = back_outside(graph, node->blocks[b], &values);
    }
    Graph *to = ok ? graph_new(graph->ctx, graph->name) : NULL;
    Clone clone = {0};
    node->next = NULL;
    ok = to != NULL && clone_init(&clone, graph, to, 0) &&
         back_map_inputs(&clone, values.items, values.count) &&
         copy_variables(graph, to) &&
         clone_nodes(&clone, &around, to->block, NULL);
    node->next = next;
    if (ok) {
        GraphNode *copy = to->block->last;
        ValueId *results =
            ctx_alloc(graph->ctx, (copy->output_count + 1) * sizeof *results);
        for (uint32_t i = 0; results != NULL && i < copy->output_count; i++) {
            results[i] = node_output(copy, i);
        }
        ok = results != NULL &&
             graph_block_results(to, to->block, results, copy->output_count);
        ctx_free(graph->ctx, results,
                 (copy->output_count + 1) * sizeof *results);
    }
    for (size_t i = 0; ok && i < values.count; i++) {
        outside[i] = values.items[i];
    }
    *outside_count = (uint32_t)values.count;
    vec_free(graph->ctx, &values);
    if (to != NULL) {
        clone_free(&clone);
    }
    if (!ok && to != NULL) {
        graph_release(graph->ctx, to);
        to = NULL;
    }
    return to;
}
