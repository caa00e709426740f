// Where the registers of a scalar program are while its machine code runs: in
// registers of the processor, given out by linear scan, or in their homes, the
// array that the interpreter would use. Ints and bools are in general
// registers, floats in vector ones.
#ifndef DUET_BACKEND_SCALAR_PLACE_H
#define DUET_BACKEND_SCALAR_PLACE_H

#include "backend/scalar.h"

// rbx, rbp and rsp have their uses; rax, rdx and the first two vector registers
// hold what is at home while an instruction runs.
enum { X0, X1, SCALAR_REGS = 16, AT_HOME = -1, SCALAR_NEVER = -2 };

typedef struct Life {
    int32_t start, end; // instructions; start -1: before the first
    uint32_t weight;    // reads and writes, those in loops more
    int8_t at;          // register of the processor, or AT_HOME
    bool floats;
} Life;

bool scalar_is_jump(const ScalarOp *op);
// The life of each register; a result shares its place with no operand.
void scalar_place(const ScalarProgram *program, const uint8_t *dtypes,
                  Life *lives);

#endif
