// Converted code: control flow as blocks that can be traced.
//
// The compiler of a function that is converted (c->staged) asks here first.
// A condition is evaluated to a register, never fused with a jump, and a block
// instruction decides what it is: a host value jumps, a tensor has both ways
// traced in this very frame (vm_block.c). The body is lowered (lower.h), so
// that each block is entered at its top and left at its bottom.
#include <string.h>

#include "interp/machine/compile/compile.h"

// --- blocks ---

// The number of a new block; its words are labels until compile_finish.
static uint32_t open_block(Compiler *c, const char *what, Span span)
{
    BlockInfo info = {
        .depth = c->top, .handled = c->handled, .what = what, .span = span};
    // The labels exist from the start, as the instructions of the block name
    // them before they are placed.
    info.start = compile_label_here(c);
    info.body_target = info.start;
    info.else_target = compile_new_label(c);
    info.end_target = compile_new_label(c);
    info.join_target = compile_new_label(c);
    if (c->failed || !vec_push(&c->vm->ctx, &c->blocks, info)) {
        c->failed = true;
        return 0;
    }
    // Blocks go by number: the array moves as it grows.
    return (uint32_t)c->blocks.count - 1;
}

// The info moves when blocks are added: look it up again after whatever may
// compile an inner block.
static BlockInfo *block_at(Compiler *c, uint32_t block)
{
    return c->failed ? &c->no_block : &c->blocks.items[block];
}

static Span list_span(NodeList list)
{
    return list.count == 0 ? (Span){0, 0}
                           : span_join(list.items[0]->span,
                                       list.items[list.count - 1]->span);
}

static void block_else(Compiler *c, uint32_t block)
{
    compile_emit(c, OPCODE_BLOCKELSE, 0, block, 0);
    compile_place_label(c, block_at(c, block)->else_target);
}

// The join must be the last word in front of join_target: a side that ends in
// an exception goes on there (BlockInfo.end_target). `blamed`: what the carets
// mark where the sides do not fit.
static void block_join(Compiler *c, uint32_t block, Span blamed)
{
    c->span = blamed;
    compile_place_label(c, block_at(c, block)->end_target);
    compile_emit(c, OPCODE_BLOCKJOIN, 0, block, 0);
    compile_place_label(c, block_at(c, block)->join_target);
}

// --- conditions ---

static void truth_operand(Compiler *c, const Node *node, Reg target);

// a and b, a or b: one operand after the other in `target`, each of the later
// ones under a block on what stands there. `truth`: tensors become bools.
static void bool_chain(Compiler *c, const Node *node, Reg target, bool truth)
{
    NodeList values = node->bool_op.values;
    bool is_and = node->bool_op.op == BOOL_AND;
    // The blocks nest, each around all later operands, so they are closed from
    // the inside out.
    VEC(uint32_t) blocks = {0};
    for (uint32_t i = 0; i < values.count && !c->failed; i++) {
        if (truth) {
            truth_operand(c, values.items[i], target);
        } else {
            compile_to(c, values.items[i], target);
        }
        if (i + 1 == values.count) {
            break;
        }
        c->span = values.items[i]->span;
        uint32_t block = open_block(c, is_and ? "and" : "or", node->span);
        for (uint32_t j = i + 1; j < values.count; j++) {
            compile_expression_places(c, block, values.items[j]);
        }
        compile_place_register(c, block, target);
        block_at(c, block)->flags = is_and ? BLOCK_IS_AND : BLOCK_IS_OR;
        c->failed = c->failed || !vec_push(&c->vm->ctx, &blocks, block);
        compile_emit_x(c, OPCODE_BLOCKIF, 1, target, block, 0);
        if (!is_and) { // true: it is the value already
            block_else(c, block);
        }
    }
    for (size_t i = blocks.count; i-- > 0;) {
        if (is_and) {
            block_else(c, blocks.items[i]);
        }
        block_join(c, blocks.items[i], node->span);
    }
    vec_free(&c->vm->ctx, &blocks);
}

// A condition's value; of `and` and `or` the truth is enough.
static void test_value(Compiler *c, const Node *node, Reg target)
{
    if (node->kind == AST_BOOL_OP && ctx_enter(&c->vm->ctx)) {
        bool_chain(c, node, target, true);
        ctx_leave(&c->vm->ctx);
    } else if (node->kind == AST_UNARY && node->unary.op == UNARY_NOT &&
               ctx_enter(&c->vm->ctx)) {
        test_value(c, node->unary.operand, target);
        c->span = node->span;
        compile_emit(c, OPCODE_BLOCKNOT, target, target, 0);
        ctx_leave(&c->vm->ctx);
    } else {
        compile_to(c, node, target);
    }
}

