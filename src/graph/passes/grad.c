// Gradients of graphs. See grad.h.
//
// The forward graph is copied, calls inlined, Variables made values; then its
// nodes are walked from the last one back and rules append what is new behind
// them. An `if` goes back as an `if` on the same condition. A loop is run again
// with its states put on lists, which a loop in the other direction takes off.
// Blocks become graphs of their own for it, whose gradients are called: so they
// may hold what they like.
#include "graph/passes/grad_back.h"

#include <string.h>

#include "graph/passes/pass.h"
#include "graph/rewrite.h"

// ---- an Emit that appends nodes; its values are ids plus one

typedef struct GraphEmit {
    Emit emit; // first: an Emit * is a GraphEmit *
    Back *back;
} GraphEmit;

static EmitValue as_emit(ValueId id)
{
    return id == VALUE_ID_NONE ? NULL : (EmitValue)((uintptr_t)id + 1);
}

static ValueId from_emit(EmitValue value)
{
    return value == NULL ? VALUE_ID_NONE : (ValueId)((uintptr_t)value - 1);
}

// One node at the end; its first output, VALUE_ID_NONE on failure.
ValueId back_append(Back *b, GraphBlock *block, OpCode op,
                    const ValueId *inputs, uint32_t count,
                    const AttrValue *attrs)
{
    static const AttrValue none[OP_MAX_ATTRS];
    GraphNode *node = graph_append(b->graph, block, op, inputs, count,
                                   attrs != NULL ? attrs : none, b->place);
    return node != NULL ? node_output(node, 0) : VALUE_ID_NONE;
}

static EmitValue graph_op(Emit *emit, OpCode op, const EmitValue *inputs,
                          uint32_t count, const AttrValue *attrs)
{
    Back *b = ((GraphEmit *)emit)->back;
    size_t size = (count + 1) * sizeof(ValueId);
    ValueId *ids = ctx_alloc(emit->ctx, size);
    if (ids == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = from_emit(inputs[i]);
    }
    ValueId made = back_append(b, b->block, op, ids, count, attrs);
    ctx_free(emit->ctx, ids, size);
    return as_emit(made);
}

static TensorType graph_emit_type(Emit *emit, EmitValue value)
{
    return graph_type(((GraphEmit *)emit)->back->graph, from_emit(value));
}

static EmitValue graph_constant_of(Emit *emit, Tensor *tensor)
{
    Back *b = ((GraphEmit *)emit)->back;
    if (tensor == NULL) {
        return NULL;
    }
    GraphNode *node = graph_append_const(b->graph, b->block, tensor, b->place);
    object_release(emit->ctx, tensor);
    return node != NULL ? as_emit(node_output(node, 0)) : NULL;
}

// ---- what gradients flow through

bool back_flows(const Graph *graph, ValueId id)
{
    return dtype_is_float(dtype_element(graph_type(graph, id).dtype));
}

// Adds to the gradient of a forward value.
bool back_add(Back *b, ValueId value, ValueId grad)
{
    if (grad == VALUE_ID_NONE) {
        return false;
    }
    if (b->grads[value] != VALUE_ID_NONE) {
        ValueId both[2] = {b->grads[value], grad};
        grad = back_append(b, b->block, OP_ADD, both, 2, NULL);
    }
    b->grads[value] = grad;
    return grad != VALUE_ID_NONE;
}

ValueId back_zeros(Back *b, GraphBlock *block, ValueId like)
{
    return back_append(b, block, OP_ZEROS_LIKE, &like, 1, NULL);
}

// ---- nodes

// By the op's rule, whose nodes are appended.
static bool back_by_rule(Back *b, const GraphNode *node)
{
    static const AttrValue none[OP_MAX_ATTRS];
    const OpDesc *op = node_desc(node);
    Ctx *ctx = b->graph->ctx;
    uint32_t in = node->input_count, out = node->output_count;
    if (op->gradient == NULL) {
        return ctx_fail(ctx, ERR_LOOKUP,
                        "%s: no gradient of it is known; give it one by "
                        "custom_gradient, or leave it out by stop_gradient",
                        op->name);
    }
    size_t size = (2 * in + 2 * out) * sizeof(EmitValue) + in + 1;
    EmitValue *room = ctx_alloc_zero(ctx, size);
    if (room == NULL) {
        return false;
    }
    EmitValue *results = room + in, *outputs = results + in;
    EmitValue *grads = outputs + out;
    bool *wanted = (bool *)(grads + out);
    for (uint32_t i = 0; i < in; i++) {
        room[i] = as_emit(node->inputs[i]);
        wanted[i] = b->needed[node->inputs[i]];
    }
    for (uint32_t i = 0; i < out; i++) {
        outputs[i] = as_emit(node_output(node, i));
        grads[i] = as_emit(b->grads[node_output(node, i)]);
    }
    GraphEmit emit = {{ctx, graph_op, graph_emit_type, graph_constant_of}, b};
    GradCall call = {.emit = &emit.emit,
                     .code = node->op,
                     .op = op,
                     .attrs = node->attrs != NULL ? node->attrs : none,
                     .inputs = room,
                     .outputs = outputs,
                     .output_grads = grads,
                     .input_count = in,
                     .output_count = out,
                     .wanted = wanted,
                     .input_grads = results};
    bool ok = op->gradient(&call);
    for (uint32_t i = 0; ok && i < in; i++) {
        ok = !wanted[i] || results[i] == NULL ||
             back_add(b, node->inputs[i], from_emit(results[i]));
    }
    ctx_free(ctx, room, size);
    return ok;
}

