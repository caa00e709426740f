// The table of traces, and the guard in front of it.
#include <criterion/criterion.h>
#include <stdio.h>

#include "interp/core/raise.h"

#include "program.h"

TestSuite(traces, .init = program_open, .fini = program_close);
TestSuite(guard, .init = program_open, .fini = program_close);

// The trace that the table finds for f(*arguments), NULL: none. Nothing is
// made.
static Concrete *find(StagedFunction *f, const char *arguments)
{
    const Tuple *tuple = value_as_tuple(program_value(arguments));
    Bound bound;
    Signature signature;
    cr_assert(bound_make(vm, f->target, tuple->items, (uint32_t)tuple->count,
                         NULL, NULL, &bound));
    cr_assert(signature_make(vm, f->target, &bound, false, &signature));
    Concrete *found = traces_find(vm, &f->table, &signature);
    signature_free(vm, &signature);
    bound_free(vm, &bound);
    return found;
}

// The guard that was set or has passed last.
static const Guard *last_guard(const StagedFunction *f)
{
    return f->table.guards.last;
}

// Whether a guard lets f(*arguments) pass; what it then computes goes.
static bool passes(StagedFunction *f, const char *arguments)
{
    const Tuple *tuple = value_as_tuple(program_value(arguments));
    Value result = guards_run(vm, &f->table.guards, tuple->items,
                              (uint32_t)tuple->count, NULL);
    cr_assert_not(value_failed(result), "%s", arguments);
    release(vm, result);
    return !value_unbound(result);
}

static StagedFunction *define(const char *decorator, const char *body)
{
    char source[600];
    snprintf(source, sizeof source, "%s\ndef f(x, n=1):\n%s", decorator, body);
    program_run(source);
    return program_staged("f");
}

Test(traces, a_trace_is_found_by_its_signature_alone)
{
    StagedFunction *f = define("@stage", "    return x * n\n");
    cr_expect_null(find(f, "(tensor(1),)"));
    program_run("f(tensor(1))\nf(tensor(1), 2)\nf([tensor(1)])\n");
    cr_assert_eq(f->table.count, 3);
    Concrete **made = f->table.traces.items;
    cr_expect_eq(find(f, "(tensor(5),)"), made[0]);
    cr_expect_eq(find(f, "(tensor(5), 1)"), made[0]); // the default
    cr_expect_eq(find(f, "(tensor(5), 2)"), made[1]);
    cr_expect_eq(find(f, "([tensor(5)],)"), made[2]);
    cr_expect_null(find(f, "(tensor(5), True)"));
    cr_expect_null(find(f, "(tensor(5.0),)"));
    cr_expect_null(find(f, "(tensor([5]),)"));
    cr_expect_null(find(f, "((tensor(5),),)"));
}

// An exact trace is better than a general one; of the general ones the most
// special that covers the call is taken. (They are made from special to
// general: a trace that covers what is asked for is not made again.)
Test(traces, exact_comes_before_general)
{
    StagedFunction *f = define("@stage", "    return x\n");
    program_run("f.concrete(zeros([2, 3]))\n"
                "f.concrete(spec([None, 3], float32))\n"
                "f.concrete(spec([None, None], float32))\n"
                "f.concrete(spec(None, float32))\n"
                "f.concrete(spec([7, 7], float32))\n"); // covered
    cr_assert_eq(f->table.count, 4);
    Concrete **made = f->table.traces.items;
    cr_expect_eq(find(f, "(zeros([2, 3]),)"), made[0]);
    cr_expect_eq(find(f, "(zeros([4, 3]),)"), made[1]);
    cr_expect_eq(find(f, "(zeros([4, 4]),)"), made[2]);
    cr_expect_eq(find(f, "(zeros([4]),)"), made[3]);
    cr_expect_null(find(f, "(zeros([4, 3], dtype=int32),)"));
    cr_expect_null(find(f, "(zeros([4, 3]), 2)"));
}

