// Atoms: names, constants, brackets with all that may stand in them, and the
// chain of attributes, calls and subscripts behind an atom.
//
// Invariant: the chain is read in a loop; brackets recurse through
// parse_expression, which counts the depth.
#include "lexer/literal.h"
#include "parser/parse.h"

// Type only; text and number stay absent, as is right for the constants that
// are words.
static Node *new_constant(Parser *p, ConstantType type, uint32_t start)
{
    Node *node = parse_node(p, AST_CONSTANT, start);
    if (node != NULL) {
        node->constant.type = type;
    }
    return node;
}

// For keywords that are values.
static Node *parse_word(Parser *p, ConstantType type)
{
    uint32_t start = parse_start(p);
    p->position++;
    return new_constant(p, type, start);
}

// An int keeps its digits as text: its size is not bounded, and the parser has
// no big numbers. The buffer has the length with underscores, which is more
// than enough.
static Node *parse_number(Parser *p)
{
    Span span = p->tokens[p->position++].span;
    const char *text = p->source->text + span.start;
    size_t length = span.end - span.start;
    // The lexer knew it and did not say: tokens have no room for values.
    bool is_float = literal_is_float(text, length);
    Node *node =
        new_constant(p, is_float ? CONSTANT_FLOAT : CONSTANT_INT, span.start);
    char *digits = node != NULL ? arena_alloc(p->arena, length + 1) : NULL;
    if (digits == NULL) {
        return NULL;
    }
    // Floats keep their digits too, though the number is what counts.
    node->constant.text.length = literal_digits(text, length, digits);
    node->constant.text.text = digits;
    if (is_float) {
        node->constant.number = literal_float(digits);
    }
    return node;
}

// comprehension: 'for' star_targets 'in' disjunction ('if' disjunction)*
// The iterable of the first clause is evaluated outside the comprehension, but
// the tree does not tell the clauses apart.
static Node *parse_generator(Parser *p)
{
    uint32_t start = parse_start(p);
    if (!parse_expect(p, TOK_FOR)) {
        return NULL;
    }
    Node *target = parse_for_targets(p);
    Node *iter = target != NULL ? parse_disjunction(p) : NULL;
    if (iter == NULL) {
        return NULL;
    }
    // The conditions, as many as there are.
    size_t mark = parse_list_begin(p);
    while (parse_accept(p, TOK_IF)) {
        if (!parse_list_add(p, parse_disjunction(p))) {
            return NULL;
        }
    }
    Node *node = parse_node(p, AST_COMPREHENSION, start);
    if (node == NULL ||
        !parse_list_end(p, mark, &node->comprehension.conditions)) {
        return NULL;
    }
    node->comprehension.target = target;
    node->comprehension.iter = iter;
    return node;
}

// Points at the token at hand; always false.
static bool refuse(Parser *p, const char *what)
{
    return parse_fail_span(p, ERR_SYNTAX, parse_token_span(p, p->position),
                           "Duet has no '%s'", what);
}

// for_if_clauses: comprehension+
bool parse_generators(Parser *p, NodeList *generators)
{
    size_t mark = parse_list_begin(p);
    // At least one clause; a missing `for` is a mismatch.
    do {
        if (parse_at(p, TOK_ASYNC)) {
            return refuse(p, "async");
        }
        if (!parse_list_add(p, parse_generator(p))) {
            return false;
        }
    } while (parse_at(p, TOK_FOR) || parse_at(p, TOK_ASYNC));
    return parse_list_end(p, mark, generators);
}

// Behind `open element`: for_if_clauses close
// For all kinds but the dict's, which has two elements.
static Node *finish_comprehension(Parser *p, AstKind kind, uint32_t start,
                                  Node *element, TokenKind close)
{
    NodeList generators;
    // `[*a for …]` is no comprehension; the second pass tells why.
    if (element->kind == AST_STARRED || !parse_generators(p, &generators) ||
        !parse_expect(p, close)) {
        return NULL;
    }
    Node *node = parse_node(p, kind, start);
    if (node != NULL) {
        node->comp.element = element;
        node->comp.generators = generators;
    }
    return node;
}

