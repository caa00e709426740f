// Modules as objects.
//
// Invariant: the dict is there but after module_clear, and in a module whose
// making failed.
#include "interp/objects/classes/obj_module.h"

#include "interp/objects/classes/attr.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/errors/raise_whole.h"

// The dict is NULL after module_clear, and in a module whose making failed.
static void module_destroy(Vm *vm, Object *object)
{
    Module *self = (Module *)object;
    object_release_null(&vm->ctx, self->dict);
    object_release(&vm->ctx, self->name);
    object_free(vm, self, sizeof *self);
}

// The name is a str and leads nowhere.
// Only the dict can lead back to the module.
static void module_visit(Object *object, void (*visit)(Object *, void *),
                         void *data)
{
    Module *self = (Module *)object;
    if (self->dict != NULL) {
        visit(&self->dict->head, data);
    }
}

// Functions of the module hold the dict on their own, so they go on working.
static void module_clear(Vm *vm, Object *object)
{
    Dict *dict = ((Module *)object)->dict;
    ((Module *)object)->dict = NULL;
    object_release_null(&vm->ctx, dict);
}

// __file__ tells a module of a file from a native one.
static Value module_repr(Vm *vm, Value self)
{
    Module *module = (Module *)value_object(self);
    Value file = dict_get_name(module->dict, vm->names[NAME_FILE]);
    Value named = dict_get_name(module->dict, vm->names[NAME_NAME]);
    // A module that a program has made has neither a file nor a spec.
    bool made =
        !value_is_str(named) ||
        value_is_none(dict_get_name(module->dict, vm->names[NAME_SPEC]));
    const char *name = value_is_str(named) ? value_as_str(named)->text : "?";
    return value_or_fail(value_is_str(file)
                             ? str_printf(vm, "<module '%s' from '%s'>", name,
                                          value_as_str(file)->text)
                             : str_printf(vm, "<module '%s'%s>", name,
                                          made ? "" : " (built-in)"));
}

// Attributes are the module's names; only the wording of the error differs from
// other objects'. raise_about keeps the module for suggestions of names.
static Value module_get_attr(Vm *vm, Value self, Str *name)
{
    Value found = attr_get_generic(vm, self, name);
    if (!value_failed(found) || !raise_matches(vm, ERR_ATTRIBUTE)) {
        return found;
    }
    const Module *module = (Module *)value_object(self);
    // PEP 562.
    Value ask = module->dict == NULL
                    ? VALUE_UNBOUND
                    : dict_get_name(module->dict, vm->names[NAME_GETATTR]);
    // A module's own function makes what is not there.
    if (!value_unbound(ask)) {
        raise_clear(vm);
        Value argument = str_value(name);
        return vm_call(vm, ask, &argument, 1);
    }
    // The module may have given itself another name.
    Value named = module->dict == NULL
                      ? VALUE_UNBOUND
                      : dict_get_name(module->dict, vm->names[NAME_NAME]);
    raise_about(vm, self);
    if (!value_is_str(named)) {
        return raise_whole(vm, ERR_ATTRIBUTE, "module%s has no attribute '%s'",
                           "", name);
    }
    return raise_whole(vm, ERR_ATTRIBUTE,
                       module->initializing
                           ? "partially initialized module '%s' has no "
                             "attribute '%s' (most likely due to a circular "
                             "import)"
                           : "module '%s' has no attribute '%s'",
                       value_as_str(named)->text, name);
}

// False: an error is pending. `value` unbound deletes, which C code that reads
// the name need not know.
static bool module_set_attr(Vm *vm, Value self, Str *name, Value value)
{
    if (!attr_set_generic(vm, self, name, value)) {
        return false;
    }
    const Module *module = (const Module *)value_object(self);
    if (module->stored != NULL && !value_unbound(value)) {
        module->stored(vm, name, value);
    }
    return true;
}

