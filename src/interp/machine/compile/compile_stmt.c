// Statements.
#include <string.h>

#include "interp/machine/compile/compile.h"
#include "interp/objects/containers/obj_list.h"

// What was assigned since `count` may be unbound again: its body may have been
// left early, or never entered.
static void forget_bound(Compiler *c, size_t count)
{
    while (c->bound.count > count) {
        Symbol *symbol = vec_pop(&c->bound);
        symbol->flags &= ~(uint32_t)SYMBOL_BOUND;
    }
}

// `break` and `continue` find the loop through c->exits.
static void loop_body(Compiler *c, NodeList list, Exit *loop)
{
    c->exits = loop;
    compile_blocks_limit(c);
    compile_body(c, list);
    c->exits = loop->outer;
}

// Inverted: the test stands at the bottom.
static void while_stmt(Compiler *c, const Node *node)
{
    Exit loop = {.kind = EXIT_LOOP,
                 .outer = c->exits,
                 .handled = c->handled,
                 .break_label = compile_new_label(c),
                 .continue_label = compile_new_label(c)};
    // The first test is reached by a jump; each turn then costs one jump only.
    // `continue` goes where the test stands, too.
    compile_emit_jump(c, OPCODE_JMP, 0, 0, loop.continue_label);
    uint32_t again = compile_label_here(c);
    loop_body(c, node->if_stmt.body, &loop);
    compile_place_label(c, loop.continue_label);
    compile_jump_if(c, node->if_stmt.test, true, again, node);
    // `else` runs when the test fails; `break` jumps behind it.
    compile_body(c, node->if_stmt.orelse);
    compile_place_label(c, loop.break_label);
}

// By the name alone: FORPREP asks at run time whether it still is range.
static bool calls_range(const Node *iter)
{
    if (iter->kind != AST_CALL || iter->call.keywords.count > 0 ||
        iter->call.arguments.count == 0 || iter->call.arguments.count > 3 ||
        iter->call.function->kind != AST_NAME ||
        strcmp(iter->call.function->name.id.text, "range") != 0) {
        return false;
    }
    for (uint32_t i = 0; i < iter->call.arguments.count; i++) {
        if (iter->call.arguments.items[i]->kind == AST_STARRED) {
            return false;
        }
    }
    return true;
}

// A call of `range` by that name is not made: FORPREP counts, if the name then
// still means range.
static void for_stmt(Compiler *c, const Node *node)
{
    const Node *iter = node->for_stmt.iter, *target = node->for_stmt.target;
    // The loop's state stays in four registers until the loop ends; `break`
    // drops them (leave_loop), and so does compile_leave_to on the way out of
    // more.
    Reg state = compile_push_many(c, 4);
    Exit loop = {.kind = EXIT_LOOP,
                 .outer = c->exits,
                 .handled = c->handled,
                 .base = state,
                 .count = 4,
                 .break_label = compile_new_label(c),
                 .continue_label = compile_new_label(c)};
    if (calls_range(iter)) {
        // The function is read nevertheless: FORPREP calls it if it is not
        // range.
        compile_to(c, iter->call.function, state);
        for (uint32_t i = 0; i < iter->call.arguments.count; i++) {
            compile_to(c, iter->call.arguments.items[i], state + 1 + i);
        }
        c->span = iter->span;
        compile_emit_jump(c, OPCODE_FORPREP, state, iter->call.arguments.count,
                          loop.continue_label);
    } else {
        compile_walked_to(c, iter, state);
        c->span = node->span; // the statement is blamed
        compile_emit_jump(c, OPCODE_GETITER, state, 0, loop.continue_label);
    }
    uint32_t again = compile_label_here(c);
    // A plain local takes the item straight from FORLOOP.
    Symbol *local = compile_local_symbol(c, target);
    Reg item = local != NULL ? local->index : compile_push(c);
    if (local == NULL) {
        compile_store_target(c, target, item);
        c->top = item;
    }
    // Bound in every turn, yet not behind a loop without turns.
    size_t bound = c->bound.count;
    compile_note_bound(c, target);
    loop_body(c, node->for_stmt.body, &loop);
    forget_bound(c, bound);
    compile_place_label(c, loop.continue_label);
    c->span = node->span; // so that an error in the iterator has no carets
    compile_emit_jump(c, OPCODE_FORLOOP, state, item, again);
    c->top = state;
    compile_body(c, node->for_stmt.orelse);
    compile_place_label(c, loop.break_label);
}

