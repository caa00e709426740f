// Transposes that products read where they are, and slices and the like that
// loops do.
#include "backend/plan_build.h"
#include "backend/tile.h"
#include "graph/walk.h"

// A matrix, or some: what products read by columns.
static bool is_turned(const Graph *graph, ValueId value)
{
    const GraphNode *node = graph_value(graph, value)->node;
    return node != NULL && node->op == OP_MATRIX_TRANSPOSE && node->mark &&
           shape_is_static(graph_type(graph, value).rank,
                           graph_type(graph, value).dims);
}

// The result's type may say less than follows from the operands': a callee's
// that was put in its call's place.
bool builder_is_product(const Graph *graph, const GraphNode *node)
{
    bool fixed = node != NULL && node->op == OP_MATMUL && node->mark;
    for (uint32_t i = 0; fixed && i <= node->input_count; i++) {
        TensorType type =
            graph_type(graph, i < node->input_count ? node->inputs[i]
                                                    : node->first_output);
        fixed = shape_is_static(type.rank, type.dims) &&
                (i == node->input_count || type.rank >= 2) &&
                !dtype_is_half(type.dtype);
    }
    return fixed;
}

// Whether a loop runs the node: one that knows the sizes of all operands, not
// of the result alone, to which another operand may have given them.
static bool is_loop(const Builder *builder, const GraphNode *node)
{
    const Graph *graph = builder->graph;
    bool known = builder_has_body(builder, node) &&
                 tile_count(graph_type(graph, node->first_output)) > 1;
    for (uint32_t i = 0; known && i < node->input_count; i++) {
        known = tile_count(graph_type(graph, node->inputs[i])) >= 0;
    }
    return known;
}

// Whether the node reads what it is given without its being made.
static bool reads_source(const Builder *builder, const GraphNode *node,
                         ValueId value)
{
    const Graph *graph = builder->graph;
    return node != NULL &&
           (is_turned(graph, value) ? builder_is_product(graph, node)
                                    : is_loop(builder, node));
}

// Counts the uses by all that need the value made, then leaves those that are
// without: of a value in another block a step of its own is made.
bool builder_turn(Builder *builder)
{
    Graph *graph = builder->graph;
    size_t size = graph->values.count * sizeof(bool) + 1;
    bool *made = NULL;
    for (size_t i = 0; made == NULL && i < graph->nodes.count; i++) {
        if (node_desc(graph->nodes.items[i])->view != NULL) {
            made = ctx_alloc_zero(builder->ctx, size);
            if (made == NULL) {
                return false;
            }
        }
    }
    if (made == NULL) {
        return true;
    }
    for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        for (uint32_t i = 0;
             (walk.node == NULL || walk.node->mark) && i < count; i++) {
            made[uses[i]] = made[uses[i]] ||
                            !reads_source(builder, walk.node, uses[i]) ||
                            graph_value(graph, uses[i])->block != walk.block;
        }
    }
    for (size_t i = 0; i < graph->values.count; i++) {
        if (!made[i] && (is_turned(graph, (ValueId)i) ||
                         tile_is_viewed(builder, (ValueId)i))) {
            GraphNode *node = graph->values.items[i].node;
            builder->turned[i] = node->inputs[0];
            node->mark = 0;
        }
    }
    ctx_free(builder->ctx, made, size);
    return true;
}
