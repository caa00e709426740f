// Making loop bodies: equal values are merged, constants folded.
#include <math.h>
#include <string.h>

#include "base/float_bits.h"
#include "kernels/loop.h"

const uint8_t loop_arities[PRIM_COUNT] = {
#define PRIM(id, operands, of) [PRIM_##id] = (operands),
#define PRIM_ROW(id, type, result, expression)
#define PRIM_RARE(id, type, expression)
#include "kernels/prim_list.h"
};

void loop_init(LoopBuild *build)
{
    build->ins_count = build->const_count = build->operand_count = 0;
    build->fault = 0;
    build->rough = false;
    memset(build->table, 0, sizeof build->table);
}

LoopType loop_type_of(Elem elem)
{
    switch (elem) {
    case ELEM_BOOL: return LT_MASK;
    case ELEM_U8:
    case ELEM_I8:
    case ELEM_I16:
    case ELEM_I32: return LT_I32;
    case ELEM_I64: return LT_I64;
    case ELEM_F16:
    case ELEM_BF16:
    case ELEM_F32: return LT_F32;
    case ELEM_F64:
    case ELEM_COUNT: break;
    }
    return LT_F64;
}

int loop_operand(LoopBuild *build, Elem stored, LoopKind kind, bool writes)
{
    if (build->operand_count == LOOP_MAX_OPERANDS) {
        return -1;
    }
    build->operands[build->operand_count] = (LoopOperand){
        .stored = (uint8_t)stored, .kind = (uint8_t)kind, .writes = writes};
    return build->operand_count++;
}

// The value of an equal instruction, or a new one. Loads are merged too: the
// caller makes one operand of what is one place, and loads before it stores.
static LoopValue add_ins(LoopBuild *build, LoopIns ins)
{
    uint32_t hash = (ins.op * 31u + ins.type) * 0x9E3779B1u;
    hash = (hash ^ ins.a) * 0x85EBCA6Bu;
    hash = (hash ^ (uint32_t)(ins.b | ins.c << 16)) * 0xC2B2AE35u;
    uint32_t at = hash >> 22;
    for (; build->table[at] != 0; at = (at + 1) % (LOOP_MAX_INS * 2)) {
        LoopValue found = (LoopValue)(build->table[at] - 1);
        if (memcmp(&build->ins[found], &ins, sizeof ins) == 0) {
            return found;
        }
    }
    if (build->ins_count == LOOP_MAX_INS) {
        return LOOP_NONE;
    }
    build->ins[build->ins_count] = ins;
    build->table[at] = ++build->ins_count;
    return (LoopValue)(build->ins_count - 1);
}

LoopValue loop_load(LoopBuild *build, int operand)
{
    if (operand < 0) {
        return LOOP_NONE;
    }
    Elem stored = (Elem)build->operands[operand].stored;
    return add_ins(build, (LoopIns){.op = PRIM_LOAD,
                                    .type = (uint8_t)loop_type_of(stored),
                                    .b = (uint16_t)operand});
}

bool loop_store(LoopBuild *build, int operand, LoopValue value)
{
    if (operand < 0 || value == LOOP_NONE) {
        return false;
    }
    Elem stored = (Elem)build->operands[operand].stored;
    LoopType type = loop_type(build, value);
    if (type != loop_type_of(stored)) {
        return false;
    }
    // The store narrows by itself.
    const LoopIns *ins = &build->ins[value];
    value = ins->op == PRIM_NARROW && ins->b == stored ? ins->a : value;
    return add_ins(build, (LoopIns){.op = PRIM_STORE,
                                    .type = (uint8_t)type,
                                    .a = value,
                                    .b = (uint16_t)operand}) != LOOP_NONE;
}

// As reduce_body.h has it: of floats a NaN wins.
static LoopValue joined(LoopBuild *build, ReduceId id, LoopValue lane,
                        LoopValue x)
{
    LoopPrim order = id == REDUCE_MAX ? PRIM_MAX : PRIM_MIN;
    switch (id) {
    case REDUCE_SUM: return loop_prim(build, PRIM_ADD, lane, x, 0);
    case REDUCE_PROD: return loop_prim(build, PRIM_MUL, lane, x, 0);
    case REDUCE_MAX:
    case REDUCE_MIN: break;
    case REDUCE_ANY:
    case REDUCE_ALL:
    case REDUCE_COUNT: return LOOP_NONE;
    }
    LoopValue found = loop_prim(build, order, x, lane, 0);
    return found == LOOP_NONE || !loop_is_float(loop_type(build, x))
               ? found
               : loop_prim(build, PRIM_SELECT,
                           loop_prim(build, PRIM_NE, x, x, 0), x, found);
}

bool loop_reduce(LoopBuild *build, int lanes, ReduceId id, LoopValue value)
{
    LoopValue lane = loop_load(build, lanes);
    if (lane != LOOP_NONE) {
        build->operands[lanes].joins = (uint8_t)id;
    }
    return lane != LOOP_NONE && value != LOOP_NONE &&
           loop_type(build, lane) == loop_type(build, value) &&
           loop_store(build, lanes, joined(build, id, lane, value));
}

LoopValue loop_bits(LoopBuild *build, LoopType type, uint64_t bits)
{
    uint16_t at = 0;
    while (at < build->const_count && build->consts[at] != bits) {
        at++;
    }
    if (at == LOOP_MAX_CONSTS) {
        return LOOP_NONE;
    }
    build->consts[at] = bits;
    build->const_count += at == build->const_count;
    return add_ins(build,
                   (LoopIns){.op = PRIM_CONST, .type = (uint8_t)type, .b = at});
}

