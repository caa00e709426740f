// super(): attributes looked up behind a class in somebody's MRO.
//
// Invariant: `start` stands in the MRO of `self_type`, or the look-up fails.
// Without a self_type it is unbound, and has the attributes of a super alone.
// There is no clear slot: every cycle through a super passes through something
// else that can be cleared.
#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_function.h"

#define NOT_INSTANCE                                                           \
    "super(type, obj): obj must be an instance or subtype of type"

// All three parts are owned; those of one that is not initialised are NULL.
static void super_destroy(Vm *vm, Object *object)
{
    Super *self = (Super *)object;
    object_release_null(&vm->ctx, self->start);
    object_release_null(&vm->ctx, self->self_type);
    release(vm, self->self);
    object_free(vm, self, sizeof *self);
}

static void super_visit(Object *object, void (*visit)(Object *, void *),
                        void *data)
{
    Super *self = (Super *)object;
    if (self->start != NULL) {
        visit(&self->start->head, data);
    }
    if (self->self_type != NULL) {
        visit(&self->self_type->head, data);
    }
    if (value_is_object(self->self)) {
        visit(value_object(self->self), data);
    }
}

// Whether a walk along the MRO of cls comes by `start`. type_is_subtype does
// not ask it whether a class derives from itself: mro() of a metaclass may
// leave its class out.
static bool walks_by(const Type *cls, const Type *start)
{
    if (cls != start || cls->mro->count == 0 ||
        value_object(cls->mro->items[0]) == &cls->head) {
        return type_is_subtype(cls, start);
    }
    for (size_t i = 1; i < cls->mro->count; i++) {
        if (value_object(cls->mro->items[i]) == &start->head) {
            return true;
        }
    }
    return false;
}

// The class whose MRO is searched: in a method that of the instance, in a class
// method, where `self` is a class itself, this class. The second case is tried
// first, since a metaclass's method gets a class as its instance. A stand-in
// may name another class by its __class__. Owned; NULL: TypeError.
static Type *searched_type(Vm *vm, Type *start, Value self)
{
    Type *cls = type_of(vm, self);
    if (value_is_kind(self, KIND_TYPE) &&
        walks_by((Type *)value_object(self), start)) {
        return object_retain((Type *)value_object(self));
    }
    if (walks_by(cls, start)) {
        return object_retain(cls);
    }
    Value shown = value_get_attr(vm, self, vm->names[NAME_CLASS]);
    if (value_failed(shown)) {
        raise_clear(vm);
    } else if (value_is_kind(shown, KIND_TYPE) &&
               walks_by((Type *)value_object(shown), start)) {
        return (Type *)value_object(shown);
    } else {
        release(vm, shown);
    }
    return raise_null(vm, ERR_TYPE, NOT_INSTANCE);
}

// Without `self` (NONE) it is unbound: it has the attributes of a super alone.
static bool fill(Vm *vm, Super *super, Type *start, Value self)
{
    bool bound = !value_is_none(self);
    Type *searched = bound ? searched_type(vm, start, self) : NULL;
    if (bound && searched == NULL) {
        return false;
    }
    Type *old_start = super->start, *old_type = super->self_type;
    super->start = object_retain(start);
    super->self_type = searched;
    value_replace(&vm->ctx, &super->self, value_retain(self));
    object_release_null(&vm->ctx, old_start);
    object_release_null(&vm->ctx, old_type);
    return true;
}

// Not initialised: that is for __init__. NULL: memory.
static Super *super_alloc(Vm *vm, Type *cls)
{
    Super *super = object_new(vm, cls, sizeof *super);
    if (super != NULL) {
        super->start = super->self_type = NULL;
        super->self = VALUE_NONE;
    }
    return super;
}

Value super_new(Vm *vm, Type *start, Value self)
{
    Super *super = super_alloc(vm, type_of_kind(vm, KIND_SUPER));
    if (super != NULL && !fill(vm, super, start, self)) {
        object_release(&vm->ctx, super);
        return VALUE_FAIL;
    }
    return value_or_fail(super);
}

// A parameter that closures share stands in its register as a cell.
// Borrowed.
static Value through_cell(Value v)
{
    return value_is_kind(v, KIND_CELL) ? ((Cell *)value_object(v))->value : v;
}

// The class whose body holds the method: the compiler captures __class__ in
// every function that names super. UNBOUND: no such cell, or it is not filled
// yet, while the class body still runs.
static Value class_cell(Vm *vm, const Frame *frame)
{
    const Code *code = frame->code;
    for (uint32_t i = 0; i < code->captured_count; i++) {
        if (str_is(code->captured_names[i], vm->names[NAME_CLASS]->text)) {
            return through_cell(frame->cells[i]);
        }
    }
    return VALUE_UNBOUND;
}

// super() without arguments: register 0 holds the first parameter, and may have
// been rebound or deleted. Both results are borrowed.
static bool parts_of_frame(Vm *vm, Type **start, Value *self)
{
    const Frame *frame = vm->frame;
    if (frame == NULL ||
        (frame->code->flags & (CODE_MODULE | CODE_CLASS_BODY)) ||
        frame->code->positional_count == 0) {
        return raise_false(vm, ERR_RUNTIME, "super(): no arguments");
    }
    if (frame->code->flags & CODE_COMPREHENSION) {
        // Its one parameter is an iterator, and no instance of the class.
        return raise_false(vm, ERR_TYPE, NOT_INSTANCE);
    }
    *self = through_cell(frame->registers[0]);
    if (value_unbound(*self)) {
        return raise_false(vm, ERR_RUNTIME, "super(): arg[0] deleted");
    }
    // Borrowed from the frame's cells.
    Value cls = class_cell(vm, frame);
    if (!value_is_kind(cls, KIND_TYPE)) {
        return raise_false(vm, ERR_RUNTIME,
                           "super(): __class__ cell not found");
    }
    *start = (Type *)value_object(cls);
    return true;
}

