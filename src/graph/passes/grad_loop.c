// The way back through a loop. The loop is made anew with what the way back
// takes of each turn put on lists, and takes the place of the old one; one in
// the other direction takes it off: the states before the turn as far as they
// are used, and what was read or is costly to compute again (grad_split.c). A
// state that is a list itself is never kept.
#include "graph/passes/grad_back.h"
#include "graph/rewrite.h"

// What a loop's way back is made of.
typedef struct LoopBack {
    GraphNode *node;
    uint32_t states;
    IdVec outside;      // of both blocks
    bool *wanted;       // of the body's gradient: states, then outside values
    bool *begun;        // the outside ones: their sums go through the turns
    bool *made;         // which of those it gives
    Graph *cond, *body; // as graphs of the states and the outside values
    BackTurn turn;      // of the body
    bool surely;        // a turn comes
    bool draws;         // the body does, and is run for its numbers alone
    uint32_t values;    // results of turn.ahead that are the body's
    uint32_t kept;      // lists that the new loop gives behind the states
    size_t size;        // of each mask
} LoopBack;

// The type that the states have in the loop.
static TensorType state_type(const Back *b, const LoopBack *loop, uint32_t i)
{
    return graph_type(b->graph, loop->node->blocks[SIDE_BODY]->params[i]);
}

static bool is_list(const Back *b, const LoopBack *loop, uint32_t i)
{
    return dtype_is_list(state_type(b, loop, i).dtype);
}

static bool check_lists(Back *b, const LoopBack *loop)
{
    for (uint32_t i = 0; i < loop->states; i++) {
        if (is_list(b, loop, i) && loop->wanted[i] && !loop->made[i]) {
            return ctx_fail(b->graph->ctx, ERR_SYMBOLIC,
                            "while: a list is made anew in each turn, and no "
                            "gradient flows through such a loop: put its "
                            "elements into the list that is there before it");
        }
    }
    return true;
}

// The body there and back. Where it draws numbers it is run beside what is
// handed on, which may draw them, too, from a copy of the generator.
static bool make_turn(Back *b, LoopBack *loop)
{
    BackTurn *turn = &loop->turn;
    turn->states = loop->states;
    turn->arguments = graph_gradient_arguments(loop->body);
    loop->values = loop->draws ? 0 : loop->states;
    // Gradients of states are handed on from turn to turn, zeros too.
    turn->grad = back_gradient(loop->body, loop->wanted, loop->wanted,
                               loop->begun, loop->made, NULL, loop->values > 0);
    if (turn->grad == NULL || !check_lists(b, loop)) {
        return false;
    }
    // Where nothing flows, a state tells the shape of the zeros.
    for (uint32_t i = 0; i < loop->states; i++) {
        turn->kept[i] = loop->wanted[i] && !loop->made[i];
    }
    return back_split(turn, loop->values);
}

// Those to which gradients flow: from behind the loop, or from a turn.
static bool mark_wanted(Back *b, LoopBack *loop)
{
    Graph *body = loop->body;
    const ValueId *inputs = body->block->params;
    for (uint32_t i = 0; i < loop->states; i++) {
        ValueId behind = node_output(loop->node, i);
        loop->wanted[i] =
            back_flows(body, inputs[i]) && b->grads[behind] != VALUE_ID_NONE;
    }
    bool *live = back_live(body, loop->wanted);
    if (live == NULL) {
        return false;
    }
    do {
        for (uint32_t i = 0; i < loop->states; i++) {
            loop->wanted[i] |= live[inputs[i]];
        }
    } while (back_live_more(body, live, loop->wanted));
    for (size_t i = 0; i < loop->outside.count; i++) {
        size_t at = loop->states + i;
        loop->wanted[at] = loop->begun[at] =
            back_takes_part(b, loop->outside.items[i]) && live[inputs[at]];
    }
    back_live_free(body, live);
    return true;
}

