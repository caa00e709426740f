// Building what has blocks or effects: if, while, calls, Variables, host code.
#include "graph/build.h"
#include "graph/versions.h"

#include <string.h>

// A rank that is unknown may still turn out to be 0: the plan looks again.
static bool condition_type(Graph *graph, const char *what, TensorType type)
{
    if (type.dtype == DT_BOOL && type.rank <= 0) {
        return true;
    }
    StrBuf text;
    strbuf_init(&text, graph->ctx);
    tensor_type_print(&text, type);
    if (strbuf_ok(&text)) {
        ctx_fail(graph->ctx, ERR_TYPE,
                 "%s: the condition must be one bool, not %s", what,
                 strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// An op's first input, where the op says that it is a condition.
static bool first_condition(Graph *graph, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    return (op->flags & OP_CONDITION) == 0 ||
           condition_type(graph, op->name, graph_type(graph, node->inputs[0]));
}

// The types of what the branches of a node yield. One that diverges has no say.
static bool join_branches(Graph *graph, const GraphNode *node, uint32_t count,
                          TensorType *types, Shape *shapes)
{
    const OpDesc *op = node_desc(node);
    bool first = true;
    for (int b = 0; b < op->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        if (block->diverges) {
            continue;
        }
        // A fault of the caller, not of the program: hence a SystemError.
        if (block->result_count != count) {
            return ctx_fail(graph->ctx, ERR_SYSTEM,
                            "%s: the branches yield %u and %u values", op->name,
                            count, block->result_count);
        }
        for (uint32_t i = 0; i < count; i++) {
            TensorType type = graph_type(graph, block->results[i]);
            if (!first && types[i].dtype != type.dtype) {
                return ctx_fail(graph->ctx, ERR_DTYPE,
                                "%s: the branches give %s and %s", op->name,
                                dtype_name(types[i].dtype),
                                dtype_name(type.dtype));
            }
            types[i] =
                first ? type : graph_type_join(types[i], type, &shapes[i]);
        }
        first = false;
    }
    return true;
}

// State number `i` keeps its dtype through a turn. Shapes may change, and are
// generalised afterwards.
static bool check_state(Graph *graph, const GraphNode *node,
                        const GraphBlock *body, uint32_t i)
{
    DType before = graph_type(graph, node->inputs[i]).dtype;
    DType after = graph_type(graph, body->results[i]).dtype;
    // The param's name is that of the variable, for the message.
    const char *name = graph_value(graph, body->params[i])->name;
    return before == after ||
           ctx_fail(graph->ctx, ERR_DTYPE,
                    "%s: '%s' is %s before the loop and %s after a turn",
                    node_desc(node)->name, name != NULL ? name : "state",
                    dtype_name(before), dtype_name(after));
}

// Numbers, dtypes and conditions of a loop's blocks.
static bool check_turn(Graph *graph, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    uint32_t count = node->input_count;
    for (int b = 0; b < op->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        bool decides = op->blocks[b].decides;
        // A fault of the caller, not of the program.
        if (block->param_count != count ||
            ((decides || !block->diverges) &&
             block->result_count != (decides ? 1 : count))) {
            return ctx_fail(graph->ctx, ERR_SYSTEM,
                            "%s: blocks do not fit the state", op->name);
        }
    }
    for (int b = op->block_count - 1; b >= 0; b--) {
        const GraphBlock *block = node->blocks[b];
        bool decides = op->blocks[b].decides, ok = true;
        for (uint32_t i = 0; ok && !decides && i < block->result_count; i++) {
            ok = check_state(graph, node, block, i);
        }
        if (!ok || (decides &&
                    !condition_type(graph, op->name,
                                    graph_type(graph, block->results[0])))) {
            return false;
        }
    }
    return true;
}

// How many values a node with these blocks gives.
static uint32_t count_outputs(const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    uint32_t count = op_is_loop(op) ? node->input_count : 0;
    for (int b = 0; !op_is_loop(op) && b < op->block_count; b++) {
        // A branch that diverges has no results.
        if (node->blocks[b]->result_count > count) {
            count = node->blocks[b]->result_count;
        }
    }
    return count;
}

// First types: for a loop those of what enters.
static bool type_outputs(Graph *graph, const GraphNode *node, uint32_t count,
                         TensorType *types)
{
    if (!op_is_loop(node_desc(node))) {
        Shape *shapes = arena_new_array(&graph->arena, Shape, count);
        return shapes != NULL &&
               join_branches(graph, node, count, types, shapes);
    }
    for (uint32_t i = 0; i < count; i++) {
        types[i] = graph_type(graph, node->inputs[i]);
    }
    return check_turn(graph, node);
}

// The node stands alone at the end of a list, so that a loop is inferred to its
// fix-point, and nothing around it is inferred again.
static bool infer_alone(Graph *graph, GraphNode *node)
{
    GraphBlock alone = {.first = node, .last = node};
    return !op_is_loop(node_desc(node)) || graph_infer_block(graph, &alone);
}

// The blocks get their owner last, when nothing can fail any more.
GraphNode *graph_append_blocks(Graph *graph, GraphBlock *block, OpCode op,
                               const ValueId *inputs, uint32_t input_count,
                               GraphBlock *const *blocks, GraphPlace place)
{
    const OpDesc *desc = op_desc(op);
    GraphNode *node = build_node(graph, op, inputs, input_count, NULL, place);
    if (node == NULL || !first_condition(graph, node)) {
        return NULL;
    }
    // Before build_finish, which asks the blocks for effects.
    for (int b = 0; b < desc->block_count; b++) {
        node->blocks[b] = blocks[b];
    }
    uint32_t count = count_outputs(node);
    TensorType *types = arena_new_array(&graph->arena, TensorType, count);
    if (types == NULL || !type_outputs(graph, node, count, types) ||
        !build_finish(graph, block, node, types, count)) {
        return NULL;
    }
    if (!infer_alone(graph, node)) {
        // The node was linked already. Its values stay, unused, and the caller
        // gives the trace up.
        build_unlink(graph, node);
        return NULL;
    }
    for (int b = 0; b < desc->block_count; b++) {
        blocks[b]->owner = node;
    }
    return node;
}

// The graph holds a count for each call, even of the same callee.
GraphNode *graph_append_call(Graph *graph, GraphBlock *block, Graph *callee,
                             const ValueId *inputs, uint32_t input_count,
                             const uint32_t *variables, GraphPlace place)
{
    // The result types are the callee's own: a call does not specialise them
    // to its arguments.
    uint32_t count = callee->block->result_count;
    size_t variable_count = callee->variables.count;
    GraphNode *node =
        build_node(graph, OP_CALL, inputs, input_count, NULL, place);
    TensorType *types = arena_new_array(&graph->arena, TensorType, count);
    uint32_t *map = arena_new_array(&graph->arena, uint32_t, variable_count);
    if (node == NULL || types == NULL || map == NULL ||
        (callee->access == NULL && !versions_note(callee)) ||
        !vec_push(graph->ctx, &graph->callees, callee)) {
        return NULL;
    }
    graph_retain(callee);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = graph_type(callee, callee->block->results[i]);
    }
    // memcpy from NULL is undefined even for no bytes.
    if (variable_count > 0) {
        memcpy(map, variables, variable_count * sizeof *map);
    }
    node->callee = callee;
    node->variables = map;
    return build_finish(graph, block, node, types, count) ? node : NULL;
}

GraphNode *graph_append_gradient(Graph *graph, GraphBlock *block,
                                 Graph *gradient, const ValueId *inputs,
                                 uint32_t input_count, uint32_t output_count,
                                 GraphPlace place)
{
    GraphNode *node =
        build_node(graph, OP_CUSTOM_GRADIENT, inputs, input_count, NULL, place);
    TensorType *types =
        arena_new_array(&graph->arena, TensorType, output_count);
    if (node == NULL || types == NULL ||
        !vec_push(graph->ctx, &graph->callees, gradient)) {
        return NULL;
    }
    graph_retain(gradient);
    for (uint32_t i = 0; i < output_count; i++) {
        types[i] = graph_type(graph, inputs[i]);
    }
    node->callee = gradient;
    return build_finish(graph, block, node, types, output_count) ? node : NULL;
}

// Raises an ERR_SHAPE that names the Variable and both types.
static bool fails_shape(Graph *graph, const GraphVariable *variable,
                        TensorType type)
{
    StrBuf text;
    strbuf_init(&text, graph->ctx);
    shape_print(&text, variable->type.rank, variable->type.dims);
    strbuf_puts(&text, ", not ");
    shape_print(&text, type.rank, type.dims);
    if (strbuf_ok(&text)) {
        ctx_fail(graph->ctx, ERR_SHAPE, "assign: Variable '%s' has shape %s",
                 variable->name, strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// Sizes that are not known may fit: the plan compares them when it runs.
static bool assign_fits(Graph *graph, const GraphVariable *variable,
                        TensorType type)
{
    TensorType have = variable->type;
    if (have.dtype != type.dtype) {
        return ctx_fail(graph->ctx, ERR_DTYPE,
                        "assign: Variable '%s' is %s, not %s", variable->name,
                        dtype_name(have.dtype), dtype_name(type.dtype));
    }
    if (have.rank < 0 || type.rank < 0) {
        return true;
    }
    bool fits = have.rank == type.rank;
    for (int i = 0; fits && i < have.rank; i++) {
        fits = have.dims[i] == type.dims[i] || have.dims[i] < 0 ||
               type.dims[i] < 0;
    }
    return fits || fails_shape(graph, variable, type);
}

// A read is no effect: one that nothing needs is dropped. Its order with writes
// is kept since nodes are not moved.
GraphNode *graph_append_resource(Graph *graph, GraphBlock *block, OpCode op,
                                 uint32_t variable, const ValueId *inputs,
                                 uint32_t input_count, GraphPlace place)
{
    GraphVariable *resource = &graph->variables.items[variable];
    for (uint32_t i = 0; i < input_count; i++) {
        bool apart = (op_desc(op)->apart >> i & 1) != 0;
        if (!apart &&
            !assign_fits(graph, resource, graph_type(graph, inputs[i]))) {
            return NULL;
        }
    }
    GraphNode *node = build_node(graph, op, inputs, input_count, NULL, place);
    if (node == NULL) {
        return NULL;
    }
    node->variable = variable;
    return build_finish(graph, block, node, &resource->type,
                        op_desc(op)->output_count)
               ? node
               : NULL;
}

// One way for all ops that call the host.
GraphNode *graph_append_host(Graph *graph, GraphBlock *block, OpCode op,
                             const ValueId *inputs, uint32_t input_count,
                             const AttrValue *attrs, Object *host,
                             const TensorType *types, uint32_t type_count,
                             GraphPlace place)
{
    // The host is handed tensors, and hands back tensors.
    bool lists = false;
    for (uint32_t i = 0; i < input_count; i++) {
        lists = lists || dtype_is_list(graph_type(graph, inputs[i]).dtype);
    }
    for (uint32_t i = 0; i < type_count; i++) {
        lists = lists || dtype_is_list(types[i].dtype);
    }
    if (lists) {
        graph_refuse_list(graph->ctx, op_desc(op));
        return NULL;
    }
    GraphNode *node = build_node(graph, op, inputs, input_count, attrs, place);
    // Held before it is linked: a node in a block never points at what is not
    // held.
    if (node == NULL || (host != NULL && !build_hold(graph, host))) {
        return NULL;
    }
    if (!first_condition(graph, node)) {
        return NULL;
    }
    // Borrowed by the node, held by the graph.
    node->host = host;
    return build_finish(graph, block, node, types, type_count) ? node : NULL;
}
