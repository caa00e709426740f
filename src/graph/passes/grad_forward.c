// The forward part of a gradient: a copy of a graph without Variables.
//
// Calls are inlined. A Variable's value is handed on from assignment to read,
// out of branches and through the turns of loops, as any other value is; what
// is read is the Variable's for the way back (OP_STAND_IN). Effects without
// results are left out, draws of random numbers begin where they did and leave
// the generator as it was.
#include <string.h>

#include "graph/passes/grad_back.h"
#include "graph/passes/pass.h"
#include "graph/walk.h"

typedef struct Forward {
    Clone clone;
    const ValueId *first; // by Variable: its value before the graph runs
    size_t count;         // of Variables
    // By value of the graph that is copied: used not at all, once or more; then
    // by Variable: how often it is read, up to 3.
    uint8_t *uses, *reads;
} Forward;

// Whether nothing but numbers are drawn, which can be drawn again.
bool back_is_draw(const OpDesc *op)
{
    return op_is_random(op) && op->access[RES_WORLD] == ACCESS_NONE;
}

bool graph_draws(const Graph *graph)
{
    return back_draws(graph->block);
}

bool back_draws(GraphBlock *block)
{
    bool any = false;
    for (Walk walk = walk_forward(block); !any && walk_next(&walk);) {
        const GraphNode *node = walk.node;
        any = node != NULL && (back_is_draw(node_desc(node)) ||
                               (node_desc(node)->payload == PAYLOAD_CALLEE &&
                                graph_draws(node->callee)));
    }
    return any;
}

size_t graph_gradient_arguments(const Graph *graph)
{
    return graph->inputs.count + graph->variables.count + graph_draws(graph);
}

// ---- nodes

// An op whose effect is left out, blocks and callees included; NULL: none.
static const char *effect_in(const Graph *graph)
{
    const char *found = NULL;
    for (Walk walk = walk_forward(graph->block);
         found == NULL && walk_next(&walk);) {
        const GraphNode *node = walk.node;
        const OpDesc *op = node != NULL ? node_desc(node) : NULL;
        if (op != NULL && op->payload == PAYLOAD_CALLEE) {
            found = effect_in(node->callee);
        } else if (op != NULL && op->block_count == 0 && op_has_effect(op) &&
                   !back_is_draw(op)) {
            found = op->name;
        }
    }
    return found;
}

// What would happen a second time; what the program's own gradient does besides
// would not happen at all.
static bool check_node(const GraphNode *node, const Graph *graph)
{
    const OpDesc *op = node_desc(node);
    if (node->op == OP_CUSTOM_GRADIENT && node->callee->left_out != NULL) {
        return ctx_fail(graph->ctx, ERR_SYMBOLIC,
                        "%s in the gradient of a custom_gradient in '%s' is "
                        "not done for a gradient that is taken outside of it; "
                        "take the gradient inside of '%s'",
                        node->callee->left_out, graph->name, graph->name);
    }
    if (op->payload == PAYLOAD_CALLEE || back_gives_once(node)) {
        return ctx_fail(graph->ctx, ERR_SYMBOLIC,
                        "%s in '%s' cannot be done again for a gradient that "
                        "is taken outside of it; take the gradient inside of "
                        "'%s'",
                        op->name, graph->name, graph->name);
    }
    return true;
}

// What was assigned, with the way back of the Variable; nothing was: its first
// value. What is used twice is a value of its own, in whose gradient the uses
// meet before those of other reads do, as in eager code; and so is each of more
// than two reads, whose gradients are added in the order of the reads.
static bool copy_read(Forward *f, const GraphNode *node, GraphBlock *to,
                      const ValueId *now)
{
    ValueId old = node_output(node, 0);
    ValueId pair[2] = {now[node->variable], f->first[node->variable]};
    ValueId made = pair[0];
    if (pair[0] != pair[1] || f->uses[old] > 1 ||
        f->reads[node->variable] > 2) {
        made = node_first(graph_append(f->clone.to, to, OP_STAND_IN, pair, 2,
                                       NULL, clone_place(&f->clone, node)));
    }
    f->clone.values[old] = made;
    return made != VALUE_ID_NONE;
}

static bool copy_block(Forward *f, const GraphBlock *from, GraphBlock *to,
                       ValueId *now);

