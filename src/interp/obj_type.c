// object, type, and the types of None, Ellipsis and NotImplemented.
//
// Invariant: a class is changed through type_set_attr alone, which updates
// its slots and bumps the epoch.
#include "interp/attr.h"
#include "interp/builtins.h"
#include "interp/class_new.h"
#include "interp/init.h"
#include "interp/note.h"
#include "interp/obj_int.h"

// object

// In dict mode (shape NULL) the dict shares its place with the inline slots;
// see obj_instance.h.
static void instance_destroy(Vm *vm, Object *object)
{
    Instance *self = (Instance *)object;
    if (self->shape == NULL) {
        object_release_null(&vm->ctx, self->dict);
    } else {
        for (uint32_t i = 0; i < self->shape->count; i++) {
            release(vm, self->slots[i]);
        }
        // More attributes than fit inside the object.
        if (self->slots != self->inline_slots) {
            ctx_free(&vm->ctx, self->slots,
                     self->slot_capacity * sizeof(Value));
        }
    }
    object_free(vm, self, sizeof *self);
}

// Reports each owned reference once; the shape is the class's, not the
// instance's.
static void instance_visit(Object *object, void (*visit)(Object *, void *),
                           void *data)
{
    Instance *self = (Instance *)object;
    if (self->shape == NULL) {
        if (self->dict != NULL) {
            visit(&self->dict->head, data);
        }
        return;
    }
    for (uint32_t i = 0; i < self->shape->count; i++) {
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
        return;
    }
    for (uint32_t i = 0; i < self->shape->count; i++) {
        value_replace(&vm->ctx, &self->slots[i], VALUE_UNBOUND);
    }
}

// Whether a call gave anything that object has no use for.
static bool has_arguments(Tuple *args, Dict *keywords)
{
    return args->count > 0 || (keywords != NULL && keywords->count > 0);
}

// Surplus arguments are an error only if neither __new__ nor __init__ is
// overridden to take them: the rule of CPython's object_new.
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
    // The attributes come in __init__.
    Instance *self = instance_new(vm, cls);
    return self == NULL ? VALUE_FAIL : value_from_object(self);
}

// The counterpart, CPython's object_init: arguments are let through if __new__
// has its own use for them.
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

// "module" and "." for a class with a __module__, two empty texts otherwise.
// Both are borrowed.
static const char *module_prefix(Vm *vm, Type *cls, const char **dot)
{
    Value module = type_lookup(vm, cls, vm->names[NAME_MODULE]);
    *dot = value_is_str(module) ? "." : "";
    return value_is_str(module) ? value_as_str(module)->text : "";
}

// With the address, as in CPython; the only text here that differs from run to
// run.
static Value object_repr(Vm *vm, Value self)
{
    Type *cls = type_of(vm, self);
    const char *dot;
    const char *module = module_prefix(vm, cls, &dot);
    Str *text = str_printf(vm, "<%s%s%s object at %p>", module, dot,
                           cls->qualname->text, (void *)value_object(self));
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// The nearest built-in base decides how the instance is laid out, so
// object.__new__(cls) also works for a class that extends list. args[1] and
// args[2] are *args and **kwargs.
static Value object_new_native(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (!value_is_kind(args[0], KIND_TYPE)) {
        return raise_error(vm, ERR_TYPE,
                           "object.__new__(X): X is not a type object (%s)",
                           type_name(type_of(vm, args[0])));
    }
    Type *cls = (Type *)value_object(args[0]), *layout = cls;
    // Classes made by programs have no layout of their own.
    while (layout->flags & TYPE_HEAP) {
        layout = layout->base;
    }
    return layout->slots.make(vm, cls, value_as_tuple(args[1]),
                              value_as_dict(args[2]));
}

// What super().__setattr__ ends in: it stores past any __setattr__ of the
// class, hence attr_set_layout. Deletion is storing UNBOUND.
static Value object_setattr(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "attribute name must be string, not '%s'",
                           type_name(type_of(vm, args[1])));
    }
    // Attributes are stored under interned names only.
    Str *name = str_intern_str(vm, value_as_str(args[1]));
    bool done = name != NULL && attr_set_layout(vm, args[0], name, args[2]);
    object_release_null(&vm->ctx, name);
    return done ? VALUE_NONE : VALUE_FAIL;
}

