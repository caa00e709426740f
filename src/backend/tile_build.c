// Finding elementwise chains and making tile programs of them.
//
// The nodes of a program are neighbours (graph/passes/order.c), so a value
// whose last use is in the program is used nowhere else. Of several ops that
// fail the first one's error is raised, as in a run op by op.
#include "backend/tile_fuser.h"

#include <string.h>

#include "ops/reduce.h"

// Whether the shapes fit is for the callers to see.
bool builder_has_body(const Builder *builder, const GraphNode *node)
{
    if (!(op_desc(node->op)->flags & OP_ELEMENTWISE)) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (graph_type(builder->graph, node->inputs[i]).dtype == DT_STRING) {
            return false;
        }
    }
    return true;
}

// Whether what is read in place is the program's own, which is not all there.
static bool is_own(const Fuser *fuser, ValueId value, ValueId source)
{
    const GraphNode *maker = graph_value(fuser->builder->graph, source)->node;
    return source != value && maker != NULL && maker->mark == fuser->group;
}

// Whether the node gives the program's shape, and its operands can be read
// along with those of the nodes before it: all must agree on one way to see the
// shape as a matrix, in which those of wider rows have several.
static bool fits(Fuser *fuser, const GraphNode *node)
{
    TensorType out = graph_type(fuser->builder->graph, node->first_output);
    int64_t columns = fuser->columns;
    bool apart = fuser->apart;
    if (!shape_equal(out.rank, out.dims, fuser->shape.rank,
                     fuser->shape.dims)) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        TileOperand operand;
        if (!tile_find_operand(fuser->builder, node->inputs[i], out,
                               &operand) ||
            is_own(fuser, node->inputs[i], operand.source)) {
            return false;
        }
        if (!tile_is_plain(operand.kind)) {
            int64_t own = operand.columns;
            if (fuser->columns > own) {
                return false;
            }
            apart = apart || operand.kind != TILE_KIND_ROW ||
                    (columns > 0 && columns != own);
            columns = columns > 0 && columns < own ? columns : own;
        }
    }
    fuser->columns = columns;
    fuser->apart = apart;
    return true;
}

// Whether rows share a tile: known when all nodes are covered.
static bool is_grouped(const Fuser *fuser)
{
    int64_t most =
        fuser->ends > 0 || fuser->apart ? TILE_GROUPED_APART : TILE_GROUPED;
    return fuser->columns > 0 && fuser->columns <= most;
}

static uint8_t add_reg(Fuser *fuser, ValueId value, TileReg reg)
{
    uint8_t index = (uint8_t)fuser->reg_count++;
    fuser->values[index] = value;
    fuser->regs[index] = reg;
    fuser->builder->regs[value] = index;
    return index;
}

// The register that holds the value: the one that it has, or a new one for an
// operand from outside.
static uint8_t find_reg(Fuser *fuser, ValueId value)
{
    uint8_t known = fuser->builder->regs[value];
    if (known < fuser->reg_count && fuser->values[known] == value) {
        return known;
    }
    TensorType type = graph_type(fuser->builder->graph, value);
    TileOperand operand;
    // `fits` has asked before, so that it cannot fail.
    (void)tile_find_operand(fuser->builder, value, fuser->shape, &operand);
    TileReg reg = {.slot = fuser->builder->slots[operand.source],
                   .dtype = type.dtype,
                   .kind = tile_operand_kind(&operand, fuser->columns),
                   .width = (uint16_t)dtype_size(type.dtype)};
    reg.start =
        tile_is_scattered(&reg) ? 0 : (size_t)operand.view.start * reg.width;
    if (operand.apart != 0) {
        reg.by = fuser->builder->slots[operand.by] + 1;
        reg.apart = (size_t)operand.apart * reg.width;
    }
    if (!tile_is_plain(reg.kind) &&
        // Those of rows that share a tile are laid out in scratch.
        is_grouped(fuser)) {
        reg.offset = fuser->next_temp++ * fuser->temp_size;
    }
    const GraphNode *maker =
        graph_value(fuser->builder->graph, operand.source)->node;
    fuser->follows =
        fuser->follows || (maker != NULL && maker->op == OP_MATMUL);
    return add_reg(fuser, value, reg);
}

