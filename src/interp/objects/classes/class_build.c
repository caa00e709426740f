// The class statement: bases, metaclass and namespace before its body runs, the
// call of the metaclass afterwards.
#include "interp/objects/classes/class_new.h"

#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_deque.h"

Type *class_winning_meta(Vm *vm, Type *meta, Tuple *bases)
{
    for (size_t i = 0; i < bases->count; i++) {
        Type *other = type_of(vm, bases->items[i]);
        if (type_is_subtype(other, meta)) {
            meta = other;
        } else if (!type_is_subtype(meta, other)) {
            return raise_null(vm, ERR_TYPE,
                              "metaclass conflict: the metaclass of a derived "
                              "class must be a (non-strict) subclass of the "
                              "metaclasses of all its bases");
        }
    }
    return meta;
}

// Appends what stands for one base: itself, or what its __mro_entries__ says.
// typing's generics are no classes and say by the hook for which class they
// stand (PEP 560).
static bool add_base(Vm *vm, List *list, Value base, Tuple *bases)
{
    Value hook = VALUE_UNBOUND;
    if (!value_is_kind(base, KIND_TYPE)) {
        hook = value_find_method(vm, base, vm->names[NAME_MRO_ENTRIES]);
    }
    if (value_failed(hook) || value_unbound(hook)) {
        return !value_failed(hook) && list_append(vm, list, base);
    }
    Value all = value_from_object(bases);
    Value entries = vm_call(vm, hook, &all, 1);
    release(vm, hook);
    bool tuple = value_is_kind(entries, KIND_TUPLE);
    bool done = !value_failed(entries) &&
                (tuple || raise_false(vm, ERR_TYPE,
                                      "__mro_entries__ must "
                                      "return a tuple")) &&
                list_extend(vm, list, entries);
    release(vm, entries);
    return done;
}

// The bases with List[int] and the like replaced by classes. Owned. `bases`
// itself, retained, where all are classes already.
static Tuple *resolve_bases(Vm *vm, Tuple *bases)
{
    size_t i = 0;
    while (i < bases->count && value_is_kind(bases->items[i], KIND_TYPE)) {
        i++;
    }
    if (i == bases->count) {
        return object_retain(bases);
    }
    List *list = list_new(vm, 0);
    bool done = list != NULL;
    for (i = 0; done && i < bases->count; i++) {
        done = add_base(vm, list, bases->items[i], bases);
    }
    Tuple *resolved = done ? tuple_from(vm, list->items, list->count) : NULL;
    object_release_null(&vm->ctx, list);
    return resolved;
}

// The metaclass that is given, any callable, or that of the first base, be it a
// class or not: `class C(1)` calls int. Owned. A class is replaced by the most
// derived of those of the bases.
static Value choose_meta(Vm *vm, Tuple *bases, Dict *keywords)
{
    Str *key = vm->names[NAME_METACLASS];
    Value meta = value_retain(dict_get_name(keywords, key));
    if (value_unbound(meta)) {
        meta = value_retain(value_from_object(bases->count > 0
                                                  ? type_of(vm, bases->items[0])
                                                  : vm->types[KIND_TYPE]));
    } else if (dict_remove(vm, keywords, value_from_object(key)) < 0) {
        release(vm, meta);
        return VALUE_FAIL;
    }
    if (!value_is_kind(meta, KIND_TYPE)) {
        return meta;
    }
    Type *winner = class_winning_meta(vm, value_as_type(meta), bases);
    Value chosen =
        winner == NULL ? VALUE_FAIL : value_retain(value_from_object(winner));
    release(vm, meta);
    return chosen;
}

// Takes `space`; TypeError unless it has items that are found by keys, as far
// as its type says.
static Value check_mapping(Vm *vm, Value meta, Value space)
{
    if (value_failed(space)) {
        return space;
    }
    // A deque has items, but is a sequence alone: no key is looked up in it.
    Value (*get_item)(Vm *, Value, Value) = type_of(vm, space)->slots.get_item;
    if (get_item != NULL && get_item != deque_type_def.slots.get_item) {
        return space;
    }
    bool is_class = value_is_kind(meta, KIND_TYPE);
    raise_error(vm, ERR_TYPE, "%s.__prepare__() must return a mapping, not %s",
                is_class ? type_name(value_as_type(meta)) : "<metaclass>",
                type_name(type_of(vm, space)));
    release(vm, space);
    return VALUE_FAIL;
}

