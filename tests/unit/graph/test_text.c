// The printed form, read back: every random graph prints the same again, and
// what is wrong in a text is told with its line and column.
#include <criterion/criterion.h>

#include <string.h>

#include "../support/random_graph.h"
#include "graph/graph_check.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/tensor_ctx.h"

TestSuite(text, .init = set_up, .fini = tear_down);

// Prints, reads, prints: the texts must be equal.
static void round_trip(Graph *graph, const char *what, uint32_t seed)
{
    StrBuf first, second;
    strbuf_init(&first, &ctx);
    strbuf_init(&second, &ctx);
    graph_print(&first, graph, true);
    cr_assert(strbuf_ok(&first));
    Graph *again = graph_parse(&ctx, first.text, first.length);
    cr_assert_not_null(again, "%s %u: %s\n%s", what, seed, ctx.error.text,
                       first.text);
    graph_print(&second, again, true);
    cr_assert_str_eq(second.text, first.text, "%s %u", what, seed);
    strbuf_free(&first);
    strbuf_free(&second);
    graph_release(&ctx, again);
}

Test(text, random_graphs_come_back)
{
    for (uint32_t seed = 1; seed <= 200; seed++) {
        RandomOptions plain = {40, seed % 2 == 0, true, NULL, false};
        Graph *callee = random_graph(&ctx, seed, &plain);
        cr_assert(graph_check(callee), "seed %u: %s", seed, ctx.error.text);
        RandomOptions calling = {40, true, true, callee, true};
        Graph *caller = random_graph(&ctx, seed + 1000, &calling);
        cr_assert(graph_check(caller), "seed %u: %s", seed, ctx.error.text);
        round_trip(callee, "callee", seed);
        round_trip(caller, "caller", seed);
        graph_release(&ctx, caller);
        graph_release(&ctx, callee);
    }
}

// A constant of every dtype, with the elements that print in a way of their
// own, comes back bit for bit.
Test(text, constants_of_every_dtype)
{
    static const char text[] =
        "graph f()\n"
        "  %0: bool[2] = const [True, False]\n"
        "  %1: uint8[] = const 255\n"
        "  %2: int8[] = const -128\n"
        "  %3: int16[2, 1] = const [-32768, 32767]\n"
        "  %4: int32[0, 3] = const []\n"
        "  %5: int64[] = const -9223372036854775808\n"
        "  %6: float32[8] = const [1.0, -0.0, inf, -inf, nan, -nan, "
        "nan(0x7fc00001), 1e-45]\n"
        "  %7: float64[3] = const [0.1, 1e+300, nan(0xfff0000000000001)]\n"
        "  %8: string[2] = const ['a\\'b', '\\x00\\x0a']\n"
        "  return %0, %1, %2, %3, %4, %5, %6, %7, %8\n";
    Graph *graph = graph_parse(&ctx, text, sizeof text - 1);
    cr_assert_not_null(graph, "%s", ctx.error.text);
    StrBuf out;
    strbuf_init(&out, &ctx);
    graph_print(&out, graph, true);
    cr_assert_str_eq(out.text, text);
    strbuf_free(&out);
    graph_release(&ctx, graph);
}

// Names, notes, captures, Variables and a callee with a name of the caller's.
Test(text, heads_and_calls)
{
    static const char text[] =
        "graph f(%0 x: float32[?, 3], %1 'a b': int32[...])\n"
        "  capture %2 w: float32[3]\n"
        "  variable @0 v: float32[?]\n"
        "  variable @1 'v:1': float32[?]\n"
        "  %3: float32[?, 3] = add %0, %2  # f.duet:7 x = x + w  # sum\n"
        "  %4: float32[?, ?] = call @f_1(@1) %3\n"
        "  raise text='no'  # f.duet:8 raise\n"
        "  return %4, %1\n"
        "\n"
        "graph f_1(%0 y: float32[?, ?])\n"
        "  variable @0 z: float32[?]\n"
        "  assign_variable @0 %1\n"
        "  return %0\n";
    StrBuf copy, out;
    strbuf_init(&copy, &ctx);
    strbuf_init(&out, &ctx);
    strbuf_puts(&copy, text);
    // As it stands the callee uses what it does not define.
    cr_assert_null(graph_parse(&ctx, copy.text, copy.length));
    cr_assert_str_eq(ctx.error.text, "graph text, line 12, column 22: "
                                     "no value %1 is defined here");
    ctx_clear(&ctx);
    char *wrong = strstr(copy.text, "@0 %1\n");
    memcpy(wrong, "@0 %0\n", 6);
    cr_assert_null(graph_parse(&ctx, copy.text, copy.length));
    cr_assert_eq(ctx.error.kind, ERR_SHAPE, "%s", ctx.error.text);
    ctx_clear(&ctx);
    char *type = strstr(copy.text, "y: float32[?, ?]");
    memcpy(type, "y: float32[?   ]", 16);
    type = strstr(copy.text, "float32[?, ?] = call");
    memcpy(type, "float32[?   ] = call", 20);
    type = strstr(copy.text, "call @f_1(@1) %3");
    memcpy(type, "call @f_1(@1) %2", 16);
    Graph *graph = graph_parse(&ctx, copy.text, copy.length);
    cr_assert_not_null(graph, "%s", ctx.error.text);
    graph_print(&out, graph, true);
    cr_assert(
        strstr(out.text, "  %4: float32[?], ^1.1 = call @f_1(@1) ^1.0 %2\n"),
        "%s", out.text);
    cr_assert(strstr(out.text, "add %0, %2  # f.duet:7 x = x + w  # sum\n"));
    cr_assert(strstr(out.text, "  variable @1 'v:1': float32[?]\n"));
    strbuf_free(&copy);
    strbuf_free(&out);
    graph_release(&ctx, graph);
}

