// The types of None, Ellipsis and NotImplemented.
#include "interp/core/raise.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/text/obj_str.h"

// The three are immediate values: their types have no size and no destroy slot.
// Calling such a type gives the one value that there is.
static Value make_only(Vm *vm, const char *type, Value value, const Tuple *args,
                       const Dict *keywords)
{
    if (args->count > 0 || (keywords != NULL && keywords->count > 0)) {
        return raise_error(vm, ERR_TYPE, "%s takes no arguments", type);
    }
    return value;
}

static Value none_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    return make_only(vm, type_name(cls), VALUE_NONE, args, keywords);
}

// The text has another name than the type's.
static Value ellipsis_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls;
    return make_only(vm, "EllipsisType", VALUE_ELLIPSIS, args, keywords);
}

static Value not_implemented_make(Vm *vm, Type *cls, Tuple *args,
                                  Dict *keywords)
{
    return make_only(vm, type_name(cls), VALUE_NOT_IMPLEMENTED, args, keywords);
}

static Value none_repr(Vm *vm, Value self)
{
    (void)self;
    return str_value_from(vm, "None");
}

// Without this slot, an object is true.
static int none_truth(Vm *vm, Value self)
{
    (void)vm, (void)self;
    return 0;
}

static Value ellipsis_repr(Vm *vm, Value self)
{
    (void)self;
    return str_value_from(vm, "Ellipsis");
}

static Value not_implemented_repr(Vm *vm, Value self)
{
    (void)self;
    return str_value_from(vm, "NotImplemented");
}

const TypeDef none_type_def = {
    .name = "NoneType",
    .doc = "The type of None.",
    .flags = TYPE_FINAL,
    .slots = {.make = none_make, .repr = none_repr, .truth = none_truth}};

const TypeDef ellipsis_type_def = {
    .name = "ellipsis",
    .doc = "The type of Ellipsis.",
    .flags = TYPE_FINAL,
    .slots = {.make = ellipsis_make, .repr = ellipsis_repr}};

const TypeDef not_implemented_type_def = {
    .name = "NotImplementedType",
    .doc = "The type of NotImplemented.",
    .flags = TYPE_FINAL,
    .slots = {.make = not_implemented_make, .repr = not_implemented_repr}};
