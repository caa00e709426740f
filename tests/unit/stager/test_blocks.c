// What blocks of a traced function become: the graph's text, place by place as
// the source says it, without what nobody uses.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph_text.h"

#include "program.h"

TestSuite(blocks, .init = program_open, .fini = program_close);

// The graph of `f`, which `source` defines, traced for these arguments.
static Graph *trace(const char *source, const char *arguments)
{
    char call[200];
    program_run(source);
    snprintf(call, sizeof call, "f.concrete(%s)", arguments);
    return ((Concrete *)value_object(program_value(call)))->graph;
}

static void check(const char *source, const char *arguments,
                  const char *expected)
{
    const char *text = program_graph(trace(source, arguments));
    cr_expect_str_eq(text, expected, "%s", text);
}

// The first lines of most graphs here.
#define IS_POSITIVE                                                            \
    "graph f(%0 x: float32[])\n"                                               \
    "  %1: float32[] = const 0.0\n"                                            \
    "  %2: bool[] = greater %0, %1\n"

Test(blocks, an_if_yields_what_differs)
{
    check("@stage\n"
          "def f(x):\n"
          "    kept = 't'\n"
          "    if x > 0:\n"
          "        kept = 't'\n"
          "        y = x * 2\n"
          "    else:\n"
          "        y = x\n"
          "    return y\n",
          "tensor(1.0)",
          IS_POSITIVE "  %3: float32[] = if %2\n"
                      "    then\n"
                      "      %4: float32[] = const 2.0\n"
                      "      %5 y: float32[] = multiply %0, %4\n"
                      "      yield %5\n"
                      "    else\n"
                      "      yield %0\n"
                      "  return %3\n");
}

Test(blocks, a_literal_takes_the_dtype_of_the_other_side)
{
    check("@stage\n"
          "def f(x):\n"
          "    return x if x > 0 else 2\n",
          "tensor(1.0)",
          IS_POSITIVE "  %3: float32[] = if %2\n"
                      "    then\n"
                      "      yield %0\n"
                      "    else\n"
                      "      %4: float32[] = const 2.0\n"
                      "      yield %4\n"
                      "  return %3\n");
}

Test(blocks, structures_are_merged_leaf_by_leaf)
{
    check("@stage\n"
          "def f(x):\n"
          "    s = (x, [1, {'k': 2}])\n"
          "    if x > 0:\n"
          "        s = (-x, [1, {'k': 3}])\n"
          "    return s\n",
          "tensor(1.0)",
          IS_POSITIVE "  %3: float32[], %4: int32[] = if %2\n"
                      "    then\n"
                      "      %5: float32[] = negative %0\n"
                      "      %6: int32[] = const 3\n"
                      "      yield %5, %6\n"
                      "    else\n"
                      "      %7: int32[] = const 2\n"
                      "      yield %0, %7\n"
                      "  return %3, %4\n");
}

// No node for a block that changes nothing that is read later.
Test(blocks, an_if_without_consequences_is_left_out)
{
    check("@stage\n"
          "def f(x):\n"
          "    y = 1\n"
          "    if x > 0:\n"
          "        y = 1\n"
          "        z = x * 2\n"
          "    return x\n",
          "tensor(1.0)", IS_POSITIVE "  return %0\n");
}

Test(blocks, flags_are_the_condition)
{
    check("@stage\n"
          "def f(x):\n"
          "    if x > 0:\n"
          "        a, b = True, False\n"
          "    else:\n"
          "        a, b = False, True\n"
          "    return a, b\n",
          "tensor(1.0)",
          IS_POSITIVE "  %3: bool[] = logical_not %2\n"
                      "  return %2, %3\n");
}