static Value object_delattr(Vm *vm, Value *args, uint32_t count)
{
    Value all[3] = {args[0], args[1], VALUE_UNBOUND};
    return object_setattr(vm, all, count);
}

// As object_setattr: past any __getattribute__ of the class.
static Value object_getattribute(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "attribute name must be string, not '%s'",
                           type_name(type_of(vm, args[1])));
    }
    Str *name = str_intern_str(vm, value_as_str(args[1]));
    Value found = name == NULL ? VALUE_FAIL
                               : attr_get_layout(vm, args[0], name);
    object_release_null(&vm->ctx, name);
    return found;
}

// As a method, for super().__repr__.
static Value object_repr_native(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return object_repr(vm, args[0]);
}

// str() without a __str__ is repr(), which may be overridden.
static Value object_str(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Str *text = value_repr(vm, args[0]);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// Only an empty specification: what others mean is for each type to say.
static Value object_format(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE,
                           "__format__() argument must be str, not %s",
                           type_name(type_of(vm, args[1])));
    }
    if (value_as_str(args[1])->length > 0) {
        return raise_error(
            vm, ERR_TYPE,
            "unsupported format string passed to %s.__format__",
            type_name(type_of(vm, args[0])));
    }
    Str *text = value_str(vm, args[0]);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// Fits the identity that object_eq compares.
static Value object_hash(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return int_from_i64(vm, (int64_t)value_identity_hash(args[0]));
}

// NotImplemented rather than False, so that the other operand is asked too.
static Value object_eq(Vm *vm, Value *args, uint32_t count)
{
    (void)vm, (void)count;
    return value_same(args[0], args[1]) ? VALUE_TRUE : VALUE_NOT_IMPLEMENTED;
}

// The opposite of what __eq__ of the class answers.
static Value object_ne(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Value answer = value_call_method(vm, args[0], vm->names[NAME_EQ],
                                     args + 1, 1);
    // NotImplemented has no opposite.
    if (value_failed(answer) || value_same(answer, VALUE_NOT_IMPLEMENTED)) {
        return answer;
    }
    int truth = value_truth(vm, answer);
    release(vm, answer);
    return truth < 0 ? VALUE_FAIL : value_from_bool(!truth);
}

// The four orderings stand in the table so that super().__lt__ finds something.
static Value object_unordered(Vm *vm, Value *args, uint32_t count)
{
    (void)vm, (void)args, (void)count;
    return VALUE_NOT_IMPLEMENTED;
}

// The names that dir() would list without a __dir__ of the class.
static Value object_dir(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return builtin_names_of(vm, args[0]);
}

// The bytes of the fixed part; what it points to is not counted.
static Value object_sizeof(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return value_from_small(type_of(vm, args[0])->def->size);
}

// What copying and pickling start from: a function and its arguments.
static Value object_reduce(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return raise_error(vm, ERR_TYPE, "cannot pickle '%s' object",
                       type_name(type_of(vm, args[0])));
}

// Does nothing; without keywords in its parameters, it refuses the ones that no
// class in between has taken.
static Value object_init_subclass(Vm *vm, Value *args, uint32_t count)
{
    (void)vm, (void)args, (void)count;
    return VALUE_NONE;
}

// NotImplemented leaves the answer to the bases.
static Value object_subclass_hook(Vm *vm, Value *args, uint32_t count)
{
    (void)vm, (void)args, (void)count;
    return VALUE_NOT_IMPLEMENTED;
}

