// Structures with other children: each kind has one way back.
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/staged_list.h"
#include "stager/structure.h"

// A new list with counts of its own.
static Value rebuild_list(Vm *vm, const ValueVec *children)
{
    List *list = list_new(vm, children->count);
    for (size_t i = 0; list != NULL && i < children->count; i++) {
        list->items[i] = value_retain(children->items[i]);
    }
    return value_or_fail(list);
}

// A run has tensors in the places of the symbolic ones.
static Value rebuild_staged(Vm *vm, const ValueVec *children)
{
    return value_is_tensor(children->items[1])
               ? staged_list_unpack(vm, children->items, children->count)
               : staged_list_new(vm, children->items, children->count);
}

// Tuples are immutable, but their items are to be others.
static Value rebuild_tuple(Vm *vm, const ValueVec *children)
{
    return value_or_fail(tuple_from(vm, children->items, children->count));
}

// The class's own _make, as collections.namedtuple defines it.
static Value rebuild_named(Vm *vm, Value v, const ValueVec *children)
{
    Value items = rebuild_tuple(vm, children);
    // _make and not the class itself: a subclass may have another __new__.
    Value made = VALUE_FAIL;
    if (!value_failed(items)) {
        made = value_call_method(vm, value_from_object(value_object(v)->type),
                                 vm->names[NAME_MAKE], &items, 1);
    }
    release(vm, items);
    return made;
}

// Keys and their order are the old dict's.
static Value rebuild_dict(Vm *vm, Value v, const ValueVec *children)
{
    // A copy first: it keeps the order of insertion.
    Dict *copy = dict_copy(vm, value_as_dict(v));
    ValueVec keys = {0};
    bool ok = copy != NULL && structure_keys(vm, v, &keys);
    for (size_t i = 0; ok && i < keys.count; i++) {
        ok = dict_set(vm, copy, keys.items[i], children->items[i]);
    }
    structure_free(vm, &keys);
    if (!ok) {
        object_release_null(&vm->ctx, copy);
        return VALUE_FAIL;
    }
    return value_from_object(copy);
}

// Without __init__: its attributes are set as they stand, on frozen ones too.
static Value rebuild_dataclass(Vm *vm, Value v, const ValueVec *children)
{
    // As copy.copy would: what __init__ or __post_init__ did to the fields is
    // in them already, and must not be done twice.
    Instance *copy = instance_new(vm, value_object(v)->type);
    ValueVec keys = {0};
    bool ok = copy != NULL && structure_keys(vm, v, &keys);
    for (size_t i = 0; ok && i < keys.count; i++) {
        // Past __setattr__, which a frozen class refuses with.
        ok = attr_set_generic(vm, value_from_object(copy),
                              value_as_str(keys.items[i]), children->items[i]);
    }
    structure_free(vm, &keys);
    if (!ok) {
        object_release_null(&vm->ctx, copy);
        return VALUE_FAIL;
    }
    return value_from_object(copy);
}

// The elements stay; a staged function's caller gets a set of its own.
static Value copy_set(Vm *vm, Value v)
{
    Set *copy = set_new(vm, value_is_kind(v, KIND_FROZENSET));
    if (copy != NULL && !set_update(vm, copy, v)) {
        object_release(&vm->ctx, copy);
        return VALUE_FAIL;
    }
    return value_or_fail(copy);
}

// One way back for each way in.
static Value copy_of(Vm *vm, Value v, const ValueVec *children)
{
    switch (structure_kind(vm, v)) {
    case STRUCTURE_LIST: return rebuild_list(vm, children);
    case STRUCTURE_STAGED: return rebuild_staged(vm, children);
    case STRUCTURE_TUPLE: return rebuild_tuple(vm, children);
    case STRUCTURE_DICT: return rebuild_dict(vm, v, children);
    case STRUCTURE_SET: return copy_set(vm, v);
    case STRUCTURE_NAMED: return rebuild_named(vm, v, children);
    case STRUCTURE_DATACLASS: return rebuild_dataclass(vm, v, children);
    case STRUCTURE_MADE:
    case STRUCTURE_LEAF: break;
    }
    return value_retain(v);
}

// Eager code has one object in both places, perhaps.
void structure_stands_in(Vm *vm, Value copy)
{
    if (vm->trace != NULL && value_is_object(copy) &&
        value_object(copy)->rc == 1) {
        value_object(copy)->flags |= OBJECT_STANDS_IN;
    }
}

Value structure_rebuild(Vm *vm, Value v, const ValueVec *children)
{
    Value copy = copy_of(vm, v, children);
    structure_stands_in(vm, copy);
    return copy;
}
