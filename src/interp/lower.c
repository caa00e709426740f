// Jumps to flags.
//
// Invariant: a lowered list has no BREAK, CONTINUE or RETURN in it (but for
// the last statement of the function), and where a flag may have been set, the
// rest of the list stands under a test of that flag, or in the branch that has
// not set it. The second is preferred: `if c: return a` with `return b` behind
// it becomes an `if` with two sides and needs no flag at all.
#include "interp/lower.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"

// Which flags a list may set.
enum { LEAVE_RETURN = 1, LEAVE_BREAK = 2, LEAVE_CONTINUE = 4 };

// How control leaves a list of statements.
typedef struct Flow {
    uint32_t exits; // LEAVE_…: jumps that it may take
    bool falls;     // it may come to its end
} Flow;

// A flag: its name, and the assignments that set it, so that they can be
// taken out again if nobody tests it.
typedef struct Flag {
    Text name;
    VEC(Node *) sets;
    bool tested;
} Flag;

typedef struct LowerLoop { // the innermost loop
    struct LowerLoop *outer;
    Flag left, skipped;    // by break, by continue
} LowerLoop;

typedef VEC(Node *) NodeVec;

typedef struct Lower {
    Ctx *ctx;
    Arena *arena;
    const Source *source;
    Lowered *out;
    LowerLoop *loop;
    Flag returned;
    uint32_t named; // flags that have names so far
    bool failed;
} Lower;

static NodeList lower_list(Lower *l, NodeList list);

// --- what a list does ---

static Flow flow_of(Lower *l, NodeList list);

static bool is_true(const Node *test)
{
    return test->kind == AST_CONSTANT &&
           (test->constant.type == CONSTANT_TRUE ||
            (test->constant.type == CONSTANT_INT &&
             strcmp(test->constant.text.text, "0") != 0));
}

static Flow flow_join(Flow a, Flow b)
{
    return (Flow){a.exits | b.exits, a.falls || b.falls};
}

// One after the other; nothing of `b` runs if `a` does not fall.
static Flow flow_then(Flow a, Flow b)
{
    return a.falls ? (Flow){a.exits | b.exits, b.falls} : a;
}

static Flow flow_loop(Lower *l, const Node *node)
{
    bool is_for = node->kind == AST_FOR;
    Flow inner =
        flow_of(l, is_for ? node->for_stmt.body : node->if_stmt.body);
    Flow after =
        flow_of(l, is_for ? node->for_stmt.orelse : node->if_stmt.orelse);
    bool endless = !is_for && is_true(node->if_stmt.test);
    bool breaks = inner.exits & LEAVE_BREAK;
    after.falls = (after.falls && !endless) || breaks;
    return (Flow){(inner.exits & LEAVE_RETURN) | after.exits, after.falls};
}

static Flow flow_try(Lower *l, const Node *node)
{
    Flow flow = flow_then(flow_of(l, node->try_stmt.body),
                          flow_of(l, node->try_stmt.orelse));
    for (uint32_t i = 0; i < node->try_stmt.handlers.count; i++) {
        const Node *handler = node->try_stmt.handlers.items[i];
        flow = flow_join(flow, flow_of(l, handler->handler.body));
    }
    Flow last = flow_of(l, node->try_stmt.finalbody);
    return (Flow){flow.exits | last.exits, flow.falls && last.falls};
}

static Flow flow_of_statement(Lower *l, const Node *node)
{
    switch (node->kind) {
    case AST_RETURN: return (Flow){LEAVE_RETURN, false};
    case AST_BREAK: return (Flow){LEAVE_BREAK, false};
    case AST_CONTINUE: return (Flow){LEAVE_CONTINUE, false};
    case AST_RAISE: return (Flow){0, false};
    case AST_IF:
        return flow_join(flow_of(l, node->if_stmt.body),
                         flow_of(l, node->if_stmt.orelse));
    case AST_WHILE:
    case AST_FOR: return flow_loop(l, node);
    case AST_TRY: return flow_try(l, node);
    case AST_WITH: return flow_of(l, node->with_stmt.body);
    default: return (Flow){0, true};
    }
}

