// Random graphs by trial: an op is drawn with operands and attributes, and is
// taken if its shape rule takes them. What is refused leaves the graph whole.
#include "random_graph.h"

#include <string.h>

enum { POOL_SIZE = 256, MAX_DEPTH = 3, MAX_STATE = 3 };

typedef struct Maker {
    Ctx *ctx;
    Graph *graph;
    const RandomOptions *options;
    uint32_t state;
    ValueId pool[POOL_SIZE]; // what the block in hand can see
    uint32_t count;
    int depth;
} Maker;

static uint32_t draw(Maker *maker, uint32_t below)
{
    maker->state = maker->state * 1664525u + 1013904223u;
    return (maker->state >> 8) % below;
}

static void put(Maker *maker, ValueId value)
{
    if (value != VALUE_ID_NONE) {
        uint32_t at =
            maker->count < POOL_SIZE ? maker->count++ : draw(maker, POOL_SIZE);
        maker->pool[at] = value;
    }
}

static void put_node(Maker *maker, GraphNode *node)
{
    if (node == NULL) {
        ctx_clear(maker->ctx);
        return;
    }
    for (uint32_t i = 0; i < node->output_count && i < 4; i++) {
        put(maker, node_output(node, i));
    }
}

static const struct {
    int rank;
    int64_t dims[3];
} shapes[] = {{0, {0}},       {0, {0}},       {1, {3}},        {1, {1}},
              {2, {2, 3}},    {2, {1, 3}},    {2, {2, 1}},     {2, {0, 3}},
              {2, {3, 3}},    {3, {3, 1, 3}}, {3, {1, 3, 3}},  {3, {2, 3, 3}},
              {3, {3, 3, 1}}, {2, {3, 130}},  {3, {2, 1, 130}}};

static Tensor *random_tensor(Maker *maker, DType dtype)
{
    uint32_t pick = draw(maker, sizeof shapes / sizeof shapes[0]);
    Tensor *tensor =
        tensor_new(maker->ctx, dtype, shapes[pick].rank, shapes[pick].dims);
    for (int64_t i = 0; tensor != NULL && i < tensor->count; i++) {
        int value = (int)draw(maker, 9) - 3;
        if (dtype == DT_STRING) {
            char text[2] = {(char)('a' + value), '\''};
            if (!tensor_set_string(maker->ctx, tensor, i, text,
                                   (size_t)(value & 1) + 1)) {
                return NULL;
            }
        } else if (dtype_is_float(dtype)) {
            tensor_set_float(tensor, i,
                             draw(maker, 20) == 0   ? -0.0
                             : draw(maker, 20) == 0 ? __builtin_inf()
                                                    : value * 0.37);
        } else {
            tensor_set_int(tensor, i,
                           dtype == DT_BOOL                 ? value & 1
                           : dtype == DT_UINT8 && value < 0 ? -value
                                                            : value);
        }
    }
    return tensor;
}

static DType random_dtype(Maker *maker)
{
    static const DType often[] = {DT_FLOAT32, DT_FLOAT32, DT_INT32,
                                  DT_INT64,   DT_FLOAT64, DT_BOOL};
    uint32_t pick = draw(maker, 10);
    return pick < 6 ? often[pick] : (DType)draw(maker, DT_COUNT);
}

static ValueId add_const(Maker *maker, GraphBlock *block, DType dtype)
{
    Tensor *tensor = random_tensor(maker, dtype);
    GraphNode *node =
        graph_append_const(maker->graph, block, tensor, GRAPH_PLACE_NONE);
    object_release(maker->ctx, tensor);
    put_node(maker, node);
    return node != NULL ? node_output(node, 0) : VALUE_ID_NONE;
}

static ValueId any_value(Maker *maker)
{
    return maker->pool[draw(maker, maker->count)];
}

static ValueId value_of(Maker *maker, GraphBlock *block, DType dtype)
{
    for (int i = 0; i < 12; i++) {
        ValueId value = any_value(maker);
        if (graph_type(maker->graph, value).dtype == dtype) {
            return value;
        }
    }
    return add_const(maker, block, dtype);
}

