// The native half of the module operator: what itemgetter, attrgetter and
// methodcaller do when they are called.
//
// lib/python/operator.duet derives the classes that programs see.
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "modules/builtins/builtins.h"
#include "modules/importing/module.h"
#include "modules/native/operator_functions.h"

// All three. Invariant: keys is NULL only before __init__.
typedef struct Getter {
    Object head;
    Tuple *keys;    // counted: keys, interned names, or a method's arguments
    Str *method;    // counted: the name that a methodcaller calls, else NULL
    Dict *keywords; // counted: those of a methodcaller; NULL: none
} Getter;

static Getter *as_getter(Value v)
{
    return (Getter *)value_object(v);
}

// The tuple may be shared with the call that made the getter.
static void getter_destroy(Vm *vm, Object *self)
{
    object_release_null(&vm->ctx, ((Getter *)self)->keys);
    object_release_null(&vm->ctx, ((Getter *)self)->method);
    object_release_null(&vm->ctx, ((Getter *)self)->keywords);
    object_free(vm, self, sizeof(Getter));
}

// A key may be an object that holds the getter.
static void getter_visit(Object *self, void (*visit)(Object *, void *),
                         void *data)
{
    Getter *getter = (Getter *)self;
    void *const parts[] = {getter->keys, getter->method, getter->keywords};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] != NULL) {
            visit(parts[i], data);
        }
    }
}

static Value getter_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args;
    (void)keywords;
    Getter *self = object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->keys = NULL;
    self->method = NULL;
    self->keywords = NULL;
    return value_from_object(self);
}

// Sets the keys (taken); there may be some from an earlier __init__.
static void set_keys(Vm *vm, Getter *self, Tuple *keys)
{
    Tuple *old = self->keys;
    self->keys = keys;
    object_release_null(&vm->ctx, old);
}

// Keywords are refused here, in the words of a function that takes none; no
// keys at all has a text of its own.
// The arguments are the keys; the tuple of them is shared.
static bool getter_init(Vm *vm, Value v, Tuple *args, Dict *keywords)
{
    if (!arguments_check(vm, "itemgetter", args, keywords, SIZE_MAX)) {
        return false;
    }
    if (args->count == 0) {
        return raise_false(vm, ERR_TYPE,
                           "itemgetter expected 1 argument, got 0");
    }
    set_keys(vm, as_getter(v), object_retain(args));
    return true;
}

// A call takes one argument and no keywords. `name` is whose call it is.
// False: a TypeError is pending.
static bool check_call(Vm *vm, const Getter *self, const char *name,
                       uint32_t count, const Tuple *keyword_names)
{
    if (keyword_names != NULL && keyword_names->count != 0) {
        return raise_false(vm, ERR_TYPE, "%s() takes no keyword arguments",
                           name);
    }
    // NULL: __init__ has not run.
    return (count == 1 && self->keys != NULL) ||
           raise_false(vm, ERR_TYPE, "%s expected 1 argument, got %u", name,
                       count);
}

static Value getter_call(Vm *vm, Value v, const Value *args, uint32_t count,
                         Tuple *keyword_names)
{
    if (!check_call(vm, as_getter(v), "itemgetter", count, keyword_names)) {
        return VALUE_FAIL;
    }
    Tuple *keys = as_getter(v)->keys;
    // One key gives the item itself, several a tuple.
    if (keys->count == 1) {
        return value_get_item(vm, args[0], keys->items[0]);
    }
    // Code of the program may replace the keys meanwhile.
    object_retain(keys);
    Tuple *items = tuple_new(vm, keys->count);
    // Slots that are not filled yet are unbound: the tuple can be released at
    // any point.
    for (size_t i = 0; items != NULL && i < keys->count; i++) {
        items->items[i] = value_get_item(vm, args[0], keys->items[i]);
        if (value_failed(items->items[i])) {
            object_release(&vm->ctx, items);
            items = NULL;
        }
    }
    object_release(&vm->ctx, keys);
    return value_or_fail(items);
}

// --- attrgetter ---

