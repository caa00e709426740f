// The forms that libraries set for kinds of values.
//
// Invariant: forms[] holds callables or VALUE_UNBOUND; without vm->display
// every kind prints its native form.
#include "interp/display.h"

#include "interp/module.h"
#include "interp/protocol.h"

struct Display {
    Value reprs[DISPLAY_KIND_COUNT]; // called with the value; UNBOUND: none
    Value strs[DISPLAY_KIND_COUNT];  // likewise, for str()
};

static const char *const kind_names[] = {
#define X(id, name) name,
    DISPLAY_KINDS(X)
#undef X
};

static bool make_display(Vm *vm)
{
    if (vm->display == NULL) {
        vm->display = ctx_alloc(&vm->ctx, sizeof *vm->display);
        if (vm->display == NULL) {
            return false;
        }
        for (int i = 0; i < DISPLAY_KIND_COUNT; i++) {
            vm->display->reprs[i] = VALUE_UNBOUND;
            vm->display->strs[i] = VALUE_UNBOUND;
        }
    }
    return true;
}

void display_free(Vm *vm)
{
    Display *display = vm->display;
    if (display == NULL) {
        return;
    }
    for (int i = 0; i < DISPLAY_KIND_COUNT; i++) {
        value_replace(&vm->ctx, &display->reprs[i], VALUE_UNBOUND);
        value_replace(&vm->ctx, &display->strs[i], VALUE_UNBOUND);
    }
    ctx_free(&vm->ctx, display, sizeof *display);
    vm->display = NULL;
}

static Str *call_form(Vm *vm, Value form, const char *what, Value v)
{
    if (!ctx_enter(&vm->ctx)) {
        return NULL;
    }
    Value kept = value_retain(form); // it may set itself another form
    Value made = vm_call(vm, kept, &v, 1);
    ctx_leave(&vm->ctx);
    release(vm, kept);
    if (value_failed(made) || value_is_str(made)) {
        return value_failed(made) ? NULL : value_as_str(made);
    }
    raise_error(vm, ERR_TYPE, "%s returned non-string (type %s)", what,
                type_name(type_of(vm, made)));
    release(vm, made);
    return NULL;
}

Str *display_repr(Vm *vm, DisplayKind kind, Value v)
{
    if (vm->display == NULL || value_unbound(vm->display->reprs[kind])) {
        return NULL;
    }
    return call_form(vm, vm->display->reprs[kind], "display repr", v);
}

Str *display_str(Vm *vm, DisplayKind kind, Value v)
{
    if (vm->display == NULL || value_unbound(vm->display->strs[kind])) {
        return NULL;
    }
    return call_form(vm, vm->display->strs[kind], "display str", v);
}

static void set_form(Vm *vm, Value *place, Value form)
{
    if (value_is_none(form)) {
        value_replace(&vm->ctx, place, VALUE_UNBOUND);
    } else if (!value_unbound(form)) {
        value_replace(&vm->ctx, place, value_retain(form));
    }
}

// set(kind, *, repr=…, str=…): None takes a form back.
static Value display_set(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    for (int i = 0; value_is_str(args[0]) && i < DISPLAY_KIND_COUNT; i++) {
        if (!str_is(value_as_str(args[0]), kind_names[i])) {
            continue;
        }
        if (!make_display(vm)) {
            return VALUE_FAIL;
        }
        set_form(vm, &vm->display->reprs[i], args[1]);
        set_form(vm, &vm->display->strs[i], args[2]);
        return VALUE_NONE;
    }
    Str *shown = value_repr(vm, args[0]);
    if (shown != NULL) {
        raise_error(vm, ERR_VALUE, "no kind of value is called %s",
                    shown->text);
        object_release(&vm->ctx, shown);
    }
    return VALUE_FAIL;
}

static const NativeDef functions[] = {
    {"set", "kind, *, repr=unchanged, str=unchanged", display_set,
     "Show values of a kind by these functions; None: the native form."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef display_module = {.name = "display",
                                  .doc = "How kinds of values print.",
                                  .functions = functions};
