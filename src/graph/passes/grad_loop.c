// The way back through a loop: it is run once more with its states put on
// lists, which a loop in the other direction takes off.
#include "graph/passes/grad_back.h"

// What a loop's way back is made of.
typedef struct LoopBack {
    const GraphNode *node;
    uint32_t states;
    IdVec outside;      // of both blocks
    bool *wanted;       // of the body's gradient: states, then outside values
    bool *made;         // which of those it gives
    Graph *cond, *body; // as graphs of the states and the outside values
    Graph *grad;        // of the body
    size_t size;        // of wanted and made
} LoopBack;

// The type that the states have in the loop.
static TensorType state_type(const Back *b, const LoopBack *loop, uint32_t i)
{
    return graph_type(b->graph, loop->node->blocks[SIDE_BODY]->params[i]);
}

static bool begin_loop(Back *b, LoopBack *loop)
{
    Ctx *ctx = b->graph->ctx;
    const GraphNode *node = loop->node;
    loop->states = node->input_count;
    if (!back_outside(b->graph, node->blocks[SIDE_COND], &loop->outside) ||
        !back_outside(b->graph, node->blocks[SIDE_BODY], &loop->outside)) {
        return false;
    }
    loop->size = loop->states + loop->outside.count + 1;
    loop->wanted = ctx_alloc_zero(ctx, loop->size * 2);
    if (loop->wanted == NULL) {
        return false;
    }
    loop->made = loop->wanted + loop->size;
    for (uint32_t i = 0; i < loop->states; i++) {
        TensorType type = state_type(b, loop, i);
        loop->wanted[i] = dtype_is_float(type.dtype);
        if (dtype_is_list(type.dtype)) {
            return ctx_fail(ctx, ERR_VALUE,
                            "while: a list is part of the loop's state, and "
                            "no gradient flows through such a loop yet");
        }
    }
    for (size_t i = 0; i < loop->outside.count; i++) {
        loop->wanted[loop->states + i] =
            back_takes_part(b, loop->outside.items[i]);
    }
    loop->cond = back_lift(b->graph, node->blocks[SIDE_COND], &loop->outside);
    loop->body = back_lift(b->graph, node->blocks[SIDE_BODY], &loop->outside);
    // All states' gradients are handed on from turn to turn, zeros too.
    loop->grad = loop->cond == NULL || loop->body == NULL
                     ? NULL
                     : graph_gradient(loop->body, loop->wanted, loop->wanted,
                                      loop->made);
    return loop->grad != NULL;
}

static void end_loop(Back *b, LoopBack *loop)
{
    Ctx *ctx = b->graph->ctx;
    Graph *graphs[3] = {loop->cond, loop->body, loop->grad};
    for (int i = 0; i < 3; i++) {
        if (graphs[i] != NULL) {
            graph_release(ctx, graphs[i]);
        }
    }
    vec_free(ctx, &loop->outside);
    if (loop->wanted != NULL) {
        ctx_free(ctx, loop->wanted, loop->size * 2);
    }
}

// A param of the block with the type of each of the values.
static bool add_params(Back *b, GraphBlock *block, const IdVec *like,
                       IdVec *params)
{
    for (size_t i = 0; i < like->count; i++) {
        ValueId made = graph_block_param(b->graph, block, NULL,
                                         graph_type(b->graph, like->items[i]));
        if (made == VALUE_ID_NONE || !vec_push(b->graph->ctx, params, made)) {
            return false;
        }
    }
    return true;
}

// A call on the first `states` of the params and the outside values.
static GraphNode *call_turn(Back *b, const LoopBack *loop, GraphBlock *block,
                            Graph *callee, const ValueId *states)
{
    IdVec inputs = {0};
    GraphNode *node = NULL;
    if (back_push(b, &inputs, states, loop->states) &&
        back_push(b, &inputs, loop->outside.items, loop->outside.count)) {
        node = back_call(b, block, callee, &inputs);
    }
    vec_free(b->graph->ctx, &inputs);
    return node;
}

