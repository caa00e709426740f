// The kernels of tile programs: ops that follow each other as one loop body.
//
// One body takes all of them, unless it has no room, or an op computes in wider
// values than the others. What kernels hand on to each other is kept in the
// frame's scratch, a tile at a time.
#include "backend/tile.h"

#include <string.h>

#include "kernels/loop_math.h"

enum {
    WIDE_LEAST = 256,       // elements
    STREAM_LEAST = 32 << 20 // bytes
};

// A body in the making, of the ops from `first` on.
typedef struct Part {
    const TileProgram *program;
    uint32_t first, count; // ops
    bool widens;           // they compute in wider values than they have
    LoopBuild build;
    uint8_t regs[LOOP_MAX_OPERANDS]; // by operand
    int operands[TILE_MAX_REGS];     // by register; -1: none
    LoopValue values[TILE_MAX_REGS]; // by register; LOOP_NONE: none yet
} Part;

static void part_start(Part *part, const TileProgram *program, uint32_t first)
{
    part->program = program;
    part->first = first;
    part->count = 0;
    part->widens = false;
    loop_init(&part->build);
    for (uint32_t i = 0; i < program->reg_count; i++) {
        part->operands[i] = -1;
        part->values[i] = LOOP_NONE;
    }
}

// Whether an output is better written past the caches: it fills them, and is
// no operand's memory. Rows may begin anywhere, and are left alone.
static bool is_streamed(const TileProgram *program, uint8_t reg)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        if (program->outputs[i].reg == reg) {
            return program->columns == 0 &&
                   (program->even || !program->follows) &&
                   program->outputs[i].reuse == TILE_NO_REG &&
                   program->count * program->regs[reg].width >= STREAM_LEAST;
        }
    }
    return false;
}

// The register's memory as an operand; -1 if there are too many.
static int operand_of(Part *part, uint8_t reg, bool writes)
{
    const TileReg *from = &part->program->regs[reg];
    // Columns of narrow rows are laid out like the other operands.
    bool repeats =
        from->kind == TILE_KIND_ONE ||
        ((from->kind == TILE_KIND_COLUMN || from->kind == TILE_KIND_POINTS) &&
         !part->program->grouped);
    if (part->operands[reg] < 0) {
        int made = loop_operand(&part->build, (Elem)from->dtype,
                                repeats ? LOOP_ONE : LOOP_DENSE, writes);
        if (made >= 0) {
            part->regs[made] = reg;
            part->build.operands[made].streams =
                writes && is_streamed(part->program, reg);
        }
        part->operands[reg] = made;
    }
    return part->operands[reg];
}

static bool is_wide(LoopType type)
{
    return type == LT_F64 || type == LT_I64;
}

// Whether an op of narrow operands and result takes wide values on the way
// (tanh of float32): in one loop with others it would halve their lanes. For
// a few elements that costs less than a second loop.
static bool widens(const LoopBuild *build, uint16_t first, const LoopValue *x,
                   LoopValue made)
{
    if (is_wide(loop_type(build, x[0])) || is_wide(loop_type(build, made))) {
        return false;
    }
    for (uint16_t i = first; i < build->ins_count; i++) {
        if (is_wide(loop_type(build, i))) {
            return true;
        }
    }
    return false;
}

// Results that have memory of their own are stored at once. False: the op is
// not of this part, which may hold instructions that nothing reads.
static bool add_op(Part *part, const TileOp *op)
{
    LoopValue x[3] = {0};
    const OpDesc *desc = op_desc(op->node->op);
    if (desc->fault != ERR_NONE && part->count >= LOOP_MAX_FAULTS) {
        return false;
    }
    part->build.fault = (uint8_t)part->count;
    for (uint32_t k = 0; k < op->arg_count; k++) {
        LoopValue *value = &part->values[op->args[k]];
        if (*value == LOOP_NONE) {
            *value =
                loop_load(&part->build, operand_of(part, op->args[k], false));
        }
        x[k] = *value;
        if (x[k] == LOOP_NONE) {
            return false;
        }
    }
    if (op->is_known) {
        x[1] =
            loop_number(&part->build, loop_type(&part->build, x[1]), op->known);
    }
    const TileReg *to = &part->program->regs[op->result];
    uint16_t first = part->build.ins_count;
    LoopValue made = op_body(&part->build, desc, x, op->node->attrs, to->dtype);
    if (made == LOOP_NONE) {
        return false;
    }
    bool wide = part->program->count >= WIDE_LEAST &&
                widens(&part->build, first, x, made);
    if ((part->count > 0 && wide != part->widens) ||
        (to->kind != TILE_KIND_TEMP &&
         !loop_store(&part->build, operand_of(part, op->result, true), made))) {
        return false;
    }
    part->widens = wide;
    part->values[op->result] = made;
    return true;
}