// What __prepare__ of the metaclass gives; a dict where it has none, or type's
// own, which need not be asked. Owned.
static Value make_space(Vm *vm, Value meta, Str *name, Tuple *bases,
                        Dict *keywords)
{
    Str *key = vm->names[NAME_PREPARE];
    Type *type = vm->types[KIND_TYPE];
    Value hook = VALUE_UNBOUND;
    if (!value_same(meta, value_from_object(type)) &&
        (!value_is_kind(meta, KIND_TYPE) || type_of(vm, meta) != type ||
         !value_same(type_lookup(vm, value_as_type(meta), key),
                     type_lookup(vm, type, key)))) {
        hook = value_find_attr(vm, meta, key);
    }
    if (value_unbound(hook)) {
        return value_or_fail(dict_new(vm));
    }
    Value parts[2] = {value_from_object(name), value_from_object(bases)};
    Tuple *args = value_failed(hook) ? NULL : tuple_from(vm, parts, 2);
    Value space =
        args == NULL ? VALUE_FAIL : vm_call_dict(vm, hook, args, keywords);
    object_release_null(&vm->ctx, args);
    release(vm, hook);
    return check_mapping(vm, meta, space);
}

bool class_prepare(Vm *vm, Str *name, Tuple *bases, Dict *keywords,
                   Prepared *prepared)
{
    Tuple *all = resolve_bases(vm, bases);
    Value meta = all == NULL ? VALUE_FAIL : choose_meta(vm, all, keywords);
    Value space = value_failed(meta)
                      ? VALUE_FAIL
                      : make_space(vm, meta, name, all, keywords);
    if (value_failed(space)) {
        release(vm, meta);
        object_release_null(&vm->ctx, all);
        return false;
    }
    *prepared = (Prepared){all, meta, space};
    return true;
}

static bool put_in(Vm *vm, Value space, const char *name, Value v)
{
    Str *key = str_intern(vm, name, strlen(name));
    bool done =
        key != NULL && value_set_item(vm, space, value_from_object(key), v);
    object_release_null(&vm->ctx, key);
    return done;
}

// type.__new__ has put the class into the cell, unless the metaclass kept it
// from that.
static bool check_cell(Vm *vm, Str *name, Value cls, Value cell)
{
    Value held = ((Cell *)value_object(cell))->value;
    if (value_same(held, cls)) {
        return true;
    }
    Str *shown = value_repr(vm, cls);
    Str *other =
        shown == NULL || value_unbound(held) ? NULL : value_repr(vm, held);
    if (shown != NULL && value_unbound(held)) {
        raise_error(vm, ERR_RUNTIME,
                    "__class__ not set defining '%s' as %s. Was __classcell__ "
                    "propagated to type.__new__?",
                    name->text, shown->text);
    } else if (other != NULL) {
        raise_error(vm, ERR_TYPE, "__class__ set to %s defining '%s' as %s",
                    other->text, name->text, shown->text);
    }
    object_release_null(&vm->ctx, shown);
    object_release_null(&vm->ctx, other);
    return false;
}

// Where bases were replaced, __orig_bases__ keeps what the program wrote
// (PEP 560). The metaclass may be a function: then what it returns is what the
// statement binds.
Value class_build(Vm *vm, Str *name, const Prepared *prepared, Dict *keywords,
                  Tuple *original, Value cell)
{
    bool has_cell = value_is_kind(cell, KIND_CELL);
    if ((has_cell && !put_in(vm, prepared->space, "__classcell__", cell)) ||
        (prepared->bases != original &&
         !put_in(vm, prepared->space, "__orig_bases__",
                 value_from_object(original)))) {
        return VALUE_FAIL;
    }
    Value parts[3] = {value_from_object(name),
                      value_from_object(prepared->bases), prepared->space};
    Tuple *args = tuple_from(vm, parts, 3);
    Value made = args == NULL
                     ? VALUE_FAIL
                     : vm_call_dict(vm, prepared->meta, args, keywords);
    object_release_null(&vm->ctx, args);
    if (!value_failed(made) && has_cell && value_is_kind(made, KIND_TYPE) &&
        !check_cell(vm, name, made, cell)) {
        release(vm, made);
        return VALUE_FAIL;
    }
    return made;
}