Test(traces, a_removed_general_trace_is_not_found)
{
    StagedFunction *f = define("@stage", "    return x\n");
    program_run("f.concrete(spec([2, None], float32))\n"
                "f.concrete(spec([None, 3], float32))\n"
                "f.concrete(spec(None, float32))\n");
    cr_assert_eq(f->table.count, 3);
    Concrete **made = f->table.traces.items;
    Concrete *first = made[0], *middle = made[1], *widest = made[2];
    cr_expect_eq(find(f, "(zeros([4, 3]),)"), middle);
    traces_remove(vm, &f->table, middle); // in the middle of the chain
    cr_expect_eq(find(f, "(zeros([4, 3]),)"), widest);
    traces_remove(vm, &f->table, widest); // at its head
    cr_expect_null(find(f, "(zeros([4, 3]),)"));
    cr_expect_eq(find(f, "(zeros([2, 5]),)"), first);
    traces_remove(vm, &f->table, first);
    cr_expect_null(find(f, "(zeros([2, 5]),)"));
    cr_expect_eq(f->table.by_relaxed.count, 0);
    cr_expect_eq(f->table.by_key.count, 0);
}

Test(traces, the_limit_drops_the_least_recently_found)
{
    StagedFunction *f = define("@stage(max_traces=3)", "    return x + n\n");
    program_run("for n in [1, 2, 3]:\n"
                "    f(tensor(0), n)\n"
                "f(tensor(0), 1)\n" // 2 is now the oldest
                "f(tensor(0), 4)\n");
    cr_expect_eq(f->table.count, 3);
    cr_expect_null(find(f, "(tensor(0), 2)"));
    cr_expect_not_null(find(f, "(tensor(0), 1)"));
    cr_expect_not_null(find(f, "(tensor(0), 3)"));
    cr_expect_not_null(find(f, "(tensor(0), 4)"));
    program_run("f(tensor(0), 5)\n"); // find counts: 1 was looked up first
    cr_expect_null(find(f, "(tensor(0), 1)"));
    cr_expect_eq(f->traced, 5);
}

// A concrete function that somebody holds outlives its place in the table.
Test(traces, a_dropped_trace_stays_valid)
{
    StagedFunction *f = define("@stage(max_traces=1)", "    return x + n\n");
    program_run("c = f.concrete(tensor(0), 1)\nf(tensor(0), 2)\n");
    Concrete *c = (Concrete *)value_object(program_value("c"));
    cr_expect_null(c->table);
    cr_expect_eq(f->table.count, 1);
    program_prints(program_value("int(c(tensor(5)))"), "6");
}

// Gaps that traces leave are closed; one that is found again and again stays.
Test(traces, many_that_go_leave_the_others_in_order)
{
    StagedFunction *f = define("@stage(max_traces=20)", "    return x + n\n");
    program_run("for i in range(100):\n    f(1.0, i)\n    f(1.0, 0)\n");
    cr_expect_eq(f->table.count, 20);
    cr_expect_lt(f->table.traces.count, 60);
    size_t at = 0, number = 1;
    for (const Concrete *c; (c = traces_next(&f->table, &at)) != NULL;) {
        cr_expect_eq(c->number, number);
        number = number == 1 ? 82 : number + 1;
    }
    cr_expect_eq(number, 101);
}

Test(traces, relax_joins_with_what_is_there)
{
    StagedFunction *f = define("@stage(relax=True)", "    return x\n");
    program_run("f(zeros([2, 3]))\nf(zeros([5, 3]))\n");
    cr_assert_eq(f->table.count, 2);
    Concrete *general = f->table.traces.items[1];
    TensorType type =
        graph_type(general->graph, general->graph->inputs.items[0].value);
    cr_expect_eq(type.rank, 2);
    cr_expect_eq(type.dims[0], DIM_UNKNOWN);
    cr_expect_eq(type.dims[1], 3);
    cr_expect_eq(find(f, "(zeros([9, 3]),)"), general);
    cr_expect_eq(find(f, "(zeros([2, 3]),)"), f->table.traces.items[0]);
    cr_expect_null(find(f, "(zeros([9, 4]),)"));
}

// A trace that fails is not in the table.
Test(traces, a_failing_trace_leaves_nothing)
{
    StagedFunction *f = define("@stage", "    return x + [1, 2][n]\n");
    (void)program_error("f(tensor(0), 2)");
    cr_expect_eq(f->table.count, 0);
    cr_expect_null(find(f, "(tensor(0), 2)"));
}

// --- guard ---

