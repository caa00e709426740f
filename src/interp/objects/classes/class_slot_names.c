// __slots__: what a class lists there, and what its instances then have: slots,
// a __dict__, weak references.
#include "interp/objects/classes/class_slot_names.h"

#include "interp/core/weakref.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "interp/objects/text/str_methods.h"

typedef struct SlotLayout {
    bool may_dict, may_weak; // the base has none yet, and there is room
    bool dict, weak;         // added
    List *names;             // of the slots, mangled
} SlotLayout;

// Whether an int, a bytes or another object of no fixed size is extended: it
// has no room for slots.
static bool has_items_inside(Vm *vm, const Type *cls)
{
    const TypeDef *def = cls->def;
    return def == vm->types[KIND_INT]->def ||
           def == vm->types[KIND_TYPE]->def ||
           def == vm->types[KIND_BYTES]->def ||
           def == vm->types[KIND_TUPLE]->def;
}

// "__x" in class _C is stored as "_C__x". Underscores in front of the class's
// name are dropped, and a name of nothing else mangles nothing. Owned,
// interned; NULL: memory.
static Str *mangle(Vm *vm, const Type *cls, Str *name)
{
    const char *owner = cls->name->text + strspn(cls->name->text, "_");
    bool private = name->length > 2 && strncmp(name->text, "__", 2) == 0 &&
                   strcmp(name->text + name->length - 2, "__") != 0;
    if (!private || *owner == '\0') {
        return str_intern_str(vm, name);
    }
    Str *text = str_printf(vm, "_%s%s", owner, name->text);
    Str *made = text == NULL ? NULL : str_intern_str(vm, text);
    object_release_null(&vm->ctx, text);
    return made;
}

// Marks what __dict__ or __weakref__ in the list asks for. False: TypeError.
static bool add_place(Vm *vm, bool may, bool *added, const char *words)
{
    if (!may || *added) {
        return raise_false(vm, ERR_TYPE, "%s", words);
    }
    return *added = true;
}

// A name must not be one of the class's own variables. Two of those that every
// body has are taken out of the class later.
static bool check_free(Vm *vm, const Type *cls, Str *name)
{
    if (str_is(name, "__qualname__") || str_is(name, "__classcell__") ||
        value_unbound(dict_get_name(cls->dict, name))) {
        return true;
    }
    // Where repr() has failed, its own error is the one that stays.
    Str *shown = value_repr(vm, value_from_object(name));
    if (shown != NULL) {
        raise_error(vm, ERR_VALUE,
                    "%s in __slots__ conflicts with class variable",
                    shown->text);
        object_release(&vm->ctx, shown);
    }
    return false;
}

// The first look at an entry: whether it is a name, and __dict__ and
// __weakref__ among them. False: an error is pending.
static bool check_entry(Vm *vm, SlotLayout *layout, Value entry)
{
    if (!value_is_str(entry)) {
        return raise_false(vm, ERR_TYPE,
                           "__slots__ items must be strings, not '%s'",
                           type_name(type_of(vm, entry)));
    }
    if (!value_same(VALUE_TRUE, str_method_isidentifier(vm, &entry))) {
        return raise_false(vm, ERR_TYPE, "__slots__ must be identifiers");
    }
    if (str_is(value_as_str(entry), "__dict__")) {
        return add_place(vm, layout->may_dict, &layout->dict,
                         "__dict__ slot disallowed: we already got one");
    }
    return !str_is(value_as_str(entry), "__weakref__") ||
           add_place(vm, layout->may_weak, &layout->weak,
                     "__weakref__ slot disallowed: either we already got "
                     "one, or __itemsize__ != 0");
}

// The second look: what is a slot goes to layout->names.
static bool add_name(Vm *vm, Type *cls, SlotLayout *layout, Str *entry)
{
    if (str_is(entry, "__dict__") || str_is(entry, "__weakref__")) {
        return true;
    }
    Str *name = mangle(vm, cls, entry);
    bool done = name != NULL && check_free(vm, cls, name) &&
                list_append(vm, layout->names, value_from_object(name));
    object_release_null(&vm->ctx, name);
    return done;
}

// A base other than the one that decides the layout may bring a dict or weak
// references, for which there is room yet.
static void ask_other_bases(const Type *cls, SlotLayout *layout)
{
    for (size_t i = 0; i < cls->bases->count; i++) {
        Type *base = value_as_type(cls->bases->items[i]);
        if (base != cls->base) {
            layout->dict |= layout->may_dict && type_has_dict(base);
            layout->weak |= layout->may_weak && type_takes_weak(base);
        }
    }
}

