// The second pass: CPython's advice for what people get wrong in expressions.
//
// Every trial in here is made without explaining, so that the work is linear
// in the length of what is tried. What a trial finds is dropped with the
// arena.
#include "parser/parse_explain.h"

// In the form that parse_try takes.
static Node *try_bitwise_or(Parser *p)
{
    return parse_operand(p, POWER_BIT_OR);
}

// The generators behind an element, as the list of a node that is thrown away.
// Its node is made first, as parse_try wants one; what matters is whether it
// comes.
static Node *try_generators(Parser *p)
{
    Node *node = parse_node(p, AST_GENERATOR_EXP, parse_start(p));
    return node != NULL && parse_generators(p, &node->comp.generators) ? node
                                                                      : NULL;
}

// Statements of Python 2 that are calls today.
static bool is_old_statement(Parser *p, uint32_t token)
{
    return p->tokens[token].kind == TOK_NAME &&
           (parse_text_is(p, token, "print") ||
            parse_text_is(p, token, "exec"));
}

// Names that CPython's grammar excludes from the advice about a comma: `match
// x` is more likely a statement than two items.
static bool is_soft_keyword(Parser *p, uint32_t token)
{
    return p->tokens[token].kind == TOK_NAME &&
           (parse_text_is(p, token, "match") ||
            parse_text_is(p, token, "case") || parse_text_is(p, token, "_"));
}

// `a b` in brackets.
// `first` is the first token of `found`. All functions of this kind return
// false if they raised something, and true if they have nothing to say.
static bool explain_comma(Parser *p, uint32_t first, const Node *found)
{
    uint32_t position = p->position;
    // A name before a string may be a prefix that does not exist: `z"…"`.
    bool prefix_like = p->tokens[first].kind == TOK_NAME &&
                       p->tokens[first + 1].kind == TOK_STRING;
    if (prefix_like || is_soft_keyword(p, first) ||
        !parse_starts_expression(parse_kind(p))) {
        return true;
    }
    const Node *next = parse_try(p, parse_expression);
    // Outside brackets a line cannot miss a comma without being two
    // statements, and CPython says nothing of one.
    bool bracketed = p->tokens[p->position - 1].level != 0;
    p->position = position;
    if (next == NULL) {
        return !ctx_failed(p->ctx);
    }
    bool old = found->kind == AST_NAME && is_old_statement(p, first);
    return old || !bracketed ||
           parse_fail_span(p, ERR_SYNTAX, span_join(found->span, next->span),
                           "invalid syntax. Perhaps you forgot a comma?");
}

// `a if b` without `else`.
// A ':' behind the test is no missing `else`: `[a if b: …` has another fault.
static bool explain_else(Parser *p, const Node *found)
{
    uint32_t position = p->position;
    if (!parse_accept(p, TOK_IF)) {
        return true;
    }
    const Node *test = parse_try(p, parse_disjunction);
    bool complete = test == NULL || parse_at(p, TOK_ELSE) ||
                    parse_at(p, TOK_COLON);
    p->position = position;
    if (complete) {
        return !ctx_failed(p->ctx);
    }
    return parse_fail_span(p, ERR_SYNTAX, span_join(found->span, test->span),
                           "expected 'else' after 'if' expression");
}

// `print a`
// A parenthesis behind the name would be a call, which is valid by itself.
static bool explain_old_statement(Parser *p, uint32_t first)
{
    uint32_t position = p->position;
    if (!is_old_statement(p, first)) {
        return true;
    }
    p->position = first + 1;
    const Node *value = parse_at(p, TOK_LEFT_PAREN)
                            ? NULL
                            : parse_try(p, parse_star_expressions);
    p->position = position;
    if (value == NULL) {
        return !ctx_failed(p->ctx);
    }
    // Both names stand in the message twice.
    const char *name = parse_text_is(p, first, "print") ? "print" : "exec";
    Span span = span_join(parse_token_span(p, first), value->span);
    return parse_fail_span(p, ERR_SYNTAX, span,
                           "Missing parentheses in call to '%s'. Did you mean "
                           "%s(...)?",
                           name, name);
}

// In the order in which CPython tries its rules. `found` is NULL if no
// expression was read; only the old statements can be told then.
bool explain_expression(Parser *p, uint32_t first, const Node *found)
{
    if (ctx_failed(p->ctx)) {
        return false;
    }
    if (found != NULL &&
        (!explain_comma(p, first, found) || !explain_else(p, found))) {
        return false;
    }
    return explain_old_statement(p, first);
}

// NAME '=' bitwise_or !('=' | ':=')
// CPython points from the name to the end of the value, and not at the `=`.
static bool explain_name_equal(Parser *p, uint32_t first)
{
    p->position = first + 2;
    const Node *value = parse_try(p, try_bitwise_or);
    if (value == NULL || parse_at(p, TOK_EQUAL) || parse_at(p, TOK_WALRUS)) {
        return !ctx_failed(p->ctx);
    }
    return parse_fail_span(p, ERR_SYNTAX,
                           span_join(parse_token_span(p, first), value->span),
                           "invalid syntax. Maybe you meant '==' or ':=' "
                           "instead of '='?");
}

