// Modules and sys.modules.
//
// Invariant: a module in sys.modules is complete or being executed; a failed
// import leaves none behind.
#include "interp/module.h"

#include "interp/attr.h"
#include "interp/init.h"

static void module_destroy(Vm *vm, Object *object)
{
    Module *self = (Module *)object;
    object_release_null(&vm->ctx, self->dict);
    object_release(&vm->ctx, self->name);
    object_free(vm, self, sizeof *self);
}

static void module_visit(Object *object, void (*visit)(Object *, void *),
                         void *data)
{
    Module *self = (Module *)object;
    if (self->dict != NULL) {
        visit(&self->dict->head, data);
    }
}

static void module_clear(Vm *vm, Object *object)
{
    Dict *dict = ((Module *)object)->dict;
    ((Module *)object)->dict = NULL;
    object_release_null(&vm->ctx, dict);
}

static Value module_repr(Vm *vm, Value self)
{
    Module *module = (Module *)value_object(self);
    Value file = dict_get_name(module->dict, vm->names[NAME_FILE]);
    Str *text = value_is_str(file)
                    ? str_printf(vm, "<module '%s' from '%s'>",
                                 module->name->text, value_as_str(file)->text)
                    : str_printf(vm, "<module '%s' (built-in)>",
                                 module->name->text);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

static Value module_get_attr(Vm *vm, Value self, Str *name)
{
    Value found = attr_get_generic(vm, self, name);
    if (!value_failed(found) || !raise_matches(vm, ERR_ATTRIBUTE)) {
        return found;
    }
    return raise_error(vm, ERR_ATTRIBUTE, "module '%s' has no attribute '%s'",
                       ((Module *)value_object(self))->name->text, name->text);
}

const TypeDef module_type_def = {
    .name = "module",
    .doc = "What import gives.",
    .kind = KIND_MODULE,
    .size = sizeof(Module),
    .flags = TYPE_TRACKED | TYPE_FINAL | TYPE_HAS_DICT,
    .slots = {.destroy = module_destroy,
              .visit = module_visit,
              .clear = module_clear,
              .repr = module_repr,
              .get_attr = module_get_attr}};

Module *module_new(Vm *vm, Str *name)
{
    Module *self = object_new(vm, type_of_kind(vm, KIND_MODULE), sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->name = object_retain(name);
    self->dict = dict_new(vm);
    if (self->dict == NULL ||
        !dict_set_name(vm, self->dict, vm->names[NAME_NAME],
                       value_from_object(name))) {
        object_release(&vm->ctx, self);
        return NULL;
    }
    return self;
}

Module *module_import(Vm *vm, Str *name)
{
    Value found;
    int state = dict_get(vm, vm->modules, value_from_object(name), &found);
    if (state < 0) {
        return NULL;
    }
    if (state == 1 && value_is_kind(found, KIND_MODULE)) {
        return (Module *)value_object(found);
    }
    return raise_null(vm, ERR_MODULE_NOT_FOUND, "No module named '%s'",
                      name->text);
}

bool modules_init(Vm *vm)
{
    vm->modules = dict_new(vm);
    Str *name = vm->modules == NULL ? NULL : str_intern(vm, "builtins", 8);
    Module *module = name == NULL ? NULL : module_new(vm, name);
    bool done = false;
    if (module != NULL) {
        // The module shows the dict that global look-ups end in.
        Dict *own = module->dict;
        module->dict = object_retain(vm->builtins);
        object_release(&vm->ctx, own);
        done = dict_set_name(vm, vm->modules, name, value_from_object(module));
        object_release(&vm->ctx, module);
    }
    object_release_null(&vm->ctx, name);
    return done;
}

void modules_free(Vm *vm)
{
    object_release_null(&vm->ctx, vm->modules);
    vm->modules = NULL;
}
