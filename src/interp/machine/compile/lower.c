// Jumps to flags.
//
// Invariant: a lowered list has no BREAK, CONTINUE or RETURN in it (but for
// the last statement of the function), and where a flag may have been set, the
// rest of the list stands under a test of that flag, or in the branch that has
// not set it. The second is preferred: `if c: return a` with `return b` behind
// it becomes an `if` with two sides and needs no flag at all.
#include "interp/machine/compile/lower.h"

#include <stdio.h>
#include <string.h>

#include "interp/machine/compile/flow.h"

// A flag: its name, and the assignments that set it, so that they can be
// taken out again if nobody tests it.
typedef struct Flag {
    Text name;
    VEC(Node *) sets;
    bool tested;
} Flag;

typedef struct LowerLoop { // the innermost loop
    struct LowerLoop *outer;
    Flag left, skipped; // by break, by continue
    uint32_t number;    // of the function's loops
} LowerLoop;

typedef struct Lower {
    AstMaker make;
    const Source *source;
    const Node *function; // that is lowered
    Lowered *out;
    LowerLoop *loop;
    Flag returned;
    uint32_t loops; // numbered so far
} Lower;

static NodeList lower_list(Lower *l, NodeList list);

// The rest of a list, which shares its items.
static NodeList list_after(NodeList list, uint32_t first)
{
    return (NodeList){list.items + first, list.count - first};
}

// --- flags ---

// Whether the function's text has it anywhere, as a name or as part of one.
static bool is_written(const Lower *l, const char *text)
{
    const char *found = strstr(l->source->text + l->function->span.start, text);
    return found != NULL && found < l->source->text + l->function->span.end;
}

// A name that the function does not have: for people one like "do_return", or
// "break_1" for the second loop.
static Text fresh_name(Lower *l, const char *stem, uint32_t number)
{
    char text[48];
    const char *bar = stem[strlen(stem) - 1] == '_' ? "" : "_";
    do {
        if (!l->out->printed) {
            snprintf(text, sizeof text, ".%s%u", stem, (unsigned)number);
        } else if (number == 0) {
            snprintf(text, sizeof text, "%s", stem);
        } else {
            snprintf(text, sizeof text, "%s%s%u", stem, bar, (unsigned)number);
        }
        number += 100; // past those of any other loop, as a rule
    } while (l->out->printed && is_written(l, text));
    Text name = ast_make_text(&l->make, text);
    l->make.failed =
        l->make.failed || !vec_push(l->make.ctx, &l->out->flags, name);
    return name;
}

// A flag gets its name when it is first set. All its assignments are
// remembered: if nobody turns out to test it, they are struck out (free_flag).
static void set_flag(Lower *l, NodeVec *out, Flag *flag, const char *stem,
                     bool value, Span span)
{
    if (flag->name.text == NULL) {
        uint32_t loop = flag == &l->returned ? 0 : l->loop->number;
        flag->name = fresh_name(l, stem, loop);
    }
    Node *set = ast_make_assign(
        &l->make, flag->name,
        ast_make_constant(&l->make, value ? CONSTANT_TRUE : CONSTANT_FALSE,
                          span),
        span);
    if (!l->make.failed && !vec_push(l->make.ctx, &flag->sets, set)) {
        l->make.failed = true;
    }
    ast_make_push(&l->make, out, set);
}

// The flags of these exits, or-ed; NULL: none has a name.
static Node *flags_node(Lower *l, uint32_t exits, Span span)
{
    Flag *flags[3] = {exits & LEAVE_RETURN ? &l->returned : NULL,
                      exits & LEAVE_BREAK ? &l->loop->left : NULL,
                      exits & LEAVE_CONTINUE ? &l->loop->skipped : NULL};
    // A flag that nothing has set yet has no name, and need not be tested.
    Node *names[3], *either;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (flags[i] != NULL && flags[i]->name.text != NULL) {
            flags[i]->tested = true;
            names[count++] =
                ast_make_name(&l->make, flags[i]->name, CONTEXT_LOAD, span);
        }
    }
    if (count < 2) {
        return count == 0 ? NULL : names[0];
    }
    either = ast_make_node(&l->make, AST_BOOL_OP, span);
    either->bool_op.op = BOOL_OR;
    either->bool_op.values = ast_make_list(&l->make, names, count);
    return either;
}

