// The type object: what every instance of a class can do.
//
// Invariant: an instance has a shape or, in dict mode, a dict (obj_instance.h).
#include "interp/core/weakref.h"
#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/class_slot_names.h"
#include "interp/objects/classes/names.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/numbers/obj_int.h"

// How many of its slots hold something: in dict mode those of __slots__ alone.
static uint32_t slots_in_use(const Instance *self)
{
    return self->shape != NULL ? self->shape->count : self->slot_capacity;
}

// In dict mode (shape NULL) the dict shares its place with the inline slots;
// see obj_instance.h.
static void instance_destroy(Vm *vm, Object *object)
{
    Instance *self = (Instance *)object;
    for (uint32_t i = 0, n = slots_in_use(self); i < n; i++) {
        release(vm, self->slots[i]);
    }
    if (self->shape == NULL) {
        object_release_null(&vm->ctx, self->dict);
    }
    if (self->slots != self->inline_slots && self->slots != NULL) {
        ctx_free(&vm->ctx, self->slots, self->slot_capacity * sizeof(Value));
    }
    object_free(vm, self, sizeof *self);
}

// Reports each owned reference once; the shape is the class's, not the
// instance's.
static void instance_visit(Object *object, void (*visit)(Object *, void *),
                           void *data)
{
    Instance *self = (Instance *)object;
    if (self->shape == NULL && self->dict != NULL) {
        visit(&self->dict->head, data);
    }
    for (uint32_t i = 0, n = slots_in_use(self); i < n; i++) {
        if (value_is_object(self->slots[i])) {
            visit(value_object(self->slots[i]), data);
        }
    }
}

// Slots become UNBOUND rather than vanish: the shape stays, and a destructor
// that reads an attribute finds it missing.
static void instance_clear(Vm *vm, Object *object)
{
    Instance *self = (Instance *)object;
    if (self->shape == NULL) {
        Dict *dict = self->dict;
        self->dict = NULL;
        object_release_null(&vm->ctx, dict);
    }
    for (uint32_t i = 0, n = slots_in_use(self); i < n; i++) {
        value_replace(&vm->ctx, &self->slots[i], VALUE_UNBOUND);
    }
}

static bool has_arguments(Tuple *args, Dict *keywords)
{
    return args->count > 0 || (keywords != NULL && keywords->count > 0);
}

// Surplus arguments are an error only if neither __new__ nor __init__ is
// overridden to take them.
static Value object_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (has_arguments(args, keywords)) {
        if (cls->slots.make != vm->object_type->slots.make) {
            return raise_error(vm, ERR_TYPE,
                               "object.__new__() takes exactly one argument "
                               "(the type to instantiate)");
        }
        if (cls->slots.init == vm->object_type->slots.init) {
            return raise_error(vm, ERR_TYPE, "%s() takes no arguments",
                               type_name(cls));
        }
    }
    if (cls->flags & TYPE_ABSTRACT) {
        return class_refuse_abstract(vm, cls);
    }
    return value_or_fail(instance_new(vm, cls));
}

// The counterpart: arguments are let through if __new__ has its own use for
// them.
static bool object_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    Type *cls = type_of(vm, self);
    if (!has_arguments(args, keywords)) {
        return true;
    }
    // It was called by way of super() with arguments left over.
    if (cls->slots.init != vm->object_type->slots.init) {
        return raise_false(vm, ERR_TYPE,
                           "object.__init__() takes exactly one argument "
                           "(the instance to initialize)");
    }
    if (cls->slots.make == vm->object_type->slots.make) {
        return raise_false(vm, ERR_TYPE,
                           "%s.__init__() takes exactly one argument (the "
                           "instance to initialize)",
                           type_name(cls));
    }
    return true;
}

// With the address; the only text here that differs from run to run.
static Value object_repr(Vm *vm, Value self)
{
    Type *cls = type_of(vm, self);
    const char *dot;
    const char *module = type_module_prefix(vm, cls, &dot);
    return value_or_fail(str_printf(vm, "<%s%s%s object at %p>", module, dot,
                                    cls->qualname->text,
                                    (void *)value_object(self)));
}

