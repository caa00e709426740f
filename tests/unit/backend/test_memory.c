// What memory a run takes: by the plan's text, and by what the pool was asked
// for.
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "backend/exec.h"
#include "graph/graph_parse.h"
#include "graph/passes/pass.h"
#include "kernels/pool.h"
#include "kernels/tier.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/plan_ctx.h"

TestSuite(memory, .init = set_up, .fini = tear_down);

static Tensor *matrix(int64_t rows, int64_t columns, float scale)
{
    int64_t dims[2] = {rows, columns};
    Tensor *tensor = tensor_new(&ctx, DT_FLOAT32, 2, dims);
    for (int64_t i = 0; i < tensor->count; i++) {
        ((float *)tensor->data)[i] = scale * (float)(i % 89 - 40);
    }
    return tensor;
}

// w -= 0.5 * (x.T @ g), of so many rows and columns.
static Graph *update_graph(int rows, int columns)
{
    char text[1000];
    snprintf(text, sizeof text,
             "graph f(%%0 x: float32[64, %d], %%1 g: float32[64, %d])\n"
             "  variable @0 w: float32[%d, %d]\n"
             "  %%2: float32[%d, 64] = matrix_transpose %%0\n"
             "  %%3: float32[%d, %d] = matmul %%2, %%1\n"
             "  %%4: float32[%d, %d] = read_variable @0\n"
             "  %%5: float32[] = const 0.5\n"
             "  %%6: float32[%d, %d] = multiply %%5, %%3\n"
             "  %%7: float32[%d, %d] = subtract %%4, %%6\n"
             "  assign_variable @0 %%7\n"
             "  return\n",
             rows, columns, rows, columns, rows, rows, columns, rows, columns,
             rows, columns, rows, columns);
    return parsed(text);
}

// The pool's takes of a run, in which the Variable gets its next value.
static uint64_t takes_of(Plan *plan, Tensor **in, VariableCell *cell)
{
    PoolUse *use = pool_use(kernel_state(&ctx)->pool);
    uint64_t before = use->takes;
    PlanArgs args = {in, &cell, NULL, NULL};
    cr_assert(plan_run(&ctx, plan, &args, NULL), "%s", ctx.error.text);
    return use->takes - before;
}

// A product and what turns it into a Variable's next value are one step, which
// writes into the Variable: blocks are taken for what is multiplied meanwhile,
// none is a tensor's. Who holds the old value keeps it, and the new one is.
Test(memory, an_update_is_written_where_the_variable_is)
{
    static const int sizes[][2] = {{16, 600}, {500, 300}};
    for (size_t i = 0; i < 2; i++) {
        Graph *graph = update_graph(sizes[i][0], sizes[i][1]);
        PlanOptions plain = {0};
        Plan *slow = plan_build(&ctx, graph, &plain);
        Plan *plan = planned(graph);
        cr_expect(plan_says(plan, "(inside)"));
        cr_expect(plan_says(plan, "r4 in place of r3"));
        Tensor *in[2] = {matrix(64, sizes[i][0], 0.5f),
                         matrix(64, sizes[i][1], -0.25f)};
        VariableCell cell = {.value = matrix(sizes[i][0], sizes[i][1], 1.0f)};
        VariableCell other = {.value = matrix(sizes[i][0], sizes[i][1], 1.0f)};
        const void *place = cell.value->data;
        uint64_t takes = takes_of(plan, in, &cell);
        cr_expect_leq(takes, 2);
        cr_expect_eq(cell.value->data, place);
        (void)takes_of(slow, in, &other);
        cr_expect(tensor_identical(cell.value, other.value));
        Tensor *held = object_retain(cell.value);
        cr_expect_eq(takes_of(plan, in, &cell), takes + 1);
        cr_expect(tensor_identical(held, other.value));
        (void)takes_of(slow, in, &other);
        cr_expect(tensor_identical(cell.value, other.value));
        Tensor *all[] = {held, in[0], in[1], cell.value, other.value};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            object_release(&ctx, all[k]);
        }
        plan_release(&ctx, plan);
        plan_release(&ctx, slow);
        graph_release(&ctx, graph);
    }
}

