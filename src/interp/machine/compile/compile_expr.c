// Expressions: names, comparisons, conditions and what has no file of its own.
//
// Invariant: an expression leaves c->top as it was, except that compile_any and
// compile_temp may have put the value into one new temporary.
#include <string.h>

#include "interp/machine/compile/compile.h"

// Names are looked up as the scope has them, mangled: "__x" in a class is
// "_C__x".
Symbol *compile_local_symbol(Compiler *c, const Node *node)
{
    if (node->kind != AST_NAME) {
        return NULL;
    }
    size_t length;
    const char *name = scope_mangle(c->table, c->scope, node->name.id, &length);
    Symbol *symbol = name == NULL ? NULL : scope_find(c->scope, name, length);
    return symbol != NULL && symbol->place == PLACE_LOCAL ? symbol : NULL;
}

// Never NULL for a name that the scope mentions, but for want of memory.
Symbol *compile_symbol_of(Compiler *c, Text name)
{
    size_t length;
    const char *text = scope_mangle(c->table, c->scope, name, &length);
    Symbol *symbol = text == NULL ? NULL : scope_find(c->scope, text, length);
    if (symbol == NULL) {
        c->failed = true;
    }
    return symbol;
}

// A class body reads its namespace first even for captured names. One that it
// assigns itself is never captured for it: it is looked for in the globals.
void compile_load_name(Compiler *c, Text name, Reg target)
{
    Symbol *symbol = c->failed ? NULL : compile_symbol_of(c, name);
    if (symbol == NULL) {
        return;
    }
    // Where a name lives was decided by scope.c; here it only chooses the
    // opcode.
    uint32_t constant;
    switch (symbol->place) {
    case PLACE_LOCAL:
        compile_emit(c, OPCODE_MOVE, target, symbol->index, 0);
        break;
    case PLACE_CELL:
        compile_emit(c, OPCODE_GETCELL, target, symbol->index, 0);
        break;
    case PLACE_CAPTURED:
        if (c->scope->kind == SCOPE_CLASS) {
            constant = compile_name_constant(c, name);
            compile_emit(c, OPCODE_GETNC, target, constant, symbol->index);
        } else {
            compile_emit(c, OPCODE_GETCAP, target, symbol->index, 0);
        }
        break;
    case PLACE_NAME:
        constant = compile_name_constant(c, name);
        compile_emit(c, OPCODE_GETN, target, constant, 0);
        break;
    case PLACE_GLOBAL:
        constant = compile_name_constant(c, name);
        compile_emit(c, OPCODE_GETG, target, constant, 0);
    }
}

// For values that must survive, or that an instruction moves out.
Reg compile_temp(Compiler *c, const Node *node)
{
    // Pushed first, so that temporaries of the expression lie above.
    Reg target = compile_push(c);
    compile_to(c, node, target);
    return target;
}

// A local is read in place, unless the expression around may assign it.
Reg compile_any(Compiler *c, const Node *node)
{
    Symbol *symbol = compile_local_symbol(c, node);
    if (symbol != NULL && !(symbol->flags & SYMBOL_WALRUS)) {
        return symbol->index;
    }
    return compile_temp(c, node);
}

// Assigned wherever control can come from? Seen by the order of the text alone:
// bodies forget at their end what they assigned.
static bool surely_bound(const Compiler *c, const Symbol *symbol)
{
    if (symbol->flags & SYMBOL_DELETED) {
        return false;
    }
    // A comprehension's locals are its loop targets, bound in every turn.
    return (symbol->flags & (SYMBOL_PARAM | SYMBOL_BOUND)) ||
           c->scope->kind == SCOPE_COMPREHENSION;
}

// From here on reads of the local need no check, until the block ends or the
// name is deleted.
void compile_note_bound(Compiler *c, const Node *target)
{
    Symbol *symbol = compile_local_symbol(c, target);
    if (symbol != NULL && !(symbol->flags & (SYMBOL_BOUND | SYMBOL_DELETED))) {
        if (vec_push(&c->vm->ctx, &c->bound, symbol)) {
            symbol->flags |= SYMBOL_BOUND;
        } else {
            c->failed = true;
        }
    } else if (target->kind == AST_TUPLE || target->kind == AST_LIST) {
        NodeList items = target->sequence.elements;
        for (uint32_t i = 0; i < items.count; i++) {
            // Deeper ones are rare enough to be checked instead.
            if (items.items[i]->kind == AST_NAME) {
                compile_note_bound(c, items.items[i]);
            }
        }
    }
}

// For instructions that fail in two ways: an unbound local marks its name, all
// else what is around it.
bool compile_surely_read(Compiler *c, const Node *node)
{
    Symbol *symbol = compile_local_symbol(c, node);
    return symbol == NULL || surely_bound(c, symbol);
}

