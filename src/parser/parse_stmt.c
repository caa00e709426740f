// Simple statements, and the dispatch of all.
//
// Invariant: a statement leaves its nodes on the open list; a line of simple
// statements takes its NEWLINE along.
#include "parser/parse.h"

// Reads one simple statement without its line end; NULL as usual.
typedef Node *StatementFunction(Parser *p);

// What Duet leaves out of Python's grammar gets a name, which helps more than
// "invalid syntax" for a program that is valid elsewhere.
static bool refuse(Parser *p, uint32_t token, const char *what)
{
    return parse_fail_span(p, ERR_SYNTAX, parse_token_span(p, token),
                           "Duet has no '%s'", what);
}

// The operator of an augmented assignment.
// False for every other token, `op` is not touched then.
static bool augmented_op(TokenKind kind, BinaryOp *op)
{
    static const struct {
        uint8_t kind, op;
    } table[] = {
        {TOK_PLUS_EQUAL, BINARY_ADD},
        {TOK_MINUS_EQUAL, BINARY_SUB},
        {TOK_STAR_EQUAL, BINARY_MUL},
        {TOK_SLASH_EQUAL, BINARY_TRUEDIV},
        {TOK_FLOOR_EQUAL, BINARY_FLOORDIV},
        {TOK_PERCENT_EQUAL, BINARY_MOD},
        {TOK_POWER_EQUAL, BINARY_POW},
        {TOK_AT_EQUAL, BINARY_MATMUL},
        {TOK_AMPERSAND_EQUAL, BINARY_AND},
        {TOK_BAR_EQUAL, BINARY_OR},
        {TOK_CARET_EQUAL, BINARY_XOR},
        {TOK_LEFT_SHIFT_EQUAL, BINARY_LSHIFT},
        {TOK_RIGHT_SHIFT_EQUAL, BINARY_RSHIFT},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].kind == kind) {
            *op = (BinaryOp)table[i].op;
            return true;
        }
    }
    return false;
}

// (star_targets '=')+ (yield_expr | star_expressions)
// What stands before an `=` was read as an expression, and is made a target
// only now that the `=` is there.
static Node *parse_assign(Parser *p, Node *value, uint32_t first)
{
    uint32_t start = p->tokens[first].span.start;
    size_t mark = parse_list_begin(p);
    while (parse_accept(p, TOK_EQUAL)) {
        if (!parse_set_target(value, TARGET_ASSIGN) ||
            !parse_list_add(p, value)) {
            return NULL;
        }
        value = parse_yield_or_star_expressions(p);
        if (value == NULL) {
            return NULL;
        }
    }
    Node *node = parse_node(p, AST_ASSIGN, start);
    if (node == NULL || !parse_list_end(p, mark, &node->assign.targets)) {
        return NULL;
    }
    node->assign.value = value;
    return node;
}

// What may be annotated or augmented: no tuple, list or star. Parentheses do
// not matter, `(a) += 1` is valid.
static bool is_single_target(const Node *node)
{
    return node->kind == AST_NAME || node->kind == AST_ATTRIBUTE ||
           node->kind == AST_SUBSCRIPT;
}

// single_target ':' expression ['=' (yield_expr | star_expressions)]
// One target only, and no chain: the value is read as a whole.
static Node *parse_annotated(Parser *p, Node *target, uint32_t start)
{
    p->position++;
    Node *annotation = parse_expression(p), *value = NULL;
    if (annotation == NULL ||
        (parse_accept(p, TOK_EQUAL) &&
         (value = parse_yield_or_star_expressions(p)) == NULL)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_ANN_ASSIGN, start);
    if (node == NULL || !parse_set_target(target, TARGET_ASSIGN)) {
        return NULL;
    }
    node->ann_assign.target = target;
    node->ann_assign.annotation = annotation;
    node->ann_assign.value = value;
    // The tree's `simple`: only then does the annotation make the name local
    // without a value.
    node->ann_assign.simple =
        target->kind == AST_NAME && !target->parenthesized;
    return node;
}

// single_target augassign (yield_expr | star_expressions) The target gets the
// context STORE, though it is loaded as well.
static Node *parse_augmented(Parser *p, Node *target, BinaryOp op,
                             uint32_t start)
{
    p->position++;
    Node *value = parse_yield_or_star_expressions(p);
    if (value == NULL || !parse_set_target(target, TARGET_ASSIGN)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_AUG_ASSIGN, start);
    if (node != NULL) {
        node->aug_assign.op = op;
        node->aug_assign.target = target;
        node->aug_assign.value = value;
    }
    return node;
}