Test(guard, covers_calls_like_those_that_set_it)
{
    StagedFunction *f = define("@stage", "    return x * n\n");
    cr_expect_not(passes(f, "(tensor([1, 2]), 2)"));
    program_run("f(tensor([1, 2]), 2)\n");
    cr_expect(passes(f, "(tensor([1, 2]), 2)"));
    cr_expect(passes(f, "(tensor([3, 4]), 2)"));
    cr_expect_not(passes(f, "(tensor([1, 2]), 3)"));
    cr_expect_not(passes(f, "(tensor([1, 2]), 2.0)"));
    cr_expect_not(passes(f, "(tensor([1, 2]), True)"));
    cr_expect_not(passes(f, "(tensor([1, 2]), tensor(2))"));
    cr_expect_not(passes(f, "(tensor([1, 2, 3]), 2)"));
    cr_expect_not(passes(f, "(tensor([[1, 2]]), 2)"));
    cr_expect_not(passes(f, "(tensor([1.0, 2.0]), 2)"));
    cr_expect_not(passes(f, "([1, 2], 2)"));
    cr_expect_not(passes(f, "(tensor([1, 2]),)"));
    cr_expect_not(passes(f, "(tensor([1, 2]), 2, 2)"));
    program_run("f(tensor([1, 2]), 3)\n");
    cr_expect(passes(f, "(tensor([1, 2]), 3)"));
    cr_expect(passes(f, "(tensor([1, 2]), 2)"));
}

Test(guard, gives_what_the_trace_gives)
{
    StagedFunction *f = define("@stage", "    return x * n, [n]\n");
    program_run("f(tensor(1), 7)\n");
    Value arguments[] = {program_value("tensor(6)"), value_from_small(7)};
    Value result =
        program_keep(guards_run(vm, &f->table.guards, arguments, 2, NULL));
    cr_assert(value_is_kind(result, KIND_TUPLE));
    program_set("result", value_retain(result));
    program_prints(program_value("(int(result[0]), result[1])"), "(42, [7])");
}

// Sets that could hold anything, keys whose equality runs code, what is made a
// tensor by code, and what is cyclic, or holds itself in another way.
Test(guard, does_not_cover_what_it_cannot_tell)
{
    StagedFunction *f = define("@stage", "    return x\n");
    static const char *const doubtful[] = {
        "{1}", "t",     "{K(): 1}",        "{(1, 2): 3}",
        "[t]", "slots", "list(range(64))",
    };
    program_run("from dataclasses import dataclass\n"
                "class T:\n"
                "    def __tensor__(self, dtype=None):\n"
                "        return tensor(1)\n"
                "class K:\n"
                "    def __hash__(self):\n"
                "        return 1\n"
                "@dataclass(slots=True)\n"
                "class S:\n"
                "    x: int\n"
                "t, slots = T(), S(1)\n");
    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; i++) {
        char call[80];
        snprintf(call, sizeof call, "a = (tensor(1), %s)", doubtful[i]);
        program_run(call);
        program_run("f(*a)\n");
        cr_expect_not(passes(f, "a"), "%s", doubtful[i]);
    }
    program_run("a = (tensor(1), 'text')\nf(*a)\n");
    cr_expect(passes(f, "a")); // the very same immutable object
}

// What is like the structure of the guarded call, and what differs from it in
// one way.
typedef struct GuardRow {
    const char *guarded, *like, *unlike[8];
} GuardRow;

