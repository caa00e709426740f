// The dispatch loop: fast paths alone; what is rare is in vm_*.c.
//
// Invariant: frame->pc is stored before anything that can fail, run Duet code
// or look at the frame; it then stands right behind the instruction. Locals of
// vm_run mirror the running frame: whoever pushes or pops one says LOAD_FRAME.
#include "interp/vm/finalize.h"
#include "interp/vm/vm_loop.h"

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

// Interprets until the entry frame that runs now has ended or yields.
Value vm_run(Vm *vm, bool raised)
{
    static const void *const labels[] = {
#define OPCODE(id, form, cache, doc) &&OP_##id,
#include "interp/compile/opcode_list.h"
#undef OPCODE
    };
    // What a chained instruction does with a number from the one before; only
    // consumers of compile_fuse.c are looked up.
    static const void *const chains[] = {
        CHAIN(ADD), CHAIN(SUB), CHAIN(MUL), CHAIN(TRUEDIV), CHAIN(ADDI),
        CHAIN(SUBI), CHAIN(MULI), CHAIN(ADDK), CHAIN(SUBK), CHAIN(MULK),
        CHAIN(TRUEDIVK), CHAIN(KADD), CHAIN(KSUB), CHAIN(KMUL),
        CHAIN(KTRUEDIV), CHAIN(JLT), CHAIN(JLE), CHAIN(JGT), CHAIN(JGE),
        CHAIN(JNLT), CHAIN(JNLE), CHAIN(JNGT), CHAIN(JNGE)};
    Frame *f;
    const Ins *pc;
    Value *R;
    const Value *K;
    Value result;  // of a frame that ends, on its way to the caller
    Value *window; // of a call: the arguments, behind the callee
    uint32_t count; // of them
    Tuple *keywords;
    double number = 0; // on its way from one instruction to the next
    LOAD_FRAME();
    if (raised) {
        goto error;
    }
    NEXT();

    // --- moves ---
OP_HALT:
OP_ENTRY:
OP_NOP:
    NEXT();
// Between locals, or from one: the source stays and is counted once more.
OP_MOVE: {
    Value b = RB;
    if (UNLIKELY(value_unbound(b))) {
        f->pc = pc;
        slow_unbound(vm, f, FIELD_B);
        goto error;
    }
    value_retain(b);
    SET(RA, b);
    NEXT();
}
// Moves a temporary: its count goes along.
OP_MOVET: {
    Value b = RB;
    RB = VALUE_UNBOUND;
    SET(RA, b);
    NEXT();
}
// No slow half: the int stands in the instruction and needs no box.
OP_LOADI:
    SET(RA, value_from_small(FIELD_BI));
    NEXT();
OP_LOADK:
    SET(RA, value_retain(KB));
    NEXT();
// A release may run a finaliser, which looks at the frame: pc is stored first.
OP_DROP:
    f->pc = pc;
    SET(RA, VALUE_UNBOUND);
    NEXT();
OP_DROPN:
    f->pc = pc;
    for (uint32_t i = 0; i < FIELD_B; i++) {
        SET(R[FIELD_A + i], VALUE_UNBOUND);
    }
    NEXT();
    SLOW_DROP(DELETE, slow_delete, 0)

#include "interp/vm/vm_ops_number.h"

#include "interp/vm/vm_ops_chain.h"

#include "interp/vm/vm_ops_jump.h"

#include "interp/vm/vm_ops_name.h"

#include "interp/vm/vm_ops_item.h"

#include "interp/vm/vm_ops_call.h"

#include "interp/vm/vm_ops_loop.h"

    // --- exceptions ---
    SLOW(RAISE, slow_raise, 0)
    SLOW(RERAISE, slow_reraise, 0)
    SLOW(RAISE_AGAIN, slow_raise_again, 0)
    SLOW(PUSHEXC, slow_pushexc, 0)
    SLOW_DROP(POPEXC, slow_popexc, 0)
// A jump, since a handler that does not fit goes on to the next one.
OP_MATCH:
    SLOW_JUMP(slow_match);
    SLOW(ASSERTFAIL, slow_assertfail, 0)
    SLOW(WITHENTER, slow_withenter, 0)
    SLOW(WITHEXIT, slow_withexit, 0)
    SLOW(WITHEXC, slow_withexc, 0)

    // --- modules ---
    SLOW(IMPORT, slow_import, 0)
    SLOW(IMPORTFROM, slow_importfrom, 0)
    SLOW(IMPORTSTAR, slow_importstar, 0)
    SLOW(ANNOTATE, slow_annotate, 0)
    SLOW(ANNOTATIONS, slow_annotations, 0)

    // --- staged blocks ---
OP_BLOCKIF:
OP_BLOCKELSE:
OP_BLOCKJOIN:
OP_BLOCKTRUTH:
OP_BLOCKNOT:
OP_BLOCKHEAD:
OP_BLOCKWHILE:
OP_BLOCKNEXT:
OP_BLOCKFOR:
OP_BLOCKRANGE:
OP_BLOCKSTOP:
OP_BLOCKASSERT:
OP_BLOCKFAIL:
    f->pc = pc;
    pc = slow_block(vm, f, ins);
    if (UNLIKELY(pc == NULL)) {
        goto error;
    }
    if (UNLIKELY(vm->ctx.interrupt)) {
        goto interrupted;
    }
    NEXT();

interrupted:
    f->pc = pc;
    if (cycles_poll(vm)) {
        NEXT();
    }
error:
    if (!vm_unwind(vm)) {
        return VALUE_FAIL;
    }
    LOAD_FRAME();
    NEXT();
}
