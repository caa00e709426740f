// Finding elementwise chains and making tile programs of them.
//
// The nodes of a program are neighbours in program order, so a value whose
// last use is in the program is used nowhere else. At most one op that can
// fail is taken, so that the error is the one of a run op by op.
#include "backend/tile.h"

typedef struct Fuser {
    Builder *builder;
    TileProgram *program;
    TensorType shape;
    uint32_t group;     // mark of the nodes that are covered
    bool may_fail;
    uint32_t next_temp; // temporaries so far
    uint8_t free_temps[TILE_MAX_OPS];
    uint32_t free_count;
    ValueId values[TILE_MAX_REGS]; // what a register holds
} Fuser;

static int64_t static_count(TensorType type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++) {
        if (type.dims[i] < 0 || type.dims[i] > INT32_MAX ||
            count > INT32_MAX) {
            return -1;
        }
        count *= type.dims[i];
    }
    return type.rank < 0 ? -1 : count;
}

static TileFn tile_of(const Builder *builder, const GraphNode *node)
{
    DType dtypes[3];
    const OpDesc *op = op_desc(node->op);
    if (!(op->flags & OP_ELEMENTWISE) || node->input_count == 0 ||
        node->input_count > 3 || node->output_count != 1) {
        return NULL;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        dtypes[i] = graph_type(builder->graph, node->inputs[i]).dtype;
        if (dtypes[i] == DT_STRING) {
            return NULL;
        }
    }
    return op_tile(builder->ctx, op, dtypes, node->attrs);
}

// Operands are of the program's shape, or one element.
static bool fits(const Fuser *fuser, const GraphNode *node)
{
    const Graph *graph = fuser->builder->graph;
    TensorType out = graph_type(graph, node->first_output);
    if (!shape_equal(out.rank, out.dims, fuser->shape.rank,
                     fuser->shape.dims) ||
        (fuser->may_fail && op_desc(node->op)->tile_error != ERR_NONE)) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        TensorType in = graph_type(graph, node->inputs[i]);
        if (!shape_equal(in.rank, in.dims, out.rank, out.dims) &&
            (static_count(in) != 1 || in.rank > out.rank)) {
            return false;
        }
    }
    return true;
}

static uint8_t find_reg(Fuser *fuser, ValueId value)
{
    TileProgram *program = fuser->program;
    for (uint32_t i = 0; i < program->reg_count; i++) {
        if (fuser->values[i] == value) {
            return (uint8_t)i;
        }
    }
    TensorType type = graph_type(fuser->builder->graph, value);
    bool dense = shape_equal(type.rank, type.dims, program->rank,
                             program->dims);
    TileReg reg = {.slot = fuser->builder->slots[value],
                   .dtype = type.dtype,
                   .width = (uint16_t)(dense ? dtype_size(type.dtype) : 0)};
    fuser->values[program->reg_count] = value;
    program->regs[program->reg_count] = reg;
    return (uint8_t)program->reg_count++;
}

static void free_operands(Fuser *fuser, const GraphNode *node,
                          const TileOp *op)
{
    for (uint32_t i = 0; i < op->arg_count; i++) {
        const TileReg *reg = &fuser->program->regs[op->args[i]];
        bool seen = false;
        for (uint32_t j = 0; j < i; j++) {
            seen = seen || op->args[j] == op->args[i];
        }
        if (reg->temp && !seen &&
            fuser->builder->last_use[node->inputs[i]] == node->serial) {
            fuser->free_temps[fuser->free_count++] =
                (uint8_t)(reg->offset / TILE_TEMP_SIZE);
        }
    }
}

static void set_result(Fuser *fuser, GraphNode *node, TileOp *op)
{
    Builder *builder = fuser->builder;
    TileProgram *program = fuser->program;
    ValueId value = node->first_output;
    uint32_t last = builder->last_use[value];
    TileReg reg = {.dtype = graph_type(builder->graph, value).dtype};
    reg.temp = last < USE_RESULT &&
               builder->graph->nodes.items[last]->mark == fuser->group;
    if (reg.temp) {
        uint32_t temp = fuser->free_count > 0
                            ? fuser->free_temps[--fuser->free_count]
                            : fuser->next_temp++;
        reg.offset = temp * TILE_TEMP_SIZE;
    } else {
        reg.output = true;
        reg.width = (uint16_t)dtype_size(reg.dtype);
        reg.slot = builder->plan->slot_count++;
        builder->slots[value] = reg.slot;
    }
    op->result = (uint8_t)program->reg_count;
    fuser->values[program->reg_count] = value;
    program->regs[program->reg_count++] = reg;
    free_operands(fuser, node, op);
}

