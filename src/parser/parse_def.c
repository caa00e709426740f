// Definitions: functions with their parameters, classes, decorators.
//
// Invariant: a PARAMS node lists the parameters in the order of the text,
// whose kinds never go down; a bare `*` or `/` leaves no node.
#include "parser/parse.h"

// Bytes and f-strings are no docstrings. The text is shared with the constant.
Text parse_docstring(const NodeList *body)
{
    if (body->count > 0 && body->items[0]->kind == AST_EXPR_STMT) {
        const Node *value = body->items[0]->expr_stmt.value;
        if (value->kind == AST_CONSTANT &&
            value->constant.type == CONSTANT_STR) {
            return value->constant.text;
        }
    }
    return (Text){NULL, 0};
}

// A parameter list as far as it was read.
// Lives while one list is read; what it holds is what the order of the
// parameters must be checked against.
typedef struct Params {
    TokenKind close;  // ')' or the ':' of a lambda
    bool annotated;   // `name: annotation` may stand there
    size_t mark;      // of the list of PARAM nodes
    bool slash, star; // were seen
    bool bare_star;   // the star had no name, and no name has followed yet
    bool defaults;    // a positional parameter with a default was seen
    bool finished;    // **name was seen
} Params;

// NAME [':' annotation]
// A lambda has no annotations: its colon ends the list.
static Node *parse_param(Parser *p, const Params *params, ParamKind kind)
{
    Text name;
    uint32_t start = parse_start(p);
    Node *annotation = NULL;
    if (!parse_take_name(p, &name)) {
        return NULL;
    }
    if (params->annotated && parse_accept(p, TOK_COLON)) {
        // `*args: *Ts` is allowed, for this kind alone.
        annotation = kind == PARAM_VARARGS ? parse_star_expression(p)
                                           : parse_expression(p);
        if (annotation == NULL) {
            return NULL;
        }
    }
    Node *node = parse_node(p, AST_PARAM, start);
    if (node != NULL) {
        node->param.name = name;
        node->param.annotation = annotation;
        node->param.kind = kind;
    }
    return node;
}

// ['=' expression]
// Behind a star a parameter without a default may follow one with a default,
// since it is given by name.
static bool parse_default(Parser *p, Params *params, Node *param)
{
    if (!parse_accept(p, TOK_EQUAL)) {
        return !params->defaults || params->star;
    }
    // Only for positional ones, since behind a star the order is free.
    params->defaults |= !params->star;
    param->param.default_value = parse_expression(p);
    return param->param.default_value != NULL;
}

// A name behind a bare `*` satisfies it.
static bool take_plain(Parser *p, Params *params)
{
    ParamKind kind = params->star ? PARAM_KEYWORD_ONLY : PARAM_POSITIONAL;
    Node *param = parse_param(p, params, kind);
    if (param == NULL || !parse_default(p, params, param)) {
        return false;
    }
    params->bare_star = false;
    return parse_list_add(p, param);
}

// '/': what stands before it can be given by position only.
static bool take_slash(Parser *p, Params *params)
{
    if (p->scratch.count == params->mark || params->slash || params->star) {
        return false;
    }
    params->slash = true;
    // All parameters so far lie on the open list, and become positional-only
    // with hindsight.
    for (size_t i = params->mark; i < p->scratch.count; i++) {
        p->scratch.items[i]->param.kind = PARAM_POSITIONAL_ONLY;
    }
    p->position++;
    return true;
}

// '*' [NAME [':' annotation]]
// Both forms forbid a second star; the bare one also wants a name behind it.
static bool take_star(Parser *p, Params *params)
{
    p->position++;
    if (params->star) {
        return false;
    }
    params->star = true;
    if (parse_at(p, TOK_COMMA) || parse_at(p, params->close)) {
        // Cleared by the first name that follows.
        params->bare_star = true;
        return true;
    }
    return parse_list_add(p, parse_param(p, params, PARAM_VARARGS));
}

// '**' NAME [':' annotation]
// Must be the last one, which take_one sees to.
static bool take_mapping(Parser *p, Params *params)
{
    if (params->bare_star) {
        return false;
    }
    p->position++;
    params->finished = true;
    return parse_list_add(p, parse_param(p, params, PARAM_VARKEYWORDS));
}

// Nothing may follow `**kwargs`, not even a second one.
static bool take_one(Parser *p, Params *params)
{
    if (params->finished) {
        return false;
    }
    switch (parse_kind(p)) {
    case TOK_SLASH: return take_slash(p, params);
    case TOK_STAR: return take_star(p, params);
    case TOK_POWER: return take_mapping(p, params);
    default: return take_plain(p, params);
    }
}

