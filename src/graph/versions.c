// Versions of chains: two walks, one that gathers what is done to which chain,
// from the innermost blocks outwards, and one in program order that numbers.
#include "graph/versions.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(VersionUse) UseVec;

// --- chains

static bool same_known(TensorType type)
{
    return shape_is_static(type.rank, type.dims);
}

// What Variables that may be one cell have in common: the dtype, and the shape
// where all shapes of the dtype are known.
static size_t chain_key(const GraphVariable *variable, bool whole,
                        int64_t key[SHAPE_MAX_RANK + 2])
{
    TensorType type = variable->type;
    key[0] = type.dtype;
    key[1] = whole ? -1 : type.rank;
    for (int i = 0; !whole && i < type.rank; i++) {
        key[i + 2] = type.dims[i];
    }
    return (whole ? 2 : (size_t)type.rank + 2) * sizeof *key;
}

// Variables that are captured are different cells; an argument may be any of
// its type, so that all of a type have one chain where one is an argument.
static bool find_chains(Graph *graph, uint32_t *chains)
{
    const GraphVariable *variables = graph->variables.items;
    bool whole[DT_COUNT] = {false};
    int64_t key[SHAPE_MAX_RANK + 2];
    Map first;
    map_init(&first, graph->ctx);
    bool ok = true;
    for (size_t i = 0; i < graph->variables.count; i++) {
        TensorType type = variables[i].type;
        whole[type.dtype] = whole[type.dtype] || !same_known(type);
    }
    for (size_t i = 0; ok && i < graph->variables.count; i++) {
        size_t size =
            chain_key(&variables[i], whole[variables[i].type.dtype], key);
        ok = !variables[i].argument ||
             map_get(&first, (char *)key, size) != NULL ||
             map_put(&first, (char *)key, size, UINT64_MAX);
    }
    for (size_t i = 0; ok && i < graph->variables.count; i++) {
        size_t size =
            chain_key(&variables[i], whole[variables[i].type.dtype], key);
        uint64_t *shared = map_get(&first, (char *)key, size);
        if (shared != NULL && *shared == UINT64_MAX) {
            *shared = i;
        }
        chains[i] = RES_VARIABLE + (uint32_t)(shared != NULL ? *shared : i);
    }
    map_free(&first);
    return ok;
}

// --- what is done

// While they are gathered, `before` and `after` are 0 and the access.
static bool add_use(Ctx *ctx, UseVec *uses, uint32_t chain, uint32_t access)
{
    VersionUse use = {chain, 0, access};
    return access == ACCESS_NONE || vec_push(ctx, uses, use);
}

static int compare_uses(const void *a, const void *b)
{
    const VersionUse *first = a, *second = b;
    return (first->chain > second->chain) - (first->chain < second->chain);
}

// One use of each chain, the strongest.
static void merge_uses(UseVec *uses, size_t from)
{
    size_t count = uses->count - from, kept = from;
    if (count < 2) {
        return;
    }
    qsort(uses->items + from, count, sizeof *uses->items, compare_uses);
    for (size_t i = from + 1; i < uses->count; i++) {
        VersionUse *last = &uses->items[kept], *use = &uses->items[i];
        if (use->chain != last->chain) {
            uses->items[++kept] = *use;
        } else if (use->after > last->after) {
            last->after = use->after;
        }
    }
    uses->count = kept + 1;
}

// What the op does itself.
static bool gather_own(const Versions *versions, const GraphNode *node,
                       UseVec *uses)
{
    Ctx *ctx = versions->graph->ctx;
    const OpDesc *op = node_desc(node);
    bool ok = true;
    for (uint32_t kind = 0; ok && kind < RES_VARIABLE; kind++) {
        ok = add_use(ctx, uses, kind, op->access[kind]);
    }
    uint32_t access = op->access[RES_VARIABLE];
    if (op->payload == PAYLOAD_RESOURCE) {
        return ok &&
               add_use(ctx, uses, versions->chains[node->variable], access);
    }
    size_t all = access != ACCESS_NONE ? versions->graph->variables.count : 0;
    for (size_t i = 0; ok && i < all; i++) {
        ok = add_use(ctx, uses, versions->chains[i], access);
    }
    return ok;
}

// What the callee does, which it has noted, to the caller's chains.
static bool gather_callee(const Versions *versions, const GraphNode *node,
                          UseVec *uses)
{
    Ctx *ctx = versions->graph->ctx;
    const uint8_t *access = node->callee->access;
    bool ok = true;
    for (uint32_t kind = 0; ok && kind < RES_VARIABLE; kind++) {
        ok = add_use(ctx, uses, kind, access[kind]);
    }
    for (size_t i = 0; ok && i < node->callee->variables.count; i++) {
        ok = add_use(ctx, uses, versions->chains[node->variables[i]],
                     access[RES_VARIABLE + i]);
    }
    return ok;
}