// The names, interned, so that look-ups know them by their address.
// A name may hold dots; they are taken apart at each call, since most names
// have none and are one look-up then.
static bool attributes_init(Vm *vm, Value v, Tuple *args, Dict *keywords)
{
    if (!arguments_check(vm, "attrgetter", args, keywords, SIZE_MAX)) {
        return false;
    }
    if (args->count == 0) {
        return raise_false(vm, ERR_TYPE,
                           "attrgetter expected 1 argument, got 0");
    }
    Tuple *names = tuple_new(vm, args->count);
    for (size_t i = 0; names != NULL && i < args->count; i++) {
        Str *name = NULL;
        if (value_is_str(args->items[i])) {
            const Str *text = value_as_str(args->items[i]);
            name = str_intern(vm, text->text, text->length);
        } else {
            raise_error(vm, ERR_TYPE, "attribute name must be a string");
        }
        if (name == NULL) {
            object_release(&vm->ctx, names);
            return false;
        }
        names->items[i] = str_value(name);
    }
    if (names != NULL) {
        set_keys(vm, as_getter(v), names);
    }
    return names != NULL;
}

// obj.a.b for the path "a.b". Owned.
static Value attribute(Vm *vm, Value obj, Str *path)
{
    const char *at = path->text, *end = at + path->length;
    const char *dot = memchr(at, '.', path->length);
    if (dot == NULL) {
        return value_get_attr(vm, obj, path);
    }
    // Each step's object is owned, the first one too.
    value_retain(obj);
    while (at != NULL && !value_failed(obj)) {
        const char *stop = dot == NULL ? end : dot;
        Str *name = str_intern(vm, at, (size_t)(stop - at));
        Value next = name == NULL ? VALUE_FAIL : value_get_attr(vm, obj, name);
        object_release_null(&vm->ctx, name);
        // Whether the look-up succeeded or not: `next` is all that is needed
        // from here on.
        release(vm, obj);
        obj = next;
        at = dot == NULL ? NULL : dot + 1;
        dot = at == NULL ? NULL : memchr(at, '.', (size_t)(end - at));
    }
    return obj;
}

// One name gives the attribute itself, several give a tuple.
static Value attributes_call(Vm *vm, Value v, const Value *args, uint32_t count,
                             Tuple *keyword_names)
{
    if (!check_call(vm, as_getter(v), "attrgetter", count, keyword_names)) {
        return VALUE_FAIL;
    }
    // Code of the program may replace the names meanwhile.
    // Two results share the way out: `result` for one name, `values` for
    // several; the one that is not wanted stays as it is here.
    Tuple *names = object_retain(as_getter(v)->keys), *values = NULL;
    Value result = VALUE_FAIL;
    if (names->count == 1) {
        result = attribute(vm, args[0], value_as_str(names->items[0]));
    } else {
        values = tuple_new(vm, names->count);
    }
    for (size_t i = 0; values != NULL && i < names->count; i++) {
        values->items[i] =
            attribute(vm, args[0], value_as_str(names->items[i]));
        if (value_failed(values->items[i])) {
            values->items[i] = VALUE_NONE;
            object_release(&vm->ctx, values);
            values = NULL;
        }
    }
    object_release(&vm->ctx, names);
    return values != NULL ? value_from_object(values) : result;
}

// --- methodcaller ---

// The method's name, then its arguments and keywords.
// Nothing of the getter is touched until every part of the new state has been
// made: a failed __init__ leaves the old one usable.
static bool caller_init(Vm *vm, Value v, Tuple *args, Dict *keywords)
{
    if (args->count == 0) {
        return raise_false(vm, ERR_TYPE,
                           "methodcaller needs at least one "
                           "argument, the method name");
    }
    if (!value_is_str(args->items[0])) {
        return raise_false(vm, ERR_TYPE, "method name must be a string");
    }
    const Str *text = value_as_str(args->items[0]);
    Getter *self = as_getter(v);
    bool named = keywords != NULL && keywords->count != 0;
    // tuple_from counts its items again, so the tuple owns what it holds.
    Tuple *rest = tuple_from(vm, args->items + 1, args->count - 1);
    Str *name = rest == NULL ? NULL : str_intern(vm, text->text, text->length);
    Dict *copy = name == NULL || !named ? NULL : dict_copy(vm, keywords);
    if (name == NULL || (named && copy == NULL)) {
        object_release_null(&vm->ctx, rest);
        object_release_null(&vm->ctx, name);
        return false;
    }
    object_release_null(&vm->ctx, self->method);
    object_release_null(&vm->ctx, self->keywords);
    self->method = name;
    self->keywords = copy;
    set_keys(vm, self, rest);
    return true;
}

