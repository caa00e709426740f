// Making classes: layout, metaclass, __init_subclass__; the natives that
// built-in types show. The order of the bases is class_mro.c's.
//
// Invariant: a class is complete (MRO, dict, slots) before any code of the
// user sees it, mro() of its metaclass apart: that finds an empty MRO.
#include "interp/objects/classes/class_new.h"

#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_slot_names.h"
#include "interp/objects/classes/obj_descriptor.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/errors/hidden_frame.h"
#include "interp/objects/errors/obj_exception.h"

// A class without contents yet and with an empty MRO. Owned; NULL: the layouts
// of the bases conflict, or memory is short.
static Type *create(Vm *vm, Type *meta, Str *name, Tuple *bases,
                    const TypeDef *def)
{
    Type *base = class_best_base(vm, bases);
    Type *cls = base == NULL ? NULL : object_new(vm, meta, sizeof *cls);
    if (cls == NULL) {
        return NULL;
    }
    Object head = cls->head;
    *cls =
        (Type){.head = head,
               .def = def != NULL ? def : base->def,
               .slots = base->slots,
               .name = object_retain(name),
               .qualname = object_retain(name),
               .base = object_retain(base),
               .bases = object_retain(bases),
               .mro = object_retain(vm->empty_tuple),
               .flags = base->flags &
                        ~(uint32_t)(TYPE_ABSTRACT | TYPE_FAMILY | TYPE_LIBRARY),
               .kind = base->kind};
    for (size_t i = 0; i < bases->count; i++) {
        cls->flags |= value_as_type(bases->items[i])->flags & TYPE_ORDERED;
    }
    // From here on the class can be released like any other.
    cls->dict = dict_new(vm);
    if (cls->dict == NULL) {
        object_release(&vm->ctx, cls);
        return NULL;
    }
    return cls;
}

// The MRO, and a place among the subclasses of the bases. mro() of a metaclass
// may have assigned to __bases__, which notes the class there already.
static bool order_and_register(Vm *vm, Type *cls)
{
    bool set;
    if (!class_order(vm, cls, &set)) {
        return false;
    }
    if (cls->head.type->flags & TYPE_HEAP) {
        class_unregister(cls);
    }
    return class_register(vm, cls);
}

Type *class_create(Vm *vm, Str *name, Tuple *bases, const TypeDef *def)
{
    Type *cls = create(vm, vm->types[KIND_TYPE], name, bases, def);
    if (cls != NULL && !order_and_register(vm, cls)) {
        object_release(&vm->ctx, cls);
        return NULL;
    }
    return cls;
}

// What a built-in type shows

// Takes the object; NULL, one that could not be made, fails here for all
// callers. The name is interned, as all names of attributes are.
static bool put(Vm *vm, Dict *dict, const char *name, void *object)
{
    if (object == NULL) {
        return false;
    }
    Str *key = str_intern(vm, name, strlen(name));
    bool done =
        key != NULL && dict_set_name(vm, dict, key, value_from_object(object));
    object_release_null(&vm->ctx, key);
    object_release(&vm->ctx, object);
    return done;
}

static bool put_native(Vm *vm, Dict *dict, Native *native)
{
    bool done = native != NULL && dict_set_name(vm, dict, native->name,
                                                value_from_object(native));
    object_release_null(&vm->ctx, native);
    return done;
}

// A class or static method of the built-in type `of`. It has no owner, as its
// first argument is no instance; errors name the type all the same.
static MethodWrap *wrap_native(Vm *vm, Type *cls, const TypeDef *of,
                               const NativeDef *def, bool is_class)
{
    Native *native = native_new(vm, def, NULL);
    if (native == NULL) {
        return NULL;
    }
    native->place = of->name;
    native->flags |= is_class ? NATIVE_OF_CLASS : 0;
    if (native->name == vm->names[NAME_NEW]) {
        // Borrowed: a built-in type stays as long as the machine.
        native->flags |= NATIVE_MAKES;
        native->data = cls;
    }
    Value function = value_from_object(native);
    MethodWrap *wrap = is_class ? classmethod_new(vm, function)
                                : staticmethod_new(vm, function);
    release(vm, function);
    return wrap;
}