// One operand of `and` or `or` in a condition. Only its truth matters, so
// tensors of different dtypes may stand side by side.
static void truth_operand(Compiler *c, const Node *node, Reg target)
{
    test_value(c, node, target);
    c->span = node->span;
    compile_emit(c, OPCODE_BLOCKTRUTH, target, 0, 0);
}

// The value of `and` and `or` is one of the operands, as in Python; on tensors
// both must then have one dtype.
static void staged_bool(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    // A local must not be seen half-way: work in a temporary.
    Reg work = target < c->local_count ? compile_push(c) : target;
    bool_chain(c, node, work, false);
    if (work != target) {
        compile_emit(c, OPCODE_MOVET, target, work, 0);
    }
    c->top = mark;
}

static void compare_rest(Compiler *c, const Node *node, uint32_t index,
                         Reg left, Reg target)
{
    bool last = index + 1 == node->compare.comparators.count;
    Reg right = compile_push(c), kept = right;
    compile_to(c, node->compare.comparators.items[index], right);
    // COMPARE empties temporaries, and this operand is the next left one.
    if (!last) {
        kept = compile_push(c);
        compile_emit(c, OPCODE_MOVE, kept, right, 0);
    }
    c->span = node->span;
    compile_emit_x(c, OPCODE_COMPARE, node->compare.ops[index], target, left,
                   right);
    if (last || c->failed || !ctx_enter(&c->vm->ctx)) {
        // At the last comparison this is no failure but the end of the chain.
        c->failed = c->failed || !last;
        return;
    }
    uint32_t block = open_block(c, "comparison", node->span);
    for (uint32_t i = index + 1; i < node->compare.comparators.count; i++) {
        compile_expression_places(c, block, node->compare.comparators.items[i]);
    }
    compile_place_register(c, block, target);
    block_at(c, block)->flags = BLOCK_IS_AND;
    compile_emit_x(c, OPCODE_BLOCKIF, 1, target, block, 0);
    compare_rest(c, node, index + 1, kept, target);
    block_else(c, block);
    block_join(c, block, node->span);
    ctx_leave(&c->vm->ctx);
}

// A chain of comparisons works in temporaries that the side of a block may
// have emptied; what is left of them is dropped at the end.
static void staged_compare(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top;
    Reg work = target < c->local_count ? compile_push(c) : target;
    Reg left = compile_temp(c, node->compare.left);
    Reg first = left;
    compare_rest(c, node, 0, left, work);
    compile_emit(c, OPCODE_DROPN, first, c->top - first, 0);
    if (work != target) {
        compile_emit(c, OPCODE_MOVET, target, work, 0);
    }
    c->top = mark;
}

// The block's state is the target register (and what a walrus assigns): each
// side leaves its value there and the join merges the two.
static void staged_conditional(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top, test = compile_push(c);
    test_value(c, node->conditional.test, test);
    uint32_t block = open_block(c, "conditional expression", node->span);
    compile_expression_places(c, block, node->conditional.body);
    compile_expression_places(c, block, node->conditional.orelse);
    compile_place_register(c, block, target);
    block_at(c, block)->sides[0] = node->conditional.body->span;
    block_at(c, block)->sides[1] = node->conditional.orelse->span;
    c->span = node->conditional.test->span;
    compile_emit(c, OPCODE_BLOCKIF, test, block, 0);
    block_at(c, block)->depth = c->top = mark; // the test is emptied
    compile_to(c, node->conditional.body, target);
    block_else(c, block);
    compile_to(c, node->conditional.orelse, target);
    block_join(c, block, node->span);
}

// `not` of a tensor is a tensor in converted code; of all else it is a host
// bool.
static void staged_not(Compiler *c, const Node *node, Reg target)
{
    Reg mark = c->top, operand = compile_push(c);
    test_value(c, node->unary.operand, operand);
    c->span = node->span;
    compile_emit(c, OPCODE_BLOCKNOT, target, operand, 1);
    c->top = mark;
}

// x.shape[0], of code of the program: the library asks for what is known.
static bool is_size(const Compiler *c, const Node *node)
{
    const Node *shape = node->subscript.value;
    int32_t axis;
    return shape->kind == AST_ATTRIBUTE && shape->attribute.name.length == 5 &&
           memcmp(shape->attribute.name.text, "shape", 5) == 0 &&
           compile_constant_int16(node->subscript.index, &axis) &&
           !c->table->source->library;
}

