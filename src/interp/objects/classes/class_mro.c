// The method resolution order of a class by C3: repeatedly takes the first
// head of the bases' orders that stands in no other list's tail.
//
// Invariant: a class stands before its bases, and bases stand in the order in
// which each class names them; where both cannot be had there is no class.
#include "interp/objects/classes/class_new.h"

// The MRO of one base, or the bases themselves: what C3 merges. Borrowed.
typedef struct MergeList {
    const Value *items;
    size_t count, position;
} MergeList;

// Whether the class must still wait for another that derives from it.
static bool in_a_tail(const MergeList *lists, size_t count, Value candidate)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = lists[i].position + 1; k < lists[i].count; k++) {
            if (value_same(lists[i].items[k], candidate)) {
                return true;
            }
        }
    }
    return false;
}

// UNBOUND: no head will do, or, with `empty` set, nothing is left to take.
static Value next_head(const MergeList *lists, size_t count, bool *empty)
{
    *empty = true;
    for (size_t i = 0; i < count; i++) {
        if (lists[i].position < lists[i].count) {
            *empty = false;
            Value head = lists[i].items[lists[i].position];
            if (!in_a_tail(lists, count, head)) {
                return head;
            }
        }
    }
    return VALUE_UNBOUND;
}

// A base that stands there twice is refused before anything is merged, which
// would look through all lists for each of them.
static bool bases_differ(Vm *vm, const Tuple *bases)
{
    for (size_t i = 0; i < bases->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (value_same(bases->items[i], bases->items[k])) {
                return raise_false(vm, ERR_TYPE, "duplicate base class %s",
                                   type_name(value_as_type(bases->items[k])));
            }
        }
        if (!ctx_poll(&vm->ctx)) {
            return false;
        }
    }
    return true;
}

static bool head_again(const MergeList *lists, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (lists[k].position < lists[k].count &&
            value_same(lists[k].items[lists[k].position],
                       lists[i].items[lists[i].position])) {
            return true;
        }
    }
    return false;
}

// False, always. The text is fixed: it names what the lists begin with, which
// are the classes that could not be taken.
static bool merge_failed(Vm *vm, const MergeList *lists, size_t count)
{
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    for (size_t i = 0; i < count; i++) {
        if (lists[i].position < lists[i].count && !head_again(lists, i)) {
            Value head = lists[i].items[lists[i].position];
            strbuf_printf(&text, "%s%s", text.length == 0 ? "" : ", ",
                          type_name(value_as_type(head)));
        }
    }
    raise_error(vm, ERR_TYPE,
                "Cannot create a consistent method resolution\n"
                "order (MRO) for bases %s",
                strbuf_text(&text));
    strbuf_free(&text);
    return false;
}

// Appends to `out` until all lists are used up; a class that was taken leaves
// every list that it heads.
static bool merge(Vm *vm, MergeList *lists, size_t count, ValueVec *out)
{
    for (;;) {
        bool empty;
        Value head = next_head(lists, count, &empty);
        if (empty) {
            return true;
        }
        if (value_unbound(head)) {
            return merge_failed(vm, lists, count);
        }
        if (!vec_push(&vm->ctx, out, head) || !ctx_poll(&vm->ctx)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            MergeList *list = &lists[i];
            if (list->position < list->count &&
                value_same(list->items[list->position], head)) {
                list->position++;
            }
        }
    }
}

// The last list is that of the bases, which keeps them in the order in which
// the class statement names them.
Tuple *class_linearize(Vm *vm, Type *cls, Tuple *bases)
{
    if (!bases_differ(vm, bases)) {
        return NULL;
    }
    size_t count = bases->count + 1;
    for (size_t i = 0; i < bases->count; i++) {
        Type *base = value_as_type(bases->items[i]);
        if (base->mro->count == 0) {
            return raise_null(vm, ERR_TYPE,
                              "Cannot extend an incomplete type "
                              "'%s'",
                              type_name(base));
        }
    }
    MergeList *lists = ctx_alloc_zero(&vm->ctx, count * sizeof *lists);
    if (lists == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < bases->count; i++) {
        Tuple *mro = value_as_type(bases->items[i])->mro;
        lists[i] = (MergeList){mro->items, mro->count, 0};
    }
    lists[bases->count] = (MergeList){bases->items, bases->count, 0};
    ValueVec order = {0};
    Tuple *mro = NULL;
    if (vec_push(&vm->ctx, &order, value_from_object(cls)) &&
        merge(vm, lists, count, &order)) {
        mro = tuple_from(vm, order.items, order.count);
    }
    vec_free(&vm->ctx, &order);
    ctx_free(&vm->ctx, lists, count * sizeof *lists);
    return mro;
}

// What the metaclass gave is checked: classes alone, and none whose layout an
// instance of cls does not have.
static bool check_order(Vm *vm, Type *cls, const Tuple *mro)
{
    Type *solid = class_solid_base(vm, cls);
    if (mro->count == 0) {
        return raise_false(vm, ERR_TYPE, "type MRO must not be empty");
    }
    for (size_t i = 0; i < mro->count; i++) {
        if (!value_is_kind(mro->items[i], KIND_TYPE)) {
            return raise_false(vm, ERR_TYPE,
                               "mro() returned a non-class ('%s')",
                               type_name(type_of(vm, mro->items[i])));
        }
        Type *item = value_as_type(mro->items[i]);
        if (!type_is_subtype(solid, class_solid_base(vm, item))) {
            return raise_false(vm, ERR_TYPE,
                               "mro() returned base with unsuitable layout "
                               "('%s')",
                               type_name(item));
        }
    }
    return true;
}

// What `method`, mro() of the metaclass, returns. Owned; NULL: failed.
static Tuple *ask_order(Vm *vm, Type *cls, Value method)
{
    Value made = vm_call(vm, method, NULL, 0);
    Tuple *mro = value_failed(made) ? NULL : value_to_tuple(vm, made);
    release(vm, made);
    if (mro != NULL && !check_order(vm, cls, mro)) {
        object_release(&vm->ctx, mro);
        return NULL;
    }
    return mro;
}

// Takes the new order, NULL: failed. One that code of the program gave the
// class since `before` was its order stays: that code saw the newer bases.
static bool put_order(Vm *vm, Type *cls, Tuple *mro, const Tuple *before,
                      bool *set)
{
    if (mro == NULL) {
        return false;
    }
    *set = cls->mro == before;
    if (!*set) {
        object_release(&vm->ctx, mro);
        return true;
    }
    Tuple *old = cls->mro;
    cls->mro = mro;
    vm->epoch++; // look-ups are remembered
    object_release(&vm->ctx, old);
    return true;
}

// mro() of the metaclass runs while the old order stands, an empty one where
// the class is new: it finds no attributes then, and no class derives from it.
bool class_order(Vm *vm, Type *cls, bool *set)
{
    Type *meta = cls->head.type;
    Str *name = vm->names[NAME_MRO];
    Value method =
        meta->flags & TYPE_HEAP ? type_lookup(vm, meta, name) : VALUE_UNBOUND;
    bool own = !value_unbound(method) && !value_is_kind(method, KIND_NATIVE);
    // Held, so that its address means no other order meanwhile.
    Tuple *before = object_retain(cls->mro);
    bool done;
    if (own) {
        Value bound = value_find_method(vm, value_from_object(cls), name);
        done = !value_failed(bound) &&
               put_order(vm, cls, ask_order(vm, cls, bound), before, set);
        release(vm, bound);
    } else {
        done = put_order(vm, cls, class_linearize(vm, cls, cls->bases), before,
                         set);
    }
    object_release(&vm->ctx, before);
    return done;
}