static const NativeDef object_methods[] = {
    {"__setattr__", "self, name, value, /", object_setattr,
     "Store an attribute."},
    {"__delattr__", "self, name, /", object_delattr, "Delete an attribute."},
    {"__getattribute__", "self, name, /", object_getattribute,
     "Look an attribute up."},
    {"__repr__", "self, /", object_repr_native, "Return repr(self)."},
    {"__str__", "self, /", object_str, "Return str(self)."},
    {"__format__", "self, format_spec, /", object_format,
     "Return str(self); only the empty form is known."},
    {"__hash__", "self, /", object_hash, "A hash of its identity."},
    {"__eq__", "self, value, /", object_eq, "Return self is value."},
    {"__ne__", "self, value, /", object_ne, "Return not self == value."},
    {"__lt__", "self, value, /", object_unordered, "Return self<value."},
    {"__le__", "self, value, /", object_unordered, "Return self<=value."},
    {"__gt__", "self, value, /", object_unordered, "Return self>value."},
    {"__ge__", "self, value, /", object_unordered, "Return self>=value."},
    {"__dir__", "self, /", object_dir, "The names of its attributes."},
    {"__sizeof__", "self, /", object_sizeof, "Its size in bytes."},
    {"__reduce__", "self, /", object_reduce, "Refuses: nothing is pickled."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef object_statics[] = {
    {"__new__", "cls, /, *args, **kwargs", object_new_native,
     "Make an instance without initialising it."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef object_class_methods[] = {
    {"__init_subclass__", "cls, /", object_init_subclass,
     "Called when the class is subclassed."},
    {"__subclasshook__", "cls, subclass, /", object_subclass_hook,
     "What abstract classes ask; NotImplemented means: look at the bases."},
    {NULL, NULL, NULL, NULL}};

// The class as a member, so that it can be read through any object.
static Value object_class(Vm *vm, Value self)
{
    return value_retain(value_from_object(type_of(vm, self)));
}

// What must be equal for an object of one class to become one of the other:
// the memory that its attributes take.
static bool same_layout(const Type *a, const Type *b)
{
    enum {
        LAYOUT = TYPE_TRACKED | TYPE_HAS_DICT | TYPE_SLOTTED | TYPE_DICT_AHEAD
    };
    return a->def == b->def && a->kind == b->kind &&
           (a->flags & LAYOUT) == (b->flags & LAYOUT) &&
           (a->flags & TYPE_SLOTTED) == 0;
}

// Between classes of the program only. The shape of an instance belongs to its
// class, hence dict mode.
static bool object_set_class(Vm *vm, Value self, Value value)
{
    if (value_unbound(value)) {
        return raise_false(vm, ERR_TYPE, "can't delete __class__ attribute");
    }
    if (!value_is_kind(value, KIND_TYPE)) {
        return raise_false(vm, ERR_TYPE,
                           "__class__ must be set to a class, not '%s' object",
                           type_name(type_of(vm, value)));
    }
    Type *old = type_of(vm, self), *cls = (Type *)value_object(value);
    if (!value_is_object(self) || !(old->flags & cls->flags & TYPE_HEAP)) {
        return raise_false(vm, ERR_TYPE,
                           "__class__ assignment only supported for mutable "
                           "types or ModuleType subclasses");
    }
    if (!same_layout(old, cls)) {
        return raise_false(vm, ERR_TYPE,
                           "__class__ assignment: '%s' object layout differs "
                           "from '%s'",
                           type_name(cls), type_name(old));
    }
    Object *object = value_object(self);
    if (object->kind == KIND_INSTANCE && instance_dict(vm, object) == NULL) {
        return false;
    }
    object->type = (Type *)object_retain((Object *)cls);
    object_release(&vm->ctx, old);
    return true;
}

// Reading __dict__ turns an instance into dict mode for good (instance_dict).
static Value object_dict(Vm *vm, Value self)
{
    Type *cls = type_of(vm, self);
    // Slotted classes have no dict, whatever their layout.
    if (!value_is_object(self) || !(cls->flags & TYPE_HAS_DICT) ||
        (cls->flags & TYPE_SLOTTED) != 0) {
        return attr_missing(vm, self, vm->names[NAME_DICT]);
    }
    Dict *dict = instance_dict(vm, value_object(self));
    return dict == NULL ? VALUE_FAIL
                        : value_retain(value_from_object(dict));
}

static const MemberDef object_members[] = {
    {"__class__", object_class, object_set_class, "The object's class."},
    {"__dict__", object_dict, NULL, "The object's own attributes."},
    {NULL, NULL, NULL, NULL}};

const TypeDef object_type_def = {
    .name = "object",
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
    .methods = object_methods,
    .class_methods = object_class_methods,
    .static_methods = object_statics,
    .members = object_members};

// type

// Lets go of what a class owns; it then has no names, bases or attributes.
void type_strip(Vm *vm, Type *self)
{
    class_forget(vm, self);
    // Emptied first, released then: a destructor may still meet this class.
    void *parts[] = {self->dict,     self->bases, self->mro, self->name,
                     self->qualname, self->base};
    void *maker = self->maker;
    self->maker = NULL;
    self->dict = NULL;
    self->bases = self->mro = NULL;
    self->name = self->qualname = NULL;
    self->base = NULL;
    vm->epoch++; // caches may hold its shapes and methods
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        object_release_null(&vm->ctx, parts[i]);
    }
    object_release_null(&vm->ctx, maker);
    // Last: instances that died above had shapes of this tree.
    object_shape_free_tree(vm, self->root_shape);
    self->root_shape = NULL;
}

// A class that is collected was stripped by its clear slot only in part.
static void type_destroy(Vm *vm, Object *object)
{
    type_strip(vm, (Type *)object);
    object_free(vm, object, sizeof(Type));
}

// The names hold no references, and shapes borrow their class.
static void type_visit(Object *object, void (*visit)(Object *, void *),
                       void *data)
{
    Type *self = (Type *)object;
    void *parts[] = {self->dict, self->bases, self->mro, self->base};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] != NULL) {
            visit(parts[i], data);
        }
    }
}

