// The Types of a Vm: making the built-in ones and their variants.
//
// Invariant: after types_init every Type has a name, an MRO that starts with
// itself and ends with object, and a dict. Built-in types live as long as the
// Vm.
#include "interp/objects/classes/types.h"

#include "interp/core/memory.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_function.h"

extern const TypeDef type_type_def;

// Fills the slots that `cls` leaves out from its base, as an array of
// function pointers: all members of TypeSlots are that.
static void inherit_slots(TypeSlots *slots, const TypeSlots *base)
{
    typedef void (*AnySlot)(void);
    enum { SLOT_COUNT = sizeof(TypeSlots) / sizeof(AnySlot) };
    // Copies: C allows no array of functions to alias the struct.
    AnySlot own[SLOT_COUNT], from[SLOT_COUNT];
    memcpy(own, slots, sizeof own);
    memcpy(from, base, sizeof from);
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        own[i] = own[i] != NULL ? own[i] : from[i];
    }
    const TypeSlots given = *slots;
    memcpy(slots, own, sizeof own);
    if (given.destroy != NULL) {
        // A layout of its own: the base's fields are not there.
        slots->visit = given.visit;
        slots->clear = given.clear;
    }
}

// object's own __new__ makes an Instance, which no other layout is: a built-in
// type that says nothing about making cannot be called.
static void inherit_make(Vm *vm, Type *cls, const TypeDef *def,
                         const Type *base)
{
    if (base == vm->object_type && def->slots.make == NULL) {
        cls->slots.make = NULL;
    }
}

// First step of two: enough of a type for objects to be made of it. Names,
// dicts and MROs need strs, dicts and tuples, whose types must be there before.
static Type *create_builtin(Vm *vm, const TypeDef *def, Type *base)
{
    // type itself is not there yet when object is made.
    Type bootstrap = {
        .def = &type_type_def, .kind = KIND_TYPE, .flags = type_type_def.flags};
    Type *meta = vm->types[KIND_TYPE];
    Type *cls = object_new(vm, meta != NULL ? meta : &bootstrap, sizeof *cls);
    if (cls == NULL) {
        return NULL;
    }
    // The struct is written as a whole; what object_new set must survive that.
    Object head = cls->head;
    *cls = (Type){.head = head,
                  .def = def,
                  .slots = def->slots,
                  .base = base,
                  .flags = def->flags,
                  .kind = def->kind};
    // Only for object and type, the first two, there is no meta yet.
    cls->head.type = meta != NULL ? meta : cls;
    if (meta == NULL && base != NULL) {
        base->head.type = cls; // this is type, and that was object
    }
    if (base != NULL) {
        object_retain(base);
        inherit_slots(&cls->slots, &base->slots);
        inherit_make(vm, cls, def, base);
        cls->flags |= base->flags & TYPE_EXCEPTION;
    }
    return cls;
}

// object without type knows not even how to be destroyed.
static void drop_lone_object(Vm *vm)
{
    if (vm->object_type != NULL && vm->types[KIND_TYPE] == NULL) {
        GcLinks *block = object_links(&vm->object_type->head);
        links_remove(block);
        ctx_free(&vm->ctx, block, sizeof *block + sizeof(Type));
        vm->object_type = NULL;
    }
}

static Type **place_of(Vm *vm, size_t offset)
{
    return (Type **)(void *)((char *)vm + offset);
}

// In the order of the table, where a base stands before what derives from it.
static bool create_types(Vm *vm)
{
    for (const BuiltinType *row = vm->builtin_types; row->def != NULL; row++) {
        Type *base = row->base == 0 ? NULL : *place_of(vm, row->base);
        Type *made = create_builtin(vm, row->def, base);
        if (made == NULL) {
            return false;
        }
        *place_of(vm, row->place) = made;
    }
    vm->types[KIND_INSTANCE] = vm->object_type;
    return true;
}

// On failure only what can be freed is left: without type, object cannot be
// released like other objects.
bool types_create(Vm *vm)
{
    if (!create_types(vm)) {
        drop_lone_object(vm);
        return false;
    }
    return true;
}

// Names that are there already are kept, so that it may be called again.
static bool intern_names(Vm *vm)
{
    static const char *const texts[] = {
#define NAME(id, text) text,
#include "interp/core/name_list.h"
#undef NAME
    };
    for (size_t i = 0; i < NAME_COUNT; i++) {
        // A start that failed for want of memory may be tried again.
        if (vm->names[i] == NULL) {
            vm->names[i] = str_intern(vm, texts[i], strlen(texts[i]));
            if (vm->names[i] == NULL) {
                return false;
            }
        }
    }
    return true;
}

// Messages name a type of a module with that; __name__ leaves it out.
static bool name_with_module(Vm *vm, Type *cls, const char *name)
{
    if (cls->def->module == NULL) {
        // Iterators of modules have the module in their name.
        const char *dot = strrchr(name, '.');
        Str *last =
            dot == NULL ? NULL : str_intern(vm, dot + 1, strlen(dot + 1));
        if (last != NULL) {
            object_release(&vm->ctx, cls->qualname);
            cls->qualname = last;
        }
        return dot == NULL || last != NULL;
    }
    Str *whole = str_printf(vm, "%s.%s", cls->def->module, name);
    if (whole != NULL) {
        object_release(&vm->ctx, cls->name);
        cls->name = whole;
    }
    return whole != NULL;
}

