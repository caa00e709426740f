// Methods of classes written in Duet that stand for an instruction of the
// caller: operators, comparisons, items, truth, properties, __next__.
//
// They get frames in this machine rather than in a nested one, so that they
// cost no C stack. The operands stay in their registers until the method has
// returned: vm_deliver then finishes the instruction, as the slow path would
// have done at once.
#include "interp/machine/vm/vm_run.h"

// A trace may put converted code in place of the method: then the protocol
// calls it.
bool vm_can_operate(const Vm *vm, const Function *function, uint32_t count)
{
    return function->code->direct_count == count && vm->trace == NULL;
}

// The operands stay in their registers too: if the method declines, vm_deliver
// asks the other side with them.
bool vm_operate(Vm *vm, Function *function, const Value *args, uint32_t count)
{
    Value *window = vm_next_window(vm);
    // Above the running frame nothing is held, so that these are stored over.
    for (uint32_t i = 0; i < count; i++) {
        window[i] = value_retain(args[i]);
    }
    if (!vm_push_frame(vm, function, window, FRAME_OPERATOR)) {
        return false;
    }
    window[-1] = value_from_object(object_retain(function));
    return true;
}

// A method that takes other arguments, or a generator, is the protocol's.
int vm_special(Vm *vm, NameId id, const Value *args, uint32_t count)
{
    if (!value_is_object(args[0]) ||
        !(value_object(args[0])->type->flags & TYPE_HEAP)) {
        return 0;
    }
    Value found = type_lookup_special(vm, value_object(args[0])->type, id);
    if (!value_is_kind(found, KIND_FUNCTION)) {
        return 0;
    }
    Function *function = (Function *)value_object(found);
    if (!vm_can_operate(vm, function, count)) {
        return 0;
    }
    return vm_operate(vm, function, args, count) ? 1 : -1;
}

int vm_bool_answer(Vm *vm, Value answer)
{
    if (value_is_bool(answer)) {
        return value_same(answer, VALUE_TRUE);
    }
    raise_error(vm, ERR_TYPE, "__bool__ should return bool, returned %s",
                type_name(type_of(vm, answer)));
    release(vm, answer);
    return -1;
}

// A comparison that gives a value. `in` and `not in` give a bool whatever the
// method returned.
static bool deliver_compare(Vm *vm, Frame *f, Ins ins, Value result)
{
    CompareOp op = (CompareOp)(INS_X(ins) & 15);
    if (op == COMPARE_IN || op == COMPARE_NOT_IN) {
        int truth = value_truth(vm, result);
        release(vm, result);
        result = truth < 0 ? VALUE_FAIL
                           : value_from_bool(truth == (op == COMPARE_IN));
    } else if (value_same(result, VALUE_NOT_IMPLEMENTED)) {
        result = value_compare_declined(vm, op, f->registers[INS_B(ins)],
                                        f->registers[INS_C(ins)]);
    }
    return slow_finish(vm, f, ins, result, INS_B(ins), INS_C(ins));
}

static bool deliver_jump(Vm *vm, Frame *f, Ins ins, Value result)
{
    int jump = slow_jump_answered(vm, f, ins, result);
    if (jump > 0) {
        f->pc += INS_CI(ins);
    }
    return jump >= 0;
}

// Arithmetic of two registers: a method that declines leaves it to the other
// side.
static bool deliver_binary(Vm *vm, Frame *f, Ins ins, Value result)
{
    if (value_same(result, VALUE_NOT_IMPLEMENTED)) {
        result = value_binary_declined(vm, (BinaryOp)(INS_OP(ins) - OPCODE_ADD),
                                       INS_X(ins) & 1, f->registers[INS_B(ins)],
                                       f->registers[INS_C(ins)]);
    }
    return slow_finish(vm, f, ins, result, INS_B(ins), INS_C(ins));
}

// `not` has asked __bool__; the other unary operators give what they get.
static bool deliver_unary(Vm *vm, Frame *f, Ins ins, Value result)
{
    if (INS_X(ins) == UNARY_NOT) {
        int truth = vm_bool_answer(vm, result);
        result = truth < 0 ? VALUE_FAIL : value_from_bool(!truth);
    }
    return slow_finish(vm, f, ins, result, INS_B(ins), -1);
}

// Called in the frame of the instruction, whose operands are still in their
// registers. A jump that is taken moves the frame's pc.
bool vm_deliver(Vm *vm, Value result)
{
    Frame *f = vm->frame;
    // The instruction that had called; pc stands behind it.
    Ins ins = f->pc[-1];
    Opcode op = (Opcode)INS_OP(ins);
    if (op >= OPCODE_ADD && op <= OPCODE_RSHIFT) {
        return deliver_binary(vm, f, ins, result);
    }
    if (op >= OPCODE_JLT && op <= OPCODE_JFALSE_KEEP) {
        return deliver_jump(vm, f, ins, result);
    }
    switch (op) {
    case OPCODE_COMPARE: return deliver_compare(vm, f, ins, result);
    case OPCODE_UNARY: return deliver_unary(vm, f, ins, result);
    case OPCODE_FORLOOP: // __next__: an item, and on to the next turn
        f->pc += INS_CI(ins);
        return slow_set(vm, f, INS_B(ins), result);
    case OPCODE_GETATTR: // a property; the cache words are stepped over
        f->pc += 2;
        return slow_finish(vm, f, ins, result, INS_B(ins), -1);
    case OPCODE_GETITEMI:
        return slow_finish(vm, f, ins, result, INS_B(ins), -1);
    default: // GETITEM
        return slow_finish(vm, f, ins, result, INS_B(ins), INS_C(ins));
    }
}
