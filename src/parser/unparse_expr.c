// Expressions as source text, in the form of Python's ast.unparse.
#include "parser/unparse.h"

// The side on which an operator does not associate asks for one step more, so
// that `a - (b - c)` and `(a ** b) ** c` keep their parentheses. The right of
// `**` may be a signed operand, as in the grammar: `a ** -b`.
static void queue_binary(Unparser *u, const Node *node, Tightness own)
{
    bool power = node->binary.op == BINARY_POW;
    unparse_expr(u, node->binary.left, power ? own + 1 : own);
    unparse_text(u, " ");
    unparse_text(u, ast_binary_symbol(node->binary.op));
    unparse_text(u, " ");
    unparse_expr(u, node->binary.right, power ? TIGHT_UNARY : own + 1);
}

// The same order as the Pratt table of the parser (Power); if the two ever
// differ, what is printed parses to another tree.
static Tightness binary_tightness(BinaryOp op)
{
    static const uint8_t table[BINARY_COUNT] = {
        [BINARY_ADD] = TIGHT_SUM,       [BINARY_SUB] = TIGHT_SUM,
        [BINARY_MUL] = TIGHT_TERM,      [BINARY_TRUEDIV] = TIGHT_TERM,
        [BINARY_FLOORDIV] = TIGHT_TERM, [BINARY_MOD] = TIGHT_TERM,
        [BINARY_POW] = TIGHT_POWER,     [BINARY_MATMUL] = TIGHT_TERM,
        [BINARY_AND] = TIGHT_BIT_AND,   [BINARY_OR] = TIGHT_BIT_OR,
        [BINARY_XOR] = TIGHT_BIT_XOR,   [BINARY_LSHIFT] = TIGHT_SHIFT,
        [BINARY_RSHIFT] = TIGHT_SHIFT,
    };
    return (Tightness)table[op];
}

// What brings its own brackets or cannot be split counts as an atom. A tuple
// is one too: it is always printed in parentheses.
static Tightness tightness(const Node *node)
{
    switch (node->kind) {
    case AST_NAMED_EXPR: return TIGHT_NAMED;
    case AST_YIELD:
    case AST_YIELD_FROM: return TIGHT_LOOSE;
    case AST_LAMBDA:
    case AST_CONDITIONAL: return TIGHT_TEST;
    case AST_BOOL_OP: return node->bool_op.op == BOOL_OR ? TIGHT_OR : TIGHT_AND;
    case AST_COMPARE: return TIGHT_COMPARE;
    case AST_UNARY:
        return node->unary.op == UNARY_NOT ? TIGHT_NOT : TIGHT_UNARY;
    case AST_BINARY: return binary_tightness(node->binary.op);
    default: return TIGHT_ATOM;
    }
}

// The operand asks for the operator's own tightness and no more: `- -a` and
// `not not a` need no parentheses.
static void queue_unary(Unparser *u, const Node *node, Tightness own)
{
    static const char *const symbols[] = {
        [UNARY_NEG] = "-",
        [UNARY_POS] = "+",
        [UNARY_INVERT] = "~",
        // The only one that needs a blank.
        [UNARY_NOT] = "not ",
    };
    unparse_text(u, symbols[node->unary.op]);
    unparse_expr(u, node->unary.operand, own);
}

// All values of a chain lie in one node. A value that is itself a chain of the
// same word was written in parentheses and gets them back, because the tree
// tells `a or (b or c)` from `a or b or c`.
static void queue_bool(Unparser *u, const Node *node, Tightness own)
{
    const char *word = node->bool_op.op == BOOL_OR ? " or " : " and ";
    for (uint32_t i = 0; i < node->bool_op.values.count; i++) {
        if (i > 0) {
            unparse_text(u, word);
        }
        unparse_expr(u, node->bool_op.values.items[i], own + 1);
    }
}

// Operands ask for more than a comparison, since `(a < b) < c` is not the
// chain `a < b < c`.
static void queue_compare(Unparser *u, const Node *node)
{
    unparse_expr(u, node->compare.left, TIGHT_BIT_OR);
    for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
        unparse_text(u, " ");
        unparse_text(u, ast_compare_symbol((CompareOp)node->compare.ops[i]));
        unparse_text(u, " ");
        unparse_expr(u, node->compare.comparators.items[i], TIGHT_BIT_OR);
    }
}

