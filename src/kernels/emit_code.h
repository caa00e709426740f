// Writing x86-64 instructions into a buffer: VEX and EVEX encodings of what the
// emitter uses, and a pool of constants, a vector each, behind the code.
#ifndef DUET_KERNELS_EMIT_CODE_H
#define DUET_KERNELS_EMIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_SIZE = 40 * 1024, POOL_SIZE = 160 };

// General registers by their numbers in the encoding.
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12 };

// What an instruction's last operand names.
typedef enum CodePlaceKind {
    PLACE_REG,   // a vector's or mask's register
    PLACE_POOL,  // a constant
    PLACE_STACK, // a vector's bytes of the frame, by number
    PLACE_HOME,  // [rbx + number * 8], of scalar programs
    PLACE_INDEX, // [base + rdx * scale + disp]
    PLACE_LANE   // [base + rdi * scale + disp]
} CodePlaceKind;
typedef struct CodePlace {
    uint8_t kind;    // CodePlaceKind
    uint8_t scale;   // bits to shift rdx or rdi by
    uint32_t number; // the register, constant or slot; base | disp << 8
} CodePlace;

// The opcode map (1: 0F, 2: 0F38, 3: 0F3A), the prefix that stands for 66, F3
// or F2 as 1, 2, 3, the W bit and the opcode.
typedef struct Vex {
    uint8_t map, prefix, w, opcode;
} Vex;

typedef struct PooledConstant {
    uint8_t bytes[64];
} PooledConstant;

typedef struct MachineCode {
    bool full;     // something did not fit: the code is of no use
    uint8_t width; // bytes of a vector: 32, or 64, which takes EVEX
    uint32_t size, pool_count, patch_count;
    uint8_t bytes[CODE_SIZE];
    PooledConstant pool[POOL_SIZE];
    struct {
        uint32_t at;     // of the four bytes
        uint16_t number; // the constant
        uint16_t after;  // bytes of the instruction behind them
    } patches[2048];
} MachineCode;

void code_byte(MachineCode *code, int byte);
void code_long(MachineCode *code, uint32_t value);
// opcode reg, v, place, of so many bytes: 16, 32 or 64; imm < 0: none. The
// numbers of masks count from a multiple of 32. code_vector is EVEX where
// vectors are of 64 bytes; what works on masks is VEX everywhere.
void code_vex(MachineCode *code, Vex op, uint32_t bytes, int reg, int v,
              CodePlace place, int imm);
void code_vector(MachineCode *code, Vex op, uint32_t bytes, int reg, int v,
                 CodePlace place, int imm);
// EVEX: only the lanes of the mask. The others keep what they hold, or become
// 0 with MASK_ZEROES, or are what the instruction says.
enum { MASK_ZEROES = 0x80 };
void code_masked(MachineCode *code, Vex op, uint32_t bytes, int reg, int v,
                 CodePlace place, int mask);
// A constant of `size` bytes repeated over a vector.
CodePlace code_constant(MachineCode *code, const void *bytes, uint32_t size);
// mov reg, [base + disp], of 64 bits.
void code_load(MachineCode *code, int reg, int base, int disp);
// 64 bits of the frame, at its slot's start and `disp`: mov reg, [...], its
// converse, and lea.
typedef enum CodeMove {
    MOVE_LOAD = 0x8B,
    MOVE_STORE = 0x89,
    MOVE_LEA = 0x8D
} CodeMove;
void code_frame(MachineCode *code, CodeMove move, int reg, uint32_t slot,
                int disp);
// A jump with its condition, the second byte of 0F 8x; returns what names it.
enum {
    JUMP_BELOW = 0x82,
    JUMP_ZERO = 0x84,
    JUMP_NOT_ZERO = 0x85,
    JUMP_NOT_ABOVE = 0x86,
    JUMP_ABOVE = 0x87
};
uint32_t code_jump(MachineCode *code, int condition);
// Goes on at a multiple of 32 bytes, by instructions that do nothing.
void code_align(MachineCode *code);
// Where it goes, as a value of code->size.
void code_aim(MachineCode *code, uint32_t jump, uint32_t to);
void code_bytes(MachineCode *code, const uint8_t *bytes, size_t count);
// Appends the pool and points the instructions at it.
void code_finish(MachineCode *code);

static inline CodePlace place_reg(int reg)
{
    return (CodePlace){PLACE_REG, 0, (uint32_t)reg};
}

#endif
