// Targets: expressions that stand where something is stored or deleted.
//
// A target is read as an expression first, because its end tells what it is;
// then its contexts are set. Depth is bounded by the brackets of the text.
#include "parser/parse.h"
#include "parser/parse_explain.h"

// CPython's words (_PyPegen_get_expr_name), which messages quote.
const char *parse_expression_name(const Node *node)
{
    static const char *const names[AST_COUNT] = {
        [AST_ATTRIBUTE] = "attribute",
        [AST_SUBSCRIPT] = "subscript",
        [AST_STARRED] = "starred",
        [AST_NAME] = "name",
        [AST_LIST] = "list",
        [AST_TUPLE] = "tuple",
        [AST_LAMBDA] = "lambda",
        [AST_CALL] = "function call",
        [AST_GENERATOR_EXP] = "generator expression",
        [AST_YIELD] = "yield expression",
        [AST_YIELD_FROM] = "yield expression",
        [AST_LIST_COMP] = "list comprehension",
        [AST_SET_COMP] = "set comprehension",
        [AST_DICT_COMP] = "dict comprehension",
        [AST_DICT] = "dict literal",
        [AST_SET] = "set display",
        [AST_JOINED_STR] = "f-string expression",
        [AST_COMPARE] = "comparison",
        [AST_CONDITIONAL] = "conditional expression",
        [AST_NAMED_EXPR] = "named expression",
    };
    static const char *const constants[] = {
        [CONSTANT_NONE] = "None",
        [CONSTANT_FALSE] = "False",
        [CONSTANT_TRUE] = "True",
        [CONSTANT_ELLIPSIS] = "ellipsis",
    };
    if (node->kind == AST_CONSTANT) {
        ConstantType type = node->constant.type;
        // Numbers and strings are all the same to CPython here.
        return type <= CONSTANT_ELLIPSIS ? constants[type] : "literal";
    }
    return names[node->kind] != NULL ? names[node->kind] : "expression";
}

// The first bad part in the order of the text, as CPython reports it.
// Recursion is as deep as the brackets, which the parser has counted.
const Node *parse_bad_target(const Node *node, TargetUse use)
{
    switch (node->kind) {
    case AST_NAME:
    case AST_ATTRIBUTE:
    case AST_SUBSCRIPT:
        return NULL;
    case AST_STARRED:
        // `del *a` is refused as a whole, not for what is behind the star.
        return use == TARGET_DELETE ? node
                                    : parse_bad_target(node->starred.value,
                                                       use);
    case AST_LIST:
    case AST_TUPLE:
        for (uint32_t i = 0; i < node->sequence.elements.count; i++) {
            const Node *bad = parse_bad_target(
                node->sequence.elements.items[i], use);
            if (bad != NULL) {
                return bad;
            }
        }
        return NULL;
    default:
        return node;
    }
}

// Only for what parse_bad_target has passed: the default case is a list or a
// tuple.
static void set_context(Node *node, AstContext context)
{
    switch (node->kind) {
    case AST_NAME:
        node->name.context = context;
        break;
    case AST_ATTRIBUTE:
        node->attribute.context = context;
        break;
    case AST_SUBSCRIPT:
        node->subscript.context = context;
        break;
    case AST_STARRED:
        node->starred.context = context;
        set_context(node->starred.value, context);
        break;
    default:
        node->sequence.context = context;
        for (uint32_t i = 0; i < node->sequence.elements.count; i++) {
            set_context(node->sequence.elements.items[i], context);
        }
    }
}

// Nothing is changed if any part is bad.
bool parse_set_target(Parser *p, Node *node, TargetUse use)
{
    if (parse_bad_target(node, use) != NULL) {
        return p->explaining && explain_target(p, node, use);
    }
    set_context(node, use == TARGET_DELETE ? CONTEXT_DEL : CONTEXT_STORE);
    return true;
}

// star_target: '*' bitwise_or | bitwise_or
// A full expression would take the `in` of the loop as a comparison.
static Node *parse_for_target(Parser *p)
{
    return parse_at(p, TOK_STAR) ? parse_star_expression(p)
                                 : parse_operand(p, POWER_BIT_OR);
}

// Behind the first target of several: (',' star_target)* [',']
// The comma at the end may stand right before `in`.
static Node *finish_targets(Parser *p, Node *first, uint32_t start)
{
    size_t mark = parse_list_begin(p);
    if (!parse_list_add(p, first)) {
        return NULL;
    }
    while (parse_accept(p, TOK_COMMA) && !parse_at(p, TOK_IN)) {
        if (!parse_list_add(p, parse_for_target(p))) {
            return NULL;
        }
    }
    Node *tuple = parse_node(p, AST_TUPLE, start);
    if (tuple == NULL ||
        !parse_list_end(p, mark, &tuple->sequence.elements)) {
        return NULL;
    }
    return tuple;
}

// star_targets 'in': star_target (',' star_target)* [','] 'in'
// The `in` is taken along, for it can belong to nothing else here.
Node *parse_for_targets(Parser *p)
{
    uint32_t start = parse_start(p);
    Node *target = parse_for_target(p);
    // A comma makes it a tuple, even with nothing behind it.
    if (target != NULL && parse_at(p, TOK_COMMA)) {
        target = finish_targets(p, target, start);
    }
    if (target == NULL || !parse_set_target(p, target, TARGET_FOR) ||
        !parse_expect(p, TOK_IN)) {
        return NULL;
    }
    return target;
}