LoopValue loop_number(LoopBuild *build, LoopType type, double number)
{
    int64_t whole = (int64_t)number;
    uint64_t bits = 0;
    switch (type) {
    case LT_F32: bits = bits_of_float((float)number); break;
    case LT_F64: bits = bits_of_double(number); break;
    case LT_I32: bits = (uint32_t)whole; break;
    case LT_I64: bits = (uint64_t)whole; break;
    case LT_MASK: bits = whole != 0 ? UINT64_MAX : 0; break;
    }
    return loop_bits(build, type, bits);
}

// All operands are constants: true, and *bits is the result.
static bool fold(const LoopBuild *build, LoopIns ins, uint64_t *bits)
{
    const uint16_t args[3] = {ins.a, ins.b, ins.c};
    uint64_t x[3] = {0};
    for (int k = 0; k < loop_arity((LoopPrim)ins.op); k++) {
        const LoopIns *arg = &build->ins[args[k]];
        if (arg->op != PRIM_CONST) {
            return false;
        }
        x[k] = build->consts[arg->b];
    }
    *bits = loop_eval((LoopPrim)ins.op, (LoopType)ins.type, x, ins.b);
    return true;
}

bool loop_known(const LoopBuild *build, LoopValue value, double *number)
{
    const LoopIns *ins = value == LOOP_NONE ? NULL : &build->ins[value];
    if (ins == NULL || ins->op != PRIM_CONST) {
        return false;
    }
    uint64_t bits = build->consts[ins->b];
    uint32_t low = (uint32_t)bits;
    switch ((LoopType)ins->type) {
    case LT_F32: *number = float_of_bits(low); break;
    case LT_F64: *number = double_of_bits(bits); break;
    case LT_I32: *number = (int32_t)low; break;
    case LT_I64: *number = (double)(int64_t)bits; break;
    case LT_MASK: *number = bits != 0; break;
    }
    return true;
}

static bool is_float64(const LoopBuild *build, LoopValue value, double number)
{
    double held;
    return build->ins[value].type == LT_F64 &&
           loop_known(build, value, &held) && held == number;
}

// What is rough takes a 0 for nothing, whatever its sign or what it meets: it
// is the lower part of a pair that has none. LOOP_NONE: nothing is simpler.
static LoopValue simpler(LoopBuild *build, LoopPrim op, const LoopValue *args)
{
    if (loop_arity(op) < 2) {
        return LOOP_NONE;
    }
    LoopValue x = args[0], y = args[1], z = args[2];
    bool no_x = is_float64(build, x, 0), no_y = is_float64(build, y, 0);
    switch ((int)op) {
    case PRIM_ADD: return no_y ? x : no_x ? y : LOOP_NONE;
    case PRIM_SUB: return no_y ? x : LOOP_NONE;
    case PRIM_MUL:
        return no_x || is_float64(build, y, 1) ? x : no_y ? y : LOOP_NONE;
    case PRIM_DIV: return no_x || is_float64(build, y, 1) ? x : LOOP_NONE;
    case PRIM_FMA:
        return no_x || no_y              ? z
               : is_float64(build, z, 0) ? loop_prim(build, PRIM_MUL, x, y, 0)
                                         : LOOP_NONE;
    case PRIM_SELECT: return y == z ? y : LOOP_NONE;
    default: return LOOP_NONE;
    }
}

LoopValue loop_prim(LoopBuild *build, LoopPrim op, LoopValue x, LoopValue y,
                    LoopValue z)
{
    const LoopValue args[3] = {x, y, z};
    for (int k = 0; k < loop_arity(op); k++) {
        if (args[k] == LOOP_NONE) {
            return LOOP_NONE;
        }
    }
    LoopType type = loop_type(build, op == PRIM_SELECT ? y : x);
    LoopIns ins = {(uint8_t)op, (uint8_t)type, x, 0, 0};
    // NARROW's second operand is no value.
    ins.b = loop_arity(op) > 1 || op == PRIM_NARROW ? y : 0;
    ins.c = loop_arity(op) > 2 ? z : 0;
    uint64_t bits;
    if (!loop_has(op, type)) {
        return LOOP_NONE;
    }
    if (fold(build, ins, &bits)) {
        return loop_bits(build, loop_result(op, type), bits);
    }
    LoopValue same = build->rough ? simpler(build, op, args) : LOOP_NONE;
    return same != LOOP_NONE ? same : add_ins(build, ins);
}

LoopValue loop_fault(LoopBuild *build, LoopValue mask)
{
    if (mask == LOOP_NONE) {
        return mask;
    }
    const LoopIns *ins = &build->ins[mask];
    bool never = ins->op == PRIM_CONST && build->consts[ins->b] == 0;
    return never ? mask
                 : add_ins(build, (LoopIns){.op = PRIM_FAULT,
                                            .type = LT_MASK,
                                            .a = mask,
                                            .b = build->fault});
}

LoopValue loop_narrow(LoopBuild *build, LoopValue value, Elem elem)
{
    if (value == LOOP_NONE || loop_type(build, value) != loop_type_of(elem)) {
        return LOOP_NONE;
    }
    if (elem == ELEM_BOOL || elem_size(elem) >= 4) {
        return value;
    }
    return loop_prim(build, PRIM_NARROW, value, (LoopValue)elem, 0);
}