// One where a number is needed: a size that the trace does not know is a
// tensor, where `x.shape` has None.
static void size_to(Compiler *c, const Node *node, Reg target)
{
    const Node *shape = node->subscript.value;
    int32_t axis;
    (void)compile_constant_int16(node->subscript.index, &axis);
    Reg size = compile_temp(c, shape->attribute.value);
    uint32_t done = compile_new_label(c);
    c->span = compile_attribute_span(c, shape);
    compile_emit_jump(c, OPCODE_BLOCKSIZE, size, (uint32_t)axis, done);
    compile_emit(c, OPCODE_GETATTR, size, size,
                 compile_name_constant(c, shape->attribute.name));
    c->span = node->span;
    compile_emit(c, OPCODE_GETITEMI, size, size, (uint32_t)axis);
    compile_place_label(c, done);
    compile_emit(c, OPCODE_MOVET, target, size, 0);
    c->top = size;
}

// Expressions in which a tensor may decide what is evaluated.
bool compile_staged_expression(Compiler *c, const Node *node, Reg target)
{
    switch (node->kind) {
    case AST_SUBSCRIPT:
        if (c->number != node || !is_size(c, node)) {
            return false;
        }
        size_to(c, node, target);
        return true;
    case AST_UNARY:
        if (node->unary.op != UNARY_NOT) {
            return false;
        }
        staged_not(c, node, target);
        return true;
    case AST_BOOL_OP: staged_bool(c, node, target); return true;
    case AST_COMPARE:
        if (node->compare.comparators.count == 1) {
            return false;
        }
        staged_compare(c, node, target);
        return true;
    case AST_CONDITIONAL: staged_conditional(c, node, target); return true;
    default: return false;
    }
}

// --- statements ---

// `not` of the flag that `return` sets (lower.h).
static bool asks_returned(const Compiler *c, const Node *test)
{
    const char *flag = c->staged->returned.text;
    return flag != NULL && test->kind == AST_UNARY &&
           test->unary.op == UNARY_NOT &&
           test->unary.operand->kind == AST_NAME &&
           strcmp(test->unary.operand->name.id.text, flag) == 0;
}

// Test, BLOCKIF, first side, BLOCKELSE, second side, BLOCKJOIN. An `elif` is
// an `if` in the second side: a tensor that decides there is asked only where
// the first condition is false.
static void staged_if(Compiler *c, const Node *node)
{
    Reg mark = c->top, test = compile_push(c);
    test_value(c, node->if_stmt.test, test);
    uint32_t block = open_block(c, "if", node->span);
    // What stands behind a jump (lower.h) begins where its body does.
    if (node->span.start == list_span(node->if_stmt.body).start) {
        block_at(c, block)->flags |= BLOCK_IS_GUARD;
    }
    if (asks_returned(c, node->if_stmt.test)) {
        block_at(c, block)->flags |= BLOCK_IS_RETURNED;
    }
    compile_places(c, block, node->if_stmt.body);
    compile_places(c, block, node->if_stmt.orelse);
    block_at(c, block)->sides[0] = list_span(node->if_stmt.body);
    block_at(c, block)->sides[1] = list_span(node->if_stmt.orelse);
    c->span = node->if_stmt.test->span;
    compile_emit(c, OPCODE_BLOCKIF, test, block, 0);
    block_at(c, block)->depth = c->top = mark; // the test is emptied
    compile_body(c, node->if_stmt.body);
    block_else(c, block);
    compile_body(c, node->if_stmt.orelse);
    block_join(c, block, node->if_stmt.test->span);
}

// `blamed`: what the carets mark where turns do not fit.
static void block_next(Compiler *c, uint32_t block, Span blamed)
{
    c->span = blamed;
    compile_place_label(c, block_at(c, block)->end_target);
    compile_emit(c, OPCODE_BLOCKNEXT, 0, block, 0);
}

