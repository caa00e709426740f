// Dead state: loop state that is read for itself alone, and outputs of blocks
// that nobody reads. The node is made anew without them.
//
// Values are what is asked, not nodes: what an output needs is its own state,
// or what each side gives for it. State that only dead state reads is dead, and
// so is what computes it; both go here, since what is left would name them.
// Effects stay, and what may fail, with all that they read.
#include "graph/passes/pass.h"

#include "graph/needed.h"
#include "graph/rewrite.h"
#include "graph/safe.h"

// Marks of nodes. Of those that run as the graph stands, some need not.
enum { MARK_IDLE, MARK_RUNS, MARK_NEEDED };

// A value enters `waiting` once, when it is first found to be needed.
typedef struct Needs {
    Graph *graph;
    bool *needed; // by value
    ValueId *waiting;
    uint32_t count;
    size_t values;
} Needs;

static void need(Needs *needs, ValueId value)
{
    if (!needs->needed[value]) {
        needs->needed[value] = true;
        needs->waiting[needs->count++] = value;
    }
}

static void need_all(Needs *needs, const ValueId *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        need(needs, values[i]);
    }
}

// The node runs: it needs its inputs, or what says which of its blocks do.
static void need_inputs(Needs *needs, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    if (!op_is_loop(op)) {
        need_all(needs, node->inputs, node->input_count);
    }
    for (int b = 0; b < op->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        if (op->blocks[b].decides) {
            need_all(needs, block->results, block->result_count);
        }
    }
}

// So do those around it.
static void need_node(Needs *needs, GraphNode *node)
{
    while (node != NULL && node->mark != MARK_NEEDED) {
        node->mark = MARK_NEEDED;
        need_inputs(needs, node);
        node = node->block->owner;
    }
}

// Output `i` of a node with blocks is what they give for it; state needs what
// enters, too.
static void need_output(Needs *needs, const GraphNode *node, uint32_t i)
{
    const OpDesc *op = node_desc(node);
    for (int b = 0; b < op->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        if (!op->blocks[b].decides && !block->diverges) {
            need(needs, block->results[i]);
        }
    }
    if (op_is_loop(op)) {
        need(needs, node->inputs[i]);
    }
}

static void follow(Needs *needs, ValueId id)
{
    const GraphValue *value = graph_value(needs->graph, id);
    GraphNode *owner = value->block->owner;
    if (value->node != NULL) {
        need_node(needs, value->node);
        need_output(needs, value->node, value->index);
    } else if (owner != NULL) {
        // State that a block reads: as if it were read behind the loop.
        need(needs, node_output(owner, value->index));
    }
}

// Whether what output `i` is made of may fail: it then has to have a reader.
static bool may_fail(const Safe *safe, const GraphNode *node, uint32_t i)
{
    const OpDesc *op = node_desc(node);
    bool fails = op_is_loop(op) && !safe_value(safe, node->inputs[i]);
    for (int b = 0; b < op->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        fails = fails || (!op->blocks[b].decides && !block->diverges &&
                          !safe_value(safe, block->results[i]));
    }
    return fails;
}

// What a node needs that runs as the graph stands, whoever reads it.
static void need_always(Needs *needs, const Safe *safe, GraphNode *node)
{
    if (graph_has_effects(node)) {
        need_node(needs, node);
    }
    for (uint32_t i = 0; node->blocks[0] != NULL && i < node->output_count;
         i++) {
        if (may_fail(safe, node, i)) {
            need(needs, node_output(node, i));
        }
    }
}

// Marks the nodes and values that results, effects and errors need.
static bool find_needed(Needs *needs, Safe *safe)
{
    Graph *graph = needs->graph;
    if (!safe_init(safe, graph) || !graph_mark_needed(graph)) {
        return false;
    }
    need_all(needs, graph->block->results, graph->block->result_count);
    for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
        if (walk.node != NULL && walk.node->mark != MARK_IDLE) {
            need_always(needs, safe, walk.node);
        }
    }
    while (needs->count > 0) {
        follow(needs, needs->waiting[--needs->count]);
    }
    return true;
}

static bool output_needed(const Needs *needs, const GraphNode *node, uint32_t i)
{
    return needs->needed[node_output(node, i)];
}

