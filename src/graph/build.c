// Building blocks and ordinary nodes.
//
// A node is made outside any block, typed, and only then linked in, so that a
// failure leaves the graph as it was.
#include "graph/build.h"

#include <string.h>

// Dims are copied once, here, so that callers may hand over those of a tensor
// or of the C stack. Of nodes in a row most have one shape, and share it.
// NULL: no memory. An array of no elements is not NULL.
static const int64_t *copy_dims(Graph *graph, TensorType type)
{
    static const int64_t none[1];
    TensorType *last = &graph->last_shape;
    if (type.rank <= 0) {
        return none;
    }
    if (last->dims == NULL ||
        !shape_equal(last->rank, last->dims, type.rank, type.dims)) {
        size_t rank = (size_t)type.rank;
        int64_t *dims = arena_new_array(&graph->arena, int64_t, rank);
        if (dims == NULL) {
            return NULL;
        }
        memcpy(dims, type.dims, rank * sizeof *dims);
        *last = (TensorType){type.dtype, type.rank, dims};
    }
    return last->dims;
}

// Ids are handed out in order of creation and never again.
// Of a param `node` is NULL and `index` its number; of an output `block` is
// that of its node.
static ValueId new_value(Graph *graph, GraphNode *node, GraphBlock *block,
                         uint32_t index, const char *name, TensorType type)
{
    type.dims = copy_dims(graph, type);
    GraphValue value = {node, block, index, type, name};
    if (type.dims == NULL || !vec_push(graph->ctx, &graph->values, value)) {
        return VALUE_ID_NONE;
    }
    return (ValueId)(graph->values.count - 1);
}

// Blocks belong to the arena: nobody frees one.
GraphBlock *graph_block_new(Graph *graph, GraphBlock *parent)
{
    GraphBlock *block = arena_new(&graph->arena, GraphBlock);
    if (block != NULL) {
        block->parent = parent;
    }
    return block;
}

// Params grow by doubling; the old array stays in the arena until the graph
// goes.
// VALUE_ID_NONE: no memory. The name is copied.
ValueId graph_block_param(Graph *graph, GraphBlock *block, const char *name,
                          TensorType type)
{
    if (block->param_count == block->param_capacity) {
        // The old array stays in the arena, unused.
        uint32_t capacity = block->param_capacity * 2 + 4;
        ValueId *params = arena_new_array(&graph->arena, ValueId, capacity);
        if (params == NULL) {
            return VALUE_ID_NONE;
        }
        if (block->param_count > 0) {
            memcpy(params, block->params, block->param_count * sizeof *params);
        }
        block->params = params;
        block->param_capacity = capacity;
    }
    if (name != NULL) {
        name = arena_strndup(&graph->arena, name, strlen(name));
        if (name == NULL) {
            return VALUE_ID_NONE;
        }
    }
    // A param has no node: its block and number are its definition.
    ValueId id = new_value(graph, NULL, block, block->param_count, name, type);
    if (id != VALUE_ID_NONE) {
        block->params[block->param_count++] = id;
    }
    return id;
}

// May be called again: a pass that replaces results does.
// False: no memory; the old results stay.
bool graph_block_results(Graph *graph, GraphBlock *block,
                         const ValueId *results, uint32_t count)
{
    ValueId *copy = arena_new_array(&graph->arena, ValueId, count);
    if (copy == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(copy, results, count * sizeof *copy);
    }
    block->results = copy;
    block->result_count = count;
    return true;
}

// What was set as results is forgotten.
// A block that always raises or never ends has no values to give.
void graph_block_diverges(GraphBlock *block)
{
    block->diverges = true;
    block->result_count = 0;
}

// The old dims stay in the arena; types change seldom.
// For passes that learn more about a shape. False: no memory, and the old type
// stays.
bool build_set_type(Graph *graph, ValueId id, TensorType type)
{
    type.dims = copy_dims(graph, type);
    if (type.dims == NULL) {
        return false;
    }
    graph->values.items[id].type = type;
    return true;
}

