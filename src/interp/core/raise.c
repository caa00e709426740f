// Raising a text, and forgetting what is pending.
//
// Invariant: an error is pending in ctx.error or in vm->exception, never in
// both.
#include "interp/core/raise.h"

// The newer error replaces the older: only one can be pending.
static void drop_object(Vm *vm)
{
    value_replace(&vm->ctx, &vm->exception, VALUE_UNBOUND);
}

// Only a text is stored: an error that C catches by itself never needs an
// object. A text that finds no memory leaves a MemoryError.
Value raise_error(Vm *vm, ErrorKind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    drop_object(vm);
    ctx_fail_va(&vm->ctx, kind, format, args);
    va_end(args);
    return VALUE_FAIL;
}

Value raise_bare(Vm *vm, Value exception)
{
    ctx_clear(&vm->ctx);
    value_replace(&vm->ctx, &vm->exception, exception);
    return VALUE_FAIL;
}

// Asks a text error without making its object, since the caller may clear it.
Type *raise_class(Vm *vm)
{
    if (!value_unbound(vm->exception)) {
        return type_of(vm, vm->exception);
    }
    // A text error has only a kind: its class is what raise_take would make.
    ErrorKind pending = vm->ctx.error.kind;
    if (pending == ERR_NONE) {
        return NULL;
    }
    Value override = vm->error_overrides[pending];
    return value_is_kind(override, KIND_TYPE) ? (Type *)value_object(override)
                                              : vm->error_types[pending];
}

bool raise_matches(Vm *vm, ErrorKind kind)
{
    Type *cls = raise_class(vm);
    return cls != NULL && type_is_subtype(cls, vm->error_types[kind]);
}

bool raise_is_type_error(Vm *vm)
{
    return raise_matches(vm, ERR_TYPE) && !raise_matches(vm, ERR_SYMBOLIC) &&
           !raise_matches(vm, ERR_LEAK);
}

// Also forgets the subject of an AttributeError, which would be kept alive.
void raise_clear(Vm *vm)
{
    value_replace(&vm->ctx, &vm->error_subject, VALUE_UNBOUND);
    ctx_clear(&vm->ctx);
    drop_object(vm);
}
