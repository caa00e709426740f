// What a program reads, sets and calls on a class: __name__, __mro__, mro() …
// The class itself is obj_type.c's.
#include "interp/objects/classes/type_members.h"

#include <string.h>

#include "interp/hooks/note.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_proxy.h"

#define TYPE_MEMBER(field)                                                     \
    static Value type_get_##field(Vm *vm, Value self)                          \
    {                                                                          \
        (void)vm;                                                              \
        return value_retain(                                                   \
            value_from_object(((Type *)value_object(self))->field));           \
    }
TYPE_MEMBER(qualname)
TYPE_MEMBER(bases)

// None while mro() of the metaclass is asked for it the first time.
static Value type_get_mro(Vm *vm, Value self)
{
    (void)vm;
    Tuple *mro = ((Type *)value_object(self))->mro;
    return mro->count == 0 ? VALUE_NONE : value_retain(value_from_object(mro));
}

// The name of a built-in type may have its module in front, for messages.
static Value type_get_name(Vm *vm, Value self)
{
    (void)vm;
    const Type *cls = (Type *)value_object(self);
    Str *name = cls->flags & TYPE_HEAP ? cls->name : cls->qualname;
    return value_retain(str_value(name));
}

// A view: the dict itself may only be changed through type_set_attr.
static Value type_get_dict(Vm *vm, Value self)
{
    Type *cls = (Type *)value_object(self);
    Dict *dict = type_dict(vm, cls);
    // Whoever has it may read any attribute.
    return dict == NULL || ((cls->flags & TYPE_HEAP) &&
                            !note_read(vm, dict, VALUE_UNBOUND, self))
               ? VALUE_FAIL
               : proxy_new(vm, value_from_object(dict));
}

static Value type_get_base(Vm *vm, Value self)
{
    (void)vm;
    Type *base = ((Type *)value_object(self))->base;
    return base == NULL ? VALUE_NONE : value_retain(value_from_object(base));
}

// A class has it in its dict; a built-in type in its definition.
static Value type_get_module(Vm *vm, Value self)
{
    Type *cls = (Type *)value_object(self);
    Value found = type_lookup(vm, cls, vm->names[NAME_MODULE]);
    if (value_is_str(found) || value_failed(found)) {
        return value_retain(found);
    }
    // In a definition, or in front of the name: "itertools.chain".
    const char *module = cls->def->module, *name = type_name(cls);
    const char *dot = module == NULL ? strrchr(name, '.') : NULL;
    return value_or_fail(
        dot != NULL ? str_new(vm, name, (size_t)(dot - name))
                    : str_from(vm, module == NULL ? "builtins" : module));
}

// Shared by __name__ and __qualname__, which stand in the Type itself and not
// in its dict; only classes made by programs can be renamed.
static bool rename_class(Vm *vm, Value self, Str **place, Value value,
                         const char *what)
{
    Type *cls = (Type *)value_object(self);
    if (!(cls->flags & TYPE_HEAP)) {
        return raise_false(vm, ERR_TYPE,
                           "cannot set '%s' attribute of immutable type '%s'",
                           what, type_name(cls));
    }
    if (!value_is_str(value)) {
        return raise_false(vm, ERR_TYPE,
                           "can only assign string to %s.%s, not '%s'",
                           type_name(cls), what, type_name(type_of(vm, value)));
    }
    const Str *text = value_as_str(value);
    if (place == &cls->name && strlen(text->text) != text->length) {
        return raise_false(vm, ERR_VALUE,
                           "type name must not contain null characters");
    }
    if (!note_store(vm, cls, value)) {
        return false;
    }
    Str *old = *place;
    *place = object_retain(value_as_str(value));
    object_release(&vm->ctx, old);
    return true;
}

// Does not rename what instances show of themselves: they ask the class.
static bool type_set_name(Vm *vm, Value self, Value value)
{
    return rename_class(vm, self, &((Type *)value_object(self))->name, value,
                        "__name__");
}