// Plain kinds need no copy; ints and text point into the caller's memory.
static bool copy_attr(Graph *graph, AttrValue *attr)
{
    if (attr->kind == ATTR_INTS) {
        int64_t *ints = arena_new_array(&graph->arena, int64_t, attr->count);
        if (ints != NULL && attr->count > 0) {
            memcpy(ints, attr->ints, attr->count * sizeof *ints);
        }
        // Set even when it is NULL, so that no pointer into the caller's
        // memory stays.
        attr->ints = ints;
        return ints != NULL;
    }
    if (attr->kind == ATTR_STR) {
        attr->text = arena_strndup(&graph->arena, attr->text, attr->count);
        return attr->text != NULL;
    }
    return true;
}

// A node has room for all attributes of its op; without a list all of them are
// ATTR_NONE.
static bool copy_attrs(Graph *graph, GraphNode *node, const AttrValue *attrs)
{
    uint32_t count = op_desc(node->op)->attr_count;
    if (count == 0) {
        return true;
    }
    // The arena gives zeros, and ATTR_NONE is 0.
    node->attrs = arena_new_array(&graph->arena, AttrValue, count);
    if (node->attrs == NULL) {
        return false;
    }
    for (uint32_t i = 0; attrs != NULL && i < count; i++) {
        node->attrs[i] = attrs[i];
        if (!copy_attr(graph, &node->attrs[i])) {
            return false;
        }
    }
    return true;
}

// The place, its source held by the graph. Almost always it is the last one.
// Counted once for each graph, however many nodes point to it.
static bool hold_source(Graph *graph, Source *source)
{
    // From the end: nodes of one source come in a row.
    for (size_t i = graph->sources.count; i-- > 0;) {
        if (graph->sources.items[i] == source) {
            return true;
        }
    }
    if (!vec_push(graph->ctx, &graph->sources, source)) {
        return false;
    }
    source_retain(source);
    return true;
}

// What is asked again and again, as in a loop of the host, is noted once.
bool graph_tell(Graph *graph, GraphTold told)
{
    const GraphTold *last = graph->told.count > 0
                                ? &graph->told.items[graph->told.count - 1]
                                : NULL;
    return (last != NULL && last->value == told.value &&
            last->axis == told.axis && last->known == told.known) ||
           (hold_source(graph, told.place.source) &&
            vec_push(graph->ctx, &graph->told, told));
}

// Numbers fit: a node of each would not.
uint32_t graph_add_site(Graph *graph, GraphSite site)
{
    if (site.path != NULL) {
        site.path = arena_strndup(&graph->arena, site.path, strlen(site.path));
        if (site.path == NULL) {
            return GRAPH_SITE_FAILED;
        }
    }
    if (!vec_push(graph->ctx, &graph->sites, site)) {
        return GRAPH_SITE_FAILED;
    }
    (void)object_retain(site.code);
    return (uint32_t)graph->sites.count;
}

// The caller fills in what the op needs beyond inputs and attributes, then
// calls build_finish.
// NULL: no memory. What was taken from the arena stays there, unused.
GraphNode *build_node(Graph *graph, OpCode op, const ValueId *inputs,
                      uint32_t input_count, const AttrValue *attrs,
                      GraphPlace place)
{
    size_t size = sizeof(GraphNode) + input_count * sizeof *inputs;
    GraphNode *node = place.site == GRAPH_SITE_FAILED
                          ? NULL
                          : arena_alloc(&graph->arena, size);
    if (node == NULL) {
        return NULL;
    }
    node->op = op;
    node->place = place;
    node->input_count = input_count;
    node->inputs = (ValueId *)(node + 1);
    if (!copy_attrs(graph, node, attrs) ||
        (place.source != NULL && !hold_source(graph, place.source))) {
        return NULL;
    }
    if (input_count > 0) {
        memcpy(node->inputs, inputs, input_count * sizeof *inputs);
    }
    return node;
}