// parameters: parameter (',' parameter)* [','], up to `close`
// The closing token is left for the caller. An empty list gives a PARAMS node
// without items, so that there is always one to look at.
Node *parse_parameters(Parser *p, TokenKind close, bool annotated)
{
    uint32_t start = parse_start(p);
    Params params = {
        .close = close, .annotated = annotated, .mark = parse_list_begin(p)};
    while (!parse_at(p, close)) {
        if (!take_one(p, &params)) {
            return NULL;
        }
        if (!parse_accept(p, TOK_COMMA)) {
            break;
        }
    }
    // A bare star is a fault even if the list ends properly.
    if (params.bare_star) {
        return NULL;
    }
    Node *node = parse_node(p, AST_PARAMS, start);
    if (node == NULL || !parse_list_end(p, params.mark, &node->params.params)) {
        return NULL;
    }
    // Without parameters the last token taken stands before the start.
    node->span.end = node->span.end < start ? start : node->span.end;
    return node;
}

// Behind the name: '(' [parameters] ')' ['->' expression] ':' block
// Fills in the node as it goes; the name and the rest are set by the caller.
static bool parse_function_rest(Parser *p, Node *node)
{
    if (!parse_expect(p, TOK_LEFT_PAREN)) {
        return false;
    }
    node->function_def.params = parse_parameters(p, TOK_RIGHT_PAREN, true);
    if (node->function_def.params == NULL ||
        !parse_expect(p, TOK_RIGHT_PAREN)) {
        return false;
    }
    if (parse_accept(p, TOK_ARROW) &&
        (node->function_def.returns = parse_expression(p)) == NULL) {
        return false;
    }
    return parse_expect(p, TOK_COLON) &&
           parse_block(p, &node->function_def.body);
}

// function_def: 'def' NAME '(' [parameters] ')' ['->' expression] ':' block
// `start` is at the keyword, also behind decorators.
Node *parse_function(Parser *p, NodeList decorators, uint32_t start)
{
    p->position++;
    Text name;
    Span name_span = parse_token_span(p, p->position);
    Node *node = parse_take_name(p, &name)
                     ? parse_node(p, AST_FUNCTION_DEF, start)
                     : NULL;
    if (node == NULL || !parse_function_rest(p, node)) {
        return NULL;
    }
    node->span.end = parse_end(p);
    node->function_def.name = name;
    node->function_def.name_span = name_span;
    node->function_def.decorators = decorators;
    // The statement stays in the body as well.
    node->function_def.docstring = parse_docstring(&node->function_def.body);
    return node;
}

// Behind the name: ['(' [arguments] ')'] ':' block
// The arguments are those of a call: bases, and keywords for the metaclass.
static bool parse_class_rest(Parser *p, Node *node)
{
    if (parse_accept(p, TOK_LEFT_PAREN) &&
        (!parse_arguments(p, &node->class_def.bases,
                          &node->class_def.keywords) ||
         !parse_expect(p, TOK_RIGHT_PAREN))) {
        return false;
    }
    return parse_expect(p, TOK_COLON) && parse_block(p, &node->class_def.body);
}

// class_def: 'class' NAME ['(' [arguments] ')'] ':' block
// As parse_function, without a span for the name.
Node *parse_class(Parser *p, NodeList decorators, uint32_t start)
{
    p->position++;
    Text name;
    Node *node =
        parse_take_name(p, &name) ? parse_node(p, AST_CLASS_DEF, start) : NULL;
    if (node == NULL || !parse_class_rest(p, node)) {
        return NULL;
    }
    node->span.end = parse_end(p);
    node->class_def.name = name;
    node->class_def.decorators = decorators;
    node->class_def.docstring = parse_docstring(&node->class_def.body);
    return node;
}

// decorated: ('@' named_expression NEWLINE)+ (function_def | class_def)
// Any named expression may decorate, as since Python 3.9.
Node *parse_decorated(Parser *p)
{
    NodeList decorators;
    size_t mark = parse_list_begin(p);
    while (parse_accept(p, TOK_AT)) {
        if (!parse_list_add(p, parse_named_expression(p)) ||
            !parse_expect(p, TOK_NEWLINE)) {
            return NULL;
        }
    }
    if (!parse_list_end(p, mark, &decorators)) {
        return NULL;
    }
    switch (parse_kind(p)) {
    case TOK_DEF: return parse_function(p, decorators, parse_start(p));
    case TOK_CLASS: return parse_class(p, decorators, parse_start(p));
    case TOK_ASYNC:
        parse_fail_span(p, ERR_SYNTAX, parse_token_span(p, p->position),
                        "Duet has no 'async'");
        return NULL;
    default: return NULL;
    }
}
