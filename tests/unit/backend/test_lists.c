// Lists of tensors in graphs: read from a text, checked, optimised and run.
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "backend/exec.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
#include "graph/passes/pass.h"
#include "ops/tensor_list.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/plan_ctx.h"

TestSuite(lists, .init = set_up, .fini = tear_down);

// Runs on one int32, with all passes and with none; false: it has failed.
static bool run_text(const char *text, int64_t argument, Tensor **outputs)
{
    Graph *graph = parsed(text);
    Tensor *in = tensor_scalar_int(&ctx, DT_INT32, argument);
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        PlanOptions options = {i == 0 ? 0 : PASS_ALL, i != 0, i != 0, true,
                               false};
        Plan *plan = plan_build(&ctx, graph, &options);
        cr_assert_not_null(plan, "%s", ctx.error.text);
        PlanArgs args = {&in, NULL, NULL, NULL};
        uint32_t count = graph->block->result_count;
        for (uint32_t k = 0; i > 0 && k < count; k++) {
            object_release(&ctx, outputs[k]);
        }
        ok = plan_run(&ctx, plan, &args, outputs);
        plan_release(&ctx, plan);
    }
    cr_assert_eq(in->head.rc, 1);
    object_release(&ctx, in);
    graph_release(&ctx, graph);
    return ok;
}

static void expect(const char *text, int64_t argument, const char *expected)
{
    Tensor *out;
    cr_assert(run_text(text, argument, &out), "%s", ctx.error.text);
    StrBuf buf;
    strbuf_init(&buf, &ctx);
    tensor_print_str(&buf, out);
    cr_expect_str_eq(strbuf_text(&buf), expected);
    strbuf_free(&buf);
    object_release(&ctx, out);
}

static void expect_failure(const char *text, int64_t argument, ErrorKind kind,
                           const char *expected)
{
    Tensor *out;
    cr_assert_not(run_text(text, argument, &out));
    cr_expect_eq(ctx.error.kind, kind);
    cr_expect_str_eq(ctx.error.text, expected);
    ctx_clear(&ctx);
}

static const char appended[] =
    "graph f(%0 n: int32[])\n"
    "  %1: int32[] = const 0\n"
    "  %2: list[int32[]] = list_new dtype=int32 shape=()\n"
    "  %3: int32[], %4: list[int32[]] = while %1, %2\n"
    "    cond (%5 i: int32[], %6: list[int32[]])\n"
    "      %7: bool[] = less %5, %0\n"
    "      yield %7\n"
    "    body (%8 i: int32[], %9: list[int32[]])\n"
    "      %10: int32[] = multiply %8, %8\n"
    "      %11: list[int32[]] = list_append %9, %10\n"
    "      %12: int32[] = const 1\n"
    "      %13: int32[] = add %8, %12\n"
    "      yield %13, %11\n"
    "  %14: int32[?] = list_stack %4\n"
    "  return %14\n";

Test(lists, a_loop_appends)
{
    expect(appended, 5, "[ 0  1  4  9 16]");
    // The type says what an empty one has.
    expect(appended, 0, "[]");
}

Test(lists, the_text_is_printed_as_it_was_read)
{
    Graph *graph = parsed(appended);
    StrBuf buf;
    strbuf_init(&buf, &ctx);
    graph_print(&buf, graph, true);
    cr_expect_str_eq(strbuf_text(&buf), appended);
    strbuf_free(&buf);
    graph_release(&ctx, graph);
}

// What is changed is a new list; the one before it stays as it was.
Test(lists, are_values)
{
    expect("graph f(%0 n: int32[])\n"
           "  %1: list[int32[]] = list_new %0, %0 dtype=int32 shape=()\n"
           "  %2: int32[] = const 7\n"
           "  %3: list[int32[]] = list_append %1, %2\n"
           "  %4: int32[] = const -1\n"
           "  %5: list[int32[]] = list_write %3, %4, %0\n"
           "  %6: list[int32[]], %7: int32[] = list_pop %3\n"
           "  %8: int32[] = list_size %1\n"
           "  %9: int32[] = list_size %5\n"
           "  %10: int32[] = list_size %6\n"
           "  %11: int32[] = list_read %5, %4\n"
           "  %12: int32[5] = stack %7, %8, %9, %10, %11 axis=0\n"
           "  return %12\n",
           3, "[7 2 3 2 3]");
}