static Flow flow_of(Lower *l, NodeList list)
{
    Flow flow = {0, true};
    if (l->failed || !ctx_enter(l->ctx)) {
        l->failed = true;
        return flow;
    }
    for (uint32_t i = 0; i < list.count && flow.falls; i++) {
        flow = flow_then(flow, flow_of_statement(l, list.items[i]));
    }
    ctx_leave(l->ctx);
    return flow;
}

// --- nodes ---

static Node *node_new(Lower *l, AstKind kind, Span span)
{
    static Node nowhere; // after a failure: written to, never read
    Node *node = l->failed ? NULL : arena_new(l->arena, Node);
    if (node == NULL) {
        l->failed = true;
        return &nowhere;
    }
    node->kind = (uint8_t)kind;
    node->span = span;
    return node;
}

static Node *node_copy(Lower *l, const Node *node)
{
    Node *copy = node_new(l, (AstKind)node->kind, node->span);
    *copy = *node;
    return copy;
}

static Node *name_node(Lower *l, Text name, AstContext context, Span span)
{
    Node *node = node_new(l, AST_NAME, span);
    node->name.id = name;
    node->name.context = context;
    return node;
}

static Node *constant_of(Lower *l, ConstantType type, Span span)
{
    Node *node = node_new(l, AST_CONSTANT, span);
    node->constant.type = type;
    return node;
}

static NodeList list_of(Lower *l, Node *const *items, size_t count)
{
    NodeList list = {NULL, 0};
    if (count > 0 && !l->failed) {
        list.items = arena_new_array(l->arena, Node *, count);
        if (list.items == NULL) {
            l->failed = true;
            return list;
        }
        memcpy(list.items, items, count * sizeof *items);
        list.count = (uint32_t)count;
    }
    return list;
}

static NodeList list_join(Lower *l, NodeList a, NodeList b)
{
    NodeList list = {NULL, 0};
    if (a.count == 0 || b.count == 0) {
        return a.count == 0 ? b : a;
    }
    if (!l->failed) {
        list.items = arena_new_array(l->arena, Node *, a.count + b.count);
        l->failed = list.items == NULL;
    }
    if (!l->failed) {
        list.count = a.count + b.count;
        memcpy(list.items, a.items, a.count * sizeof *a.items);
        memcpy(list.items + a.count, b.items, b.count * sizeof *b.items);
    }
    return list;
}

static NodeList list_after(NodeList list, uint32_t first)
{
    return (NodeList){list.items + first, list.count - first};
}

static void add(Lower *l, NodeVec *out, Node *node)
{
    if (!l->failed && !vec_push(l->ctx, out, node)) {
        l->failed = true;
    }
}

static NodeList take(Lower *l, NodeVec *out)
{
    NodeList list = list_of(l, out->items, out->count);
    vec_free(l->ctx, out);
    return list;
}

// name = value
static Node *assign(Lower *l, Text name, Node *value, Span span)
{
    Node *node = node_new(l, AST_ASSIGN, span);
    Node *target = name_node(l, name, CONTEXT_STORE, span);
    node->assign.targets = list_of(l, &target, 1);
    node->assign.value = value;
    return node;
}

// --- flags ---

// A name that the program does not have: for people one like "do_return".
static Text fresh_name(Lower *l, const char *stem)
{
    char text[48];
    uint32_t number = l->named++;
    if (!l->out->printed) {
        snprintf(text, sizeof text, ".%s%u", stem, (unsigned)number);
    } else {
        snprintf(text, sizeof text, "%s", stem);
        for (uint32_t i = 1; strstr(l->source->text, text) != NULL ||
                             (i == 1 && number > 1);
             i++) {
            snprintf(text, sizeof text, "%s_%u", stem, (unsigned)(number + i));
        }
    }
    Text name = {NULL, strlen(text)};
    name.text = arena_strndup(l->arena, text, name.length);
    l->failed = l->failed || name.text == NULL;
    return name;
}

