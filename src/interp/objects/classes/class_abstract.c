// Abstract classes: what C knows of them, and the native half of abc.
//
// Invariant: a class has TYPE_ABSTRACT while its own __abstractmethods__ is
// true. Subclasses do not inherit the flag; ABCMeta gives each class its own.
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/str_methods.h"

Value class_get_abstract(Vm *vm, Value self)
{
    Type *cls = (Type *)value_object(self);
    Value found = dict_get_name(cls->dict, vm->names[NAME_ABSTRACTMETHODS]);
    return value_unbound(found)
               ? raise_error(vm, ERR_ATTRIBUTE, "__abstractmethods__")
               : value_retain(found);
}

// Anything with a truth; UNBOUND deletes.
bool class_set_abstract(Vm *vm, Value self, Value value)
{
    Type *cls = (Type *)value_object(self);
    Str *name = vm->names[NAME_ABSTRACTMETHODS];
    if (!(cls->flags & TYPE_HEAP)) {
        return raise_false(vm, ERR_TYPE,
                           "cannot set '__abstractmethods__' attribute of "
                           "immutable type '%s'",
                           type_name(cls));
    }
    int abstract = value_unbound(value) ? 0 : value_truth(vm, value);
    if (abstract < 0) {
        return false;
    }
    if (value_unbound(value)) {
        int removed = dict_remove(vm, cls->dict, str_value(name));
        if (removed <= 0) {
            return removed < 0
                       ? false
                       : raise_false(vm, ERR_ATTRIBUTE, "__abstractmethods__");
        }
    } else if (!dict_set_name(vm, cls->dict, name, value)) {
        return false;
    }
    cls->flags = abstract ? cls->flags | TYPE_ABSTRACT
                          : cls->flags & ~(uint32_t)TYPE_ABSTRACT;
    vm->epoch++;
    return true;
}

// "f, g" of the names in any order; NULL: failed. *count: how many they are.
static Str *joined_names(Vm *vm, Value names, size_t *count)
{
    Value sorted = list_sorted(vm, names, VALUE_UNBOUND, VALUE_FALSE);
    Str *comma = value_failed(sorted) ? NULL : str_from(vm, ", ");
    Value text = VALUE_FAIL;
    if (comma != NULL) {
        *count = value_as_list(sorted)->count;
        Value args[2] = {str_value(comma), sorted};
        text = str_method_join(vm, args);
    }
    object_release_null(&vm->ctx, comma);
    release(vm, sorted);
    return value_failed(text) ? NULL : value_as_str(text);
}

Value class_refuse_abstract(Vm *vm, Type *cls)
{
    Value names = class_get_abstract(vm, value_from_object(cls));
    size_t count = 0;
    Str *text = value_failed(names) ? NULL : joined_names(vm, names, &count);
    if (text != NULL) {
        raise_error(vm, ERR_TYPE,
                    "Can't instantiate abstract class %s with abstract "
                    "method%s %s",
                    type_name(cls), count > 1 ? "s" : "", text->text);
        object_release(&vm->ctx, text);
    }
    release(vm, names);
    return VALUE_FAIL;
}

// A number that no other class ever has, unlike an address: what is kept by it
// keeps no class alive. VALUE_NONE: it is no class.
static Value class_number(Vm *vm, Value *args)
{
    if (!value_is_kind(args[0], KIND_TYPE)) {
        return VALUE_NONE;
    }
    Type *cls = (Type *)value_object(args[0]);
    if (cls->number == 0) {
        cls->number = ++vm->numbered_types;
    }
    return int_from_u64(vm, cls->number);
}

static const NativeDef abc_functions[] = {
    {"number", "cls, /", class_number, "A number of this class alone."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef abc_module = {
    .name = "abc", .doc = "What abc needs of C.", .functions = abc_functions};
