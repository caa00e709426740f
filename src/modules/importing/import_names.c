// What the statements `from m import a` and `from m import *` take from what
// was imported: attributes, or submodules that are imported for it.
//
// Invariant: `m` may be any object, as a program may put any into sys.modules.
#include <string.h>

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/importing/embedded.h"
#include "modules/importing/module.h"

// A submodule "package.name": imported already or to be found. Owned; UNBOUND:
// there is none.
static Value find_submodule(Vm *vm, Str *package, Str *name)
{
    Str *full = str_printf(vm, "%s.%s", package->text, name->text);
    if (full == NULL) {
        return VALUE_FAIL;
    }
    Value found = module_import_any(vm, full);
    if (!value_failed(found)) {
        object_release(&vm->ctx, full);
        return value_retain(found);
    }
    // Only that this very module is missing is no error of its own.
    // The error is taken out, so that looking at it may run code.
    Value error = raise_take(vm);
    bool missing = false;
    if (type_is_subtype(type_of(vm, error),
                        type_of_error(vm, ERR_MODULE_NOT_FOUND))) {
        Str *text = value_str(vm, error);
        // An import within that module may fail too, and then its error must be
        // seen.
        missing = text != NULL && strstr(text->text, full->text) != NULL;
        object_release_null(&vm->ctx, text);
        raise_clear(vm);
    }
    object_release(&vm->ctx, full);
    if (missing) {
        release(vm, error);
        return VALUE_UNBOUND;
    }
    value_replace(&vm->ctx, &vm->exception, error);
    return VALUE_FAIL;
}

// What `from` calls itself, owned; a phrase where it has no name.
static Str *name_of_source(Vm *vm, Value from)
{
    Value name = value_find_attr(vm, from, vm->names[NAME_NAME]);
    if (value_is_str(name)) {
        return value_as_str(name);
    }
    bool failed = value_failed(name);
    release(vm, name);
    return failed ? NULL
                  : str_new(vm, "<unknown module name>",
                            strlen("<unknown module name>"));
}

// FAIL, always: ImportError with the place of the file, if it has one that a
// reader could open.
static Value no_such_name(Vm *vm, Value from, Str *source, Str *name)
{
    Module *module =
        value_is_kind(from, KIND_MODULE) ? (Module *)value_object(from) : NULL;
    Value file =
        module == NULL || module_find_embedded(module->name->text) != NULL
            ? VALUE_NONE
            : dict_get_name(module->dict, vm->names[NAME_FILE]);
    return raise_error(vm, ERR_IMPORT,
                       module != NULL && module->initializing
                           ? "cannot import name '%s' from partially "
                             "initialized module '%s' (most likely due to a "
                             "circular import) (%s)"
                           : "cannot import name '%s' from '%s' (%s)",
                       name->text, source->text,
                       value_is_str(file) ? value_as_str(file)->text
                                          : "unknown location");
}

// An attribute, else a submodule that is imported for it if `from` has a
// __path__. `source` is what `from` calls itself. Owned; UNBOUND: neither.
static Value attribute_or_submodule(Vm *vm, Value from, Str *source, Str *name)
{
    Value found = value_find_attr(vm, from, name);
    if (!value_unbound(found)) {
        return found;
    }
    Value path = value_find_attr(vm, from, vm->names[NAME_PATH]);
    found = value_failed(path) || value_unbound(path)
                ? path
                : find_submodule(vm, source, name);
    release(vm, path);
    return found;
}

// UNBOUND never leaves here: it becomes ImportError.
Value import_from(Vm *vm, Value from, Str *name)
{
    Value found = value_find_attr(vm, from, name);
    if (!value_unbound(found)) {
        return found;
    }
    Str *source = name_of_source(vm, from);
    found = source == NULL ? VALUE_FAIL
                           : attribute_or_submodule(vm, from, source, name);
    if (value_unbound(found)) {
        found = no_such_name(vm, from, source, name);
    }
    object_release_null(&vm->ctx, source);
    return found;
}

