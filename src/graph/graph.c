// Graphs as containers: making and freeing, inputs, Variables, names.
//
// Invariant: params of the outermost block and `inputs` run in step; every
// object that a node points to is held once in objects or callees.
#include "graph/build.h"

#include <string.h>

// A graph with an empty outermost block and one count.
Graph *graph_new(Ctx *ctx, const char *name)
{
    Graph *graph = ctx_alloc_zero(ctx, sizeof *graph);
    if (graph == NULL) {
        return NULL;
    }
    // The caller's.
    graph->refs = 1;
    graph->ctx = ctx;
    arena_init(&graph->arena, ctx);
    map_init(&graph->names, ctx);
    map_init(&graph->captured, ctx);
    graph->name = arena_strndup(&graph->arena, name, strlen(name));
    graph->block = graph_block_new(graph, NULL);
    // All lists are empty and the count is 1, so that the ordinary release is
    // right.
    if (graph->name == NULL || graph->block == NULL) {
        graph_release(ctx, graph);
        return NULL;
    }
    return graph;
}

// Traces, plans, callers and symbolic tensors each hold one.
Graph *graph_retain(Graph *graph)
{
    graph->refs++;
    return graph;
}

// All counts but those on callees, which are dropped apart.
static void release_held(Ctx *ctx, Graph *graph)
{
    for (size_t i = 0; i < graph->inputs.count; i++) {
        object_release_null(ctx, graph->inputs.items[i].capture);
    }
    for (size_t i = 0; i < graph->variables.count; i++) {
        object_release_null(ctx, graph->variables.items[i].owner);
    }
    for (size_t i = 0; i < graph->objects.count; i++) {
        object_release(ctx, graph->objects.items[i]);
    }
    for (size_t i = 0; i < graph->sources.count; i++) {
        source_release(ctx, graph->sources.items[i]);
    }
    for (size_t i = 0; i < graph->sites.count; i++) {
        object_release(ctx, graph->sites.items[i].code);
    }
}

// Callees whose last count this was are put on the list of the dead.
static Graph *release_callees(Graph *graph, Graph *dead)
{
    for (size_t i = 0; i < graph->callees.count; i++) {
        Graph *callee = graph->callees.items[i];
        if (--callee->refs == 0) {
            callee->next_dead = dead;
            dead = callee;
        }
    }
    return dead;
}

// Callees are freed one after another: a chain of calls may be long.
void graph_release(Ctx *ctx, Graph *graph)
{
    if (graph == NULL || --graph->refs > 0) {
        return;
    }
    // A list through the dead graphs themselves: it needs neither memory nor
    // recursion.
    Graph *dead = graph;
    while (dead != NULL) {
        graph = dead;
        dead = release_callees(graph, graph->next_dead);
        release_held(ctx, graph);
        vec_free(ctx, &graph->values);
        vec_free(ctx, &graph->nodes);
        vec_free(ctx, &graph->inputs);
        vec_free(ctx, &graph->variables);
        vec_free(ctx, &graph->sources);
        vec_free(ctx, &graph->sites);
        vec_free(ctx, &graph->objects);
        vec_free(ctx, &graph->callees);
        vec_free(ctx, &graph->told);
        map_free(&graph->names);
        map_free(&graph->captured);
        arena_destroy(&graph->arena);
        ctx_free(ctx, graph, sizeof *graph);
    }
}

// Objects are held in one list; which node wanted them is not recorded.
bool build_hold(Graph *graph, void *object)
{
    if (!vec_push(graph->ctx, &graph->objects, (Object *)object)) {
        return false;
    }
    object_retain(object);
    return true;
}

// A name that nothing in the graph has: `name`, or with "_1", "_2", ….
// The map holds for each name how many were made from it.
static const char *unique_name(Graph *graph, const char *name)
{
    size_t length = strlen(name);
    // The count spares a search from "_1" on for each of many nodes of one op.
    uint64_t *count = map_get(&graph->names, name, length);
    // The first of its name goes without a number.
    if (count == NULL) {
        if (!map_put(&graph->names, name, length, 0)) {
            return NULL;
        }
        return arena_strndup(&graph->arena, name, length);
    }
    StrBuf buf;
    strbuf_init(&buf, graph->ctx);
    const char *result = NULL;
    // A name of the program's own may be "x_1" already.
    do {
        strbuf_free(&buf);
        strbuf_init(&buf, graph->ctx);
        strbuf_printf(&buf, "%s_%llu", name, (unsigned long long)++*count);
    } while (strbuf_ok(&buf) &&
             map_get(&graph->names, buf.text, buf.length) != NULL);
    if (strbuf_ok(&buf) && map_put(&graph->names, buf.text, buf.length, 0)) {
        result = arena_strndup(&graph->arena, buf.text, buf.length);
    }
    strbuf_free(&buf);
    return result;
}

