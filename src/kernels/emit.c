// Making a kernel: the frame, the operands' addresses, the loop.
//
// rdi: the operands' addresses; rsi: the number of elements; rdx: the index.
#include "kernels/emit.h"

#include <string.h>

#include "kernels/code_arena.h"
#include "kernels/emit_ops.h"

// Addresses of operands, in the order in which they are given out; from rbx on
// they are the caller's and saved. rdi comes last, when it is read no more.
static const uint8_t bases[] = {RAX, RCX, R8,      R9,      R10,     R11, RBX,
                                RBP, R12, R12 + 1, R12 + 2, R12 + 3, RDI};
_Static_assert(sizeof bases == LOOP_MAX_OPERANDS, "one for each operand");

static bool is_saved(int reg)
{
    return reg == RBX || reg == RBP || reg >= R12;
}

static void push(Code *code, int reg, int opcode)
{
    if (reg > 7) {
        code_byte(code, 0x41);
    }
    code_byte(code, opcode | (reg & 7));
}

// Eight lanes of four bytes, or four where the body has values of eight.
static uint8_t lanes_of(const Emitter *e)
{
    for (uint16_t i = 0; i < e->body->ins_count; i++) {
        LoopType type = loop_type(e->body, i);
        if (e->last[i] != 0 && (type == LT_F64 || type == LT_I64)) {
            return 4;
        }
    }
    return 8;
}

// Operands of one element get homes in the frame, the others registers; how
// many those are.
static uint32_t place_operands(Emitter *e)
{
    const LoopBuild *body = e->body;
    uint32_t dense = 0;
    for (uint16_t i = 0; i < body->ins_count; i++) {
        const LoopIns *ins = &body->ins[i];
        if (ins->op == PRIM_LOAD && e->last[i] != 0 &&
            body->operands[ins->b].kind == LOOP_ONE) {
            e->slot[i] = (int16_t)e->slot_count++;
        }
    }
    for (uint32_t k = 0; k < body->operand_count; k++) {
        if (body->operands[k].kind == LOOP_DENSE) {
            e->base[k] = bases[dense++];
        }
    }
    return dense;
}

// Returns where the frame's size stands.
static uint32_t emit_entry(Emitter *e, uint32_t dense)
{
    Code *code = &e->code;
    for (uint32_t i = 0; i < dense; i++) {
        if (is_saved(bases[i])) {
            push(code, bases[i], 0x50);
        }
    }
    // sub rsp, size
    code_byte(code, 0x48);
    code_byte(code, 0x81);
    code_byte(code, 0xEC);
    uint32_t at = code->size;
    code_long(code, 0);
    for (uint16_t i = 0; i < e->body->ins_count; i++) {
        if (e->slot[i] >= 0) {
            emit_spread(e, e->body->ins[i].b, (uint16_t)e->slot[i]);
        }
    }
    for (uint32_t k = 0; k < e->body->operand_count; k++) {
        if (e->body->operands[k].kind == LOOP_DENSE) {
            code_load(code, e->base[k], RDI, (int)k * 8);
        }
    }
    // xor edx, edx
    code_byte(code, 0x31);
    code_byte(code, 0xD2);
    return at;
}

static void emit_exit(Emitter *e, uint32_t dense, uint32_t frame_at,
                      uint32_t loop_at)
{
    Code *code = &e->code;
    uint32_t frame = e->slot_count * 32u;
    bool streams = false;
    for (uint32_t k = 0; k < e->body->operand_count; k++) {
        streams = streams || e->body->operands[k].streams;
    }
    // add rdx, lanes; cmp rdx, rsi; jb loop
    const uint8_t tail[] = {0x48, 0x83, 0xC2, e->lanes, 0x48,
                            0x39, 0xF2, 0x0F, 0x82};
    for (size_t i = 0; i < sizeof tail; i++) {
        code_byte(code, tail[i]);
    }
    code_long(code, loop_at - (code->size + 4));
    // add rsp, size
    code_byte(code, 0x48);
    code_byte(code, 0x81);
    code_byte(code, 0xC4);
    code_long(code, frame);
    memcpy(code->bytes + frame_at, &frame, sizeof frame);
    for (uint32_t i = dense; i-- > 0;) {
        if (is_saved(bases[i])) {
            push(code, bases[i], 0x58);
        }
    }
    // sfence, for what was written past the caches; vzeroupper; ret
    static const uint8_t last[] = {0x0F, 0xAE, 0xF8, 0xC5, 0xF8, 0x77, 0xC3};
    for (size_t i = streams ? 0 : 3; i < sizeof last; i++) {
        code_byte(code, last[i]);
    }
}

