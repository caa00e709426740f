// A Vm for the tests of the stager, and sources that it runs.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph_text.h"
#include "interp/core/raise.h"
#include "interp/machine/vm/vm_text.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/protocol/protocol.h"

#include "modules/world.h"
#include "program.h"

Vm *vm;
static Dict *globals;         // of the program's main module, borrowed
static ValueVec kept;         // what program_value gave, owned
static char error[1024];      // what program_error gave
static char graph_text[8192]; // what program_graph gave

void program_open(void)
{
    vm = vm_new(0);
    cr_assert_not_null(vm);
    cr_assert(stager_init(vm, false));
    globals = vm_main_module(vm, "test");
    cr_assert_not_null(globals);
    kept = (ValueVec){0};
}

// As the command line does it: finalisers may still run staged functions.
void program_close(void)
{
    structure_free(vm, &kept);
    vm_finish(vm);
    stager_free(vm);
    vm_free(vm);
}

// Owned; VALUE_FAIL with an error pending.
static Value run(const char *text, RunMode mode)
{
    Source *source = source_new(&vm->ctx, "test", text, strlen(text));
    cr_assert_not_null(source);
    Value result = vm_run_source(vm, source, mode, globals, VALUE_UNBOUND);
    source_release(&vm->ctx, source);
    return result;
}

// Takes the pending error as its last lines.
static void take_error(void)
{
    Value exception = raise_take(vm);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    cr_assert(raise_print_message(vm, exception, &out));
    snprintf(error, sizeof error, "%s", strbuf_text(&out));
    strbuf_free(&out);
    release(vm, exception);
}

Value program_eval(const char *text)
{
    Value result = run(text, RUN_EXPRESSION);
    if (value_failed(result)) {
        take_error();
        cr_assert_fail("%s: %s", text, error);
    }
    return result;
}

void program_run(const char *text)
{
    Value result = run(text, RUN_MODULE);
    if (value_failed(result)) {
        take_error();
        cr_assert_fail("%s: %s", text, error);
    }
    release(vm, result);
}

Value program_value(const char *text)
{
    return program_keep(program_eval(text));
}

Value program_keep(Value owned)
{
    cr_assert(structure_push(vm, &kept, owned));
    return owned;
}

void program_set(const char *name, Value owned)
{
    Str *key = str_intern(vm, name, strlen(name));
    cr_assert_not_null(key);
    cr_assert(dict_set_name(vm, globals, key, owned));
    object_release(&vm->ctx, key);
    release(vm, owned);
}

const char *program_error(const char *text)
{
    Value result = run(text, RUN_EXPRESSION);
    cr_assert(value_failed(result), "%s raises nothing", text);
    take_error();
    return error;
}

bool program_prints(Value v, const char *expected)
{
    Str *text = value_repr(vm, v);
    cr_assert_not_null(text);
    bool same = str_is(text, expected);
    cr_expect(same, "%s instead of %s", text->text, expected);
    object_release(&vm->ctx, text);
    return same;
}

StagedFunction *program_staged(const char *name)
{
    Value v = program_value(name);
    cr_assert(value_is_staged(vm, v), "%s", name);
    return (StagedFunction *)value_object(v);
}

// A place stands behind "  # " to the end of its line.
static void strip_places(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (strncmp(from, "  # ", 4) == 0) {
            from += strcspn(from, "\n");
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

const char *program_graph(Graph *graph)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    graph_print(&out, graph, true);
    cr_assert(strbuf_ok(&out));
    cr_assert_lt(out.length, sizeof graph_text);
    memcpy(graph_text, strbuf_text(&out), out.length + 1);
    strbuf_free(&out);
    strip_places(graph_text);
    return graph_text;
}