// Names are given to all nodes up to this one, so that they do not depend on
// who is asked first.
const char *graph_node_name(Graph *graph, GraphNode *node)
{
    // `named` is how far names have been given; the walk goes on from there.
    while (node->name == NULL && graph->named < graph->nodes.count) {
        GraphNode *next = graph->nodes.items[graph->named];
        if (next->name == NULL) {
            next->name = unique_name(graph, op_desc(next->op)->name);
            if (next->name == NULL) {
                return NULL;
            }
        }
        graph->named++;
    }
    return node->name;
}

// Arguments and captures alike: a param of the outermost block and a row of
// `inputs`.
static ValueId add_input(Graph *graph, const char *name, InputKind kind,
                         Tensor *capture, TensorType type)
{
    if (!vec_reserve(graph->ctx, &graph->inputs, 1)) {
        return VALUE_ID_NONE;
    }
    const char *unique = unique_name(graph, name);
    if (unique == NULL) {
        return VALUE_ID_NONE;
    }
    ValueId value = graph_block_param(graph, graph->block, unique, type);
    if (value != VALUE_ID_NONE) {
        // Room was reserved above, so that param and row are made both or not
        // at all.
        GraphInput input = {value, kind, unique, capture};
        graph->inputs.items[graph->inputs.count++] = input;
        if (capture != NULL) {
            object_retain(capture);
        }
    }
    return value;
}

// The name is the parameter's; structures name their leaves.
ValueId graph_add_input(Graph *graph, const char *name, TensorType type)
{
    return add_input(graph, name, INPUT_ARGUMENT, NULL, type);
}

enum { CAPTURED_FEW = 16 }; // inputs, Variables: found without a map

static bool note_captured(Graph *graph, const void *address, uint32_t number)
{
    return map_put(&graph->captured, (const char *)&address, sizeof address,
                   number);
}

// What a captured one is known by, NULL: an argument.
static const void *variable_address(const GraphVariable *variable)
{
    return variable->owner != NULL ? (const void *)variable->owner
                                   : variable->cell;
}

// From the few on all that is captured stands in the map. `number` is that of
// what is added last, at `address`.
static bool keep_captured(Graph *graph, const void *address, uint32_t number)
{
    if (graph->captured.count > 0) {
        return note_captured(graph, address, number);
    }
    bool ok = true;
    bool many = graph->inputs.count > CAPTURED_FEW ||
                graph->variables.count > CAPTURED_FEW;
    for (size_t i = 0; ok && many && i < graph->inputs.count; i++) {
        const GraphInput *input = &graph->inputs.items[i];
        ok = input->capture == NULL ||
             note_captured(graph, input->capture, input->value);
    }
    for (size_t i = 0; ok && many && i < graph->variables.count; i++) {
        const void *own = variable_address(&graph->variables.items[i]);
        ok = own == NULL || note_captured(graph, own, (uint32_t)i);
    }
    return ok;
}

static bool find_captured(const Graph *graph, const void *address,
                          uint32_t *number)
{
    const uint64_t *found =
        map_get(&graph->captured, (const char *)&address, sizeof address);
    if (found != NULL) {
        *number = (uint32_t)*found;
    }
    return found != NULL;
}

// One input for a tensor that is captured many times; equal tensors at other
// addresses are others.
ValueId graph_add_capture(Graph *graph, const char *name, Tensor *tensor)
{
    ValueId value;
    if (find_captured(graph, tensor, &value)) {
        return value;
    }
    size_t count = graph->captured.count > 0 ? 0 : graph->inputs.count;
    for (size_t i = 0; i < count; i++) {
        if (graph->inputs.items[i].capture == tensor) {
            return graph->inputs.items[i].value;
        }
    }
    value = add_input(graph, name, INPUT_CAPTURE, tensor, tensor_type(tensor));
    return value != VALUE_ID_NONE && keep_captured(graph, tensor, value)
               ? value
               : VALUE_ID_NONE;
}