// assignment | star_expressions | yield_expr
// The one token behind the first expression tells which of the forms it is, so
// nothing is read twice.
static Node *parse_expression_statement(Parser *p)
{
    uint32_t start = parse_start(p), first = p->position;
    Node *value = parse_yield_or_star_expressions(p);
    if (value == NULL) {
        return NULL;
    }
    BinaryOp op = BINARY_ADD;
    TokenKind next = parse_kind(p);
    // What follows the expression tells which statement it begins.
    bool augmented = augmented_op(next, &op);
    // Not needed for `=`, which takes tuples and lists as well.
    bool fits = is_single_target(value);
    if (next != TOK_EQUAL && next != TOK_COLON && !augmented) {
        Node *node = parse_node(p, AST_EXPR_STMT, start);
        if (node != NULL) {
            node->expr_stmt.value = value;
        }
        return node;
    }
    if (next == TOK_EQUAL) {
        return parse_assign(p, value, first);
    }
    // `a, b += 1` and `a, b: int` are no statements; the second pass says why.
    if (!fits) {
        return NULL;
    }
    return augmented ? parse_augmented(p, value, op, start)
                     : parse_annotated(p, value, start);
}

// For statements that are one keyword; whether `break` stands in a loop is not
// the grammar's concern.
static Node *parse_word_statement(Parser *p, AstKind kind)
{
    uint32_t start = parse_start(p);
    p->position++;
    return parse_node(p, kind, start);
}

// The three need functions of their own for the table in simple_function.
static Node *parse_pass(Parser *p)
{
    return parse_word_statement(p, AST_PASS);
}

// See parse_pass.
static Node *parse_break(Parser *p)
{
    return parse_word_statement(p, AST_BREAK);
}

static Node *parse_continue(Parser *p)
{
    return parse_word_statement(p, AST_CONTINUE);
}

// Where an optional expression can be missing. Asked in place of "does an
// expression start here", so that a fault behind `return` is found in the
// expression.
static bool at_line_end(Parser *p)
{
    return parse_at(p, TOK_NEWLINE) || parse_at(p, TOK_SEMICOLON);
}

// 'return' [star_expressions]
// Without a value `expr_stmt.value` is NULL, which is not the constant None.
static Node *parse_return(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *value = NULL;
    if (!at_line_end(p) && (value = parse_star_expressions(p)) == NULL) {
        return NULL;
    }
    Node *node = parse_node(p, AST_RETURN, start);
    if (node != NULL) {
        node->expr_stmt.value = value;
    }
    return node;
}

// 'raise' [expression ['from' expression]]
// Without an exception it raises the one being handled; `from` needs one.
static Node *parse_raise(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *exception = NULL, *cause = NULL;
    if (!at_line_end(p)) {
        exception = parse_expression(p);
        if (exception == NULL || (parse_accept(p, TOK_FROM) &&
                                  (cause = parse_expression(p)) == NULL)) {
            return NULL;
        }
    }
    Node *node = parse_node(p, AST_RAISE, start);
    if (node != NULL) {
        node->raise_stmt.exception = exception;
        node->raise_stmt.cause = cause;
    }
    return node;
}

// 'assert' expression [',' expression]
// `assert (a, b)` is one test, a tuple; the grammar cannot tell that it was
// meant otherwise.
static Node *parse_assert(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *test = parse_expression(p), *message = NULL;
    if (test == NULL || (parse_accept(p, TOK_COMMA) &&
                         (message = parse_expression(p)) == NULL)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_ASSERT, start);
    if (node != NULL) {
        node->assert_stmt.test = test;
        node->assert_stmt.message = message;
    }
    return node;
}

// A tuple in parentheses is one target and deletes its elements.
static bool delete_target(Parser *p, Node *target)
{
    return parse_set_target(target, TARGET_DELETE) && parse_list_add(p, target);
}

