// Stages of feeds over tensors: rows, batches, graphs. See feed_stage.h.
#include "backend/feed_stage.h"

#include <string.h>

#include "backend/exec.h"
#include "graph/graph_file.h"
#include "graph/walk.h"

// ---- rows

typedef struct Rows {
    FeedStage head;
    Tensor *tensors[FEED_LEAVES]; // borrowed: the host's, who counts them
    uint32_t tensor_count;
    Tensor *order; // likewise, or NULL
    int64_t at, count;
} Rows;

// Only buffers are counted, which threads may do.
static FeedState rows_next(Ctx *ctx, FeedStage *stage, FeedRow *row)
{
    Rows *rows = (Rows *)stage;
    if (rows->at == rows->count) {
        return FEED_END;
    }
    int64_t index =
        rows->order == NULL ? rows->at : tensor_int_at(rows->order, rows->at);
    rows->at++;
    for (uint32_t i = 0; i < rows->tensor_count; i++) {
        Tensor *from = rows->tensors[i];
        const int64_t *dims = tensor_dims(from);
        int64_t size = dims[0] > 0 ? from->count / dims[0] : 0;
        if (index < 0 || index >= dims[0]) {
            return FEED_BROKEN;
        }
        row->leaves[i] =
            tensor_window(ctx, from, index * size, from->rank - 1, dims + 1);
        if (row->leaves[i] == NULL) {
            return FEED_BROKEN;
        }
        row->count++;
    }
    return FEED_MADE;
}

static void rows_free(Ctx *ctx, FeedStage *stage)
{
    ctx_free(ctx, stage, sizeof(Rows));
}

bool feed_rows(Feed *feed, Tensor *const *tensors, uint32_t count,
               Tensor *order)
{
    if (count == 0 || count > FEED_LEAVES) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        // Strings are counted one by one, which threads may not.
        if (tensors[i]->rank < 1 || tensors[i]->dtype == DT_STRING ||
            dtype_is_list((DType)tensors[i]->dtype)) {
            return false;
        }
    }
    Rows *rows = feed_push(feed, sizeof *rows, rows_next, rows_free);
    if (rows == NULL) {
        return false;
    }
    memcpy(rows->tensors, tensors, count * sizeof *tensors);
    rows->tensor_count = count;
    rows->order = order;
    rows->count = order != NULL ? order->count : tensor_dims(tensors[0])[0];
    return true;
}

// ---- batches

typedef struct Batch {
    FeedStage head;
    int64_t size;
    bool drop_remainder;
} Batch;

// Room for the batch that begins with this row.
static bool begin_batch(Ctx *ctx, const FeedRow *first, int64_t size,
                        FeedRow *batch)
{
    int64_t dims[SHAPE_MAX_RANK + 1] = {size};
    for (uint32_t i = 0; i < first->count; i++) {
        const Tensor *leaf = first->leaves[i];
        if (leaf->rank >= SHAPE_MAX_RANK) {
            return false;
        }
        memcpy(dims + 1, tensor_dims(leaf), (size_t)leaf->rank * sizeof *dims);
        batch->leaves[i] =
            tensor_new(ctx, (DType)leaf->dtype, leaf->rank + 1, dims);
        if (batch->leaves[i] == NULL) {
            return false;
        }
        batch->count++;
    }
    return true;
}

// Whether the leaf is one of the batch's rows.
static bool is_row_of(const Tensor *batch, const Tensor *leaf)
{
    return leaf->dtype == batch->dtype && leaf->rank + 1 == batch->rank &&
           memcmp(tensor_dims(leaf), tensor_dims(batch) + 1,
                  (size_t)leaf->rank * sizeof(int64_t)) == 0;
}

static bool put_row(Ctx *ctx, const FeedRow *row, int64_t at, FeedRow *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const Tensor *leaf = row->leaves[i];
        Tensor *to = batch->leaves[i];
        if (i >= row->count || !is_row_of(to, leaf)) {
            return false;
        }
        if (leaf->dtype != DT_STRING) {
            size_t size = (size_t)leaf->count * dtype_size((DType)leaf->dtype);
            memcpy((char *)to->data + (size_t)at * size, leaf->data, size);
            continue;
        }
        TensorString *const *strings = leaf->data;
        for (int64_t k = 0; k < leaf->count; k++) {
            tensor_share_string(ctx, to, at * leaf->count + k, strings[k]);
        }
    }
    return true;
}

// A batch of fewer rows than there was room for.
static bool cut_batch(Ctx *ctx, FeedRow *batch, int64_t count)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        Tensor *whole = batch->leaves[i];
        int64_t dims[SHAPE_MAX_RANK];
        memcpy(dims, tensor_dims(whole), (size_t)whole->rank * sizeof *dims);
        dims[0] = count;
        Tensor *part = tensor_window(ctx, whole, 0, whole->rank, dims);
        if (part == NULL) {
            return false;
        }
        object_release(ctx, whole);
        batch->leaves[i] = part;
    }
    return true;
}