// The dict goes first, and with it most cycles; the MRO closes the rest. It
// becomes empty, not NULL: instances that die later still ask for slots.
static void type_clear(Vm *vm, Object *object)
{
    Type *self = (Type *)object;
    Tuple *mro = self->mro;
    vm->epoch++;
    dict_clear(vm, self->dict);
    self->mro = object_retain(vm->empty_tuple);
    object_release_null(&vm->ctx, mro);
}

// Built-in types show a module only if their definition names one.
static Value type_repr(Vm *vm, Value self)
{
    Type *cls = (Type *)value_object(self);
    const char *dot = "", *module = "";
    if (cls->flags & TYPE_HEAP) {
        module = module_prefix(vm, cls, &dot);
    } else if (cls->def->module != NULL) {
        module = cls->def->module;
        dot = ".";
    }
    Str *text = str_printf(vm, "<class '%s%s%s'>", module, dot,
                           cls->qualname->text);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// A class's own annotations, never those of a base; made when first read.
// Borrowed; UNBOUND for built-in classes.
static Value own_annotations(Vm *vm, Type *cls)
{
    Str *name = vm->names[NAME_ANNOTATIONS];
    Value found = cls->dict == NULL ? VALUE_UNBOUND
                                    : dict_get_name(cls->dict, name);
    if (!value_unbound(found) || !(cls->flags & TYPE_HEAP)) {
        return found;
    }
    Dict *made = dict_new(vm);
    Value dict = made == NULL ? VALUE_FAIL : value_from_object(made);
    bool ok = made != NULL && dict_set(vm, cls->dict, str_value(name), dict);
    release(vm, dict);
    return ok ? dict : VALUE_FAIL;
}

// As in CPython: a data descriptor of the metaclass, what the class and its
// bases hold, anything else of the metaclass.
static Value type_get_attr(Vm *vm, Value self, Str *name)
{
    Type *cls = (Type *)value_object(self), *meta = cls->head.type;
    Value computed = type_lookup(vm, meta, name);
    if (attr_is_data_descriptor(computed)) {
        return attr_bind(vm, computed, self, meta);
    }
    Value found = name == vm->names[NAME_ANNOTATIONS]
                      ? own_annotations(vm, cls)
                      : type_lookup(vm, cls, name);
    if (value_failed(found)) {
        return found;
    }
    if (!value_unbound(found)) {
        // A trace notes what it read of a class, since classes change.
        return note_read(vm, cls, value_from_object(name), found)
                   ? attr_bind(vm, found, VALUE_UNBOUND, cls)
                   : VALUE_FAIL;
    }
    return value_unbound(computed) ? attr_missing(vm, self, name)
                                   : attr_bind(vm, computed, self, meta);
}

// Stores in the class's dict, or deletes if `value` is UNBOUND. A property of
// the metaclass goes first. class_update_slots puts special methods to work and
// ends what caches know.
static bool type_set_attr(Vm *vm, Value self, Str *name, Value value)
{
    Type *cls = (Type *)value_object(self);
    if (!(cls->flags & TYPE_HEAP)) {
        return raise_false(vm, ERR_TYPE,
                           "cannot set '%s' attribute of immutable type '%s'",
                           name->text, type_name(cls));
    }
    Value computed = type_lookup(vm, cls->head.type, name);
    if (attr_is_data_descriptor(computed)) {
        return value_object(computed)->type->slots.set_descriptor(
            vm, computed, self, value);
    }
    if (!note_store(vm, cls, value)) {
        return false;
    }
    if (!value_unbound(value)) {
        return dict_set_name(vm, cls->dict, name, value) &&
               class_update_slots(vm, cls, name);
    }
    // 1 removed, 0 absent, -1 failed; only 0 has no error pending yet.
    int removed = dict_remove(vm, cls->dict, value_from_object(name));
    if (removed == 0) {
        attr_missing(vm, self, name);
    }
    return removed == 1 && class_update_slots(vm, cls, name);
}

// __new__, then __init__, but only if __new__ gave an instance of the class: it
// may give anything.
static Value make_instance(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (cls->slots.make == NULL) {
        return raise_error(vm, ERR_TYPE, "cannot create '%s' instances",
                           type_name(cls));
    }
    Value self = cls->slots.make(vm, cls, args, keywords);
    if (value_failed(self)) {
        return self;
    }
    // __init__ of what was made, which may be a subclass.
    Type *made = type_of(vm, self);
    if (type_is_subtype(made, cls) && made->slots.init != NULL &&
        !made->slots.init(vm, self, args, keywords)) {
        release(vm, self);
        return VALUE_FAIL;
    }
    return self;
}

// The last arguments, `values`, belong to `names` one by one.
static Dict *keyword_dict(Vm *vm, const Value *values, Tuple *names)
{
    Dict *dict = dict_new(vm);
    for (size_t i = 0; dict != NULL && i < names->count; i++) {
        // The dict retains names and values.
        if (!dict_set(vm, dict, names->items[i], values[i])) {
            object_release(&vm->ctx, dict);
            return NULL;
        }
    }
    return dict;
}

// Calling a class. type(x) with one argument is a question, not a call of the
// constructor. ctx_enter counts the depth, since a constructor may recurse.
static Value type_call(Vm *vm, Value self, const Value *args, uint32_t count,
                       Tuple *keyword_names)
{
    Type *cls = (Type *)value_object(self);
    uint32_t keyword_count =
        keyword_names == NULL ? 0 : (uint32_t)keyword_names->count;
    uint32_t plain = count - keyword_count;
    if (cls == vm->types[KIND_TYPE] && plain == 1 && keyword_count == 0) {
        return value_retain(value_from_object(type_of(vm, args[0])));
    }
    // The slots take a tuple and a dict, as __new__ and __init__ share them.
    Tuple *all = tuple_from(vm, args, plain);
    Dict *keywords = NULL;
    bool ready = all != NULL;
    if (ready && keyword_count > 0) {
        keywords = keyword_dict(vm, args + plain, keyword_names);
        ready = keywords != NULL;
    }
    Value result = VALUE_FAIL;
    if (ready && ctx_enter(&vm->ctx)) {
        result = make_instance(vm, cls, all, keywords);
        ctx_leave(&vm->ctx);
    }
    object_release_null(&vm->ctx, keywords);
    object_release_null(&vm->ctx, all);
    return result;
}

// type(name, bases, dict), and what a metaclass's super().__new__ ends in.
static Value type_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (args->count != 3) {
        return raise_error(vm, ERR_TYPE, "type() takes 1 or 3 arguments");
    }
    const Value *items = args->items;
    static const Kind kinds[] = {KIND_STR, KIND_TUPLE, KIND_DICT};
    static const char *const names[] = {"str", "tuple", "dict"};
    for (int i = 0; i < 3; i++) {
        if (!value_is_kind(items[i], kinds[i])) {
            return raise_error(vm, ERR_TYPE,
                               "type.__new__() argument %d must be %s, not %s",
                               i + 1, names[i],
                               type_name(type_of(vm, items[i])));
        }
    }
    // class_new checks the bases.
    Type *made = class_new(vm, cls, value_as_str(items[0]),
                           value_as_tuple(items[1]), value_as_dict(items[2]),
                           keywords);
    return made == NULL ? VALUE_FAIL : value_from_object(made);
}

