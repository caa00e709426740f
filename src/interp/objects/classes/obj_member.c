// Members: the descriptors of computed attributes and of __slots__.
//
// Invariant: a getter or a slot is only reached through an object of the
// member's class or of one that derives from it, since C code trusts the
// layout: a member may be put into any other class.
#include "interp/objects/classes/obj_member.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/object_copying.h"

// A built-in type stays as long as the machine.
static bool owns_class(const Member *self)
{
    return (self->owner->flags & TYPE_HEAP) != 0;
}

static void member_destroy(Vm *vm, Object *object)
{
    Member *self = (Member *)object;
    object_release_null(&vm->ctx, self->name);
    if (owns_class(self)) {
        object_release(&vm->ctx, self->owner);
    }
    object_free(vm, object, sizeof(Member));
}

// A cycle through a member goes through its class, which can break it.
static void member_visit(Object *object, void (*visit)(Object *, void *),
                         void *data)
{
    Member *self = (Member *)object;
    if (owns_class(self)) {
        visit(&self->owner->head, data);
    }
}

// Whether it counts as stored in the object (TypeDef.stored): a refusal to set
// it has other words than that of what is computed. Of natives this holds for
// the methods of types alone.
static bool is_stored(const Vm *vm, const MemberDef *def, const Type *owner)
{
    const char *names = owner->def->stored;
    const char *at = names == NULL || owner == vm->types[KIND_NATIVE]
                         ? NULL
                         : strstr(names, def->name);
    return at != NULL && at[-1] == ' ' && at[strlen(def->name)] == ' ';
}

static Member *make_member(Vm *vm, const MemberDef *def, Str *name,
                           uint32_t index, Type *owner)
{
    bool stored = def == NULL || is_stored(vm, def, owner);
    Member *self =
        object_new(vm, stored ? vm->slot_type : type_of_kind(vm, KIND_MEMBER),
                   sizeof *self);
    if (self != NULL) {
        self->def = def;
        self->owner = owner;
        self->name = name == NULL ? NULL : object_retain(name);
        self->index = index;
        owner->head.rc += owns_class(self);
    }
    return self;
}

Member *member_new(Vm *vm, const MemberDef *def, Type *owner)
{
    return make_member(vm, def, NULL, 0, owner);
}

Member *member_new_slot(Vm *vm, Str *name, uint32_t index, Type *owner)
{
    return make_member(vm, NULL, name, index, owner);
}

// Borrowed from the member.
static const char *member_name(const Member *self)
{
    return self->def != NULL ? self->def->name : self->name->text;
}

int32_t member_slot(Value found, const Type *cls)
{
    if (!value_is_kind(found, KIND_MEMBER)) {
        return -1;
    }
    const Member *self = (const Member *)value_object(found);
    return self->def == NULL && type_is_subtype(cls, self->owner)
               ? (int32_t)self->index
               : -1;
}

Value member_slot_name(Vm *vm, const Type *cls, uint32_t index)
{
    for (size_t i = 0; i < cls->mro->count; i++) {
        Type *base = (Type *)value_object(cls->mro->items[i]);
        const Dict *dict =
            (base->flags & TYPE_HEAP) ? type_dict(vm, base) : NULL;
        Value name, found;
        uint32_t position = 0;
        while (dict != NULL && dict_next(dict, &position, &name, &found)) {
            if (member_slot(found, cls) == (int32_t)index) {
                return name;
            }
        }
    }
    return VALUE_UNBOUND;
}

Value member_peek(Vm *vm, Object *self, Str *name)
{
    int32_t slot = member_slot(type_lookup(vm, self->type, name), self->type);
    if (slot < 0) {
        return instance_get(vm, self, name);
    }
    const Value *place = instance_fixed(self, (uint32_t)slot);
    return place == NULL ? VALUE_UNBOUND : *place;
}

static Value member_repr(Vm *vm, Value value)
{
    const Member *self = (Member *)value_object(value);
    bool stored = self->head.type == vm->slot_type;
    return value_or_fail(str_printf(vm, "<%s '%s' of '%s' objects>",
                                    stored ? "member" : "attribute",
                                    member_name(self), type_name(self->owner)));
}

// The invariant: TypeError for an object of another class.
static bool check_fits(Vm *vm, const Member *self, Value instance)
{
    Type *cls = type_of(vm, instance);
    return LIKELY(type_is_subtype(cls, self->owner)) ||
           raise_false(vm, ERR_TYPE,
                       "descriptor '%s' for '%s' objects doesn't apply to a "
                       "'%s' object",
                       member_name(self), type_name(self->owner),
                       type_name(cls));
}

static Value slot_read(Vm *vm, const Member *self, Object *object)
{
    const Value *place = instance_fixed(object, self->index);
    if (place == NULL || value_unbound(*place)) {
        return attr_missing(vm, value_from_object(object), self->name);
    }
    return note_read(vm, object, str_value(self->name), *place)
               ? value_retain(*place)
               : VALUE_FAIL;
}

