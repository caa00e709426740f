// Merging two values on a graph, without a program around it: what stays, what
// becomes an output, what is refused.
#include <criterion/criterion.h>
#include <string.h>

#include "interp/objects/containers/obj_dict.h"
#include "stager/describe.h"
#include "stager/merge.h"
#include "stager/staged_list.h"

#include "program.h"

// A trace of its own: its graph has the inputs c (bool), x and w (float32), n
// (int32), y (float32[2]) and z (float32[3]), which are globals of the program.
static Trace trace;
static Signature signature; // of its call: no arguments
static StagedFunction staged;
static TraceRequest request;
static EventLog events;
static Frozen frozen;
static Graph *graph;
static StagedBlock block; // changes nothing
static Merge merge;

static ValueId add_input(const char *name, DType dtype, int rank, int64_t size)
{
    int64_t dims[] = {size};
    ValueId id = graph_add_input(graph, name, (TensorType){dtype, rank, dims});
    cr_assert_neq(id, VALUE_ID_NONE);
    program_set(name, trace_symbolic(vm, &trace, id, name));
    return id;
}

static void open_merge(void)
{
    program_open();
    graph = graph_new(&vm->ctx, "m");
    TraceOwner *owner =
        object_new(vm, stager_of(vm)->graph_type, sizeof *owner);
    cr_assert(graph != NULL && owner != NULL);
    Object head = owner->head;
    *owner = (TraceOwner){.head = head, .graph = graph_retain(graph)};
    trace = (Trace){.owner = &owner->head,
                    .graph = graph,
                    .block = graph->block,
                    .request = &request,
                    .events = &events,
                    .frozen = &frozen};
    signature = (Signature){0};
    staged = (StagedFunction){.options.autograph = true};
    request = (TraceRequest){.staged = &staged, .signature = &signature};
    events_init(vm, &events, 1);
    frozen_init(vm, &frozen);
    ValueId condition = add_input("c", DT_BOOL, 0, 0);
    (void)add_input("x", DT_FLOAT32, 0, 0);
    (void)add_input("w", DT_FLOAT32, 0, 0);
    (void)add_input("n", DT_INT32, 0, 0);
    (void)add_input("y", DT_FLOAT32, 1, 2);
    (void)add_input("z", DT_FLOAT32, 1, 3);
    merge = (Merge){.vm = vm,
                    .block = &block,
                    .blocks = {graph_block_new(graph, graph->block),
                               graph_block_new(graph, graph->block)},
                    .condition = condition,
                    .name = "place"};
    map_init(&merge.pairs, &vm->ctx);
}

static void close_merge(void)
{
    merge_free(&merge);
    journal_drop_joined(vm, &trace);
    events_free(vm, &events);
    frozen_free(vm, &frozen);
    Object *owner = trace.owner;
    ((TraceOwner *)owner)->ended = true;
    object_release(&vm->ctx, owner);
    graph_release(&vm->ctx, graph);
    program_close();
}

TestSuite(merge, .init = open_merge, .fini = close_merge);

// As at the end of an `if`: the trace runs, and of the program at most what
// prints a value in a note.
static Value merged_values(Value a, Value b)
{
    cr_assert(era_open(vm));
    vm->trace = &trace;
    trace.era = vm->ctx.birth;
    merge.fault = ERR_NONE;
    Value result = merge_values(&merge, a, b);
    vm->trace = NULL;
    era_close(vm);
    cr_assert_not(value_failed(result), "%s", vm->ctx.error.text);
    return program_keep(result);
}

static Value merged(const char *a, const char *b)
{
    return merged_values(program_value(a), program_value(b));
}

// Ends the block; the outputs are then those of the graph as well.
static const char *finish(void)
{
    GraphPlace nowhere = GRAPH_PLACE_NONE;
    uint32_t count = (uint32_t)merge.made.count;
    for (int side = 0; side < 2; side++) {
        cr_assert(graph_block_results(graph, merge.blocks[side],
                                      merge.ids[side].items, count));
    }
    GraphNode *node = graph_append_blocks(
        graph, graph->block, OP_IF, &merge.condition, 1, merge.blocks, nowhere);
    cr_assert_not_null(node);
    vm->trace = &trace;
    merge_finish(&merge, node);
    vm->trace = NULL;
    return program_graph(graph);
}

// The outputs' node in the text of the graph.
static void expect_if(const char *expected)
{
    const char *text = finish();
    const char *start = strstr(text, "\n  %6");
    cr_assert_not_null(start, "%s", text);
    size_t size = strlen(expected);
    cr_expect_eq(strncmp(start + 1, expected, size), 0, "%s", text);
}

// Nothing was put into either side.
static void expect_no_output(void)
{
    cr_expect_eq(merge.made.count, 0);
    cr_expect_null(merge.blocks[0]->first);
    cr_expect_null(merge.blocks[1]->first);
}