// A body writes the next state over the last one, which its condition has read
// by then and of which nothing is read afterwards.
Test(memory, loops_write_over_their_state)
{
    static const char text[] = "graph f(%0 x: float32[3], %1 n: float32[])\n"
                               "  %2: float32[3] = while %0\n"
                               "    cond (%3: float32[3])\n"
                               "      %4: float32[] = sum %3\n"
                               "      %5: bool[] = less %4, %1\n"
                               "      yield %5\n"
                               "    body (%6: float32[3])\n"
                               "      %7: float32[3] = exp %6\n"
                               "      %8: float32[3] = sort %7\n"
                               "      %9: float32[3] = add %8, %0\n"
                               "      yield %9\n"
                               "  return %2\n";
    Plan *plan = planned_text(text);
    // exp over the state, add over what is sorted.
    cr_expect(plan_says(plan, "r1 = exp r0\n"));
    cr_expect(plan_says(plan, "r1 in place of r0  clear $3\n"));
    cr_expect(plan_says(plan, "r2 in place of r0  clear $7\n"));
    plan_release(&ctx, plan);
}

// What is put into a tensor of the run's own is put there; into an argument's,
// a constant's or what somebody else holds, into a copy.
Test(memory, scatters_write_over_what_dies)
{
    static const char text[] =
        "graph f(%0 x: float32[4], %1 at: int64[1, 1], %2 by: float32[1])\n"
        "  %3: float32[4] = scatter_add %0, %1, %2\n"
        "  %4: float32[4] = scatter_update %3, %1, %2\n"
        "  %5: float32[4] = sort %4\n"
        "  %6: float32[4] = scatter_min %5, %1, %2\n"
        "  %7: float32[4] = while %6\n"
        "    cond (%8: float32[4])\n"
        "      %9: float32[] = sum %8\n"
        "      %10: float32[] = sum %0\n"
        "      %11: bool[] = less %9, %10\n"
        "      yield %11\n"
        "    body (%12: float32[4])\n"
        "      %13: float32[4] = scatter_add %12, %1, %2\n"
        "      yield %13\n"
        "  return %5, %7\n";
    Plan *plan = planned_text(text);
    cr_expect(plan_says(plan, "scatter_add $0, $1, $2 -> $3\n"));
    cr_expect(plan_says(plan, "$3, $1, $2 (in place) -> $4  clear $3\n"));
    // $5 is a result.
    cr_expect(plan_says(plan, "scatter_min $5, $1, $2 -> $6\n"));
    cr_expect(plan_says(plan, "$9, $1, $2 (in place) -> $12  clear $9\n"));
    plan_release(&ctx, plan);
}

// What only a concat reads is written where it would be copied to; other parts
// are copied: an argument, what is a result too, what stands twice, and what
// begins within a line of the cache.
Test(memory, parts_are_written_where_the_whole_is)
{
    static const char text[] =
        "graph f(%0 x: float32[1, 2000], %1 y: float32[1, 16], "
        "%2 z: float32[1, 15])\n"
        "  %3: float32[1, 2000] = multiply %0, %0\n"
        "  %4: float32[1, 2000] = add %0, %0\n"
        "  %5: float32[1, 16] = exp %1\n"
        "  %6: float32[1, 4032] = concat %3, %1, %4, %5 axis=-1\n"
        "  %7: float32[1, 2000] = subtract %0, %0\n"
        "  %8: float32[1, 2000] = sqrt %0\n"
        "  %9: float32[1, 2000] = abs %0\n"
        "  %10: float32[1, 8015] = concat %7, %7, %8, %2, %9 axis=1\n"
        "  return %6, %10, %8\n";
    Graph *graph = parsed(text);
    PlanOptions plain = {0};
    Plan *slow = plan_build(&ctx, graph, &plain), *plan = planned(graph);
    Tensor *in[3] = {matrix(1, 2000, 0.5f), matrix(1, 16, -0.25f),
                     matrix(1, 15, 2.0f)};
    Tensor *out[3], *wanted[3];
    PlanArgs args = {in, NULL, NULL, NULL};
    PoolUse *use = pool_use(kernel_state(&ctx)->pool);
    cr_assert(plan_run(&ctx, slow, &args, wanted));
    for (int i = 0; i < 2; i++) {
        uint64_t before = use->takes;
        cr_assert(plan_run(&ctx, plan, &args, out), "%s", ctx.error.text);
        // Two wholes, %7, %8 and %9.
        cr_expect_eq(use->takes - before, 5);
        for (int k = 0; k < 3; k++) {
            cr_expect(tensor_identical(out[k], wanted[k]));
            object_release(&ctx, out[k]);
        }
    }
    cr_expect(plan_says(plan, "(in place)"));
    for (int k = 0; k < 3; k++) {
        object_release(&ctx, wanted[k]);
        object_release(&ctx, in[k]);
    }
    plan_release(&ctx, plan);
    plan_release(&ctx, slow);
    graph_release(&ctx, graph);
}