// Iterables and conditions are disjunctions in the grammar: a conditional or a
// lambda there gets parentheses, or its `if` would be read as a filter.
static void queue_generators(Unparser *u, const NodeList *generators)
{
    for (uint32_t i = 0; i < generators->count; i++) {
        const Node *clause = generators->items[i];
        NodeList conditions = clause->comprehension.conditions;
        unparse_text(u, " for ");
        // A tuple here gets parentheses, like everywhere.
        unparse_expr(u, clause->comprehension.target, TIGHT_LOOSE);
        unparse_text(u, " in ");
        unparse_expr(u, clause->comprehension.iter, TIGHT_OR);
        for (uint32_t j = 0; j < conditions.count; j++) {
            unparse_text(u, " if ");
            unparse_expr(u, conditions.items[j], TIGHT_OR);
        }
    }
}

// List, set and generator differ in their brackets only.
static void queue_comp(Unparser *u, const Node *node, const char *open,
                       const char *close)
{
    unparse_text(u, open);
    unparse_expr(u, node->comp.element, TIGHT_TEST);
    queue_generators(u, &node->comp.generators);
    unparse_text(u, close);
}

// A NULL key stands for `**mapping`, whose operand binds at least like `|`.
static void queue_dict(Unparser *u, const Node *node)
{
    unparse_text(u, "{");
    for (uint32_t i = 0; i < node->dict.keys.count; i++) {
        const Node *key = node->dict.keys.items[i];
        unparse_text(u, i > 0 ? ", " : "");
        if (key == NULL) {
            unparse_text(u, "**");
        } else {
            unparse_expr(u, key, TIGHT_TEST);
            unparse_text(u, ": ");
        }
        unparse_expr(u, node->dict.values.items[i],
                     key == NULL ? TIGHT_BIT_OR : TIGHT_TEST);
    }
    unparse_text(u, "}");
}

// The parentheses are kept where they could be left out: it is right in every
// place, and `(a,)` needs the comma to be a tuple.
static void queue_tuple(Unparser *u, const Node *node)
{
    const NodeList *elements = &node->sequence.elements;
    unparse_text(u, "(");
    unparse_list(u, elements, TIGHT_TEST);
    unparse_text(u, elements->count == 1 ? ",)" : ")");
}

// Positional arguments come first, whatever the text's order was: the tree
// does not keep how `*a` and `k=v` were mixed.
static void queue_call(Unparser *u, const Node *node)
{
    unparse_expr(u, node->call.function, TIGHT_ATOM);
    unparse_text(u, "(");
    unparse_list(u, &node->call.arguments, TIGHT_TEST);
    bool both = node->call.arguments.count > 0 && node->call.keywords.count > 0;
    unparse_text(u, both ? ", " : "");
    unparse_list(u, &node->call.keywords, TIGHT_TEST);
    unparse_text(u, ")");
}

// A keyword without a name is the `**mapping` of a call or a class.
static void queue_keyword(Unparser *u, const Node *node)
{
    if (node->keyword.name.text == NULL) {
        unparse_text(u, "**");
    } else {
        unparse_text(u, node->keyword.name.text);
        unparse_text(u, "=");
    }
    unparse_expr(u, node->keyword.value, TIGHT_TEST);
}

// `1.real` would be read as the float `1.` and a name; a blank parts them.
static void queue_attribute(Unparser *u, const Node *node)
{
    const Node *value = node->attribute.value;
    unparse_expr(u, value, TIGHT_ATOM);
    // Only ints: a float has its point already, and other constants end in no
    // digit.
    bool number =
        value->kind == AST_CONSTANT && value->constant.type == CONSTANT_INT;
    unparse_text(u, number ? " ." : ".");
    unparse_text(u, node->attribute.name.text);
}

