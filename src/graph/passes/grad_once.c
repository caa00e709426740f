// What effects give, kept for a gradient: see grad_graph.h.
//
// A gradient computes the forward part anew, but what host code gave cannot be
// had a second time. So the graph that runs puts it on lists, one for each such
// value, in the order in which the values come: lists are states of the loops
// around them and results of the branches. The graph of which gradients are
// taken has the same blocks, in which numbers go where lists do there: how
// often a block has run, which says where on the lists its values stand. As
// host code may write Variables and draw numbers, what is read and drawn beside
// it is kept as well. A loop whose condition is not made of values alone leaves
// the number of its turns on a list, too: the gradient's makes as many.
//
// Both graphs are made in place, by one walk, so that the nth list of the one
// is the nth of the other. What goes through blocks here is called a slot: a
// list there, the number of a block's runs here.
#include <string.h>

#include "graph/passes/grad_back.h"
#include "graph/rewrite.h"

typedef struct Keeper {
    Graph *graph;
    bool back;  // the graph of which gradients are taken
    bool *used; // by value: somebody asks for it who is not left out
    size_t used_size;
    Rewrite instead; // by value: the one that stands for it now
    ValueId *now;    // by slot
    size_t size;     // bytes of that, and of `reads` behind it
    uint32_t slot;   // the next one
    size_t list;     // back: the next list, by input
    ValueId *reads;  // back: by Variable, its read at the beginning
} Keeper;

static uint32_t block_lists(const Keeper *once, const GraphBlock *block)
{
    uint32_t count = 0;
    for (const GraphNode *node = block->first; node != NULL;
         node = node->next) {
        count += back_own_lists(once->used, node);
    }
    return count;
}

static uint32_t slots_within(const Keeper *once, const GraphNode *node);

static uint32_t slots_of(const Keeper *once, const GraphBlock *block)
{
    uint32_t lists = block_lists(once, block);
    uint32_t count = once->back ? lists > 0 : lists;
    for (const GraphNode *node = block->first; node != NULL;
         node = node->next) {
        count += slots_within(once, node);
    }
    return count;
}

// Slots that the node's blocks change. What decides of a loop changes none.
static uint32_t slots_within(const Keeper *once, const GraphNode *node)
{
    uint32_t count = 0;
    for (int b = 0; b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        count += node_desc(node)->blocks[b].decides
                     ? 0
                     : slots_of(once, node->blocks[b]);
    }
    return count;
}

// ---- nodes

// The node that was made goes before another one of the block, NULL: to its
// end. Its first output; VALUE_ID_NONE: it could not be made.
static ValueId put_made(Keeper *once, GraphBlock *block, GraphNode *before,
                        GraphNode *made)
{
    if (made != NULL && before != NULL && made != before) {
        build_unlink(once->graph, made);
        build_link(once->graph, block, made, before);
    }
    return node_first(made);
}

static ValueId put(Keeper *once, GraphBlock *block, GraphNode *before,
                   OpCode op, const ValueId *inputs, uint32_t count,
                   const AttrValue *attrs, GraphPlace place)
{
    return put_made(
        once, block, before,
        graph_append(once->graph, block, op, inputs, count, attrs, place));
}

static ValueId put_number(Keeper *once, GraphBlock *block, GraphNode *before,
                          int number)
{
    Graph *graph = once->graph;
    Tensor *tensor = tensor_scalar_int(graph->ctx, DT_INT32, number);
    GraphNode *made = tensor == NULL ? NULL
                                     : graph_append_const(graph, block, tensor,
                                                          GRAPH_PLACE_NONE);
    object_release_null(graph->ctx, tensor);
    return put_made(once, block, before, made);
}

static ValueId put_next(Keeper *once, GraphBlock *block, ValueId number)
{
    ValueId pair[2] = {number, put_number(once, block, NULL, 1)};
    return pair[1] == VALUE_ID_NONE ? VALUE_ID_NONE
                                    : put(once, block, NULL, OP_ADD, pair, 2,
                                          NULL, GRAPH_PLACE_NONE);
}