// The nearest built-in base decides how the instance is laid out. args[1] and
// args[2] are *args and **kwargs.
static Value make_native(Vm *vm, Value *args)
{
    Type *cls = (Type *)value_object(args[0]), *layout = type_native(cls);
    // What only the machine makes: functions, code, tracebacks.
    if (layout->slots.make == NULL ||
        (layout != vm->object_type && layout->slots.make == object_make)) {
        return raise_error(vm, ERR_TYPE,
                           "object.__new__(%s) is not safe, use %s.__new__()",
                           type_name(layout), type_name(layout));
    }
    // type(x) is the call's affair alone, though it comes to the same slot.
    if (cls == vm->types[KIND_TYPE] && value_as_tuple(args[1])->count != 3) {
        return raise_error(vm, ERR_TYPE,
                           "type.__new__() takes exactly 3 arguments "
                           "(%zu given)",
                           value_as_tuple(args[1])->count);
    }
    return layout->slots.make(vm, cls, value_as_tuple(args[1]),
                              value_as_dict(args[2]));
}

const NativeDef object_make_row = {"__new__", "cls, /, *args, **kwargs",
                                   make_native,
                                   "Make an instance without initialising it."};

// What super().__setattr__ ends in: it stores past any __setattr__ of the
// class, hence attr_set_layout. Deletion is storing UNBOUND.
static Value object_setattr(Vm *vm, Value *args)
{
    Str *name = attr_name(vm, args[1]);
    bool done = name != NULL && attr_set_layout(vm, args[0], name, args[2]);
    object_release_null(&vm->ctx, name);
    return value_done(done);
}

static Value object_delattr(Vm *vm, Value *args)
{
    Value all[3] = {args[0], args[1], VALUE_UNBOUND};
    return object_setattr(vm, all);
}

// As object_setattr: past any __getattribute__ of the class.
static Value object_getattribute(Vm *vm, Value *args)
{
    Str *name = attr_name(vm, args[1]);
    Value found =
        name == NULL ? VALUE_FAIL : attr_get_layout(vm, args[0], name);
    object_release_null(&vm->ctx, name);
    return found;
}

static Value object_repr_native(Vm *vm, Value *args)
{
    return object_repr(vm, args[0]);
}

// str() without a __str__ is repr(), which may be overridden.
static Value object_str(Vm *vm, Value *args)
{
    return value_or_fail(value_repr(vm, args[0]));
}

// Only an empty specification: what others mean is for each type to say.
static Value object_format(Vm *vm, Value *args)
{
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "__format__() argument must be str, not %s",
                           type_name_given(vm, args[1]));
    }
    if (value_as_str(args[1])->length > 0) {
        return raise_error(vm, ERR_TYPE,
                           "unsupported format string passed to %s.__format__",
                           type_name(type_of(vm, args[0])));
    }
    return value_or_fail(value_str(vm, args[0]));
}

static Value object_hash(Vm *vm, Value *args)
{
    return int_from_i64(vm, (int64_t)value_identity_hash(args[0]));
}

// NotImplemented rather than False, so that the other operand is asked too.
static Value object_eq(Vm *vm, Value *args)
{
    (void)vm;
    return value_same(args[0], args[1]) ? VALUE_TRUE : VALUE_NOT_IMPLEMENTED;
}

static Value object_ne(Vm *vm, Value *args)
{
    Value answer =
        value_call_method(vm, args[0], vm->names[NAME_EQ], args + 1, 1);
    if (value_failed(answer) || value_same(answer, VALUE_NOT_IMPLEMENTED)) {
        return answer;
    }
    int truth = value_truth(vm, answer);
    release(vm, answer);
    return truth < 0 ? VALUE_FAIL : value_from_bool(!truth);
}

// The four orderings stand in the table so that super().__lt__ finds something.
static Value object_unordered(Vm *vm, Value *args)
{
    (void)vm, (void)args;
    return VALUE_NOT_IMPLEMENTED;
}

// The names that dir() would list without a __dir__ of the class.
static Value object_dir(Vm *vm, Value *args)
{
    return names_of(vm, args[0]);
}

