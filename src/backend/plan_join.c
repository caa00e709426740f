// Programs that write parts of what `concat` and `stack` put together.
//
// Parts that lie one behind the other in the result, as along its first axis,
// are windows of it: whichever program comes to one first makes the whole. The
// step then copies what was made elsewhere.
#include "backend/tile.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

enum {
    LEAST_SIZE = 4096, // bytes of the whole for which it pays
    LINE = 64          // what programs write past the caches begins with one
};

// Whether the step puts whole parts of known sizes one behind the other.
static bool joins_in_order(const Graph *graph, const Step *step)
{
    OpCode op = step->node->op;
    if (op != OP_CONCAT && op != OP_STACK) {
        return false;
    }
    TensorType type = graph_type(graph, step->node->first_output);
    int64_t size = tile_count(type), rows = 1;
    for (uint32_t i = 0; size >= 0 && i < step->input_count; i++) {
        size = tile_count(graph_type(graph, step->node->inputs[i])) < 0 ? -1
                                                                        : size;
    }
    int64_t axis = attr_int(&step->node->attrs[0], 0);
    axis += axis < 0 ? type.rank : 0;
    for (int i = 0; size >= 0 && i < axis; i++) {
        rows *= type.dims[i];
    }
    return type.dtype != DT_STRING && rows == 1 &&
           size * (int64_t)dtype_size(type.dtype) >= LEAST_SIZE;
}

// The program's output in the slot; NULL if that is none, or no tensor.
static TileOutput *output_in(TileProgram *program, uint32_t slot)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        const TileReg *reg = &program->regs[program->outputs[i].reg];
        if (reg->slot == slot && reg->inner == 0) {
            return &program->outputs[i];
        }
    }
    return NULL;
}

static TileOutput *find_output(const Step *step, uint32_t slot)
{
    TileOutput *found = NULL;
    if (step->run == step_tile || step->run == step_tile_single) {
        found = output_in(step->program, slot);
    }
    for (uint32_t s = 0;
         step->run == step_nest && found == NULL && s < step->nest->stage_count;
         s++) {
        found = output_in(step->nest->stages[s], slot);
    }
    return found;
}

// Whether the slot is of no use but as one part.
static bool is_one_part(const Step *step, uint32_t slot)
{
    uint32_t uses = 0;
    bool dies = false;
    for (uint32_t i = 0; i < step->input_count; i++) {
        uses += step->inputs[i] == slot;
    }
    for (uint32_t i = 0; i < step->dead_count; i++) {
        dies = dies || step->dead[i] == slot;
    }
    return dies && uses == 1;
}

// What makes the part in the slot, if it can do so in place.
static TileOutput *maker_of(const StepBlock *block, const Step *step,
                            uint32_t slot)
{
    TileOutput *output = NULL;
    for (const Step *maker = block->steps;
         maker < step && output == NULL && is_one_part(step, slot); maker++) {
        output = find_output(maker, slot);
    }
    return output != NULL && output->variable == 0 ? output : NULL;
}

bool step_join(PlanRun *run, const Step *step)
{
    Tensor *whole = run->slots[step->outputs[0]];
    size_t size = dtype_size((DType)whole->dtype);
    int64_t at = 0;
    for (uint32_t i = 0; i < step->input_count; i++) {
        const Tensor *part = run->slots[step->inputs[i]];
        char *place = (char *)whole->data + (size_t)at * size;
        if (part->data != place &&
            !tensor_copy(run->ctx, whole, at, part, 0, part->count)) {
            return false;
        }
        at += part->count;
    }
    return true;
}

// False with an error pending.
static bool join_parts(Builder *builder, const StepBlock *block, Step *step)
{
    const Graph *graph = builder->graph;
    int64_t start = 0;
    for (uint32_t i = 0; i < step->input_count; i++) {
        TensorType type = graph_type(graph, step->node->inputs[i]);
        TileOutput *output = maker_of(block, step, step->inputs[i]);
        int64_t width = (int64_t)dtype_size(type.dtype);
        if (output != NULL && start * width % LINE == 0) {
            TilePart *part = arena_new(&builder->plan->arena, TilePart);
            if (part == NULL) {
                return false;
            }
            *part = (TilePart){step->node, step->outputs[0], start};
            output->part = part;
            output->reuse = TILE_NO_REG;
            step->run = step_join;
        }
        start += tile_count(type);
    }
    return true;
}

bool plan_join_find(Builder *builder, StepBlock *block)
{
    Step *end = block->steps + block->step_count;
    for (Step *step = block->steps; step < end; step++) {
        if (joins_in_order(builder->graph, step) &&
            !join_parts(builder, block, step)) {
            return false;
        }
    }
    return true;
}

Tensor *plan_join_part(PlanRun *run, const TilePart *part, int rank,
                       const int64_t *dims)
{
    Tensor **whole = &run->slots[part->whole];
    if (*whole == NULL) {
        TensorType type =
            graph_type(run->plan->graph, part->node->first_output);
        *whole = tensor_new(run->ctx, type.dtype, type.rank, type.dims);
    }
    return *whole == NULL
               ? NULL
               : tensor_window(run->ctx, *whole, part->start, rank, dims);
}
