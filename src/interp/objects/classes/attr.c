// Attributes: look-up along the instance, its class, descriptors; storing;
// filling the machine's inline caches.
//
// Order of a look-up: a data descriptor of the class, the instance's own,
// anything else of the class. Invariant: a cache is filled only when the class
// decides nothing by code of its own (no get_attr slot, no data descriptor of
// that name).
#include "interp/objects/classes/attr.h"

#include "interp/hooks/note.h"
#include "interp/hooks/tracing.h"
#include "interp/objects/classes/obj_descriptor.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/exception_fields.h"
#include "interp/objects/errors/raise_whole.h"

// NULL for immediates: none of their types is a descriptor.
static Type *type_of_object(Value v)
{
    return value_is_object(v) ? value_object(v)->type : NULL;
}

bool attr_is_data_descriptor(Value found)
{
    // UNBOUND is what a failed look-up in the class gives.
    Type *cls = value_unbound(found) ? NULL : type_of_object(found);
    return cls != NULL && cls->slots.set_descriptor != NULL;
}

// Without a __get__ it decides over storing alone: what its __set__ put into
// the instance's dict is read from there.
bool attr_reads_first(Value found)
{
    return attr_is_data_descriptor(found) &&
           value_object(found)->type->slots.get_descriptor != NULL;
}

// Functions bind to an instance, and what wraps one as they do; natives only
// where a type owns them.
static bool binds(Value found)
{
    if (value_is_kind(found, KIND_NATIVE)) {
        return ((Native *)value_object(found))->owner != NULL;
    }
    const Type *cls = type_of_object(found);
    return value_is_kind(found, KIND_FUNCTION) ||
           (cls != NULL && cls->slots.get_descriptor == method_bind);
}

Value attr_bind(Vm *vm, Value found, Value instance, Type *owner)
{
    if (binds(found)) {
        return method_bind(vm, found, instance, owner);
    }
    Type *cls = type_of_object(found);
    if (cls != NULL && cls->slots.get_descriptor != NULL) {
        return cls->slots.get_descriptor(vm, found, instance, owner);
    }
    return value_retain(found);
}

// getattr() and its like, and the methods of object, refuse alike.
Str *attr_name(Vm *vm, Value name)
{
    if (!value_is_str(name)) {
        return raise_null(vm, ERR_TYPE,
                          "attribute name must be string, not '%s'",
                          type_name(type_of(vm, name)));
    }
    return str_intern_str(vm, value_as_str(name));
}

Value attr_not_there(Vm *vm, Value self, Str *name)
{
    if (value_is_kind(self, KIND_TYPE)) {
        return raise_whole(vm, ERR_ATTRIBUTE,
                           "type object '%s' has no attribute '%s'",
                           type_name((Type *)value_object(self)), name);
    }
    return raise_whole(vm, ERR_ATTRIBUTE, "'%s' object has no attribute '%s'",
                       type_name(type_of(vm, self)), name);
}

Value attr_missing(Vm *vm, Value self, Str *name)
{
    raise_about(vm, self);
    return attr_not_there(vm, self, name);
}

// Whether there is a dict or are slots of a shape to look into.
static bool may_have_attributes(Value self)
{
    return value_is_object(self) &&
           (value_object(self)->type->flags & TYPE_HAS_DICT) != 0;
}

// What object.__getattribute__ finds; UNBOUND: nothing, and no error, for those
// who ask only whether there is something. A trace is told of what it reads
// from an instance (note_read) and may refuse.
static Value find_generic(Vm *vm, Value self, Str *name)
{
    Type *cls = type_of(vm, self);
    Value found = type_lookup(vm, cls, name);
    if (attr_reads_first(found)) {
        return note_class_read(vm, self, cls, name, found)
                   ? attr_bind(vm, found, self, cls)
                   : VALUE_FAIL;
    }
    if (may_have_attributes(self) && !value_failed(found)) {
        Object *object = value_object(self);
        // Borrowed from the instance.
        Value own = instance_get(vm, object, name);
        if (!value_unbound(own)) {
            return note_read(vm, object, value_from_object(name), own)
                       ? value_retain(own)
                       : VALUE_FAIL;
        }
    }
    // What is not there yet is read as well.
    if (!note_class_read(vm, self, cls, name, found)) {
        return VALUE_FAIL;
    }
    return value_unbound(found) ? found : attr_bind(vm, found, self, cls);
}

Value attr_get_generic(Vm *vm, Value self, Str *name)
{
    Value found = find_generic(vm, self, name);
    return value_unbound(found) ? attr_missing(vm, self, name) : found;
}