static void add_guarded(Lower *l, NodeVec *out, uint32_t exits, NodeList list)
{
    if (list.count == 0 || l->make.failed) {
        return;
    }
    Span span =
        span_join(list.items[0]->span, list.items[list.count - 1]->span);
    // Before the list is lowered: only flags set by what stands in front count.
    Node *flags = flags_node(l, exits, list.items[0]->span);
    NodeList lowered = lower_list(l, list);
    if (flags == NULL) {
        for (uint32_t i = 0; i < lowered.count; i++) {
            ast_make_push(&l->make, out, lowered.items[i]);
        }
        return;
    }
    Node *guard = ast_make_node(&l->make, AST_IF, span);
    guard->if_stmt.test = ast_make_not(&l->make, flags);
    guard->if_stmt.body = lowered;
    ast_make_push(&l->make, out, guard);
}

static void free_flag(Lower *l, Flag *flag)
{
    for (size_t i = 0; !flag->tested && i < flag->sets.count; i++) {
        flag->sets.items[i]->kind = AST_PASS;
    }
    vec_free(l->make.ctx, &flag->sets);
}

// --- statements ---

// The result goes to a variable, and a flag says that it is there; the way out
// is then to skip all the rest.
static void lower_return(Lower *l, NodeVec *out, const Node *node)
{
    Node *value = node->expr_stmt.value;
    if (value == NULL) {
        value = ast_make_constant(&l->make, CONSTANT_NONE, node->span);
    }
    if (l->out->result.text == NULL) {
        l->out->result = fresh_name(l, "retval_", 0);
    }
    ast_make_push(&l->make, out,
                  ast_make_assign(&l->make, l->out->result, value, node->span));
    set_flag(l, out, &l->returned, "do_return", true, node->span);
    l->out->returned = l->returned.name;
}

// Adds the `if`; what follows it goes into a side if the other side leaves.
// True: the rest of the list is done.
static bool lower_if(Lower *l, NodeVec *out, const Node *node, NodeList rest)
{
    Flow then = flow_of(&l->make, node->if_stmt.body);
    Flow other = flow_of(&l->make, node->if_stmt.orelse);
    // A side that falls as well needs the rest too, which then stands behind
    // under a guard instead of twice.
    bool into_other = !then.falls && then.exits != 0;
    bool into_then = !into_other && !other.falls && other.exits != 0;
    Node *copy = ast_make_copy(&l->make, node);
    ast_make_push(&l->make, out, copy);
    NodeList none = {NULL, 0};
    copy->if_stmt.body =
        lower_list(l, ast_make_join(&l->make, node->if_stmt.body,
                                    into_then ? rest : none));
    copy->if_stmt.orelse =
        lower_list(l, ast_make_join(&l->make, node->if_stmt.orelse,
                                    into_other ? rest : none));
    uint32_t exits = then.exits | other.exits;
    if (into_then || into_other) {
        return true;
    }
    if (exits != 0) {
        add_guarded(l, out, exits, rest);
    }
    return exits != 0;
}

// test, or none of the flags and then test
static Node *guarded_test(Lower *l, uint32_t exits, Node *test)
{
    Node *flags = flags_node(l, exits, test->span);
    if (flags == NULL) {
        return test;
    }
    Node *both[2] = {ast_make_not(&l->make, flags), test};
    // `while True` becomes `while not break_`.
    if (flow_is_true(test)) {
        return both[0];
    }
    Node *node = ast_make_node(&l->make, AST_BOOL_OP, test->span);
    node->bool_op.op = BOOL_AND;
    node->bool_op.values = ast_make_list(&l->make, both, 2);
    return node;
}

// WHILE and FOR keep body and else part in different members.
static void loop_parts(Node *loop, NodeList **body, NodeList **orelse)
{
    bool is_for = loop->kind == AST_FOR;
    *body = is_for ? &loop->for_stmt.body : &loop->if_stmt.body;
    *orelse = is_for ? &loop->for_stmt.orelse : &loop->if_stmt.orelse;
}

// The body of one turn, with its own `continue` flag in front.
static NodeList lower_turn(Lower *l, NodeList body, uint32_t exits)
{
    NodeVec turn = {0};
    if (exits & LEAVE_CONTINUE) {
        // It must be false again at the start of each turn.
        set_flag(l, &turn, &l->loop->skipped, "continue_", false,
                 body.items[0]->span);
    }
    NodeList lowered = lower_list(l, body);
    ast_make_push_all(&l->make, &turn, lowered);
    return ast_make_taken(&l->make, &turn);
}

// A `for` has no condition in the tree that could be extended: the compiler
// asks for it by the node (lowered_stop).
static void keep_stop(Lower *l, const Node *loop, Node *stop)
{
    if (stop != NULL && !l->make.failed &&
        !map_put(&l->out->stops, (const char *)&loop, sizeof loop,
                 (uintptr_t)stop)) {
        l->make.failed = true;
    }
}

