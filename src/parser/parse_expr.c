// Expressions from the Pratt table: operators, conditionals, lambdas, and the
// forms with stars and walrus. Atoms are in parse_atom.c.
//
// Invariant: a chain of one left-associative operator is read in a loop, so
// only brackets, prefix operators, `**`, lambdas and conditionals recurse.
#include <string.h>

#include "parser/parse.h"

// The function that a token's row names reads the operator and what follows;
// `left` is complete, and `start` is where it begins.
typedef struct Infix Infix;
typedef Node *InfixFunction(Parser *p, Node *left, uint32_t start,
                            const Infix *infix);

// A row of the Pratt table, for the token that stands between two operands.
struct Infix {
    InfixFunction *parse; // reads the rest; the token is still at hand
    Power power;          // the operands of its left bind at least so
    uint8_t op;           // BinaryOp, BoolOp or CompareOp
};

static InfixFunction infix_bool, infix_compare, infix_binary, infix_power;

// Tokens without a row have a NULL function, and end every operand. `not`
// stands for `not in`; parse_operand looks at the second word.
static const Infix infix_table[TOK_COUNT] = {
    [TOK_OR_WORD] = {infix_bool, POWER_OR, BOOL_OR},
    [TOK_AND_WORD] = {infix_bool, POWER_AND, BOOL_AND},
    [TOK_LESS] = {infix_compare, POWER_COMPARE, COMPARE_LT},
    [TOK_LESS_EQUAL] = {infix_compare, POWER_COMPARE, COMPARE_LE},
    [TOK_EQUAL_EQUAL] = {infix_compare, POWER_COMPARE, COMPARE_EQ},
    [TOK_NOT_EQUAL] = {infix_compare, POWER_COMPARE, COMPARE_NE},
    [TOK_GREATER] = {infix_compare, POWER_COMPARE, COMPARE_GT},
    [TOK_GREATER_EQUAL] = {infix_compare, POWER_COMPARE, COMPARE_GE},
    [TOK_IN] = {infix_compare, POWER_COMPARE, COMPARE_IN},
    [TOK_NOT_WORD] = {infix_compare, POWER_COMPARE, COMPARE_NOT_IN},
    [TOK_IS] = {infix_compare, POWER_COMPARE, COMPARE_IS},
    [TOK_BAR] = {infix_binary, POWER_BIT_OR, BINARY_OR},
    [TOK_CARET] = {infix_binary, POWER_BIT_XOR, BINARY_XOR},
    [TOK_AMPERSAND] = {infix_binary, POWER_BIT_AND, BINARY_AND},
    [TOK_LEFT_SHIFT] = {infix_binary, POWER_SHIFT, BINARY_LSHIFT},
    [TOK_RIGHT_SHIFT] = {infix_binary, POWER_SHIFT, BINARY_RSHIFT},
    [TOK_PLUS] = {infix_binary, POWER_SUM, BINARY_ADD},
    [TOK_MINUS] = {infix_binary, POWER_SUM, BINARY_SUB},
    [TOK_STAR] = {infix_binary, POWER_TERM, BINARY_MUL},
    [TOK_SLASH] = {infix_binary, POWER_TERM, BINARY_TRUEDIV},
    [TOK_FLOOR] = {infix_binary, POWER_TERM, BINARY_FLOORDIV},
    [TOK_PERCENT] = {infix_binary, POWER_TERM, BINARY_MOD},
    [TOK_AT] = {infix_binary, POWER_TERM, BINARY_MATMUL},
    [TOK_POWER] = {infix_power, POWER_POWER, BINARY_POW},
};

// Takes a NULL `right` as it comes from parse_operand, so that the callers
// need no test.
static Node *new_binary(Parser *p, uint32_t start, uint8_t op, Node *left,
                        Node *right)
{
    if (right == NULL) {
        return NULL;
    }
    Node *node = parse_node(p, AST_BINARY, start);
    if (node != NULL) {
        node->binary.op = (BinaryOp)op;
        node->binary.left = left;
        node->binary.right = right;
    }
    return node;
}