static bool add_class_methods(Vm *vm, Type *cls, const NativeDef *rows)
{
    for (const NativeDef *m = rows; m != NULL && m->name != NULL; m++) {
        if (!put(vm, cls->dict, m->name,
                 wrap_native(vm, cls, cls->def, m, true))) {
            return false;
        }
    }
    return true;
}

// Three tables, since some types share one with others; a later row does not
// replace an earlier one of the same name by accident: there is none.
static bool add_methods(Vm *vm, Type *cls, const TypeDef *def)
{
    const NativeDef *tables[] = {def->methods, def->more_methods[0],
                                 def->more_methods[1]};
    const NativeDef *m;
    for (m = def->slot_methods; m != NULL && m->name != NULL; m++) {
        if (!put_native(vm, cls->dict, native_new_slot(vm, m, cls))) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (m = tables[i]; m != NULL && m->name != NULL; m++) {
            if (!put_native(vm, cls->dict, native_new(vm, m, cls))) {
                return false;
            }
        }
    }
    if (!add_class_methods(vm, cls, def->class_methods)) {
        return false;
    }
    for (m = def->static_methods; m != NULL && m->name != NULL; m++) {
        if (!put(vm, cls->dict, m->name, wrap_native(vm, cls, def, m, false))) {
            return false;
        }
    }
    return true;
}

bool class_add_new(Vm *vm, Type *cls)
{
    return put(vm, cls->dict, "__new__",
               wrap_native(vm, cls, cls->def, &object_make_row, false));
}

bool class_add_methods(Vm *vm, Type *cls)
{
    const TypeDef *def = cls->def;
    if (!add_methods(vm, cls, def)) {
        return false;
    }
    // Types that make their instances have a __new__ of their own, which hides
    // those of classes behind them in an MRO.
    if (def->slots.make != NULL && cls != vm->object_type &&
        !class_add_new(vm, cls)) {
        return false;
    }
    // The doc comes first: instances with one of their own have a member.
    if (def->doc != NULL &&
        !put(vm, cls->dict, "__doc__", str_from(vm, def->doc))) {
        return false;
    }
    if ((def->flags & TYPE_HAS_DICT) != 0 &&
        !put(vm, cls->dict, object_dict_member.name,
             member_new(vm, &object_dict_member, cls))) {
        return false;
    }
    const MemberDef *m = def->members;
    for (; m != NULL && m->name != NULL; m++) {
        if (!put(vm, cls->dict, m->name, member_new(vm, m, cls))) {
            return false;
        }
    }
    return true;
}

// The class statement

// What the body of the class has set itself is left alone. True also where
// nothing was to be done.
static bool put_default(Vm *vm, Type *cls, NameId id, Value value)
{
    if (!value_unbound(dict_get_name(cls->dict, vm->names[id]))) {
        return true;
    }
    return dict_set_name(vm, cls->dict, vm->names[id], value);
}

// What mro() of a metaclass finds in the dict besides the body's names:
// __module__. __qualname__ moves from the dict into the class.
static bool place_names(Vm *vm, Type *cls)
{
    Value own = dict_get_name(cls->dict, vm->names[NAME_QUALNAME]);
    if (value_is_str(own)) {
        Str *old = cls->qualname;
        cls->qualname = object_retain(value_as_str(own));
        object_release(&vm->ctx, old);
        if (dict_remove(vm, cls->dict,
                        value_from_object(vm->names[NAME_QUALNAME])) < 0) {
            return false;
        }
    }
    // A class statement says it; type(name, bases, dict) goes by the caller.
    Value module = vm->frame == NULL ? VALUE_UNBOUND
                                     : dict_get_name(vm->frame->globals,
                                                     vm->names[NAME_NAME]);
    return value_unbound(module) || put_default(vm, cls, NAME_MODULE, module);
}

// What type() adds to the dict when the bases are in order: members, __doc__,
// and __hash__ = None beside __eq__: a class that compares by its own rule
// cannot hash by identity.
static bool complete_dict(Vm *vm, Type *cls)
{
    bool equal = !value_unbound(dict_get_name(cls->dict, vm->names[NAME_EQ]));
    return class_add_members(vm, cls) &&
           put_default(vm, cls, NAME_DOC, VALUE_NONE) &&
           (!equal || put_default(vm, cls, NAME_HASH, VALUE_NONE));
}

