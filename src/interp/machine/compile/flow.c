#include "interp/machine/compile/flow.h"

#include <string.h>

// A condition that is constant: behind `while True` without a break nothing
// runs, so no result is missing there.
bool flow_is_true(const Node *test)
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

// A loop swallows its own breaks and continues. It may come to its end without
// a turn, unless its condition is constant.
static Flow flow_loop(AstMaker *m, const Node *node)
{
    bool is_for = node->kind == AST_FOR;
    Flow inner = flow_of(m, is_for ? node->for_stmt.body : node->if_stmt.body);
    Flow after =
        flow_of(m, is_for ? node->for_stmt.orelse : node->if_stmt.orelse);
    bool endless = !is_for && flow_is_true(node->if_stmt.test);
    // A break passes over the else part, so the loop comes to its end.
    bool breaks = inner.exits & LEAVE_BREAK;
    after.falls = (after.falls && !endless) || breaks;
    return (Flow){(inner.exits & LEAVE_RETURN) | after.exits, after.falls};
}

// The body may be left anywhere for a handler, so each handler's flow counts
// as well as the body's.
static Flow flow_try(AstMaker *m, const Node *node)
{
    Flow flow = flow_then(flow_of(m, node->try_stmt.body),
                          flow_of(m, node->try_stmt.orelse));
    for (uint32_t i = 0; i < node->try_stmt.handlers.count; i++) {
        const Node *handler = node->try_stmt.handlers.items[i];
        flow = flow_join(flow, flow_of(m, handler->handler.body));
    }
    // `finally` runs on every way, and none falls through if it does not.
    Flow last = flow_of(m, node->try_stmt.finalbody);
    return (Flow){flow.exits | last.exits, flow.falls && last.falls};
}

// Only jumps of this function count: inner functions have flows of their own
// and fall under `default`.
Flow flow_of_statement(AstMaker *m, const Node *node)
{
    switch (node->kind) {
    case AST_RETURN: return (Flow){LEAVE_RETURN, false};
    case AST_BREAK: return (Flow){LEAVE_BREAK, false};
    case AST_CONTINUE: return (Flow){LEAVE_CONTINUE, false};
    case AST_RAISE: return (Flow){0, false};
    case AST_IF:
        return flow_join(flow_of(m, node->if_stmt.body),
                         flow_of(m, node->if_stmt.orelse));
    case AST_WHILE:
    case AST_FOR: return flow_loop(m, node);
    case AST_TRY: return flow_try(m, node);
    case AST_WITH: // its manager may drop an error
        return (Flow){flow_of(m, node->with_stmt.body).exits, true};
    default: return (Flow){0, true};
    }
}

// Statements behind one that never falls are unreachable and have no say.
Flow flow_of(AstMaker *m, NodeList list)
{
    Flow flow = {0, true};
    if (m->failed || !ctx_enter(m->ctx)) {
        m->failed = true;
        return flow;
    }
    for (uint32_t i = 0; i < list.count && flow.falls; i++) {
        flow = flow_then(flow, flow_of_statement(m, list.items[i]));
    }
    ctx_leave(m->ctx);
    return flow;
}