Test(blocks, what_follows_a_return_is_the_other_side)
{
    check("@stage\n"
          "def f(x):\n"
          "    if x > 0:\n"
          "        return x\n"
          "    y = -x\n"
          "    return y + y\n",
          "tensor(1.0)",
          IS_POSITIVE "  %3: float32[] = if %2\n"
                      "    then\n"
                      "      yield %0\n"
                      "    else\n"
                      "      %4 y: float32[] = negative %0\n"
                      "      %5: float32[] = add %4, %4\n"
                      "      yield %5\n"
                      "  return %3\n");
}

Test(blocks, a_side_that_raises_yields_nothing)
{
    check("@stage\n"
          "def f(x):\n"
          "    if x > 0:\n"
          "        y = x\n"
          "    else:\n"
          "        raise ValueError('no')\n"
          "    return y\n",
          "tensor(1.0)",
          IS_POSITIVE "  ^control.2 = if ^control.0 %2\n"
                      "    then\n"
                      "      yield ^control.0\n"
                      "    else\n"
                      "      ^control.1 = raise ^control.0 "
                      "text='ValueError: no'\n"
                      "      unreachable\n"
                      "  return %0, ^control.2\n");
}

Test(blocks, effects_stay_in_their_side)
{
    check("v = Variable(1.0, name='v')\n"
          "@stage\n"
          "def f(x):\n"
          "    if x > 0:\n"
          "        v.assign(x)\n"
          "    return v + x\n",
          "tensor(1.0)",
          "graph f(%0 x: float32[])\n"
          "  variable @0 v: float32[]\n"
          "  %1: float32[] = const 0.0\n"
          "  %2: bool[] = greater %0, %1\n"
          "  ^0.2 = if ^0.0 %2\n"
          "    then\n"
          "      ^0.1 = assign_variable @0 ^0.0 %0\n"
          "      yield ^0.1\n"
          "    else\n"
          "      yield ^0.0\n"
          "  %3: float32[] = read_variable @0 ^0.2\n"
          "  %4: float32[] = add %3, %0\n"
          "  return %4, ^0.2\n");
}

Test(blocks, a_host_condition_makes_no_block)
{
    check("@stage\n"
          "def f(x, n):\n"
          "    while n > 0:\n"
          "        if n != 1:\n"
          "            x = -x\n"
          "        n -= 1\n"
          "    return x\n",
          "tensor(1.0), 3",
          "graph f(%0 x: float32[])\n"
          "  %1: float32[] = negative %0\n"
          "  %2 x: float32[] = negative %1\n"
          "  return %2\n");
}

// A turn that runs on the host first, because its condition is known, is not
// part of the loop.
Test(blocks, a_while_carries_what_changes)
{
    check("@stage\n"
          "def f(x):\n"
          "    kept = x + x\n"
          "    while x < kept:\n"
          "        y = -x\n"
          "        x = y * y\n"
          "    return x\n",
          "tensor(1.0)",
          "graph f(%0 x: float32[])\n"
          "  %1 kept: float32[] = add %0, %0\n"
          "  %2: bool[] = less %0, %1\n"
          "  %3: float32[] = while %0\n"
          "    cond (%4 x: float32[])\n"
          "      %5: bool[] = less %4, %1\n"
          "      yield %5\n"
          "    body (%6 x: float32[])\n"
          "      %7 y: float32[] = negative %6\n"
          "      %8 x: float32[] = multiply %7, %7\n"
          "      yield %8\n"
          "  return %3\n");
}

// A host number becomes part of the state, with the dtype that it meets.
Test(blocks, a_for_counts_in_the_graph)
{
    check("@stage\n"
          "def f(n):\n"
          "    t = 0.5\n"
          "    for i in range(n):\n"
          "        t = t * t\n"
          "    return t\n",
          "tensor(3)",
          "graph f(%0 n: int32[])\n"
          "  %1: float32[] = const 0.5\n"
          "  %2: int32[] = const 0\n"
          "  %3: float32[], %4: int32[] = while %1, %2\n"
          "    cond (%5 t: float32[], %6 index: int32[])\n"
          "      %7: bool[] = less %6, %0\n"
          "      yield %7\n"
          "    body (%8 t: float32[], %9 index: int32[])\n"
          "      %10 t: float32[] = multiply %8, %8\n"
          "      %11: int32[] = const 1\n"
          "      %12: int32[] = add %9, %11\n"
          "      yield %10, %12\n"
          "  return %3\n");
}

