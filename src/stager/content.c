// Taking and putting back the content of mutable objects.
//
// A table is put back by exchanging it with a copy's, so that nothing is left
// half done when memory runs out. While an object is written the trace is set
// aside: the stores are nobody's events, but traces that have read it are told.
#include "stager/content.h"

#include <string.h>

#include "interp/hooks/note.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/staged_list.h"

// A class of the program's.
static bool is_class(const Object *object)
{
    return object->kind == KIND_TYPE &&
           ((const Type *)object)->flags & TYPE_HEAP;
}

// --- taking ---

static Value take_list(Vm *vm, const List *from)
{
    List *list = list_new(vm, from->count);
    for (size_t i = 0; list != NULL && i < from->count; i++) {
        list->items[i] = value_retain(from->items[i]);
    }
    return value_or_fail(list);
}

static Value take_staged(Vm *vm, Value from)
{
    return staged_list_new(vm, staged_list_parts(from),
                           staged_list_count(from));
}

static Value take_deque(Vm *vm, Value from)
{
    List *list = list_new(vm, deque_count(from));
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        list->items[i] = value_retain(deque_item(from, i));
    }
    return value_or_fail(list);
}

// The table as it is: the order of a walk depends on its history.
static Value take_set(Vm *vm, const Set *from)
{
    size_t slots = from->mask + 1;
    SetEntry *table = ctx_alloc(&vm->ctx, slots * sizeof *table);
    Set *set = table != NULL ? set_new(vm, false) : NULL;
    if (set == NULL) {
        ctx_free(&vm->ctx, table, slots * sizeof *table);
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < slots; i++) {
        table[i] = from->table[i];
        (void)value_retain(table[i].key);
    }
    ctx_free(&vm->ctx, set->table, (set->mask + 1) * sizeof *table);
    set->table = table;
    set->mask = from->mask;
    set->fill = from->fill;
    set->count = from->count;
    set->hash = from->hash;
    return value_from_object(set);
}

// UNBOUND: no kind that is known here.
static Value take_items(Vm *vm, Object *object)
{
    Value self = value_from_object(object);
    switch (object->kind) {
    case KIND_LIST: return take_list(vm, (List *)object);
    case KIND_DICT: return value_or_fail(dict_copy(vm, (Dict *)object));
    case KIND_SET: return take_set(vm, (Set *)object);
    case KIND_CELL: return value_retain(((Cell *)object)->value);
    case KIND_INSTANCE:
    case KIND_TYPE: return VALUE_NONE;
    default:
        return staged_list_is(vm, self) ? take_staged(vm, self)
               : deque_is(self)         ? take_deque(vm, self)
                                        : VALUE_UNBOUND;
    }
}

bool content_is_known(Vm *vm, const Object *object)
{
    Value self = value_from_object((Object *)object);
    return staged_list_is(vm, self) || object->kind == KIND_LIST ||
           object->kind == KIND_DICT || object->kind == KIND_SET ||
           object->kind == KIND_CELL || object->kind == KIND_INSTANCE ||
           deque_is(self) || is_class(object);
}

// Shapes are chained from the last attribute to the first.
static bool take_shape(Vm *vm, const Instance *self, const ObjectShape *shape,
                       Dict *dict)
{
    const ObjectShape *path[SHAPE_MAX_SLOTS];
    uint32_t count = 0;
    for (; !shape->fixed; shape = shape->parent) {
        path[count++] = shape;
    }
    while (count-- > 0) {
        if (!dict_set_name(vm, dict, path[count]->name,
                           self->slots[path[count]->count - 1])) {
            return false;
        }
    }
    return true;
}

Value content_of_class(Vm *vm, const Object *object, Value name)
{
    Type *cls = object->type;
    Value found = value_is_str(name) ? type_lookup(vm, cls, value_as_str(name))
                                     : VALUE_UNBOUND;
    if (value_failed(found) || value_unbound(found) ||
        (value_is_object(found) &&
         value_object(found)->type->slots.get_descriptor != NULL)) {
        return value_failed(found) ? found : VALUE_UNBOUND;
    }
    return note_read(vm, cls, name, found) ? found : VALUE_FAIL;
}

bool content_host_source(const Source *source)
{
    static const char *const rooms[] = {"lib/python/", "lib/numpy/"};
    bool found = false;
    for (size_t i = 0; i < 2; i++) {
        found |= source->library &&
                 strncmp(source->name, rooms[i], strlen(rooms[i])) == 0;
    }
    return found;
}

