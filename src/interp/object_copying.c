// Special methods that copying starts from, and list[int] as a method.
//
// They are asked seldom, so that their bodies stand in lib/copyreg.duet and
// lib/types.duet; here are the rows that dir() and look-up find.
#include "interp/object_copying.h"

#include <string.h>

#include "interp/attr.h"
#include "interp/module.h"
#include "interp/obj_str.h"

// What needs no C is written in Duet: library.what(*args). Owned.
Value library_call(Vm *vm, const char *library, const char *what,
                   const Value *args, uint32_t count)
{
    // The import finds it in sys.modules after the first time.
    Str *name = str_intern(vm, library, strlen(library));
    Module *module = name == NULL ? NULL : module_import(vm, name);
    object_release_null(&vm->ctx, name);
    Str *key = module == NULL ? NULL : str_intern(vm, what, strlen(what));
    Value callee = key == NULL ? VALUE_FAIL
                               : value_get_attr(vm, value_from_object(module),
                                                key);
    object_release_null(&vm->ctx, key);
    Value made = value_failed(callee) ? VALUE_FAIL
                                      : vm_call(vm, callee, args, count);
    release(vm, callee);
    return made;
}

// object.__reduce_ex__, which copy and pickle ask.
Value object_reduce_ex(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_reduce", args, count);
}

// object.__getstate__: what __dict__ and slots hold.
Value object_getstate(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_getstate", args, count);
}

// What a built-in class is to be made of again.
Value object_getnewargs(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_newargs", args, count);
}

// Of set and frozenset: the items as a list.
Value set_reduce(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_reduce_set", args, count);
}

// The three parts.
Value slice_reduce(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_reduce_slice", args, count);
}

// The class, its args, and what its __dict__ holds.
Value exception_reduce(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_reduce_error", args, count);
}

// Sets each attribute of a dict.
Value exception_setstate(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_setstate", args, count);
}

// list[int] and the like: an alias that only annotations use.
Value class_getitem_native(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "types", "GenericAlias", args, count);
}

const NativeDef generic_class_methods[] = {CLASS_GETITEM_ROW, {0}};