// The value stands on the slot's list from here on.
static bool keep(Keeper *once, const GraphNode *node, GraphNode *before,
                 uint32_t slot, ValueId value)
{
    ValueId pair[2] = {once->now[slot], value};
    once->now[slot] = put(once, node->block, before, OP_LIST_APPEND, pair, 2,
                          NULL, node->place);
    return once->now[slot] != VALUE_ID_NONE;
}

// What the next list has for the block's run of this number.
static ValueId take(Keeper *once, GraphNode *node, ValueId run)
{
    ValueId list = once->graph->inputs.items[once->list++].value;
    ValueId pair[2] = {list, run};
    return put(once, node->block, node, OP_LIST_READ, pair, 2, NULL,
               node->place);
}

// The Variable at the beginning of the graph, where gradients go to it.
static ValueId first_read(Keeper *once, uint32_t variable)
{
    Graph *graph = once->graph;
    ValueId *read = &once->reads[variable];
    if (*read == VALUE_ID_NONE) {
        *read = put_made(once, graph->block, graph->block->first,
                         graph_append_resource(graph, graph->block,
                                               OP_READ_VARIABLE, variable, NULL,
                                               0, GRAPH_PLACE_NONE));
    }
    return *read;
}

// The value with the way back of what it is made of: a Variable's, or none that
// is known.
static ValueId with_source(Keeper *once, GraphNode *node, ValueId value)
{
    Graph *graph = once->graph;
    const OpDesc *op = node_desc(node);
    if (op->payload == PAYLOAD_RESOURCE) {
        ValueId pair[2] = {value, first_read(once, node->variable)};
        return pair[1] == VALUE_ID_NONE
                   ? VALUE_ID_NONE
                   : put(once, node->block, node, OP_STAND_IN, pair, 2, NULL,
                         node->place);
    }
    AttrValue attr = {.kind = ATTR_STR,
                      .count = (uint32_t)strlen(op->name),
                      .text = op->name};
    IdVec inputs = {0};
    bool ok = vec_push(graph->ctx, &inputs, value);
    for (uint32_t i = 0; ok && op->gradient == NULL && i < node->input_count;
         i++) {
        ok = !back_stays_operand(graph, node, i) ||
             vec_push(graph->ctx, &inputs, node->inputs[i]);
    }
    if (ok && inputs.count > 1) {
        value = put(once, node->block, node, OP_HANDED_ON, inputs.items,
                    (uint32_t)inputs.count, &attr, node->place);
    }
    vec_free(graph->ctx, &inputs);
    return ok ? value : VALUE_ID_NONE;
}

// One that is kept: its values are put on lists, or come from there.
static bool pass_kept(Keeper *once, GraphNode *node, ValueId run)
{
    Graph *graph = once->graph;
    GraphNode *next = node->next;
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ValueId value = node_output(node, i);
        if (!once->used[value]) {
            continue;
        }
        if (!once->back) {
            ok = keep(once, node, next, once->slot++, value);
            continue;
        }
        ValueId taken = take(once, node, run);
        ok = taken != VALUE_ID_NONE &&
             build_set_type(graph, taken, graph_type(graph, value));
        taken = ok ? with_source(once, node, taken) : VALUE_ID_NONE;
        ok = taken != VALUE_ID_NONE &&
             rewrite_value(&once->instead, value, taken);
    }
    if (ok && once->back) {
        build_unlink(graph, node);
    }
    return ok;
}

// ---- blocks

// One that is put in the place of a node with blocks.
typedef struct KeptFlow {
    GraphNode *node;
    uint32_t first, count; // of the slots that its blocks change
    bool loop, counted;
    ValueId limit;   // back: how many turns there are
    ValueId *before; // by slot, from `first` on
    IdVec inputs;
} KeptFlow;

static bool pass_block(Keeper *once, GraphBlock *block);

// As many turns as were made.
static bool count_down(Keeper *once, GraphBlock *asks, ValueId turn,
                       ValueId limit)
{
    while (asks->last != NULL) {
        build_unlink(once->graph, asks->last);
    }
    ValueId pair[2] = {turn, limit};
    ValueId truth =
        put(once, asks, NULL, OP_LESS, pair, 2, NULL, GRAPH_PLACE_NONE);
    return truth != VALUE_ID_NONE &&
           graph_block_results(once->graph, asks, &truth, 1);
}

