// Machine code for tile programs: their ops as one loop body.
#include "backend/tile.h"

// A register as the body has it: its operand, and its value once it has one.
typedef struct Part {
    int operand; // -1: it stays inside
    LoopValue value;
} Part;

static LoopKind kind_of(const TileProgram *program, const TileReg *reg)
{
    // Columns of narrow rows are laid out like the other operands.
    bool repeats = reg->kind == TILE_ONE ||
                   (reg->kind == TILE_COLUMN && !tile_is_grouped(program));
    return repeats ? LOOP_ONE : LOOP_DENSE;
}

static bool is_output(const TileProgram *program, uint32_t reg)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        if (program->outputs[i].reg == reg) {
            return true;
        }
    }
    return false;
}

// Every register that has memory of its own becomes an operand.
static bool add_operands(LoopBuild *build, TileProgram *program, Part *parts)
{
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        parts[i] = (Part){-1, LOOP_NONE};
        if (reg->kind == TILE_TEMP) {
            continue;
        }
        parts[i].operand =
            loop_operand(build, (Elem)reg->dtype, kind_of(program, reg),
                         is_output(program, i));
        if (parts[i].operand < 0) {
            return false;
        }
        program->kernel_regs[parts[i].operand] = (uint8_t)i;
    }
    return true;
}

// An operand is loaded where it is first read: ahead of what may be written
// over it.
static bool add_op(LoopBuild *build, const TileProgram *program,
                   const TileOp *op, Part *parts)
{
    LoopValue x[3] = {0};
    for (uint32_t k = 0; k < op->arg_count; k++) {
        Part *part = &parts[op->args[k]];
        if (part->value == LOOP_NONE) {
            part->value = loop_load(build, part->operand);
        }
        x[k] = part->value;
    }
    Part *result = &parts[op->result];
    result->value = op_body(build, op_desc(op->node->op), x, op->node->attrs,
                            program->regs[op->result].dtype);
    return result->value != LOOP_NONE &&
           (result->operand < 0 ||
            loop_store(build, result->operand, result->value));
}

void tile_compile(Ctx *ctx, Plan *plan, TileProgram *program)
{
    LoopBuild build;
    Part parts[TILE_MAX_REGS];
    loop_init(&build);
    bool ok = add_operands(&build, program, parts);
    for (uint32_t i = 0; ok && i < program->op_count; i++) {
        ok = add_op(&build, program, &program->ops[i], parts);
    }
    if (ok && kernel_make(ctx, &build, &program->kernel)) {
        program->next = plan->programs;
        plan->programs = program;
    }
}

void tile_release(Ctx *ctx, Plan *plan)
{
    for (TileProgram *program = plan->programs; program != NULL;
         program = program->next) {
        kernel_free(ctx, &program->kernel);
    }
}