static const GuardRow guard_rows[] = {
    {"[v]", "[w]", {"v", "(v,)", "[v, v]", "[]", "[x]", "[i]", "R([v])"}},
    {"[x, 1]",
     "[y, 1]",
     {"[x, 2]", "[x, 1.0]", "[x, True]", "[z, 1]", "[1, x]", "[h, 1]",
      "[x, [1]]"}},
    {"(x, [y])", "(y, [x])", {"(x, (y,))", "[x, [y]]", "(x, y)", "(x, [])"}},
    {"P(x, 1)", "P(y, 1)", {"(x, 1)", "Q(x, 1)", "P(x, 2)", "P(z, 1)"}},
    {"D(x, 1)",
     "D(y, 1)",
     {"D(x, 2)", "E(x, 1)", "D(z, 1)", "D(1, x)", "with_more", "with_dict"}},
    {"{'a': x, 'b': 1}",
     "{'a': y, 'b': 1}",
     {"{'b': 1, 'a': x}", "{'a': x}", "{'a': x, 'c': 1}", "{'a': x, 'b': 2}",
      "{'a': x, 'b': 1, 'c': 1}", "with_hole", "{'a': x, T('b'): 1}"}},
    {"{0: x, 1: 1}",
     "{0: y, 1: 1}",
     {"{1: 1, 0: x}", "{0.0: x, 1: 1}", "{0: x, True: 1}", "{0: x, 2: 1}"}},
    {"[v, w, v]",
     "[w, v, w]",
     {"[v, v, v]", "[v, w, w]", "[v, w, v2]", "[v, fixed, v]", "[v, V(1), v]",
      "[v, x, v]"}},
    {"None", "None", {"[]", "0", "False"}},
};

Test(guard, covers_structures_that_are_alike)
{
    StagedFunction *f = define("@stage", "    return x\n");
    program_run("from dataclasses import dataclass\n"
                "from collections import namedtuple\n"
                "P, Q = namedtuple('P', 'a b'), namedtuple('Q', 'a b')\n"
                "@dataclass\n"
                "class D:\n"
                "    a: object\n"
                "    b: object\n"
                "class E(D): pass\n"
                "class R(list): pass\n"
                "class T(str): pass\n"
                "class V(Variable): pass\n"
                "x, y, z, h = tensor(1), tensor(2), tensor([1]), tensor(1.0)\n"
                "i, v, w, v2 = 1, Variable(1), Variable(2), Variable(1.0)\n"
                "fixed = Variable(1, trainable=False)\n"
                "with_more, with_dict = D(x, 1), D(x, 1)\n"
                "with_more.c = 1\n"
                "with_dict.__dict__\n"
                "with_hole = {'c': 1, 'a': x, 'b': 1}\n"
                "del with_hole['c']\n");
    for (size_t i = 0; i < sizeof guard_rows / sizeof *guard_rows; i++) {
        const GuardRow *row = &guard_rows[i];
        char text[80];
        snprintf(text, sizeof text, "f(x, %s)\n", row->guarded);
        program_run(text);
        snprintf(text, sizeof text, "(x, %s)", row->like);
        cr_expect(passes(f, text), "%s", row->like);
        for (size_t k = 0; k < 8 && row->unlike[k] != NULL; k++) {
            snprintf(text, sizeof text, "(x, %s)", row->unlike[k]);
            cr_expect_not(passes(f, text), "%s: %s", row->guarded,
                          row->unlike[k]);
        }
    }
}

// A structure that is another one when the call ends is not what was traced.
Test(guard, is_of_the_call_before_it_ran)
{
    program_run("x, p = tensor(1), [tensor(1)]\n"
                "@stage\n"
                "def f(p):\n"
                "    stage.host_call(lambda: p.append(x))\n"
                "    return len(p)\n"
                "n = [f(p), len(p)]\n");
    StagedFunction *f = program_staged("f");
    cr_expect(passes(f, "([x],)"));
    cr_expect_not(passes(f, "([x, x],)"));
}

// What a class says of its instances may change.
Test(guard, does_not_cover_instances_of_changed_classes)
{
    StagedFunction *f = define("@stage", "    return x\n");
    program_run("class C: pass\n"
                "c = C()\n"
                "f(tensor(1), c)\n");
    cr_expect(passes(f, "(tensor(1), c)"));
    program_run("C.__tensor__ = lambda self, dtype=None: tensor(1)\n");
    cr_expect_not(passes(f, "(tensor(1), c)"));
}

// What is given by default is an argument that the call does not show.
Test(guard, covers_defaults_as_long_as_they_are_the_same)
{
    program_run("v, k = Variable(2), [1]\n"
                "def g(x, n=v, *, by=k):\n"
                "    return x * n * by[0]\n"
                "f = stage(g)\n"
                "f(tensor(1))\n");
    StagedFunction *f = program_staged("f");
    cr_expect(passes(f, "(tensor(1),)"));
    program_run("k[0] = 3\n");
    cr_expect_not(passes(f, "(tensor(1),)"));
    program_prints(program_value("int(f(tensor(4)))"), "24");
    cr_expect(passes(f, "(tensor(4),)"));
    program_run("g.__kwdefaults__ = {'by': [5]}\n");
    cr_expect_not(passes(f, "(tensor(1),)"));
    program_prints(program_value("int(f(tensor(4)))"), "40");
    program_run("g.__defaults__ = (1,)\n");
    cr_expect_not(passes(f, "(tensor(1),)"));
    program_prints(program_value("int(f(tensor(4)))"), "20");
}

