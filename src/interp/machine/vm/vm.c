// The dispatch loop: fast paths alone; what is rare is in vm_*.c.
//
// Invariant: frame->pc is stored before anything that can fail, run Duet code
// or look at the frame; it then stands right behind the instruction. Locals of
// vm_run mirror the running frame: whoever pushes or pops one says LOAD_FRAME.
#include "interp/machine/vm/finalize.h"
#include "interp/machine/vm/vm_loop.h"

// After LOADM: the arguments stand at A+2; without a self they move down.
static Value *method_window(Value *callee, uint32_t *count)
{
    Value *window = callee + 1;
    if (value_unbound(window[0])) {
        for (uint32_t i = 0; i < *count; i++) {
            window[i] = window[i + 1];
        }
        window[*count] = VALUE_UNBOUND;
    } else {
        ++*count;
    }
    return window;
}

// From where a chained instruction would have read its number.
static uint32_t chained_register(Ins ins_)
{
    Opcode op = (Opcode)INS_OP(ins_);
    bool second = (INS_X(ins_) & INS_CHAINED) != 0;
    if (op >= OPCODE_JLT && op <= OPCODE_JNGE) {
        return second ? INS_B(ins_) : INS_A(ins_);
    }
    if (op >= OPCODE_KADD && op <= OPCODE_KTRUEDIV) {
        return INS_C(ins_);
    }
    return second ? INS_C(ins_) : INS_B(ins_);
}

Value vm_run(Vm *vm, bool raised)
{
    static const void *const labels[] = {
#define OPCODE(id, form, cache, doc) &&OP_##id,
#include "interp/objects/code/opcode_list.h"
#undef OPCODE
    };
    // What a chained instruction does with a number from the one before; only
    // consumers of compile_fuse.c are looked up.
    static const void *const chains[] = {
        CHAIN(ADD),  CHAIN(SUB),  CHAIN(MUL),      CHAIN(TRUEDIV),
        CHAIN(ADDI), CHAIN(SUBI), CHAIN(MULI),     CHAIN(ADDK),
        CHAIN(SUBK), CHAIN(MULK), CHAIN(TRUEDIVK), CHAIN(KADD),
        CHAIN(KSUB), CHAIN(KMUL), CHAIN(KTRUEDIV), CHAIN(JLT),
        CHAIN(JLE),  CHAIN(JGT),  CHAIN(JGE),      CHAIN(JNLT),
        CHAIN(JNLE), CHAIN(JNGT), CHAIN(JNGE)};
    Frame *f;
    const Ins *pc;
    Value *R;
    const Value *K;
    Value result;   // of a frame that ends, on its way to the caller
    Value *window;  // of a call: the arguments, behind the callee
    uint32_t count; // of them
    Tuple *keywords;
    double number = 0; // on its way from one instruction to the next
    LOAD_FRAME();
    if (raised) {
        goto error;
    }
    NEXT();

    // In this order: macros of one serve those behind it.
    // clang-format off
#include "interp/machine/vm/vm_ops_move.inc"
#include "interp/machine/vm/vm_ops_number.inc"
#include "interp/machine/vm/vm_ops_chain.inc"
#include "interp/machine/vm/vm_ops_jump.inc"
#include "interp/machine/vm/vm_ops_name.inc"
#include "interp/machine/vm/vm_ops_item.inc"
#include "interp/machine/vm/vm_ops_call.inc"
#include "interp/machine/vm/vm_ops_loop.inc"
#include "interp/machine/vm/vm_ops_rare.inc"
    // clang-format on

interrupted:
    f->pc = pc;
    if (finalize_poll(vm)) {
        NEXT();
    }
error:
    if (!vm_unwind(vm)) {
        return VALUE_FAIL;
    }
    LOAD_FRAME();
    NEXT();
}
