// The type of weak references (core/weakref.h has the references themselves).
#include "interp/core/memory.h"
#include "interp/core/weakref.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

static WeakRef *as_weakref(Value v)
{
    return (WeakRef *)value_object(v);
}

// A reference that dies before its target never calls back.
static void weakref_destroy(Vm *vm, Object *self)
{
    WeakRef *ref = (WeakRef *)self;
    if (ref->target != NULL) {
        weakref_unlink(vm, ref);
    }
    release(vm, ref->callback);
    object_free(vm, self, sizeof *ref);
}

// The target is not reported: it is not owned.
static void weakref_visit(Object *self, void (*visit)(Object *, void *),
                          void *data)
{
    Value callback = ((WeakRef *)self)->callback;
    if (value_is_object(callback)) {
        visit(value_object(callback), data);
    }
}

// A dead cycle's callback is not called: the reference dies with its target.
static void weakref_clear_slot(Vm *vm, Object *self)
{
    value_replace(&vm->ctx, &((WeakRef *)self)->callback, VALUE_UNBOUND);
}

// None for the callback is none. Immediate values have no lifetime to watch.
static Value weakref_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)keywords;
    if (args->count < 1 || args->count > 2) {
        return raise_error(vm, ERR_TYPE,
                           "__new__ expected at %s argument%s, got %zu",
                           args->count < 1 ? "least 1" : "most 2",
                           args->count < 1 ? "" : "s", args->count);
    }
    // ref(x, None) is ref(x), and shared as that is.
    bool called = args->count == 2 && !value_is_none(args->items[1]);
    if (!value_is_object(args->items[0])) {
        return raise_error(vm, ERR_TYPE,
                           "cannot create weak reference to '%s' object",
                           type_name(type_of(vm, args->items[0])));
    }
    return value_or_fail(
        weakref_of_class(vm, cls, value_object(args->items[0]),
                         called ? args->items[1] : VALUE_UNBOUND));
}

// The arguments were for weakref_make, which leaves keywords to a class of the
// program.
static bool weakref_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    (void)self;
    if (keywords != NULL && keywords->count > 0) {
        return raise_false(vm, ERR_TYPE, "ref() takes no keyword arguments");
    }
    return (args->count >= 1 && args->count <= 2) ||
           raise_false(vm, ERR_TYPE,
                       "__init__ expected at %s argument%s, got %zu",
                       args->count < 1 ? "least 1" : "most 2",
                       args->count < 1 ? "" : "s", args->count);
}

// Does not ask the target for its repr, which may be large or fail.
static Value weakref_repr(Vm *vm, Value self)
{
    WeakRef *ref = as_weakref(self);
    Object *target = ref->target;
    if (target == NULL) {
        return value_or_fail(
            str_printf(vm, "<weakref at %p; dead>", (void *)ref));
    }
    // What has a name is told by it; looking for it may run code.
    Value held = value_from_object(object_retain(target));
    Value name = value_find_attr(vm, held, vm->names[NAME_NAME]);
    bool named = value_is_str(name);
    Str *text = value_failed(name)
                    ? NULL
                    : str_printf(vm, "<weakref at %p; to '%s' at %p%s%s%s>",
                                 (const void *)ref, type_name(target->type),
                                 (const void *)target, named ? " (" : "",
                                 named ? value_as_str(name)->text : "",
                                 named ? ")" : "");
    release(vm, name);
    release(vm, held);
    return value_or_fail(text);
}

// The target's hash, kept for when it is dead.
static bool weakref_hash(Vm *vm, Value self, uint64_t *hash)
{
    WeakRef *ref = as_weakref(self);
    if (!ref->hashed) {
        if (ref->target == NULL) {
            return raise_false(vm, ERR_TYPE, "weak object has gone away");
        }
        if (!value_hash(vm, value_from_object(ref->target), &ref->hash)) {
            return false;
        }
        // Kept, so that a dictionary finds the reference when its target is
        // dead.
        ref->hashed = true;
    }
    *hash = ref->hash;
    return true;
}

// Equal while both live and are equal; dead ones are what they are.
static Value weakref_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) ||
        !value_is_kind(a, KIND_WEAKREF) || !value_is_kind(b, KIND_WEAKREF)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Object *left = as_weakref(a)->target, *right = as_weakref(b)->target;
    if (left == NULL || right == NULL) {
        // By identity, so that a dead one can still be found and removed.
        return value_from_bool(value_same(a, b) == (op == COMPARE_EQ));
    }
    return value_compare(vm, op, value_from_object(left),
                         value_from_object(right));
}

// Owned, so the target lives at least as long as the caller looks at it.
static Value weakref_call(Vm *vm, Value self, const Value *args, uint32_t count,
                          Tuple *keyword_names)
{
    (void)args, (void)keyword_names;
    if (count != 0) {
        return raise_error(vm, ERR_TYPE,
                           "weakref.__call__() takes no arguments");
    }
    Object *target = as_weakref(self)->target;
    return target == NULL ? VALUE_NONE
                          : value_from_object(object_retain(target));
}

// None also when it has been called already.
static Value get_callback(Vm *vm, Value self)
{
    (void)vm;
    Value callback = as_weakref(self)->callback;
    return value_unbound(callback) ? VALUE_NONE : value_retain(callback);
}

static const MemberDef weakref_members[] = {
    {"__callback__", get_callback, NULL, "Called when the object dies."},
    {NULL, NULL, NULL, NULL}};

// Tracked for the callback, which often holds what holds the reference.
const TypeDef weakref_type_def = {
    .name = "ReferenceType",
    .module = "weakref",
    .doc = "A reference that does not keep its object: call it to get that,\n"
           "or None once it is dead.",
    .params = "object, callback=None, /",
    .kind = KIND_WEAKREF,
    .size = sizeof(WeakRef),
    .flags = TYPE_TRACKED,
    .slots = {.destroy = weakref_destroy,
              .visit = weakref_visit,
              .clear = weakref_clear_slot,
              .make = weakref_make,
              .init = weakref_init,
              .repr = weakref_repr,
              .hash = weakref_hash,
              .compare = weakref_compare,
              .call = weakref_call},
    .members = weakref_members};
