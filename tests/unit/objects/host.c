// The Vm of the tests of objects.
#include <criterion/criterion.h>
#include <string.h>

#include "interp/machine/vm/vm_text.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/world.h"

#include "host.h"

Vm *vm;
static Dict *globals; // of the main module, borrowed

void host_open(void)
{
    vm = vm_new(0);
    cr_assert_not_null(vm);
    globals = vm_main_module(vm, "test");
    cr_assert_not_null(globals);
}

void host_close(void)
{
    cr_assert_not(vm_has_error(vm)); // each test takes what it provokes
    vm_finish(vm);
    vm_free(vm);
}

static Value run(const char *text, RunMode mode)
{
    Source *source = source_new(&vm->ctx, "test", text, strlen(text));
    cr_assert_not_null(source);
    Value result = vm_run_source(vm, source, mode, globals, VALUE_UNBOUND);
    source_release(&vm->ctx, source);
    cr_assert_not(value_failed(result), "%s raised", text);
    return result;
}

void host_run(const char *text)
{
    value_release(&vm->ctx, run(text, RUN_MODULE));
}

Value host_eval(const char *text)
{
    return run(text, RUN_EXPRESSION);
}

bool host_shows(Value v, const char *text)
{
    Str *shown = value_repr(vm, v);
    cr_assert_not_null(shown);
    bool same = str_is(shown, text);
    if (!same) {
        cr_log_warn("%s, expected %s", shown->text, text);
    }
    object_release(&vm->ctx, shown);
    value_release(&vm->ctx, v);
    return same;
}

bool host_failed(ErrorKind kind)
{
    bool matches = vm_has_error(vm) && raise_matches(vm, kind);
    raise_clear(vm);
    return matches;
}

uint32_t host_count(Value v)
{
    return value_object(v)->rc;
}
