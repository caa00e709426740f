// See emit_regs.h.
#include "kernels/emit_regs.h"

#include <string.h>

static const Vex load_vector = {1, 0, 0, 0x10}, store_vector = {1, 0, 0, 0x11};

static uint16_t arg_root(const Emitter *emitter, const LoopIns *ins, int k)
{
    const uint16_t args[3] = {ins->a, ins->b, ins->c};
    return emitter->root[args[k]];
}

static uint32_t vector_count(const Emitter *emitter)
{
    return regs_has_masks(emitter) ? VECTOR_REGS : VECTOR_REGS / 2;
}

bool regs_fit(const Emitter *emitter, uint16_t copies)
{
    uint16_t order[LOOP_MAX_INS];
    return emit_order(emitter->body, copies, vector_count(emitter), order);
}

// Where each copy's instructions are.
typedef uint16_t CopyPlaces[EMIT_ROUND][LOOP_MAX_INS];

// What is the same for all elements is so for all copies.
static void copy_ins(Emitter *emitter, CopyPlaces at, uint16_t i, uint16_t k)
{
    const LoopBuild *body = emitter->body;
    LoopIns ins = body->ins[i];
    LoopPrim op = (LoopPrim)ins.op;
    bool same = op == PRIM_LOAD ? body->operands[ins.b].kind == LOOP_ONE
                                : !loop_acts(&ins);
    uint16_t *args[] = {&ins.a, &ins.b, &ins.c};
    for (int j = 0; j < loop_arity(op); j++) {
        same = same && emitter->same[at[0][*args[j]]];
        *args[j] = at[k][*args[j]];
    }
    if (op == PRIM_LOAD || op == PRIM_STORE) {
        ins.c = k;
    }
    if (k > 0 && same) {
        at[k][i] = at[0][i];
        return;
    }
    at[k][i] = emitter->ins_count;
    emitter->same[emitter->ins_count] = same;
    emitter->ins[emitter->ins_count++] = ins;
}

static void copy_body(Emitter *emitter, uint16_t copies)
{
    CopyPlaces at;
    uint16_t order[LOOP_MAX_INS];
    uint32_t length = emitter->body->ins_count;
    bool in_turn = copies <= EMIT_COPIES;
    bool ordered =
        in_turn && copies > 1 &&
        emit_order(emitter->body, copies, vector_count(emitter), order);
    emitter->ins_count = 0;
    for (uint32_t n = 0; n < length * copies; n++) {
        uint32_t i = in_turn ? n / copies : n % length;
        uint32_t k = in_turn ? n % copies : n / length;
        copy_ins(emitter, at, ordered ? order[i] : (uint16_t)i, (uint16_t)k);
    }
}

void regs_init(Emitter *emitter, uint16_t copies)
{
    copy_body(emitter, copies);
    for (uint16_t i = 0; i < emitter->ins_count; i++) {
        const LoopIns *ins = &emitter->ins[i];
        emitter->root[i] = ins->op == PRIM_BITS ? emitter->root[ins->a] : i;
        emitter->last[i] = emitter->next[i] = 0;
        emitter->reg[i] = -1;
        emitter->slot[i] = -1;
    }
    // Backwards: what is read by nothing reads nothing itself, nor does BITS,
    // whose readers are its operand's.
    for (uint16_t i = emitter->ins_count; i-- > 0;) {
        const LoopIns *ins = &emitter->ins[i];
        bool live =
            emitter->root[i] == i && (loop_acts(ins) || emitter->last[i] != 0);
        for (int k = 0; live && k < loop_arity((LoopPrim)ins->op); k++) {
            uint16_t root = arg_root(emitter, ins, k);
            uint16_t *last = &emitter->last[root];
            *last = *last == 0 ? i : *last;
            emitter->after[i][k] = emitter->next[root];
            emitter->next[root] = i;
        }
    }
    emitter->taken = 0;
    for (int r = 0; r < EMIT_REGS; r++) {
        emitter->owner[r] = LOOP_NONE;
    }
}

static void set_owner(Emitter *emitter, int reg, uint16_t value)
{
    uint64_t bit = (uint64_t)1 << reg;
    emitter->owner[reg] = value;
    emitter->taken =
        value == LOOP_NONE ? emitter->taken & ~bit : emitter->taken | bit;
}

bool regs_holds(const Emitter *emitter, LoopValue value)
{
    return emitter->reg[emitter->root[value]] >= 0;
}

bool regs_dies(const Emitter *emitter, LoopValue value)
{
    return emitter->last[emitter->root[value]] == emitter->now;
}

// The number in the pool stands where others have their slot.
static CodePlace constant_place(Emitter *emitter, uint16_t value)
{
    const LoopIns *ins = &emitter->ins[value];
    if (emitter->slot[value] < 0) {
        CodePlace made =
            code_constant(&emitter->code, &emitter->body->consts[ins->b],
                          regs_lane(emitter, (LoopType)ins->type));
        emitter->slot[value] = (int16_t)made.number;
    }
    return (CodePlace){PLACE_POOL, 0, (uint16_t)emitter->slot[value]};
}

