// The instructions of each primitive, for AVX2 with FMA and for AVX-512; those
// that move elements are in emit_memory.c.
//
// A step takes as many lanes as a vector has of the body's widest type. Where
// that is eight bytes, values of four fill half a register, and AVX2's masks
// have eight bytes a lane throughout. AVX-512's have a bit a lane, and what
// stands above the lanes means nothing.
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
    SWAPS = 4,   // the second operand comes first
    NEGATES = 8, // the result is turned over
    BITS = 16    // of masks with a bit a lane
};

#define ROW(prim, type, map, prefix, opcode, imm, flags)                       \
    [PRIM_##prim][LT_##type] = {{map, prefix, 0, opcode}, imm, flags},
#define NO_ROW(prim, type, map, prefix, opcode, imm, flags)
static const Simple simple_vex[PRIM_COUNT][LOOP_TYPES] = {
#define EMIT ROW
#define EMIT_VEX ROW
#define EMIT_EVEX NO_ROW
#include "kernels/emit_list.h"
};
static const Simple simple_evex[PRIM_COUNT][LOOP_TYPES] = {
#define EMIT ROW
#define EMIT_VEX NO_ROW
#define EMIT_EVEX ROW
#include "kernels/emit_list.h"
};

static const Vex extract_high = {3, 1, 0, 0x39};
static const Vex shuffle_floats = {1, 0, 0, 0xC6};
static const Vex widen_words = {2, 1, 0, 0x25};
static const Vex blend_bytes = {3, 1, 0, 0x4C};

// Of masks in registers of their own.
static void put_bits(Emitter *e, int opcode, int to, int x, int y)
{
    code_vex(&e->code, (Vex){1, 0, 1, (uint8_t)opcode}, 32, to, x, place_reg(y),
             -1);
}
enum { BITS_AND = 0x41, BITS_AND_NOT, BITS_OR = 0x45 };

// Of a type whose lanes fill half a register.
static bool is_half(const Emitter *e, LoopType type)
{
    return regs_bytes(e, type) < e->code.width;
}

static void emit_simple(Emitter *e, const LoopIns *ins, Simple row)
{
    LoopValue x = ins->a, y = ins->b;
    LoopType type = (LoopType)ins->type;
    LoopType made = loop_result((LoopPrim)ins->op, type);
    bool compares = made == LT_MASK && type != LT_MASK;
    // A conversion is as wide as the wider of its types.
    uint32_t bytes = regs_bytes(e, type), result = regs_bytes(e, made);
    bytes = compares || bytes > result ? bytes : result;
    if (row.flags & SWAPS || (row.flags & COMMUTES && !regs_holds(e, x))) {
        x = ins->b;
        y = ins->a;
    }
    int first = row.flags & UNARY ? 0 : regs_of(e, x);
    if (row.flags & BITS) {
        int second = regs_of(e, y);
        put_bits(e, row.op.opcode, regs_result(e), first, second);
        return;
    }
    CodePlace second = regs_place(e, row.flags & UNARY ? x : y);
    int to = regs_result(e);
    row.op.w = regs_has_masks(e) && regs_lane(e, type) == 8;
    put_imm(e, row.op, bytes, to, first, second, row.imm);
    if (row.flags & NEGATES) {
        put_all(e, xor_all, to, to, emit_ones(e));
    }
    if (compares && is_half(e, type) && !regs_has_masks(e)) {
        put_all(e, widen_words, to, 0, place_reg(to));
    }
}

// d = x y + z, with d in the place of an operand that dies, if there is one.
static void emit_fma(Emitter *e, const LoopIns *ins)
{
    LoopType type = (LoopType)ins->type;
    uint32_t bytes = regs_bytes(e, type);
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
        put(e, times, bytes, to, factor, z);
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
        put_all(e, move_vector, to, 0, z);
    }
    put(e, plus, bytes, to, factor, second);
}

// The mask for lanes of half the width.
static int halve_mask(Emitter *e, int mask)
{
    int high = regs_temp(e);
    put_imm(e, extract_high, 32, mask, 0, place_reg(high), 1);
    put_imm(e, shuffle_floats, 16, high, mask, place_reg(high), 0x88);
    return high;
}

