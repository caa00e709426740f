// A graph gives the same bits, the same effects and the same errors however
// it runs: op by op, with all passes, with each pass off, fused or not, and
// after its text has been read back.
#include <criterion/criterion.h>

#include <string.h>

#include "../support/random_graph.h"
#include "graph/graph_check.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
#include "graph/passes/pass.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/tensor_ctx.h"

TestSuite(equal, .init = set_up, .fini = tear_down);

// What a run did: results or the error, what it printed, Variables at its end.
typedef struct Outcome {
    bool ok;
    ErrorKind kind;
    StrBuf log; // each print's tensor, and the error's text
    Tensor *outputs[RANDOM_OUTPUTS];
    VariableCell cells[RANDOM_VARIABLES];
} Outcome;

static bool log_print(void *data, Ctx *c, const GraphNode *node,
                      Tensor *const *inputs)
{
    (void)c, (void)node;
    tensor_print_repr(data, inputs[0]);
    return true;
}

static void log_raise(void *data, Ctx *c, const GraphNode *node,
                      Tensor *const *inputs)
{
    (void)inputs, (void)data;
    ctx_fail(c, ERR_ASSERTION, "%s failed", op_desc(node->op)->name);
}

static const HostTable host = {log_print, NULL, log_raise, NULL, NULL};

static void outcome_free(Outcome *outcome)
{
    for (int i = 0; outcome->ok && i < RANDOM_OUTPUTS; i++) {
        object_release(&ctx, outcome->outputs[i]);
    }
    for (int i = 0; i < RANDOM_VARIABLES; i++) {
        object_release(&ctx, outcome->cells[i].value);
    }
    strbuf_free(&outcome->log);
}

// Runs the graph, op by op (`options` NULL) or as a plan, twice: the second
// run of a plan finds its frame used.
static Outcome run(Graph *graph, uint32_t seed, const PlanOptions *options)
{
    Outcome outcome;
    Tensor *inputs[RANDOM_INPUTS];
    Plan *plan = options != NULL ? plan_build(&ctx, graph, options) : NULL;
    cr_assert(options == NULL || plan != NULL, "seed %u: %s", seed,
              ctx.error.text);
    random_inputs(&ctx, seed, inputs);
    for (int turn = 0; turn < 2; turn++) {
        if (turn > 0) {
            outcome_free(&outcome);
        }
        memset(&ctx.rng, 0, sizeof ctx.rng);
        random_variables(&ctx, outcome.cells);
        strbuf_init(&outcome.log, &ctx);
        VariableCell *cells[] = {&outcome.cells[0], &outcome.cells[1]};
        PlanArgs args = {inputs, cells, &host, &outcome.log};
        outcome.ok = plan != NULL
                         ? plan_run(&ctx, plan, &args, outcome.outputs)
                         : graph_run(&ctx, graph, &args, outcome.outputs);
        outcome.kind = ctx.error.kind;
        if (!outcome.ok) {
            strbuf_puts(&outcome.log, ctx.error.text);
            ctx_clear(&ctx);
        }
    }
    for (int i = 0; i < RANDOM_INPUTS; i++) {
        object_release(&ctx, inputs[i]);
    }
    plan_release(&ctx, plan);
    return outcome;
}

// Bit for bit, but that one NaN is as good as another.
static bool same_tensor(const Tensor *a, const Tensor *b)
{
    if (tensor_identical(a, b)) {
        return true;
    }
    if (a->dtype != b->dtype || !dtype_is_float((DType)a->dtype) ||
        !shape_equal(a->rank, tensor_dims(a), b->rank, tensor_dims(b))) {
        return false;
    }
    for (int64_t i = 0; i < a->count; i++) {
        double x = tensor_float_at(a, i), y = tensor_float_at(b, i);
        if (x != x ? y == y : memcmp(&x, &y, sizeof x) != 0) {
            return false;
        }
    }
    return true;
}

static void expect_same(const Outcome *a, const Outcome *b, uint32_t seed,
                        const char *how)
{
    cr_assert_eq(a->ok, b->ok, "seed %u, %s: %s / %s", seed, how,
                 strbuf_text(&a->log), strbuf_text(&b->log));
    cr_assert_str_eq(strbuf_text(&a->log), strbuf_text(&b->log), "seed %u, %s",
                     seed, how);
    cr_assert_eq(a->kind, b->kind);
    for (int i = 0; i < RANDOM_OUTPUTS && a->ok; i++) {
        cr_assert(same_tensor(a->outputs[i], b->outputs[i]),
                  "seed %u, %s, output %d", seed, how, i);
    }
    for (int i = 0; i < RANDOM_VARIABLES; i++) {
        cr_assert(same_tensor(a->cells[i].value, b->cells[i].value),
                  "seed %u, %s, Variable %d", seed, how, i);
    }
}

static Graph *read_back(Graph *graph)
{
    StrBuf text;
    strbuf_init(&text, &ctx);
    graph_print(&text, graph, true);
    Graph *again = graph_parse(&ctx, text.text, text.length);
    cr_assert_not_null(again, "%s", ctx.error.text);
    for (size_t i = 0; i < graph->inputs.count; i++) {
        Tensor *capture = graph->inputs.items[i].capture;
        cr_assert(capture == NULL || graph_bind_capture(again, i, capture));
    }
    strbuf_free(&text);
    return again;
}

static void try_seed(uint32_t seed, bool effects, bool may_fail)
{
    RandomOptions plain = {30, effects, may_fail, NULL, false};
    Graph *callee = random_graph(&ctx, seed, &plain);
    RandomOptions calling = {60, effects, may_fail, callee, true};
    Graph *graph = random_graph(&ctx, seed + 5000, &calling);
    Outcome expected = run(graph, seed, NULL);
    for (uint32_t skip = 0; skip <= PASS_COUNT + 1; skip++) {
        PlanOptions options = {PASS_ALL & ~(1u << skip), skip != PASS_COUNT + 1,
                               true, true, false};
        Outcome got = run(graph, seed, &options);
        expect_same(&expected, &got, seed,
                    skip < PASS_COUNT ? pass_desc((PassId)skip)->name
                                      : "all passes");
        outcome_free(&got);
    }
    Graph *again = read_back(graph);
    PlanOptions all = {PASS_ALL, true, true, true, false};
    Outcome got = run(again, seed, &all);
    expect_same(&expected, &got, seed, "read back");
    outcome_free(&got);
    outcome_free(&expected);
    graph_release(&ctx, again);
    graph_release(&ctx, graph);
    graph_release(&ctx, callee);
}

// ThreadSanitizer takes a second for each.
#ifdef __SANITIZE_THREAD__
enum { SEEDS = 15 };
#else
enum { SEEDS = 150 };
#endif

Test(equal, pure_graphs)
{
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        try_seed(seed, false, false);
    }
}

Test(equal, graphs_with_effects)
{
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        try_seed(seed, true, false);
    }
}

Test(equal, graphs_that_may_fail)
{
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        try_seed(seed, true, true);
    }
}
