// Native modules: found in module_list.h, made from their descriptors.
#ifndef DUET_MODULES_IMPORTING_MODULE_NATIVE_H
#define DUET_MODULES_IMPORTING_MODULE_NATIVE_H

#include "modules/importing/module.h"

// NULL: there is none. "_math" finds math, for lib/python/math.duet.
const ModuleDef *module_find_native(const Vm *vm, const char *name);
// Makes it and puts it in sys.modules. Borrowed, or NULL.
Module *module_make_native(Vm *vm, Str *name, const ModuleDef *def);

#endif