// A call at the block's end. NULL: failed.
GraphNode *back_call(Back *b, GraphBlock *block, Graph *callee,
                     const IdVec *inputs)
{
    return graph_append_call(b->graph, block, callee, inputs->items,
                             (uint32_t)inputs->count, NULL, b->place);
}

bool back_push(Back *b, IdVec *to, const ValueId *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!vec_push(b->graph->ctx, to, ids[i])) {
            return false;
        }
    }
    return true;
}

// One side of an `if` going back: a block that yields the gradients of the
// wanted values, zeros where its side has no part in them.
static GraphBlock *side_back(Back *b, const GraphNode *node, int side,
                             const IdVec *outside, const bool *wanted,
                             const bool *given, const IdVec *inputs)
{
    Ctx *ctx = b->graph->ctx;
    GraphBlock *from = node->blocks[side];
    GraphBlock *block = graph_block_new(b->graph, b->block);
    bool *made = ctx_alloc_zero(ctx, outside->count + 1);
    Graph *grad = NULL;
    IdVec results = {0};
    bool ok = block != NULL && made != NULL;
    GraphNode *call = NULL;
    if (ok && !from->diverges) {
        Graph *lifted = back_lift(b->graph, from, outside);
        grad =
            lifted == NULL ? NULL : graph_gradient(lifted, given, wanted, made);
        if (lifted != NULL) {
            graph_release(ctx, lifted);
        }
        call = grad == NULL ? NULL : back_call(b, block, grad, inputs);
        ok = call != NULL;
    }
    uint32_t next = 0;
    for (size_t i = 0; ok && i < outside->count; i++) {
        if (wanted[i]) {
            ValueId id = made[i] ? node_output(call, next++)
                                 : back_zeros(b, block, outside->items[i]);
            ok = id != VALUE_ID_NONE && vec_push(ctx, &results, id);
        }
    }
    ok = ok && graph_block_results(b->graph, block, results.items,
                                   (uint32_t)results.count);
    vec_free(ctx, &results);
    if (grad != NULL) {
        graph_release(ctx, grad);
    }
    if (made != NULL) {
        ctx_free(ctx, made, outside->count + 1);
    }
    return ok ? block : NULL;
}

// Whether the value takes part in a gradient.
bool back_takes_part(const Back *b, ValueId id)
{
    return id < b->count && b->needed[id] && back_flows(b->graph, id);
}

static bool back_if(Back *b, const GraphNode *node, const IdVec *outside,
                    const bool *wanted, const bool *given)
{
    IdVec inputs = {0};
    GraphBlock *sides[2] = {NULL, NULL};
    bool ok = back_push(b, &inputs, outside->items, outside->count);
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ok = !given[i] ||
             vec_push(b->graph->ctx, &inputs, b->grads[node_output(node, i)]);
    }
    for (int side = 0; ok && side < 2; side++) {
        sides[side] = side_back(b, node, side, outside, wanted, given, &inputs);
        ok = sides[side] != NULL;
    }
    GraphNode *made = ok ? graph_append_blocks(b->graph, b->block, node->op,
                                               node->inputs, 1, sides, b->place)
                         : NULL;
    ok = made != NULL;
    uint32_t next = 0;
    for (size_t i = 0; ok && i < outside->count; i++) {
        ok = !wanted[i] ||
             back_add(b, outside->items[i], node_output(made, next++));
    }
    vec_free(b->graph->ctx, &inputs);
    return ok;
}

