// Making a kernel: the frame, the operands' addresses, the loop.
//
// rdi: the operands' addresses, later free; rsi: the number of elements; rdx:
// the index.
#include "kernels/emit.h"

#include <string.h>

#include "kernels/code_arena.h"
#include "kernels/emit_ops.h"
#include "kernels/emit_shared.h"

// Addresses of operands, in the order in which they are given out; from rbx on
// they are the caller's and saved.
static const uint8_t bases[] = {RAX, RCX, R8,  R9,      R10,     R11,
                                RBX, RBP, R12, R12 + 1, R12 + 2, R12 + 3};
_Static_assert(sizeof bases == LOOP_MAX_OPERANDS, "one for each operand");

static bool is_saved(int reg)
{
    return reg == RBX || reg == RBP || reg >= R12;
}

static void push(MachineCode *code, int reg, int opcode)
{
    if (reg > 7) {
        code_byte(code, 0x41);
    }
    code_byte(code, opcode | (reg & 7));
}

// As many as a vector has of four bytes, or of eight where the body has values
// of eight; of bools alone 32.
static uint8_t lanes_of(const Emitter *e)
{
    uint8_t lanes = 32, width = e->code.width;
    for (uint16_t i = 0; i < e->ins_count; i++) {
        const LoopIns *ins = &e->ins[i];
        LoopType type = loop_result((LoopPrim)ins->op, (LoopType)ins->type);
        if (e->last[i] != 0 && (type == LT_F64 || type == LT_I64)) {
            return width / 8;
        }
        lanes = e->last[i] != 0 && type != LT_MASK ? width / 4 : lanes;
    }
    for (uint32_t k = 0; k < e->body->operand_count; k++) {
        lanes = e->body->operands[k].stored != ELEM_BOOL ? width / 4 : lanes;
    }
    return lanes;
}

// How many steps at once: a chain of instructions, each of which waits for the
// one before, leaves the processor idle, which looks some hundred instructions
// ahead. Short bodies overlap by themselves.
static uint16_t copies_of(const Emitter *e, uint16_t most)
{
    enum { CHAIN_LEAST = 24 };
    uint16_t copies = most;
    bool short_chain = e->ins_count < CHAIN_LEAST;
    while (copies > 1 && (short_chain || e->ins_count * copies > EMIT_MAX_INS ||
                          (copies > 2 && !regs_fit(e, copies)))) {
        copies /= 2;
    }
    return copies;
}

// How many steps a round of the lanes is, if they can be in registers as long
// as there are whole rounds; 0: they cannot.
static uint16_t round_of(const Emitter *e)
{
    enum { LONGEST = 48 };
    uint32_t operands = 0;
    for (uint32_t k = 0; k < e->body->operand_count; k++) {
        const LoopOperand *operand = &e->body->operands[k];
        if (operand->kind == LOOP_AROUND) {
            operands++;
            if (elem_size((Elem)operand->stored) * e->lanes != e->code.width) {
                return 0;
            }
        }
    }
    bool fits = operands * EMIT_ROUND <= VECTOR_REGS / 2 &&
                e->body->ins_count <= LONGEST &&
                e->lanes * EMIT_ROUND == LOOP_LANES;
    return regs_has_masks(e) && operands > 0 && fits ? EMIT_ROUND : 0;
}

// What is the same for all elements gets a home in the frame, other operands
// registers; how many those are.
static uint32_t place_operands(Emitter *e)
{
    const LoopBuild *body = e->body;
    uint32_t dense = 0;
    e->slot_count = FRAME_REST;
    e->around = false;
    for (uint16_t i = 0; i < e->ins_count; i++) {
        const LoopIns *ins = &e->ins[i];
        if (ins->op == PRIM_FAULT && e->same[e->root[ins->a]]) {
            e->slot[i] = FRAME_FAULTS;
        } else if (e->same[i] && e->last[i] != 0 && ins->op != PRIM_CONST) {
            // Another is for its inverse.
            e->slot[i] = (int16_t)e->slot_count;
            e->slot_count += 2;
        }
    }
    for (uint32_t k = 0; k < body->operand_count; k++) {
        e->around = e->around || body->operands[k].kind == LOOP_AROUND;
        if (body->operands[k].kind != LOOP_ONE) {
            e->base[k] = bases[dense++];
        }
    }
    return dense;
}