static void leave_loop(Compiler *c, const Node *node)
{
    bool is_break = node->kind == AST_BREAK;
    // A function's body starts with no exits, so an outer function's loop is
    // never found.
    Exit *loop = c->exits;
    while (loop != NULL && loop->kind != EXIT_LOOP) {
        loop = loop->outer;
    }
    if (loop == NULL) {
        compile_error(c, node->span,
                      is_break ? "'break' outside loop"
                               : "'continue' not properly in loop");
        return;
    }
    // Blocks inside the loop end on the way; the loop itself does not.
    compile_leave_to(c, loop, NULL);
    // `continue` keeps the state for the next turn.
    if (is_break && loop->count > 0) {
        compile_emit(c, OPCODE_DROPN, loop->base, loop->count, 0);
    }
    compile_emit_jump(c, OPCODE_JMP, 0, 0,
                      is_break ? loop->break_label : loop->continue_label);
    compile_leave_resume(c, loop);
}

// The value is computed before the blocks are left, and kept where they cannot
// reach it: `finally` may assign the local that is returned.
static void return_stmt(Compiler *c, const Node *node)
{
    static const Node none = {.kind = AST_CONSTANT};
    const Node *value = node->expr_stmt.value;
    Reg mark = c->top;
    // The short form, where no block has to be left.
    if (value == NULL && c->exits == NULL && !c->scope->is_generator) {
        compile_emit(c, OPCODE_RETN, 0, c->local_count, 0);
        return;
    }
    if (value == NULL) {
        value = &none;
    }
    // A temporary is what no code of the blocks can name.
    Reg result =
        c->exits == NULL ? compile_any(c, value) : compile_temp(c, value);
    compile_leave_to(c, NULL, &result);
    // What can fail is the value: an unbound local, a result of a trace.
    c->span = value != &none ? value->span : node->span;
    compile_emit(c, c->scope->is_generator ? OPCODE_RETGEN : OPCODE_RET, result,
                 c->local_count, 0);
    // What follows is dead code, compiled as if still inside of the blocks.
    compile_leave_resume(c, NULL);
    c->top = mark;
}

static void if_stmt(Compiler *c, const Node *node)
{
    uint32_t end = compile_new_label(c);
    for (;;) { // down a chain of elif without recursion
        uint32_t otherwise = compile_new_label(c);
        compile_jump_if(c, node->if_stmt.test, false, otherwise, node);
        compile_body(c, node->if_stmt.body);
        NodeList orelse = node->if_stmt.orelse;
        if (orelse.count > 0) {
            compile_emit_jump(c, OPCODE_JMP, 0, 0, end);
        }
        compile_place_label(c, otherwise);
        // The parser nests `elif` in orelse; it is a branch of the same chain.
        if (orelse.count != 1 || orelse.items[0]->kind != AST_IF) {
            compile_body(c, orelse);
            break;
        }
        node = orelse.items[0];
    }
    compile_place_label(c, end);
}

enum { PAIRWISE_MOST = 8 }; // more values at once are worth a tuple

static bool without_stars(NodeList items)
{
    for (uint32_t i = 0; i < items.count; i++) {
        if (items.items[i]->kind == AST_STARRED) {
            return false;
        }
    }
    return true;
}

// `a, b = b, a`: all values are computed first, then stored from left to
// right, without a tuple in between. False: another form.
static bool assign_pairwise(Compiler *c, const Node *target, const Node *value)
{
    if ((target->kind != AST_TUPLE && target->kind != AST_LIST) ||
        value->kind != AST_TUPLE) {
        return false;
    }
    NodeList places = target->sequence.elements;
    NodeList values = value->sequence.elements;
    if (places.count != values.count || places.count > PAIRWISE_MOST ||
        !without_stars(places) || !without_stars(values)) {
        return false;
    }
    Reg first = c->top;
    for (uint32_t i = 0; i < values.count; i++) {
        compile_temp(c, values.items[i]);
    }
    for (uint32_t i = 0; i < places.count; i++) {
        compile_store_target(c, places.items[i], first + i);
    }
    c->top = first;
    return true;
}

// `a = b = value` stores from left to right, each target a copy of its own.
static void assign_stmt(Compiler *c, const Node *node)
{
    NodeList targets = node->assign.targets;
    Symbol *local = compile_local_symbol(c, targets.items[0]);
    // Straight into the local: no copy.
    // Only where the target is the one; with more the value has to outlive the
    // first store.
    if (targets.count == 1 && local != NULL) {
        compile_to(c, node->assign.value, local->index);
        return;
    }
    if (targets.count == 1 &&
        assign_pairwise(c, targets.items[0], node->assign.value)) {
        return;
    }
    // With several, the value needs a register that no store in between can
    // change.
    Reg value = targets.count == 1 ? compile_any(c, node->assign.value)
                                   : compile_temp(c, node->assign.value);
    for (uint32_t i = 0; i < targets.count; i++) {
        // compile_store_target empties a temporary, so all but the last get a
        // copy.
        Reg source = value;
        if (i + 1 < targets.count) {
            source = compile_push(c);
            compile_emit(c, OPCODE_MOVE, source, value, 0);
        }
        compile_store_target(c, targets.items[i], source);
    }
}

