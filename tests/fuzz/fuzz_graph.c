// libFuzzer target: any bytes as a graph's text; what is read must print to a
// text that is read again, and runs or fails, node by node and planned, within
// a second of each and with tensors of 64 MB at most (an allocation that fails
// is a MemoryError).
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "backend/exec.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
#include "graph/passes/pass.h"

enum { MOST_INPUTS = 16, MOST_RESULTS = 16, MOST_ELEMENTS = 4096, SIZE = 2 };

static Ctx ctx;

// Of AddressSanitizer, which looks for it by this name.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=64";
}

static void free_tensor(Ctx *own, Object *object)
{
    tensor_dealloc(own, (Tensor *)object);
}

// --- operands ---

// Of the type, whose unknown sizes become 2: small whole numbers, from -1 on.
// NULL: there is no such tensor, or it is too large.
static Tensor *make_tensor(TensorType type)
{
    int64_t dims[SHAPE_MAX_RANK] = {SIZE}, count = 1;
    int rank = type.rank == RANK_UNKNOWN ? 1 : type.rank;
    for (int i = 0; i < type.rank; i++) {
        dims[i] = type.dims[i] == DIM_UNKNOWN ? SIZE : type.dims[i];
        if (dims[i] > MOST_ELEMENTS) {
            return NULL;
        }
        count *= dims[i] > 0 ? dims[i] : 1;
        if (count > MOST_ELEMENTS) {
            return NULL;
        }
    }
    bool list = dtype_is_list(type.dtype);
    Tensor *tensor = list ? NULL : tensor_new(&ctx, type.dtype, rank, dims);
    for (int64_t i = 0; tensor != NULL && i < tensor->count; i++) {
        if (type.dtype == DT_STRING) {
            if (!tensor_set_string(&ctx, tensor, i, "ab", (size_t)i % 3)) {
                abort();
            }
        } else if (dtype_is_float(type.dtype)) {
            tensor_set_float(tensor, i, (double)(i % 5 - 1));
        } else {
            tensor_set_int(tensor, i, i % 4 - (i > 4));
        }
    }
    return tensor;
}

typedef struct Operands {
    Tensor *inputs[MOST_INPUTS];
    VariableCell cells[MOST_INPUTS], *places[MOST_INPUTS];
    uint32_t input_count, variable_count;
} Operands;

// Captures have no tensors: they are arguments like others.
static bool make_operands(Graph *graph, Operands *to)
{
    bool ok = graph->inputs.count <= MOST_INPUTS &&
              graph->variables.count <= MOST_INPUTS &&
              graph->block->result_count <= MOST_RESULTS;
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        GraphInput *input = &graph->inputs.items[i];
        Tensor *made = make_tensor(graph_type(graph, input->value));
        input->kind = INPUT_ARGUMENT;
        ok = made != NULL;
        if (ok) {
            to->inputs[to->input_count++] = made;
        }
    }
    for (size_t i = 0; ok && i < graph->variables.count; i++) {
        GraphVariable *variable = &graph->variables.items[i];
        Tensor *made = make_tensor(variable->type);
        ok = made != NULL;
        if (ok) {
            to->cells[i] = (VariableCell){made, &variable->type};
            to->places[i] = &to->cells[i];
            to->variable_count++;
        }
    }
    return ok;
}

static void drop(Tensor **tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        object_release(&ctx, tensors[i]);
    }
}

static void drop_operands(Operands *operands)
{
    drop(operands->inputs, operands->input_count);
    for (uint32_t i = 0; i < operands->variable_count; i++) {
        object_release(&ctx, operands->cells[i].value);
    }
}

// --- runs ---

static void stop(int signal)
{
    (void)signal;
    ctx_interrupt(&ctx, INTERRUPT_SIGNAL);
}

static void set_budget(time_t seconds)
{
    // Again and again: each of the runs hears of it.
    struct itimerval time = {{seconds, 0}, {seconds, 0}};
    signal(SIGVTALRM, stop);
    setitimer(ITIMER_VIRTUAL, &time, NULL);
    ctx_interrupt_clear(&ctx, INTERRUPT_SIGNAL);
}

static void run(Graph *graph, Plan *plan)
{
    Operands operands = {.input_count = 0};
    Tensor *results[MOST_RESULTS];
    if (make_operands(graph, &operands)) {
        PlanArgs args = {.inputs = operands.inputs,
                         .variables = operands.places};
        if (plan != NULL ? plan_run(&ctx, plan, &args, results)
                         : graph_run(&ctx, graph, &args, results)) {
            drop(results, graph->block->result_count);
        }
    }
    drop_operands(&operands);
    ctx_clear(&ctx);
}

// A plan is run twice, for what it keeps of the first run.
static void run_all(Graph *graph)
{
    PlanOptions options = {PASS_ALL, true, true, true, false};
    set_budget(1);
    run(graph, NULL);
    Plan *plan = plan_build(&ctx, graph, &options);
    ctx_clear(&ctx);
    if (plan != NULL) {
        run(graph, plan);
        run(graph, plan);
        plan_release(&ctx, plan);
    }
    set_budget(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    ctx.dealloc = free_tensor;
    Graph *graph = graph_parse(&ctx, (const char *)data, size);
    if (graph != NULL) {
        StrBuf text;
        strbuf_init(&text, &ctx);
        graph_print(&text, graph, true);
        Graph *again = strbuf_ok(&text)
                           ? graph_parse(&ctx, strbuf_text(&text), text.length)
                           : graph;
        if (again == NULL) {
            abort();
        }
        if (again != graph) {
            graph_release(&ctx, again);
        }
        strbuf_free(&text);
        run_all(graph);
        graph_release(&ctx, graph);
    }
    ctx_clear(&ctx);
    ctx_destroy(&ctx);
    return 0;
}