// Whether its class has the method from such a module.
static bool has_host_method(Vm *vm, const Object *object, NameId name)
{
    Value method = type_lookup_special(vm, object->type, name);
    return value_is_kind(method, KIND_FUNCTION) &&
           content_host_source(
               ((const Function *)value_object(method))->code->source);
}

bool content_is_host(Vm *vm, const Object *object)
{
    return object->kind == KIND_INSTANCE &&
           (has_host_method(vm, object, NAME_SETITEM) ||
            has_host_method(vm, object, NAME_NEXT) ||
            has_host_method(vm, object, NAME_WRITE));
}

bool content_is_python(Vm *vm, const Object *object)
{
    return object->kind == KIND_INSTANCE &&
           has_host_method(vm, object, NAME_INIT);
}

Dict *content_attributes(Object *object)
{
    if (is_class(object)) {
        return ((Type *)object)->dict;
    }
    if (object->kind == KIND_INSTANCE) {
        const Instance *instance = (Instance *)object;
        return instance->shape == NULL ? instance->dict : NULL;
    }
    Dict **place = instance_dict_place(object);
    return place != NULL ? *place : NULL;
}

static bool has_shape(const Object *object)
{
    return object->kind == KIND_INSTANCE &&
           ((const Instance *)object)->shape != NULL;
}

static Value take_attributes(Vm *vm, Object *object)
{
    if (has_shape(object)) {
        const Instance *instance = (Instance *)object;
        Dict *dict = dict_new(vm);
        if (dict != NULL && !take_shape(vm, instance, instance->shape, dict)) {
            object_release(&vm->ctx, dict);
            dict = NULL;
        }
        return value_or_fail(dict);
    }
    Dict *dict = content_attributes(object);
    return dict != NULL ? value_or_fail(dict_copy(vm, dict)) : VALUE_NONE;
}

Value content_take(Vm *vm, Object *object)
{
    if (!content_is_known(vm, object)) {
        return VALUE_UNBOUND;
    }
    uint32_t fixed = object->type->slot_count;
    Tuple *content = tuple_new(vm, CONTENT_SLOTS + fixed);
    if (content == NULL) {
        return VALUE_FAIL;
    }
    // What is filled below is no event: a trace may be under way.
    Trace *trace = vm->trace;
    vm->trace = NULL;
    Value items = take_items(vm, object);
    Value attributes =
        value_failed(items) ? VALUE_FAIL : take_attributes(vm, object);
    vm->trace = trace;
    bool ok = !value_failed(attributes);
    content->items[CONTENT_ITEMS] = value_failed(items) ? VALUE_NONE : items;
    content->items[CONTENT_ATTRIBUTES] = ok ? attributes : VALUE_NONE;
    for (uint32_t i = 0; i < fixed; i++) {
        const Value *place = instance_fixed(object, i);
        content->items[CONTENT_SLOTS + i] =
            place != NULL ? value_retain(*place) : VALUE_UNBOUND;
    }
    if (!ok) {
        object_release(&vm->ctx, content);
        return VALUE_FAIL;
    }
    return value_from_object(content);
}

// --- putting back ---

