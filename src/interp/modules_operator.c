// The native half of the module operator: what itemgetter does when called.
//
// lib/operator.duet derives the class that programs see.
#include "interp/module.h"
#include "interp/obj_list.h"
#include "interp/protocol.h"
#include "interp/sequence.h"

// Invariant: keys is NULL only before __init__.
typedef struct Getter {
    Object head;
    Tuple *keys; // counted
} Getter;

// The caller knows that it is one.
static Getter *as_getter(Value v)
{
    return (Getter *)value_object(v);
}

// The tuple may be shared with the call that made the getter.
static void getter_destroy(Vm *vm, Object *self)
{
    object_release_null(&vm->ctx, ((Getter *)self)->keys);
    object_free(vm, self, sizeof(Getter));
}

// A key may be an object that holds the getter.
static void getter_visit(Object *self, void (*visit)(Object *, void *),
                         void *data)
{
    Tuple *keys = ((Getter *)self)->keys;
    if (keys != NULL) {
        visit(&keys->head, data);
    }
}

// Without keys until __init__ has run.
static Value getter_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args;
    (void)keywords;
    Getter *self = object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->keys = NULL;
    return value_from_object(self);
}

// The arguments are the keys; the tuple of them is shared.
static bool getter_init(Vm *vm, Value v, Tuple *args, Dict *keywords)
{
    if (!arguments_check(vm, "itemgetter", args, keywords, SIZE_MAX)) {
        return false;
    }
    if (args->count == 0) {
        return raise_false(vm, ERR_TYPE,
                           "itemgetter expected 1 argument, got 0");
    }
    Getter *self = as_getter(v);
    Tuple *old = self->keys;
    self->keys = object_retain(args);
    object_release_null(&vm->ctx, old);
    return true;
}

// One key gives the item itself, several give a tuple.
static Value getter_call(Vm *vm, Value v, const Value *args, uint32_t count,
                         Tuple *keyword_names)
{
    if (keyword_names != NULL && keyword_names->count != 0) {
        return raise_error(vm, ERR_TYPE,
                           "itemgetter() takes no keyword arguments");
    }
    if (count != 1 || as_getter(v)->keys == NULL) {
        return raise_error(vm, ERR_TYPE,
                           "itemgetter expected 1 argument, got %u", count);
    }
    Tuple *keys = as_getter(v)->keys;
    // One key gives the item itself, several a tuple.
    if (keys->count == 1) {
        return value_get_item(vm, args[0], keys->items[0]);
    }
    // Code of the program may replace the keys meanwhile.
    object_retain(keys);
    Tuple *items = tuple_new(vm, keys->count);
    for (size_t i = 0; items != NULL && i < keys->count; i++) {
        items->items[i] = value_get_item(vm, args[0], keys->items[i]);
        if (value_failed(items->items[i])) {
            object_release(&vm->ctx, items);
            items = NULL;
        }
    }
    object_release(&vm->ctx, keys);
    return items == NULL ? VALUE_FAIL : value_from_object(items);
}

// For __repr__, which is written in Duet.
static Value get_keys(Vm *vm, Value self)
{
    Tuple *keys = as_getter(self)->keys;
    return value_from_object(
        object_retain(keys == NULL ? vm->empty_tuple : keys));
}

static const MemberDef getter_members[] = {
    {"_items", get_keys, NULL, "The keys, as a tuple."},
    {NULL, NULL, NULL, NULL}};

static const TypeDef getter_type_def = {
    .name = "getter",
    .doc = "The native part of itemgetter.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Getter),
    .flags = TYPE_TRACKED,
    .operators = "",
    .slots = {.destroy = getter_destroy,
              .visit = getter_visit,
              .make = getter_make,
              .init = getter_init,
              .call = getter_call},
    .members = getter_members,
};

// The class that lib/operator derives itemgetter from.
static bool add_getter(Vm *vm, Dict *dict)
{
    Type *cls = type_variant(vm, &getter_type_def, "getter");
    return cls != NULL && module_add(vm, dict, "getter",
                                     value_from_object(object_retain(cls)));
}

const ModuleDef operator_module = {.name = "operator",
                                   .doc = "The native half of operator.",
                                   .init = add_getter};
