// Order: element-wise ops that can run as one loop come next to each other, the
// reductions in which it ends behind them.
//
// The steps of a block are in waves: a node's is that of the latest that it
// needs, or the next one where the two cannot share a loop. Ops of one wave
// and one shape that hand something on to each other, or read the same tensor,
// are a region. No path leaves a region and comes back, since what it passes
// on the way is of a later wave; so that regions can be taken whole, each
// where its last op stood, or ahead of the first that needs it. An op whose
// users are all in one later region goes there if no more memory is held for
// it meanwhile.
//
// Effects, and what may fail, keep their order; a node with blocks keeps all
// before it before it. The rest depends on what it reads alone.
#include "graph/passes/pass.h"

#include <string.h>

#include "graph/versions.h"
#include "graph/walk.h"
#include "ops/reduce.h"

#define NOWHERE UINT32_MAX
#define UNKNOWN_BYTES ((uint64_t)1 << 48) // more than anything has

// What is known of a node, by its place in the stretch of the block that is
// being ordered.
typedef struct OrderItem {
    GraphNode *node;
    uint64_t space;       // the shape of its loop, hashed; 0: it is none
    uint64_t gives;       // the same for who takes its result; 0: a reduction,
                          // whose result is there when the loop has ended
    uint32_t wave;        // 0: a constant
    uint32_t region;      // the way to the item that stands for its region
    uint32_t before;      // the effect that it comes after
    uint32_t readers;     // of what it changes: the first, see next_reader
    uint32_t next_reader; // of the same Variable, an earlier one
    uint32_t users, foremost, last; // how many, and their waves
    uint32_t end;                   // the place of the last of them
    bool alike;                     // they all share its space
    bool anchored;                  // it keeps its place among effects
    bool reads;                     // a Variable
    // Of a region, at the item that stands for it.
    uint32_t key;    // where it goes
    uint32_t member; // its first
    // Lists.
    uint32_t next_member, next_region;
} OrderItem;

typedef struct Order {
    Graph *graph;
    const Versions *versions; // NULL: there are no Variables
    OrderItem *items;
    uint32_t count;
    uint32_t *uses;        // by value: how many there are in all the graph
    uint32_t *readers;     // by value: the serial of a node of a region, + 1
    uint32_t *heads;       // of lists by wave or key
    GraphNode **writers;   // by chain: who changed it last
    GraphNode **borrowers; // by chain: who has read it since
    size_t size;           // bytes of them all
} Order;

// The node's place; NOWHERE if it is not in the stretch.
static uint32_t place_of(const Order *order, const GraphNode *node)
{
    bool found = node != NULL && node->mark < order->count &&
                 order->items[node->mark].node == node;
    return found ? node->mark : NOWHERE;
}

static uint32_t maker_of(const Order *order, ValueId value)
{
    return place_of(order, graph_value(order->graph, value)->node);
}

// Equal shapes have equal numbers; that others might is of no harm, since
// whoever makes loops looks at the shapes.
static uint64_t space_of(TensorType type)
{
    uint64_t hash = 0x9E3779B97F4A7C15u;
    if (type.dtype == DT_STRING || !shape_is_static(type.rank, type.dims)) {
        return 0;
    }
    for (int i = 0; i < type.rank; i++) {
        hash = (hash ^ (uint64_t)type.dims[i]) * 0xC2B2AE3D27D4EB4Fu;
        hash ^= hash >> 31;
    }
    return hash | 1;
}

static uint64_t bytes_of(TensorType type)
{
    uint64_t bytes = dtype_size(type.dtype);
    if (!shape_is_static(type.rank, type.dims)) {
        return UNKNOWN_BYTES;
    }
    for (int i = 0; i < type.rank; i++) {
        bytes *= (uint64_t)type.dims[i];
    }
    return bytes;
}

// ---- the stretch

// What keeps its place among effects: it is one, or may fail; of lists, that
// they are changed in place, which wants the others to be done with them.
static bool is_anchored(Graph *graph, const GraphNode *node)
{
    return graph_has_effects(node) ||
           (node_desc(node)->flags & OP_LISTS) != 0 ||
           !graph_stays_total(graph, node);
}

