// The public face of graph_parse, graph_file_read, plan_build and plan_run.
//
// Invariant: `plan` is set if and only if the graph has been read whole and is
// one that runs without an interpreter.
#include "backend/duetgraph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/exec.h"
#include "backend/host_text.h"
#include "graph/graph_file.h"
#include "graph/graph_parse.h"
#include "ops/tensor.h"

struct DuetGraph {
    Ctx ctx;
    Graph *graph; // as it was read: it says what the inputs have to be
    Plan *plan;
    Tensor **inputs; // room for a run's
    Tensor **outputs;
    VariableCell *cells; // of its Variables
    VariableCell **cell_places;
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

static size_t variable_count(const DuetGraph *graph)
{
    return graph->graph == NULL ? 0 : graph->graph->variables.count;
}

void duetgraph_free(DuetGraph *graph)
{
    if (graph == NULL) {
        return;
    }
    drop_outputs(graph);
    ctx_free(&graph->ctx, graph->inputs, room_size(graph->input_count));
    ctx_free(&graph->ctx, graph->outputs, room_size(graph->output_count));
    for (size_t i = 0; graph->cells != NULL && i < variable_count(graph); i++) {
        object_release_null(&graph->ctx, graph->cells[i].value);
    }
    ctx_free(&graph->ctx, graph->cells, room_size(variable_count(graph)));
    ctx_free(&graph->ctx, graph->cell_places, room_size(variable_count(graph)));
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

// A capture without a tensor is handed over like an argument.
static bool check_types(DuetGraph *graph)
{
    bool fine = true;
    for (size_t i = 0; fine && i < graph->graph->inputs.count; i++) {
        GraphInput *input = &graph->graph->inputs.items[i];
        if (input->capture == NULL) {
            input->kind = INPUT_ARGUMENT;
            graph->input_count++;
            fine = check_type(graph, "input", input_type(graph, i));
        }
    }
    const GraphBlock *block = graph->graph->block;
    for (size_t i = 0; fine && i < block->result_count; i++) {
        fine = check_type(graph, "output",
                          graph_type(graph->graph, block->results[i]));
    }
    return fine;
}

// Room for the Variables; `part` says which values of the file are theirs.
static bool take_variables(DuetGraph *graph, const GraphFile *file,
                           const GraphPart *part)
{
    size_t count = variable_count(graph);
    graph->cells = ctx_alloc_zero(&graph->ctx, room_size(count));
    graph->cell_places = ctx_alloc_zero(&graph->ctx, room_size(count));
    if (graph->cells == NULL || graph->cell_places == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        graph->cells[i].value =
            object_retain(file->variables[part->variables[i]]);
        graph->cells[i].declared = &graph->graph->variables.items[i].type;
        graph->cell_places[i] = &graph->cells[i];
    }
    return true;
}

// The graph has been read and has its Variables.
static bool make_ready(DuetGraph *graph)
{
    Ctx *ctx = &graph->ctx;
    if (!check_types(graph)) {
        return false;
    }
    graph->output_count = graph->graph->block->result_count;
    graph->inputs = ctx_alloc_zero(ctx, room_size(graph->input_count));
    graph->outputs = ctx_alloc_zero(ctx, room_size(graph->output_count));
    PlanOptions options = plan_options_default();
    if (graph->inputs != NULL && graph->outputs != NULL) {
        graph->plan = plan_build(ctx, graph->graph, &options);
    }
    return graph->plan != NULL;
}

static bool is_new(DuetGraph *graph)
{
    ctx_clear(&graph->ctx);
    return graph->graph == NULL ||
           ctx_fail(&graph->ctx, ERR_VALUE, "a graph has been read before");
}

bool duetgraph_parse(DuetGraph *graph, const char *text, size_t length)
{
    if (!is_new(graph)) {
        return false;
    }
    graph->graph = graph_parse(&graph->ctx, text, length);
    return graph->graph != NULL &&
           (variable_count(graph) == 0 ||
            ctx_fail(&graph->ctx, ERR_VALUE, "the graph has Variables")) &&
           make_ready(graph);
}

// All bytes of a file, owned. NULL with an error pending.
static char *read_file(Ctx *ctx, const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    long size =
        file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *bytes = size < 0 ? NULL : malloc((size_t)size + 1);
    if (bytes != NULL &&
        (fseek(file, 0, SEEK_SET) != 0 ||
         fread(bytes, 1, (size_t)size, file) != (size_t)size)) {
        free(bytes);
        bytes = NULL;
    }
    if (bytes == NULL) {
        (void)ctx_fail(ctx, ERR_VALUE, "%s: %s", path, strerror(errno));
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    *length = bytes != NULL ? (size_t)size : 0;
    return bytes;
}

// The file's graph of this name; NULL with an error pending.
static const GraphPart *find_graph(Ctx *ctx, const GraphFile *file,
                                   const char *name)
{
    for (size_t i = 0; i < file->graph_count; i++) {
        if (name == NULL || strcmp(file->graphs[i].graph->name, name) == 0) {
            return &file->graphs[i];
        }
    }
    return ctx_fail_null(ctx, ERR_VALUE, "the file has no graph '%s'",
                         name != NULL ? name : "");
}

bool duetgraph_load(DuetGraph *graph, const char *path, const char *name)
{
    size_t length;
    GraphFile file;
    char *bytes = is_new(graph) ? read_file(&graph->ctx, path, &length) : NULL;
    bool ok =
        bytes != NULL && graph_file_read(&graph->ctx, bytes, length, &file);
    if (ok) {
        const GraphPart *part = find_graph(&graph->ctx, &file, name);
        graph->graph = part != NULL ? graph_retain(part->graph) : NULL;
        ok = part != NULL && take_variables(graph, &file, part) &&
             make_ready(graph);
        graph_file_free(&graph->ctx, &file);
    }
    free(bytes);
    return ok;
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

static bool host_print(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    StrBuf text;
    (void)data;
    strbuf_init(&text, ctx);
    FILE *stream = host_text_print(&text, node, inputs) ? stderr : stdout;
    bool ok = strbuf_ok(&text);
    if (ok &&
        fwrite(strbuf_text(&text), 1, text.length, stream) < text.length) {
        ok = ctx_fail(ctx, ERR_VALUE, "print: %s", strerror(errno));
    }
    strbuf_free(&text);
    return ok;
}

static bool host_call(void *data, Ctx *ctx, const GraphNode *node,
                      Tensor *const *inputs, Tensor **outputs)
{
    (void)data, (void)node, (void)inputs, (void)outputs;
    return ctx_fail(ctx, ERR_VALUE, "the graph calls host code");
}

// The node's text is all there is to raise.
static void host_raise(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    (void)data;
    StrBuf text;
    strbuf_init(&text, ctx);
    if (host_text_error(&text, node, inputs)) {
        (void)ctx_fail(ctx, ERR_ASSERTION, "%s", strbuf_text(&text));
    }
    strbuf_free(&text);
}

static const HostTable host = {
    .print = host_print, .call = host_call, .raise = host_raise};

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
    PlanArgs args = {.inputs = graph->inputs,
                     .variables = graph->cell_places,
                     .host = &host};
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

bool duetgraph_variable(DuetGraph *graph, size_t index, const char **name,
                        DuetArray *value)
{
    if (graph->cells == NULL || index >= variable_count(graph) ||
        graph->cells[index].value->dtype == DT_STRING) {
        return false;
    }
    *name = graph->graph->variables.items[index].name;
    show_output(graph->cells[index].value, value);
    return true;
}

const char *duetgraph_error(const DuetGraph *graph)
{
    return ctx_failed(&graph->ctx) ? graph->ctx.error.text : "";
}
