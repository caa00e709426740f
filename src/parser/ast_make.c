// Making nodes.
#include "parser/ast_make.h"

#include <string.h>

// Nodes are cleared by the arena: members that are not set are NULL.
Node *ast_make_node(AstMaker *m, AstKind kind, Span span)
{
    Node *node = m->failed ? NULL : arena_new(m->arena, Node);
    if (node == NULL) {
        m->failed = true;
        return &m->nowhere;
    }
    node->kind = (uint8_t)kind;
    node->span = span;
    return node;
}

Node *ast_make_copy(AstMaker *m, const Node *node)
{
    Node *copy = ast_make_node(m, (AstKind)node->kind, node->span);
    *copy = *node;
    return copy;
}

Node *ast_make_name(AstMaker *m, Text name, AstContext context, Span span)
{
    Node *node = ast_make_node(m, AST_NAME, span);
    node->name.id = name;
    node->name.context = context;
    return node;
}

// For constants without a text: None, True, False.
Node *ast_make_constant(AstMaker *m, ConstantType type, Span span)
{
    Node *node = ast_make_node(m, AST_CONSTANT, span);
    node->constant.type = type;
    return node;
}

// Has the span of what it negates.
Node *ast_make_not(AstMaker *m, Node *operand)
{
    Node *node = ast_make_node(m, AST_UNARY, operand->span);
    node->unary.op = UNARY_NOT;
    node->unary.operand = operand;
    return node;
}

Node *ast_make_assign(AstMaker *m, Text name, Node *value, Span span)
{
    Node *node = ast_make_node(m, AST_ASSIGN, span);
    Node *target = ast_make_name(m, name, CONTEXT_STORE, span);
    node->assign.targets = ast_make_list(m, &target, 1);
    node->assign.value = value;
    return node;
}

// Copied, so that it may lie on the stack of the caller.
Text ast_make_text(AstMaker *m, const char *text)
{
    Text made = {NULL, strlen(text)};
    made.text = m->failed ? NULL : arena_strndup(m->arena, text, made.length);
    m->failed = m->failed || made.text == NULL;
    return made;
}

// The items are copied, since vectors move.
NodeList ast_make_list(AstMaker *m, Node *const *items, size_t count)
{
    NodeList list = {NULL, 0};
    if (count == 0 || m->failed) {
        return list;
    }
    list.items = arena_new_array(m->arena, Node *, count);
    if (list.items == NULL) {
        m->failed = true;
        return list;
    }
    memcpy(list.items, items, count * sizeof *items);
    list.count = (uint32_t)count;
    return list;
}

// An empty list costs nothing.
NodeList ast_make_join(AstMaker *m, NodeList a, NodeList b)
{
    if (a.count == 0 || b.count == 0) {
        return a.count == 0 ? b : a;
    }
    // A vector does the copying; it is gone when ast_make_taken returns.
    NodeVec both = {0};
    ast_make_push_all(m, &both, a);
    ast_make_push_all(m, &both, b);
    return ast_make_taken(m, &both);
}

// The vector is empty then and needs no freeing.
NodeList ast_make_taken(AstMaker *m, NodeVec *vec)
{
    NodeList list = ast_make_list(m, vec->items, vec->count);
    vec_free(m->ctx, vec);
    return list;
}

// After a failure nothing is added, and the list stays short.
void ast_make_push(AstMaker *m, NodeVec *vec, Node *node)
{
    if (!m->failed && !vec_push(m->ctx, vec, node)) {
        m->failed = true;
    }
}

void ast_make_push_all(AstMaker *m, NodeVec *vec, NodeList list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        ast_make_push(m, vec, list.items[i]);
    }
}