// A read of a Variable comes after the last change of it, and before the next.
static void add_uses(Order *order, uint32_t i)
{
    OrderItem *item = &order->items[i];
    uint32_t count;
    const VersionUse *uses = versions_of(order->versions, item->node, &count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t chain = uses[k].chain;
        uint32_t head = place_of(order, order->borrowers[chain]);
        if (uses[k].before == uses[k].after) {
            // An assignment borrows control, as all effects do.
            if (chain >= RES_VARIABLE &&
                node_desc(item->node)->payload == PAYLOAD_RESOURCE) {
                item->before = place_of(order, order->writers[chain]);
                item->next_reader = head;
                item->key = item->before == NOWHERE ? 0 : item->before;
                item->reads = true;
                order->borrowers[chain] = item->node;
            }
            continue;
        }
        order->borrowers[chain] = NULL;
        order->writers[chain] = item->node;
        while (head != NOWHERE) {
            uint32_t next = order->items[head].next_reader;
            order->items[head].next_reader = item->readers;
            item->readers = head;
            head = next;
        }
    }
}

// The space of the loop that the node is, or ends.
static uint64_t loop_of(const Graph *graph, const GraphNode *node,
                        uint64_t *gives)
{
    ReduceEnd end;
    *gives = 0;
    if ((node_desc(node)->flags & OP_ELEMENTWISE) != 0) {
        *gives = space_of(graph_type(graph, node->first_output));
        return *gives;
    }
    return node_desc(node)->ends != 0 &&
                   reduce_end(graph->ctx, node_desc(node), node->attrs,
                              graph_type(graph, node->inputs[0]), &end)
               ? space_of(graph_type(graph, node->inputs[0]))
               : 0;
}

static void add_item(Order *order, GraphNode *node, uint32_t *effect)
{
    uint32_t i = order->count++;
    uint64_t gives;
    uint64_t space = loop_of(order->graph, node, &gives);
    order->items[i] = (OrderItem){.node = node,
                                  .space = space,
                                  .gives = gives,
                                  .region = i,
                                  .before = NOWHERE,
                                  .readers = NOWHERE,
                                  .next_reader = NOWHERE,
                                  .foremost = NOWHERE,
                                  .alike = true,
                                  .key = i,
                                  .member = NOWHERE,
                                  .next_region = NOWHERE};
    node->mark = i;
    if (is_anchored(order->graph, node)) {
        order->items[i].anchored = true;
        order->items[i].before = *effect;
        *effect = i;
    }
    if (order->versions != NULL) {
        add_uses(order, i);
    }
}

// ---- waves

// The least wave of a node that needs the item `from`.
static uint32_t wave_after(const Order *order, uint32_t from, uint64_t space)
{
    const OrderItem *item = &order->items[from];
    return item->wave + (item->gives == 0 || item->gives != space);
}

// Each in its first wave.
static void find_waves(Order *order)
{
    for (uint32_t i = 0; i < order->count; i++) {
        OrderItem *item = &order->items[i];
        uint32_t wave = node_tensor(item->node) == NULL;
        for (uint32_t k = 0; k <= item->node->input_count; k++) {
            uint32_t from = k < item->node->input_count
                                ? maker_of(order, item->node->inputs[k])
                                : item->before;
            if (from != NOWHERE) {
                uint32_t least = wave_after(order, from, item->space);
                wave = wave < least ? least : wave;
            }
        }
        for (uint32_t r = item->readers; r != NOWHERE;
             r = order->items[r].next_reader) {
            uint32_t least = order->items[r].wave + 1;
            wave = wave < least ? least : wave;
        }
        item->wave = wave;
        for (uint32_t k = 0; k < item->node->input_count; k++) {
            uint32_t from = maker_of(order, item->node->inputs[k]);
            if (from != NOWHERE) {
                order->items[from].end = i;
            }
        }
    }
}

// Whether the operands that would be held for longer take no more than the
// result, which is held for less.
static bool is_spared(const Order *order, const OrderItem *item)
{
    uint64_t more = 0;
    for (uint32_t k = 0; k < item->node->input_count; k++) {
        ValueId value = item->node->inputs[k];
        uint32_t from = maker_of(order, value);
        if (from != NOWHERE && order->items[from].wave > 0 &&
            order->items[from].end < item->end) {
            more += bytes_of(graph_type(order->graph, value));
        }
    }
    uint64_t less =
        bytes_of(graph_type(order->graph, item->node->first_output));
    return more <= (less == UNKNOWN_BYTES ? 0 : less);
}

// What the item reads is held until its users have run.
static void hold(Order *order, const OrderItem *item)
{
    for (uint32_t k = 0; k < item->node->input_count; k++) {
        uint32_t from = maker_of(order, item->node->inputs[k]);
        if (from != NOWHERE && order->items[from].end < item->end) {
            order->items[from].end = item->end;
        }
    }
}

// Whether its users, which are all here, may have it computed later than it
// was: what they need meanwhile is held for longer then.
static bool may_wait(const Order *order, const OrderItem *item)
{
    return item->users > 0 && item->node->output_count == 1 &&
           !item->anchored && !item->reads &&
           item->users == order->uses[item->node->first_output] &&
           is_spared(order, item);
}