// Through the class (instance UNBOUND) a member gives itself.
static Value member_read(Vm *vm, Value value, Value instance, Type *owner)
{
    const Member *self = (Member *)value_object(value);
    (void)owner;
    if (value_unbound(instance)) {
        return value_retain(value);
    }
    if (!check_fits(vm, self, instance)) {
        return VALUE_FAIL;
    }
    return self->def != NULL ? self->def->get(vm, instance)
                             : slot_read(vm, self, value_object(instance));
}

// `value` UNBOUND deletes, which an unset slot refuses, naming itself and no
// more.
static bool slot_write(Vm *vm, const Member *self, Object *object, Value value)
{
    Value *place = instance_fixed_place(vm, object, self->index);
    if (place == NULL) {
        return false;
    }
    if (value_unbound(value) && value_unbound(*place)) {
        return raise_false(vm, ERR_ATTRIBUTE, "%s", self->name->text);
    }
    if ((value_unbound(value) && !note_question(vm, *place)) ||
        !note_store_at(vm, object, str_value(self->name), value)) {
        return false;
    }
    value_replace(&vm->ctx, place, value_retain(value));
    return true;
}

// `value` UNBOUND deletes; whether that is possible is for def->set to say.
static bool member_write(Vm *vm, Value member, Value instance, Value value)
{
    const Member *self = (Member *)value_object(member);
    if (!check_fits(vm, self, instance)) {
        return false;
    }
    if (self->def == NULL) {
        return slot_write(vm, self, value_object(instance), value);
    }
    if (self->def->set == NULL) {
        if (self->head.type == vm->slot_type) {
            return raise_false(vm, ERR_ATTRIBUTE, "readonly attribute");
        }
        return raise_false(vm, ERR_ATTRIBUTE,
                           "attribute '%s' of '%s' objects is not writable",
                           self->def->name, type_name(self->owner));
    }
    return self->def->set(vm, instance, value);
}

// member.__get__(instance, owner): None for the instance is a look-up through
// the class.
static Value member_get(Vm *vm, Value *args)
{
    Value instance = value_is_none(args[1]) ? VALUE_UNBOUND : args[1];
    if (value_unbound(instance) &&
        (value_unbound(args[2]) || value_is_none(args[2]))) {
        return raise_error(vm, ERR_TYPE, "__get__(None, None) is invalid");
    }
    return member_read(vm, args[0], instance, NULL);
}

static const NativeDef member_slot_methods[] = {
    {"__get__", "self, instance, owner=None, /", member_get,
     "The attribute's value for this instance."},
    {NULL, NULL, NULL, NULL},
};

// Copying asks getattr of its class for it.
static const NativeDef member_methods[] = {
    {"__reduce__", "self, /", object_reduce_member,
     "How copying finds it again."},
    {NULL, NULL, NULL, NULL},
};

static Value member_get_name(Vm *vm, Value self)
{
    return value_or_fail(
        str_from(vm, member_name((Member *)value_object(self))));
}

static Value member_get_qualname(Vm *vm, Value self)
{
    const Member *member = (Member *)value_object(self);
    return value_or_fail(str_printf(vm, "%s.%s", member->owner->qualname->text,
                                    member_name(member)));
}

static Value member_get_class(Vm *vm, Value self)
{
    (void)vm;
    const Member *member = (Member *)value_object(self);
    return value_retain(value_from_object(member->owner));
}

// Slots have none: what a dict of slots says of them is for help() alone.
static Value member_get_doc(Vm *vm, Value self)
{
    const MemberDef *def = ((Member *)value_object(self))->def;
    Str *doc = def == NULL ? NULL : str_from(vm, def->doc);
    return def == NULL ? VALUE_NONE : value_or_fail(doc);
}

static const MemberDef member_members[] = {
    {"__doc__", member_get_doc, NULL, "The docstring."},
    {"__name__", member_get_name, NULL, "The attribute's name."},
    {"__objclass__", member_get_class, NULL, "Whose instances have it."},
    {"__qualname__", member_get_qualname, NULL, "The name behind the class's."},
    {NULL, NULL, NULL, NULL}};

#define MEMBER_TYPE(text, words)                                               \
    {                                                                          \
        .name = text, .doc = words, .kind = KIND_MEMBER,                       \
        .size = sizeof(Member), .flags = TYPE_FINAL | TYPE_TRACKED,            \
        .slots = {.destroy = member_destroy,                                   \
                  .visit = member_visit,                                       \
                  .repr = member_repr,                                         \
                  .get_descriptor = member_read,                               \
                  .set_descriptor = member_write},                             \
        .slot_methods = member_slot_methods, .methods = member_methods,        \
        .members = member_members                                              \
    }

const TypeDef member_type_def =
    MEMBER_TYPE("getset_descriptor", "A computed attribute.");
const TypeDef slot_type_def =
    MEMBER_TYPE("member_descriptor", "An attribute with a place of its own.");