// With __name__ alone, and not yet in sys.modules. NULL: failed.
static Module *new_of_class(Vm *vm, Type *cls, Str *name)
{
    Module *self = object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->name = object_retain(name);
    self->dict = dict_new(vm);
    self->library = self->initializing = false;
    self->stored = NULL;
    if (self->dict != NULL) {
        self->dict->globals = true;
    }
    // module_destroy accepts a module without a dict. A docstring takes the
    // place of None.
    if (self->dict == NULL ||
        !dict_set_name(vm, self->dict, vm->names[NAME_NAME],
                       value_from_object(name)) ||
        !dict_set_name(vm, self->dict, vm->names[NAME_DOC], VALUE_NONE)) {
        object_release(&vm->ctx, self);
        return NULL;
    }
    return self;
}

Module *module_new(Vm *vm, Str *name)
{
    return new_of_class(vm, type_of_kind(vm, KIND_MODULE), name);
}

// A module without a name; its __init__ gives one.
// The dict is emptied: a module that was only made has not even a __name__.
static Value module_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args;
    (void)keywords;
    Str *name = str_from(vm, "?");
    Module *self = name == NULL ? NULL : new_of_class(vm, cls, name);
    object_release_null(&vm->ctx, name);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    dict_clear(vm, self->dict);
    return value_from_object(self);
}

// ModuleType(name, doc=None), for modules that a program makes.
// False: an error is pending.
static bool module_init(Vm *vm, Value v, Tuple *args, Dict *keywords)
{
    static const char *const params[] = {"name", "doc"};
    Value given[2];
    if (!arguments_spread(vm, "module", args, keywords, params, 2, 0, given)) {
        return false;
    }
    if (value_unbound(given[0])) {
        return raise_false(vm, ERR_TYPE,
                           "module() missing required argument "
                           "'name' (pos 1)");
    }
    if (!value_is_str(given[0])) {
        return raise_false(vm, ERR_TYPE,
                           "module() argument 'name' must be str, not %s",
                           type_name_given(vm, given[0]));
    }
    Module *self = (Module *)value_object(v);
    // __init__ may be called again.
    Str *old = self->name;
    self->name = object_retain(value_as_str(given[0]));
    object_release_null(&vm->ctx, old);
    Value doc = value_unbound(given[1]) ? VALUE_NONE : given[1];
    return dict_set_name(vm, self->dict, vm->names[NAME_NAME], given[0]) &&
           dict_set_name(vm, self->dict, vm->names[NAME_DOC], doc) &&
           module_add(vm, self->dict, "__package__", VALUE_NONE) &&
           module_add(vm, self->dict, "__loader__", VALUE_NONE) &&
           module_add(vm, self->dict, "__spec__", VALUE_NONE);
}

const TypeDef module_type_def = {.name = "module",
                                 .doc = "What import gives.",
                                 .kind = KIND_MODULE,
                                 .size = sizeof(Module),
                                 .flags = TYPE_TRACKED | TYPE_HAS_DICT,
                                 .slots = {.destroy = module_destroy,
                                           .visit = module_visit,
                                           .clear = module_clear,
                                           .make = module_make,
                                           .init = module_init,
                                           .repr = module_repr,
                                           .get_attr = module_get_attr,
                                           .set_attr = module_set_attr}};

bool module_add(Vm *vm, Dict *dict, const char *name, Value value)
{
    Str *key = value_failed(value) ? NULL : str_intern(vm, name, strlen(name));
    bool done = key != NULL && dict_set_name(vm, dict, key, value);
    object_release_null(&vm->ctx, key);
    release(vm, value);
    return done;
}

bool module_add_builtins(Vm *vm, Dict *globals, bool as_module)
{
    Str *key = vm->names[NAME_BUILTINS];
    if (dict_find_name(globals, key) >= 0) {
        return true;
    }
    Value module = as_module
                       ? dict_get_name(vm->modules, vm->names[NAME_OF_BUILTINS])
                       : VALUE_UNBOUND;
    return dict_set_name(vm, globals, key,
                         value_unbound(module) ? value_from_object(vm->builtins)
                                               : module);
}