// Backwards, so that the waves of a node's users are settled before its own.
static void sink(Order *order)
{
    for (uint32_t i = order->count; i-- > 0;) {
        OrderItem *item = &order->items[i];
        const GraphNode *node = item->node;
        bool joins = item->gives != 0 && item->alike &&
                     item->foremost > item->wave &&
                     item->foremost == item->last;
        if ((joins || item->space == 0) && may_wait(order, item)) {
            item->wave = joins ? item->foremost : item->wave;
            item->key = joins ? item->key : NOWHERE;
            hold(order, item);
        }
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t from = maker_of(order, node->inputs[k]);
            if (from != NOWHERE) {
                OrderItem *maker = &order->items[from];
                maker->users++;
                maker->alike = maker->alike && maker->gives == item->space;
                maker->foremost =
                    maker->foremost < item->wave ? maker->foremost : item->wave;
                maker->last =
                    maker->last < item->wave ? item->wave : maker->last;
            }
        }
    }
}

// ---- regions

static uint32_t region_of(Order *order, uint32_t i)
{
    OrderItem *items = order->items;
    while (items[i].region != i) {
        items[i].region = items[items[i].region].region;
        i = items[i].region;
    }
    return i;
}

// Joins two regions of one wave and space; the later op says where it goes.
static void join(Order *order, uint32_t i, uint32_t with)
{
    OrderItem *items = order->items;
    if (with == NOWHERE || items[i].space != items[with].space ||
        items[i].wave != items[with].wave) {
        return;
    }
    uint32_t a = region_of(order, i), b = region_of(order, with);
    if (items[a].key < items[b].key) {
        items[a].key = items[b].key;
    }
    items[b].region = a;
}

// What hands on to each other, and what reads one tensor of that shape; and
// what may fail, with the one before it: that all ways lead to a later wave
// holds for their order, too.
static void find_regions(Order *order)
{
    Graph *graph = order->graph;
    for (uint32_t i = 0; i < order->count; i++) {
        const OrderItem *item = &order->items[i];
        join(order, i, item->before);
        for (uint32_t k = 0; item->space != 0 && k < item->node->input_count;
             k++) {
            ValueId value = item->node->inputs[k];
            join(order, i, maker_of(order, value));
            if (space_of(graph_type(graph, value)) == item->space) {
                uint32_t reader = order->readers[value];
                join(order, i,
                     reader == 0
                         ? NOWHERE
                         : place_of(order, graph->nodes.items[reader - 1]));
                order->readers[value] = item->node->serial + 1;
            }
        }
    }
}

static void pull(Order *order, uint32_t from, uint32_t key)
{
    if (from != NOWHERE) {
        OrderItem *region = &order->items[region_of(order, from)];
        region->key = region->key < key ? region->key : key;
    }
}

// What a region needs goes no later than it. From the last wave to the first:
// a region's users are of later waves all.
static void find_keys(Order *order, const uint32_t *by_wave)
{
    for (uint32_t n = order->count; n-- > 0;) {
        const OrderItem *item = &order->items[by_wave[n]];
        uint32_t key = order->items[region_of(order, by_wave[n])].key;
        for (uint32_t k = 0; k < item->node->input_count; k++) {
            pull(order, maker_of(order, item->node->inputs[k]), key);
        }
        pull(order, item->before, key);
        for (uint32_t r = item->readers; r != NOWHERE;
             r = order->items[r].next_reader) {
            pull(order, r, key);
        }
    }
}

// All items by wave, in program order within one.
static void sort_waves(Order *order, uint32_t *by_wave)
{
    uint32_t *at = order->heads;
    memset(at, 0, (order->count + 2) * sizeof *at);
    for (uint32_t i = 0; i < order->count; i++) {
        at[order->items[i].wave + 1]++;
    }
    for (uint32_t w = 0; w < order->count; w++) {
        at[w + 1] += at[w];
    }
    for (uint32_t i = 0; i < order->count; i++) {
        by_wave[at[order->items[i].wave]++] = i;
    }
}

// Regions by their keys, those of one key by wave: lists from `heads`, filled
// from the last wave on.
static void list_regions(Order *order, const uint32_t *by_wave)
{
    OrderItem *items = order->items;
    // Those that end a loop come last.
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = order->count; i-- > 0;) {
            bool ends = items[i].space != 0 && items[i].gives == 0;
            if (ends == (pass == 0)) {
                uint32_t region = region_of(order, i);
                items[i].next_member = items[region].member;
                items[region].member = i;
            }
        }
    }
    memset(order->heads, 0xff, (order->count + 2) * sizeof(uint32_t));
    for (uint32_t n = order->count; n-- > 0;) {
        uint32_t i = by_wave[n];
        if (items[i].region == i) {
            items[i].next_region = order->heads[items[i].key];
            order->heads[items[i].key] = i;
        }
    }
}

