// See scalar_place.h.
#include "backend/scalar_place.h"

#include <string.h>

#include "kernels/emit_code.h"

static const uint8_t general_regs[] = {RCX, RSI, RDI,     R8,      R9,     R10,
                                       R11, R12, R12 + 1, R12 + 2, R12 + 3};
static const uint8_t vector_regs[] = {2, 3,  4,  5,  6,  7,  8,
                                      9, 10, 11, 12, 13, 14, 15};

bool scalar_is_jump(const ScalarOp *op)
{
    return op->code == SCALAR_JUMP || op->code == SCALAR_JUMP_FALSE ||
           op->code == SCALAR_LOOP;
}

// How many operands an instruction reads.
static uint32_t read_count(const ScalarOp *op)
{
    switch ((ScalarCode)op->code) {
    case SCALAR_MOVE:
    case SCALAR_JUMP_FALSE: return 1;
    case SCALAR_SELECT: return 3;
    case SCALAR_JUMP:
    case SCALAR_END: return 0;
    default: return op->in_count;
    }
}

static bool writes(const ScalarOp *op)
{
    return !scalar_is_jump(op) && op->code != SCALAR_END;
}

static void touch(Life *lives, uint32_t count, uint32_t at, bool reads,
                  uint32_t weight)
{
    for (Life *life = lives; life < lives + count; life++) {
        if (life->start == SCALAR_NEVER) {
            life->start = reads ? -1 : (int32_t)at;
        }
        life->end = (int32_t)at;
        life->weight += weight;
    }
}

// A mention in a loop counts eight times.
static void count_uses(const ScalarProgram *program, Life *lives)
{
    uint8_t depth[SCALAR_MAX_CODE] = {0};
    for (uint32_t i = 0; i < program->code_count; i++) {
        const ScalarOp *op = &program->code[i];
        for (uint32_t k = op->target; op->code == SCALAR_LOOP && k <= i; k++) {
            depth[k] = (uint8_t)(depth[k] < 8 ? depth[k] + 1 : 8);
        }
    }
    for (uint32_t i = 0; i < program->code_count; i++) {
        const ScalarOp *op = &program->code[i];
        uint32_t weight = 1u << 3 * depth[i];
        for (uint32_t k = 0; k < read_count(op); k++) {
            touch(&lives[op->in[k]], op->count, i, true, weight);
        }
        if (writes(op)) {
            touch(&lives[op->out], op->count, i, false, weight);
        }
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        ScalarOutput output = program->outputs[i];
        uint32_t last = program->code_count - 1;
        touch(&lives[output.reg], output.count, last, true, 0);
    }
}

// What lives where a loop begins lives to its end: the next turn reads it.
// Inner loops end first, so that one walk is enough.
static void stretch(const ScalarProgram *program, Life *lives)
{
    for (uint32_t i = 0; i < program->code_count; i++) {
        int32_t begin = (int32_t)program->code[i].target, end = (int32_t)i;
        if (program->code[i].code != SCALAR_LOOP) {
            continue;
        }
        for (uint32_t r = 0; r < program->reg_count; r++) {
            Life *life = &lives[r];
            if (life->start < begin && life->end >= begin && life->end < end) {
                life->end = end;
            }
        }
    }
}

// A register that is free, or whose owner is used less.
static void place(Life *lives, uint16_t reg, int32_t owners[2][SCALAR_REGS])
{
    Life *life = &lives[reg];
    const uint8_t *regs = life->floats ? vector_regs : general_regs;
    size_t count = life->floats ? sizeof vector_regs : sizeof general_regs;
    int32_t *owner = owners[life->floats];
    uint32_t least = life->weight;
    int best = AT_HOME;
    for (size_t i = 0; i < count; i++) {
        int32_t held = owner[regs[i]];
        if (held < 0 || lives[held].end < life->start) {
            best = regs[i];
            owner[best] = -1;
            break;
        }
        if (lives[held].weight < least) {
            least = lives[held].weight;
            best = regs[i];
        }
    }
    if (best != AT_HOME) {
        if (owner[best] >= 0) {
            lives[owner[best]].at = AT_HOME;
        }
        owner[best] = reg;
        life->at = (int8_t)best;
    }
}

void scalar_place(const ScalarProgram *program, const uint8_t *dtypes,
                  Life *lives)
{
    for (uint32_t r = 0; r < program->reg_count; r++) {
        bool floats = dtypes[r] == DT_FLOAT32 || dtypes[r] == DT_FLOAT64;
        lives[r] = (Life){SCALAR_NEVER, SCALAR_NEVER, 0, AT_HOME, floats};
    }
    count_uses(program, lives);
    stretch(program, lives);
    int32_t owners[2][SCALAR_REGS];
    memset(owners, -1, sizeof owners);
    for (uint16_t r = 0; r < program->reg_count; r++) {
        if (lives[r].start == -1) {
            place(lives, r, owners);
        }
    }
    // In the order in which lives begin.
    for (uint32_t i = 0; i < program->code_count; i++) {
        const ScalarOp *op = &program->code[i];
        for (uint16_t r = op->out; writes(op) && r < op->out + op->count; r++) {
            if (lives[r].start == (int32_t)i) {
                place(lives, r, owners);
            }
        }
    }
}