// Only errors that somebody made in a __getattr__ or a property have yet to be
// told whose attribute was asked for; "Did you mean" needs it.
void attr_tell_missing(Vm *vm, Value self, Str *name)
{
    if (!raise_matches(vm, ERR_ATTRIBUTE) ||
        !value_unbound(vm->error_subject)) {
        return;
    }
    Value error = raise_take(vm);
    if (value_is_kind(error, KIND_EXCEPTION) &&
        !exception_set_missing(vm, value_as_exception(error), self, name)) {
        raise_clear(vm); // no memory: the error goes on without
    }
    raise_bare(vm, error);
}

// The slot is the class's own way: __getattr__, a module, a super object.
Value value_get_attr(Vm *vm, Value v, Str *name)
{
    Type *cls = type_of(vm, v);
    Value found = cls->slots.get_attr != NULL ? cls->slots.get_attr(vm, v, name)
                                              : attr_get_generic(vm, v, name);
    if (UNLIKELY(value_failed(found))) {
        attr_tell_missing(vm, v, name);
    }
    return found;
}

// Where nothing but the generic way has a say, no text is made of what is
// missing.
static Value find_attr(Vm *vm, Value v, Str *name)
{
    Type *cls = type_of(vm, v);
    Value found = cls->slots.get_attr != NULL ? cls->slots.get_attr(vm, v, name)
                                              : find_generic(vm, v, name);
    if (value_failed(found) && raise_matches(vm, ERR_ATTRIBUTE)) {
        raise_clear(vm);
        return VALUE_UNBOUND;
    }
    return found;
}

static Value has_attr(Vm *vm, Value v, Value name, int how)
{
    (void)how;
    Value found = find_attr(vm, v, value_as_str(name));
    release(vm, value_failed(found) ? VALUE_NONE : found);
    return value_failed(found) ? found : value_from_bool(!value_unbound(found));
}

// Other errors, of a property or a __getattr__, go through as VALUE_FAIL. Of
// what is undecided the question comes first: to look at it is to use it.
Value value_find_attr(Vm *vm, Value v, Str *name)
{
    if (LIKELY(!value_is_kind(v, KIND_OPAQUE)) || vm->trace == NULL) {
        return find_attr(vm, v, name);
    }
    Value there = ask_traced(vm, v, value_from_object(name), has_attr);
    bool known = value_is_bool(there);
    release(vm, value_failed(there) ? VALUE_NONE : there);
    return value_failed(there) || (!known && !note_question(vm, v)) ? VALUE_FAIL
           : value_same(there, VALUE_FALSE) ? VALUE_UNBOUND
                                            : find_attr(vm, v, name);
}

// False, always. A name that the class has, but that cannot be stored in the
// instance, is read-only; any other is missing.
static bool set_refused(Vm *vm, Value self, Str *name, bool in_class)
{
    // The class's name, not the instance's repr.
    const char *owner = type_name(type_of(vm, self));
    if (in_class) {
        return raise_false(vm, ERR_ATTRIBUTE,
                           "'%s' object attribute '%s' is read-only", owner,
                           name->text);
    }
    return attr_not_there(vm, self, name), false;
}

// The order is that of a look-up: a data descriptor of the class comes first.
bool attr_set_generic(Vm *vm, Value self, Str *name, Value value)
{
    Type *cls = type_of(vm, self);
    Value found = type_lookup(vm, cls, name);
    if (value_failed(found)) {
        return false;
    }
    if (attr_is_data_descriptor(found)) {
        return value_object(found)->type->slots.set_descriptor(vm, found, self,
                                                               value);
    }
    bool deleting = value_unbound(value);
    // Built-in objects have no room; the text differs where the class has the
    // name.
    if (!may_have_attributes(self)) {
        return set_refused(vm, self, name, !value_unbound(found));
    }
    Object *object = value_object(self);
    // Deleting what is only in the class is an error, too.
    if (deleting && value_unbound(instance_get(vm, object, name))) {
        return attr_not_there(vm, self, name), false;
    }
    return instance_set(vm, object, name, value);
}

bool value_set_attr(Vm *vm, Value v, Str *name, Value value)
{
    Type *cls = type_of(vm, v);
    return cls->slots.set_attr != NULL ? cls->slots.set_attr(vm, v, name, value)
                                       : attr_set_generic(vm, v, name, value);
}

Value value_find_method(Vm *vm, Value v, Str *name)
{
    Type *cls = type_of(vm, v);
    Value found = type_lookup(vm, cls, name);
    if (!note_method_read(vm, cls, name, found)) {
        return VALUE_FAIL;
    }
    return value_unbound(found) ? found : attr_bind(vm, found, v, cls);
}

