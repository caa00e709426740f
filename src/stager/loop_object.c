// Objects of the program's classes as parts of a loop's state.
//
// What a turn leaves in the place of such an object, one of the same class with
// the same attributes, is carried attribute by attribute: in the state a Made
// (made.h) stands for it, of which each view of the state makes an object. That
// runs no code of the class.
#include "interp/hooks/note.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "stager/content.h"
#include "stager/era.h"
#include "stager/loops.h"
#include "stager/made.h"
#include "stager/poison.h"
#include "stager/structure.h"

// What is copied must not be seen to come and go.
bool loop_object_fits(Vm *vm, Value v)
{
    if (!value_is_kind(v, KIND_INSTANCE) || poison_is(vm, v) ||
        structure_kind(vm, v) != STRUCTURE_LEAF ||
        content_is_python(vm, value_object(v)) || vm_has_error(vm)) {
        return false;
    }
    Type *cls = value_object(v)->type;
    return value_unbound(type_lookup_special(vm, cls, NAME_DEL)) &&
           (cls->slot_count == 0 ||
            era_has(vm, vm->trace->era, value_object(v)));
}

bool loop_object_opens(Vm *vm, Value v, void *data)
{
    (void)data;
    return era_has(vm, vm->trace->blocks->era, value_object(v)) &&
           loop_object_fits(vm, v);
}

static bool is_object(Vm *vm, Value v)
{
    return made_is(vm, v) || loop_object_fits(vm, v);
}

// Another call may find an object from outside otherwise.
static bool note_attributes(Vm *vm, Value v, Value attributes)
{
    uint32_t at = 0;
    bool ok = true;
    bool outside = value_is_kind(v, KIND_INSTANCE) &&
                   !era_has(vm, vm->trace->era, value_object(v)) &&
                   value_is_kind(attributes, KIND_DICT);
    for (Value name, value;
         ok && outside &&
         dict_next(value_as_dict(attributes), &at, &name, &value);) {
        ok = note_read(vm, value_object(v), name, value);
    }
    return ok;
}

// What the loop's journal has is from before it.
Value loop_object_open(Vm *vm, const StagedBlock *block, Value v)
{
    const JournalEntry *entry = journal_find(&block->journal, value_object(v));
    Value made = VALUE_FAIL, content = entry != NULL
                                           ? value_retain(entry->saved)
                                           : made_content(vm, v);
    if (!value_failed(content) &&
        note_attributes(vm, v,
                        value_as_tuple(content)->items[CONTENT_ATTRIBUTES])) {
        made = made_twin(vm, v);
    }
    if (!value_failed(made) && !made_fill(vm, made, content)) {
        release(vm, made);
        made = VALUE_FAIL;
    }
    release(vm, content);
    return made;
}

bool loop_parts(Vm *vm, Value v, ValueVec *parts)
{
    if (!is_object(vm, v)) {
        return structure_children(vm, v, parts);
    }
    Value content = made_content(vm, v);
    if (value_failed(content)) {
        return false;
    }
    const Tuple *held = value_as_tuple(content);
    Value attributes = held->items[CONTENT_ATTRIBUTES];
    bool ok = note_attributes(vm, v, attributes) &&
              structure_children(vm, attributes, parts);
    for (size_t i = CONTENT_SLOTS; ok && i < held->count; i++) {
        ok = structure_push(vm, parts, value_retain(held->items[i]));
    }
    release(vm, content);
    return ok;
}

int loop_alike(Vm *vm, Value a, Value b)
{
    if (!value_is_object(a) || !is_object(vm, a)) {
        return merge_alike(vm, a, b);
    }
    if (!value_is_object(b) || !is_object(vm, b) ||
        made_class(vm, a) != made_class(vm, b)) {
        return 0;
    }
    Value first = made_content(vm, a);
    Value second = value_failed(first) ? first : made_content(vm, b);
    int alike = -1;
    if (!value_failed(second)) {
        Value x = value_as_tuple(first)->items[CONTENT_ATTRIBUTES];
        Value y = value_as_tuple(second)->items[CONTENT_ATTRIBUTES];
        alike = value_same(x, y) ? 1 : merge_alike(vm, x, y);
    }
    release(vm, first);
    release(vm, second);
    return alike;
}

// Takes the attributes' dict.
static Value content_of(Vm *vm, Value attributes, const ValueVec *parts,
                        size_t slots)
{
    Tuple *content =
        value_failed(attributes) ? NULL : tuple_new(vm, CONTENT_SLOTS + slots);
    if (content == NULL) {
        release(vm, attributes);
        return VALUE_FAIL;
    }
    content->items[CONTENT_ITEMS] = VALUE_NONE;
    content->items[CONTENT_ATTRIBUTES] = attributes;
    for (size_t i = 0; i < slots; i++) {
        Value part = parts->items[parts->count - slots + i];
        content->items[CONTENT_SLOTS + i] = value_retain(part);
    }
    return value_from_object(content);
}

Value loop_rebuild(Vm *vm, Value v, const ValueVec *parts)
{
    if (!made_is(vm, v)) {
        return structure_rebuild(vm, v, parts);
    }
    Value held = made_content(vm, v);
    const Tuple *before = value_as_tuple(held);
    Value attributes = before->items[CONTENT_ATTRIBUTES];
    attributes = value_is_none(attributes)
                     ? attributes
                     : structure_rebuild(vm, attributes, parts);
    Value content =
        content_of(vm, attributes, parts, before->count - CONTENT_SLOTS);
    Value model = value_failed(content) ? VALUE_FAIL : made_twin(vm, v);
    Value made = value_failed(model) ? VALUE_FAIL : made_twin(vm, model);
    if (!value_failed(made) && !made_fill(vm, made, content)) {
        release(vm, made);
        made = VALUE_FAIL;
    }
    release(vm, held);
    release(vm, content);
    release(vm, model);
    return made;
}