// Annotations are kept where a namespace can hold them: modules and classes.
static void ann_assign(Compiler *c, const Node *node)
{
    const Node *target = node->ann_assign.target;
    // `x: int` alone assigns nothing. In functions annotations are not
    // evaluated.
    if (node->ann_assign.value != NULL) {
        compile_store_target(c, target,
                             compile_temp(c, node->ann_assign.value));
    }
    // `(x): int` and `a.b: int` are not simple, and are not kept.
    if (node->ann_assign.simple &&
        (c->scope->kind == SCOPE_MODULE || c->scope->kind == SCOPE_CLASS)) {
        Reg value = compile_annotation(c, node->ann_assign.annotation);
        compile_emit(c, OPCODE_ANNOTATE, value,
                     compile_name_constant(c, target->name.id), 0);
    }
}

static void raise_stmt(Compiler *c, const Node *node)
{
    if (node->raise_stmt.exception == NULL) {
        compile_emit(c, OPCODE_RAISE_AGAIN, 0, 0, 0);
        return;
    }
    Reg exception = compile_temp(c, node->raise_stmt.exception);
    Reg cause = exception;
    if (node->raise_stmt.cause != NULL) {
        cause = compile_temp(c, node->raise_stmt.cause);
    }
    // The operands have set it to their own places.
    c->span = node->span;
    compile_emit_x(c, OPCODE_RAISE, cause != exception, exception, cause, 0);
}

// The comparison that jumps have seen last, which is blamed for the whole;
// NULL: there is none.
static const Node *last_compare(const Node *test)
{
    const Node *found = NULL;
    switch (test->kind) {
    case AST_COMPARE: return test;
    case AST_UNARY:
        return test->unary.op == UNARY_NOT ? last_compare(test->unary.operand)
                                           : NULL;
    case AST_BOOL_OP:
        for (uint32_t i = 0; i < test->bool_op.values.count; i++) {
            const Node *next = last_compare(test->bool_op.values.items[i]);
            found = next != NULL ? next : found;
        }
        return found;
    default: return NULL;
    }
}

// The message is evaluated only if the test fails. The last comparison is what
// the traceback marks.
static void assert_stmt(Compiler *c, const Node *node)
{
    uint32_t fine = compile_new_label(c);
    compile_jump_if(c, node->assert_stmt.test, true, fine, node);
    Reg message = c->top;
    if (node->assert_stmt.message != NULL) {
        compile_temp(c, node->assert_stmt.message);
    }
    const Node *blamed = last_compare(node->assert_stmt.test);
    c->span = blamed != NULL ? blamed->span : node->span;
    compile_emit_x(c, OPCODE_ASSERTFAIL, node->assert_stmt.message != NULL,
                   message, 0, 0);
    compile_place_label(c, fine);
}

// The package of a dotted name; copied to the arena, as a Text of a name ends
// in a NUL.
static Text before_dot(Compiler *c, Text name)
{
    const char *dot = strchr(name.text, '.');
    if (dot != NULL) {
        name.length = (size_t)(dot - name.text);
        name.text = arena_strndup(c->table->arena, name.text, name.length);
        c->failed = c->failed || name.text == NULL;
    }
    return name;
}

// `import a.b` binds a; `import a.b as c` binds a.b (the fromlist is ()).
static void import_stmt(Compiler *c, const Node *node)
{
    static const Node none = {.kind = AST_CONSTANT};
    for (uint32_t i = 0; i < node->names.names.count && !c->failed; i++) {
        const Node *alias = node->names.names.items[i];
        Text as = alias->alias.asname, name = alias->alias.name;
        Reg module = compile_push(c);
        // None asks for the top package, anything else for the module named.
        uint32_t wanted =
            as.text == NULL
                ? compile_constant_node(c, &none)
                : compile_constant_value(
                      c, value_retain(value_from_object(c->vm->empty_tuple)));
        compile_emit(c, OPCODE_IMPORT, module,
                     compile_constant_name(c, name.text, name.length), wanted);
        // Without `as` the name bound is the top package's.
        as = as.text == NULL ? before_dot(c, name) : as;
        compile_store_name(c, as, module);
        c->top = module;
    }
}