// The slots of the built-in def, not of the class: a class's own __getattr__
// would come back here for ever.
Value attr_get_layout(Vm *vm, Value self, Str *name)
{
    const TypeSlots *slots = &type_of(vm, self)->def->slots;
    return slots->get_attr != NULL ? slots->get_attr(vm, self, name)
                                   : attr_get_generic(vm, self, name);
}

bool attr_set_layout(Vm *vm, Value self, Str *name, Value value)
{
    const TypeSlots *slots = &type_of(vm, self)->def->slots;
    return slots->set_attr != NULL ? slots->set_attr(vm, self, name, value)
                                   : attr_set_generic(vm, self, name, value);
}

enum { CALL_MAX_ARGS = 8 }; // what C code hands to a method

// The method may be replaced while it runs, so the callee is owned meanwhile.
Value value_call_method(Vm *vm, Value v, Str *name, const Value *args,
                        uint32_t count)
{
    Value callee;
    int kind = attr_load_method(vm, v, name, NULL, &callee);
    if (kind < 0) {
        return VALUE_FAIL;
    }
    Value result;
    if (kind == 1 && count < CALL_MAX_ARGS) {
        Value all[CALL_MAX_ARGS];
        all[0] = v;
        memcpy(all + 1, args, count * sizeof *args);
        result = vm_call(vm, callee, all, count + 1);
    } else if (kind == 1) {
        Value bound = attr_bind(vm, callee, v, type_of(vm, v));
        result = value_failed(bound) ? bound : vm_call(vm, bound, args, count);
        release(vm, bound);
    } else {
        result = vm_call(vm, callee, args, count);
    }
    release(vm, callee);
    return result;
}

// A trace has to see the read, so it never comes this way.
Value attr_of_module(const Vm *vm, Value self, Str *name, uint64_t number)
{
    if (vm->trace != NULL || !value_is_object(self) ||
        value_object(self)->type != vm->types[KIND_MODULE]) {
        return VALUE_UNBOUND;
    }
    // Names are interned, so that a key is the name or another one.
    const Dict *dict = ((Module *)value_object(self))->dict;
    bool same = dict != NULL && number < dict->used &&
                value_same(dict->entries[number].key, str_value(name));
    return same ? dict->entries[number].value : VALUE_UNBOUND;
}

// The number for attr_of_module; -1: the look-up takes more than the dict, as
// where the type has a data descriptor under the name.
static int64_t module_entry(Vm *vm, Value self, Str *name)
{
    if (vm->trace != NULL || !value_is_object(self) ||
        value_object(self)->type != vm->types[KIND_MODULE]) {
        return -1;
    }
    Dict *dict = ((Module *)value_object(self))->dict;
    Value found = type_lookup(vm, vm->types[KIND_MODULE], name);
    if (value_failed(found)) {
        raise_clear(vm); // whoever reads it in the general way is told
    }
    return dict == NULL || value_failed(found) || attr_is_data_descriptor(found)
               ? -1
               : dict_find_name(dict, name);
}

// An instance in shape mode whose class leaves look-up to attr_get_generic.
static Instance *plain_instance(Value self, bool storing)
{
    if (!value_is_kind(self, KIND_INSTANCE)) {
        return NULL;
    }
    Instance *instance = (Instance *)value_object(self);
    const TypeSlots *slots = &instance->head.type->slots;
    // A slot here means __getattr__ or the like, which a cache would pass over.
    bool own_code = storing ? slots->set_attr != NULL : slots->get_attr != NULL;
    return own_code || instance->shape == NULL ? NULL : instance;
}

int32_t attr_slot(Vm *vm, const Instance *instance, Str *name)
{
    Value found = type_lookup(vm, instance->head.type, name);
    if (value_is_kind(found, KIND_MEMBER)) {
        return member_slot(found, instance->head.type);
    }
    return attr_reads_first(found) ? -1
                                   : object_shape_find(instance->shape, name);
}

// The miss of GETATTR: fills the cache if it may, then answers.
Value attr_load(Vm *vm, Value self, Str *name, AttrCache *cache)
{
    Instance *instance = plain_instance(self, false);
    // A trace must see each read, so nothing is cached while one runs.
    if (instance != NULL && cache != NULL && vm->trace == NULL) {
        int32_t slot = attr_slot(vm, instance, name);
        if (slot >= 0 && !value_unbound(instance->slots[slot])) {
            cache->shape = instance->shape;
            cache->slot = (uint32_t)slot;
            cache->epoch = (uint32_t)vm->epoch;
            return value_retain(instance->slots[slot]);
        }
    }
    int64_t number = cache == NULL ? -1 : module_entry(vm, self, name);
    if (number >= 0) {
        cache->shape = (const ObjectShape *)((char *)value_object(self) + 1);
        cache->slot = (uint32_t)number;
    }
    return value_get_attr(vm, self, name);
}

