// A walk that lets values stand for others.
//
// Invariant: instead[v] is v, or a value that is nearer to what stands for v in
// the end. A chain grows where a value that stands for others is itself
// replaced later: the result of a call inside an inlined callee.
#include "graph/rewrite.h"

#include <string.h>

// Room for every value that exists now; new ones stand for themselves.
static bool reserve(Rewrite *rewrite)
{
    Graph *graph = rewrite->graph;
    size_t count = graph->values.count, old = rewrite->capacity;
    if (count <= old) {
        return true;
    }
    // Visits make values; room for some of them spares growing at each.
    count += count / 2;
    ValueId *instead =
        ctx_realloc(graph->ctx, rewrite->instead, old * sizeof *instead,
                    count * sizeof *instead);
    if (instead == NULL) {
        return false;
    }
    for (size_t i = old; i < count; i++) {
        instead[i] = (ValueId)i;
    }
    rewrite->instead = instead;
    rewrite->capacity = count;
    return true;
}

// Looked up at once, so that chains stay short.
bool rewrite_value(Rewrite *rewrite, ValueId value, ValueId other)
{
    if (!reserve(rewrite)) {
        return false;
    }
    rewrite->instead[value] = rewrite->instead[other];
    return true;
}

// Follows the chain to its end. Values made after the table was last grown
// stand for themselves.
static ValueId resolve(const Rewrite *rewrite, ValueId value)
{
    while (value < rewrite->capacity && rewrite->instead[value] != value) {
        value = rewrite->instead[value];
    }
    return value;
}

// In place: the arrays are the node's or the block's own.
static void replace(const Rewrite *rewrite, ValueId *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        values[i] = resolve(rewrite, values[i]);
    }
}

static bool walk_block(Rewrite *rewrite, GraphBlock *block);

// Visits one node; *next is the one to go on with.
static bool walk_node(Rewrite *rewrite, GraphNode *node, GraphNode **next)
{
    GraphNode *again = NULL;
    *next = node->next;
    replace(rewrite, node->inputs, node->input_count);
    if (!rewrite->visit(rewrite, node, &again)) {
        return false;
    }
    if (again != NULL) {
        *next = again;
    }
    // A node that the visit took out has no block, and its inner blocks are no
    // concern.
    for (int b = 0; b < NODE_MAX_BLOCKS && node->block != NULL; b++) {
        if (node->blocks[b] != NULL && !walk_block(rewrite, node->blocks[b])) {
            return false;
        }
    }
    return true;
}

// `next` is taken before the visit: the node may be gone after it.
static bool walk_block(Rewrite *rewrite, GraphBlock *block)
{
    if (!ctx_enter(rewrite->graph->ctx)) {
        return false;
    }
    bool ok = true;
    for (GraphNode *node = block->first, *next; ok && node != NULL;
         node = next) {
        ok = walk_node(rewrite, node, &next);
    }
    replace(rewrite, block->results, block->result_count);
    ctx_leave(rewrite->graph->ctx);
    return ok;
}

// The table is freed whether the walk succeeds or not.
bool rewrite_graph(Rewrite *rewrite)
{
    Graph *graph = rewrite->graph;
    bool ok = reserve(rewrite) && walk_block(rewrite, graph->block);
    if (rewrite->instead != NULL) {
        ctx_free(graph->ctx, rewrite->instead,
                 rewrite->capacity * sizeof *rewrite->instead);
        rewrite->instead = NULL;
    }
    return ok;
}