// One of the blocks of a node, with a param and (where it decides nothing) a
// result more for each Variable that they assign.
static GraphBlock *copy_side(Forward *f, const GraphNode *node, int side,
                             GraphBlock *parent, const IdVec *assigned,
                             const ValueId *before)
{
    Graph *to = f->clone.to;
    const GraphBlock *from = node->blocks[side];
    const BlockDesc *desc = &node_desc(node)->blocks[side];
    GraphBlock *block = graph_block_new(to, parent);
    ValueId *now = ctx_alloc(to->ctx, (f->count + 1) * sizeof *now);
    IdVec results = {0};
    bool ok = block != NULL && now != NULL;
    if (ok) {
        memcpy(now, before, f->count * sizeof *now);
    }
    for (uint32_t i = 0; ok && i < from->param_count; i++) {
        const GraphValue *param = graph_value(f->clone.from, from->params[i]);
        ValueId made = graph_block_param(to, block, param->name, param->type);
        f->clone.values[from->params[i]] = made;
        ok = made != VALUE_ID_NONE;
    }
    for (size_t i = 0; ok && desc->params && i < assigned->count; i++) {
        ValueId variable = assigned->items[i];
        now[variable] = graph_block_param(to, block, NULL,
                                          graph_type(to, f->first[variable]));
        ok = now[variable] != VALUE_ID_NONE;
    }
    ok = ok && copy_block(f, from, block, now);
    for (uint32_t i = 0; ok && i < from->result_count; i++) {
        ok = vec_push(to->ctx, &results, f->clone.values[from->results[i]]);
    }
    for (size_t i = 0; ok && !desc->decides && i < assigned->count; i++) {
        ok = vec_push(to->ctx, &results, now[assigned->items[i]]);
    }
    if (ok && from->diverges) {
        graph_block_diverges(block);
    } else {
        ok = ok && graph_block_results(to, block, results.items,
                                       (uint32_t)results.count);
    }
    vec_free(to->ctx, &results);
    ctx_free(to->ctx, now, (f->count + 1) * sizeof *now);
    return ok ? block : NULL;
}

// The Variables that a node's blocks assign, each once. A condition's would
// have to come out of it, which gives a bool alone.
static bool find_assigned(Forward *f, const GraphNode *node, IdVec *assigned)
{
    Ctx *ctx = f->clone.to->ctx;
    for (int b = 0; b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        for (Walk walk = walk_forward(node->blocks[b]); walk_next(&walk);) {
            if (walk.node == NULL ||
                node_desc(walk.node)->payload != PAYLOAD_RESOURCE ||
                walk.node->output_count > 0) {
                continue;
            }
            uint32_t variable = walk.node->variable;
            bool known = false;
            if (node_desc(node)->blocks[b].decides) {
                const Graph *from = f->clone.from;
                return ctx_fail(ctx, ERR_SYMBOLIC,
                                "'%s' assigns Variable '%s' in the condition "
                                "of a loop; a gradient that goes through it "
                                "must be taken inside of '%s'",
                                from->name,
                                from->variables.items[variable].name,
                                from->name);
            }
            for (size_t i = 0; !known && i < assigned->count; i++) {
                known = assigned->items[i] == variable;
            }
            if (!known && !vec_push(ctx, assigned, variable)) {
                return false;
            }
        }
    }
    return true;
}

// Whether nothing of a node with blocks is of use for a gradient: it gives no
// value, leaves none in a Variable, and draws no numbers.
static bool is_idle(const GraphNode *node, const IdVec *assigned)
{
    bool idle = node->output_count == 0 && assigned->count == 0;
    for (int b = 0; idle && b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        idle = !back_draws(node->blocks[b]);
    }
    return idle;
}

