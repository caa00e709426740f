// Keys of calls: equal only if one trace is right for both calls, and equal
// wherever a new trace would be for nothing.
#include <criterion/criterion.h>
#include <string.h>

#include "program.h"

TestSuite(signature, .init = program_open, .fini = program_close);

// The signature of a call with one argument, which the program keeps.
static void sign(const char *argument, Signature *out)
{
    Bound bound = {0};
    cr_assert(structure_push(vm, &bound.values, program_eval(argument)));
    cr_assert(signature_make(vm, VALUE_NONE, &bound, false, out), "%s",
              argument);
    bound_free(vm, &bound);
}

static bool same_bytes(const StrBuf *a, const StrBuf *b)
{
    return a->length == b->length &&
           memcmp(strbuf_text(a), strbuf_text(b), a->length) == 0;
}

static bool same_key(const char *a, const char *b)
{
    Signature first, second;
    sign(a, &first);
    sign(b, &second);
    bool same = same_bytes(&first.key, &second.key);
    signature_free(vm, &first);
    signature_free(vm, &second);
    return same;
}

static bool same_relaxed(const char *a, const char *b)
{
    Signature first, second;
    StrBuf keys[2];
    sign(a, &first);
    sign(b, &second);
    strbuf_init(&keys[0], &vm->ctx);
    strbuf_init(&keys[1], &vm->ctx);
    cr_assert(signature_relaxed(&first, &keys[0]));
    cr_assert(signature_relaxed(&second, &keys[1]));
    bool same = same_bytes(&keys[0], &keys[1]);
    strbuf_free(&keys[0]);
    strbuf_free(&keys[1]);
    signature_free(vm, &first);
    signature_free(vm, &second);
    return same;
}

// Each key is equal to itself, made a second time, and to no other's.
static void all_differ(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            cr_expect_eq(same_key(texts[i], texts[k]), i == k, "%s / %s",
                         texts[i], texts[k]);
        }
    }
}

#define ALL_DIFFER(...)                                                        \
    do {                                                                       \
        static const char *const texts[] = {__VA_ARGS__};                      \
        all_differ(texts, sizeof texts / sizeof *texts);                       \
    } while (0)

// Equal in Duet, most of them, but not the same to a trace.
Test(signature, kinds_of_scalars_differ)
{
    ALL_DIFFER("1", "True", "1.0", "'1'", "b'1'", "None", "tensor(1)", "...",
               "int");
}

Test(signature, zeros_differ)
{
    ALL_DIFFER("0", "False", "0.0", "-0.0", "''", "b''", "()", "[]", "{}",
               "set()", "frozenset()", "None");
}

Test(signature, numbers_go_by_value)
{
    ALL_DIFFER("-1", "2**60", "2**61", "-2**61", "2**64", "2**64 + 1", "-2**64",
               "1e300", "5e-324", "float('inf')", "-float('inf')",
               "float('nan')");
    cr_expect(same_key("float('nan')", "-float('nan')"));
    cr_expect(same_key("2**64", "int('18446744073709551616')"));
    cr_expect(same_key("'ab'", "'a' + 'b'"));
    cr_expect(same_key("b'ab'", "b'a' + b'b'"));
}

// Where one text ends and the next begins is in the key.
Test(signature, texts_do_not_run_together)
{
    ALL_DIFFER("['ab', '']", "['a', 'b']", "['', 'ab']", "['ab']", "['a\\0b']",
               "['a', 's', 'b']", "[b'a', 'b']");
}

Test(signature, structures_go_by_kind_and_nesting)
{
    ALL_DIFFER("[1, 2]", "(1, 2)", "{1: 2}", "{1, 2}", "frozenset({1, 2})",
               "[(1, 2)]", "[[1, 2]]", "[[1], [2]]", "[[1], 2]", "[1, [2]]",
               "[1, 2, []]", "[[], 1, 2]", "{1: 2, 2: 1}");
    cr_expect(same_key("[1, (2, {'a': [3]})]", "[1, (2, {'a': [3]})]"));
}