// Could the brackets at hand be a target? Then it is no comparison.
// Also true for words that cannot be assigned to: they have a message of their
// own elsewhere.
static bool is_display(Parser *p)
{
    TokenKind kind = parse_kind(p);
    if (kind == TOK_TRUE || kind == TOK_NONE || kind == TOK_FALSE) {
        return true;
    }
    if (kind != TOK_LEFT_PAREN && kind != TOK_LEFT_BRACKET) {
        return false;
    }
    uint32_t position = p->position;
    const Node *atom = parse_try(p, parse_atom);
    p->position = position;
    return atom != NULL &&
           (atom->kind == AST_TUPLE ||
            (!atom->parenthesized && (atom->kind == AST_LIST ||
                                      atom->kind == AST_GENERATOR_EXP)));
}

// bitwise_or '=' bitwise_or !('=' | ':=')
// The left side is read anew as a bitwise or, which is what CPython's rule
// takes here; the caller puts the position back.
static bool explain_equal(Parser *p, uint32_t first)
{
    p->position = first;
    if (is_display(p)) {
        return !ctx_failed(p->ctx);
    }
    const Node *left = parse_try(p, try_bitwise_or);
    if (left == NULL || !parse_accept(p, TOK_EQUAL) ||
        parse_try(p, try_bitwise_or) == NULL || parse_at(p, TOK_EQUAL) ||
        parse_at(p, TOK_WALRUS)) {
        return !ctx_failed(p->ctx);
    }
    return parse_fail_span(p, ERR_SYNTAX, left->span,
                           "cannot assign to %s here. Maybe you meant '==' "
                           "instead of '='?",
                           parse_expression_name(left));
}

// For places where a value is wanted and an assignment was written, such as
// `if a = 1:`. A second `=` or a walrus behind it makes it something else, so
// nothing is said then.
bool explain_named(Parser *p, uint32_t first, const Node *found)
{
    if (found == NULL || ctx_failed(p->ctx)) {
        return !ctx_failed(p->ctx);
    }
    // `found` is whole, so what stands before the walrus is no bare name.
    if (parse_at(p, TOK_WALRUS)) {
        return parse_fail_span(p, ERR_SYNTAX, found->span,
                               "cannot use assignment expressions with %s",
                               parse_expression_name(found));
    }
    uint32_t position = p->position;
    bool quiet = true;
    if (p->tokens[first].kind == TOK_NAME &&
        p->tokens[first + 1].kind == TOK_EQUAL) {
        quiet = explain_name_equal(p, first);
    }
    quiet = quiet && explain_equal(p, first);
    p->position = position;
    return quiet;
}

// The innermost bad part is named and marked: in `(a, f()) = 1` the call.
bool explain_target(Parser *p, const Node *node, TargetUse use)
{
    const Node *bad = parse_bad_target(node, use);
    return parse_fail_span(p, ERR_SYNTAX, bad->span, "cannot %s %s",
                           use == TARGET_DELETE ? "delete" : "assign to",
                           parse_expression_name(bad));
}

// CPython marks the first element of a bare tuple, but names the tuple.
static bool explain_annotation(Parser *p, const Node *left)
{
    const Node *fault = left;
    if (left->kind == AST_TUPLE && !left->parenthesized) {
        fault = left->sequence.elements.items[0];
    }
    if (left->kind == AST_TUPLE || left->kind == AST_LIST) {
        return parse_fail_span(p, ERR_SYNTAX, fault->span,
                               "only single target (not %s) can be annotated",
                               parse_expression_name(left));
    }
    return parse_fail_span(p, ERR_SYNTAX, left->span,
                           "illegal target for annotation");
}

// First the expression is read once with explaining on, since a fault inside
// it is nearer to what the user did than the form of the statement.
bool explain_assignment(Parser *p, uint32_t first)
{
    p->position = first;
    Node *unused = parse_star_named_expression(p);
    (void)unused;
    if (ctx_failed(p->ctx)) {
        return false;
    }
    p->position = first;
    const Node *left = parse_try(p, parse_star_expressions);
    if (left == NULL) {
        return !ctx_failed(p->ctx);
    }
    switch (parse_kind(p)) {
    case TOK_EQUAL:
        return true; // the chain goes on: its targets are told one by one
    case TOK_COLON:
        return explain_annotation(p, left);
    default:
        return parse_fail_span(p, ERR_SYNTAX, left->span,
                               "'%s' is an illegal expression for augmented "
                               "assignment",
                               parse_expression_name(left));
    }
}