// left-associative: a - b - c
// The left side is an argument, so a chain grows to the left as the loop in
// parse_operand goes on.
static Node *infix_binary(Parser *p, Node *left, uint32_t start,
                          const Infix *infix)
{
    p->position++;
    // One step tighter: an operator of the same power ends the right side and
    // is taken by the loop in parse_operand.
    Node *right = parse_operand(p, infix->power + 1);
    return new_binary(p, start, infix->op, left, right);
}

// right-associative, and its right side may have a sign: a ** -b ** c
// Recursion on the right side is counted, since `a ** b ** c …` opens no
// bracket.
static Node *infix_power(Parser *p, Node *left, uint32_t start,
                         const Infix *infix)
{
    p->position++;
    if (!ctx_enter(p->ctx)) {
        return NULL;
    }
    Node *right = parse_operand(p, POWER_UNARY);
    ctx_leave(p->ctx);
    return new_binary(p, start, infix->op, left, right);
}

// a or b or c: one node for all The tree has one BoolOp for `a or b or c`.
static Node *infix_bool(Parser *p, Node *left, uint32_t start,
                        const Infix *infix)
{
    TokenKind word = parse_kind(p);
    size_t mark = parse_list_begin(p);
    if (!parse_list_add(p, left)) {
        return NULL;
    }
    // The whole chain is taken here, so the loop in parse_operand never sees
    // the same word again.
    while (parse_accept(p, word)) {
        if (!parse_list_add(p, parse_operand(p, infix->power + 1))) {
            return NULL;
        }
    }
    Node *node = parse_node(p, AST_BOOL_OP, start);
    if (node == NULL || !parse_list_end(p, mark, &node->bool_op.values)) {
        return NULL;
    }
    node->bool_op.op = (BoolOp)infix->op;
    return node;
}

// compare_op: '<' | '<=' | … | 'in' | 'not' 'in' | 'is' ['not']
// Two tokens can make one operator: `not in`, `is not`.
static bool take_compare_op(Parser *p, uint8_t *op)
{
    TokenKind kind = parse_kind(p);
    const Infix *infix = &infix_table[kind];
    if (infix->parse != infix_compare ||
        (kind == TOK_NOT_WORD && parse_ahead(p, 1) != TOK_IN)) {
        return false;
    }
    *op = infix->op;
    p->position += kind == TOK_NOT_WORD ? 2 : 1;
    if (kind == TOK_IS && parse_accept(p, TOK_NOT_WORD)) {
        *op = COMPARE_IS_NOT;
    }
    return true;
}

typedef VEC(uint8_t) ByteVec;

// False if an operand is missing; the list of operands is open then.
static bool compare_parts(Parser *p, ByteVec *ops)
{
    uint8_t op;
    while (take_compare_op(p, &op)) {
        if (!vec_push(p->ctx, ops, op) ||
            !parse_list_add(p, parse_operand(p, POWER_BIT_OR))) {
            return false;
        }
    }
    return true;
}

// The operators gathered in a vector, since their number is not known before;
// only the arena's copy stays with the node.
static Node *new_compare(Parser *p, Node *left, uint32_t start, size_t mark,
                         const ByteVec *ops)
{
    Node *node = parse_node(p, AST_COMPARE, start);
    // At least one operator is there: the row of the table was found by it.
    uint8_t *kept = node != NULL ? arena_alloc(p->arena, ops->count) : NULL;
    if (kept == NULL || !parse_list_end(p, mark, &node->compare.comparators)) {
        return NULL;
    }
    memcpy(kept, ops->items, ops->count);
    node->compare.left = left;
    node->compare.ops = kept;
    return node;
}

// a < b <= c: one node for all
// The row is not needed: the operator is read again, as each one of a chain
// may be another.
static Node *infix_compare(Parser *p, Node *left, uint32_t start,
                           const Infix *infix)
{
    (void)infix;
    ByteVec ops = {0};
    size_t mark = parse_list_begin(p);
    Node *node =
        compare_parts(p, &ops) ? new_compare(p, left, start, mark, &ops) : NULL;
    vec_free(p->ctx, &ops);
    return node;
}

