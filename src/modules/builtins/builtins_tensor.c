// Binds the op table: each op that has a name becomes a built-in function,
// and a method of tensors where its descriptor says so. Also the functions of
// tensor_functions.c and the dtypes. A name with a dot ("rng.normal") stands
// in a namespace, a module that no import finds.
//
// The parameters that a bound function shows are the descriptor's inputs and
// attributes put together; the text lives in an arena of the Vm.
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "modules/builtins/builtins.h"
#include "tape/tape.h"

// One C function an op: a native function is not told which it is.
#define OP(id, desc)                                                           \
    static Value call_##id(Vm *vm, Value *args)                                \
    {                                                                          \
        return tensor_call_bound(vm, OP_##id, args, UINT32_MAX);               \
    }
#include "ops/op_list.h"
#undef OP

static const NativeFn op_functions[OP_COUNT + 1] = {
#define OP(id, desc) call_##id,
#include "ops/op_list.h"
#undef OP
    NULL, // the list may be empty
};

// "x, /, axis=None, keepdims=False" from the descriptor.
static bool params_text(Vm *vm, const OpDesc *op, StrBuf *out)
{
    strbuf_init(out, &vm->ctx);
    strbuf_puts(out, op->params);
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const AttrDesc *attr = &op->attrs[i];
        strbuf_puts(out, out->length != 0 ? ", " : "");
        strbuf_puts(out, attr->name);
        if (attr->default_text != NULL) {
            strbuf_putc(out, '=');
            strbuf_puts(out, attr->default_text);
        }
    }
    return strbuf_ok(out);
}

// Lives as long as the Vm: natives keep the pointer. NULL: no memory.
static const NativeDef *op_native_def(Vm *vm, OpCode code)
{
    const OpDesc *op = op_desc(code);
    StrBuf params;
    NativeDef *def = NULL;
    if (params_text(vm, op, &params)) {
        def = arena_alloc(&vm->tensor_arena, sizeof *def);
    }
    char *text = def == NULL
                     ? NULL
                     : arena_strndup(&vm->tensor_arena, strbuf_text(&params),
                                     params.length);
    strbuf_free(&params);
    if (text == NULL) {
        return NULL;
    }
    *def = (NativeDef){op->name, text, op_functions[code], op->doc};
    return def;
}

// Takes `object`, which may be NULL if making it failed.
static bool bind_name(Vm *vm, Dict *dict, const char *name, void *object)
{
    Str *key = str_intern(vm, name, strlen(name));
    bool ok = key != NULL && object != NULL &&
              dict_set_name(vm, dict, key, value_from_object(object));
    object_release_null(&vm->ctx, key);
    object_release_null(&vm->ctx, object);
    return ok;
}

// The same descriptor serves both kinds; the native's owner tells them apart in
// error texts.
static bool bind_method(Vm *vm, const NativeDef *def, Type *type)
{
    Native *native = native_new(vm, def, type);
    bool ok = native != NULL && dict_set_name(vm, type->dict, native->name,
                                              value_from_object(native));
    object_release_null(&vm->ctx, native);
    return ok;
}

// The dict in which a name belongs: `builtins`, or for "rng.normal" that of
// the namespace `rng`, made when the first such name comes. Borrowed; *name
// moves behind the dot.
static Dict *namespace_of(Vm *vm, Dict *builtins, const char **name)
{
    const char *dot = strchr(*name, '.');
    if (dot == NULL) {
        return builtins;
    }
    Str *space = str_intern(vm, *name, (size_t)(dot - *name));
    if (space == NULL) {
        return NULL;
    }
    *name = dot + 1;
    Value known = dict_get_name(builtins, space);
    Module *module = value_is_kind(known, KIND_MODULE)
                         ? object_retain(value_object(known))
                         : module_new(vm, space);
    bool ok = module != NULL &&
              dict_set_name(vm, builtins, space, value_from_object(module));
    object_release(&vm->ctx, space);
    Dict *dict = ok ? module->dict : NULL; // builtins holds the module
    object_release_null(&vm->ctx, module);
    return dict;
}

// A name with points goes into the namespace that it names: linalg.norm.
static bool bind_function(Vm *vm, Dict *builtins, const NativeDef *def)
{
    const char *name = def->name;
    Dict *dict = namespace_of(vm, builtins, &name);
    return dict != NULL && bind_name(vm, dict, name, native_new(vm, def, NULL));
}

// An internal op has no name in the language.
static bool bind_op(Vm *vm, Dict *builtins, OpCode code)
{
    if (op_desc(code)->flags & (OP_INTERNAL | OP_NO_FUNCTION)) {
        return true;
    }
    const NativeDef *def = op_native_def(vm, code);
    return def != NULL && bind_function(vm, builtins, def);
}

// The methods of tensors, of which symbolic ones are a kind: a Type.fill.
static bool fill_tensor(Vm *vm, Type *cls)
{
    if (!class_add_native(vm, cls)) {
        return false;
    }
    for (int i = 0; i < (int)OP_COUNT; i++) {
        uint32_t flags = op_desc((OpCode)i)->flags;
        if ((flags & OP_INTERNAL) != 0 || (flags & OP_METHOD) == 0) {
            continue;
        }
        const NativeDef *def = op_native_def(vm, (OpCode)i);
        if (def == NULL || !bind_method(vm, def, cls)) {
            return false;
        }
    }
    return true;
}

// bool is the host type, which serves as the dtype too; "string" and the
// sized names are the dtypes' own.
static bool bind_dtypes(Vm *vm, Dict *builtins)
{
    for (int i = 0; i < DT_COUNT; i++) {
        if (i != DT_BOOL && !bind_name(vm, builtins, dtype_name((DType)i),
                                       dtype_new(vm, (DType)i))) {
            return false;
        }
    }
    return true;
}

// Variable has the methods that tensors have beside its own.
static bool fill_variable(Vm *vm, Type *cls)
{
    if (!fill_tensor(vm, cls)) {
        return false;
    }
    for (const NativeDef *def = tensor_methods; def->name != NULL; def++) {
        if (!bind_method(vm, def, cls)) {
            return false;
        }
    }
    return true;
}

// Ops first: functions of tensor_functions.c may replace one of their name.
bool builtins_tensor_init(Vm *vm, Dict *builtins)
{
    for (int i = 0; i < (int)OP_COUNT; i++) {
        if (!bind_op(vm, builtins, (OpCode)i)) {
            return false;
        }
    }
    const NativeDef *tables[2] = {tensor_functions, gradient_functions};
    for (int i = 0; i < 2; i++) {
        for (const NativeDef *def = tables[i]; def->name != NULL; def++) {
            if (!bind_function(vm, builtins, def)) {
                return false;
            }
        }
    }
    vm->types[KIND_TENSOR]->fill = fill_tensor;
    vm->types[KIND_VARIABLE]->fill = fill_variable;
    return bind_dtypes(vm, builtins) &&
           bind_name(vm, builtins, "Tape", object_retain(vm->tape_type)) &&
           bind_name(vm, builtins, "Variable",
                     object_retain(vm->types[KIND_VARIABLE]));
}
