// Places of a block's state.
//
// Invariant: reading and writing a place is no event of the program: it is
// neither noted as a read nor kept in the ledger, since it puts back what was
// there. It runs no code of the program either: what a property, a __getitem__
// or the like keeps elsewhere is in the journal, which sees it there.
#include "stager/state.h"

#include <stdio.h>

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/text/obj_str.h"
#include "interp/tensors/obj_tensor.h"
#include "stager/poison.h"
#include "stager/staged_list.h"

// Registers of converted code have the numbers that its blocks name.
static Value *register_of(Frame *frame, const BlockPlace *place)
{
    return &frame->registers[place->index];
}

// The cell, NULL: a register that does not hold one (yet).
static Cell *cell_of(Frame *frame, const BlockPlace *place)
{
    Value v = place->kind == STATE_CELL ? *register_of(frame, place)
                                        : frame->cells[place->index];
    return value_is_kind(v, KIND_CELL) ? (Cell *)value_object(v) : NULL;
}

static bool is_cell(const BlockPlace *place)
{
    return place->kind == STATE_CELL || place->kind == STATE_CAPTURED;
}

// The variable's value, borrowed.
static Value root_of(Frame *frame, const BlockPlace *place)
{
    if (place->kind == STATE_LOCAL) {
        return *register_of(frame, place);
    }
    if (place->kind == STATE_GLOBAL) {
        return dict_get_name(frame->globals, place->name);
    }
    const Cell *cell = cell_of(frame, place);
    return cell == NULL ? VALUE_UNBOUND : cell->value;
}

// Whether looking at the attribute runs code of the program.
static int is_computed(Vm *vm, Type *type, Str *name)
{
    Value found = type_lookup(vm, type, name);
    const Type *own = value_is_object(found) ? value_object(found)->type : NULL;
    bool computed = own != NULL && own->slots.get_descriptor != NULL &&
                    ((own->flags & TYPE_HEAP) || own->kind == KIND_PROPERTY);
    bool hooked = (type->flags & TYPE_USER_GET_ATTR) ||
                  ((type->flags & TYPE_HEAP) && type->slots.set_attr != NULL);
    return value_failed(found) ? -1 : computed || hooked;
}

// A name that is not there gives UNBOUND and no error: state may begin with
// nothing.
static Value take_attribute(Vm *vm, Value holder, Str *name)
{
    int computed = is_computed(vm, type_of(vm, holder), name);
    return computed < 0 ? VALUE_FAIL
           : computed   ? VALUE_UNBOUND
                        : value_find_attr(vm, holder, name);
}

// Tensors have no places, nor lists of the graph or what is undecided; a class
// of the program's may have code for it.
static bool has_items(Vm *vm, Value holder)
{
    return !value_is_operand(holder) && !staged_list_is(vm, holder) &&
           !poison_is(vm, holder) && !(type_of(vm, holder)->flags & TYPE_HEAP);
}

static Value take_item(Vm *vm, Value holder, Value key)
{
    // To look may not change what is there (__missing__).
    if (value_is_kind(holder, KIND_DICT)) {
        Value held = VALUE_UNBOUND; // borrowed
        int found = dict_get(vm, value_as_dict(holder), key, &held);
        return found < 0 ? VALUE_FAIL : value_retain(held);
    }
    // An index out of range, a missing key or a holder without items is a
    // place without a value; any other error is the program's.
    Value found = value_get_item(vm, holder, key);
    if (value_failed(found) &&
        (raise_matches(vm, ERR_LOOKUP) || raise_matches(vm, ERR_TYPE))) {
        raise_clear(vm);
        return VALUE_UNBOUND;
    }
    return found;
}

// One step further: owned, UNBOUND if there is nothing.
static Value take_step(Vm *vm, Value holder, const PathStep *step)
{
    return !step->item ? take_attribute(vm, holder, value_as_str(step->key))
           : has_items(vm, holder) ? take_item(vm, holder, step->key)
                                   : VALUE_UNBOUND;
}

// What `count` steps lead to: owned, UNBOUND: nothing.
static Value follow(Vm *vm, Frame *frame, const BlockPlace *place,
                    uint32_t count)
{
    Value holder = value_retain(root_of(frame, place));
    for (uint32_t i = 0; i < count; i++) {
        if (value_unbound(holder) || value_failed(holder)) {
            return holder;
        }
        Value next = take_step(vm, holder, &place->steps[i]);
        release(vm, holder);
        holder = next;
    }
    return holder;
}

Value state_get(Vm *vm, Frame *frame, const BlockPlace *place)
{
    return follow(vm, frame, place, place->step_count);
}

Value state_holder(Vm *vm, Frame *frame, const BlockPlace *place)
{
    if (place->step_count > 0) {
        return follow(vm, frame, place, place->step_count - 1);
    }
    Cell *cell = is_cell(place) ? cell_of(frame, place) : NULL;
    return cell != NULL ? value_from_object(object_retain(cell))
                        : VALUE_UNBOUND;
}