Test(lists, branches_give_lists)
{
    static const char text[] =
        "graph f(%0 n: int32[])\n"
        "  %1: list[int32[...]] = list_new %0 dtype=int32\n"
        "  %2: int32[2] = const [4, 5]\n"
        "  %3: bool[] = greater %0, %0\n"
        "  %4: bool[] = cast %0 dtype=bool\n"
        "  %5: list[int32[...]] = if %4\n"
        "    then\n"
        "      %6: list[int32[...]] = list_append %1, %2\n"
        "      yield %6\n"
        "    else\n"
        "      %7: list[int32[...]], %8: int32[...] = list_pop %1\n"
        "      yield %7\n"
        "  %9: int32[] = list_size %5\n"
        "  return %9\n";
    expect(text, 1, "2");
    expect(text, 0, "0");
}

Test(lists, a_tensor_is_taken_apart)
{
    expect("graph f(%0 n: int32[])\n"
           "  %1: int32[3, 2] = const [1, 2, 3, 4, 5, 6]\n"
           "  %2: list[int32[2]] = list_unstack %1\n"
           "  %3: int32[2] = list_read %2, %0\n"
           "  %4: list[int32[2]] = list_append %2, %3\n"
           "  %5: int32[?, 2] = list_stack %4\n"
           "  return %5\n",
           1, "[[1 2]\n [3 4]\n [5 6]\n [3 4]]");
}

// Classes and texts are those of the host's lists.
Test(lists, faults_are_errors)
{
#define HEAD                                                                   \
    "graph f(%0 n: int32[])\n"                                                 \
    "  %1: list[int32[...]] = list_new %0 dtype=int32\n"
    expect_failure(HEAD "  %2: int32[...] = list_read %1, %0\n"
                        "  return %2\n",
                   1, ERR_INDEX, "list index out of range");
    expect_failure(HEAD "  %2: list[int32[...]] = list_write %1, %0, %0\n"
                        "  return %2\n",
                   -2, ERR_INDEX, "list assignment index out of range");
    expect_failure(HEAD "  %2: list[int32[...]], %3: int32[...] = list_pop %1\n"
                        "  %4: list[int32[...]], %5: int32[...] = list_pop %2\n"
                        "  return %5\n",
                   1, ERR_INDEX, "pop from empty list");
    expect_failure(HEAD "  %2: int32[1] = const [2]\n"
                        "  %3: list[int32[...]] = list_append %1, %2\n"
                        "  %4: int32[...] = list_stack %3\n"
                        "  return %4\n",
                   1, ERR_SHAPE,
                   "stack: shapes differ: () and (1,); "
                   "all must have one shape");
    // The node claims more than the elements have.
    expect_failure(HEAD "  %2: int32[1] = const [2]\n"
                        "  %3: list[int32[...]] = list_append %1, %2\n"
                        "  %4: list[int32[...]] = list_slice %3, %0, %0\n"
                        "  %5: list[int32[...]] = list_append %4, %2\n"
                        "  %6: int32[?, 3] = list_join %5 shape=(None, 3)\n"
                        "  return %6\n",
                   1, ERR_SHAPE,
                   "an element has the shape (1,), where the others have "
                   "(None, 3)");
    expect_failure(HEAD "  %2: list[int32[...]], %3: int32[...] = list_pop %1\n"
                        "  %4: int32[...] = list_stack %2\n"
                        "  return %4\n",
                   1, ERR_SHAPE,
                   "stack: an empty list, whose elements' shape is not known");
}