// int | str.
static Value type_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    return op == BINARY_OR ? value_union(vm, a, b) : VALUE_NOT_IMPLEMENTED;
}

// object's __init__ would refuse the three arguments.
static bool type_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    (void)vm, (void)self, (void)args, (void)keywords;
    return true;
}

#define TYPE_MEMBER(field)                                                    \
    static Value type_get_##field(Vm *vm, Value self)                         \
    {                                                                         \
        (void)vm;                                                             \
        return value_retain(                                                  \
            value_from_object(((Type *)value_object(self))->field));          \
    }
TYPE_MEMBER(qualname)
TYPE_MEMBER(bases)
TYPE_MEMBER(mro)

// The name of a built-in type may have its module in front, for messages.
static Value type_get_name(Vm *vm, Value self)
{
    (void)vm;
    const Type *cls = (Type *)value_object(self);
    Str *name = cls->flags & TYPE_HEAP ? cls->name : cls->qualname;
    return value_retain(str_value(name));
}

// A copy: the dict itself may only be changed through type_set_attr.
static Value type_get_dict(Vm *vm, Value self)
{
    Dict *copy = dict_copy(vm, ((Type *)value_object(self))->dict);
    return copy == NULL ? VALUE_FAIL : value_from_object(copy);
}

// None for object alone, which has no base.
static Value type_get_base(Vm *vm, Value self)
{
    (void)vm;
    Type *base = ((Type *)value_object(self))->base;
    return base == NULL ? VALUE_NONE
                        : value_retain(value_from_object(base));
}

