// Programs that write a Variable's new value over the old one.
//
// v.assign_sub(g) reads the Variable, computes and assigns. What it has read is
// held by the Variable too, so that no output could take its memory; but where
// the assignment follows at once, nothing can look at the Variable or stop
// between the two, and it may be written there. Whether anybody else holds the
// old value is asked in each run (tile_run.c).
#include "backend/tile.h"

// Whether only assignments stand between the program and that of the slot to
// the Variable.
static bool is_assigned(const Step *step, const Step *end, uint32_t slot,
                        uint32_t variable)
{
    for (; step < end && step->node->op == OP_ASSIGN_VARIABLE; step++) {
        if (step->inputs[0] == slot && step->node->variable + 1 == variable) {
            return true;
        }
    }
    return false;
}

// Half a tensor would be left by an error.
static bool may_fail(const TileProgram *program)
{
    for (uint32_t i = 0; i < program->op_count; i++) {
        if (op_desc(program->ops[i].node->op)->fault != ERR_NONE) {
            return true;
        }
    }
    return false;
}

// Outputs of the program, which is the step or a part of it. `fails`: it, or
// what runs along with it, may.
static void find_outputs(TileProgram *program, const Step *step,
                         const Step *end, bool fails)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        TileOutput *output = &program->outputs[i];
        uint32_t slot = program->regs[output->reg].slot;
        if (fails || output->reuse == TILE_NO_REG || output->variable == 0 ||
            !is_assigned(step + 1, end, slot, output->variable)) {
            output->variable = 0;
        } else {
            program->updates = true;
        }
    }
}

static bool nest_may_fail(const TileNest *nest)
{
    for (uint32_t s = 0; s < nest->stage_count; s++) {
        if (may_fail(nest->stages[s])) {
            return true;
        }
    }
    return false;
}

void plan_update_find(StepBlock *block)
{
    const Step *end = block->steps + block->step_count;
    for (const Step *step = block->steps; step < end; step++) {
        if (step->run == step_tile || step->run == step_tile_single) {
            find_outputs(step->program, step, end, may_fail(step->program));
        }
        bool is_nest = step->run == step_nest;
        bool fails = is_nest && nest_may_fail(step->nest);
        for (uint32_t s = 0; is_nest && s < step->nest->stage_count; s++) {
            find_outputs(step->nest->stages[s], step, end, fails);
        }
    }
}