// Links the nodes anew, between what stands before the stretch and behind it.
static void relink(Order *order, GraphBlock *block, GraphNode *behind)
{
    GraphNode *last = order->items[0].node->previous;
    for (uint32_t key = 0; key < order->count; key++) {
        for (uint32_t r = order->heads[key]; r != NOWHERE;
             r = order->items[r].next_region) {
            for (uint32_t i = order->items[r].member; i != NOWHERE;
                 i = order->items[i].next_member) {
                GraphNode *node = order->items[i].node;
                node->previous = last;
                *(last != NULL ? &last->next : &block->first) = node;
                last = node;
            }
        }
    }
    last->next = behind;
    *(behind != NULL ? &behind->previous : &block->last) = last;
}

// Whether regions stand apart, or a read is not the first: else nothing is to
// be done.
static bool is_scattered(const Order *order)
{
    uint64_t space = 0;
    uint32_t runs = 0, others = 0;
    bool late = false;
    for (uint32_t i = 0; i < order->count; i++) {
        const OrderItem *item = &order->items[i];
        if (node_tensor(item->node) == NULL) {
            runs += item->space != 0 && item->space != space;
            space = item->space;
            others += !item->reads;
            late = late || (item->reads && others > 0);
        }
    }
    return runs > 1 || (runs > 0 && late);
}

static void order_stretch(Order *order, GraphBlock *block, GraphNode *behind)
{
    // The lists of waves are not needed any more when by_wave is.
    uint32_t *by_wave = order->heads + order->graph->nodes.count + 2;
    if (is_scattered(order)) {
        find_waves(order);
        sink(order);
        find_regions(order);
        sort_waves(order, by_wave);
        find_keys(order, by_wave);
        list_regions(order, by_wave);
        relink(order, block, behind);
    }
    order->count = 0;
}

// From one node with blocks, or a call, to the next.
static void order_block(Order *order, GraphBlock *block)
{
    uint32_t effect = NOWHERE;
    for (GraphNode *node = block->first, *next; node != NULL; node = next) {
        next = node->next;
        if (node->blocks[0] != NULL ||
            node_desc(node)->payload == PAYLOAD_CALLEE) {
            order_stretch(order, block, node);
            effect = NOWHERE;
        } else {
            add_item(order, node, &effect);
        }
    }
    order_stretch(order, block, NULL);
}

// ---- the graph

static void count_uses(Order *order)
{
    for (Walk walk = walk_forward(order->graph->block); walk_next(&walk);) {
        uint32_t count;
        const ValueId *values = walk_uses(&walk, &count);
        for (uint32_t i = 0; i < count; i++) {
            order->uses[values[i]]++;
        }
    }
}

// One block of memory, cut up. False: no memory.
static bool order_init(Order *order, size_t chains)
{
    Graph *graph = order->graph;
    size_t nodes = graph->nodes.count, values = graph->values.count;
    order->size = nodes * sizeof(OrderItem) + 2 * chains * sizeof(GraphNode *) +
                  (2 * values + 2 * nodes + 2) * sizeof(uint32_t);
    char *room = ctx_alloc_zero(graph->ctx, order->size);
    if (room == NULL) {
        return false;
    }
    order->items = (OrderItem *)(void *)room;
    order->writers = (GraphNode **)(void *)(order->items + nodes);
    order->borrowers = order->writers + chains;
    order->uses = (uint32_t *)(void *)(order->borrowers + chains);
    order->readers = order->uses + values;
    order->heads = order->readers + values;
    return true;
}

static bool order_all(Graph *graph, const Versions *versions)
{
    Order order = {.graph = graph, .versions = versions};
    if (!order_init(&order, versions != NULL ? versions->chain_count : 0)) {
        return false;
    }
    count_uses(&order);
    for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
        if (walk.node == NULL && !walk.block->diverges) {
            order_block(&order, walk.block);
        }
    }
    ctx_free(graph->ctx, order.items, order.size);
    return true;
}

bool order_run(Graph *graph)
{
    Versions versions;
    if (graph->variables.count == 0) {
        return order_all(graph, NULL);
    }
    bool ok = versions_init(&versions, graph) && order_all(graph, &versions);
    versions_free(&versions);
    return ok;
}
