// Plans: what runs, in which order, and what a failure leaves behind.
#include <criterion/criterion.h>

#include <string.h>

#include "../support/random_graph.h"
#include "backend/exec.h"
#include "graph/graph_check.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
#include "graph/passes/pass.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/plan_ctx.h"

TestSuite(plan, .init = set_up, .fini = tear_down);

static ValueId one(GraphNode *node)
{
    cr_assert_not_null(node, "%s", ctx.error.text);
    return node_output(node, 0);
}

static ValueId op2(Graph *g, GraphBlock *b, OpCode op, ValueId x, ValueId y)
{
    ValueId in[2] = {x, y};
    return one(graph_append(g, b, op, in, 2, NULL, GRAPH_PLACE_NONE));
}

static ValueId constant(Graph *g, GraphBlock *b, int64_t value)
{
    Tensor *tensor = tensor_scalar_int(&ctx, DT_INT32, value);
    ValueId id = one(graph_append_const(g, b, tensor, GRAPH_PLACE_NONE));
    object_release(&ctx, tensor);
    return id;
}

static int64_t run_int(Graph *g, int64_t argument, const HostTable *host)
{
    cr_assert(graph_check(g), "%s", ctx.error.text);
    Plan *plan = planned(g);
    Tensor *in = tensor_scalar_int(&ctx, DT_INT32, argument);
    PlanArgs args = {&in, NULL, host, NULL};
    int64_t result = -1;
    for (int i = 0; i < 2; i++) {
        Tensor *out;
        cr_assert(plan_run(&ctx, plan, &args, &out), "%s", ctx.error.text);
        result = tensor_int_at(out, 0);
        object_release(&ctx, out);
    }
    cr_assert_eq(in->head.rc, 1);
    object_release(&ctx, in);
    plan_release(&ctx, plan);
    return result;
}

static Graph *one_input(ValueId *x)
{
    Graph *g = graph_new(&ctx, "f");
    *x = graph_add_input(g, "x", (TensorType){DT_INT32, 0, NULL});
    return g;
}

Test(plan, add_a_constant)
{
    ValueId x;
    Graph *g = one_input(&x);
    ValueId y = op2(g, g->block, OP_ADD, x, constant(g, g->block, 1));
    cr_assert(graph_block_results(g, g->block, &y, 1));
    cr_assert_eq(run_int(g, 41, NULL), 42);
    graph_release(&ctx, g);
}

// if x > 0: x else 0
static Graph *relu_graph(void)
{
    ValueId x;
    Graph *g = one_input(&x);
    ValueId zero = constant(g, g->block, 0);
    ValueId positive = op2(g, g->block, OP_GREATER, x, zero);
    GraphBlock *then = graph_block_new(g, g->block);
    GraphBlock *otherwise = graph_block_new(g, g->block);
    ValueId none = constant(g, otherwise, 0);
    cr_assert(graph_block_results(g, then, &x, 1));
    cr_assert(graph_block_results(g, otherwise, &none, 1));
    ValueId y = one(graph_append_blocks(g, g->block, OP_IF, &positive, 1,
                                        (GraphBlock *[]){then, otherwise},
                                        GRAPH_PLACE_NONE));
    cr_assert(graph_block_results(g, g->block, &y, 1));
    return g;
}

Test(plan, branches)
{
    Graph *g = relu_graph();
    cr_assert_eq(run_int(g, 5, NULL), 5);
    cr_assert_eq(run_int(g, -5, NULL), 0);
    graph_release(&ctx, g);
}