// An empty list for a state.
static ValueId new_list(Back *b, const LoopBack *loop, uint32_t state)
{
    TensorType type = state_type(b, loop, state);
    int64_t dims[SHAPE_MAX_RANK];
    AttrValue attrs[2] = {{.kind = ATTR_DTYPE, .dtype = type.dtype},
                          {.kind = ATTR_NONE}};
    for (int i = 0; i < type.rank; i++) {
        dims[i] = type.dims[i] == DIM_UNKNOWN ? ATTR_INT_NONE : type.dims[i];
    }
    if (type.rank != RANK_UNKNOWN) {
        attrs[1] = (AttrValue){
            .kind = ATTR_INTS, .count = (uint32_t)type.rank, .ints = dims};
    }
    return back_append(b, b->block, OP_LIST_NEW, NULL, 0, attrs);
}

// The loop once more, with the states before each turn put on lists. The
// node's outputs: the states, then the lists.
static GraphNode *run_saving(Back *b, const LoopBack *loop)
{
    Ctx *ctx = b->graph->ctx;
    GraphBlock *blocks[2];
    IdVec inputs = {0}, params[2] = {{0}, {0}}, results = {0};
    uint32_t n = loop->states;
    bool ok = back_push(b, &inputs, loop->node->inputs, n);
    for (uint32_t i = 0; ok && i < n; i++) {
        ValueId list = new_list(b, loop, i);
        ok = list != VALUE_ID_NONE && vec_push(ctx, &inputs, list);
    }
    for (int side = 0; ok && side < 2; side++) {
        blocks[side] = graph_block_new(b->graph, b->block);
        ok = blocks[side] != NULL &&
             add_params(b, blocks[side], &inputs, &params[side]);
    }
    GraphNode *test = ok ? call_turn(b, loop, blocks[SIDE_COND], loop->cond,
                                     params[SIDE_COND].items)
                         : NULL;
    GraphNode *turn = test != NULL
                          ? call_turn(b, loop, blocks[SIDE_BODY], loop->body,
                                      params[SIDE_BODY].items)
                          : NULL;
    ok = turn != NULL;
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = vec_push(ctx, &results, node_output(turn, i));
    }
    for (uint32_t i = 0; ok && i < n; i++) {
        ValueId pair[2] = {params[SIDE_BODY].items[n + i],
                           params[SIDE_BODY].items[i]};
        ValueId list =
            back_append(b, blocks[SIDE_BODY], OP_LIST_APPEND, pair, 2, NULL);
        ok = list != VALUE_ID_NONE && vec_push(ctx, &results, list);
    }
    ValueId truth = ok ? node_output(test, 0) : VALUE_ID_NONE;
    GraphNode *node = NULL;
    if (ok && graph_block_results(b->graph, blocks[SIDE_COND], &truth, 1) &&
        graph_block_results(b->graph, blocks[SIDE_BODY], results.items,
                            (uint32_t)results.count)) {
        node = graph_append_blocks(b->graph, b->block, loop->node->op,
                                   inputs.items, (uint32_t)inputs.count, blocks,
                                   b->place);
    }
    vec_free(ctx, &inputs);
    vec_free(ctx, &params[0]);
    vec_free(ctx, &params[1]);
    vec_free(ctx, &results);
    return node;
}