// What the mask says of `yes`, or of `no`.
static void blend(Emitter *e, LoopType type, int to, int mask, CodePlace yes,
                  int no)
{
    uint32_t bytes = regs_bytes(e, type);
    if (regs_has_masks(e)) {
        Vex blend_lanes = {2, 1, regs_lane(e, type) == 8, 0x64};
        code_masked(&e->code, blend_lanes, bytes, to, no, yes, mask & 7);
    } else {
        put_imm(e, blend_bytes, bytes, to, no, yes, mask << 4);
    }
}

static void emit_select_bits(Emitter *e, const LoopIns *ins)
{
    int mask = regs_of(e, ins->a), yes = regs_of(e, ins->b);
    int no = regs_of(e, ins->c), part = regs_temp_mask(e);
    put_bits(e, BITS_AND, part, mask, yes);
    int to = regs_result_apart(e);
    put_bits(e, BITS_AND_NOT, to, mask, no);
    put_bits(e, BITS_OR, to, to, part);
}

static void emit_select(Emitter *e, const LoopIns *ins)
{
    LoopType type = (LoopType)ins->type;
    if (type == LT_MASK && regs_has_masks(e)) {
        emit_select_bits(e, ins);
        return;
    }
    int mask = regs_of(e, ins->a), no = regs_of(e, ins->c);
    CodePlace yes = regs_place(e, ins->b);
    bool halves = is_half(e, type) && !regs_has_masks(e);
    mask = halves ? halve_mask(e, mask) : mask;
    blend(e, type, regs_result(e), mask, yes, no);
}

