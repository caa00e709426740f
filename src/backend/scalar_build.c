// Compiling a loop over few numbers.
//
// First a look whether the whole loop qualifies, then the code in one walk.
// Each value gets registers of its own when it is defined, so that within a
// turn nothing is overwritten that is still read; only state is written again,
// by the moves at the end of a body.
#include <string.h>

#include "backend/scalar_compile.h"
#include "graph/walk.h"

enum { FEW_CALLS = 2 };

// Whether every value of a list fits registers.
static bool all_fit(const Graph *graph, const ValueId *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (scalar_count(graph, values[i]) == 0) {
            return false;
        }
    }
    return true;
}

// Whether the node can be a part of a program. Unneeded nodes are not asked:
// they are not compiled. Inner branches and loops are compiled along.
static bool node_fits(const Builder *builder, const GraphNode *node)
{
    const Graph *graph = builder->graph;
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (scalar_count(graph, node_output(node, i)) == 0) {
            return false;
        }
    }
    return node->op == OP_IF || node->op == OP_WHILE
               ? all_fit(graph, node->inputs, node->input_count)
               : scalar_fits(builder, node);
}

// A block that raises, or has effects whose order counts, needs steps.
static bool block_fits(const Builder *builder, const GraphBlock *block)
{
    return !block->diverges && !block->effects &&
           all_fit(builder->graph, block->params, block->param_count) &&
           all_fit(builder->graph, block->results, block->result_count);
}

// All that is needed of a loop can be one program.
static bool loop_fits(const Builder *builder, const GraphNode *loop)
{
    bool fits = node_fits(builder, loop);
    for (int b = 0; fits && b < OP_MAX_BLOCKS; b++) {
        Walk walk = walk_forward(loop->blocks[b]);
        while (fits && walk_next(&walk)) {
            fits = walk.node != NULL
                       ? !walk.node->mark || node_fits(builder, walk.node)
                       : !walk.block->owner->mark ||
                             block_fits(builder, walk.block);
        }
    }
    return fits;
}

// A jump whose target is set later; returns its index.
static bool emit_jump(ScalarCompiler *c, ScalarCode code, uint16_t condition,
                      size_t *index)
{
    *index = c->code.count;
    return scalar_append(
        c, (ScalarOp){.code = (uint16_t)code, .in = {condition}, .count = 1});
}

// Sets the target of an earlier jump to what is emitted next.
static void land(ScalarCompiler *c, size_t jump)
{
    if (!c->full) {
        c->code.items[jump].target = (uint32_t)c->code.count;
    }
}

static bool compile_block(ScalarCompiler *c, const GraphBlock *block);

// The registers of some values, one behind another.
typedef struct RegList {
    uint32_t count;
    uint16_t at[SCALAR_MAX_REGS];
} RegList;

static bool list_regs(ScalarCompiler *c, const ValueId *values, uint32_t count,
                      RegList *list)
{
    list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        ScalarRegs regs;
        uint32_t more = scalar_count(c->builder->graph, values[i]);
        if (!scalar_find(c, values[i], &regs)) {
            return false;
        }
        // One that is listed twice may be more than there are.
        c->full = c->full || list->count + more > SCALAR_MAX_REGS;
        if (c->full) {
            return true;
        }
        memcpy(list->at + list->count, regs.at, more * sizeof regs.at[0]);
        list->count += more;
    }
    return true;
}

// Moves a block's results to where its owner wants them: one register after
// another, which nothing in the block reads.
static bool yield_to(ScalarCompiler *c, const GraphBlock *block, uint16_t first)
{
    RegList from;
    if (!list_regs(c, block->results, block->result_count, &from)) {
        return false;
    }
    for (uint32_t i = 0; !c->full && i < from.count; i++) {
        if (!scalar_move(c, (uint16_t)(first + i), from.at[i])) {
            return false;
        }
    }
    return true;
}

// Registers for what the node gives, one behind another.
static bool give_outputs(ScalarCompiler *c, const GraphNode *node,
                         uint16_t *first)
{
    const Graph *graph = c->builder->graph;
    *first = (uint16_t)c->reg_count;
    for (uint32_t i = 0; i < node->output_count; i++) {
        ValueId value = node_output(node, i);
        ScalarRegs regs = scalar_new(c, graph_type(graph, value).dtype,
                                     scalar_count(graph, value));
        if (!scalar_set(c, value, &regs)) {
            return false;
        }
    }
    return true;
}