// Room is reserved first, so that nothing is half done where memory ends.
// False: no memory; the node is not in the graph then.
bool build_finish(Graph *graph, GraphBlock *block, GraphNode *node,
                  const TensorType *types, uint32_t count)
{
    if (!vec_reserve(graph->ctx, &graph->nodes, 1) ||
        !vec_reserve(graph->ctx, &graph->values, count)) {
        return false;
    }
    node->first_output = (ValueId)graph->values.count;
    node->output_count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (new_value(graph, node, block, i, NULL, types[i]) == VALUE_ID_NONE) {
            // Values of a node that was not finished are taken back.
            graph->values.count = node->first_output;
            return false;
        }
    }
    node->serial = (uint32_t)graph->nodes.count;
    graph->nodes.items[graph->nodes.count++] = node;
    build_link(graph, block, node, NULL);
    return true;
}

// Keeps the block's mark of effects; it is never taken back.
// `before` must be in the same block.
void build_link(Graph *graph, GraphBlock *block, GraphNode *node,
                GraphNode *before)
{
    node->block = block;
    node->next = before;
    // `before` NULL means at the end.
    node->previous = before != NULL ? before->previous : block->last;
    if (node->previous != NULL) {
        node->previous->next = node;
    } else {
        block->first = node;
    }
    if (before != NULL) {
        before->previous = node;
    } else {
        block->last = node;
    }
    // Visibility is asked of the value, so its block follows the node's.
    for (uint32_t i = 0; i < node->output_count; i++) {
        graph->values.items[node->first_output + i].block = block;
    }
    block->effects = block->effects || graph_has_effects(node);
    graph->has_blocks = graph->has_blocks || node->blocks[0] != NULL;
    graph->node_count++;
}

// The node keeps its values and its serial: it may be linked elsewhere, or
// left to the arena.
// Whoever uses its values must be gone or be given others.
void build_unlink(Graph *graph, GraphNode *node)
{
    GraphBlock *block = node->block;
    if (node->previous != NULL) {
        node->previous->next = node->next;
    } else {
        block->first = node->next;
    }
    if (node->next != NULL) {
        node->next->previous = node->previous;
    } else {
        block->last = node->previous;
    }
    node->block = NULL;
    graph->node_count--;
}

// Appends a node of an ordinary op whose outputs `call` has inferred.
// NULL: an error is pending.
static GraphNode *finish_inferred(Graph *graph, GraphBlock *block,
                                  GraphNode *node, InferCall *call)
{
    // Few outputs are in the call itself; those of a split or unstack with
    // many parts are asked for one by one.
    TensorType few[OP_MAX_OUTPUTS], *types = few;
    uint32_t count = call->output_count;
    Shape *shapes = call->out_shapes;
    if (count > OP_MAX_OUTPUTS) {
        types = arena_new_array(&graph->arena, TensorType, count);
        shapes = arena_new_array(&graph->arena, Shape, count);
        if (types == NULL || shapes == NULL) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        DType dtype = call->out_dtypes[i % OP_MAX_OUTPUTS];
        if (count > OP_MAX_OUTPUTS) {
            op_output_type(call, i, &dtype, &shapes[i]);
        }
        types[i] = (TensorType){dtype, shapes[i].rank, shapes[i].dims};
    }
    return build_finish(graph, block, node, types, count) ? node : NULL;
}

// Types come from the op's own shape rule, so that a trace refuses what an
// eager call refuses, in the same words.
// NULL: an error is pending, the shape rule's for instance; the graph is as it
// was.
GraphNode *graph_append(Graph *graph, GraphBlock *block, OpCode op,
                        const ValueId *inputs, uint32_t input_count,
                        const AttrValue *attrs, GraphPlace place)
{
    InferCall call;
    GraphNode *node = build_node(graph, op, inputs, input_count, attrs, place);
    if (node == NULL || !graph_infer_node(graph, node, &call)) {
        return NULL;
    }
    return finish_inferred(graph, block, node, &call);
}

// The tensor is shared with whoever made it: graphs never copy constants.
GraphNode *graph_append_const(Graph *graph, GraphBlock *block, Tensor *tensor,
                              GraphPlace place)
{
    GraphNode *node = build_node(graph, OP_CONST, NULL, 0, NULL, place);
    if (node == NULL || !build_hold(graph, tensor)) {
        return NULL;
    }
    node->tensor = tensor;
    TensorType type = tensor_type(tensor);
    return build_finish(graph, block, node, &type, 1) ? node : NULL;
}