// Versions stand where the order of the lines puts them, or nowhere.
Test(text, versions_are_compared)
{
    static const char text[] = "graph f(%0 x: float32[], %1 c: bool[])\n"
                               "  argument @0 a: float32[]\n"
                               "  variable @1 v: float32[]\n"
                               "  variable @2 n: int32[]\n"
                               "  ^0.1 = assign_variable @1 ^0.0 %0\n"
                               "  %2: bool[], ^0.5 = while ^0.1 ^2.0 %1\n"
                               "    cond (%3: bool[], ^0.2)\n"
                               "      yield %3, ^0.2\n"
                               "    body (%4: bool[], ^0.3)\n"
                               "      %5: int32[] = read_variable @2 ^2.0\n"
                               "      ^0.4 = assign_variable @0 ^0.3 %0\n"
                               "      yield %4, ^0.4\n"
                               "  ^control.1 = assert ^control.0 %2 text='no'\n"
                               "  %6: float32[] = read_variable @1 ^0.5\n"
                               "  return %6, ^control.1, ^0.5\n";
    StrBuf out;
    strbuf_init(&out, &ctx);
    Graph *graph = graph_parse(&ctx, text, strlen(text));
    cr_assert_not_null(graph, "%s", ctx.error.text);
    graph_print(&out, graph, true);
    cr_expect_str_eq(out.text, text);
    graph_release(&ctx, graph);
    // Each of them counts.
    for (char *at = strchr(out.text, '^'); at != NULL;
         at = strchr(at + 1, '^')) {
        char *digit = strchr(at, '.') + 1;
        *digit += 1;
        cr_expect_null(graph_parse(&ctx, out.text, out.length), "%s", at);
        cr_expect_not_null(strstr(ctx.error.text, "the order of the nodes "),
                           "%s", ctx.error.text);
        ctx_clear(&ctx);
        *digit -= 1;
    }
    strbuf_free(&out);
}

