// The bases of a class: their lists of subclasses, assignment to __bases__, and
// the rule for that and for __class__: instances must be laid out alike.
//
// Invariant: a failure leaves the class and all that derive from it with the
// bases, MROs and slots that they had.
#include "interp/objects/classes/class_new.h"

#include "interp/core/memory.h"
#include "interp/core/weakref.h"
#include "interp/objects/classes/class_slot_names.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/errors/exception_fields.h"
#include "interp/objects/text/obj_str.h"

// Notes cls in the lists of its bases, so that what they inherit on is updated
// in it. The list holds no count: class_forget takes a dying class out. False:
// memory.
static bool register_subclass(Vm *vm, Type *base, Type *cls)
{
    if (base->subclass_count == base->subclass_capacity) {
        uint32_t capacity = base->subclass_capacity * 2 + 2;
        Type **grown = ctx_realloc(&vm->ctx, base->subclasses,
                                   base->subclass_capacity * sizeof *grown,
                                   capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        base->subclasses = grown;
        base->subclass_capacity = capacity;
    }
    base->subclasses[base->subclass_count++] = cls;
    return true;
}

// A failure half-way is mended by class_forget when the class is released.
bool class_register(Vm *vm, Type *cls)
{
    for (size_t i = 0; i < cls->bases->count; i++) {
        if (!register_subclass(vm, value_as_type(cls->bases->items[i]), cls)) {
            return false;
        }
    }
    return true;
}

void class_unregister(Type *cls)
{
    for (size_t i = 0; cls->bases != NULL && i < cls->bases->count; i++) {
        Type *base = value_as_type(cls->bases->items[i]);
        uint32_t at = 0;
        while (at < base->subclass_count && base->subclasses[at] != cls) {
            at++;
        }
        if (at < base->subclass_count) {
            base->subclass_count--;
            // The order stays: __subclasses__() shows it.
            memmove(base->subclasses + at, base->subclasses + at + 1,
                    (base->subclass_count - at) * sizeof(Type *));
        }
    }
}

// Bases outlive their subclasses and hold no count of them, so that a dying
// class must not stay in their lists.
void class_forget(Vm *vm, Type *cls)
{
    class_unregister(cls);
    ctx_free(&vm->ctx, cls->subclasses,
             cls->subclass_capacity * sizeof(Type *));
    cls->subclasses = NULL;
    cls->subclass_count = cls->subclass_capacity = 0;
}

// What decides how an instance is laid out: the definition of the nearest
// built-in class. All iterators share one, and yet no object is a map and a
// zip: there the class itself decides; as among errors, which share one, those
// with fields of their own.
static const void *layout_of(const Type *cls)
{
    return cls->kind == KIND_ITERATOR ? (const void *)cls
                                      : (const void *)cls->def;
}

static bool adds_layout(Vm *vm, const Type *cls)
{
    if (cls->flags & TYPE_HEAP) {
        return cls->own_slots != NULL;
    }
    return cls->base == NULL || layout_of(cls) != layout_of(cls->base) ||
           exception_has_fields(vm, cls);
}

Type *class_solid_base(Vm *vm, Type *cls)
{
    while (!adds_layout(vm, cls)) {
        cls = cls->base;
    }
    return cls;
}

Type *class_best_base(Vm *vm, Tuple *bases)
{
    Type *best = NULL, *winner = NULL;
    for (size_t i = 0; i < bases->count; i++) {
        if (!value_is_kind(bases->items[i], KIND_TYPE)) {
            return raise_null(vm, ERR_TYPE, "bases must be types");
        }
        Type *base = value_as_type(bases->items[i]);
        if (base->flags & TYPE_FINAL) {
            return raise_null(vm, ERR_TYPE,
                              "type '%s' is not an acceptable base type",
                              type_name(base));
        }
        Type *candidate = class_solid_base(vm, base);
        if (winner == NULL || (!type_is_subtype(winner, candidate) &&
                               type_is_subtype(candidate, winner))) {
            winner = candidate;
            best = base;
        } else if (!type_is_subtype(winner, candidate)) {
            return raise_null(vm, ERR_TYPE,
                              "multiple bases have instance "
                              "lay-out conflict");
        }
    }
    return best;
}

// The nearest class, cls itself included, whose instances are laid out
// otherwise than those of its base.
static Type *laid_out_by(Type *cls)
{
    while ((cls->flags & TYPE_HEAP) && cls->own_slots == NULL &&
           type_has_dict(cls) == type_has_dict(cls->base) &&
           type_takes_weak(cls) == type_takes_weak(cls->base)) {
        cls = cls->base;
    }
    return cls;
}

// Whether both add the same to one base. 1, 0, -1. No two built-in classes do.
static int adds_same(Vm *vm, Type *a, Type *b)
{
    if (a->base != b->base || type_has_dict(a) != type_has_dict(b) ||
        type_takes_weak(a) != type_takes_weak(b) ||
        (a->flags & b->flags & TYPE_HEAP) == 0) {
        return 0;
    }
    if (a->own_slots == NULL || b->own_slots == NULL) {
        return a->own_slots == b->own_slots;
    }
    return value_equal(vm, value_from_object(a->own_slots),
                       value_from_object(b->own_slots));
}

// Whether the collector knows its instances; layouts of both kinds do not mix.
static bool is_collected(Vm *vm, const Type *cls)
{
    return cls != vm->object_type && (cls->flags & TYPE_TRACKED) != 0;
}

bool class_check_layout(Vm *vm, Type *from, Type *to, const char *what)
{
    if (is_collected(vm, from) != is_collected(vm, to)) {
        return raise_false(vm, ERR_TYPE,
                           "%s assignment: '%s' deallocator differs from '%s'",
                           what, type_name(to), type_name(from));
    }
    Type *left = laid_out_by(from), *right = laid_out_by(to);
    int same = left == right ? 1 : adds_same(vm, left, right);
    // What the flags say has to be alike in any case: it is our layout.
    const uint32_t layout = TYPE_TRACKED | TYPE_EXCEPTION | TYPE_HAS_DICT |
                            TYPE_WEAK | TYPE_DICT_AHEAD;
    if (same > 0 && (from->flags & layout) != (to->flags & layout) &&
        from->kind != KIND_MODULE) {
        same = 0;
    }
    return same > 0 ||
           (same == 0 &&
            raise_false(vm, ERR_TYPE,
                        "%s assignment: '%s' object layout differs from '%s'",
                        what, type_name(to), type_name(from)));
}

static bool check_items(Vm *vm, Type *cls, const Tuple *bases)
{
    for (size_t i = 0; i < bases->count; i++) {
        if (!value_is_kind(bases->items[i], KIND_TYPE)) {
            return raise_false(vm, ERR_TYPE,
                               "%s.__bases__ must be tuple of classes, not "
                               "'%s'",
                               type_name(cls),
                               type_name(type_of(vm, bases->items[i])));
        }
        // An MRO may lag behind the bases while mro() of the program runs.
        Type *base = value_as_type(bases->items[i]);
        if (type_is_subtype(base, cls) || type_in_base_chain(base, cls)) {
            return raise_false(vm, ERR_TYPE,
                               "a __bases__ item causes an "
                               "inheritance cycle");
        }
    }
    return true;
}

// The base that decides the layout of cls with these bases; NULL: refused.
static Type *accept_bases(Vm *vm, Type *cls, Value value)
{
    if (!(cls->flags & TYPE_HEAP) || value_unbound(value)) {
        return raise_null(vm, ERR_TYPE,
                          "cannot %s '__bases__' attribute of immutable type "
                          "'%s'",
                          value_unbound(value) ? "delete" : "set",
                          type_name(cls));
    }
    if (!value_is_kind(value, KIND_TUPLE)) {
        return raise_null(vm, ERR_TYPE,
                          "can only assign tuple to %s.__bases__, not %s",
                          type_name(cls), type_name(type_of(vm, value)));
    }
    Tuple *bases = (Tuple *)value_object(value);
    if (bases->count == 0) {
        return raise_null(vm, ERR_TYPE,
                          "can only assign non-empty tuple to %s.__bases__, "
                          "not ()",
                          type_name(cls));
    }
    Type *base =
        check_items(vm, cls, bases) ? class_best_base(vm, bases) : NULL;
    return base != NULL && class_check_layout(vm, cls->base, base, "__bases__")
               ? base
               : NULL;
}

// A class whose order was replaced, for the way back. All are owned.
typedef struct OldOrder {
    Type *cls;
    Tuple *mro;   // what it had
    Tuple *given; // and what it got; NULL: nothing yet
} OldOrder;

typedef VEC(OldOrder) OldOrders;

static bool reorder(Vm *vm, Type *cls, OldOrders *olds);

// mro() of the program may change the list of subclasses meanwhile, so that a
// copy is walked.
static bool reorder_subclasses(Vm *vm, Type *cls, OldOrders *olds)
{
    size_t count = cls->subclass_count;
    Tuple *all = count == 0 ? NULL : tuple_new(vm, count);
    if (all == NULL) {
        return count == 0;
    }
    for (size_t i = 0; i < count; i++) {
        all->items[i] = value_retain(value_from_object(cls->subclasses[i]));
    }
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        done = reorder(vm, value_as_type(all->items[i]), olds);
    }
    object_release(&vm->ctx, all);
    return done;
}

