// Primitives of one element: what folds constants, and the tests' oracle.
#include <math.h>
#include <string.h>

#include "kernels/far.h"
#include "kernels/half.h"
#include "kernels/loop.h"
#include "kernels/power.h"
#include "kernels/prim_ints.h"

// One value as each type has it.
typedef union Bits {
    uint64_t bits;
    float F32;
    double F64;
    int32_t I32;
    int64_t I64;
    int64_t MASK;
} Bits;

typedef float TypeF32;
typedef double TypeF64;
typedef int32_t TypeI32;
typedef int64_t TypeI64;
typedef int64_t TypeMASK;

// The type of a primitive's result, by its `of` in prim_list.h.
typedef enum Of {
    OF_SAME,
    OF_MASK,
    OF_TWIN,
    OF_F32,
    OF_F64,
    OF_I32,
    OF_I64
} Of;

static const uint8_t results[PRIM_COUNT] = {
#define PRIM(id, operands, of) [PRIM_##id] = OF_##of,
#define PRIM_ROW(id, type, result, expression)
#define PRIM_RARE(id, type, expression)
#include "kernels/prim_list.h"
};

LoopType loop_result(LoopPrim op, LoopType type)
{
    static const uint8_t twins[] = {LT_I32, LT_I64, LT_F32, LT_F64, LT_MASK};
    switch ((Of)results[op]) {
    case OF_SAME: break;
    case OF_MASK: return LT_MASK;
    case OF_TWIN: return (LoopType)twins[type];
    case OF_F32: return LT_F32;
    case OF_F64: return LT_F64;
    case OF_I32: return LT_I32;
    case OF_I64: return LT_I64;
    }
    return type;
}

// Sign and zero extension of the low bits, or a half as float32.
static Bits narrow(Bits value, Elem elem)
{
    Bits to = {0};
    switch (elem) {
    case ELEM_U8: to.I32 = (uint8_t)value.I32; break;
    case ELEM_I8: to.I32 = (int8_t)value.I32; break;
    case ELEM_I16: to.I32 = (int16_t)value.I32; break;
    case ELEM_F16: to.F32 = f16_widen(f16_round(value.F32)); break;
    case ELEM_BF16: to.F32 = bf16_widen(bf16_round(value.F32)); break;
    case ELEM_BOOL:
    case ELEM_I32:
    case ELEM_I64:
    case ELEM_F32:
    case ELEM_F64:
    case ELEM_COUNT: return value;
    }
    return to;
}

// What the rows of the list compute, as bits, clear above their width.
static uint64_t eval_row(LoopPrim op, LoopType type, const Bits *in)
{
    Bits to = {0};
    switch ((int)op << 3 | (int)type) {
#define PRIM(id, operands, of)
#define PRIM_ROW(id, T, R, expression)                                         \
    case PRIM_##id << 3 | LT_##T: {                                            \
        Type##T x = in[0].T, y = in[1].T, z = in[2].T;                         \
        (void)y, (void)z;                                                      \
        to.R = (Type##R)(expression);                                          \
        break;                                                                 \
    }
#define PRIM_RARE(id, T, expression)                                           \
    case PRIM_##id << 3 | LT_##T: {                                            \
        Type##T x = in[0].T;                                                   \
        to.T = in[2].MASK != 0 ? (expression) : in[1].T;                       \
        break;                                                                 \
    }
#include "kernels/prim_list.h"
    }
    return to.bits;
}

bool loop_has(LoopPrim op, LoopType type)
{
    static const bool rows[PRIM_COUNT][LT_MASK + 1] = {
#define PRIM(id, operands, of)
#define PRIM_ROW(id, T, R, expression) [PRIM_##id][LT_##T] = true,
#define PRIM_RARE(id, T, expression) [PRIM_##id][LT_##T] = true,
#include "kernels/prim_list.h"
    };
    return rows[op][type] || op == PRIM_SELECT ||
           (op == PRIM_BITS && type != LT_MASK) ||
           (op == PRIM_NARROW && (type == LT_I32 || type == LT_F32));
}