// Each part may be missing; the second colon is written only for a step.
static void queue_slice(Unparser *u, const Node *node)
{
    if (node->slice.lower != NULL) {
        unparse_expr(u, node->slice.lower, TIGHT_TEST);
    }
    unparse_text(u, ":");
    if (node->slice.upper != NULL) {
        unparse_expr(u, node->slice.upper, TIGHT_TEST);
    }
    if (node->slice.step != NULL) {
        unparse_text(u, ":");
        unparse_expr(u, node->slice.step, TIGHT_TEST);
    }
}

// A tuple of slices must stand without parentheses; any may.
static void queue_subscript(Unparser *u, const Node *node)
{
    const Node *index = node->subscript.index;
    unparse_expr(u, node->subscript.value, TIGHT_ATOM);
    unparse_text(u, "[");
    // The empty tuple keeps its parentheses: `a[]` is no subscript.
    if (index->kind == AST_TUPLE && index->sequence.elements.count > 0) {
        unparse_list(u, &index->sequence.elements, TIGHT_TEST);
        unparse_text(u, index->sequence.elements.count == 1 ? "," : "");
    } else {
        unparse_expr(u, index, TIGHT_TEST);
    }
    unparse_text(u, "]");
}

// The parameters of a lambda have no annotations, so unparse_params serves
// both it and `def`.
static void queue_lambda(Unparser *u, const Node *node)
{
    bool some = node->lambda.params->params.params.count > 0;
    // `lambda: 1`, with no blank before the colon.
    unparse_text(u, some ? "lambda " : "lambda");
    unparse_params(u, node->lambda.params);
    unparse_text(u, ": ");
    unparse_expr(u, node->lambda.body, TIGHT_TEST);
}

// Right-associative: the `else` part may be a conditional without parentheses,
// the body and the test may not.
static void queue_conditional(Unparser *u, const Node *node)
{
    unparse_expr(u, node->conditional.body, TIGHT_OR);
    unparse_text(u, " if ");
    unparse_expr(u, node->conditional.test, TIGHT_OR);
    unparse_text(u, " else ");
    unparse_expr(u, node->conditional.orelse, TIGHT_TEST);
}

// YIELD and YIELD_FROM share their form; `yield` alone has no value, which is
// not the same tree as `yield None`.
static void queue_yield(Unparser *u, const Node *node)
{
    bool from = node->kind == AST_YIELD_FROM;
    unparse_text(u, from ? "yield from " : "yield");
    if (node->expr_stmt.value != NULL) {
        unparse_text(u, from ? "" : " ");
        unparse_expr(u, node->expr_stmt.value, TIGHT_TEST);
    }
}

// The target of a walrus is always a name, so its tightness is of no matter.
static void queue_named(Unparser *u, const Node *node)
{
    unparse_expr(u, node->named_expr.target, TIGHT_ATOM);
    unparse_text(u, " := ");
    unparse_expr(u, node->named_expr.value, TIGHT_TEST);
}

// Key and value are single expressions: `**` is an error in a comprehension.
static void queue_dict_comp(Unparser *u, const Node *node)
{
    unparse_text(u, "{");
    unparse_expr(u, node->dict_comp.key, TIGHT_TEST);
    unparse_text(u, ": ");
    unparse_expr(u, node->dict_comp.value, TIGHT_TEST);
    queue_generators(u, &node->dict_comp.generators);
    unparse_text(u, "}");
}

// ['*' | '**'] name [':' annotation] ['=' default]
static void queue_param(Unparser *u, const Node *node)
{
    if (node->param.kind == PARAM_VARARGS) {
        unparse_text(u, "*");
    } else if (node->param.kind == PARAM_VARKEYWORDS) {
        unparse_text(u, "**");
    }
    unparse_text(u, node->param.name.text);
    if (node->param.annotation != NULL) {
        unparse_text(u, ": ");
        unparse_expr(u, node->param.annotation, TIGHT_TEST);
    }
    if (node->param.default_value != NULL) {
        unparse_text(u, "=");
        unparse_expr(u, node->param.default_value, TIGHT_TEST);
    }
}

