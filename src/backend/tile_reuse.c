// Which outputs of a tile program take the memory of operands that die in it.
#include "backend/tile_fuser.h"

// Whether the register is an operand that dies in the program, of the very
// type of an output. Only what a step has made can be taken over, and the state
// of a loop in its body: constants and captures are pinned, arguments the
// caller's.
static bool may_reuse(const Fuser *fuser, uint32_t reg, DType dtype)
{
    const Builder *builder = fuser->builder;
    ValueId value = fuser->values[reg];
    uint32_t last = builder->last_use[value];
    TensorType type = graph_type(builder->graph, value);
    const GraphValue *info = graph_value(builder->graph, value);
    bool made = info->node != NULL ? node_tensor(info->node) == NULL
                                   : info->block->owner != NULL;
    // A run still asks tensor_reusable: here only the plan's part is known.
    return fuser->regs[reg].kind == TILE_KIND_DENSE && type.dtype == dtype &&
           made && last < USE_RESULT &&
           builder->graph->nodes.items[last]->mark == fuser->group &&
           shape_equal(type.rank, type.dims, fuser->shape.rank,
                       fuser->shape.dims);
}

// Whether the output is assigned at once to the Variable whose value the
// register is: then it is best written there (plan_update.c).
static bool is_updated(const Fuser *fuser, const GraphNode *last, uint32_t reg,
                       ValueId next)
{
    const Graph *graph = fuser->builder->graph;
    const GraphNode *read = graph_value(graph, fuser->values[reg])->node;
    for (const GraphNode *node = last->next;
         node != NULL && (!node->mark || node->op == OP_ASSIGN_VARIABLE);
         node = node->next) {
        if (node->op == OP_ASSIGN_VARIABLE && node->inputs[0] == next) {
            return read != NULL && read->op == OP_READ_VARIABLE &&
                   read->variable == node->variable;
        }
    }
    return false;
}

// Whether the register's tensor is read by another one, too: elsewhere.
static bool is_read_twice(const Fuser *fuser, uint32_t reg)
{
    for (uint32_t i = 0; i < fuser->reg_count; i++) {
        if (i != reg && fuser->regs[i].kind != TILE_KIND_TEMP &&
            fuser->regs[i].slot == fuser->regs[reg].slot) {
            return true;
        }
    }
    return false;
}

static bool is_output(const Fuser *fuser, uint32_t reg)
{
    for (uint32_t k = 0; k < fuser->output_count; k++) {
        if (fuser->outputs[k].reg == reg) {
            return true;
        }
    }
    return false;
}

// The operand whose memory the output is given, of those that are not taken
// and that no op after the output's reads: a Variable's that it updates, or
// the first. Tiles go one after another, so that what is still to be read of
// the operand lies ahead of what is written.
static uint8_t choose_reuse(const Fuser *fuser, const GraphNode *last,
                            const TileOutput *output, const bool *taken)
{
    uint8_t found = TILE_NO_REG;
    uint32_t writer = 0;
    // The op that writes the output; every output has one.
    while (fuser->ops[writer].result != output->reg) {
        writer++;
    }
    for (uint32_t reg = 0; reg < output->reg; reg++) {
        if (is_output(fuser, reg) || taken[reg] ||
            fuser->last_read[reg] > writer ||
            !may_reuse(fuser, reg, fuser->regs[output->reg].dtype) ||
            is_read_twice(fuser, reg)) {
            continue;
        }
        if (is_updated(fuser, last, reg, fuser->values[output->reg])) {
            return (uint8_t)reg;
        }
        found = found == TILE_NO_REG ? (uint8_t)reg : found;
    }
    return found;
}

// The Variable whose value the register is, 1 + its number; 0: of none.
static uint32_t read_from(const Fuser *fuser, uint32_t reg)
{
    const GraphNode *maker =
        graph_value(fuser->builder->graph, fuser->values[reg])->node;
    return maker != NULL && maker->op == OP_READ_VARIABLE ? maker->variable + 1
                                                          : 0;
}

// One tensor can become one output only.
void tile_find_reuse(Fuser *fuser, const GraphNode *last)
{
    bool taken[TILE_MAX_REGS] = {false};
    for (uint32_t i = 0; i < fuser->output_count; i++) {
        TileOutput *output = &fuser->outputs[i];
        output->reuse = choose_reuse(fuser, last, output, taken);
        if (output->reuse != TILE_NO_REG) {
            taken[output->reuse] = true;
            output->variable = read_from(fuser, output->reuse);
        }
    }
}