// Passes by what follows; where to is to be said.
static uint32_t skip_if_none(Emitter *e, int mask)
{
    if (regs_has_masks(e)) {
        // Of 8, 16 or 32 lanes.
        code_vex(&e->code, (Vex){1, e->lanes != 16, e->lanes == 32, 0x98}, 16,
                 mask, 0, place_reg(mask), -1);
    } else {
        put_all(e, (Vex){2, 1, 0, 0x17}, mask, 0, place_reg(mask));
    }
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
    for (int r = 0; r < EMIT_REGS; r++) {
        bool tail = r == TAIL_MASK && e->tail && regs_has_masks(e);
        if (tail ||
            (r != but && (e->owner[r] != LOOP_NONE || e->locked >> r & 1))) {
            regs_move(
                e, !back, r,
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
        put_all(e, store_vector, regs_of(e, values[k]), 0,
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
    put_all(e, move_vector, to, 0, emit_result_slot());
}

// The function is called if a lane of this step wants it.
static void emit_rare(Emitter *e, const LoopIns *ins)
{
    LoopType type = (LoopType)ins->type;
    LoopRow row = e->tier->rows[ins->op][type];
    (void)regs_of(e, ins->a);
    int main = regs_of(e, ins->b), any = regs_of(e, ins->c);
    bool halves = is_half(e, type) && !regs_has_masks(e);
    int mask = halves ? halve_mask(e, any) : any;
    int to = regs_result_apart(e);
    put_all(e, move_vector, to, 0, place_reg(main));
    uint32_t skip = skip_if_none(e, any);
    call_row(e, row, ins, 1, to);
    blend(e, type, to, mask, emit_result_slot(), main);
    code_aim(&e->code, skip, e->code.size);
}

static void emit_fault(Emitter *e, const LoopIns *ins)
{
    int mask = regs_of(e, ins->a), found = mask;
    if (e->tail && regs_has_masks(e)) {
        found = regs_temp_mask(e);
        put_bits(e, BITS_AND, found, mask, TAIL_MASK);
    } else if (e->tail) {
        found = regs_temp(e);
        put_all(e, and_all, found, mask,
                emit_tail_lanes(regs_lane(e, LT_MASK)));
    }
    uint32_t skip = skip_if_none(e, found);
    // or dword [rsp + faults], bit
    code_bytes(&e->code, (const uint8_t[]){0x81, 0x8C, 0x24}, 3);
    code_long(&e->code, FRAME_FAULTS);
    code_long(&e->code, (uint32_t)1 << ins->b);
    code_aim(&e->code, skip, e->code.size);
}
_Static_assert(FRAME_FAULTS == 0, "its place is its number");

// By a constant, or each lane by its own count.
static void emit_shift(Emitter *e, const LoopIns *ins)
{
    static const uint8_t fields[] = {6, 2, 4}, codes[] = {0x47, 0x45, 0x46};
    LoopType type = (LoopType)ins->type;
    uint32_t bytes = regs_bytes(e, type);
    bool longs = type == LT_I64, evex = regs_has_masks(e);
    int which = ins->op - PRIM_SHL;
    const LoopIns *count = &e->ins[ins->b];
    if (longs && ins->op == PRIM_SAR && !evex) {
        emit_call(e, ins);
        return;
    }
    int x = regs_of(e, ins->a);
    if (count->op == PRIM_CONST && e->body->consts[count->b] < 64) {
        int to = regs_result(e);
        // To the right with the sign, longs are told by the W bit alone.
        bool other = longs && ins->op != PRIM_SAR;
        put_imm(e, (Vex){1, 1, longs && evex, other ? 0x73 : 0x72}, bytes,
                fields[which], to, place_reg(x),
                (int)e->body->consts[count->b]);
        return;
    }
    CodePlace counts = regs_place(e, ins->b);
    int to = regs_result(e);
    put(e, (Vex){2, 1, longs, codes[which]}, bytes, to, x, counts);
}

// Low halves multiplied; the crossed products count for the high half alone.
static void emit_long_multiply(Emitter *e, const LoopIns *ins)
{
    static const Vex multiply = {1, 1, 0, 0xF4}, add = {1, 1, 0, 0xD4};
    static const Vex shift = {1, 1, 0, 0x73};
    int x = regs_of(e, ins->a), y = regs_of(e, ins->b);
    int one = regs_temp(e), two = regs_temp(e);
    put_imm(e, shift, 32, 2, one, place_reg(x), 32);
    put_all(e, multiply, one, one, place_reg(y));
    put_imm(e, shift, 32, 2, two, place_reg(y), 32);
    put_all(e, multiply, two, two, place_reg(x));
    put_all(e, add, one, one, place_reg(two));
    put_imm(e, shift, 32, 6, one, place_reg(one), 32);
    put_all(e, multiply, two, x, place_reg(y));
    int to = regs_result_apart(e);
    put_all(e, add, to, one, place_reg(two));
}

static const Vex double_of_long = {1, 2, 1, 0xE6},
                 long_of_double = {1, 1, 1, 0x7B};

// In double, of longs.
static void put_inverse(Emitter *e, int to, int y)
{
    int one = regs_temp(e);
    put_all(e, double_of_long, to, 0, place_reg(y));
    put_all(e, move_vector, one, 0, code_constant(&e->code, &(double){1}, 8));
    put_all(e, (Vex){1, 1, 1, 0x5E}, to, one, place_reg(to));
}

static bool is_same(const Emitter *e, LoopValue value)
{
    uint16_t root = e->root[value];
    return e->same[root] && e->ins[root].op != PRIM_CONST;
}

static CodePlace inverse_slot(const Emitter *e, LoopValue value)
{
    int slot = e->slot[e->root[value]] + 1;
    return (CodePlace){PLACE_STACK, 0, (uint16_t)slot};
}

void emit_inverse(Emitter *e, const LoopIns *ins)
{
    if (ins->op == PRIM_QUOT && regs_has_masks(e) && e->last[e->now] != 0 &&
        is_same(e, ins->b)) {
        int y = regs_of(e, ins->b), to = regs_temp(e);
        put_inverse(e, to, y);
        regs_move(e, true, to, inverse_slot(e, ins->b));
    }
}

static CodePlace inverse_of(Emitter *e, LoopValue value)
{
    const LoopIns *ins = &e->ins[e->root[value]];
    if (ins->op == PRIM_CONST) {
        double inverse = 1 / (double)(int64_t)e->body->consts[ins->b];
        return code_constant(&e->code, &inverse, sizeof inverse);
    }
    if (is_same(e, value)) {
        return inverse_slot(e, value);
    }
    int to = regs_temp(e);
    put_inverse(e, to, regs_of(e, value));
    return place_reg(to);
}

// to = x times the inverse of y, rounded; x -= to y.
static void divide_longs(Emitter *e, int to, int x, int y, CodePlace inverse)
{
    int product = regs_temp(e);
    put_all(e, double_of_long, to, 0, place_reg(x));
    put_all(e, (Vex){1, 1, 1, 0x59}, to, to, inverse);
    put_all(e, long_of_double, to, 0, place_reg(to));
    put_all(e, (Vex){2, 1, 1, 0x40}, product, to, place_reg(y));
    put_all(e, (Vex){1, 1, 1, 0xFB}, x, x, place_reg(product));
}

// In double, which leaves a rest that is little more than half of y, if not
// some thousands; divided again it leaves one below y. All of it modulo the
// width. Where the signs of the rest and of y differ, the quotient is one less.
static void emit_quotient(Emitter *e, const LoopIns *ins)
{
    static const Vex add = {1, 1, 1, 0xD4}, subtract = {1, 1, 1, 0xFB};
    static const Vex shift = {1, 1, 1, 0x72};
    enum { SIGNED = 4, SIGN = 63 };
    if (!regs_has_masks(e)) {
        emit_call(e, ins);
        return;
    }
    int y = regs_of(e, ins->b), rest = regs_temp(e);
    put_all(e, move_vector, rest, 0, regs_place(e, ins->a));
    CodePlace inverse = inverse_of(e, ins->b);
    int to = regs_result_apart(e), more = regs_temp(e);
    divide_longs(e, to, rest, y, inverse);
    divide_longs(e, more, rest, y, inverse);
    put_all(e, add, to, to, place_reg(more));
    put_imm(e, shift, e->code.width, SIGNED, more, place_reg(y), SIGN);
    put_all(e, xor_all, rest, rest, place_reg(more));
    put_all(e, subtract, rest, rest, place_reg(more));
    put_imm(e, shift, e->code.width, SIGNED, rest, place_reg(rest), SIGN);
    put_all(e, add, to, to, place_reg(rest));
}

static void emit_long_order(Emitter *e, const LoopIns *ins)
{
    bool least = ins->op == PRIM_MIN;
    int x = regs_of(e, ins->a), y = regs_of(e, ins->b);
    int above = regs_temp(e);
    put_all(e, (Vex){2, 1, 0, 0x37}, above, x, place_reg(y));
    int to = regs_result(e);
    blend(e, LT_I64, to, above, place_reg(least ? y : x), least ? x : y);
}

// x where z has ones, else y: z of the three is the one to read from memory.
static void emit_mix(Emitter *e, const LoopIns *ins)
{
    static const Vex ternary = {3, 1, 0, 0x25};
    enum { FIRST_OR_SECOND = 0xE4, SECOND_OR_FIRST = 0xD8 };
    uint32_t bytes = regs_bytes(e, (LoopType)ins->type);
    int x = regs_of(e, ins->a), y = regs_of(e, ins->b);
    CodePlace z = regs_place(e, ins->c);
    bool takes = regs_has_masks(e) && regs_dies(e, ins->a) &&
                 e->root[ins->a] != e->root[ins->b] &&
                 e->root[ins->a] != e->root[ins->c];
    if (takes) {
        int to = regs_take_over(e, ins->a);
        put_imm(e, ternary, bytes, to, y, z, FIRST_OR_SECOND);
        return;
    }
    int to = regs_result_apart(e);
    if (regs_has_masks(e)) {
        put_all(e, move_vector, to, 0, place_reg(y));
        put_imm(e, ternary, bytes, to, x, z, SECOND_OR_FIRST);
        return;
    }
    put(e, xor_all, bytes, to, x, place_reg(y));
    put(e, and_all, bytes, to, to, z);
    put(e, xor_all, bytes, to, to, place_reg(y));
}

// In two steps of a power each, as power.h has it; AVX-512 has an instruction
// for both.
static void emit_raise(Emitter *e, const LoopIns *ins)
{
    bool longs = ins->type == LT_F64, evex = regs_has_masks(e);
    uint32_t bytes = regs_bytes(e, (LoopType)ins->type);
    uint64_t one = longs ? (uint64_t)1023 << 52 : (uint64_t)127 << 23;
    CodePlace bias = code_constant(&e->code, &one, longs ? 8 : 4);
    int x = regs_of(e, ins->a), rest = regs_temp(e);
    if (evex) {
        int y = regs_of(e, ins->b);
        put(e, (Vex){1, longs, longs, 0x58}, bytes, rest, x, bias);
        put(e, (Vex){2, 1, longs, 0x2C}, bytes, regs_result(e), rest,
            place_reg(y));
        return;
    }
    Vex shift = {1, 1, 0, longs ? 0x73 : 0x72};
    Vex add = {1, 1, 0, longs ? 0xD4 : 0xFE};
    Vex subtract = {1, 1, 0, longs ? 0xFB : 0xFA};
    int z = regs_of(e, ins->c), half = regs_temp(e), place = longs ? 52 : 23;
    put_imm(e, shift, bytes, SHIFT_RIGHT, half, place_reg(z), 1);
    put_imm(e, shift, bytes, SHIFT_LEFT, half, place_reg(half), place);
    put_imm(e, shift, bytes, SHIFT_LEFT, rest, place_reg(z), place);
    put(e, subtract, bytes, rest, rest, place_reg(half));
    put(e, add, bytes, half, half, bias);
    put(e, add, bytes, rest, rest, bias);
    put(e, (Vex){2, 1, longs, 0xB8}, bytes, rest, x, place_reg(rest));
    put(e, (Vex){1, longs, 0, 0x59}, bytes, regs_result(e), rest,
        place_reg(half));
}

// The low words of longs.
static void emit_int_of_long(Emitter *e, const LoopIns *ins)
{
    int x = regs_of(e, ins->a);
    if (regs_has_masks(e)) {
        int to = regs_result(e);
        put_all(e, (Vex){2, 2, 0, 0x35}, x, 0, place_reg(to));
        return;
    }
    int low = halve_mask(e, x), to = regs_result_apart(e);
    put(e, move_vector, 16, to, 0, place_reg(low));
}

// To nearest even: half of the last place is added, less a bit where that is
// even. A NaN has none of its bits but the sign's.
void emit_round_bf16(Emitter *e, int to, int x)
{
    static const Vex add = {1, 1, 0, 0xFE}, either = {1, 1, 0, 0xEB};
    uint32_t bytes = regs_bytes(e, LT_F32);
    bool evex = regs_has_masks(e);
    int nan = regs_temp(e), mask = evex ? regs_temp_mask(e) : regs_temp(e);
    put_imm(e, (Vex){1, 0, 0, 0xC2}, bytes, mask, x, place_reg(x), 3);
    put(e, and_all, bytes, nan, x,
        code_constant(&e->code, &(uint32_t){0x80000000}, 4));
    put(e, either, bytes, nan, nan,
        code_constant(&e->code, &(uint32_t){0x7FC00000}, 4));
    put_imm(e, shift_words, bytes, SHIFT_RIGHT, to, place_reg(x), 16);
    put(e, and_all, bytes, to, to, code_constant(&e->code, &(uint32_t){1}, 4));
    put(e, add, bytes, to, to, place_reg(x));
    put(e, add, bytes, to, to, code_constant(&e->code, &(uint32_t){0x7FFF}, 4));
    put(e, and_all, bytes, to, to,
        code_constant(&e->code, &(uint32_t){0xFFFF0000}, 4));
    blend(e, LT_F32, to, mask, place_reg(nan), to);
}

// To a half and back.
static void emit_narrow_float(Emitter *e, const LoopIns *ins)
{
    uint32_t bytes = regs_bytes(e, LT_F32);
    int x = regs_of(e, ins->a), to = regs_result_apart(e);
    if (ins->b == ELEM_BF16) {
        emit_round_bf16(e, to, x);
        return;
    }
    put_imm(e, round_f16, bytes, x, 0, place_reg(to), 0);
    put(e, widen_f16, bytes, to, 0, place_reg(to));
}

static void emit_narrow(Emitter *e, const LoopIns *ins)
{
    if (ins->type == LT_F32) {
        emit_narrow_float(e, ins);
        return;
    }
    uint32_t bytes = regs_bytes(e, LT_I32);
    int x = regs_of(e, ins->a), to = regs_result(e);
    if (ins->b == ELEM_U8) {
        put(e, and_all, bytes, to, x,
            code_constant(&e->code, &(uint32_t){255}, 4));
        return;
    }
    int by = ins->b == ELEM_I8 ? 24 : 16;
    put_imm(e, (Vex){1, 1, 0, 0x72}, bytes, 6, to, place_reg(x), by);
    put_imm(e, (Vex){1, 1, 0, 0x72}, bytes, 4, to, place_reg(to), by);
}

void emit_ins(Emitter *e)
{
    const LoopIns *ins = &e->ins[e->now];
    Simple row =
        (regs_has_masks(e) ? simple_evex : simple_vex)[ins->op][ins->type];
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
    case PRIM_MIX: emit_mix(e, ins); break;
    case PRIM_RAISE: emit_raise(e, ins); break;
    case PRIM_SHL:
    case PRIM_SHR:
    case PRIM_SAR: emit_shift(e, ins); break;
    case PRIM_QUOT: emit_quotient(e, ins); break;
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