// The class's `name` becomes a class method, or a static one, of `function`.
static bool put_wrapped(Vm *vm, Type *cls, Str *name, Value function,
                        bool is_class)
{
    MethodWrap *wrap = is_class ? classmethod_new(vm, function)
                                : staticmethod_new(vm, function);
    if (wrap == NULL) {
        return false;
    }
    bool done = dict_set_name(vm, cls->dict, name, value_from_object(wrap));
    object_release(&vm->ctx, wrap);
    return done;
}

// __new__ is static, __init_subclass__ and __class_getitem__ are class methods
// without being marked as such. Other values, such as a staticmethod that was
// written out, stay as they are.
static bool mark_implicit(Vm *vm, Type *cls, NameId id, bool is_class)
{
    Value function = dict_get_name(cls->dict, vm->names[id]);
    return !value_is_kind(function, KIND_FUNCTION) ||
           put_wrapped(vm, cls, vm->names[id], function, is_class);
}

// Functions of the library that stand for native ones are no methods of who
// asks a class of the program for them: `choose = math.comb` in its body.
static bool mark_library(Vm *vm, Type *cls, Dict *dict)
{
    if (vm->frame == NULL || vm->frame->code->source->library) {
        return true; // the library's own classes mean methods by them
    }
    uint32_t position = 0;
    Value key, value;
    while (dict_next(dict, &position, &key, &value)) {
        if (!value_is_kind(value, KIND_FUNCTION) || !value_is_str(key)) {
            continue;
        }
        const Code *code = ((Function *)value_object(value))->code;
        if (code->source->library &&
            strchr(code->qualname->text, '.') == NULL && hidden_frame(code) &&
            !put_wrapped(vm, cls, value_as_str(key), value, false)) {
            return false;
        }
    }
    return true;
}

// Found by way of super(), so that it is the hook of the bases and not the one
// that the class itself defines for its subclasses. `keywords` are those of the
// class statement that the metaclass left; NULL: none.
static bool call_init_subclass(Vm *vm, Type *cls, Dict *keywords)
{
    Value super = super_new(vm, cls, value_from_object(cls));
    if (value_failed(super)) {
        return false;
    }
    Value hook = value_get_attr(vm, super, vm->names[NAME_INIT_SUBCLASS]);
    // The hook is bound to the class by then.
    release(vm, super);
    if (value_failed(hook)) {
        return false;
    }
    Value result = vm_call_dict(vm, hook, vm->empty_tuple, keywords);
    release(vm, hook);
    if (value_failed(result)) {
        return false;
    }
    release(vm, result);
    return true;
}

// RuntimeError from the pending error: which attribute it was about. The first
// error becomes the cause of the one that is raised.
static void explain_set_name(Vm *vm, Type *cls, Value key, Value value)
{
    Value cause = raise_take(vm);
    Str *name = value_repr(vm, key);
    if (name != NULL) {
        raise_error(vm, ERR_RUNTIME,
                    "Error calling __set_name__ on '%s' instance %s in '%s'",
                    type_name(type_of(vm, value)), name->text, type_name(cls));
        object_release(&vm->ctx, name);
        Value error = raise_take(vm);
        if (value_is_kind(error, KIND_EXCEPTION)) {
            Exception *made = value_as_exception(error);
            value_replace(&vm->ctx, &made->cause, value_retain(cause));
            value_replace(&vm->ctx, &made->context, value_retain(cause));
            made->suppress_context = true;
        }
        (void)raise_object(vm, error);
    }
    release(vm, cause);
}

// __set_name__ of each value whose class has it. The dict may change meanwhile,
// so a copy is walked. `dict` is that copy. An error is told with the name of
// the attribute.
static bool call_set_name(Vm *vm, Type *cls, Dict *dict)
{
    uint32_t position = 0;
    Value key, value;
    while (dict_next(dict, &position, &key, &value)) {
        Value hook = value_find_method(vm, value, vm->names[NAME_SET_NAME]);
        if (value_unbound(hook)) {
            continue;
        }
        Value args[2] = {value_from_object(cls), key};
        Value result = value_failed(hook) ? hook : vm_call(vm, hook, args, 2);
        release(vm, hook);
        if (value_failed(result)) {
            explain_set_name(vm, cls, key, value);
            return false;
        }
        release(vm, result);
    }
    return true;
}