Test(signature, classes_of_structures_count)
{
    program_run("from collections import namedtuple\n"
                "from dataclasses import dataclass\n"
                "P = namedtuple('P', 'x y')\n"
                "Q = namedtuple('Q', 'x y')\n"
                "@dataclass\n"
                "class D:\n"
                "    x: int\n"
                "    y: int\n"
                "@dataclass\n"
                "class E:\n"
                "    x: int\n"
                "    y: int\n");
    ALL_DIFFER("P(1, 2)", "Q(1, 2)", "(1, 2)", "D(1, 2)", "E(1, 2)", "D(2, 1)",
               "{'x': 1, 'y': 2}");
}

// Equal dicts are one signature, in whatever order they were filled.
Test(signature, order_of_dicts_and_sets_does_not_count)
{
    cr_expect(same_key("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"));
    cr_expect(same_key("{1: 1, -1: 2, 'a': 3}", "{'a': 3, -1: 2, 1: 1}"));
    cr_expect(same_key("{3, 1, 2}", "{2, 3, 1}"));
    cr_expect(same_key("{'x': tensor(1), 'y': tensor(2)}",
                       "{'y': tensor(3), 'x': tensor(4)}"));
    ALL_DIFFER("{'a': 1, 'b': 2}", "{'a': 2, 'b': 1}", "{'a': 1}", "{1: 'a'}",
               "{True: 'a'}", "{1.0: 'a'}");
}

Test(signature, tensors_go_by_dtype_and_shape)
{
    ALL_DIFFER("tensor(1)", "tensor(1.0)", "tensor(True)", "tensor('1')",
               "tensor(1, dtype=int64)", "tensor([1])", "tensor([1, 2])",
               "tensor([[1, 2]])", "tensor([[1], [2]])", "zeros([0])",
               "zeros([0, 2])", "zeros([2, 0])", "[tensor(1)]");
    cr_expect(same_key("tensor([1, 2])", "tensor([3, 4])"));
    cr_expect(same_key("tensor(float('nan'))", "tensor(0.0)"));
}

// A vector's size must not look like the next argument's dtype.
Test(signature, several_tensors_do_not_run_together)
{
    ALL_DIFFER("[zeros([2]), zeros([3])]", "[zeros([3]), zeros([2])]",
               "[zeros([2, 3])]", "[zeros([]), zeros([2, 3])]",
               "[zeros([2, 3]), zeros([])]", "(zeros([2]), zeros([3]))");
}

// Which arguments are the same Variable, not which Variable it is.
Test(signature, variables_go_by_aliasing)
{
    program_run("u = Variable(1.0)\n"
                "v = Variable(2.0)\n"
                "w = Variable([1.0])\n"
                "n = Variable(1)\n");
    cr_expect(same_key("[u, v]", "[v, u]"));
    cr_expect(same_key("[u, u]", "[v, v]"));
    cr_expect(same_key("[u, v, u]", "[v, u, v]"));
    ALL_DIFFER("[u, v]", "[u, u]", "[u, w]", "[w, u]", "[u, n]",
               "[u, tensor(1.0)]", "[u, v, u]", "[u, v, v]");
}

Test(signature, variables_are_kept_once_and_in_order)
{
    program_run("u = Variable(1.0)\nv = Variable(2.0)\n");
    Signature signature;
    sign("[v, {'b': u, 'a': v}, u]", &signature);
    cr_expect_eq(signature.variables.count, 2);
    cr_expect(value_same(signature.variables.items[0], program_value("v")));
    cr_expect(value_same(signature.variables.items[1], program_value("u")));
    signature_free(vm, &signature);
}

// Few and many are found in different ways.
Test(signature, many_variables_have_numbers_of_their_own)
{
    program_run("many = [Variable(i) for i in range(40)]\n"
                "one = Variable(0)\n");
    Signature signature;
    sign("many + many", &signature);
    cr_assert_eq(signature.variables.count, 40);
    for (uint32_t i = 0; i < 40; i++) {
        cr_expect_eq(
            signature_variable(&signature, signature.variables.items[i]), i);
    }
    cr_expect_eq(signature_variable(&signature, program_value("one")), 40);
    signature_free(vm, &signature);
    ALL_DIFFER("many", "many + [one]", "many + many[:1]", "many + many[1:2]",
               "many[:20] + many[19:39]");
}

// Its attributes and methods are the program's, and a trace may use them.
Test(signature, variables_of_other_classes_go_by_class_or_identity)
{
    program_run("class V(Variable):\n    pass\n"
                "u = V(1.0)\nv = V(2.0)\nw = Variable(1.0)\n"
                "p = V(1.0)\nq = V(1.0)\np.of = q.of = 1\n");
    cr_expect(same_key("u", "v"));
    ALL_DIFFER("u", "w", "p", "q", "[u, u]", "[u, v]");
}