// New orders for cls and all that derive from it, the bases first. Where mro()
// of the program gave cls another order by itself, its subclasses have theirs.
// The depth of class trees is the program's choice.
static bool reorder(Vm *vm, Type *cls, OldOrders *olds)
{
    OldOrder old = {cls, cls->mro, NULL};
    if (!vec_push(&vm->ctx, olds, old)) {
        return false;
    }
    size_t at = olds->count - 1;
    object_retain(cls);
    object_retain(old.mro);
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool own;
    bool done = class_order(vm, cls, &own);
    if (done && own) {
        olds->items[at].given = object_retain(cls->mro);
        done = reorder_subclasses(vm, cls, olds);
    }
    ctx_leave(&vm->ctx);
    return done;
}

// Ends a reorder: after a failure the old orders come back, but where the
// program has set another one since.
static void settle(Vm *vm, OldOrders *olds, bool done)
{
    for (size_t i = 0; i < olds->count; i++) {
        OldOrder *old = &olds->items[i];
        Tuple *drop = old->mro;
        if (!done && old->given == old->cls->mro) {
            drop = old->cls->mro;
            old->cls->mro = old->mro;
        }
        object_release(&vm->ctx, drop);
        object_release_null(&vm->ctx, old->given);
        object_release(&vm->ctx, old->cls);
    }
    vec_free(&vm->ctx, olds);
    vm->epoch++;
}