static FeedState batch_next(Ctx *ctx, FeedStage *stage, FeedRow *row)
{
    const Batch *self = (const Batch *)stage;
    int64_t count = 0;
    for (; count < self->size && !feed_stopped(ctx); count++) {
        FeedRow below = {.count = 0};
        FeedState state = stage->below->next(ctx, stage->below, &below);
        if (state == FEED_END) {
            feed_row_drop(ctx, &below);
            break;
        }
        bool ok = state == FEED_MADE &&
                  (count > 0 || begin_batch(ctx, &below, self->size, row)) &&
                  put_row(ctx, &below, count, row);
        feed_row_drop(ctx, &below);
        if (!ok) {
            return FEED_BROKEN;
        }
    }
    if (count == self->size) {
        return FEED_MADE;
    }
    if (count == 0 || self->drop_remainder || feed_stopped(ctx)) {
        return FEED_END;
    }
    return cut_batch(ctx, row, count) ? FEED_MADE : FEED_BROKEN;
}

static void batch_free(Ctx *ctx, FeedStage *stage)
{
    ctx_free(ctx, stage, sizeof(Batch));
}

bool feed_batch(Feed *feed, int64_t size, bool drop_remainder)
{
    Batch *batch = feed_push(feed, sizeof *batch, batch_next, batch_free);
    if (batch != NULL) {
        batch->size = size;
        batch->drop_remainder = drop_remainder;
    }
    return batch != NULL;
}

// ---- graphs

typedef struct Mapped {
    FeedStage head;
    Plan *plan;
    Graph *graph;
    uint32_t inputs[FEED_LEAVES], outputs[FEED_LEAVES];
    uint32_t input_count, output_count;
} Mapped;

static FeedState mapped_next(Ctx *ctx, FeedStage *stage, FeedRow *row)
{
    Mapped *self = (Mapped *)stage;
    FeedRow below = {.count = 0};
    FeedState state = stage->below->next(ctx, stage->below, &below);
    Tensor *inputs[FEED_LEAVES], *outputs[FEED_LEAVES];
    for (uint32_t i = 0; state == FEED_MADE && i < self->input_count; i++) {
        if (self->inputs[i] >= below.count) {
            state = FEED_BROKEN;
            break;
        }
        inputs[i] = below.leaves[self->inputs[i]];
    }
    if (state == FEED_MADE) {
        PlanArgs args = {.inputs = inputs};
        state =
            plan_run(ctx, self->plan, &args, outputs) ? FEED_MADE : FEED_BROKEN;
    }
    for (uint32_t i = 0; state == FEED_MADE && i < self->output_count; i++) {
        row->leaves[self->outputs[i]] = outputs[i];
        row->count++;
    }
    feed_row_drop(ctx, &below);
    return state;
}

static void mapped_free(Ctx *ctx, FeedStage *stage)
{
    Mapped *self = (Mapped *)stage;
    plan_release(ctx, self->plan);
    graph_release(ctx, self->graph);
    ctx_free(ctx, self, sizeof *self);
}

// Whether all that the graph does is to compute, but for asserts: one that
// fails breaks the feed.
static bool is_pure(const Graph *graph)
{
    if (graph->variables.count > 0) {
        return false;
    }
    for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
        const uint8_t *access =
            walk.node != NULL ? op_desc(walk.node->op)->access : NULL;
        if (access != NULL &&
            ((access[RES_WORLD] | access[RES_RNG] | access[RES_VARIABLE]) &
             ACCESS_CONSUME) != 0) {
            return false;
        }
    }
    return true;
}

// Whether each number below `count` stands there once.
static bool is_order(const uint32_t *numbers, uint32_t count)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        seen |= numbers[i] < count ? (uint32_t)1 << numbers[i] : 0;
    }
    return count <= FEED_LEAVES && seen == ((uint32_t)1 << count) - 1;
}

// How many inputs a caller hands over.
static uint32_t argument_count(const Graph *graph)
{
    uint32_t count = 0;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        count += graph->inputs.items[i].capture == NULL;
    }
    return count;
}

static bool has_lists(const Graph *graph)
{
    bool found = false;
    for (uint32_t i = 0; i < graph->block->result_count; i++) {
        TensorType type = graph_type(graph, graph->block->results[i]);
        found = found || dtype_is_list(type.dtype);
    }
    return found;
}

// Takes the graph if it is one that the thread can run.
static bool take_graph(Ctx *ctx, Mapped *self, Graph *graph)
{
    if (!is_pure(graph) || has_lists(graph) ||
        argument_count(graph) != self->input_count ||
        graph->block->result_count != self->output_count) {
        return false;
    }
    PlanOptions options = plan_options_default();
    self->graph = graph_retain(graph);
    self->plan = plan_build(ctx, graph, &options);
    return self->plan != NULL;
}

bool feed_map(Feed *feed, const char *bytes, size_t length,
              const uint32_t *inputs, uint32_t input_count,
              const uint32_t *outputs, uint32_t output_count)
{
    Ctx *ctx = feed_ctx(feed);
    GraphFile file;
    if (input_count > FEED_LEAVES || output_count == 0 ||
        !is_order(outputs, output_count)) {
        return false;
    }
    Mapped *self = feed_push(feed, sizeof *self, mapped_next, mapped_free);
    if (self == NULL || !graph_file_read(ctx, bytes, length, &file)) {
        return false;
    }
    memcpy(self->inputs, inputs, input_count * sizeof *inputs);
    memcpy(self->outputs, outputs, output_count * sizeof *outputs);
    self->input_count = input_count;
    self->output_count = output_count;
    bool ok =
        file.graph_count == 1 && take_graph(ctx, self, file.graphs[0].graph);
    graph_file_free(ctx, &file);
    return ok;
}
