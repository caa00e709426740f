// What follows an atom: attributes, subscripts, calls and their arguments.
//
// Invariant: arguments keep their order within positional ones (with `*a`) and
// within keyword ones (with `**a`): so they are evaluated.
#include "parser/parse.h"

// '.' NAME
// The span begins with the value, that of the name is kept apart.
static Node *parse_attribute(Parser *p, Node *value, uint32_t start)
{
    p->position++;
    Text name;
    uint32_t at = p->position;
    if (!parse_take_name(p, &name)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_ATTRIBUTE, start);
    if (node != NULL) {
        node->attribute.value = value;
        node->attribute.name = name;
        node->attribute.name_span = parse_token_span(p, at);
    }
    return node;
}

// Every part of a slice may be empty; these are the tokens that show it.
static bool ends_slice_part(Parser *p)
{
    return parse_at(p, TOK_COLON) || parse_at(p, TOK_COMMA) ||
           parse_at(p, TOK_RIGHT_BRACKET);
}

// Behind `[lower] ':'`: [expression] [':' [expression]]
// A second colon without a step behind it is allowed and leaves `step` NULL.
static Node *finish_slice(Parser *p, uint32_t start, Node *lower)
{
    Node *upper = NULL, *step = NULL;
    if (!ends_slice_part(p) && (upper = parse_expression(p)) == NULL) {
        return NULL;
    }
    if (parse_accept(p, TOK_COLON) && !ends_slice_part(p) &&
        (step = parse_expression(p)) == NULL) {
        return NULL;
    }
    Node *node = parse_node(p, AST_SLICE, start);
    if (node != NULL) {
        node->slice.lower = lower;
        node->slice.upper = upper;
        node->slice.step = step;
    }
    return node;
}

// slice: [expression] ':' [expression] [':' [expression]]
//      | named_expression | '*' bitwise_or
// A walrus may be an index, but not a part of a slice.
static Node *parse_slice(Parser *p)
{
    uint32_t start = parse_start(p);
    if (parse_accept(p, TOK_COLON)) {
        return finish_slice(p, start, NULL);
    }
    Node *node = parse_star_named_expression(p);
    if (node == NULL || !parse_at(p, TOK_COLON)) {
        return node;
    }
    // Neither can be the lower end of a slice without parentheses.
    if (node->kind == AST_STARRED ||
        (node->kind == AST_NAMED_EXPR && !node->parenthesized)) {
        return NULL;
    }
    p->position++;
    return finish_slice(p, start, node);
}

// slices: slice !',' | slice (',' slice)* [',']
// One index stays as it is. Several make a tuple, and so does a single `*a`.
static Node *parse_slices(Parser *p)
{
    uint32_t start = parse_start(p);
    Node *first = parse_slice(p);
    if (first == NULL ||
        (!parse_at(p, TOK_COMMA) && first->kind != AST_STARRED)) {
        return first;
    }
    size_t mark = parse_list_begin(p);
    if (!parse_list_add(p, first)) {
        return NULL;
    }
    while (parse_accept(p, TOK_COMMA) && !parse_at(p, TOK_RIGHT_BRACKET)) {
        if (!parse_list_add(p, parse_slice(p))) {
            return NULL;
        }
    }
    return parse_list_tuple(p, mark, start);
}

// '[' slices ']'
// The index is one node in any case: a slice, an expression or a tuple.
static Node *parse_subscript(Parser *p, Node *value, uint32_t start)
{
    p->position++;
    Node *index = parse_slices(p);
    if (index == NULL || !parse_expect(p, TOK_RIGHT_BRACKET)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_SUBSCRIPT, start);
    if (node != NULL) {
        node->subscript.value = value;
        node->subscript.index = index;
    }
    return node;
}

typedef struct Arguments {
    uint32_t count; // of all
    bool keyword;   // name=… was seen
    bool mapping;   // **… was seen
} Arguments;

// Takes NULL as it comes; a `name` without text is `**mapping`.
static Node *new_keyword(Parser *p, uint32_t start, Text name, Node *value)
{
    Node *node = value != NULL ? parse_node(p, AST_KEYWORD, start) : NULL;
    if (node != NULL) {
        node->keyword.name = name;
        node->keyword.value = value;
    }
    return node;
}

// NAME '=' expression | '**' expression
// Called only where the `=` or the `**` has been seen ahead.
static Node *parse_keyword(Parser *p, Arguments *seen)
{
    uint32_t start = parse_start(p);
    Text name = {NULL, 0};
    if (parse_accept(p, TOK_POWER)) {
        seen->mapping = true;
        return new_keyword(p, start, name, parse_expression(p));
    }
    if (!parse_take_name(p, &name)) {
        return NULL;
    }
    p->position++;
    seen->keyword = true;
    Node *value = parse_expression(p);
    return new_keyword(p, start, name, value);
}

// '*' expression
// Any expression may follow the star here, where elsewhere it is an operand of
// `|`; hence not parse_star_expression.
static Node *parse_star_argument(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *value = parse_expression(p);
    Node *node = value != NULL ? parse_node(p, AST_STARRED, start) : NULL;
    if (node != NULL) {
        node->starred.value = value;
    }
    return node;
}