// What `slots`, the value of __slots__, lists. False: an error is pending.
static bool read_slots(Vm *vm, Type *cls, Value slots, SlotLayout *layout)
{
    Tuple *all = value_is_str(slots) ? tuple_from(vm, &slots, 1)
                                     : value_to_tuple(vm, slots);
    bool good = all != NULL;
    // An empty __slots__ asks for no room and is allowed everywhere.
    if (good && all->count > 0 && has_items_inside(vm, cls)) {
        good = raise_false(vm, ERR_TYPE,
                           "nonempty __slots__ not supported for subtype of "
                           "'%s'",
                           type_name(cls->base));
    }
    for (size_t i = 0; good && i < all->count; i++) {
        good = check_entry(vm, layout, all->items[i]);
    }
    for (size_t i = 0; good && i < all->count; i++) {
        good = add_name(vm, cls, layout, value_as_str(all->items[i]));
    }
    object_release_null(&vm->ctx, all);
    if (good) {
        ask_other_bases(cls, layout);
    }
    return good && list_sort(vm, layout->names, VALUE_UNBOUND, false);
}

// A class that extends a built-in layout has its dict and its slots in front of
// the object; exceptions and modules have places of their own for the dict.
static bool wants_prefix(const Type *cls)
{
    switch (cls->kind) {
    case KIND_INSTANCE:
    case KIND_TYPE: return false;
    case KIND_EXCEPTION:
    case KIND_MODULE: return cls->slot_count > 0;
    default: return cls->slot_count > 0 || (cls->flags & TYPE_HAS_DICT) != 0;
    }
}

static bool set_layout(Vm *vm, Type *cls, const SlotLayout *layout)
{
    size_t count = layout->names->count;
    if (count > 0) {
        cls->own_slots = tuple_from(vm, layout->names->items, count);
    }
    cls->slot_count = cls->base->slot_count + (uint32_t)count;
    cls->flags |= layout->dict ? TYPE_HAS_DICT : 0;
    cls->flags |= layout->weak || type_takes_weak(cls->base) ? TYPE_WEAK : 0;
    cls->flags |= wants_prefix(cls) ? TYPE_DICT_AHEAD : 0;
    return count == 0 || cls->own_slots != NULL;
}

bool class_lay_out(Vm *vm, Type *cls)
{
    const Type *base = cls->base;
    SlotLayout layout = {.may_dict = !type_has_dict(base),
                         .may_weak = !type_takes_weak(base) &&
                                     !has_items_inside(vm, base),
                         .names = list_new(vm, 0)};
    if (layout.names == NULL) {
        return false;
    }
    Value slots = dict_get_name(cls->dict, vm->names[NAME_SLOTS]);
    bool done = true;
    if (value_unbound(slots)) {
        layout.dict = layout.may_dict;
        layout.weak = layout.may_weak;
    } else {
        done = read_slots(vm, cls, slots, &layout);
    }
    done = done && set_layout(vm, cls, &layout);
    object_release(&vm->ctx, layout.names);
    return done;
}

// Takes the member; NULL: it could not be made. What the class has under the
// name already stays.
static bool put_member(Vm *vm, Type *cls, Str *name, Member *member)
{
    bool done = member != NULL &&
                (!value_unbound(dict_get_name(cls->dict, name)) ||
                 dict_set_name(vm, cls->dict, name, value_from_object(member)));
    object_release_null(&vm->ctx, member);
    return done;
}

bool class_add_members(Vm *vm, Type *cls)
{
    const Tuple *own = cls->own_slots;
    for (uint32_t i = 0; own != NULL && i < own->count; i++) {
        Str *name = value_as_str(own->items[i]);
        if (!put_member(
                vm, cls, name,
                member_new_slot(vm, name, cls->base->slot_count + i, cls))) {
            return false;
        }
    }
    const Type *base = cls->base;
    return (type_has_dict(base) || !type_has_dict(cls) ||
            put_member(vm, cls, vm->names[NAME_DICT],
                       member_new(vm, &object_dict_member, cls))) &&
           (type_takes_weak(base) || !type_takes_weak(cls) ||
            put_member(vm, cls, vm->names[NAME_WEAKREF],
                       member_new(vm, &object_weakref_member, cls)));
}