// Temporaries that this op reads last are free for the results of the ops
// behind it, not for its own.
static void free_operands(Fuser *fuser, const GraphNode *node, const TileOp *op)
{
    for (uint32_t i = 0; i < op->arg_count; i++) {
        const TileReg *reg = &fuser->regs[op->args[i]];
        // x * x reads one register twice and must free it once.
        bool seen = false;
        for (uint32_t j = 0; j < i; j++) {
            seen = seen || op->args[j] == op->args[i];
        }
        if (reg->kind == TILE_KIND_TEMP && !seen &&
            fuser->builder->last_use[node->inputs[i]] == node->serial) {
            fuser->free_widths[fuser->free_count] = (uint8_t)reg->width;
            fuser->free_temps[fuser->free_count++] =
                (uint8_t)(reg->offset / fuser->temp_size);
        }
    }
}

// A temporary's place. It is taken from one whose elements are as wide: a loop
// reads and writes element by element, and must not write ahead of where it
// reads.
static uint32_t take_temp(Fuser *fuser, uint16_t width)
{
    for (uint32_t i = fuser->free_count; i-- > 0;) {
        if (fuser->free_widths[i] == width) {
            uint32_t temp = fuser->free_temps[i];
            fuser->free_count--;
            fuser->free_temps[i] = fuser->free_temps[fuser->free_count];
            fuser->free_widths[i] = fuser->free_widths[fuser->free_count];
            return temp;
        }
    }
    return fuser->next_temp++;
}

// The result stays inside if the program is where it is used last.
static void set_result(Fuser *fuser, GraphNode *node, TileOp *op)
{
    Builder *builder = fuser->builder;
    ValueId value = node->first_output;
    uint32_t last = builder->last_use[value];
    TileReg reg = {.dtype = graph_type(builder->graph, value).dtype};
    reg.width = (uint16_t)dtype_size(reg.dtype);
    // A value whose last use lies in the group is used by no node outside of
    // it, because the group's nodes are neighbours.
    op->result = (uint8_t)fuser->reg_count;
    if (last < USE_RESULT &&
        builder->graph->nodes.items[last]->mark == fuser->group) {
        reg.kind = TILE_KIND_TEMP;
        reg.offset = take_temp(fuser, reg.width) * fuser->temp_size;
    } else {
        reg.kind = TILE_KIND_DENSE;
        reg.slot = builder->plan->slot_count++;
        builder->slots[value] = reg.slot;
        fuser->outputs[fuser->output_count++] =
            (TileOutput){op->result, TILE_NO_REG, 0, NULL};
    }
    (void)add_reg(fuser, value, reg);
    free_operands(fuser, node, op);
}

// A second operand that the op's body sees as a constant. Of ints those alone
// that the op names, or that may be a divisor: others may be in error.
static bool find_known(const Graph *graph, const GraphNode *node, double *known)
{
    const OpDesc *op = op_desc(node->op);
    bool divides = op->fault == ERR_OP_DIVISION;
    const Tensor *second = op->known_count > 0 || divides
                               ? graph_constant(graph, node->inputs[1])
                               : NULL;
    if (second == NULL || second->count != 1) {
        return false;
    }
    *known = tensor_float_at(second, 0);
    return divides ? !dtype_is_float((DType)second->dtype) && *known > 0 &&
                         dtype_size((DType)second->dtype) <= sizeof(int32_t)
                   : dtype_is_float((DType)second->dtype) ||
                         op_known(op, second) >= 0;
}

// Operands first, so that the result does not take the register of one.
static void add_op(Fuser *fuser, GraphNode *node)
{
    uint32_t index = fuser->op_count++;
    TileOp *op = &fuser->ops[index];
    op->node = node;
    op->arg_count = (uint8_t)node->input_count;
    for (uint32_t i = 0; i < node->input_count; i++) {
        op->args[i] = find_reg(fuser, node->inputs[i]);
        fuser->last_read[op->args[i]] = (uint8_t)index;
    }
    op->is_known = find_known(fuser->builder->graph, node, &op->known);
    set_result(fuser, node, op);
}

