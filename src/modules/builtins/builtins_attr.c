// Built-in functions that ask about objects: attributes, identity, classes.
#include "modules/builtins/builtins.h"

#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/errors/obj_exception.h"
#include "modules/importing/module.h"

// With a default only AttributeError is swallowed; any other error goes through
// as VALUE_FAIL, which is not UNBOUND.
BUILTIN_BODY(getattr)
{
    (void)count;
    Str *name = attr_name(vm, args[1]);
    if (name == NULL) {
        return VALUE_FAIL;
    }
    // value_find_attr gives UNBOUND for a missing attribute, without an error.
    Value found = value_unbound(args[2]) ? value_get_attr(vm, args[0], name)
                                         : value_find_attr(vm, args[0], name);
    object_release(&vm->ctx, name);
    return value_unbound(found) ? value_retain(args[2]) : found;
}

// setattr and delattr: an UNBOUND value deletes.
// attr_name refuses what is no str.
static Value store(Vm *vm, Value object, Value name, Value value)
{
    Str *key = attr_name(vm, name);
    bool done = key != NULL && value_set_attr(vm, object, key, value);
    object_release_null(&vm->ctx, key);
    return done ? VALUE_NONE : VALUE_FAIL;
}

// The name is checked before the object is asked.
BUILTIN_BODY(setattr)
{
    (void)count;
    return store(vm, args[0], args[1], args[2]);
}

// Deletion is storing UNBOUND, all the way down.
BUILTIN_BODY(delattr)
{
    (void)count;
    return store(vm, args[0], args[1], VALUE_UNBOUND);
}

// Python shows the hash as a signed number.
BUILTIN_BODY(hash)
{
    (void)count;
    uint64_t hash;
    return value_hash(vm, args[0], &hash) ? int_from_i64(vm, (int64_t)hash)
                                          : VALUE_FAIL;
}

// An immediate has no address; its bits tell it apart from any other as well.
BUILTIN_BODY(id)
{
    (void)count;
    return value_is_object(args[0])
               ? int_from_u64(vm, (uintptr_t)value_object(args[0]))
               : int_from_u64(vm, VALUE_BITS(args[0]));
}

// The default specification is the empty text, which most types treat as str().
BUILTIN_BODY(format)
{
    (void)count;
    if (!value_unbound(args[1]) && !value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "format() argument 2 must be str, not %s",
                           type_name_given(vm, args[1]));
    }
    Str *spec = value_unbound(args[1]) ? vm->empty_str : value_as_str(args[1]);
    Str *text = value_format(vm, args[0], spec);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// What repr() gives, with escapes for what is not ASCII.
BUILTIN_BODY(ascii)
{
    (void)count;
    Str *text = value_ascii(vm, args[0]);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// Without an argument as locals(); otherwise the live __dict__, no copy.
BUILTIN_BODY(vars)
{
    if (value_unbound(args[0])) {
        return builtin_locals(vm, args, count);
    }
    Value dict = value_find_attr(vm, args[0], vm->names[NAME_DICT]);
    return value_unbound(dict)
               ? raise_error(vm, ERR_TYPE,
                             "vars() argument must have __dict__ attribute")
               : dict;
}

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
        // The MRO holds classes only, the class itself first.
        const Type *base = (Type *)value_object(cls->mro->items[i]);
        if (!add_keys(vm, names, base->dict)) {
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

// Takes `iterable`.
static Value sorted_names(Vm *vm, Value iterable)
{
    if (value_failed(iterable)) {
        return iterable;
    }
    Value args[3] = {iterable, VALUE_UNBOUND, VALUE_UNBOUND};
    Value result = builtin_sorted(vm, args, 3);
    release(vm, iterable);
    return result;
}

// What object.__dir__ answers, sorted. Owned; VALUE_FAIL: an error is pending.
// A list.
Value builtin_names_of(Vm *vm, Value v)
{
    // A dict drops names that occur twice.
    Dict *names = dict_new(vm);
    if (names == NULL || !add_names(vm, names, v)) {
        object_release_null(&vm->ctx, names);
        return VALUE_FAIL;
    }
    return sorted_names(vm, value_from_object(names));
}

// A class or module, whose type has no __dir__ of the program; a module may
// have a function of this name (PEP 562).
static Value names_of_plain(Vm *vm, Value v)
{
    Value own = value_is_kind(v, KIND_MODULE)
                    ? instance_get(vm, value_object(v), vm->names[NAME_DIR])
                    : VALUE_UNBOUND;
    return value_unbound(own) ? builtin_names_of(vm, v)
                              : sorted_names(vm, vm_call(vm, own, NULL, 0));
}

// Classes and modules are listed directly; other objects may have a __dir__,
// and object's own comes back to builtin_names_of.
BUILTIN_BODY(dir)
{
    if (value_unbound(args[0])) {
        return sorted_names(vm, builtin_locals(vm, args, count));
    }
    // A metaclass of the program may have a __dir__ as well.
    if ((value_is_kind(args[0], KIND_TYPE) &&
         type_of(vm, args[0]) == vm->types[KIND_TYPE]) ||
        value_is_kind(args[0], KIND_MODULE)) {
        return names_of_plain(vm, args[0]);
    }
    return sorted_names(vm, builtin_special(vm, args[0], "__dir__", NULL, 0));
}
