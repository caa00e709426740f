// The type of classes.
//
// Invariant: a class is changed through type_set_attr alone, which updates
// its slots and bumps the epoch.
#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/type_lookup.h"
#include "interp/objects/classes/type_members.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/numbers/obj_int.h"

void type_strip(Vm *vm, Type *self)
{
    class_forget(vm, self);
    // Emptied first, released then: a destructor may still meet this class.
    // The names hold nothing, so that the order among these does not matter.
    void *parts[] = {self->dict,     self->bases, self->mro,   self->name,
                     self->qualname, self->base,  self->shown, self->own_slots};
    void *maker = self->maker;
    self->maker = NULL;
    self->fill = NULL; // nothing more comes
    self->dict = NULL;
    self->bases = self->mro = NULL;
    self->name = self->qualname = self->shown = NULL;
    self->base = NULL;
    self->own_slots = NULL;
    vm->epoch++; // caches may hold its shapes and methods
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        object_release_null(&vm->ctx, parts[i]);
    }
    object_release_null(&vm->ctx, maker);
}

// A class that is collected was stripped by its clear slot only in part.
static void type_destroy(Vm *vm, Object *object)
{
    Type *self = (Type *)object;
    type_strip(vm, self);
    // Not before: each instance holds its class, and looks at its shape when
    // the collector comes by, even at the end, when all classes are stripped.
    object_shape_free_tree(vm, self->root_shape);
    object_free(vm, object, sizeof(Type));
}

// The names hold no references, and shapes borrow their class.
static void type_visit(Object *object, void (*visit)(Object *, void *),
                       void *data)
{
    Type *self = (Type *)object;
    void *parts[] = {self->dict, self->bases, self->mro, self->base};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] != NULL) {
            visit(parts[i], data);
        }
    }
}

// The dict goes first, and with it most cycles; the MRO closes the rest. It
// becomes empty, not NULL: instances that die later still ask for slots.
static void type_clear(Vm *vm, Object *object)
{
    Type *self = (Type *)object;
    Tuple *mro = self->mro;
    // Caches may know methods that go with the dict.
    vm->epoch++;
    self->fill = NULL;
    dict_clear(vm, self->dict);
    self->mro = object_retain(vm->empty_tuple);
    object_release_null(&vm->ctx, mro);
}

const char *type_module_prefix(Vm *vm, Type *cls, const char **dot)
{
    // Its own first, which a class has before it has an MRO.
    Value module = dict_get_name(cls->dict, vm->names[NAME_MODULE]);
    if (value_unbound(module)) {
        module = type_lookup(vm, cls, vm->names[NAME_MODULE]);
        if (value_failed(module)) {
            raise_clear(vm); // of a built-in class, which has none
        }
    }
    bool shown =
        value_is_str(module) && !str_is(value_as_str(module), "builtins");
    *dot = shown ? "." : "";
    return shown ? value_as_str(module)->text : "";
}

// Built-in types show a module only if their definition names one.
static Value type_repr(Vm *vm, Value self)
{
    Type *cls = (Type *)value_object(self);
    const char *dot = "", *module = "";
    if (cls->flags & TYPE_HEAP) {
        module = type_module_prefix(vm, cls, &dot);
    } else if (cls->def->module != NULL) {
        module = cls->def->module;
        dot = ".";
    }
    // The qualified name: of a class in a function with what encloses it. An
    // iterator's of a module stands whole in its name.
    bool whole = (cls->flags & TYPE_HEAP) == 0 && cls->def->module == NULL;
    return value_or_fail(
        str_printf(vm, "<class '%s%s%s'>", module, dot,
                   whole ? cls->name->text : cls->qualname->text));
}

// A class's own annotations, never those of a base; made when first read.
// Borrowed; UNBOUND for built-in classes.
static Value own_annotations(Vm *vm, Type *cls)
{
    Str *name = vm->names[NAME_ANNOTATIONS];
    Value found =
        cls->dict == NULL ? VALUE_UNBOUND : dict_get_name(cls->dict, name);
    if (!value_unbound(found) || !(cls->flags & TYPE_HEAP)) {
        return found;
    }
    Dict *made = dict_new(vm);
    Value dict = value_or_fail(made);
    bool ok = made != NULL && dict_set(vm, cls->dict, str_value(name), dict);
    release(vm, dict);
    return ok ? dict : VALUE_FAIL;
}

