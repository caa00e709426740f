// Conditions: jumps by the truth of an expression. Comparisons, `and`, `or` and
// `not` make no value where only the jump is wanted.
//
// Invariant: on both ways out of a condition its temporaries are empty.
#include "interp/machine/compile/compile.h"

static void jump_part(Compiler *c, const Node *node, bool sense,
                      uint32_t label);

// Ordering and identity are fused with the jump; `in` needs a value first. The
// place stays at the comparison for the operands that follow.
static void jump_compare(Compiler *c, const Node *node, bool sense,
                         uint32_t label)
{
    Reg mark = c->top;
    CompareOp op = (CompareOp)node->compare.ops[0];
    const Node *right = node->compare.comparators.items[0];
    Reg left = compile_first(c, node->compare.left, right);
    int32_t number;
    // The opcodes of fused jumps stand in the order of CompareOp, once for each
    // sense: `not a < b` is its own jump, as NaN makes it differ from a >= b.
    if (op <= COMPARE_GE && compile_constant_int16(right, &number)) {
        c->span = node->span;
        compile_emit_jump(c,
                          (Opcode)((sense ? OPCODE_JLTI : OPCODE_JNLTI) + op),
                          left, (uint32_t)number, label);
    } else if (op <= COMPARE_GE || op >= COMPARE_IS) {
        Reg other = compile_any(c, right);
        Opcode jump = (Opcode)((sense ? OPCODE_JLT : OPCODE_JNLT) + op);
        if (op >= COMPARE_IS) {
            jump = (op == COMPARE_IS) == sense ? OPCODE_JIS : OPCODE_JNIS;
        }
        c->span = node->span;
        compile_emit_jump(c, jump, left, other, label);
    } else {
        Reg other = compile_any(c, right);
        // A local operand must keep its value.
        Reg result = left >= mark ? left : compile_push(c);
        c->span = node->span;
        compile_emit_x(c, OPCODE_COMPARE, op, result, left, other);
        compile_emit_jump(c, sense ? OPCODE_JTRUE : OPCODE_JFALSE, result, 0,
                          label);
    }
    c->around = node->span;
    c->top = mark;
}

// A comparison of a chain: jumps away where it is false. The middle operand,
// read twice, is a local or a temporary of which `other` is a copy.
static void chain_step(Compiler *c, const Node *node, uint32_t i, Reg left,
                       Reg other, uint32_t label)
{
    c->span = node->span;
    compile_emit_jump(c, (Opcode)(OPCODE_JNLT + node->compare.ops[i]), left,
                      other, label);
}

// A chain of two, the common `low <= x < high`, of orderings or ==.
static bool is_short_chain(const Node *node)
{
    return node->kind == AST_COMPARE && node->compare.comparators.count == 2 &&
           node->compare.ops[0] <= COMPARE_GE &&
           node->compare.ops[1] <= COMPARE_GE;
}

// No value is made of the chain: each comparison jumps by itself. Where the
// first one is false, a middle operand that is a temporary is still there.
static void jump_chain(Compiler *c, const Node *node, bool sense,
                       uint32_t label)
{
    Reg mark = c->top;
    const Node *middle = node->compare.comparators.items[0];
    uint32_t dropping = compile_new_label(c), end = compile_new_label(c);
    Reg left = compile_first(c, node->compare.left, middle);
    Reg kept = compile_any(c, middle), other = kept;
    bool local = kept < c->local_count;
    if (!local) {
        other = compile_push(c);
        c->span = middle->span;
        compile_emit(c, OPCODE_MOVE, other, kept, 0);
    }
    // A local leaves nothing behind, so that the jump may go where it is
    // wanted.
    chain_step(c, node, 0, left, other,
               !local  ? dropping
               : sense ? end
                       : label);
    Reg right = compile_any(c, node->compare.comparators.items[1]);
    c->span = node->span;
    compile_emit_jump(
        c, (Opcode)((sense ? OPCODE_JLT : OPCODE_JNLT) + node->compare.ops[1]),
        kept, right, label);
    if (!local) {
        compile_emit_jump(c, OPCODE_JMP, 0, 0, end);
        compile_place_label(c, dropping);
        compile_emit(c, OPCODE_DROP, kept, 0, 0);
        if (!sense) {
            compile_emit_jump(c, OPCODE_JMP, 0, 0, label);
        }
    }
    compile_place_label(c, end);
    c->around = node->span;
    c->top = mark;
}

