// Weak numbers. See weak.h.
#include "stager/weak.h"

#include "graph/build.h"
#include "interp/core/raise.h"
#include "stager/events.h"
#include "stager/merge.h"

// A tensor that was made from a host value a moment ago, when the operands were
// brought to one dtype.
static bool is_literal(Value v)
{
    return value_is_tensor(v) && (value_object(v)->flags & TENSOR_LITERAL);
}

// Numbers only go up: bool < int < float.
static bool may_become(DType from, DType to)
{
    DTypeClass a = dtype_class(from), b = dtype_class(to);
    return b != DTYPE_CLASS_STRING && b != DTYPE_CLASS_BOOL &&
           (a == DTYPE_CLASS_BOOL || b == DTYPE_CLASS_FLOAT ||
            a != DTYPE_CLASS_FLOAT);
}

// The operand as a value of this dtype. No node is made where it has the dtype
// already, so that graphs show only the casts that do something.
static ValueId cast_operand(Vm *vm, Trace *trace, Value v, DType dtype)
{
    ValueId id = trace_operand(vm, trace, v);
    if (id == VALUE_ID_NONE || graph_type(trace->graph, id).dtype == dtype) {
        return id;
    }
    AttrValue attr = {.kind = ATTR_DTYPE, .dtype = dtype};
    return node_first(graph_append(trace->graph, trace->block, OP_CAST, &id, 1,
                                   &attr, trace_place(vm)));
}

uint32_t weak_first(OpCode op, uint32_t input_count)
{
    uint32_t flags = op_desc(op)->flags;
    if (op == OP_WHERE) {
        return 1;
    }
    return (flags & OP_LIST_INPUT) ||
                   ((flags & OP_ELEMENTWISE) && input_count == 2)
               ? 0
               : input_count;
}

DType weak_target(OpCode op, const Value *inputs, uint32_t input_count)
{
    DType widest = DT_NONE;
    bool weak = false;
    // A list and what is put into it are no operands of one dtype.
    if (op_desc(op)->flags & OP_LISTS) {
        return DT_NONE;
    }
    for (uint32_t i = weak_first(op, input_count); i < input_count; i++) {
        if (!symbolic_is_weak(inputs[i])) {
            return weak || i + 1 < input_count ? operand_type(inputs[i]).dtype
                                               : DT_NONE;
        }
        DType own = operand_type(inputs[i]).dtype;
        widest = !weak || may_become(widest, own) ? own : widest;
        weak = true;
    }
    // Only where all operands are weak does the loop come to its end.
    bool halves = op == OP_DIVIDE && weak && !dtype_is_float(widest);
    return halves ? DT_FLOAT32 : weak ? widest : DT_NONE;
}

ValueId weak_operand(Vm *vm, Trace *trace, Value v, DType dtype)
{
    return dtype != DT_NONE && symbolic_is_weak(v) &&
                   may_become(operand_type(v).dtype, dtype)
               ? cast_operand(vm, trace, v, dtype)
               : trace_operand(vm, trace, v);
}

void weak_refuse(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                 DType dtype)
{
    for (uint32_t i = 0; i < input_count && raise_matches(vm, ERR_DTYPE); i++) {
        if (dtype != DT_NONE && symbolic_is_weak(inputs[i]) &&
            !may_become(operand_type(inputs[i]).dtype, dtype)) {
            raise_clear(vm);
            raise_error(vm, ERR_DTYPE,
                        "%s: a host float cannot be of dtype %s; cast the "
                        "tensor to float32",
                        op_desc(op)->name, dtype_name(dtype));
        }
    }
}

bool weak_common(Value a, Value b, DType *dtype)
{
    DType first = operand_type(a).dtype, second = operand_type(b).dtype;
    bool weak = symbolic_is_weak(a);
    *dtype = weak ? second : first;
    // A list of such numbers has elements of its dtype.
    return first == second ||
           (weak != symbolic_is_weak(b) && !dtype_is_list(first) &&
            !dtype_is_list(second) &&
            may_become(weak ? first : second, *dtype));
}

bool weak_is_number(Value v)
{
    return merge_is_number(v) || symbolic_is_weak(v);
}

bool weak_is_host(Value v)
{
    return merge_is_number(v) || value_is_str(v) || symbolic_is_host(v);
}

Value weak_number(Vm *vm, Value scalar)
{
    if (!value_is_kind(scalar, KIND_SYMBOLIC)) {
        return scalar;
    }
    const Symbolic *given = value_as_symbolic(scalar);
    ValueId id = trace_operand(vm, vm->trace, scalar);
    Value own =
        id == VALUE_ID_NONE
            ? VALUE_FAIL
            : trace_symbolic(vm, vm->trace, id,
                             given->name != NULL ? given->name->text : NULL);
    if (!value_failed(own)) {
        value_as_symbolic(own)->weak = true;
        if (given->owner == value_as_symbolic(own)->owner) {
            value_as_symbolic(own)->first = given->first;
        }
    }
    value_release(&vm->ctx, scalar);
    return own;
}

void weak_join(Vm *vm, Value made, Value a, Value b)
{
    if (!value_is_kind(made, KIND_SYMBOLIC)) {
        return;
    }
    Symbolic *symbolic = value_as_symbolic(made);
    bool weak = symbolic_is_weak(a);
    symbolic->weak |= weak_is_number(a) && weak_is_number(b);
    symbolic->text |= value_is_text(a) && value_is_text(b);
    symbolic->mixed |= weak_is_host(a) || weak_is_host(b);
    if (weak ? !weak_is_number(b) : symbolic_is_weak(b) && !weak_is_number(a)) {
        DType dtype = dtype_element(operand_type(weak ? a : b).dtype);
        event_number(vm, vm->trace->events, dtype_is_float(dtype));
    }
}

static bool of_these_alone(bool (*is)(Value v), OpCode op, const Value *inputs,
                           uint32_t input_count)
{
    bool any = false;
    for (uint32_t i = 0; i < input_count; i++) {
        if (!is(inputs[i]) && !is_literal(inputs[i])) {
            return false;
        }
        any = any || is(inputs[i]);
    }
    return any && (op_desc(op)->flags & OP_ELEMENTWISE);
}

bool weak_result(OpCode op, const Value *inputs, uint32_t input_count)
{
    return of_these_alone(symbolic_is_weak, op, inputs, input_count);
}

bool weak_host_result(OpCode op, const Value *inputs, uint32_t input_count)
{
    return of_these_alone(symbolic_is_host, op, inputs, input_count);
}
