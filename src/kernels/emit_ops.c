// The instructions of each primitive, for AVX2 and FMA.
//
// A step takes as many lanes as 32 bytes have of the body's widest type. Where
// that is eight bytes, values of four fill half a register, and masks have
// eight bytes a lane throughout.
#include "kernels/emit_ops.h"

#include <string.h>

// A primitive of one instruction, of two operands unless it is UNARY.
typedef struct Simple {
    Vex op; // opcode 0: not simple
    int8_t imm;
    uint8_t flags;
} Simple;
enum {
    NO_IMM = -1,
    COMMUTES = 1,
    UNARY = 2,
    SWAPS = 4,  // the second operand comes first
    NEGATES = 8 // the result is turned over
};

static const Simple simple[PRIM_COUNT][LT_MASK + 1] = {
#define EMIT(prim, type, map, prefix, opcode, imm, flags)                      \
    [PRIM_##prim][LT_##type] = {{map, prefix, 0, opcode}, imm, flags},
#include "kernels/emit_list.h"
#undef EMIT
};

static const Vex broadcast_words = {2, 1, 0, 0x58};
static const Vex extract_high = {3, 1, 0, 0x39};
static const Vex shuffle_floats = {1, 0, 0, 0xC6};
static const Vex shuffle_bytes = {2, 1, 0, 0x00};
static const Vex widen_words = {2, 1, 0, 0x25};
static const Vex xor_all = {1, 1, 0, 0xEF}, and_all = {1, 1, 0, 0xDB};
static const Vex blend_bytes = {3, 1, 0, 0x4C};
static const Vex move_vector = {1, 0, 0, 0x10}, store_vector = {1, 0, 0, 0x11};

static void put(Emitter *e, Vex op, bool wide, int reg, int v, CodePlace place)
{
    code_vex(&e->code, op, wide, reg, v, place, -1);
}
static void put_imm(Emitter *e, Vex op, bool wide, int reg, int v,
                    CodePlace place, int imm)
{
    code_vex(&e->code, op, wide, reg, v, place, imm);
}

static CodePlace ones(Emitter *e)
{
    return code_constant(&e->code, &(uint8_t){255}, 1);
}

// Of a type whose lanes fill half a register.
static bool is_half(const Emitter *e, LoopType type)
{
    return type != LT_MASK && !regs_wide(e, type);
}

static void emit_simple(Emitter *e, const LoopIns *ins, Simple row)
{
    LoopValue x = ins->a, y = ins->b;
    LoopType type = (LoopType)ins->type;
    // A conversion is as wide as the wider of its types.
    bool wide = regs_wide(e, type) ||
                regs_wide(e, loop_result((LoopPrim)ins->op, type));
    bool compares =
        loop_result((LoopPrim)ins->op, type) == LT_MASK && type != LT_MASK;
    wide = compares ? regs_wide(e, type) : wide;
    if (row.flags & SWAPS || (row.flags & COMMUTES && !regs_holds(e, x))) {
        x = ins->b;
        y = ins->a;
    }
    int first = row.flags & UNARY ? 0 : regs_of(e, x);
    CodePlace second = regs_place(e, row.flags & UNARY ? x : y);
    int to = regs_result(e);
    put_imm(e, row.op, wide, to, first, second, row.imm);
    if (row.flags & NEGATES) {
        put(e, xor_all, true, to, to, ones(e));
    }
    if (compares && is_half(e, type)) {
        put(e, widen_words, true, to, 0, place_reg(to));
    }
}

// d = x y + z, with d in the place of an operand that dies, if there is one.
static void emit_fma(Emitter *e, const LoopIns *ins)
{
    LoopType type = (LoopType)ins->type;
    bool wide = regs_wide(e, type);
    Vex times = {2, 1, type == LT_F64, 0xA8}, plus = {2, 1, times.w, 0xB8};
    LoopValue x = ins->a, y = ins->b;
    if (!(regs_dies(e, x) && regs_holds(e, x))) {
        x = ins->b;
        y = ins->a;
    }
    bool z_dies = regs_dies(e, ins->c) && regs_holds(e, ins->c);
    if (!z_dies && regs_dies(e, x) && regs_holds(e, x) &&
        e->root[x] != e->root[ins->c]) {
        (void)regs_of(e, x);
        CodePlace z = regs_place(e, ins->c);
        int factor = regs_of(e, y);
        int to = regs_take_over(e, x);
        put(e, times, wide, to, factor, z);
        return;
    }
    // A constant is read from memory, whichever factor it is.
    if (!regs_holds(e, x)) {
        LoopValue other = x;
        x = y;
        y = other;
    }
    int to = z_dies ? regs_of(e, ins->c) : -1;
    int factor = regs_of(e, x);
    CodePlace second = regs_place(e, y);
    if (z_dies) {
        (void)regs_take_over(e, ins->c);
    } else {
        CodePlace z = regs_place(e, ins->c);
        to = regs_result_apart(e);
        put(e, move_vector, true, to, 0, z);
    }
    put(e, plus, wide, to, factor, second);
}

// The mask for lanes of half the width.
static int halve_mask(Emitter *e, int mask)
{
    int high = regs_temp(e);
    put_imm(e, extract_high, true, mask, 0, place_reg(high), 1);
    put_imm(e, shuffle_floats, false, high, mask, place_reg(high), 0x88);
    return high;
}

static void emit_select(Emitter *e, const LoopIns *ins)
{
    LoopType type = (LoopType)ins->type;
    int mask = regs_of(e, ins->a), no = regs_of(e, ins->c);
    CodePlace yes = regs_place(e, ins->b);
    mask = is_half(e, type) ? halve_mask(e, mask) : mask;
    int to = regs_result(e);
    put_imm(e, blend_bytes, !is_half(e, type), to, no, yes, mask << 4);
}

// The lanes of a tail, as a mask of so many bytes a lane.
static CodePlace tail_mask(uint32_t lane)
{
    return (CodePlace){PLACE_STACK, 0, lane == 8 ? FRAME_TAIL + 1 : FRAME_TAIL};
}

// Passes by what follows; where to is to be said.
static uint32_t skip_if_none(Emitter *e, int mask)
{
    put(e, (Vex){2, 1, 0, 0x17}, true, mask, 0, place_reg(mask));
    return code_jump(&e->code, JUMP_ZERO);
}

// Registers that a function may change: those that hold values, and the
// general ones of the loop.
static void keep_registers(Emitter *e, bool back, int but)
{
    static const uint8_t general[] = {RAX, RCX, RDX, RSI, RDI,
                                      R8,  R9,  R10, R11};
    for (uint32_t i = 0; i < sizeof general; i++) {
        code_frame(&e->code, back ? MOVE_LOAD : MOVE_STORE, general[i],
                   FRAME_GENERAL, (int)i * 8);
    }
    for (int r = 0; r < VECTOR_REGS; r++) {
        if (r != but && (e->owner[r] != LOOP_NONE || e->locked >> r & 1)) {
            put(e, back ? move_vector : store_vector, true, r, 0,
                (CodePlace){PLACE_STACK, 0, (uint16_t)(FRAME_VECTORS + r)});
        }
    }
}

// Calls the interpreter's loop over the lanes of the operands, which are in
// registers; what `to` held is lost.
static void call_row(Emitter *e, LoopRow row, const LoopIns *ins, int args,
                     int to)
{
    static const uint8_t order[] = {RSI, RDX, RCX};
    const LoopValue values[] = {ins->a, ins->b, ins->c};
    uint8_t address[8];
    for (int k = 0; k < args; k++) {
        put(e, store_vector, true, regs_of(e, values[k]), 0,
            (CodePlace){PLACE_STACK, 0, (uint16_t)(FRAME_ARGS + k)});
    }
    keep_registers(e, false, to);
    code_frame(&e->code, MOVE_LEA, RDI, FRAME_RESULT, 0);
    for (int k = 0; k < 3; k++) {
        code_frame(&e->code, MOVE_LEA, order[k],
                   FRAME_ARGS + (uint32_t)(k < args ? k : 0), 0);
    }
    // mov r8d, lanes; vzeroupper; mov rax, row; call rax
    code_bytes(&e->code,
               (const uint8_t[]){0x41, 0xB8, e->lanes, 0, 0, 0, 0xC5, 0xF8,
                                 0x77, 0x48, 0xB8},
               11);
    memcpy(address, &row, sizeof address);
    code_bytes(&e->code, address, sizeof address);
    code_bytes(&e->code, (const uint8_t[]){0xFF, 0xD0}, 2);
    keep_registers(e, true, to);
}

// What has no instruction. Masks are not what the functions take.
static void emit_call(Emitter *e, const LoopIns *ins)
{
    LoopRow row = e->tier->rows[ins->op][ins->type];
    int args = loop_arity((LoopPrim)ins->op);
    const LoopValue values[] = {ins->a, ins->b, ins->c};
    if (row == NULL || ins->type == LT_MASK ||
        loop_result((LoopPrim)ins->op, (LoopType)ins->type) == LT_MASK) {
        e->refused = true;
        return;
    }
    for (int k = 0; k < args; k++) {
        (void)regs_of(e, values[k]);
    }
    int to = regs_result_apart(e);
    call_row(e, row, ins, args, to);
    put(e, move_vector, true, to, 0, (CodePlace){PLACE_STACK, 0, FRAME_RESULT});
}

// The function is called if a lane of this step wants it.
static void emit_rare(Emitter *e, const LoopIns *ins)
{
    LoopRow row = e->tier->rows[ins->op][ins->type];
    (void)regs_of(e, ins->a);
    int main = regs_of(e, ins->b), any = regs_of(e, ins->c);
    int mask = is_half(e, (LoopType)ins->type) ? halve_mask(e, any) : any;
    int to = regs_result_apart(e);
    put(e, move_vector, true, to, 0, place_reg(main));
    uint32_t skip = skip_if_none(e, any);
    call_row(e, row, ins, 1, to);
    put_imm(e, blend_bytes, true, to, main,
            (CodePlace){PLACE_STACK, 0, FRAME_RESULT}, mask << 4);
    code_aim(&e->code, skip, e->code.size);
}

static void emit_fault(Emitter *e, const LoopIns *ins)
{
    int mask = regs_of(e, ins->a), found = mask;
    if (e->tail) {
        found = regs_temp(e);
        put(e, and_all, true, found, mask, tail_mask(regs_lane(e, LT_MASK)));
    }
    uint32_t skip = skip_if_none(e, found);
    // or dword [rsp + faults], bit
    code_bytes(&e->code, (const uint8_t[]){0x81, 0x8C, 0x24}, 3);
    code_long(&e->code, FRAME_FAULTS * 32);
    code_long(&e->code, (uint32_t)1 << ins->b);
    code_aim(&e->code, skip, e->code.size);
}

// By a constant, or each lane by its own count.
static void emit_shift(Emitter *e, const LoopIns *ins)
{
    static const uint8_t fields[] = {6, 2, 4}, codes[] = {0x47, 0x45, 0x46};
    LoopType type = (LoopType)ins->type;
    bool wide = regs_wide(e, type), longs = type == LT_I64;
    int which = ins->op - PRIM_SHL;
    const LoopIns *count = &e->ins[ins->b];
    if (longs && ins->op == PRIM_SAR) {
        emit_call(e, ins);
        return;
    }
    int x = regs_of(e, ins->a);
    if (count->op == PRIM_CONST && e->body->consts[count->b] < 64) {
        int to = regs_result(e);
        put_imm(e, (Vex){1, 1, 0, longs ? 0x73 : 0x72}, wide, fields[which], to,
                place_reg(x), (int)e->body->consts[count->b]);
        return;
    }
    CodePlace counts = regs_place(e, ins->b);
    int to = regs_result(e);
    put(e, (Vex){2, 1, longs, codes[which]}, wide, to, x, counts);
}

// Low halves multiplied; the crossed products count for the high half alone.
static void emit_long_multiply(Emitter *e, const LoopIns *ins)
{
    static const Vex multiply = {1, 1, 0, 0xF4}, add = {1, 1, 0, 0xD4};
    static const Vex shift = {1, 1, 0, 0x73};
    int x = regs_of(e, ins->a), y = regs_of(e, ins->b);
    int one = regs_temp(e), two = regs_temp(e);
    put_imm(e, shift, true, 2, one, place_reg(x), 32);
    put(e, multiply, true, one, one, place_reg(y));
    put_imm(e, shift, true, 2, two, place_reg(y), 32);
    put(e, multiply, true, two, two, place_reg(x));
    put(e, add, true, one, one, place_reg(two));
    put_imm(e, shift, true, 6, one, place_reg(one), 32);
    put(e, multiply, true, two, x, place_reg(y));
    int to = regs_result_apart(e);
    put(e, add, true, to, one, place_reg(two));
}

static void emit_long_order(Emitter *e, const LoopIns *ins)
{
    bool least = ins->op == PRIM_MIN;
    int x = regs_of(e, ins->a), y = regs_of(e, ins->b);
    int above = regs_temp(e);
    put(e, (Vex){2, 1, 0, 0x37}, true, above, x, place_reg(y));
    int to = regs_result(e);
    put_imm(e, blend_bytes, true, to, least ? x : y, place_reg(least ? y : x),
            above << 4);
}

// The low words of four longs.
static void emit_int_of_long(Emitter *e, const LoopIns *ins)
{
    int x = regs_of(e, ins->a), low = halve_mask(e, x);
    int to = regs_result_apart(e);
    put(e, move_vector, false, to, 0, place_reg(low));
}

static void emit_narrow(Emitter *e, const LoopIns *ins)
{
    bool wide = regs_wide(e, LT_I32);
    int x = regs_of(e, ins->a), to = regs_result(e);
    if (ins->b == ELEM_U8) {
        put(e, and_all, wide, to, x,
            code_constant(&e->code, &(uint32_t){255}, 4));
        return;
    }
    int by = ins->b == ELEM_I8 ? 24 : 16;
    put_imm(e, (Vex){1, 1, 0, 0x72}, wide, 6, to, place_reg(x), by);
    put_imm(e, (Vex){1, 1, 0, 0x72}, wide, 4, to, place_reg(to), by);
}

// Bits to shift an index by.
static uint8_t scale_of(const Emitter *e, int operand)
{
    static const uint8_t scales[] = {0, 0, 1, 0, 2, 0, 0, 0, 3};
    return scales[elem_size((Elem)e->body->operands[operand].stored)];
}

// Of the copy's first element.
static CodePlace element(const Emitter *e, const LoopIns *ins)
{
    Elem stored = (Elem)e->body->operands[ins->b].stored;
    uint32_t disp = (uint32_t)ins->c * e->lanes * (uint32_t)elem_size(stored);
    return (CodePlace){PLACE_INDEX, scale_of(e, ins->b),
                       (uint16_t)(e->base[ins->b] | disp << 8)};
}

// An element of one or two bytes between edi and [base + rdx * size + disp32].
static void move_element(Emitter *e, int operand, int base, bool store,
                         uint32_t disp)
{
    Code *code = &e->code;
    int scale = scale_of(e, operand), rex = 0x40 | (base > 7);
    if (store && scale == 1) {
        code_byte(code, 0x66);
    }
    code_byte(code, rex);
    if (store) {
        code_byte(code, scale == 1 ? 0x89 : 0x88);
    } else {
        code_byte(code, 0x0F);
        code_byte(code, scale == 1 ? 0xB7 : 0xB6);
    }
    code_byte(code, 0x80 | RDI << 3 | 4);
    code_byte(code, scale << 6 | RDX << 3 | (base & 7));
    code_long(code, disp);
}

// The tail's narrow elements between the operand and a slot of the frame, from
// the last to the first; rdx is 0 again then.
static void move_narrow(Emitter *e, int operand, bool store)
{
    Code *code = &e->code;
    int base = e->base[operand];
    uint32_t slot = FRAME_RESULT * 32;
    // mov edx, esi; then: dec edx, … test edx, edx; jnz
    code_bytes(code, (const uint8_t[]){0x89, 0xF2}, 2);
    uint32_t start = code->size;
    code_bytes(code, (const uint8_t[]){0xFF, 0xCA}, 2);
    move_element(e, operand, store ? RSP : base, false, store ? slot : 0);
    move_element(e, operand, store ? base : RSP, true, store ? 0 : slot);
    code_bytes(code, (const uint8_t[]){0x85, 0xD2}, 2);
    code_aim(code, code_jump(code, JUMP_NOT_ZERO), start);
}

static CodePlace narrow_slot(void)
{
    return (CodePlace){PLACE_STACK, 0, FRAME_RESULT};
}

// Bytes of 0 and 1 as ones and zeros.
static void emit_bools(Emitter *e, CodePlace from, int to)
{
    int zero = regs_temp(e);
    put(e, xor_all, true, zero, zero, place_reg(zero));
    put(e, (Vex){1, 1, 0, 0xF8}, true, to, zero, from);
}

static void emit_load(Emitter *e, const LoopIns *ins)
{
    static const uint8_t opcodes[] = {[ELEM_BOOL] = 0x31,
                                      [ELEM_U8] = 0x31,
                                      [ELEM_I8] = 0x21,
                                      [ELEM_I16] = 0x23};
    Elem stored = (Elem)e->body->operands[ins->b].stored;
    bool wide = regs_wide(e, (LoopType)ins->type);
    CodePlace from = element(e, ins);
    int to = regs_result(e);
    if (stored > ELEM_I16) {
        uint32_t lane = (uint32_t)elem_size(stored);
        if (e->tail) {
            put(e, move_vector, true, to, 0, tail_mask(lane));
            put(e, (Vex){2, 1, 0, lane == 8 ? 0x2D : 0x2C}, wide, to, to, from);
        } else {
            put(e, move_vector, wide, to, 0, from);
        }
        return;
    }
    if (e->tail) {
        // What is behind the last element is 0.
        put(e, xor_all, true, to, to, place_reg(to));
        put(e, store_vector, true, to, 0, narrow_slot());
        move_narrow(e, ins->b, false);
        from = narrow_slot();
    }
    if (e->lanes == 32) {
        emit_bools(e, from, to);
        return;
    }
    bool longs = stored == ELEM_BOOL && regs_lane(e, LT_MASK) == 8;
    put(e, (Vex){2, 1, 0, longs ? 0x32 : opcodes[stored]}, wide, to, 0, from);
    if (stored == ELEM_BOOL) {
        int zero = regs_temp(e);
        put(e, xor_all, true, zero, zero, place_reg(zero));
        put(e, longs ? (Vex){2, 1, 0, 0x37} : (Vex){1, 1, 0, 0x66}, true, to,
            to, place_reg(zero));
    }
}

// Narrow elements: each half of the register packs its own to its low end,
// then the halves are joined.
static void emit_narrow_store(Emitter *e, const LoopIns *ins, Elem stored,
                              CodePlace to)
{
    uint32_t lane = regs_lane(e, (LoopType)ins->type);
    uint32_t size = (uint32_t)elem_size(stored), half = 16 / lane * size;
    uint8_t order[16];
    for (uint32_t i = 0; i < 16; i++) {
        order[i] = (uint8_t)(i < half ? i / size * lane + i % size : 0x80);
    }
    bool wide = regs_wide(e, (LoopType)ins->type);
    int x = regs_of(e, ins->a), packed = regs_temp(e);
    put(e, shuffle_bytes, wide, packed, x, code_constant(&e->code, order, 16));
    uint32_t bytes = half;
    if (wide) {
        // Halves of 2, 4 or 8 bytes are interleaved as one element each.
        int high = regs_temp(e), code = half == 8   ? 0x6C
                                        : half == 4 ? 0x62
                                                    : 0x61;
        put_imm(e, extract_high, true, packed, 0, place_reg(high), 1);
        put(e, (Vex){1, 1, 0, (uint8_t)code}, false, packed, packed,
            place_reg(high));
        bytes *= 2;
    }
    if (stored == ELEM_BOOL) {
        // -1 becomes 1.
        put(e, (Vex){2, 1, 0, 0x1C}, false, packed, 0, place_reg(packed));
    }
    Vex store = bytes == 16  ? store_vector
                : bytes == 8 ? (Vex){1, 1, 0, 0xD6}
                             : (Vex){1, 1, 0, 0x7E};
    put(e, store, false, packed, 0, to);
}

static void emit_bool_store(Emitter *e, const LoopIns *ins, CodePlace to)
{
    int bytes = regs_temp(e);
    put(e, (Vex){2, 1, 0, 0x1C}, true, bytes, 0, regs_place(e, ins->a));
    put(e, store_vector, true, bytes, 0, to);
}

static void emit_store(Emitter *e, const LoopIns *ins)
{
    Elem stored = (Elem)e->body->operands[ins->b].stored;
    if (stored <= ELEM_I16) {
        CodePlace to = e->tail ? narrow_slot() : element(e, ins);
        if (e->lanes == 32) {
            emit_bool_store(e, ins, to);
        } else {
            emit_narrow_store(e, ins, stored, to);
        }
        if (e->tail) {
            move_narrow(e, ins->b, true);
        }
        return;
    }
    int x = regs_of(e, ins->a);
    if (e->tail) {
        uint32_t lane = (uint32_t)elem_size(stored);
        int mask = regs_temp(e);
        put(e, move_vector, true, mask, 0, tail_mask(lane));
        put(e, (Vex){2, 1, 0, lane == 8 ? 0x2F : 0x2E},
            regs_wide(e, (LoopType)ins->type), x, mask, element(e, ins));
        return;
    }
    Vex store = store_vector;
    store.opcode = e->body->operands[ins->b].streams ? 0x2B : store.opcode;
    put(e, store, regs_wide(e, (LoopType)ins->type), x, 0, element(e, ins));
}

void emit_ins(Emitter *e)
{
    const LoopIns *ins = &e->ins[e->now];
    Simple row = simple[ins->op][ins->type];
    if (row.op.opcode != 0) {
        emit_simple(e, ins, row);
        return;
    }
    switch ((LoopPrim)ins->op) {
    case PRIM_LOAD: emit_load(e, ins); break;
    case PRIM_STORE: emit_store(e, ins); break;
    case PRIM_FAULT: emit_fault(e, ins); break;
    case PRIM_FMA: emit_fma(e, ins); break;
    case PRIM_SELECT: emit_select(e, ins); break;
    case PRIM_SHL:
    case PRIM_SHR:
    case PRIM_SAR: emit_shift(e, ins); break;
    case PRIM_NARROW: emit_narrow(e, ins); break;
    case PRIM_MUL: emit_long_multiply(e, ins); break;
    case PRIM_MIN:
    case PRIM_MAX: emit_long_order(e, ins); break;
    case PRIM_TO_I32: emit_int_of_long(e, ins); break;
    case PRIM_RARE_SIN:
    case PRIM_RARE_COS:
    case PRIM_RARE_TAN: emit_rare(e, ins); break;
    default: emit_call(e, ins);
    }
}

// rsi is the number of elements that are left; rdx becomes 0.
void emit_rest(Emitter *e)
{
    Code *code = &e->code;
    for (int k = 0; k < e->body->operand_count; k++) {
        if (e->body->operands[k].kind == LOOP_DENSE) {
            // lea base, [base + rdx * size + 0]
            int base = e->base[k], high = base > 7;
            code_byte(code, 0x48 | high << 2 | high);
            code_byte(code, 0x8D);
            code_byte(code, 0x40 | (base & 7) << 3 | 4);
            code_byte(code, scale_of(e, k) << 6 | RDX << 3 | (base & 7));
            code_byte(code, 0);
        }
    }
    // xor edx, edx
    code_bytes(code, (const uint8_t[]){0x31, 0xD2}, 2);
    static const uint32_t numbers[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                           {0, 0, 1, 1, 2, 2, 3, 3}};
    for (int i = 0; i < 2; i++) {
        CodePlace lanes = code_constant(&e->code, numbers[i], 32);
        put(e, (Vex){1, 1, 0, 0x6E}, false, 0, 0, place_reg(RSI));
        put(e, (Vex){2, 1, 0, 0x58}, true, 0, 0, place_reg(0));
        put(e, (Vex){1, 1, 0, 0x66}, true, 0, 0, lanes);
        put(e, store_vector, true, 0, 0,
            (CodePlace){PLACE_STACK, 0, (uint16_t)(FRAME_TAIL + i)});
    }
}

// The one element that stands for all, widened and repeated over a slot of
// the frame. rdx is free before the loop.
void emit_spread(Emitter *e, int operand, uint16_t slot)
{
    static const uint8_t words[] = {0xB6, 0xB6, 0xBE, 0xBF};
    Elem stored = (Elem)e->body->operands[operand].stored;
    code_load(&e->code, RDX, RDI, operand * 8);
    if (stored <= ELEM_I16) {
        // movzx or movsx edx, [rdx]; of a bool neg edx.
        code_byte(&e->code, 0x0F);
        code_byte(&e->code, words[stored]);
        code_byte(&e->code, 0x12);
        if (stored == ELEM_BOOL) {
            code_byte(&e->code, 0xF7);
            code_byte(&e->code, 0xDA);
        }
        put(e, (Vex){1, 1, 0, 0x6E}, false, 0, 0, place_reg(RDX));
        put(e, broadcast_words, true, 0, 0, place_reg(0));
    } else {
        // With [rdx]: mod 0.
        int code = elem_size(stored) == 4 ? 0x18 : 0x19;
        static const uint8_t head[] = {0xC4, 0xE2, 0x7D};
        for (int i = 0; i < 3; i++) {
            code_byte(&e->code, head[i]);
        }
        code_byte(&e->code, code);
        code_byte(&e->code, 0x02);
    }
    put(e, store_vector, true, 0, 0, (CodePlace){PLACE_STACK, 0, slot});
}
