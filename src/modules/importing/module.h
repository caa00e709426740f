// Importing: native modules, those embedded from lib/, files.
#ifndef DUET_MODULES_IMPORTING_MODULE_H
#define DUET_MODULES_IMPORTING_MODULE_H

#include "interp/objects/classes/obj_module.h"

// A module that Duet itself needs: sys.modules, native, embedded, then files on
// sys.path and DUET_PATH. All packages on the way are imported. Borrowed
// (sys.modules holds it); NULL: failed.
Module *module_import(Vm *vm, Str *name);
// `import name`: the same, but a file of the program goes before a module of
// the library, and whatever object stands in sys.modules is the module.
Value module_import_any(Vm *vm, Str *name);

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

// A list of the folders where modules are looked for: sys.path. Borrowed,
// NULL if sys has lost it.
Value module_search_path(Vm *vm);

// FAIL, always, with ModuleNotFoundError pending: `in_package` says whether the
// module in front of the name's last dot is a package here.
Value import_not_found(Vm *vm, Str *name, bool in_package);

#endif
