// Loop bodies without machine code.
//
// A program is made of steps over places. The first places are the operands,
// which move along with the tiles; the others are buffers of a tile. An
// element that is stored as it is computed needs no buffer: it is read from
// its operand, and written there by the instruction before the store.
#include "kernels/loop_run.h"

#include <string.h>

enum {
    SCRATCH_SIZE = 32 * 1024, // of the C stack: all buffers
    RUN_TILE = 512,           // elements
    NOWHERE = UINT16_MAX
};

// to = row of x, y, z. A RARE one computes single elements, those of z; a
// FAULT has no row and looks at the mask x.
typedef struct RunStep {
    LoopRow row;
    uint8_t rare, fault;  // the size of a RARE one's elements
    uint16_t to, x, y, z; // places
} RunStep;

// What a buffer repeats: a constant's bits, or an operand of one element.
typedef struct RunSpread {
    uint16_t place, operand; // NOWHERE: a constant
    uint8_t type, stored;    // LoopType, Elem
    uint64_t bits;
} RunSpread;

struct LoopProgram {
    size_t size; // of the whole
    const Tier *tier;
    uint32_t step_count, spread_count, buffer_count, operand_count;
    uint16_t tile; // elements
    LoopOperand operands[LOOP_MAX_OPERANDS];
    RunSpread *spreads;
    RunStep steps[];
};

// A program in the making.
typedef struct Maker {
    const LoopBuild *body;
    const Tier *tier;
    LoopProgram *program;
    uint16_t first_store; // instruction
    uint16_t free_count, buffer_count;
    uint16_t free[LOOP_MAX_INS];  // buffers that hold nothing now
    uint16_t root[LOOP_MAX_INS];  // the value itself, of BITS its operand
    uint16_t last[LOOP_MAX_INS];  // the instruction that reads it last; 0: none
    uint16_t place[LOOP_MAX_INS]; // of a root
} Maker;

static uint16_t arg_of(const Maker *maker, const LoopIns *ins, int k)
{
    return maker->root[k == 0 ? ins->a : k == 1 ? ins->b : ins->c];
}

// From the end: what nothing reads reads nothing itself.
static void find_last_reads(Maker *maker)
{
    const LoopBuild *body = maker->body;
    maker->first_store = body->ins_count;
    for (uint16_t i = 0; i < body->ins_count; i++) {
        const LoopIns *ins = &body->ins[i];
        maker->root[i] = ins->op == PRIM_BITS ? maker->root[ins->a] : i;
        maker->last[i] = 0;
    }
    for (uint16_t i = body->ins_count; i-- > 0;) {
        const LoopIns *ins = &body->ins[i];
        maker->first_store = ins->op == PRIM_STORE ? i : maker->first_store;
        bool lives = loop_acts(ins) || maker->last[i] != 0;
        for (int k = 0; lives && k < loop_arity((LoopPrim)ins->op); k++) {
            uint16_t *last = &maker->last[arg_of(maker, ins, k)];
            *last = *last < i ? i : *last;
        }
    }
}

static uint16_t new_buffer(Maker *maker)
{
    return maker->free_count > 0
               ? maker->free[--maker->free_count]
               : (uint16_t)(maker->body->operand_count + maker->buffer_count++);
}

static void add_spread(Maker *maker, uint16_t i)
{
    const LoopIns *ins = &maker->body->ins[i];
    RunSpread *spread = &maker->program->spreads[maker->program->spread_count];
    *spread = (RunSpread){
        .place = new_buffer(maker), .operand = NOWHERE, .type = ins->type};
    if (ins->op == PRIM_CONST) {
        spread->bits = maker->body->consts[ins->b];
    } else {
        spread->operand = ins->b;
        spread->stored = maker->body->operands[ins->b].stored;
    }
    maker->place[i] = spread->place;
    maker->program->spread_count++;
}

// Constants and operands of one element come first: their buffers are filled
// once, and are nobody else's.
static void add_spreads(Maker *maker)
{
    for (uint16_t i = 0; i < maker->body->ins_count; i++) {
        const LoopIns *ins = &maker->body->ins[i];
        bool one = ins->op == PRIM_LOAD &&
                   maker->body->operands[ins->b].kind == LOOP_ONE;
        maker->place[i] = NOWHERE;
        if (maker->last[i] != 0 && (one || ins->op == PRIM_CONST)) {
            add_spread(maker, i);
        }
    }
}