// Gives cls these bases; what it had comes back through the pointers.
static void exchange(Type *cls, Tuple **bases, Type **base)
{
    Tuple *old_bases = cls->bases;
    Type *old_base = cls->base;
    cls->bases = *bases;
    cls->base = *base;
    *bases = old_bases;
    *base = old_base;
}

// Takes cls out of the lists of what `bases` and `base` keep, its old bases,
// and enters it among the subclasses of the new ones. After a failure, memory,
// it is in those of the old ones, in which there is room.
static bool move_entry(Vm *vm, Type *cls, Tuple **bases, Type **base)
{
    exchange(cls, bases, base);
    class_unregister(cls);
    exchange(cls, bases, base);
    // An assignment around this one may have come from these very bases.
    class_unregister(cls);
    if (class_register(vm, cls)) {
        return true;
    }
    class_unregister(cls);
    exchange(cls, bases, base);
    bool back = class_register(vm, cls);
    (void)back;
    exchange(cls, bases, base);
    return false;
}

// mro() of the program may assign to __bases__ as well: what it set stays then,
// be the outer assignment done or not. The lists of subclasses change last.
bool class_set_bases(Vm *vm, Type *cls, Value value)
{
    Type *base = accept_bases(vm, cls, value);
    if (base == NULL) {
        return false;
    }
    Tuple *given = (Tuple *)value_object(value);
    Tuple *bases = object_retain(given);
    object_retain(base);
    exchange(cls, &bases, &base);
    OldOrders olds = {0};
    bool done = reorder(vm, cls, &olds);
    if (done && cls->bases == given) {
        done = move_entry(vm, cls, &bases, &base);
    }
    settle(vm, &olds, done);
    if (!done && cls->bases == given) {
        exchange(cls, &bases, &base);
    }
    object_release(&vm->ctx, bases);
    object_release(&vm->ctx, base);
    return done && class_update_slots(vm, cls, NULL);
}