// The condition stands in front of the body and is met before each turn; on a
// tensor it is traced once more on the state (loops.c). The mark in its
// register tells the nodes of the condition from older ones.
static void staged_while(Compiler *c, const Node *node)
{
    Reg mark = compile_push(c), test = compile_push(c);
    uint32_t block = open_block(c, "while", node->span);
    compile_expression_places(c, block, node->if_stmt.test);
    // Asked before the body's places are added: so far all are the condition's.
    block_at(c, block)->flags =
        BLOCK_IS_LOOP |
        (block_at(c, block)->place_count > 0 ? BLOCK_TEST_ASSIGNS : 0);
    compile_places(c, block, node->if_stmt.body);
    compile_mark_fresh(c, block, node);
    block_at(c, block)->sides[0] = block_at(c, block)->sides[1] =
        list_span(node->if_stmt.body);
    compile_place_label(c, block_at(c, block)->else_target);
    compile_emit(c, OPCODE_BLOCKHEAD, mark, block, 0);
    test_value(c, node->if_stmt.test, test);
    c->span = node->if_stmt.test->span;
    compile_emit(c, OPCODE_BLOCKWHILE, test, block, mark);
    compile_body(c, node->if_stmt.body);
    block_next(c, block, node->if_stmt.test->span);
    compile_place_label(c, block_at(c, block)->join_target);
}

// The iterable in `state`. A call of range, zip or enumerate by name is left
// to BLOCKRANGE, which knows what to do with tensors among the arguments.
void compile_noted_to(Compiler *c, const Node *iter, Reg state)
{
    static const char *const names[] = {"range", "zip", "enumerate"};
    bool known = false;
    for (uint32_t i = 0; i < 3 && iter->kind == AST_CALL &&
                         iter->call.function->kind == AST_NAME;
         i++) {
        // Only the plain names: whether they still mean the built-ins is seen
        // at run time.
        known =
            known || strcmp(iter->call.function->name.id.text, names[i]) == 0;
    }
    for (uint32_t i = 0; known && i < iter->call.arguments.count; i++) {
        known = iter->call.arguments.items[i]->kind != AST_STARRED;
    }
    if (!known || iter->call.keywords.count > 0 ||
        iter->call.arguments.count > 200) {
        compile_to(c, iter, state);
        return;
    }
    // The call is kept apart, as a note: if an argument is a tensor, the loop
    // is traced.
    Reg mark = c->top;
    uint32_t count = iter->call.arguments.count;
    Reg window = compile_push_many(c, count + 2);
    compile_to(c, iter->call.function, window);
    for (uint32_t i = 0; i < count; i++) {
        // Arguments may be such calls, too: zip(range(n), x).
        c->top = window + i + 2;
        compile_noted_to(c, iter->call.arguments.items[i], window + i + 1);
    }
    c->span = iter->span;
    compile_emit_x(c, OPCODE_BLOCKRANGE, count, window, 0, 0);
    compile_emit(c, OPCODE_MOVET, state, window, 0);
    c->top = mark;
}

bool compile_staged_iterable(Compiler *c, const Node *call)
{
    const Node *function = call->call.function;
    if (c->staged == NULL || function->kind != AST_ATTRIBUTE ||
        function->attribute.value->kind != AST_NAME ||
        strcmp(function->attribute.value->name.id.text, "stage") != 0 ||
        strcmp(function->attribute.name.text, "for_each") != 0) {
        return false;
    }
    compile_noted_to(c, call->call.arguments.items[0], compile_push(c));
    return true;
}

// The item to the target, then the body; under a test of the loop's flags if
// it has any, since a host loop goes on when a tensor has set one.
static void for_turn(Compiler *c, const Node *node, const Node *stop, Reg item)
{
    uint32_t guard = 0;
    Reg mark = c->top;
    if (stop != NULL) {
        Reg test = compile_push(c);
        test_value(c, stop, test);
        compile_emit(c, OPCODE_BLOCKNOT, test, test, 0);
        guard = open_block(c, "for", node->span);
        block_at(c, guard)->flags = BLOCK_IS_LOOP;
        compile_expression_places(c, guard, node); // its target and body
        block_at(c, guard)->sides[0] = list_span(node->for_stmt.body);
        compile_emit(c, OPCODE_BLOCKIF, test, guard, 0);
        block_at(c, guard)->depth = c->top = mark;
    }
    compile_store_target(c, node->for_stmt.target, item);
    compile_body(c, node->for_stmt.body);
    if (stop != NULL) {
        block_else(c, guard);
        block_join(c, guard, node->for_stmt.iter->span);
    }
}

