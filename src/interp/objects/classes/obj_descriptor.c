// property, classmethod, staticmethod: what stands in a class's dict and
// computes something else when it is read.
//
// Invariant: a property's parts are NONE when not given, never UNBOUND.
#include "interp/objects/classes/obj_descriptor.h"

#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"

// property

// Subclasses of property may read in a way of their own.
Value property_plain_getter(Vm *vm, Value object, Str *name)
{
    Type *type = value_object(object)->type;
    Value found = type->slots.get_attr == NULL ? type_lookup(vm, type, name)
                                               : VALUE_UNBOUND;
    return value_is_kind(found, KIND_PROPERTY) &&
                   value_object(found)->type == vm->types[KIND_PROPERTY]
               ? ((Property *)value_object(found))->get
               : VALUE_UNBOUND;
}

// The parts are NONE where nothing was given, which releases to nothing.
static void property_destroy(Vm *vm, Object *self)
{
    Property *property = (Property *)self;
    release(vm, property->get);
    release(vm, property->set);
    release(vm, property->del);
    release(vm, property->doc);
    release(vm, property->name);
    object_free(vm, property, sizeof *property);
}

static void visit_value(Value v, void (*visit)(Object *, void *), void *data)
{
    if (value_is_object(v)) {
        visit(value_object(v), data);
    }
}

// Each part is owned, so each is reported.
static void property_visit(Object *self, void (*visit)(Object *, void *),
                           void *data)
{
    Property *property = (Property *)self;
    visit_value(property->get, visit, data);
    visit_value(property->set, visit, data);
    visit_value(property->del, visit, data);
    visit_value(property->doc, visit, data);
    visit_value(property->name, visit, data);
}

// NONE, not UNBOUND, by the invariant: a property may be read once more while
// its cycle dies.
static void property_clear(Vm *vm, Object *self)
{
    Property *property = (Property *)self;
    value_replace(&vm->ctx, &property->get, VALUE_NONE);
    value_replace(&vm->ctx, &property->set, VALUE_NONE);
    value_replace(&vm->ctx, &property->del, VALUE_NONE);
    value_replace(&vm->ctx, &property->doc, VALUE_NONE);
    value_replace(&vm->ctx, &property->name, VALUE_NONE);
}

// Without parts; __init__ or the caller gives them. NULL: memory.
static Property *property_empty(Vm *vm, Type *cls)
{
    Property *self = object_new(vm, cls, sizeof *self);
    if (self != NULL) {
        self->get = self->set = self->del = self->doc = VALUE_NONE;
        self->name = VALUE_NONE;
        self->doc_of_getter = false;
    }
    return self;
}

// What the parameters are left for __init__, so that a class which extends
// property can have others.
static Value property_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args, (void)keywords;
    return value_or_fail(property_empty(vm, cls));
}

// The docstring of a class that extends property hides the member __doc__, so
// its instances keep theirs as an attribute; AttributeError if they cannot.
static bool show_doc(Vm *vm, Property *self)
{
    Value v = value_from_object(self);
    return type_of(vm, v) == type_of_kind(vm, KIND_PROPERTY) ||
           value_is_none(self->doc) ||
           value_set_attr(vm, v, vm->names[NAME_DOC], self->doc);
}

// property() can be given any part alone, and even none. It may run again.
static bool property_init(Vm *vm, Value value, Tuple *args, Dict *keywords)
{
    static const char *const names[] = {"fget", "fset", "fdel", "doc"};
    Property *self = (Property *)value_object(value);
    Value *const places[] = {&self->get, &self->set, &self->del, &self->doc};
    Value given[4];
    if (!arguments_spread(vm, "property", args, keywords, names, 4, 0, given)) {
        return false;
    }
    for (size_t i = 0; i < 4; i++) {
        value_replace(&vm->ctx, places[i],
                      value_unbound(given[i]) ? VALUE_NONE
                                              : value_retain(given[i]));
    }
    self->doc_of_getter =
        value_is_none(self->doc) && value_is_kind(self->get, KIND_FUNCTION);
    if (self->doc_of_getter) {
        value_replace(&vm->ctx, &self->doc,
                      value_retain(((Function *)value_object(self->get))->doc));
    }
    return show_doc(vm, self);
}

