// Attributes: look-up, storing, and the out-of-line halves of the machine's
// inline caches.
//
// A cache never owns anything. It is valid while its key matches and its
// epoch is the Vm's: any change of a class bumps vm->epoch, and shapes are
// freed with their class, after such a bump. The structs are laid over the
// words behind an instruction; zeroed words never match.
#ifndef DUET_INTERP_OBJECTS_CLASSES_ATTR_H
#define DUET_INTERP_OBJECTS_CLASSES_ATTR_H

#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/protocol/protocol.h"

// GETATTR, two words. Hit: self is an Instance with this shape; the value is
// instance->slots[slot], to be retained. Or shape is the address of a Module
// plus 1, and slot the number of the entry in its dict.
typedef struct AttrCache {
    const ObjectShape *shape; // NULL: empty
    uint32_t slot;
    uint32_t epoch; // low half of vm->epoch
} AttrCache;

// SETATTR, three words. Hit: self is an Instance of shape `before`, and has
// room for `slot`. before == after: replace the value; else the attribute is
// new: store it and set instance->shape = after. note_store comes first.
typedef struct StoreCache {
    const ObjectShape *before; // NULL: empty
    ObjectShape *after;
    uint32_t slot;
    uint32_t epoch; // low half of vm->epoch
} StoreCache;

// LOADM, three words. Hit: attr_method_key(self) == key; the method is
// `function` with self in front. Or key is NULL: `function` is a Module, the
// callee is what entry number `epoch` of its dict holds (attr_of_module).
typedef struct MethodCache {
    const void *key;  // an ObjectShape, or the Type if it takes none
    Object *function; // borrowed: the class holds it
    uint64_t epoch;
} MethodCache;

// What decides whether a cached method holds for an object; NULL: not
// cacheable. One that takes attributes without having any is as its class.
static inline const void *attr_object_key(Object *object)
{
    if (object->kind == KIND_INSTANCE) {
        return ((Instance *)object)->shape;
    }
    if (object->kind == KIND_TYPE) {
        return NULL;
    }
    const Type *cls = object->type;
    if (LIKELY(!(cls->flags & TYPE_HAS_DICT))) {
        return cls;
    }
    return (cls->flags & TYPE_DICT_AHEAD) && *object_dict_ahead(object) == NULL
               ? cls
               : NULL;
}

// The same for any value, as the caches without inline code ask it.
static inline const void *attr_method_key(Vm *vm, Value self)
{
    return LIKELY(value_is_object(self)) ? attr_object_key(value_object(self))
                                         : type_of_immediate(vm, self);
}

// module.name where entry `number` of the module's dict is that name: borrowed.
// UNBOUND: it is not, or self is no plain module, or a trace wants to know.
Value attr_of_module(const Vm *vm, Value self, Str *name, uint64_t number);
// self.name, owned, filling the cache where the result can be cached.
Value attr_load(Vm *vm, Value self, Str *name, AttrCache *cache);
// Where an instance in shape mode keeps `name`, a slot of its class or an
// attribute that nothing of the class goes before; -1: nowhere.
int32_t attr_slot(Vm *vm, const Instance *instance, Str *name);
// self.name = value (retained); UNBOUND deletes (and leaves the cache empty).
MUST_CHECK bool attr_store(Vm *vm, Value self, Str *name, Value value,
                           StoreCache *cache);
// For a call self.name(…): 1: *callee is a function that wants self in front;
// 0: *callee is called as it is; -1: failed. *callee is owned.
int attr_load_method(Vm *vm, Value self, Str *name, MethodCache *cache,
                     Value *callee);

// What object.__getattribute__ and object.__setattr__ do, without the
// class's own __getattr__ and the like.
Value attr_get_generic(Vm *vm, Value self, Str *name);
// UNBOUND deletes. AttributeError where the object has no room for attributes.
MUST_CHECK bool attr_set_generic(Vm *vm, Value self, Str *name, Value value);
// The same as the built-in layout of self does it (exceptions and classes
// have ways of their own).
Value attr_get_layout(Vm *vm, Value self, Str *name);
// As attr_get_layout: by the slot of the built-in type below.
MUST_CHECK bool attr_set_layout(Vm *vm, Value self, Str *name, Value value);
// An attribute found in a class, as seen through `instance` (UNBOUND: through
// the class itself): functions bind, descriptors compute. Owned.
Value attr_bind(Vm *vm, Value found, Value instance, Type *owner);
// It decides over the instance's own attribute of its name: a property, a
// member, an object whose class defines __set__ or __delete__.
bool attr_is_data_descriptor(Value found);
// Also when the attribute is read: it has a __get__ as well.
bool attr_reads_first(Value found);
// What a program gives as an attribute's name: a str, interned, since dicts of
// attributes are searched by identity first. Owned; NULL: TypeError.
Str *attr_name(Vm *vm, Value name);
// "'C' object has no attribute 'x'"; returns VALUE_FAIL.
Value attr_missing(Vm *vm, Value self, Str *name);
// The same without "Did you mean": for storing and deleting.
Value attr_not_there(Vm *vm, Value self, Str *name);
// The pending error came out of a look-up of `name`: an AttributeError learns
// what is missing, if it does not know yet.
void attr_tell_missing(Vm *vm, Value self, Str *name);

#endif
