// The operators of tensors: arithmetic, comparison, sign, truth.
//
// The fast path is two eager tensors, or a tensor and a number, which then is
// no object. A temporary of the machine's, as in `a * b + c`, becomes the
// result where nobody else holds it.
#include "interp/core/raise.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/display.h"
#include "interp/tensors/obj_tensor.h"
#include "interp/tensors/tensor_convert.h"
#include "ops/elementwise.h"

static const OpCode binary_ops[] = {
    [BINARY_ADD] = OP_ADD,
    [BINARY_SUB] = OP_SUBTRACT,
    [BINARY_MUL] = OP_MULTIPLY,
    [BINARY_TRUEDIV] = OP_DIVIDE,
    [BINARY_FLOORDIV] = OP_FLOOR_DIVIDE,
    [BINARY_MOD] = OP_REMAINDER,
    [BINARY_POW] = OP_POW,
    [BINARY_MATMUL] = OP_MATMUL,
    [BINARY_AND] = OP_BITWISE_AND,
    [BINARY_OR] = OP_BITWISE_OR,
    [BINARY_XOR] = OP_BITWISE_XOR,
    [BINARY_LSHIFT] = OP_BITWISE_LEFT_SHIFT,
    [BINARY_RSHIFT] = OP_BITWISE_RIGHT_SHIFT,
};
static const OpCode compare_ops[] = {
    [COMPARE_LT] = OP_LESS,    [COMPARE_LE] = OP_LESS_EQUAL,
    [COMPARE_EQ] = OP_EQUAL,   [COMPARE_NE] = OP_NOT_EQUAL,
    [COMPARE_GT] = OP_GREATER, [COMPARE_GE] = OP_GREATER_EQUAL,
};

// Applies a binary op to operands in the making: converts, calls, releases.
static Value apply_pair(Vm *vm, OpCode op, Value a, Value b)
{
    Value given[2] = {a, b};
    Value inputs[2];
    if (value_is_operand(a) && value_is_operand(b)) {
        return apply_one(vm, op, given, 2, NULL);
    }
    if (!tensor_unify(vm, op_desc(op)->name, given, 2, inputs)) {
        return VALUE_FAIL;
    }
    Value result = apply_one(vm, op, inputs, 2, NULL);
    value_release(&vm->ctx, inputs[0]);
    value_release(&vm->ctx, inputs[1]);
    return result;
}

// A number as a tensor of one element, in `room` on the C stack, where it is
// one that the dtype takes as it is; NULL: not so.
static Tensor *quick_number(Value v, DType dtype, Tensor *room)
{
    bool whole = value_is_int(v);
    if (!(dtype_is_float(dtype) && (whole || value_is_immediate_float(v))) &&
        !(dtype == DT_INT64 && whole) &&
        !(dtype == DT_INT32 && whole &&
          value_small(v) == (int32_t)value_small(v))) {
        return NULL;
    }
    room->head.rc = 0; // no result takes its place
    room->dtype = (uint8_t)dtype;
    room->rank = 0;
    room->count = 1;
    room->buffer = NULL;
    room->data = room->small;
    if (!dtype_is_float(dtype)) {
        tensor_set_int(room, 0, value_small(v));
    } else {
        tensor_set_float(
            room, 0, whole ? (double)value_small(v) : value_immediate_float(v));
    }
    return room;
}

// Whether one of the two is no matrix, as far as it is known.
static bool is_narrow(Vm *vm, Value a, Value b)
{
    Value pair[2] = {a, b};
    bool narrow = false;
    for (int i = 0; i < 2; i++) {
        // Of a list nobody has asked yet.
        int rank =
            value_is_operand(pair[i]) ? operand_type_now(vm, pair[i]).rank : 1;
        narrow |= rank == 0 || rank == 1;
    }
    return narrow;
}

// A library may refuse such products to code of the program. False: it raised.
static bool may_multiply(Vm *vm, Value a, Value b)
{
    Value told = is_narrow(vm, a, b) ? display_call(vm, "_no_product", a, b)
                                     : VALUE_UNBOUND;
    value_release(&vm->ctx, told);
    return !value_failed(told);
}