// The method is looked up anew in each object; what is held here outlives the
// call, which may run __init__ again.
// With keywords the method is bound first and then called by a dict; without
// them value_call_method goes without the bound method.
static Value caller_call(Vm *vm, Value v, const Value *args, uint32_t count,
                         Tuple *keyword_names)
{
    Getter *self = as_getter(v);
    if (!check_call(vm, self, "methodcaller", count, keyword_names)) {
        return VALUE_FAIL;
    }
    Tuple *keys = object_retain(self->keys);
    Str *name = object_retain(self->method);
    Value result;
    if (self->keywords == NULL) {
        result = value_call_method(vm, args[0], name, keys->items,
                                   (uint32_t)keys->count);
    } else {
        Dict *keywords = object_retain(self->keywords);
        Value method = value_get_attr(vm, args[0], name);
        result = value_failed(method)
                     ? method
                     : vm_call_dict(vm, method, keys, keywords);
        release(vm, method);
        object_release(&vm->ctx, keywords);
    }
    object_release(&vm->ctx, name);
    object_release(&vm->ctx, keys);
    return result;
}

// For __repr__, which is written in Duet.
// The tuple itself, since nothing of it can change.
static Value get_keys(Vm *vm, Value self)
{
    Tuple *keys = as_getter(self)->keys;
    return value_from_object(
        object_retain(keys == NULL ? vm->empty_tuple : keys));
}

// The name; empty for a caller that was never initialised.
static Value get_method(Vm *vm, Value self)
{
    Str *name = as_getter(self)->method;
    return str_value(object_retain(name == NULL ? vm->empty_str : name));
}

// The dict itself, or an empty one.
static Value get_keywords(Vm *vm, Value self)
{
    Dict *keywords = as_getter(self)->keywords;
    return value_or_fail(keywords == NULL ? dict_new(vm)
                                          : object_retain(keywords));
}

static const MemberDef getter_members[] = {
    {"_items", get_keys, NULL, "The keys, as a tuple."},
    {"_method", get_method, NULL, "The method's name."},
    {"_keywords", get_keywords, NULL, "The keywords, as a dict."},
    {NULL, NULL, NULL, NULL}};

// The three differ in what their arguments are and in what a call does.
#define GETTER_TYPE(stem, title, starts, calls)                                \
    static const TypeDef stem##_type_def = {                                   \
        .name = #stem,                                                         \
        .doc = "The native part of " title ".",                                \
        .kind = KIND_OPAQUE,                                                   \
        .size = sizeof(Getter),                                                \
        .flags = TYPE_TRACKED,                                                 \
        .operators = "",                                                       \
        .slots = {.destroy = getter_destroy,                                   \
                  .visit = getter_visit,                                       \
                  .make = getter_make,                                         \
                  .init = starts,                                              \
                  .call = calls},                                              \
        .members = getter_members,                                             \
    };
GETTER_TYPE(getter, "itemgetter", getter_init, getter_call)
GETTER_TYPE(attributes, "attrgetter", attributes_init, attributes_call)
GETTER_TYPE(caller, "methodcaller", caller_init, caller_call)

// The classes that those of lib/operator derive from.
static bool add_getters(Vm *vm, Dict *dict)
{
    static const TypeDef *const defs[] = {
        &getter_type_def, &attributes_type_def, &caller_type_def};
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        Type *cls = type_variant(vm, defs[i], defs[i]->name);
        if (cls == NULL || !module_add(vm, dict, defs[i]->name,
                                       value_from_object(object_retain(cls)))) {
            return false;
        }
    }
    return true;
}

const ModuleDef operator_module = {.name = "operator",
                                   .doc = "The native half of operator.",
                                   .functions = operator_functions,
                                   .init = add_getters};
