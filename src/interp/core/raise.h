// Raising. An error is pending either in ctx.error (a kind and a text, made
// by any layer) or in vm->exception (an exception object); never in both.
// It stays a text until somebody needs the object (raise_object.h).
#ifndef DUET_INTERP_CORE_RAISE_H
#define DUET_INTERP_CORE_RAISE_H

#include "base/strbuf.h"
#include "interp/core/vm.h"

static inline bool vm_has_error(const Vm *vm)
{
    return ctx_failed(&vm->ctx) || !value_unbound(vm->exception);
}
// Before an AttributeError is raised: whose attribute is missing.
static inline void raise_about(Vm *vm, Value object)
{
    value_replace(&vm->ctx, &vm->error_subject, value_retain(object));
}
// For return statements: VALUE_FAIL, false, NULL, -1.
Value raise_error(Vm *vm, ErrorKind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);
#define raise_false(...) (raise_error(__VA_ARGS__), false)
#define raise_null(...) (raise_error(__VA_ARGS__), NULL)
#define raise_int(...) (raise_error(__VA_ARGS__), -1)
// The pending error's class, borrowed; NULL: there is none.
Type *raise_class(Vm *vm);
// The pending error is an instance of this error class: for C that catches.
bool raise_matches(Vm *vm, ErrorKind kind);
// It is a TypeError, which C code may word anew: a trace's refusals stay.
bool raise_is_type_error(Vm *vm);
void raise_clear(Vm *vm); // drops the pending error
// Takes an exception object, which is pending from here on, its context
// untouched. VALUE_FAIL, always.
Value raise_bare(Vm *vm, Value exception);

#endif