// Locals are read by the instruction that needs them. Where another operand
// does something before that, a local without a value must fail earlier, as if
// it were loaded: it is copied, and the copy dropped. Nothing is emitted for
// nearly all: most are bound for sure, and most operands do nothing.
void compile_check_bound(Compiler *c, const Node *node, const Node *next)
{
    Symbol *symbol = compile_local_symbol(c, node);
    if (symbol == NULL || surely_bound(c, symbol) ||
        next->kind == AST_CONSTANT || compile_local_symbol(c, next) != NULL) {
        return;
    }
    Reg copy = compile_push(c);
    // The error marks the name, not the operation.
    c->span = node->span;
    compile_emit(c, OPCODE_MOVE, copy, symbol->index, 0);
    compile_emit(c, OPCODE_DROP, copy, 0, 0);
    c->top = copy;
}

// The left side of a pair: a local is used in place, so it has to be bound
// before the right side runs and is told of.
Reg compile_first(Compiler *c, const Node *node, const Node *next)
{
    Reg value = compile_any(c, node);
    if (value < c->local_count) {
        compile_check_bound(c, node, next);
    }
    return value;
}

// Whether the operator at `i` of a comparison asks which is less.
static bool ordered(const Node *node, uint32_t i)
{
    CompareOp op = node->compare.ops[i];
    return op == COMPARE_LT || op == COMPARE_LE || op == COMPARE_GT ||
           op == COMPARE_GE;
}

// A chain a < b < c stops at the first false comparison, and its middle
// operands are evaluated once. A target that is a local gets its value at the
// end: later operands may read it.
static void compare_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    bool apart = target < c->local_count && node->compare.comparators.count > 1;
    Reg result = apart ? compile_push(c) : target;
    uint32_t end = compile_new_label(c);
    c->number = ordered(node, 0) ? node->compare.left : NULL;
    Reg left = compile_first(c, node->compare.left,
                             node->compare.comparators.items[0]);
    uint32_t count = node->compare.comparators.count;
    for (uint32_t i = 0; i < count; i++) {
        // Only comparisons before the last one may end the chain.
        bool last = i + 1 == count;
        const Node *other = node->compare.comparators.items[i];
        c->number = ordered(node, i) ? other : NULL;
        Reg right = compile_any(c, other);
        Reg kept = right;
        if (!last && right >= c->local_count) {
            // The middle operand is read twice: compare a copy.
            kept = compile_push(c);
            compile_emit(c, OPCODE_MOVE, kept, right, 0);
            // COMPARE empties the copy; the next comparison gets the original.
            Reg swap = kept;
            kept = right;
            right = swap;
        }
        c->span = node->span;
        compile_emit_x(c, OPCODE_COMPARE, node->compare.ops[i], result, left,
                       right);
        if (!last) {
            compile_emit_jump(c, OPCODE_JFALSE_KEEP, result, 0, end);
            left = kept;
        }
    }
    compile_place_label(c, end);
    if (apart) {
        compile_emit(c, OPCODE_MOVE, target, result, 0);
    }
    // The jump out of a chain leaves operands behind that nobody has emptied.
    if (count > 1 && c->top > mark) {
        compile_emit(c, OPCODE_DROPN, mark, c->top - mark, 0);
    }
    c->top = mark;
}

// An operand that is not the last: with the truth `keep` its value stays in
// `work` and decides, else the next one is looked at. An `and` in an `or` does
// not make its value first: the truth of each operand is asked once. `whole` is
// the operation, which a failing __bool__ marks.
static void bool_operand(Compiler *c, const Node *node, const Node *whole,
                         Reg work, bool keep, uint32_t end)
{
    if (c->failed || !ctx_enter(&c->vm->ctx)) {
        c->failed = true;
        return;
    }
    if (node->kind == AST_BOOL_OP) {
        NodeList values = node->bool_op.values;
        bool same = (node->bool_op.op == BOOL_OR) == keep;
        uint32_t next = compile_new_label(c);
        for (uint32_t i = 0; i < values.count; i++) {
            if (same || i + 1 == values.count) {
                // The last one's jump is that of the operation around.
                bool_operand(c, values.items[i],
                             i + 1 == values.count ? whole : node, work, keep,
                             end);
            } else {
                compile_jump_if(c, values.items[i], !keep, next, node);
            }
        }
        compile_place_label(c, next);
    } else {
        compile_to(c, node, work);
        c->span = whole->span;
        compile_emit_jump(c, keep ? OPCODE_JTRUE_KEEP : OPCODE_JFALSE_KEEP,
                          work, 0, end);
    }
    ctx_leave(&c->vm->ctx);
}