// The miss of SETATTR. Storing may add the attribute and so change the shape;
// what is cached is that one step from shape to shape.
bool attr_store(Vm *vm, Value self, Str *name, Value value, StoreCache *cache)
{
    Instance *instance = plain_instance(self, true);
    ObjectShape *before = instance == NULL ? NULL : instance->shape;
    // Asked before the store: what a descriptor's code does must not be taken
    // for a plain attribute.
    Value found = before == NULL ? VALUE_UNBOUND
                                 : type_lookup(vm, instance->head.type, name);
    bool plain = before != NULL && cache != NULL && !value_unbound(value) &&
                 (!attr_is_data_descriptor(found) ||
                  member_slot(found, instance->head.type) >= 0);
    if (!value_set_attr(vm, self, name, value)) {
        return false;
    }
    if (plain && instance->shape != NULL) {
        int32_t slot = attr_slot(vm, instance, name);
        // A __setattr__ cannot come in between (plain_instance), but the store
        // may have left shape mode or taken more than one step.
        bool one_step =
            instance->shape == before || instance->shape->parent == before;
        if (slot >= 0 && one_step) {
            *cache = (StoreCache){before, instance->shape, (uint32_t)slot,
                                  (uint32_t)vm->epoch};
        }
    }
    return true;
}

// cls.name(…) without a bound method, where the metaclass is type and has no
// say: as attr_load_method, but -2 if it takes the general way.
static int load_of_class(Vm *vm, Value self, Str *name, Value *callee)
{
    Type *cls = (Type *)value_object(self);
    if (cls->head.type != vm->types[KIND_TYPE] || name->text[0] == '_' ||
        vm->trace != NULL) {
        return -2;
    }
    Value found = type_lookup(vm, cls, name);
    Value of_class = descriptor_wrapped(vm, found, KIND_CLASSMETHOD);
    Value alone = value_is_kind(found, KIND_FUNCTION)
                      ? found
                      : descriptor_wrapped(vm, found, KIND_STATICMETHOD);
    if (value_unbound(of_class) && value_unbound(alone)) {
        return value_failed(found) ? -1 : -2;
    }
    bool bound = value_unbound(alone);
    *callee = value_retain(bound ? of_class : alone);
    return bound;
}

// The miss of LOADM. Only a function of the class that no attribute of the
// instance hides can do without a bound method.
int attr_load_method(Vm *vm, Value self, Str *name, MethodCache *cache,
                     Value *callee)
{
    Type *cls = type_of(vm, self);
    Value found = VALUE_UNBOUND;
    int state = value_is_kind(self, KIND_TYPE)
                    ? load_of_class(vm, self, name, callee)
                    : -2;
    if (state != -2) {
        return state;
    }
    if (cls->slots.get_attr == NULL) {
        found = type_lookup(vm, cls, name);
    }
    if (UNLIKELY(value_failed(found))) {
        return -1;
    }
    // An attribute of the instance goes before a plain function of the class.
    bool hidden = !value_unbound(found) && may_have_attributes(self) &&
                  !value_unbound(instance_get(vm, value_object(self), name));
    Value alone = hidden ? VALUE_UNBOUND
                         : descriptor_wrapped(vm, found, KIND_STATICMETHOD);
    bool method = !value_unbound(found) && !hidden && binds(found);
    if ((method || !value_unbound(alone)) &&
        !note_class_read(vm, self, cls, name, found)) {
        return -1;
    }
    if (!value_unbound(alone)) {
        *callee = value_retain(alone);
        return 0;
    }
    if (!method) {
        int64_t number = cache == NULL ? -1 : module_entry(vm, self, name);
        if (number >= 0) {
            *cache = (MethodCache){NULL, value_object(self), (uint64_t)number};
        }
        // A call of a method does not tell the error of a property whose
        // attribute it is.
        *callee = cls->slots.get_attr == NULL ? attr_get_generic(vm, self, name)
                                              : value_get_attr(vm, self, name);
        return value_failed(*callee) ? -1 : 0;
    }
    // NULL where the instance may get such an attribute without a new key.
    const void *key = attr_method_key(vm, self);
    if (cache != NULL && key != NULL) {
        *cache = (MethodCache){key, value_object(found), vm->epoch};
    }
    *callee = value_retain(found);
    return 1;
}
