// The Types of a Vm: finding what they have, making them and freeing them.
#ifndef DUET_INTERP_OBJECTS_CLASSES_TYPES_H
#define DUET_INTERP_OBJECTS_CLASSES_TYPES_H

#include "interp/core/vm.h"

// Looks `name` up along the MRO; borrowed, VALUE_UNBOUND if absent. VALUE_FAIL:
// there was no memory for the methods of a built-in type.
Value type_lookup(Vm *vm, Type *cls, Str *name);
// The same for a name of name.h, remembering also that it is not there.
Value type_lookup_special(Vm *vm, Type *cls, NameId id);
// Whether it has the name. Without memory to tell it has not, and no error is
// left.
bool type_has(Vm *vm, Type *cls, NameId id);
// type(v) as the program asks, which a trace is told where v stands for a
// tensor that eager code has. Owned; VALUE_FAIL.
Value type_asked(Vm *vm, Value v);
// The type `name` among those that share a descriptor (iterators, views of a
// dict), made when it is first asked for. Borrowed; NULL: failed.
MUST_CHECK Type *type_variant(Vm *vm, const TypeDef *def, const char *name);
// The same, derived from `base` in place of object.
MUST_CHECK Type *type_variant_of(Vm *vm, const TypeDef *def, const char *name,
                                 Type *base);
// Behind type_dict.
MUST_CHECK bool type_fill(Vm *vm, Type *cls);
// The attributes of a class itself. Borrowed; NULL: no memory.
MUST_CHECK static inline Dict *type_dict(Vm *vm, Type *cls)
{
    return LIKELY(cls->fill == NULL) || type_fill(vm, cls) ? cls->dict : NULL;
}
// What stands before the class's name in reprs: its module and *dot, both
// empty for a built-in type.
const char *type_module_prefix(Vm *vm, Type *cls, const char **dot);

// How vm_new builds the object world, in this order. Each returns false with
// an error pending; vm_free undoes them in reverse.

// First of all: the Types of vm->builtin_types, with their slots but without
// names, so that strings, tuples and dicts can be made. The caller then makes
// vm->interned, the shared strings and vm->empty_tuple.
MUST_CHECK bool types_create(Vm *vm);
// Interns vm->names; gives the types names, bases and methods; makes the
// error classes.
MUST_CHECK bool types_init(Vm *vm);
// The last but one step of types_init: vm->error_types.
MUST_CHECK bool error_types_init(Vm *vm);

// Empties the types, so that nothing is left that only they could destroy;
// then frees them, the last objects of all.
void types_strip(Vm *vm);
// Nothing of the program is alive any more.
void types_free(Vm *vm);

#endif
