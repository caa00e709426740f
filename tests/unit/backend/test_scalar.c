// Loops over few numbers: compiled, they give what a run step by step gives.
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/exec.h"
#include "graph/graph_parse.h"
#include "graph/passes/pass.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/plan_ctx.h"

TestSuite(scalar, .init = set_up, .fini = tear_down);

static Plan *build(const char *text, bool fuse)
{
    PlanOptions options = {PASS_ALL, fuse, true, true, false};
    Graph *graph = parsed(text);
    Plan *plan = plan_build(&ctx, graph, &options);
    cr_assert_not_null(plan, "%s", ctx.error.text);
    graph_release(&ctx, graph);
    return plan;
}

static bool is_compiled(const Plan *plan)
{
    return plan_says(plan, "loop over scalars");
}

// Runs compiled and step by step; both results, or both errors, are equal.
// Returns the first result as a number, -1 after an error.
static double both(const char *text, DType dtype, double argument)
{
    Tensor *in = tensor_scalar_float(&ctx, dtype, argument);
    PlanArgs args = {&in, NULL, NULL, NULL};
    Tensor *out[2][2];
    char error[2][200] = {"", ""};
    bool ok[2];
    for (int fuse = 0; fuse < 2; fuse++) {
        Plan *plan = build(text, fuse);
        cr_assert_eq(is_compiled(plan), fuse);
        ok[fuse] = plan_run(&ctx, plan, &args, out[fuse]);
        if (!ok[fuse]) {
            strncpy(error[fuse], ctx.error.text, 199);
            ctx_clear(&ctx);
        }
        plan_release(&ctx, plan);
    }
    cr_assert_eq(ok[0], ok[1]);
    cr_assert_str_eq(error[0], error[1]);
    object_release(&ctx, in);
    if (!ok[0]) {
        return -1;
    }
    double result = tensor_float_at(out[0][0], 0);
    for (int i = 0; i < 2; i++) {
        cr_assert(tensor_identical(out[0][i], out[1][i]));
        object_release(&ctx, out[0][i]);
        object_release(&ctx, out[1][i]);
    }
    return result;
}

// Turns to 1 by halving and 3 n + 1: an if in a loop, ops without an
// instruction of their own.
static const char collatz[] = "graph f(%0 n: int64[])\n"
                              "  %1: int64[] = const 0\n"
                              "  %2: int64[] = const 1\n"
                              "  %3: int64[] = const 2\n"
                              "  %4: int64[] = const 3\n"
                              "  %5: int64[], %6: int64[] = while %1, %0\n"
                              "    cond (%7 turns: int64[], %8 n: int64[])\n"
                              "      %9: bool[] = greater %8, %2\n"
                              "      yield %9\n"
                              "    body (%10 turns: int64[], %11 n: int64[])\n"
                              "      %12: int64[] = remainder %11, %3\n"
                              "      %13: bool[] = equal %12, %1\n"
                              "      %14: int64[] = if %13\n"
                              "        then\n"
                              "          %15: int64[] = floor_divide %11, %3\n"
                              "          yield %15\n"
                              "        else\n"
                              "          %16: int64[] = multiply %11, %4\n"
                              "          %17: int64[] = add %16, %2\n"
                              "          yield %17\n"
                              "      %18: int64[] = add %10, %2\n"
                              "      yield %18, %14\n"
                              "  return %5, %6\n";

Test(scalar, an_if_in_a_loop)
{
    cr_assert_eq(both(collatz, DT_INT64, 27), 111);
    cr_assert_eq(both(collatz, DT_INT64, 1), 0);
    cr_assert_eq(both(collatz, DT_INT64, -5), 0);
}

// a, b = b, a + b: state that trades places.
Test(scalar, state_that_trades_places)
{
    static const char text[] =
        "graph f(%0 n: int32[])\n"
        "  %1: int32[] = const 0\n"
        "  %2: int32[] = const 1\n"
        "  %3: int32[], %4: int32[], %5: int32[] = while %1, %2, %0\n"
        "    cond (%6 a: int32[], %7 b: int32[], %8 n: int32[])\n"
        "      %9: bool[] = greater %8, %1\n"
        "      yield %9\n"
        "    body (%10 a: int32[], %11 b: int32[], %12 n: int32[])\n"
        "      %13: int32[] = subtract %12, %2\n"
        "      %14: int32[] = add %10, %11\n"
        "      yield %11, %14, %13\n"
        "  return %3, %4\n";
    cr_assert_eq(both(text, DT_INT32, 10), 55);
    cr_assert_eq(both(text, DT_INT32, 100), -980107325); // wraps
}

