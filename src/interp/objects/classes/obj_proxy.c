// mappingproxy (types.MappingProxyType): reads go to the mapping, nothing can
// be stored.
//
// Invariant: the mapping is never NULL, and is whatever the program gave: each
// operation goes through the protocol, so that a subclass's own methods count.
#include "interp/objects/classes/obj_proxy.h"

#include "interp/core/memory.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

typedef struct Proxy {
    Object head;
    Value mapping; // owned
} Proxy;

static const TypeDef proxy_type_def;

// Made on first use: programs rarely look into a class.
static Type *proxy_type(Vm *vm)
{
    return type_variant(vm, &proxy_type_def, "mappingproxy");
}

Value proxy_new(Vm *vm, Value mapping)
{
    Type *cls = proxy_type(vm);
    Proxy *self = cls == NULL ? NULL : object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->mapping = value_retain(mapping);
    return value_from_object(self);
}

// Borrowed.
static Value mapping_of(Value self)
{
    return ((Proxy *)value_object(self))->mapping;
}

static void proxy_destroy(Vm *vm, Object *object)
{
    release(vm, ((Proxy *)object)->mapping);
    object_free(vm, object, sizeof(Proxy));
}

// There is no clear slot: a cycle through a proxy passes through its mapping.
static void proxy_visit(Object *object, void (*visit)(Object *, void *),
                        void *data)
{
    values_visit(&((Proxy *)object)->mapping, 1, visit, data);
}

// What has items by key, but no sequence: A str is let in.
static Value proxy_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls;
    static const char *const params[] = {"mapping"};
    Value mapping = VALUE_UNBOUND;
    if (!arguments_spread(vm, "mappingproxy", args, keywords, params, 1, 1,
                          &mapping)) {
        return VALUE_FAIL;
    }
    if (type_of(vm, mapping)->slots.get_item == NULL ||
        value_is_kind(mapping, KIND_LIST) ||
        value_is_kind(mapping, KIND_TUPLE)) {
        return raise_error(vm, ERR_TYPE,
                           "mappingproxy() argument must be a mapping, not %s",
                           type_name(type_of(vm, mapping)));
    }
    return proxy_new(vm, mapping);
}

static Value proxy_repr(Vm *vm, Value self)
{
    Str *inner = value_repr(vm, mapping_of(self));
    Str *text =
        inner == NULL ? NULL : str_printf(vm, "mappingproxy(%s)", inner->text);
    object_release_null(&vm->ctx, inner);
    return value_or_fail(text);
}

static Value proxy_str(Vm *vm, Value self)
{
    return value_or_fail(value_str(vm, mapping_of(self)));
}

// Either side may be the proxy; the mapping is compared in its place.
static Value proxy_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    return value_compare(vm, op, mapping_of(a), b);
}

static int64_t proxy_length(Vm *vm, Value self)
{
    return value_length(vm, mapping_of(self));
}

static Value proxy_get_item(Vm *vm, Value self, Value key)
{
    return value_get_item(vm, mapping_of(self), key);
}

static int proxy_contains(Vm *vm, Value self, Value key)
{
    return value_contains(vm, mapping_of(self), key);
}

static Value proxy_iter(Vm *vm, Value self)
{
    return value_iter(vm, mapping_of(self));
}

static Value unwrapped(Vm *vm, Value v)
{
    return type_of(vm, v) == proxy_type(vm) ? mapping_of(v) : v;
}

static Value proxy_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    return op == BINARY_OR
               ? value_binary(vm, op, unwrapped(vm, a), unwrapped(vm, b))
               : VALUE_NOT_IMPLEMENTED;
}

static Value proxy_inplace(Vm *vm, BinaryOp op, Value a, Value b)
{
    (void)a, (void)b;
    return op == BINARY_OR ? raise_error(vm, ERR_TYPE,
                                         "'|=' is not supported by %s; use "
                                         "'|' instead",
                                         "mappingproxy")
                           : VALUE_NOT_IMPLEMENTED;
}

static Value pass_on(Vm *vm, Value self, const char *name, const Value *args,
                     uint32_t count)
{
    Str *method = str_intern(vm, name, strlen(name));
    Value result = method == NULL ? VALUE_FAIL
                                  : value_call_method(vm, mapping_of(self),
                                                      method, args, count);
    object_release_null(&vm->ctx, method);
    return result;
}

static Value proxy_get(Vm *vm, Value *args)
{
    Value given[2] = {args[1], value_unbound(args[2]) ? VALUE_NONE : args[2]};
    return pass_on(vm, args[0], "get", given, 2);
}

#define PROXY_METHOD(name)                                                     \
    static Value proxy_##name(Vm *vm, Value *args)                             \
    {                                                                          \
        return pass_on(vm, args[0], #name, NULL, 0);                           \
    }
PROXY_METHOD(keys)
PROXY_METHOD(values)
PROXY_METHOD(items)
PROXY_METHOD(copy)
PROXY_METHOD(__reversed__)

static const NativeDef proxy_methods[] = {
    {"get", "self, key, default=None, /", proxy_get,
     "The value of the key, or default."},
    {"keys", "self, /", proxy_keys, "The mapping's keys."},
    {"values", "self, /", proxy_values, "The mapping's values."},
    {"items", "self, /", proxy_items, "The mapping's pairs."},
    {"copy", "self, /", proxy_copy, "A copy of the mapping."},
    {"__reversed__", "self, /", proxy___reversed__, "The keys from the end."},
    {NULL, NULL, NULL, NULL}};

static const TypeDef proxy_type_def = {
    .name = "mappingproxy",
    .doc = "A read-only view on a mapping.",
    .params = "mapping",
    .kind = KIND_OPAQUE,
    .size = sizeof(Proxy),
    .flags = TYPE_TRACKED | TYPE_UNHASHABLE | TYPE_FINAL,
    .operators = "or ror ior",
    .slots = {.destroy = proxy_destroy,
              .visit = proxy_visit,
              .make = proxy_make,
              .repr = proxy_repr,
              .str = proxy_str,
              .compare = proxy_compare,
              .binary = proxy_binary,
              .inplace = proxy_inplace,
              .length = proxy_length,
              .get_item = proxy_get_item,
              .contains = proxy_contains,
              .iter = proxy_iter},
    .methods = proxy_methods,
    .class_methods = generic_class_methods,
};
