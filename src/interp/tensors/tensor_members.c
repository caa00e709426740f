// Attributes and methods that tensors, symbolic tensors and Variables share
// and that are not ops of the table (those are bound by builtins_tensor.c).
//
// None of these looks at elements but for item, tolist and numpy, which need an
// eager tensor and raise in a trace.
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "ops/infer.h"

// TraceHooks.sized of any tensor.
static int told(Vm *vm, Value operand, int axis)
{
    return vm->trace != NULL && value_is_kind(operand, KIND_SYMBOLIC)
               ? vm->hooks->sized(vm, operand, axis)
               : 0;
}

bool tensor_sized(Vm *vm, Value operand, int axis)
{
    return told(vm, operand, axis) >= 0;
}

void tensor_shapes(Vm *vm, Value operand)
{
    (void)told(vm, operand, TOLD_RULE);
}

// Sizes that a trace does not know are tensors in the tuple for code of the
// program, None for that of the library.
Value tensor_member_shape(Vm *vm, Value self)
{
    TensorType type = operand_type(self);
    int as_tensors = told(vm, self, TOLD_SHAPE);
    if (as_tensors < 0) {
        return VALUE_FAIL;
    }
    return as_tensors > 0 && type.rank != RANK_UNKNOWN &&
                   !shape_is_static(type.rank, type.dims)
               ? tensor_traced_shape(vm, self)
               : shape_to_value(vm, type.rank, type.dims);
}

Value tensor_member_dtype(Vm *vm, Value self)
{
    return value_or_fail(dtype_new(vm, operand_type(self).dtype));
}

Value tensor_member_ndim(Vm *vm, Value self)
{
    int rank = operand_type(self).rank;
    if (rank != RANK_UNKNOWN) {
        return value_from_small(rank);
    }
    int as_tensor = told(vm, self, TOLD_RANK);
    return as_tensor < 0   ? VALUE_FAIL
           : as_tensor > 0 ? tensor_traced_rank(vm, self)
                           : VALUE_NONE;
}

Value tensor_member_size(Vm *vm, Value self)
{
    TensorType type = operand_type(self);
    int64_t count = 1;
    int as_tensors = told(vm, self, TOLD_COUNT);
    if (as_tensors < 0) {
        return VALUE_FAIL;
    }
    if (!shape_is_static(type.rank, type.dims)) {
        return as_tensors > 0 ? tensor_traced_count(vm, self) : VALUE_NONE;
    }
    return shape_count(&vm->ctx, type.rank, type.dims, type.dtype, &count)
               ? value_from_small(count)
               : VALUE_FAIL;
}

// Rank 2 alone, as in the array API; NumPy reverses the axes of any rank.
Value tensor_member_transposed(Vm *vm, Value self)
{
    int rank = operand_type_now(vm, self).rank;
    if (!infer_knows_rank(&vm->ctx, "T", rank)) {
        return VALUE_FAIL;
    }
    if (rank != 2) {
        return raise_error(vm, ERR_SHAPE,
                           "T: needs rank 2, not %d (permute_dims takes any)",
                           rank);
    }
    return tensor_call(vm, "matrix_transpose", &self, 1, NULL, 0);
}

const MemberDef tensor_members[] = {
    TENSOR_MEMBERS,
    {NULL, NULL, NULL, NULL},
};

// The eager tensor behind an operand, borrowed; NULL: it has no value yet.
static Tensor *eager_tensor(Vm *vm, Value self, const char *what)
{
    if (value_is_tensor(self)) {
        return value_as_tensor(self);
    }
    if (value_is_kind(self, KIND_VARIABLE) && vm->trace == NULL) {
        return variable_cell(value_as_variable(self))->value;
    }
    if (value_is_kind(self, KIND_SYMBOLIC)) {
        symbolic_refuse(vm, NEED_ITEM, self);
        return NULL;
    }
    return raise_null(vm, ERR_SYMBOLIC,
                      "%s: a Variable has no host value in a trace; use it "
                      "in tensor operations, or stage.once()",
                      what);
}

static Value method_item(Vm *vm, Value *args)
{
    Tensor *tensor = eager_tensor(vm, args[0], "item");
    if (tensor == NULL) {
        return VALUE_FAIL;
    }
    if (tensor->count != 1) {
        return raise_error(vm, ERR_OP_VALUE,
                           "item: the tensor has %lld elements, not one",
                           (long long)tensor->count);
    }
    return tensor_item(vm, tensor, 0);
}

static Value method_tolist(Vm *vm, Value *args)
{
    Tensor *tensor = eager_tensor(vm, args[0], "tolist");
    return tensor != NULL ? tensor_to_list(vm, tensor) : VALUE_FAIL;
}

// A library that has an array type of its own replaces this method's result
// (lib/numpy); by itself it is the host value, a number or nested lists.
static Value method_numpy(Vm *vm, Value *args)
{
    Tensor *tensor = eager_tensor(vm, args[0], "numpy");
    return tensor != NULL ? tensor_to_list(vm, tensor) : VALUE_FAIL;
}

// By the op, so that it works in a trace.
static Value method_astype(Vm *vm, Value *args)
{
    DType dtype;
    if (!dtype_from_value(vm, args[1], &dtype)) {
        return VALUE_FAIL;
    }
    NamedAttr attr = {"dtype", attr_of_dtype(dtype)};
    return tensor_call(vm, "cast", args, 1, &attr, 1);
}

// A key that stands for the object, since tensors are not hashable.
static Value method_ref(Vm *vm, Value *args)
{
    (void)vm;
    uintptr_t address = (uintptr_t)value_object(value_meant(args[0]));
    return value_from_small((int64_t)(address >> 4));
}

static Value method_copy(Vm *vm, Value *args)
{
    (void)vm;
    return value_retain(args[0]);
}

static Value method_deepcopy(Vm *vm, Value *args)
{
    return value_is_kind(args[0], KIND_VARIABLE) ? variable_copy(vm, args[0])
                                                 : value_retain(args[0]);
}

const NativeDef tensor_methods[] = {
    {"item", "self, /", method_item, "The one element as a host value."},
    {"tolist", "self, /", method_tolist,
     "The elements as nested lists of host values; a scalar's value."},
    {"numpy", "self, /", method_numpy,
     "The elements as host data: a number, or nested lists."},
    {"astype", "self, dtype, /", method_astype,
     "The same values in another dtype, as cast does."},
    {"ref", "self, /", method_ref,
     "An int that stands for this object as a key, while the object lives."},
    {"__copy__", "self, /", method_copy, "The tensor or Variable itself."},
    {"__deepcopy__", "self, memo, /", method_deepcopy,
     "The tensor; of a Variable one of its own with the same value."},
    {NULL, NULL, NULL, NULL},
};