// The fromlist is there to say that the module itself is wanted.
static void import_from(Compiler *c, const Node *node)
{
    Text from = node->import_from.module;
    NodeList names = node->import_from.names;
    compile_future_check(c, node);
    uint32_t wanted = compile_constant_value(
        c, value_retain(value_from_object(c->vm->empty_tuple)));
    Reg module = compile_push(c);
    compile_emit_x(c, OPCODE_IMPORT, node->import_from.level, module,
                   compile_constant_name(c, from.text == NULL ? "" : from.text,
                                         from.length),
                   wanted);
    for (uint32_t i = 0; i < names.count && !c->failed; i++) {
        const Node *alias = names.items[i];
        Text name = alias->alias.name, as = alias->alias.asname;
        if (name.text[0] == '*') {
            compile_emit(c, OPCODE_IMPORTSTAR, module, 0, 0);
            return;
        }
        Reg value = compile_push(c);
        compile_emit(c, OPCODE_IMPORTFROM, value, module,
                     compile_constant_name(c, name.text, name.length));
        compile_store_name(c, as.text == NULL ? name : as, value);
        c->top = value;
    }
    compile_emit(c, OPCODE_DROP, module, 0, 0);
}

// sys.displayhook(value), looked up at each call as a program may set it.
static void show_value(Compiler *c, const Node *expression)
{
    uint32_t wanted = compile_constant_value(
        c, value_retain(value_from_object(c->vm->empty_tuple)));
    Reg hook = compile_push_many(c, 2);
    compile_emit(c, OPCODE_IMPORT, hook, compile_constant_name(c, "sys", 3),
                 wanted);
    compile_emit(
        c, OPCODE_GETATTR, hook, hook,
        compile_constant_name(c, "displayhook", strlen("displayhook")));
    compile_to(c, expression, hook + 1);
    compile_emit(c, OPCODE_CALL, hook, 1, 0);
    compile_emit(c, OPCODE_DROP, hook, 0, 0);
}

// The last expression statement of a prompt's entry is its value.
// What is sent to a `yield` that is a whole statement is not even stored.
static void expression_stmt(Compiler *c, const Node *node)
{
    const Node *expression = node->expr_stmt.value;
    if (c->shows) {
        show_value(c, expression);
        return;
    }
    if (expression->kind == AST_YIELD && node != c->result &&
        expression->expr_stmt.value != NULL) {
        Reg source = compile_temp(c, expression->expr_stmt.value);
        c->span = expression->span;
        compile_emit_x(c, OPCODE_YIELD, 2, source, source, 0);
        return;
    }
    Reg value = compile_temp(c, expression);
    if (node == c->result) {
        compile_emit(c, OPCODE_RET, value, c->local_count, 0);
    } else {
        compile_emit(c, OPCODE_DROP, value, 0, 0);
    }
}

static void definition(Compiler *c, const Node *node)
{
    Reg value = compile_push(c);
    bool function = node->kind == AST_FUNCTION_DEF;
    if (function) {
        compile_function_to(c, node, value);
    } else {
        compile_class_to(c, node, value);
    }
    compile_store_name(
        c, function ? node->function_def.name : node->class_def.name, value);
}

static void statement(Compiler *c, const Node *node)
{
    // A staged function compiles its branches and loops in another way.
    if (UNLIKELY(c->staged != NULL) && compile_staged_statement(c, node)) {
        return;
    }
    switch (node->kind) {
    case AST_EXPR_STMT: expression_stmt(c, node); break;
    case AST_ASSIGN: assign_stmt(c, node); break;
    case AST_AUG_ASSIGN: compile_aug_assign(c, node); break;
    case AST_ANN_ASSIGN: ann_assign(c, node); break;
    case AST_RETURN: return_stmt(c, node); break;
    case AST_DELETE:
        for (uint32_t i = 0; i < node->delete_stmt.targets.count; i++) {
            compile_delete_target(c, node->delete_stmt.targets.items[i]);
        }
        break;
    case AST_BREAK:
    case AST_CONTINUE: leave_loop(c, node); break;
    case AST_IF: if_stmt(c, node); break;
    case AST_WHILE: while_stmt(c, node); break;
    case AST_FOR: for_stmt(c, node); break;
    case AST_TRY: compile_try(c, node); break;
    case AST_WITH: compile_with(c, node); break;
    case AST_RAISE: raise_stmt(c, node); break;
    case AST_ASSERT: assert_stmt(c, node); break;
    case AST_IMPORT: import_stmt(c, node); break;
    case AST_IMPORT_FROM: import_from(c, node); break;
    case AST_FUNCTION_DEF:
    case AST_CLASS_DEF: definition(c, node); break;
    default: break; // pass, global, nonlocal
    }
}

// Temporaries of a statement are all free again after it.
void compile_body(Compiler *c, NodeList list)
{
    if (c->failed || !ctx_enter(&c->vm->ctx)) {
        c->failed = true;
        return;
    }
    size_t bound = c->bound.count;
    for (uint32_t i = 0; i < list.count && !c->failed; i++) {
        Reg mark = c->top;
        c->span = list.items[i]->span;
        statement(c, list.items[i]);
        c->top = mark;
        if (list.items[i]->kind == AST_ASSIGN) {
            compile_note_bound(c, list.items[i]->assign.targets.items[0]);
        }
    }
    forget_bound(c, bound);
    ctx_leave(&c->vm->ctx);
}
