// Binary operators, and the literals that their instructions take in place.
//
// Small ints stand in the instruction itself (ADDI and the like), floats among
// the constants (ADDK, KADD); all else is read from registers.
#include <string.h>

#include "interp/machine/compile/compile.h"

// The parser gives no negative literals, so -1 is a unary node here. Five
// digits at most keep the sum from overflowing; "0x10" and "1_000" are left to
// the constants.
bool compile_constant_int16(const Node *node, int32_t *number)
{
    bool negative = node->kind == AST_UNARY && node->unary.op == UNARY_NEG;
    const Node *digits = negative ? node->unary.operand : node;
    if (digits->kind != AST_CONSTANT || digits->constant.type != CONSTANT_INT ||
        digits->constant.text.length > 5) {
        return false;
    }
    int32_t sum = 0;
    for (const char *p = digits->constant.text.text; *p != '\0'; p++) {
        if (*p < '0' || *p > '9') {
            return false;
        }
        sum = sum * 10 + (*p - '0');
    }
    *number = negative ? -sum : sum;
    return sum <= 32767;
}

// Only recognises the literal; compile_constant_node makes the constant,
// negated too.
bool compile_constant_float(const Node *node)
{
    bool negative = node->kind == AST_UNARY && node->unary.op == UNARY_NEG;
    const Node *digits = negative ? node->unary.operand : node;
    return digits->kind == AST_CONSTANT &&
           digits->constant.type == CONSTANT_FLOAT;
}

// Opcode 0 stands for "no such instruction" in these three tables.
static const Opcode with_int[BINARY_COUNT] = {
    [BINARY_ADD] = OPCODE_ADDI,       [BINARY_SUB] = OPCODE_SUBI,
    [BINARY_MUL] = OPCODE_MULI,       [BINARY_FLOORDIV] = OPCODE_FLOORDIVI,
    [BINARY_MOD] = OPCODE_MODI,       [BINARY_AND] = OPCODE_ANDI,
    [BINARY_LSHIFT] = OPCODE_LSHIFTI, [BINARY_RSHIFT] = OPCODE_RSHIFTI};
static const Opcode with_constant[BINARY_COUNT] = {[BINARY_ADD] = OPCODE_ADDK,
                                                   [BINARY_SUB] = OPCODE_SUBK,
                                                   [BINARY_MUL] = OPCODE_MULK,
                                                   [BINARY_TRUEDIV] =
                                                       OPCODE_TRUEDIVK};
static const Opcode constant_with[BINARY_COUNT] = {[BINARY_ADD] = OPCODE_KADD,
                                                   [BINARY_SUB] = OPCODE_KSUB,
                                                   [BINARY_MUL] = OPCODE_KMUL,
                                                   [BINARY_TRUEDIV] =
                                                       OPCODE_KTRUEDIV};

// The span is set last: computing the operands moves it, and an error of this
// operator must point at its own place.
void compile_operate_to(Compiler *c, BinaryOp op, uint32_t inplace, Reg left,
                        const Node *right, Reg target, Span span)
{
    int32_t number;
    if (with_int[op] != 0 && compile_constant_int16(right, &number)) {
        c->span = span;
        compile_emit_x(c, with_int[op], inplace, target, left,
                       (uint32_t)number);
    } else if (with_constant[op] != 0 && compile_constant_float(right)) {
        uint32_t constant = compile_constant_node(c, right);
        c->span = span;
        compile_emit_x(c, with_constant[op], inplace, target, left, constant);
    } else {
        c->number = right;
        Reg other = compile_any(c, right);
        c->span = span;
        compile_emit_x(c, (Opcode)(OPCODE_ADD + op), inplace, target, left,
                       other);
    }
}

// Left-deep chains are compiled in a loop: sums of half a million terms.
void compile_binary_to(Compiler *c, const Node *node, Reg target)
{
    // From the outermost operator down to the innermost, so the last comes
    // first.
    VEC(const Node *) chain = {0};
    Ctx *ctx = &c->vm->ctx;
    const Node *left = node;
    if (compile_percent_is_text(node)) {
        compile_percent_to(c, node, target);
        return;
    }
    while (left->kind == AST_BINARY && !compile_percent_is_text(left) &&
           !c->failed) {
        c->failed = !vec_push(ctx, &chain, left);
        left = left->binary.left;
    }
    Reg mark = c->top;
    Reg value = 0;
    bool held = false;
    // A float in front (2.0 * x) has instructions of its own. They are used
    // only if the right side has no short form itself.
    if (!c->failed && compile_constant_float(left)) {
        const Node *first = chain.items[chain.count - 1];
        int32_t number;
        if (constant_with[first->binary.op] != 0 &&
            !compile_constant_int16(first->binary.right, &number) &&
            !compile_constant_float(first->binary.right)) {
            uint32_t constant = compile_constant_node(c, left);
            c->number = first->binary.right;
            Reg right = compile_any(c, c->number);
            value = chain.count == 1 ? target : mark;
            c->top = mark;
            if (value == mark && chain.count > 1) {
                compile_push(c);
            }
            c->span = first->span;
            compile_emit(c, constant_with[first->binary.op], value, constant,
                         right);
            chain.count--;
            held = true;
        }
    }
    if (!held && !c->failed) {
        c->number = left;
        // A local is used in place; then `value` lies below `mark`.
        value =
            compile_first(c, left, chain.items[chain.count - 1]->binary.right);
    }
    for (size_t i = chain.count; i-- > 0 && !c->failed;) {
        const Node *each = chain.items[i];
        Reg to = target;
        // Results on the way reuse one temporary; only the last goes to the
        // target, which may be a local that a later operand still reads.
        if (i > 0) {
            to = value >= mark ? value : compile_push(c);
        }
        compile_operate_to(c, each->binary.op, 0, value, each->binary.right, to,
                           each->span);
        value = to;
        c->top = i > 0 ? value + 1 : mark;
    }
    c->top = mark;
    vec_free(ctx, &chain);
}