static void property_lacks(Vm *vm, const Property *self, Value instance,
                           const char *what)
{
    Str *name = value_is_none(self->name) ? NULL : value_repr(vm, self->name);
    if (name != NULL || value_is_none(self->name)) {
        raise_error(vm, ERR_ATTRIBUTE, "property%s%s of '%s' object has no %s",
                    name == NULL ? "" : " ", name == NULL ? "" : name->text,
                    type_of(vm, instance)->qualname->text, what);
    }
    object_release_null(&vm->ctx, name);
}

// Through the class (instance UNBOUND) a property gives itself, so that it can
// be copied with another setter.
static Value property_read(Vm *vm, Value self, Value instance, Type *owner)
{
    Property *property = (Property *)value_object(self);
    (void)owner;
    if (value_unbound(instance)) {
        return value_retain(self);
    }
    // A property may have a setter alone.
    if (value_is_none(property->get)) {
        return property_lacks(vm, property, instance, "getter"), VALUE_FAIL;
    }
    return vm_call(vm, property->get, &instance, 1);
}

// A property is a data descriptor even without a setter: assignment then fails
// rather than store in the instance. UNBOUND deletes.
static bool property_write(Vm *vm, Value self, Value instance, Value value)
{
    Property *property = (Property *)value_object(self);
    bool deleting = value_unbound(value);
    Value function = deleting ? property->del : property->set;
    if (value_is_none(function)) {
        property_lacks(vm, property, instance, deleting ? "deleter" : "setter");
        return false;
    }
    Value args[2] = {instance, value};
    Value result = vm_call(vm, function, args, deleting ? 1 : 2);
    if (value_failed(result)) {
        return false;
    }
    release(vm, result);
    return true;
}

// The three copy rather than change: the old property may serve a base class.
// The copy is made by the property's own class; a docstring that came from the
// getter is asked of the new one.
static Value property_copy(Vm *vm, const Value *args, size_t place)
{
    const Property *old = (Property *)value_object(args[0]);
    Value parts[4] = {old->get, old->set, old->del,
                      old->doc_of_getter ? VALUE_NONE : old->doc};
    parts[place] = args[1];
    Value made = vm_call(vm, value_from_object(type_of(vm, args[0])), parts, 4);
    // It is known by the old one's name until a class gives it another.
    if (!value_failed(made) && value_is_kind(made, KIND_PROPERTY)) {
        value_replace(&vm->ctx, &((Property *)value_object(made))->name,
                      value_retain(old->name));
    }
    return made;
}

// A class body has bound it to this name.
static Value property_set_name(Vm *vm, Value *args)
{
    Property *self = (Property *)value_object(args[0]);
    value_replace(&vm->ctx, &self->name, value_retain(args[2]));
    return VALUE_NONE;
}

static Value property_getter(Vm *vm, Value *args)
{
    return property_copy(vm, args, 0);
}

// What `@x.setter` calls: the class body then binds the copy to the same name.
static Value property_setter(Vm *vm, Value *args)
{
    return property_copy(vm, args, 1);
}

static Value property_deleter(Vm *vm, Value *args)
{
    return property_copy(vm, args, 2);
}

static const NativeDef property_methods[] = {
    {"getter", "self, fget, /", property_getter, "A copy with this getter."},
    {"setter", "self, fset, /", property_setter, "A copy with this setter."},
    {"deleter", "self, fdel, /", property_deleter, "A copy with this deleter."},
    {"__set_name__", "self, owner, name, /", property_set_name,
     "Note the name, for errors."},
    {NULL, NULL, NULL, NULL}};

// Owned; NONE if there is no such function, by the invariant.
static Value property_fget(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((Property *)value_object(self))->get);
}

static Value property_fset(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((Property *)value_object(self))->set);
}

static Value property_fdel(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((Property *)value_object(self))->del);
}

// The docstring of this property; the type's own is read through the class.
static Value property_doc(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((Property *)value_object(self))->doc);
}

// Any value will do; deleting it leaves None.
static bool property_set_doc(Vm *vm, Value self, Value doc)
{
    Property *property = (Property *)value_object(self);
    property->doc_of_getter = false;
    value_replace(&vm->ctx, &property->doc,
                  value_unbound(doc) ? VALUE_NONE : value_retain(doc));
    return true;
}