// Whether the instruction's result can go where the next one stores it: it is
// the store's last reader, and elements are as wide as values.
static bool writes_through(const Maker *maker, uint16_t i)
{
    const LoopIns *next = &maker->body->ins[i + 1];
    return maker->last[i] == i + 1 && next->op == PRIM_STORE && next->a == i &&
           elem_size((Elem)maker->body->operands[next->b].stored) >= 4;
}

static bool is_apart(const Maker *maker, uint16_t place)
{
    for (uint32_t k = 0; k < maker->program->spread_count; k++) {
        if (maker->program->spreads[k].place == place) {
            return false;
        }
    }
    return place >= maker->body->operand_count;
}

// Buffers that the instruction reads last are free behind it. Its own result
// may not take one: a row of another width would overtake itself.
static void free_operands(Maker *maker, uint16_t i)
{
    const LoopIns *ins = &maker->body->ins[i];
    for (int k = 0; k < loop_arity((LoopPrim)ins->op); k++) {
        uint16_t arg = arg_of(maker, ins, k), place = maker->place[arg];
        bool again = false;
        for (int j = 0; j < k; j++) {
            again = again || arg_of(maker, ins, j) == arg;
        }
        if (maker->last[arg] == i && !again && is_apart(maker, place)) {
            maker->free[maker->free_count++] = place;
        }
    }
}

static RunStep *new_step(Maker *maker, const LoopIns *ins)
{
    RunStep *step = &maker->program->steps[maker->program->step_count++];
    int arity = loop_arity((LoopPrim)ins->op);
    *step = (RunStep){0};
    // What it does not have is any memory of the operand's size.
    step->x = arity > 0 ? maker->place[arg_of(maker, ins, 0)] : ins->b;
    step->y = arity > 1 ? maker->place[arg_of(maker, ins, 1)] : step->x;
    step->z = arity > 2 ? maker->place[arg_of(maker, ins, 2)] : step->x;
    return step;
}

static void add_store(Maker *maker, const LoopIns *ins)
{
    if (maker->place[arg_of(maker, ins, 0)] != ins->b) {
        RunStep *step = new_step(maker, ins);
        step->row = maker->tier->stores[maker->body->operands[ins->b].stored];
        step->to = ins->b;
    }
}

static LoopRow row_of(const Maker *maker, const LoopIns *ins)
{
    return ins->op == PRIM_LOAD
               ? maker->tier->loads[maker->body->operands[ins->b].stored]
           : ins->op == PRIM_NARROW ? maker->tier->narrows[ins->b]
                                    : maker->tier->rows[ins->op][ins->type];
}

// An operand is read in place as long as nothing can have been stored over it.
static void add_value(Maker *maker, uint16_t i)
{
    const LoopIns *ins = &maker->body->ins[i];
    LoopRow row = row_of(maker, ins);
    if (ins->op == PRIM_LOAD && row == NULL) {
        if (maker->last[i] <= maker->first_store) {
            maker->place[i] = ins->b;
            return;
        }
        row = maker->tier->stores[maker->body->operands[ins->b].stored];
    }
    RunStep *step = new_step(maker, ins);
    step->row = row;
    step->rare = !loop_is_rare((LoopPrim)ins->op) ? 0
                 : ins->type == LT_F32            ? 4
                                                  : 8;
    step->to = writes_through(maker, i) ? maker->body->ins[i + 1].b
                                        : new_buffer(maker);
    maker->place[i] = step->to;
}

static void add_ins(Maker *maker, uint16_t i)
{
    const LoopIns *ins = &maker->body->ins[i];
    if (maker->place[i] != NOWHERE || maker->root[i] != i ||
        (maker->last[i] == 0 && !loop_acts(ins))) {
        return;
    }
    if (ins->op == PRIM_FAULT) {
        new_step(maker, ins)->fault = (uint8_t)ins->b;
    } else if (ins->op == PRIM_STORE) {
        add_store(maker, ins);
    } else {
        add_value(maker, i);
    }
    free_operands(maker, i);
}

// No more than one round of lanes, in tiles that divide it.
static uint16_t around_tile(uint16_t tile)
{
    uint16_t made = LOOP_LANES;
    while (made > tile) {
        made /= 2;
    }
    return made;
}