// What the reduction reads: a result of the part, or memory. Small ints and
// bools are counted as wider ones.
static LoopValue reduced(Part *part, const TileEnd *end)
{
    LoopValue value = part->values[end->reg];
    if (value == LOOP_NONE) {
        value = loop_load(&part->build, operand_of(part, end->reg, false));
    }
    return loop_convert(&part->build, value, loop_type_of((Elem)end->dtype));
}

// Reductions of whole pieces of a row are the last kernel's, if there is room.
static void add_ends(Builder *builder, Part *part, TileProgram *program)
{
    const Tier *tier = builder->ctx->kernels->tier;
    for (uint32_t i = 0; i < program->end_count; i++) {
        TileEnd *end = &program->ends[i];
        Elem elem = (Elem)end->dtype;
        if (end->width < 4 || program->grouped) {
            continue;
        }
        LoopValue value = reduced(part, end);
        int lanes = loop_operand(&part->build, elem, LOOP_AROUND, true);
        if (lanes >= 0) {
            part->regs[lanes] = end->lanes;
        }
        if (loop_reduce(&part->build, lanes, end->id, value)) {
            end->start = tier->lanes_start[end->id][elem];
            end->fold_lanes = tier->lanes_fold[end->id][elem];
        }
    }
}

// Whether an op behind the part, or a reduction, reads the register.
static bool is_read_later(const Part *part, uint8_t reg)
{
    const TileProgram *program = part->program;
    for (uint32_t i = part->first + part->count; i < program->op_count; i++) {
        for (uint32_t k = 0; k < program->ops[i].arg_count; k++) {
            if (program->ops[i].args[k] == reg) {
                return true;
            }
        }
    }
    for (uint32_t i = 0; i < program->end_count; i++) {
        if (program->ends[i].reg == reg &&
            program->ends[i].fold_lanes == NULL) {
            return true;
        }
    }
    return false;
}

// Stores the temporaries that ops behind the part read.
static bool store_temps(Part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        uint8_t reg = part->program->ops[part->first + i].result;
        if (part->program->regs[reg].kind == TILE_KIND_TEMP &&
            is_read_later(part, reg) &&
            !loop_store(&part->build, operand_of(part, reg, true),
                        part->values[reg])) {
            return false;
        }
    }
    return true;
}

// Whether each run takes a multiple of a kernel's steps.
static bool is_even(const TileProgram *program)
{
    // A piece of the whole or of a row, or some whole rows. What has an element
    // for each row may be run along with rows of others, some at a time, and
    // what reads a product along with the product's.
    int64_t last = program->rank > 0 ? program->dims[program->rank - 1] : 1;
    int64_t run = program->columns > 0 ? program->columns
                  : program->follows   ? last
                                       : program->count;
    return run % KERNEL_STEP == 0 && last != 1;
}

// Rough: threads and polls alone depend on it. What has no instruction stands
// together in the list of primitives, and takes far longer than the rest.
static double cost_of(const Part *part, const LoopKernel *kernel)
{
    double cost = 0.05;
    for (uint32_t i = 0; i < part->build.ins_count; i++) {
        uint8_t op = part->build.ins[i].op;
        cost += op >= PRIM_QUOT && op <= PRIM_POW ? 10 : 0.04;
    }
    return kernel->code != NULL ? cost : 10 * cost;
}

