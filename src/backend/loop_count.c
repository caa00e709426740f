// Loops that count: `while index < end`, whose body adds 1 to the index, as
// `for` over a range or over rows is traced.
//
// The loop compares and counts by itself, in the tensor that holds the index:
// neither the condition nor the addition is a step.
#include "backend/plan_build.h"
#include "graph/walk.h"

// The block's only node besides constants; NULL: there are none or several.
static GraphNode *only_node(const GraphBlock *block)
{
    GraphNode *found = NULL;
    for (GraphNode *node = block->first; node != NULL; node = node->next) {
        if (node->mark && node_tensor(node) == NULL) {
            if (found != NULL) {
                return NULL;
            }
            found = node;
        }
    }
    return found;
}

static bool is_index(const Graph *graph, ValueId value)
{
    TensorType type = graph_type(graph, value);
    return type.rank == 0 && (type.dtype == DT_INT32 || type.dtype == DT_INT64);
}

// What decides, if it is `index < end` of a param and of what stays the same.
static GraphNode *find_test(const Graph *graph, const GraphBlock *cond)
{
    GraphNode *test = only_node(cond);
    if (test == NULL || test->op != OP_LESS ||
        cond->results[0] != test->first_output ||
        !is_index(graph, test->inputs[0]) ||
        !is_index(graph, test->inputs[1])) {
        return NULL;
    }
    const GraphValue *index = graph_value(graph, test->inputs[0]);
    bool moves = index->node == NULL && index->block == cond;
    bool stays = graph_constant(graph, test->inputs[1]) != NULL ||
                 graph_value(graph, test->inputs[1])->block != cond;
    return moves && stays ? test : NULL;
}

// Whether the value is used once in the block and those in it.
static bool is_used_once(GraphBlock *block, ValueId value)
{
    uint32_t found = 0;
    for (Walk walk = walk_forward(block); walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        for (uint32_t i = 0; i < count; i++) {
            found += uses[i] == value;
        }
    }
    return found == 1;
}

// The node by which the param becomes one more, for the next turn alone.
static GraphNode *find_addition(const Graph *graph, GraphBlock *body,
                                uint32_t index)
{
    if (body->diverges) { // it has no results
        return NULL;
    }
    ValueId next = body->results[index];
    GraphNode *node = graph_value(graph, next)->node;
    if (node == NULL || node->op != OP_ADD || node->block != body ||
        !is_index(graph, next) || !is_used_once(body, next)) {
        return NULL;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const Tensor *one = graph_constant(graph, node->inputs[i]);
        if (one != NULL && tensor_int_at(one, 0) == 1 &&
            node->inputs[1 - i] == body->params[index]) {
            return node;
        }
    }
    return NULL;
}

bool loop_count_below(const Builder *builder, ValueId value, int64_t limit)
{
    const Graph *graph = builder->graph;
    const GraphValue *index = graph_value(graph, value);
    GraphNode *loop = index->node == NULL ? index->block->owner : NULL;
    if (loop == NULL || loop->op != OP_WHILE ||
        index->block != loop->blocks[SIDE_BODY]) {
        return false;
    }
    GraphNode *test = find_test(graph, loop->blocks[SIDE_COND]);
    const Tensor *first = graph_constant(graph, loop->inputs[index->index]);
    const Tensor *end =
        test != NULL ? graph_constant(graph, test->inputs[1]) : NULL;
    return first != NULL && tensor_int_at(first, 0) >= 0 && end != NULL &&
           tensor_int_at(end, 0) <= limit &&
           graph_value(graph, test->inputs[0])->index == index->index &&
           find_addition(graph, index->block, index->index) != NULL;
}

// What the body leaves for the next turn is then the index itself.
bool loop_count_find(Builder *builder, GraphNode *loop, LoopCount **made)
{
    const Graph *graph = builder->graph;
    *made = NULL;
    GraphNode *test = builder->options->fuse && loop->op == OP_WHILE
                          ? find_test(graph, loop->blocks[SIDE_COND])
                          : NULL;
    if (test == NULL) {
        return true;
    }
    GraphBlock *body = loop->blocks[SIDE_BODY];
    uint32_t index = graph_value(graph, test->inputs[0])->index;
    GraphNode *addition = find_addition(graph, body, index);
    if (addition == NULL) {
        return true;
    }
    *made = arena_new(&builder->plan->arena, LoopCount);
    if (*made == NULL) {
        return false;
    }
    **made = (LoopCount){.index = body->params[index], .end = test->inputs[1]};
    test->mark = addition->mark = 0;
    builder->turned[addition->first_output] = body->params[index];
    builder->last_use[body->params[index]] = USE_RESULT;
    return true;
}
