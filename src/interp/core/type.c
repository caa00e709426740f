// What all of interp asks of a Type without looking into its dict.
#include "interp/core/type.h"

#include "interp/core/object_layout.h"
#include "interp/core/vm.h"

// Whatever is not named here has None's type; internal marks such as UNBOUND
// never reach the program.
static Type *type_of_special(Vm *vm, Value v)
{
    if (value_is_bool(v)) {
        return vm->bool_type;
    }
    if (value_same(v, VALUE_ELLIPSIS)) {
        return vm->ellipsis_type;
    }
    return value_same(v, VALUE_NOT_IMPLEMENTED) ? vm->not_implemented_type
                                                : vm->none_type;
}

// Only what is no object comes here: type_of asks the header first.
Type *type_of_immediate(Vm *vm, Value v)
{
    if (value_is_int(v)) {
        return vm->types[KIND_INT];
    }
    return value_is_immediate_float(v) ? vm->types[KIND_FLOAT]
                                       : type_of_special(vm, v);
}

bool type_in_base_chain(const Type *cls, const Type *base)
{
    while (cls != NULL && cls != base) {
        cls = cls->base;
    }
    return cls != NULL;
}

// By the MRO, which holds each base once, instead of walking the bases. A type
// without an MRO is one that is still being made.
bool type_is_subtype(const Type *cls, const Type *base)
{
    if (cls == base) {
        return true;
    }
    const Tuple *mro = cls->mro;
    // A metaclass may have left the class itself out of it.
    for (size_t i = 0; mro != NULL && i < mro->count; i++) {
        if (value_object(mro->items[i]) == (const Object *)base) {
            return true;
        }
    }
    // One whose mro() is still asked for has none.
    if (mro == NULL || mro->count == 0) {
        return type_in_base_chain(cls, base);
    }
    return false;
}

Type *type_of_kind(Vm *vm, Kind kind)
{
    return vm->types[kind];
}

Type *type_of_error(Vm *vm, ErrorKind kind)
{
    return vm->error_types[kind];
}

// The table's name serves until the names are interned.
const char *type_name(const Type *cls)
{
    bool spoken = cls->def->spoken != NULL && !(cls->flags & TYPE_HEAP);
    return cls->shown != NULL  ? cls->shown->text
           : spoken            ? cls->def->spoken
           : cls->name != NULL ? cls->name->text
                               : cls->def->name;
}

const char *type_name_given(Vm *vm, Value value)
{
    return value_is_none(value) ? "None" : type_name(type_of(vm, value));
}

const char *type_short_name(const Type *cls)
{
    return !(cls->flags & TYPE_HEAP) && cls->qualname != NULL
               ? cls->qualname->text
               : type_name(cls);
}