Test(blocks, and_of_what_cannot_fail_needs_no_block)
{
    check("@stage\n"
          "def f(x):\n"
          "    return x > 0 and x == x\n",
          "tensor(1.0)",
          IS_POSITIVE "  %3: bool[] = equal %0, %0\n"
                      "  %4: bool[] = logical_and %2, %3\n"
                      "  return %4\n");
}

// Sizes that the sides do not share are unknown behind the block.
Test(blocks, sizes_that_differ_become_unknown)
{
    Graph *graph = trace("@stage\n"
                         "def f(c, x, y, z):\n"
                         "    a, b = x, x\n"
                         "    if c:\n"
                         "        a, b = y, z\n"
                         "    return a, b\n",
                         "tensor(True), zeros([2, 3]), zeros([5, 3]), "
                         "zeros([2])");
    TensorType a = graph_type(graph, graph->block->results[0]);
    cr_expect_eq(a.rank, 2);
    cr_expect_eq(a.dims[0], DIM_UNKNOWN);
    cr_expect_eq(a.dims[1], 3);
    cr_expect_eq(graph_type(graph, graph->block->results[1]).rank,
                 RANK_UNKNOWN);
}

Test(blocks, nodes_know_their_lines)
{
    Graph *graph = trace("@stage\n"
                         "def f(x):\n"
                         "    if x > 0:\n"
                         "        x = -x\n"
                         "    return x\n",
                         "tensor(1.0)");
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    graph_print(&out, graph, false);
    cr_expect_not_null(
        strstr(strbuf_text(&out), "= if %2  # test:3 if x > 0:\n"));
    cr_expect_not_null(
        strstr(strbuf_text(&out), "= negative %0  # test:4 x = -x\n"));
    strbuf_free(&out);
}

// --- what cannot be merged ---

// The error of f(tensor(1.0)) begins with this text.
static void expect_error(const char *source, const char *expected)
{
    program_run(source);
    const char *error = program_error("f(tensor(1.0))");
    cr_expect_eq(strncmp(error, expected, strlen(expected)), 0, "%s", error);
}

Test(blocks, a_note_is_raised_by_whoever_reads)
{
    expect_error("@stage\n"
                 "def f(x):\n"
                 "    if x > 0:\n"
                 "        y = [x]\n"
                 "    else:\n"
                 "        y = 'text'\n"
                 "    return y + 1\n",
                 "TypeError: 'y' is [float32[]] (line 4) where "
                 "the condition at line 3 is true, but 'text' (line 6) where "
                 "it is false; ");
}

Test(blocks, what_one_side_sets_is_unbound_behind)
{
    expect_error("@stage\n"
                 "def f(x):\n"
                 "    if x > 0:\n"
                 "        y = x\n"
                 "    return y\n",
                 "UnboundLocalError: 'y' is float32[]");
}

Test(blocks, dtypes_that_differ_are_not_joined)
{
    expect_error("@stage\n"
                 "def f(x):\n"
                 "    y = cast(x, int32)\n"
                 "    if x > 0:\n"
                 "        y = x\n"
                 "    return y\n",
                 "DTypeError: 'y' is float32[]");
}

// The note goes with a new value.
Test(blocks, a_note_that_nobody_reads_is_no_error)
{
    check("@stage\n"
          "def f(x):\n"
          "    if x > 0:\n"
          "        y = [x]\n"
          "    else:\n"
          "        y = 'text'\n"
          "    y = x\n"
          "    return y\n",
          "tensor(1.0)", IS_POSITIVE "  return %0\n");
}
