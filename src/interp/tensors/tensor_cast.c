// int(), float(), bool() and len() of tensors inside a trace.
//
// Outside a trace these give host numbers. A symbolic tensor has none, so
// there they are operations of the graph: a cast to a scalar, or a size. A
// tensor that already is of the asked kind keeps its width, as the host number
// would keep its value.
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/obj_tensor.h"

#include <stdio.h>

#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/hooks/tracing.h"
#include "interp/tensors/tensor_call.h"

// int32 and float32 stand for all integers and all floats.
static bool is_kind_of(DType dtype, DType asked)
{
    switch (asked) {
    case DT_INT32: return dtype_is_integer(dtype);
    case DT_FLOAT32: return dtype_is_float(dtype);
    default: return dtype == asked;
    }
}

// Sizes that are unknown pass here: the reshape tests them when the graph runs.
static bool one_element(Vm *vm, const char *who, TensorType type)
{
    int64_t count = 1;
    if (type.rank == RANK_UNKNOWN) {
        return true; // the reshape says so at run time
    }
    for (int i = 0; i < type.rank; i++) {
        if (type.dims[i] == DIM_UNKNOWN) {
            return true;
        }
        count *= type.dims[i];
    }
    return count == 1 ||
           raise_false(vm, ERR_TYPE,
                       "%s() needs a tensor of one element, not %lld", who,
                       (long long)count);
}

// Takes `owned`.
static Value to_scalar(Vm *vm, Value owned)
{
    if (operand_type(owned).rank == 0) {
        return owned;
    }
    NamedAttr attr = {"shape", attr_of_ints(NULL, 0)};
    Value result = tensor_call(vm, "reshape", &owned, 1, &attr, 1);
    value_release(&vm->ctx, owned);
    return result;
}

// The names of the three types are those of the functions.
Value tensor_traced_cast(Vm *vm, Value v, const Type *to)
{
    const char *who = type_name(to);
    DType dtype = to == vm->types[KIND_INT]     ? DT_INT32
                  : to == vm->types[KIND_FLOAT] ? DT_FLOAT32
                                                : DT_BOOL;
    TensorType type = operand_type(v);
    if (!one_element(vm, who, type)) {
        return VALUE_FAIL;
    }
    if (type.dtype == DT_STRING && dtype != DT_BOOL) {
        return raise_error(vm, ERR_TYPE,
                           "%s() of a string tensor: use strings.to_number",
                           who);
    }
    // Eagerly it is a number of the host, with more bits.
    const char *number = dtype == DT_INT32     ? "a host int"
                         : dtype == DT_FLOAT32 ? "a host float"
                                               : "a host bool";
    EffectKind kind = dtype == DT_BOOL ? EFFECT_TRUTH : EFFECT_NUMBER;
    if (!note_effect(vm, kind, number, v)) {
        return VALUE_FAIL;
    }
    NamedAttr attr = {"dtype", attr_of_dtype(dtype)};
    Value cast = is_kind_of(type.dtype, dtype)
                     ? (value_is_kind(v, KIND_VARIABLE)
                            ? variable_read(vm, value_as_variable(v))
                            : value_retain(v))
                     : tensor_call(vm, "cast", &v, 1, &attr, 1);
    return value_failed(cast) ? cast
                              : vm->hooks->number(vm, to_scalar(vm, cast));
}

// A number that was read of a symbolic tensor, printed as the program has it,
// `member` of the tensor; takes it.
static Value as_member(Vm *vm, Value symbolic, Value number, const char *member)
{
    const Str *whose = value_as_symbolic(symbolic)->name;
    if (value_failed(number) || whose == NULL ||
        !value_is_kind(number, KIND_SYMBOLIC)) {
        return vm->hooks->number(vm, number);
    }
    Symbolic *made = value_as_symbolic(number);
    Str *name = str_printf(vm, "%s.%s", whose->text, member);
    if (name == NULL) {
        value_release(&vm->ctx, number);
        return VALUE_FAIL;
    }
    object_release_null(&vm->ctx, made->name);
    made->name = name;
    return vm->hooks->number(vm, number);
}