// condition, jump to else, then-part, jump to end, else-part. Both parts leave
// their results in the same registers.
static bool compile_if(ScalarCompiler *c, const GraphNode *node)
{
    uint16_t first;
    size_t to_else, to_end;
    ScalarRegs condition;
    if (!give_outputs(c, node, &first) ||
        !scalar_find(c, node->inputs[0], &condition) ||
        !emit_jump(c, SCALAR_JUMP_FALSE, condition.at[0], &to_else) ||
        !compile_block(c, node->blocks[SIDE_THEN]) ||
        !yield_to(c, node->blocks[SIDE_THEN], first) ||
        !emit_jump(c, SCALAR_JUMP, 0, &to_end)) {
        return false;
    }
    land(c, to_else);
    if (!compile_block(c, node->blocks[SIDE_OTHERWISE]) ||
        !yield_to(c, node->blocks[SIDE_OTHERWISE], first)) {
        return false;
    }
    // Both parts have put their results into the same registers.
    land(c, to_end);
    return true;
}

// The next state. A result that is a param which an earlier move overwrites
// (a, b = b, a) is saved first.
static bool compile_turn(ScalarCompiler *c, const GraphBlock *body)
{
    // A parallel assignment, made of single moves in order.
    RegList params, from;
    if (!list_regs(c, body->params, body->param_count, &params) ||
        !list_regs(c, body->results, body->result_count, &from)) {
        return false;
    }
    for (uint32_t i = 0; !c->full && i < from.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            // Move k would overwrite what move i is still to read. A param
            // that stays as it is is not written at all.
            if (from.at[i] == params.at[k] && from.at[k] != params.at[k]) {
                DType dtype = (DType)c->dtypes[from.at[i]];
                uint16_t saved = scalar_new(c, dtype, 1).at[0];
                if (!scalar_move(c, saved, from.at[i])) {
                    return false;
                }
                from.at[i] = saved;
                break;
            }
        }
    }
    for (uint32_t i = 0; !c->full && i < from.count; i++) {
        if (!scalar_move(c, params.at[i], from.at[i])) {
            return false;
        }
    }
    return true;
}

