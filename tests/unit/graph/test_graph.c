// Graphs as data: names, the checker, types of loops, GraphDef text.
#include <criterion/criterion.h>

#include <string.h>

#include "export/graphdef.h"
#include "graph/clone.h"
#include "graph/graph_check.h"
#include "graph/graph_text.h"
#include "graph/passes/pass.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/tensor_ctx.h"

TestSuite(graph, .init = set_up, .fini = tear_down);

static GraphNode *op2(Graph *g, GraphBlock *b, OpCode op, ValueId x, ValueId y)
{
    ValueId in[2] = {x, y};
    return graph_append(g, b, op, in, 2, NULL, GRAPH_PLACE_NONE);
}

Test(graph, names_are_unique)
{
    int64_t dims[2] = {DIM_UNKNOWN, 3};
    Graph *g = graph_new(&ctx, "f");
    TensorType type = {DT_FLOAT32, 2, dims};
    ValueId x = graph_add_input(g, "add", type);
    GraphNode *first = op2(g, g->block, OP_ADD, x, x);
    GraphNode *second = op2(g, g->block, OP_ADD, x, x);
    cr_assert_str_eq(graph_node_name(g, second), "add_2");
    cr_assert_str_eq(graph_node_name(g, first), "add_1");
    TensorType out = graph_type(g, node_output(first, 0));
    cr_assert_eq(out.rank, 2);
    cr_assert_eq(out.dims[0], DIM_UNKNOWN);
    cr_assert_eq(out.dims[1], 3);
    graph_release(&ctx, g);
}

// What a node takes of the arena: itself with its inputs, and no shape but the
// first.
Test(graph, nodes_in_a_row_share_their_shape)
{
    enum { MANY = 1000 };
    int64_t dims[2] = {4, 3};
    Graph *g = graph_new(&ctx, "f");
    ValueId x = graph_add_input(g, "x", (TensorType){DT_FLOAT32, 2, dims});
    size_t before = g->arena.total;
    for (int i = 0; i < MANY; i++) {
        x = node_output(op2(g, g->block, OP_ADD, x, x), 0);
    }
    size_t node = (sizeof(GraphNode) + 2 * sizeof(ValueId) + 15) / 16 * 16;
    cr_expect_eq(g->arena.total - before, MANY * node);
    cr_expect_not(g->has_blocks);
    graph_release(&ctx, g);
}

// Few and many are found in different ways.
Test(graph, what_is_captured_again_is_the_same_input)
{
    enum { MANY = 100 };
    static VariableCell cells[MANY];
    Graph *g = graph_new(&ctx, "f");
    Tensor *tensors[MANY];
    ValueId values[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        tensors[i] = tensor_scalar_int(&ctx, DT_INT32, i);
        values[i] = graph_add_capture(g, "w", tensors[i]);
        uint32_t index;
        cr_assert(graph_add_variable(g, "v", tensor_type(tensors[i]), &cells[i],
                                     NULL, &index));
        cr_assert_eq(index, i);
        for (uint32_t j = 0; j <= i; j++) {
            cr_assert_eq(graph_add_capture(g, "w", tensors[j]), values[j]);
            cr_assert(graph_add_variable(g, "v", tensor_type(tensors[j]),
                                         &cells[j], NULL, &index));
            cr_assert_eq(index, j);
        }
    }
    cr_assert_eq(g->inputs.count, MANY);
    cr_assert_eq(g->variables.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        object_release(&ctx, tensors[i]);
    }
    graph_release(&ctx, g);
}

Test(graph, a_refused_op_leaves_the_graph_whole)
{
    Graph *g = graph_new(&ctx, "f");
    ValueId x = graph_add_input(g, "x", (TensorType){DT_FLOAT32, 0, NULL});
    ValueId n = graph_add_input(g, "n", (TensorType){DT_INT32, 0, NULL});
    cr_assert_null(op2(g, g->block, OP_ADD, x, n));
    cr_assert_eq(ctx.error.kind, ERR_DTYPE);
    ctx_clear(&ctx);
    cr_assert_eq(g->node_count, 0);
    cr_assert(graph_block_results(g, g->block, &x, 1));
    cr_assert(graph_check(g));
    graph_release(&ctx, g);
}

Test(graph, the_checker_sees_a_use_before_its_definition)
{
    Graph *g = graph_new(&ctx, "f");
    ValueId x = graph_add_input(g, "x", (TensorType){DT_FLOAT32, 0, NULL});
    GraphNode *a = op2(g, g->block, OP_ADD, x, x);
    GraphNode *b = op2(g, g->block, OP_ADD, node_output(a, 0), x);
    a->inputs[1] = node_output(b, 0);
    cr_assert_not(graph_check(g));
    cr_assert_eq(ctx.error.kind, ERR_SYSTEM);
    graph_release(&ctx, g);
}