// Two loops, a select, floats; the inner one uses the outer one's state.
Test(scalar, a_loop_in_a_loop)
{
    static const char text[] =
        "graph f(%0 x: float32[])\n"
        "  %1: int32[] = const 0\n"
        "  %2: int32[] = const 5\n"
        "  %3: int32[] = const 1\n"
        "  %4: float32[] = const 1.01\n"
        "  %5: float32[], %6: int32[] = while %0, %1\n"
        "    cond (%7 s: float32[], %8 i: int32[])\n"
        "      %9: bool[] = less %8, %2\n"
        "      yield %9\n"
        "    body (%10 s: float32[], %11 i: int32[])\n"
        "      %12: float32[], %13: int32[] = while %10, %1\n"
        "        cond (%14 s: float32[], %15 j: int32[])\n"
        "          %16: bool[] = less_equal %15, %11\n"
        "          yield %16\n"
        "        body (%17 s: float32[], %18 j: int32[])\n"
        "          %19: float32[] = multiply %17, %4\n"
        "          %20: float32[] = exp %19\n"
        "          %21: bool[] = isfinite %20\n"
        "          %22: float32[] = where %21, %20, %4\n"
        "          %23: int32[] = add %18, %3\n"
        "          yield %22, %23\n"
        "      %24: int32[] = add %11, %3\n"
        "      yield %12, %24\n"
        "  return %5, %6\n";
    for (int i = -20; i < 20; i++) {
        both(text, DT_FLOAT32, i * 0.3);
    }
}

Test(scalar, a_division_by_zero_is_the_eager_error)
{
    static const char text[] =
        "graph f(%0 n: int32[])\n"
        "  %1: int32[] = const 1\n"
        "  %2: int32[], %3: int32[] = while %0, %0\n"
        "    cond (%4 n: int32[], %5 q: int32[])\n"
        "      %6: bool[] = greater %5, %1\n"
        "      yield %6\n"
        "    body (%7 n: int32[], %8 q: int32[])\n"
        "      %9: int32[] = subtract %7, %1\n"
        "      %10: int32[] = floor_divide %8, %9  # f.duet:3 q // n\n"
        "      %11: int32[] = add %10, %8\n"
        "      yield %9, %11\n"
        "  return %2, %3\n";
    cr_assert_eq(both(text, DT_INT32, 5), -1);
}

// Ctrl-C ends a loop that has no other end.
Test(scalar, an_interrupt_ends_a_loop)
{
    static const char text[] = "graph f(%0 x: int32[])\n"
                               "  %1: int32[] = while %0\n"
                               "    cond (%2: int32[])\n"
                               "      %3: bool[] = equal %2, %2\n"
                               "      yield %3\n"
                               "    body (%4: int32[])\n"
                               "      %5: int32[] = negative %4\n"
                               "      yield %5\n"
                               "  return %1\n";
    Plan *plan = build(text, true);
    Tensor *in = tensor_scalar_int(&ctx, DT_INT32, 1), *out;
    PlanArgs args = {&in, NULL, NULL, NULL};
    cr_assert(is_compiled(plan));
    ctx.interrupt = 1;
    cr_assert_not(plan_run(&ctx, plan, &args, &out));
    cr_assert_eq(ctx.error.kind, ERR_INTERRUPT);
    ctx_clear(&ctx);
    object_release(&ctx, in);
    plan_release(&ctx, plan);
}

// Views, joins, sums and broadcasts of tensors of few elements, in a state
// whose elements trade places.
Test(scalar, small_tensors_are_as_many_numbers)
{
    static const char text[] =
        "graph f(%0 x: float32[])\n"
        "  %1: float32[2, 3] = const [0.5, -1.0, 0.25, 2.0, 0.0, -0.5]\n"
        "  %2: float32[2, 3] = multiply %1, %0\n"
        "  %3: int64[2] = const [1, 2]\n"
        "  %4: float32[2, 3], %5: int64[2] = while %2, %3\n"
        "    cond (%6 m: float32[2, 3], %7 i: int64[2])\n"
        "      %8: int64[] = sum %7\n"
        "      %9: int64[] = const 2000\n"
        "      %10: bool[] = less %8, %9\n"
        "      yield %10\n"
        "    body (%11 m: float32[2, 3], %12 i: int64[2])\n"
        "      %13: float32[2, 3] = index %11 spec=(1, None, None, None, 0, "
        "1, None, None, -1, 0)\n"
        "      %14: float32[2, 3] = tanh %13\n"
        "      %15: float32[2, 3] = negative %11\n"
        "      %16: float32[2, 6] = concat %14, %15 axis=1\n"
        "      %17: float32[2, 1] = sum %16 axis=(1,) keepdims=True\n"
        "      %18: float32[] = mean %16\n"
        "      %19: float32[2, 1] = square %17\n"
        "      %20: float32[2, 1] = sqrt %19\n"
        "      %21: float32[2, 3] = subtract %11, %20\n"
        "      %22: float32[3, 2] = permute_dims %21 axes=(1, 0)\n"
        "      %23: float32[2, 3] = reshape %22 shape=(2, 3)\n"
        "      %24: float32[2, 3] = add %23, %18\n"
        "      %25: int64[] = index %12 spec=(0, 1, None, None, 0)\n"
        "      %26: int64[] = index %12 spec=(0, 0, None, None, 0)\n"
        "      %27: int64[] = add %25, %26\n"
        "      %28: int64[2] = stack %27, %26\n"
        "      yield %24, %28\n"
        "  return %4, %5\n";
    for (int i = -20; i < 20; i++) {
        both(text, DT_FLOAT32, i * 0.3);
    }
}