// A node with blocks. Types are taken over, as clone_node does it.
static bool copy_flow(Forward *f, const GraphNode *node, GraphBlock *to,
                      ValueId *now)
{
    Graph *graph = f->clone.to;
    const OpDesc *op = node_desc(node);
    GraphBlock *blocks[OP_MAX_BLOCKS] = {NULL};
    IdVec assigned = {0}, inputs = {0};
    bool ok = find_assigned(f, node, &assigned);
    if (ok && is_idle(node, &assigned)) {
        return true;
    }
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ok = vec_push(graph->ctx, &inputs, f->clone.values[node->inputs[i]]);
    }
    for (size_t i = 0; ok && op_is_loop(op) && i < assigned.count; i++) {
        ok = vec_push(graph->ctx, &inputs, now[assigned.items[i]]);
    }
    for (int b = 0; ok && b < op->block_count; b++) {
        blocks[b] = copy_side(f, node, b, to, &assigned, now);
        ok = blocks[b] != NULL;
    }
    GraphNode *made =
        ok ? graph_append_blocks(graph, to, node->op, inputs.items,
                                 (uint32_t)inputs.count, blocks,
                                 clone_place(&f->clone, node))
           : NULL;
    ok = made != NULL;
    for (uint32_t i = 0; ok && i < made->output_count; i++) {
        ValueId value = node_output(made, i);
        if (i < node->output_count) {
            ValueId old = node_output(node, i);
            f->clone.values[old] = value;
            ok = build_set_type(graph, value, graph_type(f->clone.from, old));
        } else {
            now[assigned.items[i - node->output_count]] = value;
        }
    }
    vec_free(graph->ctx, &assigned);
    vec_free(graph->ctx, &inputs);
    return ok;
}

// What the Variable holds behind a write: what was assigned, or what it held
// with rows added.
static ValueId copy_write(Forward *f, const GraphNode *node, GraphBlock *to,
                          const ValueId *now)
{
    static const AttrValue last[OP_MAX_ATTRS] = {
        {.kind = ATTR_INT, .integer = -1}};
    ValueId first = f->clone.values[node->inputs[0]];
    if (node->op == OP_ASSIGN_VARIABLE) {
        return first;
    }
    GraphPlace place = clone_place(&f->clone, node);
    Graph *graph = f->clone.to;
    ValueId inputs[3] = {now[node->variable],
                         node_first(graph_append(graph, to, OP_EXPAND_DIMS,
                                                 &first, 1, last, place)),
                         f->clone.values[node->inputs[1]]};
    return inputs[1] == VALUE_ID_NONE
               ? VALUE_ID_NONE
               : node_first(graph_append(graph, to, OP_SCATTER_ADD, inputs, 3,
                                         NULL, place));
}

static bool copy_node(Forward *f, const GraphBlock *from, const GraphNode *node,
                      GraphBlock *to, ValueId *now)
{
    const OpDesc *op = node_desc(node);
    if (op->payload == PAYLOAD_RESOURCE) {
        if (node->output_count > 0) {
            return copy_read(f, node, to, now);
        }
        now[node->variable] = copy_write(f, node, to, now);
        return now[node->variable] != VALUE_ID_NONE;
    }
    if (node->blocks[0] != NULL) {
        return copy_flow(f, node, to, now);
    }
    if (op_has_effect(op) && node->output_count == 0 && !from->diverges) {
        return true;
    }
    return check_node(node, f->clone.from) && clone_node(&f->clone, node, to);
}

// The block's nodes at the end of `to`; now[i] is what Variable i holds, before
// and then behind them.
static bool copy_block(Forward *f, const GraphBlock *from, GraphBlock *to,
                       ValueId *now)
{
    if (!ctx_enter(f->clone.to->ctx)) {
        return false;
    }
    bool ok = true;
    for (const GraphNode *node = from->first; ok && node != NULL;
         node = node->next) {
        ok = copy_node(f, from, node, to, now);
    }
    ctx_leave(f->clone.to->ctx);
    return ok;
}

// ---- the whole

// Sets the generator, and gives what it was before in *state.
static bool set_generator(Graph *to, ValueId *state)
{
    GraphNode *node = graph_append(to, to->block, OP_RNG_STATE, state, 1, NULL,
                                   GRAPH_PLACE_NONE);
    if (node == NULL) {
        return false;
    }
    *state = node_output(node, 0);
    return true;
}

