// Finding nests: programs along the same rows, one behind the other.
//
// A nest begins with a product or a program that reduces rows, and takes in
// what follows as long as it goes along those rows too: over all their
// elements, or over one for each. What it reads of the stages before must be
// its own row's: elements for elements, or the row's result. What nobody else
// reads never becomes a tensor.
#include "backend/tile.h"

// A nest in the making: steps `first` and those behind it.
typedef struct NestBuild {
    Builder *builder;
    const Step *first;
    uint32_t step_count; // from there on
    TileNest nest;
    int64_t columns;
    bool linked; // a stage reads what another made of its rows, or the product
} NestBuild;

// Which element of a row a stage's value is.
typedef enum NestShare {
    SHARE_OUTSIDE, // it comes from elsewhere
    SHARE_ALL,     // all of them
    SHARE_ONE      // one for the row
} NestShare;

static bool is_small(const NestBuild *build, const TileProgram *program)
{
    return program->count == build->nest.rows && build->columns > 1;
}

// What the stages so far make in the slot.
static NestShare share_of(const NestBuild *build, uint32_t slot)
{
    if (build->nest.product != NULL && build->nest.product->to == slot) {
        return SHARE_ALL;
    }
    for (uint32_t s = 0; s < build->nest.stage_count; s++) {
        const TileProgram *program = build->nest.stages[s];
        for (uint32_t i = 0; i < program->output_count; i++) {
            if (program->regs[program->outputs[i].reg].slot == slot) {
                return is_small(build, program) ? SHARE_ONE : SHARE_ALL;
            }
        }
        for (uint32_t i = 0; i < program->end_count; i++) {
            if (program->ends[i].slot == slot) {
                return SHARE_ONE;
            }
        }
    }
    return SHARE_OUTSIDE;
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

// Whether the program goes along the rows, by its shape.
static bool goes_along(const NestBuild *build, const TileProgram *program)
{
    if (is_small(build, program)) {
        // Not all kernels can be run on some elements (tile_code.c).
        return program->columns == 0 && program->end_count == 0 &&
               program->rank > 0 && program->dims[program->rank - 1] == 1;
    }
    return program->count == build->nest.rows * build->columns &&
           (program->columns == build->columns ||
            (program->columns == 0 && program->end_count == 0 &&
             (build->columns % KERNEL_STEP == 0 || !program->even)));
}

// Whether what it reads of the stages before is its rows' own.
static bool reads_along(NestBuild *build, const TileProgram *program)
{
    bool small = is_small(build, program);
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        if (reg->kind == TILE_KIND_TEMP || is_output(program, i)) {
            continue;
        }
        NestShare share = share_of(build, reg->slot);
        NestShare wanted = tile_is_scattered(reg)          ? SHARE_OUTSIDE
                           : reg->kind == TILE_KIND_COLUMN ? SHARE_ONE
                           : reg->kind != TILE_KIND_DENSE  ? SHARE_OUTSIDE
                           : small                         ? SHARE_ONE
                                                           : SHARE_ALL;
        if (share != SHARE_OUTSIDE && share != wanted) {
            return false;
        }
        build->linked = build->linked || share == SHARE_ONE ||
                        (share == SHARE_ALL && build->nest.product != NULL);
    }
    return true;
}

// Whether a nest can begin with the step: its rows.
static bool begins(NestBuild *build)
{
    const Step *step = build->first;
    int64_t count = 0;
    build->columns = 0;
    build->nest = (TileNest){.product = NULL};
    if (step->run == step_product) {
        TensorType type = step->product->type;
        build->nest.product = step->product;
        build->columns = type.rank > 0 ? type.dims[type.rank - 1] : 0;
        count = type.rank > 0 ? 1 : 0;
        for (int i = 0; i < type.rank; i++) {
            count *= type.dims[i];
        }
    } else if (step->run == step_tile && step->program->end_count > 0) {
        build->columns = step->program->columns;
        count = step->program->count;
    }
    if (build->columns <= 1 || count == 0 ||
        (build->nest.product == NULL && count == build->columns)) {
        return false;
    }
    build->nest.rows = count / build->columns;
    build->nest.elements = count;
    return true;
}