// Before the loop, what is the same for all elements: into its home. Operands
// come first, on the way through a register that no value may be in.
static void emit_once(Emitter *e)
{
    for (uint16_t i = 0; i < e->ins_count; i++) {
        if (e->slot[i] >= 0 && e->ins[i].op == PRIM_LOAD) {
            emit_spread(e, e->ins[i].b, (uint16_t)e->slot[i]);
        }
    }
    for (uint16_t i = 0; i < e->ins_count; i++) {
        const LoopIns *ins = &e->ins[i];
        e->now = i;
        emit_inverse(e, ins);
        if (e->slot[i] < 0 || ins->op == PRIM_LOAD) {
            // in the loop, or done
        } else if (ins->op != PRIM_FAULT) {
            emit_ins(e);
            regs_move(e, true, e->reg[i],
                      (CodePlace){PLACE_STACK, 0, (uint16_t)e->slot[i]});
        } else {
            // test rsi, rsi; jz: no element is in error
            code_bytes(&e->code, (const uint8_t[]){0x48, 0x85, 0xF6}, 3);
            uint32_t none = code_jump(&e->code, JUMP_ZERO);
            emit_ins(e);
            code_aim(&e->code, none, e->code.size);
        }
        regs_release(e);
    }
}

// Returns where the frame's size stands. The frame begins at a multiple of 64,
// so that no vector of it lies in two lines of the cache.
static uint32_t emit_entry(Emitter *e, uint32_t dense)
{
    MachineCode *code = &e->code;
    for (uint32_t i = 0; i < dense; i++) {
        if (is_saved(bases[i])) {
            push(code, bases[i], 0x50);
        }
    }
    // mov rdx, rsp; sub rsp, size; and rsp, -64
    code_bytes(code, (const uint8_t[]){0x48, 0x89, 0xE2, 0x48, 0x81, 0xEC}, 6);
    uint32_t at = code->size;
    code_long(code, 0);
    code_bytes(code, (const uint8_t[]){0x48, 0x83, 0xE4, 0xC0}, 4);
    code_frame(code, MOVE_STORE, RDX, FRAME_FAULTS, 8);
    // xor edx, edx
    static const uint8_t clear[] = {0x31, 0xD2};
    code_bytes(code, clear, sizeof clear);
    code_frame(code, MOVE_STORE, RDX, FRAME_FAULTS, 0);
    emit_once(e);
    for (uint32_t k = 0; k < e->body->operand_count; k++) {
        if (e->body->operands[k].kind != LOOP_ONE) {
            code_load(code, e->base[k], RDI, (int)k * 8);
        }
    }
    code_bytes(code, clear, sizeof clear);
    return at;
}

static void emit_exit(Emitter *e, uint32_t dense, uint32_t frame_at)
{
    MachineCode *code = &e->code;
    uint32_t frame = e->most_slots * (uint32_t)code->width;
    bool streams = false;
    for (uint32_t k = 0; k < e->body->operand_count; k++) {
        streams = streams || e->body->operands[k].streams;
    }
    if (!code->full) {
        memcpy(code->bytes + frame_at, &frame, sizeof frame);
    }
    code_frame(code, MOVE_LOAD, RAX, FRAME_FAULTS, 0);
    code_frame(code, MOVE_LOAD, RSP, FRAME_FAULTS, 8);
    for (uint32_t i = dense; i-- > 0;) {
        if (is_saved(bases[i])) {
            push(code, bases[i], 0x58);
        }
    }
    // sfence, for what was written past the caches; vzeroupper; ret
    static const uint8_t last[] = {0x0F, 0xAE, 0xF8, 0xC5, 0xF8, 0x77, 0xC3};
    code_bytes(code, last + (streams ? 0 : 3), sizeof last - (streams ? 0 : 3));
}

static void emit_all(Emitter *e)
{
    for (uint16_t i = 0; i < e->ins_count; i++) {
        const LoopIns *ins = &e->ins[i];
        bool lives = loop_acts(ins) || e->last[i] != 0;
        if (lives && ins->op != PRIM_CONST && e->slot[i] < 0 &&
            e->root[i] == i) {
            e->now = i;
            emit_ins(e);
            regs_release(e);
        }
    }
}

// Register rsi or rdx and a number, added or subtracted.
static void add_number(MachineCode *code, uint8_t modrm, uint32_t number)
{
    code_bytes(code, (const uint8_t[]){0x48, 0x81, modrm}, 3);
    code_long(code, number);
}

// The right one's lanes join the left one's.
static void emit_join(Emitter *e, int left, int right)
{
    e->lane[0] = (uint8_t)left;
    e->lane[1] = (uint8_t)right;
    regs_init(e, 1);
    emit_all(e);
}

