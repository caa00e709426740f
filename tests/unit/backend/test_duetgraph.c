// The public header: what is read, what is refused, and what runs give.
#include <criterion/criterion.h>
#include <string.h>

#include "backend/duetgraph.h"

static DuetGraph *graph;

static void set_up(void)
{
    graph = duetgraph_new();
}

static void tear_down(void)
{
    duetgraph_free(graph);
}

TestSuite(duetgraph, .init = set_up, .fini = tear_down);

static bool parse(const char *text)
{
    return duetgraph_parse(graph, text, strlen(text));
}

// What was captured comes behind the argument.
static const char captured[] = "graph f(%0 x: int32[2])\n"
                               "  capture %1 w: int32[]\n"
                               "  %2: int32[2] = floor_divide %0, %1\n"
                               "  %3: int32[] = sum %2\n"
                               "  return %2, %3\n";

Test(duetgraph, runs_again_and_again)
{
    cr_assert(parse(captured), "%s", duetgraph_error(graph));
    cr_assert_eq(duetgraph_input_count(graph), 2);
    cr_assert_eq(duetgraph_output_count(graph), 2);
    for (int32_t turn = 1; turn < 4; turn++) {
        int32_t numbers[] = {12 * turn, 6};
        int64_t size = 2;
        DuetArray in[] = {{"int32", 1, &size, numbers},
                          {"int32", 0, NULL, &turn}};
        DuetArray out[2];
        cr_assert(duetgraph_run(graph, in, out), "%s", duetgraph_error(graph));
        cr_assert_str_eq(out[0].dtype, "int32");
        cr_assert_eq(out[0].rank, 1);
        cr_assert_eq(out[0].dims[0], 2);
        cr_assert_eq(((const int32_t *)out[0].data)[0], 12);
        cr_assert_eq(out[1].rank, 0);
        cr_assert_eq(*(const int32_t *)out[1].data, 12 + 6 / turn);
    }
}

Test(duetgraph, failures_have_words_and_are_forgotten)
{
    cr_assert(parse(captured));
    int32_t numbers[] = {1, 2}, zero = 0, one = 1;
    int64_t two = 2, three = 3;
    DuetArray out[2],
        in[] = {{"int32", 1, &two, numbers}, {"int32", 0, NULL, &zero}};
    cr_assert_not(duetgraph_run(graph, in, out));
    cr_assert_neq(*duetgraph_error(graph), '\0');
    in[1].data = &one;
    in[0].dims = &three;
    cr_assert_not(duetgraph_run(graph, in, out));
    cr_assert_str_eq(duetgraph_error(graph),
                     "input 0 is not of the type of 'x'");
    in[0].dims = &two;
    in[0].dtype = "int33";
    cr_assert_not(duetgraph_run(graph, in, out));
    in[0].dtype = "int32";
    cr_assert(duetgraph_run(graph, in, out));
    cr_assert_str_eq(duetgraph_error(graph), "");
}

Test(duetgraph, refuses_what_needs_more)
{
    cr_assert_not(duetgraph_run(graph, NULL, NULL));
    cr_assert_str_eq(duetgraph_error(graph), "no graph has been read");
    cr_assert_not(parse("graph f(%0 x: int3"));
    cr_assert_neq(*duetgraph_error(graph), '\0');
    cr_assert_not(parse("graph f(%0 x: string[])\n  return %0\n"));
    cr_assert_str_eq(duetgraph_error(graph), "an input is of dtype string");
    cr_assert_not(parse(captured), "one graph each");
}

Test(duetgraph, variables_are_refused)
{
    cr_assert_not(parse("graph f()\n  variable @0 v: int32[]\n"
                        "  %0: int32[] = read_variable @0\n  return %0\n"));
    cr_assert_str_eq(duetgraph_error(graph), "the graph has Variables");
}
