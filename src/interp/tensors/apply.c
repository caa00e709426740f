// apply: the one place where a tensor operation either runs or is recorded.
//
// Eagerly, a Variable counts as its value at this moment. Inside a trace every
// operation goes to the stager, operations on eager tensors too, so that a
// graph holds all that the function did.
#include "interp/tensors/apply.h"

#include "interp/core/raise.h"
#include "interp/hooks/recorder.h"
#include "interp/tensors/obj_tensor.h"
#include "interp/tensors/tensor_emit.h"
#include "ops/finite.h"

enum { APPLY_FEW = 8 }; // inputs handled without an allocation

// Borrowed. A symbolic tensor outside its trace has no value: LeakError.
static bool operand_tensor(Vm *vm, OpCode op, Value v, Tensor **out)
{
    if (LIKELY(value_is_tensor(v))) {
        *out = value_as_tensor(v);
        return true;
    }
    if (value_is_kind(v, KIND_VARIABLE)) {
        *out = variable_cell(value_as_variable(v))->value;
        return true;
    }
    return vm->hooks->leak(vm, op_desc(op)->name, value_as_symbolic(v)), false;
}

// Eagerly: `tensors` is room for the operands, which the caller provides.
static bool run(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                const AttrValue *attrs, Tensor **tensors, Value *outputs,
                uint32_t *output_count)
{
    for (uint32_t i = 0; i < input_count; i++) {
        if (!operand_tensor(vm, op, inputs[i], &tensors[i])) {
            return false;
        }
    }
    // Results take the place of the operands' pointers one by one, so they
    // need an array of their own.
    Tensor *few[OP_MAX_OUTPUTS];
    Tensor **results = few;
    size_t size = 0;
    if (UNLIKELY(op_desc(op)->output_count == 0)) {
        size = *output_count * sizeof *results;
        results = ctx_alloc(&vm->ctx, size);
        if (results == NULL) {
            return false;
        }
    }
    // Owned tensors, not yet values of this Vm.
    bool ok = op_run(&vm->ctx, op, tensors, input_count, attrs, results,
                     output_count);
    if (UNLIKELY(ok && vm->check_numbers) &&
        !finite_check(&vm->ctx, op_desc(op)->name, tensors, input_count,
                      results, *output_count)) {
        for (uint32_t i = 0; i < *output_count; i++) {
            object_release(&vm->ctx, results[i]);
        }
        ok = false;
    }
    for (uint32_t i = 0; ok && i < *output_count; i++) {
        outputs[i] = tensor_adopt(vm, results[i]);
    }
    if (size != 0) {
        ctx_free(&vm->ctx, results, size);
    }
    return ok;
}

// Without a tape; composed ops are the caller's.
static bool apply_op(Vm *vm, OpCode op, const Value *inputs,
                     uint32_t input_count, const AttrValue *attrs,
                     Value *outputs, uint32_t *output_count)
{
    if (UNLIKELY(vm->trace != NULL)) {
        return vm->hooks->apply(vm, op, inputs, input_count, attrs, outputs,
                                output_count);
    }
    // On the C stack: most ops have one to three inputs.
    Tensor *few[APPLY_FEW];
    if (LIKELY(input_count <= APPLY_FEW)) {
        return run(vm, op, inputs, input_count, attrs, few, outputs,
                   output_count);
    }
    size_t size = input_count * sizeof(Tensor *);
    Tensor **tensors = ctx_alloc(&vm->ctx, size);
    if (tensors == NULL) {
        return false;
    }
    bool ok =
        run(vm, op, inputs, input_count, attrs, tensors, outputs, output_count);
    ctx_free(&vm->ctx, tensors, size);
    return ok;
}