// The tree has no node for a bare `*` or `/`; both are won back from the
// kinds. `*` is needed before the first keyword-only name unless `*args` stood
// there, `/` behind the last positional-only one.
void unparse_params(Unparser *u, const Node *params)
{
    NodeList list = params->params.params;
    bool star = false;
    for (uint32_t i = 0; i < list.count; i++) {
        const Node *param = list.items[i];
        unparse_text(u, i > 0 ? ", " : "");
        if (param->param.kind == PARAM_KEYWORD_ONLY && !star) {
            unparse_text(u, "*, ");
        }
        // The kinds are ordered: from here on a star has been written.
        star |= param->param.kind >= PARAM_VARARGS;
        queue_param(u, param);
        // The last of its kind: the next parameter is of another, or there is
        // none.
        bool slash = param->param.kind == PARAM_POSITIONAL_ONLY &&
                     (i + 1 == list.count ||
                      list.items[i + 1]->param.kind != PARAM_POSITIONAL_ONLY);
        unparse_text(u, slash ? ", /" : "");
    }
}

// For lists and sets only. An empty SET cannot come from a text: `{}` is a
// DICT.
static void queue_sequence(Unparser *u, const Node *node, const char *open,
                           const char *close)
{
    unparse_text(u, open);
    unparse_list(u, &node->sequence.elements, TIGHT_TEST);
    unparse_text(u, close);
}

// Expressions in brackets of their own, and chains behind an atom.
static void queue_atom(Unparser *u, const Node *node)
{
    switch (node->kind) {
    case AST_TUPLE: queue_tuple(u, node); break;
    case AST_LIST: queue_sequence(u, node, "[", "]"); break;
    case AST_SET: queue_sequence(u, node, "{", "}"); break;
    case AST_DICT: queue_dict(u, node); break;
    case AST_LIST_COMP: queue_comp(u, node, "[", "]"); break;
    case AST_SET_COMP: queue_comp(u, node, "{", "}"); break;
    case AST_GENERATOR_EXP: queue_comp(u, node, "(", ")"); break;
    case AST_DICT_COMP: queue_dict_comp(u, node); break;
    case AST_CALL: queue_call(u, node); break;
    case AST_KEYWORD: queue_keyword(u, node); break;
    case AST_ATTRIBUTE: queue_attribute(u, node); break;
    case AST_SUBSCRIPT: queue_subscript(u, node); break;
    // A slice, the only one of these that is left.
    default: queue_slice(u, node);
    }
}

// Whatever tightness() does not call an atom; the caller has dealt with the
// parentheses.
static void queue_operator(Unparser *u, const Node *node, Tightness own)
{
    switch (node->kind) {
    case AST_BINARY: queue_binary(u, node, own); break;
    case AST_UNARY: queue_unary(u, node, own); break;
    case AST_BOOL_OP: queue_bool(u, node, own); break;
    case AST_COMPARE: queue_compare(u, node); break;
    case AST_CONDITIONAL: queue_conditional(u, node); break;
    case AST_LAMBDA: queue_lambda(u, node); break;
    case AST_NAMED_EXPR: queue_named(u, node); break;
    default: queue_yield(u, node);
    }
}

// Names, constants and f-strings are written at once and not queued: nothing
// is before them in the queue while their own item is printed. Everything else
// only queues its parts, so only f-strings within f-strings use the C stack.
void unparse_expression(Unparser *u, const Node *node, Tightness least)
{
    Tightness own = tightness(node);
    switch (node->kind) {
    case AST_NAME: strbuf_puts(u->out, node->name.id.text); return;
    case AST_CONSTANT: unparse_constant(u, node); return;
    case AST_JOINED_STR: unparse_joined(u, node); return;
    // Never in parentheses: `(*a)` is a fault.
    case AST_STARRED:
        unparse_text(u, "*");
        unparse_expr(u, node->starred.value, TIGHT_BIT_OR);
        return;
    default: break;
    }
    // One rule for all operators: parentheses exactly where the place asks for
    // more than the expression gives.
    bool bracket = own < least;
    unparse_text(u, bracket ? "(" : "");
    if (own == TIGHT_ATOM) {
        queue_atom(u, node);
    } else {
        queue_operator(u, node, own);
    }
    unparse_text(u, bracket ? ")" : "");
}