bool loop_is_rare(LoopPrim op)
{
    static const bool rare[PRIM_COUNT][LOOP_TYPES] = {
#define PRIM(id, operands, of)
#define PRIM_ROW(id, type, result, expression)
#define PRIM_RARE(id, type, expression) [PRIM_##id][LT_##type] = true,
#include "kernels/prim_list.h"
    };
    return rare[op][LT_F32] || rare[op][LT_F64];
}

// What moves bits needs no row.
uint64_t loop_eval(LoopPrim op, LoopType type, const uint64_t *x,
                   uint16_t extra)
{
    const Bits in[3] = {{x[0]}, {x[1]}, {x[2]}};
    switch (op) {
    case PRIM_SELECT: return x[0] != 0 ? x[1] : x[2];
    case PRIM_BITS: return x[0];
    case PRIM_NARROW: return narrow(in[0], (Elem)extra).bits;
    default: return eval_row(op, type, in);
    }
}

// An element as a load widens it.
static uint64_t load(Elem stored, const char *from)
{
    Bits to = {0};
    uint16_t half;
    switch (stored) {
    case ELEM_BOOL: to.MASK = -(int64_t)(*(const uint8_t *)from != 0); break;
    case ELEM_U8: to.I32 = *(const uint8_t *)from; break;
    case ELEM_I8: to.I32 = *(const int8_t *)from; break;
    case ELEM_I16:
        memcpy(&half, from, sizeof half);
        to.I32 = (int16_t)half;
        break;
    case ELEM_F16:
        memcpy(&half, from, sizeof half);
        to.F32 = f16_widen(half);
        break;
    case ELEM_BF16:
        memcpy(&half, from, sizeof half);
        to.F32 = bf16_widen(half);
        break;
    case ELEM_I32:
    case ELEM_F32: memcpy(&to.I32, from, 4); break;
    case ELEM_I64:
    case ELEM_F64: memcpy(&to.I64, from, 8); break;
    case ELEM_COUNT: break;
    }
    return to.bits;
}

// An element as a store narrows it: its low bits.
static void store(Elem stored, char *to, uint64_t bits)
{
    if (stored == ELEM_BOOL) {
        bits &= 1;
    } else if (stored == ELEM_F16) {
        bits = f16_round(float_of_bits((uint32_t)bits));
    } else if (stored == ELEM_BF16) {
        bits = bf16_round(float_of_bits((uint32_t)bits));
    }
    memcpy(to, &bits, elem_size(stored));
}

uint32_t loop_eval_body(const LoopBuild *build, char *const *data, size_t index)
{
    uint64_t values[LOOP_MAX_INS];
    uint32_t faults = 0;
    for (uint32_t i = 0; i < build->ins_count; i++) {
        const LoopIns *ins = &build->ins[i];
        if (ins->op == PRIM_CONST) {
            values[i] = build->consts[ins->b];
        } else if (ins->op == PRIM_FAULT) {
            faults |= (uint32_t)(values[ins->a] != 0) << ins->b;
        } else if (ins->op == PRIM_LOAD || ins->op == PRIM_STORE) {
            const LoopOperand *operand = &build->operands[ins->b];
            size_t at = operand->kind == LOOP_ONE      ? 0
                        : operand->kind == LOOP_AROUND ? index % LOOP_LANES
                                                       : index;
            Elem stored = (Elem)operand->stored;
            char *place = data[ins->b] + at * elem_size(stored);
            if (ins->op == PRIM_STORE) {
                store(stored, place, values[ins->a]);
            } else {
                values[i] = load(stored, place);
            }
        } else {
            uint64_t x[3] = {values[ins->a], values[ins->b], values[ins->c]};
            values[i] =
                loop_eval((LoopPrim)ins->op, (LoopType)ins->type, x, ins->b);
        }
    }
    return faults;
}