static const MemberDef property_members[] = {
    {"fget", property_fget, NULL, "The function that reads."},
    {"fset", property_fset, NULL, "The function that stores."},
    {"fdel", property_fdel, NULL, "The function that deletes."},
    {"__doc__", property_doc, property_set_doc, "The docstring."},
    {NULL, NULL, NULL, NULL}};

// Tracked: the functions' globals often hold the class that holds the property.
const TypeDef property_type_def = {
    .name = "property",
    .doc = "An attribute computed by functions.",
    .params = "fget=None, fset=None, fdel=None, doc=None",
    .kind = KIND_PROPERTY,
    .size = sizeof(Property),
    .flags = TYPE_TRACKED,
    .slots = {.destroy = property_destroy,
              .visit = property_visit,
              .clear = property_clear,
              .make = property_make,
              .init = property_init,
              .get_descriptor = property_read,
              .set_descriptor = property_write},
    .methods = property_methods,
    .members = property_members,
    .stored = " fdel fget fset "};

// classmethod and staticmethod

static void wrap_destroy(Vm *vm, Object *self)
{
    release(vm, ((MethodWrap *)self)->function);
    object_release_null(&vm->ctx, ((MethodWrap *)self)->dict);
    object_free(vm, self, sizeof(MethodWrap));
}

// The function often leads to the class that holds the wrapper.
static void wrap_visit(Object *self, void (*visit)(Object *, void *),
                       void *data)
{
    visit_value(((MethodWrap *)self)->function, visit, data);
    if (((MethodWrap *)self)->dict != NULL) {
        visit((Object *)((MethodWrap *)self)->dict, data);
    }
}

// NONE for the function: a wrapper that is read while its cycle dies is valid.
static void wrap_clear(Vm *vm, Object *self)
{
    MethodWrap *wrap = (MethodWrap *)self;
    Dict *dict = wrap->dict;
    wrap->dict = NULL;
    value_replace(&vm->ctx, &wrap->function, VALUE_NONE);
    object_release_null(&vm->ctx, dict);
}

static MethodWrap *wrap_new(Vm *vm, Type *cls, Value function)
{
    MethodWrap *self = object_new(vm, cls, sizeof *self);
    if (self != NULL) {
        self->function = value_retain(function);
        self->dict = NULL;
    }
    return self;
}

MethodWrap *classmethod_new(Vm *vm, Value function)
{
    return wrap_new(vm, type_of_kind(vm, KIND_CLASSMETHOD), function);
}

// Retains; `function` may be any object.
MethodWrap *staticmethod_new(Vm *vm, Value function)
{
    return wrap_new(vm, type_of_kind(vm, KIND_STATICMETHOD), function);
}

Value descriptor_wrapped(const Vm *vm, Value found, Kind kind)
{
    if (!value_is_kind(found, kind) ||
        value_object(found)->type != vm->types[kind]) {
        return VALUE_UNBOUND;
    }
    Value function = ((MethodWrap *)value_object(found))->function;
    return value_is_kind(function, KIND_FUNCTION) ? function : VALUE_UNBOUND;
}

// The type itself tells the two kinds apart. __init__ gives the function.
static Value wrap_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args, (void)keywords;
    return value_or_fail(wrap_new(vm, cls, VALUE_NONE));
}

// What a wrapper shows of its function, as far as that has it: copies, which
// programs may change.
static bool show_function(Vm *vm, Value self, Value function)
{
    static const char *const shown[] = {
        "__module__", "__name__", "__qualname__", "__doc__", "__annotations__"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        Str *name = str_intern(vm, shown[i], strlen(shown[i]));
        Value found =
            name == NULL ? VALUE_FAIL : value_find_attr(vm, function, name);
        bool done =
            !value_failed(found) &&
            (value_unbound(found) || attr_set_generic(vm, self, name, found));
        release(vm, found);
        object_release_null(&vm->ctx, name);
        if (!done) {
            return false;
        }
    }
    return true;
}

// Messages name the built-in type, whatever derives from it.
static bool wrap_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    const char *name = type_of(vm, self)->def->name;
    if (keywords != NULL && keywords->count != 0) {
        return raise_false(vm, ERR_TYPE, "%s() takes no keyword arguments",
                           name);
    }
    if (args->count != 1) {
        return raise_false(vm, ERR_TYPE, "%s expected 1 argument, got %zu",
                           name, args->count);
    }
    value_replace(&vm->ctx, &((MethodWrap *)value_object(self))->function,
                  value_retain(args->items[0]));
    return show_function(vm, self, args->items[0]);
}

