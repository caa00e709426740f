// Binds the op table: each op that has a name becomes a built-in function,
// and a method of tensors where its descriptor says so. Also tensor(), spec()
// and the dtypes.
//
// The parameters that a bound function shows are the descriptor's inputs and
// attributes put together; the text lives in an arena of the Vm.
#include "interp/obj_dict.h"
#include "interp/obj_function.h"
#include "interp/protocol.h"
#include "interp/tensor_call.h"
#include "interp/tensor_convert.h"

// One C function an op: a native function is not told which it is.
#define OP(id, desc)                                                          \
    static Value call_##id(Vm *vm, Value *args, uint32_t count)               \
    {                                                                         \
        return tensor_call_bound(vm, OP_##id, args, count);                   \
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
            strbuf_printf(out, "=%s", attr->default_text);
        }
    }
    return strbuf_ok(out);
}

static const NativeDef *op_native_def(Vm *vm, OpCode code)
{
    const OpDesc *op = op_desc(code);
    StrBuf params;
    NativeDef *def = NULL;
    if (params_text(vm, op, &params)) {
        def = arena_alloc(&vm->tensor_arena, sizeof *def);
    }
    char *text = def == NULL ? NULL
                             : arena_strndup(&vm->tensor_arena,
                                             strbuf_text(&params),
                                             params.length);
    strbuf_free(&params);
    if (text == NULL) {
        return NULL;
    }
    *def = (NativeDef){op->name, text, op_functions[code], op->doc};
    return def;
}

static bool bind_name(Vm *vm, Dict *dict, const char *name, void *object)
{
    Str *key = str_intern(vm, name, strlen(name));
    bool ok = key != NULL && object != NULL &&
              dict_set_name(vm, dict, key, value_from_object(object));
    object_release_null(&vm->ctx, key);
    object_release_null(&vm->ctx, object);
    return ok;
}

static bool bind_method(Vm *vm, const NativeDef *def, Kind kind)
{
    Type *type = vm->types[kind];
    return bind_name(vm, type->dict, def->name, native_new(vm, def, type));
}

// "strings.length" and "rng.normal" go to a namespace, made by the modules of
// those names; here only plain names.
static bool bind_op(Vm *vm, Dict *builtins, OpCode code)
{
    const OpDesc *op = op_desc(code);
    if (op->flags & OP_INTERNAL || strchr(op->name, '.') != NULL) {
        return true;
    }
    const NativeDef *def = op_native_def(vm, code);
    if (def == NULL) {
        return false;
    }
    if (!(op->flags & OP_NO_FUNCTION) &&
        !bind_name(vm, builtins, def->name, native_new(vm, def, NULL))) {
        return false;
    }
    return !(op->flags & OP_METHOD) ||
           (bind_method(vm, def, KIND_TENSOR) &&
            bind_method(vm, def, KIND_SYMBOLIC) &&
            bind_method(vm, def, KIND_VARIABLE));
}

// tensor(value, dtype=None): a tensor of another dtype is cast.
static Value builtin_tensor(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    DType dtype = DT_NONE;
    if (!value_unbound(args[1]) && !value_is_none(args[1]) &&
        !dtype_from_value(vm, args[1], &dtype)) {
        return VALUE_FAIL;
    }
    if (value_is_kind(args[0], KIND_VARIABLE)) {
        Value now = variable_read(vm, value_as_variable(args[0]));
        Value result =
            value_failed(now) ? VALUE_FAIL
                              : tensor_from_value(vm, "tensor", now, dtype);
        value_release(&vm->ctx, now);
        return result;
    }
    return tensor_from_value(vm, "tensor", args[0], dtype);
}

static Value builtin_spec(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return spec_make(vm, vm->types[KIND_SPEC], args);
}

static const NativeDef tensor_functions[] = {
    {"tensor", "value, dtype=None", builtin_tensor,
     "A tensor from numbers, strings, nested lists and tuples, tensors, or "
     "anything with __tensor__. An int becomes int32 (int64 if it does not "
     "fit), a float float32."},
    {"spec", "shape, dtype, name=None", builtin_spec,
     "What a signature asks of an argument: spec((None, 3), float32). None "
     "for a size: any size; for the shape: any rank."},
};

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

// Variable has the shared methods beside its own.
static bool bind_shared_methods(Vm *vm)
{
    for (const NativeDef *def = tensor_methods; def->name != NULL; def++) {
        if (!bind_method(vm, def, KIND_VARIABLE)) {
            return false;
        }
    }
    return true;
}

bool builtins_tensor_init(Vm *vm, Dict *builtins)
{
    for (int i = 0; i < (int)OP_COUNT; i++) {
        if (!bind_op(vm, builtins, (OpCode)i)) {
            return false;
        }
    }
    size_t count = sizeof tensor_functions / sizeof tensor_functions[0];
    for (size_t i = 0; i < count; i++) {
        if (!bind_name(vm, builtins, tensor_functions[i].name,
                       native_new(vm, &tensor_functions[i], NULL))) {
            return false;
        }
    }
    return bind_dtypes(vm, builtins) && bind_shared_methods(vm) &&
           bind_name(vm, builtins, "Variable",
                     object_retain(vm->types[KIND_VARIABLE]));
}