// '(' '*' … ')', '(' '**' … ')'
// Only where nothing else stands in the parentheses: `(*a, b)` is a tuple.
static bool explain_paren(Parser *p)
{
    Span stars = parse_token_span(p, p->position);
    if (parse_accept(p, TOK_POWER)) {
        return parse_try(p, parse_expression) == NULL ||
               !parse_at(p, TOK_RIGHT_PAREN) ||
               parse_fail_span(p, ERR_SYNTAX, stars,
                               "cannot use double starred expression here");
    }
    if (!parse_at(p, TOK_STAR)) {
        return true;
    }
    uint32_t position = p->position;
    const Node *starred = parse_try(p, parse_star_expression);
    bool alone = starred != NULL && parse_at(p, TOK_RIGHT_PAREN);
    p->position = position;
    return !alone ||
           parse_fail_span(p, ERR_SYNTAX, starred->span,
                           "cannot use starred expression here");
}

// `{**a for …}`
// The whole comprehension must be there, or the fault is elsewhere.
static bool explain_dict_unpacking(Parser *p)
{
    Span stars = parse_token_span(p, p->position);
    uint32_t position = p->position++;
    bool found = parse_try(p, try_bitwise_or) != NULL &&
                 parse_try(p, try_generators) != NULL &&
                 parse_at(p, TOK_RIGHT_BRACE);
    p->position = position;
    return !found || parse_fail_span(p, ERR_SYNTAX, stars,
                                     "dict unpacking cannot be used in dict "
                                     "comprehension");
}

// `[a, b for …]`: behind the first element, at the ','.
// The comprehension is not read to its bracket: from the `for` clauses it is
// clear enough what was meant.
static bool explain_bare_tuple(Parser *p, const Node *first)
{
    Span last = parse_token_span(p, p->position);
    while (parse_accept(p, TOK_COMMA)) {
        const Node *item = parse_try(p, parse_star_named_expression);
        if (item == NULL) {
            break;
        }
        last = item->span;
    }
    if (!parse_at(p, TOK_FOR) || parse_try(p, try_generators) == NULL) {
        return !ctx_failed(p->ctx);
    }
    return parse_fail_span(p, ERR_SYNTAX, span_join(first->span, last),
                           "did you forget parentheses around the "
                           "comprehension target?");
}

// Called when the brackets could not be read, with `open` at the bracket; the
// caller puts the position back.
bool explain_bracket(Parser *p, uint32_t open)
{
    TokenKind kind = p->tokens[open].kind;
    p->position = open + 1;
    if (kind == TOK_LEFT_PAREN && !explain_paren(p)) {
        return false;
    }
    if (kind == TOK_LEFT_BRACE && parse_at(p, TOK_POWER)) {
        return explain_dict_unpacking(p);
    }
    const Node *first = parse_try(p, parse_star_named_expression);
    if (first == NULL) {
        return !ctx_failed(p->ctx);
    }
    if (first->kind == AST_STARRED && parse_at(p, TOK_FOR) &&
        parse_try(p, try_generators) != NULL) {
        return parse_fail_span(p, ERR_SYNTAX, first->span,
                               "iterable unpacking cannot be used in "
                               "comprehension");
    }
    if (kind == TOK_LEFT_PAREN || !parse_at(p, TOK_COMMA)) {
        return !ctx_failed(p->ctx);
    }
    return explain_bare_tuple(p, first);
}

// `True=1`, `a.b=1` among the arguments of a call.
// The keywords get a message of their own, since `True=1` looks like a keyword
// argument in form.
static bool explain_argument_equal(Parser *p, uint32_t first,
                                   const Node *found)
{
    Span equal = parse_token_span(p, p->position);
    TokenKind kind = p->tokens[first].kind;
    if (p->position == first + 1 &&
        (kind == TOK_TRUE || kind == TOK_FALSE || kind == TOK_NONE)) {
        return parse_fail_span(p, ERR_SYNTAX, span_join(found->span, equal),
                               "cannot assign to %s", token_text(kind));
    }
    return parse_fail_span(p, ERR_SYNTAX, span_join(found->span, equal),
                           "expression cannot contain assignment, perhaps you "
                           "meant \"==\"?");
}

// CPython marks the argument up to the end of its last clause, without the
// call's bracket.
static Span last_item_span(const Node *generators)
{
    NodeList list = generators->comp.generators;
    const Node *last = list.items[list.count - 1];
    NodeList conditions = last->comprehension.conditions;
    return conditions.count > 0 ? conditions.items[conditions.count - 1]->span
                                : last->comprehension.iter->span;
}

// `alone` says that no argument stands before it. A generator needs
// parentheses of its own unless it is the only argument and no comma follows.
bool explain_argument(Parser *p, uint32_t first, const Node *found, bool alone)
{
    if (parse_at(p, TOK_EQUAL)) {
        return explain_argument_equal(p, first, found);
    }
    if (!parse_at(p, TOK_FOR)) {
        return true;
    }
    uint32_t position = p->position;
    const Node *generators = parse_try(p, try_generators);
    bool fault = generators != NULL && (!alone || parse_at(p, TOK_COMMA));
    p->position = position;
    if (!fault) {
        return !ctx_failed(p->ctx);
    }
    return parse_fail_span(p, ERR_SYNTAX,
                           span_join(found->span, last_item_span(generators)),
                           "Generator expression must be parenthesized");
}