// In front: the break flag, false. In the condition: no flag is set. Behind:
// the else part, under the same test, as an ordinary statement.
static void lower_loop(Lower *l, NodeVec *out, const Node *node)
{
    LowerLoop loop = {.outer = l->loop, .number = l->loops++};
    Node *copy = ast_make_copy(&l->make, node);
    NodeList *body, *orelse;
    // The copy is changed, the tree that was parsed stays as it is.
    loop_parts(copy, &body, &orelse);
    NodeList turns = *body, after = *orelse;
    // Of the body as it was: the lowered one has no jumps any more.
    Flow flow = flow_of(&l->make, turns);
    uint32_t ends = flow.exits & (LEAVE_BREAK | LEAVE_RETURN);
    l->loop = &loop;
    // The flag begins as False in front of the loop.
    if (flow.exits & LEAVE_BREAK) {
        set_flag(l, out, &loop.left, "break_", false, node->span);
    }
    ast_make_push(&l->make, out, copy);
    *body = lower_turn(l, turns, flow.exits);
    // It is built as a statement behind the loop.
    *orelse = (NodeList){NULL, 0};
    // `while` tests the flags with its condition; `for` has no test, and gets a
    // stop.
    if (copy->kind == AST_WHILE) {
        copy->if_stmt.test = guarded_test(l, ends, copy->if_stmt.test);
    } else {
        keep_stop(l, copy, flags_node(l, ends, node->span));
    }
    Node *left = flags_node(l, ends, node->span);
    l->loop = loop.outer;
    if (after.count > 0) { // `else` runs if the loop was not left
        Node *guard = ast_make_node(&l->make, AST_IF, node->span);
        guard->if_stmt.test =
            left != NULL
                ? ast_make_not(&l->make, left)
                : ast_make_constant(&l->make, CONSTANT_TRUE, node->span);
        guard->if_stmt.body = lower_list(l, after);
        ast_make_push(&l->make, out, guard);
    }
    free_flag(l, &loop.left);
    free_flag(l, &loop.skipped);
}

// An error that came behind a jump, out of a `finally` or `with` that the jump
// led through, has the last word.
static void drop_jumps(Lower *l, NodeVec *out, uint32_t exits, Span span)
{
    if (exits & LEAVE_RETURN) {
        set_flag(l, out, &l->returned, "do_return", false, span);
    }
    if (exits & LEAVE_BREAK) {
        set_flag(l, out, &l->loop->left, "break_", false, span);
    }
    if (exits & LEAVE_CONTINUE) {
        set_flag(l, out, &l->loop->skipped, "continue_", false, span);
    }
}

// Handlers are copied one by one, since their bodies change. `exits`: of what
// they guard.
static void lower_handlers(Lower *l, Node *copy, uint32_t exits)
{
    NodeVec handlers = {0};
    for (uint32_t i = 0; i < copy->try_stmt.handlers.count; i++) {
        Node *handler =
            ast_make_copy(&l->make, copy->try_stmt.handlers.items[i]);
        NodeVec body = {0};
        drop_jumps(l, &body, exits, handler->span);
        NodeList lowered = lower_list(l, handler->handler.body);
        ast_make_push_all(&l->make, &body, lowered);
        handler->handler.body = ast_make_taken(&l->make, &body);
        ast_make_push(&l->make, &handlers, handler);
    }
    copy->try_stmt.handlers = ast_make_taken(&l->make, &handlers);
}

// `except: LAST`, which raises the error again if LAST does not jump.
static Node *last_handler(Lower *l, NodeList last, uint32_t exits, Span span)
{
    Flow flow = flow_of(&l->make, last);
    Node *handler = ast_make_node(&l->make, AST_EXCEPT_HANDLER, span);
    NodeVec body = {0};
    drop_jumps(l, &body, exits, span);
    NodeList lowered = lower_list(l, last);
    ast_make_push_all(&l->make, &body, lowered);
    if (flow.falls) {
        Node *raise = ast_make_node(&l->make, AST_RAISE, span);
        Node *guard = ast_make_node(&l->make, AST_IF, span);
        Node *flags = flags_node(l, flow.exits, span);
        if (flags != NULL) {
            guard->if_stmt.test = ast_make_not(&l->make, flags);
            guard->if_stmt.body = ast_make_list(&l->make, &raise, 1);
            ast_make_push(&l->make, &body, guard);
        }
    }
    handler->handler.body = ast_make_taken(&l->make, &body);
    return handler;
}

