// Instructions that move elements between memory and registers: loads, stores,
// the lanes of a tail, operands of one element.
#include "kernels/emit_ops.h"

static const Vex extract_high = {3, 1, 0, 0x39};
static const Vex shuffle_bytes = {2, 1, 0, 0x00};
static const Vex store_long = {1, 1, 0, 0xD6};
static const Vex move_bytes = {1, 3, 0, 0x6F}, store_bytes = {1, 3, 0, 0x7F};

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
    // The tail's addresses are those of its first elements.
    bool around = e->body->operands[ins->b].kind == LOOP_AROUND && !e->tail;
    return (CodePlace){around ? PLACE_LANE : PLACE_INDEX, scale_of(e, ins->b),
                       e->base[ins->b] | disp << 8};
}

void emit_lane_index(Emitter *e)
{
    // mov edi, edx; and edi, lanes - 1
    code_bytes(&e->code,
               (const uint8_t[]){0x89, 0xD7, 0x83, 0xE7, LOOP_LANES - 1}, 5);
}

void emit_lanes(Emitter *e, bool store)
{
    if (e->pinned == 0) {
        return;
    }
    // xor edi, edi
    code_bytes(&e->code, (const uint8_t[]){0x31, 0xFF}, 2);
    for (uint16_t k = 0; k < e->body->operand_count; k++) {
        for (uint16_t i = 0; e->lane[k] != 0 && i < EMIT_ROUND; i++) {
            LoopIns ins = {.b = k, .c = i};
            regs_move(e, store, e->lane[k] + i, element(e, &ins));
        }
    }
}

void emit_empty_lanes(Emitter *e)
{
    _Alignas(8) char lanes[LOOP_LANES * sizeof(int64_t)];
    for (uint16_t k = 0; k < e->body->operand_count; k++) {
        const LoopOperand *operand = &e->body->operands[k];
        if (operand->kind == LOOP_AROUND) {
            e->tier->lanes_start[operand->joins][operand->stored](lanes);
        }
        for (int i = 0; e->lane[k] != 0 && i < EMIT_ROUND; i++) {
            regs_move(e, false, e->lane[k] + i,
                      code_constant(&e->code, lanes,
                                    elem_size((Elem)operand->stored)));
        }
    }
}

void emit_first_lane(Emitter *e, uint16_t operand)
{
    LoopIns ins = {.b = operand};
    // xor edi, edi; vmovss [base], lane
    code_bytes(&e->code, (const uint8_t[]){0x31, 0xFF}, 2);
    put(e, (Vex){1, 2, 0, 0x11}, 16, e->lane[operand], 0, element(e, &ins));
}

void emit_half(Emitter *e, int to, int from, int lanes)
{
    // Quarters of the register by number, or elements of each quarter.
    Vex quarters = {3, 1, 1, 0x43}, elements = {1, 1, 0, 0x70};
    int order = lanes == 8   ? 0xEE
                : lanes == 4 ? 0x55
                : lanes == 2 ? 0xEE
                             : 0x55;
    if (lanes >= 4) {
        put_imm(e, quarters, 64, to, from, place_reg(from), order);
    } else {
        put_imm(e, elements, 64, to, 0, place_reg(from), order);
    }
}

