// Building what has blocks or effects: if, while, calls, Variables, host code.
#include "graph/build.h"

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

// The types of what two branches yield. One that diverges has no say.
static bool join_branches(Graph *graph, GraphBlock *then, GraphBlock *otherwise,
                          TensorType *types, Shape *shapes)
{
    // Both may: the comparison is then one of a block with itself and finds no
    // results.
    if (then->diverges) {
        then = otherwise;
    } else if (otherwise->diverges) {
        otherwise = then;
    }
    // A fault of the caller, not of the program: hence a SystemError.
    if (then->result_count != otherwise->result_count) {
        return ctx_fail(graph->ctx, ERR_SYSTEM,
                        "if: the branches yield %u and %u values",
                        then->result_count, otherwise->result_count);
    }
    for (uint32_t i = 0; i < then->result_count; i++) {
        TensorType a = graph_type(graph, then->results[i]);
        TensorType b = graph_type(graph, otherwise->results[i]);
        if (a.dtype != b.dtype) {
            return ctx_fail(graph->ctx, ERR_DTYPE,
                            "if: the branches give %s and %s",
                            dtype_name(a.dtype), dtype_name(b.dtype));
        }
        types[i] = graph_type_join(a, b, &shapes[i]);
    }
    return true;
}

// The blocks get their owner last, when nothing can fail any more.
GraphNode *graph_append_if(Graph *graph, GraphBlock *block, ValueId condition,
                           GraphBlock *then, GraphBlock *otherwise,
                           GraphPlace place)
{
    uint32_t count =
        then->diverges ? otherwise->result_count : then->result_count;
    GraphNode *node = build_node(graph, OP_IF, &condition, 1, NULL, place);
    TensorType *types = arena_new_array(&graph->arena, TensorType, count);
    Shape *shapes = arena_new_array(&graph->arena, Shape, count);
    if (node == NULL || types == NULL || shapes == NULL ||
        !condition_type(graph, "if", graph_type(graph, condition)) ||
        !join_branches(graph, then, otherwise, types, shapes)) {
        return NULL;
    }
    // Before build_finish, which asks the blocks for effects.
    node->blocks[SIDE_THEN] = then;
    node->blocks[SIDE_OTHERWISE] = otherwise;
    if (!build_finish(graph, block, node, types, count)) {
        return NULL;
    }
    then->owner = otherwise->owner = node;
    return node;
}

// Numbers and dtypes of state; shapes may change, and are generalised
// afterwards.
static bool check_state(Graph *graph, const ValueId *init, uint32_t count,
                        GraphBlock *cond, GraphBlock *body)
{
    Ctx *ctx = graph->ctx;
    // A fault of the caller, not of the program.
    if (cond->param_count != count || body->param_count != count ||
        cond->result_count != 1 ||
        (!body->diverges && body->result_count != count)) {
        return ctx_fail(ctx, ERR_SYSTEM, "while: blocks do not fit the state");
    }
    // The param's name is that of the variable, for the message.
    for (uint32_t i = 0; i < count && !body->diverges; i++) {
        DType before = graph_type(graph, init[i]).dtype;
        DType after = graph_type(graph, body->results[i]).dtype;
        const char *name = graph_value(graph, body->params[i])->name;
        if (before != after) {
            return ctx_fail(ctx, ERR_DTYPE,
                            "while: '%s' is %s before the loop and %s after "
                            "a turn",
                            name != NULL ? name : "state", dtype_name(before),
                            dtype_name(after));
        }
    }
    return condition_type(graph, "while", graph_type(graph, cond->results[0]));
}

// Typing runs on the node as if it stood alone, so that what is around it is
// not inferred again.
GraphNode *graph_append_while(Graph *graph, GraphBlock *block,
                              const ValueId *init, uint32_t count,
                              GraphBlock *cond, GraphBlock *body,
                              GraphPlace place)
{
    GraphNode *node = build_node(graph, OP_WHILE, init, count, NULL, place);
    TensorType *types = arena_new_array(&graph->arena, TensorType, count);
    if (node == NULL || types == NULL ||
        !check_state(graph, init, count, cond, body)) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        // To begin with; inference below makes them general.
        types[i] = graph_type(graph, init[i]);
    }
    node->blocks[SIDE_COND] = cond;
    node->blocks[SIDE_BODY] = body;
    if (!build_finish(graph, block, node, types, count)) {
        return NULL;
    }
    // The node stands alone at the end of a list, so that inferring it
    // infers the loop to its fix-point.
    bool changed = false;
    GraphBlock alone = {.first = node, .last = node};
    if (!graph_infer_block(graph, &alone, &changed)) {
        // The node was linked already. Its values stay, unused, and the caller
        // gives the trace up.
        build_unlink(graph, node);
        return NULL;
    }
    cond->owner = body->owner = node;
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

// Not an effect: a read that nothing needs is dropped. Its order with writes
// is kept since nodes are not moved.
GraphNode *graph_append_read(Graph *graph, GraphBlock *block, uint32_t variable,
                             GraphPlace place)
{
    GraphNode *node = build_node(graph, OP_READ_VARIABLE, NULL, 0, NULL, place);
    if (node == NULL) {
        return NULL;
    }
    node->variable = variable;
    TensorType type = graph->variables.items[variable].type;
    return build_finish(graph, block, node, &type, 1) ? node : NULL;
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

// The value's dtype and shape are looked at before the node exists.
GraphNode *graph_append_assign(Graph *graph, GraphBlock *block,
                               uint32_t variable, ValueId value,
                               GraphPlace place)
{
    if (!assign_fits(graph, &graph->variables.items[variable],
                     graph_type(graph, value))) {
        return NULL;
    }
    GraphNode *node =
        build_node(graph, OP_ASSIGN_VARIABLE, &value, 1, NULL, place);
    if (node == NULL) {
        return NULL;
    }
    node->variable = variable;
    return build_finish(graph, block, node, NULL, 0) ? node : NULL;
}

// One way for all ops that call the host; only assert's condition is typed
// here.
GraphNode *graph_append_host(Graph *graph, GraphBlock *block, OpCode op,
                             const ValueId *inputs, uint32_t input_count,
                             const AttrValue *attrs, Object *host,
                             const TensorType *types, uint32_t type_count,
                             GraphPlace place)
{
    GraphNode *node = build_node(graph, op, inputs, input_count, attrs, place);
    // Held before it is linked: a node in a block never points at what is not
    // held.
    if (node == NULL || (host != NULL && !build_hold(graph, host))) {
        return NULL;
    }
    if (op == OP_ASSERT &&
        !condition_type(graph, "assert", graph_type(graph, inputs[0]))) {
        return NULL;
    }
    // Borrowed by the node, held by the graph.
    node->host = host;
    return build_finish(graph, block, node, types, type_count) ? node : NULL;
}