// Names that are no attribute and no submodule are left to whoever asks next.
bool import_submodules(Vm *vm, Value from, Value names)
{
    Tuple *list = value_to_tuple(vm, names);
    Str *source = list == NULL ? NULL : name_of_source(vm, from);
    bool done = source != NULL;
    for (size_t i = 0; done && i < list->count; i++) {
        if (value_is_str(list->items[i])) {
            Value found = attribute_or_submodule(vm, from, source,
                                                 value_as_str(list->items[i]));
            done = !value_failed(found);
            release(vm, found);
        }
    }
    object_release_null(&vm->ctx, source);
    object_release_null(&vm->ctx, list);
    return done;
}

// Names of __all__ must exist: AttributeError otherwise.
static bool star_listed(Vm *vm, Value module, Value names, Dict *target)
{
    Tuple *list = value_to_tuple(vm, names);
    bool done = list != NULL;
    for (size_t i = 0; done && i < list->count; i++) {
        if (!value_is_str(list->items[i])) {
            done = raise_false(vm, ERR_TYPE,
                               "Item in __all__ must be str, "
                               "not %s",
                               type_name(type_of(vm, list->items[i])));
            break;
        }
        Str *name = str_intern_str(vm, value_as_str(list->items[i]));
        Value found =
            name == NULL ? VALUE_FAIL : value_get_attr(vm, module, name);
        done = !value_failed(found) && dict_set_name(vm, target, name, found);
        release(vm, found);
        object_release_null(&vm->ctx, name);
    }
    object_release_null(&vm->ctx, list);
    return done;
}

// All names of a dict but those that begin with an underscore. dict_set writes
// into another dict, or writes what is there.
static bool star_public(Vm *vm, Dict *dict, Dict *target)
{
    uint32_t position = 0;
    Value key, value;
    while (dict_next(dict, &position, &key, &value)) {
        if (value_is_str(key) && value_as_str(key)->text[0] != '_' &&
            !dict_set(vm, target, key, value)) {
            return false;
        }
    }
    return true;
}

// By __all__, else by __dict__; of a module its own dict.
bool import_star(Vm *vm, Value from, Dict *target)
{
    Value names = value_find_attr(vm, from, vm->names[NAME_ALL]);
    if (!value_unbound(names)) {
        bool done = !value_failed(names) &&
                    import_submodules(vm, from, names) &&
                    star_listed(vm, from, names, target);
        release(vm, names);
        return done;
    }
    if (value_is_kind(from, KIND_MODULE)) {
        return star_public(vm, ((Module *)value_object(from))->dict, target);
    }
    Value dict = value_find_attr(vm, from, vm->names[NAME_DICT]);
    if (value_failed(dict)) {
        return false;
    }
    if (value_unbound(dict)) {
        return raise_false(vm, ERR_IMPORT,
                           "from-import-* object has no __dict__ and no "
                           "__all__");
    }
    // A copy: that of a class is made for the asking, and may be no dict.
    Dict *items = dict_new(vm);
    bool done = items != NULL && dict_update(vm, items, dict) &&
                star_public(vm, items, target);
    object_release_null(&vm->ctx, items);
    release(vm, dict);
    return done;
}

// --- what cannot be found ---

// Whether programs know the module of these first bytes of a name as a package.
// Files of the library are divided as it suits us.
static bool is_package(const char *name, size_t length, bool ours)
{
    static const struct {
        const char *name;
        bool package;
    } rows[] = {
        {"json", true},          {"re", true},       {"os", false},
        {"argparse", false},     {"decimal", false}, {"doctest", false},
        {"configparser", false}, {"inspect", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) == length &&
            memcmp(rows[i].name, name, length) == 0) {
            return rows[i].package;
        }
    }
    return ours;
}

Value import_not_found(Vm *vm, Str *name, bool in_package)
{
    const char *dot = strrchr(name->text, '.');
    if (dot != NULL &&
        !is_package(name->text, (size_t)(dot - name->text), in_package)) {
        return raise_error(vm, ERR_MODULE_NOT_FOUND,
                           "No module named '%s'; '%.*s' is not a package",
                           name->text, (int)(dot - name->text), name->text);
    }
    return raise_error(vm, ERR_MODULE_NOT_FOUND, "No module named '%s'",
                       name->text);
}