// An element of one or two bytes between edi and [base + rdx * size + disp32].
static void move_element(Emitter *e, int operand, int base, bool store,
                         uint32_t disp)
{
    MachineCode *code = &e->code;
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
    MachineCode *code = &e->code;
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

static bool is_narrow(Elem stored)
{
    return elem_size(stored) <= 2;
}

// Bytes of 0 and 1 as ones and zeros.
static void emit_bools(Emitter *e, CodePlace from, int to)
{
    int zero = regs_temp(e);
    put_all(e, xor_all, zero, zero, place_reg(zero));
    put_all(e, (Vex){1, 1, 0, 0xF8}, to, zero, from);
}

// Instructions that widen what is stored to I32.
static const uint8_t widen[] = {
    [ELEM_BOOL] = 0x31, [ELEM_U8] = 0x31,  [ELEM_I8] = 0x21,
    [ELEM_I16] = 0x23,  [ELEM_F16] = 0x13, [ELEM_BF16] = 0x33};

// What was widened as an int becomes the float that it is the high half of.
static void raise_half(Emitter *e, Elem stored, uint32_t bytes, int to)
{
    if (stored == ELEM_BF16) {
        put_imm(e, shift_words, bytes, SHIFT_LEFT, to, place_reg(to), 16);
    }
}

static void load_narrow(Emitter *e, const LoopIns *ins, Elem stored, int to)
{
    CodePlace from = element(e, ins);
    if (e->tail) {
        // What is behind the last element is 0.
        put_all(e, xor_all, to, to, place_reg(to));
        put_all(e, store_vector, to, 0, emit_result_slot());
        move_narrow(e, ins->b, false);
        from = emit_result_slot();
    }
    if (e->lanes == 32) {
        emit_bools(e, from, to);
        return;
    }
    bool longs = stored == ELEM_BOOL && regs_lane(e, LT_MASK) == 8;
    put(e, (Vex){2, 1, 0, longs ? 0x32 : widen[stored]},
        regs_bytes(e, (LoopType)ins->type), to, 0, from);
    raise_half(e, stored, regs_bytes(e, LT_F32), to);
    if (stored == ELEM_BOOL) {
        int zero = regs_temp(e);
        put_all(e, xor_all, zero, zero, place_reg(zero));
        put_all(e, longs ? (Vex){2, 1, 0, 0x37} : (Vex){1, 1, 0, 0x66}, to, to,
                place_reg(zero));
    }
}

static void load_vex(Emitter *e, const LoopIns *ins, Elem stored, int to)
{
    uint32_t lane = (uint32_t)elem_size(stored);
    uint32_t bytes = regs_bytes(e, (LoopType)ins->type);
    if (is_narrow(stored)) {
        load_narrow(e, ins, stored, to);
    } else if (e->tail) {
        put_all(e, move_vector, to, 0, emit_tail_lanes(lane));
        put(e, (Vex){2, 1, 0, lane == 8 ? 0x2D : 0x2C}, bytes, to, to,
            element(e, ins));
    } else {
        put(e, move_vector, bytes, to, 0, element(e, ins));
    }
}

// Lanes behind the last element are 0, and their memory is not touched.
static void load_evex(Emitter *e, const LoopIns *ins, Elem stored, int to)
{
    int mask = e->tail ? TAIL_MASK % 8 | MASK_ZEROES : 0;
    bool bytes = e->lanes == 32, longs = elem_size(stored) == 8;
    Vex load = bytes                ? move_bytes
               : !is_narrow(stored) ? (Vex){1, 2, longs, 0x6F}
                                    : (Vex){2, 1, 0, widen[stored]};
    uint32_t size = (bytes ? 1 : longs ? 8 : 4) * (uint32_t)e->lanes;
    int loaded = stored == ELEM_BOOL ? regs_temp(e) : to;
    code_masked(&e->code, load, size, loaded, 0, element(e, ins), mask);
    raise_half(e, stored, size, loaded);
    if (stored == ELEM_BOOL) {
        put(e, (Vex){2, 1, 0, bytes ? 0x26 : 0x27}, size, to, loaded,
            place_reg(loaded));
    }
}

// The cache line of the copy's first element, so many bytes on.
static void emit_fetch(Emitter *e, const LoopIns *ins, uint32_t ahead)
{
    // prefetcht0 [base + rdx * size + disp32]
    MachineCode *code = &e->code;
    CodePlace at = element(e, ins);
    int base = e->base[ins->b];
    if (base > 7) {
        code_byte(code, 0x41);
    }
    code_bytes(code, (const uint8_t[]){0x0F, 0x18, 0x8C}, 3);
    code_byte(code, at.scale << 6 | RDX << 3 | (base & 7));
    code_long(code, (at.number >> 8) + ahead);
}

void emit_load(Emitter *e, const LoopIns *ins)
{
    uint32_t ahead = e->body->operands[ins->b].ahead;
    if (ahead != 0 && !e->tail) {
        emit_fetch(e, ins, ahead);
    }
    Elem stored = (Elem)e->body->operands[ins->b].stored;
    int to = regs_result(e);
    if (e->lane[ins->b] != 0) {
        put_all(e, move_vector, to, 0, place_reg(e->lane[ins->b] + ins->c));
    } else if (regs_has_masks(e)) {
        load_evex(e, ins, stored, to);
    } else {
        load_vex(e, ins, stored, to);
    }
}

// Halves of four bytes each, the low ones, or what is a narrow int already.
static int stored_words(Emitter *e, const LoopIns *ins, Elem stored)
{
    int x = regs_of(e, ins->a);
    if (stored != ELEM_BF16) {
        return x;
    }
    int words = regs_temp(e);
    emit_round_bf16(e, words, x);
    put_imm(e, shift_words, regs_bytes(e, LT_F32), SHIFT_RIGHT, words,
            place_reg(words), 16);
    return words;
}

// Halves of two bytes each, at the register's low end.
static int packed_f16(Emitter *e, const LoopIns *ins)
{
    int x = regs_of(e, ins->a), packed = regs_temp(e);
    put_imm(e, round_f16, regs_bytes(e, LT_F32), x, 0, place_reg(packed), 0);
    return packed;
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
    uint32_t width = regs_bytes(e, (LoopType)ins->type), bytes = half;
    int x = stored_words(e, ins, stored), packed = regs_temp(e);
    put(e, shuffle_bytes, width, packed, x, code_constant(&e->code, order, 16));
    if (width == 32) {
        // Halves of 2, 4 or 8 bytes are interleaved as one element each.
        int high = regs_temp(e), code = half == 8   ? 0x6C
                                        : half == 4 ? 0x62
                                                    : 0x61;
        put_imm(e, extract_high, 32, packed, 0, place_reg(high), 1);
        put(e, (Vex){1, 1, 0, (uint8_t)code}, 16, packed, packed,
            place_reg(high));
        bytes *= 2;
    }
    if (stored == ELEM_BOOL) {
        // -1 becomes 1.
        put(e, (Vex){2, 1, 0, 0x1C}, 16, packed, 0, place_reg(packed));
    }
    Vex store = bytes == 16  ? store_vector
                : bytes == 8 ? store_long
                             : (Vex){1, 1, 0, 0x7E};
    put(e, store, 16, packed, 0, to);
}

static void emit_bool_store(Emitter *e, const LoopIns *ins, CodePlace to)
{
    int bytes = regs_temp(e);
    put_all(e, (Vex){2, 1, 0, 0x1C}, bytes, 0, regs_place(e, ins->a));
    put_all(e, store_vector, bytes, 0, to);
}

static void store_vex(Emitter *e, const LoopIns *ins, Elem stored)
{
    uint32_t lane = (uint32_t)elem_size(stored);
    CodePlace to = element(e, ins);
    if (is_narrow(stored)) {
        to = e->tail ? emit_result_slot() : to;
        if (stored == ELEM_F16) {
            put(e, e->lanes == 8 ? store_vector : store_long, 16,
                packed_f16(e, ins), 0, to);
        } else if (e->lanes == 32) {
            emit_bool_store(e, ins, to);
        } else {
            emit_narrow_store(e, ins, stored, to);
        }
        if (e->tail) {
            move_narrow(e, ins->b, true);
        }
        return;
    }
    int x = regs_of(e, ins->a), mask = regs_temp(e);
    put_all(e, move_vector, mask, 0, emit_tail_lanes(lane));
    put(e, (Vex){2, 1, 0, lane == 8 ? 0x2F : 0x2E},
        regs_bytes(e, (LoopType)ins->type), x, mask, to);
}

// Ones where the mask is, a byte a lane.
static void store_bits(Emitter *e, const LoopIns *ins)
{
    int mask = regs_of(e, ins->a), bytes = regs_temp(e);
    uint32_t size = e->lanes < 16 ? 16 : e->lanes;
    code_masked(&e->code, move_bytes, size, bytes, 0,
                code_constant(&e->code, &(uint8_t){1}, 1),
                mask % 8 | MASK_ZEROES);
    if (e->tail) {
        code_masked(&e->code, store_bytes, size, bytes, 0, element(e, ins),
                    TAIL_MASK % 8);
    } else {
        Vex store = e->lanes == 8 ? store_long : store_vector;
        store.w = e->lanes == 8;
        put(e, store, size, bytes, 0, element(e, ins));
    }
}

static void store_evex(Emitter *e, const LoopIns *ins, Elem stored)
{
    uint32_t bytes = regs_bytes(e, (LoopType)ins->type);
    Vex store = !is_narrow(stored)
                    ? (Vex){1, 2, elem_size(stored) == 8, 0x7F}
                    : (Vex){2, 2, 0, elem_size(stored) == 2 ? 0x33 : 0x31};
    if (stored == ELEM_F16) {
        store = store_bytes;
        store.w = 1;
        bytes /= 2;
    }
    int x =
        stored == ELEM_F16 ? packed_f16(e, ins) : stored_words(e, ins, stored);
    code_masked(&e->code, store, bytes, x, 0, element(e, ins),
                e->tail ? TAIL_MASK % 8 : 0);
}

void emit_store(Emitter *e, const LoopIns *ins)
{
    const LoopOperand *to = &e->body->operands[ins->b];
    Elem stored = (Elem)to->stored;
    if (e->lane[ins->b] != 0) {
        put_all(e, move_vector, e->lane[ins->b] + ins->c, 0,
                regs_place(e, ins->a));
    } else if (!is_narrow(stored) && !e->tail) {
        Vex store = store_vector;
        store.opcode = to->streams ? 0x2B : store.opcode;
        put(e, store, regs_bytes(e, (LoopType)ins->type), regs_of(e, ins->a), 0,
            element(e, ins));
    } else if (!regs_has_masks(e)) {
        store_vex(e, ins, stored);
    } else if (stored == ELEM_BOOL) {
        store_bits(e, ins);
    } else {
        store_evex(e, ins, stored);
    }
}

// rsi is the number of elements that are left; rdx becomes 0.
void emit_rest(Emitter *e)
{
    MachineCode *code = &e->code;
    if (e->around) {
        emit_lane_index(e);
    }
    for (int k = 0; k < e->body->operand_count; k++) {
        LoopKind kind = (LoopKind)e->body->operands[k].kind;
        if (kind != LOOP_ONE) {
            // lea base, [base + index * size + 0]
            int base = e->base[k], high = base > 7;
            int index = kind == LOOP_AROUND ? RDI : RDX;
            code_byte(code, 0x48 | high << 2 | high);
            code_byte(code, 0x8D);
            code_byte(code, 0x40 | (base & 7) << 3 | 4);
            code_byte(code, scale_of(e, k) << 6 | index << 3 | (base & 7));
            code_byte(code, 0);
        }
    }
    // xor edx, edx
    code_bytes(code, (const uint8_t[]){0x31, 0xD2}, 2);
    if (regs_has_masks(e)) {
        // bts rdx, rsi; dec rdx; kmov; xor edx, edx
        code_bytes(code,
                   (const uint8_t[]){0x48, 0x0F, 0xAB, 0xF2, 0x48, 0xFF, 0xCA},
                   7);
        code_vex(code, (Vex){1, 3, 1, 0x92}, 16, TAIL_MASK, 0, place_reg(RDX),
                 -1);
        code_bytes(code, (const uint8_t[]){0x31, 0xD2}, 2);
        return;
    }
    static const uint32_t numbers[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                           {0, 0, 1, 1, 2, 2, 3, 3}};
    for (int i = 0; i < 2; i++) {
        CodePlace lanes = code_constant(&e->code, numbers[i], 32);
        put(e, (Vex){1, 1, 0, 0x6E}, 16, 0, 0, place_reg(RSI));
        put_all(e, (Vex){2, 1, 0, 0x58}, 0, 0, place_reg(0));
        put_all(e, (Vex){1, 1, 0, 0x66}, 0, 0, lanes);
        put_all(e, store_vector, 0, 0,
                (CodePlace){PLACE_STACK, 0, (uint16_t)(FRAME_TAIL + i)});
    }
}

// The one element that stands for all, widened and repeated over a slot of
// the frame. rdx is free before the loop.
void emit_spread(Emitter *e, int operand, uint16_t slot)
{
    // movzx or movsx edx, [rdx]
    static const uint8_t words[] = {
        [ELEM_BOOL] = 0xB6, [ELEM_U8] = 0xB6,  [ELEM_I8] = 0xBE,
        [ELEM_I16] = 0xBF,  [ELEM_F16] = 0xB7, [ELEM_BF16] = 0xB7};
    Elem stored = (Elem)e->body->operands[operand].stored;
    MachineCode *code = &e->code;
    bool longs = elem_size(stored) == 8;
    code_load(code, RDX, RDI, operand * 8);
    if (is_narrow(stored)) {
        code_bytes(code, (const uint8_t[]){0x0F, words[stored], 0x12}, 3);
    } else {
        // mov edx, [rdx] or mov rdx, [rdx]
        code_bytes(code, (const uint8_t[]){longs ? 0x48 : 0x40, 0x8B, 0x12}, 3);
    }
    if (stored == ELEM_BOOL) {
        // neg rdx
        code_bytes(code, (const uint8_t[]){0x48, 0xF7, 0xDA}, 3);
    }
    if (stored == ELEM_BOOL && regs_has_masks(e)) {
        code_frame(code, MOVE_STORE, RDX, slot, 0);
        return;
    }
    Vex repeat = {2, 1, longs && regs_has_masks(e), longs ? 0x59 : 0x58};
    put(e, (Vex){1, 1, longs, 0x6E}, 16, 0, 0, place_reg(RDX));
    if (stored == ELEM_F16) {
        put(e, widen_f16, 16, 0, 0, place_reg(0));
    }
    raise_half(e, stored, 16, 0);
    put_all(e, repeat, 0, 0, place_reg(0));
    put_all(e, store_vector, 0, 0, (CodePlace){PLACE_STACK, 0, slot});
}
