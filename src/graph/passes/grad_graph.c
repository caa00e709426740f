// Gradients of graphs. See grad_graph.h.
//
// The forward graph is copied (grad_forward.c); then its nodes are walked from
// the last one back and rules append what is new behind them. An `if` goes back
// as an `if` on the same condition, a loop as one in the other direction
// (grad_branch.c, grad_loop.c). Blocks become graphs of their own for it, whose
// gradients are called: so they may hold what they like.
#include "graph/passes/grad_back.h"

#include <string.h>

#include "graph/build.h"
#include "graph/walk.h"
#include "ops/grad.h"

// ---- what gradients flow through

bool back_flows(const Graph *graph, ValueId id)
{
    return dtype_is_float(dtype_element(graph_type(graph, id).dtype));
}

static ValueId sum_of(Back *b, GraphBlock *block, ValueId left, ValueId right)
{
    ValueId both[2] = {left, right};
    bool list = dtype_is_list(graph_type(b->graph, left).dtype);
    return back_append(b, block, list ? OP_LIST_ADD : OP_ADD, both, 2, NULL);
}

// Adds to the gradient of a forward value.
bool back_add(Back *b, ValueId value, ValueId grad)
{
    if (grad == VALUE_ID_NONE || !back_fill_rows(b, value)) {
        return false;
    }
    if (b->grads[value] != VALUE_ID_NONE) {
        grad = sum_of(b, b->block, b->grads[value], grad);
    }
    b->grads[value] = grad;
    return grad != VALUE_ID_NONE;
}

ValueId back_zeros(Back *b, GraphBlock *block, ValueId like)
{
    if (!dtype_is_list(graph_type(b->graph, like).dtype)) {
        return back_append(b, block, OP_ZEROS_LIKE, &like, 1, NULL);
    }
    GraphBlock *own = b->block;
    GraphEmit emit = back_emit(b);
    b->block = block;
    ValueId zeros =
        back_from_emit(grad_list_zeros(&emit.emit, back_as_emit(like)));
    b->block = own;
    return zeros;
}

// Whether the value takes part in a gradient.
bool back_takes_part(const Back *b, ValueId id)
{
    return id < b->count && b->needed[id] && back_flows(b->graph, id);
}

ValueId back_so_far(Back *b, GraphBlock *block, ValueId value)
{
    return b->grads[value] != VALUE_ID_NONE ? b->grads[value]
                                            : back_zeros(b, block, value);
}

void back_move(Back *b, GraphNode *last, GraphNode *node)
{
    GraphBlock *block = node->block;
    for (GraphNode *next = last != NULL ? last->next : block->first;
         next != NULL;) {
        GraphNode *moved = next;
        next = moved->next;
        build_unlink(b->graph, moved);
        build_link(b->graph, block, moved, node);
    }
}

ValueId back_generator(Back *b, GraphNode *node)
{
    GraphNode *last = node->block->last;
    ValueId state = back_append(b, node->block, OP_RNG_STATE, NULL, 0, NULL);
    if (state != VALUE_ID_NONE) {
        back_move(b, last, node);
    }
    return state;
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
        return grad_unknown(ctx, op);
    }
    size_t size = (3 * in + 3 * out) * sizeof(EmitValue) + in + 1;
    EmitValue *room = ctx_alloc_zero(ctx, size);
    if (room == NULL) {
        return false;
    }
    EmitValue *results = room + in, *outputs = results + in;
    EmitValue *grads = outputs + out, *rows = grads + out;
    EmitValue *given_rows = rows + in;
    bool *wanted = (bool *)(given_rows + out);
    for (uint32_t i = 0; i < in; i++) {
        room[i] = back_as_emit(node->inputs[i]);
        wanted[i] = b->needed[node->inputs[i]];
    }
    for (uint32_t i = 0; i < out; i++) {
        ValueId id = node_output(node, i);
        bool some = b->rows[id] != VALUE_ID_NONE;
        outputs[i] = back_as_emit(id);
        grads[i] = back_as_emit(some ? b->row_grads[id] : b->grads[id]);
        given_rows[i] = back_as_emit(b->rows[id]);
    }
    GraphEmit emit = back_emit(b);
    GradCall call = {.emit = &emit.emit,
                     .code = node->op,
                     .op = op,
                     .attrs = node->attrs != NULL ? node->attrs : none,
                     .inputs = room,
                     .outputs = outputs,
                     .output_grads = grads,
                     .output_rows = given_rows,
                     .input_count = in,
                     .output_count = out,
                     .wanted = wanted,
                     .input_grads = results,
                     .input_rows = rows};
    bool ok = op->gradient(&call);
    for (uint32_t i = 0; ok && i < in; i++) {
        ok = !wanted[i] || results[i] == NULL ||
             (rows[i] == NULL
                  ? back_add(b, node->inputs[i], back_from_emit(results[i]))
                  : back_add_rows(b, node->inputs[i], rows[i], results[i]));
    }
    ctx_free(ctx, room, size);
    return ok;
}