// Left unbound, with a fault of this kind and no error pending.
static void expect_mismatch(const char *a, const char *b, ErrorKind kind)
{
    cr_expect(value_unbound(merged(a, b)), "%s / %s", a, b);
    cr_expect_eq(merge.fault, kind, "%s / %s", a, b);
    cr_expect_not(ctx_failed(&vm->ctx), "%s / %s", a, b);
}

Test(merge, the_same_object_stays)
{
    static const char *const same[] = {"o", "x", "[].append", "o[0]"};
    program_run("o = [{'k': 1}]\n");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        Value v = program_value(same[i]);
        cr_expect(value_same(merged_values(v, v), v), "%s", same[i]);
    }
    expect_no_output();
}

Test(merge, equal_immutable_values_stay)
{
    static const char *const texts[] = {"7",    "2**70", "1.5",  "1e300",
                                        "'ab'", "None",  "True", "..."};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Value v = merged(texts[i], texts[i]);
        cr_expect(merge_same(v, program_value(texts[i])), "%s", texts[i]);
    }
    expect_no_output();
}

// Equal in Duet, but another type or another zero.
Test(merge, what_looks_equal_is_not_the_same)
{
    program_run("class S(str):\n    pass\n");
    static const char *const pairs[][2] = {
        {"1", "True"},  {"0", "False"},  {"1", "1.0"},     {"0.0", "-0.0"},
        {"'a'", "'b'"}, {"'1'", "b'1'"}, {"'a'", "S('a')"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cr_expect_not(
            merge_same(program_value(pairs[i][0]), program_value(pairs[i][1])),
            "%s / %s", pairs[i][0], pairs[i][1]);
    }
}

Test(merge, a_literal_takes_the_dtype_of_the_other_side)
{
    cr_expect(value_is_kind(merged("x", "2"), KIND_SYMBOLIC));
    cr_expect(value_is_kind(merged("True", "n"), KIND_SYMBOLIC));
    expect_if("  %6: float32[], %7: int32[] = if %0\n"
              "    then\n"
              "      %8: int32[] = const 1\n"
              "      yield %1, %8\n"
              "    else\n"
              "      %9: float32[] = const 2.0\n"
              "      yield %9, %3\n");
}

Test(merge, numbers_that_differ_become_one_tensor)
{
    Value v = merged("1", "2.5");
    cr_assert(value_is_kind(v, KIND_SYMBOLIC));
    cr_expect(value_as_symbolic(v)->weak); // takes a dtype that it meets
    Value other = merged("x", "1");
    cr_expect_not(value_as_symbolic(other)->weak);
    expect_if("  %6: float32[], %7: float32[] = if %0\n"
              "    then\n"
              "      %8: float32[] = const 1.0\n"
              "      yield %8, %1\n"
              "    else\n"
              "      %9: float32[] = const 2.5\n"
              "      %10: float32[] = const 1.0\n"
              "      yield %9, %10\n");
}

Test(merge, the_wider_number_decides)
{
    Value small = value_from_small(1);
    Value large = program_value("2**31"), real = program_value("0.5");
    cr_expect_eq(merge_number_dtype(VALUE_TRUE, VALUE_FALSE), DT_BOOL);
    cr_expect_eq(merge_number_dtype(VALUE_TRUE, small), DT_INT32);
    cr_expect_eq(merge_number_dtype(small, large), DT_INT64);
    cr_expect_eq(merge_number_dtype(large, real), DT_FLOAT32);
    cr_expect_eq(merge_number_dtype(real, VALUE_TRUE), DT_FLOAT32);
}

Test(merge, flags_are_the_condition)
{
    Value same = merged("True", "False"), other = merged("False", "True");
    cr_expect_eq(value_as_symbolic(same)->value, merge.condition);
    const GraphNode *node =
        graph_value(graph, value_as_symbolic(other)->value)->node;
    cr_assert_not_null(node);
    cr_expect_eq(node->op, OP_LOGICAL_NOT);
    cr_expect_eq(node->block, graph->block);
    expect_no_output();
}

Test(merge, structures_are_merged_leaf_by_leaf)
{
    Value v = merged("(x, [1, {'k': 2}])", "(x, [1, {'k': 3}])");
    cr_expect_eq(merge.made.count, 1);
    program_set("v", value_retain(v));
    cr_expect(value_same(program_value("v[0]"), program_value("x")));
    program_prints(program_value("v[1][0]"), "1");
    cr_expect(value_same(program_value("v[1][1]['k']"), merge.made.items[0]));
}

// The order of insertion is the first side's.
Test(merge, dicts_are_merged_by_key)
{
    Value v = merged("{'b': x, 'a': 1}", "{'a': 1, 'b': w}");
    cr_expect_eq(merge.made.count, 1);
    program_set("v", value_retain(v));
    program_prints(program_value("list(v)"), "['b', 'a']");
    program_prints(program_value("v['a']"), "1");
}

Test(merge, one_pair_is_one_output)
{
    Value v = merged("(x, [x], w)", "(w, [w], x)");
    cr_expect_eq(merge.made.count, 2);
    program_set("v", value_retain(v));
    cr_expect(value_same(program_value("v[0]"), program_value("v[1][0]")));
    cr_expect_not(value_same(program_value("v[0]"), program_value("v[2]")));
}

Test(merge, what_does_not_fit_is_left_unbound)
{
    expect_mismatch("x", "n", ERR_DTYPE);
    expect_mismatch("n", "1.5", ERR_DTYPE);
    expect_mismatch("2**40", "n", ERR_DTYPE);
    expect_mismatch("x", "'text'", ERR_DTYPE);
    expect_mismatch("None", "1", ERR_TYPE);
    expect_mismatch("x", "[x]", ERR_TYPE);
    expect_mismatch("len", "max", ERR_TYPE);
    expect_mismatch("'1'", "1", ERR_TYPE);
}

Test(merge, structures_that_differ_are_left_unbound)
{
    program_run("from collections import namedtuple\n"
                "P = namedtuple('P', 'a b')\n"
                "Q = namedtuple('Q', 'a b')\n");
    expect_mismatch("[1, 'a']", "[1]", ERR_TYPE);
    expect_mismatch("[1, 2]", "(1, 2)", ERR_TYPE);
    expect_mismatch("P(1, 2)", "Q(1, 2)", ERR_TYPE);
    expect_mismatch("P(1, 2)", "(1, 2)", ERR_TYPE);
    expect_mismatch("{'a': 1}", "{'b': 1}", ERR_TYPE);
    expect_mismatch("{1: x}", "{True: x}", ERR_TYPE);
    expect_mismatch("{'a': 1}", "{'a': 1, 'b': 2}", ERR_TYPE);
    expect_mismatch("{1, 2}", "{1, 2}", ERR_TYPE);
    expect_mismatch("[1, [x]]", "[1, [n]]", ERR_DTYPE); // deep inside
}

// The graph holds a list of one form, whatever its length.
Test(merge, lists_of_other_lengths_are_one_list)
{
    Value list = merged("[1, 2]", "[x]");
    cr_assert(staged_list_is(vm, list));
    cr_expect_eq(staged_list_count(list), 2);
    cr_expect_eq(operand_type(staged_list_parts(list)[1]).dtype,
                 dtype_list_of(DT_FLOAT32));
}

Test(merge, one_side_without_a_value_is_a_fault)
{
    expect_mismatch("[1, [y]]", "[1, [None]]", ERR_TYPE);
    cr_expect(
        value_unbound(merged_values(program_value("'a'"), VALUE_UNBOUND)));
    cr_expect_eq(merge.fault, ERR_UNBOUND_LOCAL);
}

Test(merge, unbound_on_both_sides_is_no_fault)
{
    cr_expect(value_unbound(merged_values(VALUE_UNBOUND, VALUE_UNBOUND)));
    cr_expect_eq(merge.fault, ERR_NONE);
}

// A side that ended in an exception has no say.
Test(merge, an_absent_side_is_not_asked)
{
    merge.absent[1] = true;
    program_run("o = [x, 1]\n");
    Value o = program_value("o");
    cr_expect(value_same(merged_values(o, VALUE_UNBOUND), o));
    cr_expect(value_same(merged_values(o, program_value("None")), o));
    expect_no_output();
}

// Types are known behind the node: sizes that differ are unknown.
Test(merge, sizes_that_differ_become_unknown)
{
    Symbolic *size = value_as_symbolic(merged("y", "z"));
    Symbolic *rank = value_as_symbolic(merged("y", "x"));
    Symbolic *same = value_as_symbolic(merged("x", "w"));
    (void)finish();
    cr_expect_eq(size->rank, 1);
    cr_expect_eq(size->dims[0], DIM_UNKNOWN);
    cr_expect_eq(rank->rank, RANK_UNKNOWN);
    cr_expect_eq(same->rank, 0);
    cr_expect_eq(same->dtype, DT_FLOAT32);
}

Test(merge, texts_of_values_are_short)
{
    char room[72];
    cr_assert(describe_value(vm, program_value("z"), room, sizeof room));
    cr_expect_str_eq(room, "float32[3]");
    cr_assert(describe_value(vm, VALUE_UNBOUND, room, sizeof room));
    cr_expect_str_eq(room, "unbound");
    cr_assert(describe_value(vm, program_value("'a' * 58"), room, sizeof room));
    cr_expect_eq(strlen(room), 60);
    cr_assert(describe_value(vm, program_value("'a' * 59"), room, sizeof room));
    cr_expect_eq(strlen(room), 57 + strlen("…"));
}
