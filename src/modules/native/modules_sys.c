// sys: the program's arguments, streams, limits and the running error.
//
// Invariant: sys.modules and sys.argv are the Vm's own; changing them here
// changes what import and the program see.
#include <stdlib.h>
#include <string.h>

#include "interp/machine/vm/vm_text.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/builtins/builtins.h"
#include "modules/files/obj_file.h"
#include "modules/importing/module.h"

enum {
    LIMIT_MIN = 1,   // what sys.setrecursionlimit accepts
    DIGITS_MIN = 640 // the least limit besides 0
};

#define SYS_BODY(name) static Value sys_##name(Vm *vm, Value *args)

// SystemExit with the status as its one argument, or with none, so that a
// program that catches it sees these args: the items of a tuple are the
// arguments.
// Nothing ends here: the exception goes up to whoever runs the program.
SYS_BODY(exit)
{
    bool given = builtin_given(args[0]);
    // Such an exception is not wrapped in another one.
    if (given && type_is_subtype(type_of(vm, args[0]),
                                 type_of_error(vm, ERR_SYSTEM_EXIT))) {
        return raise_object(vm, value_retain(args[0]));
    }
    if (given && !value_is_kind(args[0], KIND_TUPLE)) {
        return raise_with(vm, ERR_SYSTEM_EXIT, args[0]);
    }
    Value cls = value_from_object(type_of_error(vm, ERR_SYSTEM_EXIT));
    const Tuple *all = given ? (Tuple *)value_object(args[0]) : NULL;
    Value made = all == NULL
                     ? vm_call(vm, cls, NULL, 0)
                     : vm_call(vm, cls, all->items, (uint32_t)all->count);
    return value_failed(made) ? made : raise_object(vm, made);
}

// The bounds and their messages are fixed.
SYS_BODY(setrecursionlimit)
{
    int limit;
    if (!value_to_c_int(vm, args[0], &limit)) {
        return VALUE_FAIL;
    }
    // In this order, so that 0 has the text about the limit and not the one
    // about C.
    if (limit < LIMIT_MIN) {
        return raise_error(vm, ERR_VALUE,
                           "recursion limit must be greater or equal than 1");
    }
    uint32_t depth = vm_recursion_depth(vm);
    if (depth >= (uint32_t)limit) {
        return raise_error(vm, ERR_RECURSION,
                           "cannot set the recursion limit to %d at the "
                           "recursion depth %u: the limit is too low",
                           limit, depth);
    }
    vm_set_recursion_limit(vm, (uint32_t)limit);
    return VALUE_NONE;
}

// Of Duet's own frames; the C stack is guarded apart.
SYS_BODY(getrecursionlimit)
{
    (void)args;
    return int_from_i64(vm, vm->recursion_limit);
}

// Accepted for the sake of programs that lift the limit: Duet has none.
// The bounds are checked all the same, so that wrong calls are found here, too.
SYS_BODY(set_int_max_str_digits)
{
    int64_t digits;
    if (!value_to_index(vm, args[0], &digits)) {
        return VALUE_FAIL;
    }
    if (digits != 0 && digits < DIGITS_MIN) {
        return raise_error(vm, ERR_VALUE,
                           "maxdigits must be 0 or larger than 640");
    }
    return VALUE_NONE;
}

SYS_BODY(get_int_max_str_digits)
{
    (void)args;
    return int_from_i64(vm, 0);
}

// The innermost exception being handled, or three times None. tuple_from
// retains the parts, which are borrowed here.
SYS_BODY(exc_info)
{
    (void)args;
    Value parts[3] = {VALUE_NONE, VALUE_NONE, VALUE_NONE};
    if (vm->handled.count > 0) {
        // The last one is the innermost `except` that is running.
        Value handled = vec_last(&vm->handled);
        if (value_is_kind(handled, KIND_EXCEPTION)) {
            Traceback *trace = value_as_exception(handled)->traceback;
            parts[0] = value_from_object(type_of(vm, handled));
            parts[1] = handled;
            parts[2] = trace == NULL ? VALUE_NONE : value_from_object(trace);
        }
    }
    return value_or_fail(tuple_from(vm, parts, 3));
}

// A new reference to the interned text, for a subclass of str too.
// Owned. An interned text lives as long as anyone holds it.
SYS_BODY(intern)
{
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE,
                           "intern() argument must be str, not %s",
                           type_name_given(vm, args[0]));
    }
    return value_or_fail(str_intern_str(vm, value_as_str(args[0])));
}

// getrefcount(object), the argument counts.
static Value sys_getrefcount(Vm *vm, Value *args)
{
    // Immediate values are there for ever.
    // They have a count as well, only a meaningless one.
    return value_is_object(args[0])
               ? int_from_u64(vm, value_object(args[0])->rc)
               : value_from_small(UINT32_MAX);
}

// What is rarely asked for is written in Duet (lib/python/_sysinfo.duet), and
// made when it is. Called where the module's dict has no such name (PEP 562).
static Value sys_getattr(Vm *vm, Value *args)
{
    Module *module = module_import(vm, vm->names[NAME_SYSINFO]);
    if (module == NULL || !value_is_str(args[0])) {
        return module == NULL
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_TYPE, "attribute name must be string");
    }
    const Str *wanted = value_as_str(args[0]);
    Value found = VALUE_UNBOUND;
    // Names of its own with a bar in front are not sys's: those have a dict.
    Value names = value_from_object(module->dict);
    if (wanted->text[0] == '_') {
        names = dict_get_name(module->dict, vm->names[NAME_BARRED]);
    }
    if (value_is_kind(names, KIND_DICT) &&
        dict_get(vm, value_as_dict(names), args[0], &found) < 0) {
        return VALUE_FAIL;
    }
    return value_unbound(found)
               ? raise_error(vm, ERR_ATTRIBUTE,
                             "module 'sys' has no attribute '%s'", wanted->text)
               : value_retain(found);
}