// Where the rank is known only in a run, too.
Test(lists, indexes_are_one_element)
{
#define VECTOR                                                                 \
    HEAD "  %2: int32[0] = const []\n"                                         \
         "  %3: list[int32[...]] = list_append %1, %2\n"                       \
         "  %4: int32[] = const 1\n"                                           \
         "  %5: int32[...] = list_read %3, %4\n"
    static const char *const uses[] = {
        "  %6: list[int32[...]], %7: int32[...] = list_take %3, %5\n",
        "  %7: list[int32[...]] = list_insert %3, %5, %4\n",
        "  %7: list[int32[...]] = list_resize %3, %5\n",
        "  %7: list[int32[...]] = list_slice %3, %4, %5\n",
        "  %7: int32[...] = list_blank %3, %5\n",
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        char text[1000];
        bool list = strstr(uses[i], "%7: list") != NULL;
        snprintf(text, sizeof text, "%s%s%s", VECTOR, uses[i],
                 list ? "  %8: int32[] = list_size %7\n  return %8\n"
                      : "  return %7\n");
        expect_failure(text, 1, ERR_TYPE,
                       "a list's index has 0 elements, not one");
    }
    expect_failure(HEAD
                   "  %2: list[int32[...]] = list_slice %1, %0, %0 step=0\n"
                   "  %3: int32[] = list_size %2\n"
                   "  return %3\n",
                   1, ERR_VALUE, "slice step cannot be zero");
}

static void expect_refused(const char *text, const char *expected)
{
    cr_assert_null(graph_parse(&ctx, text, strlen(text)));
    cr_expect_not_null(strstr(ctx.error.text, expected), "%s", ctx.error.text);
    ctx_clear(&ctx);
}

Test(lists, other_ops_take_tensors)
{
    expect_refused(HEAD "  %2: list[int32[...]] = add %1, %1\n  return %2\n",
                   "add: takes tensors, not a list of them");
    expect_refused(HEAD "  print %1 format='\\x00' style='print' "
                        "stream='stdout'\n  return\n",
                   "print: takes tensors, not a list of them");
    expect_refused(HEAD "  %2: float32[] = const 1.0\n"
                        "  %3: list[int32[...]] = list_append %1, %2\n"
                        "  return\n",
                   "list_append: the list holds int32, not float32");
    expect_refused(HEAD "  %2: list[int32[...]] = list_append %1, %1\n"
                        "  return\n",
                   "list_append: the list holds int32, not list");
    expect_refused(HEAD "  %2: list[float32[...]] = list_new dtype=float32\n"
                        "  %3: list[int32[...]] = list_concat %1, %2\n"
                        "  return\n",
                   "list_concat: the list holds int32, not float32");
    expect_refused(HEAD "  %2: list[int32[...]] = list_concat %1, %0\n"
                        "  return\n",
                   "list_concat: takes a list of tensors");
    expect_refused(HEAD "  %2: int32[] = list_size %0\n  return\n",
                   "list_size: takes a list of tensors");
    expect_refused("graph f(%0 n: list[int32[]])\n  return\n",
                   "a list is made in a graph");
    expect_refused("graph f()\n  variable @0 v: list[int32[]]\n  return\n",
                   "a list is made in a graph");
    expect_refused("graph f()\n  %0: list[int32[]] = const 1\n  return\n",
                   "a constant has one output of known shape");
    expect_refused("graph f()\n"
                   "  %0: list[list[int32[]]] = list_new dtype=int32\n"
                   "  return\n",
                   "expected a dtype");
}

// Appending is in place where nobody else holds the list.
Test(lists, grow_in_linear_time)
{
    Tensor *list = tensor_list_new(&ctx, DT_INT32, 0);
    int64_t moved = 0;
    for (int i = 0; i < 1000; i++) {
        const Tensor *before = list;
        list = tensor_list_own(&ctx, list, list->count + 1);
        cr_assert_not_null(list);
        moved += list != before;
        tensor_list_push(list, tensor_scalar_int(&ctx, DT_INT32, i));
    }
    cr_expect_lt(moved, 12);
    Tensor *other = object_retain(list);
    other = tensor_list_own(&ctx, other, other->count);
    cr_assert_neq(other, list);
    Tensor *last = tensor_list_pop(other);
    cr_expect_eq(tensor_int_at(last, 0), 999);
    cr_expect_eq(list->count, 1000);
    object_release(&ctx, last);
    object_release(&ctx, other);
    object_release(&ctx, list);
}