// A `finally` that may jump drops the error that it was come to by: it stands
// in a handler of all errors, and once more for the way without one.
static void lower_dropping(Lower *l, NodeVec *out, Node *copy, uint32_t exits)
{
    NodeList last = copy->try_stmt.finalbody;
    copy->try_stmt.finalbody = (NodeList){NULL, 0};
    if (copy->try_stmt.handlers.count > 0) {
        Node *whole = ast_make_node(&l->make, AST_TRY, copy->span);
        whole->try_stmt.body = ast_make_list(&l->make, &copy, 1);
        copy = whole;
    }
    Node *handler = last_handler(l, last, exits, copy->span);
    copy->try_stmt.handlers = ast_make_list(&l->make, &handler, 1);
    copy->try_stmt.orelse = lower_list(l, last);
    ast_make_push(&l->make, out, copy);
}

// A jump out of `try` becomes a flag too, so that `finally` is simply come to.
// The else part runs only if the body came to its end.
static void lower_try(Lower *l, NodeVec *out, const Node *node)
{
    Node *copy = ast_make_copy(&l->make, node);
    Flow flow = flow_of(&l->make, node->try_stmt.body);
    Flow last = flow_of(&l->make, node->try_stmt.finalbody);
    copy->try_stmt.body = lower_list(l, node->try_stmt.body);
    lower_handlers(l, copy, flow.exits);
    NodeVec orelse = {0};
    add_guarded(l, &orelse, flow.exits, node->try_stmt.orelse);
    copy->try_stmt.orelse = ast_make_taken(&l->make, &orelse);
    if (last.exits != 0) {
        lower_dropping(l, out, copy, flow_of_statement(&l->make, node).exits);
    } else {
        copy->try_stmt.finalbody = lower_list(l, node->try_stmt.finalbody);
        ast_make_push(&l->make, out, copy);
    }
}

// `if False:` what stands behind a jump: nothing runs it, but what it sets are
// names of the function.
static void add_unreached(Lower *l, NodeVec *out, NodeList list)
{
    if (list.count > 0 && !l->make.failed) {
        Span span =
            span_join(list.items[0]->span, list.items[list.count - 1]->span);
        Node *never = ast_make_node(&l->make, AST_IF, span);
        never->if_stmt.test = ast_make_constant(&l->make, CONSTANT_FALSE, span);
        never->if_stmt.body = lower_list(l, list);
        ast_make_push(&l->make, out, never);
    }
}

// True: the rest of the list is done.
static bool lower_statement(Lower *l, NodeVec *out, Node *node, NodeList rest)
{
    switch (node->kind) {
    case AST_RETURN:
        lower_return(l, out, node);
        add_unreached(l, out, rest);
        return true;
    // A jump becomes the setting of a flag; what follows is put under a guard.
    case AST_BREAK:
        if (l->loop != NULL) {
            set_flag(l, out, &l->loop->left, "break_", true, node->span);
        }
        add_unreached(l, out, rest);
        return true;
    case AST_CONTINUE:
        if (l->loop != NULL) {
            set_flag(l, out, &l->loop->skipped, "continue_", true, node->span);
        }
        add_unreached(l, out, rest);
        return true;
    case AST_IF: return lower_if(l, out, node, rest);
    case AST_WHILE:
    case AST_FOR: lower_loop(l, out, node); break;
    case AST_TRY: lower_try(l, out, node); break;
    case AST_WITH: {
        Node *copy = ast_make_copy(&l->make, node);
        copy->with_stmt.body = lower_list(l, node->with_stmt.body);
        ast_make_push(&l->make, out, copy);
        break;
    }
    default: ast_make_push(&l->make, out, node); return false;
    }
    // Of the original statement, for the same reason.
    uint32_t exits = flow_of_statement(&l->make, node).exits;
    if (exits != 0) {
        add_guarded(l, out, exits, rest);
    }
    return exits != 0;
}

// The heart of it: where a statement may set a flag, whatever follows it in
// the list is taken along by it (into a side of an `if`, or under a guard),
// and the list ends there.
static NodeList lower_list(Lower *l, NodeList list)
{
    NodeVec out = {0};
    if (l->make.failed || !ctx_enter(l->make.ctx)) {
        l->make.failed = true;
        return (NodeList){NULL, 0};
    }
    for (uint32_t i = 0; i < list.count && !l->make.failed; i++) {
        if (lower_statement(l, &out, list.items[i], list_after(list, i + 1))) {
            break;
        }
    }
    ctx_leave(l->make.ctx);
    return ast_make_taken(&l->make, &out);
}

// --- the function ---