// A class has it in its dict; a built-in type in its definition.
static Value type_get_module(Vm *vm, Value self)
{
    Type *cls = (Type *)value_object(self);
    Value found = type_lookup(vm, cls, vm->names[NAME_MODULE]);
    if (value_is_str(found)) {
        return value_retain(found);
    }
    const char *module = cls->def->module;
    Str *text = str_from(vm, module == NULL ? "builtins" : module);
    return text == NULL ? VALUE_FAIL : str_value(text);
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
                           type_name(cls), what,
                           type_name(type_of(vm, value)));
    }
    if (!note_store(vm, cls, value)) {
        return false;
    }
    // The name is replaced before the old one goes.
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

// An entry of the dict like any other.
static bool type_set_module(Vm *vm, Value self, Value value)
{
    Type *cls = (Type *)value_object(self);
    return (cls->flags & TYPE_HEAP) != 0
               ? dict_set_name(vm, cls->dict, vm->names[NAME_MODULE], value)
               : raise_false(vm, ERR_TYPE,
                             "cannot set '__module__' attribute of immutable "
                             "type '%s'",
                             type_name(cls));
}

// The list owns its items, while a class only borrows its subclasses, so that a
// class that nobody uses can die.
static Value type_subclasses(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Type *cls = (Type *)value_object(args[0]);
    List *list = list_new(vm, cls->subclass_count);
    for (uint32_t i = 0; list != NULL && i < cls->subclass_count; i++) {
        list->items[i] =
            value_retain(value_from_object(cls->subclasses[i]));
    }
    return list == NULL ? VALUE_FAIL : value_from_object(list);
}