// As many steps as there are from `first` on, before `end`.
static void gather(NestBuild *build, const Step *end)
{
    const Step *step = build->first + (build->nest.product != NULL);
    build->linked = false;
    for (; step < end && build->nest.stage_count < TILE_MAX_STAGES &&
           (step->run == step_tile || step->run == step_tile_single) &&
           goes_along(build, step->program) &&
           reads_along(build, step->program) &&
           (build->linked || build->nest.product == NULL);
         step++) {
        build->nest.stages[build->nest.stage_count++] = step->program;
    }
    build->step_count = (uint32_t)(step - build->first);
}

// Whether the slot is cleared by one of the nest's steps.
static bool dies(const NestBuild *build, uint32_t slot)
{
    for (uint32_t s = 0; s < build->step_count; s++) {
        const Step *step = &build->first[s];
        for (uint32_t i = 0; i < step->dead_count; i++) {
            if (step->dead[i] == slot) {
                return true;
            }
        }
    }
    return false;
}

// Whether what dies in the nest is memory of its own there: not if a tensor
// takes it over, which is then written while it is computed and again where it
// is in the cache.
static bool is_inside(const NestBuild *build, uint32_t slot)
{
    if (share_of(build, slot) == SHARE_OUTSIDE || !dies(build, slot)) {
        return false;
    }
    for (uint32_t s = 0; s < build->nest.stage_count; s++) {
        const TileProgram *program = build->nest.stages[s];
        for (uint32_t i = 0; i < program->output_count; i++) {
            TileOutput output = program->outputs[i];
            if (output.reuse != TILE_NO_REG &&
                program->regs[output.reuse].slot == slot) {
                return is_inside(build, program->regs[output.reg].slot);
            }
        }
    }
    return true;
}

// Where a value that stays inside is kept: as its maker says, or newly given.
static uint32_t place_of(NestBuild *build, uint32_t slot, uint16_t width)
{
    const TileNest *nest = &build->nest;
    if (nest->product != NULL && nest->product->to == slot) {
        return TILE_INNER_PRODUCT;
    }
    for (uint32_t s = 0; s < nest->stage_count; s++) {
        const TileProgram *program = nest->stages[s];
        for (uint32_t i = 0; i < program->reg_count; i++) {
            const TileReg *reg = &program->regs[i];
            if (reg->slot == slot && reg->inner != 0) {
                return reg->inner;
            }
        }
        for (uint32_t i = 0; i < program->end_count; i++) {
            const TileEnd *end = &program->ends[i];
            if (end->slot == slot && end->inner != 0) {
                return end->inner;
            }
        }
    }
    bool all = share_of(build, slot) == SHARE_ALL;
    size_t size = (size_t)(nest->block * (all ? build->columns : 1)) * width;
    uint32_t place = (uint32_t)build->nest.inner_size + 1;
    build->nest.inner_size += (size + 63) & ~(size_t)63;
    return place;
}

// Whether the product, or a stage for others of its rows, reads the slot: what
// it holds is not to be overwritten before the last rows have been made.
static bool is_read_across(const NestBuild *build, uint32_t slot)
{
    const TileProduct *product = build->nest.product;
    bool found =
        product != NULL && (product->left == slot || product->right == slot);
    for (uint32_t s = 0; !found && s < build->nest.stage_count; s++) {
        const TileProgram *program = build->nest.stages[s];
        for (uint32_t i = 0; i < program->reg_count; i++) {
            const TileReg *reg = &program->regs[i];
            found = found || (reg->kind != TILE_KIND_TEMP &&
                              reg->slot == slot && tile_reads_across(reg));
        }
    }
    return found;
}

