// Targets: expressions that stand where something is stored or deleted.
//
// A target is read as an expression first, because its end tells what it is;
// then its contexts are set. Depth is bounded by the brackets of the text.
#include "parser/parse.h"

// Recursion is as deep as the brackets, which the parser has counted.
static bool is_target(const Node *node, TargetUse use)
{
    switch (node->kind) {
    case AST_NAME:
    case AST_ATTRIBUTE:
    case AST_SUBSCRIPT: return true;
    case AST_STARRED:
        // `del *a` is refused as a whole, not for what is behind the star.
        return use != TARGET_DELETE && is_target(node->starred.value, use);
    case AST_LIST:
    case AST_TUPLE:
        for (uint32_t i = 0; i < node->sequence.elements.count; i++) {
            if (!is_target(node->sequence.elements.items[i], use)) {
                return false;
            }
        }
        return true;
    default: return false;
    }
}

// Only for what is_target has passed: the default case is a list or a
// tuple.
static void set_context(Node *node, AstContext context)
{
    switch (node->kind) {
    case AST_NAME: node->name.context = context; break;
    case AST_ATTRIBUTE: node->attribute.context = context; break;
    case AST_SUBSCRIPT: node->subscript.context = context; break;
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
bool parse_set_target(Node *node, TargetUse use)
{
    if (!is_target(node, use)) {
        return false;
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
    return parse_list_tuple(p, mark, start);
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
    if (target == NULL || !parse_set_target(target, TARGET_FOR) ||
        !parse_expect(p, TOK_IN)) {
        return NULL;
    }
    return target;
}