// A store to what the trace has read sends the call the long way round.
Test(guard, does_not_cover_a_changed_frozen_value)
{
    StagedFunction *f =
        define("k = 2\n@stage(frozen='retrace')", "    return x * k\n");
    program_run("f(tensor(1))\n");
    cr_expect(passes(f, "(tensor(1),)"));
    program_run("k = 3\n");
    cr_expect_not(passes(f, "(tensor(1),)"));
    program_prints(program_value("int(f(tensor(1)))"), "3");
    cr_expect(passes(f, "(tensor(1),)"));
}

Test(guard, does_not_cover_many_arguments)
{
    program_run("@stage\n"
                "def f(*xs):\n"
                "    return xs[0]\n"
                "f(*[tensor(1)] * 64)\n");
    StagedFunction *f = program_staged("f");
    cr_expect(passes(f, "(tensor(1),) * 64"));
    program_run("f(*[tensor(1)] * 65)\n");
    cr_expect_not(passes(f, "(tensor(1),) * 65"));
    cr_expect(passes(f, "(tensor(1),) * 64"));
}

// Each trace has its guards, whatever was called since; of one that is called
// in many ways, or of calls that cannot be told apart, the newest are kept.
Test(guard, many_are_kept)
{
    StagedFunction *f = define("@stage", "    return x + n\n");
    program_run("for i in range(1, 101):\n"
                "    f(tensor([1] * i), 1)\n");
    for (int i = 1; i < 101; i++) {
        char arguments[40];
        snprintf(arguments, sizeof arguments, "(tensor([1] * %d), 1)", i);
        cr_expect(passes(f, arguments), "%d", i);
    }
    cr_expect_eq(f->table.guards.count, 100);
}

Test(guard, few_are_kept_of_one_trace)
{
    StagedFunction *f = define("@stage", "    return x\n");
    program_run("for text in ['a b', 'b a', 'a c', 'c a', 'd a', 'a d']:\n"
                "    a, b = text.split()\n"
                "    f(1, {a: tensor(1), b: tensor(1)})\n"
                "    f({a: 1, b: 2}, n=1)\n"
                "    f(x={a: 1, b: 2}, n=1)\n"
                "    f({b: 2, a: 1}, 1)\n"
                "    f({a: 1, b: 2}, 1)\n");
    cr_expect_leq(f->table.guards.count, GUARD_FORMS * f->table.count);
    // All of one hash: the order of their keys does not enter it.
    program_run("for i in range(20):\n"
                "    f({str(i): 1}, 1)\n");
    cr_expect(passes(f, "({'19': 1}, 1)"));
    cr_expect_not(passes(f, "({'0': 1}, 1)"));
    program_prints(program_value("f({'0': 1}, 1)"), "{'0': 1}");
}

// It goes with its trace when the table drops that, and holds no object.
Test(guard, goes_with_its_trace)
{
    StagedFunction *f = define("@stage(max_traces=1)", "    return x + 1\n");
    program_run("class C:\n    pass\nc = C()\nf(tensor(1), c)\n");
    cr_expect(passes(f, "(tensor(1), c)"));
    Value held = program_value("c");
    cr_expect(value_same(last_guard(f)->nodes.items[1].same, held));
    uint32_t before = value_object(held)->rc;
    guards_clear(vm, &f->table.guards);
    cr_expect_eq(value_object(held)->rc, before);
    program_run("f(tensor(1), c)\n");
    cr_expect_eq(value_object(held)->rc, before);
    program_run("f.concrete(tensor(1), 2)\n");
    cr_expect_null(last_guard(f));
    cr_expect_eq(f->table.guards.count, 0);
    cr_expect_not(passes(f, "(tensor(1), c)"));
}