// The params that a loop's block has for the slots. The last is the turn's.
static bool add_params(Keeper *once, const KeptFlow *flow, GraphBlock *block,
                       ValueId *turn)
{
    Graph *graph = once->graph;
    bool ok = true;
    for (size_t i = flow->node->input_count; ok && i < flow->inputs.count;
         i++) {
        TensorType type = graph_type(graph, flow->inputs.items[i]);
        *turn = graph_block_param(graph, block, NULL, type);
        ok = *turn != VALUE_ID_NONE;
        size_t slot = i - flow->node->input_count;
        if (slot < flow->count) {
            once->now[flow->first + slot] = *turn;
        }
    }
    return ok;
}

static bool add_results(Keeper *once, const KeptFlow *flow, GraphBlock *block,
                        ValueId turn)
{
    Graph *graph = once->graph;
    IdVec results = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < block->result_count; i++) {
        ok = vec_push(graph->ctx, &results, block->results[i]);
    }
    for (uint32_t i = 0; ok && i < flow->count; i++) {
        ok = vec_push(graph->ctx, &results, once->now[flow->first + i]);
    }
    if (ok && flow->counted) {
        turn = put_next(once, block, turn);
        ok = turn != VALUE_ID_NONE && vec_push(graph->ctx, &results, turn);
    }
    ok = ok && graph_block_results(graph, block, results.items,
                                   (uint32_t)results.count);
    vec_free(graph->ctx, &results);
    return ok;
}

static bool pass_side(Keeper *once, const KeptFlow *flow, int side)
{
    GraphBlock *block = flow->node->blocks[side];
    ValueId turn = VALUE_ID_NONE;
    for (uint32_t i = 0; i < flow->count; i++) {
        once->now[flow->first + i] = flow->before[i];
    }
    if (flow->loop && !add_params(once, flow, block, &turn)) {
        return false;
    }
    if (node_desc(flow->node)->blocks[side].decides) {
        return !once->back || !flow->counted ||
               count_down(once, block, turn, flow->limit);
    }
    return pass_block(once, block) &&
           (block->diverges || add_results(once, flow, block, turn));
}

// The new node in its place. NULL: failed.
static GraphNode *replace(Keeper *once, const KeptFlow *flow)
{
    Graph *graph = once->graph;
    GraphNode *node = flow->node;
    GraphNode *made = graph_append_blocks(
        graph, node->block, node->op, flow->inputs.items,
        (uint32_t)flow->inputs.count, node->blocks, node->place);
    if (made == NULL) {
        return NULL;
    }
    build_unlink(graph, made);
    build_link(graph, node->block, made, node);
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ValueId old = node_output(node, i), value = node_output(made, i);
        ok = build_set_type(graph, value, graph_type(graph, old)) &&
             rewrite_value(&once->instead, old, value);
    }
    for (uint32_t i = 0; i < flow->count; i++) {
        once->now[flow->first + i] = node_output(made, node->output_count + i);
    }
    return ok ? made : NULL;
}

static bool pass_sides(Keeper *once, KeptFlow *flow, uint32_t slot,
                       GraphNode **made)
{
    GraphNode *node = flow->node;
    Ctx *ctx = once->graph->ctx;
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ok = vec_push(ctx, &flow->inputs, node->inputs[i]);
    }
    for (uint32_t i = 0; i < flow->count; i++) {
        flow->before[i] = once->now[flow->first + i];
        ok = ok &&
             (!flow->loop || vec_push(ctx, &flow->inputs, flow->before[i]));
    }
    if (ok && flow->counted) {
        ValueId none = put_number(once, node->block, node, 0);
        ok = none != VALUE_ID_NONE && vec_push(ctx, &flow->inputs, none);
    }
    for (int side = 0; ok && side < node_desc(node)->block_count; side++) {
        ok = pass_side(once, flow, side);
    }
    *made = ok ? replace(once, flow) : NULL;
    return *made != NULL &&
           (once->back || !flow->counted ||
            keep(once, node, node, slot,
                 node_output(*made, (*made)->output_count - 1)));
}