// A property inside a classmethod is read with the class as its instance, as
// Python 3.9 to 3.12 do. Otherwise the function is bound to the class.
static Value classmethod_read(Vm *vm, Value self, Value instance, Type *owner)
{
    Value function = ((MethodWrap *)value_object(self))->function;
    // Through an instance, the class is the instance's own, which may be a
    // subclass of the one that holds the method.
    Type *cls = value_unbound(instance) ? owner : type_of(vm, instance);
    if (value_is_kind(function, KIND_PROPERTY)) {
        return attr_bind(vm, function, value_from_object(cls), cls);
    }
    // The same kind of object as a method bound to an instance.
    return value_or_fail(method_new(vm, function, value_from_object(cls)));
}

static Value staticmethod_read(Vm *vm, Value self, Value instance, Type *owner)
{
    (void)vm, (void)instance, (void)owner;
    return value_retain(((MethodWrap *)value_object(self))->function);
}

// Callable in the class body too, where it has not been read through a class.
static Value staticmethod_call(Vm *vm, Value self, const Value *args,
                               uint32_t count, Tuple *keyword_names)
{
    return vm_call_keywords(vm, ((MethodWrap *)value_object(self))->function,
                            args, count, keyword_names);
}

static Value wrap_repr(Vm *vm, Value self)
{
    Str *inner = value_repr(vm, ((MethodWrap *)value_object(self))->function);
    Str *text = inner == NULL
                    ? NULL
                    : str_printf(vm, "<%s(%s)>", type_of(vm, self)->def->name,
                                 inner->text);
    object_release_null(&vm->ctx, inner);
    return value_or_fail(text);
}

static Value wrap_function(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((MethodWrap *)value_object(self))->function);
}

// As the function says of itself; what says nothing is not abstract.
static Value wrap_is_abstract(Vm *vm, Value self)
{
    Value found =
        value_find_attr(vm, ((MethodWrap *)value_object(self))->function,
                        vm->names[NAME_ISABSTRACTMETHOD]);
    if (value_failed(found)) {
        return VALUE_FAIL;
    }
    int truth = value_unbound(found) ? 0 : value_truth(vm, found);
    release(vm, found);
    return truth < 0 ? VALUE_FAIL : value_from_bool(truth);
}

static const MemberDef wrap_members[] = {
    {"__isabstractmethod__", wrap_is_abstract, NULL,
     "Whether a subclass must define it."},
    {"__func__", wrap_function, NULL, "The function inside."},
    {"__wrapped__", wrap_function, NULL, "The function inside."},
    {NULL, NULL, NULL, NULL}};

// No call slot: a classmethod is callable only when it has been read.
const TypeDef classmethod_type_def = {
    .name = "classmethod",
    .doc = "A method that gets the class in place of the instance.",
    .params = "function, /",
    .kind = KIND_CLASSMETHOD,
    .size = sizeof(MethodWrap),
    .flags = TYPE_TRACKED | TYPE_HAS_DICT,
    .slots = {.destroy = wrap_destroy,
              .visit = wrap_visit,
              .clear = wrap_clear,
              .make = wrap_make,
              .init = wrap_init,
              .repr = wrap_repr,
              .get_descriptor = classmethod_read},
    .members = wrap_members,
    .stored = " __func__ __wrapped__ "};

const TypeDef staticmethod_type_def = {
    .name = "staticmethod",
    .doc = "A function in a class that gets neither instance nor class.",
    .params = "function, /",
    .kind = KIND_STATICMETHOD,
    .size = sizeof(MethodWrap),
    .flags = TYPE_TRACKED | TYPE_HAS_DICT,
    .slots = {.destroy = wrap_destroy,
              .visit = wrap_visit,
              .clear = wrap_clear,
              .make = wrap_make,
              .init = wrap_init,
              .repr = wrap_repr,
              .call = staticmethod_call,
              .get_descriptor = staticmethod_read},
    .members = wrap_members,
    .stored = " __func__ __wrapped__ "};
