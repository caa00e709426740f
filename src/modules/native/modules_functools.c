// The native half of the module functools: reduce and cmp_to_key, and the row
// of the class that lru_cache is made of.
//
// lib/python/functools.duet has what is rare, and the classes that programs
// see.
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/importing/module.h"
#include "modules/native/functools.h"

// --- reduce ---

// The first item where no initial value is given.
// VALUE_FAIL: there is none, or the iterator has failed.
static Value first_item(Vm *vm, Value items)
{
    Value first = value_next(vm, items);
    return value_same(first, VALUE_STOP)
               ? raise_error(vm, ERR_TYPE,
                             "reduce() of empty iterable with no initial "
                             "value")
               : first;
}

// The total moves into the window of each call and out of it again.
static Value reduce(Vm *vm, Value *args)
{
    Value items = value_iter(vm, args[1]);
    if (value_failed(items)) {
        // A wrong iterable has words of its own; other errors of __iter__ pass.
        if (!raise_is_type_error(vm)) {
            return VALUE_FAIL;
        }
        raise_clear(vm);
        return raise_error(vm, ERR_TYPE,
                           "reduce() arg 2 must support iteration");
    }
    Value pair[2];
    pair[0] =
        value_unbound(args[2]) ? first_item(vm, items) : value_retain(args[2]);
    while (!value_failed(pair[0])) {
        pair[1] = value_next(vm, items);
        if (value_same(pair[1], VALUE_STOP)) {
            break;
        }
        Value next = value_failed(pair[1]) || !ctx_poll(&vm->ctx)
                         ? VALUE_FAIL
                         : vm_call(vm, args[0], pair, 2);
        release(vm, pair[1]);
        value_replace(&vm->ctx, &pair[0], next);
    }
    release(vm, items);
    return pair[0];
}

// --- cmp_to_key ---

// What cmp_to_key gives, and what that gives when it is called: the same type.
typedef struct Key {
    Object head;
    Value compare; // counted: the function of two arguments
    Value object;  // counted; UNBOUND in the one that makes the others
} Key;

static Key *as_key(Value v)
{
    return (Key *)value_object(v);
}

// Retains both.
static Value key_new(Vm *vm, Type *cls, Value compare, Value object)
{
    Key *self = cls == NULL ? NULL : object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->compare = value_retain(compare);
    self->object = value_retain(object);
    return value_from_object(self);
}

// K(obj), also by keyword.
// Called once for each item that is sorted.
static Value key_call(Vm *vm, Value self, const Value *args, uint32_t count,
                      Tuple *keyword_names)
{
    if (count > 1) {
        return raise_error(vm, ERR_TYPE,
                           "K() takes at most 1 argument (%u given)", count);
    }
    bool named = keyword_names != NULL && keyword_names->count == 1;
    if (count == 0 ||
        (named && !str_is(value_as_str(keyword_names->items[0]), "obj"))) {
        return raise_error(vm, ERR_TYPE,
                           "K() missing required argument 'obj' (pos 1)");
    }
    return key_new(vm, type_of(vm, self), as_key(self)->compare, args[0]);
}

// The function's answer, compared with 0.
// Sorting asks for < alone, but all six work.
static Value key_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (type_of(vm, a) != type_of(vm, b)) {
        return raise_error(vm, ERR_TYPE, "other argument must be K instance");
    }
    Value pair[2] = {as_key(a)->object, as_key(b)->object};
    if (value_unbound(pair[0]) || value_unbound(pair[1])) {
        return raise_error(vm, ERR_ATTRIBUTE, "object");
    }
    // The function's frame holds the objects, even if obj is set meanwhile.
    Value answer = vm_call(vm, as_key(a)->compare, pair, 2);
    if (value_failed(answer)) {
        return answer;
    }
    Value result = value_compare(vm, op, answer, value_from_small(0));
    release(vm, answer);
    return result;
}

// The object is UNBOUND in the key function itself.
static void key_destroy(Vm *vm, Object *object)
{
    release(vm, ((Key *)object)->compare);
    release(vm, ((Key *)object)->object);
    object_free(vm, object, sizeof(Key));
}

// A compare function may be a closure over what holds the key.
static void key_visit(Object *object, void (*visit)(Object *, void *),
                      void *data)
{
    values_visit(&((Key *)object)->compare, 1, visit, data);
    values_visit(&((Key *)object)->object, 1, visit, data);
}

// An object may hold its key.
static void key_clear(Vm *vm, Object *object)
{
    value_replace(&vm->ctx, &((Key *)object)->object, VALUE_UNBOUND);
    value_replace(&vm->ctx, &((Key *)object)->compare, VALUE_NONE);
}

static Value get_obj(Vm *vm, Value self)
{
    Value object = as_key(self)->object;
    return value_unbound(object) ? raise_error(vm, ERR_ATTRIBUTE, "obj")
                                 : value_retain(object);
}

static bool set_obj(Vm *vm, Value self, Value value)
{
    value_replace(&vm->ctx, &as_key(self)->object, value_retain(value));
    return true;
}

static const MemberDef key_members[] = {
    {"obj", get_obj, set_obj, "Value wrapped by a key function."},
    {NULL, NULL, NULL, NULL}};

static const TypeDef key_type_def = {
    .name = "functools.KeyWrapper",
    .doc = "A sort key that asks a function of two arguments.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Key),
    .flags = TYPE_TRACKED | TYPE_UNHASHABLE | TYPE_FINAL,
    .slots = {.destroy = key_destroy,
              .visit = key_visit,
              .clear = key_clear,
              .compare = key_compare,
              .call = key_call},
    .members = key_members,
};

// A key without an object, which is called with each of them.
// The function is not checked: what cannot be called fails when it is compared.
static Value cmp_to_key(Vm *vm, Value *args)
{
    Type *cls = type_variant(vm, &key_type_def, "functools.KeyWrapper");
    return key_new(vm, cls, args[0], VALUE_UNBOUND);
}

// --- the module ---

static const NativeDef functions[] = {
    {"reduce", "function, iterable, initial=<none>, /", reduce,
     "function(function(function(a, b), c), d) of the items a, b, c, d."},
    {"cmp_to_key", "mycmp", cmp_to_key,
     "A sort key from a function that returns <0, 0 or >0."},
    {NULL, NULL, NULL, NULL}};

// The class that lib/python/functools derives its own from.
// False: an error is pending.
static bool add_cacher(Vm *vm, Dict *dict)
{
    Type *cls = type_variant(vm, &cacher_type_def, cacher_type_def.name);
    return cls != NULL && module_add(vm, dict, cacher_type_def.name,
                                     value_from_object(object_retain(cls)));
}

const ModuleDef functools_module = {.name = "functools",
                                    .doc = "The native half of functools.",
                                    .functions = functions,
                                    .init = add_cacher};