static bool gather_block(Versions *versions, const GraphBlock *block,
                         UseVec *uses);

// Appends what the node does to `uses`; its range and room for its blocks are
// set aside.
static bool gather_node(Versions *versions, const GraphNode *node, UseVec *uses)
{
    Ctx *ctx = versions->graph->ctx;
    const OpDesc *op = node_desc(node);
    size_t from = uses->count;
    bool ok = op->payload == PAYLOAD_CALLEE
                  ? gather_callee(versions, node, uses)
                  : gather_own(versions, node, uses);
    for (int b = 0; ok && b < op->block_count; b++) {
        ok = gather_block(versions, node->blocks[b], uses);
    }
    if (!ok) {
        return false;
    }
    merge_uses(uses, from);
    size_t count = uses->count - from;
    versions->ranges[node->serial].first = (uint32_t)versions->uses.count;
    versions->ranges[node->serial].count = (uint32_t)count;
    size_t all = count * (size_t)(op->block_count + 1);
    if (all == 0) {
        return true;
    }
    if (!vec_reserve(ctx, &versions->uses, all)) {
        return false;
    }
    for (size_t i = 0; i < all; i++) {
        versions->uses.items[versions->uses.count++] =
            uses->items[from + i % count];
    }
    return true;
}

static bool gather_block(Versions *versions, const GraphBlock *block,
                         UseVec *uses)
{
    if (!ctx_enter(versions->graph->ctx)) {
        return false;
    }
    bool ok = true;
    size_t from = uses->count;
    for (const GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        ok = gather_node(versions, node, uses);
    }
    merge_uses(uses, from);
    ctx_leave(versions->graph->ctx);
    return ok;
}

// --- numbers

static void number_block(Versions *versions, const GraphBlock *block);

// The blocks of a node in turn: each begins where its owner stands, but for a
// loop's that change a chain, which begin with a version of their own.
static void number_blocks(Versions *versions, const GraphNode *node,
                          const VersionUse *uses, uint32_t count)
{
    const OpDesc *op = node_desc(node);
    for (int b = 0; b < op->block_count; b++) {
        VersionUse *ends = versions->uses.items +
                           versions->ranges[node->serial].first +
                           (size_t)count * (size_t)(b + 1);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t chain = uses[i].chain;
            bool own = op->blocks[b].params && uses[i].after == ACCESS_CONSUME;
            versions->now[chain] =
                own ? versions->next[chain]++ : uses[i].before;
            ends[i].before = versions->now[chain];
        }
        number_block(versions, node->blocks[b]);
        for (uint32_t i = 0; i < count; i++) {
            ends[i].after = versions->now[uses[i].chain];
        }
    }
}

static void number_block(Versions *versions, const GraphBlock *block)
{
    for (const GraphNode *node = block->first; node != NULL;
         node = node->next) {
        struct VersionRange range = versions->ranges[node->serial];
        VersionUse *uses = versions->uses.items + range.first;
        for (uint32_t i = 0; i < range.count; i++) {
            uses[i].before = versions->now[uses[i].chain];
        }
        if (range.count > 0) {
            number_blocks(versions, node, uses, range.count);
        }
        for (uint32_t i = 0; i < range.count; i++) {
            uint32_t chain = uses[i].chain;
            uses[i].after = uses[i].after == ACCESS_CONSUME
                                ? versions->next[chain]++
                                : uses[i].before;
            versions->now[chain] = uses[i].after;
        }
    }
}

// The depth was counted when the blocks were gathered.
bool versions_init(Versions *versions, Graph *graph)
{
    Ctx *ctx = graph->ctx;
    size_t variables = graph->variables.count;
    *versions = (Versions){.graph = graph,
                           .chain_count = RES_VARIABLE + (uint32_t)variables,
                           .range_count = graph->nodes.count + 1};
    size_t chains = versions->chain_count * sizeof(uint32_t);
    versions->chains = ctx_alloc(ctx, chains);
    versions->next = ctx_alloc(ctx, chains);
    versions->now = ctx_alloc_zero(ctx, chains);
    versions->ranges =
        ctx_alloc_zero(ctx, versions->range_count * sizeof *versions->ranges);
    UseVec uses = {0};
    bool ok = versions->chains != NULL && versions->next != NULL &&
              versions->now != NULL && versions->ranges != NULL &&
              find_chains(graph, versions->chains) &&
              gather_block(versions, graph->block, &uses);
    vec_free(ctx, &uses);
    if (ok) {
        for (uint32_t i = 0; i < versions->chain_count; i++) {
            versions->next[i] = 1;
        }
        number_block(versions, graph->block);
    }
    return ok;
}

