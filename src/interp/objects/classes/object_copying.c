// Special methods that copying starts from, and list[int] as a method.
//
// They are asked seldom, so that their bodies stand in lib/python/copyreg.duet
// and lib/python/types.duet; here are the rows that dir() and look-up find.
#include "interp/objects/classes/object_copying.h"

#include <string.h>

#include "interp/hooks/library.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/text/obj_str.h"

Value library_call(Vm *vm, const char *library, const char *what,
                   const Value *args, uint32_t count)
{
    Str *name = str_intern(vm, library, strlen(library));
    Module *module = name == NULL ? NULL : vm->library->need(vm, name);
    object_release_null(&vm->ctx, name);
    Str *key = module == NULL ? NULL : str_intern(vm, what, strlen(what));
    Value callee = key == NULL
                       ? VALUE_FAIL
                       : value_get_attr(vm, value_from_object(module), key);
    object_release_null(&vm->ctx, key);
    Value made =
        value_failed(callee) ? VALUE_FAIL : vm_call(vm, callee, args, count);
    release(vm, callee);
    return made;
}

// A native whose work a function of the library does.
// `count`: its parameters.
#define LIBRARY_METHOD(name, count, module, function)                          \
    Value name(Vm *vm, Value *args)                                            \
    {                                                                          \
        return library_call(vm, module, function, args, count);                \
    }

LIBRARY_METHOD(object_reduce_ex, 2, "copyreg", "_reduce")

// object.__reduce__: what the oldest protocols of pickling say.
LIBRARY_METHOD(object_reduce, 1, "copyreg", "_reduce_old")

LIBRARY_METHOD(object_getstate, 1, "copyreg", "_getstate")

// What a built-in class is to be made of again.
LIBRARY_METHOD(object_getnewargs, 1, "copyreg", "_newargs")

LIBRARY_METHOD(object_reduce_set, 1, "copyreg", "_reduce_set")

// Of a member of a class: getattr and what to give it.
LIBRARY_METHOD(object_reduce_member, 1, "copyreg", "_reduce_member")

LIBRARY_METHOD(object_reduce_slice, 1, "copyreg", "_reduce_slice")

LIBRARY_METHOD(object_reduce_exception, 1, "copyreg", "_reduce_error")

LIBRARY_METHOD(object_set_exception, 2, "copyreg", "_setstate")

// list[int] and the like: an alias that only annotations use.
LIBRARY_METHOD(object_class_getitem, 2, "types", "GenericAlias")

const NativeDef generic_class_methods[] = {CLASS_GETITEM_ROW, {0}};
