// Modules as objects. What imports them: modules/importing/module.h.
#ifndef DUET_INTERP_OBJECTS_CLASSES_OBJ_MODULE_H
#define DUET_INTERP_OBJECTS_CLASSES_OBJ_MODULE_H

#include "interp/objects/containers/obj_dict.h"

// Told of what is stored in a module whose names C code reads; NULL: nobody
// does.
typedef void (*ModuleStored)(Vm *vm, const Str *name, Value value);

typedef struct Module {
    Object head;
    Str *name;
    Dict *dict;
    bool library;      // of lib/ as it is built in, or native
    bool initializing; // its body runs: an import back finds it half made
    ModuleStored stored;
} Module;

// A native module: functions, and what `init` adds (constants, types). One
// row in modules/module_list.h. If lib/ has a module of the same name, that one
// is imported and takes the native one's names by `from _name import *`.
struct ModuleDef {
    const char *name;
    const char *doc;
    const NativeDef *functions; // ends with a NULL name
    // The same, of functions that ask for what may be otherwise at the next
    // call, or change something, outside of the program: a trace tells of each
    // call, by the name. NULL: none.
    const NativeDef *reads, *changes;
    bool (*init)(Vm *vm, Dict *dict);
    ModuleStored stored;
};

// An empty module of that name, not in sys.modules.
MUST_CHECK Module *module_new(Vm *vm, Str *name);
// For ModuleDef.init: dict[name] = value, which is taken even on failure; false
// if value is VALUE_FAIL or memory is short.
MUST_CHECK bool module_add(Vm *vm, Dict *dict, const char *name, Value value);
// Gives globals their __builtins__, unless they have some: the module as a
// program's own file has it, else its dict.
MUST_CHECK bool module_add_builtins(Vm *vm, Dict *globals, bool as_module);

#endif
