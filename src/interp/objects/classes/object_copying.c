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

// What needs no C is written in Duet: library.what(*args). Owned.
Value library_call(Vm *vm, const char *library, const char *what,
                   const Value *args, uint32_t count)
{
    // The import finds it in sys.modules after the first time.
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

// object.__reduce_ex__, which copy and pickle ask.
LIBRARY_METHOD(object_reduce_ex, 2, "copyreg", "_reduce")

// object.__reduce__: what the oldest protocols of pickling say.
LIBRARY_METHOD(object_reduce, 1, "copyreg", "_reduce_old")

// object.__getstate__: what __dict__ and slots hold.
LIBRARY_METHOD(object_getstate, 1, "copyreg", "_getstate")

// What a built-in class is to be made of again.
LIBRARY_METHOD(object_getnewargs, 1, "copyreg", "_newargs")

// Of set and frozenset: the items as a list.
LIBRARY_METHOD(set_reduce, 1, "copyreg", "_reduce_set")

// Of a member of a class: getattr and what to give it.
LIBRARY_METHOD(member_reduce, 1, "copyreg", "_reduce_member")

// The three parts.
LIBRARY_METHOD(slice_reduce, 1, "copyreg", "_reduce_slice")

// The class, its args, and what its __dict__ holds.
LIBRARY_METHOD(exception_reduce, 1, "copyreg", "_reduce_error")

// Sets each attribute of a dict.
LIBRARY_METHOD(exception_setstate, 2, "copyreg", "_setstate")

// list[int] and the like: an alias that only annotations use.
LIBRARY_METHOD(class_getitem_native, 2, "types", "GenericAlias")

const NativeDef generic_class_methods[] = {CLASS_GETITEM_ROW, {0}};