static void set_flag(Lower *l, NodeVec *out, Flag *flag, const char *stem,
                     bool value, Span span)
{
    if (flag->name.text == NULL) {
        flag->name = fresh_name(l, stem);
    }
    Node *set = assign(
        l, flag->name,
        constant_of(l, value ? CONSTANT_TRUE : CONSTANT_FALSE, span), span);
    if (!l->failed && !vec_push(l->ctx, &flag->sets, set)) {
        l->failed = true;
    }
    add(l, out, set);
}

// The flags of these exits, or-ed; NULL: none has a name.
static Node *flags_node(Lower *l, uint32_t exits, Span span)
{
    Flag *flags[3] = {exits & LEAVE_RETURN ? &l->returned : NULL,
                      exits & LEAVE_BREAK ? &l->loop->left : NULL,
                      exits & LEAVE_CONTINUE ? &l->loop->skipped : NULL};
    Node *names[3], *either;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (flags[i] != NULL && flags[i]->name.text != NULL) {
            flags[i]->tested = true;
            names[count++] =
                name_node(l, flags[i]->name, CONTEXT_LOAD, span);
        }
    }
    if (count < 2) {
        return count == 0 ? NULL : names[0];
    }
    either = node_new(l, AST_BOOL_OP, span);
    either->bool_op.op = BOOL_OR;
    either->bool_op.values = list_of(l, names, count);
    return either;
}

static Node *not_node(Lower *l, Node *operand)
{
    Node *node = node_new(l, AST_UNARY, operand->span);
    node->unary.op = UNARY_NOT;
    node->unary.operand = operand;
    return node;
}

// Puts `list` under the condition that none of these flags is set.
static void add_guarded(Lower *l, NodeVec *out, uint32_t exits, NodeList list)
{
    if (list.count == 0 || l->failed) {
        return;
    }
    Span span = span_join(list.items[0]->span,
                          list.items[list.count - 1]->span);
    Node *flags = flags_node(l, exits, list.items[0]->span);
    NodeList lowered = lower_list(l, list);
    if (flags == NULL) {
        for (uint32_t i = 0; i < lowered.count; i++) {
            add(l, out, lowered.items[i]);
        }
        return;
    }
    Node *guard = node_new(l, AST_IF, span);
    guard->if_stmt.test = not_node(l, flags);
    guard->if_stmt.body = lowered;
    add(l, out, guard);
}

// Flags that nobody tests need not be set.
static void free_flag(Lower *l, Flag *flag)
{
    for (size_t i = 0; !flag->tested && i < flag->sets.count; i++) {
        flag->sets.items[i]->kind = AST_PASS;
    }
    vec_free(l->ctx, &flag->sets);
}

// --- statements ---

static void lower_return(Lower *l, NodeVec *out, const Node *node)
{
    Node *value = node->expr_stmt.value;
    if (value == NULL) {
        value = constant_of(l, CONSTANT_NONE, node->span);
    }
    if (l->out->result.text == NULL) {
        l->out->result = fresh_name(l, l->out->printed ? "retval_" : "result");
    }
    add(l, out, assign(l, l->out->result, value, node->span));
    set_flag(l, out, &l->returned, "do_return", true, node->span);
}

// Adds the `if`; what follows it goes into a side if the other side leaves.
// True: the rest of the list is done.
static bool lower_if(Lower *l, NodeVec *out, const Node *node, NodeList rest)
{
    Flow then = flow_of(l, node->if_stmt.body);
    Flow other = flow_of(l, node->if_stmt.orelse);
    bool into_other = !then.falls && then.exits != 0;
    bool into_then = !into_other && !other.falls && other.exits != 0;
    Node *copy = node_copy(l, node);
    add(l, out, copy);
    NodeList none = {NULL, 0};
    copy->if_stmt.body = lower_list(
        l, list_join(l, node->if_stmt.body, into_then ? rest : none));
    copy->if_stmt.orelse = lower_list(
        l, list_join(l, node->if_stmt.orelse, into_other ? rest : none));
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
    Node *both[2] = {not_node(l, flags), test};
    if (is_true(test)) {
        return both[0];
    }
    Node *node = node_new(l, AST_BOOL_OP, test->span);
    node->bool_op.op = BOOL_AND;
    node->bool_op.values = list_of(l, both, 2);
    return node;
}

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
        set_flag(l, &turn, &l->loop->skipped, "continue_", false,
                 body.items[0]->span);
    }
    NodeList lowered = lower_list(l, body);
    for (uint32_t i = 0; i < lowered.count; i++) {
        add(l, &turn, lowered.items[i]);
    }
    return take(l, &turn);
}