// unary: ('not' | '-' | '+' | '~') operand
// Prefix operators recurse and open no brackets, so a row of minus signs must
// be counted by hand.
static Node *parse_unary(Parser *p, UnaryOp op, Power least)
{
    uint32_t start = parse_start(p);
    p->position++;
    if (!ctx_enter(p->ctx)) {
        return NULL;
    }
    Node *operand = parse_operand(p, least);
    ctx_leave(p->ctx);
    Node *node = operand != NULL ? parse_node(p, AST_UNARY, start) : NULL;
    if (node != NULL) {
        node->unary.op = op;
        node->unary.operand = operand;
    }
    return node;
}

// `not` binds looser than comparisons: as an operand of `+`, say, it is an
// error.
static Node *parse_prefix(Parser *p, Power least)
{
    switch (parse_kind(p)) {
    case TOK_NOT_WORD:
        return least <= POWER_NOT ? parse_unary(p, UNARY_NOT, POWER_NOT) : NULL;
    case TOK_MINUS: return parse_unary(p, UNARY_NEG, POWER_UNARY);
    case TOK_PLUS: return parse_unary(p, UNARY_POS, POWER_UNARY);
    case TOK_TILDE: return parse_unary(p, UNARY_INVERT, POWER_UNARY);
    default: return parse_primary(p);
    }
}

// The heart of it: a prefix, then every operator that binds at least so
// tightly as `least`.
// `start` is the first token of the whole operand, for every node on its left
// edge.
Node *parse_operand(Parser *p, Power least)
{
    uint32_t start = parse_start(p);
    Node *left = parse_prefix(p, least);
    while (left != NULL) {
        const Infix *infix = &infix_table[parse_kind(p)];
        // `not` without `in` behind it is no operator between two operands.
        if (infix->parse == NULL || infix->power < least ||
            (parse_at(p, TOK_NOT_WORD) && parse_ahead(p, 1) != TOK_IN)) {
            return left;
        }
        left = infix->parse(p, left, start, infix);
    }
    return NULL;
}

// What may stand where a conditional or a lambda may not without parentheses.
Node *parse_disjunction(Parser *p)
{
    return parse_operand(p, POWER_OR);
}

// lambda: 'lambda' [parameters] ':' expression
// No named expression in the body: `lambda: (a := 1)` needs parentheses.
static Node *parse_lambda(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *params = parse_parameters(p, TOK_COLON, false);
    if (params == NULL || !parse_expect(p, TOK_COLON)) {
        return NULL;
    }
    Node *body = parse_expression(p);
    Node *node = body != NULL ? parse_node(p, AST_LAMBDA, start) : NULL;
    if (node != NULL) {
        node->lambda.params = params;
        node->lambda.body = body;
    }
    return node;
}

// Behind `body 'if'`: disjunction 'else' expression
// The test is no full expression, so `a if b if c else d else e` is an error.
static Node *parse_conditional(Parser *p, Node *body, uint32_t start)
{
    Node *test = parse_disjunction(p);
    if (test == NULL || !parse_expect(p, TOK_ELSE)) {
        return NULL;
    }
    Node *orelse = parse_expression(p);
    Node *node = orelse != NULL ? parse_node(p, AST_CONDITIONAL, start) : NULL;
    if (node != NULL) {
        node->conditional.test = test;
        node->conditional.body = body;
        node->conditional.orelse = orelse;
    }
    return node;
}

// parse_expression without its guard.
static Node *expression_inside(Parser *p)
{
    uint32_t start = parse_start(p);
    if (parse_at(p, TOK_LAMBDA)) {
        return parse_lambda(p);
    }
    Node *body = parse_disjunction(p);
    if (body == NULL || !parse_accept(p, TOK_IF)) {
        return body;
    }
    return parse_conditional(p, body, start);
}

// expression: disjunction ['if' disjunction 'else' expression] | lambda
// Most recursion through brackets comes by here and is counted;
// LEXER_MAX_BRACKETS bounds the rest.
Node *parse_expression(Parser *p)
{
    if (!ctx_enter(p->ctx)) {
        return NULL;
    }
    Node *node = expression_inside(p);
    ctx_leave(p->ctx);
    return node;
}