// An `if`: which outputs have gradients, which outside values want some.
static bool back_branches(Back *b, const GraphNode *node)
{
    Ctx *ctx = b->graph->ctx;
    IdVec outside = {0};
    bool any = false;
    bool ok = back_outside(b->graph, node->blocks[0], &outside) &&
              back_outside(b->graph, node->blocks[1], &outside);
    size_t size = outside.count + node->output_count + 1;
    bool *wanted = ok ? ctx_alloc_zero(ctx, size) : NULL;
    ok = wanted != NULL;
    for (size_t i = 0; ok && i < outside.count; i++) {
        wanted[i] = back_takes_part(b, outside.items[i]);
        any = any || wanted[i];
    }
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        wanted[outside.count + i] =
            b->grads[node_output(node, i)] != VALUE_ID_NONE;
    }
    ok = ok &&
         (!any || back_if(b, node, &outside, wanted, wanted + outside.count));
    if (wanted != NULL) {
        ctx_free(ctx, wanted, size);
    }
    vec_free(ctx, &outside);
    return ok;
}

// ---- the whole

// What would happen a second time.
static bool check_node(const GraphNode *node, const Graph *graph)
{
    const OpDesc *op = node_desc(node);
    if (op->payload == PAYLOAD_CALLEE ||
        (op_has_effect(op) && node->output_count > 0)) {
        return ctx_fail(graph->ctx, ERR_VALUE,
                        "%s in '%s' cannot be done again for a gradient that "
                        "is taken outside of it; take the gradient inside of "
                        "'%s'",
                        op->name, graph->name, graph->name);
    }
    return true;
}

// Variables become values: a read is the first value, or what the last
// assignment gave. Effects without results are dropped.
static bool drop_effects(Graph *graph, ValueId *variables)
{
    Rewrite rewrite = {.graph = graph};
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        rewrite_uses(&rewrite, &walk);
        GraphNode *node = walk.node;
        if (node == NULL) {
            continue;
        }
        const OpDesc *op = node_desc(node);
        if (op->payload == PAYLOAD_RESOURCE && node->output_count > 0) {
            ok = rewrite_value(&rewrite, node_output(node, 0),
                               variables[node->variable]);
            build_unlink(graph, node);
        } else if (op->payload == PAYLOAD_RESOURCE) {
            if (walk.block != graph->block) {
                ok = ctx_fail(graph->ctx, ERR_VALUE,
                              "'%s' assigns Variable '%s' where a tensor "
                              "decides; a gradient that goes through it must "
                              "be taken inside of '%s'",
                              graph->name,
                              graph->variables.items[node->variable].name,
                              graph->name);
            }
            variables[node->variable] = node->inputs[0];
            build_unlink(graph, node);
        } else if (op_has_effect(op) && node->output_count == 0 &&
                   !walk.block->diverges) {
            build_unlink(graph, node);
        } else {
            ok = check_node(node, graph);
        }
    }
    rewrite_free(&rewrite);
    // Nothing names them any more.
    graph->variables.count = 0;
    return ok;
}

// The forward graph in `to`: inputs, then the Variables' first values.
static bool copy_forward(Graph *from, Graph *to, ValueId *inputs)
{
    Clone clone = {0};
    IdVec results = {0};
    size_t count = from->inputs.count;
    bool ok = clone_init(&clone, from, to, 0);
    for (size_t i = 0; ok && i < count; i++) {
        ok = back_map_inputs(&clone, &from->inputs.items[i].value, 1);
        inputs[i] =
            ok ? clone.values[from->inputs.items[i].value] : VALUE_ID_NONE;
    }
    for (size_t i = 0; ok && i < from->variables.count; i++) {
        const GraphVariable *variable = &from->variables.items[i];
        inputs[count + i] = graph_add_input(to, variable->name, variable->type);
        ok = inputs[count + i] != VALUE_ID_NONE;
    }
    ok = ok && back_copy_variables(from, to) &&
         clone_nodes(&clone, from->block, to->block, NULL);
    for (uint32_t i = 0; ok && i < from->block->result_count; i++) {
        ok = vec_push(to->ctx, &results, clone.values[from->block->results[i]]);
    }
    ok = ok && graph_block_results(to, to->block, results.items,
                                   (uint32_t)results.count);
    vec_free(to->ctx, &results);
    clone_free(&clone);
    return ok;
}

