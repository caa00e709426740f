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
    return &f->table.guards.items[f->table.guards.last];
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

// Structures and Variables may have changed inside, and be other ones inside.
Test(guard, does_not_cover_what_it_cannot_tell)
{
    StagedFunction *f = define("@stage", "    return n\n");
    static const char *const doubtful[] = {"[1]", "(1, 2)", "{'a': 1}", "{1}",
                                           "v",   "d",      "t"};
    program_run("from dataclasses import dataclass\n"
                "@dataclass\n"
                "class D:\n"
                "    x: int\n"
                "class T:\n"
                "    def __tensor__(self, dtype=None):\n"
                "        return tensor(1)\n"
                "v, d, t = Variable(1), D(1), T()\n");
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

// A Variable by default is an argument that the call does not show.
Test(guard, does_not_cover_variables_by_default)
{
    program_run("v = Variable(2)\n"
                "@stage\n"
                "def f(x, n=v):\n"
                "    return x * n\n"
                "f(tensor(1))\n");
    const StagedFunction *f = program_staged("f");
    cr_assert_eq(f->table.count, 1);
    cr_expect_null(last_guard(f)->concrete);
    program_prints(program_value("int(f(tensor(4)))"), "8");
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
                "f(*[tensor(1)] * 8)\n");
    StagedFunction *f = program_staged("f");
    cr_expect(passes(f, "(tensor(1),) * 8"));
    program_run("f(*[tensor(1)] * 9)\n");
    cr_expect_not(passes(f, "(tensor(1),) * 9"));
    cr_expect(passes(f, "(tensor(1),) * 8"));
}

// A few calls in turn each have their guard; the one that is set anew takes
// the place of the oldest.
Test(guard, several_are_kept)
{
    StagedFunction *f = define("@stage", "    return x + n\n");
    program_run("for i in range(1, 6):\n"
                "    f(tensor([1] * i), 1)\n");
    for (int i = 2; i < 6; i++) {
        char arguments[40];
        snprintf(arguments, sizeof arguments, "(tensor([1] * %d), 1)", i);
        cr_expect(passes(f, arguments), "%d", i);
    }
    cr_expect_not(passes(f, "(tensor([1]), 1)"));
}

// It goes with its trace when the table drops that, and holds no object.
Test(guard, goes_with_its_trace)
{
    StagedFunction *f = define("@stage(max_traces=1)", "    return x + 1\n");
    program_run("class C:\n    pass\nc = C()\nf(tensor(1), c)\n");
    cr_expect(passes(f, "(tensor(1), c)"));
    Value held = program_value("c");
    cr_expect(value_same(last_guard(f)->arguments[1].same, held));
    uint32_t before = value_object(held)->rc;
    guards_clear(vm, &f->table.guards);
    cr_expect_eq(value_object(held)->rc, before);
    program_run("f(tensor(1), c)\n");
    cr_expect_eq(value_object(held)->rc, before);
    program_run("f.concrete(tensor(1), 2)\n");
    cr_expect_null(last_guard(f)->concrete);
    cr_expect_eq(last_guard(f)->count, 0);
    cr_expect_not(passes(f, "(tensor(1), c)"));
}
