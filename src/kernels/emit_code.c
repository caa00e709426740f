// See emit_code.h.
#include "kernels/emit_code.h"

#include <string.h>

void code_byte(MachineCode *code, int byte)
{
    if (code->size == CODE_SIZE) {
        code->full = true;
        return;
    }
    code->bytes[code->size++] = (uint8_t)byte;
}

void code_long(MachineCode *code, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        code_byte(code, (int)(value >> 8 * i & 255));
    }
}

// The four bytes are written when the place of the pool is known.
static void add_patch(MachineCode *code, uint16_t number, bool has_imm)
{
    enum { MOST = sizeof code->patches / sizeof *code->patches };
    if (code->patch_count == MOST) {
        code->full = true;
        return;
    }
    code->patches[code->patch_count].at = code->size;
    code->patches[code->patch_count].number = number;
    code->patches[code->patch_count++].after = has_imm;
    code_long(code, 0);
}

// The ModRM byte and what follows it. EVEX counts a displacement of one byte
// in operands, so that its others take four.
static void add_place(MachineCode *code, int reg, CodePlace place, bool evex,
                      bool has_imm)
{
    int field = (reg & 7) << 3, base = (int)(place.number & 7);
    uint32_t disp = place.number >> 8;
    switch ((CodePlaceKind)place.kind) {
    case PLACE_REG: code_byte(code, 0xC0 | field | base); break;
    case PLACE_POOL:
        code_byte(code, field | 5);
        add_patch(code, (uint16_t)place.number, has_imm);
        break;
    case PLACE_STACK:
        code_byte(code, 0x80 | field | 4);
        code_byte(code, 0x24);
        code_long(code, place.number * code->width);
        break;
    case PLACE_HOME:
        code_byte(code, 0x80 | field | RBX);
        code_long(code, place.number * 8);
        break;
    case PLACE_INDEX:
    case PLACE_LANE: {
        // Always with a displacement, which rbp and r13 cannot do without.
        bool is_long = disp > 127 || (evex && disp != 0);
        int index = place.kind == PLACE_LANE ? RDI : RDX;
        code_byte(code, (is_long ? 0x80 : 0x40) | field | 4);
        code_byte(code, place.scale << 6 | index << 3 | base);
        if (is_long) {
            code_long(code, disp);
        } else {
            code_byte(code, (int)disp);
        }
        break;
    }
    }
}

// The bit of the number that the ModRM byte has no room for; 0 of what has no
// such number.
static int high_bit(CodePlace place, int bit)
{
    bool indexed = place.kind == PLACE_INDEX || place.kind == PLACE_LANE;
    bool named = place.kind == PLACE_REG || (indexed && bit == 8);
    return named && (place.number & bit) != 0;
}

void code_vex(MachineCode *code, Vex op, uint32_t bytes, int reg, int v,
              CodePlace place, int imm)
{
    int high = high_bit(place, 8), low = (reg & 8) == 0;
    int last = (~v & 15) << 3 | (bytes == 32) << 2 | op.prefix;
    if (op.map == 1 && op.w == 0 && !high) {
        code_byte(code, 0xC5);
        code_byte(code, low << 7 | last);
    } else {
        code_byte(code, 0xC4);
        code_byte(code, low << 7 | 0x40 | !high << 5 | op.map);
        code_byte(code, op.w << 7 | last);
    }
    code_byte(code, op.opcode);
    add_place(code, reg, place, false, imm >= 0);
    if (imm >= 0) {
        code_byte(code, imm);
    }
}

// `mask`: 0 is all lanes.
static void add_evex(MachineCode *code, Vex op, uint32_t bytes, int reg, int v,
                     CodePlace place, int mask, int imm)
{
    int length = bytes == 64 ? 2 : bytes == 32;
    code_byte(code, 0x62);
    code_byte(code, ((reg & 8) == 0) << 7 | !high_bit(place, 16) << 6 |
                        !high_bit(place, 8) << 5 | ((reg & 16) == 0) << 4 |
                        op.map);
    code_byte(code, op.w << 7 | (~v & 15) << 3 | 4 | op.prefix);
    code_byte(code, (mask & MASK_ZEROES) | length << 5 | ((v & 16) == 0) << 3 |
                        (mask & 7));
    code_byte(code, op.opcode);
    add_place(code, reg, place, true, imm >= 0);
    if (imm >= 0) {
        code_byte(code, imm);
    }
}