// An operand's lanes in halves, as reduce_body.h has it.
static void emit_fold(Emitter *e, const LoopOperand *operand, int first)
{
    enum { HALF = 15 }; // a register that holds nothing else now
    LoopBuild pair;
    Elem stored = (Elem)operand->stored;
    loop_init(&pair);
    int left = loop_operand(&pair, stored, LOOP_AROUND, true);
    int right = loop_operand(&pair, stored, LOOP_AROUND, false);
    e->refused = !loop_reduce(&pair, left, (ReduceId)operand->joins,
                              loop_load(&pair, right)) ||
                 e->refused;
    e->body = &pair;
    for (int half = EMIT_ROUND / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            emit_join(e, first + i, first + i + half);
        }
    }
    e->pinned |= (uint64_t)1 << HALF;
    for (int half = e->lanes / 2; half > 0; half /= 2) {
        emit_half(e, HALF, first, half);
        emit_join(e, first, HALF);
    }
}

// The results of all operands' lanes.
static void emit_folds(Emitter *e)
{
    const LoopBuild *body = e->body;
    uint64_t pinned = e->pinned;
    uint8_t lane[LOOP_MAX_OPERANDS];
    memcpy(lane, e->lane, sizeof lane);
    for (uint16_t k = 0; k < body->operand_count; k++) {
        if (lane[k] != 0) {
            emit_fold(e, &body->operands[k], lane[k]);
            e->body = body;
            e->pinned = e->locked = pinned;
            memcpy(e->lane, lane, sizeof lane);
            emit_first_lane(e, k);
        }
    }
}

// Lanes that are pinned, before and behind a loop: those of whole rounds alone
// begin empty and end folded, others come from memory and go there.
static void emit_ends(Emitter *e, bool behind)
{
    MachineCode *code = &e->code;
    if (e->pinned == 0) {
        return;
    }
    // test esi, lanes - 1
    code_bytes(code, (const uint8_t[]){0xF7, 0xC6}, 2);
    code_long(code, LOOP_LANES - 1);
    uint32_t whole = code_jump(code, JUMP_ZERO);
    emit_lanes(e, behind);
    // It has cleared edi: this jump is always taken.
    uint32_t done = code_jump(code, JUMP_ZERO);
    code_aim(code, whole, code->size);
    if (behind) {
        emit_folds(e);
    } else {
        emit_empty_lanes(e);
    }
    code_aim(code, done, code->size);
}

// Steps of so many copies as long as there are enough elements: rsi is where
// the last of them begins, behind it their number again.
static void emit_loop(Emitter *e, uint16_t copies)
{
    MachineCode *code = &e->code;
    uint32_t step = (uint32_t)e->lanes * copies;
    static const uint8_t compare[] = {0x48, 0x39, 0xF2};
    // sub rsi, step; jb end; cmp rdx, rsi; ja end
    add_number(code, 0xEE, step);
    uint32_t skip = code_jump(code, JUMP_BELOW);
    code_bytes(code, compare, sizeof compare);
    uint32_t none = code_jump(code, JUMP_ABOVE);
    emit_ends(e, false);
    code_align(code);
    uint32_t start = code->size;
    if (e->around && e->pinned == 0) {
        emit_lane_index(e);
    }
    emit_all(e);
    // add rdx, step; cmp rdx, rsi; jbe start; end: add rsi, step
    add_number(code, 0xC2, step);
    code_bytes(code, compare, sizeof compare);
    code_aim(code, code_jump(code, JUMP_NOT_ABOVE), start);
    emit_ends(e, true);
    code_aim(code, skip, code->size);
    code_aim(code, none, code->size);
    add_number(code, 0xC6, step);
}

// The lanes' registers, from the last one down; or none any more.
static void pin_lanes(Emitter *e, bool pin)
{
    int next = VECTOR_REGS;
    e->pinned = 0;
    memset(e->lane, 0, sizeof e->lane);
    for (uint32_t k = 0; pin && k < e->body->operand_count; k++) {
        if (e->body->operands[k].kind == LOOP_AROUND) {
            next -= EMIT_ROUND;
            e->lane[k] = (uint8_t)next;
            e->pinned |= (uint64_t)((1 << EMIT_ROUND) - 1) << next;
        }
    }
    e->locked = e->pinned;
}

// Values and places start afresh; operands of one element are where they were.
static void start_over(Emitter *e, uint16_t copies)
{
    e->most_slots =
        e->most_slots < e->slot_count ? e->slot_count : e->most_slots;
    regs_init(e, copies);
    (void)place_operands(e);
}

