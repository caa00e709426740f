// Slow paths: operators, comparisons and conditions.
//
// An operator that a class written in Duet defines is called without a level
// of C: slow_binary pushes a frame and returns true, and when that returns
// vm_deliver finishes the instruction. The operands stay in their registers
// meanwhile.
//
// All other operators go by protocol.h. An operator that fails leaves its
// operands where they are.
// The exception is append_text, which must hold the only reference to its text.
#include "interp/obj_str.h"
#include "interp/vm_run.h"

// --- arithmetic ---

// x = 1 marks augmented assignment: the left operand may change in place.
static Value operate(Vm *vm, Ins ins, BinaryOp op, Value b, Value c)
{
    return INS_X(ins) & 1 ? value_inplace(vm, op, b, c)
                      : value_binary(vm, op, b, c);
}

// `a = a + c` of texts: the register gives its reference up, so that a text
// that nobody else has grows in place.
static bool append_text(Vm *vm, Frame *f, Ins ins)
{
    Value *place = &f->registers[INS_A(ins)];
    Value c = f->registers[INS_C(ins)];
    Str *left = value_as_str(*place);
    *place = VALUE_UNBOUND;
    Str *text = str_append(vm, left, value_as_str(c));
    if (text == NULL) {
        return false;
    }
    *place = value_from_object(text);
    slow_drop(vm, f, INS_C(ins));
    return true;
}

// Exactly str: a subclass may have an __add__ of its own.
static bool is_text(const Vm *vm, Value v)
{
    return value_is_kind(v, KIND_STR) &&
           value_object(v)->type == vm->types[KIND_STR];
}

// The method of a class written in Duet that decides b <op> c alone, as far
// as it does not decline: the right operand has no say before it. NULL: ask
// the protocol.
static Function *operator_method(Vm *vm, Ins ins, BinaryOp op, Value b,
                                 Value c)
{
    if (!value_is_object(b)) {
        return NULL;
    }
    // A class on the right may have a reflected method that goes first.
    Type *left = value_object(b)->type, *right = type_of(vm, c);
    if (!(left->flags & TYPE_HEAP) ||
        (left != right && (right->flags & TYPE_HEAP))) {
        return NULL;
    }
    // Three names for each operator: __add__, __radd__, __iadd__.
    NameId plain = NAME_ADD + 3 * op;
    if ((INS_X(ins) & 1) &&
        !value_unbound(type_lookup(vm, left, vm->names[plain + 2]))) {
        return NULL;
    }
    Value found = type_lookup(vm, left, vm->names[plain]);
    return value_is_kind(found, KIND_FUNCTION)
               ? (Function *)value_object(found)
               : NULL;
}

// In the order of cost: growing a text in place, a frame for a method, C.
bool slow_binary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    BinaryOp op = (BinaryOp)(INS_OP(ins) - OPCODE_ADD);
    Value b = f->registers[INS_B(ins)], c = f->registers[INS_C(ins)];
    if (op == BINARY_ADD && INS_A(ins) == INS_B(ins) &&
        INS_A(ins) != INS_C(ins) && is_text(vm, b) && is_text(vm, c)) {
        return append_text(vm, f, ins);
    }
    Function *method = operator_method(vm, ins, op, b, c);
    Value args[] = {b, c};
    if (method != NULL && vm_can_operate(vm, method, 2)) {
        return vm_operate(vm, method, args, 2);
    }
    return slow_finish(vm, f, ins, operate(vm, ins, op, b, c), INS_B(ins),
                       INS_C(ins));
}

// Called in the frame of the instruction, whose operands are still in their
// registers. NOT_IMPLEMENTED from a comparison or an item is an ordinary
// result.
bool vm_deliver(Vm *vm, Value result)
{
    Frame *f = vm->frame;
    Ins ins = f->pc[-1];
    if (value_same(result, VALUE_NOT_IMPLEMENTED) &&
        INS_OP(ins) >= OPCODE_ADD && INS_OP(ins) <= OPCODE_RSHIFT) {
        result = value_binary_declined(
            vm, (BinaryOp)(INS_OP(ins) - OPCODE_ADD), INS_X(ins) & 1,
            f->registers[INS_B(ins)], f->registers[INS_C(ins)]);
    }
    return slow_finish(vm, f, ins, result, INS_B(ins), INS_C(ins));
}

// The int stands in the instruction; ops[] has the order of the opcodes.
bool slow_binary_i(Vm *vm, Frame *f, Ins ins)
{
    static const BinaryOp ops[] = {BINARY_ADD,      BINARY_SUB, BINARY_MUL,
                                   BINARY_FLOORDIV, BINARY_MOD, BINARY_AND,
                                   BINARY_LSHIFT,   BINARY_RSHIFT};
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    return slow_finish(vm, f, ins,
                       operate(vm, ins, ops[INS_OP(ins) - OPCODE_ADDI],
                               f->registers[INS_B(ins)],
                               value_from_small(INS_CI(ins))),
                       INS_B(ins), -1);
}

