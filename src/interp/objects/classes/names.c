// The names of attributes, as dir() lists them.
#include "interp/objects/classes/names.h"

#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/obj_exception.h"

// A dict serves as an ordered set here: the values are not used.
// False: an error is pending.
static bool add_keys(Vm *vm, Dict *names, const Dict *from)
{
    Value key, value;
    uint32_t position = 0;
    while (dict_next(from, &position, &key, &value)) {
        if (!dict_set(vm, names, key, VALUE_NONE)) {
            return false;
        }
    }
    return true;
}

// All names of the class and its bases. Ones that are hidden by a nearer class
// are simply set twice.
// False: an error is pending.
static bool add_class(Vm *vm, Dict *names, const Type *cls)
{
    for (size_t i = 0; i < cls->mro->count; i++) {
        Dict *dict = type_dict(vm, (Type *)value_object(cls->mro->items[i]));
        if (dict == NULL || !add_keys(vm, names, dict)) {
            return false;
        }
    }
    return true;
}

// Names that stand in the dict of a base but are no attributes of v.
// False: an error is pending.
static bool hide_names(Vm *vm, Dict *names, Value v)
{
    // __notes__ exists once add_note() was called (PEP 678).
    Value notes = value_from_object(vm->names[NAME_NOTES]);
    bool noted = value_is_kind(v, KIND_EXCEPTION) &&
                 !value_unbound(((Exception *)value_object(v))->notes);
    return noted || dict_remove(vm, names, notes) >= 0;
}

// The names of v: its own, then those of its class.
// False: an error is pending. A __dict__ that a program has made something else
// of is passed over.
static bool add_names(Vm *vm, Dict *names, Value v)
{
    if (value_is_kind(v, KIND_MODULE)) {
        return add_keys(vm, names, ((Module *)value_object(v))->dict);
    }
    if (value_is_kind(v, KIND_TYPE)) {
        return add_class(vm, names, (Type *)value_object(v)) &&
               hide_names(vm, names, v);
    }
    Value own = value_find_attr(vm, v, vm->names[NAME_DICT]);
    bool done = !value_failed(own);
    if (done && value_is_kind(own, KIND_DICT)) {
        done = add_keys(vm, names, value_as_dict(own));
    }
    release(vm, own);
    return done && add_class(vm, names, type_of(vm, v)) &&
           hide_names(vm, names, v);
}

Value names_sorted(Vm *vm, Value iterable)
{
    if (value_failed(iterable)) {
        return iterable;
    }
    Value result = list_sorted(vm, iterable, VALUE_UNBOUND, VALUE_UNBOUND);
    release(vm, iterable);
    return result;
}

Value names_of(Vm *vm, Value v)
{
    Dict *names = dict_new(vm);
    if (names == NULL || !add_names(vm, names, v)) {
        object_release_null(&vm->ctx, names);
        return VALUE_FAIL;
    }
    return names_sorted(vm, value_from_object(names));
}