static void jump_bool(Compiler *c, const Node *node, bool sense, uint32_t label)
{
    NodeList values = node->bool_op.values;
    bool or_op = node->bool_op.op == BOOL_OR;
    // De Morgan: `and` with a false sense is `or` of the negated operands.
    if (or_op == sense) { // any one decides
        for (uint32_t i = 0; i < values.count; i++) {
            jump_part(c, values.items[i], sense, label);
        }
        return;
    }
    // Reached as soon as one operand decides against the jump.
    uint32_t skip = compile_new_label(c);
    for (uint32_t i = 0; i + 1 < values.count; i++) {
        jump_part(c, values.items[i], !sense, skip);
    }
    jump_part(c, values.items[values.count - 1], sense, label);
    compile_place_label(c, skip);
}

// Anything else is computed, and its truth is asked. A __bool__ that fails
// marks the statement or expression around the condition, not the operand: the
// jump has the place of what it is for.
static void jump_truth(Compiler *c, const Node *node, bool sense,
                       uint32_t label)
{
    Reg mark = c->top;
    Reg value = compile_any(c, node);
    c->span = compile_surely_read(c, node) ? c->around : node->span;
    compile_emit_jump(c, sense ? OPCODE_JTRUE : OPCODE_JFALSE, value, 0, label);
    c->top = mark;
}

static void jump_conditional(Compiler *c, const Node *node, bool sense,
                             uint32_t label)
{
    uint32_t otherwise = compile_new_label(c), end = compile_new_label(c);
    jump_part(c, node->conditional.test, false, otherwise);
    jump_part(c, node->conditional.body, sense, label);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, end);
    compile_place_label(c, otherwise);
    jump_part(c, node->conditional.orelse, sense, label);
    compile_place_label(c, end);
}

static void jump_part(Compiler *c, const Node *node, bool sense, uint32_t label)
{
    if (c->failed || !ctx_enter(&c->vm->ctx)) {
        c->failed = true;
        return;
    }
    if (node->kind == AST_UNARY && node->unary.op == UNARY_NOT) {
        jump_part(c, node->unary.operand, !sense, label);
    } else if (node->kind == AST_BOOL_OP) {
        jump_bool(c, node, sense, label);
    } else if (node->kind == AST_COMPARE &&
               node->compare.comparators.count == 1) {
        jump_compare(c, node, sense, label);
    } else if (is_short_chain(node)) {
        jump_chain(c, node, sense, label);
    } else if (node->kind == AST_CONDITIONAL && c->staged == NULL) {
        jump_conditional(c, node, sense, label);
    } else if (node->kind == AST_CONSTANT &&
               (node->constant.type == CONSTANT_TRUE ||
                node->constant.type == CONSTANT_FALSE)) {
        // `while True` tests nothing.
        if ((node->constant.type == CONSTANT_TRUE) == sense) {
            compile_emit_jump(c, OPCODE_JMP, 0, 0, label);
        }
    } else {
        jump_truth(c, node, sense, label);
    }
    ctx_leave(&c->vm->ctx);
}

void compile_jump_if(Compiler *c, const Node *node, bool sense, uint32_t label,
                     const Node *whole)
{
    Span around = c->around;
    if (whole != NULL) {
        c->around = whole->span;
    }
    jump_part(c, node, sense, label);
    if (whole != NULL) {
        c->around = around;
    }
}
