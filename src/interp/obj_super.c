// super(): attributes looked up behind a class in somebody's MRO.
//
// Invariant: `start` stands in the MRO of `self_type`, or the look-up fails.
#include "interp/attr.h"
#include "interp/class_new.h"
#include "interp/obj_function.h"

// All three parts are owned and never NULL.
static void super_destroy(Vm *vm, Object *object)
{
    Super *self = (Super *)object;
    object_release(&vm->ctx, self->start);
    object_release(&vm->ctx, self->self_type);
    release(vm, self->self);
    object_free(vm, self, sizeof *self);
}

// There is no clear slot: the parts never change, so every cycle through a
// super passes through something else that can be cleared.
static void super_visit(Object *object, void (*visit)(Object *, void *),
                        void *data)
{
    Super *self = (Super *)object;
    visit(&self->start->head, data);
    visit(&self->self_type->head, data);
    if (value_is_object(self->self)) {
        visit(value_object(self->self), data);
    }
}

// In a method the search follows the MRO of the instance's class; in a class
// method, where `self` is a class itself, that of this class. The second case
// is tried first, since a metaclass's method gets a class as its instance.
Value super_new(Vm *vm, Type *start, Value self)
{
    Type *searched = type_of(vm, self);
    if (value_is_kind(self, KIND_TYPE) &&
        type_is_subtype((Type *)value_object(self), start)) {
        searched = (Type *)value_object(self);
    } else if (value_is_none(self)) {
        // Unbound: it has the attributes of a super alone.
        searched = type_of_kind(vm, KIND_SUPER);
    } else if (!type_is_subtype(searched, start)) {
        return raise_error(vm, ERR_TYPE, "super(type, obj): obj must be an "
                                         "instance or subtype of type");
    }
    Super *super = object_new(vm, type_of_kind(vm, KIND_SUPER), sizeof *super);
    if (super == NULL) {
        return VALUE_FAIL;
    }
    super->start = object_retain(start);
    super->self_type = object_retain(searched);
    super->self = value_retain(self);
    return value_from_object(super);
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
// been rebound or deleted, as in CPython.
Value super_of_frame(Vm *vm)
{
    const Frame *frame = vm->frame;
    if (frame == NULL || (frame->code->flags & CODE_MODULE) ||
        frame->code->positional_count == 0) {
        return raise_error(vm, ERR_RUNTIME, "super(): no arguments");
    }
    Value self = through_cell(frame->registers[0]);
    if (value_unbound(self)) {
        return raise_error(vm, ERR_RUNTIME, "super(): arg[0] deleted");
    }
    // Borrowed from the frame's cells.
    Value cls = class_cell(vm, frame);
    if (!value_is_kind(cls, KIND_TYPE)) {
        return raise_error(vm, ERR_RUNTIME,
                           "super(): __class__ cell not found");
    }
    return super_new(vm, (Type *)value_object(cls), self);
}

// A class alone, or with None, makes an unbound super.
static Value super_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls;
    if (keywords != NULL && keywords->count != 0) {
        return raise_error(vm, ERR_TYPE, "super() takes no keyword arguments");
    }
    if (args->count > 2) {
        return raise_error(vm, ERR_TYPE,
                           "super() expected at most 2 arguments, got %zu",
                           args->count);
    }
    if (args->count == 0) {
        return super_of_frame(vm);
    }
    if (!value_is_kind(args->items[0], KIND_TYPE)) {
        return raise_error(vm, ERR_TYPE,
                           "super() argument 1 must be a type, not %s",
                           type_name(type_of(vm, args->items[0])));
    }
    return super_new(vm, (Type *)value_object(args->items[0]),
                     args->count == 1 ? VALUE_NONE : args->items[1]);
}

// An unbound super finds its own __init__, which wants a method around it.
static Value super_init_native(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    if (value_as_tuple(args[1])->count > 0) {
        return VALUE_NONE;
    }
    // Without arguments it looks for them where it is called.
    Value made = super_of_frame(vm);
    release(vm, made);
    return value_failed(made) ? made : VALUE_NONE;
}

static const NativeDef super_methods[] = {
    {"__init__", "self, /, *args", super_init_native,
     "Takes nothing more: super() has taken all."},
    {0}};

// The first class behind `start` that has the name.
static Value find_behind(const Super *super, Str *name)
{
    const Tuple *mro = super->self_type->mro;
    bool behind = false;
    for (size_t i = 0; i < mro->count; i++) {
        Type *cls = (Type *)value_object(mro->items[i]);
        if (behind) {
            // Each class's own dict alone, since the MRO has the bases in order
            // already.
            Value found = dict_get_name(cls->dict, name);
            if (!value_unbound(found)) {
                return found;
            }
        }
        // `start` itself is passed over.
        behind = behind || cls == super->start;
    }
    return VALUE_UNBOUND;
}

// __class__ is that of the super object itself, as in CPython, so that its type
// can be asked for. What no class behind has is looked up on the super.
static Value super_get_attr(Vm *vm, Value self, Str *name)
{
    const Super *super = (const Super *)value_object(self);
    Value found = name == vm->names[NAME_CLASS] ? VALUE_UNBOUND
                                                : find_behind(super, name);
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
    Str *text = value_is_none(super->self)
                    ? str_printf(vm, "<super: <class '%s'>, NULL>",
                                 type_name(super->start))
                    : str_printf(vm, "<super: <class '%s'>, <%s object>>",
                                 type_name(super->start),
                                 type_name(super->self_type));
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// The class behind which the search begins.
static Value get_this_class(Vm *vm, Value self)
{
    (void)vm;
    const Super *super = (const Super *)value_object(self);
    return value_retain(value_from_object(super->start));
}

// What methods are bound to, or None.
static Value get_self(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((const Super *)value_object(self))->self);
}

// Whose MRO is searched.
static Value get_self_class(Vm *vm, Value self)
{
    (void)vm;
    const Super *super = (const Super *)value_object(self);
    return value_retain(value_from_object(super->self_type));
}

static const MemberDef super_members[] = {
    {"__thisclass__", get_this_class, NULL, "The class that is passed over."},
    {"__self__", get_self, NULL, "The instance or class it stands for."},
    {"__self_class__", get_self_class, NULL, "The class of __self__."},
    {NULL, NULL, NULL, NULL}};

// No init slot: super_make has taken the arguments.
const TypeDef super_type_def = {
    .name = "super",
    .doc = "The classes behind the current one, for cooperative methods.",
    .params = "type=None, object_or_type=None, /",
    .kind = KIND_SUPER,
    .size = sizeof(Super),
    .flags = TYPE_TRACKED | TYPE_FINAL,
    .slots = {.destroy = super_destroy,
              .visit = super_visit,
              .make = super_make,
              .repr = super_repr,
              .get_attr = super_get_attr},
    .methods = super_methods,
    .members = super_members};