// i, total = 0, 0; while i < x: i, total = i + 1, total + i
static Graph *loop_graph(void)
{
    ValueId x;
    Graph *g = one_input(&x);
    ValueId init[2] = {constant(g, g->block, 0), constant(g, g->block, 0)};
    GraphBlock *blocks[2];
    ValueId state[2][2];
    for (int b = 0; b < 2; b++) {
        blocks[b] = graph_block_new(g, g->block);
        state[b][0] =
            graph_block_param(g, blocks[b], "i", graph_type(g, init[0]));
        state[b][1] =
            graph_block_param(g, blocks[b], "total", graph_type(g, init[1]));
    }
    ValueId go = op2(g, blocks[0], OP_LESS, state[0][0], x);
    ValueId next[2] = {
        op2(g, blocks[1], OP_ADD, state[1][0], constant(g, blocks[1], 1)),
        op2(g, blocks[1], OP_ADD, state[1][1], state[1][0])};
    cr_assert(graph_block_results(g, blocks[0], &go, 1));
    cr_assert(graph_block_results(g, blocks[1], next, 2));
    GraphNode *node = graph_append_blocks(g, g->block, OP_WHILE, init, 2,
                                          blocks, GRAPH_PLACE_NONE);
    cr_assert_not_null(node, "%s", ctx.error.text);
    ValueId y = node_output(node, 1);
    cr_assert(graph_block_results(g, g->block, &y, 1));
    return g;
}

Test(plan, loops)
{
    Graph *g = loop_graph();
    cr_assert_eq(run_int(g, 100, NULL), 4950);
    cr_assert_eq(run_int(g, 0, NULL), 0);
    graph_release(&ctx, g);
}

// An op that would fail and that nothing needs is not run.
Test(plan, is_not_strict)
{
    ValueId x;
    Graph *g = one_input(&x);
    op2(g, g->block, OP_FLOOR_DIVIDE, x, constant(g, g->block, 0));
    cr_assert(graph_block_results(g, g->block, &x, 1));
    cr_assert_eq(run_int(g, 7, NULL), 7);
    graph_release(&ctx, g);
}

Test(plan, a_failure_is_the_eager_one)
{
    ValueId x;
    Graph *g = one_input(&x);
    ValueId y = op2(g, g->block, OP_FLOOR_DIVIDE, constant(g, g->block, 1), x);
    cr_assert(graph_block_results(g, g->block, &y, 1));
    Plan *plan = planned(g);
    Tensor *in = tensor_scalar_int(&ctx, DT_INT32, 0), *out;
    PlanArgs args = {&in, NULL, NULL, NULL};
    cr_assert_not(plan_run(&ctx, plan, &args, &out));
    cr_assert_eq(ctx.error.kind, ERR_OP_DIVISION);
    ctx_clear(&ctx);
    cr_assert_eq(in->head.rc, 1);
    object_release(&ctx, in);
    plan_release(&ctx, plan);
    graph_release(&ctx, g);
}

Test(plan, variables_by_reference)
{
    Tensor *start = tensor_scalar_int(&ctx, DT_INT32, 10);
    VariableCell cell = {.value = start};
    ValueId x;
    uint32_t v;
    Graph *g = one_input(&x);
    cr_assert(graph_add_variable(g, "v", tensor_type(start), NULL, NULL, &v));
    ValueId old = one(graph_append_resource(g, g->block, OP_READ_VARIABLE, v,
                                            NULL, 0, GRAPH_PLACE_NONE));
    ValueId sum = op2(g, g->block, OP_ADD, old, x);
    cr_assert_not_null(graph_append_resource(g, g->block, OP_ASSIGN_VARIABLE, v,
                                             &sum, 1, GRAPH_PLACE_NONE));
    ValueId now = one(graph_append_resource(g, g->block, OP_READ_VARIABLE, v,
                                            NULL, 0, GRAPH_PLACE_NONE));
    cr_assert(graph_block_results(g, g->block, &now, 1));
    Plan *plan = planned(g);
    Tensor *in = tensor_scalar_int(&ctx, DT_INT32, 5), *out;
    VariableCell *cells[1] = {&cell};
    PlanArgs args = {&in, cells, NULL, NULL};
    cr_assert(plan_run(&ctx, plan, &args, &out), "%s", ctx.error.text);
    cr_assert_eq(tensor_int_at(out, 0), 15);
    cr_assert_eq(tensor_int_at(cell.value, 0), 15);
    object_release(&ctx, out);
    object_release(&ctx, in);
    plan_release(&ctx, plan);
    graph_release(&ctx, g);
    object_release(&ctx, cell.value);
}

