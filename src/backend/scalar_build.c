// Compiling a loop over scalars.
//
// First a look whether the whole loop qualifies, then the code in one walk.
// Each value gets a register of its own when it is defined, so that within a
// turn nothing is overwritten that is still read; only state is written again,
// by the moves at the end of a body.
#include "backend/scalar.h"

#include <string.h>

#include "graph/walk.h"

// State of one compilation. `full` is no error: the loop then is run step by
// step, as if it had not qualified.
typedef struct ScalarCompiler {
    Builder *builder;
    GraphNode *loop;
    Map regs; // by ValueId: its register
    VEC(ScalarOp) code;
    VEC(ScalarInput) inputs;
    uint64_t initial[SCALAR_MAX_REGS];
    uint8_t dtypes[SCALAR_MAX_REGS];
    uint32_t reg_count;
    bool full; // more registers or code than there may be: give up
} ScalarCompiler;

// What the list has a plain instruction for; SCALAR_KERNEL: nothing.
static ScalarCode plain_code(OpCode op, DType dtype)
{
    static const struct {
        OpCode op;
        DType dtype;
        ScalarCode code;
    } rows[] = {
#define SCALAR(op, dtype, T, R, expression)                                    \
    {OP_##op, DT_##dtype, SCALAR_##op##_##dtype},
#include "backend/scalar_list.h"
#undef SCALAR
    };
    // A walk over the list: compiling is rare and the list short.
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op == op && rows[i].dtype == dtype) {
            return rows[i].code;
        }
    }
    return SCALAR_KERNEL;
}

// A single number: rank 0 for sure. Strings are counted objects, which
// registers cannot hold.
static bool is_scalar(const Graph *graph, ValueId value)
{
    TensorType type = graph_type(graph, value);
    return type.rank == 0 && type.dtype != DT_STRING &&
           !dtype_is_list(type.dtype);
}

// Whether every value of a list fits a register.
static bool all_scalars(const Graph *graph, const ValueId *values,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_scalar(graph, values[i])) {
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
    if (!all_scalars(graph, node->inputs, node->input_count)) {
        return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!is_scalar(graph, node_output(node, i))) {
            return false;
        }
    }
    return node_tensor(node) != NULL || node->op == OP_IF ||
           node->op == OP_WHILE || builder_has_body(builder, node);
}

