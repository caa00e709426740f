// Pictures of graphs: DOT, and boxes for a terminal.
#include <criterion/criterion.h>

#include <string.h>

#include "export/boxes.h"
#include "export/dot.h"
#include "graph/graph_parse.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/tensor_ctx.h"

TestSuite(pictures, .init = set_up, .fini = tear_down);

static const char text[] = "graph f(%0 größe: float32[2], %1 c: bool[])\n"
                           "  print %0 format='\\x00' style='print' "
                           "stream='stdout'\n"
                           "  %2: float32[] = if %1\n"
                           "    then\n"
                           "      %3: float32[] = sum %0  # a:1 \"sum\"\n"
                           "      yield %3\n"
                           "    else\n"
                           "      raise text='no'\n"
                           "      unreachable\n"
                           "  return %2\n";

static void expect(void (*draw)(StrBuf *out, Graph *graph),
                   const char *expected)
{
    Graph *graph = graph_parse(&ctx, text, strlen(text));
    cr_assert_not_null(graph, "%s", ctx.error.text);
    StrBuf out;
    strbuf_init(&out, &ctx);
    draw(&out, graph);
    cr_assert_str_eq(strbuf_text(&out), expected);
    strbuf_free(&out);
    graph_release(&ctx, graph);
}

Test(pictures, boxes)
{
    expect(
        boxes_print,
        "┌ graph f(%0 größe: float32[2], %1 c: bool[]) "
        "─────────────────────────────┐\n"
        "│ ^world.1 = print ^world.0 %0 format='\\x00' style='print' "
        "stream='stdout' │\n"
        "│ %2: float32[], ^control.2 = if ^control.0 %1                        "
        "     │\n"
        "│ ┌ then "
        "────────────────────────────────────────────────────────────────┐ │\n"
        "│ │ %3: float32[] = sum %0  # a:1 \"sum\"                             "
        "     │ │\n"
        "│ │ yield %3, ^control.0                                              "
        "   │ │\n"
        "│ "
        "└─────────────────────────────────────────────────────────────────────"
        "─┘ │\n"
        "│ ┌ else "
        "────────────────────────────────────────────────────────────────┐ │\n"
        "│ │ ^control.1 = raise ^control.0 text='no'                           "
        "   │ │\n"
        "│ │ unreachable                                                       "
        "   │ │\n"
        "│ "
        "└─────────────────────────────────────────────────────────────────────"
        "─┘ │\n"
        "│ return %2, ^control.2, ^world.1                                     "
        "     │\n"
        "└─────────────────────────────────────────────────────────────────────"
        "─────┘\n");
}

Test(pictures, dot)
{
    expect(dot_print,
           "digraph \"f\" {\n"
           "  node [shape=box];\n"
           "  v0 [shape=ellipse, label=\"größe\"];\n"
           "  v1 [shape=ellipse, label=\"c\"];\n"
           "  n0 [label=\"print format='\\\\x00' style='print' stream='stdout'"
           "\"];\n"
           "  v0 -> n0 [label=\"float32[2]\"];\n"
           "  n3 [label=\"if\"];\n"
           "  v1 -> n3 [label=\"bool[]\"];\n"
           "  subgraph cluster_3_0 {\n"
           "  label=\"then\";\n"
           "  n1 [label=\"sum\", tooltip=\"a:1 \\\"sum\\\"\"];\n"
           "  v0 -> n1 [label=\"float32[2]\"];\n"
           "  e1 [shape=plaintext, label=\"yield\"];\n"
           "  n1 -> e1 [label=\"float32[]\"];\n"
           "  }\n"
           "  subgraph cluster_3_1 {\n"
           "  label=\"else\";\n"
           "  n2 [label=\"raise text='no'\"];\n"
           "  e2 [shape=plaintext, label=\"unreachable\"];\n"
           "  }\n"
           "  n0 -> n3 [style=dashed];\n"
           "  e0 [shape=plaintext, label=\"return\"];\n"
           "  n3 -> e0 [label=\"float32[]\"];\n"
           "}\n");
}