// Nothing takes over memory that is no tensor's.
static void keep_inside(NestBuild *build, TileProgram *program)
{
    for (uint32_t i = 0; i < program->reg_count; i++) {
        TileReg *reg = &program->regs[i];
        if (reg->kind != TILE_KIND_TEMP && is_inside(build, reg->slot)) {
            reg->inner = place_of(build, reg->slot, reg->width);
        }
    }
    for (uint32_t i = 0; i < program->end_count; i++) {
        TileEnd *end = &program->ends[i];
        if (is_inside(build, end->slot)) {
            end->inner = place_of(build, end->slot, end->width);
        }
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        TileOutput *output = &program->outputs[i];
        if (program->regs[output->reg].inner != 0 ||
            (output->reuse != TILE_NO_REG &&
             (program->regs[output->reuse].inner != 0 ||
              is_read_across(build, program->regs[output->reuse].slot)))) {
            output->reuse = TILE_NO_REG;
        }
    }
}

// What dies in any of the steps and is a tensor.
static bool join_dead(const NestBuild *build, Step *step)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < build->step_count; s++) {
        count += build->first[s].dead_count;
    }
    uint32_t *dead =
        arena_new_array(&build->builder->plan->arena, uint32_t, count);
    if (dead == NULL) {
        return false;
    }
    step->dead = dead;
    for (uint32_t s = 0; s < build->step_count; s++) {
        const Step *from = &build->first[s];
        for (uint32_t i = 0; i < from->dead_count; i++) {
            if (!is_inside(build, from->dead[i])) {
                dead[step->dead_count++] = from->dead[i];
            }
        }
    }
    return true;
}

// The gathered steps as one, in `step`.
static bool make_nest(NestBuild *build, Step *step)
{
    Plan *plan = build->builder->plan;
    TileNest *nest = &build->nest;
    int64_t block = tile_block(build->columns);
    nest->block = block < nest->rows ? block : nest->rows;
    size_t most = 0;
    if (nest->product != NULL) {
        nest->product->inside = is_inside(build, nest->product->to);
    }
    for (uint32_t s = 0; s < nest->stage_count; s++) {
        TileProgram *program = nest->stages[s];
        bool small = is_small(build, program);
        keep_inside(build, program);
        program->grouped = program->columns > 0
                               ? program->grouped
                               : !small && build->columns <= TILE_GROUPED;
        program->columns = small ? 0 : build->columns;
        nest->cost += program->cost * (double)(small ? 1 : build->columns);
        most = program->scratch_size > most ? program->scratch_size : most;
    }
    nest->scratch_size = nest->inner_size + most;
    if (plan->scratch_size < nest->scratch_size) {
        plan->scratch_size = nest->scratch_size;
    }
    *step = (Step){.run = step_nest, .node = build->first->node};
    step->nest = arena_new(&plan->arena, TileNest);
    if (step->nest == NULL || !join_dead(build, step)) {
        return false;
    }
    *step->nest = *nest;
    return true;
}

// A product of few elements and one program behind it are quicker step by step:
// all is in the cache, and the program takes over the product's memory.
static bool is_few(const NestBuild *build)
{
    return build->nest.product != NULL && build->nest.stage_count == 1 &&
           build->nest.elements <= TILE_ALONE;
}

bool nest_join(Builder *builder, StepBlock *block)
{
    NestBuild build = {.builder = builder};
    const Step *end = block->steps + block->step_count;
    uint32_t kept = 0;
    for (const Step *step = block->steps; step < end;) {
        uint32_t taken = 1;
        Step made = *step;
        build.first = step;
        if (begins(&build)) {
            gather(&build, end);
            if (build.linked && !is_few(&build)) {
                taken = build.step_count;
                if (!make_nest(&build, &made)) {
                    return false;
                }
            }
        }
        block->steps[kept++] = made;
        step += taken;
    }
    block->step_count = kept;
    return true;
}