// Where rows are reduced and then read again, a nest runs through both with
// some of them after others: while these are computed on in the cache, memory
// has time to bring the next ones, so many bytes on.
static uint32_t ahead_of(const TileProgram *program, const TileReg *reg)
{
    const TileProgram *before = program->before;
    for (uint32_t i = 0; before != NULL && i < before->reg_count; i++) {
        const TileReg *read = &before->regs[i];
        if (reg->kind == TILE_KIND_DENSE && read->kind == TILE_KIND_DENSE &&
            read->slot == reg->slot) {
            return (uint32_t)(tile_block(program->columns) * program->columns *
                              reg->width);
        }
    }
    return 0;
}

// What a step of the body takes, in instructions: a quotient or a root as long
// as many.
static uint32_t length_of(const LoopBuild *build)
{
    enum { SLOW = 10 };
    uint32_t length = 0;
    for (uint32_t i = 0; i < build->ins_count; i++) {
        uint8_t op = build->ins[i].op;
        length += op == PRIM_DIV || op == PRIM_SQRT ? SLOW : 1;
    }
    return length;
}

// A short body waits for its own elements, and gains nothing.
static void set_ahead(Part *part)
{
    enum { WORTH = 12 };
    LoopBuild *build = &part->build;
    bool pays = length_of(build) > WORTH;
    for (uint32_t k = 0; pays && k < build->operand_count; k++) {
        const TileReg *reg = &part->program->regs[part->regs[k]];
        if (!build->operands[k].writes && !part->program->grouped) {
            build->operands[k].ahead = ahead_of(part->program, reg);
        }
    }
}

// The part's kernel, at the end of the program's list.
static bool finish_part(Builder *builder, TileProgram *program, Part *part,
                        TileKernel ***end)
{
    Plan *plan = builder->plan;
    TileKernel *kernel = arena_new(&plan->arena, TileKernel);
    set_ahead(part);
    if (kernel == NULL || !kernel_make(builder->ctx, &part->build,
                                       program->even, &kernel->loop)) {
        return false;
    }
    program->cost += cost_of(part, &kernel->loop);
    kernel->first = part->first;
    kernel->op_count = part->count;
    memcpy(kernel->regs, part->regs, sizeof part->regs);
    kernel->next = NULL;
    kernel->next_of_plan = plan->kernels;
    if (kernel->loop.folds) {
        program->ended = &kernel->loop;
    }
    plan->kernels = kernel;
    **end = kernel;
    *end = &kernel->next;
    return true;
}

// As many ops as go into one body. Where the temporaries to be stored do not,
// fewer are taken; a single op always goes.
static bool fill_part(Builder *builder, Part *part, TileProgram *program,
                      uint32_t first)
{
    uint32_t most = program->op_count - first;
    for (;;) {
        part_start(part, program, first);
        for (uint32_t i = 0; i < program->end_count; i++) {
            program->ends[i].fold_lanes = NULL;
        }
        while (part->count < most &&
               add_op(part, &program->ops[first + part->count])) {
            part->count++;
        }
        if (part->count == program->op_count - first) {
            add_ends(builder, part, program);
        } else if (part->count == 0) {
            return ctx_fail(builder->ctx, ERR_SYSTEM, "%s: too long a body",
                            op_desc(program->ops[first].node->op)->name);
        }
        if (store_temps(part)) {
            return true;
        }
        most = part->count - 1;
    }
}

bool tile_compile(Builder *builder, TileProgram *program)
{
    Part part;
    TileKernel **end = &program->kernels;
    program->even = is_even(program);
    uint32_t done = 0;
    // Reductions alone are a part too.
    do {
        if (!fill_part(builder, &part, program, done) ||
            (part.build.operand_count > 0 &&
             !finish_part(builder, program, &part, &end))) {
            return false;
        }
        done += part.count;
    } while (done < program->op_count);
    return true;
}

void tile_release(Ctx *ctx, Plan *plan)
{
    for (TileKernel *kernel = plan->kernels; kernel != NULL;
         kernel = kernel->next_of_plan) {
        kernel_free(ctx, &kernel->loop);
    }
}