// A block that raises, or has effects whose order counts, needs steps.
static bool block_fits(const Builder *builder, const GraphBlock *block)
{
    return !block->diverges && !block->effects &&
           all_scalars(builder->graph, block->params, block->param_count) &&
           all_scalars(builder->graph, block->results, block->result_count);
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

// The next free register. Past the last one the compiler goes on without harm
// and gives up at its end.
static uint16_t new_reg(ScalarCompiler *c, DType dtype)
{
    if (c->reg_count == SCALAR_MAX_REGS) {
        c->full = true;
        // Register 0 is a harmless stand-in: code that is too long is never
        // run.
        return 0;
    }
    c->dtypes[c->reg_count] = (uint8_t)dtype;
    return (uint16_t)c->reg_count++;
}

// Notes where a value is.
static bool set_reg(ScalarCompiler *c, ValueId value, uint16_t reg)
{
    return map_put(&c->regs, (const char *)&value, sizeof value, reg);
}

// Constants are put in place when a run begins and never written.
static void load_const(ScalarCompiler *c, uint16_t reg, const Tensor *tensor)
{
    memcpy(&c->initial[reg], tensor->data, dtype_size((DType)tensor->dtype));
}

// The value's register. One that the loop does not define is loaded before
// the run: from the constant, or from its slot.
static bool find_reg(ScalarCompiler *c, ValueId value, uint16_t *reg)
{
    const uint64_t *known =
        map_get(&c->regs, (const char *)&value, sizeof value);
    if (known != NULL) {
        *reg = (uint16_t)*known;
        return true;
    }
    DType dtype = graph_type(c->builder->graph, value).dtype;
    *reg = new_reg(c, dtype);
    // A constant outside of the loop is as good as one inside.
    const Tensor *tensor = graph_constant(c->builder->graph, value);
    if (tensor != NULL) {
        load_const(c, *reg, tensor);
    } else {
        // Values from outside have slots already: plan.c lays out in program
        // order.
        ScalarInput input = {c->builder->slots[value], *reg,
                             (uint16_t)dtype_size(dtype)};
        if (!vec_push(c->builder->ctx, &c->inputs, input)) {
            return false;
        }
    }
    return set_reg(c, value, *reg);
}

// Appends an instruction, or notes that there are too many.
static bool emit(ScalarCompiler *c, ScalarOp op)
{
    // Too long is no failure, so that true is returned.
    c->full = c->full || c->code.count >= SCALAR_MAX_CODE;
    return c->full || vec_push(c->builder->ctx, &c->code, op);
}

// Nothing is emitted where source and target are one register.
static bool emit_move(ScalarCompiler *c, uint16_t out, uint16_t in)
{
    return out == in ||
           emit(c, (ScalarOp){.code = SCALAR_MOVE, .out = out, .in = {in}});
}

// A jump whose target is set later; returns its index.
static bool emit_jump(ScalarCompiler *c, ScalarCode code, uint16_t condition,
                      size_t *index)
{
    *index = c->code.count;
    return emit(c, (ScalarOp){.code = (uint16_t)code, .in = {condition}});
}

// Sets the target of an earlier jump to what is emitted next.
static void land(ScalarCompiler *c, size_t jump)
{
    if (!c->full) {
        c->code.items[jump].target = (uint32_t)c->code.count;
    }
}

static bool compile_block(ScalarCompiler *c, const GraphBlock *block);

// An elementwise op; where the list of plain instructions has none for it, its
// kernel runs on one element.
static bool compile_op(ScalarCompiler *c, const GraphNode *node)
{
    // Instructions are chosen by the first operand's dtype: the graph's types
    // agree already, and `where` has an instruction of its own.
    const Graph *graph = c->builder->graph;
    DType dtype = graph_type(graph, node->inputs[0]).dtype;
    DType out = graph_type(graph, node->first_output).dtype;
    ScalarOp op = {.node = node};
    op.in_count = (uint16_t)node->input_count;
    op.code = (uint16_t)(node->op == OP_WHERE ? SCALAR_SELECT
                                              : plain_code(node->op, dtype));
    if (op.code == SCALAR_KERNEL) {
        op.kernel =
            op_kernel(c->builder->ctx, node->op, dtype, out, node->attrs, 0);
        if (op.kernel == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!find_reg(c, node->inputs[i], &op.in[i])) {
            return false;
        }
    }
    // After the operands: the result never shares a register with one.
    op.out = new_reg(c, out);
    return set_reg(c, node->first_output, op.out) && emit(c, op);
}

// Moves a block's results to where its owner wants them.
static bool yield_to(ScalarCompiler *c, const GraphBlock *block,
                     const uint16_t *outputs)
{
    for (uint32_t i = 0; i < block->result_count; i++) {
        uint16_t reg;
        if (!find_reg(c, block->results[i], &reg) ||
            !emit_move(c, outputs[i], reg)) {
            return false;
        }
    }
    return true;
}

// condition, jump to else, then-part, jump to end, else-part. Both parts leave
// their results in the same registers.
static bool compile_if(ScalarCompiler *c, const GraphNode *node)
{
    uint16_t condition, outputs[SCALAR_MAX_REGS];
    size_t to_else, to_end;
    if (node->output_count > SCALAR_MAX_REGS) {
        // No failure: the loop is then run in the ordinary way.
        c->full = true;
        return true;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        // Reserved before either part is compiled, since both must know them.
        ValueId value = node_output(node, i);
        outputs[i] = new_reg(c, graph_type(c->builder->graph, value).dtype);
    }
    if (!find_reg(c, node->inputs[0], &condition) ||
        !emit_jump(c, SCALAR_JUMP_FALSE, condition, &to_else) ||
        !compile_block(c, node->blocks[SIDE_THEN]) ||
        !yield_to(c, node->blocks[SIDE_THEN], outputs) ||
        !emit_jump(c, SCALAR_JUMP, 0, &to_end)) {
        return false;
    }
    land(c, to_else);
    if (!compile_block(c, node->blocks[SIDE_OTHERWISE]) ||
        !yield_to(c, node->blocks[SIDE_OTHERWISE], outputs)) {
        return false;
    }
    // Both parts have put their results into the same registers.
    land(c, to_end);
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!set_reg(c, node_output(node, i), outputs[i])) {
            return false;
        }
    }
    return true;
}