// A node with blocks; *made is what stands for it.
static bool pass_flow(Keeper *once, GraphNode *node, ValueId run,
                      GraphNode **made)
{
    Ctx *ctx = once->graph->ctx;
    KeptFlow flow = {.node = node,
                     .loop = op_is_loop(node_desc(node)),
                     .counted = back_is_counted(node),
                     .count = slots_within(once, node)};
    uint32_t slot = once->slot;
    once->slot += flow.counted && !once->back;
    flow.first = once->slot;
    *made = node;
    if (flow.count == 0 && !flow.counted) {
        return true;
    }
    size_t size = (flow.count + 1) * sizeof *flow.before;
    flow.before = ctx_alloc(ctx, size);
    bool ok = flow.before != NULL;
    if (ok && once->back && flow.counted) {
        flow.limit = take(once, node, run);
        ok = flow.limit != VALUE_ID_NONE;
    }
    ok = ok && pass_sides(once, &flow, slot, made);
    vec_free(ctx, &flow.inputs);
    ctx_free(ctx, flow.before, size);
    if (ok) {
        build_unlink(once->graph, node);
    }
    return ok;
}

static bool pass_node(Keeper *once, GraphNode *node, ValueId run)
{
    GraphNode *made;
    if (node->blocks[0] != NULL) {
        return pass_flow(once, node, run, &made);
    }
    if (back_is_kept(node)) {
        return pass_kept(once, node, run);
    }
    // Reads behind a write are kept: none is needed to go back.
    if (once->back && node_desc(node)->payload == PAYLOAD_RESOURCE) {
        build_unlink(once->graph, node);
    }
    return true;
}

static bool pass_block(Keeper *once, GraphBlock *block)
{
    Ctx *ctx = once->graph->ctx;
    bool counts = once->back && block_lists(once, block) > 0, ok = true;
    uint32_t slot = once->slot;
    once->slot += counts;
    ValueId run = counts ? once->now[slot] : VALUE_ID_NONE;
    if (!ctx_enter(ctx)) {
        return false;
    }
    GraphNode *next;
    for (GraphNode *node = block->first; ok && node != NULL; node = next) {
        next = node->next;
        ok = pass_node(once, node, run);
    }
    ctx_leave(ctx);
    if (ok && counts && !block->diverges) {
        once->now[slot] = put_next(once, block, run);
        ok = once->now[slot] != VALUE_ID_NONE;
    }
    return ok;
}

// ---- the whole

// Room for the slots and, behind them, for the reads; none has a value.
static bool once_init(Keeper *once, uint32_t slots)
{
    Ctx *ctx = once->graph->ctx;
    size_t count = slots + once->graph->variables.count;
    once->size = (count + 1) * sizeof *once->now;
    once->instead.graph = once->graph;
    once->now = ctx_alloc(ctx, once->size);
    for (size_t i = 0; once->now != NULL && i < count; i++) {
        once->now[i] = VALUE_ID_NONE;
    }
    once->reads = once->now + slots;
    return once->now != NULL;
}

// Puts what stands for others in place, in the block and where sizes of it were
// told.
static void stand_in(const Keeper *once, GraphBlock *block)
{
    Graph *graph = once->graph;
    for (Walk walk = walk_forward(block); walk_next(&walk);) {
        rewrite_uses(&once->instead, &walk);
    }
    for (size_t i = 0; i < graph->told.count; i++) {
        GraphTold *told = &graph->told.items[i];
        told->value = rewrite_now(&once->instead, told->value);
    }
}

static void once_free(Keeper *once)
{
    if (once->now != NULL) {
        rewrite_free(&once->instead);
        ctx_free(once->graph->ctx, once->now, once->size);
    }
    ctx_free(once->graph->ctx, once->used, once->used_size);
}

// What is put on lists, in the order of the slots; VALUE_ID_NONE: a number of
// turns. Room for all of them.
static void find_lists(const Keeper *once, const GraphNode *node,
                       ValueId *values, uint32_t *count)
{
    if (node->blocks[0] != NULL && back_is_counted(node)) {
        values[(*count)++] = VALUE_ID_NONE;
    }
    for (uint32_t i = 0; back_is_kept(node) && i < node->output_count; i++) {
        if (once->used[node_output(node, i)]) {
            values[(*count)++] = node_output(node, i);
        }
    }
    for (int b = 0; b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        const GraphNode *inner = node->blocks[b]->first;
        bool decides = node_desc(node)->blocks[b].decides;
        for (; !decides && inner != NULL; inner = inner->next) {
            find_lists(once, inner, values, count);
        }
    }
}