// A temporary for a reduction's lanes, which is no value's.
static uint8_t add_lanes(Fuser *fuser, DType dtype)
{
    uint16_t width = (uint16_t)dtype_size(dtype);
    fuser->values[fuser->reg_count] = VALUE_ID_NONE;
    fuser->last_read[fuser->reg_count] = TILE_NO_REG;
    fuser->regs[fuser->reg_count] =
        (TileReg){.dtype = dtype,
                  .width = width,
                  .kind = TILE_KIND_TEMP,
                  .offset = fuser->next_temp++ * fuser->temp_size};
    return (uint8_t)fuser->reg_count++;
}

// What the tile's reduction reads must be there when all ops have run.
static void add_end(Fuser *fuser, const GraphNode *node, uint32_t *block_chain)
{
    Builder *builder = fuser->builder;
    const Tier *tier = builder->ctx->kernels->tier;
    TensorType in = graph_type(builder->graph, node->inputs[0]);
    TensorType out = graph_type(builder->graph, node->first_output);
    ReduceEnd end;
    // `can_end` has asked before, so that it cannot fail.
    (void)reduce_end(builder->ctx, node_desc(node), node->attrs, in, &end);
    uint8_t reg = find_reg(fuser, node->inputs[0]);
    fuser->last_read[reg] = TILE_NO_REG;
    fuser->end[fuser->end_count++] =
        (TileEnd){.node = node,
                  .id = end.id,
                  .lanes = add_lanes(fuser, out.dtype),
                  .reduce = tier->row_reduce[end.id][in.dtype],
                  .fold = tier->fold[end.id][in.dtype],
                  .divisor = end.divisor,
                  .slot = builder->plan->slot_count,
                  .width = (uint16_t)dtype_size(out.dtype),
                  .dtype = out.dtype,
                  .reg = reg};
    builder->slots[node->first_output] = builder->plan->slot_count++;
    builder_mourn(builder, node->first_output, block_chain);
}

// Whether the node reduces rows of the program's shape, or all of it, and as
// the operands have them.
static bool can_end(Fuser *fuser, const GraphNode *node, bool first)
{
    const Graph *graph = fuser->builder->graph;
    ReduceEnd end;
    if (node_desc(node)->ends == 0 || fuser->ends == TILE_MAX_ENDS) {
        return false;
    }
    TensorType in = graph_type(graph, node->inputs[0]);
    const GraphNode *maker = graph_value(graph, node->inputs[0])->node;
    // A callee that was inlined may leave sizes open that its argument has.
    if (tile_count(graph_type(graph, node->first_output)) < 0) {
        return false;
    }
    // A reduction's result is there when the program has run.
    if ((maker != NULL && maker->mark == fuser->group &&
         node_desc(maker)->ends != 0) ||
        !reduce_end(fuser->builder->ctx, node_desc(node), node->attrs, in,
                    &end) ||
        !shape_equal(in.rank, in.dims, fuser->shape.rank, fuser->shape.dims)) {
        return false;
    }
    int64_t columns = end.rows == 1 ? 0 : end.columns;
    // Rows of operands may be more than one of the reduction's.
    bool narrows = columns > 0 && columns < fuser->columns;
    // Alone it is worth a program if rows of it may be at hand (nest.c).
    if ((first && (end.rows == 1 || end.columns == 1)) ||
        (columns != fuser->columns &&
         ((fuser->columns != 0 && !narrows) || fuser->ends > 0))) {
        return false;
    }
    fuser->columns = columns;
    return true;
}