// A data descriptor of the metaclass, what the class and its bases hold,
// anything else of the metaclass.
static Value type_get_attr(Vm *vm, Value self, Str *name)
{
    Type *cls = (Type *)value_object(self), *meta = cls->head.type;
    // Whatever type itself computes has a name with underscores.
    bool plain = meta == vm->types[KIND_TYPE] && name->text[0] != '_';
    Value computed = plain ? VALUE_UNBOUND : type_lookup(vm, meta, name);
    if (attr_reads_first(computed) || value_failed(computed)) {
        return attr_bind(vm, computed, self, meta);
    }
    Value found = name == vm->names[NAME_ANNOTATIONS]
                      ? own_annotations(vm, cls)
                      : type_lookup(vm, cls, name);
    if (value_failed(found)) {
        return found;
    }
    if (!value_unbound(found)) {
        // A trace notes what it read of a class, since classes change.
        return note_read(vm, cls, value_from_object(name), found)
                   ? attr_bind(vm, found, VALUE_UNBOUND, cls)
                   : VALUE_FAIL;
    }
    computed = plain ? type_lookup(vm, meta, name) : computed;
    if (!value_unbound(computed)) {
        return note_method_read(vm, meta, name, computed)
                   ? attr_bind(vm, computed, self, meta)
                   : VALUE_FAIL;
    }
    return note_read(vm, cls, value_from_object(name), VALUE_UNBOUND)
               ? attr_missing(vm, self, name)
               : VALUE_FAIL;
}

// Neither code nor a descriptor: nothing but the memory of look-ups, which may
// hold the value itself, depends on which one it is.
static bool is_plain_data(Value v)
{
    return !value_is_object(v) ||
           (value_object(v)->type->slots.get_descriptor == NULL &&
            value_object(v)->type->slots.set_descriptor == NULL &&
            value_object(v)->kind != KIND_FUNCTION &&
            value_object(v)->kind != KIND_NATIVE);
}

// Whether plain data takes the place of such data: `Class.count += 1`, which
// must not void each cache each time.
static bool renews_data(Vm *vm, Type *cls, Str *name, Value value)
{
    int32_t number = dict_find_name(cls->dict, name);
    if (number < 0 || !(name->head.flags & STR_INTERNED) ||
        strncmp(name->text, "__", 2) == 0 || !is_plain_data(value) ||
        !is_plain_data(cls->dict->entries[number].value)) {
        return false;
    }
    if (!(name->head.flags & STR_RENEWED)) {
        name->head.flags |= STR_RENEWED;
        vm->epoch++;
    }
    return true;
}

// Stores in the class's dict, or deletes if `value` is UNBOUND. A property of
// the metaclass goes first. class_update_slots puts special methods to work and
// ends what caches know.
static bool type_set_attr(Vm *vm, Value self, Str *name, Value value)
{
    Type *cls = (Type *)value_object(self);
    // Built-in types are shared by all programs of a Vm.
    if (!(cls->flags & TYPE_HEAP)) {
        return raise_false(vm, ERR_TYPE,
                           "cannot set '%s' attribute of immutable type '%s'",
                           name->text, type_name(cls));
    }
    Value computed = type_lookup(vm, cls->head.type, name);
    if (value_failed(computed)) {
        return false;
    }
    // Of the metaclass: __name__, __doc__ and properties of it.
    if (attr_is_data_descriptor(computed)) {
        return value_object(computed)->type->slots.set_descriptor(vm, computed,
                                                                  self, value);
    }
    if (!note_store_at(vm, cls, str_value(name), value)) {
        return false;
    }
    if (!value_unbound(value)) {
        bool renewed = renews_data(vm, cls, name, value);
        return dict_set_name(vm, cls->dict, name, value) &&
               (renewed || class_update_slots(vm, cls, name));
    }
    // 1 removed, 0 absent, -1 failed; only 0 has no error pending yet.
    // What a base has cannot be deleted here: only the class's own dict is
    // asked.
    int removed = dict_remove(vm, cls->dict, value_from_object(name));
    if (removed == 0) {
        attr_not_there(vm, self, name);
    }
    return removed == 1 && class_update_slots(vm, cls, name);
}