// One of the sizes that shape_of gave of a symbolic tensor, if it did.
static Value size_at(Vm *vm, Value symbolic, Value sizes, int axis)
{
    char member[24];
    snprintf(member, sizeof member, "shape[%d]", axis);
    Value size = value_failed(sizes)
                     ? sizes
                     : tensor_get_item(vm, sizes, value_from_small(axis));
    return as_member(vm, symbolic, size, member);
}

Value tensor_traced_size(Vm *vm, Value symbolic, int axis)
{
    TensorType type = operand_type(symbolic);
    int at = axis < 0 && type.rank != RANK_UNKNOWN ? axis + type.rank : axis;
    if (type.rank != RANK_UNKNOWN && (at < 0 || at >= type.rank)) {
        return VALUE_UNBOUND;
    }
    if (type.rank != RANK_UNKNOWN && type.dims[at] != DIM_UNKNOWN) {
        return tensor_sized(vm, symbolic, at) ? value_from_small(type.dims[at])
                                              : VALUE_FAIL;
    }
    Value sizes = tensor_call(vm, "shape_of", &symbolic, 1, NULL, 0);
    Value size = size_at(vm, symbolic, sizes, at);
    release(vm, sizes);
    return size;
}

Value tensor_traced_shape(Vm *vm, Value symbolic)
{
    TensorType type = operand_type(symbolic);
    Value sizes = tensor_call(vm, "shape_of", &symbolic, 1, NULL, 0);
    Tuple *shape =
        value_failed(sizes) ? NULL : tuple_new(vm, (size_t)type.rank);
    for (int i = 0; shape != NULL && i < type.rank; i++) {
        Value size = type.dims[i] == DIM_UNKNOWN
                         ? size_at(vm, symbolic, sizes, i)
                         : value_from_small(type.dims[i]);
        if (value_failed(size)) {
            object_release(&vm->ctx, shape);
            shape = NULL;
        } else {
            shape->items[i] = size;
        }
    }
    release(vm, sizes);
    return value_or_fail(shape);
}

Value tensor_traced_count(Vm *vm, Value symbolic)
{
    Value sizes = tensor_call(vm, "shape_of", &symbolic, 1, NULL, 0);
    Value count = value_failed(sizes)
                      ? sizes
                      : tensor_call(vm, "prod", &sizes, 1, NULL, 0);
    release(vm, sizes);
    return vm->hooks->number(vm, count);
}

Value tensor_traced_rank(Vm *vm, Value symbolic)
{
    Value sizes = tensor_call(vm, "shape_of", &symbolic, 1, NULL, 0);
    Value rank = value_failed(sizes) ? sizes : tensor_traced_size(vm, sizes, 0);
    release(vm, sizes);
    return as_member(vm, symbolic, rank, "ndim");
}

// UNBOUND: the size is known and len() gives it as a host int.
Value tensor_traced_length(Vm *vm, Value v)
{
    if (LIKELY(vm->trace == NULL)) {
        return VALUE_UNBOUND;
    }
    // A list of the graph.
    if (value_is_kind(v, KIND_OPAQUE) &&
        type_of(vm, v)->slots.traced_cast != NULL) {
        return vm->hooks->number(
            vm, value_call_method(vm, v, vm->names[NAME_LEN], NULL, 0));
    }
    if (!value_is_kind(v, KIND_SYMBOLIC)) {
        return VALUE_UNBOUND;
    }
    const Symbolic *symbolic = value_as_symbolic(v);
    bool unknown = symbolic->rank == RANK_UNKNOWN ||
                   (symbolic->rank > 0 && symbolic->dims[0] == DIM_UNKNOWN);
    return unknown ? tensor_traced_size(vm, v, 0) : VALUE_UNBOUND;
}
