// Modules: native ones (a descriptor each), those embedded from lib/, files.
#ifndef DUET_INTERP_MODULE_H
#define DUET_INTERP_MODULE_H

#include "interp/obj_dict.h"

typedef struct Module {
    Object head;
    Str *name;
    Dict *dict;
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

// `import name`: sys.modules, native, embedded, then files on sys.path and
// DUET_PATH. Borrowed (sys.modules holds it); NULL: failed.
Module *module_import(Vm *vm, Str *name);
MUST_CHECK Module *module_new(Vm *vm, Str *name);

#endif