// Most functions have no jump but a last `return`: those keep their own tree,
// and real returns. `inside`: under a condition or in a loop.
static bool needs_lowering(Lower *l, NodeList list, bool inside)
{
    bool needs = false;
    for (uint32_t i = 0; i < list.count && !needs && !l->make.failed; i++) {
        const Node *node = list.items[i];
        switch (node->kind) {
        // At the top level, what follows a return is unreachable.
        case AST_RETURN: needs = inside; break;
        // Any jump out of a block that may be traced.
        case AST_IF:
            needs = flow_of_statement(&l->make, node).exits != 0 ||
                    needs_lowering(l, node->if_stmt.body, true) ||
                    needs_lowering(l, node->if_stmt.orelse, true);
            break;
        case AST_WHILE:
            needs = node->if_stmt.orelse.count > 0 ||
                    flow_of(&l->make, node->if_stmt.body).exits != 0 ||
                    needs_lowering(l, node->if_stmt.body, true);
            break;
        case AST_FOR:
            needs = node->for_stmt.orelse.count > 0 ||
                    flow_of(&l->make, node->for_stmt.body).exits != 0 ||
                    needs_lowering(l, node->for_stmt.body, true);
            break;
        case AST_TRY:
            needs = flow_of_statement(&l->make, node).exits != 0 ||
                    needs_lowering(l, node->try_stmt.body, inside) ||
                    needs_lowering(l, node->try_stmt.orelse, inside) ||
                    needs_lowering(l, node->try_stmt.finalbody, inside);
            for (uint32_t j = 0; j < node->try_stmt.handlers.count; j++) {
                const Node *handler = node->try_stmt.handlers.items[j];
                needs =
                    needs || needs_lowering(l, handler->handler.body, inside);
            }
            break;
        case AST_WITH:
            needs = needs_lowering(l, node->with_stmt.body, inside);
            break;
        default: break;
        }
    }
    return needs;
}

// False before the first statement, the result behind the last one.
static void finish_function(Lower *l, const Node *function, NodeList body)
{
    NodeVec out = {0};
    Span span = function->span;
    uint32_t first = 0;
    if (body.count > 0 && body.items[0]->kind == AST_EXPR_STMT &&
        body.items[0]->expr_stmt.value->kind == AST_CONSTANT) {
        ast_make_push(&l->make, &out, body.items[first++]); // the docstring
    }
    if (l->returned.tested) {
        ast_make_push(
            &l->make, &out,
            ast_make_assign(&l->make, l->returned.name,
                            ast_make_constant(&l->make, CONSTANT_FALSE, span),
                            span));
    }
    ast_make_push_all(&l->make, &out, list_after(body, first));
    if (l->out->result.text != NULL) {
        Node *node = ast_make_node(&l->make, AST_RETURN, span);
        node->expr_stmt.value =
            ast_make_name(&l->make, l->out->result, CONTEXT_LOAD, span);
        ast_make_push(&l->make, &out, node);
    }
    l->out->body = ast_make_taken(&l->make, &out);
}

// A function that can fall off its end while it has results elsewhere gets the
// `return None` that it stands for, so that merging sees it.
bool lower_function(Ctx *ctx, Arena *arena, const Source *source,
                    const Node *function, bool printed, Lowered *out)
{
    *out = (Lowered){.body = function->function_def.body, .printed = printed};
    map_init(&out->stops, ctx);
    Lower l = {.make = {.ctx = ctx, .arena = arena},
               .source = source,
               .function = function,
               .out = out};
    // The tree stays as it is; out->body is the original list.
    if (!needs_lowering(&l, out->body, false)) {
        return !l.make.failed;
    }
    NodeList body = out->body;
    Flow flow = flow_of(&l.make, body);
    if (flow.exits != 0 && flow.falls) { // falls off the end: returns None
        Node *last = ast_make_node(&l.make, AST_RETURN, function->span);
        body = ast_make_join(&l.make, body, ast_make_list(&l.make, &last, 1));
    }
    body = lower_list(&l, body);
    finish_function(&l, function, body);
    free_flag(&l, &l.returned);
    return !l.make.failed;
}

void lowered_free(Lowered *lowered)
{
    vec_free(lowered->stops.ctx, &lowered->flags);
    map_free(&lowered->stops);
}

// By address: the compiler meets the very nodes that lowering made.
const Node *lowered_stop(const Lowered *lowered, const Node *loop)
{
    const uint64_t *found =
        map_get(&lowered->stops, (const char *)&loop, sizeof loop);
    return found == NULL ? NULL : (const Node *)(uintptr_t)*found;
}