// An element of a list: its gradient is added in the place of the element, so
// that many reads of one list cost no more than as many elements. (By the op's
// rule each would be a list of zeros but for one.)
static bool back_read(Back *b, const GraphNode *node)
{
    ValueId list = node->inputs[0];
    if (!back_takes_part(b, list)) {
        return true;
    }
    ValueId whole = back_so_far(b, b->block, list);
    ValueId three[3] = {whole, node->inputs[1], VALUE_ID_NONE};
    ValueId sum = VALUE_ID_NONE;
    if (whole != VALUE_ID_NONE) {
        sum = back_append(b, b->block, OP_LIST_READ, three, 2, NULL);
    }
    if (sum != VALUE_ID_NONE) {
        sum = sum_of(b, b->block, sum, b->grads[node_output(node, 0)]);
    }
    three[2] = sum;
    b->grads[list] =
        sum == VALUE_ID_NONE
            ? VALUE_ID_NONE
            : back_append(b, b->block, OP_LIST_WRITE, three, 3, NULL);
    return b->grads[list] != VALUE_ID_NONE;
}

// As back_read for a part of a list.
static bool back_sliced(Back *b, const GraphNode *node)
{
    ValueId list = node->inputs[0];
    if (!back_takes_part(b, list)) {
        return true;
    }
    ValueId four[4] = {back_so_far(b, b->block, list),
                       b->grads[node_output(node, 0)], node->inputs[1],
                       node->inputs[2]};
    b->grads[list] =
        four[0] == VALUE_ID_NONE
            ? VALUE_ID_NONE
            : back_append(b, b->block, OP_LIST_SLICE_ADD, four, 4, node->attrs);
    return b->grads[list] != VALUE_ID_NONE;
}

// A list that grew: its gradient is taken apart by one op, so that in a loop
// the next order finds each version of a list used once.
static bool back_grown(Back *b, const GraphNode *node)
{
    ValueId g = b->grads[node_output(node, 0)];
    ValueId rest = back_append(b, b->block, OP_LIST_POP, &g, 1, NULL);
    bool ok = rest != VALUE_ID_NONE;
    for (uint32_t i = 0; ok && i < 2; i++) {
        ok = !back_takes_part(b, node->inputs[i]) ||
             back_add(b, node->inputs[i], rest + i);
    }
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

// By the program's own graph: a call of it on what came back.
static bool back_custom(Back *b, const GraphNode *node)
{
    uint32_t outputs = node->output_count;
    uint32_t behind = outputs + node->callee->block->result_count;
    IdVec inputs = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < outputs; i++) {
        ValueId grad = back_so_far(b, b->block, node_output(node, i));
        ok = grad != VALUE_ID_NONE && back_push(b, &inputs, &grad, 1);
    }
    ok = ok && back_push(b, &inputs, &node->inputs[behind],
                         node->input_count - behind);
    GraphNode *call = ok ? back_call(b, b->block, node->callee, &inputs) : NULL;
    vec_free(b->graph->ctx, &inputs);
    ok = call != NULL;
    for (uint32_t i = outputs; ok && i < behind; i++) {
        ok = !back_takes_part(b, node->inputs[i]) ||
             back_add(b, node->inputs[i], node_output(call, i - outputs));
    }
    return ok;
}

// ---- the whole

// Which values something wanted flows into. Blocks are looked at whole.
static void mark_needed(Back *b)
{
    for (Walk walk = walk_forward(b->graph->block); walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        GraphNode *node = walk.node;
        count = node != NULL ? back_operands(node) : count;
        bool any = false;
        for (uint32_t i = 0; i < count; i++) {
            any = any || b->needed[uses[i]];
        }
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

// A block's gradient takes what has begun of all that it uses as whole tensors.
static bool fill_used(Back *b, const GraphNode *node)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ok = back_fill_rows(b, node->inputs[i]);
    }
    for (int s = 0; ok && s < OP_MAX_BLOCKS && node->blocks[s] != NULL; s++) {
        for (Walk walk = walk_forward(node->blocks[s]);
             ok && walk_next(&walk);) {
            uint32_t count;
            const ValueId *uses = walk_uses(&walk, &count);
            for (uint32_t i = 0; ok && i < count; i++) {
                ok = back_fill_rows(b, uses[i]);
            }
        }
    }
    return ok;
}

// What the node's way back does not know as rows is made whole.
static bool ready(Back *b, const GraphNode *node)
{
    bool ok = node->blocks[0] == NULL || b->waiting == 0 || fill_used(b, node);
    bool keeps = (node_desc(node)->flags & OP_HANDS_ON) != 0;
    for (uint32_t i = 0; ok && !keeps && i < node->output_count; i++) {
        ok = back_fill_rows(b, node_output(node, i));
    }
    return ok;
}