static const BinaryOp constant_ops[] = {BINARY_ADD, BINARY_SUB, BINARY_MUL,
                                        BINARY_TRUEDIV};

// The right operand is a constant, which cannot be unbound.
bool slow_binary_k(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    return slow_finish(vm, f, ins,
                       operate(vm, ins,
                               constant_ops[INS_OP(ins) - OPCODE_ADDK],
                               f->registers[INS_B(ins)],
                               f->code->constants[INS_C(ins)]),
                       INS_B(ins), -1);
}

// The left operand is a constant; in-place forms do not arise.
bool slow_k_binary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    return slow_finish(vm, f, ins,
                       operate(vm, ins,
                               constant_ops[INS_OP(ins) - OPCODE_KADD],
                               f->code->constants[INS_B(ins)],
                               f->registers[INS_C(ins)]),
                       -1, INS_C(ins));
}

// `not` gives a bool whatever the operand is; the others ask its type.
bool slow_unary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    Value operand = f->registers[INS_B(ins)];
    Value result;
    if (INS_X(ins) == UNARY_NOT) {
        int truth = value_truth(vm, operand);
        result = truth < 0 ? VALUE_FAIL : value_from_bool(!truth);
    } else {
        result = value_unary(vm, (UnaryOp)INS_X(ins), operand);
    }
    return slow_finish(vm, f, ins, result, INS_B(ins), -1);
}

// Identity never asks a type, whatever the operands are.
static Value compare(Vm *vm, CompareOp op, Value a, Value b)
{
    switch (op) {
    case COMPARE_IS: return value_from_bool(value_same(a, b));
    case COMPARE_IS_NOT: return value_from_bool(!value_same(a, b));
    default: return value_compare(vm, op, a, b);
    }
}

// Any value may come out: tensors compare element by element.
bool slow_compare(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    return slow_finish(vm, f, ins,
                       compare(vm, (CompareOp)(INS_X(ins) & 15),
                               f->registers[INS_B(ins)],
                               f->registers[INS_C(ins)]),
                       INS_B(ins), INS_C(ins));
}

// Takes `owned`: 1, 0, or -1 for an error, also that of a failed comparison.
static int truth_of(Vm *vm, Value owned)
{
    if (value_is_bool(owned)) {
        return value_same(owned, VALUE_TRUE);
    }
    if (value_failed(owned)) {
        return -1;
    }
    int truth = value_truth(vm, owned);
    release(vm, owned);
    return truth;
}

// The comparison of a fused jump, and whether the jump wants it false.
static CompareOp fused_op(Opcode op, bool *negated, bool *with_int)
{
    *with_int = op >= OPCODE_JLTI && op <= OPCODE_JNGEI;
    *negated = (op >= OPCODE_JNLT && op <= OPCODE_JNGE) ||
               (op >= OPCODE_JNLTI && op <= OPCODE_JNGEI) || op == OPCODE_JNIS;
    if (op == OPCODE_JIS || op == OPCODE_JNIS) {
        return COMPARE_IS;
    }
    return (CompareOp)((op - (*with_int ? OPCODE_JLTI : OPCODE_JLT)) % 6);
}

// The comparison runs before the operands are emptied, since it may fail and a
// handler then releases them.
int slow_jump(Vm *vm, Frame *f, Ins ins)
{
    bool negated, with_int;
    CompareOp op = fused_op((Opcode)INS_OP(ins), &negated, &with_int);
    if (!slow_bound(vm, f, INS_A(ins)) ||
        (!with_int && !slow_bound(vm, f, INS_B(ins)))) {
        return -1;
    }
    Value b = with_int ? value_from_small(INS_BI(ins))
                       : f->registers[INS_B(ins)];
    int truth = truth_of(vm, compare(vm, op, f->registers[INS_A(ins)], b));
    if (truth < 0) {
        return -1;
    }
    slow_drop(vm, f, INS_A(ins));
    if (!with_int) {
        slow_drop(vm, f, INS_B(ins));
    }
    return truth != negated;
}

// `and` and `or` keep the operand that decides.
int slow_jump_truth(Vm *vm, Frame *f, Ins ins)
{
    Opcode op = (Opcode)INS_OP(ins);
    if (!slow_bound(vm, f, INS_A(ins))) {
        return -1;
    }
    int truth = value_truth(vm, f->registers[INS_A(ins)]);
    if (truth < 0) {
        return -1;
    }
    bool wants = op == OPCODE_JTRUE || op == OPCODE_JTRUE_KEEP;
    bool keeps = op == OPCODE_JTRUE_KEEP || op == OPCODE_JFALSE_KEEP;
    bool jump = truth == wants;
    if (!(keeps && jump)) {
        slow_drop(vm, f, INS_A(ins));
    }
    return jump;
}