static bool begin_loop(Back *b, LoopBack *loop)
{
    Ctx *ctx = b->graph->ctx;
    GraphBlock **blocks = loop->node->blocks;
    loop->states = loop->node->input_count;
    loop->surely = back_turns_surely(b->graph, loop->node);
    loop->draws = back_draws(blocks[SIDE_BODY]);
    if (!back_outside(b->graph, blocks[SIDE_COND], &loop->outside) ||
        !back_outside(b->graph, blocks[SIDE_BODY], &loop->outside)) {
        return false;
    }
    // A generator is an argument too.
    loop->size = loop->states + loop->outside.count + 2;
    loop->wanted = ctx_alloc_zero(ctx, loop->size * 4);
    if (loop->wanted == NULL) {
        return false;
    }
    loop->begun = loop->wanted + loop->size;
    loop->made = loop->begun + loop->size;
    loop->turn.kept = loop->made + loop->size;
    loop->cond = back_lift(b->graph, blocks[SIDE_COND], &loop->outside);
    loop->body = back_lift(b->graph, blocks[SIDE_BODY], &loop->outside);
    return loop->cond != NULL && loop->body != NULL && mark_wanted(b, loop) &&
           make_turn(b, loop);
}

static void end_loop(Back *b, LoopBack *loop)
{
    Ctx *ctx = b->graph->ctx;
    Graph *graphs[4] = {loop->cond, loop->body, loop->turn.grad,
                        loop->turn.ahead};
    for (int i = 0; i < 4; i++) {
        graph_release(ctx, graphs[i]);
    }
    vec_free(ctx, &loop->outside);
    ctx_free(ctx, loop->wanted, loop->size * 4);
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

// A call on the first `states` of the params, the outside values and, unless it
// is VALUE_ID_NONE, the generator's state.
static GraphNode *call_turn(Back *b, const LoopBack *loop, GraphBlock *block,
                            Graph *callee, const ValueId *states,
                            ValueId generator)
{
    IdVec inputs = {0};
    GraphNode *node = NULL;
    if (back_push(b, &inputs, states, loop->states) &&
        back_push(b, &inputs, loop->outside.items, loop->outside.count) &&
        back_push(b, &inputs, &generator, generator != VALUE_ID_NONE)) {
        node = back_call(b, block, callee, &inputs);
    }
    vec_free(b->graph->ctx, &inputs);
    return node;
}

GraphNode *back_new_list(Graph *graph, GraphBlock *block, TensorType type,
                         GraphPlace place)
{
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
    return graph_append(graph, block, OP_LIST_NEW, NULL, 0, attrs, place);
}

static ValueId new_list(Back *b, TensorType type)
{
    return node_first(back_new_list(b->graph, b->block, type, b->place));
}

static ValueId zero(Back *b, GraphBlock *block)
{
    Tensor *none = tensor_scalar_int(b->graph->ctx, DT_INT32, 0);
    GraphNode *node = none == NULL
                          ? NULL
                          : graph_append_const(b->graph, block, none, b->place);
    object_release_null(b->graph->ctx, none);
    return node_first(node);
}

// The lists that are empty before the first turn, one for each value that is
// kept: states, the generator's, what is handed on. At least one, for the other
// loop counts its turns by them.
static bool empty_lists(Back *b, LoopBack *loop, IdVec *inputs)
{
    static const int64_t two = 2;
    Ctx *ctx = b->graph->ctx;
    size_t before = inputs->count;
    bool ok = true;
    for (uint32_t i = 0; ok && i < loop->states; i++) {
        ok = !loop->turn.kept[i] ||
             vec_push(ctx, inputs, new_list(b, state_type(b, loop, i)));
    }
    if (ok && loop->draws) {
        ok =
            vec_push(ctx, inputs, new_list(b, (TensorType){DT_INT64, 1, &two}));
    }
    Graph *ahead = loop->turn.ahead;
    for (uint32_t i = loop->values; ok && i < ahead->block->result_count; i++) {
        ok = vec_push(ctx, inputs,
                      new_list(b, graph_type(ahead, ahead->block->results[i])));
    }
    if (ok && inputs->count == before) {
        ok =
            vec_push(ctx, inputs, new_list(b, (TensorType){DT_INT32, 0, NULL}));
    }
    loop->kept = (uint32_t)(inputs->count - before);
    for (size_t i = before; ok && i < inputs->count; i++) {
        ok = inputs->items[i] != VALUE_ID_NONE;
    }
    return ok;
}

// What a turn keeps, in that order.
static bool kept_values(Back *b, const LoopBack *loop, GraphBlock *block,
                        const ValueId *params, ValueId generator,
                        const GraphNode *ahead, IdVec *kept)
{
    Ctx *ctx = b->graph->ctx;
    bool ok = true;
    for (uint32_t i = 0; ok && i < loop->states; i++) {
        ok = !loop->turn.kept[i] || vec_push(ctx, kept, params[i]);
    }
    ok = ok && back_push(b, kept, &generator, loop->draws);
    for (uint32_t i = loop->values; ok && i < ahead->output_count; i++) {
        ok = vec_push(ctx, kept, node_output(ahead, i));
    }
    if (ok && kept->count == 0) {
        ValueId turn = zero(b, block);
        ok = turn != VALUE_ID_NONE && vec_push(ctx, kept, turn);
    }
    return ok;
}

// The body of the new loop: a turn of the old one, what is kept put on lists.
static bool turn_saving(Back *b, const LoopBack *loop, GraphBlock *block,
                        const ValueId *params)
{
    Ctx *ctx = b->graph->ctx;
    IdVec kept = {0}, results = {0};
    ValueId generator = VALUE_ID_NONE;
    bool ok = true;
    if (loop->draws) {
        generator = back_append(b, block, OP_RNG_STATE, NULL, 0, NULL);
        ok = generator != VALUE_ID_NONE;
    }
    GraphNode *ahead =
        ok ? call_turn(b, loop, block, loop->turn.ahead, params, generator)
           : NULL;
    ok = ahead != NULL &&
         kept_values(b, loop, block, params, generator, ahead, &kept);
    GraphNode *turn = ok && loop->draws ? call_turn(b, loop, block, loop->body,
                                                    params, VALUE_ID_NONE)
                                        : ahead;
    ok = ok && turn != NULL;
    for (uint32_t i = 0; ok && i < loop->states; i++) {
        ok = vec_push(ctx, &results, node_output(turn, i));
    }
    for (uint32_t i = 0; ok && i < loop->kept; i++) {
        ValueId pair[2] = {params[loop->states + i], kept.items[i]};
        ValueId list = back_append(b, block, OP_LIST_APPEND, pair, 2, NULL);
        ok = list != VALUE_ID_NONE && vec_push(ctx, &results, list);
    }
    ok = ok && graph_block_results(b->graph, block, results.items,
                                   (uint32_t)results.count);
    vec_free(ctx, &kept);
    vec_free(ctx, &results);
    return ok;
}

// The new loop, at the end of the graph. The node's outputs: the states, then
// the lists.
static GraphNode *run_saving(Back *b, LoopBack *loop)
{
    Ctx *ctx = b->graph->ctx;
    GraphBlock *blocks[2];
    IdVec inputs = {0}, params[2] = {{0}, {0}};
    bool ok = back_push(b, &inputs, loop->node->inputs, loop->states) &&
              empty_lists(b, loop, &inputs);
    for (int side = 0; ok && side < 2; side++) {
        blocks[side] = graph_block_new(b->graph, b->block);
        ok = blocks[side] != NULL &&
             add_params(b, blocks[side], &inputs, &params[side]);
    }
    GraphNode *test = ok ? call_turn(b, loop, blocks[SIDE_COND], loop->cond,
                                     params[SIDE_COND].items, VALUE_ID_NONE)
                         : NULL;
    ValueId truth = node_first(test);
    GraphNode *node = NULL;
    if (test != NULL &&
        graph_block_results(b->graph, blocks[SIDE_COND], &truth, 1) &&
        turn_saving(b, loop, blocks[SIDE_BODY], params[SIDE_BODY].items)) {
        node = graph_append_blocks(b->graph, b->block, loop->node->op,
                                   inputs.items, (uint32_t)inputs.count, blocks,
                                   b->place);
    }
    vec_free(ctx, &inputs);
    vec_free(ctx, &params[0]);
    vec_free(ctx, &params[1]);
    return node;
}

// The new loop in the place of the old one, also for what was made of that
// already.
static bool replace_loop(Back *b, const LoopBack *loop, GraphNode *last,
                         const GraphNode *saved)
{
    GraphNode *old = loop->node;
    Rewrite rewrite = {.graph = b->graph};
    bool ok = true;
    back_move(b, last, old);
    build_unlink(b->graph, old);
    for (uint32_t i = 0; ok && i < loop->states; i++) {
        ValueId from = node_output(old, i), to = node_output(saved, i);
        ok = rewrite_value(&rewrite, from, to);
        for (size_t k = 0; k < b->count; k++) {
            b->grads[k] = b->grads[k] == from ? to : b->grads[k];
        }
    }
    for (Walk walk = walk_forward(b->graph->block); ok && walk_next(&walk);) {
        rewrite_uses(&rewrite, &walk);
    }
    rewrite_free(&rewrite);
    return ok;
}

// What a value's sum begins with: what it has, or -0, to which even a -0 adds
// nothing but itself. Rows are added to zeros, as where they are made whole.
static ValueId first_sum(Back *b, const LoopBack *loop, ValueId value)
{
    if (b->grads[value] != VALUE_ID_NONE) {
        return b->grads[value];
    }
    ValueId none = back_zeros(b, b->block, value);
    bool plain =
        dtype_is_list(graph_type(b->graph, value).dtype) ||
        back_rows_alone(b->graph, loop->node->blocks[SIDE_BODY], value);
    return none == VALUE_ID_NONE || plain
               ? none
               : back_append(b, b->block, OP_NEGATIVE, &none, 1, NULL);
}

// What the loop that goes back begins with: the lists, then a gradient for
// each wanted value: a state's from behind the loop, an outside one's so far.
static bool first_state(Back *b, const LoopBack *loop, const GraphNode *saved,
                        IdVec *state)
{
    Ctx *ctx = b->graph->ctx;
    uint32_t n = loop->states;
    for (uint32_t i = 0; i < loop->kept; i++) {
        if (!vec_push(ctx, state, node_output(saved, n + i))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n + loop->outside.count; i++) {
        if (!loop->wanted[i]) {
            continue;
        }
        ValueId grad = i < n ? b->grads[node_output(loop->node, i)]
                             : first_sum(b, loop, loop->outside.items[i - n]);
        if (grad == VALUE_ID_NONE && i < n) {
            grad = back_zeros(b, b->block, node_output(saved, i));
        }
        if (grad == VALUE_ID_NONE || !vec_push(ctx, state, grad)) {
            return false;
        }
    }
    return true;
}

// What was kept of a turn: the lists without it, in `results`, and what the
// body's gradient takes of it, in `inputs`, with the outside values between.
static bool take_off(Back *b, const LoopBack *loop, GraphBlock *block,
                     const IdVec *params, IdVec *results, IdVec *inputs)
{
    Ctx *ctx = b->graph->ctx;
    uint32_t states = 0;
    for (uint32_t i = 0; i < loop->states; i++) {
        states += loop->turn.kept[i];
    }
    for (uint32_t i = 0; i <= loop->kept; i++) {
        if (i == states &&
            !back_push(b, inputs, loop->outside.items, loop->outside.count)) {
            return false;
        }
        if (i == loop->kept) {
            break;
        }
        ValueId list =
            back_append(b, block, OP_LIST_POP, &params->items[i], 1, NULL);
        if (list == VALUE_ID_NONE || !vec_push(ctx, results, list) ||
            !vec_push(ctx, inputs, list + 1)) {
            return false;
        }
    }
    // Only the turns were counted.
    size_t takes = loop->outside.count + states + loop->draws +
                   loop->turn.ahead->block->result_count - loop->values;
    if (inputs->count > takes) {
        inputs->count = takes;
    }
    return true;
}

// One turn back: the body's gradient is called with the sums of the outside
// values and the gradients of the states, and gives them as they are before the
// turn.
static bool turn_back(Back *b, const LoopBack *loop, GraphBlock *block,
                      const IdVec *params)
{
    Ctx *ctx = b->graph->ctx;
    uint32_t n = loop->states;
    IdVec results = {0}, inputs = {0};
    bool ok = take_off(b, loop, block, params, &results, &inputs);
    size_t sums = loop->kept;
    for (uint32_t i = 0; i < n; i++) {
        sums += loop->wanted[i];
    }
    ok = ok &&
         back_push(b, &inputs, params->items + sums, params->count - sums) &&
         back_push(b, &inputs, params->items + loop->kept, sums - loop->kept);
    GraphNode *call = ok ? back_call(b, block, loop->turn.grad, &inputs) : NULL;
    ok = call != NULL;
    uint32_t given = 0, input = 0;
    for (uint32_t i = 0; ok && i < n + loop->outside.count;
         input += i >= n || loop->turn.kept[i], i++) {
        if (!loop->wanted[i]) {
            continue;
        }
        ValueId made = loop->made[i]
                           ? node_output(call, given++)
                           : back_zeros(b, block, inputs.items[input]);
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
    ValueId pair[2] = {back_append(b, block, OP_LIST_SIZE, &list, 1, NULL),
                       zero(b, block)};
    ValueId truth = pair[0] == VALUE_ID_NONE || pair[1] == VALUE_ID_NONE
                        ? VALUE_ID_NONE
                        : back_append(b, block, OP_GREATER, pair, 2, NULL);
    return truth != VALUE_ID_NONE &&
           graph_block_results(b->graph, block, &truth, 1);
}

// Whether a turn back adds to the sum that is this result of it.
static bool adds(const LoopBack *loop, uint32_t result)
{
    const Graph *grad = loop->turn.grad;
    return graph_value(grad, grad->block->results[result])->node != NULL;
}

static bool back_loop_of(Back *b, LoopBack *loop)
{
    Ctx *ctx = b->graph->ctx;
    GraphBlock *blocks[2];
    IdVec state = {0}, params[2] = {{0}, {0}};
    GraphNode *last = b->block->last;
    GraphNode *saved = run_saving(b, loop);
    bool ok = saved != NULL && replace_loop(b, loop, last, saved) &&
              first_state(b, loop, saved, &state);
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
    // The outside values' first: theirs are whole sums, the states' come last.
    uint32_t next = loop->kept, given = 0;
    for (uint32_t i = 0; i < loop->states; i++) {
        next += loop->wanted[i];
        given += loop->made[i];
    }
    for (size_t i = 0; ok && i < loop->outside.count; i++) {
        if (loop->wanted[loop->states + i]) {
            ValueId sum = node_output(node, next++);
            if (adds(loop, given++)) {
                b->grads[loop->outside.items[i]] = sum;
            }
        }
    }
    next = loop->kept;
    for (uint32_t i = 0; ok && i < loop->states; i++) {
        if (loop->wanted[i]) {
            ValueId value = loop->node->inputs[i];
            ValueId made = node_output(node, next++);
            // A turn that surely comes takes what no turn gives back.
            ok = (loop->surely && !loop->made[i]) ||
                 !back_takes_part(b, value) || back_add(b, value, made);
        }
    }
    vec_free(ctx, &state);
    vec_free(ctx, &params[0]);
    vec_free(ctx, &params[1]);
    return ok;
}

// Back through a loop whose body always raises: behind it no turn was made.
static bool back_no_turn(Back *b, const GraphNode *node)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ValueId grad = b->grads[node_output(node, i)];
        ok = grad == VALUE_ID_NONE || !back_takes_part(b, node->inputs[i]) ||
             back_add(b, node->inputs[i], grad);
    }
    return ok;
}

bool back_loop(Back *b, GraphNode *node)
{
    if (node->blocks[SIDE_BODY]->diverges) {
        return back_no_turn(b, node);
    }
    LoopBack loop = {.node = node};
    bool ok = begin_loop(b, &loop) && back_loop_of(b, &loop);
    end_loop(b, &loop);
    return ok;
}