// Texts that are wrong, and where.
static const struct {
    const char *text, *error;
} faults[] = {
    {"", "line 1, column 1: expected 'graph'"},
    {"grap f()\n", "line 1, column 1: expected 'graph'"},
    {"graph f(\n", "line 1, column 9: expected '%'"},
    {"graph f()\n", "line 2, column 1: the graph has no lines"},
    {"graph f()\n  %0: int32[] = const 1\n",
     "line 3, column 1: the block has no last line"},
    {"graph f(%0 x: int33[])\n  return %0\n",
     "line 1, column 15: expected a dtype"},
    {"graph f(%0 x: int32[-2])\n  return %0\n",
     "line 1, column 21: a size is not negative"},
    {"graph f(%0 x: int32[])\n  return %1\n",
     "line 2, column 10: no value %1 is defined here"},
    {"graph f(%0 x: int32[])\n  %0: int32[] = add %0, %0\n  return %0\n",
     "line 2, column 3: %0 is defined twice"},
    {"graph f(%0 x: int32[])\n  %1: int32[] = plus %0, %0\n  return %0\n",
     "line 2, column 17: no op 'plus'"},
    {"graph f(%0 x: int32[])\n  %1: bool[] = add %0, %0\n  return %0\n",
     "line 2, column 3: add gives int32[], not bool[]"},
    {"graph f()\n  variable @0 v: int32[]\n"
     "  %0: int32[] = read_variable @0 ^0\n  return %0\n",
     "line 3, column 36: expected '.'"},
    {"graph f()\n  variable @0 v: int32[]\n"
     "  %0: int32[] = read_variable @0 ^0.0\n  return %0, ^0.0\n",
     "line 4, column 14: there is no such version"},
    {"graph f(%0 x: int32[])\n  %1: int32[] = add %0\n  return %0\n",
     "line 2, column 17: add cannot have 1 inputs"},
    {"graph f(%0 x: int32[])\n  %1: int32[] = sum %0 axes=0\n  return %0\n",
     "line 2, column 24: sum has no attribute 'axes'"},
    {"graph f(%0 x: int32[])\n  %1: int8[] = const 128\n  return %0\n",
     "line 2, column 22: 128 does not fit int8"},
    {"graph f()\n  %1: int8[3] = const [1, 2]\n  return %1\n",
     "line 2, column 28: expected ','"},
    {"graph f()\n  %1: int8[3] = const [1, ...]\n  return %1\n",
     "line 2, column 27: the constant was shortened in print"},
    {"graph f()\n  %1: int32[999999999] = const [1]\n  return %1\n",
     "line 2, column 26: the constant has fewer than 999999999 elements"},
    {"graph f(%0 x: bool[])\n  if %0\n    then\n      yield\n  return\n",
     "line 5, column 3: expected 'else'"},
    {"graph f()\n  call @g\n  return\n",
     "line 2, column 9: no graph g in the text"},
    {"graph f()\n  call @f\n  return\n",
     "line 2, column 9: graph f calls itself"},
    {"graph f(%0 x: int32[])\n  return %0 %0\n",
     "line 2, column 13: expected the end of the line"},
    {"graph f(%0 x: int32[2])\n  %1: int32[1] = index %0 spec=(1, 2)\n"
     "  return %0\n",
     "line 2, column 18: index: the spec does not fit"},
    {"graph f(%0 x: int32[2])\n  %1: int32[1] = index %0 spec=(0, 1, 0, 0, 1)\n"
     "  return %0\n",
     "line 2, column 18: index: the spec does not fit"},
    {"graph f(%0 x: int32[2])\n"
     "  %1: int32[2] = unindex %0, %0 spec=(0, 1, 0, 0, 1)\n"
     "  return %0\n",
     "line 2, column 18: unindex: the spec does not fit"},
    {"graph f(%0 x: float64[])\n  %1: float64[] = recurrence %0, %0\n"
     "  return %1\n",
     "line 2, column 19: recurrence: operand 0 has rank 0, needs at least 1"},
    {"graph f(%0 x: int64[3])\n  %1: int64[2] = rng_state %0\n  return %1\n",
     "line 2, column 18: rng_state: a state is two int64, not (3,)"},
    {"graph f(%0 x: int32[1])\n  %1: int32[1] = reshape %0 shape=$0\n"
     "  return %1\n",
     "line 2, column 37: reshape: attribute 'shape' is missing or of another "
     "kind"},
    {"graph f(%0 x: int32[])\n  return %0\n  return %0\n",
     "line 3, column 3: the graph has returned above"},
};

Test(text, faults_are_told_with_their_place)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const char *text = faults[i].text;
        cr_assert_null(graph_parse(&ctx, text, strlen(text)), "%s", text);
        cr_assert_eq(strncmp(ctx.error.text, "graph text, ", 12), 0);
        cr_assert_str_eq(ctx.error.text + 12, faults[i].error);
        ctx_clear(&ctx);
    }
}

// Whatever byte is lost or changed, reading ends with a graph or an error.
Test(text, damaged_texts_end_cleanly)
{
    RandomOptions options = {30, true, true, NULL, true};
    Graph *graph = random_graph(&ctx, 77, &options);
    StrBuf text;
    strbuf_init(&text, &ctx);
    graph_print(&text, graph, true);
    for (uint32_t i = 0; i < text.length; i++) {
        char old = text.text[i];
        text.text[i] = "%0,[(\n' x"[i % 9];
        Graph *read = graph_parse(&ctx, text.text, text.length);
        cr_assert(read != NULL || ctx_failed(&ctx));
        graph_release(&ctx, read);
        ctx_clear(&ctx);
        read = graph_parse(&ctx, text.text, i);
        cr_assert(read != NULL || ctx_failed(&ctx));
        graph_release(&ctx, read);
        ctx_clear(&ctx);
        text.text[i] = old;
    }
    strbuf_free(&text);
    graph_release(&ctx, graph);
}