static void keep_stop(Lower *l, const Node *loop, Node *stop)
{
    if (stop != NULL && !l->failed &&
        !map_put(&l->out->stops, (const char *)&loop, sizeof loop,
                 (uintptr_t)stop)) {
        l->failed = true;
    }
}

static void lower_loop(Lower *l, NodeVec *out, const Node *node)
{
    LowerLoop loop = {.outer = l->loop};
    Node *copy = node_copy(l, node);
    NodeList *body, *orelse;
    loop_parts(copy, &body, &orelse);
    NodeList turns = *body, after = *orelse;
    Flow flow = flow_of(l, turns);
    uint32_t ends = flow.exits & (LEAVE_BREAK | LEAVE_RETURN);
    l->loop = &loop;
    if (flow.exits & LEAVE_BREAK) {
        set_flag(l, out, &loop.left, "break_", false, node->span);
    }
    add(l, out, copy);
    *body = lower_turn(l, turns, flow.exits);
    *orelse = (NodeList){NULL, 0};
    if (copy->kind == AST_WHILE) {
        copy->if_stmt.test = guarded_test(l, ends, copy->if_stmt.test);
    } else {
        keep_stop(l, copy, flags_node(l, ends, node->span));
    }
    Node *left = flags_node(l, ends, node->span);
    l->loop = loop.outer;
    if (after.count > 0) { // `else` runs if the loop was not left
        Node *guard = node_new(l, AST_IF, node->span);
        guard->if_stmt.test =
            left != NULL ? not_node(l, left)
                         : constant_of(l, CONSTANT_TRUE, node->span);
        guard->if_stmt.body = lower_list(l, after);
        add(l, out, guard);
    }
    free_flag(l, &loop.left);
    free_flag(l, &loop.skipped);
}

static void lower_handlers(Lower *l, Node *copy)
{
    NodeVec handlers = {0};
    for (uint32_t i = 0; i < copy->try_stmt.handlers.count; i++) {
        Node *handler = node_copy(l, copy->try_stmt.handlers.items[i]);
        handler->handler.body = lower_list(l, handler->handler.body);
        add(l, &handlers, handler);
    }
    copy->try_stmt.handlers = take(l, &handlers);
}

static void lower_try(Lower *l, NodeVec *out, const Node *node)
{
    Node *copy = node_copy(l, node);
    Flow flow = flow_of(l, node->try_stmt.body);
    copy->try_stmt.body = lower_list(l, node->try_stmt.body);
    lower_handlers(l, copy);
    NodeVec orelse = {0};
    add_guarded(l, &orelse, flow.exits, node->try_stmt.orelse);
    copy->try_stmt.orelse = take(l, &orelse);
    copy->try_stmt.finalbody = lower_list(l, node->try_stmt.finalbody);
    add(l, out, copy);
}

// True: the rest of the list is done.
static bool lower_statement(Lower *l, NodeVec *out, Node *node, NodeList rest)
{
    switch (node->kind) {
    case AST_RETURN: lower_return(l, out, node); return true;
    case AST_BREAK:
        if (l->loop != NULL) {
            set_flag(l, out, &l->loop->left, "break_", true, node->span);
        }
        return true;
    case AST_CONTINUE:
        if (l->loop != NULL) {
            set_flag(l, out, &l->loop->skipped, "continue_", true,
                     node->span);
        }
        return true;
    case AST_IF: return lower_if(l, out, node, rest);
    case AST_WHILE:
    case AST_FOR: lower_loop(l, out, node); break;
    case AST_TRY: lower_try(l, out, node); break;
    case AST_WITH: {
        Node *copy = node_copy(l, node);
        copy->with_stmt.body = lower_list(l, node->with_stmt.body);
        add(l, out, copy);
        break;
    }
    default: add(l, out, node); return false;
    }
    uint32_t exits = flow_of_statement(l, node).exits;
    if (exits != 0) {
        add_guarded(l, out, exits, rest);
    }
    return exits != 0;
}