// The rest, one step. The operands' addresses move on to what is left, so that
// rdx is free between instructions.
static void emit_tail(Emitter *e)
{
    MachineCode *code = &e->code;
    // sub rsi, rdx; jz end
    code_bytes(code, (const uint8_t[]){0x48, 0x29, 0xD6}, 3);
    uint32_t skip = code_jump(code, JUMP_ZERO);
    e->tail = true;
    start_over(e, 1);
    emit_rest(e);
    emit_all(e);
    code_aim(code, skip, code->size);
}

// Without a tail all counts are multiples of KERNEL_STEP.
static bool emit_body(Emitter *e, bool tail, uint16_t most)
{
    e->refused = e->tail = e->code.full = false;
    e->code.size = e->code.pool_count = e->code.patch_count = 0;
    pin_lanes(e, false);
    regs_init(e, 1);
    e->lanes = lanes_of(e);
    e->most_slots = 0;
    uint32_t dense = place_operands(e);
    uint32_t frame_at = emit_entry(e, dense);
    start_over(e, 1);
    uint16_t rounds = round_of(e), copies = copies_of(e, most);
    e->folds = rounds > 0;
    if (rounds > 0) {
        pin_lanes(e, true);
        start_over(e, rounds);
        emit_loop(e, rounds);
        pin_lanes(e, false);
        start_over(e, 1);
    }
    if (copies > 1) {
        start_over(e, copies);
        emit_loop(e, copies);
        start_over(e, 1);
    }
    if (copies == 1 || tail || KERNEL_STEP % (copies * e->lanes) != 0) {
        emit_loop(e, 1);
    }
    if (tail) {
        emit_tail(e);
    }
    start_over(e, 1);
    emit_exit(e, dense, frame_at);
    code_finish(&e->code);
    return !e->refused && !e->code.full;
}

// NULL with nothing pending: there is no room, or what has no code.
static SharedCode *make_code(Ctx *ctx, const LoopBuild *body, bool even,
                             const SharedKey *key)
{
    Emitter e;
    e.body = body;
    e.tier = ctx->kernels->tier;
    e.code.width = e.tier->emits;
    // Code of several copies may not fit.
    if (!emit_body(&e, !even, EMIT_COPIES) && !emit_body(&e, !even, 1)) {
        return NULL;
    }
    void *code = code_add(ctx->kernels->code, e.code.bytes, e.code.size);
    return code == NULL ? NULL
                        : shared_add(ctx, key, code, e.code.size, e.folds);
}

bool kernel_make(Ctx *ctx, const LoopBuild *body, bool even, LoopKernel *kernel)
{
    SharedKey key;
    kernel->operand_count = (uint8_t)body->operand_count;
    memcpy(kernel->operands, body->operands, sizeof body->operands);
    kernel->program = NULL;
    kernel->shared = NULL;
    if (ctx->kernels->tier->emits != 0) {
        shared_key(&key, body, even);
        kernel->shared = shared_find(ctx, &key);
        if (kernel->shared == NULL) {
            kernel->shared = make_code(ctx, body, even, &key);
        }
        if (ctx_failed(ctx)) {
            return false;
        }
    }
    if (kernel->shared != NULL) {
        memcpy(&kernel->code, &kernel->shared->code, sizeof kernel->code);
        kernel->folds = kernel->shared->folds;
        return true;
    }
    kernel->code = NULL;
    kernel->folds = false;
    kernel->program = loop_program(ctx, body);
    return kernel->program != NULL;
}

void kernel_free(Ctx *ctx, LoopKernel *kernel)
{
    if (kernel->program != NULL) {
        loop_program_free(ctx, kernel->program);
    } else {
        shared_drop(ctx, kernel->shared);
    }
}

static size_t table_size(size_t count)
{
    return sizeof(KernelTable) + count * sizeof(LoopKernel *);
}

KernelTable *kernel_table(Ctx *ctx, size_t rows)
{
    size_t count = rows * ELEM_COUNT * KERNEL_KINDS;
    KernelState *state = ctx->kernels;
    if (state->table == NULL) {
        state->table = ctx_alloc_zero(ctx, table_size(count));
        if (state->table != NULL) {
            state->table->count = count;
        }
    }
    return state->table;
}

void kernel_table_free(Ctx *ctx, KernelTable *table)
{
    for (size_t i = 0; table != NULL && i < table->count; i++) {
        if (table->entries[i] != NULL) {
            kernel_free(ctx, table->entries[i]);
            ctx_free(ctx, table->entries[i], sizeof(LoopKernel));
        }
    }
    if (table != NULL) {
        ctx_free(ctx, table, table_size(table->count));
    }
}