void code_vector(MachineCode *code, Vex op, uint32_t bytes, int reg, int v,
                 CodePlace place, int imm)
{
    if (code->width == 64) {
        add_evex(code, op, bytes, reg, v, place, 0, imm);
    } else {
        code_vex(code, op, bytes, reg, v, place, imm);
    }
}

void code_masked(MachineCode *code, Vex op, uint32_t bytes, int reg, int v,
                 CodePlace place, int mask)
{
    add_evex(code, op, bytes, reg, v, place, mask, -1);
}

CodePlace code_constant(MachineCode *code, const void *bytes, uint32_t size)
{
    PooledConstant made;
    uint32_t at = 0;
    for (uint32_t i = 0; i < sizeof made.bytes; i += size) {
        memcpy(made.bytes + i, bytes, size);
    }
    while (at < code->pool_count &&
           memcmp(&code->pool[at], &made, sizeof made) != 0) {
        at++;
    }
    if (at == POOL_SIZE) {
        code->full = true;
        at = 0;
    } else if (at == code->pool_count) {
        code->pool[code->pool_count++] = made;
    }
    return (CodePlace){PLACE_POOL, 0, at};
}

void code_load(MachineCode *code, int reg, int base, int disp)
{
    code_byte(code, 0x48 | (reg > 7) << 2 | (base > 7));
    code_byte(code, 0x8B);
    code_byte(code, 0x80 | (reg & 7) << 3 | (base & 7));
    code_long(code, (uint32_t)disp);
}

void code_bytes(MachineCode *code, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        code_byte(code, bytes[i]);
    }
}

uint32_t code_jump(MachineCode *code, int condition)
{
    code_byte(code, 0x0F);
    code_byte(code, condition);
    code_long(code, 0);
    return code->size;
}

void code_align(MachineCode *code)
{
    // nop of nine bytes, and of one.
    static const uint8_t nop[] = {0x66, 0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0};
    while (code->size % 32 != 0 && !code->full) {
        bool fits = 32 - code->size % 32 >= sizeof nop;
        code_bytes(code, fits ? nop : (const uint8_t[]){0x90},
                   fits ? sizeof nop : 1);
    }
}

void code_aim(MachineCode *code, uint32_t jump, uint32_t to)
{
    uint32_t distance = to - jump;
    if (!code->full) {
        memcpy(code->bytes + jump - 4, &distance, sizeof distance);
    }
}

void code_frame(MachineCode *code, CodeMove move, int reg, uint32_t slot,
                int disp)
{
    code_byte(code, 0x48 | (reg > 7) << 2);
    code_byte(code, (int)move);
    code_byte(code, 0x84 | (reg & 7) << 3);
    code_byte(code, 0x24);
    code_long(code, slot * code->width + (uint32_t)disp);
}

void code_finish(MachineCode *code)
{
    while (code->size % code->width != 0 && !code->full) {
        code_byte(code, 0xCC);
    }
    uint32_t pool = code->size;
    code->full =
        code->full || pool + code->pool_count * code->width > CODE_SIZE;
    if (code->full) {
        return;
    }
    for (uint32_t i = 0; i < code->pool_count; i++) {
        memcpy(code->bytes + code->size, &code->pool[i], code->width);
        code->size += code->width;
    }
    for (uint32_t i = 0; i < code->patch_count; i++) {
        // Counted from the instruction's end.
        uint32_t at = code->patches[i].at;
        uint32_t disp = pool + code->patches[i].number * (uint32_t)code->width -
                        at - 4 - code->patches[i].after;
        memcpy(code->bytes + at, &disp, sizeof disp);
    }
}