// The next state. A result that is a param which an earlier move overwrites
// (a, b = b, a) is saved first.
static bool compile_turn(ScalarCompiler *c, const GraphBlock *body)
{
    // A parallel assignment, made of single moves in order.
    uint16_t params[SCALAR_MAX_REGS], from[SCALAR_MAX_REGS];
    uint32_t count = body->result_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!find_reg(c, body->params[i], &params[i]) ||
            !find_reg(c, body->results[i], &from[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            // Move k would overwrite what move i is still to read. A param
            // that stays as it is is not written at all.
            if (from[i] == params[k] && from[k] != params[k]) {
                uint16_t saved = new_reg(c, (DType)c->dtypes[from[i]]);
                if (!emit_move(c, saved, from[i])) {
                    return false;
                }
                from[i] = saved;
                break;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!emit_move(c, params[i], from[i])) {
            return false;
        }
    }
    return true;
}

// Gives the loop's state registers, filled from its inputs.
static bool enter_loop(ScalarCompiler *c, const GraphNode *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        DType dtype = graph_type(c->builder->graph, node->inputs[i]).dtype;
        uint16_t init, reg = new_reg(c, dtype);
        if (!find_reg(c, node->inputs[i], &init) || !emit_move(c, reg, init) ||
            // One register for a state variable under all of its names: in the
            // condition, in the body and behind the loop.
            !set_reg(c, node->blocks[SIDE_COND]->params[i], reg) ||
            !set_reg(c, node->blocks[SIDE_BODY]->params[i], reg) ||
            !set_reg(c, node_output(node, i), reg)) {
            return false;
        }
    }
    return true;
}

// For the line about long work: a loop whose condition is `index < n`, as `for`
// gives it, leaves both registers with its jump backwards, and their dtype.
// An inner loop has no line.
static bool note_rounds(ScalarCompiler *c, const GraphNode *loop, size_t back)
{
    const Graph *graph = c->builder->plan->graph;
    const GraphValue *result =
        graph_value(graph, loop->blocks[SIDE_COND]->results[0]);
    const GraphNode *test = loop == c->loop ? result->node : NULL;
    if (test == NULL || test->op != OP_LESS) {
        return true;
    }
    DType dtype = graph_value(graph, test->inputs[0])->type.dtype;
    uint16_t index, end;
    if (dtype != DT_INT32 && dtype != DT_INT64) {
        return true;
    }
    if (!find_reg(c, test->inputs[0], &index) ||
        !find_reg(c, test->inputs[1], &end)) {
        return false;
    }
    // The code may have run out of room: then it is not used.
    if (!c->full) {
        ScalarOp *op = &c->code.items[back];
        op->in[0] = index;
        op->in[1] = end;
        op->in_count = 2;
        op->out = (uint16_t)dtype;
    }
    return true;
}

// state, condition, jump to end, body, next state, back to the condition.
static bool compile_while(ScalarCompiler *c, const GraphNode *node)
{
    const GraphBlock *cond = node->blocks[SIDE_COND];
    uint16_t condition;
    size_t to_end, back;
    if (node->input_count > SCALAR_MAX_REGS) {
        c->full = true;
        return true;
    }
    if (!enter_loop(c, node)) {
        return false;
    }
    // Where each turn begins: the condition is evaluated again.
    size_t start = c->code.count;
    if (!compile_block(c, cond) || !find_reg(c, cond->results[0], &condition) ||
        !emit_jump(c, SCALAR_JUMP_FALSE, condition, &to_end) ||
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
        // Constants take no instruction: find_reg loads them where they are
        // used.
        if (!node->mark || node_tensor(node) != NULL) {
            continue;
        }
        ok = op_is_loop(node_desc(node)) ? compile_while(c, node)
             : node->blocks[0] != NULL   ? compile_if(c, node)
                                         : compile_op(c, node);
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
        uint16_t reg;
        if (!find_reg(c, value, &reg)) {
            return false;
        }
        made->outputs[i] =
            (ScalarOutput){graph_type(c->builder->graph, value).dtype, reg};
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
    map_init(&c->regs, ctx);
    bool ok = compile_while(c, loop) &&
              emit(c, (ScalarOp){.code = SCALAR_END}) &&
              // *program stays NULL where the limits were passed.
              (c->full || keep(c, program));
    map_free(&c->regs);
    vec_free(ctx, &c->code);
    vec_free(ctx, &c->inputs);
    ctx_free(ctx, c, sizeof *c);
    return ok;
}
