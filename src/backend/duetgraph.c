// The public face of graph_parse, plan_build and plan_run.
//
// Invariant: `plan` is set if and only if the graph has been read whole and is
// one that runs without an interpreter.
#include "backend/duetgraph.h"

#include <stdlib.h>
#include <string.h>

#include "backend/exec.h"
#include "graph/graph_parse.h"
#include "ops/tensor.h"

struct DuetGraph {
    Ctx ctx;
    Graph *graph; // as it was read: it says what the inputs have to be
    Plan *plan;
    Tensor **inputs; // room for a run's
    Tensor **outputs;
    size_t input_count, output_count;
    bool has_outputs; // of the last run, owned
};

// There are no other objects without an interpreter.
static void dealloc_tensor(Ctx *ctx, Object *object)
{
    tensor_dealloc(ctx, (Tensor *)object);
}

DuetGraph *duetgraph_new(void)
{
    DuetGraph *graph = calloc(1, sizeof *graph);
    if (graph != NULL) {
        ctx_init(&graph->ctx, 0);
        graph->ctx.dealloc = dealloc_tensor;
    }
    return graph;
}

// The error of the call before goes too.
static void drop_outputs(DuetGraph *graph)
{
    for (size_t i = 0; graph->has_outputs && i < graph->output_count; i++) {
        object_release(&graph->ctx, graph->outputs[i]);
    }
    graph->has_outputs = false;
    ctx_clear(&graph->ctx);
}

static size_t room_size(size_t count)
{
    return (count + 1) * sizeof(Tensor *);
}

void duetgraph_free(DuetGraph *graph)
{
    if (graph == NULL) {
        return;
    }
    drop_outputs(graph);
    ctx_free(&graph->ctx, graph->inputs, room_size(graph->input_count));
    ctx_free(&graph->ctx, graph->outputs, room_size(graph->output_count));
    plan_release(&graph->ctx, graph->plan);
    graph_release(&graph->ctx, graph->graph);
    ctx_destroy(&graph->ctx);
    free(graph);
}

static TensorType input_type(const DuetGraph *graph, size_t index)
{
    return graph_type(graph->graph, graph->graph->inputs.items[index].value);
}

// Strings and lists are objects of their own, which a DuetArray cannot hold.
static bool check_type(DuetGraph *graph, const char *what, TensorType type)
{
    return (type.dtype != DT_STRING && !dtype_is_list(type.dtype)) ||
           ctx_fail(&graph->ctx, ERR_DTYPE, "an %s is of dtype %s", what,
                    dtype_name(type.dtype));
}

// What the graph captured is nowhere any more: it is handed over like an
// argument.
static bool open_inputs(DuetGraph *graph)
{
    bool fine = true;
    for (size_t i = 0; fine && i < graph->input_count; i++) {
        graph->graph->inputs.items[i].kind = INPUT_ARGUMENT;
        fine = check_type(graph, "input", input_type(graph, i));
    }
    const GraphBlock *block = graph->graph->block;
    for (size_t i = 0; fine && i < graph->output_count; i++) {
        fine = check_type(graph, "output",
                          graph_type(graph->graph, block->results[i]));
    }
    return fine &&
           (graph->graph->variables.count == 0 ||
            ctx_fail(&graph->ctx, ERR_VALUE, "the graph has Variables"));
}

bool duetgraph_parse(DuetGraph *graph, const char *text, size_t length)
{
    Ctx *ctx = &graph->ctx;
    ctx_clear(ctx);
    if (graph->graph != NULL) {
        return ctx_fail(ctx, ERR_VALUE, "a graph has been read before");
    }
    Graph *read = graph_parse(ctx, text, length);
    if (read == NULL) {
        return false;
    }
    graph->graph = read;
    graph->input_count = read->inputs.count;
    graph->output_count = read->block->result_count;
    graph->inputs = ctx_alloc_zero(ctx, room_size(graph->input_count));
    graph->outputs = ctx_alloc_zero(ctx, room_size(graph->output_count));
    PlanOptions options = plan_options_default();
    if (graph->inputs != NULL && graph->outputs != NULL && open_inputs(graph)) {
        graph->plan = plan_build(ctx, read, &options);
    }
    return graph->plan != NULL;
}

size_t duetgraph_input_count(const DuetGraph *graph)
{
    return graph->input_count;
}

size_t duetgraph_output_count(const DuetGraph *graph)
{
    return graph->output_count;
}

// Sizes and rank may be open in the graph; an array has them all.
static bool fits(TensorType type, const DuetArray *array, DType dtype)
{
    bool fine = dtype == type.dtype && array->rank >= 0 &&
                array->rank <= SHAPE_MAX_RANK &&
                (type.rank == RANK_UNKNOWN || type.rank == array->rank);
    for (int i = 0; fine && i < array->rank; i++) {
        fine = array->dims[i] >= 0 &&
               (type.rank == RANK_UNKNOWN || type.dims[i] == DIM_UNKNOWN ||
                type.dims[i] == array->dims[i]);
    }
    return fine;
}

// The input as a tensor, owned; NULL: it is not what the graph takes.
static Tensor *take_input(DuetGraph *graph, size_t index,
                          const DuetArray *array)
{
    DType dtype;
    if (!dtype_from_name(array->dtype, &dtype) ||
        !fits(input_type(graph, index), array, dtype)) {
        return ctx_fail_null(&graph->ctx, ERR_VALUE,
                             "input %zu is not of the type of '%s'", index,
                             graph->graph->inputs.items[index].name);
    }
    Tensor *tensor = tensor_new(&graph->ctx, dtype, array->rank, array->dims);
    if (tensor != NULL && tensor->count > 0) {
        memcpy(tensor->data, array->data,
               (size_t)tensor->count * dtype_size(dtype));
    }
    return tensor;
}

// The memory stays the tensor's.
static void show_output(const Tensor *tensor, DuetArray *array)
{
    *array = (DuetArray){dtype_name((DType)tensor->dtype), tensor->rank,
                         tensor_dims(tensor), tensor->data};
}

bool duetgraph_run(DuetGraph *graph, const DuetArray *inputs,
                   DuetArray *outputs)
{
    Ctx *ctx = &graph->ctx;
    drop_outputs(graph);
    if (graph->plan == NULL) {
        return ctx_fail(ctx, ERR_VALUE, "no graph has been read");
    }
    size_t taken = 0;
    for (; taken < graph->input_count; taken++) {
        graph->inputs[taken] = take_input(graph, taken, &inputs[taken]);
        if (graph->inputs[taken] == NULL) {
            break;
        }
    }
    PlanArgs args = {.inputs = graph->inputs};
    graph->has_outputs = taken == graph->input_count &&
                         plan_run(ctx, graph->plan, &args, graph->outputs);
    while (taken > 0) {
        object_release(ctx, graph->inputs[--taken]);
    }
    for (size_t i = 0; graph->has_outputs && i < graph->output_count; i++) {
        show_output(graph->outputs[i], &outputs[i]);
    }
    return graph->has_outputs;
}

const char *duetgraph_error(const DuetGraph *graph)
{
    return ctx_failed(&graph->ctx) ? graph->ctx.error.text : "";
}