// Behind `open element`: (',' star_named_expression)* [','] close
// `first` is NULL for empty brackets. The comma that makes `(a,)` a tuple was
// seen by the caller.
static Node *finish_sequence(Parser *p, AstKind kind, uint32_t start,
                             Node *first, TokenKind close)
{
    size_t mark = parse_list_begin(p);
    if (first != NULL && !parse_list_add(p, first)) {
        return NULL;
    }
    while (parse_accept(p, TOK_COMMA) && !parse_at(p, close)) {
        if (!parse_list_add(p, parse_star_named_expression(p))) {
            return NULL;
        }
    }
    if (!parse_expect(p, close)) {
        return NULL;
    }
    Node *node = parse_node(p, kind, start);
    if (node == NULL || !parse_list_end(p, mark, &node->sequence.elements)) {
        return NULL;
    }
    // A tuple's own brackets count, so that `del (a, b)` and `(a, b): int` can
    // tell them from an unbracketed one.
    node->parenthesized = kind == AST_TUPLE;
    return node;
}

// A comprehension with `async` too, so that it is refused as such.
static bool at_for(Parser *p)
{
    return parse_at(p, TOK_FOR) || parse_at(p, TOK_ASYNC);
}

// group: '(' (yield_expr | named_expression) ')'
// The node is the one inside: parentheses leave only a mark.
static Node *finish_group(Parser *p, Node *inside)
{
    if (inside == NULL || inside->kind == AST_STARRED ||
        !parse_expect(p, TOK_RIGHT_PAREN)) {
        return NULL;
    }
    // Marked on the expression itself: there is no node for parentheses, and
    // the span leaves them out.
    inside->parenthesized = 1;
    return inside;
}

// tuple | group | genexp
// What follows the first element decides between the three.
static Node *parse_paren(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    if (parse_at(p, TOK_RIGHT_PAREN)) {
        return finish_sequence(p, AST_TUPLE, start, NULL, TOK_RIGHT_PAREN);
    }
    if (parse_at(p, TOK_YIELD)) {
        return finish_group(p, parse_yield(p));
    }
    Node *first = parse_star_named_expression(p);
    if (first == NULL) {
        return NULL;
    }
    if (at_for(p)) {
        return finish_comprehension(p, AST_GENERATOR_EXP, start, first,
                                    TOK_RIGHT_PAREN);
    }
    if (parse_at(p, TOK_COMMA)) {
        return finish_sequence(p, AST_TUPLE, start, first, TOK_RIGHT_PAREN);
    }
    return finish_group(p, first);
}

// list | listcomp
// No yield without parentheses of its own, unlike in a group.
static Node *parse_square(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    if (parse_at(p, TOK_RIGHT_BRACKET)) {
        return finish_sequence(p, AST_LIST, start, NULL, TOK_RIGHT_BRACKET);
    }
    Node *first = parse_star_named_expression(p);
    if (first != NULL && at_for(p)) {
        return finish_comprehension(p, AST_LIST_COMP, start, first,
                                    TOK_RIGHT_BRACKET);
    }
    return first == NULL
               ? NULL
               : finish_sequence(p, AST_LIST, start, first, TOK_RIGHT_BRACKET);
}

// dictcomp: '{' expression ':' expression for_if_clauses '}'
// The first pair was put on the open list before it was clear that no dict
// follows.
static Node *finish_dict_comp(Parser *p, uint32_t start, Node *key, Node *value)
{
    NodeList generators;
    p->scratch.count -= 2; // the pair is no item of a dict
    if (!parse_generators(p, &generators) ||
        !parse_expect(p, TOK_RIGHT_BRACE)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_DICT_COMP, start);
    if (node != NULL) {
        node->dict_comp.key = key;
        node->dict_comp.value = value;
        node->dict_comp.generators = generators;
    }
    return node;
}

// Behind `key`: ':' expression. Both go onto the open list.
// A NULL key is a failure that is passed on.
static bool finish_pair(Parser *p, Node *key)
{
    if (key == NULL || !parse_accept(p, TOK_COLON)) {
        return false;
    }
    Node *value = parse_expression(p);
    return parse_list_add(p, key) && parse_list_add(p, value);
}

// kvpair: '**' bitwise_or | expression ':' expression. A mapping has NULL in
// the key's place.
static bool parse_pair(Parser *p)
{
    if (!parse_accept(p, TOK_POWER)) {
        return finish_pair(p, parse_expression(p));
    }
    return vec_push(p->ctx, &p->scratch, NULL) &&
           parse_list_add(p, parse_operand(p, POWER_BIT_OR));
}