// A callee runs its own plan, or is inlined: the same result.
Test(plan, calls)
{
    ValueId x;
    Graph *g = one_input(&x), *callee = loop_graph();
    GraphNode *node =
        graph_append_call(g, g->block, callee, &x, 1, NULL, GRAPH_PLACE_NONE);
    graph_release(&ctx, callee);
    ValueId y = op2(g, g->block, OP_ADD, one(node), x);
    cr_assert(graph_block_results(g, g->block, &y, 1));
    cr_assert_eq(run_int(g, 10, NULL), 55);
    graph_release(&ctx, g);
}

static bool no_print(void *data, Ctx *c, const GraphNode *node,
                     Tensor *const *inputs)
{
    (void)data, (void)c, (void)node;
    cr_assert_eq(tensor_int_at(inputs[0], 0), 3);
    return true;
}

static void say(void *data, Ctx *c, const GraphNode *node,
                Tensor *const *inputs)
{
    (void)data, (void)inputs;
    ctx_fail(c, ERR_ASSERTION, "%s", node->attrs[0].text);
}

Test(plan, host_effects)
{
    ValueId x;
    Graph *g = one_input(&x);
    AttrValue print[3] = {{ATTR_STR, 1, {.text = "x"}}};
    AttrValue text = {ATTR_STR, 2, {.text = "no"}};
    HostTable host = {no_print, NULL, say, NULL, NULL};
    cr_assert_not_null(graph_append_host(g, g->block, OP_PRINT, &x, 1, print,
                                         NULL, NULL, 0, GRAPH_PLACE_NONE));
    ValueId bad = op2(g, g->block, OP_LESS, x, constant(g, g->block, 3));
    cr_assert_not_null(graph_append_host(g, g->block, OP_ASSERT, &bad, 1, &text,
                                         NULL, NULL, 0, GRAPH_PLACE_NONE));
    cr_assert(graph_block_results(g, g->block, &x, 1));
    Plan *plan = planned(g);
    Tensor *in = tensor_scalar_int(&ctx, DT_INT32, 3), *out;
    PlanArgs args = {&in, NULL, &host, NULL};
    cr_assert_not(plan_run(&ctx, plan, &args, &out));
    cr_assert_str_eq(ctx.error.text, "no");
    object_release(&ctx, in);
    plan_release(&ctx, plan);
    graph_release(&ctx, g);
}

// The printed form of a loop, whole.
Test(plan, text)
{
    Graph *g = loop_graph();
    StrBuf out;
    strbuf_init(&out, &ctx);
    graph_print(&out, g, false);
    cr_assert_str_eq(strbuf_text(&out),
                     "graph f(%0 x: int32[])\n"
                     "  %1: int32[] = const 0\n"
                     "  %2: int32[] = const 0\n"
                     "  %3: int32[], %4: int32[] = while %1, %2\n"
                     "    cond (%5 i: int32[], %6 total: int32[])\n"
                     "      %7: bool[] = less %5, %0\n"
                     "      yield %7\n"
                     "    body (%8 i: int32[], %9 total: int32[])\n"
                     "      %10: int32[] = const 1\n"
                     "      %11: int32[] = add %8, %10\n"
                     "      %12: int32[] = add %9, %8\n"
                     "      yield %11, %12\n"
                     "  return %4\n");
    strbuf_free(&out);
    graph_release(&ctx, g);
}

