// Structures: what is looked into, in which order, and what a copy is.
#include <criterion/criterion.h>

#include "interp/core/raise.h"
#include "interp/objects/protocol/protocol.h"

#include "program.h"

TestSuite(structure, .init = program_open, .fini = program_close);

// Classes of each kind, and some that only look like one.
static void define_classes(void)
{
    program_run("from collections import namedtuple, OrderedDict\n"
                "from dataclasses import dataclass, field\n"
                "P = namedtuple('P', 'x y')\n"
                "@dataclass(frozen=True)\n"
                "class D:\n"
                "    b: int\n"
                "    a: int\n"
                "class L(list):\n    pass\n"
                "class M(dict):\n    pass\n"
                "class T(tuple):\n    pass\n"
                "class C:\n    pass\n");
}

static StructureKind kind_of(const char *text)
{
    return structure_kind(vm, program_value(text));
}

Test(structure, built_in_containers_are_structures)
{
    cr_expect_eq(kind_of("[]"), STRUCTURE_LIST);
    cr_expect_eq(kind_of("()"), STRUCTURE_TUPLE);
    cr_expect_eq(kind_of("{}"), STRUCTURE_DICT);
    cr_expect_eq(kind_of("{1}"), STRUCTURE_SET);
    cr_expect_eq(kind_of("frozenset()"), STRUCTURE_SET);
}

Test(structure, named_tuples_and_dataclasses_are_structures)
{
    define_classes();
    cr_expect_eq(kind_of("P(1, 2)"), STRUCTURE_NAMED);
    cr_expect_eq(kind_of("D(1, 2)"), STRUCTURE_DATACLASS);
}

Test(structure, all_else_is_a_leaf)
{
    define_classes();
    static const char *const leaves[] = {
        "1",           "1.5",           "None",        "'ab'",      "b'ab'",
        "tensor([1])", "Variable(1.0)", "range(3)",    "C()",       "P",
        "D",           "L([1])",        "M(a=1)",      "T((1, 2))", "len",
        "iter([1])",   "{}.keys()",     "slice(1, 2)", "2**70"};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        cr_expect_eq(kind_of(leaves[i]), STRUCTURE_LEAF, "%s", leaves[i]);
    }
}

// The children, or the keys, print as this list.
static void expect_items(const char *text, bool keys, const char *expected)
{
    ValueVec items = {0};
    Value v = program_value(text);
    cr_assert(keys ? structure_keys(vm, v, &items)
                   : structure_children(vm, v, &items));
    List *list = list_new(vm, 0);
    for (size_t i = 0; i < items.count; i++) {
        cr_assert(list_append(vm, list, items.items[i]));
    }
    program_prints(value_from_object(list), expected);
    object_release(&vm->ctx, list);
    structure_free(vm, &items);
}

Test(structure, sequences_come_in_their_order)
{
    define_classes();
    expect_items("[3, [1], 2]", false, "[3, [1], 2]");
    expect_items("(3, 1, 2)", false, "[3, 1, 2]");
    expect_items("P(y=1, x=2)", false, "[2, 1]");
    expect_items("{3, 1}", false, "[]");
}

// Texts by their bytes, then ints by value; never by insertion.
Test(structure, dicts_come_in_the_order_of_their_keys)
{
    expect_items("{'b': 1, 'a': 2, 'B': 3}", true, "['B', 'a', 'b']");
    expect_items("{'b': 1, 'a': 2, 'B': 3}", false, "[3, 2, 1]");
    expect_items("{10: 'a', 9: 'b', -1: 'c', 'z': 'd'}", true,
                 "['z', -1, 9, 10]");
    expect_items("{10: 'a', 9: 'b', -1: 'c', 'z': 'd'}", false,
                 "['d', 'c', 'b', 'a']");
    expect_items("{3, 1, 2, 'a'}", true, "['a', 1, 2, 3]");
}

Test(structure, fields_come_as_the_class_declares_them)
{
    define_classes();
    expect_items("D(b=1, a=2)", true, "['b', 'a']");
    expect_items("D(a=2, b=1)", false, "[1, 2]");
}

static Value same_leaf(Vm *v, Value leaf, void *data)
{
    ++*(size_t *)data;
    (void)v;
    return value_retain(leaf);
}