// __new__, then __init__, but only if __new__ gave an instance of the class: it
// may give anything.
static Value make_instance(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (cls->slots.make == NULL || cls->mro->count == 0) {
        return raise_error(vm, ERR_TYPE, "cannot create '%s' instances",
                           type_name(cls));
    }
    Value self = cls->slots.make(vm, cls, args, keywords);
    if (value_failed(self)) {
        return self;
    }
    // __init__ of what was made, which may be a subclass.
    Type *made = type_of(vm, self);
    if (type_is_subtype(made, cls) && made->slots.init != NULL &&
        !made->slots.init(vm, self, args, keywords)) {
        release(vm, self);
        return VALUE_FAIL;
    }
    return self;
}

// The last arguments, `values`, belong to `names` one by one.
static Dict *keyword_dict(Vm *vm, const Value *values, Tuple *names)
{
    Dict *dict = dict_new(vm);
    for (size_t i = 0; dict != NULL && i < names->count; i++) {
        if (!dict_set(vm, dict, names->items[i], values[i])) {
            object_release(&vm->ctx, dict);
            return NULL;
        }
    }
    return dict;
}

bool class_init_made(Vm *vm, Value self, Tuple *kept)
{
    Value names = kept->items[kept->count - 1];
    Tuple *keyword_names = value_is_none(names) ? NULL : value_as_tuple(names);
    size_t plain =
        kept->count - 1 - (keyword_names == NULL ? 0 : keyword_names->count);
    bool (*init)(Vm *, Value, Tuple *, Dict *) = type_of(vm, self)->slots.init;
    if (init == NULL || init == vm->object_type->slots.init) {
        return true;
    }
    Tuple *args = tuple_from(vm, kept->items, plain);
    Dict *keywords = args == NULL || keyword_names == NULL
                         ? NULL
                         : keyword_dict(vm, kept->items + plain, keyword_names);
    bool done = args != NULL && (keywords != NULL || keyword_names == NULL) &&
                init(vm, self, args, keywords);
    object_release_null(&vm->ctx, keywords);
    object_release_null(&vm->ctx, args);
    return done;
}

// Calling a class. type(x) with one argument is a question, not a call of the
// constructor. ctx_enter counts the depth, since a constructor may recurse.
Value type_asked(Vm *vm, Value v)
{
    bool known = value_is_kind(v, KIND_SYMBOLIC)
                     ? note_effect(vm, EFFECT_LOOK, "a type", VALUE_UNBOUND)
                     : vm->trace == NULL || note_question(vm, v);
    return known ? value_retain(value_from_object(type_of(vm, v))) : VALUE_FAIL;
}

static Value type_call(Vm *vm, Value self, const Value *args, uint32_t count,
                       Tuple *keyword_names)
{
    Type *cls = (Type *)value_object(self);
    uint32_t keyword_count =
        keyword_names == NULL ? 0 : (uint32_t)keyword_names->count;
    uint32_t plain = count - keyword_count;
    // Of type alone: a metaclass with one argument makes a class, or fails.
    if (cls == vm->types[KIND_TYPE] && plain == 1 && keyword_count == 0) {
        return type_asked(vm, args[0]);
    }
    // The slots take a tuple and a dict, as __new__ and __init__ share them.
    Tuple *all = tuple_from(vm, args, plain);
    Dict *keywords = NULL;
    bool ready = all != NULL;
    if (ready && keyword_count > 0) {
        keywords = keyword_dict(vm, args + plain, keyword_names);
        ready = keywords != NULL;
    }
    Value result = VALUE_FAIL;
    if (ready && ctx_enter(&vm->ctx)) {
        result = make_instance(vm, cls, all, keywords);
        ctx_leave(&vm->ctx);
    }
    object_release_null(&vm->ctx, keywords);
    object_release_null(&vm->ctx, all);
    return result;
}