// 2 * 3 is folded, the two sums are one, the unneeded product is gone.
Test(plan, passes)
{
    ValueId x;
    Graph *g = one_input(&x);
    GraphBlock *b = g->block;
    ValueId six = op2(g, b, OP_MULTIPLY, constant(g, b, 2), constant(g, b, 3));
    ValueId first = op2(g, b, OP_ADD, x, six);
    ValueId second = op2(g, b, OP_ADD, x, constant(g, b, 6));
    op2(g, b, OP_MULTIPLY, first, x);
    ValueId y = op2(g, b, OP_SUBTRACT, first, second);
    cr_assert(graph_block_results(g, b, &y, 1));
    cr_assert_eq(run_int(g, 4, NULL), 0);
    cr_assert(pass_run(g, PASS_ALL, true), "%s", ctx.error.text);
    StrBuf out;
    strbuf_init(&out, &ctx);
    graph_print(&out, g, false);
    cr_assert_str_eq(strbuf_text(&out), "graph f(%0 x: int32[])\n"
                                        "  %1: int32[] = const 6\n"
                                        "  %2: int32[] = add %0, %1\n"
                                        "  %3: int32[] = subtract %2, %2\n"
                                        "  return %3\n");
    strbuf_free(&out);
    graph_release(&ctx, g);
}

