// __slots__: what a class may list there, and which attributes its instances
// then take.
#include "interp/class_slot_names.h"

#include "interp/class_new.h"
#include "interp/obj_dict.h"
#include "interp/obj_list.h"
#include "interp/obj_str.h"
#include "interp/protocol.h"
#include "interp/str_methods.h"

// "__x" in class _C is stored as "_C__x". Compares without making that text.
// Underscores in front of the class's name are dropped, and a name of nothing
// else mangles nothing: both are CPython's rules.
static bool is_mangled_as(const Str *slot, const Type *cls, const Str *name)
{
    const char *owner = cls->name->text;
    bool private = slot->length > 2 && strncmp(slot->text, "__", 2) == 0 &&
                   strcmp(slot->text + slot->length - 2, "__") != 0;
    owner += strspn(owner, "_");
    if (!private || *owner == '\0') {
        return str_equal(slot, name);
    }
    size_t length = strlen(owner);
    return name->length == slot->length + length + 1 &&
           name->text[0] == '_' && memcmp(name->text + 1, owner, length) == 0 &&
           strcmp(name->text + 1 + length, slot->text) == 0;
}

// The names as a tuple, whatever __slots__ was given as. Owned.
// NULL: it cannot be iterated, and an error is pending.
static Tuple *slot_names(Vm *vm, Value slots)
{
    return value_is_str(slots) ? tuple_from(vm, &slots, 1)
                               : value_to_tuple(vm, slots);
}

// Whether an int, a bytes or another object of no fixed size is extended: it
// has no room for slots in CPython.
static bool has_items_inside(Vm *vm, const Type *cls)
{
    const TypeDef *def = cls->def;
    return def == vm->types[KIND_INT]->def ||
           def == vm->types[KIND_TYPE]->def ||
           def == vm->types[KIND_BYTES]->def ||
           def == vm->types[KIND_TUPLE]->def;
}

// One entry, in the order of CPython's checks.
// False: an error is pending.
static bool check_entry(Vm *vm, Type *cls, Value entry)
{
    if (!value_is_str(entry)) {
        return raise_false(vm, ERR_TYPE,
                           "__slots__ items must be strings, not '%s'",
                           type_name(type_of(vm, entry)));
    }
    Str *name = value_as_str(entry);
    if (!value_same(VALUE_TRUE, str_method_isidentifier(vm, &entry, 1))) {
        return raise_false(vm, ERR_TYPE, "__slots__ must be identifiers");
    }
    // The class body has some of these by itself.
    // The list is CPython's.
    if (str_is(name, "__dict__") || str_is(name, "__weakref__") ||
        str_is(name, "__qualname__") || str_is(name, "__classcell__")) {
        return true;
    }
    Value value; // borrowed
    int found = dict_get(vm, cls->dict, entry, &value);
    if (found <= 0) {
        return found == 0;
    }
    // Where repr() has failed, its own error is the one that stays.
    Str *shown = value_repr(vm, entry);
    if (shown != NULL) {
        raise_error(vm, ERR_VALUE,
                    "%s in __slots__ conflicts with class variable",
                    shown->text);
        object_release(&vm->ctx, shown);
    }
    return false;
}

// Whether a base lets instances have any attribute.
// A base without __slots__ gives its instances a dict, and they keep it in
// every subclass.
static bool inherits_dict(const Type *cls)
{
    for (size_t i = 0; i < cls->bases->count; i++) {
        const Type *base = value_as_type(cls->bases->items[i]);
        if ((base->flags & TYPE_HAS_DICT) != 0 &&
            (base->flags & TYPE_SLOTTED) == 0) {
            return true;
        }
    }
    return false;
}

// An iterator is used up by the look, so what it gave stands in its place.
// False: an error is pending. A dict stays too, for its values are
// documentation.
static bool keep_names(Vm *vm, Type *cls, Value slots, Tuple *names)
{
    return value_is_str(slots) || value_is_kind(slots, KIND_TUPLE) ||
           value_is_kind(slots, KIND_LIST) || value_is_kind(slots, KIND_DICT) ||
           dict_set_name(vm, cls->dict, vm->names[NAME_SLOTS],
                         value_from_object(names));
}

// Nothing to check without __slots__; with them the class takes no other
// attributes, unless a base or an entry brings a __dict__.
// Called once, when the class is made. False: an error is pending.
bool class_check_slots(Vm *vm, Type *cls)
{
    Value slots = dict_get_name(cls->dict, vm->names[NAME_SLOTS]);
    if (value_unbound(slots)) {
        return true;
    }
    // Read once: __slots__ may be an iterator.
    Tuple *names = slot_names(vm, slots);
    if (names == NULL) {
        return false;
    }
    bool good = true, open = inherits_dict(cls);
    // An empty __slots__ asks for no room and is allowed everywhere.
    if (names->count > 0 && has_items_inside(vm, cls)) {
        good = raise_false(vm, ERR_TYPE,
                           "nonempty __slots__ not supported for subtype of "
                           "'%s'",
                           type_name(value_as_type(cls->bases->items[0])));
    }
    for (size_t i = 0; good && i < names->count; i++) {
        good = check_entry(vm, cls, names->items[i]);
        // A __dict__ among them leaves the class open.
        open |= good && str_is(value_as_str(names->items[i]), "__dict__");
    }
    good = good && keep_names(vm, cls, slots, names);
    object_release(&vm->ctx, names);
    cls->flags |= good && !open ? TYPE_SLOTTED : 0;
    return good;
}

// Whether `name` is one of `slots`, a str or what class_check_slots left.
// The program may have changed the class attribute since, which is why nothing
// about it is taken for granted.
static bool lists_name(Value slots, const Type *cls, const Str *name)
{
    if (value_is_str(slots)) {
        return is_mangled_as(value_as_str(slots), cls, name);
    }
    if (value_is_kind(slots, KIND_DICT)) {
        // A dict's values are docstrings of the slots.
        const Dict *dict = value_as_dict(slots);
        uint32_t position = 0;
        Value key, value;
        while (dict_next(dict, &position, &key, &value)) {
            if (value_is_str(key) &&
                is_mangled_as(value_as_str(key), cls, name)) {
                return true;
            }
        }
        return false;
    }
    bool list = value_is_kind(slots, KIND_LIST);
    if (!list && !value_is_kind(slots, KIND_TUPLE)) {
        return true; // the program put something else there: no refusal
    }
    size_t count = list ? value_as_list(slots)->count
                        : value_as_tuple(slots)->count;
    const Value *items = list ? value_as_list(slots)->items
                              : value_as_tuple(slots)->items;
    for (size_t i = 0; i < count; i++) {
        if (value_is_str(items[i]) &&
            is_mangled_as(value_as_str(items[i]), cls, name)) {
            return true;
        }
    }
    return false;
}

// Each class of the MRO adds its own __slots__.
// Asked only of classes with TYPE_SLOTTED, when an instance is given an
// attribute.
bool class_takes_name(Vm *vm, const Type *cls, const Str *name)
{
    for (size_t i = 0; i < cls->mro->count; i++) {
        Type *owner = value_as_type(cls->mro->items[i]);
        Value slots = dict_get_name(owner->dict, vm->names[NAME_SLOTS]);
        if (!value_unbound(slots) && lists_name(slots, owner, name)) {
            return true;
        }
    }
    return false;
}
