// See emit_code.h.
#include "kernels/emit_code.h"

#include <string.h>

void code_byte(Code *code, int byte)
{
    if (code->size == CODE_SIZE) {
        code->full = true;
        return;
    }
    code->bytes[code->size++] = (uint8_t)byte;
}

void code_long(Code *code, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        code_byte(code, (int)(value >> 8 * i & 255));
    }
}

// The four bytes are written when the place of the pool is known.
static void add_patch(Code *code, uint16_t number, bool has_imm)
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

// The ModRM byte and what follows it.
static void add_place(Code *code, int reg, CodePlace place, bool has_imm)
{
    int field = (reg & 7) << 3, base = place.number & 7;
    switch ((CodePlaceKind)place.kind) {
    case PLACE_REG: code_byte(code, 0xC0 | field | base); break;
    case PLACE_POOL:
        code_byte(code, field | 5);
        add_patch(code, place.number, has_imm);
        break;
    case PLACE_STACK:
        code_byte(code, 0x80 | field | 4);
        code_byte(code, 0x24);
        code_long(code, (uint32_t)place.number * 32);
        break;
    case PLACE_HOME:
        code_byte(code, 0x80 | field | RBX);
        code_long(code, place.number * 8u);
        break;
    case PLACE_INDEX:
        // With a displacement of a byte, which rbp and r13 cannot do without.
        code_byte(code, 0x40 | field | 4);
        code_byte(code, place.scale << 6 | RDX << 3 | base);
        code_byte(code, place.number >> 8);
        break;
    }
}

void code_vex(Code *code, Vex op, bool wide, int reg, int v, CodePlace place,
              int imm)
{
    bool named = place.kind == PLACE_REG || place.kind == PLACE_INDEX;
    int high = named && (place.number & 8) != 0;
    int last = (~v & 15) << 3 | wide << 2 | op.prefix;
    if (op.map == 1 && op.w == 0 && !high) {
        code_byte(code, 0xC5);
        code_byte(code, (reg < 8) << 7 | last);
    } else {
        code_byte(code, 0xC4);
        code_byte(code, (reg < 8) << 7 | 0x40 | !high << 5 | op.map);
        code_byte(code, op.w << 7 | last);
    }
    code_byte(code, op.opcode);
    add_place(code, reg, place, imm >= 0);
    if (imm >= 0) {
        code_byte(code, imm);
    }
}

CodePlace code_constant(Code *code, const void *bytes, uint32_t size)
{
    Pool made;
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
    return (CodePlace){PLACE_POOL, 0, (uint16_t)at};
}

void code_load(Code *code, int reg, int base, int disp)
{
    code_byte(code, 0x48 | (reg > 7) << 2 | (base > 7));
    code_byte(code, 0x8B);
    code_byte(code, 0x80 | (reg & 7) << 3 | (base & 7));
    code_long(code, (uint32_t)disp);
}

void code_bytes(Code *code, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        code_byte(code, bytes[i]);
    }
}

uint32_t code_jump(Code *code, int condition)
{
    code_byte(code, 0x0F);
    code_byte(code, condition);
    code_long(code, 0);
    return code->size;
}

void code_align(Code *code)
{
    // nop of nine bytes, and of one.
    static const uint8_t nop[] = {0x66, 0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0};
    while (code->size % 32 != 0 && !code->full) {
        bool fits = 32 - code->size % 32 >= sizeof nop;
        code_bytes(code, fits ? nop : (const uint8_t[]){0x90},
                   fits ? sizeof nop : 1);
    }
}

void code_aim(Code *code, uint32_t jump, uint32_t to)
{
    uint32_t distance = to - jump;
    if (!code->full) {
        memcpy(code->bytes + jump - 4, &distance, sizeof distance);
    }
}

void code_frame(Code *code, CodeMove move, int reg, uint32_t slot, int disp)
{
    code_byte(code, 0x48 | (reg > 7) << 2);
    code_byte(code, (int)move);
    code_byte(code, 0x84 | (reg & 7) << 3);
    code_byte(code, 0x24);
    code_long(code, slot * 32 + (uint32_t)disp);
}

void code_finish(Code *code)
{
    while (code->size % 32 != 0 && !code->full) {
        code_byte(code, 0xCC);
    }
    uint32_t pool = code->size;
    if (pool + code->pool_count * 32 > CODE_SIZE) {
        code->full = true;
    }
    if (code->full) {
        return;
    }
    memcpy(code->bytes + pool, code->pool, code->pool_count * sizeof(Pool));
    code->size += code->pool_count * 32;
    for (uint32_t i = 0; i < code->patch_count; i++) {
        // Counted from the instruction's end.
        uint32_t at = code->patches[i].at;
        uint32_t disp = pool + code->patches[i].number * 32u - at - 4 -
                        code->patches[i].after;
        memcpy(code->bytes + at, &disp, sizeof disp);
    }
}