// named_expression: NAME ':=' expression | expression !':='
// Two tokens of lookahead decide, so nothing is read twice.
Node *parse_named_expression(Parser *p)
{
    uint32_t start = parse_start(p);
    if (!parse_at(p, TOK_NAME) || parse_ahead(p, 1) != TOK_WALRUS) {
        Node *value = parse_expression(p);
        // Only a bare name may stand before a walrus; refused here, it is not
        // read as a complete expression with something odd behind it.
        return value != NULL && !parse_at(p, TOK_WALRUS) ? value : NULL;
    }
    Node *target = parse_name(p);
    p->position++;
    Node *value = target != NULL ? parse_expression(p) : NULL;
    Node *node = value != NULL ? parse_node(p, AST_NAMED_EXPR, start) : NULL;
    if (node != NULL) {
        // The target is always a name, so parse_set_target is not needed.
        target->name.context = CONTEXT_STORE;
        node->named_expr.target = target;
        node->named_expr.value = value;
    }
    return node;
}

// '*' bitwise_or
// Whether a star may stand there at all is for the callers to say.
static Node *parse_starred(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *value = parse_operand(p, POWER_BIT_OR);
    Node *node = value != NULL ? parse_node(p, AST_STARRED, start) : NULL;
    if (node != NULL) {
        node->starred.value = value;
        node->starred.context = CONTEXT_LOAD;
    }
    return node;
}

// An element of an unbracketed tuple; a walrus needs parentheses there.
Node *parse_star_expression(Parser *p)
{
    return parse_at(p, TOK_STAR) ? parse_starred(p) : parse_expression(p);
}

// An element inside brackets, where a walrus may stand without parentheses.
Node *parse_star_named_expression(Parser *p)
{
    return parse_at(p, TOK_STAR) ? parse_starred(p) : parse_named_expression(p);
}

// `yield` is not among them: it is no operand. `await` is, so that it is
// refused by name where it stands.
static bool parse_starts_expression(TokenKind kind)
{
    switch (kind) {
    case TOK_NAME:
    case TOK_NUMBER:
    case TOK_STRING:
    case TOK_LEFT_PAREN:
    case TOK_LEFT_BRACKET:
    case TOK_LEFT_BRACE:
    case TOK_ELLIPSIS:
    case TOK_NONE:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_MINUS:
    case TOK_PLUS:
    case TOK_TILDE:
    case TOK_NOT_WORD:
    case TOK_LAMBDA:
    case TOK_AWAIT: return true;
    default: return false;
    }
}

// star_expressions: star_expression (',' star_expression)* [',']
// Without a comma the one expression is given as it is, and no tuple.
Node *parse_star_expressions(Parser *p)
{
    uint32_t start = parse_start(p);
    Node *first = parse_star_expression(p);
    if (first == NULL || !parse_at(p, TOK_COMMA)) {
        return first;
    }
    size_t mark = parse_list_begin(p);
    if (!parse_list_add(p, first)) {
        return NULL;
    }
    while (parse_accept(p, TOK_COMMA)) {
        TokenKind next = parse_kind(p);
        // A comma at the end makes a tuple, but nothing has to follow it.
        if (next != TOK_STAR && !parse_starts_expression(next)) {
            break;
        }
        if (!parse_list_add(p, parse_star_expression(p))) {
            return NULL;
        }
    }
    return parse_list_tuple(p, mark, start);
}

// yield_expr: 'yield' 'from' expression | 'yield' [star_expressions]
// A yield is an expression of the lowest rank: only few places take it without
// parentheses.
Node *parse_yield(Parser *p)
{
    uint32_t start = parse_start(p);
    if (!parse_accept(p, TOK_YIELD)) {
        return NULL;
    }
    AstKind kind = AST_YIELD;
    Node *value = NULL;
    if (parse_accept(p, TOK_FROM)) {
        kind = AST_YIELD_FROM;
        value = parse_expression(p);
    } else if (parse_starts_expression(parse_kind(p)) ||
               parse_at(p, TOK_STAR)) {
        value = parse_star_expressions(p);
    } else {
        return parse_node(p, AST_YIELD, start);
    }
    Node *node = value != NULL ? parse_node(p, kind, start) : NULL;
    if (node != NULL) {
        node->expr_stmt.value = value;
    }
    return node;
}

// The right side of every assignment, and an expression statement.
Node *parse_yield_or_star_expressions(Parser *p)
{
    return parse_at(p, TOK_YIELD) ? parse_yield(p) : parse_star_expressions(p);
}
