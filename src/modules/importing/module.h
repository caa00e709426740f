// Modules: native ones (a descriptor each), those embedded from lib/, files.
#ifndef DUET_MODULES_IMPORTING_MODULE_H
#define DUET_MODULES_IMPORTING_MODULE_H

#include "interp/objects/containers/obj_dict.h"

typedef struct Module {
    Object head;
    Str *name;
    Dict *dict;
    bool initializing; // its body runs: an import back finds it half made
} Module;

// A native module: functions, and what `init` adds (constants, types). One
// row in module_list.h. If lib/ has a module of the same name, that one is
// imported and takes the native one's names by `from _name import *`.
typedef struct ModuleDef {
    const char *name;
    const char *doc;
    const NativeDef *functions; // ends with a NULL name
    bool (*init)(Vm *vm, Dict *dict);
} ModuleDef;

// A module that Duet itself needs: sys.modules, native, embedded, then files on
// sys.path and DUET_PATH. All packages on the way are imported. Borrowed
// (sys.modules holds it); NULL: failed.
Module *module_import(Vm *vm, Str *name);
// `import name`: the same, but a file of the program goes before a module of
// the library, and whatever object stands in sys.modules is the module.
Value module_import_any(Vm *vm, Str *name);
// An empty module of that name, not in sys.modules.
MUST_CHECK Module *module_new(Vm *vm, Str *name);

// The instructions (owned results). IMPORT: `level` dots, seen from a module
// with these globals. `wanted` None: the first package of a dotted name, else
// the module itself.
Value import_module(Vm *vm, Dict *globals, Str *name, Value wanted,
                    uint32_t level);
// IMPORTFROM: the attribute, or the submodule of that name.
Value import_from(Vm *vm, Value module, Str *name);
// Imports those of some names that are submodules of a package.
MUST_CHECK bool import_submodules(Vm *vm, Value module, Value names);
// IMPORTSTAR: into `target`, a module's or class's names.
MUST_CHECK bool import_star(Vm *vm, Value module, Dict *target);

// Gives globals their __builtins__, unless they have some: the module as a
// program's own file has it, else its dict.
MUST_CHECK bool module_add_builtins(Vm *vm, Dict *globals, bool as_module);
// For ModuleDef.init: dict[name] = value, which is taken even on failure;
// false if value is VALUE_FAIL or memory is short.
MUST_CHECK bool module_add(Vm *vm, Dict *dict, const char *name, Value value);
// A list of the folders where modules are looked for: sys.path. Borrowed,
// NULL if sys has lost it.
Value module_search_path(Vm *vm);

// FAIL, always, with ModuleNotFoundError in CPython's words: `in_package` says
// whether the module in front of the name's last dot is a package here.
Value import_not_found(Vm *vm, Str *name, bool in_package);

#endif