// What stands for classes by __mro_entries__ is for the class statement.
static bool check_entries(Vm *vm, const Tuple *bases)
{
    for (size_t i = 0; i < bases->count; i++) {
        Value base = bases->items[i];
        if (!value_is_kind(base, KIND_TYPE) &&
            type_has(vm, type_of(vm, base), NAME_MRO_ENTRIES)) {
            return raise_false(vm, ERR_TYPE,
                               "type() doesn't support MRO entry resolution; "
                               "use types.new_class()");
        }
    }
    return true;
}

// What a class may be called: __qualname__ is a name like any other.
static bool check_names(Vm *vm, const Str *name, Dict *body)
{
    if (strlen(name->text) != name->length) {
        return raise_false(vm, ERR_VALUE,
                           "type name must not contain null characters");
    }
    Value qualname = dict_get_name(body, vm->names[NAME_QUALNAME]);
    return value_unbound(qualname) || value_is_str(qualname) ||
           raise_false(vm, ERR_TYPE, "type __qualname__ must be a str, not %s",
                       type_name(type_of(vm, qualname)));
}

// type(name, bases, dict), and what a metaclass's super().__new__ ends in.
static Value type_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (args->count != 3) {
        if (cls != vm->types[KIND_TYPE]) {
            return raise_error(vm, ERR_TYPE,
                               "type.__new__() takes exactly 3 arguments "
                               "(%zu given)",
                               args->count);
        }
        return raise_error(vm, ERR_TYPE,
                           args->count == 1 ? "type() takes no keyword "
                                              "arguments"
                                            : "type() takes 1 or 3 arguments");
    }
    const Value *items = args->items;
    static const Kind kinds[] = {KIND_STR, KIND_TUPLE, KIND_DICT};
    static const char *const names[] = {"str", "tuple", "dict"};
    for (int i = 0; i < 3; i++) {
        if (!value_is_kind(items[i], kinds[i])) {
            return raise_error(vm, ERR_TYPE,
                               "type.__new__() argument %d must be %s, not %s",
                               i + 1, names[i], type_name_given(vm, items[i]));
        }
    }
    if (!check_entries(vm, value_as_tuple(items[1])) ||
        !check_names(vm, value_as_str(items[0]), value_as_dict(items[2]))) {
        return VALUE_FAIL;
    }
    // A metaclass of the bases has a __new__ of its own.
    Type *winner = class_winning_meta(vm, cls, value_as_tuple(items[1]));
    if (winner == NULL) {
        return VALUE_FAIL;
    }
    if (winner != cls && winner->slots.make != type_make) {
        return winner->slots.make(vm, winner, args, keywords);
    }
    Type *made =
        class_new(vm, winner, value_as_str(items[0]), value_as_tuple(items[1]),
                  value_as_dict(items[2]), keywords);
    return value_or_fail(made);
}

static Value type_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    return op == BINARY_OR ? value_union(vm, a, b) : VALUE_NOT_IMPLEMENTED;
}

// object's __init__ would refuse the three arguments.
static bool type_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    (void)vm, (void)self, (void)args, (void)keywords;
    return true;
}

const TypeDef type_type_def = {
    .name = "type",
    .doc = "The class of classes; type(x) is the class of x.",
    .params = "object, bases, dict, **kwds",
    .kind = KIND_TYPE,
    .size = sizeof(Type),
    .operators = "or ror",
    .flags = TYPE_TRACKED,
    .slots = {.destroy = type_destroy,
              .visit = type_visit,
              .clear = type_clear,
              .make = type_make,
              .init = type_init,
              .repr = type_repr,
              .binary = type_binary,
              .call = type_call,
              .get_attr = type_get_attr,
              .set_attr = type_set_attr},
    .methods = type_methods,
    .class_methods = type_class_methods,
    .members = type_members};