// 'del' target (',' target)* [',']
// The targets are read as one expression list, and taken apart afterwards.
static Node *parse_delete(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *targets = parse_star_expressions(p);
    if (targets == NULL) {
        return NULL;
    }
    // A tuple without brackets of its own is a list of targets.
    bool several = targets->kind == AST_TUPLE && !targets->parenthesized;
    size_t mark = parse_list_begin(p);
    NodeList list =
        several ? targets->sequence.elements : (NodeList){&targets, 1};
    for (uint32_t i = 0; i < list.count; i++) {
        if (!delete_target(p, list.items[i])) {
            return NULL;
        }
    }
    Node *node = parse_node(p, AST_DELETE, start);
    if (node == NULL || !parse_list_end(p, mark, &node->delete_stmt.targets)) {
        return NULL;
    }
    return node;
}

// ('global' | 'nonlocal') NAME (',' NAME)*
// The names keep the context LOAD; they are declarations, and nothing reads a
// value by these nodes.
static Node *parse_names(Parser *p, AstKind kind)
{
    uint32_t start = parse_start(p);
    size_t mark = parse_list_begin(p);
    p->position++;
    do {
        if (!parse_list_add(p, parse_name(p))) {
            return NULL;
        }
    } while (parse_accept(p, TOK_COMMA));
    Node *node = parse_node(p, kind, start);
    if (node == NULL || !parse_list_end(p, mark, &node->names.names)) {
        return NULL;
    }
    return node;
}

static Node *parse_global(Parser *p)
{
    return parse_names(p, AST_GLOBAL);
}

static Node *parse_nonlocal(Parser *p)
{
    return parse_names(p, AST_NONLOCAL);
}

// One keyword decides; what begins with none of them is an expression.
static StatementFunction *simple_function(TokenKind kind)
{
    switch (kind) {
    case TOK_PASS: return parse_pass;
    case TOK_BREAK: return parse_break;
    case TOK_CONTINUE: return parse_continue;
    case TOK_RETURN: return parse_return;
    case TOK_RAISE: return parse_raise;
    case TOK_ASSERT: return parse_assert;
    case TOK_DEL: return parse_delete;
    case TOK_GLOBAL: return parse_global;
    case TOK_NONLOCAL: return parse_nonlocal;
    case TOK_IMPORT: return parse_import;
    case TOK_FROM: return parse_import_from;
    default: return parse_expression_statement;
    }
}

// simple_stmts: simple_stmt (';' simple_stmt)* [';'] NEWLINE
// A `;` may end the line. Each statement is added as soon as it is read, so a
// fault in a later one leaves the list to whoever began it.
bool parse_simple_line(Parser *p)
{
    do {
        StatementFunction *function = simple_function(parse_kind(p));
        if (!parse_list_add(p, function(p))) {
            return false;
        }
    } while (parse_accept(p, TOK_SEMICOLON) && !parse_at(p, TOK_NEWLINE));
    return parse_expect(p, TOK_NEWLINE);
}

// A line that begins with the name `match` is a match statement if it ends in
// ':' and a `case` follows (or nothing yet, at the prompt).
// Only looks: neither the position nor `furthest` moves, since a line that is
// none must be explained as if this had not been asked.
static bool is_match_statement(Parser *p)
{
    uint32_t at = p->position;
    if (p->tokens[at].kind != TOK_NAME || !parse_text_is(p, at, "match") ||
        p->tokens[at + 1].kind == TOK_COLON) {
        return false;
    }
    while (p->tokens[at].kind != TOK_NEWLINE &&
           p->tokens[at].kind != TOK_ERROR && p->tokens[at].kind != TOK_END) {
        at++;
    }
    // The line must end in a colon, and the next one, if any, be indented:
    // `match = 1` and `match(x)` are expressions.
    if (p->tokens[at].kind != TOK_NEWLINE ||
        p->tokens[at - 1].kind != TOK_COLON) {
        return false;
    }
    at++;
    while (p->tokens[at].kind == TOK_DEDENT) {
        at++;
    }
    return p->tokens[at].kind == TOK_END || (p->tokens[at].kind == TOK_INDENT &&
                                             parse_text_is(p, at + 1, "case"));
}

// statement: compound_stmt | simple_stmts
// `match` is tried before the compound statements, because it begins with a
// NAME and would be read as an expression.
bool parse_statement(Parser *p)
{
    bool compound;
    if (parse_at(p, TOK_ASYNC)) {
        return refuse(p, p->position, "async");
    }
    if (is_match_statement(p)) {
        return refuse(p, p->position, "match");
    }
    if (!parse_compound(p, &compound)) {
        return false;
    }
    return compound || parse_simple_line(p);
}
