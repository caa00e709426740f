// Calls that generators make.
//
// The registers of a generator's frame stand in its object, with nothing free
// behind them: the callee and its arguments move to where the value stack is
// free, and FRAME_FAR says where the result belongs.
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/iterators/obj_generator.h"

// A native's parameters that are left out; __init__ moves them up by two.
enum { FAR_SLACK = NATIVE_DIRECT_MOST };

static void move_values(Value *to, Value *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
        from[i] = VALUE_UNBOUND;
    }
}

// After LOADM: without a self the arguments move down by one.
static uint32_t settle_method(Value *window, uint32_t count)
{
    if (!value_unbound(window[0])) {
        return count + 1;
    }
    move_values(window, window + 1, count);
    return count;
}

// Calls window[-1]. C code that it runs finds the arguments below window_top.
static int enter_held(Vm *vm, Value *window, uint32_t count, Tuple *keywords)
{
    Value *held = vm->window_top;
    vm->window_top = window + count + FAR_SLACK;
    int entered = vm_enter(vm, window, count, keywords);
    vm->window_top = held;
    return entered;
}

// The call is over, or a frame runs it, or it failed: then what stands in the
// callee's place is nobody else's.
static int settle_call(Vm *vm, Value *window, Value *place, int entered)
{
    if (entered > 0) {
        vm->frame->flags |= FRAME_FAR;
    } else if (entered == 0) {
        Value result = window[-1];
        window[-1] = VALUE_UNBOUND;
        value_replace(&vm->ctx, place, result);
    } else {
        value_replace(&vm->ctx, &window[-1], VALUE_UNBOUND);
    }
    return entered;
}

// With * or **: spread over the stack where that is possible, else C calls.
static int call_spread(Vm *vm, Frame *f, Ins ins, Value *window)
{
    Value *from = &f->registers[INS_A(ins)];
    uint32_t count;
    move_values(window - 1, from, 3);
    if (vm_spread(vm, window - 1, &count)) {
        return settle_call(vm, window, from,
                           enter_held(vm, window, count, NULL));
    }
    move_values(from, window - 1, 3);
    return slow_callx(vm, f, ins) ? 0 : -1;
}

// x says which instruction of the list this one stands for.
int vm_call_far(Vm *vm, Frame *f, Ins ins)
{
    Opcode op = (Opcode)(OPCODE_CALL + INS_X(ins));
    bool method = op == OPCODE_CALLM || op == OPCODE_CALLMK;
    bool named = op == OPCODE_CALLK || op == OPCODE_CALLMK;
    // A generator's registers lie in its object; the call's arguments move to
    // the stack.
    Value *from = &f->registers[INS_A(ins)];
    uint32_t count = INS_B(ins);
    Value *window = vm_next_window(vm);
    if (UNLIKELY(window + count + 16 > vm->stack_end)) {
        return raise_int(vm, ERR_RECURSION, "maximum recursion depth exceeded");
    }
    if (op == OPCODE_CALLX) {
        return call_spread(vm, f, ins, window);
    }
    // Only a temporary in the generator can be unbound here.
    if (UNLIKELY(value_unbound(from[0]))) {
        slow_unbound(vm, f, INS_A(ins));
        return -1;
    }
    move_values(window - 1, from, 1 + method + count);
    if (method) {
        count = settle_method(window, count);
    }
    Tuple *keywords =
        named ? (Tuple *)value_object(f->code->constants[INS_C(ins)]) : NULL;
    return settle_call(vm, window, from,
                       enter_held(vm, window, count, keywords));
}