// Passes, planning and running are linear: a chain of 100,000 nodes with
// repeated ones among them is a matter of a second.
Test(plan, a_hundred_thousand_nodes, .timeout = 60)
{
    ValueId x;
    Graph *g = one_input(&x);
    ValueId one_const = constant(g, g->block, 1), sum = x;
    for (int i = 0; i < 50000; i++) {
        sum = op2(g, g->block, OP_ADD, sum, one_const);
        sum = op2(g, g->block, OP_BITWISE_XOR, sum,
                  op2(g, g->block, OP_MULTIPLY, x, one_const));
    }
    cr_assert(graph_block_results(g, g->block, &sum, 1));
    uint32_t expected = 3;
    for (int i = 0; i < 50000; i++) {
        expected = (expected + 1) ^ 3;
    }
    cr_assert_eq(run_int(g, 3, NULL), (int32_t)expected);
    graph_release(&ctx, g);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// A random chain of elementwise ops over two matrices, a scalar, a row and a
// column.
static Graph *random_chain(uint32_t seed, const int64_t *dims)
{
    static const OpCode ops[] = {OP_ADD,     OP_SUBTRACT, OP_MULTIPLY,
                                 OP_MAXIMUM, OP_MINIMUM,  OP_DIVIDE};
    Graph *g = graph_new(&ctx, "random");
    int64_t column[2] = {dims[0], 1};
    ValueId values[64];
    uint32_t count = 5;
    values[0] = graph_add_input(g, "x", (TensorType){DT_FLOAT32, 2, dims});
    values[1] = graph_add_input(g, "y", (TensorType){DT_FLOAT32, 2, dims});
    values[2] = graph_add_input(g, "s", (TensorType){DT_FLOAT32, 0, NULL});
    values[3] =
        graph_add_input(g, "row", (TensorType){DT_FLOAT32, 1, dims + 1});
    values[4] =
        graph_add_input(g, "column", (TensorType){DT_FLOAT32, 2, column});
    for (uint32_t i = 0; i < 40; i++) {
        OpCode op = ops[next_random(&seed) % 6];
        ValueId a = values[next_random(&seed) % count];
        ValueId b = values[next_random(&seed) % count];
        values[count++] = op2(g, g->block, op, a, b);
    }
    ValueId results[3] = {values[count - 1], values[count - 7], values[20]};
    cr_assert(graph_block_results(g, g->block, results, 3));
    return g;
}

static Tensor *ramp(int rank, const int64_t *dims, float scale)
{
    Tensor *tensor = tensor_new(&ctx, DT_FLOAT32, rank, dims);
    for (int64_t i = 0; i < tensor->count; i++) {
        ((float *)tensor->data)[i] = scale * (float)(i % 97 - 40);
    }
    return tensor;
}

// Fusion and passes change no bit, whatever the size against the tile's.
Test(plan, fused_equals_op_by_op)
{
    static const int64_t sizes[][2] = {{1, 1},   {3, 5},    {32, 32},
                                       {70, 61}, {3, 700},  {2, 2500},
                                       {5, 512}, {1500, 1}, {4, 0}};
    for (uint32_t seed = 1; seed <= 90; seed++) {
        const int64_t *dims = sizes[seed % 9];
        int64_t column[2] = {dims[0], 1};
        Graph *g = random_chain(seed, dims);
        Tensor *in[5] = {ramp(2, dims, 0.5f), ramp(2, dims, -0.3f),
                         ramp(0, NULL, 0.1f), ramp(1, dims + 1, 0.7f),
                         ramp(2, column, -0.9f)};
        PlanArgs args = {in, NULL, NULL, NULL};
        Tensor *plain[3], *fast[3];
        cr_assert(graph_run(&ctx, g, &args, plain), "%s", ctx.error.text);
        for (uint32_t skip = 0; skip <= PASS_COUNT; skip++) {
            PlanOptions options = {PASS_ALL & ~(1u << skip), true, true, true,
                                   false};
            Plan *plan = plan_build(&ctx, g, &options);
            cr_assert_not_null(plan, "%s", ctx.error.text);
            cr_assert(plan_run(&ctx, plan, &args, fast));
            for (int i = 0; i < 3; i++) {
                cr_assert(tensor_identical(plain[i], fast[i]), "seed %u", seed);
                object_release(&ctx, fast[i]);
            }
            plan_release(&ctx, plan);
        }
        for (int i = 0; i < 5; i++) {
            cr_assert_eq(in[i]->head.rc, 1);
            object_release(&ctx, in[i]);
        }
        for (int i = 0; i < 3; i++) {
            object_release(&ctx, plain[i]);
        }
        graph_release(&ctx, g);
    }
}

// A bias and a scale fuse with the chain that they are used in, and the last
// result takes the memory of an operand that dies there.
Test(plan, rows_fuse_and_memory_is_reused)
{
    static const char text[] =
        "graph f(%0 x: float32[4, 8], %1 b: float32[8], %2 s: float32[4, 1])\n"
        "  %3: float32[4, 8] = permute_dims %0 axes=(0, 1)\n"
        "  %4: float32[4, 8] = add %3, %1\n"
        "  %5: float32[4, 8] = relu %4\n"
        "  %6: float32[4, 8] = multiply %5, %2\n"
        "  return %6\n";
    Plan *plan = planned_text(text);
    cr_expect(plan_says(plan, "in place of"));
    cr_expect(plan_says(plan, "(row)"));
    cr_expect(plan_says(plan, "(column)"));
    plan_release(&ctx, plan);
}

// Where the user wrote a line of a two-line source, by its number.
static GraphPlace place_at(Source *source, uint32_t start)
{
    return (GraphPlace){.source = source, .span = {start, start + 1}};
}

// An error carries the place of the node that failed: in a chain that runs as
// one step, in a loop that is compiled, and op by op.
Test(plan, errors_have_the_place_of_their_node)
{
    static const char text[] = "y = x + x\nz = y // x\n";
    Source *source = source_new(&ctx, "f.duet", text, strlen(text));
    cr_assert_not_null(source);
    for (int fuse = 0; fuse < 2; fuse++) {
        ValueId x;
        Graph *g = one_input(&x);
        ValueId in[2] = {x, x};
        in[0] = one(graph_append(g, g->block, OP_ADD, in, 2, NULL,
                                 place_at(source, 0)));
        ValueId z = one(graph_append(g, g->block, OP_FLOOR_DIVIDE, in, 2, NULL,
                                     place_at(source, 10)));
        cr_assert(graph_block_results(g, g->block, &z, 1));
        PlanOptions options = {PASS_ALL, fuse, true, true, false};
        Plan *plan = plan_build(&ctx, g, &options);
        Tensor *zero = tensor_scalar_int(&ctx, DT_INT32, 0), *out;
        PlanArgs args = {&zero, NULL, NULL, NULL};
        cr_assert_not(plan_run(&ctx, plan, &args, &out));
        cr_assert_eq(ctx.error.kind, ERR_OP_DIVISION);
        cr_assert_eq(ctx.error.source, source);
        cr_assert_eq(source_place(source, ctx.error.span.start).line, 2);
        ctx_clear(&ctx);
        object_release(&ctx, zero);
        plan_release(&ctx, plan);
        graph_release(&ctx, g);
    }
    source_release(&ctx, source);
}

// Ctrl-C is seen between two steps; the plan is good for another run.
Test(plan, an_interrupt_comes_between_steps)
{
    ValueId x;
    Graph *g = one_input(&x);
    ValueId y = op2(g, g->block, OP_ADD, x, x);
    cr_assert(graph_block_results(g, g->block, &y, 1));
    Plan *plan = planned(g);
    Tensor *in = tensor_scalar_int(&ctx, DT_INT32, 1), *out;
    PlanArgs args = {&in, NULL, NULL, NULL};
    ctx.interrupt = 1;
    cr_assert_not(plan_run(&ctx, plan, &args, &out));
    cr_assert_eq(ctx.error.kind, ERR_INTERRUPT);
    ctx_clear(&ctx);
    cr_assert(plan_run(&ctx, plan, &args, &out), "%s", ctx.error.text);
    cr_assert_eq(tensor_int_at(out, 0), 2);
    object_release(&ctx, out);
    cr_assert_eq(in->head.rc, 1);
    object_release(&ctx, in);
    plan_release(&ctx, plan);
    graph_release(&ctx, g);
}

// Memory is not taken from what outlives the step: a capture that the graph
// alone still holds, and state that a loop's condition reads before its body.
Test(plan, captures_and_state_are_not_overwritten)
{
    static const char text[] = "graph f(%0 x: float32[2])\n"
                               "  capture %1 w: float32[2]\n"
                               "  %2: float32[2] = add %1, %0\n"
                               "  %3: float32[2] = while %2\n"
                               "    cond (%4: float32[2])\n"
                               "      %5: float32[2] = multiply %4, %4\n"
                               "      %6: float32[2] = negative %5\n"
                               "      %7: float32[] = sum %6\n"
                               "      %8: float32[] = const -100.0\n"
                               "      %9: bool[] = greater %7, %8\n"
                               "      yield %9\n"
                               "    body (%10: float32[2])\n"
                               "      %11: float32[2] = add %10, %10\n"
                               "      yield %11\n"
                               "  return %3\n";
    Graph *g = parsed(text);
    int64_t two = 2;
    Tensor *w = ramp(1, &two, -0.05f), *x = ramp(1, &two, -0.025f);
    cr_assert(graph_bind_capture(g, 1, w), "%s", ctx.error.text);
    object_release(&ctx, w);
    Plan *plan = planned(g);
    graph_release(&ctx, g);
    PlanArgs args = {&x, NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        Tensor *out;
        cr_assert(plan_run(&ctx, plan, &args, &out), "%s", ctx.error.text);
        // 2 + 1 = 3 and 1.95 + 0.975, doubled until the squares exceed 100.
        cr_assert_float_eq(tensor_float_at(out, 0), 12.0, 1e-4);
        cr_assert_float_eq(tensor_float_at(out, 1), 11.7, 1e-4);
        object_release(&ctx, out);
    }
    object_release(&ctx, x);
    plan_release(&ctx, plan);
}

// Each of 40 graphs calls the next one twice: 2**40 calls, but 40 plans.
Test(plan, calls_of_one_callee_share_its_plan)
{
    ValueId x;
    Graph *g = one_input(&x);
    cr_assert(graph_block_results(g, g->block, &x, 1));
    for (int level = 0; level < 40; level++) {
        Graph *callee = g;
        g = one_input(&x);
        ValueId a = one(graph_append_call(g, g->block, callee, &x, 1, NULL,
                                          GRAPH_PLACE_NONE));
        ValueId b = one(graph_append_call(g, g->block, callee, &x, 1, NULL,
                                          GRAPH_PLACE_NONE));
        ValueId sum = op2(g, g->block, OP_ADD, a, b);
        cr_assert(graph_block_results(g, g->block, &sum, 1));
        graph_release(&ctx, callee);
    }
    PlanOptions options = {0};
    Plan *plan = plan_build(&ctx, g, &options);
    cr_assert_not_null(plan, "%s", ctx.error.text);
    cr_assert_eq(plan_step_count(plan), 3);
    plan_release(&ctx, plan);
    graph_release(&ctx, g);
}