// Other objects go by identity, and the signature keeps them alive.
Test(signature, objects_go_by_identity)
{
    program_run("class C:\n"
                "    def __eq__(self, other):\n"
                "        return True\n"
                "    def __hash__(self):\n"
                "        return 1\n"
                "c = C()\nd = C()\n");
    ALL_DIFFER("c", "d", "C", "[c]", "len", "max", "range");
    Signature signature;
    sign("[c, d, c]", &signature);
    cr_expect_eq(signature.objects.count, 3);
    cr_expect(value_same(identity_value(vm, signature.objects.items[1]),
                         program_value("d")));
    signature_free(vm, &signature);
}

// The text or number of such an object is not all that a trace sees of it.
Test(signature, objects_that_extend_plain_values_are_objects)
{
    program_run("class S(str):\n    pass\n"
                "class B(bytes):\n    pass\n"
                "class F(float):\n    pass\n"
                "class I(int):\n    pass\n"
                "s, b, f, i = S('1'), B(b'1'), F(1), I(1)\n"
                "s2, f2 = S('1'), F(1)\n");
    ALL_DIFFER("'1'", "s", "s2", "b'1'", "b", "1.0", "f", "f2", "1", "i");
}

// An object with __tensor__ is the tensor that it gives.
Test(signature, what_has_tensor_is_one)
{
    program_run("class T:\n"
                "    def __init__(self, t):\n"
                "        self.t = t\n"
                "    def __tensor__(self, dtype=None):\n"
                "        return self.t\n");
    cr_expect(same_key("T(tensor([1, 2]))", "T(tensor([3, 4]))"));
    cr_expect(same_key("T(tensor([1, 2]))", "tensor([5, 6])"));
    cr_expect_not(same_key("T(tensor([1, 2]))", "T(tensor([1, 2, 3]))"));
}

Test(signature, a_relaxed_key_leaves_out_sizes_alone)
{
    cr_expect(same_relaxed("tensor([1])", "tensor([[1, 2]])"));
    cr_expect(same_relaxed("[zeros([2]), 1]", "[zeros([]), 1]"));
    cr_expect_not(same_relaxed("tensor([1])", "tensor([1.0])"));
    cr_expect_not(same_relaxed("[zeros([2]), 1]", "[zeros([2]), 2]"));
    cr_expect_not(same_relaxed("[zeros([2])]", "(zeros([2]),)"));
    cr_expect_not(same_relaxed("[zeros([2])]", "[zeros([2]), zeros([2])]"));
}

// Generalising splices sizes into the key: another shape that gets the same
// patterns then has the same key, and the parts of arguments end alike.
Test(signature, patterns_replace_sizes)
{
    Signature first, second;
    sign("[zeros([2, 3]), 7, zeros([5])]", &first);
    sign("[zeros([4]), 7, zeros([6, 1, 1])]", &second);
    Spec *patterns[] = {
        (Spec *)value_object(program_value("spec(None, float32)")),
        (Spec *)value_object(program_value("spec([None], float32)"))};
    cr_assert(signature_generalise(vm, &first, patterns));
    cr_assert(signature_generalise(vm, &second, patterns));
    cr_expect(same_bytes(&first.key, &second.key));
    cr_expect_eq(first.ends.items[0], first.key.length);
    cr_expect_eq(second.ends.items[0], second.key.length);
    cr_expect_eq(signature_type(&first, 0).rank, RANK_UNKNOWN);
    cr_expect_eq(signature_type(&first, 1).rank, 1);
    cr_expect_eq(signature_type(&first, 1).dims[0], DIM_UNKNOWN);
    signature_free(vm, &first);
    signature_free(vm, &second);
}

// Refused by name, not followed for ever.
Test(signature, a_cycle_is_refused)
{
    program_run("a = [1]\na.append((a,))\n"
                "shared = [1]\n"
                "@stage\n"
                "def f(x):\n"
                "    return 1\n");
    cr_expect_str_eq(program_error("f(a)"),
                     "ValueError: a cyclic list cannot pass through a staged "
                     "function\n");
    program_run("f([shared, shared])"); // twice, but not inside itself
}