// Splits the pairs on the open list into the keys and the values.
static Node *new_dict(Parser *p, uint32_t start, size_t mark)
{
    NodeList pairs;
    Node *node = parse_node(p, AST_DICT, start);
    if (node == NULL || !parse_list_end(p, mark, &pairs)) {
        return NULL;
    }
    uint32_t count = pairs.count / 2;
    Node **keys = arena_new_array(p->arena, Node *, count + 1);
    if (keys == NULL) {
        return NULL;
    }
    // The values move down in the array of pairs; nothing is written over
    // before it is read, as `i` is never beyond `2 * i`.
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = pairs.items[2 * i];
        pairs.items[i] = pairs.items[2 * i + 1];
    }
    node->dict.keys = (NodeList){keys, count};
    node->dict.values = (NodeList){pairs.items, count};
    return node;
}

// dict: '{' [kvpair (',' kvpair)* [',']] '}'. The '{' and the first key, if
// it has one, are behind us.
// The pairs lie on the open list as key, value, key, value; new_dict parts
// them.
static Node *parse_dict(Parser *p, uint32_t start, Node *key)
{
    size_t mark = parse_list_begin(p);
    if (key != NULL) {
        if (!finish_pair(p, key)) {
            return NULL;
        }
        if (at_for(p)) {
            return finish_dict_comp(p, start, key, vec_last(&p->scratch));
        }
    }
    if (key == NULL || parse_accept(p, TOK_COMMA)) {
        while (!parse_at(p, TOK_RIGHT_BRACE)) {
            if (!parse_pair(p)) {
                return NULL;
            }
            if (!parse_accept(p, TOK_COMMA)) {
                break;
            }
        }
    }
    return parse_expect(p, TOK_RIGHT_BRACE) ? new_dict(p, start, mark) : NULL;
}

// A key is an expression in the grammar: a walrus needs parentheses there.
static bool can_be_key(const Node *node)
{
    return node->kind != AST_STARRED &&
           (node->kind != AST_NAMED_EXPR || node->parenthesized);
}

// dict | dictcomp | set | setcomp: what follows the first element tells.
// Empty braces are a dict.
static Node *parse_brace(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    if (parse_at(p, TOK_RIGHT_BRACE) || parse_at(p, TOK_POWER)) {
        return parse_dict(p, start, NULL);
    }
    Node *element = parse_star_named_expression(p);
    if (element == NULL) {
        return NULL;
    }
    if (parse_at(p, TOK_COLON)) {
        return can_be_key(element) ? parse_dict(p, start, element) : NULL;
    }
    if (at_for(p)) {
        return finish_comprehension(p, AST_SET_COMP, start, element,
                                    TOK_RIGHT_BRACE);
    }
    return finish_sequence(p, AST_SET, start, element, TOK_RIGHT_BRACE);
}

// The bracket is at hand.
static Node *parse_bracket(Parser *p)
{
    TokenKind kind = parse_kind(p);
    return kind == TOK_LEFT_PAREN     ? parse_paren(p)
           : kind == TOK_LEFT_BRACKET ? parse_square(p)
                                      : parse_brace(p);
}

// atom: NAME | 'True' | 'False' | 'None' | '...' | NUMBER | STRING+
//     | tuple | group | genexp | list | listcomp | dict | set | …
// NULL without an error is the usual answer for a token that begins no atom:
// callers see from it that the expression ended.
Node *parse_atom(Parser *p)
{
    switch (parse_kind(p)) {
    case TOK_NAME: return parse_name(p);
    case TOK_NUMBER: return parse_number(p);
    case TOK_STRING: return parse_strings(p);
    case TOK_NONE: return parse_word(p, CONSTANT_NONE);
    case TOK_TRUE: return parse_word(p, CONSTANT_TRUE);
    case TOK_FALSE: return parse_word(p, CONSTANT_FALSE);
    case TOK_ELLIPSIS: return parse_word(p, CONSTANT_ELLIPSIS);
    case TOK_LEFT_PAREN:
    case TOK_LEFT_BRACKET:
    case TOK_LEFT_BRACE: return parse_bracket(p);
    // Named in the error, since Python has it.
    case TOK_AWAIT: refuse(p, "await"); return NULL;
    default: return NULL;
    }
}