// A loop that joins its state, a vector of `size` before it, by `op` with one
// of 4 each turn; `unstacks`: and takes it apart first.
static GraphNode *growing(Graph *g, int64_t size, OpCode op, bool unstacks)
{
    int64_t dims[1] = {size}, four[1] = {4};
    ValueId x = graph_add_input(g, "x", (TensorType){DT_FLOAT32, 1, dims});
    ValueId y = graph_add_input(g, "y", (TensorType){DT_FLOAT32, 1, four});
    ValueId go = graph_add_input(g, "go", (TensorType){DT_BOOL, 0, NULL});
    GraphBlock *cond = graph_block_new(g, g->block);
    GraphBlock *body = graph_block_new(g, g->block);
    graph_block_param(g, cond, "s", graph_type(g, x));
    ValueId s = graph_block_param(g, body, "s", graph_type(g, x));
    static const AttrValue none[OP_MAX_ATTRS];
    cr_assert(!unstacks || graph_append(g, body, OP_UNSTACK, &s, 1, none,
                                        GRAPH_PLACE_NONE) != NULL);
    ValueId next = node_output(op2(g, body, op, s, y), 0);
    cr_assert(graph_block_results(g, cond, &go, 1));
    cr_assert(graph_block_results(g, body, &next, 1));
    return graph_append_blocks(g, g->block, OP_WHILE, &x, 1,
                               (GraphBlock *[]){cond, body}, GRAPH_PLACE_NONE);
}

// A state that is added to a longer vector each turn has no fixed size.
Test(graph, loop_state_becomes_general)
{
    Graph *g = graph_new(&ctx, "f");
    GraphNode *node = growing(g, 1, OP_ADD, false);
    cr_assert_not_null(node, "%s", ctx.error.text);
    TensorType type = graph_type(g, node_output(node, 0));
    cr_assert_eq(type.rank, 1);
    cr_assert_eq(type.dims[0], DIM_UNKNOWN);
    ValueId out = node_output(node, 0);
    cr_assert(graph_block_results(g, g->block, &out, 1));
    cr_assert(graph_check(g), "%s", ctx.error.text);
    graph_release(&ctx, g);
}

// What has no outputs, as the parts of nothing, has a rule all the same.
Test(graph, what_gives_nothing_is_typed_again)
{
    Graph *g = graph_new(&ctx, "f");
    cr_assert_null(growing(g, 0, OP_CONCAT, true));
    cr_assert_str_eq(ctx.error.text,
                     "unstack: the number of parts of (None,) is unknown in "
                     "this trace; `for row in x` takes any, or give the size "
                     "in a signature");
    ctx_clear(&ctx);
    graph_release(&ctx, g);
}

Test(graph, a_copy_prints_the_same)
{
    Graph *g = graph_new(&ctx, "f");
    Tensor *w = tensor_scalar_float(&ctx, DT_FLOAT32, 0.1);
    ValueId x = graph_add_input(g, "x", (TensorType){DT_FLOAT32, 0, NULL});
    ValueId c = graph_add_capture(g, "w", w);
    cr_assert_eq(graph_add_capture(g, "w", w), c);
    GraphNode *k = graph_append_const(g, g->block, w, GRAPH_PLACE_NONE);
    ValueId a = node_output(op2(g, g->block, OP_ADD, x, c), 0);
    ValueId b =
        node_output(op2(g, g->block, OP_MULTIPLY, a, node_output(k, 0)), 0);
    cr_assert(graph_block_results(g, g->block, &b, 1));
    Graph *copy = clone_graph(g);
    StrBuf one, two;
    strbuf_init(&one, &ctx);
    strbuf_init(&two, &ctx);
    graph_print(&one, g, true);
    graph_print(&two, copy, true);
    cr_assert_str_eq(strbuf_text(&one), strbuf_text(&two));
    cr_assert_str_eq(strbuf_text(&one), "graph f(%0 x: float32[])\n"
                                        "  capture %1 w: float32[]\n"
                                        "  %2: float32[] = const 0.1\n"
                                        "  %3: float32[] = add %0, %1\n"
                                        "  %4: float32[] = multiply %3, %2\n"
                                        "  return %4\n");
    strbuf_free(&one);
    strbuf_free(&two);
    graph_release(&ctx, copy);
    graph_release(&ctx, g);
    cr_assert_eq(w->head.rc, 1);
    object_release(&ctx, w);
}

Test(graph, graphdef_names_as_tensorflow_does)
{
    Graph *g = graph_new(&ctx, "f");
    Tensor *zero = tensor_scalar_int(&ctx, DT_INT32, 0);
    ValueId x = graph_add_input(g, "x", (TensorType){DT_INT32, 0, NULL});
    GraphNode *k = graph_append_const(g, g->block, zero, GRAPH_PLACE_NONE);
    object_release(&ctx, zero);
    ValueId y =
        node_output(op2(g, g->block, OP_GREATER, x, node_output(k, 0)), 0);
    cr_assert(graph_block_results(g, g->block, &y, 1));
    GraphDef def;
    cr_assert(graphdef_write(g, GRAPHDEF_TEXT, &def), "%s", ctx.error.text);
    static const char *const names[] = {"x", "Greater/y", "Greater",
                                        "Identity"};
    cr_assert_eq(def.nodes.count, 4);
    for (int i = 0; i < 4; i++) {
        cr_assert_str_eq(def.nodes.items[i].name, names[i]);
    }
    cr_assert_str_eq(def.nodes.items[2].inputs[1], "Greater/y");
    cr_assert_not_null(strstr(strbuf_text(&def.text), "int_val: 0"));
    graphdef_free(&def);
    graph_release(&ctx, g);
}

Test(graph, pass_mask_reads_its_list)
{
    cr_assert_eq(pass_mask(NULL), PASS_ALL);
    cr_assert_eq(pass_mask("-all"), 0);
    cr_assert_eq(pass_mask("-cse,-dce"),
                 PASS_ALL & ~(1u << PASS_CSE | 1u << PASS_DCE));
    cr_assert_eq(pass_mask("-nothing"), PASS_ALL);
}
