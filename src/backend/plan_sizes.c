// Plans for sizes that a graph leaves open.
//
// Without known sizes nothing is fused: the ops run one by one. Sizes that are
// met again get a plan of their own, of a copy of the graph in which they are
// known; a few are kept, and a function whose sizes never stay is left alone.
#include <string.h>

#include "backend/step.h"
#include "graph/clone.h"
#include "graph/passes/pass.h"

enum {
    SIZED_KEPT = 4,
    SIZED_MADE = 32, // in all: then what there is must do
    SIZED_KEY = 64   // ranks and sizes, altogether
};

// The open arguments' ranks, each with its sizes behind it.
typedef struct SizedKey {
    uint32_t count;
    int64_t items[SIZED_KEY];
} SizedKey;

typedef struct SizedPlan {
    SizedKey key;
    Plan *plan;      // NULL: not yet, or it cannot be
    uint64_t used;   // when
    uint32_t misses; // runs without a plan
} SizedPlan;

struct SizedPlans {
    uint64_t now;
    uint32_t made, count, open_count;
    uint8_t open[SIZED_KEY]; // arguments, by number
    SizedPlan entries[SIZED_KEPT];
};

// False: there are too many.
static bool find_key(const SizedPlans *sized, Tensor *const *inputs,
                     SizedKey *key)
{
    key->count = 0;
    for (uint32_t i = 0; i < sized->open_count; i++) {
        const Tensor *tensor = inputs[sized->open[i]];
        uint32_t rank = (uint32_t)tensor->rank;
        if (key->count + rank + 1 > SIZED_KEY) {
            return false;
        }
        key->items[key->count++] = rank;
        memcpy(key->items + key->count, tensor_dims(tensor),
               rank * sizeof key->items[0]);
        key->count += rank;
    }
    return true;
}

static bool same_key(const SizedKey *a, const SizedKey *b)
{
    return a->count == b->count &&
           memcmp(a->items, b->items, a->count * sizeof a->items[0]) == 0;
}

// The graph's copy for the sizes. Types come from constants, too, and these
// from types: a second look finds what the first has left.
static bool set_sizes(Graph *graph, Tensor *const *inputs,
                      const PlanOptions *options)
{
    uint32_t given = 0;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        const GraphInput *input = &graph->inputs.items[i];
        TensorType type = graph_type(graph, input->value);
        if (input->kind != INPUT_ARGUMENT) {
            continue;
        }
        if (!dtype_is_list(type.dtype) &&
            !build_set_type(graph, input->value, tensor_type(inputs[given]))) {
            return false;
        }
        given++;
    }
    return graph_infer_exactly(graph) &&
           pass_run(graph, options->passes & 1u << PASS_FOLD, options->check) &&
           graph_infer_exactly(graph);
}

// NULL where these sizes cannot be, which the run will tell, or there is no
// memory, of which the run needs less.
static Plan *make_plan(Ctx *ctx, const Plan *plan, Tensor *const *inputs)
{
    Graph *graph = clone_graph(plan->graph);
    Plan *made = NULL;
    if (graph != NULL && set_sizes(graph, inputs, &plan->options)) {
        made = plan_build(ctx, graph, &plan->options);
    }
    graph_release(ctx, graph);
    bool stopped = made == NULL && ctx->error.kind == ERR_INTERRUPT;
    if (made == NULL) {
        ctx_clear(ctx);
    }
    // Ctrl-C is heard by the run.
    if (stopped) {
        ctx_interrupt(ctx, INTERRUPT_SIGNAL);
    }
    return made;
}

// The entry of these sizes: a new one may take the place of the one that has
// not been used for longest.
static SizedPlan *find_entry(Ctx *ctx, SizedPlans *sized, const SizedKey *key)
{
    SizedPlan *oldest = sized->entries;
    for (uint32_t i = 0; i < sized->count; i++) {
        SizedPlan *entry = &sized->entries[i];
        if (same_key(&entry->key, key)) {
            return entry;
        }
        oldest = entry->used < oldest->used ? entry : oldest;
    }
    if (sized->count < SIZED_KEPT) {
        oldest = &sized->entries[sized->count++];
    } else if (sized->made == SIZED_MADE) {
        return NULL;
    }
    plan_release(ctx, oldest->plan);
    oldest->plan = NULL;
    oldest->misses = 0;
    oldest->key.count = key->count;
    memcpy(oldest->key.items, key->items, key->count * sizeof key->items[0]);
    return oldest;
}

Plan *plan_sized(Ctx *ctx, Plan *plan, Tensor *const *inputs)
{
    SizedPlans *sized = plan->sized;
    SizedKey key;
    if (plan->profile != NULL || !find_key(sized, inputs, &key)) {
        return plan;
    }
    SizedPlan *entry = find_entry(ctx, sized, &key);
    if (entry == NULL) {
        return plan;
    }
    entry->used = ++sized->now;
    if (entry->plan == NULL && ++entry->misses == 2 &&
        sized->made < SIZED_MADE) {
        sized->made++;
        entry->plan = make_plan(ctx, plan, inputs);
    }
    return entry->plan != NULL ? entry->plan : plan;
}

bool plan_sizes(Ctx *ctx, Plan *plan)
{
    SizedPlans found = {.open_count = 0};
    uint32_t given = 0;
    for (size_t i = 0; i < plan->graph->inputs.count; i++) {
        const GraphInput *input = &plan->graph->inputs.items[i];
        TensorType type = graph_type(plan->graph, input->value);
        if (input->kind != INPUT_ARGUMENT) {
            continue;
        }
        if (!dtype_is_list(type.dtype) &&
            !shape_is_static(type.rank, type.dims)) {
            if (found.open_count == SIZED_KEY || given > UINT8_MAX) {
                return true;
            }
            found.open[found.open_count++] = (uint8_t)given;
        }
        given++;
    }
    if (found.open_count == 0 || !plan->options.fuse) {
        return true;
    }
    plan->sized = ctx_alloc(ctx, sizeof found);
    if (plan->sized != NULL) {
        *plan->sized = found;
    }
    return plan->sized != NULL;
}

void plan_sizes_free(Ctx *ctx, Plan *plan)
{
    if (plan->sized == NULL) {
        return;
    }
    for (uint32_t i = 0; i < plan->sized->count; i++) {
        plan_release(ctx, plan->sized->entries[i].plan);
    }
    ctx_free(ctx, plan->sized, sizeof *plan->sized);
}