bool state_is_cell(Frame *frame, const BlockInfo *info, const Object *object)
{
    bool found = false;
    for (uint32_t i = 0;
         object->kind == KIND_CELL && i < info->place_count && !found; i++) {
        const BlockPlace *place = &info->places[i];
        found = place->step_count == 0 && is_cell(place) &&
                (Object *)cell_of(frame, place) == object;
    }
    return found;
}

// Into the module's dict, past the ledger.
static bool set_global(Vm *vm, Frame *frame, const BlockPlace *place,
                       Value value)
{
    if (!value_unbound(value)) {
        return dict_set_name(vm, frame->globals, place->name, value);
    }
    return dict_remove(vm, frame->globals, value_from_object(place->name)) >= 0;
}

// If the object is gone there is nothing to put back, nor where a side knows
// that it is None.
static bool set_path(Vm *vm, Frame *frame, const BlockPlace *place, Value value)
{
    const PathStep *last = &place->steps[place->step_count - 1];
    Value holder = follow(vm, frame, place, place->step_count - 1);
    if (value_unbound(holder) || value_is_none(holder)) {
        return true;
    }
    // It is the journal that puts back such a container, as a whole.
    if (last->item && (staged_list_is(vm, holder) || poison_is(vm, holder))) {
        release(vm, holder);
        return true;
    }
    bool ok = !value_failed(holder) &&
              (last->item ? value_set_item(vm, holder, last->key, value)
                          : value_set_attr(vm, holder, value_as_str(last->key),
                                           value));
    release(vm, holder);
    return ok;
}

// The old value is released after the store, since its end may run code that
// looks at the place.
static bool set_place(Vm *vm, Frame *frame, const BlockPlace *place,
                      Value value)
{
    if (place->step_count > 0) {
        return set_path(vm, frame, place, value);
    }
    if (place->kind == STATE_GLOBAL) {
        return set_global(vm, frame, place, value);
    }
    Value *where = NULL;
    if (place->kind == STATE_LOCAL) {
        where = register_of(frame, place);
    } else {
        Cell *cell = cell_of(frame, place);
        where = cell == NULL ? NULL : &cell->value;
    }
    // No cell: the code that makes it has not run, so there is nothing to
    // share the value with.
    if (where != NULL) {
        value_replace(&vm->ctx, where, value_retain(value));
    }
    return true;
}

// Most places still hold what is to be put back.
bool state_set(Vm *vm, Frame *frame, const BlockPlace *place, Value value)
{
    Value now = state_get(vm, frame, place);
    bool ok = !value_failed(now) &&
              (value_same(now, value) || set_place(vm, frame, place, value));
    release(vm, now);
    release(vm, value);
    return ok;
}

// In the order of the places.
bool state_save(Vm *vm, Frame *frame, const BlockInfo *info, Value *values)
{
    for (uint32_t i = 0; i < info->place_count; i++) {
        values[i] = state_get(vm, frame, &info->places[i]);
        if (value_failed(values[i])) {
            // All or nothing, so that the caller has no array to clean up.
            while (i-- > 0) {
                release(vm, values[i]);
            }
            return false;
        }
    }
    return true;
}

// Stops at the first place that refuses.
bool state_restore(Vm *vm, Frame *frame, const BlockInfo *info,
                   const Value *values)
{
    for (uint32_t i = 0; i < info->place_count; i++) {
        if (!state_set(vm, frame, &info->places[i], value_retain(values[i]))) {
            return false;
        }
    }
    return true;
}

// Leaves the array empty, so that it may be dropped twice.
void state_drop(Vm *vm, const BlockInfo *info, Value *values)
{
    for (uint32_t i = 0; values != NULL && i < info->place_count; i++) {
        release(vm, values[i]);
        values[i] = VALUE_UNBOUND;
    }
}

// Keys in paths are constants of the program: texts and ints, for all others a
// mark will do.
static const char *key_text(Value key, char *room, size_t size)
{
    if (value_is_str(key)) {
        snprintf(room, size, "'%s'", value_as_str(key)->text);
    } else if (value_is_int(key)) {
        snprintf(room, size, "%lld", (long long)value_small(key));
    } else {
        snprintf(room, size, "…");
    }
    return room;
}

// As the user wrote it, with constant keys in brackets.
const char *state_name(const BlockPlace *place, char *room, size_t size)
{
    char key[64];
    size_t at =
        (size_t)snprintf(room, size, "%s",
                         place->name == NULL ? "the value" : place->name->text);
    for (uint32_t i = 0; i < place->step_count && at < size; i++) {
        const PathStep *step = &place->steps[i];
        at +=
            (size_t)snprintf(room + at, size - at, step->item ? "[%s]" : ".%s",
                             step->item ? key_text(step->key, key, sizeof key)
                                        : value_as_str(step->key)->text);
    }
    return room;
}

uint32_t state_depth(const BlockInfo *info)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < info->place_count; i++) {
        uint32_t steps = info->places[i].step_count;
        depth = steps > depth ? steps : depth;
    }
    return depth;
}
