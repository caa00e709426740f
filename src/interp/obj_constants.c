// The types of None, Ellipsis and NotImplemented.
#include "interp/init.h"
#include "interp/obj_str.h"
#include "interp/raise.h"

// NULL carries a pending error over as VALUE_FAIL.
static Value text_value(Vm *vm, const char *text)
{
    Str *str = str_from(vm, text);
    return str == NULL ? VALUE_FAIL : str_value(str);
}

// The three are immediate values: their types have no size, no destroy slot and
// no constructor.
static Value none_repr(Vm *vm, Value self)
{
    (void)self;
    return text_value(vm, "None");
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
    return text_value(vm, "Ellipsis");
}

static Value not_implemented_repr(Vm *vm, Value self)
{
    (void)self;
    return text_value(vm, "NotImplemented");
}

const TypeDef none_type_def = {
    .name = "NoneType",
    .doc = "The type of None.",
    .flags = TYPE_FINAL,
    .slots = {.repr = none_repr, .truth = none_truth}};

const TypeDef ellipsis_type_def = {
    .name = "ellipsis",
    .doc = "The type of Ellipsis.",
    .flags = TYPE_FINAL,
    .slots = {.repr = ellipsis_repr}};

const TypeDef not_implemented_type_def = {
    .name = "NotImplementedType",
    .doc = "The type of NotImplemented.",
    .flags = TYPE_FINAL,
    .slots = {.repr = not_implemented_repr}};