// One that is captured is looked for by the Variable that it is; an argument is
// always new, the signature has told equal ones apart.
bool graph_add_variable(Graph *graph, const char *name, TensorType type,
                        VariableCell *cell, Object *owner, uint32_t *index)
{
    GraphVariable variable = {cell, owner, NULL, type, owner == NULL};
    const void *address = variable_address(&variable);
    if (address != NULL && find_captured(graph, address, index)) {
        return true;
    }
    size_t count = graph->captured.count > 0 ? 0 : graph->variables.count;
    for (size_t i = 0; address != NULL && i < count; i++) {
        if (variable_address(&graph->variables.items[i]) == address) {
            *index = (uint32_t)i;
            return true;
        }
    }
    // Dims are copied: the Variable's tensor may be replaced by its next
    // value.
    size_t size = sizeof(int64_t) * (size_t)(type.rank > 0 ? type.rank : 0);
    int64_t *dims = arena_alloc(&graph->arena, size);
    if (dims == NULL || !vec_reserve(graph->ctx, &graph->variables, 1)) {
        return false;
    }
    if (size > 0) {
        memcpy(dims, type.dims, size);
    }
    variable.name = unique_name(graph, name);
    if (variable.name == NULL) {
        return false;
    }
    variable.type.dims = dims;
    *index = (uint32_t)graph->variables.count;
    graph->variables.items[graph->variables.count++] = variable;
    if (owner != NULL) {
        object_retain(owner);
    }
    return address == NULL || keep_captured(graph, address, *index);
}

// The node says it: there is no table of constants.
Tensor *graph_constant(const Graph *graph, ValueId id)
{
    const GraphNode *node = graph->values.items[id].node;
    return node != NULL ? node_tensor(node) : NULL;
}

bool graph_same_value(const Graph *graph, ValueId a, ValueId b)
{
    const Tensor *tensor = a != b ? graph_constant(graph, a) : NULL;
    const Tensor *other = a != b ? graph_constant(graph, b) : NULL;
    return a == b ||
           (tensor != NULL && other != NULL && tensor_identical(tensor, other));
}

GraphBlock *graph_only_block(const Graph *graph, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    bool loop = op_is_loop(op);
    if (op->block_count == 0 || (loop && node->blocks[SIDE_COND]->diverges)) {
        return NULL;
    }
    const Tensor *condition = graph_constant(
        graph, loop ? node->blocks[SIDE_COND]->results[0] : node->inputs[0]);
    // One of unknown rank may turn out to have several elements.
    if (condition == NULL || condition->count != 1) {
        return NULL;
    }
    bool truth = tensor_int_at(condition, 0) != 0;
    if (loop) {
        return truth ? NULL : node->blocks[SIDE_COND];
    }
    return node->blocks[truth ? SIDE_THEN : SIDE_OTHERWISE];
}

// Blocks and callees carry a mark, so that this does not walk into them.
bool graph_has_effects(const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    bool effects = op_has_effect(op) || (op->payload == PAYLOAD_CALLEE &&
                                         node->callee->block->effects);
    for (int b = 0; !effects && b < op->block_count; b++) {
        effects = node->blocks[b]->effects;
    }
    return effects;
}

// Rank and all sizes are known.
static bool is_static(const Graph *graph, ValueId value)
{
    TensorType type = graph_type(graph, value);
    return shape_is_static(type.rank, type.dims);
}

bool graph_is_total(const Graph *graph, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    // Effects of blocks and callees do not matter: any of these may fail.
    bool total = !op_has_effect(op) &&
                 !(op->flags & (OP_MAY_FAIL | OP_DYNAMIC_SHAPE)) &&
                 op->fault == ERR_NONE && op->block_count == 0 &&
                 op->payload != PAYLOAD_CALLEE;
    for (uint32_t i = 0; total && i < node->input_count; i++) {
        total = is_static(graph, node->inputs[i]);
    }
    for (uint32_t i = 0; total && i < node->output_count; i++) {
        total = is_static(graph, node_output(node, i));
    }
    return total;
}

bool graph_stays_total(Graph *graph, const GraphNode *node)
{
    InferCall call;
    bool fits = graph_is_total(graph, node);
    if (fits && graph_infer_applies(node) &&
        !graph_infer_node(graph, node, &call)) {
        ctx_clear(graph->ctx);
        fits = false;
    }
    return fits;
}