// A list, where __mro__ gives the tuple: as in CPython.
static Value type_mro_list(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    const Tuple *mro = ((Type *)value_object(args[0]))->mro;
    List *list = list_new(vm, mro->count);
    for (size_t i = 0; list != NULL && i < mro->count; i++) {
        list->items[i] = value_retain(mro->items[i]);
    }
    return list == NULL ? VALUE_FAIL : value_from_object(list);
}

// For metaclasses that override it and call super(). The class is asked, not
// the instance's __class__.
static Value type_instance_check(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return value_from_bool(type_is_subtype(type_of(vm, args[1]),
                                           (Type *)value_object(args[0])));
}

// The second argument must be a class; a tuple of classes is issubclass's own.
static Value type_subclass_check(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (!value_is_kind(args[1], KIND_TYPE)) {
        return raise_error(vm, ERR_TYPE, "issubclass() arg 1 must be a class");
    }
    return value_from_bool(type_is_subtype((Type *)value_object(args[1]),
                                           (Type *)value_object(args[0])));
}

static const NativeDef type_methods[] = {
    {"__subclasses__", "self, /", type_subclasses,
     "The classes that name this one among their bases."},
    {"mro", "self, /", type_mro_list, "The classes that look-up walks."},
    {"__instancecheck__", "self, instance, /", type_instance_check,
     "What isinstance asks."},
    {"__subclasscheck__", "self, subclass, /", type_subclass_check,
     "What issubclass asks."},
    {NULL, NULL, NULL, NULL}};

static const MemberDef type_members[] = {
    {"__name__", type_get_name, type_set_name, "The class's name."},
    {"__qualname__", type_get_qualname, type_set_qualname,
     "Its name with those of what encloses it."},
    {"__module__", type_get_module, type_set_module, "Where it was made."},
    {"__bases__", type_get_bases, NULL, "Its base classes."},
    {"__base__", type_get_base, NULL, "The base that decides the layout."},
    {"__mro__", type_get_mro, NULL, "The classes that look-up walks."},
    {"__dict__", type_get_dict, NULL, "A copy of its attributes."},
    {NULL, NULL, NULL, NULL}};

const TypeDef type_type_def = {
    .name = "type",
    .doc = "The class of classes; type(x) is the class of x.",
    .params = "object, bases, dict, **kwds",
    .kind = KIND_TYPE,
    .size = sizeof(Type),
    .operators = "or ror",
    .flags = TYPE_TRACKED,
    .slots = {.destroy = type_destroy,
              .visit = type_visit,
              .clear = type_clear,
              .make = type_make,
              .init = type_init,
              .repr = type_repr,
              .binary = type_binary,
              .call = type_call,
              .get_attr = type_get_attr,
              .set_attr = type_set_attr},
    .methods = type_methods,
    .members = type_members};

// None, Ellipsis, NotImplemented

// NULL carries a pending error over as VALUE_FAIL.
static Value text_value(Vm *vm, const char *text)
{
    Str *str = str_from(vm, text);
    return str == NULL ? VALUE_FAIL : str_value(str);
}

// The three are immediate values: their types have no size, no destroy slot and
// no constructor.
static Value none_repr(Vm *vm, Value self)
{
    (void)self;
    return text_value(vm, "None");
}

// Without this slot, an object is true.
static int none_truth(Vm *vm, Value self)
{
    (void)vm, (void)self;
    return 0;
}

static Value ellipsis_repr(Vm *vm, Value self)
{
    (void)self;
    return text_value(vm, "Ellipsis");
}

static Value not_implemented_repr(Vm *vm, Value self)
{
    (void)self;
    return text_value(vm, "NotImplemented");
}

const TypeDef none_type_def = {
    .name = "NoneType",
    .doc = "The type of None.",
    .flags = TYPE_FINAL,
    .slots = {.repr = none_repr, .truth = none_truth}};

const TypeDef ellipsis_type_def = {
    .name = "ellipsis",
    .doc = "The type of Ellipsis.",
    .flags = TYPE_FINAL,
    .slots = {.repr = ellipsis_repr}};

const TypeDef not_implemented_type_def = {
    .name = "NotImplementedType",
    .doc = "The type of NotImplemented.",
    .flags = TYPE_FINAL,
    .slots = {.repr = not_implemented_repr}};
