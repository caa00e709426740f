// Slow paths: block instructions of converted code.
//
// On a host value each is a jump. Inside a trace the stager is asked where a
// tensor decides, and at the ends of blocks, which it alone knows to be traced
// (stager/blocks.h); outside one (stage.once) all blocks are the host's.
#include "interp/apply.h"
#include "interp/obj_tensor.h"
#include "interp/vm_run.h"

static const Ins *word_at(const Frame *f, uint32_t word)
{
    return f->code->words + word;
}

// Whether the stager decides: a tensor, of any kind, in a trace.
static bool decides(Vm *vm, Value v)
{
    return vm->trace != NULL && value_is_operand(v);
}

static const Ins *block_if(Vm *vm, Frame *f, const BlockInfo *info, Ins ins)
{
    uint32_t a = INS_A(ins);
    if (!slow_bound(vm, f, a)) {
        return NULL;
    }
    if (decides(vm, f->registers[a])) {
        return vm->hooks->block(vm, f, BLOCK_IF, info, ins);
    }
    int truth = value_truth(vm, f->registers[a]);
    if (truth < 0) {
        return NULL;
    }
    if (!INS_X(ins)) {
        slow_drop(vm, f, a);
    }
    return truth ? f->pc : word_at(f, info->else_target);
}

// The end of a side or a turn: the stager's if it traces the block.
static const Ins *block_end(Vm *vm, Frame *f, BlockEvent event,
                            const BlockInfo *info, Ins ins)
{
    if (vm->trace != NULL) {
        return vm->hooks->block(vm, f, event, info, ins);
    }
    switch (event) {
    case BLOCK_ELSE: return word_at(f, info->join_target);
    case BLOCK_NEXT: return word_at(f, info->else_target);
    default: return f->pc;
    }
}

static const Ins *block_truth(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins))) {
        return NULL;
    }
    return decides(vm, f->registers[INS_A(ins)])
               ? vm->hooks->block(vm, f, BLOCK_TRUTH, NULL, ins)
               : f->pc;
}

static const Ins *block_not(Vm *vm, Frame *f, Ins ins)
{
    uint32_t b = INS_B(ins);
    if (!slow_bound(vm, f, b)) {
        return NULL;
    }
    if (decides(vm, f->registers[b])) {
        return vm->hooks->block(vm, f, BLOCK_NOT, NULL, ins);
    }
    int truth = value_truth(vm, f->registers[b]);
    if (truth < 0 || !slow_set(vm, f, INS_A(ins), value_from_bool(!truth))) {
        return NULL;
    }
    if (b != INS_A(ins)) {
        slow_drop(vm, f, b);
    }
    return f->pc;
}

const Ins *slow_block(Vm *vm, Frame *f, Ins ins)
{
    Opcode op = (Opcode)INS_OP(ins);
    const BlockInfo *info = op == OPCODE_BLOCKTRUTH || op == OPCODE_BLOCKNOT
                                ? NULL
                                : &f->code->blocks[INS_B(ins)];
    switch (op) {
    case OPCODE_BLOCKIF: return block_if(vm, f, info, ins);
    case OPCODE_BLOCKELSE: return block_end(vm, f, BLOCK_ELSE, info, ins);
    case OPCODE_BLOCKJOIN: return block_end(vm, f, BLOCK_JOIN, info, ins);
    case OPCODE_BLOCKTRUTH: return block_truth(vm, f, ins);
    case OPCODE_BLOCKNOT: return block_not(vm, f, ins);
    default: return NULL;
    }
}