static bool type_set_qualname(Vm *vm, Value self, Value value)
{
    return rename_class(vm, self, &((Type *)value_object(self))->qualname,
                        value, "__qualname__");
}

// An entry of the dict like any other, which caches of look-ups may hold.
static bool type_set_module(Vm *vm, Value self, Value value)
{
    Type *cls = (Type *)value_object(self);
    vm->epoch++;
    if (value_unbound(value)) {
        return raise_false(vm, ERR_TYPE,
                           "cannot delete '__module__' attribute of "
                           "immutable type '%s'",
                           type_name(cls));
    }
    return (cls->flags & TYPE_HEAP) != 0
               ? dict_set_name(vm, cls->dict, vm->names[NAME_MODULE], value)
               : raise_false(vm, ERR_TYPE,
                             "cannot set '__module__' attribute of immutable "
                             "type '%s'",
                             type_name(cls));
}

// The list owns its items, while a class only borrows its subclasses, so that a
// class that nobody uses can die.
static Value type_subclasses(Vm *vm, Value *args)
{
    Type *cls = (Type *)value_object(args[0]);
    List *list = list_new(vm, cls->subclass_count);
    for (uint32_t i = 0; list != NULL && i < cls->subclass_count; i++) {
        // The list was made with room for all; their number cannot change
        // meanwhile.
        list->items[i] = value_retain(value_from_object(cls->subclasses[i]));
    }
    return value_or_fail(list);
}

static Value type_mro_list(Vm *vm, Value *args)
{
    Type *cls = (Type *)value_object(args[0]);
    // Anew: a metaclass that overrides it builds on this.
    Tuple *mro = class_linearize(vm, cls, cls->bases);
    List *list = mro == NULL ? NULL : list_new(vm, mro->count);
    for (size_t i = 0; list != NULL && i < mro->count; i++) {
        list->items[i] = value_retain(mro->items[i]);
    }
    object_release_null(&vm->ctx, mro);
    return value_or_fail(list);
}

// For metaclasses that override it and call super().
static Value type_instance_check(Vm *vm, Value *args)
{
    int found = class_is_instance(vm, args[1], args[0]);
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}

static Value type_subclass_check(Vm *vm, Value *args)
{
    int found = class_is_subclass(vm, args[1], args[0]);
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}

static bool type_set_bases(Vm *vm, Value self, Value value)
{
    return class_set_bases(vm, (Type *)value_object(self), value);
}

const NativeDef type_methods[] = {
    {"__subclasses__", "self, /", type_subclasses,
     "The classes that name this one among their bases."},
    {"mro", "self, /", type_mro_list, "The classes that look-up walks."},
    {"__instancecheck__", "self, instance, /", type_instance_check,
     "What isinstance asks."},
    {"__subclasscheck__", "self, subclass, /", type_subclass_check,
     "What issubclass asks."},
    {NULL, NULL, NULL, NULL}};

// A metaclass's own says what the names of a class body go into.
static Value type_prepare(Vm *vm, Value *args)
{
    (void)args;
    return value_or_fail(dict_new(vm));
}

const NativeDef type_class_methods[] = {
    {"__prepare__", "cls, /, *args, **kwargs", type_prepare,
     "What the body of a class fills: a dict."},
    {NULL, NULL, NULL, NULL}};

const MemberDef type_members[] = {
    {"__name__", type_get_name, type_set_name, "The class's name."},
    {"__qualname__", type_get_qualname, type_set_qualname,
     "Its name with those of what encloses it."},
    {"__module__", type_get_module, type_set_module, "Where it was made."},
    {"__bases__", type_get_bases, type_set_bases, "Its base classes."},
    {"__base__", type_get_base, NULL, "The base that decides the layout."},
    {"__mro__", type_get_mro, NULL, "The classes that look-up walks."},
    {"__abstractmethods__", class_get_abstract, class_set_abstract,
     "The names of methods that a subclass must define."},
    {"__dict__", type_get_dict, NULL, "A view on its attributes."},
    {NULL, NULL, NULL, NULL}};