// A read outside of a trace that a tape sees: the value as a tensor of its own,
// since several Variables may hold the same.
static bool read_for_tape(Vm *vm, Value variable, Value *out)
{
    Tensor *value = variable_cell(value_as_variable(variable))->value;
    Tensor *own =
        tensor_reshaped(&vm->ctx, value, value->rank, tensor_dims(value));
    *out = own == NULL ? VALUE_FAIL : tensor_adopt(vm, own);
    return own != NULL;
}

// Runs or appends, and tells the tapes. Operands are no Variables but that of
// a read.
static bool apply_and_record(Vm *vm, OpCode op, const Value *inputs,
                             uint32_t input_count, const AttrValue *attrs,
                             Value *outputs, uint32_t *output_count)
{
    bool read = op == OP_READ_VARIABLE && vm->trace == NULL;
    if (!(read ? read_for_tape(vm, inputs[0], outputs)
               : apply_op(vm, op, inputs, input_count, attrs, outputs,
                          output_count))) {
        return false;
    }
    *output_count = read ? 1 : *output_count;
    if (recorder_tell(vm, op, inputs, input_count, attrs, outputs,
                      *output_count)) {
        return true;
    }
    for (uint32_t i = 0; i < *output_count; i++) {
        value_release(&vm->ctx, outputs[i]);
    }
    return false;
}

// Variables among the operands are read first, so that a tape knows what they
// held.
static bool apply_taped(Vm *vm, OpCode op, const Value *inputs,
                        uint32_t input_count, const AttrValue *attrs,
                        Value *outputs, uint32_t *output_count)
{
    bool any = false;
    for (uint32_t i = 0; i < input_count; i++) {
        any = any || value_is_kind(inputs[i], KIND_VARIABLE);
    }
    if (!any || op_desc(op)->payload == PAYLOAD_RESOURCE) {
        return apply_and_record(vm, op, inputs, input_count, attrs, outputs,
                                output_count);
    }
    size_t size = input_count * sizeof(Value);
    Value *values = ctx_alloc(&vm->ctx, size);
    uint32_t made = 0;
    bool ok = values != NULL;
    while (ok && made < input_count) {
        values[made] = value_is_kind(inputs[made], KIND_VARIABLE)
                           ? variable_read(vm, value_as_variable(inputs[made]))
                           : value_retain(inputs[made]);
        ok = !value_failed(values[made]);
        made += ok;
    }
    ok = ok && apply_and_record(vm, op, values, input_count, attrs, outputs,
                                output_count);
    while (made-- > 0) {
        value_release(&vm->ctx, values[made]);
    }
    if (values != NULL) {
        ctx_free(&vm->ctx, values, size);
    }
    return ok;
}

// In a trace, or seen by a tape: a composed op is what it is composed of.
static bool apply_seen(Vm *vm, OpCode op, const Value *inputs,
                       uint32_t input_count, const AttrValue *attrs,
                       Value *outputs, uint32_t *output_count)
{
    if (op_desc(op)->compose != NULL) {
        outputs[0] =
            tensor_emit_composed(vm, op_desc(op), inputs, input_count, attrs);
        *output_count = 1;
        return !value_failed(outputs[0]);
    }
    return (recorder_active(vm) ? apply_taped : apply_op)(
        vm, op, inputs, input_count, attrs, outputs, output_count);
}

bool apply(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
           const AttrValue *attrs, Value *outputs, uint32_t *output_count)
{
    return (UNLIKELY(vm->trace != NULL || vm->recorders != NULL) ? apply_seen
                                                                 : apply_op)(
        vm, op, inputs, input_count, attrs, outputs, output_count);
}

Value apply_one(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                const AttrValue *attrs)
{
    Value outputs[OP_MAX_OUTPUTS];
    uint32_t count = OP_MAX_OUTPUTS;
    if (!apply(vm, op, inputs, input_count, attrs, outputs, &count)) {
        return VALUE_FAIL;
    }
    // Ops of several outputs may be asked for their first alone.
    for (uint32_t i = 1; i < count; i++) {
        value_release(&vm->ctx, outputs[i]);
    }
    return outputs[0];
}