// An empty list for each of the values that stand in the slots, before `node`.
static bool begin_lists(Keeper *once, GraphBlock *block, GraphNode *node,
                        uint32_t slots)
{
    Graph *graph = once->graph;
    bool ok = true;
    for (uint32_t i = 0; ok && i < slots; i++) {
        ValueId value = once->now[i];
        TensorType type = value == VALUE_ID_NONE
                              ? (TensorType){DT_INT32, 0, NULL}
                              : graph_type(graph, value);
        once->now[i] = put_made(once, block, node,
                                back_new_list(graph, block, type, node->place));
        ok = once->now[i] != VALUE_ID_NONE;
    }
    return ok;
}

// By value, whether it is asked for: to be marked.
static bool begin_used(Keeper *once, Graph *graph)
{
    once->graph = graph;
    once->used_size = graph->values.count + 1;
    once->used = ctx_alloc_zero(graph->ctx, once->used_size);
    return once->used != NULL;
}

static bool keep_node(Keeper *once, GraphNode *old, GraphNode **node,
                      IdVec *lists)
{
    Graph *graph = once->graph;
    for (int b = 0; b < OP_MAX_BLOCKS && old->blocks[b] != NULL; b++) {
        back_mark_used(graph, old->blocks[b], once->used);
    }
    uint32_t slots = back_own_lists(once->used, old) + slots_within(once, old),
             found = 0;
    if (!once_init(once, slots)) {
        return false;
    }
    find_lists(once, old, once->now, &found);
    bool ok = begin_lists(once, old->block, old, slots) &&
              pass_flow(once, old, VALUE_ID_NONE, node);
    for (uint32_t i = 0; ok && i < slots; i++) {
        ok = vec_push(graph->ctx, lists, once->now[i]);
    }
    for (int b = 0; b < OP_MAX_BLOCKS && old->blocks[b] != NULL; b++) {
        stand_in(once, old->blocks[b]);
    }
    return ok;
}

bool graph_keep_node(Graph *graph, GraphNode **node, IdVec *lists)
{
    Keeper once = {0};
    bool ok = begin_used(&once, graph) && keep_node(&once, *node, node, lists);
    once_free(&once);
    return ok;
}

static bool keep_all(Keeper *once)
{
    Graph *graph = once->graph;
    GraphBlock *block = graph->block;
    back_mark_used(graph, block, once->used);
    uint32_t slots = slots_of(once, block), found = 0;
    if (!once_init(once, slots)) {
        return false;
    }
    GraphNode *first = block->first;
    for (GraphNode *node = first; node != NULL; node = node->next) {
        find_lists(once, node, once->now, &found);
    }
    bool ok = begin_lists(once, block, first, slots);
    // Not those nodes, which act on nothing.
    KeptFlow whole = {.count = slots};
    ok = ok && pass_block(once, block) && add_results(once, &whole, block, 0);
    stand_in(once, block);
    return ok;
}

bool graph_keep(Graph *graph)
{
    Keeper once = {0};
    bool ok = begin_used(&once, graph) && keep_all(&once);
    once_free(&once);
    return ok;
}

static bool read_all(Keeper *once, const TensorType *types, size_t count)
{
    Graph *graph = once->graph;
    GraphBlock *block = graph->block;
    back_mark_used(graph, block, once->used);
    uint32_t slots = slots_of(once, block);
    if (!once_init(once, slots)) {
        return false;
    }
    once->list = graph->inputs.count;
    ValueId none = put_number(once, block, block->first, 0);
    bool ok = none != VALUE_ID_NONE;
    for (size_t i = 0; ok && i < count; i++) {
        ok = graph_add_input(graph, "kept", types[i]) != VALUE_ID_NONE;
    }
    for (uint32_t i = 0; i < slots; i++) {
        once->now[i] = none;
    }
    ok = ok && pass_block(once, block);
    stand_in(once, block);
    return ok;
}

bool graph_read_kept(Graph *graph, const TensorType *types, size_t count)
{
    Keeper once = {.back = true};
    bool ok = begin_used(&once, graph) && read_all(&once, types, count);
    once_free(&once);
    return ok;
}