// Marks the nodes that the program will cover; returns the last of them. No op
// follows a reduction: it might read the result.
static GraphNode *cover(Fuser *fuser, GraphNode *node)
{
    GraphNode *last = NULL;
    uint32_t count = 0;
    for (; node != NULL && count < TILE_MAX_OPS; node = node->next) {
        // What is not needed, or takes no step, does not part neighbours.
        if (!node->mark || node_tensor(node) != NULL) {
            continue;
        }
        if (can_end(fuser, node, last == NULL)) {
            fuser->ends++;
        } else if (fuser->ends > 0 || !builder_has_body(fuser->builder, node) ||
                   !fits(fuser, node)) {
            break;
        } else {
            count++;
        }
        node->mark = fuser->group;
        last = node;
    }
    fuser->temp_size =
        8 * (fuser->ends > 0 ? (uint32_t)TILE_BLOCK : (uint32_t)TILE_ELEMENTS);
    return last;
}

// Values that die after a covered node die after the program.
static void join_chains(Builder *builder, GraphNode *first, GraphNode *last,
                        uint32_t group, uint32_t *chain)
{
    for (GraphNode *node = first; node != last->next; node = node->next) {
        uint32_t head = builder->chain_heads[node->serial];
        // Relinked into one list; the nodes' own lists are not read again.
        while (node->mark == group && head != VALUE_ID_NONE) {
            uint32_t next = builder->chain_next[head];
            builder->chain_next[head] = *chain;
            *chain = head;
            head = next;
        }
    }
}

// Programs are built in room for the largest, and kept in room for themselves.
static void *copy_array(Arena *arena, const void *items, size_t size)
{
    void *copy = arena_alloc(arena, size);
    if (copy != NULL) {
        memcpy(copy, items, size);
    }
    return copy;
}

// The program of the step before, if it reduces rows of as many columns.
static const TileProgram *reduced_before(const Fuser *fuser)
{
    const Step *before = fuser->before;
    bool reduces = before != NULL && before->run == step_tile &&
                   before->program->end_count > 0 && fuser->columns > 0 &&
                   before->program->columns == fuser->columns;
    return reduces ? before->program : NULL;
}

// Where the rows of scattered operands are.
static bool add_rows(const Fuser *fuser, TileProgram *made)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < made->reg_count; i++) {
        TileReg *reg = &made->regs[i];
        TileOperand operand;
        if (tile_is_scattered(reg)) {
            (void)tile_find_operand(fuser->builder, fuser->values[i],
                                    fuser->shape, &operand);
            reg->rows = tile_make_rows(fuser->builder, &operand, fuser->shape,
                                       fuser->columns);
            made->scattered = true;
            ok = reg->rows != NULL;
        }
    }
    return ok;
}

// The program, in the plan's arena.
static TileProgram *make_program(const Fuser *fuser)
{
    Arena *arena = &fuser->builder->plan->arena;
    TileProgram *made = arena_new(arena, TileProgram);
    if (made == NULL) {
        return NULL;
    }
    made->count = tile_count(fuser->shape);
    // Without elements there may be no columns to divide by.
    made->columns = made->count > 0 ? fuser->columns : 0;
    made->grouped = made->columns > 0 && is_grouped(fuser);
    made->rank = fuser->shape.rank;
    made->dims = fuser->shape.dims;
    made->kernels = NULL;
    made->ended = NULL;
    made->updates = false;
    made->follows = fuser->follows;
    made->scattered = false;
    made->before = reduced_before(fuser);
    made->cost = 0.1 * fuser->end_count;
    made->scratch_size = 0;
    made->end_count = fuser->end_count;
    made->op_count = fuser->op_count;
    made->reg_count = fuser->reg_count;
    made->output_count = fuser->output_count;
    made->ops = copy_array(arena, fuser->ops, fuser->op_count * sizeof(TileOp));
    made->regs =
        copy_array(arena, fuser->regs, fuser->reg_count * sizeof(TileReg));
    made->outputs = copy_array(arena, fuser->outputs,
                               fuser->output_count * sizeof(TileOutput));
    made->ends =
        copy_array(arena, fuser->end, fuser->end_count * sizeof(TileEnd));
    bool ok = made->ops != NULL && made->regs != NULL &&
              made->outputs != NULL && made->ends != NULL &&
              add_rows(fuser, made);
    return ok ? made : NULL;
}