// The cell that super() and __class__ in the methods read. Without methods that
// need it there is no cell, and nothing to do.
static bool fill_class_cell(Vm *vm, Type *cls)
{
    Str *name = vm->names[NAME_CLASSCELL];
    Value cell = dict_get_name(cls->dict, name);
    if (value_unbound(cell)) {
        return true;
    }
    if (!value_is_kind(cell, KIND_CELL)) {
        Str *shown = value_repr(vm, value_from_object(type_of(vm, cell)));
        if (shown != NULL) {
            raise_error(vm, ERR_TYPE,
                        "__classcell__ must be a nonlocal cell, not %s",
                        shown->text);
            object_release(&vm->ctx, shown);
        }
        return false;
    }
    value_replace(&vm->ctx, &((Cell *)value_object(cell))->value,
                  value_retain(value_from_object(cls)));
    return dict_remove(vm, cls->dict, value_from_object(name)) >= 0;
}

// Without a base, object. Owned; NULL: failed. `bases` itself, retained, if
// there is one.
static Tuple *default_bases(Vm *vm, Tuple *bases)
{
    if (bases->count > 0) {
        return object_retain(bases);
    }
    Value object = value_from_object(vm->object_type);
    return tuple_from(vm, &object, 1);
}

static bool take_name(Vm *vm, Type *cls, NameId id)
{
    return dict_remove(vm, cls->dict, value_from_object(vm->names[id])) >= 0;
}

// Classes of the library that stand for native ones are named with their module
// in messages: __tp_name__ says how. What C code wants to know of such a class
// is a flag, which __tp_mark__ names. Both are taken out of the class.
static bool take_marks(Vm *vm, Type *cls)
{
    static const struct {
        const char *name;
        TypeFlag flag;
    } marks[] = {{"ordered", TYPE_ORDERED}, {"text alone", TYPE_TEXT_ALONE}};
    Value shown = dict_get_name(cls->dict, vm->names[NAME_TP_NAME]);
    Value mark = dict_get_name(cls->dict, vm->names[NAME_TP_MARK]);
    if (value_is_str(shown)) {
        cls->shown = object_retain(value_as_str(shown));
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (value_is_str(mark) && str_is(value_as_str(mark), marks[i].name)) {
            cls->flags |= marks[i].flag;
        }
    }
    return take_name(vm, cls, NAME_TP_NAME) && take_name(vm, cls, NAME_TP_MARK);
}

// The slots are set before any hook of the program runs: __set_name__ and
// __init_subclass__ come last and see a whole class.
static bool fill_class(Vm *vm, Type *cls, Dict *dict, Dict *keywords)
{
    cls->flags |= TYPE_HEAP | TYPE_TRACKED;
    if (vm->frame != NULL && vm->frame->code->source->library) {
        cls->flags |= TYPE_LIBRARY;
    }
    if (!dict_update(vm, cls->dict, value_from_object(dict))) {
        return false;
    }
    return take_marks(vm, cls) && class_lay_out(vm, cls) &&
           place_names(vm, cls) && mark_implicit(vm, cls, NAME_NEW, false) &&
           mark_implicit(vm, cls, NAME_INIT_SUBCLASS, true) &&
           mark_implicit(vm, cls, NAME_CLASS_GETITEM, true) &&
           mark_library(vm, cls, dict) && fill_class_cell(vm, cls) &&
           order_and_register(vm, cls) && complete_dict(vm, cls) &&
           class_update_slots(vm, cls, NULL) && call_set_name(vm, cls, dict) &&
           call_init_subclass(vm, cls, keywords);
}

Type *class_new(Vm *vm, Type *meta, Str *name, Tuple *bases, Dict *dict,
                Dict *keywords)
{
    Tuple *all = default_bases(vm, bases);
    if (all == NULL) {
        return NULL;
    }
    Type *cls = create(vm, meta, name, all, NULL);
    object_release(&vm->ctx, all);
    if (cls != NULL && !fill_class(vm, cls, dict, keywords)) {
        object_release(&vm->ctx, cls);
        return NULL;
    }
    return cls;
}