static void random_attr(Maker *maker, const AttrDesc *desc, AttrValue *attr,
                        int64_t *ints)
{
    *attr = (AttrValue){.kind = ATTR_NONE};
    if (desc->default_text != NULL && draw(maker, 3) == 0) {
        return;
    }
    attr->kind = desc->kind;
    switch (desc->kind) {
    case ATTR_BOOL: attr->boolean = draw(maker, 2); break;
    case ATTR_FLOAT: attr->number = (double)draw(maker, 3); break;
    case ATTR_DTYPE: attr->dtype = random_dtype(maker); break;
    case ATTR_INTS:
        attr->count = draw(maker, 3);
        ints[0] = (int64_t)draw(maker, 5) - 1;
        ints[1] = (int64_t)draw(maker, 5) - 1;
        attr->ints = ints;
        break;
    case ATTR_STR:
        attr->text = "a";
        attr->count = 1;
        break;
    default: attr->integer = (int64_t)draw(maker, 5) - 1;
    }
}

// x[first::step, …] or x[…, first::step] in the spec of the op `index`.
static void add_index(Maker *maker, GraphBlock *block)
{
    int64_t spec[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    int64_t *axis = spec + 5 * draw(maker, 2);
    (axis == spec ? spec + 5 : spec)[0] = 3;
    if (draw(maker, 2) == 0) {
        axis[0] = 1;
        axis[1] = draw(maker, 2) ? ATTR_INT_NONE : (int64_t)draw(maker, 3) - 1;
        axis[2] = ATTR_INT_NONE;
        axis[3] = draw(maker, 2) ? -1 : (int64_t)draw(maker, 2) + 1;
    }
    AttrValue attr = {ATTR_INTS, 10, {.ints = spec}};
    ValueId input = any_value(maker);
    put_node(maker, graph_append(maker->graph, block, OP_INDEX, &input, 1,
                                 &attr, GRAPH_PLACE_NONE));
}

static bool wanted(const Maker *maker, const OpDesc *op, OpCode code)
{
    if (op->infer == NULL || op->flags & OP_LISTS || code == OP_INDEX ||
        (op_is_random(op) && !maker->options->effects)) {
        return false;
    }
    return maker->options->may_fail ||
           !(op->flags & OP_MAY_FAIL || op->fault != ERR_NONE);
}

static void add_op(Maker *maker, GraphBlock *block)
{
    OpCode code = (OpCode)draw(maker, OP_COUNT);
    const OpDesc *op = op_desc(code);
    AttrValue attrs[OP_MAX_ATTRS];
    int64_t ints[OP_MAX_ATTRS][2];
    ValueId inputs[4];
    if (code == OP_INDEX) {
        add_index(maker, block);
    }
    if (!wanted(maker, op, code)) {
        return;
    }
    uint32_t count = op->min_inputs;
    if (op->max_inputs > count) {
        count += draw(maker, op->max_inputs > 3 ? 3 : op->max_inputs - count);
    }
    count = count > 4 ? 4 : count;
    inputs[0] = count > 0 ? any_value(maker) : VALUE_ID_NONE;
    for (uint32_t i = 1; i < count; i++) {
        inputs[i] =
            draw(maker, 4) == 0
                ? any_value(maker)
                : value_of(maker, block,
                           graph_type(maker->graph, inputs[i - 1]).dtype);
    }
    for (uint32_t i = 0; i < op->attr_count; i++) {
        random_attr(maker, &op->attrs[i], &attrs[i], ints[i]);
    }
    put_node(maker, graph_append(maker->graph, block, code, inputs, count,
                                 attrs, GRAPH_PLACE_NONE));
}

// Any value brought to one bool: all(cast(x, bool)).
static ValueId one_bool(Maker *maker, GraphBlock *block)
{
    ValueId value = any_value(maker);
    AttrValue cast = {.kind = ATTR_DTYPE, .dtype = DT_BOOL};
    AttrValue all[3] = {{.kind = ATTR_NONE}};
    GraphNode *node = graph_append(maker->graph, block, OP_CAST, &value, 1,
                                   &cast, GRAPH_PLACE_NONE);
    if (node != NULL) {
        ValueId truth = node_output(node, 0);
        node = graph_append(maker->graph, block, OP_ANY, &truth, 1, all,
                            GRAPH_PLACE_NONE);
    }
    if (node != NULL) {
        return node_output(node, 0);
    }
    ctx_clear(maker->ctx);
    Tensor *yes = tensor_scalar_int(maker->ctx, DT_BOOL, draw(maker, 2));
    node = graph_append_const(maker->graph, block, yes, GRAPH_PLACE_NONE);
    object_release(maker->ctx, yes);
    return node_output(node, 0);
}

static void fill(Maker *maker, GraphBlock *block, uint32_t nodes);

static void add_if(Maker *maker, GraphBlock *block)
{
    Graph *graph = maker->graph;
    ValueId condition = one_bool(maker, block), results[2][MAX_STATE];
    uint32_t count = draw(maker, MAX_STATE + 1), before = maker->count;
    GraphBlock *blocks[2];
    for (int b = 0; b < 2; b++) {
        blocks[b] = graph_block_new(graph, block);
        fill(maker, blocks[b], 6);
        for (uint32_t i = 0; i < count; i++) {
            results[b][i] =
                b == 0 ? any_value(maker)
                       : value_of(maker, blocks[b],
                                  graph_type(graph, results[0][i]).dtype);
        }
        maker->count = maker->count < before ? maker->count : before;
        if (!graph_block_results(graph, blocks[b], results[b], count)) {
            return;
        }
    }
    put_node(maker, graph_append_blocks(graph, block, OP_IF, &condition, 1,
                                        blocks, GRAPH_PLACE_NONE));
}

static ValueId small_int(Maker *maker, GraphBlock *block, int64_t value)
{
    Tensor *tensor = tensor_scalar_int(maker->ctx, DT_INT32, value);
    GraphNode *node =
        graph_append_const(maker->graph, block, tensor, GRAPH_PLACE_NONE);
    object_release(maker->ctx, tensor);
    return node_output(node, 0);
}

static ValueId binary(Maker *maker, GraphBlock *block, OpCode op, ValueId a,
                      ValueId b)
{
    ValueId in[2] = {a, b};
    return node_output(
        graph_append(maker->graph, block, op, in, 2, NULL, GRAPH_PLACE_NONE),
        0);
}

// A loop of up to four turns over a counter and random state.
static void add_while(Maker *maker, GraphBlock *block)
{
    Graph *graph = maker->graph;
    uint32_t count = 1 + draw(maker, MAX_STATE + 1), before = maker->count;
    ValueId init[MAX_STATE + 1], next[MAX_STATE + 1];
    GraphBlock *cond = graph_block_new(graph, block);
    GraphBlock *body = graph_block_new(graph, block);
    init[0] = small_int(maker, block, 0);
    ValueId limit = small_int(maker, block, draw(maker, 5));
    for (uint32_t i = 1; i < count; i++) {
        init[i] = any_value(maker);
    }
    for (uint32_t i = 0; i < count; i++) {
        TensorType type = graph_type(graph, init[i]);
        put(maker, graph_block_param(graph, cond, i == 0 ? "i" : NULL, type));
    }
    ValueId go = binary(maker, cond, OP_LESS, cond->params[0], limit);
    if (draw(maker, 2) == 0) {
        fill(maker, cond, 3);
        go = binary(maker, cond, OP_LOGICAL_AND, go, one_bool(maker, cond));
    }
    maker->count = maker->count < before ? maker->count : before;
    for (uint32_t i = 0; i < count; i++) {
        TensorType type = graph_type(graph, init[i]);
        put(maker, graph_block_param(graph, body, i == 0 ? "i" : NULL, type));
    }
    fill(maker, body, 6);
    next[0] =
        binary(maker, body, OP_ADD, body->params[0], small_int(maker, body, 1));
    for (uint32_t i = 1; i < count; i++) {
        next[i] = value_of(maker, body, graph_type(graph, init[i]).dtype);
    }
    maker->count = maker->count < before ? maker->count : before;
    if (!graph_block_results(graph, cond, &go, 1) ||
        !graph_block_results(graph, body, next, count)) {
        return;
    }
    put_node(maker, graph_append_blocks(graph, block, OP_WHILE, init, count,
                                        (GraphBlock *[]){cond, body},
                                        GRAPH_PLACE_NONE));
}

static void add_effect(Maker *maker, GraphBlock *block)
{
    Graph *graph = maker->graph;
    AttrValue attrs[3] = {{ATTR_STR, 3, {.text = "\0'x"}}};
    ValueId value = any_value(maker);
    uint32_t variable = draw(maker, RANDOM_VARIABLES);
    GraphNode *node = NULL;
    switch (draw(maker, 4)) {
    case 0:
        node = graph_append_host(graph, block, OP_PRINT, &value, 1, attrs, NULL,
                                 NULL, 0, GRAPH_PLACE_NONE);
        break;
    case 1:
        value = one_bool(maker, block);
        node = graph_append_host(graph, block, OP_ASSERT, &value, 1, attrs,
                                 NULL, NULL, 0, GRAPH_PLACE_NONE);
        break;
    case 2:
        value = value_of(maker, block, variable == 0 ? DT_FLOAT32 : DT_INT32);
        node = graph_append_resource(graph, block, OP_ASSIGN_VARIABLE, variable,
                                     &value, 1, GRAPH_PLACE_NONE);
        break;
    default:
        node = graph_append_resource(graph, block, OP_READ_VARIABLE, variable,
                                     NULL, 0, GRAPH_PLACE_NONE);
    }
    put_node(maker, node);
}

static void add_call(Maker *maker, GraphBlock *block)
{
    static const uint32_t variables[RANDOM_VARIABLES] = {0, 1};
    put_node(maker,
             graph_append_call(maker->graph, block, maker->options->callee,
                               maker->graph->block->params, RANDOM_INPUTS,
                               variables, GRAPH_PLACE_NONE));
}

static void fill(Maker *maker, GraphBlock *block, uint32_t nodes)
{
    if (++maker->depth > MAX_DEPTH) {
        nodes = 2;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t pick = draw(maker, 40);
        if (pick < 3) {
            add_const(maker, block, random_dtype(maker));
        } else if (pick < 5 && maker->depth < MAX_DEPTH) {
            add_if(maker, block);
        } else if (pick < 7 && maker->depth < MAX_DEPTH) {
            add_while(maker, block);
        } else if (pick < 11 && maker->options->effects) {
            add_effect(maker, block);
        } else if (pick < 12 && maker->options->callee != NULL) {
            add_call(maker, block);
        } else {
            add_op(maker, block);
        }
    }
    maker->depth--;
}

// Types of the arguments; the last two leave sizes open.
static const int64_t some_dims[][2] = {{2, 3}, {3, 0}, {DIM_UNKNOWN, 3}};
static const TensorType input_types[RANDOM_INPUTS] = {
    {DT_FLOAT32, 2, some_dims[0]}, {DT_FLOAT32, 0, some_dims[0]},
    {DT_INT32, 1, some_dims[1]},   {DT_BOOL, 0, some_dims[0]},
    {DT_FLOAT32, 2, some_dims[2]}, {DT_INT64, RANK_UNKNOWN, some_dims[0]}};

Graph *random_graph(Ctx *ctx, uint32_t seed, const RandomOptions *options)
{
    static const TensorType variable_types[RANDOM_VARIABLES] = {
        {DT_FLOAT32, 0, some_dims[0]}, {DT_INT32, 1, some_dims[1]}};
    Maker maker = {.ctx = ctx, .options = options, .state = seed};
    maker.graph = graph_new(ctx, "random");
    for (int i = 0; i < RANDOM_INPUTS; i++) {
        put(&maker, graph_add_input(maker.graph, "x", input_types[i]));
    }
    for (int i = 0; i < RANDOM_VARIABLES; i++) {
        uint32_t index;
        if (!graph_add_variable(maker.graph, "v", variable_types[i], NULL, NULL,
                                &index)) {
            return NULL;
        }
    }
    for (int i = 0; i < 3 && options->captures; i++) {
        Tensor *tensor = random_tensor(&maker, i == 0 ? DT_INT32 : DT_FLOAT32);
        put(&maker, graph_add_capture(maker.graph, "w", tensor));
        object_release(ctx, tensor);
    }
    fill(&maker, maker.graph->block, options->nodes);
    ValueId results[RANDOM_OUTPUTS];
    for (int i = 0; i < RANDOM_OUTPUTS; i++) {
        results[i] = any_value(&maker);
    }
    return graph_block_results(maker.graph, maker.graph->block, results,
                               RANDOM_OUTPUTS)
               ? maker.graph
               : NULL;
}

void random_inputs(Ctx *ctx, uint32_t seed, Tensor **inputs)
{
    static const int64_t dims[2] = {2, 3};
    for (int i = 0; i < RANDOM_INPUTS; i++) {
        TensorType type = input_types[i];
        inputs[i] = tensor_new(ctx, type.dtype, type.rank < 0 ? 1 : type.rank,
                               type.rank == 1 ? dims + 1 : dims);
        for (int64_t k = 0; k < inputs[i]->count; k++) {
            int64_t value = (int64_t)((seed * 7 + (uint32_t)k * 13) % 11) - 4;
            if (type.dtype == DT_FLOAT32) {
                tensor_set_float(inputs[i], k, (double)value * 0.7);
            } else {
                tensor_set_int(inputs[i], k,
                               type.dtype == DT_BOOL ? value & 1 : value);
            }
        }
    }
}

void random_variables(Ctx *ctx, VariableCell *cells)
{
    static const int64_t three = 3;
    cells[0] =
        (VariableCell){.value = tensor_scalar_float(ctx, DT_FLOAT32, 1.5)};
    cells[1] = (VariableCell){.value = tensor_new(ctx, DT_INT32, 1, &three)};
    for (int i = 0; i < 3; i++) {
        tensor_set_int(cells[1].value, i, i);
    }
}
