// Letting values stand for others during a walk.
//
// Invariant: instead[v] is v, or a value that is nearer to what stands for v in
// the end. A chain grows where a value that stands for others is itself
// replaced later: the result of a call inside an inlined callee.
#include "graph/rewrite.h"

// Room for every value that exists now; new ones stand for themselves.
static bool reserve(Rewrite *rewrite)
{
    Graph *graph = rewrite->graph;
    size_t count = graph->values.count, old = rewrite->capacity;
    if (count <= old) {
        return true;
    }
    // Passes make values; room for some of them spares growing at each.
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
ValueId rewrite_now(const Rewrite *rewrite, ValueId value)
{
    while (value < rewrite->capacity && rewrite->instead[value] != value) {
        value = rewrite->instead[value];
    }
    return value;
}

void rewrite_uses(const Rewrite *rewrite, const Walk *walk)
{
    uint32_t count;
    ValueId *values = walk_uses(walk, &count);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = rewrite_now(rewrite, values[i]);
    }
}

void rewrite_free(Rewrite *rewrite)
{
    ctx_free(rewrite->graph->ctx, rewrite->instead,
             rewrite->capacity * sizeof *rewrite->instead);
}