static void bool_to(Compiler *c, const Node *node, Reg target)
{
    // The KEEP jumps leave the deciding value in its register.
    uint32_t end = compile_new_label(c);
    NodeList values = node->bool_op.values;
    Reg mark = c->top;
    // A local must not be seen half-way: work in a temporary.
    Reg work = target < c->local_count ? compile_push(c) : target;
    for (uint32_t i = 0; i < values.count; i++) {
        if (i + 1 < values.count) {
            bool_operand(c, values.items[i], node, work,
                         node->bool_op.op == BOOL_OR, end);
        } else {
            compile_to(c, values.items[i], work);
        }
    }
    compile_place_label(c, end);
    if (work != target) {
        compile_emit(c, OPCODE_MOVET, target, work, 0);
    }
    c->top = mark;
}

// Both sides give their value to the same register.
// The test jumps without a value of its own, as that of an `if`.
static void conditional_to(Compiler *c, const Node *node, Reg target)
{
    uint32_t otherwise = compile_new_label(c), end = compile_new_label(c);
    compile_jump_if(c, node->conditional.test, false, otherwise, node);
    compile_to(c, node->conditional.body, target);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, end);
    compile_place_label(c, otherwise);
    compile_to(c, node->conditional.orelse, target);
    compile_place_label(c, end);
}

// Negative literals become constants here, as the parser has none.
static void unary_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    int32_t number;
    if (compile_constant_int16(node, &number)) {
        compile_emit(c, OPCODE_LOADI, target, (uint32_t)number, 0);
        return;
    }
    if (compile_constant_float(node)) {
        compile_emit(c, OPCODE_LOADK, target, compile_constant_node(c, node),
                     0);
        return;
    }
    c->number = node->unary.operand;
    Reg operand = compile_any(c, c->number);
    c->span = node->span;
    compile_emit_x(c, OPCODE_UNARY, node->unary.op, target, operand, 0);
    c->top = mark;
}

static void slice_to(Compiler *c, const Node *node, Reg target)
{
    Reg first = compile_push_many(c, 3);
    const Node *parts[] = {node->slice.lower, node->slice.upper,
                           node->slice.step};
    // A constant of type None: that is what zeroes mean.
    static const Node none = {.kind = AST_CONSTANT};
    for (uint32_t i = 0; i < 3; i++) {
        compile_to(c, parts[i] == NULL ? &none : parts[i], first + i);
    }
    c->span = node->span;
    compile_emit(c, OPCODE_SLICE, target, first, 0);
    c->top = first;
}

// A small literal index stands in the instruction.
// GETITEMI takes the int from its own word, so no register is filled.
static void subscript_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    int32_t number;
    Reg container =
        compile_first(c, node->subscript.value, node->subscript.index);
    if (compile_constant_int16(node->subscript.index, &number)) {
        c->span = node->span;
        compile_emit(c, OPCODE_GETITEMI, target, container, (uint32_t)number);
    } else {
        Reg key = compile_any(c, node->subscript.index);
        c->span = node->span;
        compile_emit(c, OPCODE_GETITEM, target, container, key);
    }
    c->top = mark;
}

// A chain of calls over several lines would otherwise be marked from its first
// line on.
Span compile_attribute_span(const Compiler *c, const Node *node)
{
    Span span = node->span, name = node->attribute.name_span;
    const char *text = c->table->source->text + span.start;
    return memchr(text, '\n', span.end - span.start) != NULL ? name : span;
}

// The cache behind GETATTR is filled when it first runs (attr_load).
static void attribute_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    Reg object = compile_any(c, node->attribute.value);
    uint32_t name = compile_name_constant(c, node->attribute.name);
    c->span = compile_attribute_span(c, node);
    compile_emit(c, OPCODE_GETATTR, target, object, name);
    c->top = mark;
}

// `yield from` is a loop around SEND, which passes on what is sent; x and C of
// its YIELD let throw() find the iterator.
static void yield_to(Compiler *c, const Node *node, Reg target)
{
    static const Node none = {.kind = AST_CONSTANT};
    Reg mark = c->top;
    const Node *value = node->expr_stmt.value;
    Reg source = compile_temp(c, value == NULL ? &none : value);
    c->span = node->span;
    if (node->kind == AST_YIELD) {
        compile_emit(c, OPCODE_YIELD, source, target, 0);
        c->top = mark;
        return;
    }
    // What send() brings goes to `sent`, and from there on to the iterator.
    // Also the register from which YIELD takes what goes out.
    Reg sent = compile_push(c);
    uint32_t done = compile_new_label(c);
    compile_emit(c, OPCODE_GETYFI, source, 0, 0);
    compile_emit(c, OPCODE_LOADK, sent, compile_constant_node(c, &none), 0);
    uint32_t again = compile_label_here(c);
    compile_emit_jump(c, OPCODE_SEND, source, sent, done);
    compile_emit_x(c, OPCODE_YIELD, 1, sent, sent, source);
    compile_emit_jump(c, OPCODE_JMP, 0, 0, again);
    compile_place_label(c, done);
    compile_emit(c, OPCODE_DROP, source, 0, 0);
    compile_emit(c, OPCODE_MOVET, target, sent, 0);
    c->top = mark;
}