static bool emit_body(Emitter *e)
{
    regs_init(e);
    e->lanes = lanes_of(e);
    uint32_t dense = place_operands(e);
    uint32_t frame_at = emit_entry(e, dense), loop_at = e->code.size;
    for (uint16_t i = 0; i < e->body->ins_count; i++) {
        const LoopIns *ins = &e->body->ins[i];
        bool lives = ins->op == PRIM_STORE || e->last[i] != 0;
        if (lives && ins->op != PRIM_CONST && e->slot[i] < 0 &&
            e->root[i] == i) {
            e->now = i;
            emit_ins(e);
            regs_release(e);
        }
    }
    emit_exit(e, dense, frame_at, loop_at);
    code_finish(&e->code);
    return !e->refused && !e->code.full;
}

bool kernel_make(Ctx *ctx, const LoopBuild *body, LoopKernel *kernel)
{
    Emitter e;
    e.body = body;
    e.refused = e.code.full = false;
    e.code.size = e.code.pool_count = e.code.patch_count = 0;
    e.slot_count = 0;
    e.locked = 0;
    if (!ctx->kernels->tier->emits || !emit_body(&e)) {
        return false;
    }
    void *code = code_add(ctx->kernels->code, e.code.bytes, e.code.size);
    if (code == NULL) {
        return false;
    }
    memcpy(&kernel->code, &code, sizeof code);
    kernel->size = e.code.size;
    kernel->lanes = e.lanes;
    kernel->operand_count = (uint8_t)body->operand_count;
    memcpy(kernel->operands, body->operands, sizeof body->operands);
    return true;
}

void kernel_free(Ctx *ctx, LoopKernel *kernel)
{
    void *code;
    memcpy(&code, &kernel->code, sizeof code);
    code_drop(ctx->kernels->code, code, kernel->size);
}

KernelTable *kernel_table(Ctx *ctx)
{
    KernelState *state = ctx->kernels;
    if (state->table == NULL) {
        state->table = ctx_alloc_zero(ctx, sizeof *state->table);
    }
    return state->table;
}

// The code goes with its arena.
void kernel_table_free(Ctx *ctx, KernelTable *table)
{
    enum { COUNT = KERNEL_ROWS * ELEM_COUNT * KERNEL_KINDS };
    struct KernelEntry *entries = table != NULL ? **table->entries : NULL;
    for (int i = 0; entries != NULL && i < COUNT; i++) {
        if (entries[i].kernel != NULL) {
            ctx_free(ctx, entries[i].kernel, sizeof *entries[i].kernel);
        }
    }
    if (table != NULL) {
        ctx_free(ctx, table, sizeof *table);
    }
}

// What is left behind the last full step: copied, so that nothing beyond the
// operands is read or written.
static void run_rest(const LoopKernel *kernel, char *const *data, int64_t from,
                     size_t count)
{
    _Alignas(32) char copies[LOOP_MAX_OPERANDS][64];
    char *at[LOOP_MAX_OPERANDS];
    size_t sizes[LOOP_MAX_OPERANDS];
    for (int k = 0; k < kernel->operand_count; k++) {
        const LoopOperand *operand = &kernel->operands[k];
        sizes[k] = elem_size((Elem)operand->stored);
        at[k] = data[k];
        if (operand->kind == LOOP_DENSE) {
            at[k] = copies[k];
            memset(copies[k], 0, sizes[k] * kernel->lanes);
            memcpy(copies[k], data[k] + (size_t)from * sizes[k],
                   sizes[k] * count);
        }
    }
    kernel->code(at, kernel->lanes);
    for (int k = 0; k < kernel->operand_count; k++) {
        if (kernel->operands[k].writes) {
            memcpy(data[k] + (size_t)from * sizes[k], copies[k],
                   sizes[k] * count);
        }
    }
}

void kernel_run(const LoopKernel *kernel, char *const *data, int64_t count)
{
    int64_t whole = count - count % kernel->lanes;
    if (whole > 0) {
        kernel->code(data, whole);
    }
    if (count > whole) {
        run_rest(kernel, data, whole, (size_t)(count - whole));
    }
}
