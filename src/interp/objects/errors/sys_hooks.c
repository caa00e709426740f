// The hooks of sys and atexit, as C code calls them.
//
// Invariant: the hooks that the library itself provides
// (lib/python/_sysinfo.duet) are never called from here: they stand for what C
// code does by itself.
#include "interp/objects/errors/sys_hooks.h"

#include "interp/core/raise.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

// A module that has been imported. Borrowed; NULL: it has not, or is something
// else by now.
static Module *loaded(Vm *vm, const char *name)
{
    // A module that is there has its name interned.
    Str *key =
        vm->modules == NULL ? NULL : str_interned(vm, name, strlen(name));
    Value found = key == NULL ? VALUE_UNBOUND : dict_get_name(vm->modules, key);
    return value_is_kind(found, KIND_MODULE) ? (Module *)value_object(found)
                                             : NULL;
}

static bool is_ours(const Vm *vm, Value hook)
{
    if (!value_is_kind(hook, KIND_FUNCTION)) {
        return false;
    }
    Value module = ((Function *)value_object(hook))->module;
    return value_same(module, value_from_object(vm->names[NAME_SYSINFO]));
}

// What the program has put into sys under the name. Borrowed; UNBOUND: nothing,
// or what was there before.
static Value hook_of(Vm *vm, const char *name)
{
    Module *sys = loaded(vm, "sys");
    Str *key = sys == NULL || sys->dict == NULL
                   ? NULL
                   : str_interned(vm, name, strlen(name));
    Value hook = key == NULL ? VALUE_UNBOUND : dict_get_name(sys->dict, key);
    return is_ours(vm, hook) ? VALUE_UNBOUND : hook;
}

int64_t sys_traceback_limit(Vm *vm)
{
    int64_t limit;
    Value set = hook_of(vm, "tracebacklimit");
    if (!value_is_int(set) || !int_to_i64(set, &limit)) {
        return -1;
    }
    return limit < 0 ? 0 : limit;
}

int sys_tell_error(Vm *vm, Value exception)
{
    Value hook = hook_of(vm, "excepthook");
    if (value_unbound(hook) || !value_is_kind(exception, KIND_EXCEPTION)) {
        return 0;
    }
    Traceback *trace = value_as_exception(exception)->traceback;
    Value args[3] = {value_from_object(value_object(exception)->type),
                     exception,
                     trace == NULL ? VALUE_NONE : value_from_object(trace)};
    // Held, as the hook may set another.
    value_retain(hook);
    Value told = vm_call(vm, hook, args, 3);
    release(vm, hook);
    release(vm, told);
    return value_failed(told) ? -1 : 1;
}

bool sys_tell_unraisable(Vm *vm, Value exception, Value object)
{
    Value hook = hook_of(vm, "unraisablehook");
    if (value_unbound(hook)) {
        return false;
    }
    Value args[3] = {hook, exception, object};
    value_retain(hook);
    Value told = library_call(vm, "_sysinfo", "_unraisable", args, 3);
    release(vm, hook);
    release(vm, told);
    if (value_failed(told)) {
        raise_clear(vm);
    }
    return !value_failed(told);
}

void sys_run_exit(Vm *vm)
{
    if (loaded(vm, "atexit") == NULL) {
        return;
    }
    Value done = library_call(vm, "atexit", "_run_exitfuncs", NULL, 0);
    if (value_failed(done)) {
        raise_clear(vm); // each function's error has been told
    }
    release(vm, done);
}
