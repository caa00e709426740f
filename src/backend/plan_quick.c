// Plans of one small kernel, run without a frame, slots or steps.
//
// What the kernel reads are arguments or constants, what it writes are the
// graph's results. It neither calls anybody nor waits: nothing has to be held
// meanwhile. Whatever goes wrong is left to the ordinary way, which computes it
// again and tells.
#include "backend/tile.h"

enum { QUICK_OUTPUTS = 4 };

// Where an operand of the kernel is found: in which array, and its index there.
enum { QUICK_ARGUMENT, QUICK_RESULT, QUICK_CONSTANT, QUICK_SOURCES };
typedef struct QuickPlace {
    uint8_t source, index;
} QuickPlace;

struct QuickPlan {
    const TileProgram *program;
    const LoopKernel *kernel;
    uint32_t result_count;
    DType dtypes[QUICK_OUTPUTS]; // by result
    QuickPlace places[LOOP_MAX_OPERANDS];
    Tensor *constants[LOOP_MAX_OPERANDS]; // borrowed from the plan, by operand
    size_t starts[LOOP_MAX_OPERANDS];     // bytes before an operand
};

// The number of the slot among others; -1: it is not there.
static int index_of(const uint32_t *slots, uint32_t count, uint32_t slot)
{
    for (uint32_t i = 0; i < count && i <= UINT8_MAX; i++) {
        if (slots[i] == slot) {
            return (int)i;
        }
    }
    return -1;
}

static bool find_place(const Plan *plan, uint32_t slot, bool writes, uint32_t k,
                       QuickPlan *quick)
{
    const StepBlock *block = plan->block;
    int index = writes ? index_of(block->results, block->result_count, slot)
                       : index_of(plan->arguments, plan->argument_count, slot);
    quick->places[k] =
        (QuickPlace){writes ? QUICK_RESULT : QUICK_ARGUMENT, (uint8_t)index};
    for (size_t i = 0; index < 0 && !writes && i < plan->pins.count; i++) {
        if (plan->pins.items[i].slot == slot) {
            quick->constants[k] = plan->pins.items[i].tensor;
            quick->places[k] = (QuickPlace){QUICK_CONSTANT, (uint8_t)k};
        }
    }
    return index >= 0 || quick->constants[k] != NULL;
}

// Whether each result is written by the kernel, and no other one.
static bool fits(const Plan *plan)
{
    const StepBlock *block = plan->block;
    return block->step_count == 1 && block->steps->run == step_tile_single &&
           block->result_count <= QUICK_OUTPUTS &&
           block->steps->program->output_count == block->result_count &&
           block->steps->program->count <= TILE_ALONE &&
           block->steps->program->count > 0;
}

bool plan_quick(Plan *plan)
{
    QuickPlan quick = {.result_count = plan->block->result_count};
    if (!fits(plan)) {
        return true;
    }
    const TileProgram *program = quick.program = plan->block->steps->program;
    const TileKernel *kernel = program->kernels;
    uint32_t written = 0;
    quick.kernel = &kernel->loop;
    for (uint32_t k = 0; k < kernel->loop.operand_count; k++) {
        const TileReg *reg = &program->regs[kernel->regs[k]];
        bool writes = kernel->loop.operands[k].writes;
        if (!find_place(plan, reg->slot, writes, k, &quick)) {
            return true;
        }
        quick.starts[k] = reg->start;
        if (writes) {
            quick.dtypes[quick.places[k].index] = reg->dtype;
            written |= 1u << quick.places[k].index;
        }
    }
    // One output that is two results is none of these.
    if (written != (1u << quick.result_count) - 1) {
        return true;
    }
    plan->quick = arena_new(&plan->arena, QuickPlan);
    if (plan->quick != NULL) {
        *plan->quick = quick;
    }
    return plan->quick != NULL;
}

static bool give_up(Ctx *ctx, Tensor **outputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        object_release(ctx, outputs[i]);
    }
    return false;
}

bool plan_quick_run(Ctx *ctx, const QuickPlan *quick, Tensor *const *inputs,
                    Tensor **outputs)
{
    const TileProgram *program = quick->program;
    char *data[LOOP_MAX_OPERANDS];
    for (uint32_t i = 0; i < quick->result_count; i++) {
        outputs[i] = tensor_new_counted(ctx, quick->dtypes[i], program->rank,
                                        program->dims, program->count);
        if (UNLIKELY(outputs[i] == NULL)) {
            ctx_clear(ctx);
            return give_up(ctx, outputs, i);
        }
    }
    Tensor *const *sources[QUICK_SOURCES] = {inputs, outputs, quick->constants};
    for (uint32_t k = 0; k < quick->kernel->operand_count; k++) {
        QuickPlace place = quick->places[k];
        data[k] =
            (char *)sources[place.source][place.index]->data + quick->starts[k];
    }
    return LIKELY(kernel_run(quick->kernel, data, program->count) == 0) ||
           give_up(ctx, outputs, quick->result_count);
}