// Closes the gaps in values that go with the node's outputs.
static uint32_t keep_needed(const Needs *needs, const GraphNode *node,
                            ValueId *values, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (output_needed(needs, node, i)) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static void narrow_block(const Needs *needs, const GraphNode *node, int b)
{
    GraphBlock *block = node->blocks[b];
    block->param_count =
        keep_needed(needs, node, block->params, block->param_count);
    for (uint32_t i = 0; i < block->param_count; i++) {
        needs->graph->values.items[block->params[i]].index = i;
    }
    if (!node_desc(node)->blocks[b].decides) {
        block->result_count =
            keep_needed(needs, node, block->results, block->result_count);
    }
}

// A node with the blocks of the other and its needed outputs, in its place.
static GraphNode *make_narrow(const Needs *needs, GraphNode *node)
{
    Graph *graph = needs->graph;
    bool loop = op_is_loop(node_desc(node));
    TensorType *types =
        arena_new_array(&graph->arena, TensorType, node->output_count);
    GraphNode *made = types == NULL
                          ? NULL
                          : build_node(graph, node->op, node->inputs,
                                       node->input_count, NULL, node->place);
    if (made == NULL) {
        return NULL;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (output_needed(needs, node, i)) {
            types[count++] = graph_type(graph, node_output(node, i));
        }
    }
    if (loop) {
        made->input_count =
            keep_needed(needs, node, made->inputs, made->input_count);
    }
    for (int b = 0; b < node_desc(node)->block_count; b++) {
        made->blocks[b] = node->blocks[b];
    }
    if (!build_finish(graph, node->block, made, types, count)) {
        return NULL;
    }
    build_unlink(graph, made);
    build_link(graph, node->block, made, node);
    return made;
}

// The walk goes on into the new node's blocks.
static bool make_anew(Rewrite *rewrite, const Needs *needs, Walk *walk)
{
    GraphNode *node = walk->node, *made = make_narrow(needs, node);
    bool ok = made != NULL;
    for (uint32_t i = 0, kept = 0; ok && i < node->output_count; i++) {
        if (output_needed(needs, node, i)) {
            ok = rewrite_value(rewrite, node_output(node, i),
                               node_output(made, kept++));
        }
    }
    for (int b = 0; ok && b < node_desc(node)->block_count; b++) {
        narrow_block(needs, node, b);
        node->blocks[b]->owner = made;
    }
    if (ok) {
        made->mark = MARK_NEEDED;
        build_unlink(rewrite->graph, node);
        walk->next = made;
    }
    return ok;
}

static bool has_dead(const Needs *needs, const GraphNode *node)
{
    bool dead = false;
    // Outputs of a node made here are beyond the table, and needed.
    for (uint32_t i = 0;
         node->blocks[0] != NULL && !dead && i < node->output_count &&
         node->first_output < needs->values;
         i++) {
        dead = !output_needed(needs, node, i);
    }
    return dead;
}

// Dead nodes go at once, with their blocks.
static bool sweep(const Needs *needs)
{
    Rewrite rewrite = {.graph = needs->graph};
    bool ok = true;
    for (Walk walk = walk_forward(needs->graph->block);
         ok && walk_next(&walk);) {
        rewrite_uses(&rewrite, &walk);
        if (walk.node != NULL && walk.node->mark != MARK_NEEDED) {
            build_unlink(needs->graph, walk.node);
        } else if (walk.node != NULL && has_dead(needs, walk.node)) {
            ok = make_anew(&rewrite, needs, &walk);
        }
    }
    rewrite_free(&rewrite);
    return ok;
}

// Most graphs have no blocks: what is dead in them is left to dce.
bool narrow_run(Graph *graph)
{
    if (!graph->has_blocks) {
        return true;
    }
    size_t values = graph->values.count;
    size_t size = (values + 1) * (sizeof(ValueId) + sizeof(bool));
    ValueId *room = ctx_alloc_zero(graph->ctx, size);
    if (room == NULL) {
        return false;
    }
    Needs needs = {.graph = graph,
                   .needed = (bool *)(room + values + 1),
                   .waiting = room,
                   .values = values};
    Safe safe = {.graph = graph};
    bool ok = find_needed(&needs, &safe) && sweep(&needs);
    safe_free(&safe);
    ctx_free(graph->ctx, room, size);
    return ok;
}