// `f(x for x in y)`: the generator has the call's brackets as its own.
static Node *parse_call_generator(Parser *p, Node *element, uint32_t open)
{
    NodeList generators;
    if (!parse_generators(p, &generators) || !parse_at(p, TOK_RIGHT_PAREN)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_GENERATOR_EXP, p->tokens[open].span.start);
    if (node != NULL) {
        // The closing bracket is left for the call, which needs it too.
        node->span.end = p->tokens[p->position].span.end;
        node->comp.element = element;
        node->comp.generators = generators;
    }
    return node;
}

// A generator takes the place of its element; alone, it shares the brackets of
// the call, else it needs parentheses of its own.
static Node *parse_positional(Parser *p, Arguments *seen)
{
    uint32_t first = p->position;
    bool alone = seen->count == 0;
    Node *value = parse_at(p, TOK_NAME) && parse_ahead(p, 1) == TOK_WALRUS
                      ? parse_named_expression(p)
                      : parse_expression(p);
    // Only `NAME :=` was read as a named expression; any other is a fault.
    if (value == NULL || parse_at(p, TOK_WALRUS)) {
        return NULL;
    }
    if (parse_at(p, TOK_FOR) || parse_at(p, TOK_ASYNC)) {
        // `first - 1` is the bracket of the call, as the argument is the first
        // one.
        return alone ? parse_call_generator(p, value, first - 1) : NULL;
    }
    return value;
}

// argument: '*' expression | '**' expression | NAME '=' expression
//         | named_expression [for_if_clauses]
// The order of the tests is that of the tokens that tell: a star, a `**`, a
// name with `=` behind it, and everything else.
static bool parse_argument(Parser *p, Arguments *seen)
{
    // `*a` may stand behind `k=v`, but not behind `**m`.
    if (parse_at(p, TOK_STAR)) {
        if (seen->mapping) {
            return false;
        }
        return parse_list_add(p, parse_star_argument(p));
    }
    if (parse_at(p, TOK_POWER) ||
        (parse_at(p, TOK_NAME) && parse_ahead(p, 1) == TOK_EQUAL)) {
        return parse_list_add(p, parse_keyword(p, seen));
    }
    Node *value = parse_positional(p, seen);
    if (value == NULL) {
        return false;
    }
    return !seen->keyword && !seen->mapping && parse_list_add(p, value);
}

// Deals the arguments out, each sort in its order.
static bool split_arguments(Parser *p, NodeList all, NodeList *positional,
                            NodeList *keywords)
{
    // Only the keywords need an array: the positional arguments move up in the
    // old one, never past the item that is looked at.
    Node **items = arena_new_array(p->arena, Node *, all.count + 1);
    if (items == NULL) {
        return false;
    }
    *positional = (NodeList){all.items, 0};
    *keywords = (NodeList){items, 0};
    for (uint32_t i = 0; i < all.count; i++) {
        NodeList *list =
            all.items[i]->kind == AST_KEYWORD ? keywords : positional;
        list->items[list->count++] = all.items[i];
    }
    return true;
}

// arguments: argument (',' argument)* [',']; up to the ')' of the call.
// Serves classes too. A comma may end the list, but cannot stand alone in it.
bool parse_arguments(Parser *p, NodeList *positional, NodeList *keywords)
{
    Arguments seen = {0};
    NodeList all;
    size_t mark = parse_list_begin(p);
    while (!parse_at(p, TOK_RIGHT_PAREN)) {
        if (!parse_argument(p, &seen)) {
            return false;
        }
        seen.count++;
        if (!parse_accept(p, TOK_COMMA)) {
            break;
        }
    }
    return parse_list_end(p, mark, &all) &&
           split_arguments(p, all, positional, keywords);
}

// '(' [arguments] ')'
// Keywords that occur twice are not looked for here: that is no matter of the
// grammar.
static Node *parse_call(Parser *p, Node *function, uint32_t start)
{
    NodeList positional, keywords;
    p->position++;
    if (!parse_arguments(p, &positional, &keywords) ||
        !parse_expect(p, TOK_RIGHT_PAREN)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_CALL, start);
    if (node != NULL) {
        node->call.function = function;
        node->call.arguments = positional;
        node->call.keywords = keywords;
    }
    return node;
}

// primary: atom ('.' NAME | '[' slices ']' | '(' [arguments] ')')*
// A loop, so that a chain of any length keeps the C stack flat. All nodes of
// the chain begin where the atom begins.
Node *parse_primary(Parser *p)
{
    uint32_t start = parse_start(p);
    Node *node = parse_atom(p);
    while (node != NULL) {
        switch (parse_kind(p)) {
        case TOK_DOT: node = parse_attribute(p, node, start); break;
        case TOK_LEFT_BRACKET: node = parse_subscript(p, node, start); break;
        case TOK_LEFT_PAREN: node = parse_call(p, node, start); break;
        default: return node;
        }
    }
    return NULL;
}