// The forward nodes from `node` back; what is appended stands behind, and what
// is put before one on its way back is no forward node.
static bool go_back(Back *b, GraphNode *node)
{
    GraphNode *previous;
    bool ok = true;
    for (; ok && node != NULL; node = previous) {
        bool any = false, has = false;
        previous = node->previous;
        for (uint32_t i = 0; i < node->output_count; i++) {
            ValueId id = node_output(node, i);
            any = any || b->needed[id];
            has = has || b->grads[id] != VALUE_ID_NONE ||
                  b->rows[id] != VALUE_ID_NONE;
        }
        if (!any || !has) {
            continue;
        }
        b->place = node->place;
        ok = ready(b, node);
        ok = !ok                              ? false
             : node->op == OP_LIST_READ       ? back_read(b, node)
             : node->op == OP_LIST_SLICE      ? back_sliced(b, node)
             : node->op == OP_LIST_APPEND     ? back_grown(b, node)
             : node->op == OP_CUSTOM_GRADIENT ? back_custom(b, node)
             : node->blocks[0] == NULL        ? back_by_rule(b, node)
             : op_is_loop(node_desc(node))    ? back_loop(b, node)
                                              : back_branches(b, node);
    }
    return ok;
}

// Inputs for the gradients that are given, and where they begin to flow.
static bool add_seeds(Back *b, const bool *given, const bool *begun,
                      const ValueId *inputs, size_t count)
{
    const GraphBlock *block = b->graph->block;
    for (size_t i = 0; i < count; i++) {
        if (!begun[i]) {
            continue;
        }
        ValueId sum =
            graph_add_input(b->graph, "grad", graph_type(b->graph, inputs[i]));
        if (sum == VALUE_ID_NONE || !back_add(b, inputs[i], sum)) {
            return false;
        }
    }
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

// The gradients of the inputs that are wanted, as results; then, if asked for,
// those that there are.
static bool set_results(Back *b, const ValueId *inputs, size_t count,
                        const bool *wanted, bool *made, bool *rows, bool values)
{
    const GraphBlock *block = b->graph->block;
    IdVec results = {0};
    bool ok = rows != NULL || back_fill_all(b);
    for (size_t i = 0; ok && i < count; i++) {
        ValueId id = inputs[i];
        bool some = b->rows[id] != VALUE_ID_NONE;
        made[i] = wanted[i] && (some || b->grads[id] != VALUE_ID_NONE);
        ok = !made[i] || vec_push(b->graph->ctx, &results,
                                  some ? b->row_grads[id] : b->grads[id]);
        if (made[i] && some) {
            rows[i] = true;
            ok = ok && vec_push(b->graph->ctx, &results, b->rows[id]);
        }
    }
    ok = ok &&
         back_push(b, &results, block->results,
                   values ? block->result_count : 0) &&
         graph_block_results(b->graph, b->graph->block, results.items,
                             (uint32_t)results.count);
    vec_free(b->graph->ctx, &results);
    return ok;
}

// `to` holds the forward part.
static bool add_backward(Graph *to, const ValueId *inputs, size_t count,
                         const bool *given, const bool *wanted,
                         const bool *begun, bool *made, bool *rows, bool values)
{
    Ctx *ctx = to->ctx;
    Back b = {.graph = to, .block = to->block, .count = to->values.count};
    // Sums of gradients are made of forward values alone.
    size_t size = b.count * (3 * sizeof(ValueId) + 1) + 1;
    b.grads = ctx_alloc(ctx, size);
    if (b.grads == NULL) {
        return false;
    }
    b.row_grads = b.grads + b.count;
    b.rows = b.row_grads + b.count;
    b.needed = (bool *)(b.rows + b.count);
    for (size_t i = 0; i < b.count; i++) {
        b.grads[i] = b.row_grads[i] = b.rows[i] = VALUE_ID_NONE;
        b.needed[i] = false;
    }
    for (size_t i = 0; i < count; i++) {
        b.needed[inputs[i]] = wanted[i] && back_flows(to, inputs[i]);
    }
    mark_needed(&b);
    // A value that is given twice has a sum for a seed, which is a node.
    GraphNode *last = to->block->last;
    bool ok = add_seeds(&b, given, begun, inputs, count) && go_back(&b, last) &&
              set_results(&b, inputs, count, wanted, made, rows, values);
    ctx_free(ctx, b.grads, size);
    return ok;
}

Graph *back_gradient(Graph *graph, const bool *given, const bool *wanted,
                     const bool *begun, bool *made, bool *rows, bool values)
{
    Ctx *ctx = graph->ctx;
    if (!ctx_enter(ctx)) {
        return NULL;
    }
    size_t count = graph_gradient_arguments(graph);
    size_t size = (count + 1) * sizeof(ValueId);
    Graph *to = graph_new(ctx, graph->name);
    ValueId *inputs = ctx_alloc(ctx, size);
    bool ok = to != NULL && inputs != NULL &&
              back_copy_forward(graph, to, inputs) &&
              add_backward(to, inputs, count, given, wanted, begun, made, rows,
                           values);
    ctx_free(ctx, inputs, size);
    ctx_leave(ctx);
    if (!ok && to != NULL) {
        graph_release(ctx, to);
        to = NULL;
    }
    return to;
}

Graph *graph_gradient(Graph *graph, const bool *given, const bool *wanted,
                      const bool *begun, bool *made, bool *rows)
{
    return back_gradient(graph, given, wanted, begun, made, rows, false);
}