// Gives the loop's state registers, filled from its inputs: those that it
// leaves behind.
static bool enter_loop(ScalarCompiler *c, const GraphNode *node)
{
    RegList from;
    uint16_t first;
    if (!list_regs(c, node->inputs, node->input_count, &from) ||
        !give_outputs(c, node, &first)) {
        return false;
    }
    for (uint32_t i = 0; !c->full && i < from.count; i++) {
        if (!scalar_move(c, (uint16_t)(first + i), from.at[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        ScalarRegs state;
        // The same under all of its names: in the condition, in the body and
        // behind the loop.
        if (!scalar_find(c, node_output(node, i), &state) ||
            !scalar_set(c, node->blocks[SIDE_COND]->params[i], &state) ||
            !scalar_set(c, node->blocks[SIDE_BODY]->params[i], &state)) {
            return false;
        }
    }
    return true;
}

// For the line about long work: a loop whose condition is `index < n`, as `for`
// gives it, leaves both registers with its jump backwards, and their dtype.
// An inner loop has no line. A condition that stays as it is stands before the
// loop, and what it compares may be gone.
static bool note_rounds(ScalarCompiler *c, const GraphNode *loop, size_t back)
{
    const Graph *graph = c->builder->plan->graph;
    const GraphBlock *cond = loop->blocks[SIDE_COND];
    const GraphValue *result = graph_value(graph, cond->results[0]);
    const GraphNode *test =
        loop == c->loop && result->block == cond ? result->node : NULL;
    if (test == NULL || test->op != OP_LESS) {
        return true;
    }
    DType dtype = graph_value(graph, test->inputs[0])->type.dtype;
    ScalarRegs index, end;
    if (dtype != DT_INT32 && dtype != DT_INT64) {
        return true;
    }
    if (!scalar_find(c, test->inputs[0], &index) ||
        !scalar_find(c, test->inputs[1], &end)) {
        return false;
    }
    // The code may have run out of room: then it is not used.
    if (!c->full) {
        ScalarOp *op = &c->code.items[back];
        op->in[0] = index.at[0];
        op->in[1] = end.at[0];
        op->in_count = 2;
        op->out = (uint16_t)dtype;
    }
    return true;
}

// state, condition, jump to end, body, next state, back to the condition.
static bool compile_while(ScalarCompiler *c, const GraphNode *node)
{
    const GraphBlock *cond = node->blocks[SIDE_COND];
    ScalarRegs condition;
    size_t to_end, back;
    if (!enter_loop(c, node)) {
        return false;
    }
    // Where each turn begins: the condition is evaluated again.
    size_t start = c->code.count;
    if (!compile_block(c, cond) ||
        !scalar_find(c, cond->results[0], &condition) ||
        !emit_jump(c, SCALAR_JUMP_FALSE, condition.at[0], &to_end) ||
        !compile_block(c, node->blocks[SIDE_BODY]) ||
        !compile_turn(c, node->blocks[SIDE_BODY]) ||
        // The jump backwards is the one that polls for interrupts.
        !emit_jump(c, SCALAR_LOOP, 0, &back) || !note_rounds(c, node, back)) {
        return false;
    }
    if (!c->full) {
        c->code.items[back].target = (uint32_t)start;
    }
    land(c, to_end);
    return true;
}

// The needed nodes in program order, so that errors come in the order of a run
// step by step.
static bool compile_block(ScalarCompiler *c, const GraphBlock *block)
{
    if (!ctx_enter(c->builder->ctx)) {
        return false;
    }
    bool ok = true;
    for (const GraphNode *node = block->first; ok && node != NULL && !c->full;
         node = node->next) {
        // Constants take no instruction: scalar_find loads them where they are
        // used.
        if (!node->mark || node_tensor(node) != NULL) {
            continue;
        }
        ok = op_is_loop(node_desc(node)) ? compile_while(c, node)
             : node->blocks[0] != NULL   ? compile_if(c, node)
                                         : scalar_compile(c, node);
    }
    ctx_leave(c->builder->ctx);
    return ok;
}

// Moves what was compiled to the plan's arena.
static bool keep(ScalarCompiler *c, ScalarProgram **out)
{
    Arena *arena = &c->builder->plan->arena;
    size_t inputs = c->inputs.count, code = c->code.count;
    ScalarProgram *made = arena_new(arena, ScalarProgram);
    uint64_t *initial = arena_new_array(arena, uint64_t, c->reg_count);
    if (made == NULL || initial == NULL) {
        return false;
    }
    // In the plan's arena, so that it is freed with the plan.
    made->code = arena_new_array(arena, ScalarOp, code);
    made->inputs = arena_new_array(arena, ScalarInput, inputs);
    made->outputs = arena_new_array(arena, ScalarOutput, c->loop->output_count);
    if (made->code == NULL || made->inputs == NULL || made->outputs == NULL) {
        return false;
    }
    memcpy(made->code, c->code.items, code * sizeof *made->code);
    if (inputs > 0) {
        memcpy(made->inputs, c->inputs.items, inputs * sizeof *made->inputs);
    }
    // The template of a run's registers; temporaries start as zeros.
    memcpy(initial, c->initial, c->reg_count * sizeof *initial);
    made->initial = initial;
    // Copied at their true sizes; the compiler's vectors are scratch.
    made->code_count = (uint32_t)code;
    made->reg_count = c->reg_count;
    made->input_count = (uint32_t)inputs;
    for (uint32_t i = 0; i < c->loop->output_count; i++) {
        ValueId value = node_output(c->loop, i);
        ScalarRegs regs;
        if (!scalar_find(c, value, &regs)) {
            return false;
        }
        made->outputs[i] =
            (ScalarOutput){graph_type(c->builder->graph, value), regs.at[0],
                           (uint16_t)scalar_count(c->builder->graph, value)};
    }
    made->output_count = c->loop->output_count;
    made->run = NULL;
    made->next_of_plan = c->builder->plan->scalars;
    c->builder->plan->scalars = made;
    *out = made;
    return scalar_emit(c->builder->ctx, made, c->dtypes);
}

// The compiler's tables are large and short-lived: they come from the heap,
// not from the C stack.
bool scalar_build(Builder *builder, GraphNode *loop, ScalarProgram **program)
{
    Ctx *ctx = builder->ctx;
    *program = NULL;
    if (kernel_state(ctx) == NULL) {
        return false;
    }
    // Not an error: the caller builds ordinary steps.
    if (!loop_fits(builder, loop)) {
        return true;
    }
    ScalarCompiler *c = ctx_alloc_zero(ctx, sizeof *c);
    if (c == NULL) {
        return false;
    }
    c->builder = builder;
    c->loop = loop;
    map_init(&c->known, ctx);
    bool ok = compile_while(c, loop) &&
              scalar_append(c, (ScalarOp){.code = SCALAR_END});
    // Elementwise ops fuse in steps: a call for each costs more than that.
    c->full = c->full || c->calls > c->steps + FEW_CALLS;
    // *program stays NULL where the limits were passed.
    ok = ok && (c->full || keep(c, program));
    map_free(&c->known);
    vec_free(ctx, &c->values);
    vec_free(ctx, &c->code);
    vec_free(ctx, &c->inputs);
    ctx_free(ctx, c, sizeof *c);
    return ok;
}
