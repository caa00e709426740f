// Compound statements other than definitions.
//
// Invariant: an `elif` chain is built in a loop, each IF the only statement in
// the `orelse` of the one before; blocks nest no deeper than the lexer's
// indentation allows.
#include "parser/parse.h"

// Reads one whole statement, its keyword included; NULL as usual.
typedef Node *CompoundFunction(Parser *p);

// Up to the DEDENT that closes this block; the lexer emits one for every
// INDENT, at the end of the text too, unless it stopped.
static bool parse_indented(Parser *p)
{
    while (!parse_accept(p, TOK_DEDENT)) {
        if (!ctx_poll(p->ctx) || !parse_statement(p)) {
            return false;
        }
    }
    return true;
}

// block: NEWLINE INDENT statement+ DEDENT | simple_stmts
// The body is never empty. Nested blocks recurse and are counted here; the
// statements of one block are a loop.
bool parse_block(Parser *p, NodeList *body)
{
    size_t mark = parse_list_begin(p);
    if (!parse_accept(p, TOK_NEWLINE)) {
        return parse_simple_line(p) && parse_list_end(p, mark, body);
    }
    if (!parse_accept(p, TOK_INDENT)) {
        return false;
    }
    // Only indented blocks can nest; one on the head's line holds simple
    // statements.
    if (!ctx_enter(p->ctx)) {
        return false;
    }
    bool parsed = parse_indented(p);
    ctx_leave(p->ctx);
    return parsed && parse_list_end(p, mark, body);
}

// ['else' ':' block]
// True if there is none; the list is then left as it was.
static bool parse_else(Parser *p, NodeList *orelse)
{
    if (!parse_accept(p, TOK_ELSE)) {
        return true;
    }
    return parse_expect(p, TOK_COLON) && parse_block(p, orelse);
}

// ('if' | 'elif' | 'while') named_expression ':' block
// `orelse` stays empty: the callers differ in what may follow.
static Node *parse_tested(Parser *p, AstKind kind)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *test = parse_named_expression(p);
    NodeList body;
    if (test == NULL || !parse_expect(p, TOK_COLON) || !parse_block(p, &body)) {
        return NULL;
    }
    Node *node = parse_node(p, kind, start);
    if (node != NULL) {
        node->if_stmt.test = test;
        node->if_stmt.body = body;
    }
    return node;
}

// Every IF of the chain ends where the chain ends.
// Done once at the end, and not at each link, which would be quadratic.
static void end_chain(Node *first, uint32_t end)
{
    for (Node *node = first; node != NULL; node = ast_elif(node)) {
        node->span.end = end;
    }
}

// if_stmt: 'if' … ('elif' …)* ['else' ':' block]
// Each link is read behind the last one and hung onto it, so a long chain
// neither recurses nor is read twice.
static Node *parse_if(Parser *p)
{
    Node *first = parse_tested(p, AST_IF);
    Node *last = first;
    while (last != NULL && parse_at(p, TOK_ELIF)) {
        size_t mark = parse_list_begin(p);
        Node *next = parse_tested(p, AST_IF);
        if (!parse_list_add(p, next) ||
            !parse_list_end(p, mark, &last->if_stmt.orelse)) {
            return NULL;
        }
        last = next;
    }
    if (last == NULL || !parse_else(p, &last->if_stmt.orelse)) {
        return NULL;
    }
    end_chain(first, parse_end(p));
    return first;
}

// while_stmt: 'while' named_expression ':' block ['else' ':' block]
// The node was made before its else part was read, so its end is set again.
static Node *parse_while(Parser *p)
{
    Node *node = parse_tested(p, AST_WHILE);
    if (node == NULL || !parse_else(p, &node->if_stmt.orelse)) {
        return NULL;
    }
    node->span.end = parse_end(p);
    return node;
}

// for_stmt: 'for' star_targets 'in' star_expressions ':' block [else]
static Node *parse_for(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    // A missing `else` leaves the list as it is.
    NodeList body, orelse = {NULL, 0};
    Node *target = parse_for_targets(p);
    Node *iter = target != NULL ? parse_star_expressions(p) : NULL;
    if (iter == NULL || !parse_expect(p, TOK_COLON) || !parse_block(p, &body) ||
        !parse_else(p, &orelse)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_FOR, start);
    if (node != NULL) {
        node->for_stmt.target = target;
        node->for_stmt.iter = iter;
        node->for_stmt.body = body;
        node->for_stmt.orelse = orelse;
    }
    return node;
}

// Behind 'except': [expression ['as' NAME]]
// A handler is made first and filled in here, because all of it may be absent.
static bool parse_handler_head(Parser *p, Node *handler)
{
    if (parse_at(p, TOK_STAR)) {
        return parse_fail_span(p, ERR_SYNTAX, parse_token_span(p, p->position),
                               "Duet has no 'except*'");
    }
    if (parse_at(p, TOK_COLON)) {
        return true;
    }
    handler->handler.type = parse_expression(p);
    if (handler->handler.type == NULL) {
        return false;
    }
    return !parse_accept(p, TOK_AS) ||
           parse_take_name(p, &handler->handler.name);
}

// except_block: 'except' [expression ['as' NAME]] ':' block
// That a bare `except:` must be the last one is checked later.
static Node *parse_handler(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *node = parse_node(p, AST_EXCEPT_HANDLER, start);
    if (node == NULL || !parse_handler_head(p, node) ||
        !parse_expect(p, TOK_COLON) || !parse_block(p, &node->handler.body)) {
        return NULL;
    }
    node->span.end = parse_end(p);
    return node;
}