static void add_op(Fuser *fuser, GraphNode *node)
{
    TileOp *op = &fuser->program->ops[fuser->program->op_count++];
    op->tile = tile_of(fuser->builder, node);
    op->node = node;
    op->arg_count = (uint8_t)node->input_count;
    for (uint32_t i = 0; i < node->input_count; i++) {
        op->args[i] = find_reg(fuser, node->inputs[i]);
    }
    set_result(fuser, node, op);
}

// Marks the nodes that the program will cover; returns the last of them.
static GraphNode *cover(Fuser *fuser, GraphNode *node, uint32_t *count)
{
    GraphNode *last = NULL;
    *count = 0;
    for (; node != NULL && *count < TILE_MAX_OPS; node = node->next) {
        if (!node->mark || node->op == OP_CONST) {
            continue;
        }
        if (tile_of(fuser->builder, node) == NULL || !fits(fuser, node)) {
            break;
        }
        fuser->may_fail =
            fuser->may_fail || op_desc(node->op)->tile_error != ERR_NONE;
        node->mark = fuser->group;
        last = node;
        ++*count;
    }
    return last;
}

static void join_chains(Builder *builder, GraphNode *first, GraphNode *last,
                        uint32_t group, uint32_t *chain)
{
    for (GraphNode *node = first; node != last->next; node = node->next) {
        uint32_t head = builder->chain_heads[node->serial];
        while (node->mark == group && head != VALUE_ID_NONE) {
            uint32_t next = builder->chain_next[head];
            builder->chain_next[head] = *chain;
            *chain = head;
            head = next;
        }
    }
}

static bool finish(Fuser *fuser, GraphNode *first, GraphNode *last, Step *step,
                   uint32_t *block_chain)
{
    Builder *builder = fuser->builder;
    Plan *plan = builder->plan;
    uint32_t chain = VALUE_ID_NONE;
    for (GraphNode *node = first; node != last->next; node = node->next) {
        if (node->op == OP_CONST && node->mark) {
            if (!builder_pin(builder, node)) {
                return false;
            }
        } else if (node->mark == fuser->group) {
            add_op(fuser, node);
            const TileReg *reg =
                &fuser->program->regs[fuser->program->reg_count - 1];
            if (reg->output) {
                builder_mourn(builder, node->first_output, block_chain);
            }
        }
    }
    join_chains(builder, first, last, fuser->group, &chain);
    size_t size = (size_t)fuser->next_temp * TILE_TEMP_SIZE;
    plan->scratch_size = size > plan->scratch_size ? size : plan->scratch_size;
    step->run = step_tile;
    step->node = first;
    step->program = fuser->program;
    return builder_dead_list(builder, chain, &step->dead, &step->dead_count);
}

bool tile_fuse(Builder *builder, GraphNode *node, Step *step,
               uint32_t *block_chain, GraphNode **last)
{
    uint32_t count;
    Fuser fuser = {.builder = builder, .group = ++builder->groups};
    *last = NULL;
    if (kernel_state(builder->ctx) == NULL) {
        return false;
    }
    // A node without a result (print, assert) has no type to ask for.
    if (node->output_count != 1 || tile_of(builder, node) == NULL) {
        return true;
    }
    fuser.shape = graph_type(builder->graph, node->first_output);
    if (static_count(fuser.shape) < 0) {
        return true;
    }
    *last = cover(&fuser, node, &count);
    if (count < 2) {
        if (*last != NULL) {
            (*last)->mark = 1;
        }
        *last = NULL;
        return true;
    }
    fuser.program = arena_new(&builder->plan->arena, TileProgram);
    if (fuser.program == NULL) {
        return false;
    }
    fuser.program->count = static_count(fuser.shape);
    fuser.program->rank = fuser.shape.rank;
    fuser.program->dims = fuser.shape.dims;
    return finish(&fuser, node, *last, step, block_chain);
}