// What the loop that goes back begins with: the lists, then a gradient for
// each wanted value: a state's from behind the loop, an outside one's zeros.
static bool first_state(Back *b, const LoopBack *loop, const GraphNode *saved,
                        IdVec *state)
{
    Ctx *ctx = b->graph->ctx;
    uint32_t n = loop->states;
    for (uint32_t i = 0; i < n; i++) {
        if (!vec_push(ctx, state, node_output(saved, n + i))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n + loop->outside.count; i++) {
        if (!loop->wanted[i]) {
            continue;
        }
        ValueId last =
            i < n ? node_output(loop->node, i) : loop->outside.items[i - n];
        ValueId grad = i < n ? b->grads[last] : VALUE_ID_NONE;
        grad = grad != VALUE_ID_NONE ? grad : back_zeros(b, b->block, last);
        if (grad == VALUE_ID_NONE || !vec_push(ctx, state, grad)) {
            return false;
        }
    }
    return true;
}

// One turn back: the states are taken off the lists, the body's gradient is
// called, its results become the states' gradients and are added to the
// outside values'.
static bool turn_back(Back *b, const LoopBack *loop, GraphBlock *block,
                      const IdVec *params)
{
    Ctx *ctx = b->graph->ctx;
    uint32_t n = loop->states;
    IdVec results = {0}, inputs = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
        ValueId list =
            back_append(b, block, OP_LIST_POP, &params->items[i], 1, NULL);
        ok = list != VALUE_ID_NONE && vec_push(ctx, &results, list) &&
             vec_push(ctx, &inputs, list + 1);
    }
    ok = ok && back_push(b, &inputs, loop->outside.items, loop->outside.count);
    size_t next = n;
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = !loop->wanted[i] || vec_push(ctx, &inputs, params->items[next++]);
    }
    GraphNode *call = ok ? back_call(b, block, loop->grad, &inputs) : NULL;
    ok = call != NULL;
    uint32_t given = 0;
    next = n;
    for (uint32_t i = 0; ok && i < n + loop->outside.count; i++) {
        if (!loop->wanted[i]) {
            continue;
        }
        ValueId before = params->items[next++];
        ValueId made =
            loop->made[i] ? node_output(call, given++) : VALUE_ID_NONE;
        if (i < n) {
            made = made != VALUE_ID_NONE
                       ? made
                       : back_zeros(b, block, inputs.items[i]);
        } else if (made == VALUE_ID_NONE) {
            made = before;
        } else {
            ValueId both[2] = {before, made};
            made = back_append(b, block, OP_ADD, both, 2, NULL);
        }
        ok = made != VALUE_ID_NONE && vec_push(ctx, &results, made);
    }
    ok = ok && graph_block_results(b->graph, block, results.items,
                                   (uint32_t)results.count);
    vec_free(ctx, &results);
    vec_free(ctx, &inputs);
    return ok;
}

// As long as there is something on the lists.
static bool test_back(Back *b, GraphBlock *block, ValueId list)
{
    Tensor *none = tensor_scalar_int(b->graph->ctx, DT_INT32, 0);
    GraphNode *zero = none == NULL
                          ? NULL
                          : graph_append_const(b->graph, block, none, b->place);
    object_release_null(b->graph->ctx, none);
    if (zero == NULL) {
        return false;
    }
    ValueId pair[2] = {back_append(b, block, OP_LIST_SIZE, &list, 1, NULL),
                       node_output(zero, 0)};
    ValueId truth = pair[0] == VALUE_ID_NONE
                        ? VALUE_ID_NONE
                        : back_append(b, block, OP_GREATER, pair, 2, NULL);
    return truth != VALUE_ID_NONE &&
           graph_block_results(b->graph, block, &truth, 1);
}

static bool back_loop_of(Back *b, LoopBack *loop)
{
    Ctx *ctx = b->graph->ctx;
    GraphBlock *blocks[2];
    IdVec state = {0}, params[2] = {{0}, {0}};
    GraphNode *saved = run_saving(b, loop);
    bool ok = saved != NULL && first_state(b, loop, saved, &state);
    for (int side = 0; ok && side < 2; side++) {
        blocks[side] = graph_block_new(b->graph, b->block);
        ok = blocks[side] != NULL &&
             add_params(b, blocks[side], &state, &params[side]);
    }
    ok = ok && test_back(b, blocks[SIDE_COND], params[SIDE_COND].items[0]) &&
         turn_back(b, loop, blocks[SIDE_BODY], &params[SIDE_BODY]);
    GraphNode *node = ok ? graph_append_blocks(
                               b->graph, b->block, loop->node->op, state.items,
                               (uint32_t)state.count, blocks, b->place)
                         : NULL;
    ok = node != NULL;
    uint32_t next = loop->states;
    for (uint32_t i = 0; ok && i < loop->states + loop->outside.count; i++) {
        if (loop->wanted[i]) {
            ValueId value = i < loop->states
                                ? loop->node->inputs[i]
                                : loop->outside.items[i - loop->states];
            ValueId made = node_output(node, next++);
            ok = !back_takes_part(b, value) || back_add(b, value, made);
        }
    }
    vec_free(ctx, &state);
    vec_free(ctx, &params[0]);
    vec_free(ctx, &params[1]);
    return ok;
}

bool back_loop(Back *b, const GraphNode *node)
{
    LoopBack loop = {.node = node};
    bool ok = begin_loop(b, &loop) && back_loop_of(b, &loop);
    end_loop(b, &loop);
    return ok;
}
