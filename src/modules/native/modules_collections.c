// The native half of collections: the ring of deque, and the counting of
// Counter. What is not urgent is written in Duet, in lib/collections.
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/dict_table.h"
#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/tuple_field.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/importing/module.h"

// For Counter: one more of each item. Programs see no step of it, so that the
// mapping must be one that overrides nothing.
static Value count_elements(Vm *vm, Value *args)
{
    if (!value_is_kind(args[0], KIND_DICT)) {
        return raise_error(vm, ERR_TYPE, "a dict is required");
    }
    Dict *counts = value_as_dict(args[0]);
    Value iterator = value_iter(vm, args[1]), item, seen;
    bool ok = !value_failed(iterator);
    while (ok && !value_same(item = value_next(vm, iterator), VALUE_STOP)) {
        int found = value_failed(item) ? -1 : dict_get(vm, counts, item, &seen);
        Value old = found > 0 ? value_retain(seen) : value_from_small(0);
        Value next =
            found < 0 ? VALUE_FAIL
                      : value_binary(vm, BINARY_ADD, old, value_from_small(1));
        ok = !value_failed(next) && dict_set(vm, counts, item, next) &&
             ctx_poll(&vm->ctx);
        release(vm, next);
        release(vm, old);
        release(vm, item);
    }
    release(vm, iterator);
    return value_done(ok);
}

// The name of the module whose code called the function that asks: a
// namedtuple belongs to it.
static Value caller_name(Vm *vm, Value *args)
{
    (void)args;
    const Frame *frame = vm->frame;
    if (frame == NULL || frame == vm->frames || frame[-1].globals == NULL) {
        return value_retain(str_value(vm->names[NAME_MAIN]));
    }
    Value name = dict_get_name(frame[-1].globals, vm->names[NAME_NAME]);
    return value_retain(value_unbound(name) ? str_value(vm->names[NAME_MAIN])
                                            : name);
}

// The getter of a namedtuple's field: a bound native, so that the machine can
// read the item without calling it.
static Value field_getter(Vm *vm, Value *args)
{
    static const NativeDef def = {"_item", "number, self, /", tuple_field_get,
                                  "The item of this number."};
    if (!value_is_int(args[0]) || value_small(args[0]) < 0) {
        return raise_error(vm, ERR_TYPE, "the number of an item is wanted");
    }
    Native *native = native_new(vm, &def, NULL);
    Method *bound = native == NULL
                        ? NULL
                        : method_new(vm, value_from_object(native), args[0]);
    object_release_null(&vm->ctx, native);
    return value_or_fail(bound);
}

// The key that the dict holds: it may be another object than the equal one
// that finds it. KeyError where there is none.
static Value held_key(Vm *vm, Value *args)
{
    if (!value_is_kind(args[0], KIND_DICT)) {
        return raise_error(vm, ERR_TYPE, "a dict is required");
    }
    Value held;
    int found = dict_table_key(vm, value_as_dict(args[0]), args[1], &held);
    return found > 0    ? value_retain(held)
           : found == 0 ? raise_with(vm, ERR_KEY, args[1])
                        : VALUE_FAIL;
}

static const NativeDef functions[] = {
    {"_caller", "", caller_name, "The caller's caller's module."},
    {"_field_getter", "number, /", field_getter,
     "A function that reads the item of this number."},
    {"_count_elements", "mapping, iterable, /", count_elements,
     "Counts the items of an iterable in a mapping."},
    {"_held_key", "mapping, key, /", held_key,
     "The key of a dict that equals this one."},
    {NULL, NULL, NULL, NULL}};

// The class that lib/collections derives deque from.
static bool add_ring(Vm *vm, Dict *dict)
{
    Type *cls = type_variant(vm, &deque_type_def, deque_type_def.name);
    return cls != NULL &&
           module_add(vm, dict, "ring", value_from_object(object_retain(cls)));
}

const ModuleDef collections_module = {.name = "collections",
                                      .doc = "The native half of collections.",
                                      .functions = functions,
                                      .init = add_ring};
