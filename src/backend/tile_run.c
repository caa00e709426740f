// Running a tile program.
#include "backend/tile.h"

enum { TILE_POLL = 64 }; // tiles between two looks at the interrupt flag

static bool make_outputs(PlanRun *run, const TileProgram *program)
{
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        if (reg->output) {
            Tensor *tensor = tensor_new(run->ctx, reg->dtype, program->rank,
                                        program->dims);
            if (tensor == NULL) {
                return false;
            }
            run->slots[reg->slot] = tensor;
        }
    }
    return true;
}

static void set_pointers(PlanRun *run, const TileProgram *program, char **data)
{
    uintptr_t scratch = (uintptr_t)run->frame->scratch;
    scratch = (scratch + 63) & ~(uintptr_t)63;
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        data[i] = reg->temp ? (char *)scratch + reg->offset
                            : run->slots[reg->slot]->data;
    }
}

static bool run_tile(PlanRun *run, const TileProgram *program,
                     char *const *data, size_t count)
{
    for (uint32_t i = 0; i < program->op_count; i++) {
        const TileOp *op = &program->ops[i];
        TileArg args[3];
        for (uint32_t k = 0; k < op->arg_count; k++) {
            const TileReg *reg = &program->regs[op->args[k]];
            args[k].data = data[op->args[k]];
            args[k].step = reg->temp || reg->width > 0;
        }
        if (UNLIKELY(!op->tile(data[op->result], args, count))) {
            Error *error = &run->ctx->error;
            (void)op_tile_fail(run->ctx, op_desc(op->node->op));
            error->source = op->node->place.source;
            error->span = op->node->place.span;
            return false;
        }
    }
    return true;
}

bool step_tile(PlanRun *run, const Step *step)
{
    const TileProgram *program = step->program;
    char *data[TILE_MAX_REGS];
    if (!make_outputs(run, program)) {
        return false;
    }
    set_pointers(run, program, data);
    int64_t left = program->count;
    for (uint32_t turn = 1;; turn++) {
        size_t count = left < TILE_ELEMENTS ? (size_t)left : TILE_ELEMENTS;
        if (!run_tile(run, program, data, count)) {
            return false;
        }
        left -= (int64_t)count;
        if (left <= 0) {
            return true;
        }
        if (turn % TILE_POLL == 0 && !ctx_poll(run->ctx)) {
            return false;
        }
        for (uint32_t i = 0; i < program->reg_count; i++) {
            data[i] += program->regs[i].width * count;
        }
    }
}