void versions_free(Versions *versions)
{
    Ctx *ctx = versions->graph->ctx;
    size_t chains = versions->chain_count * sizeof(uint32_t);
    ctx_free(ctx, versions->chains, chains);
    ctx_free(ctx, versions->next, chains);
    ctx_free(ctx, versions->now, chains);
    ctx_free(ctx, versions->ranges,
             versions->range_count * sizeof *versions->ranges);
    vec_free(ctx, &versions->uses);
}

const VersionUse *versions_of(const Versions *versions, const GraphNode *node,
                              uint32_t *count)
{
    struct VersionRange range = versions->ranges[node->serial];
    *count = range.count;
    return range.count > 0 ? versions->uses.items + range.first : NULL;
}

// With which versions the node's block `b` begins and ends, in step with what
// versions_of gives.
static const VersionUse *of_block(const Versions *versions,
                                  const GraphNode *node, int b)
{
    struct VersionRange range = versions->ranges[node->serial];
    return versions->uses.items + range.first +
           (size_t)range.count * (size_t)(b + 1);
}

// A whole chain counts for each Variable in it.
static void note_block(const Versions *versions, uint8_t *access)
{
    const Graph *graph = versions->graph;
    uint8_t *chains = access + RES_VARIABLE + graph->variables.count;
    for (const GraphNode *node = graph->block->first; node != NULL;
         node = node->next) {
        uint32_t count;
        const VersionUse *uses = versions_of(versions, node, &count);
        for (uint32_t i = 0; i < count; i++) {
            uint8_t own = uses[i].after != uses[i].before ? ACCESS_CONSUME
                                                          : ACCESS_BORROW;
            uint8_t *noted = &chains[uses[i].chain];
            *noted = own > *noted ? own : *noted;
        }
    }
    for (uint32_t kind = 0; kind < RES_VARIABLE; kind++) {
        access[kind] = chains[kind];
    }
    for (size_t i = 0; i < graph->variables.count; i++) {
        access[RES_VARIABLE + i] = chains[versions->chains[i]];
    }
}

bool versions_note(Graph *graph)
{
    // Behind what is noted there is room for a note on each chain.
    size_t count = RES_VARIABLE + graph->variables.count;
    uint8_t *access = arena_alloc(&graph->arena, 2 * count);
    Versions versions;
    bool ok = versions_init(&versions, graph) && access != NULL;
    if (ok) {
        memset(access, ACCESS_NONE, 2 * count);
        note_block(&versions, access);
        graph->access = access;
    }
    versions_free(&versions);
    return ok;
}

// --- in texts

void versions_print(StrBuf *out, uint32_t chain, uint32_t number)
{
    static const char *const names[] = {
        [RES_CONTROL] = "control", [RES_WORLD] = "world", [RES_RNG] = "rng"};
    if (chain < RES_VARIABLE) {
        strbuf_printf(out, "^%s.%u", names[chain], number);
    } else {
        strbuf_printf(out, "^%u.%u", chain - RES_VARIABLE, number);
    }
}

bool versions_next(const Versions *versions, const GraphNode *node, int b,
                   VersionPlace place, uint32_t *at, uint32_t *chain,
                   uint32_t *number)
{
    uint32_t count;
    const VersionUse *uses = versions_of(versions, node, &count);
    bool in_block = place == VERSIONS_BEGIN || place == VERSIONS_END;
    for (; *at < count; ++*at) {
        const VersionUse *use = &uses[*at];
        bool changed = use->before != use->after;
        if (place == VERSIONS_USED ? changed || use->chain != RES_CONTROL
                                   : changed) {
            const VersionUse *ends =
                in_block ? &of_block(versions, node, b)[*at] : use;
            bool after = place == VERSIONS_DEFINED || place == VERSIONS_END;
            *chain = use->chain;
            *number = after ? ends->after : ends->before;
            ++*at;
            return true;
        }
    }
    return false;
}

bool versions_next_last(const Versions *versions, uint32_t *at, uint32_t *chain,
                        uint32_t *number)
{
    while (*at < versions->chain_count && versions->now[*at] == 0) {
        ++*at;
    }
    if (*at == versions->chain_count) {
        return false;
    }
    *chain = *at;
    *number = versions->now[(*at)++];
    return true;
}