// Exchanges all but the headers of two objects of one layout. A version is what
// live walks compare: it goes on.
static void exchange(Object *object, Object *copy, size_t size)
{
    char *a = (char *)object, *b = (char *)copy;
    for (size_t i = sizeof(Object); i < size; i++) {
        char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

// A list of the program's own class stays one: it is never staged.
static void exchange_list(List *list, List *copy)
{
    if (list->head.kind == copy->head.kind) {
        exchange(&list->head, &copy->head, sizeof *list);
    } else {
        staged_list_exchange(list, copy);
    }
}

static void exchange_dict(Dict *dict, Dict *copy)
{
    uint64_t version = dict->version + 1;
    bool walked = dict->walked; // somebody has seen the order of this one
    bool globals = dict->globals;
    exchange(&dict->head, &copy->head, sizeof *dict);
    dict->version = version;
    dict->walked = walked;
    dict->globals = globals;
}

// What was held is released with the copy, when the object is whole again.
static bool put_items(Vm *vm, Object *object, Value items)
{
    if (object->kind == KIND_CELL) {
        value_replace(&vm->ctx, &((Cell *)object)->value, value_retain(items));
        return true;
    }
    bool list = staged_list_fits(vm, value_from_object(object)) ||
                object->kind == KIND_LIST;
    Value copy = staged_list_is(vm, items) ? take_staged(vm, items)
                 : value_is_kind(items, KIND_LIST)
                     ? take_list(vm, value_as_list(items))
                 : value_is_kind(items, KIND_DICT)
                     ? value_or_fail(dict_copy(vm, value_as_dict(items)))
                 : value_is_kind(items, KIND_SET)
                     ? take_set(vm, (const Set *)value_object(items))
                     : VALUE_NONE;
    bool ok = !value_failed(copy);
    if (ok && list) {
        exchange_list((List *)object, value_as_list(copy));
    } else if (ok && object->kind == KIND_DICT) {
        exchange_dict((Dict *)object, value_as_dict(copy));
    } else if (ok && object->kind == KIND_SET) {
        exchange(object, value_object(copy), sizeof(Set));
    } else if (ok && deque_is(value_from_object(object))) {
        Value deque = value_from_object(object);
        ok = deque_empty(vm, deque) && deque_extend(vm, deque, copy);
    }
    release(vm, ok ? copy : VALUE_NONE);
    return ok;
}

// Attributes that came since go, for which the object leaves its shape.
static bool drop_others(Vm *vm, Object *object, Dict *wanted)
{
    Value now = take_attributes(vm, object);
    bool ok = !value_failed(now);
    uint32_t position = 0;
    for (Value name, value;
         ok && dict_next(value_as_dict(now), &position, &name, &value);) {
        ok = !value_unbound(dict_get_name(wanted, value_as_str(name))) ||
             instance_set(vm, object, value_as_str(name), VALUE_UNBOUND);
    }
    release(vm, now);
    return ok;
}

// Attribute by attribute, since caches and slots know what a class has.
static bool put_class(Vm *vm, Object *object, Dict *wanted)
{
    Value self = value_from_object(object), now = take_attributes(vm, object);
    bool ok = !value_failed(now);
    uint32_t at = 0;
    for (Value key, value;
         ok && dict_next(value_as_dict(now), &at, &key, &value);) {
        ok = !value_unbound(dict_get_name(wanted, value_as_str(key))) ||
             value_set_attr(vm, self, value_as_str(key), VALUE_UNBOUND);
    }
    at = 0;
    for (Value key, value; ok && dict_next(wanted, &at, &key, &value);) {
        Str *name = value_as_str(key);
        ok = value_same(dict_get_name(value_as_dict(now), name), value) ||
             value_set_attr(vm, self, name, value);
    }
    release(vm, value_failed(now) ? VALUE_NONE : now);
    return ok;
}

static bool put_attributes(Vm *vm, Object *object, Dict *wanted)
{
    if (is_class(object)) {
        return put_class(vm, object, wanted);
    }
    if (has_shape(object) && !drop_others(vm, object, wanted)) {
        return false;
    }
    Dict *dict = content_attributes(object);
    if (dict != NULL) { // takes their order too
        Dict *copy = dict_copy(vm, wanted);
        if (copy != NULL) {
            exchange_dict(dict, copy);
            object_release(&vm->ctx, copy);
        }
        return copy != NULL;
    }
    bool ok = true;
    uint32_t position = 0;
    for (Value name, value;
         ok && dict_next(wanted, &position, &name, &value);) {
        ok = instance_set(vm, object, value_as_str(name), value);
    }
    return ok;
}

// None: there were no attributes when the content was taken.
static bool put_attributes_or_none(Vm *vm, Object *object, Value content)
{
    if (!value_is_none(content)) {
        return put_attributes(vm, object, value_as_dict(content));
    }
    Dict *dict = content_attributes(object);
    if (dict != NULL) {
        dict_clear(vm, dict);
    }
    return true;
}

bool content_put(Vm *vm, Object *object, Value content)
{
    const Tuple *parts = value_as_tuple(content);
    Trace *trace = vm->trace;
    vm->trace = NULL;
    // A nested trace may have read it.
    if (object->flags & OBJECT_WATCHED) {
        vm->hooks->stored(vm, object, VALUE_UNBOUND);
    }
    bool ok =
        put_items(vm, object, parts->items[CONTENT_ITEMS]) &&
        put_attributes_or_none(vm, object, parts->items[CONTENT_ATTRIBUTES]);
    for (size_t i = CONTENT_SLOTS; ok && i < parts->count; i++) {
        uint32_t index = (uint32_t)(i - CONTENT_SLOTS);
        // A place that was never made has nothing to be emptied.
        if (value_unbound(parts->items[i]) &&
            instance_fixed(object, index) == NULL) {
            continue;
        }
        Value *place = instance_fixed_place(vm, object, index);
        ok = place != NULL;
        if (ok) {
            value_replace(&vm->ctx, place, value_retain(parts->items[i]));
        }
    }
    vm->trace = trace;
    return ok;
}