// Of the other operand, to which it may have to give way.
static Tensor *quick_operand(Value v, Value other, Tensor *room)
{
    return value_is_tensor(v) ? value_as_tensor(v)
           : value_is_tensor(other)
               ? quick_number(v, (DType)value_as_tensor(other)->dtype, room)
               : NULL;
}

// Two tensors that one kernel takes as they are, or one and a number, where
// nobody watches. The quick product takes two matrices alone, which need not
// ask whether they may be multiplied.
Value tensor_binary_last(Vm *vm, BinaryOp op, Value a, Value b, unsigned last)
{
    OpCode code = binary_ops[op];
    const OpDesc *desc = op_desc(code);
    Tensor room;
    if (vm->trace != NULL || vm->recorders != NULL || vm->check_numbers ||
        (!(desc->flags & OP_ELEMENTWISE) && desc->quick == NULL)) {
        return VALUE_UNBOUND;
    }
    Tensor *inputs[] = {quick_operand(a, b, &room), quick_operand(b, a, &room)};
    Tensor *made;
    if (inputs[0] == NULL || inputs[1] == NULL) {
        return VALUE_UNBOUND;
    }
    int quick = desc->quick != NULL
                    ? desc->quick(&vm->ctx, inputs, &made)
                    : elementwise_quick(&vm->ctx, code, inputs, 2, last, &made);
    return quick > 0   ? tensor_adopt(vm, made)
           : quick < 0 ? VALUE_FAIL
                       : VALUE_UNBOUND;
}

// Texts joined are one: `a + b` of texts that a tensor of the trace chooses.
static Value join_texts(Vm *vm, Value a, Value b)
{
    Value joined = apply_pair(vm, OP_ADD, a, b);
    if (value_is_kind(joined, KIND_SYMBOLIC)) {
        value_as_symbolic(joined)->text = true;
    }
    return joined;
}

// & | ^ ~ of bools are logical: the array API gives both names one meaning.
Value tensor_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (op == BINARY_MATMUL && !may_multiply(vm, a, b)) {
        return VALUE_FAIL;
    }
    Value quick = tensor_binary_last(vm, op, a, b, 0);
    if (!value_unbound(quick)) {
        return quick;
    }
    if (op == BINARY_ADD && value_is_text(a) && value_is_text(b)) {
        return join_texts(vm, a, b);
    }
    bool declines = !value_is_convertible(vm, value_is_operand(a) ? b : a);
    return declines ? VALUE_NOT_IMPLEMENTED
                    : apply_pair(vm, binary_ops[op], a, b);
}

// `is` and `in` never come here. What cannot be converted declines.
Value tensor_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (op > COMPARE_GE ||
        !value_is_convertible(vm, value_is_operand(a) ? b : a)) {
        return VALUE_NOT_IMPLEMENTED; // t == None is False
    }
    return apply_pair(vm, compare_ops[op], a, b);
}

// +x is x itself, since tensors do not change; of a Variable it is the value
// now.
Value tensor_unary(Vm *vm, UnaryOp op, Value self)
{
    if (op == UNARY_POS) {
        return value_is_kind(self, KIND_VARIABLE)
                   ? variable_read(vm, value_as_variable(self))
                   : value_retain(self);
    }
    return apply_one(vm,
                     op == UNARY_NEG   ? OP_NEGATIVE
                     : op == UNARY_NOT ? OP_LOGICAL_NOT
                                       : OP_BITWISE_INVERT,
                     &self, 1, NULL);
}

// In a trace a Variable has only a symbolic value, whose own truth decides. A
// tensor of several elements has none, as in NumPy.
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
                               : variable_cell(value_as_variable(self))->value;
    if (tensor->count != 1) {
        return raise_int(vm, ERR_OP_VALUE,
                         "bool: a tensor of %lld elements is neither true "
                         "nor false: use any() or all(), or where() for each",
                         (long long)tensor->count);
    }
    if (tensor->dtype == DT_STRING) {
        return ((TensorString **)tensor->data)[0]->length != 0;
    }
    return dtype_is_float((DType)tensor->dtype)
               ? tensor_float_at(tensor, 0) != 0.0
               : tensor_int_at(tensor, 0) != 0;
}