// The bytes of the fixed part; what it points to is not counted.
static Value object_sizeof(Vm *vm, Value *args)
{
    return value_from_small(type_of(vm, args[0])->def->size);
}

// Does nothing but refuse the keywords that no class in between has taken; it
// names the new class, hence not by its parameters.
static Value object_init_subclass(Vm *vm, Value *args)
{
    if (value_as_dict(args[1])->count == 0) {
        return VALUE_NONE;
    }
    return raise_error(vm, ERR_TYPE,
                       "%s.__init_subclass__() takes no keyword arguments",
                       ((Type *)value_object(args[0]))->qualname->text);
}

static Value object_subclass_hook(Vm *vm, Value *args)
{
    (void)vm, (void)args;
    return VALUE_NOT_IMPLEMENTED;
}

const NativeDef object_access_rows[] = {
    {"__getattribute__", "self, name, /", object_getattribute,
     "Look an attribute up."},
    {"__setattr__", "self, name, value, /", object_setattr,
     "Store an attribute."},
    {"__delattr__", "self, name, /", object_delattr, "Delete an attribute."}};

static const NativeDef object_slot_methods[] = {
    {"__repr__", "self, /", object_repr_native, "Return repr(self)."},
    {"__str__", "self, /", object_str, "Return str(self)."},
    {"__hash__", "self, /", object_hash, "A hash of its identity."},
    {"__eq__", "self, value, /", object_eq, "Return self is value."},
    {"__ne__", "self, value, /", object_ne, "Return not self == value."},
    {"__lt__", "self, value, /", object_unordered, "Return self<value."},
    {"__le__", "self, value, /", object_unordered, "Return self<=value."},
    {"__gt__", "self, value, /", object_unordered, "Return self>value."},
    {"__ge__", "self, value, /", object_unordered, "Return self>=value."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef object_methods[] = {
    {"__format__", "self, format_spec, /", object_format,
     "Return str(self); only the empty form is known."},
    {"__dir__", "self, /", object_dir, "The names of its attributes."},
    {"__sizeof__", "self, /", object_sizeof, "Its size in bytes."},
    {"__reduce__", "self, /", object_reduce, "How it is made again."},
    {"__reduce_ex__", "self, protocol, /", object_reduce_ex,
     "How it is made again: a function, its arguments, the state."},
    {"__getstate__", "self, /", object_getstate, "Its attributes."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef object_statics[] = {
    {"__new__", "cls, /, *args, **kwargs", make_native,
     "Make an instance without initialising it."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef object_class_methods[] = {
    {"__init_subclass__", "cls, /, **kwargs", object_init_subclass,
     "Called when the class is subclassed."},
    {"__subclasshook__", "cls, subclass, /", object_subclass_hook,
     "What abstract classes ask; NotImplemented means: look at the bases."},
    {NULL, NULL, NULL, NULL}};

// The class as a member, so that it can be read through any object.
static Value object_class(Vm *vm, Value self)
{
    return type_asked(vm, self);
}

// Shapes belong to a class: attributes move to a dict, and what has only slots
// takes the shape that these have in the other class.
static bool leave_shapes(Vm *vm, Object *object, Type *to)
{
    if (object->type->flags & TYPE_HAS_DICT) {
        return instance_dict(vm, object) != NULL;
    }
    if (object->kind == KIND_INSTANCE) {
        ObjectShape *shape = instance_first_shape(vm, to);
        if (shape == NULL) {
            return false;
        }
        ((Instance *)object)->shape = shape;
    }
    return true;
}

static bool object_set_class(Vm *vm, Value self, Value value)
{
    Type *from = type_of(vm, self);
    if (!value_is_kind(value, KIND_TYPE)) {
        return value_unbound(value)
                   ? raise_false(vm, ERR_TYPE,
                                 "can't delete __class__ attribute")
                   : raise_false(vm, ERR_TYPE,
                                 "__class__ must be set to a class, not '%s' "
                                 "object",
                                 type_name(type_of(vm, value)));
    }
    Type *to = (Type *)value_object(value);
    // Both must be classes of the program: C code relies on the layout of the
    // others. A module may go over to a class that extends modules.
    if ((from->flags & to->flags & TYPE_HEAP) == 0 &&
        (from->kind != KIND_MODULE || to->kind != KIND_MODULE)) {
        return raise_false(vm, ERR_TYPE,
                           "__class__ assignment only supported for mutable "
                           "types or ModuleType subclasses");
    }
    if (!class_check_layout(vm, from, to, "__class__")) {
        return false;
    }
    // The attributes leave the old class's shapes for a dict.
    Object *object = value_object(self);
    if (!note_store(vm, object, value) || !leave_shapes(vm, object, to)) {
        return false;
    }
    object->type = to;
    to->head.rc += (to->flags & TYPE_HEAP) != 0;
    if (from->flags & TYPE_HEAP) {
        object_release(&vm->ctx, from);
    }
    vm->epoch++; // caches go by shape and type
    return true;
}

// The dict itself becomes the instance's: both names mean one.
static bool object_set_dict(Vm *vm, Value self, Value value)
{
    if (instance_dict(vm, value_object(self)) == NULL) {
        return false;
    }
    Object *object = value_object(self);
    Dict *dict;
    if (value_unbound(value)) {
        dict = dict_new(vm); // what del leaves
    } else if (!value_is_kind(value, KIND_DICT)) {
        return raise_false(vm, ERR_TYPE,
                           "__dict__ must be set to a dictionary, not a '%s'",
                           type_name(type_of(vm, value)));
    } else {
        dict = object_retain(value_object(value));
    }
    if (dict == NULL || !note_store(vm, object, value)) {
        object_release_null(&vm->ctx, dict);
        return false;
    }
    Dict **place = object->kind == KIND_INSTANCE ? &((Instance *)object)->dict
                                                 : instance_dict_place(object);
    Dict *old = *place;
    *place = dict;
    vm->epoch++;
    object_release(&vm->ctx, old);
    return true;
}

static bool all_decided(Vm *vm, const Dict *attributes)
{
    Value name, held;
    uint32_t position = 0;
    while (dict_next(attributes, &position, &name, &held)) {
        if (!note_question(vm, held)) {
            return false;
        }
    }
    return true;
}

// Reading __dict__ turns an instance into dict mode for good (instance_dict).
static Value object_dict(Vm *vm, Value self)
{
    Dict *dict = instance_dict(vm, value_object(self));
    if (dict == NULL) {
        return VALUE_FAIL;
    }
    // Whoever reads it may read any attribute.
    Value held = value_from_object(dict);
    return note_read(vm, value_object(self), str_value(vm->names[NAME_DICT]),
                     held) &&
                   (vm->trace == NULL || all_decided(vm, dict))
               ? value_retain(held)
               : VALUE_FAIL;
}

// The newest of the object's weak references; None without any.
static Value object_weakref(Vm *vm, Value self)
{
    WeakRef *first = NULL;
    (void)weakref_count(vm, value_object(self), &first);
    return first == NULL ? VALUE_NONE : value_retain(value_from_object(first));
}

const MemberDef object_dict_member = {
    "__dict__", object_dict, object_set_dict,
    "dictionary for instance variables (if defined)"};
const MemberDef object_weakref_member = {
    "__weakref__", object_weakref, NULL,
    "list of weak references to the object (if defined)"};

static const MemberDef object_members[] = {
    {"__class__", object_class, object_set_class, "The object's class."},
    {NULL, NULL, NULL, NULL}};

const TypeDef object_type_def = {.name = "object",
                                 .doc = "The base of all classes.",
                                 .params = "",
                                 .kind = KIND_INSTANCE,
                                 .size = sizeof(Instance),
                                 .flags = TYPE_TRACKED,
                                 .slots = {.destroy = instance_destroy,
                                           .visit = instance_visit,
                                           .clear = instance_clear,
                                           .make = object_make,
                                           .init = object_init,
                                           .repr = object_repr},
                                 .slot_methods = object_slot_methods,
                                 .methods = object_methods,
                                 .class_methods = object_class_methods,
                                 .static_methods = object_statics,
                                 .members = object_members};
