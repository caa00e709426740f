// What of a graph takes no step.
#include <criterion/criterion.h>

#include <stdio.h>

#include "backend/step.h"
#include "graph/graph_parse.h"
#include "graph/passes/pass.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/plan_ctx.h"

TestSuite(steps, .init = set_up, .fini = tear_down);

// Slices and operands that broadcast both ways are read where they are: one
// step, and not in the memory of what is read across.
Test(steps, views_take_no_step)
{
    static const char text[] =
        "graph f(%0 x: float32[9, 1, 9], %1 y: float32[1, 9, 9])\n"
        "  %2: float32[9, 9, 9] = add %0, %1\n"
        "  %3: float32[9, 9, 9] = permute_dims %2 axes=(1, 0, 2)\n"
        "  %4: float32[9, 9, 9] = multiply %2, %3\n"
        "  return %4\n";
    Plan *plan = planned_text(text);
    cr_expect_eq(plan_step_count(plan), 2);
    cr_expect(plan_says(plan, "(runs)"));
    cr_expect_not(plan_says(plan, "in place of"));
    plan_release(&ctx, plan);
}

// A plan keeps the steps that it has, not room for one of each node.
Test(steps, programs_of_many_nodes_are_short)
{
    enum { MANY = 3000 };
    int64_t dims[1] = {5};
    Graph *g = graph_new(&ctx, "f");
    ValueId x = graph_add_input(g, "x", (TensorType){DT_FLOAT32, 1, dims});
    for (int i = 0; i < MANY; i++) {
        ValueId in[2] = {x, x};
        x = node_output(
            graph_append(g, g->block, OP_ADD, in, 2, NULL, GRAPH_PLACE_NONE),
            0);
    }
    cr_assert(graph_block_results(g, g->block, &x, 1));
    PlanOptions options = {.fuse = true};
    Plan *plan = plan_build(&ctx, g, &options);
    cr_assert_not_null(plan);
    cr_expect_eq(plan_step_count(plan), MANY / 60);
    // Two registers and an op of each node, and a little.
    cr_expect_lt(plan->arena.total, MANY * 200);
    plan_release(&ctx, plan);
    graph_release(&ctx, g);
}

// The index of a loop that counts takes no step; what reads it in another way,
// or another end, does.
Test(steps, loops_that_count)
{
    static const char text[] =
        "graph f(%%0 x: float32[3], %%1 n: int32[])\n"
        "  %%2: int32[] = const 0\n"
        "  %%3: int32[] = const 1\n"
        "  %%4: float32[3], %%5: int32[] = while %%0, %%2\n"
        "    cond (%%6: float32[3], %%7: int32[])\n"
        "      %%8: bool[] = less %%7, %%1\n"
        "      yield %%8\n"
        "    body (%%9: float32[3], %%10: int32[])\n"
        "      %%11: float32[3] = sort %%9\n"
        "      %%12: int32[] = add %%10, %%%d\n"
        "      yield %%11, %%12\n"
        "  return %%4, %%5\n";
    for (int by = 3; by >= 1; by -= 2) {
        char written[1000];
        snprintf(written, sizeof written, text, by);
        Plan *plan = planned_text(written);
        cr_expect_eq(plan_says(plan, "counts"), by == 3);
        cr_expect_eq(plan_step_count(plan), by == 3 ? 2 : 4);
        plan_release(&ctx, plan);
    }
}

// A part in one run is read where it begins, and what it is a part of is not
// written over meanwhile.
Test(steps, parts_take_no_step)
{
    static const char text[] =
        "graph f(%0 x: float32[3, 5])\n"
        "  %1: float32[3, 5] = permute_dims %0 axes=(0, 1)\n"
        "  %2: float32[5] = index %1 spec=(0, 2, None, None, 0)\n"
        "  %3: float32[1, 5] = index %0 spec=(1, 1, 2, None, 0)\n"
        "  %4: float32[3, 5] = subtract %1, %2\n"
        "  %5: float32[3, 5] = multiply %4, %3\n"
        "  return %5\n";
    Graph *g = parsed(text);
    Plan *plan = planned(g);
    cr_expect_eq(plan_step_count(plan), 2);
    cr_expect_not(plan_says(plan, "in place of"));
    int64_t dims[2] = {3, 5};
    Tensor *x = tensor_new(&ctx, DT_FLOAT32, 2, dims), *fused, *plain;
    for (int i = 0; i < 15; i++) {
        ((float *)x->data)[i] = (float)(i - 6) * 0.25f;
    }
    PlanArgs args = {&x, NULL, NULL, NULL};
    cr_assert(plan_run(&ctx, plan, &args, &fused), "%s", ctx.error.text);
    cr_assert(graph_run(&ctx, g, &args, &plain), "%s", ctx.error.text);
    cr_expect(tensor_identical(fused, plain));
    object_release(&ctx, fused);
    object_release(&ctx, plain);
    object_release(&ctx, x);
    plan_release(&ctx, plan);
    graph_release(&ctx, g);
}