LoopProgram *loop_program(Ctx *ctx, const LoopBuild *body)
{
    size_t head = sizeof(LoopProgram) + body->ins_count * sizeof(RunStep);
    size_t size = head + body->ins_count * sizeof(RunSpread);
    LoopProgram *made = ctx_alloc_zero(ctx, size);
    if (made == NULL) {
        return NULL;
    }
    Maker maker;
    maker.body = body;
    maker.tier = made->tier = ctx->kernels->tier;
    maker.program = made;
    maker.free_count = maker.buffer_count = 0;
    made->size = size;
    made->spreads = (RunSpread *)(void *)((char *)made + head);
    find_last_reads(&maker);
    add_spreads(&maker);
    for (uint16_t i = 0; i < body->ins_count; i++) {
        add_ins(&maker, i);
    }
    made->buffer_count = maker.buffer_count;
    made->operand_count = body->operand_count;
    memcpy(made->operands, body->operands, sizeof body->operands);
    size_t tile = SCRATCH_SIZE / 8 / (maker.buffer_count + 1u) & ~(size_t)7;
    made->tile = (uint16_t)(tile < 8 ? 8 : tile > RUN_TILE ? RUN_TILE : tile);
    for (uint32_t k = 0; k < body->operand_count; k++) {
        if (body->operands[k].kind == LOOP_AROUND) {
            made->tile = around_tile(made->tile);
        }
    }
    return made;
}

void loop_program_free(Ctx *ctx, LoopProgram *program)
{
    ctx_free(ctx, program, program->size);
}

static void fill_spread(const LoopProgram *program, const RunSpread *spread,
                        char *to, char *const *data, size_t count)
{
    char value[8];
    size_t size = spread->type == LT_MASK                            ? 1
                  : spread->type == LT_F32 || spread->type == LT_I32 ? 4
                                                                     : 8;
    memcpy(value, &spread->bits, sizeof value);
    if (spread->operand != NOWHERE) {
        const char *from = data[spread->operand];
        LoopRow load = program->tier->loads[spread->stored];
        if (load != NULL) {
            load(value, from, from, from, 1);
        } else {
            memcpy(value, from, size);
        }
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(to + i * size, value, size);
    }
}

// Elements between y and the expression of x: few are the latter. The result
// may be over any operand.
static void run_rare(const RunStep *step, char *const *at, size_t count)
{
    size_t size = step->rare;
    for (size_t i = 0; i < count; i++) {
        _Alignas(8) char value[8];
        const char *x = at[step->x] + i * size;
        memcpy(value, at[step->y] + i * size, size);
        if (at[step->z][i] != 0) {
            step->row(value, x, x, x, 1);
        }
        memcpy(at[step->to] + i * size, value, size);
    }
}

static uint32_t has_fault(const char *mask, size_t count)
{
    char any = 0;
    for (size_t i = 0; i < count; i++) {
        any = (char)(any | mask[i]);
    }
    return any != 0;
}

uint32_t loop_program_run(const LoopProgram *program, char *const *data,
                          int64_t count)
{
    _Alignas(64) char scratch[SCRATCH_SIZE + 8 * 8];
    char *at[LOOP_MAX_OPERANDS + LOOP_MAX_INS];
    size_t most = (size_t)count < program->tile ? (size_t)count : program->tile;
    uint32_t faults = 0;
    memcpy(at, data, program->operand_count * sizeof *at);
    for (uint32_t i = 0; i < program->buffer_count; i++) {
        at[program->operand_count + i] =
            scratch + (size_t)i * program->tile * 8;
    }
    for (uint32_t i = 0; i < program->spread_count; i++) {
        const RunSpread *spread = &program->spreads[i];
        fill_spread(program, spread, at[spread->place], data, most);
    }
    for (size_t left = (size_t)count; left > 0; left -= most) {
        most = left < most ? left : most;
        for (uint32_t i = 0; i < program->step_count; i++) {
            const RunStep *step = &program->steps[i];
            if (step->row == NULL) {
                faults |= has_fault(at[step->x], most) << step->fault;
            } else if (step->rare) {
                run_rare(step, at, most);
            } else {
                step->row(at[step->to], at[step->x], at[step->y], at[step->z],
                          most);
            }
        }
        for (uint32_t k = 0; k < program->operand_count; k++) {
            const LoopOperand *operand = &program->operands[k];
            size_t size = elem_size((Elem)operand->stored);
            if (operand->kind == LOOP_DENSE) {
                at[k] += most * size;
            } else if (operand->kind == LOOP_AROUND) {
                at[k] = data[k] + (size_t)(count - (int64_t)(left - most)) %
                                      LOOP_LANES * size;
            }
        }
    }
    return faults;
}
