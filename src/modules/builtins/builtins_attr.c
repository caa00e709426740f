// Built-in functions that ask about objects: attributes, identity, classes.
#include "modules/builtins/builtins.h"

#include "interp/hooks/note.h"
#include "interp/hooks/tracing.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/names.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/errors/obj_exception.h"
#include "modules/importing/module.h"

// With a default only AttributeError is swallowed; any other error goes through
// as VALUE_FAIL, which is not UNBOUND.
BUILTIN_BODY(getattr)
{
    Str *name = attr_name(vm, args[1]);
    if (name == NULL) {
        return VALUE_FAIL;
    }
    // value_find_attr gives UNBOUND for a missing attribute, without an error.
    Value found = value_unbound(args[2]) ? value_get_attr(vm, args[0], name)
                                         : value_find_attr(vm, args[0], name);
    object_release(&vm->ctx, name);
    if (!value_unbound(found)) {
        Value either = value_unbound(args[2])
                           ? VALUE_UNBOUND
                           : otherwise_traced(vm, found, args[2]);
        release(vm, value_unbound(either) ? VALUE_NONE : found);
        return value_unbound(either) ? found : either;
    }
    return note_question(vm, args[0]) ? value_retain(args[2]) : VALUE_FAIL;
}

// setattr and delattr: an UNBOUND value deletes.
// attr_name refuses what is no str.
static Value store(Vm *vm, Value object, Value name, Value value)
{
    Str *key = attr_name(vm, name);
    bool done = key != NULL && value_set_attr(vm, object, key, value);
    object_release_null(&vm->ctx, key);
    return value_done(done);
}

BUILTIN_BODY(setattr)
{
    return store(vm, args[0], args[1], args[2]);
}

// Deletion is storing UNBOUND, all the way down.
BUILTIN_BODY(delattr)
{
    return store(vm, args[0], args[1], VALUE_UNBOUND);
}

// Python shows the hash as a signed number.
BUILTIN_BODY(hash)
{
    uint64_t hash;
    return value_hash(vm, args[0], &hash) ? int_from_i64(vm, (int64_t)hash)
                                          : VALUE_FAIL;
}

// An immediate has no address; its bits tell it apart from any other as well.
// Who asks may compare, so that what `is` would tell of v is told.
BUILTIN_BODY(id)
{
    if (!note_question(vm, args[0])) {
        return VALUE_FAIL;
    }
    if (vm->trace != NULL && value_stands_in(args[0]) &&
        value_failed(vm->hooks->same(vm, args[0], args[0], true))) {
        return VALUE_FAIL;
    }
    Value v = value_meant(args[0]);
    return value_is_object(v) ? int_from_u64(vm, (uintptr_t)value_object(v))
                              : int_from_u64(vm, VALUE_BITS(v));
}

// The default specification is the empty text, which most types treat as str().
BUILTIN_BODY(format)
{
    if (!value_unbound(args[1]) && !value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "format() argument 2 must be str, not %s",
                           type_name_given(vm, args[1]));
    }
    Str *spec = value_unbound(args[1]) ? vm->empty_str : value_as_str(args[1]);
    return value_or_fail(value_format(vm, args[0], spec));
}

BUILTIN_BODY(ascii)
{
    return value_or_fail(value_ascii(vm, args[0]));
}

// Without an argument as locals(); otherwise the live __dict__, no copy.
BUILTIN_BODY(vars)
{
    if (value_unbound(args[0])) {
        return builtin_locals(vm, args);
    }
    Value dict = value_find_attr(vm, args[0], vm->names[NAME_DICT]);
    return value_unbound(dict)
               ? raise_error(vm, ERR_TYPE,
                             "vars() argument must have __dict__ attribute")
               : dict;
}

// A class or module, whose type has no __dir__ of the program; a module may
// have a function of this name (PEP 562).
static Value names_of_plain(Vm *vm, Value v)
{
    Value own = value_is_kind(v, KIND_MODULE)
                    ? instance_get(vm, value_object(v), vm->names[NAME_DIR])
                    : VALUE_UNBOUND;
    return value_unbound(own) ? names_of(vm, v)
                              : names_sorted(vm, vm_call(vm, own, NULL, 0));
}

// Classes and modules are listed directly; other objects may have a __dir__,
// and object's own comes back to names_of.
BUILTIN_BODY(dir)
{
    if (value_unbound(args[0])) {
        return names_sorted(vm, builtin_locals(vm, args));
    }
    if (!note_question(vm, args[0])) {
        return VALUE_FAIL;
    }
    // A metaclass of the program may have a __dir__ as well.
    if ((value_is_kind(args[0], KIND_TYPE) &&
         type_of(vm, args[0]) == vm->types[KIND_TYPE]) ||
        value_is_kind(args[0], KIND_MODULE)) {
        return names_of_plain(vm, args[0]);
    }
    return names_sorted(vm,
                        value_call_special(vm, args[0], "__dir__", NULL, 0));
}

// The second argument may be a class, a union, or a tuple of such.
static Value ask_instance(Vm *vm, Value v, Value cls, int how)
{
    (void)how;
    int found = class_ask_instance(vm, v, cls);
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}

BUILTIN_BODY(isinstance)
{
    return ask_traced(vm, args[0], args[1], ask_instance);
}

// The first argument may be anything that passes for a class.
BUILTIN_BODY(issubclass)
{
    int found = class_ask_subclass(vm, args[0], args[1]);
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}
