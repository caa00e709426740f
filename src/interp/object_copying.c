// Special methods that copying starts from, and list[int] as a method.
//
// They are asked seldom, so that their bodies stand in lib/copyreg.duet and
// lib/types.duet; here are the rows that dir() and look-up find.
#include "interp/object_copying.h"

#include <string.h>

#include "interp/attr.h"
#include "interp/module.h"
#include "interp/obj_str.h"

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

Value object_reduce_ex(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_reduce", args, count);
}

Value object_getstate(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_getstate", args, count);
}

Value object_getnewargs(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_newargs", args, count);
}

Value set_reduce(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_reduce_set", args, count);
}

Value slice_reduce(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_reduce_slice", args, count);
}

Value exception_reduce(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_reduce_error", args, count);
}

Value exception_setstate(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "copyreg", "_setstate", args, count);
}

Value class_getitem_native(Vm *vm, Value *args, uint32_t count)
{
    return library_call(vm, "types", "GenericAlias", args, count);
}

const NativeDef generic_class_methods[] = {CLASS_GETITEM_ROW, {0}};