// A copy prints alike, and every container of it is another object.
static void expect_round_trip(const char *text, size_t leaves, bool immutable)
{
    size_t seen = 0;
    Value v = program_value(text);
    Value copy = structure_map(vm, v, same_leaf, &seen);
    cr_assert_not(value_failed(copy), "%s", text);
    cr_expect_eq(seen, leaves, "%s", text);
    cr_expect(immutable || !value_same(copy, v), "%s", text);
    cr_expect_eq(value_object(copy)->type, value_object(v)->type);
    Str *before = value_repr(vm, v), *after = value_repr(vm, copy);
    cr_expect(str_equal(before, after), "%s: %s", before->text, after->text);
    object_release(&vm->ctx, before);
    object_release(&vm->ctx, after);
    release(vm, copy);
}

Test(structure, a_copy_is_alike_and_another)
{
    define_classes();
    expect_round_trip("[1, [2, (3, 'x')], {}]", 4, false);
    expect_round_trip("{'b': [1], 'a': {2: 3}}", 2, false); // b stays first
    expect_round_trip("P([1], D(2, 3))", 3, false);
    expect_round_trip("D([1, 2], P(3, 4))", 4, false); // frozen
    expect_round_trip("{1, 2}", 0, false);
    expect_round_trip("(frozenset({1}), L([1, 2]))", 1, false);
    expect_round_trip("()", 0, true);
}

// Leaves are replaced; the original keeps its own.
static Value number_leaf(Vm *v, Value leaf, void *data)
{
    (void)v, (void)leaf;
    return value_from_small(++*(int64_t *)data);
}

Test(structure, leaves_are_replaced_in_the_order_of_a_walk)
{
    define_classes();
    int64_t number = 0;
    Value v = program_value("{'b': [7, 7], 'a': P(7, D(7, 7))}");
    Value copy = structure_map(vm, v, number_leaf, &number);
    program_prints(copy, "{'b': [4, 5], 'a': P(x=1, y=D(b=2, a=3))}");
    program_prints(v, "{'b': [7, 7], 'a': P(x=7, y=D(b=7, a=7))}");
    release(vm, copy);
}

// What was made before the failure is released with it.
static Value third_fails(Vm *v, Value leaf, void *data)
{
    (void)leaf;
    return ++*(int *)data == 3 ? raise_error(v, ERR_VALUE, "the third")
                               : value_from_object(list_new(v, 0));
}

Test(structure, a_failing_leaf_fails_the_copy)
{
    int count = 0;
    Value v = program_value("[1, [2, {'a': 3}], 4]");
    cr_expect(value_failed(structure_map(vm, v, third_fails, &count)));
    cr_expect_eq(count, 3);
    cr_expect(raise_matches(vm, ERR_VALUE));
    raise_clear(vm);
}

// A container may come twice, but not inside itself.
Test(structure, only_cycles_are_refused)
{
    size_t seen = 0;
    program_run("a = [1]\nb = [a, a]\nc = {'k': [1]}\nc['k'].append(c)\n");
    Value copy = structure_map(vm, program_value("b"), same_leaf, &seen);
    cr_assert_not(value_failed(copy));
    cr_expect_eq(seen, 2);
    release(vm, copy);
    cr_expect(
        value_failed(structure_map(vm, program_value("c"), same_leaf, &seen)));
    cr_expect(raise_matches(vm, ERR_VALUE));
    raise_clear(vm);
    program_run("c.clear()\n");
}

// As deep as memory goes for the program, but not for the C stack.
Test(structure, a_deep_structure_is_refused_not_followed)
{
    size_t seen = 0;
    program_run("d = []\n"
                "for i in range(200000):\n"
                "    d = [d]\n");
    cr_expect(
        value_failed(structure_map(vm, program_value("d"), same_leaf, &seen)));
    cr_expect(raise_matches(vm, ERR_RECURSION));
    raise_clear(vm);
}

// Plain: the number or text is all there is to it.
Test(structure, what_extends_a_plain_class_is_not_plain)
{
    program_run("class S(str):\n    pass\nclass F(float):\n    pass\n");
    cr_expect(structure_is_plain(program_value("'a'")));
    cr_expect(structure_is_plain(program_value("b'a'")));
    cr_expect(structure_is_plain(program_value("2**70")));
    cr_expect(structure_is_plain(program_value("1e300")));
    cr_expect_not(structure_is_plain(program_value("S('a')")));
    cr_expect_not(structure_is_plain(program_value("F(1.5)")));
    cr_expect_not(structure_is_plain(program_value("True")));
    cr_expect_not(structure_is_plain(program_value("None")));
}