// The state is four registers as an ordinary loop has them, and the item
// behind them. The condition on which the turns end early, if there is one,
// stands between two turns.
static void staged_for(Compiler *c, const Node *node)
{
    const Node *stop = lowered_stop(c->staged, node);
    Reg state = compile_push_many(c, 5), item = state + 4;
    compile_noted_to(c, node->for_stmt.iter, state);
    uint32_t block = open_block(c, "for", node->span);
    compile_expression_places(c, block, node);
    compile_mark_fresh(c, block, node);
    // Not kept over a call that may open an inner block (block_at).
    BlockInfo *info = block_at(c, block);
    info->flags = BLOCK_IS_LOOP | (stop != NULL ? BLOCK_HAS_STOP : 0);
    info->sides[0] = info->sides[1] = list_span(node->for_stmt.body);
    info->body_target = compile_new_label(c);
    c->span = node->for_stmt.iter->span;
    compile_emit(c, OPCODE_BLOCKFOR, state, block, 0);
    compile_place_label(c, block_at(c, block)->body_target);
    for_turn(c, node, stop, item);
    block_next(c, block, node->for_stmt.iter->span);
    compile_place_label(c, block_at(c, block)->else_target);
    if (stop != NULL) {
        Reg test = compile_push(c);
        test_value(c, stop, test);
        compile_emit(c, OPCODE_BLOCKSTOP, test, block, state);
        c->top = test;
    }
    c->span = node->for_stmt.iter->span;
    compile_emit_jump(c, OPCODE_FORLOOP, state, item,
                      block_at(c, block)->body_target);
    compile_place_label(c, block_at(c, block)->join_target);
    compile_emit(c, OPCODE_DROPN, state, 5, 0);
}

// Whether to make the text or tuple of it does nothing that a program can see,
// and cannot fail.
static bool is_quiet(const Node *message)
{
    bool quiet = true;
    switch (message->kind) {
    case AST_NAME:
    case AST_CONSTANT: return true;
    case AST_FORMATTED_VALUE:
        return is_quiet(message->formatted.value) &&
               message->formatted.format_spec == NULL;
    case AST_JOINED_STR:
    case AST_TUPLE: {
        NodeList parts = message->kind == AST_TUPLE
                             ? message->sequence.elements
                             : message->joined_str.values;
        for (uint32_t i = 0; quiet && i < parts.count; i++) {
            quiet = is_quiet(parts.items[i]);
        }
        return quiet;
    }
    default: return false;
    }
}

static bool is_never(const Node *test)
{
    return test->kind == AST_CONSTANT && test->constant.type == CONSTANT_FALSE;
}

// `if not test: assert False, message`
static void staged_loud_assert(Compiler *c, const Node *node)
{
    Node *test = node->assert_stmt.test, *message = node->assert_stmt.message;
    // The statement within has a span of its own: it is no guard.
    Node not = {.kind = AST_UNARY, .span = test->span},
         never = {.kind = AST_CONSTANT, .span = test->span},
         fails = {.kind = AST_ASSERT, .span = message->span},
         branch = {.kind = AST_IF, .span = node->span};
    Node *body = &fails;
    not .unary.op = UNARY_NOT;
    not .unary.operand = test;
    never.constant.type = CONSTANT_FALSE;
    fails.assert_stmt.test = &never;
    fails.assert_stmt.message = message;
    branch.if_stmt.test = &not ;
    branch.if_stmt.body = (NodeList){&body, 1};
    staged_if(c, &branch);
}

// A quiet message is made even where a tensor will decide: it is the error's.
static void staged_assert(Compiler *c, const Node *node)
{
    bool has_message = node->assert_stmt.message != NULL;
    if (has_message && !is_quiet(node->assert_stmt.message) &&
        !is_never(node->assert_stmt.test)) {
        staged_loud_assert(c, node);
        return;
    }
    Reg test = compile_push(c);
    test_value(c, node->assert_stmt.test, test);
    uint32_t block = open_block(c, "assert", node->span);
    c->span = node->assert_stmt.test->span;
    compile_emit(c, OPCODE_BLOCKASSERT, test, block, 0);
    if (has_message) {
        compile_temp(c, node->assert_stmt.message);
    }
    c->span = node->assert_stmt.test->span;
    compile_place_label(c, block_at(c, block)->else_target);
    compile_place_label(c, block_at(c, block)->end_target);
    compile_emit_x(c, OPCODE_BLOCKFAIL, has_message, test, block, 0);
    compile_place_label(c, block_at(c, block)->join_target);
}

bool compile_staged_statement(Compiler *c, const Node *node)
{
    switch (node->kind) {
    case AST_IF: staged_if(c, node); return true;
    case AST_WHILE: staged_while(c, node); return true;
    case AST_FOR: staged_for(c, node); return true;
    case AST_ASSERT: staged_assert(c, node); return true;
    default: return false;
    }
}