// The arguments are for __init__, which classes of the program may call with
// others.
static Value super_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args, (void)keywords;
    return value_or_fail(super_alloc(vm, cls));
}

// A class alone, or with None, makes an unbound super; without arguments they
// are looked for where it is called.
static bool super_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    Super *super = (Super *)value_object(self);
    if (keywords != NULL && keywords->count != 0) {
        return raise_false(vm, ERR_TYPE, "super() takes no keyword arguments");
    }
    if (args->count > 2) {
        return raise_false(vm, ERR_TYPE,
                           "super() expected at most 2 arguments, got %zu",
                           args->count);
    }
    if (args->count == 0) {
        Type *start;
        Value object;
        return parts_of_frame(vm, &start, &object) &&
               fill(vm, super, start, object);
    }
    if (!value_is_kind(args->items[0], KIND_TYPE)) {
        return raise_false(vm, ERR_TYPE,
                           "super() argument 1 must be a type, not %s",
                           type_name(type_of(vm, args->items[0])));
    }
    return fill(vm, super, (Type *)value_object(args->items[0]),
                args->count == 1 ? VALUE_NONE : args->items[1]);
}

// An unbound super in a class body is bound to the instance it is read from; by
// a call of its class where that is one of the program.
static Value super_bind(Vm *vm, Value self, Value instance, Type *owner)
{
    (void)owner;
    const Super *super = (const Super *)value_object(self);
    if (value_unbound(instance) || value_is_none(instance) ||
        super->self_type != NULL || super->start == NULL) {
        return value_retain(self);
    }
    Type *cls = super->head.type;
    if (!(cls->flags & TYPE_HEAP)) {
        return super_new(vm, super->start, instance);
    }
    Value args[2] = {value_from_object(super->start), instance};
    return vm_call(vm, value_from_object(cls), args, 2);
}

static Value find_behind(Vm *vm, const Super *super, Str *name)
{
    if (super->self_type == NULL) {
        return VALUE_UNBOUND;
    }
    const Tuple *mro = super->self_type->mro;
    bool behind = false;
    for (size_t i = 0; i < mro->count; i++) {
        Type *cls = (Type *)value_object(mro->items[i]);
        if (behind) {
            // Each class's own dict alone, since the MRO has the bases in order
            // already.
            Dict *dict = type_dict(vm, cls);
            Value found = dict == NULL ? VALUE_FAIL : dict_get_name(dict, name);
            if (!value_failed(found) &&
                !note_read(vm, cls, value_from_object(name), found)) {
                return VALUE_FAIL;
            }
            if (!value_unbound(found)) {
                return found;
            }
        }
        behind = behind || cls == super->start;
    }
    return VALUE_UNBOUND;
}

// __class__ is that of the super object itself, so that its type can be asked
// for. What no class behind has is looked up on the super.
static Value super_get_attr(Vm *vm, Value self, Str *name)
{
    const Super *super = (const Super *)value_object(self);
    Value found = name == vm->names[NAME_CLASS] ? VALUE_UNBOUND
                                                : find_behind(vm, super, name);
    if (value_unbound(found)) {
        return attr_get_generic(vm, self, name);
    }
    // Of a class, the function comes unbound, as when it is read from a class.
    bool of_class =
        value_same(super->self, value_from_object(super->self_type));
    return attr_bind(vm, found, of_class ? VALUE_UNBOUND : super->self,
                     super->self_type);
}

// Without an object it is an unbound one, as super(A) gives it.
static Value super_repr(Vm *vm, Value self)
{
    const Super *super = (const Super *)value_object(self);
    const char *start = super->start == NULL ? "NULL" : type_name(super->start);
    return value_or_fail(
        super->self_type == NULL
            ? str_printf(vm, "<super: <class '%s'>, NULL>", start)
            : str_printf(vm, "<super: <class '%s'>, <%s object>>", start,
                         type_name(super->self_type)));
}

// None where there is no class, as in a super that is not bound.
static Value class_or_none(const Type *cls)
{
    return cls == NULL ? VALUE_NONE : value_retain(value_from_object(cls));
}

static Value get_this_class(Vm *vm, Value self)
{
    (void)vm;
    return class_or_none(((const Super *)value_object(self))->start);
}

static Value get_self(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((const Super *)value_object(self))->self);
}

static Value get_self_class(Vm *vm, Value self)
{
    (void)vm;
    return class_or_none(((const Super *)value_object(self))->self_type);
}

static const MemberDef super_members[] = {
    {"__thisclass__", get_this_class, NULL, "The class that is passed over."},
    {"__self__", get_self, NULL, "The instance or class it stands for."},
    {"__self_class__", get_self_class, NULL, "The class of __self__."},
    {NULL, NULL, NULL, NULL}};

const TypeDef super_type_def = {
    .name = "super",
    .doc = "The classes behind the current one, for cooperative methods.",
    .params = "type=None, object_or_type=None, /",
    .kind = KIND_SUPER,
    .size = sizeof(Super),
    .flags = TYPE_TRACKED,
    .slots = {.destroy = super_destroy,
              .visit = super_visit,
              .make = super_make,
              .init = super_init,
              .repr = super_repr,
              .get_attr = super_get_attr,
              .get_descriptor = super_bind},
    .members = super_members,
    .stored = " __self__ __self_class__ __thisclass__ "};
