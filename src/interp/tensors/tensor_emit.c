// An Emit over values of the language.
//
// Invariant: every EmitValue is borrowed, either from the caller or from the
// values that the HostEmit owns until it is freed.
#include "interp/tensors/tensor_emit.h"

#include "interp/tensors/apply.h"
#include "ops/emit_op.h"

enum { COMPOSED_FEW = 16 }; // inputs handled without an allocation

// Keeps `value` until the Emit is freed.
static EmitValue keep(HostEmit *host, Value value)
{
    if (value_failed(value)) {
        return NULL;
    }
    if (!vec_push(&host->vm->ctx, &host->owned, value)) {
        value_release(&host->vm->ctx, value);
        return NULL;
    }
    return value_object(value);
}

// Applies the op at once and owns the result. Inputs are borrowed; an op
// without attributes may give NULL for them, where apply_one wants an array.
// A rule goes on after a failure with what does not need its value: nothing is
// applied then.
static EmitValue host_op(Emit *emit, OpCode op, const EmitValue *inputs,
                         uint32_t input_count, const AttrValue *attrs)
{
    static const AttrValue none[OP_MAX_ATTRS];
    HostEmit *host = (HostEmit *)emit;
    Value few[COMPOSED_FEW], *values = few;
    size_t size = input_count * sizeof *values;
    if (ctx_failed(emit->ctx)) {
        return NULL;
    }
    if (input_count > COMPOSED_FEW) {
        values = ctx_alloc(emit->ctx, size);
        if (values == NULL) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < input_count; i++) {
        values[i] = value_from_emit(inputs[i]);
    }
    Value result = apply_one(host->vm, op, values, input_count,
                             attrs != NULL ? attrs : none);
    if (values != few) {
        ctx_free(emit->ctx, values, size);
    }
    return keep(host, result);
}

// An operand knows its type, in a trace as well as outside.
static TensorType host_type(Emit *emit, EmitValue value)
{
    Value operand = value_from_emit(value);
    tensor_shapes(((HostEmit *)emit)->vm, operand);
    return operand_type(operand);
}

// Takes the tensor; NULL means that it could not be made and an error is
// pending.
static EmitValue host_constant(Emit *emit, Tensor *tensor)
{
    HostEmit *host = (HostEmit *)emit;
    return tensor == NULL ? NULL : keep(host, tensor_adopt(host->vm, tensor));
}

// The Emit comes first in the struct: the functions get back from it to the
// host.
void tensor_emit_init(HostEmit *host, Vm *vm)
{
    *host = (HostEmit){.emit = {&vm->ctx, host_op, host_type, host_constant},
                       .vm = vm};
}

void tensor_emit_free(HostEmit *host)
{
    for (size_t i = 0; i < host->owned.count; i++) {
        value_release(&host->vm->ctx, host->owned.items[i]);
    }
    vec_free(&host->vm->ctx, &host->owned);
}

// The result is among what the Emit owns, so it is retained before the Emit is
// freed.
Value tensor_emit_composed(Vm *vm, const OpDesc *op, const Value *inputs,
                           uint32_t input_count, const AttrValue *attrs)
{
    EmitValue few[COMPOSED_FEW], *values = few;
    size_t size = input_count * sizeof *values;
    if (input_count > COMPOSED_FEW) {
        values = ctx_alloc(&vm->ctx, size);
        if (values == NULL) {
            return VALUE_FAIL;
        }
    }
    for (uint32_t i = 0; i < input_count; i++) {
        values[i] = emit_from_value(inputs[i]);
    }
    HostEmit host;
    tensor_emit_init(&host, vm);
    ComposeCall call = {&host.emit, op, attrs, values, input_count};
    EmitValue made = emit_composed(&call);
    Value result =
        made != NULL ? value_retain(value_from_emit(made)) : VALUE_FAIL;
    tensor_emit_free(&host);
    if (values != few) {
        ctx_free(&vm->ctx, values, size);
    }
    return result;
}
