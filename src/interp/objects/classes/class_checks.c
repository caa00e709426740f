// isinstance() and issubclass().
//
// Invariant: what a metaclass or any other object says by __instancecheck__ and
// __subclasscheck__ decides; otherwise anything with a tuple __bases__ counts
// as a class.
#include "interp/core/depth.h"
#include "interp/hooks/note.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_function.h"

// cls.__instancecheck__(v) or cls.__subclasscheck__(v), looked up in the class
// of cls. 1, 0, -1; 2: there is no such method.
static int class_asks(Vm *vm, NameId id, Value v, Value cls)
{
    Value method = value_find_method(vm, cls, vm->names[id]);
    if (value_unbound(method)) {
        return 2;
    }
    Value result = value_failed(method) ? method : vm_call(vm, method, &v, 1);
    release(vm, method);
    int truth = value_failed(result) ? -1 : value_truth(vm, result);
    release(vm, result);
    return truth;
}

// The attribute `text`; UNBOUND if there is none, VALUE_FAIL: failed. Owned.
static Value find_named(Vm *vm, Value v, const char *text)
{
    Str *name = str_intern(vm, text, strlen(text));
    Value found = name == NULL ? VALUE_FAIL : value_find_attr(vm, v, name);
    object_release_null(&vm->ctx, name);
    return found;
}

// The tuple __bases__ of what passes for a class. Owned; UNBOUND: it does not.
static Value bases_of(Vm *vm, Value v)
{
    Value bases = find_named(vm, v, "__bases__");
    if (!value_failed(bases) && !value_unbound(bases) &&
        !value_is_kind(bases, KIND_TUPLE)) {
        release(vm, bases);
        return VALUE_UNBOUND;
    }
    return bases;
}

static bool check_class(Vm *vm, Value v, const char *refusal)
{
    Value bases = bases_of(vm, v);
    if (value_unbound(bases)) {
        return raise_false(vm, ERR_TYPE, "%s", refusal);
    }
    release(vm, bases);
    return !value_failed(bases);
}

// Whether `cls` is reached from `derived` by __bases__. 1, 0, -1.
static int reaches_class(Vm *vm, Value derived, Value cls)
{
    if (value_same(derived, cls)) {
        return 1;
    }
    if (!ctx_enter_for(&vm->ctx, " in __issubclass__")) {
        return -1;
    }
    Value bases = bases_of(vm, derived);
    int found = value_failed(bases) ? -1 : 0;
    if (value_is_kind(bases, KIND_TUPLE)) {
        const Tuple *tuple = (Tuple *)value_object(bases);
        for (size_t i = 0; found == 0 && i < tuple->count; i++) {
            found = reaches_class(vm, tuple->items[i], cls);
        }
    }
    release(vm, bases);
    ctx_leave(&vm->ctx);
    return found;
}

// An object may pass itself off as of another class by a __class__ of its own,
// as proxies and mocks do.
static int claims_class(Vm *vm, Value v, Value wanted)
{
    if (!(type_of(vm, v)->flags & TYPE_HEAP) &&
        value_is_kind(wanted, KIND_TYPE)) {
        return 0;
    }
    Value claimed = value_find_attr(vm, v, vm->names[NAME_CLASS]);
    int found = value_failed(claimed) ? -1 : 0;
    if (found == 0 && !value_unbound(claimed)) {
        found = !value_is_kind(wanted, KIND_TYPE)
                    ? reaches_class(vm, claimed, wanted)
                    : value_is_kind(claimed, KIND_TYPE) &&
                          type_is_subtype(value_as_type(claimed),
                                          value_as_type(wanted));
    }
    release(vm, claimed);
    return found;
}

// Free functions in C and bound methods of built-in types are laid out in two
// ways, where programs see one type.
static bool is_builtin_callable(const Vm *vm, const Type *cls)
{
    return cls == vm->types[KIND_NATIVE] || cls->def == &bound_native_type_def;
}

// What type.__instancecheck__ answers, and what holds where no class asks.
int class_is_instance(Vm *vm, Value v, Value cls)
{
    if (value_is_kind(v, KIND_SYMBOLIC) &&
        !note_effect(vm, EFFECT_LOOK, "a type", v)) {
        return -1;
    }
    if (!note_question(vm, v)) {
        return -1;
    }
    if (value_is_kind(cls, KIND_TYPE)) {
        return type_is_subtype(type_of(vm, v), value_as_type(cls)) ||
                       (is_builtin_callable(vm, value_as_type(cls)) &&
                        is_builtin_callable(vm, type_of(vm, v)))
                   ? 1
                   : claims_class(vm, v, cls);
    }
    return check_class(vm, cls,
                       "isinstance() arg 2 must be a type, a tuple "
                       "of types, or a union")
               ? claims_class(vm, v, cls)
               : -1;
}

int class_is_subclass(Vm *vm, Value derived, Value cls)
{
    if (value_is_kind(derived, KIND_TYPE) && value_is_kind(cls, KIND_TYPE)) {
        return type_is_subtype(value_as_type(derived), value_as_type(cls));
    }
    return check_class(vm, derived, "issubclass() arg 1 must be a class") &&
                   check_class(vm, cls,
                               "issubclass() arg 2 must be a class, a tuple "
                               "of classes, or a union")
               ? reaches_class(vm, derived, cls)
               : -1;
}

typedef struct Check {
    NameId hook;
    const char *where; // of a recursion that is too deep
    int (*answer)(Vm *vm, Value v, Value cls);
} Check;

static const Check instance_check = {
    NAME_INSTANCECHECK, " in __instancecheck__", class_is_instance};
static const Check subclass_check = {
    NAME_SUBCLASSCHECK, " in __subclasscheck__", class_is_subclass};

// 1, 0, -1. Nested tuples of classes nest C calls.
static int check(Vm *vm, const Check *kind, Value v, Value classes)
{
    // A class whose metaclass is type itself is asked nothing.
    if (value_is_kind(classes, KIND_TYPE) &&
        value_object(classes)->type == vm->types[KIND_TYPE]) {
        return kind->answer(vm, v, classes);
    }
    if (!value_is_kind(classes, KIND_TUPLE)) {
        if (!depth_enter(vm, kind->where)) {
            return -1;
        }
        int asked = class_asks(vm, kind->hook, v, classes);
        depth_leave(vm);
        return asked == 2 ? kind->answer(vm, v, classes) : asked;
    }
    if (!depth_enter(vm, kind->where)) {
        return -1;
    }
    // Stops at the first that fits, so what stands behind it is not checked.
    // Tuples that hold one tuple twice, level by level, are endless work.
    const Tuple *tuple = (Tuple *)value_object(classes);
    int found = ctx_poll(&vm->ctx) ? 0 : -1;
    for (size_t i = 0; found == 0 && i < tuple->count; i++) {
        Value one = tuple->items[i];
        found = kind == &instance_check &&
                        value_same(one, value_from_object(type_of(vm, v)))
                    ? 1
                    : check(vm, kind, v, one);
    }
    depth_leave(vm);
    return found;
}

// An exact instance is one, whatever a metaclass says.
int class_ask_instance(Vm *vm, Value v, Value what)
{
    return value_same(what, value_from_object(type_of(vm, v)))
               ? 1
               : check(vm, &instance_check, v, what);
}

int class_ask_subclass(Vm *vm, Value derived, Value what)
{
    return check(vm, &subclass_check, derived, what);
}