static const NativeDef functions[] = {
    {"exit", "status=None, /", sys_exit,
     "End the program: None is 0, an int itself, a text is printed."},
    {"get_int_max_str_digits", "", sys_get_int_max_str_digits,
     "0: texts of ints have no limit."},
    {"exc_info", "", sys_exc_info,
     "(type, value, traceback) of the error being handled."},
    {"getrefcount", "object, /", sys_getrefcount,
     "How many references there are to it."},
    {"__getattr__", "name, /", sys_getattr, "What is made when asked for."},
    {"intern", "string, /", sys_intern, "The one string of this text."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef reads[] = {{"getrecursionlimit", "",
                                   sys_getrecursionlimit,
                                   "How deep calls may nest."},
                                  {NULL, NULL, NULL, NULL}};

static const NativeDef changes[] = {
    {"setrecursionlimit", "limit, /", sys_setrecursionlimit,
     "How deep calls may nest."},
    {"set_int_max_str_digits", "maxdigits", sys_set_int_max_str_digits,
     "Accepted: texts of ints have no limit."},
    {NULL, NULL, NULL, NULL}};

// A list of its own for the program, which may change it.
// vm->argv was set by whoever started the program.
static Value make_argv(Vm *vm)
{
    List *list = list_new(vm, 0);
    for (size_t i = 0; list != NULL && i < vm->argv.count; i++) {
        if (!list_append(vm, list, vm->argv.items[i])) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(list);
}

// list_append_owned takes the text, even on failure.
static bool append_text(Vm *vm, List *list, const char *text, size_t length)
{
    Str *str = str_new(vm, text, length);
    return str != NULL && list_append_owned(vm, list, str_value(str));
}

// The folder of the script, whole, so that its modules are found wherever the
// program goes; "" for a prompt or -c.
// False: an error is pending.
static bool append_script_folder(Vm *vm, List *list)
{
    const char *script = "";
    if (vm->argv.count > 0 && value_is_str(vm->argv.items[0])) {
        script = value_as_str(vm->argv.items[0])->text;
    }
    // Of what is no file ("-c") there is no path.
    char *path = *script == '\0' ? NULL : realpath(script, NULL);
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    // A script in the root folder has the path "/".
    size_t length = slash == NULL   ? 0
                    : slash == path ? 1
                                    : (size_t)(slash - path);
    bool done = append_text(vm, list, path == NULL ? "" : path, length);
    free(path);
    return done;
}

// The script's folder, then those of DUET_PATH.
static bool fill_path(Vm *vm, List *list)
{
    if (!append_script_folder(vm, list)) {
        return false;
    }
    // As PYTHONPATH does for Python, whose own variable may name modules that
    // are not for Duet.
    const char *more = getenv("DUET_PATH");
    while (more != NULL && *more != '\0') {
        // Empty parts between colons are skipped.
        const char *end = strchrnul(more, ':');
        if (end > more && !append_text(vm, list, more, (size_t)(end - more))) {
            return false;
        }
        more = *end == ':' ? end + 1 : end;
    }
    return true;
}

// NULL carries a pending error over as VALUE_FAIL.
static Value make_path(Vm *vm)
{
    List *list = list_new(vm, 0);
    if (list != NULL && !fill_path(vm, list)) {
        object_release(&vm->ctx, list);
        list = NULL;
    }
    return value_or_fail(list);
}

// modules is the Vm's own dict, not a copy, by the invariant. The chain stops
// at the first failure, with its error pending.
// Streams are there under two names, so that a program which replaces one can
// find the old one.
static bool sys_init(Vm *vm, Dict *dict)
{
    return module_add(vm, dict, "argv", make_argv(vm)) &&
           module_add(vm, dict, "path", make_path(vm)) &&
           module_add(vm, dict, "modules",
                      value_from_object(object_retain(vm->modules))) &&
           module_add(vm, dict, "stdin", value_retain(vm->stdin_file)) &&
           module_add(vm, dict, "stdout", value_retain(vm->stdout_file)) &&
           module_add(vm, dict, "stderr", value_retain(vm->stderr_file)) &&
           module_add(vm, dict, "__stdout__", value_retain(vm->stdout_file)) &&
           module_add(vm, dict, "__stderr__", value_retain(vm->stderr_file)) &&
           module_add(vm, dict, "maxsize", int_from_i64(vm, INT64_MAX)) &&
           module_add(vm, dict, "byteorder", str_value_from(vm, "little")) &&
           module_add(vm, dict, "platform", str_value_from(vm, "linux")) &&
           module_add(vm, dict, "version", str_value_from(vm, "3.11 (Duet)"));
}

// print() and input() use the Vm's own streams, so what a program puts in
// their place in sys has to arrive there.
static void sys_stored(Vm *vm, const Str *name, Value value)
{
    const struct {
        const char *name;
        Value *place;
    } streams[] = {{"stdin", &vm->stdin_file},
                   {"stdout", &vm->stdout_file},
                   {"stderr", &vm->stderr_file}};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        if (str_is(name, streams[i].name)) {
            value_replace(&vm->ctx, streams[i].place, value_retain(value));
        }
    }
}

const ModuleDef sys_module = {.name = "sys",
                              .doc = "The running program and its limits.",
                              .functions = functions,
                              .reads = reads,
                              .changes = changes,
                              .init = sys_init,
                              .stored = sys_stored};