// Second step: name, bases and MRO; methods come at the first look-up.
static bool name_builtin(Vm *vm, Type *cls)
{
    const char *name = cls->def->name;
    cls->name = str_intern(vm, name, strlen(name));
    cls->dict = dict_new(vm);
    if (cls->name == NULL || cls->dict == NULL) {
        return false;
    }
    cls->qualname = object_retain(cls->name);
    if (!name_with_module(vm, cls, name)) {
        return false;
    }
    Value base =
        cls->base == NULL ? VALUE_UNBOUND : value_from_object(cls->base);
    cls->bases = tuple_from(vm, &base, cls->base == NULL ? 0 : 1);
    if (cls->bases == NULL) {
        return false;
    }
    cls->mro = class_linearize(vm, cls, cls->bases);
    cls->fill = class_add_native;
    return cls->mro != NULL;
}

// __module__ and __qualname__ can be set only when str and dict exist.
static bool name_builtins(Vm *vm)
{
    // In the order of the table, so that a base has its MRO first.
    for (const BuiltinType *row = vm->builtin_types; row->def != NULL; row++) {
        if (!name_builtin(vm, *place_of(vm, row->place))) {
            return false;
        }
    }
    return true;
}

// Made as a class, then given the slots and flags of `def` in place of those
// that a class of the program has.
static Type *make_variant(Vm *vm, const TypeDef *def, const char *name,
                          Type *parent)
{
    Str *text = str_intern(vm, name, strlen(name));
    Value base = value_from_object(parent);
    Tuple *bases = text == NULL ? NULL : tuple_from(vm, &base, 1);
    // A class of the program may not derive from it, but this one does.
    uint32_t final = parent->flags & TYPE_FINAL;
    parent->flags &= ~final;
    Type *cls = bases == NULL ? NULL : class_create(vm, text, bases, def);
    parent->flags |= final;
    object_release_null(&vm->ctx, bases);
    object_release_null(&vm->ctx, text);
    if (cls == NULL) {
        return NULL;
    }
    if (!name_with_module(vm, cls, name)) {
        object_release(&vm->ctx, cls);
        return NULL;
    }
    // Without this its instances would have the layout of a class's.
    cls->slots = def->slots;
    inherit_slots(&cls->slots, &vm->object_type->slots);
    inherit_make(vm, cls, def, vm->object_type);
    cls->flags = def->flags;
    cls->kind = def->kind;
    cls->fill = class_add_native;
    return cls;
}

Type *type_variant_of(Vm *vm, const TypeDef *def, const char *name, Type *base)
{
    // By the address of the name, a literal: each iterator asks.
    VariantMemo *memo =
        &vm->variant_memo[(uintptr_t)name / 4 % VARIANT_MEMO_SLOTS];
    if (LIKELY(memo->name == name)) {
        return memo->type;
    }
    // Two literals of one text have one type.
    size_t length = strlen(name);
    uint64_t *place = map_get(&vm->type_variants, name, length);
    Type *made = place != NULL ? (Type *)(uintptr_t)*place
                               : make_variant(vm, def, name, base);
    if (made == NULL || (place == NULL && !map_put(&vm->type_variants, name,
                                                   length, (uintptr_t)made))) {
        object_release_null(&vm->ctx, made);
        return NULL;
    }
    *memo = (VariantMemo){.name = name, .type = made};
    return made;
}

Type *type_variant(Vm *vm, const TypeDef *def, const char *name)
{
    return type_variant_of(vm, def, name, vm->object_type);
}

// Names first: the other steps look them up.
bool types_init(Vm *vm)
{
    return intern_names(vm) && name_builtins(vm) && error_types_init(vm);
}

// Calls `visit` for every type that the Vm holds.
static void each_type(Vm *vm, void (*visit)(Vm *vm, Type *cls))
{
    Type *first = vm->object_type, *meta = vm->types[KIND_TYPE];
    // Variants and errors derive from built-in types, and go first.
    const Map *variants = &vm->type_variants;
    for (size_t i = 0; i < variants->capacity; i++) {
        if (variants->entries[i].key != NULL) {
            visit(vm, (Type *)(uintptr_t)variants->entries[i].value);
        }
    }
    for (int i = 0; i < ERR_COUNT; i++) {
        if (vm->error_types[i] != NULL) {
            visit(vm, vm->error_types[i]);
        }
    }
    for (const BuiltinType *row = vm->builtin_types; row->def != NULL; row++) {
        Type *cls = *place_of(vm, row->place);
        if (cls != NULL && cls != first && cls != meta) {
            visit(vm, cls);
        }
    }
    // object and type last: all others depend on them.
    if (first != NULL) {
        visit(vm, first);
    }
    if (meta != NULL) {
        visit(vm, meta);
    }
}

static void release_type(Vm *vm, Type *cls)
{
    object_release(&vm->ctx, cls);
}

// Types refer to each other and own what only they can destroy, so they are
// emptied first, while all of them still stand.
void types_strip(Vm *vm)
{
    each_type(vm, type_strip);
}

void types_free(Vm *vm)
{
    each_type(vm, release_type);
}
