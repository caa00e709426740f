// The operators of tensors: arithmetic, comparison, sign, truth.
//
// The fast path is two eager tensors, or a tensor and a number: the number
// becomes a scalar of the tensor's dtype without a walk.
#include "interp/apply.h"
#include "interp/obj_tensor.h"
#include "interp/protocol.h"
#include "interp/raise.h"
#include "interp/tensor_call.h"
#include "interp/tensor_convert.h"

// The array API's names of the operators, in the order of BinaryOp.
static const char *binary_name(BinaryOp op)
{
    switch (op) {
    case BINARY_ADD:
        return "add";
    case BINARY_SUB:
        return "subtract";
    case BINARY_MUL:
        return "multiply";
    case BINARY_TRUEDIV:
        return "divide";
    case BINARY_FLOORDIV:
        return "floor_divide";
    case BINARY_MOD:
        return "remainder";
    case BINARY_POW:
        return "pow";
    case BINARY_MATMUL:
        return "matmul";
    case BINARY_AND:
        return "bitwise_and";
    case BINARY_OR:
        return "bitwise_or";
    case BINARY_XOR:
        return "bitwise_xor";
    case BINARY_LSHIFT:
        return "bitwise_left_shift";
    default:
        return "bitwise_right_shift";
    }
}

static const char *compare_name(CompareOp op)
{
    switch (op) {
    case COMPARE_LT:
        return "less";
    case COMPARE_LE:
        return "less_equal";
    case COMPARE_EQ:
        return "equal";
    case COMPARE_NE:
        return "not_equal";
    case COMPARE_GT:
        return "greater";
    default:
        return "greater_equal";
    }
}

// Applies a binary op to operands in the making: converts, calls, releases.
static Value apply_pair(Vm *vm, const char *name, Value a, Value b)
{
    Value given[2] = {a, b};
    Value inputs[2];
    if (value_is_operand(a) && value_is_operand(b)) {
        return tensor_call(vm, name, given, 2, NULL, 0);
    }
    if (!tensor_unify(vm, name, given, 2, inputs)) {
        return VALUE_FAIL;
    }
    Value result = tensor_call(vm, name, inputs, 2, NULL, 0);
    value_release(&vm->ctx, inputs[0]);
    value_release(&vm->ctx, inputs[1]);
    return result;
}

// & | ^ ~ of bools are logical: the array API gives both names one meaning.
Value tensor_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool declines =
        !value_is_convertible(vm, value_is_operand(a) ? b : a);
    return declines ? VALUE_NOT_IMPLEMENTED
                    : apply_pair(vm, binary_name(op), a, b);
}

Value tensor_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (op > COMPARE_GE ||
        !value_is_convertible(vm, value_is_operand(a) ? b : a)) {
        return VALUE_NOT_IMPLEMENTED; // t == None is False
    }
    return apply_pair(vm, compare_name(op), a, b);
}

Value tensor_unary(Vm *vm, UnaryOp op, Value self)
{
    const char *name = op == UNARY_NEG   ? "negative"
                       : op == UNARY_POS ? "positive"
                                         : "bitwise_invert";
    return tensor_call(vm, name, &self, 1, NULL, 0);
}

int tensor_truth(Vm *vm, Value self)
{
    if (vm->trace != NULL && value_is_kind(self, KIND_VARIABLE)) {
        Value now = variable_read(vm, value_as_variable(self));
        int truth = value_failed(now) ? -1 : value_truth(vm, now);
        value_release(&vm->ctx, now);
        return truth;
    }
    const Tensor *tensor = value_is_tensor(self)
                               ? value_as_tensor(self)
                               : value_as_variable(self)->cell.value;
    if (tensor->count != 1) {
        return raise_int(vm, ERR_OP_VALUE,
                         "bool: a tensor of %lld elements is neither true "
                         "nor false: use any() or all()",
                         (long long)tensor->count);
    }
    if (tensor->dtype == DT_STRING) {
        return ((TensorString **)tensor->data)[0]->length != 0;
    }
    return dtype_is_float((DType)tensor->dtype)
               ? tensor_float_at(tensor, 0) != 0.0
               : tensor_int_at(tensor, 0) != 0;
}