// Where it is besides its register; kind PLACE_REG: nowhere.
static CodePlace home(Emitter *emitter, uint16_t value)
{
    if (emitter->ins[value].op == PRIM_CONST) {
        return constant_place(emitter, value);
    }
    int slot = emitter->slot[value];
    return slot < 0 ? place_reg(0)
                    : (CodePlace){PLACE_STACK, 0, (uint16_t)slot};
}

void regs_move(Emitter *emitter, bool store, int reg, CodePlace place)
{
    if (reg < VECTOR_REGS) {
        code_vector(&emitter->code, store ? store_vector : load_vector,
                    emitter->code.width, reg, 0, place, -1);
    } else {
        code_vex(&emitter->code, (Vex){1, 0, 1, store ? 0x91 : 0x90}, 16, reg,
                 0, place, -1);
    }
}

// Empties the register from `first` on whose value is read farthest ahead.
static int evict(Emitter *emitter, int first, int end)
{
    int best = -1;
    uint32_t farthest = 0;
    for (int r = first; r < end; r++) {
        uint16_t value = emitter->owner[r];
        if (emitter->locked >> r & 1 || value == LOOP_NONE) {
            continue;
        }
        // One that nothing reads any more is the farthest.
        uint32_t next = emitter->next[value] - 1U;
        if (best < 0 || next > farthest) {
            best = r;
            farthest = next;
        }
    }
    // At most eight are locked, and five of masks.
    uint16_t value = emitter->owner[best];
    if (home(emitter, value).kind == PLACE_REG) {
        emitter->slot[value] = (int16_t)emitter->slot_count++;
        regs_move(emitter, true, best, home(emitter, value));
    }
    emitter->reg[value] = -1;
    return best;
}

static int take_register(Emitter *emitter, bool mask)
{
    int first = mask ? FIRST_MASK : 0;
    int end = mask ? EMIT_REGS : (int)vector_count(emitter);
    uint64_t below = ((uint64_t)1 << end) - ((uint64_t)1 << first);
    uint64_t empty = below & ~(emitter->taken | emitter->locked);
    int reg = empty != 0 ? __builtin_ctzll(empty) : evict(emitter, first, end);
    set_owner(emitter, reg, LOOP_NONE);
    emitter->locked |= (uint64_t)1 << reg;
    return reg;
}

int regs_temp(Emitter *emitter)
{
    return take_register(emitter, false);
}

int regs_temp_mask(Emitter *emitter)
{
    return take_register(emitter, true);
}

// One of the kind that the value is in.
static int take_for(Emitter *emitter, uint16_t value)
{
    const LoopIns *ins = &emitter->ins[value];
    LoopType type = loop_result((LoopPrim)ins->op, (LoopType)ins->type);
    int reg =
        take_register(emitter, type == LT_MASK && regs_has_masks(emitter));
    set_owner(emitter, reg, value);
    emitter->reg[value] = (int8_t)reg;
    return reg;
}

int regs_of(Emitter *emitter, LoopValue value)
{
    uint16_t root = emitter->root[value];
    int reg = emitter->reg[root];
    if (reg < 0) {
        CodePlace from = home(emitter, root);
        reg = take_for(emitter, root);
        regs_move(emitter, false, reg, from);
    }
    emitter->locked |= (uint64_t)1 << reg;
    return reg;
}

CodePlace regs_place(Emitter *emitter, LoopValue value)
{
    uint16_t root = emitter->root[value];
    return emitter->reg[root] >= 0 ? place_reg(regs_of(emitter, value))
                                   : home(emitter, root);
}

static void let_go(Emitter *emitter, uint16_t root)
{
    int reg = emitter->reg[root];
    if (reg >= 0 && emitter->last[root] == emitter->now) {
        set_owner(emitter, reg, LOOP_NONE);
        emitter->reg[root] = -1;
        emitter->locked &= ~((uint64_t)1 << reg);
    }
}

int regs_result_apart(Emitter *emitter)
{
    return take_for(emitter, emitter->now);
}

int regs_result(Emitter *emitter)
{
    const LoopIns *ins = &emitter->ins[emitter->now];
    for (int k = 0; k < loop_arity((LoopPrim)ins->op); k++) {
        let_go(emitter, arg_root(emitter, ins, k));
    }
    return regs_result_apart(emitter);
}

int regs_take_over(Emitter *emitter, LoopValue value)
{
    uint16_t root = emitter->root[value];
    int reg = emitter->reg[root];
    emitter->reg[root] = -1;
    set_owner(emitter, reg, emitter->now);
    emitter->reg[emitter->now] = (int8_t)reg;
    return reg;
}

void regs_release(Emitter *emitter)
{
    const LoopIns *ins = &emitter->ins[emitter->now];
    for (int k = loop_arity((LoopPrim)ins->op); k-- > 0;) {
        uint16_t root = arg_root(emitter, ins, k);
        let_go(emitter, root);
        emitter->next[root] = emitter->after[emitter->now][k];
    }
    emitter->locked = emitter->pinned;
}