// What holds a larger tensor or an effect runs step by step.
Test(scalar, other_loops_are_left_alone)
{
    static const char text[] = "graph f(%0 x: float32[17])\n"
                               "  %1: float32[17] = while %0\n"
                               "    cond (%2: float32[17])\n"
                               "      %3: float32[] = sum %2\n"
                               "      %4: float32[] = const 10.0\n"
                               "      %5: bool[] = less %3, %4\n"
                               "      yield %5\n"
                               "    body (%6: float32[17])\n"
                               "      %7: float32[17] = add %6, %6\n"
                               "      yield %7\n"
                               "  return %1\n";
    Plan *plan = build(text, true);
    cr_assert_not(is_compiled(plan));
    plan_release(&ctx, plan);
}

// Two loops of as many turns as the argument, from 0 and from what `second`
// names.
static Plan *build_two(const char *second)
{
    static const char loop[] = "while %s, %%0\n"
                               "    cond (%%%d: int64[], %%%d: int64[])\n"
                               "      %%%d: bool[] = less %%%d, %%%d\n"
                               "      yield %%%d\n"
                               "    body (%%%d: int64[], %%%d: int64[])\n"
                               "      %%%d: int64[] = add %%%d, %%2\n"
                               "      yield %%%d, %%%d\n";
    char text[2000];
    int length = sprintf(text, "graph f(%%0 n: int64[])\n"
                               "  %%1: int64[] = const 0\n"
                               "  %%2: int64[] = const 1\n");
    for (int i = 0, v = 3; i < 2; i++, v += 7) {
        length += sprintf(text + length, "  %%%d: int64[], %%%d: int64[] = ", v,
                          v + 1);
        length += sprintf(text + length, loop, i == 0 ? "%1" : second, v + 2,
                          v + 3, v + 4, v + 2, v + 3, v + 4, v + 5, v + 6,
                          v + 7, v + 5, v + 7, v + 6);
        v++;
    }
    sprintf(text + length, "  return %%3, %%11\n");
    return build(text, true);
}

static bool run_two(Plan *plan, int64_t turns, Tensor **out)
{
    Tensor *in = tensor_scalar_int(&ctx, DT_INT64, turns);
    PlanArgs args = {&in, NULL, NULL, NULL};
    bool ok = plan_run(&ctx, plan, &args, out);
    object_release(&ctx, in);
    return ok;
}

static void expect_turns(Plan *plan, int64_t turns)
{
    Tensor *out[2];
    cr_assert(run_two(plan, turns, out));
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(tensor_int_at(out[i], 0), turns);
        object_release(&ctx, out[i]);
    }
}

static void *interrupt_soon(void *none)
{
    usleep(50000);
    ctx_interrupt(&ctx, INTERRUPT_SIGNAL);
    return none;
}

Test(scalar, loops_that_do_not_need_each_other_run_side_by_side)
{
    setenv("DUET_THREADS", "2", 1);
    Plan *plan = build_two("%2");
    cr_assert(plan_says(plan, "side by side: 2 steps"));
    for (int i = 0; i < 4; i++) {
        expect_turns(plan, 200000);
    }
    // They end by Ctrl-C as well, and run again.
    Tensor *out[2];
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, interrupt_soon, NULL), 0);
    cr_assert_not(run_two(plan, INT64_MAX, out));
    cr_assert_eq(ctx.error.kind, ERR_INTERRUPT);
    ctx_clear(&ctx);
    pthread_join(thread, NULL);
    expect_turns(plan, 200000);
    expect_turns(plan, 3);
    plan_release(&ctx, plan);
}

Test(scalar, a_loop_that_needs_another_waits_for_it)
{
    Plan *plan = build_two("%3");
    cr_assert(is_compiled(plan));
    cr_assert_not(plan_says(plan, "side by side"));
    expect_turns(plan, 1000);
    plan_release(&ctx, plan);
}
