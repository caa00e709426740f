// Slow paths: functions, classes, calls with lists of arguments, imports.
#include <string.h>

#include "interp/class_new.h"
#include "interp/module.h"
#include "interp/obj_list.h"
#include "interp/vm_run.h"

static Str *name_of(const Frame *f, uint32_t constant)
{
    return value_as_str(f->code->constants[constant]);
}

// Moves a register out.
static Value take(Frame *f, uint32_t reg)
{
    Value v = f->registers[reg];
    f->registers[reg] = VALUE_UNBOUND;
    return v;
}

bool slow_makefunc(Vm *vm, Frame *f, Ins ins)
{
    uint32_t a = INS_A(ins);
    Code *code = (Code *)value_object(f->code->constants[INS_B(ins)]);
    Function *function = function_new(vm, code, f->globals);
    if (function == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < code->captured_count; i++) {
        uint16_t from = code->captures[i];
        Value cell = from & CAPTURE_OUTER ? f->cells[from & ~CAPTURE_OUTER]
                                          : f->registers[from];
        value_replace(&vm->ctx, &function->cells[i], value_retain(cell));
    }
    if (INS_X(ins) & 1) {
        function->defaults = value_as_tuple(take(f, a + 1));
    }
    if (INS_X(ins) & 2) {
        function->keyword_defaults = value_as_dict(take(f, a + 2));
    }
    if (INS_X(ins) & 4) {
        function->annotations = value_as_dict(take(f, a + 3));
    }
    return slow_set(vm, f, a, value_from_object(function));
}

bool slow_mkclass(Vm *vm, Frame *f, Ins ins)
{
    Value *part = &f->registers[INS_A(ins)];
    Dict *keywords = value_as_dict(part[1]);
    Dict *dict = value_as_dict(part[2]);
    if (value_is_kind(part[3], KIND_CELL) &&
        !dict_set_name(vm, dict, vm->names[NAME_CLASSCELL], part[3])) {
        return false;
    }
    Value made = class_build(vm, value_as_str(part[4]),
                             value_as_tuple(part[0]), dict, keywords);
    if (value_failed(made)) {
        return false;
    }
    for (uint32_t i = 1; i < 5; i++) {
        value_replace(&vm->ctx, &part[i], VALUE_UNBOUND);
    }
    return slow_set(vm, f, INS_A(ins), made);
}

bool slow_callx(Vm *vm, Frame *f, Ins ins)
{
    Value *part = &f->registers[INS_A(ins)];
    Tuple *args = value_to_tuple(vm, part[1]);
    if (args == NULL) {
        return false;
    }
    Dict *keywords =
        value_is_kind(part[2], KIND_DICT) ? value_as_dict(part[2]) : NULL;
    Value result = vm_call_dict(vm, part[0], args, keywords);
    object_release(&vm->ctx, args);
    value_replace(&vm->ctx, &part[1], VALUE_UNBOUND);
    value_replace(&vm->ctx, &part[2], VALUE_UNBOUND);
    return slow_set(vm, f, INS_A(ins), result);
}

// --- imports ---

// The package that a relative import starts at, "a.b" for level 1 in a.b.c;
// its length, 0 with an error pending.
static size_t package_length(Vm *vm, const Frame *f, uint32_t level,
                             const Str *module)
{
    size_t length = module->length;
    Value path = dict_get_name(f->globals, vm->names[NAME_PATH]);
    uint32_t strip = value_unbound(path) ? level : level - 1;
    while (strip-- > 0) {
        while (length > 0 && module->text[length - 1] != '.') {
            length--;
        }
        if (length == 0) {
            raise_error(vm, ERR_IMPORT,
                        "attempted relative import with no known parent "
                        "package");
            return 0;
        }
        length--;
    }
    return length;
}

static Str *full_name(Vm *vm, const Frame *f, uint32_t level, Str *name)
{
    if (level == 0) {
        return object_retain(name);
    }
    Value module = dict_get_name(f->globals, vm->names[NAME_NAME]);
    if (!value_is_str(module)) {
        return raise_null(vm, ERR_IMPORT,
                          "attempted relative import with no known parent "
                          "package");
    }
    const Str *from = value_as_str(module);
    size_t length = package_length(vm, f, level, from);
    return length == 0 ? NULL
                       : str_printf(vm, "%.*s%s%s", (int)length, from->text,
                                    name->length > 0 ? "." : "", name->text);
}

bool slow_import(Vm *vm, Frame *f, Ins ins)
{
    Str *name = full_name(vm, f, INS_X(ins), name_of(f, INS_B(ins)));
    if (name == NULL) {
        return false;
    }
    Module *module = module_import(vm, name);
    const char *dot = strchr(name->text, '.');
    bool top = value_is_none(f->code->constants[INS_C(ins)]);
    if (module != NULL && top && dot != NULL) {
        Str *first = str_new(vm, name->text, (size_t)(dot - name->text));
        module = first == NULL ? NULL : module_import(vm, first);
        object_release_null(&vm->ctx, first);
    }
    object_release(&vm->ctx, name);
    return module != NULL && slow_set(vm, f, INS_A(ins),
                                      value_from_object(
                                          object_retain(module)));
}

bool slow_importfrom(Vm *vm, Frame *f, Ins ins)
{
    Value module = f->registers[INS_B(ins)];
    Str *name = name_of(f, INS_C(ins));
    Value found = value_find_attr(vm, module, name);
    if (!value_unbound(found)) {
        return slow_set(vm, f, INS_A(ins), found);
    }
    const Module *from = (const Module *)value_object(module);
    bool is_module = value_is_kind(module, KIND_MODULE);
    if (is_module &&
        !value_unbound(dict_get_name(from->dict, vm->names[NAME_PATH]))) {
        Str *full = str_printf(vm, "%s.%s", from->name->text, name->text);
        Module *child = full == NULL ? NULL : module_import(vm, full);
        object_release_null(&vm->ctx, full);
        if (child != NULL) {
            return slow_set(vm, f, INS_A(ins),
                            value_from_object(object_retain(child)));
        }
        if (!raise_matches(vm, ERR_MODULE_NOT_FOUND)) {
            return false;
        }
        raise_clear(vm);
    }
    return raise_false(vm, ERR_IMPORT,
                       "cannot import name '%s' from '%s' (unknown location)",
                       name->text, is_module ? from->name->text : "?");
}

static bool import_named(Vm *vm, Frame *f, Value module, Value names)
{
    Tuple *list = value_to_tuple(vm, names);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < list->count; i++) {
        if (!value_is_str(list->items[i])) {
            ok = raise_false(vm, ERR_TYPE, "Item in __all__ must be str");
            break;
        }
        Value v = value_get_attr(vm, module, value_as_str(list->items[i]));
        ok = !value_failed(v) &&
             dict_set(vm, f->globals, list->items[i], v);
        release(vm, v);
    }
    object_release_null(&vm->ctx, list);
    return ok;
}

bool slow_importstar(Vm *vm, Frame *f, Ins ins)
{
    Value module = f->registers[INS_A(ins)];
    Dict *dict = ((Module *)value_object(module))->dict;
    Value all = dict_get_name(dict, vm->names[NAME_ALL]);
    bool ok = true;
    if (!value_unbound(all)) {
        ok = import_named(vm, f, module, all);
    } else {
        uint32_t position = 0;
        Value key, value;
        while (ok && dict_next(dict, &position, &key, &value)) {
            ok = !value_is_str(key) || value_as_str(key)->text[0] == '_' ||
                 dict_set(vm, f->globals, key, value);
        }
    }
    slow_drop(vm, f, INS_A(ins));
    return ok;
}