// `else` belongs to the handlers: a `try` with only `finally` has none.
static bool parse_handlers(Parser *p, Node *node)
{
    size_t mark = parse_list_begin(p);
    while (parse_at(p, TOK_EXCEPT)) {
        if (!parse_list_add(p, parse_handler(p))) {
            return false;
        }
    }
    return parse_list_end(p, mark, &node->try_stmt.handlers) &&
           (node->try_stmt.handlers.count == 0 ||
            parse_else(p, &node->try_stmt.orelse));
}

// With handlers it may be missing; without them one of the two is asked for.
static bool parse_finally(Parser *p, Node *node)
{
    if (parse_accept(p, TOK_FINALLY)) {
        return parse_expect(p, TOK_COLON) &&
               parse_block(p, &node->try_stmt.finalbody);
    }
    return node->try_stmt.handlers.count > 0;
}

// try_stmt: 'try' ':' block (except_block+ [else] [finally] | finally)
// At least a handler or `finally` must follow; parse_finally asks for it.
static Node *parse_try_statement(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *node = parse_node(p, AST_TRY, start);
    if (node == NULL || !parse_expect(p, TOK_COLON) ||
        !parse_block(p, &node->try_stmt.body) || !parse_handlers(p, node) ||
        !parse_finally(p, node)) {
        return NULL;
    }
    node->span.end = parse_end(p);
    return node;
}

// Behind 'as': a target.
// A single target: a comma behind it begins the next item.
static Node *parse_with_target(Parser *p)
{
    Node *target =
        parse_at(p, TOK_STAR) ? parse_star_expression(p) : parse_expression(p);
    if (target == NULL || !parse_set_target(target, TARGET_ASSIGN)) {
        return NULL;
    }
    return target;
}

// with_item: expression ['as' star_target]
// The target is an expression up to here; parse_set_target refuses what is
// none.
static Node *parse_with_item(Parser *p)
{
    uint32_t start = parse_start(p);
    Node *context = parse_expression(p), *target = NULL;
    if (context == NULL ||
        (parse_accept(p, TOK_AS) && (target = parse_with_target(p)) == NULL)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_WITH_ITEM, start);
    if (node != NULL) {
        node->with_item.context = context;
        node->with_item.target = target;
    }
    return node;
}

// Closes the list of items. The span is set by parse_with, which begins
// earlier.
static Node *new_with(Parser *p, size_t mark, uint32_t start)
{
    Node *node = parse_node(p, AST_WITH, start);
    if (node == NULL || !parse_list_end(p, mark, &node->with_stmt.items)) {
        return NULL;
    }
    return node;
}

// '(' with_item (',' with_item)* [','] ')', before a ':'
// The closing bracket must be the last thing of the head, or the brackets
// belong to an expression.
static Node *parse_bracketed_items(Parser *p)
{
    uint32_t start = parse_start(p);
    size_t mark = parse_list_begin(p);
    if (!parse_accept(p, TOK_LEFT_PAREN)) {
        return NULL;
    }
    do {
        if (parse_at(p, TOK_RIGHT_PAREN)) {
            break;
        }
        if (!parse_list_add(p, parse_with_item(p))) {
            return NULL;
        }
    } while (parse_accept(p, TOK_COMMA));
    // `with ():` has an empty tuple and no items, so it is the other form.
    if (parse_list_begin(p) == mark || !parse_expect(p, TOK_RIGHT_PAREN) ||
        !parse_at(p, TOK_COLON)) {
        return NULL;
    }
    return new_with(p, mark, start);
}

// with_item (',' with_item)*
static Node *parse_plain_items(Parser *p)
{
    uint32_t start = parse_start(p);
    size_t mark = parse_list_begin(p);
    do {
        if (!parse_list_add(p, parse_with_item(p))) {
            return NULL;
        }
    } while (parse_accept(p, TOK_COMMA));
    return new_with(p, mark, start);
}

// with_stmt: 'with' ('(' with_items [','] ')' | with_items) ':' block
static Node *parse_with(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    // `with (a, b):` has two items, but `with (a, b).c:` one expression: which
    // it is shows only behind the bracket, so the first form is tried.
    Node *node = parse_at(p, TOK_LEFT_PAREN)
                     ? parse_try(p, parse_bracketed_items)
                     : NULL;
    if (node == NULL && !ctx_failed(p->ctx)) {
        node = parse_plain_items(p);
    }
    if (node == NULL || !parse_expect(p, TOK_COLON) ||
        !parse_block(p, &node->with_stmt.body)) {
        return NULL;
    }
    node->span = (Span){start, parse_end(p)};
    return node;
}

// Without decorators; parse_decorated brings those that it has read.
static Node *parse_plain_function(Parser *p)
{
    return parse_function(p, (NodeList){NULL, 0}, parse_start(p));
}

static Node *parse_plain_class(Parser *p)
{
    return parse_class(p, (NodeList){NULL, 0}, parse_start(p));
}

// NULL: the line is one of simple statements.
static CompoundFunction *compound_function(TokenKind kind)
{
    switch (kind) {
    case TOK_IF: return parse_if;
    case TOK_WHILE: return parse_while;
    case TOK_FOR: return parse_for;
    case TOK_TRY: return parse_try_statement;
    case TOK_WITH: return parse_with;
    case TOK_DEF: return parse_plain_function;
    case TOK_CLASS: return parse_plain_class;
    case TOK_AT: return parse_decorated;
    default: return NULL;
    }
}

// compound_stmt: what begins with a keyword of its own, or '@'
// `*found` tells a line that is none from one that failed.
bool parse_compound(Parser *p, bool *found)
{
    CompoundFunction *function = compound_function(parse_kind(p));
    *found = function != NULL;
    return function == NULL || parse_list_add(p, function(p));
}
