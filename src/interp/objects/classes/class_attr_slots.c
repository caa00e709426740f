// Slots of classes written in Duet: attributes (__getattr__, __setattr__ …) and
// descriptors (__get__, __set__, __delete__).
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_slots.h"

// __getattribute__ first, then __getattr__ if that gave AttributeError. An
// AttributeError of __getattribute__ is dropped if __getattr__ takes over.
static Value user_get_attr(Vm *vm, Value self, Str *name)
{
    Type *cls = type_of(vm, self);
    Value key = value_from_object(name);
    Value own = type_lookup(vm, cls, vm->names[NAME_GETATTRIBUTE]);
    Value result = value_is_kind(own, KIND_FUNCTION)
                       ? class_call(vm, self, NAME_GETATTRIBUTE, &key, 1)
                       : attr_get_layout(vm, self, name);
    Value fallback = type_lookup(vm, cls, vm->names[NAME_GETATTR]);
    if (!value_failed(result) || value_unbound(fallback) ||
        !raise_matches(vm, ERR_ATTRIBUTE)) {
        return result;
    }
    raise_clear(vm);
    return class_call(vm, self, NAME_GETATTR, &key, 1);
}

// A class may define __setattr__ alone or __delattr__ alone; the layout does
// the other. Nothing is stored by itself: the method has to do it, by super()
// or object.
static bool user_set_attr(Vm *vm, Value self, Str *name, Value value)
{
    Value args[2] = {value_from_object(name), value};
    bool deleting = value_unbound(value);
    NameId id = deleting ? NAME_DELATTR : NAME_SETATTR;
    Value found = type_lookup(vm, type_of(vm, self), vm->names[id]);
    if (!value_is_kind(found, KIND_FUNCTION)) {
        return attr_set_layout(vm, self, name, value);
    }
    Value result = class_call(vm, self, id, args, deleting ? 1 : 2);
    if (value_failed(result)) {
        return false;
    }
    release(vm, result);
    return true;
}

// __get__ of a descriptor written in Duet; None stands for no instance. Without
// __get__ the descriptor is its own value. What the class has under that name
// is called as it stands: binding it would ask for its own __get__, and for
// ever where a descriptor is its class's __get__.
static Value user_get_descriptor(Vm *vm, Value self, Value instance,
                                 Type *owner)
{
    Value found = type_lookup(vm, type_of(vm, self), vm->names[NAME_GET]);
    if (value_unbound(found)) {
        return value_retain(self);
    }
    Value args[3] = {self, value_unbound(instance) ? VALUE_NONE : instance,
                     value_from_object(owner)};
    value_retain(found);
    Value result = vm_call(vm, found, args, 3);
    release(vm, found);
    return result;
}

// __set__ or __delete__; the one that is missing is named in an AttributeError.
static bool user_set_descriptor(Vm *vm, Value self, Value instance, Value value)
{
    Value args[2] = {instance, value};
    bool deleting = value_unbound(value);
    Value result = deleting ? class_call(vm, self, NAME_DELETE, args, 1)
                            : class_call(vm, self, NAME_SET, args, 2);
    if (value_unbound(result)) {
        return raise_false(vm, ERR_ATTRIBUTE, "%s",
                           deleting ? "__delete__" : "__set__");
    }
    if (value_failed(result)) {
        return false;
    }
    release(vm, result);
    return true;
}

// The flag tells the machine's caches that look-ups are not plain.
void class_set_attribute_slots(Vm *vm, Type *cls)
{
    cls->flags &= ~(uint32_t)TYPE_USER_GET_ATTR;
    if (class_defines(vm, cls, NAME_GETATTR) ||
        class_defines(vm, cls, NAME_GETATTRIBUTE)) {
        cls->slots.get_attr = user_get_attr;
        cls->flags |= TYPE_USER_GET_ATTR;
    }
    if (class_defines(vm, cls, NAME_SETATTR) ||
        class_defines(vm, cls, NAME_DELATTR)) {
        cls->slots.set_attr = user_set_attr;
    }
}

// One with __set__ goes before the instance's own attributes.
void class_set_descriptor_slots(Vm *vm, Type *cls)
{
    if (class_defines(vm, cls, NAME_GET)) {
        cls->slots.get_descriptor = user_get_descriptor;
    }
    if (class_defines(vm, cls, NAME_SET) ||
        class_defines(vm, cls, NAME_DELETE)) {
        cls->slots.set_descriptor = user_set_descriptor;
    }
}