// Inputs and their captures, then the Variables, then the generator.
static bool add_inputs(Forward *f, size_t own, ValueId *inputs)
{
    static const int64_t two = 2;
    Graph *from = f->clone.from, *to = f->clone.to;
    ValueId *first = inputs + own;
    bool ok = true;
    for (size_t i = 0; ok && i < own; i++) {
        ok = back_map_inputs(&f->clone, &from->inputs.items[i].value, 1);
        inputs[i] =
            ok ? f->clone.values[from->inputs.items[i].value] : VALUE_ID_NONE;
    }
    for (size_t i = 0; ok && i < f->count; i++) {
        const GraphVariable *variable = &from->variables.items[i];
        first[i] = graph_add_input(to, variable->name, variable->type);
        ok = first[i] != VALUE_ID_NONE;
    }
    f->first = first;
    if (ok && graph_draws(from)) {
        first[f->count] =
            graph_add_input(to, "generator", (TensorType){DT_INT64, 1, &two});
        ok = first[f->count] != VALUE_ID_NONE;
    }
    // What inlined callees had captured.
    for (size_t i = own; ok && i < from->inputs.count; i++) {
        const GraphInput *input = &from->inputs.items[i];
        ValueId made = graph_add_capture(to, input->name, input->capture);
        f->clone.values[input->value] = made;
        ok = made != VALUE_ID_NONE;
    }
    return ok;
}

static bool copy_all(Forward *f, size_t own, ValueId *inputs)
{
    Graph *from = f->clone.from, *to = f->clone.to;
    ValueId state = VALUE_ID_NONE;
    size_t size = (f->count + 1) * sizeof(ValueId);
    ValueId *now = ctx_alloc(to->ctx, size);
    IdVec results = {0};
    bool again = graph_draws(from);
    bool ok = now != NULL && add_inputs(f, own, inputs);
    if (ok) {
        memcpy(now, f->first, f->count * sizeof *now);
    }
    if (ok && again) {
        state = f->first[f->count];
        ok = set_generator(to, &state);
    }
    ok = ok && copy_block(f, from->block, to->block, now) &&
         (!again || set_generator(to, &state));
    for (uint32_t i = 0; ok && i < from->block->result_count; i++) {
        ok = vec_push(to->ctx, &results,
                      f->clone.values[from->block->results[i]]);
    }
    ok = ok && graph_block_results(to, to->block, results.items,
                                   (uint32_t)results.count);
    vec_free(to->ctx, &results);
    ctx_free(to->ctx, now, size);
    return ok;
}

static size_t size_of_counts(const Graph *graph)
{
    return graph->values.count + graph->variables.count + 1;
}

// False: no memory.
static bool count_uses(Forward *f, Graph *graph)
{
    f->uses = ctx_alloc_zero(graph->ctx, size_of_counts(graph));
    if (f->uses == NULL) {
        return false;
    }
    f->reads = f->uses + graph->values.count;
    for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
        uint32_t count;
        const ValueId *uses = walk_uses(&walk, &count);
        for (uint32_t i = 0; i < count; i++) {
            f->uses[uses[i]] += f->uses[uses[i]] < 2;
        }
        if (walk.node != NULL && walk.node->op == OP_READ_VARIABLE) {
            uint8_t *reads = &f->reads[walk.node->variable];
            *reads += *reads < 3;
        }
    }
    return true;
}

bool back_copy_forward(Graph *graph, Graph *to, ValueId *inputs)
{
    Graph *from =
        graph->callees.count > 0 ? clone_graph(graph) : graph_retain(graph);
    Forward f = {.count = graph->variables.count};
    bool ok = from != NULL && inline_run(from) && count_uses(&f, from) &&
              clone_init(&f.clone, from, to, 0) &&
              copy_all(&f, graph->inputs.count, inputs);
    // A list that is made twice would go back twice, once for each of its
    // elements. Tensors stay: a sum of gradients has the terms of eager code.
    ok = ok && cse_run_lists(to) && dce_run(to);
    if (f.clone.to != NULL) {
        clone_free(&f.clone);
    }
    if (f.uses != NULL) {
        ctx_free(graph->ctx, f.uses, size_of_counts(from));
    }
    graph_release(graph->ctx, from);
    return ok;
}

Graph *graph_of_values(Graph *graph)
{
    Ctx *ctx = graph->ctx;
    size_t size = (graph_gradient_arguments(graph) + 1) * sizeof(ValueId);
    Graph *to = graph_new(ctx, graph->name);
    ValueId *inputs = ctx_alloc(ctx, size);
    bool ok =
        to != NULL && inputs != NULL && back_copy_forward(graph, to, inputs);
    ctx_free(ctx, inputs, size);
    if (ok) {
        to->left_out = effect_in(graph);
    }
    if (!ok && to != NULL) {
        graph_release(ctx, to);
        to = NULL;
    }
    return to;
}