static void walrus_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    Reg value = compile_temp(c, node->named_expr.value);
    c->span = node->span;
    compile_emit(c, OPCODE_MOVE, target, value, 0);
    compile_store_name(c, node->named_expr.target->name.id, value);
    c->top = mark;
}

// {value!conversion:spec}; without a spec C names the value's register.
static void formatted_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    Reg value = compile_temp(c, node->formatted.value);
    // The same register twice means: no spec.
    Reg spec = value;
    if (node->formatted.format_spec != NULL) {
        spec = compile_temp(c, node->formatted.format_spec);
    }
    c->span = node->span;
    compile_emit_x(c, OPCODE_FORMAT, (uint8_t)node->formatted.conversion,
                   target, value, spec);
    c->top = mark;
}

// Or a long text would need as many registers as it has parts.
void compile_join_full(Compiler *c, Reg first)
{
    if (c->top - first >= 64) {
        compile_emit(c, OPCODE_CONCAT, first, first, c->top - first);
        c->top = first + 1;
    }
}

// CONCAT makes one text of all parts at once, where a chain of + would copy
// each part again and again.
static void joined_to(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    NodeList values = node->joined_str.values;
    Reg first = c->top;
    for (uint32_t i = 0; i < values.count; i++) {
        compile_join_full(c, first);
        compile_temp(c, values.items[i]);
    }
    c->span = node->span;
    compile_emit(c, OPCODE_CONCAT, target, first, c->top - first);
    c->top = mark;
}

// Converted code (compile_staged.c) has the first say.
// One row for each kind of node; displays and what is no expression at all go
// to compile_call.c.
static void expression(Compiler *c, const Node *node, Reg target)
{
    int32_t number;
    if (UNLIKELY(c->staged != NULL) &&
        compile_staged_expression(c, node, target)) {
        return;
    }
    switch (node->kind) {
    case AST_NAME: compile_load_name(c, node->name.id, target); break;
    case AST_CONSTANT:
        if (compile_constant_int16(node, &number)) {
            compile_emit(c, OPCODE_LOADI, target, (uint32_t)number, 0);
        } else {
            compile_emit(c, OPCODE_LOADK, target,
                         compile_constant_node(c, node), 0);
        }
        break;
    case AST_BINARY: compile_binary_to(c, node, target); break;
    case AST_UNARY: unary_to(c, node, target); break;
    case AST_BOOL_OP: bool_to(c, node, target); break;
    case AST_COMPARE: compare_to(c, node, target); break;
    case AST_CALL: compile_call_to(c, node, target); break;
    case AST_ATTRIBUTE: attribute_to(c, node, target); break;
    case AST_SUBSCRIPT: subscript_to(c, node, target); break;
    case AST_SLICE: slice_to(c, node, target); break;
    case AST_CONDITIONAL: conditional_to(c, node, target); break;
    case AST_NAMED_EXPR: walrus_to(c, node, target); break;
    case AST_JOINED_STR: joined_to(c, node, target); break;
    case AST_FORMATTED_VALUE: formatted_to(c, node, target); break;
    case AST_LAMBDA: compile_function_to(c, node, target); break;
    case AST_YIELD:
    case AST_YIELD_FROM: yield_to(c, node, target); break;
    case AST_LIST_COMP:
    case AST_SET_COMP:
    case AST_DICT_COMP:
    case AST_GENERATOR_EXP: compile_comprehension_to(c, node, target); break;
    case AST_STARRED:
        // In displays and calls the star was taken care of before.
        compile_error(c, node->span, "can't use starred expression here");
        break;
    default: compile_display_to(c, node, target);
    }
}

void compile_to(Compiler *c, const Node *node, Reg target)
{
    if (c->failed || !ctx_poll(&c->vm->ctx) || !ctx_enter(&c->vm->ctx)) {
        c->failed = true;
        return;
    }
    c->span = node->span;
    expression(c, node, target);
    c->span = node->span;
    ctx_leave(&c->vm->ctx);
}