static NodeList lower_list(Lower *l, NodeList list)
{
    NodeVec out = {0};
    if (l->failed || !ctx_enter(l->ctx)) {
        l->failed = true;
        return (NodeList){NULL, 0};
    }
    for (uint32_t i = 0; i < list.count && !l->failed; i++) {
        if (lower_statement(l, &out, list.items[i], list_after(list, i + 1))) {
            break;
        }
    }
    ctx_leave(l->ctx);
    return take(l, &out);
}

// --- the function ---

static bool needs_lowering(Lower *l, NodeList list, bool inside)
{
    bool needs = false;
    for (uint32_t i = 0; i < list.count && !needs && !l->failed; i++) {
        const Node *node = list.items[i];
        switch (node->kind) {
        case AST_RETURN: needs = inside; break;
        case AST_IF:
            needs = flow_of_statement(l, node).exits != 0 ||
                    needs_lowering(l, node->if_stmt.body, true) ||
                    needs_lowering(l, node->if_stmt.orelse, true);
            break;
        case AST_WHILE:
            needs = node->if_stmt.orelse.count > 0 ||
                    flow_of(l, node->if_stmt.body).exits != 0 ||
                    needs_lowering(l, node->if_stmt.body, true);
            break;
        case AST_FOR:
            needs = node->for_stmt.orelse.count > 0 ||
                    flow_of(l, node->for_stmt.body).exits != 0 ||
                    needs_lowering(l, node->for_stmt.body, true);
            break;
        case AST_TRY:
            needs = flow_of_statement(l, node).exits != 0 ||
                    needs_lowering(l, node->try_stmt.body, inside) ||
                    needs_lowering(l, node->try_stmt.orelse, inside) ||
                    needs_lowering(l, node->try_stmt.finalbody, inside);
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
    if (l->returned.tested) {
        add(l, &out,
            assign(l, l->returned.name,
                   constant_of(l, CONSTANT_FALSE, span), span));
    }
    for (uint32_t i = 0; i < body.count; i++) {
        add(l, &out, body.items[i]);
    }
    if (l->out->result.text != NULL) {
        Node *node = node_new(l, AST_RETURN, span);
        node->expr_stmt.value =
            name_node(l, l->out->result, CONTEXT_LOAD, span);
        add(l, &out, node);
    }
    l->out->body = take(l, &out);
}

bool lower_function(Ctx *ctx, Arena *arena, const Source *source,
                    const Node *function, bool printed, Lowered *out)
{
    *out = (Lowered){.body = function->function_def.body,
                     .printed = printed};
    map_init(&out->stops, ctx);
    Lower l = {.ctx = ctx, .arena = arena, .source = source, .out = out};
    if (!needs_lowering(&l, out->body, false)) {
        return !l.failed;
    }
    NodeList body = out->body;
    Flow flow = flow_of(&l, body);
    if (flow.exits != 0 && flow.falls) { // falls off the end: returns None
        Node *last = node_new(&l, AST_RETURN, function->span);
        body = list_join(&l, body, list_of(&l, &last, 1));
    }
    body = lower_list(&l, body);
    finish_function(&l, function, body);
    free_flag(&l, &l.returned);
    return !l.failed;
}

void lowered_free(Lowered *lowered)
{
    map_free(&lowered->stops);
}

const Node *lowered_stop(const Lowered *lowered, const Node *loop)
{
    const uint64_t *found =
        map_get(&lowered->stops, (const char *)&loop, sizeof loop);
    return found == NULL ? NULL : (const Node *)(uintptr_t)*found;
}
