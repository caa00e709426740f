// What the library above the interpreter does for it: imports, and the writing
// to standard error. vm_new gives the hooks (modules/world.c).
#ifndef DUET_INTERP_HOOKS_LIBRARY_H
#define DUET_INTERP_HOOKS_LIBRARY_H

#include "interp/core/vm.h"

struct Module; // interp/objects/classes/obj_module.h

struct LibraryHooks {
    // A module that Duet itself needs. Borrowed (sys.modules holds it); NULL:
    // failed.
    struct Module *(*need)(Vm *vm, Str *name);
    // The instructions (owned results). IMPORT: `level` dots, seen from a
    // module with these globals. `wanted` None: the first package of a dotted
    // name, else the module itself.
    Value (*import)(Vm *vm, Dict *globals, Str *name, Value wanted,
                    uint32_t level);
    // IMPORTFROM: the attribute, or the submodule of that name.
    Value (*from)(Vm *vm, Value module, Str *name);
    // IMPORTSTAR: into `target`, a module's or class's names.
    bool (*star)(Vm *vm, Value module, Dict *target);
    // Writes to sys.stderr, behind what the program has written to sys.stdout.
    // False with an error pending.
    bool (*tell)(Vm *vm, const char *text, size_t length);
    // For "Did you mean": whether there is such a module; the names of modules
    // at the top and those of built-in functions that Python has too, NULL
    // behind the last one.
    bool (*has_module)(const Vm *vm, const char *name);
    const char *(*module_name)(size_t index);
    const char *(*function_name)(size_t index);
};

#endif