// Adds the covered nodes, those on the way that are constants as pins.
static bool add_nodes(Fuser *fuser, GraphNode *first, GraphNode *last,
                      uint32_t *block_chain)
{
    for (GraphNode *node = first; node != last->next; node = node->next) {
        if (node_tensor(node) != NULL && node->mark) {
            if (!builder_pin(fuser->builder, node)) {
                return false;
            }
        } else if (node->mark == fuser->group && node_desc(node)->ends != 0) {
            add_end(fuser, node, block_chain);
        } else if (node->mark == fuser->group) {
            uint32_t outputs = fuser->output_count;
            add_op(fuser, node);
            // Temporaries have no slot, so that there is nothing to clear for
            // them.
            if (fuser->output_count > outputs) {
                builder_mourn(fuser->builder, node->first_output, block_chain);
            }
        }
    }
    return true;
}

// Scratch for temporaries, and for the pieces of a row that is reduced. One
// serves all programs of a plan: they never run at once.
static void add_scratch(const Fuser *fuser, TileProgram *program)
{
    Plan *plan = fuser->builder->plan;
    bool grouped = program->grouped;
    size_t size = 0;
    if (grouped || program->end_count > 0 || program->kernels->next != NULL) {
        size = (size_t)fuser->next_temp * fuser->temp_size;
    }
    for (uint32_t i = 0; !grouped && i < program->end_count; i++) {
        program->ends[i].offset = (uint32_t)size;
        size += (size_t)(program->columns / TILE_BLOCK + 1) * sizeof(int64_t);
    }
    size = (size + 63) & ~(size_t)63;
    program->scratch_size = size;
    plan->scratch_size = size > plan->scratch_size ? size : plan->scratch_size;
}

// Turns the covered nodes into a program and the program into a step; what
// dies in any of them dies after the step.
static bool finish(Fuser *fuser, GraphNode *first, GraphNode *last, Step *step,
                   uint32_t *block_chain)
{
    Builder *builder = fuser->builder;
    uint32_t chain = VALUE_ID_NONE;
    if (!add_nodes(fuser, first, last, block_chain)) {
        return false;
    }
    join_chains(builder, first, last, fuser->group, &chain);
    tile_find_reuse(fuser, last);
    step->node = first;
    step->program = make_program(fuser);
    if (step->program == NULL || !tile_compile(builder, step->program)) {
        return false;
    }
    add_scratch(fuser, step->program);
    bool single = fuser->ends == 0 && step->program->columns == 0 &&
                  step->program->kernels->next == NULL;
    step->run = single ? step_tile_single : step_tile;
    return builder_dead_list(builder, chain, &step->dead, &step->dead_count);
}

// Takes as many nodes as it can from `node` on. Even a single op is worth it:
// its step infers nothing and may reuse memory.
bool tile_fuse(Builder *builder, GraphNode *node, StepBlock *steps,
               uint32_t *block_chain, GraphNode **last)
{
    Fuser fuser; // its arrays are filled as far as they are counted
    Step *step = &steps->steps[steps->step_count - 1];
    *last = NULL;
    if (kernel_state(builder->ctx) == NULL) {
        return false;
    }
    bool ends = node_desc(node)->ends != 0;
    if (!ends && !builder_has_body(builder, node)) {
        return true;
    }
    fuser.builder = builder;
    fuser.before = steps->step_count > 1 ? step - 1 : NULL;
    fuser.shape =
        graph_type(builder->graph, ends ? node->inputs[0] : node->first_output);
    if (tile_count(fuser.shape) < 0) {
        return true;
    }
    fuser.columns = 0;
    fuser.apart = fuser.follows = false;
    fuser.group = ++builder->groups;
    fuser.next_temp = fuser.free_count = 0;
    fuser.op_count = fuser.reg_count = fuser.output_count = 0;
    fuser.ends = fuser.end_count = 0;
    // NULL: the first node does not fit a program; it becomes a step of its
    // own.
    *last = cover(&fuser, node);
    return *last == NULL || finish(&fuser, node, *last, step, block_chain);
}