// Which values something wanted flows into. Blocks are looked at whole.
static void mark_needed(Back *b)
{
    for (Walk walk = walk_forward(b->graph->block); walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        bool any = false;
        for (uint32_t i = 0; i < count; i++) {
            any = any || b->needed[uses[i]];
        }
        GraphNode *node = walk.node;
        if (node == NULL) {
            node = walk.block->owner;
        }
        // A param of a loop's block stands for what goes into the loop.
        for (int s = 0; node != NULL && any && s < OP_MAX_BLOCKS; s++) {
            const GraphBlock *block = node->blocks[s];
            for (uint32_t i = 0; block != NULL && i < block->param_count; i++) {
                b->needed[block->params[i]] |=
                    back_flows(b->graph, block->params[i]);
            }
        }
        for (uint32_t i = 0; node != NULL && any && i < node->output_count;
             i++) {
            b->needed[node_output(node, i)] |=
                back_flows(b->graph, node_output(node, i));
        }
    }
}

// The forward nodes from the last one back; what is appended stands behind.
static bool go_back(Back *b)
{
    GraphNode *node = b->graph->block->last;
    bool ok = true;
    // Seeds need no node: the last node is a forward one.
    for (; ok && node != NULL; node = node->previous) {
        bool any = false, has = false;
        for (uint32_t i = 0; i < node->output_count; i++) {
            ValueId id = node_output(node, i);
            any = any || b->needed[id];
            has = has || b->grads[id] != VALUE_ID_NONE;
        }
        if (!any || !has) {
            continue;
        }
        b->place = node->place;
        ok = node->blocks[0] == NULL       ? back_by_rule(b, node)
             : op_is_loop(node_desc(node)) ? back_loop(b, node)
                                           : back_branches(b, node);
    }
    return ok;
}

// Inputs for the gradients that are given, and where they begin to flow.
static bool add_seeds(Back *b, const bool *given)
{
    const GraphBlock *block = b->graph->block;
    for (uint32_t i = 0; i < block->result_count; i++) {
        ValueId result = block->results[i];
        if (!given[i]) {
            continue;
        }
        ValueId seed =
            graph_add_input(b->graph, "grad", graph_type(b->graph, result));
        if (seed == VALUE_ID_NONE || !back_add(b, result, seed)) {
            return false;
        }
    }
    return true;
}

// The gradients of the inputs that are wanted, as results.
static bool set_results(Back *b, const ValueId *inputs, size_t count,
                        const bool *wanted, bool *made)
{
    IdVec results = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        made[i] = wanted[i] && b->grads[inputs[i]] != VALUE_ID_NONE;
        ok = !made[i] || vec_push(b->graph->ctx, &results, b->grads[inputs[i]]);
    }
    ok = ok && graph_block_results(b->graph, b->graph->block, results.items,
                                   (uint32_t)results.count);
    vec_free(b->graph->ctx, &results);
    return ok;
}

// `to` holds the forward part.
static bool add_backward(Graph *to, const ValueId *inputs, size_t count,
                         const bool *given, const bool *wanted, bool *made)
{
    Ctx *ctx = to->ctx;
    Back b = {.graph = to, .block = to->block, .count = to->values.count};
    // Sums of gradients are made of forward values alone.
    size_t size = b.count * (sizeof(ValueId) + 1) + 1;
    b.grads = ctx_alloc(ctx, size);
    if (b.grads == NULL) {
        return false;
    }
    b.needed = (bool *)(b.grads + b.count);
    for (size_t i = 0; i < b.count; i++) {
        b.grads[i] = VALUE_ID_NONE;
        b.needed[i] = false;
    }
    for (size_t i = 0; i < count; i++) {
        b.needed[inputs[i]] = wanted[i] && back_flows(to, inputs[i]);
    }
    mark_needed(&b);
    bool ok = add_seeds(&b, given) && go_back(&b) &&
              set_results(&b, inputs, count, wanted, made);
    ctx_free(ctx, b.grads, size);
    return ok;
}

Graph *graph_gradient(Graph *graph, const bool *given, const bool *wanted,
                      bool *made)
{
    Ctx *ctx = graph->ctx;
    if (!ctx_enter(ctx)) {
        return NULL;
    }
    size_t count = graph->inputs.count + graph->variables.count;
    size_t size = (count + 1) * 2 * sizeof(ValueId);
    Graph *to = graph_new(ctx, graph->name);
    ValueId *inputs = ctx_alloc(ctx, size);
    bool ok = to != NULL && inputs != NULL && copy_forward(graph, to, inputs);
    if (ok) {
        ValueId *variables = inputs + count + 1;
        memcpy(variables, inputs + graph->inputs.count,
               graph->variables.count * sizeof *variables);
        ok = inline_run(to) && drop_effects(to, variables) &&
             add_backward(to, inputs, count, given, wanted, made);
    }
    if (inputs != NULL) {
        ctx_free(ctx, inputs, size);
    }
    ctx_leave(ctx);
    if (!ok && to != NULL) {
        graph_release(ctx, to);
        to = NULL;
    }
    return to;
}
