// Reading the fields of namedtuples.
#include "interp/objects/containers/tuple_field.h"

#include "interp/objects/classes/obj_descriptor.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"

// NULL: the tuple is too short.
static const Value *item_at(Value tuple, Value number)
{
    Tuple *items = value_as_tuple(tuple);
    uint64_t at = (uint64_t)value_small(number);
    return at < items->count ? &items->items[at] : NULL;
}

// A class may be given the fields of another, so anything may come.
Value tuple_field_get(Vm *vm, Value *args)
{
    const Value *item =
        value_is_kind(args[1], KIND_TUPLE) ? item_at(args[1], args[0]) : NULL;
    return item != NULL ? value_retain(*item)
                        : value_get_item(vm, args[1], args[0]);
}

// Not in a trace, which wants to see what is read.
const Value *tuple_field_find(Vm *vm, Value self, Str *name)
{
    if (!value_is_kind(self, KIND_TUPLE) || vm->trace != NULL) {
        return NULL;
    }
    Value get = property_plain_getter(vm, self, name);
    const Method *bound =
        value_is_kind(get, KIND_METHOD) ? (Method *)value_object(get) : NULL;
    if (bound == NULL || !value_is_kind(bound->function, KIND_NATIVE) ||
        ((Native *)value_object(bound->function))->function !=
            tuple_field_get) {
        return NULL;
    }
    return item_at(self, bound->self);
}
