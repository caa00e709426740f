// Native modules and the search path.
//
// Invariant: a module in sys.modules is complete or being executed; a failed
// import leaves none behind.
#include "modules/importing/module.h"

#include "interp/core/raise.h"
#include "interp/hooks/program.h"
#include "interp/objects/classes/obj_function.h"
#include "modules/importing/module_native.h"

// Both tables end with NULL. Borrowed static data; NULL: not there.
static const ModuleDef *find_in(const ModuleDef *const *rows, const char *name)
{
    while (*rows != NULL && strcmp((*rows)->name, name) != 0) {
        rows++;
    }
    return *rows;
}

// "_os" and "os" find the same definition: a library module in Duet imports its
// native half under the name with the underscore.
// The program's own modules come last.
// Borrowed static data; NULL: there is none.
const ModuleDef *module_find_native(const Vm *vm, const char *name)
{
    name += *name == '_' ? 1 : 0;
    const ModuleDef *found = find_in(vm->native_modules, name);
    return found != NULL || vm->program == NULL
               ? found
               : find_in(vm->program->modules, name);
}

// Without owner, so that they show as functions.
static bool add_natives(Vm *vm, Dict *dict, const ModuleDef *def,
                        const NativeDef *row, uint16_t flags)
{
    for (; row != NULL && row->name != NULL; row++) {
        Native *native = native_new(vm, row, NULL);
        if (native != NULL) {
            native->place = def->name;
            native->flags |= flags;
        }
        if (!module_add(vm, dict, row->name, value_or_fail(native))) {
            return false;
        }
    }
    return true;
}

// The functions become objects of this Vm; the rows are static data that all
// Vms share. init comes last and may replace entries.
// False: an error is pending, and the module is dropped with what it has.
static bool fill_native(Vm *vm, Dict *dict, const ModuleDef *def)
{
    Str *doc = str_from(vm, def->doc == NULL ? "" : def->doc);
    if (!module_add(vm, dict, "__doc__", value_or_fail(doc))) {
        return false;
    }
    return add_natives(vm, dict, def, def->functions, 0) &&
           add_natives(vm, dict, def, def->reads, NATIVE_READS) &&
           add_natives(vm, dict, def, def->changes, NATIVE_CHANGES) &&
           (def->init == NULL || def->init(vm, dict));
}

// Borrowed: sys.modules holds the one reference.
Module *module_make_native(Vm *vm, Str *name, const ModuleDef *def)
{
    Module *module = module_new(vm, name);
    if (module != NULL) {
        module->library = true;
        module->stored = def->stored;
    }
    bool done = module != NULL && fill_native(vm, module->dict, def) &&
                dict_set_name(vm, vm->modules, name, value_from_object(module));
    object_release_null(&vm->ctx, module);
    return done ? module : NULL;
}

// Read anew at each import, since programs change sys.path. Borrowed.
// VALUE_UNBOUND: there is no sys.path.
Value module_search_path(Vm *vm)
{
    Module *sys = module_import(vm, vm->names[NAME_OF_SYS]);
    if (sys == NULL) {
        raise_clear(vm); // then nothing is found, which is told
        return VALUE_UNBOUND;
    }
    return dict_get_name(sys->dict, vm->names[NAME_OF_PATH]);
}
